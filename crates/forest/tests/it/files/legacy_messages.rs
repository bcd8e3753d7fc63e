//! Edge case 56: every shape that a message ever had, read from a file and given to an append.

use std::fs;

use pi_brain_forest::{FileSystemStore, Forest, ForestError, Matching, NewMessage, Place};
use serde_json::{Value, json};

use super::reference::Reference;
use super::{NOW, open};

/// What becomes of a message, by the way that it comes in.
enum Expected<'a> {
    /// These blocks.
    Blocks(Value),
    /// An error that says this, from a file; to an append it says nothing and is left out.
    Blank(&'a str),
    /// An error that says this.
    Refused(&'a str),
}
use Expected::{Blank, Blocks, Refused};

fn call(arguments: &Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}},
    ]})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn use_of_look(parameters: &Value) -> Value {
    json!({"type": "tool-use", "id": "c1", "name": "look", "parameters": parameters})
}

#[expect(clippy::too_many_lines, reason = "a table is as long as it is")]
fn rows() -> Vec<(&'static str, Value, Expected<'static>)> {
    let with_calls = |content: Value, calls: Value| json!({"role": "assistant", "content": content, "tool_calls": calls});
    let two = json!([
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"at\":1}"}},
        {"id": "c2", "type": "function", "function": {"name": "hear", "arguments": ""}},
    ]);
    let tool =
        |content: Value, id: Value| json!({"role": "tool", "content": content, "tool_call_id": id});
    let call_of = |id: &str, name: &str| json!([{"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}]);
    vec![
        ("user text", json!({"role": "user", "content": " hi\n"}), Blocks(json!([text(" hi\n")]))),
        (
            "assistant text",
            json!({"role": "assistant", "content": "hi"}),
            Blocks(json!([text("hi")])),
        ),
        ("user null", json!({"role": "user", "content": null}), Blank("empty")),
        ("user without content", json!({"role": "user"}), Blank("empty")),
        ("user empty", json!({"role": "user", "content": ""}), Blank("empty")),
        ("user blank", json!({"role": "user", "content": " \n\t"}), Blank("empty")),
        (
            "blank text and calls",
            with_calls(json!(" \n"), two.clone()),
            Blocks(
                json!([use_of_look(&json!({"at": 1})), {"type": "tool-use", "id": "c2", "name": "hear", "parameters": {}}]),
            ),
        ),
        ("null and a call", call(&json!("{}")), Blocks(json!([use_of_look(&json!({}))]))),
        (
            "text and calls",
            with_calls(json!("Let me see."), two),
            Blocks(
                json!([text("Let me see."), use_of_look(&json!({"at": 1})), {"type": "tool-use", "id": "c2", "name": "hear", "parameters": {}}]),
            ),
        ),
        ("neither text nor calls", with_calls(Value::Null, Value::Null), Blank("empty")),
        ("no text and an empty list", with_calls(json!(""), json!([])), Blank("empty")),
        (
            "call with blank id",
            with_calls(Value::Null, call_of(" ", "look")),
            Refused("without id"),
        ),
        (
            "call with blank name",
            with_calls(Value::Null, call_of("c1", "")),
            Refused("without name"),
        ),
        (
            "arguments missing",
            with_calls(
                Value::Null,
                json!([{"id": "c1", "type": "function", "function": {"name": "look"}}]),
            ),
            Blocks(json!([use_of_look(&json!({}))])),
        ),
        ("arguments empty", call(&json!("")), Blocks(json!([use_of_look(&json!({}))]))),
        ("arguments blank", call(&json!(" \n")), Blocks(json!([use_of_look(&json!({}))]))),
        (
            "arguments an object",
            call(&json!("{\"b\": [1, {\"c\": null}], \"a\": \"x\"}")),
            Blocks(json!([use_of_look(&json!({"a": "x", "b": [1, {"c": null}]}))])),
        ),
        ("arguments no JSON", call(&json!("{\"a\":")), Refused("c1 (look)")),
        ("arguments an array", call(&json!("[1]")), Refused("c1 (look)")),
        ("arguments null", call(&json!("null")), Refused("c1 (look)")),
        ("arguments a number", call(&json!("7")), Refused("c1 (look)")),
        ("tool text", tool(json!("42"), json!("c1")), Blocks(json!([text("42")]))),
        ("tool blank", tool(json!("  "), json!("c1")), Refused("empty")),
        ("tool null", tool(Value::Null, json!("c1")), Refused("empty")),
        ("tool no text", tool(json!({"a": 1}), json!("c1")), Refused("list of blocks")),
        ("tool without call id", json!({"role": "tool", "content": "42"}), Refused("tool_call_id")),
        ("tool with blank call id", tool(json!("42"), json!(" ")), Refused("tool_call_id")),
        (
            "blocks",
            json!({"role": "assistant", "content": [text("a"), text(" b"), use_of_look(&json!({}))]}),
            Blocks(json!([text("a"), text(" b"), use_of_look(&json!({}))])),
        ),
        ("no blocks", json!({"role": "user", "content": []}), Blank("empty")),
        ("a blank block", json!({"role": "user", "content": [text(" ")]}), Blank("blank")),
        (
            "tool use by a person",
            json!({"role": "user", "content": [use_of_look(&json!({}))]}),
            Refused("only assistant"),
        ),
        (
            "tool use in a result",
            json!({"role": "tool", "tool_call_id": "c1", "content": [use_of_look(&json!({}))]}),
            Refused("only assistant"),
        ),
        (
            "an unknown block",
            json!({"role": "user", "content": [{"type": "hologram", "data": [1]}]}),
            Blocks(json!([{"type": "hologram", "data": [1]}])),
        ),
        (
            "a block without type",
            json!({"role": "user", "content": [{"text": "x"}]}),
            Refused("type"),
        ),
        ("another role", json!({"role": "system", "content": "x"}), Refused("system")),
        ("no role", json!({"content": "x"}), Refused("role")),
        ("no message", json!(null), Refused("object")),
    ]
}

#[test]
fn case_56_every_old_shape_is_read_from_a_file() {
    for (name, message, expected) in rows() {
        let reference = Reference::new(&["root-1/node-1"]);
        reference.node(1, "root-1", &["root-1/node-2"], &call(&json!("{}")));
        reference.node(2, "root-1/node-1", &[], &message);
        let path = reference.file("root-1/nodes/node-2.json");
        let before = fs::read(&path).unwrap();
        let opened = FileSystemStore::open(reference.path());
        assert_eq!(fs::read(&path).unwrap(), before, "{name}: reading rewrites nothing");
        match expected {
            Blocks(blocks) => {
                let mut forest = Forest::new(opened.unwrap());
                let id = "root-1/node-2".parse().unwrap();
                let said = serde_json::to_value(&*forest.message(id).unwrap()).unwrap();
                assert_eq!(said["content"], blocks, "{name}");
                assert_eq!(
                    said["tool_call_id"],
                    *message.get("tool_call_id").unwrap_or(&Value::Null)
                );
                forest.set_title(id, "noted").unwrap();
                let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                assert_eq!(file["message"], said, "{name}: what is written is blocks");
            }
            Blank(why) | Refused(why) => match opened.map(drop).unwrap_err() {
                ForestError::Corrupt { path: named, why: told } => {
                    assert_eq!(named, path, "{name}");
                    assert!(told.contains(why), "{name}: {told}");
                }
                other => panic!("{name}: {other}"),
            },
        }
    }
}

#[test]
fn case_56_every_old_shape_can_be_appended() {
    for (name, message, expected) in rows() {
        let folder = tempfile::tempdir().unwrap();
        let mut forest = open(folder.path());
        let root = forest.find_or_create_root(None, NOW).unwrap();
        let before = vec![NewMessage::from_json(call(&json!("{}"))).unwrap().unwrap()];
        let start = forest.append(root.into(), before, Matching::Exact, NOW).unwrap().end;
        match (NewMessage::from_json(message), expected) {
            (Ok(Some(new)), Blocks(blocks)) => {
                let end =
                    forest.append(start, vec![new.clone()], Matching::Exact, NOW).unwrap().end;
                let Place::Node(id) = end else { panic!("{name}") };
                let said = serde_json::to_value(&*forest.message(id).unwrap()).unwrap();
                assert_eq!(said["content"], blocks, "{name}");
                let log = fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
                assert!(!log.contains("tool_calls") && !log.contains("arguments"), "{name}");
                drop(forest);
                // The same again, also in today's shape, is the same message.
                let mut forest = open(folder.path());
                let today = NewMessage::from_json(said).unwrap().unwrap();
                for again in [new, today] {
                    let again = forest.append(start, vec![again], Matching::Exact, NOW).unwrap();
                    assert_eq!((again.end, again.matched), (end, 1), "{name}");
                }
            }
            (Ok(None), Blank(_)) => {}
            (Err(error), Refused(why)) => {
                assert!(error.to_string().contains(why), "{name}: {error}");
            }
            (read, _) => panic!("{name}: {read:?}"),
        }
    }
}
