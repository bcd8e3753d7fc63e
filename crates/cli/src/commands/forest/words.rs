//! One line for a message: who, and the first words.

use std::collections::BTreeMap;

use anstyle::Style;
use pi_brain_forest::{Block, EntryRecord, Forest, Message, NodeId, Object, Role, Store, ToolUse};
use pi_brain_session::Raw;
use serde_json::Value;

use crate::describe::{ANSWER, DIM, Description, FAILURE, NOTE, TELLING, USER, clean, one_line};

/// Describes a message that is there.
pub(crate) fn describe<S: Store>(forest: &Forest<S>, node: NodeId) -> anyhow::Result<Description> {
    Ok(describe_message(&*forest.store().message(node)?))
}

pub(super) fn describe_message(message: &Message) -> Description {
    let text = message.joined_text();
    let (who, words, style) = match message.role() {
        Role::User => match message.content() {
            [Block::Other(members)] => return describe_entry(members),
            _ => ("user", text_or_kind(message, text), USER),
        },
        Role::Assistant => {
            let calls: Vec<String> = message.tool_uses().map(call_words).collect();
            let is_silent = text.trim().is_empty() && !calls.is_empty();
            let words = if is_silent { calls.join("  ") } else { text_or_kind(message, text) };
            ("assistant", words, ANSWER)
        }
        Role::Tool => {
            let style = if message.is_error() { FAILURE } else { DIM };
            ("tool", text_or_kind(message, text), style)
        }
    };
    Description { who, words: one_line(&words), style }
}

/// Returns everything that a message says to a person, on as many lines as it takes.
pub(super) fn full_text(message: &Message) -> String {
    let text = match message.content() {
        [Block::Other(members)] => entry_words(members).1,
        _ => message.joined_text(),
    };
    clean(text.trim())
}

/// Whether a person said it, and not a summary or an extension in a person's place.
pub(super) fn is_person(message: &Message) -> bool {
    message.role() == Role::User && describe_message(message).style == USER
}

/// Describes what pi writes in a form of its own.
fn describe_entry(members: &Object) -> Description {
    let (who, words, style) = entry_words(members);
    Description { who, words: one_line(&words), style }
}

fn entry_words(members: &Object) -> (&'static str, String, Style) {
    let text = |key: &str| member(members, key);
    match &*text("type") {
        "shell" => ("shell", format!("$ {}", text("command")), USER),
        "custom" => ("extension", custom_text(members), NOTE),
        "compaction" => ("compaction", text("summary"), NOTE),
        "branch-summary" => ("summary", text("summary"), NOTE),
        kind => ("user", kind_words(kind), USER),
    }
}

/// Returns the text of a member of a block, whatever it is.
pub(super) fn member(members: &Object, key: &str) -> String {
    match members.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Returns what an extension said.
pub(super) fn custom_text(members: &Object) -> String {
    let blocks = members.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> =
        blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
    texts.join(" ")
}

fn text_or_kind(message: &Message, text: String) -> String {
    if !text.trim().is_empty() {
        return text;
    }
    let kinds = message.content().iter().filter_map(|block| match block {
        Block::Other(members) => Some(kind_words(&member(members, "type"))),
        _ => None,
    });
    kinds.collect::<Vec<_>>().join(" ")
}

fn kind_words(kind: &str) -> String {
    match kind {
        "empty" => "(nothing)".to_owned(),
        other => format!("({other})"),
    }
}

fn call_words(call: &ToolUse) -> String {
    format!("→ {} {}", call.name, key_argument(call))
}

/// Returns the argument of a tool call that says most: what it ran, or on which file.
pub(super) fn key_argument(call: &ToolUse) -> String {
    let telling = TELLING.iter().find_map(|key| call.parameters.get(*key)?.as_str());
    match telling {
        Some(text) => text.to_owned(),
        None => Value::Object(call.parameters.clone()).to_string(),
    }
}

/// Whether a message says nothing to a person: results of tools, answers that only call them, and what an
/// extension put in for the model alone.
pub(super) fn is_quiet<S: Store>(
    forest: &Forest<S>,
    node: NodeId,
    message: &Message,
) -> anyhow::Result<bool> {
    match message.role() {
        Role::User => is_for_the_model(forest, node, message),
        Role::Assistant => Ok(message.joined_text().trim().is_empty()),
        Role::Tool => Ok(true),
    }
}

/// Whether an extension put a message in that people are not to see.
pub(super) fn is_for_the_model<S: Store>(
    forest: &Forest<S>,
    node: NodeId,
    message: &Message,
) -> anyhow::Result<bool> {
    match message.content() {
        [Block::Other(members)] if member(members, "type") == "custom" => {}
        _ => return Ok(false),
    }
    let Some((_, line)) = line_of(forest, node)? else { return Ok(false) };
    let entry = Raw::parse(&line);
    let said = entry.and_then(|entry| entry.get("message").or(Some(entry)));
    Ok(said.and_then(|said| said.get("display")?.as_bool()) == Some(false))
}

/// Returns the line of a session that says a message, and what is known about it.
pub(super) fn line_of<S: Store>(
    forest: &Forest<S>,
    node: NodeId,
) -> anyhow::Result<Option<(EntryRecord, Vec<u8>)>> {
    let Some(&(no, at)) = forest.store().occurrences(node)?.first() else { return Ok(None) };
    let session = forest.store().session(no)?;
    let entry = session.and_then(|session| session.entries.get(usize::try_from(at).ok()?).cloned());
    let Some(entry) = entry else { return Ok(None) };
    let line = forest.store().session_text(no, entry.start..entry.start + entry.length)?;
    Ok(Some((entry, line)))
}

/// Lists how often each tool was called, most often first.
pub(super) fn tools(counts: &BTreeMap<String, usize>) -> String {
    let mut sorted: Vec<(&String, &usize)> = counts.iter().collect();
    sorted.sort_by_key(|&(_, count)| std::cmp::Reverse(*count));
    let parts = sorted.into_iter().map(|(tool, &count)| match count {
        1 => one_line(tool),
        _ => format!("{count}× {}", one_line(tool)),
    });
    parts.collect::<Vec<_>>().join(", ")
}
