//! Short sessions, told in the order in which they happened, and the nodes that become of them.

use pi_brain_brain::{Analysis, EntryFacts, Node, SegmentContext, SegmentRange};
use pi_brain_session::{Entry, EntryId, Millis, Raw, Session};
use serde_json::{Value, json};

/// 2026-01-01T00:00:00Z
const START: i64 = 1_767_225_600_000;

/// A session that grows; each entry comes ten seconds after the one before and has its number for an id.
pub(crate) struct Story {
    lines: Vec<String>,
    now: i64,
    calls: usize,
}

impl Story {
    pub(crate) fn new() -> Self {
        let header = json!({ "type": "session", "version": 3, "id": "s", "cwd": "/home/dev/shop" });
        Self { lines: vec![header.to_string()], now: START, calls: 0 }
    }

    /// Adds any entry.
    pub(crate) fn entry(mut self, mut entry: Value) -> Self {
        let number = self.lines.len();
        entry["id"] = json!(format!("e{number}"));
        entry["parentId"] =
            if number == 1 { json!(null) } else { json!(format!("e{}", number - 1)) };
        entry["timestamp"] = json!(Millis(self.now).to_string());
        self.now += 10_000;
        self.lines.push(entry.to_string());
        self
    }

    pub(crate) fn message(self, message: &Value) -> Self {
        self.entry(json!({ "type": "message", "message": message }))
    }

    pub(crate) fn user(self, text: &str) -> Self {
        self.message(&json!({ "role": "user", "content": text }))
    }

    pub(crate) fn say(self, text: &str) -> Self {
        self.answer("stop", &json!([{ "type": "text", "text": text }]))
    }

    pub(crate) fn answer(self, stop_reason: &str, content: &Value) -> Self {
        let usage = json!({ "input": 100, "output": 10, "cacheRead": 1000, "cacheWrite": 0, "cost": { "total": 0.1 } });
        self.message(&json!({
            "role": "assistant", "provider": "anthropic", "model": "sonnet", "content": content,
            "stopReason": stop_reason, "usage": usage,
        }))
    }

    pub(crate) fn fail(self, error: &str) -> Self {
        self.message(&json!({
            "role": "assistant", "provider": "anthropic", "model": "sonnet", "content": [],
            "stopReason": "error", "errorMessage": error,
        }))
    }

    /// Calls a tool.
    pub(crate) fn call(mut self, tool: &str, arguments: &Value) -> Self {
        self.calls += 1;
        let id = format!("call{}", self.calls);
        self.answer(
            "toolUse",
            &json!([{ "type": "toolCall", "id": id, "name": tool, "arguments": arguments }]),
        )
    }

    /// Calls a tool, which answers.
    pub(crate) fn run(self, tool: &str, arguments: &Value, result: Result<&str, &str>) -> Self {
        let story = self.call(tool, arguments);
        let (Ok(text) | Err(text)) = result;
        let id = format!("call{}", story.calls);
        story.message(&json!({
            "role": "toolResult", "toolCallId": id, "toolName": tool, "isError": result.is_err(),
            "content": [{ "type": "text", "text": text }],
        }))
    }

    pub(crate) fn read(self, path: &str, result: Result<&str, &str>) -> Self {
        self.run("read", &json!({ "path": path }), result)
    }

    pub(crate) fn edit(self, path: &str, result: Result<&str, &str>) -> Self {
        self.run("edit", &json!({ "path": path, "edits": [] }), result)
    }

    pub(crate) fn bash(self, command: &str, result: Result<&str, &str>) -> Self {
        self.run("bash", &json!({ "command": command }), result)
    }

    /// Runs a command as the user; `None` if it was stopped.
    pub(crate) fn shell(self, command: &str, code: Option<u8>, output: &str) -> Self {
        let mut message = json!({
            "role": "bashExecution", "command": command, "output": output,
            "cancelled": code.is_none(), "truncated": false,
        });
        if let Some(code) = code {
            message["exitCode"] = code.into();
        }
        self.message(&message)
    }

    /// Lets time pass.
    pub(crate) fn wait(mut self, minutes: i64) -> Self {
        self.now += minutes * 60_000;
        self
    }

    /// Makes a node of it.
    pub(crate) fn node(&self) -> Node {
        analyse(self.lines.join("\n").into_bytes(), "/home/dev/shop")
    }
}

/// Makes one node of a whole session, which counts all it used.
pub(crate) fn analyse(bytes: Vec<u8>, project: &str) -> Node {
    let session = Session::from_bytes(bytes).unwrap();
    let entries = session.log().entries();
    let id = |entry: &Entry| entry.id.as_ref().map_or("", EntryId::as_str).to_owned();
    let mut analysis = Analysis::new(SegmentContext {
        node_id: "a1b2c3d4e5f6a7b8".parse().unwrap(),
        session_file: "/sessions/s.jsonl".to_owned(),
        session_id: session.header().id.clone(),
        parent_session: None,
        computer: "desktop".to_owned(),
        project: project.to_owned(),
        is_new_project: false,
        segment: SegmentRange {
            start_entry_id: entries.first().map_or(String::new(), id),
            end_entry_id: entries.last().map_or(String::new(), id),
            entry_count: entries.len() as u64,
        },
        opened_by: None,
        ended_by: None,
        started: entries.first().and_then(|entry| entry.timestamp).unwrap_or(Millis(0)),
        now: Millis(START + 86_400_000),
    });
    for (at, entry) in entries.iter().enumerate() {
        let text = session.entry_raw(at).unwrap();
        let raw: Raw<'_> = text.raw();
        let counted = entry.usage.as_deref().copied();
        analysis.hear(EntryFacts { id: &id(entry), time: entry.timestamp, entry, raw, counted });
    }
    analysis.finish()
}
