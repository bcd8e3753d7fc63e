//! Families of sessions, made up: people talk, branch, fork, clone and copy files about, as pi and others do it.

use std::collections::HashMap;

use pi_brain_session::Usage;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), ..config }
}

/// All files of some people, and what they really spent.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) files: Vec<File>,
    pub(crate) spent: Usage,
    clock: u32,
    names: u32,
}

/// A session file that is not text yet.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) header: Value,
    pub(crate) entries: Vec<Value>,
    /// Whether old pi tore it apart, so that pi itself does not read all of it.
    pub(crate) torn: bool,
    leaf: Option<String>,
}

impl File {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let lines = [&self.header].into_iter().chain(&self.entries);
        text_of(lines).into_bytes()
    }

    /// Returns the entries that lead to one, by position.
    fn path(&self, to: Option<&str>) -> Vec<usize> {
        let by_id: HashMap<&str, usize> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| Some((entry["id"].as_str()?, at)))
            .collect();
        let at = |id: Option<&str>| by_id.get(id?).copied();
        let above = |&here: &usize| at(self.entries[here]["parentId"].as_str());
        let mut path: Vec<usize> = std::iter::successors(at(to), above).collect();
        path.reverse();
        path
    }

    /// Returns the path to the leaf, as old and new pi copy it: without labels.
    fn copied_path(&self) -> Vec<Value> {
        let path = self.path(self.leaf.as_deref()).into_iter();
        path.map(|at| self.entries[at].clone()).filter(|entry| entry["type"] != "label").collect()
    }
}

/// Writes values down, one on each line.
pub(crate) fn text_of<'a>(lines: impl Iterator<Item = &'a Value>) -> String {
    lines.flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

/// Something that somebody does.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Adds an entry at the leaf.
    Say { file: Index, kind: &'static str, text: &'static str, form: u8, target: Index },
    /// Moves the leaf, also before the first entry.
    Go { file: Index, to: Index },
    /// Forks the path to the leaf, as old or new pi does it.
    Fork { file: Index, old: bool },
    /// Copies all branches into another project.
    ForkAll { file: Index },
    /// Copies the file.
    Backup { file: Index },
    /// Forks the path with other ids, as other programs do it.
    Retell { file: Index },
    /// Writes the path to the leaf down as a version 1 file.
    Age { file: Index },
    /// Starts a session that has nothing to do with the others.
    Begin,
}

const KINDS: &[&str] = &[
    "user",
    "user",
    "user",
    "assistant",
    "assistant",
    "assistant",
    "calls",
    "toolResult",
    "toolResult",
    "nothing",
    "system",
    "bashExecution",
    "custom",
    "host",
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom_entry",
    "custom_message",
    "label",
    "label",
    "session_info",
    "usage",
    "context_edit",
    "unheard_of",
];

pub(crate) fn any_act() -> impl Strategy<Value = Act> {
    let file = any::<Index>;
    // Few words, so that people often say the same.
    let text = select(&["continue", "yes", "no ", "\u{2028}é🧠 \"x\"", ""][..]);
    let say = (file(), select(KINDS), text, any::<u8>(), any::<Index>());
    prop_oneof![
        12 => say.prop_map(|(file, kind, text, form, target)| Act::Say { file, kind, text, form, target }),
        2 => (file(), any::<Index>()).prop_map(|(file, to)| Act::Go { file, to }),
        2 => (file(), any::<bool>()).prop_map(|(file, old)| Act::Fork { file, old }),
        1 => file().prop_map(|file| Act::ForkAll { file }),
        1 => file().prop_map(|file| Act::Backup { file }),
        1 => file().prop_map(|file| Act::Retell { file }),
        1 => file().prop_map(|file| Act::Age { file }),
    ]
}

/// One conversation in many files.
pub(crate) fn any_family(most: usize) -> impl Strategy<Value = World> {
    prop::collection::vec(any_act(), 1..most).prop_map(|acts| World::default().play(&acts))
}

/// Some families beside each other.
pub(crate) fn any_world(most: usize) -> impl Strategy<Value = World> {
    let acts = prop_oneof![12 => any_act(), 1 => Just(Act::Begin)];
    prop::collection::vec(acts, 1..most).prop_map(|acts| World::default().play(&acts))
}

impl World {
    pub(crate) fn play(mut self, acts: &[Act]) -> Self {
        if self.files.is_empty() {
            self.begin();
        }
        for act in acts {
            self.act(act);
        }
        self
    }

    /// Returns all files as they lie on disk.
    pub(crate) fn texts(&self) -> Vec<(String, Vec<u8>)> {
        self.files.iter().map(|file| (file.name.clone(), file.bytes())).collect()
    }

    pub(crate) fn act(&mut self, act: &Act) {
        // Nobody goes on with a version 1 file: today's pi would migrate it first.
        let today: Vec<usize> = (0..self.files.len())
            .filter(|&at| self.files[at].header.get("version").is_some())
            .collect();
        let pick = |file: &Index| today[file.index(today.len())];
        match act {
            Act::Say { file, kind, text, form, target } => {
                self.say(pick(file), kind, text, *form, *target);
            }
            Act::Go { file, to } => {
                let file = &mut self.files[pick(file)];
                let to = to.index(file.entries.len() + 1).checked_sub(1);
                file.leaf = to.and_then(|at| file.entries[at]["id"].as_str().map(str::to_owned));
            }
            // What follows a tear has lost its beginning for everybody who reads the file as it is.
            Act::Fork { file, old: false } | Act::Retell { file } | Act::Age { file }
                if self.files[pick(file)].torn => {}
            // A compaction that has lost the border of what it keeps says something else.
            Act::Fork { file, .. }
                if self.files[pick(file)].torn
                    && (self.files[pick(file)].copied_path().iter())
                        .any(|entry| entry["type"] == "compaction") => {}
            Act::Fork { file, old } => self.fork(pick(file), *old),
            Act::ForkAll { file } => {
                let original = self.files[pick(file)].clone();
                let mut fork = self.new_file(Some(&original.name));
                fork.header["cwd"] = json!("/home/dev/elsewhere");
                fork.torn = original.torn;
                fork.leaf = last_id(&original.entries);
                fork.entries = original.entries;
                self.files.push(fork);
            }
            Act::Backup { file } => {
                let mut copy = self.files[file.index(self.files.len())].clone();
                copy.name = format!("/backup/{}.jsonl", self.new_name());
                self.files.push(copy);
            }
            Act::Retell { file } => {
                let original = self.files[pick(file)].clone();
                self.retell(&original);
            }
            Act::Age { file } => {
                let original = self.files[pick(file)].clone();
                self.age(&original);
            }
            Act::Begin => self.begin(),
        }
    }

    fn begin(&mut self) {
        let file = self.new_file(None);
        self.files.push(file);
    }

    fn tick(&mut self) -> u32 {
        self.clock += 1;
        self.clock
    }

    fn new_name(&mut self) -> String {
        self.names += 1;
        format!("{:08x}", self.names)
    }

    fn new_file(&mut self, parent: Option<&str>) -> File {
        let second = self.tick();
        let id = format!("session-{}", self.new_name());
        let mut header = json!({
            "type": "session", "version": 3, "id": id, "timestamp": time(second), "cwd": "/home/dev",
        });
        if let Some(parent) = parent {
            header["parentSession"] = parent.into();
        }
        let name = format!("/sessions/2026_{id}.jsonl");
        File { name, header, entries: Vec::new(), torn: false, leaf: None }
    }

    fn fork(&mut self, file: usize, old: bool) {
        let original = self.files[file].clone();
        let mut fork = self.new_file(Some(&original.name));
        fork.entries = original.copied_path();
        fork.torn = original.torn;
        if old {
            let known: Vec<Value> = fork.entries.iter().map(|entry| entry["id"].clone()).collect();
            let orphaned =
                |entry: &Value| !entry["parentId"].is_null() && !known.contains(&entry["parentId"]);
            fork.torn |= fork.entries.iter().any(orphaned);
        } else {
            let ids = fork.entries.iter().map(|entry| entry["id"].clone());
            let parents: Vec<Value> = [Value::Null].into_iter().chain(ids).collect();
            for (entry, parent) in fork.entries.iter_mut().zip(parents) {
                entry["parentId"] = parent;
            }
        }
        fork.leaf = last_id(&fork.entries);
        for mut label in labels_in_force(&original) {
            if fork.entries.iter().any(|entry| entry["id"] == label["targetId"]) {
                label["id"] = self.new_name().into();
                label["parentId"] = fork.leaf.clone().into();
                fork.leaf = label["id"].as_str().map(str::to_owned);
                fork.entries.push(label);
            }
        }
        self.files.push(fork);
    }

    /// Copies a path with new ids; everything that names an entry names the copy.
    fn retell(&mut self, original: &File) {
        let mut fork = self.new_file(Some(&original.name));
        fork.entries = original.copied_path();
        let mut names: HashMap<String, String> = HashMap::new();
        for entry in &fork.entries {
            let id = entry["id"].as_str().unwrap().to_owned();
            names.insert(id, format!("other-{}", self.new_name()));
        }
        let mut before = Value::Null;
        for entry in &mut fork.entries {
            for key in ["id", "firstKeptEntryId", "targetId", "fromId"] {
                let new = entry[key].as_str().and_then(|id| names.get(id));
                if let Some(new) = new {
                    entry[key] = new.clone().into();
                } else {
                    take_out(entry, key, Value::is_null);
                }
            }
            entry["parentId"] = before;
            before = entry["id"].clone();
        }
        fork.leaf = last_id(&fork.entries);
        self.files.push(fork);
    }

    /// Writes a path as pi of 2025 did: no ids, the first kept entry by number.
    fn age(&mut self, original: &File) {
        let mut entries = original.copied_path();
        entries.retain(|entry| entry["type"] != "context_edit");
        let numbers: HashMap<Value, usize> =
            entries.iter().zip(1..).map(|(entry, number)| (entry["id"].clone(), number)).collect();
        for entry in &mut entries {
            if let Some(&number) = numbers.get(&entry["firstKeptEntryId"]) {
                entry["firstKeptEntryIndex"] = number.into();
            }
            if entry["message"]["role"] == "custom" {
                entry["message"]["role"] = "hookMessage".into();
            }
            for key in ["id", "parentId", "firstKeptEntryId"] {
                take_out(entry, key, |_| true);
            }
            take_out(entry, "message", Value::is_null);
        }
        let mut header = original.header.clone();
        take_out(&mut header, "version", |_| true);
        let name = format!("/old/{}.jsonl", self.new_name());
        self.files.push(File { name, header, entries, torn: false, leaf: None });
    }

    fn say(&mut self, file: usize, kind: &str, text: &str, form: u8, target: Index) {
        let second = self.tick();
        let name = self.new_name();
        let file = &mut self.files[file];
        let path = file.path(file.leaf.as_deref());
        // What some copies leave out is named by nobody.
        let stays = |entry: &&Value| entry["type"] != "label" && entry["type"] != "context_edit";
        let nameable = path.iter().map(|&at| &file.entries[at]).filter(stays);
        let nameable: Vec<&Value> = nameable.map(|entry| &entry["id"]).collect();
        let target = match nameable.get(target.index(nameable.len() + 1)) {
            Some(id) => id.as_str().unwrap().to_owned(),
            None => "nobody".to_owned(),
        };
        let usage = json!({
            "input": second, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": second + 2,
            "cost": {"total": f64::from(second) / 4.0},
        });
        let costs = form & 1 > 0 || kind == "usage";
        let mut entry = Map::new();
        entry.insert("id".into(), name.clone().into());
        entry.insert("parentId".into(), file.leaf.clone().into());
        entry.insert("timestamp".into(), time(second).into());
        let Value::Object(own) = body(kind, text, form, &target, &name, millis(second)) else {
            unreachable!("a body is an object")
        };
        entry.extend(own);
        if costs && can_cost(kind) {
            let place = match entry.get_mut("message") {
                Some(Value::Object(message)) => message,
                _ => &mut entry,
            };
            place.insert("usage".into(), usage);
            self.spent += Usage {
                input: second.into(),
                output: 2,
                total_tokens: u64::from(second) + 2,
                cost: f64::from(second) / 4.0,
                ..Usage::default()
            };
        }
        file.leaf = Some(name);
        file.entries.push(Value::Object(entry));
    }
}

fn can_cost(kind: &str) -> bool {
    let kinds =
        ["assistant", "calls", "nothing", "toolResult", "compaction", "branch_summary", "usage"];
    kinds.contains(&kind)
}

fn take_out(value: &mut Value, key: &str, unwanted: impl Fn(&Value) -> bool) {
    if let Value::Object(members) = value
        && members.get(key).is_some_and(unwanted)
    {
        members.remove(key);
    }
}

fn last_id(entries: &[Value]) -> Option<String> {
    entries.last().and_then(|entry| entry["id"].as_str().map(str::to_owned))
}

fn labels_in_force(file: &File) -> Vec<Value> {
    let mut labels: Vec<Value> = Vec::new();
    for label in file.entries.iter().filter(|entry| entry["type"] == "label") {
        labels.retain(|known| known["targetId"] != label["targetId"]);
        if label["label"].as_str().is_some_and(|text| !text.is_empty()) {
            labels.push(label.clone());
        }
    }
    labels
}

fn millis(second: u32) -> i64 {
    1_767_225_600_000 + i64::from(second) * 1000
}

/// Returns the time of a second as pi writes it.
pub(crate) fn time(second: u32) -> String {
    pi_brain_session::Millis(millis(second)).to_string()
}

/// Returns what an entry of a kind has for itself.
fn body(kind: &str, text: &str, form: u8, target: &str, name: &str, now: i64) -> Value {
    let texts = json!([{"type": "text", "text": text}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]);
    let content = match form % 4 {
        0 | 1 => json!(text),
        2 => texts.clone(),
        _ => json!([]),
    };
    let spoken = |role: &str, own: Value| {
        let mut message = json!({"role": role, "timestamp": now - 5});
        if let (Value::Object(message), Value::Object(own)) = (&mut message, own) {
            message.extend(own);
        }
        json!({"type": "message", "message": message})
    };
    let answer = |content: Value| {
        let mut own = json!({"content": content, "api": "a", "provider": "p", "model": "m", "stopReason": "stop"});
        if form & 2 > 0 {
            own["responseId"] = format!("response-{name}").into();
        }
        spoken("assistant", own)
    };
    match kind {
        "user" => spoken("user", json!({"content": content})),
        "assistant" => answer(texts),
        "calls" => answer(json!([
            {"type": "thinking", "thinking": text, "thinkingSignature": name},
            {"type": "toolCall", "id": format!("call-{}", form % 3), "name": "read", "arguments": {"path": text}},
        ])),
        "nothing" => answer(json!([])),
        "toolResult" => spoken(
            "toolResult",
            json!({
                "content": if form & 4 > 0 { texts } else { json!([]) }, "toolCallId": format!("call-{}", form % 3),
                "toolName": "read", "isError": form & 8 > 0, "details": {"name": name},
            }),
        ),
        "system" => spoken("system", json!({"content": text})),
        "bashExecution" => spoken(
            "bashExecution",
            json!({
                "command": text, "output": text, "exitCode": form % 2, "cancelled": false, "truncated": false,
            }),
        ),
        "custom" => {
            spoken("custom", json!({"customType": "c", "content": content, "display": true}))
        }
        "host" => spoken("host", json!({"content": content})),
        "model_change" => json!({"type": kind, "provider": "p", "modelId": text}),
        "thinking_level_change" => {
            json!({"type": kind, "thinkingLevel": if form & 1 > 0 { "low" } else { "high" }})
        }
        "compaction" => json!({
            "type": kind, "summary": text, "firstKeptEntryId": target, "tokensBefore": form,
        }),
        "branch_summary" => json!({"type": kind, "fromId": target, "summary": text}),
        "custom_entry" => json!({"type": "custom", "customType": "c", "data": form}),
        "custom_message" => {
            json!({"type": kind, "customType": "c", "content": content, "display": form & 4 > 0})
        }
        "label" => {
            json!({"type": kind, "targetId": target, "label": if form & 4 > 0 { text } else { "mark" }})
        }
        "session_info" => json!({"type": kind, "name": text}),
        "usage" => json!({"type": kind, "kind": "cache_warm", "provider": "p", "model": "m"}),
        "context_edit" => {
            let replacement = if form & 4 > 0 { json!({"content": text}) } else { Value::Null };
            json!({"type": kind, "targetId": target, "replacement": replacement})
        }
        other => json!({"type": other, "content": content}),
    }
}
