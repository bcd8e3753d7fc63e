//! From a script to a session file as pi writes it.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::{SignedDuration, Timestamp};
use pi_brain_session::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::script::{Script, Step};

/// A session that was written, with the entries that its steps became.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// By step, counted from 1; a pause is none.
    pub(crate) entries: Vec<Option<String>>,
    lines: Vec<Value>,
}

impl Written {
    /// Returns the session file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let lines: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        (lines.join("\n") + "\n").into_bytes()
    }

    /// Returns what the steps spent: tokens in and out, and dollars.
    pub(crate) fn spent(&self, steps: RangeInclusive<usize>) -> (u64, f64) {
        let wanted: Vec<&String> =
            steps.filter_map(|step| self.entries.get(step - 1)?.as_ref()).collect();
        let is_wanted = |line: &&Value| wanted.iter().any(|id| line["id"] == json!(id));
        let usage = self.lines.iter().filter(is_wanted).map(|line| &line["message"]["usage"]);
        usage.fold((0, 0.0), |(tokens, cost), usage| {
            let number = |name: &str| usage[name].as_u64().unwrap_or_default();
            let spent = usage["cost"]["total"].as_f64().unwrap_or_default();
            (tokens + number("input") + number("output"), cost + spent)
        })
    }
}

/// Writes sessions below a folder, parents before their forks.
pub(crate) fn write_all(
    scripts: &[Script],
    folder: &Path,
) -> anyhow::Result<HashMap<String, Written>> {
    let mut written: HashMap<String, (PathBuf, Written)> = HashMap::new();
    let mut waiting: VecDeque<&Script> = scripts.iter().collect();
    let mut passed_over = 0;
    while let Some(script) = waiting.pop_front() {
        let parent = match &script.parent {
            Some(name) if !written.contains_key(name) => {
                passed_over += 1;
                if passed_over > waiting.len() + 1 {
                    bail!("{} is forked from {name}, which is not there", script.name);
                }
                waiting.push_back(script);
                continue;
            }
            Some(name) => written.get(name),
            None => None,
        };
        passed_over = 0;
        let path = folder.join(project_folder(&script.project)).join(file_name(script));
        let session = write(script, parent.map(|(path, written)| (&**path, written)))
            .with_context(|| script.name.clone())?;
        fs::create_dir_all(path.parent().context("a session lies in a folder")?)?;
        fs::write(&path, session.to_bytes())?;
        written.insert(script.name.clone(), (path, session));
    }
    Ok(written.into_iter().map(|(name, (_, session))| (name, session)).collect())
}

/// Writes a session that is forked from none, in memory.
pub(crate) fn write_alone(script: &Script) -> anyhow::Result<Written> {
    write(script, None).with_context(|| script.name.clone())
}

fn project_folder(project: &str) -> String {
    format!("--{}--", project.trim_start_matches('/').replace('/', "-"))
}

fn file_name(script: &Script) -> String {
    let time = script.started.strftime("%Y-%m-%dT%H-%M-%S-000Z");
    format!("{time}_{}.jsonl", session_id(&script.name))
}

fn session_id(name: &str) -> String {
    let digits = digest(name, 32);
    let [one, two, three, four, five] =
        [&digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..32]];
    format!("{one}-{two}-7{three}-8{four}-{five}")
}

fn digest(text: &str, length: usize) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hex(&hash)[..length].to_owned()
}

fn write(script: &Script, parent: Option<(&Path, &Written)>) -> anyhow::Result<Written> {
    let session = session_id(&script.name);
    let mut header = json!({
        "type": "session", "version": 3, "id": session, "timestamp": script.started.to_string(), "cwd": script.project,
    });
    if let Some((path, _)) = parent {
        header["parentSession"] = json!(path.to_string_lossy());
    }
    let (provider, model) = script.model.split_once('/').context("a model is provider/model")?;
    let mut writer = Writer {
        name: &script.name,
        lines: vec![header],
        entries: Vec::new(),
        leaf: None,
        now: script.started,
        model: (provider.to_owned(), model.to_owned()),
        calls: VecDeque::new(),
        context: 2000,
    };
    if let Some((_, parent)) = parent {
        writer.copy(parent, script.parent_step)?;
    }
    for step in &script.steps {
        writer.take(step)?;
    }
    Ok(Written { entries: writer.entries, lines: writer.lines })
}

struct Writer<'a> {
    name: &'a str,
    lines: Vec<Value>,
    entries: Vec<Option<String>>,
    leaf: Option<String>,
    now: Timestamp,
    model: (String, String),
    /// Calls without result: id and tool.
    calls: VecDeque<(String, String)>,
    /// How many tokens the context has.
    context: usize,
}

impl Writer<'_> {
    /// Copies the first steps of the session that this one was forked from.
    fn copy(&mut self, parent: &Written, steps: usize) -> anyhow::Result<()> {
        let last = parent.entries.get(..steps).context("the parent has fewer steps")?;
        let last = last.iter().flatten().next_back().context("nothing is copied")?;
        // pi copies the way to the leaf, not what was left beside it.
        let mut on_way = Some(last.clone());
        let mut copied = Vec::new();
        for line in parent.lines[1..].iter().rev() {
            if on_way.as_ref().is_some_and(|id| line["id"] == json!(id)) {
                on_way = line["parentId"].as_str().map(str::to_owned);
                copied.push(line.clone());
            }
        }
        self.lines.extend(copied.into_iter().rev());
        self.leaf = Some(last.clone());
        Ok(())
    }

    fn take(&mut self, step: &Step) -> anyhow::Result<()> {
        if let Some(minutes) = step.wait_minutes {
            self.now += SignedDuration::from_mins(minutes);
        }
        if let Some(to) = step.jump {
            self.leaf = self.entry(to)?;
        }
        let entry = self.fields_of(step)?;
        let entry = entry.map(|entry| self.put(entry));
        self.entries.push(entry);
        Ok(())
    }

    fn entry(&self, step: usize) -> anyhow::Result<Option<String>> {
        let before = self.entries.get(..step).context("no such step")?;
        Ok(before.iter().flatten().next_back().cloned())
    }

    /// Returns what the entry of a step says besides its place.
    fn fields_of(&mut self, step: &Step) -> anyhow::Result<Option<Value>> {
        let time = self.now.as_millisecond();
        if let Some(text) = step.user.as_ref().or(step.handoff.as_ref()) {
            self.context += text.len() / 4;
            return Ok(Some(message(json!({
                "role": "user", "content": [{"type": "text", "text": text}], "timestamp": time,
            }))));
        }
        if let Some(text) = &step.assistant {
            return Ok(Some(self.answer(step, text, time)));
        }
        if let Some(text) = &step.result {
            let (id, tool) = self.calls.pop_front().context("a result without call")?;
            let text = text.trim_matches('\n');
            // Some authors write the last line themselves.
            let adds_code = step.error && tool == "bash" && !text.contains("Command exited with");
            let code = if adds_code { "\n\nCommand exited with code 1" } else { "" };
            let text = format!("{text}{code}");
            self.context += text.len() / 4;
            return Ok(Some(message(json!({
                "role": "toolResult", "toolCallId": id, "toolName": tool,
                "content": [{"type": "text", "text": text}], "isError": step.error, "timestamp": time,
            }))));
        }
        if let Some(command) = &step.shell {
            return Ok(Some(message(json!({
                "role": "bashExecution", "command": command, "output": step.output, "exitCode": i32::from(step.error),
                "cancelled": false, "truncated": false, "timestamp": time,
            }))));
        }
        if let Some(summary) = &step.compaction {
            let before = std::mem::replace(&mut self.context, 2000 + summary.len() / 4);
            return Ok(Some(json!({
                "type": "compaction", "summary": summary, "firstKeptEntryId": self.leaf, "tokensBefore": before,
            })));
        }
        if let Some(summary) = &step.branch_summary {
            let left = self.leaf.clone();
            self.leaf = self.entry(step.to.context("a branch summary without `to`")?)?;
            return Ok(Some(json!({"type": "branch_summary", "fromId": left, "summary": summary})));
        }
        if let Some(model) = &step.model {
            let (provider, id) = model.split_once('/').context("a model is provider/model")?;
            self.model = (provider.to_owned(), id.to_owned());
            return Ok(Some(json!({"type": "model_change", "provider": provider, "modelId": id})));
        }
        if let Some(name) = &step.name {
            return Ok(Some(json!({"type": "session_info", "name": name})));
        }
        Ok(step.flag.as_ref().map(|flag| {
            let data = json!({"type": flag, "message": step.message});
            json!({"type": "custom", "customType": "brain_flag", "data": data})
        }))
    }

    fn answer(&mut self, step: &Step, text: &str, time: i64) -> Value {
        let mut content = Vec::new();
        if let Some(thinking) = &step.thinking {
            content.push(json!({"type": "thinking", "thinking": thinking}));
        }
        if !text.is_empty() {
            content.push(json!({"type": "text", "text": text}));
        }
        for call in &step.calls {
            let id = format!("call_{}", digest(&format!("{}{}", self.name, self.calls_made()), 12));
            let mut arguments = call.arguments.clone();
            for (from, to) in [("old", "oldText"), ("new", "newText")] {
                if let Some(value) = arguments.remove(from) {
                    arguments.insert(to.to_owned(), value);
                }
            }
            content.push(
                json!({"type": "toolCall", "id": id, "name": call.tool, "arguments": arguments}),
            );
            self.calls.push_back((id, call.tool.clone()));
        }
        let reason = match step {
            Step { aborted: true, .. } => "aborted",
            Step { failed: Some(_), .. } => "error",
            Step { calls, .. } if !calls.is_empty() => "toolUse",
            _ => "stop",
        };
        let (input, output) = (self.context, 20 + text.len() / 4 + 40 * step.calls.len());
        self.context += output;
        let cost = |tokens: usize, micros: usize| {
            f64::from(u32::try_from(tokens * micros).unwrap_or(u32::MAX)) / 1e6
        };
        let (cost_in, cost_out) = (cost(input, 3), cost(output, 15));
        let mut answer = json!({
            "role": "assistant", "content": content, "api": "scripted", "provider": self.model.0, "model": self.model.1,
            "usage": {
                "input": input, "output": output, "cacheRead": 0, "cacheWrite": 0, "totalTokens": input + output,
                "cost": {"input": cost_in, "output": cost_out, "cacheRead": 0, "cacheWrite": 0, "total": cost_in + cost_out},
            },
            "stopReason": reason, "timestamp": time,
        });
        if let Some(error) = &step.failed {
            answer["errorMessage"] = json!(error);
        }
        message(answer)
    }

    /// Counts lines, so that every call gets a name of its own.
    fn calls_made(&self) -> usize {
        self.lines.len() * 100 + self.calls.len()
    }

    fn put(&mut self, mut entry: Value) -> String {
        let id = digest(&format!("{}:{}", self.name, self.lines.len()), 8);
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.leaf);
        entry["timestamp"] = json!(self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string());
        self.now += SignedDuration::from_secs(20);
        self.leaf = Some(id.clone());
        self.lines.push(entry);
        id
    }
}

fn message(message: impl Into<Value>) -> Value {
    json!({"type": "message", "message": message.into()})
}
