//! Families of sessions, made up: people talk, branch, fork, clone and copy files about, as pi and others do it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_session::{Millis, session_file_name};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

/// When the first session begins.
pub(crate) const BEGINNING: i64 = 1_767_225_600_000;

/// A time at which everything that was made up is long over.
pub(crate) const LATER: Millis = Millis(BEGINNING + 400 * 24 * 3_600_000);

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), max_shrink_iters: 60, ..config }
}

/// The words that people use. They are few, so that many sessions have some in common.
pub(crate) const WORDS: &[&str] = &[
    "parser",
    "token",
    "readNodeErrorCode",
    "src/store/families.rs",
    "ENOENT",
    "borrow",
    "checker",
    "deploy",
    "kubernetes",
    "rollback",
    "migration",
    "sqlite",
    "timeout",
    "flaky",
    "retry",
    "panic",
    "index",
    "search",
    "colour",
    "terminal",
    "width",
    "café",
    "検索機能",
    "cache",
    "eviction",
    "latency",
    "TypeError",
    "undefined",
    "crates/app/src/lib.rs",
    "lifetimes",
    "please",
    "continue",
    "fix",
    "why",
    "explain",
    "refactor",
    "rename",
    "test",
    "coverage",
    "snapshot",
    "unicode",
    "emoji🧠",
    "journal",
    "fsync",
    "rename_all",
    "HTTP",
    "429",
];

const PROJECTS: &[&str] = &["/home/dev/engine", "/home/dev/website", "/srv/tools"];

/// All files of some people.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) files: Vec<File>,
    clock: i64,
    names: u32,
}

/// A session file that is not text yet.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Where it lies in the folder of all sessions.
    pub(crate) name: String,
    pub(crate) header: Value,
    pub(crate) entries: Vec<Value>,
    leaf: Option<String>,
}

impl File {
    pub(crate) fn text(&self) -> String {
        let lines = [&self.header].into_iter().chain(&self.entries);
        lines.flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
    }

    pub(crate) fn id(&self) -> &str {
        self.header["id"].as_str().unwrap()
    }

    fn version(&self) -> u64 {
        self.header["version"].as_u64().unwrap_or(1)
    }

    /// Returns the entries that lead to the leaf, as pi copies them: without labels.
    fn copied_path(&self) -> Vec<Value> {
        let by_id: HashMap<&str, usize> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(at, entry)| Some((entry["id"].as_str()?, at)))
            .collect();
        let at = |id: Option<&str>| by_id.get(id?).copied();
        let above = |&here: &usize| at(self.entries[here]["parentId"].as_str());
        let mut path: Vec<usize> = std::iter::successors(at(self.leaf.as_deref()), above).collect();
        path.reverse();
        let path = path.into_iter().map(|at| self.entries[at].clone());
        path.filter(|entry| entry["type"] != "label").collect()
    }
}

/// Something that somebody does.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Adds an entry at the leaf, so many seconds later.
    Say {
        file: Index,
        kind: &'static str,
        words: Vec<&'static str>,
        form: u8,
        target: Index,
        pause: i64,
    },
    /// Moves the leaf, also before the first entry.
    Go { file: Index, to: Index },
    /// Forks the path to the leaf.
    Fork { file: Index },
    /// Copies all branches into another project.
    ForkAll { file: Index },
    /// Copies the file; both may go on.
    Backup { file: Index },
    /// Writes the path to the leaf down as pi did once, as a session of its own.
    Age { file: Index, version: u32 },
    /// Starts a session that has nothing to do with the others.
    Begin { project: &'static str },
}

const KINDS: &[&str] = &[
    "user",
    "user",
    "user",
    "user",
    "assistant",
    "assistant",
    "assistant",
    "assistant",
    "calls",
    "calls",
    "toolResult",
    "toolResult",
    "nothing",
    "bashExecution",
    "model_change",
    "compaction",
    "branch_summary",
    "custom_entry",
    "custom_message",
    "label",
    "label",
    "session_info",
    "usage",
    "unheard_of",
];

pub(crate) fn any_act() -> impl Strategy<Value = Act> {
    let file = any::<Index>;
    let words = prop::collection::vec(select(WORDS), 0..6);
    let pause = select(&[1, 1, 2, 5, 30, 200, 500, 700, 5000, 90_000][..]);
    let say = (file(), select(KINDS), words, any::<u8>(), any::<Index>(), pause);
    prop_oneof![
        14 => say.prop_map(|(file, kind, words, form, target, pause)| {
            Act::Say { file, kind, words, form, target, pause }
        }),
        2 => (file(), any::<Index>()).prop_map(|(file, to)| Act::Go { file, to }),
        2 => file().prop_map(|file| Act::Fork { file }),
        1 => file().prop_map(|file| Act::ForkAll { file }),
        1 => file().prop_map(|file| Act::Backup { file }),
        1 => (file(), 1_u32..3).prop_map(|(file, version)| Act::Age { file, version }),
        1 => select(PROJECTS).prop_map(|project| Act::Begin { project }),
    ]
}

/// Some families beside each other.
pub(crate) fn any_world(most: usize) -> impl Strategy<Value = World> {
    prop::collection::vec(any_act(), 1..most).prop_map(|acts| World::new().play(&acts))
}

/// Always the same world, by its number.
pub(crate) fn world(number: u8, acts: usize) -> World {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let acts = prop::collection::vec(any_act(), acts).new_tree(&mut runner).unwrap().current();
    World::new().play(&acts)
}

impl World {
    pub(crate) fn new() -> Self {
        let mut world = Self { files: Vec::new(), clock: BEGINNING, names: 0 };
        world.begin(PROJECTS[0]);
        world
    }

    pub(crate) fn play(mut self, acts: &[Act]) -> Self {
        for act in acts {
            self.act(act);
        }
        self
    }

    /// Writes all files into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.iter().map(|file| put(folder, &file.name, file.text().as_bytes())).collect()
    }

    /// Returns the words that somebody said, in the order in which they were said.
    pub(crate) fn words(&self) -> Vec<String> {
        let text: String = self.files.iter().map(File::text).collect();
        WORDS.iter().filter(|word| text.contains(**word)).map(|&word| word.to_owned()).collect()
    }

    pub(crate) fn act(&mut self, act: &Act) {
        // Nobody goes on with an old file: today's pi would migrate it first.
        let today: Vec<usize> =
            (0..self.files.len()).filter(|&at| self.files[at].version() == 3).collect();
        let pick = |file: &Index| today[file.index(today.len())];
        match act {
            Act::Say { file, kind, words, form, target, pause } => {
                self.clock += pause * 1000;
                self.say(pick(file), kind, &words.join(" "), *form, *target);
            }
            Act::Go { file, to } => {
                let file = &mut self.files[pick(file)];
                let to = to.index(file.entries.len() + 1).checked_sub(1);
                file.leaf = to.and_then(|at| file.entries[at]["id"].as_str().map(str::to_owned));
            }
            Act::Fork { file } => {
                let original = self.files[pick(file)].clone();
                let project = original.header["cwd"].as_str().unwrap().to_owned();
                let mut fork = self.new_file(&project, Some(&original.name));
                fork.entries = original.copied_path();
                let ids = fork.entries.iter().map(|entry| entry["id"].clone());
                let parents: Vec<Value> = [Value::Null].into_iter().chain(ids).collect();
                for (entry, parent) in fork.entries.iter_mut().zip(parents) {
                    entry["parentId"] = parent;
                }
                fork.leaf = last_id(&fork.entries);
                self.files.push(fork);
            }
            Act::ForkAll { file } => {
                let original = self.files[pick(file)].clone();
                let mut fork = self.new_file(PROJECTS[1], Some(&original.name));
                fork.leaf = last_id(&original.entries);
                fork.entries = original.entries;
                self.files.push(fork);
            }
            Act::Backup { file } => {
                let mut copy = self.files[pick(file)].clone();
                let folder = format!("--backup-{}--", self.new_name());
                copy.name = format!("{folder}/{}", copy.name.rsplit('/').next().unwrap());
                self.files.push(copy);
            }
            Act::Age { file, version } => {
                let original = self.files[pick(file)].clone();
                self.age(&original, *version);
            }
            Act::Begin { project } => self.begin(project),
        }
    }

    fn begin(&mut self, project: &str) {
        let file = self.new_file(project, None);
        self.files.push(file);
    }

    fn new_name(&mut self) -> String {
        self.names += 1;
        format!("{:08x}", self.names.wrapping_mul(0x9e37_79b1))
    }

    fn new_file(&mut self, project: &str, parent: Option<&str>) -> File {
        self.clock += 1000;
        let id = format!("0199-{}", self.new_name());
        let created = Millis(self.clock);
        let mut header = json!({
            "type": "session", "version": 3, "id": id, "timestamp": created.to_string(), "cwd": project,
        });
        if let Some(parent) = parent {
            header["parentSession"] = format!("/home/dev/.pi/agent/sessions/{parent}").into();
        }
        let folder = pi_brain_session::encode_cwd(project);
        let name = format!("{folder}/{}", session_file_name(created, &id));
        File { name, header, entries: Vec::new(), leaf: None }
    }

    /// Writes a path as old pi did: version 1 has no ids and the first kept entry by number.
    ///
    /// What is said is not a copy: the times are others.
    fn age(&mut self, original: &File, version: u32) {
        let project = original.header["cwd"].as_str().unwrap().to_owned();
        let mut old = self.new_file(&project, None);
        old.entries = original.copied_path();
        let numbers: HashMap<Value, usize> = old
            .entries
            .iter()
            .zip(1..)
            .map(|(entry, number)| (entry["id"].clone(), number))
            .collect();
        let mut before = Value::Null;
        for entry in &mut old.entries {
            self.clock += 7000;
            entry["timestamp"] = Millis(self.clock).to_string().into();
            if let Some(message) = entry.get_mut("message") {
                message["timestamp"] = self.clock.into();
                if message["role"] == "custom" {
                    message["role"] = "hookMessage".into();
                }
                take_out(message, "responseId");
            }
            if version == 1 {
                if let Some(&number) = numbers.get(&entry["firstKeptEntryId"]) {
                    entry["firstKeptEntryIndex"] = number.into();
                }
                for key in ["id", "parentId", "firstKeptEntryId", "fromId"] {
                    take_out(entry, key);
                }
            } else {
                self.names += 1;
                entry["id"] = format!("old{:05x}", self.names).into();
                entry["parentId"] = before;
                before = entry["id"].clone();
            }
        }
        match version {
            1 => take_out(&mut old.header, "version"),
            _ => old.header["version"] = version.into(),
        }
        self.files.push(old);
    }

    fn say(&mut self, file: usize, kind: &str, text: &str, form: u8, target: Index) {
        let (name, clock) = (self.new_name(), self.clock);
        let file = &mut self.files[file];
        let path = file.copied_path();
        let target = match path.get(target.index(path.len() + 1)) {
            Some(entry) => entry["id"].as_str().unwrap().to_owned(),
            None => "nobody".to_owned(),
        };
        let mut entry = Map::new();
        entry.insert("id".into(), name.clone().into());
        entry.insert("parentId".into(), file.leaf.clone().into());
        entry.insert("timestamp".into(), Millis(clock).to_string().into());
        let Value::Object(own) = body(kind, text, form, &target, &name, clock) else {
            unreachable!("a body is an object")
        };
        entry.extend(own);
        let costing =
            ["assistant", "calls", "nothing", "toolResult", "compaction", "branch_summary"];
        if kind == "usage" || (form & 1 > 0 && costing.contains(&kind)) {
            let tokens = clock / 1000 % 977;
            let usage = json!({
                "input": tokens, "output": 2, "cacheRead": 3, "cacheWrite": 1, "totalTokens": tokens + 6,
                "cost": {"total": f64::from(u32::try_from(tokens).unwrap()) / 700.0},
            });
            let place = match entry.get_mut("message") {
                Some(Value::Object(message)) => message,
                _ => &mut entry,
            };
            place.insert("usage".into(), usage);
        }
        file.leaf = Some(name);
        file.entries.push(Value::Object(entry));
    }
}

/// Puts a file into a folder.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

/// Rewrites a version 1 file as pi does when it opens it: with ids that nobody could foresee.
pub(crate) fn migrated(file: &File, seed: u32) -> String {
    let mut lines =
        file.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let ids: Vec<String> = (0..lines.len())
        .map(|at| format!("{:08x}", (seed + 1) * 7919 + u32::try_from(at).unwrap()))
        .collect();
    lines[0]["version"] = 3.into();
    for at in 1..lines.len() {
        let entry = &mut lines[at];
        entry["id"] = ids[at].clone().into();
        entry["parentId"] = if at == 1 { Value::Null } else { ids[at - 1].clone().into() };
        if let Some(number) = entry["firstKeptEntryIndex"].as_u64() {
            entry["firstKeptEntryId"] = ids[usize::try_from(number).unwrap()].clone().into();
        }
        take_out(entry, "firstKeptEntryIndex");
        if entry["message"]["role"] == "hookMessage" {
            entry["message"]["role"] = "custom".into();
        }
        if entry["message"].is_null() {
            take_out(entry, "message");
        }
    }
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

fn take_out(value: &mut Value, key: &str) {
    if let Value::Object(members) = value {
        members.remove(key);
    }
}

fn last_id(entries: &[Value]) -> Option<String> {
    entries.last().and_then(|entry| entry["id"].as_str().map(str::to_owned))
}

/// Returns what an entry of a kind has for itself.
fn body(kind: &str, text: &str, form: u8, target: &str, name: &str, now: i64) -> Value {
    let texts = json!([{"type": "text", "text": text}]);
    let content = if form & 2 > 0 { texts.clone() } else { json!(text) };
    let spoken = |role: &str, own: Value| {
        let mut message = json!({"role": role, "timestamp": now});
        if let (Value::Object(message), Value::Object(own)) = (&mut message, own) {
            message.extend(own);
        }
        json!({"type": "message", "message": message})
    };
    let model = if form & 16 > 0 { "opus" } else { "haiku" };
    let answer = |content: Value| {
        let mut own = json!({"content": content, "api": "a", "provider": "p", "model": model, "stopReason": "stop"});
        if form & 2 > 0 {
            own["responseId"] = format!("response-{name}").into();
        }
        spoken("assistant", own)
    };
    let call = format!("call-{}", form % 3);
    match kind {
        "user" => spoken("user", json!({"content": content})),
        "assistant" => answer(texts),
        "calls" => answer(json!([
            {"type": "text", "text": text},
            {"type": "toolCall", "id": call, "name": if form & 4 > 0 { "read" } else { "edit" },
             "arguments": {"path": "/home/dev/engine/src/main.rs"}},
        ])),
        "nothing" => answer(json!([])),
        "toolResult" => spoken(
            "toolResult",
            json!({
                "content": texts, "toolCallId": call, "toolName": "read", "isError": form & 8 > 0,
                "details": {"name": name},
            }),
        ),
        "bashExecution" => spoken(
            "bashExecution",
            json!({
                "command": format!("cargo {text}"), "output": text, "exitCode": form % 2, "cancelled": false,
                "truncated": false,
            }),
        ),
        "model_change" => json!({"type": kind, "provider": "p", "modelId": model}),
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
        "usage" => json!({"type": kind, "kind": "cache_warm", "provider": "p", "model": model}),
        other => json!({"type": other, "content": content}),
    }
}
