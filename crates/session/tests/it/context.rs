//! What a model would be given.

use pi_brain_session::{Session, View};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::generate::{any_oddities, any_session, cases};
use crate::notation::session;

/// Names the messages of a context: by their text, with the role unless that is `user`.
fn said(notation: &str) -> String {
    let session =
        Session::from_bytes(session(notation).into_bytes()).expect("the notation makes sessions");
    let tree = session.tree(View::AsPi);
    let context = session.context(&tree, tree.leaf()).expect("nothing changes in memory");
    let say = |message: &Value| {
        let said = ["content", "summary", "command"].iter().find_map(|key| message.get(key));
        let text = match said {
            Some(Value::String(text)) => text.clone(),
            Some(blocks) if blocks[0]["type"] == "toolCall" => "calls".to_owned(),
            Some(blocks) => format!("[{}]", blocks[0]["text"].as_str().unwrap_or_default()),
            None => String::new(),
        };
        match message["role"].as_str().unwrap_or_default() {
            "user" => text,
            role => format!("{role}:{text}"),
        }
    };
    let context = serde_json::to_value(context).expect("a context is JSON");
    let messages: Vec<String> =
        context["messages"].as_array().expect("a list").iter().map(say).collect();
    let model = match &context["model"] {
        Value::Null => String::new(),
        model => format!(" / {}/{}", model["provider"], model["modelId"]).replace('"', ""),
    };
    let level = match context["thinkingLevel"].as_str() {
        Some("off") | None => String::new(),
        Some(level) => format!(" / {level}"),
    };
    messages.join(" ") + &model + &level
}

#[track_caller]
fn check(notation: &str, expected: &str) {
    assert_eq!(said(notation), expected, "{notation}");
}

#[test]
fn without_entries_there_is_nothing_to_say() {
    check("", "");
}

#[test]
fn a_branch_says_what_stands_on_it() {
    check("a b c; b d", "a b d");
    check("a; b c", "b c");
    check(
        "a b:answer c:calls(x) d:result(x) e:bash f:note",
        "a assistant:[b] assistant:calls toolResult:[d] bashExecution:e custom:f / p/m",
    );
}

#[test]
fn settings_and_labels_say_nothing() {
    check("a l:label(a,x) n:name(y) c:custom u:usage z:zzz b", "a b");
    check("a m:model(q,w) t:level(high)", "a / q/w / high");
    check("a m:model(q,w) b:answer", "a assistant:[b] / p/m");
    check("a m:model(q,w) t:level(high); a b", "a b");
}

#[test]
fn summaries_of_branches_speak_unless_empty() {
    check("a b; a s:summary(tried) c", "a branchSummary:tried c");
    check("a b; a s:summary() c", "a c");
}

#[test]
fn a_compaction_stands_for_what_was_before() {
    check("a b c k:compaction(b) d", "compactionSummary:k b c d");
    check("a b c k:compaction(k) d", "compactionSummary:k d");
    check("a b c k:compaction(nobody) d", "compactionSummary:k d");
    // The kept entry is on another branch.
    check("a b; a c k:compaction(b) d", "compactionSummary:k d");
    // What stands after the compaction is kept anyhow.
    check("a k:compaction(b) b", "compactionSummary:k b");
}

#[test]
fn only_the_last_compaction_of_the_path_speaks() {
    check("a b k:compaction(b) c l:compaction(b) d", "compactionSummary:l b c d");
    check("a b k:compaction(b) c l:compaction(c) d", "compactionSummary:l c d");
    check("a b k:compaction(b) c; b d", "a b d");
}

#[test]
fn settings_hold_although_a_compaction_hides_them() {
    check("t:level(high) a:answer b k:compaction(b)", "compactionSummary:k b / p/m / high");
}

#[test]
fn system_messages_are_never_kept_by_a_compaction() {
    check("s:system a t:system b k:compaction(a) u:system c", "compactionSummary:k a b system:u c");
}

#[test]
fn edits_change_what_is_seen() {
    check("a b e:edit(a,x) c", "x b c");
    check("a b e:edit(a) c", "b c");
    check("a b e:edit(a,x) f:edit(a,y)", "y b");
    check("a b e:edit(a) f:edit(a,y)", "y b");
    check(
        "a:answer b:result(x) c:note e:edit(a,1) f:edit(b,2) g:edit(c,3)",
        "assistant:[1] toolResult:[2] custom:3 / p/m",
    );
    // These have no content that could change, but they can go.
    check(
        "a:bash b:system s:summary(t) e:edit(a,1) f:edit(b,2) g:edit(s,3)",
        "bashExecution:a system:b branchSummary:t",
    );
    check("a:bash b:system s:summary(t) e:edit(a) f:edit(b) g:edit(s)", "");
}

#[test]
fn edits_count_on_their_branch_and_while_they_are_selected() {
    check("a b e:edit(a); b c", "a b c");
    check("a e:edit(b) b", "a");
    check("a b e:edit(b) c k:compaction(b)", "compactionSummary:k c");
    check("e:edit(b) a b k:compaction(b)", "compactionSummary:k b");
    check("a k:compaction(a) e:edit(k) b", "a b");
}

#[test]
fn null_content_becomes_empty() {
    let messages = |role: &str, content: &str| {
        let line = format!(
            "{{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{{\"role\":\"{role}\"{content}}}}}\n"
        );
        let session = Session::from_bytes((session("") + &line).into_bytes()).unwrap();
        let tree = session.tree(View::AsPi);
        serde_json::to_value(session.context(&tree, tree.leaf()).unwrap()).unwrap()["messages"]
            .take()
    };
    for content in ["", ",\"content\":null"] {
        assert_eq!(messages("user", content), json!([{"role": "user", "content": []}]));
        assert_eq!(messages("toolResult", content), json!([{"role": "toolResult", "content": []}]));
        assert_eq!(messages("assistant", content), json!([{"role": "assistant", "content": []}]));
        assert_eq!(messages("system", content), json!([{"role": "system", "content": ""}]));
    }
    assert_eq!(messages("bashExecution", ""), json!([{"role": "bashExecution"}]));
    assert_eq!(
        messages("user", ",\"content\":\"null\""),
        json!([{"role": "user", "content": "null"}])
    );
}

#[test]
fn messages_keep_the_bytes_of_the_file() {
    let odd = b"{\"type\":\"message\",\"id\":\"a\",\"message\": { \"role\" :\"user\", \"content\":\"\\u00e9 \xff\" } }\n";
    let bytes = [session("").as_bytes(), odd].concat();
    let session = Session::from_bytes(bytes).unwrap();
    let tree = session.tree(View::AsPi);
    let context = session.context(&tree, tree.leaf()).unwrap();
    let message = context.messages[0].raw().unwrap();
    assert_eq!(message.bytes(), b"{ \"role\" :\"user\", \"content\":\"\\u00e9 \xff\" }");
    // As JSON it is text, and text is UTF-8.
    let json = serde_json::to_string(&context).unwrap();
    assert!(json.contains("\\u00e9 \u{fffd}"), "{json}");
}

proptest! {
    #![proptest_config(cases(400))]

    /// At every entry of a session the context is the one that the rules spell out.
    #[test]
    fn contexts_follow_the_rules(sketch in any_session(24), oddities in any_oddities()) {
        let text = sketch.spaced_text(&oddities);
        let session = Session::from_bytes(text.into_bytes()).unwrap();
        let tree = session.tree(View::AsPi);
        for leaf in (0..sketch.entries.len()).map(Some).chain([None]) {
            let context = serde_json::to_value(session.context(&tree, leaf).unwrap()).unwrap();
            prop_assert_eq!(context, slow_context(&sketch.entries, leaf));
        }
    }
}

/// The context as pi's rules say it, step by step.
fn slow_context(entries: &[Value], leaf: Option<usize>) -> Value {
    let mut path = Vec::new();
    let mut current = leaf.map(|leaf| &entries[leaf]);
    while let Some(entry) = current {
        path.insert(0, entry);
        current = entries.iter().find(|other| other["id"] == entry["parentId"]);
    }

    let mut level = json!("off");
    let mut model = Value::Null;
    for entry in &path {
        if entry["type"] == "thinking_level_change" {
            level = entry["thinkingLevel"].clone();
        } else if entry["type"] == "model_change" {
            model = json!({"provider": entry["provider"], "modelId": entry["modelId"]});
        } else if entry["type"] == "message" && entry["message"]["role"] == "assistant" {
            let message = &entry["message"];
            model = json!({"provider": message["provider"], "modelId": message["model"]});
        }
    }

    let selected = match path.iter().rposition(|entry| entry["type"] == "compaction") {
        None => path,
        Some(at) => {
            let mut selected = vec![path[at]];
            let mut found = false;
            for entry in &path[..at] {
                found |= entry["id"] == path[at]["firstKeptEntryId"];
                if found && entry["message"]["role"] != "system" {
                    selected.push(entry);
                }
            }
            selected.extend(&path[at + 1..]);
            selected
        }
    };

    let mut messages = Vec::new();
    for (place, entry) in selected.iter().enumerate() {
        let is_edit =
            |other: &&&Value| other["type"] == "context_edit" && other["targetId"] == entry["id"];
        let edit = selected.iter().rev().find(is_edit);
        if edit.is_some_and(|edit| edit["replacement"].is_null()) {
            continue;
        }
        for mut message in slow_messages(entry, place == 0) {
            let role = message["role"].as_str().unwrap_or_default().to_owned();
            if let Some(edit) = edit
                && ["user", "assistant", "toolResult", "custom"].contains(&&*role)
            {
                let content = &edit["replacement"]["content"];
                let wants_blocks = role == "assistant" || role == "toolResult";
                message["content"] = if wants_blocks && content.is_string() {
                    json!([{"type": "text", "text": content}])
                } else {
                    content.clone()
                };
            }
            messages.push(message);
        }
    }
    json!({"messages": messages, "thinkingLevel": level, "model": model})
}

fn slow_messages(entry: &Value, first: bool) -> Vec<Value> {
    let seconds = |time: &str| -> Option<u64> {
        let (minute, second) =
            (time[14..16].parse::<u64>().ok()?, time[17..19].parse::<u64>().ok()?);
        Some(1_767_225_600_000 + 1000 * (60 * minute + second))
    };
    let timestamp = entry["timestamp"].as_str().and_then(seconds);
    let made = |role: &str, keys: &[&str]| {
        let mut message = Map::new();
        for &key in keys {
            if let Some(value) = entry.get(key) {
                message.insert(key.to_owned(), value.clone());
            }
        }
        message.insert("role".into(), role.into());
        message.insert("timestamp".into(), timestamp.into());
        Value::Object(message)
    };
    match entry["type"].as_str().unwrap_or_default() {
        "message" => {
            let mut message = entry["message"].clone();
            match message["role"].as_str() {
                Some("system") if message["content"].is_null() => message["content"] = json!(""),
                Some("user" | "assistant" | "toolResult") if message["content"].is_null() => {
                    message["content"] = json!([]);
                }
                _ => {}
            }
            vec![message]
        }
        "custom_message" => {
            let mut message = made("custom", &["customType", "content", "display", "details"]);
            if message["content"].is_null() {
                message["content"] = json!([]);
            }
            vec![message]
        }
        "branch_summary" if entry["summary"] != "" => {
            vec![made("branchSummary", &["summary", "fromId"])]
        }
        "compaction" if first => {
            let summary = made("compactionSummary", &["summary", "tokensBefore"]);
            entry.get("systemMessage").cloned().into_iter().chain([summary]).collect()
        }
        _ => Vec::new(),
    }
}
