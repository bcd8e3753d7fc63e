//! One line for a message: who, and the first words.

use std::collections::BTreeMap;

use pi_brain_app::{Gist, entry_words};
pub(super) use pi_brain_app::{call_argument, custom_text, is_person, member_text as member};
use pi_brain_forest::{Block, EntryRecord, Forest, Message, NodeId, Role, Store};
use pi_brain_session::Raw;

use crate::describe::{Description, clean, one_line};

/// Describes a message that is there.
pub(crate) fn describe<S: Store>(forest: &Forest<S>, node: NodeId) -> anyhow::Result<Description> {
    Ok(describe_message(&*forest.store().message(node)?))
}

pub(super) fn describe_message(message: &Message) -> Description {
    Gist::of_message(message).into()
}

/// Returns everything that a message says to a person, on as many lines as it takes.
pub(super) fn full_text(message: &Message) -> String {
    let text = match message.content() {
        [Block::Other(members)] => entry_words(members).1,
        _ => message.joined_text(),
    };
    clean(text.trim())
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
