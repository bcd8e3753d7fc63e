//! `pi-brain session context`: what a model would be given at a leaf.

use std::borrow::Cow;
use std::sync::Arc;

use pi_brain_session::{Context, Raw, View, estimate_tokens, text_of};

use super::{print_json, say};
use crate::args::ContextOptions;
use crate::describe::{BOLD, DIM, describe, one_line};
use crate::locate::{Locations, find_entry};
use crate::table::{Column, count, draw, how_many};

pub(crate) fn run(locations: &Locations, options: &ContextOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.read.session, View::AsPi)?;
    let leaf = match &options.leaf {
        Some(entry) => Some(find_entry(&session, &tree, entry)?),
        None => tree.leaf(),
    };
    let context = session.context(&tree, leaf)?;
    if options.read.json {
        return print_json(&context);
    }
    let total = leaf.map_or(Ok(0), |leaf| session.context_tokens(&tree, leaf))?;
    let mut rows = Vec::new();
    for message in &context.messages {
        let raw = message.raw()?;
        let called = describe(&session, message.entry)?.words;
        let id = session.log().entries()[message.entry].id.as_ref().map(ToString::to_string);
        let role = one_line(&raw.get_str("role").unwrap_or_default());
        let words = one_line(&said(raw).unwrap_or(called));
        rows.push(vec![
            one_line(&id.unwrap_or_default()),
            role,
            count(estimate_tokens(raw)),
            words,
        ]);
    }
    tell_size(&context, total)?;
    let columns = [
        Column::Text("ENTRY"),
        Column::Text("ROLE"),
        Column::Number("TOKENS"),
        Column::Rest("TEXT"),
    ];
    say!("\n{}", draw(&columns, &rows))?;
    say!("\n{DIM}--json gives the messages themselves{DIM:#}")
}

/// Returns what a message in pi's own shape says, if it has words.
pub(super) fn said(message: Raw<'_>) -> Option<String> {
    let text = message.get("content").map(|content| text_of(content, " "));
    let summary = || message.get_str("summary").map(Cow::into_owned);
    let command = || message.get_str("command").map(|command| format!("$ {command}"));
    // The parts of a system prompt, each under its name.
    let sections = || {
        let sections = message.get("sections")?.members();
        Some(sections.filter_map(|part| part.value.as_str()).collect::<Vec<_>>().join(" "))
    };
    let text = text.filter(|text| !text.trim().is_empty());
    text.or_else(summary).or_else(command).or_else(sections)
}

/// Says how large a context is, and which settings are in force.
pub(super) fn tell_size(context: &Context, tokens: u64) -> anyhow::Result<()> {
    let model = context.model.as_ref().map(|model| {
        let name = |part: &Option<Arc<str>>| one_line(part.as_deref().unwrap_or("unknown"));
        format!("{}/{}", name(&model.provider), name(&model.model_id))
    });
    say!(
        "{BOLD}{}{BOLD:#}, about {} tokens, {}, thinking {}",
        how_many(context.messages.len(), "message", "messages"),
        count(tokens),
        model.as_deref().unwrap_or("no model chosen"),
        one_line(&context.thinking_level),
    )
}
