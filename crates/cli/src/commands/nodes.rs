//! `pi-brain nodes`: a list to find a unit of work in.

use jiff::Zoned;
use pi_brain_app::App;
use pi_brain_store::{NodeFilter, NodeRow};

use super::unit::{about, project_name, short_id};
use super::{print_json, say};
use crate::args::NodesOptions;
use crate::brain::open_fresh;
use crate::describe::{DIM, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, dollars, draw, fit, how_many};
use crate::when;

pub(crate) fn run(locations: &Locations, options: NodesOptions) -> anyhow::Result<()> {
    const SHOWN: usize = 20;
    let app = open_fresh(locations, &options.refresh)?;
    let now = Zoned::now();
    let filter = NodeFilter {
        project: options.project,
        node_type: options.node_type,
        outcome: options.outcome,
        tag: options.tag,
        file: options.file,
        session: options.session.map(|prefix| whole_id(&app, prefix)).transpose()?,
        after: options.since.map(|day| day.start(&now)),
        before: options.before.map(|day| day.start(&now)),
        model: None,
        needs_review: options.needs_review,
        hidden: options.hidden,
        behind: None,
    };
    let limit = options.limit.unwrap_or(if options.json { usize::MAX } else { SHOWN });
    let (nodes, total) = app.store().nodes(&filter, options.sort.into(), limit, 0)?;
    if options.json {
        return print_json(&nodes);
    }
    if nodes.is_empty() {
        let text = "no unit of work fits. `pi-brain nodes` without options lists all";
        return Err(Failure::NotFound(text.to_owned()).into());
    }
    say!("{}", draw_list(locations, &app, &nodes)?)?;
    if nodes.len() < total {
        let more = how_many(total - nodes.len(), "more", "more");
        say!("{DIM}… and {more}; --limit {total} shows all{DIM:#}")?;
    }
    say!("\n{DIM}{} node show ID    everything about one of them{DIM:#}", locations.program())
}

/// Returns the one session id that begins so, or the text itself: sessions that are gone have nodes, too.
fn whole_id(app: &App, prefix: String) -> anyhow::Result<String> {
    let ids = app.store().sessions()?.into_iter().map(|session| session.id);
    let mut ids: Vec<String> = ids.filter(|id| id.starts_with(&prefix)).collect();
    ids.sort();
    ids.dedup();
    if ids.len() > 1 && !ids.contains(&prefix) {
        let text = format!("{prefix} could be any of {} sessions; say more of the id", ids.len());
        return Err(Failure::Usage(text).into());
    }
    Ok(if ids.len() == 1 { ids.remove(0) } else { prefix })
}

fn draw_list(locations: &Locations, app: &App, nodes: &[NodeRow]) -> anyhow::Result<String> {
    const WIDEST_PROJECT: usize = 24;
    let columns = [
        Column::Text("WHEN"),
        Column::Text("PROJECT"),
        Column::Text("TYPE"),
        Column::Text("OUTCOME"),
        Column::Number("COST"),
        Column::Text("ID"),
        Column::Rest("ABOUT"),
    ];
    let now = now();
    let row = |node: &NodeRow| {
        Ok(vec![
            when::ago(node.started, now),
            fit(&project_name(locations, &node.project), WIDEST_PROJECT),
            one_line(&node.node_type),
            one_line(&node.outcome),
            dollars(node.cost),
            short_id(app, node.id)?,
            about(node),
        ])
    };
    let rows = nodes.iter().map(row).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(draw(&columns, &rows))
}
