//! One line for a message of the forest: who, and the first words.

use pi_brain_forest::{Block, Message, Object, Role, ToolUse};
use serde_json::Value;

use super::{Gist, TELLING};
use crate::plain::one_line;

impl Gist {
    /// Says in a line what a message of the forest says.
    pub fn of_message(message: &Message) -> Self {
        let text = message.joined_text();
        let (who, words) = match message.role() {
            Role::User => match message.content() {
                [Block::Other(members)] => entry_words(members),
                _ => ("user", text_or_kind(message, text)),
            },
            Role::Assistant => {
                let calls: Vec<String> = message.tool_uses().map(call_words).collect();
                let is_silent = text.trim().is_empty() && !calls.is_empty();
                let words = if is_silent { calls.join("  ") } else { text_or_kind(message, text) };
                ("assistant", words)
            }
            Role::Tool => ("tool", text_or_kind(message, text)),
        };
        let is_failure = message.role() == Role::Tool && message.is_error();
        Self { who, words: one_line(&words), is_failure }
    }
}

/// Returns whether a person said it, and not a summary or an extension in a person's place.
pub fn is_person(message: &Message) -> bool {
    message.role() == Role::User && matches!(Gist::of_message(message).who, "user" | "shell")
}

/// Returns what pi writes in a form of its own: a word for it, and what it says.
pub fn entry_words(members: &Object) -> (&'static str, String) {
    let text = |key: &str| member_text(members, key);
    match &*text("type") {
        "shell" => ("shell", format!("$ {}", text("command"))),
        "custom" => ("extension", custom_text(members)),
        "compaction" => ("compaction", text("summary")),
        "branch-summary" => ("summary", text("summary")),
        kind => ("user", kind_words(kind)),
    }
}

/// Returns the text of a member of a block, whatever it is.
pub fn member_text(members: &Object, key: &str) -> String {
    match members.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Returns what an extension said.
pub fn custom_text(members: &Object) -> String {
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
        Block::Other(members) => Some(kind_words(&member_text(members, "type"))),
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
    format!("→ {} {}", call.name, call_argument(call))
}

/// Returns the argument of a tool call that says most: what it ran, or on which file.
pub fn call_argument(call: &ToolUse) -> String {
    let telling = TELLING.iter().find_map(|key| call.parameters.get(*key)?.as_str());
    match telling {
        Some(text) => text.to_owned(),
        None => Value::Object(call.parameters.clone()).to_string(),
    }
}
