//! One line for an entry: who, and the first words.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use pi_brain_session::{Block, Body, Entry, Raw, Role, Session, blocks, text_of};

/// What an entry is called in lists, and how it begins.
pub(crate) struct Description {
    pub(crate) who: &'static str,
    pub(crate) words: String,
    pub(crate) style: Style,
}

pub(crate) fn describe(session: &Session, at: usize) -> io::Result<Description> {
    let entry = &session.log().entries()[at];
    let text = session.entry_raw(at)?;
    Ok(describe_raw(entry, text.raw()))
}

fn describe_raw(entry: &Entry, raw: Raw<'_>) -> Description {
    let field = |key: &str| raw.get_str(key).unwrap_or_default();
    let (who, words, style) = match &entry.body {
        Body::Message(_) => return describe_message(entry, raw.get("message")),
        Body::ModelChange { .. } => {
            ("model", format!("{}/{}", field("provider"), field("modelId")), DIM)
        }
        Body::ThinkingLevelChange { .. } => ("thinking", field("thinkingLevel").into_owned(), DIM),
        Body::Compaction { .. } => ("compaction", field("summary").into_owned(), NOTE),
        Body::BranchSummary { .. } => ("summary", field("summary").into_owned(), NOTE),
        Body::Custom { .. } => ("custom", field("customType").into_owned(), DIM),
        Body::CustomMessage { .. } => ("extension", content_text(Some(raw)), NOTE),
        Body::Label { label, .. } => (
            "label",
            format!("{} on {}", label.as_deref().unwrap_or("(cleared)"), field("targetId")),
            DIM,
        ),
        Body::SessionInfo { .. } => ("name", field("name").into_owned(), DIM),
        Body::Usage { .. } => ("usage", format!("{} {}", field("kind"), field("model")), DIM),
        Body::ContextEdit { .. } => ("edit", format!("of {}", field("targetId")), DIM),
        Body::Other { kind } => ("unknown", kind.to_string(), DIM),
    };
    Description { who, words: one_line(&words), style }
}

fn describe_message(entry: &Entry, message: Option<Raw<'_>>) -> Description {
    let field = |key: &str| message.and_then(|message| message.get_str(key)).unwrap_or_default();
    let failed = entry.message().is_some_and(|message| message.is_error);
    let (who, words, style) = match entry.role() {
        Some(Role::User) => ("user", content_text(message), USER),
        Some(Role::Assistant) => ("assistant", answer_text(message), ANSWER),
        Some(Role::ToolResult) => {
            let text = format!("{}: {}", field("toolName"), content_text(message));
            ("tool", text, if failed { FAILURE } else { DIM })
        }
        Some(Role::System) => ("system", content_text(message), DIM),
        Some(Role::BashExecution) => ("shell", format!("$ {}", field("command")), USER),
        Some(Role::Custom) => ("extension", content_text(message), NOTE),
        _ => ("other", field("role").into_owned(), DIM),
    };
    Description { who, words: one_line(&words), style }
}

fn content_text(message: Option<Raw<'_>>) -> String {
    message
        .and_then(|message| message.get("content"))
        .map(|content| text_of(content, " "))
        .unwrap_or_default()
}

/// Returns what an answer says; where it says nothing, what it calls, or how it failed.
pub(crate) fn answer_text(message: Option<Raw<'_>>) -> String {
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
pub(crate) const TELLING: &[&str] = &["command", "path", "file_path", "pattern", "query", "url"];

/// Returns the argument of a tool call that says most: what it ran, or on which file.
pub(crate) fn key_argument(arguments: Option<Raw<'_>>) -> String {
    let Some(arguments) = arguments else { return String::new() };
    let telling = TELLING.iter().find_map(|key| arguments.get_str(key));
    telling.map_or_else(|| arguments.text().into_owned(), Cow::into_owned)
}

/// Puts a text on one line and takes out what could play tricks on a terminal.
pub(crate) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes the same out of a path, and line breaks, but leaves its blanks as they are.
pub(crate) fn clean_path(path: &Path) -> String {
    clean(&path.to_string_lossy()).replace(['\n', '\t'], "\u{fffd}")
}

/// Takes colours, cursor movements and other control characters out of a text from a session.
///
/// Anybody may have written it: a tool's output can hold sequences that rewrite the screen.
pub(crate) fn clean(text: &str) -> String {
    let plain = anstream::adapter::strip_str(text).to_string();
    let plain = plain.replace("\r\n", "\n");
    let visible = |character: char| match character {
        '\n' | '\t' => character,
        '\r' => '\n',
        // Reorders what stands around it, so that a line reads differently from what it is.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    plain.chars().map(visible).collect()
}

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const USER: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const ANSWER: Style = AnsiColor::Green.on_default();
pub(crate) const NOTE: Style = AnsiColor::Magenta.on_default();
pub(crate) const FAILURE: Style = AnsiColor::Red.on_default();
pub(crate) const LABEL: Style = AnsiColor::Yellow.on_default().bold();
