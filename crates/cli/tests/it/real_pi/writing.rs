//! One script of operations, performed by pi's `SessionManager` and by ours: the files are equal but for
//! ids and times.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pi_brain_real_pi::Pi;
use pi_brain_session::{
    EntryId, Millis, Mint, NewBranchSummary, NewCompaction, SessionError, SessionFolder,
    SessionWriter,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A clock that ticks once for each question, and dice that were thrown before.
struct TestMint {
    time: i64,
    state: u128,
}

impl Mint for TestMint {
    fn now(&mut self) -> Millis {
        self.time += 1;
        Millis(self.time)
    }

    fn random(&mut self) -> u128 {
        const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        self.state = self
            .state
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f);
        self.state ^ (self.state >> 57)
    }
}

fn mint(seed: u128) -> TestMint {
    TestMint { time: 1_790_000_000_000, state: seed }
}

/// Performs the operations of a script with our own writer; returns the files that exist at the end.
struct Performer {
    agent: PathBuf,
    writer: Option<SessionWriter<TestMint>>,
    names: BTreeMap<String, EntryId>,
    files: Vec<PathBuf>,
    errors: Vec<usize>,
    seed: u128,
}

impl Performer {
    fn perform(agent: &Path, script: &[Value]) -> Self {
        let agent = agent.to_owned();
        let mut performer = Self {
            agent,
            writer: None,
            names: BTreeMap::new(),
            files: Vec::new(),
            errors: Vec::new(),
            seed: 1,
        };
        for (index, operation) in script.iter().enumerate() {
            match performer.step(operation) {
                Ok(Some(id)) => {
                    if let Some(name) = operation["as"].as_str() {
                        performer.names.insert(name.to_owned(), id);
                    }
                }
                Ok(None) => {}
                Err(_) => performer.errors.push(index),
            }
            let path =
                performer.writer.as_ref().and_then(|writer| writer.path()).map(Path::to_owned);
            performer.files.extend(path.filter(|path| !performer.files.contains(path)));
        }
        performer.files.retain(|path| path.exists());
        performer
    }

    fn mint(&mut self) -> TestMint {
        self.seed += 1;
        mint(self.seed)
    }

    fn folder(&self, cwd: &str) -> PathBuf {
        SessionFolder::ByProject(self.agent.join("sessions")).for_cwd(cwd)
    }

    fn id(&self, value: &Value) -> Option<EntryId> {
        let name = value.as_str()?;
        match name.strip_prefix('@') {
            Some(name) => self.names.get(name).cloned(),
            None => EntryId::new(name),
        }
    }

    fn step(&mut self, operation: &Value) -> Result<Option<EntryId>, SessionError> {
        let text = |key: &str| operation[key].as_str().unwrap_or_default();
        let raw = |key: &str| raw(&operation[key]);
        let fresh = self.mint();
        let target = self.id(&operation["target"]).or_else(|| self.id(&operation["to"]));
        let unknown = EntryId::new("unknown").unwrap();
        for key in ["target", "to", "firstKept", "leaf"] {
            let named = operation[key].as_str().and_then(|name| name.strip_prefix('@'));
            if named.is_some_and(|name| !self.names.contains_key(name)) {
                return Err(SessionError::EntryNotFound(unknown));
            }
        }
        let existing = target.clone().unwrap_or_else(|| unknown.clone());
        match text("op") {
            "create" => {
                let folder = self.folder(text("cwd"));
                self.writer = Some(SessionWriter::create(text("cwd"), &folder, fresh));
                return Ok(None);
            }
            "forkFrom" => {
                let source = self.writer.as_ref().unwrap().path().unwrap().to_owned();
                let folder = self.folder(text("cwd"));
                self.writer = Some(SessionWriter::fork_from(&source, text("cwd"), &folder, fresh)?);
                return Ok(None);
            }
            "reopen" => {
                let path = self.writer.as_ref().unwrap().path().unwrap().to_owned();
                self.writer = Some(SessionWriter::open(&path, "/", fresh)?);
                return Ok(None);
            }
            _ => {}
        }
        let first_kept = self.id(&operation["firstKept"]);
        let leaf = self.id(&operation["leaf"]);
        let writer = self.writer.as_mut().unwrap();
        let from_hook = operation["fromHook"].as_bool();
        let done = match text("op") {
            "appendMessage" => writer.append_message(&raw("message").unwrap())?,
            "appendModelChange" => writer.append_model_change(text("provider"), text("modelId"))?,
            "appendThinkingLevelChange" => writer.append_thinking_level_change(text("level"))?,
            "appendCompaction" => writer.append_compaction(NewCompaction {
                summary: text("summary"),
                first_kept: first_kept.as_ref(),
                tokens_before: operation["tokensBefore"].as_u64().unwrap(),
                details: raw("details").as_deref(),
                usage: raw("usage").as_deref(),
                from_hook,
            })?,
            "appendCustomEntry" => {
                writer.append_custom_entry(text("customType"), raw("data").as_deref())?
            }
            "appendCustomMessageEntry" => writer.append_custom_message_entry(
                text("customType"),
                &raw("content").unwrap(),
                operation["display"].as_bool().unwrap(),
                raw("details").as_deref(),
            )?,
            "appendLabelChange" => {
                writer.append_label_change(&existing, operation["label"].as_str())?
            }
            "appendSessionInfo" => writer.append_session_info(text("name"))?,
            "appendUsage" => writer.append_usage(
                text("kind"),
                text("provider"),
                text("model"),
                &raw("usage").unwrap(),
                operation["note"].as_str(),
            )?,
            "appendContextEdit" => {
                let content = operation["replacement"]
                    .get("content")
                    .map(|value| to_raw_value(value).unwrap());
                writer.append_context_edit(&existing, content.as_deref())?
            }
            "branchWithSummary" => writer.branch_with_summary(
                target.as_ref(),
                NewBranchSummary {
                    summary: text("summary"),
                    details: raw("details").as_deref(),
                    usage: raw("usage").as_deref(),
                    from_hook,
                },
            )?,
            "branch" => return writer.branch(&existing).map(|()| None),
            "resetLeaf" => {
                writer.reset_leaf();
                return Ok(None);
            }
            "newSession" => {
                return writer.new_session(None, operation["parent"] == true).map(|()| None);
            }
            "createBranchedSession" => {
                return writer.create_branched_session(&leaf.unwrap_or(unknown)).map(|()| None);
            }
            other => panic!("no operation {other}"),
        };
        Ok(Some(done))
    }
}

fn raw(value: &Value) -> Option<Box<RawValue>> {
    (!value.is_null()).then(|| to_raw_value(value).unwrap())
}

/// Puts numbers in the place of ids and session ids, and nothing in the place of times and folders.
fn normalized(file: &Path, files: &[PathBuf], ids: &BTreeMap<String, EntryId>) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (number, path) in files.iter().enumerate() {
        names.insert(path.to_str().unwrap().to_owned(), format!("file {number}"));
    }
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (number, line) in lines.iter_mut().enumerate() {
        names.insert(line["id"].as_str().unwrap().to_owned(), format!("entry {number}"));
    }
    // An entry may speak of one that stayed behind in another file.
    names.extend(ids.iter().map(|(name, id)| (id.to_string(), format!("@{name}"))));
    for line in &mut lines {
        normalize(line, &names);
    }
    lines
}

fn normalize(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                name.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| normalize(item, names)),
        Value::Object(members) => {
            for (key, member) in members {
                if key == "timestamp" {
                    // When, nobody can foresee; but a time there must be, in the same form.
                    *member = if member.is_string() {
                        "some time".into()
                    } else {
                        json!("some milliseconds")
                    };
                }
                normalize(member, names);
                if key == "parentSession" && !member.as_str().unwrap().starts_with("file ") {
                    *member = "a file that was never written".into();
                }
            }
        }
        _ => {}
    }
}

fn script_of_everything() -> Vec<Value> {
    let user = |text: &str, name: &str| json!({"op": "appendMessage", "as": name, "message": {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}});
    let answer = |text: &str, name: &str| {
        json!({"op": "appendMessage", "as": name, "message": {"role": "assistant", "content": [{"type": "text", "text": text}],
            "api": "x", "provider": "p", "model": "m", "usage": {"input": 1, "output": 2, "totalTokens": 3}, "stopReason": "stop", "timestamp": 2}})
    };
    vec![
        json!({"op": "create", "cwd": "/home/dev/shop"}),
        json!({"op": "appendModelChange", "provider": "anthropic", "modelId": "big", "as": "model"}),
        json!({"op": "appendThinkingLevelChange", "level": "high"}),
        json!({"op": "appendMessage", "message": {"role": "system", "content": "", "sections": {"a": "Be good.", "b": "cwd"},
            "toolsAdded": [{"name": "read", "description": "d", "parameters": {}}], "timestamp": 5}}),
        user("line one\nline two \u{2028} 🧠 \"quoted\" \\ \u{7f} \u{1}", "q1"),
        answer("first answer", "a1"),
        json!({"op": "appendLabelChange", "target": "@q1", "label": "start"}),
        user("second", "q2"),
        json!({"op": "appendMessage", "message": {"role": "system", "content": "more", "sections": {"a": null, "c": "new"},
            "toolsAdded": [{"name": "bash"}], "toolsRemoved": [{"name": "read"}], "timestamp": 6}}),
        answer("second answer", "a2"),
        json!({"op": "appendCompaction", "summary": "so far", "firstKept": "@q2", "tokensBefore": 1234,
            "details": {"readFiles": ["a"], "modifiedFiles": []}, "fromHook": false, "as": "c1"}),
        json!({"op": "appendCustomEntry", "customType": "state", "data": {"z": 1, "a": [true, null]}}),
        json!({"op": "appendCustomEntry", "customType": "bare"}),
        json!({"op": "appendCustomMessageEntry", "customType": "note", "content": "injected", "display": true, "details": {"k": "v"}}),
        json!({"op": "appendCustomMessageEntry", "customType": "note", "content": [{"type": "text", "text": "b"}], "display": false, "as": "note"}),
        json!({"op": "appendSessionInfo", "name": "  a\r\nname \n"}),
        json!({"op": "appendLabelChange", "target": "@a1", "label": "wrong"}),
        json!({"op": "appendLabelChange", "target": "@a1", "label": "right"}),
        json!({"op": "appendLabelChange", "target": "@model", "label": "gone"}),
        json!({"op": "appendLabelChange", "target": "@model"}),
        json!({"op": "appendLabelChange", "target": "@nobody", "label": "fails"}),
        json!({"op": "branch", "to": "@nobody"}),
        json!({"op": "branch", "to": "@a1"}),
        user("another way", "q3"),
        answer("another answer", "a3"),
        json!({"op": "branchWithSummary", "to": "@a1", "summary": "left it", "details": {"readFiles": [], "modifiedFiles": ["x"]}, "fromHook": true, "as": "s1"}),
        user("third way", "q4"),
        answer("third answer", "a4"),
        json!({"op": "appendCompaction", "summary": "nothing kept", "tokensBefore": 5, "usage": {"input": 9}, "as": "c2"}),
        json!({"op": "resetLeaf"}),
        user("from the root", "q5"),
        json!({"op": "branchWithSummary", "to": null, "summary": "all left", "as": "s2"}),
        user("root again", "q6"),
        answer("root answer", "a6"),
        json!({"op": "reopen"}),
        user("after reopening", "q7"),
        json!({"op": "createBranchedSession", "leaf": "@nobody"}),
        json!({"op": "createBranchedSession", "leaf": "@c1"}),
        user("in the branched session", "q8"),
        answer("its answer", "a8"),
        json!({"op": "forkFrom", "cwd": "/home/dev/other project: x"}),
        user("in the fork", "q9"),
        answer("fork answer", "a9"),
        json!({"op": "newSession", "parent": true}),
        json!({"op": "appendModelChange", "provider": "p", "modelId": "m"}),
        user("in the new one", "q10"),
        answer("new answer", "a10"),
        json!({"op": "newSession"}),
        json!({"op": "appendThinkingLevelChange", "level": "off"}),
    ]
}

/// Operations that only the newest pi has.
fn script_of_novelties() -> Vec<Value> {
    let mut script = script_of_everything();
    let more = [
        json!({"op": "create", "cwd": "/"}),
        json!({"op": "appendMessage", "as": "q", "message": {"role": "user", "content": "plain", "timestamp": 1}}),
        json!({"op": "appendMessage", "as": "a", "message": {"role": "assistant", "content": [], "timestamp": 2}}),
        json!({"op": "appendMessage", "as": "b", "message": {"role": "bashExecution", "command": "ls", "output": "", "cancelled": false, "truncated": false, "timestamp": 3}}),
        json!({"op": "appendUsage", "kind": "cache_warm", "provider": "p", "model": "m", "usage": {"input": 1}, "note": "n"}),
        json!({"op": "appendUsage", "kind": "cache_warm", "provider": "p", "model": "m", "usage": {"input": 1}, "note": ""}),
        json!({"op": "appendContextEdit", "target": "@q", "replacement": {"content": "short"}}),
        json!({"op": "appendContextEdit", "target": "@a", "replacement": {"content": "text"}}),
        json!({"op": "appendContextEdit", "target": "@a", "replacement": null}),
        json!({"op": "appendContextEdit", "target": "@b", "replacement": null}),
        json!({"op": "appendContextEdit", "target": "@nobody", "replacement": null}),
        json!({"op": "resetLeaf"}),
        json!({"op": "appendContextEdit", "target": "@q", "replacement": null}),
    ];
    script.extend(more);
    script
}

/// Scripts that nobody wrote: any operation on any entry.
fn random_script(seed: u128, length: usize) -> Vec<Value> {
    let mut dice = mint(seed);
    let mut roll = move |sides: usize| usize::try_from(dice.random() % sides as u128).unwrap();
    let mut script = vec![json!({"op": "create", "cwd": "/home/dev/random"})];
    for number in 0..length {
        let name = format!("e{number}");
        let any = format!("@e{}", roll(number + 1));
        let text = format!("text {number}");
        script.push(match roll(12) {
            0..3 => json!({"op": "appendMessage", "as": name, "message": {"role": "user", "content": text, "timestamp": 1}}),
            3..5 => json!({"op": "appendMessage", "as": name, "message": {"role": "assistant", "content": [{"type": "text", "text": text}], "timestamp": 2}}),
            5 if roll(3) == 0 => json!({"op": "appendLabelChange", "as": name, "target": any}),
            5 => json!({"op": "appendLabelChange", "as": name, "target": any, "label": text}),
            6 => json!({"op": "branch", "to": any}),
            7 => json!({"op": "branchWithSummary", "as": name, "to": any, "summary": text}),
            8 => json!({"op": "appendCompaction", "as": name, "summary": text, "firstKept": any, "tokensBefore": number}),
            9 => json!({"op": "appendSessionInfo", "as": name, "name": text}),
            10 => json!({"op": "createBranchedSession", "leaf": any}),
            _ => json!({"op": "appendModelChange", "as": name, "provider": "p", "modelId": text}),
        });
    }
    script
}

fn check(pi: Pi, script: &[Value]) {
    let theirs = TempDir::new().unwrap();
    let ours = TempDir::new().unwrap();
    let arguments = ["--pi", &pi.folder_argument(), "--dir", theirs.path().to_str().unwrap()];
    let answer = pi.run("run-ops.mjs", &arguments, &serde_json::to_string(script).unwrap());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let their_files: Vec<PathBuf> = answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap().into())
        .collect();
    let performed = Performer::perform(ours.path(), script);
    let their_names: BTreeMap<String, EntryId> = answer["ids"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, id)| (name.clone(), EntryId::new(id.as_str().unwrap()).unwrap()))
        .collect();

    let errors: Vec<usize> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| usize::try_from(error["index"].as_u64().unwrap()).unwrap())
        .collect();
    assert_eq!(performed.errors, errors, "operations that fail: {:#}", answer["errors"]);
    assert_eq!(performed.files.len(), their_files.len());
    for (our, their) in performed.files.iter().zip(&their_files) {
        let folder = |path: &Path| path.parent().unwrap().file_name().unwrap().to_owned();
        assert_eq!(folder(our), folder(their));
        let our = normalized(our, &performed.files, &performed.names);
        let their = normalized(their, &their_files, &their_names);
        for (number, (our, their)) in our.iter().zip(&their).enumerate() {
            assert_eq!(our, their, "line {}", number + 1);
        }
        assert_eq!(our.len(), their.len());
    }
}

#[test]
fn writes_what_pi_writes() {
    check(Pi::new("1.5.0"), &script_of_novelties());
}

#[test]
fn writes_what_pi_writes_whatever_is_done() {
    let pi = Pi::new("1.5.0");
    for seed in 1..=6 {
        check(pi, &random_script(seed * 7919, 80));
    }
}

/// Keys stand in the same order too, so that files look alike to people and to simple tools.
#[test]
fn keys_stand_in_the_same_order() {
    let pi = Pi::new("1.5.0");
    let theirs = TempDir::new().unwrap();
    let ours = TempDir::new().unwrap();
    let script = script_of_novelties();
    let arguments = ["--pi", &pi.folder_argument(), "--dir", theirs.path().to_str().unwrap()];
    let answer: Value = serde_json::from_str(&pi.run(
        "run-ops.mjs",
        &arguments,
        &serde_json::to_string(&script).unwrap(),
    ))
    .unwrap();
    let performed = Performer::perform(ours.path(), &script);
    let keys = |path: &Path| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path).unwrap();
        let keys = |line: &str| {
            let raw = pi_brain_session::Raw::parse(line.as_bytes()).unwrap();
            raw.members().map(|member| member.key.into_owned()).collect()
        };
        text.lines().map(keys).collect()
    };
    for (our, their) in performed.files.iter().zip(answer["files"].as_array().unwrap()) {
        assert_eq!(keys(our), keys(Path::new(their.as_str().unwrap())));
    }
}
