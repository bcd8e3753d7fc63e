//! What those are told who keep a WebSocket open.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use crate::api::post;
use crate::home::{Daemon, Home, append};

struct Socket(WebSocket<TcpStream>);

impl Socket {
    fn open(daemon: &Daemon) -> Self {
        Self::try_open(daemon, None).unwrap()
    }

    fn try_open(daemon: &Daemon, origin: Option<&str>) -> Result<Self, u16> {
        let address = daemon.client.address();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(refused))) => {
                Err(refused.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn say(&mut self, message: &Value) {
        self.0.send(Message::Text(message.to_string().into())).unwrap();
    }

    fn subscribe(&mut self, channels: &[&str]) -> Value {
        self.say(&json!({ "type": "subscribe", "channels": channels }));
        self.next("subscribed")
    }

    /// Returns the next message of a type, and passes over others.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                if message["type"] == kind {
                    return message;
                }
            }
        }
    }

    fn next_event(&mut self, name: &str) -> Value {
        loop {
            let event = self.next("event");
            if event["event"] == name {
                return event;
            }
        }
    }
}

#[test]
fn who_subscribes_is_told_and_only_of_that() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let mut socket = Socket::open(&daemon);
    assert!(socket.next("hello")["since"].is_string());
    assert_eq!(socket.subscribe(&["nodes"])["channels"], json!(["nodes"]));
    append(&path, 2, "cormorant");
    let event = socket.next("event");
    assert_eq!((&event["channel"], &event["event"]), (&json!("nodes"), &json!("nodes")));
    assert_eq!(event["data"]["nodes"][0]["version"], 2);

    socket.say(&json!({ "type": "subscribe", "channels": ["nonsense", "ingest"] }));
    assert!(socket.next("error")["error"]["message"].as_str().unwrap().contains("nonsense"));
    assert_eq!(socket.next("subscribed")["channels"], json!(["ingest", "nodes"]));
    socket.say(&json!({ "type": "unsubscribe", "channels": ["nodes"] }));
    assert_eq!(socket.next("subscribed")["channels"], json!(["ingest"]));
    for nonsense in ["{", "7", "{\"type\":\"dance\"}"] {
        socket.0.send(Message::Text(nonsense.into())).unwrap();
        assert_eq!(socket.next("error")["error"]["code"], "bad_request");
    }
    home.session("two", &["dunnock", "egret"]);
    assert_eq!(socket.next_event("ingest_finished")["data"]["files"], 1);
}

#[test]
fn a_session_is_followed_as_it_is_written() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let mut socket = Socket::open(&daemon);
    assert_eq!(socket.subscribe(&["session:one"])["channels"], json!(["session:one"]));
    append(&path, 2, "cormorant");
    let told = socket.next("entries");
    assert_eq!(told["channel"], "session:one");
    assert_eq!(
        (&told["entries"][0]["line"], &told["entries"][0]["entry"]["id"]),
        (&json!(4), &json!("cormorant2"))
    );
    append(&path, 3, "dunnock");
    assert_eq!(socket.next("entries")["entries"][0]["entry"]["id"], "dunnock3");
    for unknown in ["session:nonsense", "session:../../etc/passwd", "session:"] {
        socket.say(&json!({ "type": "subscribe", "channels": [unknown] }));
        socket.next("error");
    }
}

#[test]
fn who_comes_back_hears_what_was_missed_or_that_it_is_gone() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let mut socket = Socket::open(&daemon);
    let since = socket.next("hello")["since"].clone();
    socket.subscribe(&["nodes"]);
    append(&path, 2, "cormorant");
    let heard = socket.next_event("nodes")["number"].clone();
    drop(socket);
    append(&path, 3, "dunnock");
    daemon.client.refresh(false).unwrap();

    let mut back = Socket::open(&daemon);
    back.say(&json!({
        "type": "subscribe", "channels": ["nodes"], "after": { "since": since, "number": heard },
    }));
    let missed = back.next_event("nodes");
    assert!(missed["number"].as_u64() > heard.as_u64());
    assert_eq!(missed["data"]["nodes"][0]["version"], 3);

    let mut stranger = Socket::open(&daemon);
    let after = json!({ "since": "2020-01-01T00:00:00.000Z", "number": 3 });
    stranger.say(&json!({ "type": "subscribe", "channels": ["nodes"], "after": after }));
    stranger.next("missed");
}

#[test]
fn a_page_of_another_site_cannot_open_one() {
    let home = Home::new();
    let daemon = home.start();
    assert_eq!(Socket::try_open(&daemon, Some("http://evil.example")).err(), Some(403));
    let own = format!("http://{}", daemon.client.address());
    assert!(Socket::try_open(&daemon, Some(&own)).is_ok());
}

#[test]
fn who_does_not_listen_is_let_go_and_the_others_are_told() {
    let home = Home::new();
    home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let mut deaf = Socket::open(&daemon);
    deaf.next("hello");
    deaf.subscribe(&["daemon", "ingest", "nodes"]);
    let mut awake = Socket::open(&daemon);
    awake.subscribe(&["ingest"]);
    // Nothing of this is read by the one; the other hears the end of it. What does not fit into the buffers of the
    // system is not kept by us.
    for round in 0..400 {
        post(&daemon, "/api/v1/daemon/refresh", &json!({ "links": round % 2 == 0 }));
    }
    home.session("two", &["dunnock", "egret"]);
    assert_eq!(awake.next_event("ingest_finished")["data"]["files"], 1);
    daemon.stop();
}

#[test]
fn a_daemon_that_ends_says_so() {
    let home = Home::new();
    let daemon = home.start();
    let mut socket = Socket::open(&daemon);
    socket.subscribe(&["daemon"]);
    daemon.client.stop().unwrap();
    socket.next_event("stopping");
    let closed = loop {
        match socket.0.read() {
            Ok(Message::Close(frame)) => break frame,
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(u16::from(closed.unwrap().code), 1001);
}
