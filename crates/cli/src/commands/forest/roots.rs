//! `pi-brain forest root` and `roots`: the trees, and where they begin.

use pi_brain_app::TreeSummary;
use pi_brain_forest::{Forest, Place, Store};
use serde_json::{Value, json};

use super::{change, nothing_yet, open_if_there, read_input};
use crate::args::{RootOptions, RootsOptions};
use crate::commands::{print_json, say};
use crate::describe::DIM;
use crate::mint::now;
use crate::table::{Column, draw, how_many};
use crate::when;

/// Finds or makes the root with a system prompt, and goes there.
pub(super) fn find_or_create(options: &RootOptions) -> anyhow::Result<()> {
    let from_file = options.system_file.as_deref().map(read_input).transpose()?;
    let prompt = options.system.clone().or(from_file);
    let (root, created) = change(|forest| {
        let known = forest.store().next_root()?;
        let root = forest.find_or_create_root(prompt.as_deref(), now())?;
        forest.go_to(root.into())?;
        Ok((root, forest.store().next_root()? > known))
    })?;
    if options.output.json {
        return print_json(&json!({ "id": root, "created": created, "systemPrompt": prompt }));
    }
    say!("{root}")
}

pub(super) fn list(options: &RootsOptions) -> anyhow::Result<()> {
    let summaries = match open_if_there()? {
        Some(forest) => TreeSummary::all(&forest, options.deleted)?,
        None => Vec::new(),
    };
    if options.output.json {
        return print_json(&list_to_json(&summaries)?);
    }
    if summaries.is_empty() {
        return Err(nothing_yet());
    }
    say!("{}", draw_list(&summaries))
}

/// Counts what is in a tree.
pub(super) fn counts_in_words(summary: &TreeSummary) -> String {
    let mut parts = vec![
        how_many(summary.counts.messages, "message", "messages"),
        how_many(summary.counts.branch_points, "branch point", "branch points"),
        how_many(summary.counts.leaves, "leaf", "leaves"),
    ];
    if !summary.sessions.is_empty() {
        parts.push(how_many(summary.sessions.len(), "session", "sessions"));
    }
    parts.join(", ")
}

/// Lists trees for programs.
pub(super) fn list_to_json(summaries: &[TreeSummary]) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(summaries.iter().map(TreeSummary::view).collect::<Vec<_>>())?)
}

pub(super) fn draw_list(summaries: &[TreeSummary]) -> String {
    let columns = [
        Column::Text("ROOT"),
        Column::Text("WHEN"),
        Column::Number("MSGS"),
        Column::Number("BRANCH POINTS"),
        Column::Number("LEAVES"),
        Column::Number("SESSIONS"),
        Column::Rest("WHAT"),
    ];
    let now = now();
    let row = |summary: &TreeSummary| {
        let what = match summary.root.deleted {
            Some(time) => format!("{} (deleted {})", summary.words(), when::ago(time, now)),
            None => summary.words(),
        };
        let last = summary.last.unwrap_or(summary.root.created);
        vec![
            summary.root.id.to_string(),
            when::ago(last, now),
            summary.counts.messages.to_string(),
            summary.counts.branch_points.to_string(),
            summary.counts.leaves.to_string(),
            summary.sessions.len().to_string(),
            what,
        ]
    };
    draw(&columns, &summaries.iter().map(row).collect::<Vec<_>>())
}

/// Writes the line above a tree or a conversation.
pub(super) fn title<S: Store>(forest: &Forest<S>, at: Place) -> anyhow::Result<String> {
    let summary = TreeSummary::new(forest, forest.root(at.root())?)?;
    Ok(format!("{}  {DIM}{}{DIM:#}", summary.root.id, summary.words()))
}
