//! Editable trees over HTTP: the operations, and what they refuse.

use std::fs;
use std::path::Path;

use pi_brain_forest::FileSystemStore;
use serde_json::{Value, json};

use crate::home::{Daemon, Home, wait_for};
use crate::http::{get, post, refused, send};

const NOTHING: Value = Value::Null;

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": [{ "type": "text", "text": text }] })
}

/// Starts a tree with a question and an answer.
fn start(daemon: &Daemon) {
    let root = post(daemon, "/api/v1/forest", &json!({ "systemPrompt": "Be brief." }));
    assert_eq!(root, json!({ "id": "root-1", "created": true }));
    let messages = [said("user", "What is this?"), said("assistant", "A tree. It has leaves.")];
    let wish = json!({ "place": "root-1", "messages": messages });
    let done = post(daemon, "/api/v1/forest/append", &wish);
    assert_eq!(done["created"], json!(["root-1/node-1", "root-1/node-2"]));
    assert_eq!(done["end"], "root-1/node-2");
}

#[test]
fn a_tree_is_made_read_and_changed() {
    let home = Home::new();
    let daemon = home.start();
    assert_eq!(get(&daemon, "/api/v1/forest")["total"], 0);
    assert_eq!(refused(&daemon, "GET", "/api/v1/forest/roots/root-1", &NOTHING).0, 404);
    start(&daemon);
    let again = post(&daemon, "/api/v1/forest", &json!({ "systemPrompt": "Be brief." }));
    assert_eq!(again, json!({ "id": "root-1", "created": false }));
    let root = get(&daemon, "/api/v1/forest/roots/root-1");
    assert_eq!((&root["messages"], &root["systemPrompt"]), (&json!(2), &json!("Be brief.")));
    let shape = get(&daemon, "/api/v1/forest/roots/root-1/topology");
    assert_eq!(shape["items"][0]["children"], json!(["root-1/node-2"]));
    assert!(!shape.to_string().contains("leaves"), "{shape}");
    let message = get(&daemon, "/api/v1/forest/message?node=root-1/node-2");
    assert_eq!(message["message"]["content"][0]["text"], "A tree. It has leaves.");

    let edit = json!({ "node": "root-1/node-1", "text": "What is that?" });
    let edited = post(&daemon, "/api/v1/forest/edit", &edit);
    assert_eq!(edited["inPlace"], false);
    let halves =
        post(&daemon, "/api/v1/forest/split", &json!({ "node": "root-1/node-2", "at": 8 }));
    let left = halves["left"].as_str().unwrap();
    let text = get(&daemon, &format!("/api/v1/forest/message?node={left}"));
    assert_eq!(text["message"]["content"][0]["text"], "A tree. ");
    let whole = post(&daemon, "/api/v1/forest/join", &json!({ "node": halves["right"] }));
    assert_eq!(whole["node"], halves["right"]);

    // The old and the new question share their beginning, which is a message of its own now.
    let path = get(&daemon, "/api/v1/forest/path?place=root-1/node-2&limit=1");
    assert_eq!((&path["total"], &path["next"]), (&json!(3), &json!("root-1/node-3")));
    let rest = get(&daemon, "/api/v1/forest/path?place=root-1/node-2&cursor=root-1/node-3");
    assert_eq!((&rest["items"][1]["id"], &rest["next"]), (&json!("root-1/node-2"), &NOTHING));
    let gone = "/api/v1/forest/path?place=root-1/node-2&cursor=root-1/node-99";
    assert_eq!(refused(&daemon, "GET", gone, &NOTHING), (410, "cursor_gone".to_owned()));
    let context = get(&daemon, "/api/v1/forest/context?place=root-1/node-2");
    assert_eq!((&context["system"], &context["total"]), (&json!("Be brief."), &json!(2)));
    let other = edited["node"].as_str().unwrap();
    let diff = get(&daemon, &format!("/api/v1/forest/diff?left=root-1/node-2&right={other}"));
    assert_eq!((&diff["base"], &diff["left"]["messages"]), (&json!("root-1/node-3"), &json!(2)));
    assert_eq!(
        (&diff["right"]["end"], &diff["right"]["path"]["total"]),
        (&edited["node"], &json!(1))
    );
    let etag = send(&daemon, "GET", "/api/v1/forest", "", None);
    let known = format!("If-None-Match: {}\r\n", etag.header("etag").unwrap());
    assert_eq!(send(&daemon, "GET", "/api/v1/forest", &known, None).status, 304);
}

#[test]
fn what_is_deleted_comes_back() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    let mark = json!({ "node": "root-1/node-2", "title": "the/answer ä" });
    post(&daemon, "/api/v1/forest/bookmarks", &mark);
    let marks = get(&daemon, "/api/v1/forest/bookmarks");
    assert_eq!(marks["items"][0]["words"], "A tree. It has leaves.");
    let wish = json!({ "nodes": ["root-1/node-1"] });
    let refusal = refused(&daemon, "POST", "/api/v1/forest/delete", &wish);
    assert_eq!(refusal, (422, "not_possible".to_owned()));
    let renamed = "/api/v1/forest/bookmarks/the%2Fanswer%20%C3%A4/rename";
    assert_eq!(post(&daemon, renamed, &json!({ "to": "end" }))["title"], "end");
    let gone = send(&daemon, "DELETE", "/api/v1/forest/bookmarks/end", "", None);
    assert_eq!((gone.status, gone.json()), (200, json!({ "removed": "end" })));
    let deleted = post(&daemon, "/api/v1/forest/delete", &wish);
    assert_eq!(deleted["removed"], json!(["root-1/node-1", "root-1/node-2"]));
    assert_eq!(deleted["restorable"], json!(["root-1/node-1"]));
    let path = "/api/v1/forest/message?node=root-1/node-2";
    assert_eq!(refused(&daemon, "GET", path, &NOTHING), (404, "not_found".to_owned()));
    let list = get(&daemon, "/api/v1/forest/deleted");
    assert_eq!((&list["items"][0]["messages"], &list["total"]), (&json!(2), &json!(1)));
    let back = post(&daemon, "/api/v1/forest/restore", &json!({ "place": "root-1/node-1" }));
    assert_eq!(back["shown"].as_array().unwrap().len(), 2);
    let hidden = send(&daemon, "DELETE", "/api/v1/forest/roots/root-1", "", None);
    assert_eq!(hidden.json(), json!({ "root": "root-1" }));
    assert_eq!(get(&daemon, "/api/v1/forest")["total"], 0);
    assert_eq!(get(&daemon, "/api/v1/forest?deleted=true")["total"], 1);
    post(&daemon, "/api/v1/forest/restore", &json!({ "place": "root-1" }));
    assert_eq!(get(&daemon, "/api/v1/forest")["total"], 1);
}

#[test]
fn notes_are_kept_with_messages() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    let title = json!({ "node": "root-1/node-2", "title": "Leaves" });
    assert_eq!(post(&daemon, "/api/v1/forest/title", &title)["shown"], "Leaves");
    let tags = json!({ "node": "root-1/node-2", "add": ["a", "b"] });
    assert_eq!(post(&daemon, "/api/v1/forest/tags", &tags)["tags"], json!(["a", "b"]));
    let tags = json!({ "node": "root-1/node-2", "remove": ["a"] });
    assert_eq!(post(&daemon, "/api/v1/forest/tags", &tags)["tags"], json!(["b"]));
    let shape = get(&daemon, "/api/v1/forest/roots/root-1/topology");
    assert_eq!(shape["items"][1]["flags"], json!(["titled", "tagged", "current"]));
    let none = json!({ "node": "root-1/node-2", "title": null });
    assert_eq!(post(&daemon, "/api/v1/forest/title", &none)["title"], NOTHING);
}

#[test]
fn refusals_say_why() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    let answer = said("assistant", "x");
    for (path, body, expected) in [
        ("append", json!({ "place": "root-9", "messages": [answer] }), 404),
        ("append", json!({ "place": "../../etc/passwd", "messages": [answer] }), 400),
        ("append", json!({ "place": "root-1", "messages": [] }), 400),
        ("append", json!({ "place": "root-1", "messages": [{ "role": "nobody" }] }), 422),
        ("edit", json!({ "node": "root-1/node-9", "text": "x" }), 404),
        ("edit", json!({ "node": "root-1/node-1", "text": "  " }), 422),
        ("split", json!({ "node": "root-1/node-1", "at": 0 }), 422),
        ("split", json!({ "node": "root-1/node-1", "at": 999 }), 422),
        ("join", json!({ "node": "root-1/node-1" }), 422),
        ("restore", json!({ "place": "root-1/node-1" }), 422),
        ("restore", json!({ "place": "root-1" }), 422),
        ("bookmarks/none/rename", json!({ "to": "x" }), 404),
        ("tags", json!({ "node": "root-1/node-1", "more": 1 }), 400),
    ] {
        let (status, code) = refused(&daemon, "POST", &format!("/api/v1/forest/{path}"), &body);
        assert_eq!(status, expected, "{path} {body}: {code}");
    }
    let diff = "/api/v1/forest/diff?left=root-1/node-1&right=root-2/node-1";
    assert_eq!(refused(&daemon, "GET", diff, &NOTHING).0, 404);
    let export = "/api/v1/forest/export?place=root-1/node-2";
    assert_eq!(refused(&daemon, "GET", export, &NOTHING).0, 400);
    assert_eq!(get(&daemon, "/api/v1/forest/roots/root-1")["messages"], 2, "nothing has changed");
}

#[test]
fn who_finds_the_forest_taken_is_told_to_come_again() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    let other = FileSystemStore::open(&home.data.join("forest")).unwrap();
    let wish = json!({ "node": "root-1/node-2", "title": "x" });
    let answer = send(&daemon, "POST", "/api/v1/forest/title", "", Some(&wish));
    assert_eq!(answer.refusal(), (503, "busy".to_owned()));
    assert_eq!(answer.header("retry-after"), Some("1"));
    other.close().unwrap();
    post(&daemon, "/api/v1/forest/title", &wish);
}

#[test]
fn sessions_come_in_and_go_out() {
    let home = Home::new();
    home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let done = post(&daemon, "/api/v1/forest/import", &json!({ "session": "one" }));
    assert_eq!(
        (&done["sessions"][0]["news"], &done["sessions"][0]["messages"]),
        (&json!("new"), &json!(2))
    );
    let again = json!({ "session": "one", "family": true });
    let done = post(&daemon, "/api/v1/forest/import", &again);
    assert_eq!(done["sessions"][0]["news"], "known");
    assert_eq!(done["trees"][0]["messages"], 2);
    let message = get(&daemon, "/api/v1/forest/message?node=root-1/node-1");
    assert_eq!(message["isImported"], true);
    let wish = json!({ "place": "root-1/node-2", "messages": [said("user", "And <b>now</b>?")] });
    let end = post(&daemon, "/api/v1/forest/append", &wish)["end"].clone();
    let path = format!("/api/v1/forest/export?place={}", end.as_str().unwrap());
    let export = send(&daemon, "GET", &path, "", None);
    let lines: Vec<Value> =
        export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["cwd"]),
        (&json!("session"), &json!("/home/dev/shop"))
    );
    assert!(export.text().contains("And <b>now</b>?") && lines.len() >= 4);
    let name = export.header("content-disposition").unwrap();
    assert!(name.starts_with("attachment; filename=\"") && name.ends_with(".jsonl\""), "{name}");
    let refusal = refused(&daemon, "POST", "/api/v1/forest/import", &json!({ "session": "none" }));
    assert_eq!(refusal, (404, "not_found".to_owned()));
}

#[test]
fn a_tree_is_told_in_a_few_words() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    post(
        &daemon,
        "/api/v1/forest/title",
        &json!({ "node": "root-1/node-2", "title": "the answer" }),
    );
    post(&daemon, "/api/v1/forest/tags", &json!({ "node": "root-1/node-2", "add": ["keep"] }));
    post(&daemon, "/api/v1/forest/bookmarks", &json!({ "node": "root-1/node-1", "title": "here" }));
    let nodes = "root-1/node-1,root-1/node-2,root-1/node-99";
    let gists = get(&daemon, &format!("/api/v1/forest/gists?nodes={nodes}"));
    assert_eq!(
        gists,
        json!([
            { "id": "root-1/node-1", "who": "user", "words": "What is this?" },
            { "id": "root-1/node-2", "who": "assistant", "words": "the answer" },
        ])
    );
    let bad = refused(&daemon, "GET", "/api/v1/forest/gists?nodes=../etc", &NOTHING);
    assert_eq!(bad, (400, "bad_request".to_owned()));
    let root = get(&daemon, "/api/v1/forest")["items"][0].clone();
    assert_eq!(
        (&root["title"], &root["bookmarks"], &root["tags"]),
        (&json!("What is this?"), &json!(1), &json!(["keep"]))
    );
}

#[test]
fn a_conversation_becomes_a_new_session_of_pi() {
    let home = Home::new();
    let daemon = home.start();
    start(&daemon);
    let export = |body: Value| send(&daemon, "POST", "/api/v1/forest/export", "", Some(&body));
    assert_eq!(export(json!({ "place": "root-1/node-2" })).status, 400, "no working directory");
    let refused = export(json!({ "place": "root-1/node-2", "cwd": "../elsewhere" }));
    assert_eq!(refused.refusal(), (400, "bad_request".to_owned()));
    assert!(!home.sessions.exists(), "what was refused has written nothing");

    let wish = json!({ "place": "root-1/node-2", "cwd": "/home/dev/../shop" });
    let written = post(&daemon, "/api/v1/forest/export", &wish);
    let file = Path::new(written["file"].as_str().unwrap());
    assert_eq!(file.parent().unwrap().parent().unwrap(), home.sessions, "{written}");
    assert!(fs::read_to_string(file).unwrap().contains("A tree. It has leaves."));
    let command = format!("pi --session {}", file.display());
    assert_eq!(written["command"].as_str(), Some(&*command));
    let id = written["id"].as_str().unwrap();
    wait_for("the new session", || {
        get(&daemon, "/api/v1/sessions")["items"][0]["id"].as_str() == Some(id)
    });
}
