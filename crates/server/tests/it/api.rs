//! What the interface answers, and how: shapes, lists, caching, what is kept from agents.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use pi_brain_real_pi::{Deed, ScriptedModel};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::home::{Daemon, Home, wait_for};

/// A key that no service ever gave out, in a shape that is known.
const SECRET: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";

/// An answer as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| {
            line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name))
        };
        self.head.lines().find(is_it)?.split_once(':').map(|(_, value)| value.trim())
    }
}

/// Sends a request, with further headers.
pub(crate) fn send(daemon: &Daemon, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let address = daemon.client.address();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    // Who is refused may be told so before everything was sent.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("there is a head");
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut body = answer[end + 4..].to_vec();
    if head.to_lowercase().contains("transfer-encoding: chunked") {
        assert!(body.ends_with(b"0\r\n\r\n"), "{path} is cut off");
        body = unchunk(&body);
    }
    Answer { status, head, body }
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|bytes| bytes == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[(end + 4 + length).min(body.len())..];
    }
    whole
}

pub(crate) fn get(daemon: &Daemon, path: &str) -> Answer {
    send(daemon, "GET", path, "", "")
}

pub(crate) fn post(daemon: &Daemon, path: &str, body: &Value) -> Answer {
    send(daemon, "POST", path, &trusted(daemon), &body.to_string())
}

pub(crate) fn trusted(daemon: &Daemon) -> String {
    let token = &daemon.announcement.token;
    format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
}

const JSON: &str = "Content-Type: application/json\r\n";

/// A brain that knows of three sessions.
fn three() -> (Home, Daemon) {
    let home = Home::new();
    for (name, words) in [
        ("one", ["albatross", "bullfinch", "cormorant"]),
        ("two", ["dunnock", "egret", "albatross"]),
        ("three", ["fulmar", "goldcrest", "hoopoe"]),
    ] {
        home.session(name, &words);
    }
    let daemon = home.start();
    daemon.wait_until_idle();
    (home, daemon)
}

#[test]
fn every_question_of_the_document_is_there_and_nothing_is_answered_with_5xx() {
    let (_home, daemon) = three();
    let document = get(&daemon, "/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 35, "{}", paths.len());
    let node = get(&daemon, "/api/v1/nodes?limit=1").json()["items"][0]["id"].clone();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            if path == "/api/v1/daemon/stop" || (path == "/api/v1/events" && method == "get") {
                continue;
            }
            let mut filled = path.replace("{id}", node.as_str().unwrap()).replace("{version}", "1");
            filled = filled.replace("{session}", "one").replace("{edge}", "nothing");
            filled = filled.replace(['{', '}'], "");
            let query: Vec<String> = operation["parameters"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
                .map(|parameter| format!("{}=1", parameter["name"].as_str().unwrap()))
                .collect();
            let url = format!("{filled}?{}", query.join("&"));
            let answer = send(&daemon, &method.to_uppercase(), &url, &trusted(&daemon), "{}");
            assert!(answer.status < 500, "{method} {url}: {}", answer.status);
            assert_ne!(answer.status, 405, "{method} {url}");
            let told = answer.json();
            assert_ne!(told["error"]["message"], "there is nothing here", "{method} {url}");
            if answer.status >= 400 {
                assert!(told["error"]["hint"].is_string(), "{method} {url}: {told}");
            }
        }
    }
}

/// The page's client is made from the published document, without a daemon.
#[test]
fn the_published_document_is_today_s() {
    let (_home, daemon) = three();
    let document = get(&daemon, "/api/openapi.json").json();
    let today = serde_json::to_string_pretty(&document).unwrap() + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&file, &today).unwrap();
    }
    let published = std::fs::read_to_string(&file).unwrap();
    assert!(
        published == today,
        "docs/openapi.json is out of date: UPDATE_SCHEMA=1 cargo test -p pi-brain-server document"
    );
}

#[test]
fn what_changes_something_says_in_the_document_that_it_needs_the_token() {
    let (_home, daemon) = three();
    let document = get(&daemon, "/api/openapi.json").json();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let path_is_open = method == "get" || path == "/api/query";
            assert_eq!(operation["security"].is_null(), path_is_open, "{method} {path}");
            // One that goes on for ever.
            if path == "/api/v1/events" && method == "get" {
                continue;
            }
            let path = path.replace(['{', '}'], "");
            let answer = send(&daemon, &method.to_uppercase(), &path, JSON, "{}");
            assert_eq!(answer.status == 401, !path_is_open, "{method} {path}: {}", answer.status);
        }
    }
}

#[test]
fn search_finds_what_was_said_and_shows_where() {
    let (home, daemon) = three();
    let found = get(&daemon, "/api/v1/search?q=albatross&limit=1").json();
    let hit = &found["results"][0];
    assert!(found["total"].as_u64().unwrap() >= 2, "{found}");
    assert!(hit["pieces"].as_array().unwrap().iter().any(|piece| {
        piece["isHit"] == true && piece["text"].as_str().unwrap().to_lowercase() == "albatross"
    }));
    let next = format!("/api/v1/search?q=albatross&limit=1&cursor={}", found["next"]);
    assert_ne!(get(&daemon, &next).json()["results"][0]["entry"], hit["entry"]);
    // What is written a moment later is found, too.
    crate::home::append(&home.sessions.join("--home-dev-shop--/one.jsonl"), 3, "ibis");
    wait_for("the new word", || {
        get(&daemon, "/api/v1/search?q=ibis").json()["total"].as_u64().unwrap() > 0
    });
    for bad in ["q=", "q=x&limit=0", "q=x&limit=201", "q=after:never", "limit=3", "q=x&nonsense=1"]
    {
        let answer = get(&daemon, &format!("/api/v1/search?{bad}"));
        assert_eq!(
            (answer.status, &answer.json()["error"]["code"]),
            (400, &json!("bad_request")),
            "{bad}"
        );
    }
}

#[test]
fn lists_come_in_parts_without_gaps_or_doubles() {
    let (_home, daemon) = three();
    let all = get(&daemon, "/api/v1/nodes").json();
    let whole: Vec<&Value> =
        all["items"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    assert_eq!((whole.len(), &all["next"]), (3, &Value::Null));
    for sort in ["newest", "cost", "duration"] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let part = get(&daemon, &format!("/api/v1/nodes?sort={sort}&limit=1{cursor}")).json();
            let items = part["items"].as_array().unwrap();
            seen.extend(items.iter().map(|node| node["id"].clone()));
            let Some(next) = part["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let mut sorted: Vec<String> = seen.iter().map(ToString::to_string).collect();
        sorted.sort();
        let mut expected: Vec<String> = whole.iter().map(ToString::to_string).collect();
        expected.sort();
        assert_eq!(sorted, expected, "{sort}");
    }
    let stale = get(&daemon, "/api/v1/nodes?cursor=0000000000000007");
    assert_eq!((stale.status, &stale.json()["error"]["code"]), (410, &json!("cursor_gone")));
    let projects = get(&daemon, "/api/v1/projects").json();
    assert_eq!(projects["items"][0]["project"], "/home/dev/shop");
}

#[test]
fn a_node_is_shown_corrected_noted_linked_and_hidden() {
    let (_home, daemon) = three();
    let nodes = get(&daemon, "/api/v1/nodes").json();
    let id = |at: usize| nodes["items"][at]["id"].as_str().unwrap().to_owned();
    let (one, other) = (id(0), id(1));
    let path = format!("/api/v1/nodes/{one}");
    assert_eq!(get(&daemon, &path).json()["node"]["id"], json!(one));

    let wish = json!({ "path": "content.outcome", "value": "failed" });
    assert_eq!(
        post(&daemon, &format!("{path}/feedback"), &wish).json()["content"]["outcome"],
        "failed"
    );
    assert_eq!(get(&daemon, &format!("{path}/versions")).json().as_array().unwrap().len(), 2);
    let changes = get(&daemon, &format!("{path}/diff?from=1&to=2")).json();
    assert!(changes.to_string().contains("content.outcome"), "{changes}");
    let bad = json!({ "path": "content.outcome", "value": 7 });
    assert_eq!(post(&daemon, &format!("{path}/feedback"), &bad).status, 422);

    let note = json!({ "type": "win", "message": "this is how" });
    assert_eq!(post(&daemon, &format!("{path}/flags"), &note).json()[0]["message"], "this is how");

    let edge = json!({ "sourceNodeId": one, "targetNodeId": other, "type": "reference", "reason": "see there" });
    let edge = post(&daemon, "/api/v1/edges", &edge).json();
    let connected = get(&daemon, &format!("{path}/connected?types=reference")).json();
    assert_eq!(connected["nodes"][0]["node"]["id"], json!(other), "{connected}");
    assert_eq!(connected["nodes"][0]["distance"], 1);
    let incoming =
        get(&daemon, &format!("{path}/connected?types=reference&direction=incoming")).json();
    assert_eq!(incoming["nodes"], json!([]));
    let graph = get(&daemon, &format!("/api/v1/graph?focus={one}")).json();
    assert!(graph["nodes"].as_array().unwrap().iter().all(|node| node["x"].is_f64()));
    // The ends of a link are places in the list of nodes.
    let end = |of: &str| {
        let place = usize::try_from(graph["edges"][0][of].as_u64().unwrap()).unwrap();
        graph["nodes"][place]["id"].clone()
    };
    assert_eq!((end("source"), end("target")), (json!(one), json!(other)));
    let all = || get(&daemon, "/api/v1/graph?limit=20000").json();
    assert_eq!((all()["total"].clone(), all()["clusters"].clone()), (json!(3), json!([])));
    assert_eq!(all()["nodes"], all()["nodes"]);
    assert_eq!(get(&daemon, "/api/v1/graph?limit=20001").status, 400);
    let edge = format!("/api/v1/edges/{}", edge["id"].as_str().unwrap());
    assert_eq!(send(&daemon, "DELETE", &edge, &trusted(&daemon), "").status, 200);
    assert_eq!(send(&daemon, "DELETE", &edge, &trusted(&daemon), "").status, 404);

    assert_eq!(post(&daemon, &format!("{path}/hidden"), &json!({ "hidden": true })).status, 200);
    assert_eq!(get(&daemon, "/api/v1/nodes").json()["total"], 2);
    for bad in ["0000000000000007", "nonsense", "..%2f..%2fetc%2fpasswd", "%00"] {
        assert_eq!(get(&daemon, &format!("/api/v1/nodes/{bad}")).status, 404, "{bad}");
    }
}

#[test]
fn days_tell_of_work_and_of_what_it_was_spent_on() {
    let home = Home::new();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let hour_ago = i64::try_from(now.as_millis()).unwrap() - 3_600_000;
    let path = home.session_at("one", &["albatross"], Millis(hour_ago));
    let paid = json!({
        "type": "message", "id": "paid", "parentId": "albatross0", "timestamp": Millis(hour_ago + 120_000),
        "message": {
            "role": "assistant", "content": [{ "type": "text", "text": "That is done." }],
            "provider": "p", "model": "m", "timestamp": hour_ago + 120_000,
            "usage": { "input": 10, "output": 2, "totalTokens": 12, "cost": { "total": 0.5 } },
        },
    });
    let session = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{session}{paid}\n")).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let days = get(&daemon, "/api/v1/timeseries?days=3&by=project").json();
    let days = days.as_array().unwrap();
    assert_eq!(days.len(), 3);
    let sum = |of: &str| days.iter().map(|day| day[of].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("answers"), sum("nodes")), (1, 1), "{days:?}");
    // Two minutes of work may lie on two days.
    let minutes: f64 = days.iter().map(|day| day["activeMinutes"].as_f64().unwrap()).sum();
    assert!((minutes - 2.0).abs() < 0.2, "{days:?}");
    let spent: f64 =
        days.iter().filter_map(|day| day["parts"]["/home/dev/shop"]["cost"].as_f64()).sum();
    assert!((spent - 0.5).abs() < 1e-9, "{days:?}");
    let by_model = get(&daemon, "/api/v1/timeseries?days=3&by=model").json();
    assert!(by_model.to_string().contains("\"p/m\""), "{by_model}");
    assert!(get(&daemon, "/api/v1/timeseries?days=1").json()[0]["parts"].is_null());
    let none = get(&daemon, "/api/v1/timeseries?days=3&project=nothing").json();
    assert!(none.as_array().unwrap().iter().all(|day| day["nodes"] == 0 && day["answers"] == 0));
    assert_eq!(get(&daemon, "/api/v1/timeseries?by=moon").status, 400);

    let week = get(&daemon, "/api/v1/rhythm").json()["week"].clone();
    let hours = week.as_array().unwrap().iter().flat_map(|day| day.as_array().unwrap());
    assert_eq!(hours.clone().count(), 7 * 24);
    assert_eq!(hours.map(|hour| hour.as_u64().unwrap()).sum::<u64>(), 1);
}

#[test]
fn lists_are_narrowed_down_by_words() {
    let (_home, daemon) = three();
    for path in ["lessons", "decisions", "errors", "patterns"] {
        let total =
            |query: &str| get(&daemon, &format!("/api/v1/{path}{query}")).json()["total"].clone();
        assert_eq!(total("?q="), total(""), "{path}");
        assert_eq!(total("?q=no+such+words+anywhere"), 0, "{path}");
    }
    assert_eq!(get(&daemon, "/api/v1/lessons?confidence=perhaps").status, 400);
}

#[test]
fn what_never_changes_may_be_kept_and_what_has_not_changed_is_not_sent_again() {
    let (_home, daemon) = three();
    let id = get(&daemon, "/api/v1/nodes").json()["items"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/nodes/{id}/versions/1");
    let first = get(&daemon, &path);
    assert!(first.header("cache-control").unwrap().contains("immutable"));
    let tag = first.header("etag").unwrap().to_owned();
    let again = send(&daemon, "GET", &path, &format!("If-None-Match: \"other\", {tag}\r\n"), "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let current = get(&daemon, &format!("/api/v1/nodes/{id}"));
    assert!(!current.header("cache-control").unwrap().contains("immutable"));
    for (accepted, expected) in [("gzip", "gzip"), ("br", "br"), ("gzip, br", "br")] {
        let headers = format!("Accept-Encoding: {accepted}\r\n");
        let small = send(&daemon, "GET", "/api/openapi.json", &headers, "");
        assert_eq!(small.header("content-encoding"), Some(expected));
        assert!(small.body.len() * 3 < get(&daemon, "/api/openapi.json").body.len());
        // What is sent piece by piece comes to its end, too.
        let file = send(&daemon, "GET", "/api/v1/sessions/one/export", &headers, "");
        assert_eq!((file.status, file.header("content-encoding")), (200, Some(expected)));
        assert!(!file.body.is_empty());
    }
}

#[test]
fn an_agent_gets_no_secrets_and_people_do() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch", "cormorant"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("speak of bullfinch", &format!("use the albatross key {SECRET}"));
    std::fs::write(&path, text).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let question = json!({ "query": "which albatross key do we use?", "context": { "project": "/home/dev/shop", "model": { "id": "big" } } });
    let told = send(&daemon, "POST", "/api/query", JSON, &question.to_string());
    assert_eq!(told.status, 200);
    let text = String::from_utf8(told.body.clone()).unwrap();
    assert!(!told.json()["sources"].as_array().unwrap().is_empty(), "{text}");
    assert!(!text.contains(SECRET) && text.contains("[redacted: "), "{text}");
    let briefing = get(&daemon, "/api/v1/briefing?project=/home/dev/shop");
    assert!(!String::from_utf8(briefing.body).unwrap().contains(SECRET));
    let plain = get(&daemon, "/api/v1/ask?q=which%20albatross%20key%20do%20we%20use");
    assert!(String::from_utf8(plain.body).unwrap().contains(SECRET));
}

/// Reads the events of a stream until it ends, as pairs of name and data.
fn events(daemon: &Daemon, headers: &str, body: &Value) -> Vec<(String, Value)> {
    let headers = format!("{headers}Accept: text/event-stream\r\n");
    let answer = send(daemon, "POST", "/api/query", &headers, &body.to_string());
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let mut events = Vec::new();
    let mut name = String::new();
    for line in BufReader::new(&*answer.body).lines().map_while(Result::ok) {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((name.clone(), serde_json::from_str(data).unwrap()));
        }
    }
    events
}

#[test]
fn a_model_answers_after_the_sessions_and_only_for_those_who_know_the_token() {
    let home = Home::new();
    let model = ScriptedModel::new([]);
    model.always(Deed::Say("The albatross it is [1], as nobody said [9].".to_owned()));
    let config = format!(
        "[analysis]\nby = \"openai\"\ndays = 0\n[analysis.openai]\nbase_url = \"{}\"\nmodel = \"m\"\n",
        model.url
    );
    std::fs::create_dir_all(&home.data).unwrap();
    std::fs::write(home.data.join("config.toml"), config).unwrap();
    home.session("one", &["albatross", "bullfinch", "cormorant"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let question = json!({ "query": "do we speak of the albatross now?" });
    let asked = model.asked().len();
    let names = |events: &[(String, Value)]| -> Vec<String> {
        events.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&events(&daemon, JSON, &question)), ["extractive", "end"]);
    assert_eq!(model.asked().len(), asked, "without the token no model is asked");

    let told = events(&daemon, &trusted(&daemon), &question);
    let names = names(&told);
    assert_eq!((&*names[0], names.last().map(|name| &**name)), ("extractive", Some("end")));
    assert!(names.iter().any(|name| name == "more"), "{names:?}");
    let (_, answer) = told.iter().find(|(name, _)| name == "answer").expect("a whole answer");
    assert_eq!(answer["answer"], "The albatross it is [1], as nobody said.");
    assert_eq!(answer["sources"], told[0].1["sources"]);

    let whole = post(&daemon, "/api/query", &question).json();
    assert_eq!(whole["answer"], "The albatross it is [1], as nobody said.");
    let plain = json!({ "query": question["query"], "options": { "model": false } });
    assert_eq!(post(&daemon, "/api/query", &plain).json()["answer"], told[0].1["answer"]);
}

#[test]
fn settings_can_be_changed_but_not_those_that_run_or_send_something() {
    let (home, daemon) = three();
    let change = |key: &str, value: &str| {
        post(&daemon, "/api/v1/config", &json!({ "key": key, "value": value }))
    };
    assert_eq!(change("segments.idle_minutes", "25").status, 200);
    let values = get(&daemon, "/api/v1/config").json();
    let idle =
        values.as_array().unwrap().iter().find(|value| value["key"] == "segments.idle_minutes");
    assert_eq!(idle.unwrap()["value"], "25");
    let written = std::fs::read_to_string(home.data.join("config.toml")).unwrap();
    assert!(written.contains("idle_minutes = 25"), "{written}");
    assert_eq!(change("segments.idle_minutes", "-3").status, 400);
    assert_eq!(change("no.such", "3").status, 400);
    for key in [
        "analysis.pi.program",
        "analysis.openai.base_url",
        "analysis.openai.key_command",
        "sources",
        "analysis.by",
        "analysis.skills",
    ] {
        let refused = change(key, "\"/tmp/evil\"");
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (403, &json!("out_of_reach")),
            "{key}"
        );
    }
    assert_eq!(std::fs::read_to_string(home.data.join("config.toml")).unwrap(), written);
}

#[test]
fn what_happens_in_pi_makes_the_daemon_look_however_often_it_is_said() {
    let (home, daemon) = three();
    home.session("four", &["jackdaw", "kestrel"]);
    for event in [
        "session_start",
        "session_start",
        "session_tree",
        "session_compact",
        "flag",
        "session_shutdown",
    ] {
        let told = json!({ "event": event, "sessionId": "four", "reason": "quit", "leafId": "x" });
        assert_eq!(post(&daemon, "/api/v1/events", &told).json(), json!({ "accepted": true }));
    }
    wait_for("the new session", || get(&daemon, "/api/v1/nodes").json()["total"] == 4);
    assert_eq!(post(&daemon, "/api/v1/events", &json!({ "event": "nonsense" })).status, 400);
}

#[test]
fn counts_are_told_and_nothing_of_what_was_asked_is_logged() {
    let (home, daemon) = three();
    let id =
        get(&daemon, "/api/v1/search?q=albatrossword").header("x-request-id").unwrap().to_owned();
    get(&daemon, "/api/nothing/bullfinchword");
    let metrics = get(&daemon, "/metrics");
    let text = String::from_utf8(metrics.body).unwrap();
    assert!(
        text.contains(
            "pi_brain_http_requests_total{method=\"GET\",route=\"/api/v1/search\",status=\"200\"}"
        ),
        "{text}"
    );
    assert!(text.contains("status=\"404\""), "{text}");
    assert!(text.contains("pi_brain_session_files 3"), "{text}");
    let log = std::fs::read_to_string(home.data.join("logs/requests.log")).unwrap();
    assert!(log.contains(&id), "{log}");
    assert!(!log.contains("albatrossword") && !log.contains("bullfinchword"), "{log}");
}
