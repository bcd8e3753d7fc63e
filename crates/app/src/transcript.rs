//! A conversation as a page of Markdown. Whatever was said stays text: it stands in blocks that it cannot end.

use std::io::{self, Write};

use pi_brain_session::{Block, Body, Entry, Raw, Role, Session, blocks};

use crate::gist::{Gist, key_argument};
use crate::markdown::{markdown_block, markdown_code, markdown_inline};

/// Writes the entries of a path, one after the other; no more than one of them is held.
pub fn write_transcript(session: &Session, path: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let header = session.header();
    writeln!(out, "# {}\n", markdown_inline(&session_title(session)?))?;
    let created = header.created().map(|time| time.to_string());
    let facts = [
        ("id", Some(header.id.clone())),
        ("began", created),
        ("project", header.cwd.clone()),
        ("forked from", header.parent_session.clone()),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            writeln!(out, "- {name}: {}", markdown_code(&fact))?;
        }
    }
    path.iter().try_for_each(|&at| write_entry(session, at, out))
}

/// Returns what a session is called: its name, else how the first message of a person begins.
pub fn session_title(session: &Session) -> io::Result<String> {
    if let Some(name) = session.log().name() {
        return Ok(name.to_owned());
    }
    let entries = session.log().entries();
    let first = entries.iter().position(|entry| entry.role() == Some(&Role::User));
    let words = first.map(|at| Gist::of(session, at)).transpose()?.map(|gist| gist.words);
    Ok(words.filter(|words| !words.is_empty()).unwrap_or_else(|| "Session".to_owned()))
}

fn write_entry(session: &Session, at: usize, out: &mut dyn Write) -> io::Result<()> {
    let entry = &session.log().entries()[at];
    let text = session.entry_raw(at)?;
    let raw = text.raw();
    let field = |raw: Raw<'_>, key: &str| raw.get_str(key).unwrap_or_default().into_owned();
    match &entry.body {
        Body::Message(_) => match raw.get("message") {
            Some(message) => write_message(entry, message, out),
            None => Ok(()),
        },
        Body::Compaction { .. } => {
            write_head(entry, "Compaction", out)?;
            write_text(&field(raw, "summary"), out)
        }
        Body::BranchSummary { .. } => {
            write_head(entry, "Came back from another branch", out)?;
            write_text(&field(raw, "summary"), out)
        }
        Body::CustomMessage { display: true, .. } => {
            write_head(entry, &field(raw, "customType"), out)?;
            write_content(raw, out)
        }
        Body::ModelChange { .. } => {
            let model = format!("{}/{}", field(raw, "provider"), field(raw, "modelId"));
            writeln!(out, "\nModel: {}", markdown_code(&model))
        }
        _ => Ok(()),
    }
}

fn write_message(entry: &Entry, message: Raw<'_>, out: &mut dyn Write) -> io::Result<()> {
    let field = |key: &str| message.get_str(key).unwrap_or_default().into_owned();
    match entry.role() {
        Some(Role::User) => write_head(entry, "You", out)?,
        Some(Role::Assistant) => write_head(entry, &field("model"), out)?,
        Some(Role::ToolResult) => {
            let failed = entry.message().is_some_and(|message| message.is_error);
            let what = if failed { "Failure of" } else { "Result of" };
            write_head(entry, &format!("{what} {}", field("toolName")), out)?;
        }
        Some(Role::BashExecution) => {
            write_head(entry, "You ran", out)?;
            write_text(&format!("$ {}", field("command")), out)?;
            return write_text(&field("output"), out);
        }
        Some(Role::Custom) if message.get("display").and_then(Raw::as_bool) != Some(false) => {
            write_head(entry, &field("customType"), out)?;
        }
        Some(Role::Other(role)) => write_head(entry, role, out)?,
        Some(Role::System | Role::Custom) | None => return Ok(()),
    }
    write_content(message, out)?;
    write_text(&field("errorMessage"), out)
}

fn write_content(message: Raw<'_>, out: &mut dyn Write) -> io::Result<()> {
    for block in message.get("content").into_iter().flat_map(blocks) {
        match block {
            Block::Text(text) => write_text(&text, out)?,
            Block::ToolCall { name, arguments, .. } => {
                writeln!(out, "\nCalls {}:", markdown_code(&name))?;
                write_text(&key_argument(arguments), out)?;
            }
            Block::Image { mime_type, size } => {
                let kind = mime_type.unwrap_or_default();
                writeln!(out, "\nAn image, {} ({size} bytes)", markdown_code(&kind))?;
            }
            Block::Thinking(_) | Block::Other(_) => {}
        }
    }
    Ok(())
}

fn write_head(entry: &Entry, who: &str, out: &mut dyn Write) -> io::Result<()> {
    let time = entry.timestamp.map(|time| format!(", {time}")).unwrap_or_default();
    let id = entry.id.as_ref().map(|id| format!(", {}", markdown_code(id.as_str())));
    writeln!(out, "\n## {}{time}{}", markdown_inline(who), id.unwrap_or_default())
}

fn write_text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", markdown_block(text))
}
