use axum::http::HeaderValue;

use super::*;

const PORT: u16 = 8765;

const FOREIGN_HOST: &str = "foreign_host";
const FOREIGN_ORIGIN: &str = "foreign_origin";
const NO_TOKEN: &str = "token_needed";

/// Asks with headers, written `name: value` with `; ` between them, and says which refusal comes.
fn check(method: &Method, headers: &str, expected: Option<&str>) {
    check_at("127.0.0.1", method, "/api/v1/nodes", headers, expected);
}

fn check_at(address: &str, method: &Method, path: &str, headers: &str, expected: Option<&str>) {
    let mut map = HeaderMap::new();
    for header in headers.split("; ").filter(|header| !header.is_empty()) {
        let (name, value) = header.split_once(": ").unwrap();
        let name = axum::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        map.append(name, HeaderValue::from_str(value).unwrap());
    }
    let gate = Gate::new(SocketAddr::new(address.parse().unwrap(), PORT), "secret");
    let refused = gate.admit(method, path, &map).err();
    let code = refused.as_ref().map(|refused| refused.problem().code);
    assert_eq!(code, expected, "{method} {path} {headers}");
}

#[test]
fn this_machine_may_read() {
    for host in ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765", "127.0.0.1"] {
        check(&Method::GET, &format!("host: {host}"), None);
    }
}

#[test]
fn a_name_that_resolves_to_this_machine_is_refused() {
    let hosts = [
        "evil.example:8765",
        "evil.example",
        "127.0.0.1.evil.example:8765",
        "localhost.evil.example",
        "127.0.0.1:80",
        "127.0.0.1:8765@evil.example",
        "0.0.0.0:8765",
        "",
    ];
    for host in hosts {
        check(&Method::GET, &format!("host: {host}"), Some(FOREIGN_HOST));
    }
    check(&Method::GET, "", Some(FOREIGN_HOST));
    check(&Method::GET, "host: 127.0.0.1:8765; host: evil.example", Some(FOREIGN_HOST));
}

#[test]
fn a_page_of_another_site_is_refused_even_with_the_token() {
    let origins = [
        "http://evil.example",
        "https://127.0.0.1:8765",
        "http://127.0.0.1:3000",
        "http://127.0.0.1",
        "http://localhost.evil.example:8765",
        "null",
    ];
    for origin in origins {
        let headers =
            format!("host: 127.0.0.1:8765; authorization: Bearer secret; origin: {origin}");
        check(&Method::POST, &headers, Some(FOREIGN_ORIGIN));
        check(&Method::GET, &headers, Some(FOREIGN_ORIGIN));
    }
    let embedded = "host: 127.0.0.1:8765; sec-fetch-site: cross-site";
    check(&Method::GET, embedded, Some(FOREIGN_ORIGIN));
}

#[test]
fn our_own_page_may_read_and_act() {
    let headers =
        "host: localhost:8765; origin: http://localhost:8765; sec-fetch-site: same-origin";
    check(&Method::GET, headers, None);
    check(&Method::POST, headers, Some(NO_TOKEN));
    check(&Method::POST, &format!("{headers}; authorization: Bearer secret"), None);
}

#[test]
fn what_changes_anything_needs_the_token() {
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        check(&method, "host: 127.0.0.1:8765", Some(NO_TOKEN));
        for wrong in ["Bearer ", "Bearer secre", "Bearer secrets", "Bearer Secret", "secret"] {
            check(
                &method,
                &format!("host: 127.0.0.1:8765; authorization: {wrong}"),
                Some(NO_TOKEN),
            );
        }
        check(&method, "host: 127.0.0.1:8765; authorization: Bearer secret", None);
    }
}

#[test]
fn a_question_needs_no_token_but_a_wrong_one_is_no_token() {
    let query = |headers: &str, expected| {
        check_at("127.0.0.1", &Method::POST, "/api/query", headers, expected);
    };
    query("host: 127.0.0.1:8765", None);
    query("host: 127.0.0.1:8765; authorization: Bearer secret", None);
    query("host: 127.0.0.1:8765; authorization: Bearer wrong", Some(NO_TOKEN));
    query("host: 127.0.0.1:8765; origin: http://evil.example", Some(FOREIGN_ORIGIN));
    query("host: evil.example", Some(FOREIGN_HOST));
    check(&Method::GET, "host: 127.0.0.1:8765; authorization: Bearer wrong", Some(NO_TOKEN));
}

#[test]
fn where_other_machines_can_ask_everything_needs_the_token() {
    let ask = |method: &Method, path: &str, headers: &str, expected| {
        check_at("192.0.2.7", method, path, headers, expected);
    };
    ask(&Method::GET, "/health", "host: desk.example:8765", Some(NO_TOKEN));
    ask(&Method::POST, "/api/query", "host: desk.example:8765", Some(NO_TOKEN));
    let known = "host: desk.example:8765; authorization: Bearer secret";
    ask(&Method::GET, "/health", known, None);
    ask(&Method::POST, "/api/query", known, None);
    let own = format!("{known}; origin: http://desk.example:8765");
    ask(&Method::POST, "/api/query", &own, None);
    let foreign = format!("{known}; origin: http://evil.example:8765");
    ask(&Method::POST, "/api/query", &foreign, Some(FOREIGN_ORIGIN));
}

#[test]
fn the_page_itself_is_for_everybody_and_nothing_else() {
    let elsewhere = |path: &str, headers: &str, expected| {
        check_at("0.0.0.0", &Method::GET, path, headers, expected);
    };
    for path in ["/", "/assets/index-a1.js", "/sessions/abc", "/apiary"] {
        elsewhere(path, "host: brain.example:8765", None);
    }
    for path in ["/api", "/api/page", "/api/v1/nodes", "/ws", "/health", "/metrics"] {
        elsewhere(path, "host: brain.example:8765", Some(NO_TOKEN));
    }
    check_at("0.0.0.0", &Method::POST, "/", "host: brain.example:8765", Some(NO_TOKEN));
}

#[test]
fn a_page_says_the_token_to_a_socket_among_its_protocols() {
    let ask = |protocols: &str, expected| {
        let headers = format!("host: brain.example:8765; sec-websocket-protocol: {protocols}");
        check_at("0.0.0.0", &Method::GET, "/ws", &headers, expected);
    };
    ask("pi-brain, token.secret", None);
    ask("pi-brain, token.wrong", Some(NO_TOKEN));
    ask("pi-brain", Some(NO_TOKEN));
}
