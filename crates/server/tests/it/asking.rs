//! What can be asked over HTTP, by whom, and what is refused.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use pi_brain_app::{Depth, Silent};
use pi_brain_daemon::{Announcement, Client, DaemonError, Freshness, bring_up_to_date, running};
use pi_brain_server::ServerError;
use pi_brain_store::DataFolder;
use serde_json::{Value, json};

use crate::home::{Home, append};

/// Writes a request with further headers.
fn request(method: &str, path: &str, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n")
}

#[test]
fn a_daemon_says_who_it_is_and_how_it_is() {
    let home = Home::new();
    home.session("one", &["albatross"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let host = format!("Host: {}\r\n", daemon.client.address());
    let (status, health) = daemon.raw(&request("GET", "/health", &host));
    assert_eq!(
        (status, &health["status"], &health["pid"]),
        (200, &json!("ok"), &json!(std::process::id()))
    );
    let (code, status) = daemon.raw(&request("GET", "/api/v1/daemon/status", &host));
    assert_eq!(
        (code, &status["files"], &status["activity"]["kind"]),
        (200, &json!(1), &json!("idle"))
    );
    assert_eq!(status["lastRefresh"]["files"].as_u64(), Some(1), "{status}");
    assert!(!status.to_string().contains(&daemon.announcement.token));
}

#[test]
fn every_attack_is_refused_in_one_shape() {
    let home = Home::new();
    let daemon = home.start();
    let (address, token) = (daemon.client.address(), &*daemon.announcement.token);
    let (port, host) = (address.port(), format!("Host: {address}\r\n"));
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let (stop, status) = ("/api/v1/daemon/stop", "/api/v1/daemon/status");
    let attacks = [
        // A name that an attacker lets point to this machine.
        ("GET", status, format!("Host: evil.example:{port}\r\n"), 403, "foreign_host"),
        ("POST", stop, format!("Host: evil.example:{port}\r\n{bearer}"), 403, "foreign_host"),
        ("GET", "/api/v1/events", format!("Host: evil.example:{port}\r\n"), 403, "foreign_host"),
        // A page of another site.
        ("GET", status, format!("{host}Origin: http://evil.example\r\n"), 403, "foreign_origin"),
        ("POST", stop, format!("{host}{bearer}Origin: null\r\n"), 403, "foreign_origin"),
        ("GET", status, format!("{host}Sec-Fetch-Site: cross-site\r\n"), 403, "foreign_origin"),
        // Somebody who has no token, or another.
        ("POST", stop, host.clone(), 401, "token_needed"),
        ("POST", "/api/v1/daemon/refresh", host.clone(), 401, "token_needed"),
        (
            "POST",
            stop,
            format!("{host}Authorization: Bearer {}\r\n", "0".repeat(64)),
            401,
            "token_needed",
        ),
        ("POST", &format!("{stop}?token={token}"), host.clone(), 401, "token_needed"),
        // What is not there.
        ("GET", "/../../etc/passwd", host.clone(), 404, "not_found"),
        ("GET", "/daemon.json", host.clone(), 404, "not_found"),
        ("GET", stop, host.clone(), 405, "method_not_allowed"),
    ];
    for (method, path, headers, expected, code) in attacks {
        let (status, body) = daemon.raw(&request(method, path, &headers));
        assert_eq!(
            (status, &body["error"]["code"]),
            (expected, &json!(code)),
            "{method} {path} {headers}"
        );
        for part in ["message", "hint"] {
            assert!(body["error"][part].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        }
        assert!(!body.to_string().contains(token));
    }
    assert!(daemon.client.status().is_ok(), "it still runs");
}

#[test]
fn the_token_lies_where_only_the_owner_can_read_it() {
    let home = Home::new();
    let daemon = home.start();
    let file = home.data.join("daemon.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(&home.data).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(daemon.announcement.token.len(), 64);
    assert!(daemon.announcement.address.ip().is_loopback());
    daemon.stop();
    assert!(!file.exists());
    assert!(Client::find(&home.data).is_none());
    assert_eq!(running(&home.data), None);
}

#[test]
fn there_is_one_daemon_for_a_folder() {
    let home = Home::new();
    let daemon = home.start();
    let second = pi_brain_server::run(home.options(), |_| panic!("it has started")).unwrap_err();
    let ServerError::Daemon(DaemonError::Running { pid, .. }) = second else { panic!("{second}") };
    assert_eq!(pid, std::process::id());
    assert!(second.to_string().contains(&format!("process {}", std::process::id())));
    assert!(daemon.client.status().is_ok(), "the first one is not disturbed");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let (home, other) = (Home::new(), Home::new());
    let daemon = home.start();
    let mut options = other.options();
    options.port = daemon.client.address().port();
    let error = pi_brain_server::run(options, |_| panic!("it has started")).unwrap_err();
    assert!(error.to_string().contains(&format!("port {}", daemon.client.address().port())));
    assert_eq!(Announcement::read(&other.data), None);
}

#[test]
fn listeners_are_told_what_is_taken_in() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let mut events = Events::listen(&daemon.client);
    append(&path, 2, "cormorant");
    assert_eq!(events.next("ingest_begun")["files"], 1);
    assert_eq!(events.next("ingest_finished")["entries"], 1);
    let nodes = events.next("nodes")["nodes"].clone();
    assert_eq!((nodes[0]["version"].clone(), nodes[0]["new"].clone()), (json!(2), json!(false)));
    home.session("two", &["dunnock", "egret"]);
    assert_eq!(events.next("ingest_finished")["files"], 1);
    assert_eq!(events.next("nodes")["nodes"][0]["new"], true);
    daemon.stop();
    events.next("stopping");
    assert!(events.has_ended());
}

#[test]
fn who_asks_for_a_refresh_is_answered_when_it_is_done() {
    let home = Home::new();
    let path = home.session("one", &["albatross"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let words = ["albatross", "bullfinch", "cormorant"];
    for (at, word) in words.iter().enumerate().skip(1) {
        append(&path, at, word);
        daemon.client.refresh(false).unwrap();
        assert_eq!(home.found(&words).len(), at + 1);
    }
}

/// The stream of events of a daemon.
struct Events(BufReader<TcpStream>);

impl Events {
    fn listen(client: &Client) -> Self {
        let mut stream = TcpStream::connect(client.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request = format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", client.address());
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0);
        }
        Self(reader)
    }

    /// Waits for the next event of a kind.
    fn next(&mut self, name: &str) -> Value {
        loop {
            if self.line() == format!("event: {name}") {
                return serde_json::from_str(self.line().strip_prefix("data: ").unwrap()).unwrap();
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream has ended");
        line.trim_end().to_owned()
    }

    fn has_ended(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}

#[test]
fn an_open_brain_leaves_the_work_to_the_daemon_where_there_is_one() {
    let home = Home::new();
    home.session("one", &["albatross"]);
    let refresh = |depth: Depth| {
        let mut app = home.open();
        let now = || jiff::Timestamp::now().into();
        bring_up_to_date(&mut app, &home.data, depth, now, &Silent).unwrap()
    };
    for depth in [Depth::Findable, Depth::Whole, Depth::Linked] {
        assert!(matches!(refresh(depth), Freshness::TakenIn(_)));
    }
    let daemon = home.start();
    for (word, depth) in
        [("two", Depth::Findable), ("three", Depth::Whole), ("four", Depth::Linked)]
    {
        home.session(word, &[word]);
        let freshness = refresh(depth);
        assert!(matches!(freshness, Freshness::KeptByDaemon), "{freshness:?}");
        assert_eq!(home.found(&[word]), [word]);
    }
    drop(daemon);
    home.session("five", &["five"]);
    let Freshness::TakenIn(report) = refresh(Depth::Whole) else { panic!("nobody else is there") };
    assert_eq!(report.found, 5);
    let lock = DataFolder::at(&home.data).lock("a test").unwrap();
    assert!(matches!(refresh(Depth::Whole), Freshness::Behind));
    drop(lock);
}
