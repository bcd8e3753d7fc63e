//! Which entry becomes what, and what makes two messages the same.

use std::sync::Arc;

use pi_brain_forest::{Forest, MemoryStore, Message, Store};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{forest_of, import};

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#;

/// Writes a session of one entry, unless the entry says otherwise.
fn file_of(entry: &Value, line_number: u32) -> Vec<u8> {
    let mut entry = entry.clone();
    let defaults = [
        ("type", json!("message")),
        ("id", json!(format!("e{line_number}"))),
        ("parentId", Value::Null),
        ("timestamp", json!("2026-01-01T00:00:01.000Z")),
    ];
    for (key, value) in defaults {
        if entry.get(key).is_none() {
            entry[key] = value;
        }
    }
    format!("{HEADER}\n{entry}\n").into_bytes()
}

/// Returns what an entry says in the forest.
fn said(entry: &Value) -> Option<Arc<Message>> {
    let forest = forest_of(&[("/a.jsonl", &file_of(entry, 1))]);
    let record = forest.store().sessions().unwrap()[0].clone();
    let entry = &record.entries[0];
    assert_eq!(
        entry.place.node().is_some(),
        entry.own,
        "a decoration of nothing stands on the root"
    );
    Some(forest.message(entry.place.node()?).unwrap())
}

/// Counts the messages that two entries make in the same place.
fn messages(one: &Value, other: &Value) -> usize {
    let mut forest: Forest<MemoryStore> = Forest::new(MemoryStore::new());
    import(&mut forest, &[("/a.jsonl", &file_of(one, 1)), ("/b.jsonl", &file_of(other, 2))]);
    let roots = forest.roots().unwrap();
    assert_eq!(roots.len(), 1, "they have one id, so they are related");
    forest.subtree(roots[0].id.into(), None).unwrap().len()
}

fn spoken(message: Value) -> Value {
    Value::Object([("message".to_owned(), message)].into_iter().collect())
}

fn sha256(text: &str) -> String {
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap());
    Sha256::digest(text).iter().flat_map(digits).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn every_kind_of_entry_becomes_what_it_should() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let user = |content: Value| json!({"role": "user", "content": content});
    let rows = [
        (
            "a person's words",
            spoken(json!({"role": "user", "content": "hi"})),
            user(json!([text("hi")])),
        ),
        (
            "words in blocks",
            spoken(json!({"role": "user", "content": [text("a"), text(" b ")]})),
            user(json!([text("a"), text(" b ")])),
        ),
        (
            "nothing said",
            spoken(json!({"role": "user", "content": []})),
            user(json!([{"type": "empty"}])),
        ),
        ("no content", spoken(json!({"role": "user"})), user(json!([{"type": "empty"}]))),
        (
            "null content",
            spoken(json!({"role": "user", "content": null})),
            user(json!([{"type": "empty"}])),
        ),
        (
            "an empty text is a text",
            spoken(json!({"role": "user", "content": ""})),
            user(json!([text("")])),
        ),
        (
            "an answer",
            spoken(json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"type": "text", "text": "yes", "textSignature": "s"},
                {"type": "toolCall", "id": "c", "name": "read", "arguments": {"b": 1.0, "a": [1e2]}, "thoughtSignature": "s"},
            ], "usage": {"input": 1}})),
            json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm"}, text("yes"),
                {"type": "tool-use", "id": "c", "name": "read", "parameters": {"a": [100], "b": 1}},
            ]}),
        ),
        (
            "thinking that nobody may read",
            spoken(
                json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "", "thinkingSignature": "x", "redacted": true}]}),
            ),
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "", "redacted": "x"}]}),
        ),
        (
            "a call that cannot be answered",
            spoken(
                json!({"role": "assistant", "content": [{"type": "toolCall", "id": " ", "name": "read", "arguments": "{"}]}),
            ),
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": " ", "name": "read", "arguments": "{"}]}),
        ),
        (
            "a tool's result",
            spoken(
                json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [text("x"), {"type": "image", "data": "AAAA", "mimeType": "image/png"}], "isError": true, "details": {}}),
            ),
            json!({"role": "tool", "tool_call_id": "c", "is_error": true, "content": [
                text("x"), {"type": "image", "mimeType": "image/png", "sha256": sha256("AAAA")},
            ]}),
        ),
        (
            "an empty result of no call",
            spoken(json!({"role": "toolResult", "content": []})),
            json!({"role": "tool", "tool_call_id": "(none)", "content": [{"type": "empty"}]}),
        ),
        (
            "a shell command",
            spoken(
                json!({"role": "bashExecution", "command": "ls", "output": "o", "exitCode": 0, "cancelled": false, "truncated": true, "fullOutputPath": "/tmp/o", "excludeFromContext": true}),
            ),
            user(
                json!([{"type": "shell", "command": "ls", "output": "o", "exitCode": 0, "cancelled": false, "truncated": true, "excluded": true, "outputPath": "/tmp/o"}]),
            ),
        ),
        (
            "an extension's message",
            spoken(json!({"role": "custom", "customType": "c", "content": "x", "display": true})),
            user(json!([{"type": "custom", "customType": "c", "content": [text("x")]}])),
        ),
        (
            "an old hook's message",
            spoken(
                json!({"role": "hookMessage", "customType": "c", "content": "x", "display": true}),
            ),
            user(json!([{"type": "custom", "customType": "c", "content": [text("x")]}])),
        ),
        (
            "an extension's entry that models see",
            json!({"type": "custom_message", "customType": "c", "content": [text("x")], "display": false}),
            user(json!([{"type": "custom", "customType": "c", "content": [text("x")]}])),
        ),
        (
            "a compaction",
            json!({"type": "compaction", "summary": "s", "firstKeptEntryId": "nobody", "tokensBefore": 1}),
            user(json!([{"type": "compaction", "summary": "s", "kept": 0}])),
        ),
        (
            "a branch summary",
            json!({"type": "branch_summary", "summary": "s", "fromId": "root"}),
            user(json!([{"type": "branch-summary", "summary": "s"}])),
        ),
        (
            "blocks that nobody knows",
            spoken(
                json!({"role": "user", "content": [{"type": "video", "url": "u"}, 7, {"type": "tool-use"}]}),
            ),
            user(
                json!([{"type": "video", "url": "u"}, {"type": "unknown", "value": 7}, {"type": "unknown", "value": {"type": "tool-use"}}]),
            ),
        ),
    ];
    for (what, entry, expected) in rows {
        let message = said(&entry).unwrap_or_else(|| panic!("{what} is a message"));
        assert_eq!(serde_json::to_value(&*message).unwrap(), expected, "{what}");
        let again: Message = serde_json::from_value(expected).unwrap();
        assert_eq!(again, *message, "{what} survives being written down");
    }
}

#[test]
fn what_is_no_message_decorates() {
    let rows = [
        (
            "an answer without content",
            spoken(json!({"role": "assistant", "content": [], "stopReason": "aborted"})),
        ),
        ("an answer with null", spoken(json!({"role": "assistant", "content": null}))),
        ("an answer without a field", spoken(json!({"role": "assistant"}))),
        ("instructions", spoken(json!({"role": "system", "content": "be good"}))),
        ("a host's role", spoken(json!({"role": "weather", "content": "rain"}))),
        ("no role", spoken(json!({"content": "x"}))),
        ("no message", json!({})),
        ("a message that is none", spoken(json!("x"))),
        (
            "an empty branch summary",
            json!({"type": "branch_summary", "summary": "", "fromId": "root"}),
        ),
        ("a change of model", json!({"type": "model_change", "provider": "p", "modelId": "m"})),
        ("a change of thinking", json!({"type": "thinking_level_change", "thinkingLevel": "high"})),
        ("a label", json!({"type": "label", "targetId": "e1", "label": "x"})),
        ("a name", json!({"type": "session_info", "name": "x"})),
        ("an extension's state", json!({"type": "custom", "customType": "c", "data": 1})),
        (
            "an edit of the context",
            json!({"type": "context_edit", "targetId": "e1", "replacement": null}),
        ),
        ("tokens spent elsewhere", json!({"type": "usage", "kind": "k", "usage": {"input": 1}})),
        (
            "something unheard of",
            json!({"type": "unheard_of", "message": {"role": "user", "content": "x"}}),
        ),
    ];
    for (what, entry) in rows {
        assert_eq!(said(&entry), None, "{what}");
    }
}

/// Entries to change one field of.
fn bases() -> [(&'static str, Value); 7] {
    [
        (
            "user",
            spoken(
                json!({"role": "user", "content": [{"type": "text", "text": "x"}], "timestamp": 1}),
            ),
        ),
        (
            "assistant",
            spoken(json!({"role": "assistant", "content": [
            {"type": "text", "text": "x"}, {"type": "thinking", "thinking": "t"},
            {"type": "toolCall", "id": "c", "name": "read", "arguments": {"n": 1}},
        ], "timestamp": 1})),
        ),
        (
            "toolResult",
            spoken(
                json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [
            {"type": "text", "text": "x"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        ], "isError": false, "timestamp": 1}),
            ),
        ),
        (
            "bashExecution",
            spoken(
                json!({"role": "bashExecution", "command": "ls", "output": "o", "exitCode": 0, "cancelled": false, "truncated": true, "fullOutputPath": "/o"}),
            ),
        ),
        (
            "custom_message",
            json!({"type": "custom_message", "customType": "c", "content": "x", "display": true}),
        ),
        (
            "compaction",
            json!({"type": "compaction", "summary": "s", "firstKeptEntryId": "e", "tokensBefore": 1}),
        ),
        ("branch_summary", json!({"type": "branch_summary", "summary": "s", "fromId": "root"})),
    ]
}

/// Sets a field that a path such as `/message/content/0/text` leads to.
fn with(base: &Value, path: &str, value: Value) -> Value {
    let mut changed = base.clone();
    let (above, key) = path.rsplit_once('/').unwrap();
    match changed.pointer_mut(above).unwrap() {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => other[key] = value,
    }
    changed
}

#[test]
fn fields_that_make_another_message() {
    let rows = [
        ("user", "/message/content/0/text", json!("x ")),
        (
            "user",
            "/message/content",
            json!([{"type": "text", "text": "x"}, {"type": "text", "text": ""}]),
        ),
        ("user", "/message/role", json!("assistant")),
        ("assistant", "/message/content/0/text", json!("y")),
        ("assistant", "/message/content/1/thinking", json!("u")),
        ("assistant", "/message/content/1/redacted", json!(true)),
        ("assistant", "/message/content/2/id", json!("d")),
        ("assistant", "/message/content/2/name", json!("write")),
        ("assistant", "/message/content/2/arguments", json!({"n": 2})),
        ("assistant", "/message/content/2/arguments", json!({"n": "1"})),
        ("assistant", "/message/content/0", json!({"type": "thinking", "thinking": "x"})),
        ("toolResult", "/message/toolCallId", json!("d")),
        ("toolResult", "/message/isError", json!(true)),
        ("toolResult", "/message/content/0/text", json!("y")),
        ("toolResult", "/message/content/1/data", json!("AAAB")),
        ("toolResult", "/message/content/1/mimeType", json!("image/jpeg")),
        ("bashExecution", "/message/command", json!("ls ")),
        ("bashExecution", "/message/output", json!("p")),
        ("bashExecution", "/message/exitCode", json!(1)),
        ("bashExecution", "/message/exitCode", Value::Null),
        ("bashExecution", "/message/cancelled", json!(true)),
        ("bashExecution", "/message/truncated", json!(false)),
        ("bashExecution", "/message/fullOutputPath", json!("/p")),
        ("bashExecution", "/message/excludeFromContext", json!(true)),
        ("custom_message", "/customType", json!("d")),
        ("custom_message", "/content", json!("y")),
        ("compaction", "/summary", json!("t")),
        ("branch_summary", "/summary", json!("t")),
    ];
    let bases = bases();
    for (kind, path, value) in rows {
        let base = &bases.iter().find(|(name, _)| *name == kind).unwrap().1;
        assert_eq!(messages(base, &with(base, path, value.clone())), 2, "{kind}{path} = {value}");
    }
}

#[test]
fn fields_that_do_not() {
    let everywhere = [
        ("/id", json!("other")),
        ("/timestamp", json!("2025-05-05T05:05:05.000Z")),
        ("/unheardOf", json!({})),
    ];
    let rows = [
        ("user", "/message/content", json!("x")),
        ("user", "/message/timestamp", json!(2)),
        ("user", "/message/content/0/textSignature", json!("s")),
        ("assistant", "/message/timestamp", json!(2)),
        ("assistant", "/message/usage", json!({"input": 9, "cost": {"total": 1}})),
        ("assistant", "/message/api", json!("a")),
        ("assistant", "/message/provider", json!("p")),
        ("assistant", "/message/model", json!("m")),
        ("assistant", "/message/responseModel", json!("m")),
        ("assistant", "/message/responseId", json!("r")),
        ("assistant", "/message/diagnostics", json!([1])),
        ("assistant", "/message/stopReason", json!("error")),
        ("assistant", "/message/errorMessage", json!("e")),
        ("assistant", "/message/durationMs", json!(3)),
        ("assistant", "/message/content/0/textSignature", json!("s")),
        ("assistant", "/message/content/1/thinkingSignature", json!("s")),
        ("assistant", "/message/content/2/thoughtSignature", json!("s")),
        ("assistant", "/message/content/2/partialJson", json!("{")),
        ("assistant", "/message/content/2/arguments", json!({"n": 1.0})),
        ("toolResult", "/message/toolName", json!("other")),
        ("toolResult", "/message/details", json!({"diff": "x"})),
        ("toolResult", "/message/usage", json!({"input": 1})),
        ("toolResult", "/message/nestedCalls", json!({"calls": []})),
        ("toolResult", "/message/content/1/fileName", json!("f.png")),
        ("bashExecution", "/message/timestamp", json!(5)),
        ("custom_message", "/display", json!(false)),
        ("custom_message", "/details", json!([1])),
        ("custom_message", "/content", json!([{"type": "text", "text": "x"}])),
        ("compaction", "/tokensBefore", json!(2)),
        ("compaction", "/firstKeptEntryId", json!("another that is not there")),
        ("compaction", "/details", json!({"readFiles": []})),
        ("compaction", "/fromHook", json!(true)),
        ("compaction", "/systemMessage", json!({"role": "system", "content": "x"})),
        ("branch_summary", "/fromId", json!("e7")),
        ("branch_summary", "/details", json!({})),
        ("branch_summary", "/usage", json!({"input": 1})),
    ];
    let bases = bases();
    let base_of = |kind: &str| &bases.iter().find(|(name, _)| *name == kind).unwrap().1;
    for (kind, path, value) in rows {
        let base = base_of(kind);
        assert_eq!(messages(base, &with(base, path, value.clone())), 1, "{kind}{path} = {value}");
    }
    for (kind, base) in &bases {
        for (path, value) in &everywhere {
            assert_eq!(messages(base, &with(base, path, value.clone())), 1, "{kind}{path}");
        }
    }
}

#[test]
fn the_order_of_keys_does_not_count_and_the_order_of_blocks_does() {
    let call = |arguments: &str| -> Value {
        let json = format!(
            r#"{{"message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"n","arguments":{arguments}}}]}}}}"#
        );
        serde_json::from_str(&json).unwrap()
    };
    assert_eq!(
        messages(&call(r#"{"a":1,"b":{"c":2,"d":3}}"#), &call(r#"{"b":{"d":3,"c":2},"a":1}"#)),
        1
    );
    assert_eq!(messages(&call(r#"{"a":[1,2]}"#), &call(r#"{"a":[2,1]}"#)), 2);
    let two = |one: &str, other: &str| {
        spoken(
            json!({"role": "user", "content": [{"type": "text", "text": one}, {"type": "text", "text": other}]}),
        )
    };
    assert_eq!(messages(&two("a", "b"), &two("b", "a")), 2);
    assert_eq!(messages(&two("a", "b"), &two("ab", "")), 2);
}

#[test]
fn spellings_of_json_do_not_count() {
    // Large numbers, half a surrogate pair, a repeated key: whatever JSON.parse reads.
    let line = |content: &str| {
        format!(
            r#"{{"type":"message","id":"e","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{{"role":"assistant","content":{content}}}}}"#
        )
    };
    let call = |arguments: &str| {
        line(&format!(
            r#"[{{"type":"toolCall","id":"c","name":"n","arguments":{{"x":{arguments}}}}}]"#
        ))
    };
    let count = |lines: &[String]| {
        let mut forest = Forest::new(MemoryStore::new());
        for (number, line) in lines.iter().enumerate() {
            let bytes = format!("{HEADER}\n{line}\n").into_bytes();
            import(&mut forest, &[(&format!("/{number}.jsonl"), &bytes)]);
        }
        let root = forest.roots().unwrap()[0].id;
        forest.subtree(root.into(), None).unwrap().len()
    };
    assert_eq!(count(&["1", "1.0", "1e0", "10E-1", "0.1e+1"].map(call)), 1);
    assert_eq!(count(&["0", "-0", "0.0", "-0e5"].map(call)), 1);
    assert_eq!(count(&["0.000005", "5e-6", "0.0000050"].map(call)), 1);
    assert_eq!(count(&["1e999", "2e999", "-1e999"].map(call)), 3);
    assert_eq!(count(&[r#""\u0041""#, r#""A""#].map(call)), 1);
    assert_eq!(count(&[r#""\ud800""#, r#""\udfff""#].map(call)), 1);
    assert_eq!(count(&[r#"{"k":1,"k":2}"#, r#"{"k":2}"#].map(call)), 1);
    // Nothing is made of accents and line ends.
    assert_eq!(count(&["\"\u{e9}\"", "\"e\u{301}\"", r#""a\r\n""#, r#""a\n""#].map(call)), 4);
}

#[test]
fn json_of_any_depth_is_a_message() {
    for depth in [90, 110, 5000] {
        let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let line = |tail: &str| {
            let line = format!(
                r#"{{"type":"message","id":"e","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{{"role":"user","content":[{{"type":"tree","of":{deep}{tail}}}]}}}}"#
            );
            format!("{HEADER}\n{line}\n").into_bytes()
        };
        let forest =
            forest_of(&[("/a", &line("")), ("/b", &line("")), ("/c", &line(r#","more":1"#))]);
        let root = forest.roots().unwrap()[0].id;
        let nodes = forest.subtree(root.into(), None).unwrap();
        assert_eq!(nodes.len(), 2);
        let message = forest.message(nodes[0].id).unwrap();
        let json = serde_json::to_string(&*message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&json).unwrap(), *message);
    }
}
