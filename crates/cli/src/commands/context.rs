//! `pi-brain session context`: what a model would be given at a leaf.

use pi_brain_session::{View, estimate_tokens};

use super::{print_json, say};
use crate::args::ContextOptions;
use crate::describe::{BOLD, DIM, one_line};
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
        let tokens = estimate_tokens(raw);
        let text = raw.get("content").map(|content| pi_brain_session::text_of(content, " "));
        let summary = raw.get_str("summary").map(std::borrow::Cow::into_owned);
        let command = raw.get_str("command").map(|command| format!("$ {command}"));
        let called = crate::describe::describe(&session, message.entry)?.words;
        let words =
            text.filter(|text| !text.trim().is_empty()).or(summary).or(command).unwrap_or(called);
        let id = session.log().entries()[message.entry].id.as_ref().map(ToString::to_string);
        let role = one_line(&raw.get_str("role").unwrap_or_default());
        rows.push(vec![one_line(&id.unwrap_or_default()), role, count(tokens), one_line(&words)]);
    }
    let model = context.model.map(|model| {
        let name =
            |part: Option<std::sync::Arc<str>>| one_line(part.as_deref().unwrap_or("unknown"));
        format!("{}/{}", name(model.provider), name(model.model_id))
    });
    say!(
        "{BOLD}{}{BOLD:#}, about {} tokens, {}, thinking {}",
        how_many(rows.len(), "message", "messages"),
        count(total),
        model.as_deref().unwrap_or("no model chosen"),
        one_line(&context.thinking_level),
    )?;
    let columns = [
        Column::Text("ENTRY"),
        Column::Text("ROLE"),
        Column::Number("TOKENS"),
        Column::Rest("TEXT"),
    ];
    say!("\n{}", draw(&columns, &rows))?;
    say!("\n{DIM}--json gives the messages themselves{DIM:#}")
}
