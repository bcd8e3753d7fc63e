//! `brain_node`: everything about one unit of work.

use pi_brain_app::{App, AppError, Depth, Link, NodeView};
use pi_brain_brain::{Edge, Node, NodeRef, word};
use pi_brain_store::StoreError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NAME, day, find_node, place};
use crate::brain::Brain;
use crate::error::{McpError, Result};
use crate::page::{Item, Page};

/// So many characters of a text, and so many of a line in a list.
const TEXT: usize = 1_200;
const LINE: usize = 500;

/// So many lines of a list.
const LINES: usize = 12;

/// The arguments of `brain_node`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NodeArguments {
    /// The id of a unit of work, as `brain_query` and `brain_search` give it, for example "3fa9c0d1e2b34567"; the first 4 or more
    /// digits do. With a version behind it, "3fa9c0d1e2b34567-v2", that version.
    pub(crate) id: String,
    /// How long the answer may be, in tokens: 200 to 4800, default 1500.
    pub(crate) limit: Option<u32>,
}

pub(crate) fn node(brain: &Brain, arguments: &NodeArguments) -> Result<String> {
    let open = brain.open(Depth::Whole)?;
    let app = &open.app;
    let view = view(app, find_node(app, &arguments.id)?)?;
    let mut page = Page::of(&open, arguments.limit);
    write(&mut page, &view);
    Ok(page.finish(0, "Raise `limit` (at most 4800) to see the rest."))
}

fn view(app: &App, node: NodeRef) -> Result<NodeView> {
    app.view(node).map_err(|error| match (error, node.version) {
        (AppError::Store(StoreError::NodeNotFound(_)), Some(version)) => {
            McpError::UnknownVersion { node: node.id.to_string(), version }
        }
        (error, _) => error.into(),
    })
}

fn write(page: &mut Page, view: &NodeView) {
    let Node { content, classification, lessons, ext, .. } = &view.node;
    page.add(&head(view));
    let mut summary = Item::new(format_args!("Summary:"));
    summary.quote(&content.summary, TEXT);
    page.add(&summary);
    if let Some(goal) = ext.as_ref().and_then(|ext| ext.goal.as_deref()) {
        let mut item = Item::new(format_args!("What the user wanted:"));
        item.quote(goal, TEXT);
        page.add(&item);
    }
    let decisions = content.key_decisions.iter().map(|made| match &*made.why {
        "" => made.what.clone(),
        why => format!("{}, because: {why}", made.what),
    });
    add_list(page, "Decisions", decisions);
    let learnt = lessons.by_level().into_iter().flat_map(|(level, lessons)| {
        lessons.iter().map(move |lesson| format!("{}: {}", word(&level), lesson.summary))
    });
    add_list(page, "Lessons", learnt);
    let errors = content.errors_seen.iter().map(|error| {
        let state = if error.resolved { "resolved" } else { "not resolved" };
        format!("{state}: {}: {}", error.error_type, error.message)
    });
    add_list(page, "Errors", errors);
    let changed = ext.as_ref().map_or(&content.files_touched, |ext| &ext.files_modified);
    add_list(page, "Files changed", changed.iter().cloned());
    let read = ext.iter().flat_map(|ext| &ext.files_read).filter(|file| !changed.contains(file));
    add_list(page, "Files read", read.cloned());
    let notes = view.flags.iter().map(|flag| format!("{}: {}", flag.kind, flag.message));
    add_list(page, "Notes", notes);
    for link in &view.links {
        page.add(&linked(link));
    }
    let more = classification.language.iter().chain(classification.frameworks.iter().flatten());
    add_list(page, "Made with", more.chain(&content.tools_used).cloned());
}

fn head(view: &NodeView) -> Item {
    let NodeView { node, session, versions, is_hidden, .. } = view;
    let (kind, outcome) = (word(&node.classification.node_type), word(&node.content.outcome));
    let hidden = if *is_hidden { ", hidden by the user" } else { "" };
    let mut item = Item::new(format_args!(
        "Unit of work {} of {} versions: {kind}, {outcome}, {}, {} entries{hidden}",
        node.reference(),
        versions.len(),
        day(Some(node.metadata.timestamp)),
        node.source.segment.entry_count,
    ));
    let segment = &node.source.segment;
    let session = session.as_ref().map(|session| &*session.id);
    let project = &node.classification.project;
    item.quote_line(&place(session, &segment.start_entry_id, None, project), NAME);
    item.quote_line(&format!("its last entry: {}", segment.end_entry_id), NAME);
    item
}

fn linked(link: &Link) -> Item {
    let direction = if link.is_outgoing { "leads to" } else { "follows from" };
    let kind = word(&link.edge.kind);
    let mut item = Item::new(format_args!("Link ({kind}): {direction} node {}", link.other_id()));
    if let Some(other) = &link.other {
        item.quote_line(&other.summary, LINE);
    }
    if let Some(why) = why(&link.edge) {
        item.quote_line(&format!("why: {why}"), LINE);
    }
    item
}

fn why(edge: &Edge) -> Option<&str> {
    let reason = edge.ext.as_ref().map(|ext| &*ext.reason);
    reason.or(edge.metadata.summary.as_deref()).filter(|why| !why.is_empty())
}

fn add_list(page: &mut Page, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    let mut item = match lines.len() {
        count if count > LINES => {
            Item::new(format_args!("{title} (the first {LINES} of {count}):"))
        }
        _ => Item::new(format_args!("{title}:")),
    };
    for line in lines.iter().take(LINES) {
        item.quote_line(&format!("- {line}"), LINE);
    }
    page.add(&item);
}
