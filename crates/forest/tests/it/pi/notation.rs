//! A short way to write sessions down.

use serde_json::{Map, Value, json};

use super::world::{text_of, time};

/// Writes a session file.
///
/// `a b:answer c; b d` is a chain a–b–c with d branching off b. An entry's name is its id, what it says, and (by
/// its first letter) when it was written: an entry of the same name in another file is a copy. `p=a` is another
/// entry, named p, which says "a". A part that opens with a name of an earlier entry goes on from there.
///
/// Kinds, behind a colon: `user` (if none is given), `answer(quarters)`, `nothing(quarters)` (an answer without
/// content), `calls(id,…)`, `result(id)`, `system`, `bash`, `note`, `label(target,text)`, `name(text)`,
/// `model(id)`, `level(level)`, `compaction(first kept)`, `summary`, `edit(target,text)`, `usage(quarters)`.
pub(crate) struct Written {
    header: Value,
    entries: Vec<Value>,
}

pub(crate) fn session(id: &str, notation: &str) -> Written {
    let header = json!({
        "type": "session", "version": 3, "id": id, "timestamp": time(0), "cwd": "/home/dev",
    });
    let mut entries: Vec<Value> = Vec::new();
    for part in notation.split(';') {
        let mut before: Option<String> = None;
        for word in part.split_whitespace() {
            if before.is_none() && entries.iter().any(|entry| entry["id"] == word) {
                before = Some(word.to_owned());
                continue;
            }
            let entry = entry(word, before.as_deref());
            before = entry["id"].as_str().map(str::to_owned);
            entries.push(entry);
        }
    }
    Written { header, entries }
}

impl Written {
    /// Names the file that this one was forked from.
    pub(crate) fn fork_of(mut self, file: &str) -> Self {
        self.header["parentSession"] = file.into();
        self
    }

    /// Sets when the session began.
    pub(crate) fn begun(mut self, second: u32) -> Self {
        self.header["timestamp"] = time(second).into();
        self
    }

    /// Writes it as version 1: no ids, no parents.
    pub(crate) fn aged(mut self) -> Self {
        remove(&mut self.header, "version");
        for entry in &mut self.entries {
            remove(entry, "id");
            remove(entry, "parentId");
        }
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let lines = [&self.header].into_iter().chain(&self.entries);
        text_of(lines).into_bytes()
    }
}

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().remove(key);
}

fn entry(word: &str, before: Option<&str>) -> Value {
    let (name, kind) = word.split_once(':').unwrap_or((word, "user"));
    let (name, text) = name.split_once('=').unwrap_or((name, name));
    let (kind, arguments) = kind.split_once('(').unwrap_or((kind, ""));
    let arguments: Vec<&str> = arguments.trim_end_matches(')').split(',').collect();
    // Letters count from 1, and what stands behind the letter tells entries of one second apart.
    let second = name.chars().next().map_or(0, |letter| u32::from(letter) - u32::from('a') + 1);
    let mut entry = Map::new();
    entry.insert("id".into(), name.into());
    entry.insert("parentId".into(), before.into());
    entry.insert("timestamp".into(), time(second).into());
    let Value::Object(own) = body(kind, &arguments, text, second) else { unreachable!() };
    entry.extend(own);
    Value::Object(entry)
}

fn body(kind: &str, arguments: &[&str], text: &str, second: u32) -> Value {
    let first = arguments[0];
    let second_argument = arguments.get(1).copied();
    let spoken = |mut message: Value| {
        message["timestamp"] = (1_767_225_600_000_i64 + i64::from(second) * 1000).into();
        json!({"type": "message", "message": message})
    };
    let blocks = json!([{"type": "text", "text": text}]);
    let usage = first.parse::<u32>().ok().map(|quarters| {
        json!({"input": quarters, "output": 0, "totalTokens": quarters, "cost": {"total": f64::from(quarters) / 4.0}})
    });
    let answer = |content: Value| {
        let mut message = json!({"role": "assistant", "content": content, "provider": "p", "model": "m", "stopReason": "stop"});
        if let Some(usage) = &usage {
            message["usage"] = usage.clone();
        }
        spoken(message)
    };
    match kind {
        "user" => spoken(json!({"role": "user", "content": text})),
        "answer" => answer(blocks),
        "nothing" => answer(json!([])),
        "calls" => {
            let call = |id: &&str| json!({"type": "toolCall", "id": id, "name": format!("tool-{id}"), "arguments": {}});
            answer(arguments.iter().map(call).collect())
        }
        "result" => spoken(json!({
            "role": "toolResult", "toolCallId": first, "toolName": "t", "content": blocks, "isError": false,
        })),
        "system" => spoken(json!({"role": "system", "content": text})),
        "bash" => spoken(json!({
            "role": "bashExecution", "command": text, "output": "", "exitCode": 0, "cancelled": false, "truncated": false,
        })),
        "note" => {
            json!({"type": "custom_message", "customType": "n", "content": text, "display": true})
        }
        "label" => json!({"type": "label", "targetId": first, "label": second_argument}),
        "name" => json!({"type": "session_info", "name": first}),
        "model" => json!({"type": "model_change", "provider": "p", "modelId": first}),
        "level" => json!({"type": "thinking_level_change", "thinkingLevel": first}),
        "compaction" => json!({
            "type": "compaction", "summary": text, "firstKeptEntryId": first, "tokensBefore": 9,
        }),
        "summary" => json!({"type": "branch_summary", "fromId": "root", "summary": text}),
        "edit" => {
            let replacement = second_argument.map_or(Value::Null, |text| json!({"content": text}));
            json!({"type": "context_edit", "targetId": first, "replacement": replacement})
        }
        "usage" => {
            json!({"type": "usage", "kind": "k", "provider": "p", "model": "m", "usage": usage})
        }
        other => panic!("no kind {other}"),
    }
}
