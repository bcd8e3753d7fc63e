use pi_brain_session::{Log, OWN_FRAME};
use serde_json::{Value, json};

use super::*;

/// Returns what is taken from each entry of a session with these entries.
fn texts(entries: &[Value], extent: Extent) -> Vec<Option<EntryText>> {
    let header = json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p"});
    let mut file = header.to_string() + "\n";
    for (number, entry) in entries.iter().enumerate() {
        let mut entry = entry.clone();
        entry["id"] = json!(format!("e{number}"));
        entry["parentId"] = Value::Null;
        entry["timestamp"] = json!("2026-01-01T00:00:00Z");
        file += &(entry.to_string() + "\n");
    }
    let mut texts = Vec::new();
    Log::read_with(file.as_bytes(), |entry, raw| texts.push(entry_text(entry, raw, extent)))
        .unwrap();
    texts
}

fn text(entry: Value) -> Option<EntryText> {
    texts(&[entry], Extent::default()).remove(0)
}

fn message(message: &Value) -> Value {
    json!({"type": "message", "message": message})
}

fn result(tool: &str, output: &str) -> Value {
    let content = json!([{"type": "text", "text": output}]);
    message(
        &json!({"role": "toolResult", "toolCallId": "c", "toolName": tool, "isError": true, "content": content}),
    )
}

#[test]
fn what_people_and_models_say_is_taken_in_full() {
    let said = text(message(&json!({"role": "user", "content": "fix the build"}))).unwrap();
    assert_eq!((said.body.as_str(), said.speaker), ("fix the build", Speaker::User));

    let content = json!([
        {"type": "thinking", "thinking": "hmm"},
        {"type": "text", "text": "Reading"},
        {"type": "toolCall", "id": "1", "name": "read", "arguments": {"path": "src/a.rs"}},
        {"type": "toolCall", "id": "2", "name": "edit", "arguments":
            {"file_path": "src/b.rs", "edits": [{"old": "x = 1", "new": "x = \"2\""}], "count": 3}},
        {"type": "toolCall", "id": "3", "name": "read", "arguments": {"path": "src/a.rs"}},
        {"type": "toolCall", "id": "4", "name": "brain_query", "arguments": {"query": "ours"}},
        {"type": "toolCall", "id": "5", "name": "mcp__brain__search", "arguments": {"query": "ours"}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "text", "text": "Done"},
    ]);
    let answer = message(&json!({"role": "assistant", "model": "opus", "content": content}));
    let said = text(answer.clone()).unwrap();
    assert_eq!(said.body, "Reading\nDone");
    assert_eq!(said.detail, "src/a.rs\nx = \"2\"\nx = 1\nsrc/b.rs\nsrc/a.rs");
    assert_eq!(said.tools, ["read", "edit"]);
    assert_eq!(said.files, ["src/a.rs", "src/b.rs"]);
    assert_eq!((said.model.as_deref(), said.speaker), (Some("opus"), Speaker::Assistant));

    let extent = Extent { thinking: true, ..Extent::default() };
    let said = texts(&[answer], extent).remove(0).unwrap();
    assert!(said.detail.starts_with("hmm\n"));
}

#[test]
fn summaries_commands_and_extensions_are_taken() {
    for kind in ["compaction", "branch_summary"] {
        let said = text(json!({"type": kind, "summary": "we did it"})).unwrap();
        assert_eq!((said.body.as_str(), said.speaker), ("we did it", Speaker::Summary));
    }
    let said = text(
        json!({"type": "custom_message", "customType": "todo", "content": "buy milk", "display": true}),
    );
    assert_eq!(
        said.map(|said| (said.body, said.speaker)),
        Some(("buy milk".into(), Speaker::Extension))
    );

    let command = json!({"role": "bashExecution", "command": "make test", "output": "1 failed", "exitCode": 2});
    let said = text(message(&command)).unwrap();
    assert_eq!((said.body.as_str(), said.detail.as_str()), ("make test", "1 failed"));
    assert_eq!((said.speaker, said.is_error), (Speaker::User, true));

    let said = text(result("bash", "No such file")).unwrap();
    assert_eq!((said.body.as_str(), said.detail.as_str()), ("", "No such file"));
    assert_eq!((said.speaker, said.is_error), (Speaker::Tool, true));
    assert_eq!(said.tools, ["bash"]);
}

#[test]
fn system_messages_and_our_own_answers_are_left_out() {
    let nothing = [
        message(&json!({"role": "system", "content": "You are"})),
        message(
            &json!({"role": "user", "content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}),
        ),
        message(&json!({"role": "user", "content": null})),
        result("brain_query", "an old answer"),
        result("mcp__brain__search", "an old answer"),
        result("brain_session", "an old answer"),
        result("mcp__memory__brain_lessons", "an old answer"),
        // A script of pi's code mode, and the tool that reads resources, give it under their own names.
        result("codemode", &format!("Script completed\n\"Lines {OWN_FRAME} Use\\n> old\"")),
        message(
            &json!({"role": "custom", "customType": "pi-brain-answer", "content": "an old answer"}),
        ),
        json!({"type": "custom_message", "customType": "pi-brain", "content": "an old answer", "display": true}),
        json!({"type": "custom_message", "customType": "brain-note", "content": "an old answer", "display": true}),
        json!({"type": "model_change", "provider": "p", "modelId": "m"}),
    ];
    for entry in nothing {
        assert_eq!(text(entry.clone()), None, "{entry}");
    }
}

#[test]
fn of_long_output_head_tail_and_error_lines_are_taken() {
    let noise = |from: usize| {
        let lines: Vec<String> =
            (from..from + 2000).map(|line| format!("line {line} ü\n")).collect();
        lines.concat()
    };
    let output = format!("first\n{}TypeError: x is not\n{}the last line", noise(0), noise(5000));
    let said = text(result("bash", &output)).unwrap().detail;
    assert!(said.starts_with("first\n") && said.ends_with("the last line"));
    assert!(said.contains("\nTypeError: x is not\n"));
    assert!(!said.contains("line 1000 "));
    assert!((2500..=4400).contains(&said.len()), "{}", said.len());

    let extent = Extent { whole_output: true, ..Extent::default() };
    let said = texts(&[result("bash", &output)], extent).remove(0).unwrap();
    assert_eq!(said.detail, output);

    // One line without end, full of errors.
    let output = "é error ".repeat(100_000);
    let said = text(result("bash", &output)).unwrap().detail;
    assert!(said.len() < 4600, "{}", said.len());
}

#[test]
fn arguments_of_any_depth_are_read() {
    let depth = 50_000;
    let arguments = format!("{}\"deep\"{}", "[".repeat(depth), "]".repeat(depth));
    let file = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"s\"}}\n{{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":\
         {{\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"name\":\"t\",\"arguments\":{{\"x\":{arguments}}}}}]}}}}\n"
    );
    let mut found = None;
    Log::read_with(file.as_bytes(), |entry, raw| found = entry_text(entry, raw, Extent::default()))
        .unwrap();
    assert_eq!(found.unwrap().detail, "deep");
}
