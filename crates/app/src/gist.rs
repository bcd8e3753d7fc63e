//! One line for an entry: who, and the first words.

mod message;

use std::borrow::Cow;
use std::io;

use pi_brain_session::{Block, Body, Entry, Raw, Role, Session, blocks, text_of};

use crate::plain::one_line;

pub use message::{call_argument, custom_text, entry_words, is_person, member_text};

/// What an entry is called in lists, and how it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gist {
    /// A word for whoever speaks, or for what happens.
    pub who: &'static str,
    /// What it says, on one line.
    pub words: String,
    /// Whether it tells of something that failed.
    pub is_failure: bool,
}

impl Gist {
    /// Reads what an entry says.
    pub fn of(session: &Session, at: usize) -> io::Result<Self> {
        let text = session.entry_raw(at)?;
        Ok(Self::of_raw(&session.log().entries()[at], text.raw()))
    }

    pub(crate) fn of_raw(entry: &Entry, raw: Raw<'_>) -> Self {
        let field = |key: &str| raw.get_str(key).unwrap_or_default();
        let (who, words) = match &entry.body {
            Body::Message(_) => return Self::of_entry_message(entry, raw.get("message")),
            Body::ModelChange { .. } => {
                ("model", format!("{}/{}", field("provider"), field("modelId")))
            }
            Body::ThinkingLevelChange { .. } => ("thinking", field("thinkingLevel").into_owned()),
            Body::Compaction { .. } => ("compaction", field("summary").into_owned()),
            Body::BranchSummary { .. } => ("summary", field("summary").into_owned()),
            Body::Custom { .. } => ("custom", field("customType").into_owned()),
            Body::CustomMessage { .. } => ("extension", content_text(Some(raw))),
            Body::Label { label, .. } => {
                let label = label.as_deref().unwrap_or("(cleared)");
                ("label", format!("{label} on {}", field("targetId")))
            }
            Body::SessionInfo { .. } => ("name", field("name").into_owned()),
            Body::Usage { .. } => ("usage", format!("{} {}", field("kind"), field("model"))),
            Body::ContextEdit { .. } => ("edit", format!("of {}", field("targetId"))),
            Body::Other { kind } => ("unknown", kind.to_string()),
        };
        Self { who, words: one_line(&words), is_failure: false }
    }

    fn of_entry_message(entry: &Entry, message: Option<Raw<'_>>) -> Self {
        let field =
            |key: &str| message.and_then(|message| message.get_str(key)).unwrap_or_default();
        let failed = entry.message().is_some_and(|message| message.is_error);
        let (who, words) = match entry.role() {
            Some(Role::User) => ("user", content_text(message)),
            Some(Role::Assistant) => ("assistant", answer_text(message)),
            Some(Role::ToolResult) => {
                ("tool", format!("{}: {}", field("toolName"), content_text(message)))
            }
            Some(Role::System) => ("system", content_text(message)),
            Some(Role::BashExecution) => ("shell", format!("$ {}", field("command"))),
            Some(Role::Custom) => ("extension", content_text(message)),
            _ => ("other", field("role").into_owned()),
        };
        Self { who, words: one_line(&words), is_failure: failed && who == "tool" }
    }
}

fn content_text(message: Option<Raw<'_>>) -> String {
    message
        .and_then(|message| message.get("content"))
        .map(|content| text_of(content, " "))
        .unwrap_or_default()
}

/// Returns what an answer says; where it says nothing, what it calls, or how it failed.
pub fn answer_text(message: Option<Raw<'_>>) -> String {
    let text = content_text(message);
    if !text.trim().is_empty() {
        return text;
    }
    let content = message.and_then(|message| message.get("content"));
    let calls: Vec<String> = content
        .into_iter()
        .flat_map(blocks)
        .filter_map(|block| match block {
            Block::ToolCall { name, arguments, .. } => {
                Some(format!("→ {name} {}", key_argument(arguments)))
            }
            _ => None,
        })
        .collect();
    let error = message.and_then(|message| message.get_str("errorMessage"));
    if calls.is_empty() { error.map(Cow::into_owned).unwrap_or_default() } else { calls.join("  ") }
}

/// The arguments of tool calls that say most, the most telling first.
const TELLING: &[&str] = &["command", "path", "file_path", "pattern", "query", "url"];

/// Returns the argument of a tool call that says most: what it ran, or on which file.
pub fn key_argument(arguments: Option<Raw<'_>>) -> String {
    let Some(arguments) = arguments else { return String::new() };
    let telling = TELLING.iter().find_map(|key| arguments.get_str(key));
    telling.map_or_else(|| arguments.text().into_owned(), Cow::into_owned)
}
