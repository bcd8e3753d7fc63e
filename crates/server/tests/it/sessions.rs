//! Sessions over HTTP: what is found, what is given of it, what is written, and what never is.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::home::{Home, text};
use crate::http::{get, post, refused, send};
use pi_brain_session::Millis;

const NOTHING: Value = Value::Null;

/// Makes a file look as if nobody had written to it for a while.
fn age(path: &Path) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(600)).unwrap();
}

#[test]
fn sessions_are_listed_newest_first_and_found_by_a_beginning() {
    let home = Home::new();
    home.session_at("aaaa-old", &["albatross", "bullfinch"], Millis(1_767_225_600_000));
    home.session_at("bbbb-new", &["cormorant", "dunnock"], Millis(1_769_904_000_000));
    let daemon = home.start();
    daemon.wait_until_idle();
    let list = get(&daemon, "/api/v1/sessions");
    let ids: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!((ids, &list["total"]), (vec!["bbbb-new", "aaaa-old"], &json!(2)));
    let first = get(&daemon, "/api/v1/sessions?limit=1");
    let cursor = first["next"].as_str().unwrap().replace('/', "%2F");
    let rest = get(&daemon, &format!("/api/v1/sessions?limit=1&cursor={cursor}"));
    assert_eq!((&rest["items"][0]["id"], &rest["next"]), (&json!("aaaa-old"), &NOTHING));
    for (filter, total) in [
        ("project=SHOP", 2),
        ("project=elsewhere", 0),
        ("after=2026-01-15T00:00:00Z", 1),
        ("before=2026-01-15T00:00:00Z", 1),
        ("q=bbbb", 1),
    ] {
        assert_eq!(get(&daemon, &format!("/api/v1/sessions?{filter}"))["total"], total, "{filter}");
    }
    let one = get(&daemon, "/api/v1/sessions/bbbb");
    assert_eq!((&one["id"], &one["entryCount"]), (&json!("bbbb-new"), &json!(2)));
    assert_eq!((&one["leaf"], &one["labelCount"]), (&json!("dunnock1"), &json!(0)));
    let whole = send(&daemon, "GET", "/api/v1/sessions/bbbb", "", None);
    let known = format!("If-None-Match: {}\r\n", whole.header("etag").unwrap());
    let again = send(&daemon, "GET", "/api/v1/sessions/bbbb", &known, None);
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn a_list_says_what_sessions_are_about_and_what_they_took() {
    let home = Home::new();
    let start = Millis(1_767_225_600_000);
    home.session_at("aaaa", &["albatross", "bullfinch", "cormorant"], start);
    let path = home.session_at("bbbb", &["dunnock"], Millis(start.0 + 86_400_000));
    let answer = |id: &str, parent: &str, cost: f64| {
        json!({
            "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T01:00:00.000Z",
            "message": {
                "role": "assistant", "content": [{ "type": "text", "text": "yes" }], "model": "m",
                "provider": "p", "timestamp": 1_767_315_600_000_i64, "stopReason": "stop",
                "usage": { "totalTokens": 100, "cost": { "total": cost } },
            },
        })
    };
    let (one, other) = (answer("one", "dunnock0", 0.5), answer("other", "dunnock0", 0.25));
    fs::write(&path, fs::read_to_string(&path).unwrap() + &format!("{one}\n{other}\n")).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let list = get(&daemon, "/api/v1/sessions");
    let digest = &list["items"][0]["digest"];
    assert_eq!(digest["firstWords"], "we speak of dunnock now");
    assert_eq!((&digest["messages"], &digest["entries"]), (&json!(3), &json!(3)));
    assert_eq!((&digest["branches"], &digest["tokens"]), (&json!(2), &json!(200)));
    assert_eq!(
        (&digest["cost"], &digest["lastSaid"]),
        (&json!(0.75), &json!("2026-01-02T01:00:00.000Z"))
    );
    let first = |query: &str| {
        let list = get(&daemon, &format!("/api/v1/sessions?{query}"));
        list["items"][0]["id"].as_str().unwrap_or_default().to_owned()
    };
    for (query, expected) in [
        ("sort=latest", "bbbb"),
        ("sort=latest&reverse=true", "aaaa"),
        ("sort=created", "bbbb"),
        ("sort=cost", "bbbb"),
        ("sort=branches", "bbbb"),
        ("sort=size", "bbbb"),
        ("sort=title", "aaaa"),
        ("sort=title&reverse=true", "bbbb"),
        ("q=ALBATROSS", "aaaa"),
        ("q=dunnock", "bbbb"),
        ("q=nobody", ""),
    ] {
        assert_eq!(first(query), expected, "{query}");
    }
    let refusal = refused(&daemon, "GET", "/api/v1/sessions?sort=colour", &NOTHING);
    assert_eq!(refusal, (400, "bad_request".to_owned()));
    // What is appended shows in the list, without the file being read again from the start.
    crate::home::append(&path, 3, "egret");
    crate::home::wait_for("the new message to be counted", || {
        get(&daemon, "/api/v1/sessions?q=bbbb")["items"][0]["digest"]["messages"] == 4
    });
    let again = &get(&daemon, "/api/v1/sessions?q=bbbb")["items"][0]["digest"];
    assert_eq!((&again["firstWords"], &again["cost"]), (&digest["firstWords"], &json!(0.75)));
}

#[test]
fn a_session_tells_its_models_and_how_to_go_on() {
    let home = Home::new();
    let path = home.session("one", &["albatross"]);
    let answer = json!({
        "type": "message", "id": "said", "parentId": "albatross0", "timestamp": "2026-01-01T01:00:00.000Z",
        "message": { "role": "assistant", "content": [], "model": "some-model", "provider": "p",
                     "timestamp": 1_767_229_200_000_i64, "stopReason": "stop" },
    });
    fs::write(&path, fs::read_to_string(&path).unwrap() + &answer.to_string() + "\n").unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let one = get(&daemon, "/api/v1/sessions/one");
    assert_eq!(one["models"], json!([{ "model": "some-model", "answers": 1 }]));
    assert_eq!(one["command"], format!("pi --session {}", path.display()));
}

#[test]
fn no_path_of_a_request_is_ever_opened() {
    let home = Home::new();
    let inside = home.session("one", &["albatross"]);
    let outside = home.path().join("outside.jsonl");
    fs::write(&outside, text("secret", &["xylophone"], Millis(1_767_225_600_000))).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let encode = |path: &Path| path.to_str().unwrap().replace('/', "%2F");
    let (inside, outside) = (encode(&inside), encode(&outside));
    for place in ["", "/tree", "/entries", "/context", "/branches", "/family", "/labels", "/export"]
    {
        for which in [
            "..%2f..%2fetc%2fpasswd".to_owned(),
            "%2Fetc%2Fpasswd".to_owned(),
            outside.clone(),
            inside.clone(),
            "secret".to_owned(),
            "%00".to_owned(),
        ] {
            let answer =
                send(&daemon, "GET", &format!("/api/v1/sessions/{which}{place}"), "", None);
            assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{which}{place}");
            assert!(!answer.text().contains("xylophone") && !answer.text().contains("root:"));
        }
        for (session, file) in
            [("one", "%2Fetc%2Fpasswd"), ("secret", &*outside), ("one", &*outside)]
        {
            let path = format!("/api/v1/sessions/{session}{place}?file={file}");
            let answer = send(&daemon, "GET", &path, "", None);
            assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{path}");
            assert!(!answer.text().contains("xylophone") && !answer.text().contains("root:"));
        }
    }
    let body = json!({ "session": "secret", "file": outside });
    let refusal = refused(&daemon, "POST", "/api/v1/forest/import", &body);
    assert_eq!(refusal, (404, "not_found".to_owned()));
    get(&daemon, &format!("/api/v1/sessions/one?file={inside}"));
}

#[test]
fn two_files_with_one_id_are_told_apart() {
    let home = Home::new();
    let first = home.session("one", &["albatross", "bullfinch"]);
    let second = first.with_file_name("copy.jsonl");
    fs::write(&second, text("one", &["albatross"], Millis(1_767_225_600_000))).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let refusal = refused(&daemon, "GET", "/api/v1/sessions/one", &NOTHING);
    assert_eq!(refusal, (409, "ambiguous".to_owned()));
    for (file, entries) in [(first, 2), (second, 1)] {
        let file = file.to_str().unwrap().replace('/', "%2F");
        let found = get(&daemon, &format!("/api/v1/sessions/one?file={file}"));
        assert_eq!(found["entryCount"], entries);
    }
}

#[test]
fn a_file_that_has_gone_is_told_so() {
    let home = Home::new();
    let path = home.session("one", &["albatross"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    fs::remove_file(&path).unwrap();
    for place in ["", "/tree", "/entries", "/context", "/branches", "/export"] {
        let refusal = refused(&daemon, "GET", &format!("/api/v1/sessions/one{place}"), &NOTHING);
        // The daemon may have noticed already, and forgotten the session.
        assert_eq!(refusal.0, 404, "{place}");
        assert!(["session_gone", "not_found"].contains(&&*refusal.1), "{refusal:?}");
    }
}

#[test]
fn entries_are_given_by_line_and_in_parts() {
    let home = Home::new();
    let words: Vec<String> = (0..30).map(|number| format!("word{number}x")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    home.session("one", &words);
    let daemon = home.start();
    daemon.wait_until_idle();
    let lines = |path: &str| {
        let part = get(&daemon, &format!("/api/v1/sessions/one/entries?{path}"));
        let items = part["items"].as_array().unwrap().clone();
        for item in &items {
            let number = item["line"].as_u64().unwrap() - 2;
            assert_eq!(item["entry"]["id"], format!("word{number}x{number}"));
        }
        let lines: Vec<u64> = items.iter().map(|item| item["line"].as_u64().unwrap()).collect();
        (lines, part["next"].as_u64())
    };
    assert_eq!(lines("from=3&to=5"), (vec![3, 4, 5], None));
    assert_eq!(lines("from=3&to=9&limit=2"), (vec![3, 4], Some(5)));
    assert_eq!(lines("from=31"), (vec![31], None));
    assert_eq!(lines("from=99"), (vec![], None));
    assert_eq!(lines("around=word5x5&before=1&after=2"), (vec![6, 7, 8, 9], None));
    let (given, next) = lines("from=2&bytes=1000");
    assert!((2..10).contains(&given.len()) && next == given.last().map(|line| line + 1));
    let alone = get(&daemon, "/api/v1/sessions/one/entries?from=4&to=4&bytes=10");
    assert_eq!((&alone["items"][0]["line"], &alone["items"][0]["entry"]), (&json!(4), &NOTHING));
    for (query, expected) in [
        ("limit=0", (400, "bad_request")),
        ("limit=5000", (400, "bad_request")),
        ("bytes=999999999", (400, "bad_request")),
        ("from=x", (400, "bad_request")),
        ("around=word5x5&from=3", (400, "bad_request")),
        ("before=3", (400, "bad_request")),
        ("around=word1", (409, "ambiguous")),
        ("around=nothing", (404, "not_found")),
        ("nonsense=1", (400, "bad_request")),
    ] {
        let path = format!("/api/v1/sessions/one/entries?{query}");
        let (status, code) = refused(&daemon, "GET", &path, &NOTHING);
        assert_eq!((status, &*code), expected, "{query}");
    }
}

#[test]
fn the_shape_the_branches_and_the_context_of_a_session() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch", "cormorant"]);
    let other = json!({
        "type": "message", "id": "other", "parentId": "albatross0", "timestamp": "2026-01-01T01:00:00.000Z",
        "message": { "role": "user", "content": "another way", "timestamp": 1_767_229_200_000_i64 },
    });
    fs::write(&path, fs::read_to_string(&path).unwrap() + &other.to_string() + "\n").unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let tree = get(&daemon, "/api/v1/sessions/one/tree");
    assert_eq!(
        (tree["total"].as_u64(), &tree["items"][0]["isBranchPoint"]),
        (Some(4), &json!(true))
    );
    assert_eq!(tree["items"][1]["text"], "we speak of bullfinch now");
    let part = get(&daemon, "/api/v1/sessions/one/tree?filter=user-only&limit=2");
    assert_eq!((part["items"].as_array().unwrap().len(), &part["next"]), (2, &json!("2")));
    let rest = get(&daemon, "/api/v1/sessions/one/tree?filter=user-only&limit=2&cursor=2");
    assert_eq!((&rest["items"][0]["id"], &rest["next"]), (&json!("other"), &NOTHING));
    let branches = get(&daemon, "/api/v1/sessions/one/branches");
    assert_eq!(branches["total"], 2);
    let context = get(&daemon, "/api/v1/sessions/one/context?leaf=cormorant2");
    assert_eq!((&context["leaf"], &context["total"]), (&json!("cormorant2"), &json!(3)));
    assert_eq!(context["items"][2]["message"]["role"], "user");
    let context = get(&daemon, "/api/v1/sessions/one/context?limit=1");
    assert_eq!((&context["leaf"], &context["next"]), (&json!("other"), &json!(1)));
    let refusal = refused(&daemon, "GET", "/api/v1/sessions/one/tree?filter=most", &NOTHING);
    assert_eq!(refusal, (400, "bad_request".to_owned()));
}

#[test]
fn a_fork_shares_the_tree_of_its_family() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let mut fork = text("two", &["albatross", "bullfinch", "cormorant"], Millis(1_767_225_600_000));
    let parent = format!("\"id\":\"two\",\"parentSession\":{}", json!(path.to_str().unwrap()));
    fork = fork.replacen("\"id\":\"two\"", &parent, 1);
    fs::write(path.with_file_name("two.jsonl"), fork).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let family = get(&daemon, "/api/v1/sessions/one/family");
    assert_eq!(family["sessions"].as_array().unwrap().len(), 2);
    assert_eq!((&family["entries"], &family["tree"]["total"]), (&json!(5), &json!(3)));
    let first = &family["tree"]["items"][0];
    assert_eq!((&first["id"], &first["words"]), (&json!(1), &json!("we speak of albatross now")));
    assert_eq!(first["occurrences"].as_array().unwrap().len(), 2);
    assert_eq!(first["occurrences"][0]["entry"], "albatross0");
    let part = get(&daemon, "/api/v1/sessions/two/family?limit=1&cursor=1");
    assert_eq!((&part["tree"]["items"][0]["id"], &part["tree"]["next"]), (&json!(2), &json!("2")));
}

#[test]
fn a_label_is_a_line_at_the_end_of_a_file_that_nobody_uses() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let before = fs::read_to_string(&path).unwrap();
    let labels = "/api/v1/sessions/one/labels";
    let wish = json!({ "entry": "albatross0", "label": " start <b>here</b> " });
    let refusal = refused(&daemon, "POST", labels, &wish);
    assert_eq!(refusal, (409, "session_in_use".to_owned()));
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    age(&path);
    let done = post(&daemon, labels, &wish);
    assert_eq!((&done["written"], &done["label"]), (&json!(true), &json!("start <b>here</b>")));
    let after = fs::read_to_string(&path).unwrap();
    let line: Value = serde_json::from_str(after.strip_prefix(&*before).unwrap()).unwrap();
    assert_eq!((&line["type"], &line["targetId"]), (&json!("label"), &json!("albatross0")));
    assert_eq!(
        (&line["label"], &line["parentId"]),
        (&json!("start <b>here</b>"), &json!("bullfinch1"))
    );
    let list = get(&daemon, labels);
    assert_eq!(
        (&list["items"][0]["entry"], &list["items"][0]["line"]),
        (&json!("albatross0"), &json!(2))
    );
    // Our own change does not look like pi at work.
    let again = post(&daemon, labels, &json!({ "entry": "start <b>here</b>", "label": null }));
    assert_eq!(again["written"], true);
    assert_eq!(get(&daemon, labels)["items"], json!([]));
    let same = post(&daemon, labels, &json!({ "entry": "albatross0", "label": null }));
    assert_eq!(same["written"], false);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 5);
    crate::home::append(&path, 3, "cormorant");
    let wish = json!({ "entry": "albatross0", "label": "x" });
    assert_eq!(refused(&daemon, "POST", labels, &wish).0, 409);
    let forced = json!({ "entry": "albatross0", "label": "x", "force": true });
    assert_eq!(post(&daemon, labels, &forced)["written"], true);
    for (wish, status) in [
        (json!({ "entry": "nothing", "label": "x", "force": true }), 404),
        (json!({ "label": "x" }), 400),
        (json!({ "entry": "albatross0", "label": "x".repeat(2000) }), 400),
    ] {
        assert_eq!(refused(&daemon, "POST", labels, &wish).0, status);
    }
}

#[test]
fn a_fork_is_a_new_file_and_the_old_one_stays_as_it_is() {
    let home = Home::new();
    let path = home.session("one", &["albatross", "bullfinch", "cormorant"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let before = fs::read_to_string(&path).unwrap();
    let fork = "/api/v1/sessions/one/fork";
    // Who starts again at their own words says something else in their place.
    let made = post(&daemon, fork, &json!({ "entry": "cormorant2" }));
    assert_eq!(
        (&made["entryCount"], &made["text"]),
        (&json!(2), &json!("we speak of cormorant now"))
    );
    let file = made["file"].as_str().unwrap();
    assert!(made["command"].as_str().unwrap().ends_with(file), "{made}");
    let text = fs::read_to_string(file).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["parentSession"], path.to_str().unwrap());
    let lines = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&text), lines(&before)[..2]);
    let whole = post(&daemon, fork, &json!({ "entry": "cormorant2", "clone": true }));
    assert_eq!((&whole["entryCount"], &whole["text"]), (&json!(3), &NOTHING));
    let answer = post(&daemon, fork, &json!({ "entry": "bullfinch1" }));
    assert_eq!(answer["entryCount"], 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    // The new session is found without anybody looking for it.
    let id = made["id"].as_str().unwrap();
    crate::home::wait_for("the fork to be taken in", || {
        send(&daemon, "GET", &format!("/api/v1/sessions/{id}"), "", None).status == 200
    });
    // It is our own file: what is added to it at once does not look like pi at work.
    let label = json!({ "entry": "albatross0", "label": "start" });
    assert_eq!(post(&daemon, &format!("/api/v1/sessions/{id}/labels"), &label)["written"], true);
    for (wish, status) in [
        (json!({ "entry": "nothing" }), 404),
        (json!({}), 400),
        (json!({ "entry": "albatross0", "force": true }), 400),
    ] {
        assert_eq!(refused(&daemon, "POST", fork, &wish).0, status, "{wish}");
    }
}

#[test]
fn hostile_text_stays_text_and_exports_are_files() {
    let home = Home::new();
    let hostile = "<script>alert(1)</script>\u{1b}[2J\u{7}``` # no";
    let path = home.session("one", &["albatross"]);
    let entry = json!({
        "type": "message", "id": "hostile", "parentId": "albatross0", "timestamp": "2026-01-01T01:00:00.000Z",
        "message": { "role": "user", "content": hostile, "timestamp": 1_767_229_200_000_i64 },
    });
    let text = fs::read_to_string(&path).unwrap() + &entry.to_string() + "\n";
    fs::write(&path, &text).unwrap();
    let daemon = home.start();
    daemon.wait_until_idle();
    let entries = get(&daemon, "/api/v1/sessions/one/entries?around=hostile&before=0&after=0");
    assert_eq!(entries["items"][0]["entry"], entry);
    let tree = get(&daemon, "/api/v1/sessions/one/tree");
    let shown = tree["items"][1]["text"].as_str().unwrap();
    assert!(shown.starts_with("<script>alert(1)</script>") && !shown.contains('\u{1b}'), "{shown}");
    let export = send(&daemon, "GET", "/api/v1/sessions/one/export", "", None);
    assert_eq!((export.status, export.text()), (200, &*text));
    assert_eq!(export.header("content-type"), Some("application/x-ndjson"));
    let name = "attachment; filename=\"pi-session-one.jsonl\"";
    assert_eq!(export.header("content-disposition"), Some(name));
    assert_eq!(export.header("x-content-type-options"), Some("nosniff"));
    let page = send(&daemon, "GET", "/api/v1/sessions/one/export?format=markdown", "", None);
    assert_eq!(page.header("content-type"), Some("text/markdown; charset=utf-8"));
    let block = "````text\n<script>alert(1)</script>";
    assert!(page.text().contains(block) && !page.text().contains('\u{1b}'), "{}", page.text());
}
