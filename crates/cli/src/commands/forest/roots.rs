//! `pi-brain forest root` and `roots`: the trees, and where they begin.

use std::sync::Arc;

use pi_brain_forest::{Forest, Place, Root, SessionRecord, Store};
use serde_json::{Value, json};

use super::outline::{Counts, Outline};
use super::words::describe;
use super::{change, nothing_yet, open_if_there, read_input};
use crate::args::{RootOptions, RootsOptions};
use crate::commands::{print_json, say};
use crate::describe::{DIM, one_line};
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
        Some(forest) => summarize_all(&forest, options.deleted)?,
        None => Vec::new(),
    };
    if options.output.json {
        return print_json(&summaries.iter().map(Summary::to_json).collect::<Vec<_>>());
    }
    if summaries.is_empty() {
        return Err(nothing_yet());
    }
    say!("{}", draw_list(&summaries))
}

/// A tree in a list.
pub(super) struct Summary {
    pub(super) root: Arc<Root>,
    pub(super) counts: Counts,
    /// Oldest first.
    pub(super) sessions: Vec<Arc<SessionRecord>>,
    pub(super) last: Option<pi_brain_session::Millis>,
    /// How its first message begins.
    first_words: String,
}

pub(super) fn summarize_all<S: Store>(
    forest: &Forest<S>,
    deleted_too: bool,
) -> anyhow::Result<Vec<Summary>> {
    let mut roots = forest.roots()?;
    if deleted_too {
        roots = forest.store().roots()?;
        roots.retain(|root| root.joined.is_none());
    }
    roots.into_iter().map(|root| summarize(forest, root)).collect()
}

pub(super) fn summarize<S: Store>(forest: &Forest<S>, root: Arc<Root>) -> anyhow::Result<Summary> {
    let mut sessions = forest.store().sessions()?;
    sessions.retain(|session| session.root == root.id);
    sessions.sort_by_key(|session| (session.created, session.no));
    if root.deleted.is_some() {
        // Nothing of a deleted tree can be seen.
        return Ok(Summary {
            root,
            sessions,
            counts: Counts::default(),
            last: None,
            first_words: String::new(),
        });
    }
    let outline = Outline::new(forest, root.id.into())?;
    let first = outline.tops.first().map(|&at| outline.nodes[at].id);
    let first_words = first.map(|first| describe(forest, first)).transpose()?;
    Ok(Summary {
        counts: outline.counts(),
        sessions,
        last: outline.last(),
        first_words: first_words.map(|first| first.words).unwrap_or_default(),
        root,
    })
}

impl Summary {
    /// Says what a tree is: its prompt, or what the family of sessions in it is about.
    pub(super) fn words(&self) -> String {
        let Some(_) = self.root.family else {
            return match self.root.system_prompt.as_deref() {
                None => "no system prompt".to_owned(),
                Some("") => "an empty system prompt".to_owned(),
                Some(prompt) => format!("“{}”", one_line(prompt)),
            };
        };
        let named = self.sessions.iter().find_map(|session| session.name.as_deref());
        named.map_or_else(|| self.first_words.clone(), one_line)
    }

    /// Counts what is in a tree.
    pub(super) fn counts_in_words(&self) -> String {
        let mut parts = vec![
            how_many(self.counts.messages, "message", "messages"),
            how_many(self.counts.branch_points, "branch point", "branch points"),
            how_many(self.counts.leaves, "leaf", "leaves"),
        ];
        if !self.sessions.is_empty() {
            parts.push(how_many(self.sessions.len(), "session", "sessions"));
        }
        parts.join(", ")
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "id": self.root.id,
            "created": self.root.created,
            "deleted": self.root.deleted,
            "systemPrompt": self.root.system_prompt,
            "family": self.root.family,
            "messages": self.counts.messages,
            "leaves": self.counts.leaves,
            "branchPoints": self.counts.branch_points,
            "sessions": self.sessions.iter().map(|session| &*session.id).collect::<Vec<_>>(),
            "last": self.last,
        })
    }
}

pub(super) fn draw_list(summaries: &[Summary]) -> String {
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
    let row = |summary: &Summary| {
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
    let summary = summarize(forest, forest.root(at.root())?)?;
    Ok(format!("{}  {DIM}{}{DIM:#}", summary.root.id, summary.words()))
}
