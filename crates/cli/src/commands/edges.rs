//! `pi-brain edges`: links between units of work.

use pi_brain_app::App;
use pi_brain_brain::{Edge, EdgeCreator, EdgeId, NodeId};
use pi_brain_store::StoreError;

use super::unit::{about, short_id};
use super::{print_json, say};
use crate::args::{EdgesAddOptions, EdgesCommand, EdgesListOptions, EdgesRemoveOptions};
use crate::brain::{find_node, open, open_fresh, when_free};
use crate::describe::{BOLD, DIM, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{fit, room};
use crate::when;

pub(crate) fn run(locations: &Locations, command: EdgesCommand) -> anyhow::Result<()> {
    match command {
        EdgesCommand::List(options) => list(locations, &options),
        EdgesCommand::Add(options) => add(locations, options),
        EdgesCommand::Remove(options) => remove(locations, &options),
    }
}

fn list(locations: &Locations, options: &EdgesListOptions) -> anyhow::Result<()> {
    const SHOWN: usize = 50;
    let app = open_fresh(locations, &options.refresh)?;
    let node = options.node.as_deref().map(|node| find_node(&app, node)).transpose()?;
    let edges = app.store().edges_of(node.map(|node| node.id))?;
    let limit = options.limit.unwrap_or(if options.json { edges.len() } else { SHOWN });
    // The newest are what one looks for, and they are read last.
    let shown = &edges[edges.len().saturating_sub(limit)..];
    if options.json {
        return print_json(&shown);
    }
    if shown.is_empty() {
        return say!("There are no links.");
    }
    for edge in shown {
        let by_hand = match edge.created_by {
            EdgeCreator::User => format!("  {DIM}by hand, {}{DIM:#}", edge.id),
            _ => String::new(),
        };
        say!("{BOLD}{}{BOLD:#}  {}{by_hand}", edge.kind.as_str(), when::date(edge.created_at))?;
        say!("  from     {}", end_of(&app, edge.source_node_id)?)?;
        say!("  to       {}", end_of(&app, edge.target_node_id)?)?;
        let why = why(edge);
        if !why.is_empty() {
            say!("  because  {}", fit(&why, room(11)))?;
        }
    }
    if shown.len() < edges.len() {
        let (more, all) = (edges.len() - shown.len(), edges.len());
        say!("{DIM}{more} older ones are not shown; --limit {all} shows all{DIM:#}")?;
    }
    Ok(())
}

fn end_of(app: &App, id: NodeId) -> anyhow::Result<String> {
    const USED: usize = 30;
    let node = app.store().node_row(id)?;
    let words = node.map_or_else(|| "(gone)".to_owned(), |node| fit(&about(&node), room(USED)));
    Ok(format!("{DIM}{}{DIM:#}  {words}", short_id(app, id)?))
}

/// Says why two nodes are linked, as far as more is known than the type tells.
pub(super) fn why(edge: &Edge) -> String {
    let metadata = &edge.metadata;
    if let Some(ext) = &edge.ext {
        return one_line(&ext.reason);
    }
    if let Some(summary) = &metadata.summary {
        return one_line(summary);
    }
    if let Some(gap) = metadata.gap_minutes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "gaps are short"
        )]
        let gap = gap.max(0.0) as u64;
        return format!("after {}", when::minutes(gap));
    }
    match &metadata.parent_session {
        Some(parent) => format!("from session {}", one_line(parent)),
        None => String::new(),
    }
}

fn add(locations: &Locations, options: EdgesAddOptions) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let source = find_node(&app, &options.source)?.id;
    let target = find_node(&app, &options.target)?.id;
    if source == target {
        let text = "both ends of the link are the same unit of work".to_owned();
        return Err(Failure::Usage(text).into());
    }
    let (kind, reason) = (options.kind.into(), options.reason);
    let id = when_free(|| app.add_edge(now(), source, target, kind, reason.clone()))?;
    say!("{source} → {target}  {DIM}{}, {id}{DIM:#}", kind.as_str())
}

fn remove(locations: &Locations, options: &EdgesRemoveOptions) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let unknown = || StoreError::EdgeNotFound(options.edge.clone());
    let id: EdgeId = options.edge.parse().map_err(|_| pi_brain_app::AppError::from(unknown()))?;
    let follows_from = match app.store().edge(id)?.map(|edge| edge.created_by) {
        None | Some(EdgeCreator::User) => None,
        Some(EdgeCreator::Boundary) => Some("the sessions"),
        Some(EdgeCreator::Daemon) => Some("what the two have in common"),
    };
    if let Some(what) = follows_from {
        let text = format!(
            "this link follows from {what}; only links that were added by hand can be removed"
        );
        return Err(Failure::Usage(text).into());
    }
    when_free(|| app.remove_edge(now(), id))?;
    say!("removed {id}")
}
