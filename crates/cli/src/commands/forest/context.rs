//! `pi-brain forest context`: what a model would be given at a place.

use pi_brain_forest::{Block, Message};
use pi_brain_session::estimate_tokens;
use serde_json::Value;

use super::place::{find, find_node};
use super::words::describe_message;
use super::{KeptForest, open};
use crate::args::ForestContextOptions;
use crate::commands::context::{said, tell_size};
use crate::commands::{print_json, say};
use crate::describe::{BOLD, DIM, answer_text, one_line};
use crate::table::{Column, count, draw, how_many};

pub(super) fn run(options: &ForestContextOptions) -> anyhow::Result<()> {
    let forest = open()?;
    if options.pi {
        return tell_pi(&forest, options);
    }
    let place = find(&forest, &options.place)?;
    let context = forest.context(place, &options.separator)?;
    if options.output.json {
        return print_json(&context);
    }
    let mut rows = Vec::new();
    let mut total = 0;
    if let Some(prompt) = &context.system {
        total += tokens(prompt.len());
        rows.push(vec!["system".to_owned(), count(tokens(prompt.len())), one_line(prompt)]);
    }
    for message in &context.messages {
        let size = tokens(size(message));
        total += size;
        let words = describe_message(message).words;
        rows.push(vec![message.role().as_str().to_owned(), count(size), words]);
    }
    say!(
        "{BOLD}{}{BOLD:#}, about {} tokens",
        how_many(context.messages.len(), "message", "messages"),
        count(total)
    )?;
    tell_rows(&rows)
}

/// Shows what pi would give a model.
fn tell_pi(forest: &KeptForest, options: &ForestContextOptions) -> anyhow::Result<()> {
    let context = forest.pi_context(find_node(forest, &options.place)?)?;
    if options.output.json {
        return print_json(&context);
    }
    let (mut rows, mut total) = (Vec::new(), 0);
    for message in &context.messages {
        let raw = message.raw()?;
        let size = estimate_tokens(raw);
        total += size;
        let role = one_line(&raw.get_str("role").unwrap_or_default());
        let words = said(raw).unwrap_or_else(|| answer_text(Some(raw)));
        rows.push(vec![role, count(size), one_line(&words)]);
    }
    tell_size(&context, total)?;
    tell_rows(&rows)
}

fn tell_rows(rows: &[Vec<String>]) -> anyhow::Result<()> {
    if !rows.is_empty() {
        let columns = [Column::Text("ROLE"), Column::Number("TOKENS"), Column::Rest("TEXT")];
        say!("\n{}", draw(&columns, rows))?;
    }
    say!("\n{DIM}--json gives the messages themselves{DIM:#}")
}

/// Returns roughly how many tokens so many bytes are.
fn tokens(bytes: usize) -> u64 {
    const BYTES_PER_TOKEN: usize = 4;
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

/// Returns how many bytes of a message a model gets to see.
fn size(message: &Message) -> usize {
    let block = |block: &Block| match block {
        Block::Text(text) => text.len(),
        Block::ToolUse(call) => {
            call.name.len() + Value::Object(call.parameters.clone()).to_string().len()
        }
        Block::Other(members) => Value::Object(members.clone()).to_string().len(),
    };
    message.content().iter().map(block).sum()
}
