//! What people try who should not get in, or who would keep others out.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use pi_brain_server::ServerError;
use serde_json::json;

use crate::api::{get, post, send, trusted};
use crate::home::Home;

#[test]
fn nobody_else_is_let_in_without_a_token_that_they_were_given() {
    let home = Home::new();
    let mut options = home.options();
    options.address = Ipv4Addr::UNSPECIFIED.into();
    let refused = pi_brain_server::run(options, |_| panic!("it has started")).unwrap_err();
    assert!(matches!(refused, ServerError::Exposed { .. }), "{refused}");
    assert!(refused.to_string().contains("--token-file"), "{refused}");
    assert!(!home.data.join("daemon.json").exists());
}

#[test]
fn where_others_can_ask_everything_needs_the_token() {
    let home = Home::new();
    let mut options = home.options();
    options.address = Ipv4Addr::UNSPECIFIED.into();
    options.token = Some("a-token-of-our-own-choice".to_owned());
    let (started, address) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        pi_brain_server::run(options, |address| started.send(address).unwrap())
    });
    let port = address.recv().unwrap().port();
    let ask = |method: &str, path: &str, headers: &str| {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: desk.example:{port}\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    let token = "Authorization: Bearer a-token-of-our-own-choice\r\n";
    for path in
        ["/health", "/metrics", "/api/v1/nodes", "/api/openapi.json", "/ws", "/api/v1/events"]
    {
        assert_eq!(ask("GET", path, ""), 401, "{path}");
    }
    assert_eq!(ask("POST", "/api/query", ""), 401);
    assert_eq!(ask("GET", "/api/v1/nodes", "Authorization: Bearer nonsense\r\n"), 401);
    assert_eq!(ask("GET", "/api/v1/nodes", token), 200);
    let foreign = format!("{token}Origin: http://evil.example\r\n");
    assert_eq!(ask("GET", "/api/v1/nodes", &foreign), 403);
    assert_eq!(ask("POST", "/api/v1/daemon/stop", token), 200);
    thread.join().unwrap().unwrap();
}

#[test]
fn a_body_that_is_too_large_or_no_json_is_refused_before_it_is_looked_at() {
    let home = Home::new();
    let daemon = home.start();
    let large = json!({ "query": "x".repeat(5 * 1024 * 1024) });
    let refused = post(&daemon, "/api/query", &large);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (413, &json!("too_large")));
    // What a form of another site can send without being asked.
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    {
        let headers = format!("Content-Type: {kind}\r\n");
        let refused = send(&daemon, "POST", "/api/query", &headers, "{\"query\":\"x\"}");
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (415, &json!("not_json")));
    }
    for body in [
        "{",
        "[]",
        "{\"query\":7}",
        "{\"query\":\" \"}",
        "null",
        "{\"query\":\"x\",\"options\":{\"limit\":0}}",
    ] {
        assert_eq!(
            send(&daemon, "POST", "/api/query", &trusted(&daemon), body).status,
            400,
            "{body}"
        );
    }
    let deep = format!("{{\"query\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(send(&daemon, "POST", "/api/query", &trusted(&daemon), &deep).status, 400);
    assert_eq!(get(&daemon, "/health").status, 200);
}

#[test]
fn who_never_finishes_asking_is_let_go_and_keeps_nobody_waiting() {
    let home = Home::new();
    let daemon = home.start();
    let mut slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(daemon.client.address()).unwrap();
            stream.write_all(b"GET /health HTTP/1.1\r\nHost: 127").unwrap();
            stream
        })
        .collect();
    let began = Instant::now();
    assert_eq!(get(&daemon, "/health").status, 200);
    assert!(began.elapsed() < Duration::from_secs(5));
    for stream in &mut slow {
        stream.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
        let mut rest = Vec::new();
        // An answer, an end or a reset: anything but waiting for ever.
        if let Err(error) = stream.read_to_end(&mut rest) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
}

#[test]
fn text_from_sessions_comes_back_as_data_and_as_nothing_else() {
    let home = Home::new();
    let evil = "albatross <script>alert(1)</script>\r\nSet-Cookie: a=b\r\n\r\n<img src=x onerror=alert(2)>";
    home.session("one", &[evil, "bullfinch", "albatross"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    for path in ["/api/v1/search?q=albatross", "/api/v1/nodes", "/api/v1/ask?q=albatross%20script"]
    {
        let answer = get(&daemon, path);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert!(
            answer.header("content-security-policy").unwrap().starts_with("default-src 'none'")
        );
        assert!(answer.header("set-cookie").is_none());
        assert!(answer.header("access-control-allow-origin").is_none());
    }
    // What was asked is not repeated in headers either.
    let asked = get(&daemon, "/api/v1/search?q=x%0d%0aSet-Cookie:%20a=b");
    assert!(asked.header("set-cookie").is_none());
}
