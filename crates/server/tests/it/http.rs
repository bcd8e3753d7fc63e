//! Requests as a browser sends them, and whether what comes back is what the description of the interface says.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::home::Daemon;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Returns the word for programs by which a request was refused, with the status.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let error = self.json()["error"].clone();
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
        (self.status, error["code"].as_str().unwrap().to_owned())
    }
}

/// Sends a request with the token, and further headers.
pub(crate) fn send(
    daemon: &Daemon,
    method: &str,
    path: &str,
    headers: &str,
    body: Option<&Value>,
) -> Answer {
    let (address, token) = (daemon.client.address(), &*daemon.announcement.token);
    let body = body.map(ToString::to_string).unwrap_or_default();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{headers}Connection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head, body: answer.split_off(end + 4) };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = without_chunks(&answer.body);
    }
    answer
}

/// Puts together what was sent in pieces.
fn without_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").expect("it was sent to its end");
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 2 + size + 2..];
    }
}

/// Asks something, and holds the answer against the description of the interface.
pub(crate) fn get(daemon: &Daemon, path: &str) -> Value {
    let answer = send(daemon, "GET", path, "", None);
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let value = answer.json();
    check_described(daemon, "get", path, &value);
    value
}

/// Does something, and holds the answer against the description of the interface.
pub(crate) fn post(daemon: &Daemon, path: &str, body: &Value) -> Value {
    let answer = send(daemon, "POST", path, "", Some(body));
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text());
    let value = answer.json();
    check_described(daemon, "post", path, &value);
    value
}

/// Asks for something that is refused.
pub(crate) fn refused(daemon: &Daemon, method: &str, path: &str, body: &Value) -> (u16, String) {
    let body = Some(body).filter(|_| method == "POST");
    send(daemon, method, path, "", body).refusal()
}

fn check_described(daemon: &Daemon, method: &str, path: &str, value: &Value) {
    let document = send(daemon, "GET", "/api/openapi.json", "", None).json();
    let path = path.split('?').next().unwrap();
    let fits = |pattern: &str| {
        let (pattern, path): (Vec<&str>, Vec<&str>) =
            (pattern.split('/').collect(), path.split('/').collect());
        pattern.len() == path.len()
            && pattern.iter().zip(path).all(|(one, other)| one.starts_with('{') || *one == other)
    };
    let paths = document["paths"].as_object().unwrap();
    // A path without parameters goes before one with them.
    let described = paths
        .keys()
        .filter(|pattern| fits(pattern))
        .max_by_key(|pattern| std::cmp::Reverse(pattern.matches('{').count()));
    let described = &paths[described.unwrap_or_else(|| panic!("{path} is not described"))];
    let schema = &described[method]["responses"]["200"]["content"]["application/json"]["schema"];
    if let Err(why) = check(&document, schema, value) {
        panic!("{method} {path}: {why}");
    }
}

/// Holds a value against a schema, as far as our schemas go.
fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').unwrap();
        return check(document, document.pointer(pointer).ok_or(name)?, value);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let is_one = any.iter().any(|schema| check(document, schema, value).is_ok());
        return if is_one { Ok(()) } else { Err(format!("{value} fits none of {any:?}")) };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |allowed: &Value| allowed == kind || (allowed == "number" && kind == "integer");
    match &schema["type"] {
        Value::Null => {}
        Value::Array(kinds) if kinds.iter().any(fits) => {}
        allowed if fits(allowed) => {}
        allowed => return Err(format!("{value} is no {allowed}")),
    }
    for item in value.as_array().into_iter().flatten() {
        check(document, &schema["items"], item)?;
    }
    let Some(members) = value.as_object() else { return Ok(()) };
    let none = json!([]);
    for name in schema.get("required").unwrap_or(&none).as_array().unwrap() {
        members.get(name.as_str().unwrap()).ok_or(format!("{name} is missing in {value}"))?;
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, member) in members {
            let property = properties.get(name).ok_or(format!("{name} is not described"))?;
            check(document, property, member).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    Ok(())
}
