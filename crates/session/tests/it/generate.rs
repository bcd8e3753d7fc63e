//! Random sessions.

use pi_brain_session::quote;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
///
/// What fails is shown and not kept: a table is the place for it.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), ..config }
}

/// A session that is not text yet.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) header: Value,
    pub(crate) entries: Vec<Value>,
}

impl Sketch {
    /// Writes the session as pi would.
    pub(crate) fn text(&self) -> String {
        self.spaced_text(&[])
    }

    /// Writes the session with odd white space and odd escapes, as `oddities` have it.
    pub(crate) fn spaced_text(&self, oddities: &[u8]) -> String {
        let mut oddities = oddities.iter().copied().cycle();
        let mut text = String::new();
        for value in [&self.header].into_iter().chain(&self.entries) {
            write_value(value, &mut text, &mut || oddities.next().unwrap_or_default());
            text.push('\n');
        }
        text
    }

    /// Makes the session look as old versions wrote it; version 3 is as it is.
    pub(crate) fn aged(mut self, version: u32) -> Self {
        if version == 3 {
            return self;
        }
        self.header["version"] = version.into();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if entry["message"]["role"] == "custom" && at % 2 == 0 {
                entry["message"]["role"] = json!("hookMessage");
            }
            if version == 1 {
                let kept = entry["firstKeptEntryId"].as_str();
                if let Some(kept) = kept.and_then(|id| id[1..].parse::<u64>().ok()) {
                    entry["firstKeptEntryIndex"] = (kept + 1).into();
                }
                remove(entry, &["id", "parentId", "firstKeptEntryId"]);
            }
        }
        if version == 1 {
            remove(&mut self.header, &["version"]);
        }
        self
    }
}

fn remove(value: &mut Value, keys: &[&str]) {
    if let Value::Object(members) = value {
        members.retain(|key, _| !keys.contains(&&**key));
    }
}

fn write_value(value: &Value, text: &mut String, odd: &mut impl FnMut() -> u8) {
    match value {
        Value::Object(members) => {
            let kind = members.get_key_value("type");
            let rest = members.iter().filter(|(key, _)| *key != "type");
            let members = kind.into_iter().chain(rest);
            write_list(members, ['{', '}'], text, odd, |(key, value), text, odd| {
                write_string(key, text, odd);
                write_blank(text, odd);
                text.push(':');
                write_value(value, text, odd);
            });
        }
        Value::Array(items) => write_list(items.iter(), ['[', ']'], text, odd, write_value),
        Value::String(string) => {
            write_blank(text, odd);
            write_string(string, text, odd);
        }
        scalar => *text += &scalar.to_string(),
    }
}

fn write_list<T, O: FnMut() -> u8>(
    items: impl Iterator<Item = T>,
    [open, close]: [char; 2],
    text: &mut String,
    odd: &mut O,
    mut write: impl FnMut(T, &mut String, &mut O),
) {
    write_blank(text, odd);
    text.push(open);
    for (place, item) in items.enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_blank(text, odd);
        write(item, text, odd);
        write_blank(text, odd);
    }
    text.push(close);
}

fn write_blank(text: &mut String, odd: &mut impl FnMut() -> u8) {
    *text += ["", "", "", " ", "\t", " \r"][usize::from(odd() % 6)];
}

fn write_string(string: &str, text: &mut String, odd: &mut impl FnMut() -> u8) {
    if odd() % 8 < 7 {
        *text += &quote(string);
        return;
    }
    text.push('"');
    text.extend(string.encode_utf16().map(|unit| format!("\\u{unit:04x}")));
    text.push('"');
}

/// Kinds of entries: those with a small letter first are types, the others roles of messages.
const KINDS: &[&str] = &[
    "User",
    "User",
    "User",
    "Assistant",
    "Assistant",
    "Assistant",
    "ToolResult",
    "ToolResult",
    "System",
    "BashExecution",
    "Custom",
    "Host",
    "model_change",
    "thinking_level_change",
    "compaction",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "label",
    "session_info",
    "usage",
    "context_edit",
    "context_edit",
    "unheard_of",
];

/// Everything about an entry that is left to chance.
#[derive(Clone, Debug)]
struct Seed {
    kind: &'static str,
    follows: Follows,
    target: Index,
    second: u8,
    text: String,
    form: u8,
    extra: Option<Value>,
}

#[derive(Clone, Copy, Debug)]
enum Follows {
    TheOneBefore,
    AnEarlierOne(Index),
    Nothing,
}

fn any_seed() -> impl Strategy<Value = Seed> {
    let follows = prop_oneof![
        8 => Just(Follows::TheOneBefore),
        2 => any::<Index>().prop_map(Follows::AnEarlierOne),
        1 => Just(Follows::Nothing),
    ];
    let extra = prop_oneof![4 => Just(None), 1 => any_json().prop_map(Some)];
    (select(KINDS), follows, any::<Index>(), any::<u8>(), any_text(), any::<u8>(), extra).prop_map(
        |(kind, follows, target, second, text, form, extra)| Seed {
            kind,
            follows,
            target,
            second,
            text,
            form,
            extra,
        },
    )
}

pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just(String::new()),
        4 => "[a-z]{1,8}( [a-z]{1,8}){0,3}",
        2 => "\\PC{0,12}",
        1 => Just("\u{2028}\"\\\n\r\t\0\u{feff}🧠{\"type\":\"".to_owned()),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A session of up to `most` entries of all kinds. Ids are sound; what other fields name may be missing.
pub(crate) fn any_session(most: usize) -> impl Strategy<Value = Sketch> {
    prop::collection::vec(any_seed(), 0..most).prop_map(|seeds| {
        let header = json!({
            "type": "session", "version": 3, "id": "s", "timestamp": time(0), "cwd": "/home/dev",
        });
        let entries = (0..seeds.len()).map(|at| entry(&seeds, at)).collect();
        Sketch { header, entries }
    })
}

/// Odd white space and escapes for [`Sketch::spaced_text`].
pub(crate) fn any_oddities() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..12)
}

pub(crate) fn id(at: usize) -> String {
    format!("e{at}")
}

pub(crate) fn time(second: u8) -> String {
    format!("2026-01-01T00:{:02}:{:02}.000Z", second / 60, second % 60)
}

fn entry(seeds: &[Seed], at: usize) -> Value {
    let seed = &seeds[at];
    let parent = match seed.follows {
        Follows::TheOneBefore => at.checked_sub(1),
        Follows::AnEarlierOne(index) => (at > 0).then(|| index.index(at)),
        Follows::Nothing => None,
    };
    // One more than there are: some targets are unknown.
    let target = id(seed.target.index(seeds.len() + 1));
    let mut entry = Map::new();
    entry.insert("id".into(), id(at).into());
    entry.insert("parentId".into(), parent.map(id).into());
    if seed.second % 16 != 15 {
        entry.insert("timestamp".into(), time(seed.second).into());
    }
    if let Some(extra) = &seed.extra {
        entry.insert("extra".into(), extra.clone());
    }
    let (kind, own) = body(seed, &target);
    entry.insert("type".into(), kind.into());
    if let Value::Object(own) = own {
        // A field that is there and null is not the same as one that is not there.
        entry.extend(
            own.into_iter().filter(|(key, value)| !(value.is_null() && key != "replacement")),
        );
    }
    Value::Object(entry)
}

fn body(seed: &Seed, target: &str) -> (&'static str, Value) {
    let text = &seed.text;
    let blocks = json!([{"type": "text", "text": text}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]);
    let content = match seed.form % 8 {
        0..4 => json!(text),
        4..7 => blocks.clone(),
        _ => Value::Null,
    };
    let maybe = |value: Value| if seed.form & 16 > 0 { value } else { Value::Null };
    let usage = json!({"input": seed.second, "output": 2, "cost": {"total": 0.25}});
    let own = match seed.kind {
        "model_change" => json!({"provider": "p", "modelId": text}),
        "thinking_level_change" => {
            json!({"thinkingLevel": if seed.form.is_multiple_of(2) { "low" } else { "high" }})
        }
        "compaction" => json!({
            "summary": text, "firstKeptEntryId": target, "tokensBefore": seed.second,
            "systemMessage": maybe(json!({"role": "system", "content": text, "timestamp": 7})),
            "usage": maybe(usage),
        }),
        "branch_summary" => json!({"fromId": target, "summary": text, "details": maybe(json!({}))}),
        "custom" => json!({"customType": "c", "data": maybe(content)}),
        "custom_message" => json!({
            "customType": "c", "content": content, "display": seed.form & 32 > 0, "details": maybe(json!([1])),
        }),
        "label" => json!({"targetId": target, "label": maybe(json!(text))}),
        "session_info" => json!({"name": text}),
        "usage" => json!({"kind": "cache_warm", "provider": "p", "model": "m", "usage": usage}),
        "context_edit" => {
            let replacement =
                if seed.form & 16 > 0 { json!({"content": content}) } else { Value::Null };
            json!({"targetId": target, "replacement": replacement})
        }
        "unheard_of" => json!({"content": content}),
        _ => return ("message", json!({"message": message(seed, &content, blocks, &usage)})),
    };
    (seed.kind, own)
}

fn message(seed: &Seed, content: &Value, blocks: Value, usage: &Value) -> Value {
    let text = &seed.text;
    let role = seed.kind[..1].to_lowercase() + &seed.kind[1..];
    let mut message = match seed.kind {
        "Assistant" => {
            let call = json!([
                {"type": "thinking", "thinking": text},
                {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": text}},
            ]);
            let content = if seed.form & 64 > 0 { call } else { blocks };
            let stop_reason = if seed.form.is_multiple_of(2) { "stop" } else { "error" };
            json!({
                "content": if seed.form == 7 { Value::Null } else { content },
                "provider": "p", "model": "m", "usage": usage, "stopReason": stop_reason,
            })
        }
        "ToolResult" => json!({
            "content": blocks, "toolCallId": "c", "toolName": "read", "isError": seed.form & 64 > 0,
        }),
        "BashExecution" => json!({
            "command": text, "output": text, "exitCode": seed.second, "cancelled": false, "truncated": false,
        }),
        "Custom" => json!({"customType": "c", "content": content, "display": true}),
        _ => json!({"content": content}),
    };
    message["role"] = role.into();
    message["timestamp"] = (1_767_225_600_000_u64 + u64::from(seed.second)).into();
    if seed.form == 15
        && let Value::Object(members) = &mut message
    {
        members.remove("content");
    }
    message
}
