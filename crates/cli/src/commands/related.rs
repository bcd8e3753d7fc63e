//! `pi-brain related`: what a unit of work has to do with others, and why.

use pi_brain_app::{App, Link};
use pi_brain_brain::{EdgeCreator, NodeId, word};
use pi_brain_store::NodeRow;
use serde::Serialize;

use super::edges::why;
use super::listing::{cut, say_more};
use super::unit::{about, short_id};
use super::{print_json, say};
use crate::args::RelatedOptions;
use crate::brain::{find_node, open_linked};
use crate::describe::{BOLD, DIM};
use crate::locate::Locations;
use crate::table::{fit, room};
use crate::when;

/// A link, as programs read of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Related<'a> {
    node: NodeId,
    /// Who found the link: the structure of sessions, the link pass, or a person.
    created_by: EdgeCreator,
    #[serde(rename = "type")]
    kind: &'a str,
    /// Whether it leads to the other one.
    outgoing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    reason: String,
    edge: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a NodeRow>,
}

pub(crate) fn run(locations: &Locations, options: &RelatedOptions) -> anyhow::Result<()> {
    let app = open_linked(locations, &options.list.refresh)?;
    let node = find_node(&app, &options.node)?;
    let mut links = app.view(node)?.links;
    if let Some(kind) = &options.kind {
        links.retain(|link| link.edge.kind.as_str() == kind);
    }
    let mut shown = Vec::new();
    for link in links {
        if !app.store().is_hidden(link.other_id())? {
            shown.push(link);
        }
    }
    let by_creator = |link: &Link| match link.edge.created_by {
        EdgeCreator::User => 0,
        EdgeCreator::Boundary => 1,
        EdgeCreator::Daemon => 2,
    };
    let similarity = |link: &Link| link.edge.metadata.similarity.unwrap_or(1.0);
    // Stable: links of equal strength stay in the order of time.
    shown.sort_by(|one, other| {
        let strength = similarity(other).total_cmp(&similarity(one));
        by_creator(one).cmp(&by_creator(other)).then(strength)
    });
    let total = cut(&mut shown, &options.list);
    if options.list.json {
        return print_json(&shown.iter().map(described).collect::<Vec<_>>());
    }
    if total == 0 {
        return say!("{} has nothing to do with others, as far as is known.", node.id);
    }
    for link in &shown {
        say_link(&app, link)?;
    }
    say_more(shown.len(), total)
}

fn described(link: &Link) -> Related<'_> {
    Related {
        node: link.other_id(),
        created_by: link.edge.created_by,
        kind: link.edge.kind.as_str(),
        outgoing: link.is_outgoing,
        similarity: link.edge.metadata.similarity,
        reason: why(&link.edge),
        edge: link.edge.id.to_string(),
        about: link.other.as_ref(),
    }
}

fn say_link(app: &App, link: &Link) -> anyhow::Result<()> {
    const USED: usize = 14;
    let arrow = if link.is_outgoing { "→" } else { "←" };
    let strength = link.edge.metadata.similarity;
    let strength = strength.map(|share| format!("  {:.0} %", share * 100.0)).unwrap_or_default();
    let by = match link.edge.created_by {
        EdgeCreator::User => format!("  {DIM}by you{DIM:#}"),
        EdgeCreator::Boundary | EdgeCreator::Daemon => String::new(),
    };
    let other = link.other.as_ref();
    let started = other.map(|node| when::date(node.started)).unwrap_or_default();
    let words = other.map_or_else(|| "(gone)".to_owned(), about);
    let id = short_id(app, link.other_id())?;
    say!("{arrow} {BOLD}{}{BOLD:#}{strength}{by}  {DIM}{started}{DIM:#}", word(&link.edge.kind))?;
    say!("  {DIM}{id:<8}{DIM:#}  {}", fit(&words, room(USED)))?;
    let why = why(&link.edge);
    if !why.is_empty() {
        say!("  {DIM}because{DIM:#}   {}", fit(&why, room(USED)))?;
    }
    Ok(())
}
