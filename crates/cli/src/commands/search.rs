//! `pi-brain search`: messages and units of work, grouped by unit of work.

use std::path::Path;
use std::time::Instant;

use jiff::Zoned;
use pi_brain_app::{Found, FoundItem, FoundKind, Wanted};
use serde_json::json;

use super::{print_json, say};
use crate::args::SearchOptions;
use crate::brain::open_fresh;
use crate::describe::{BOLD, DIM};
use crate::locate::Locations;

pub(crate) fn run(locations: &Locations, options: &SearchOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let started = Instant::now();
    let query = options.words.join(" ");
    let here = std::env::current_dir().ok();
    let project = here.as_deref().and_then(Path::to_str);
    let now = Zoned::now();
    let wanted =
        Wanted { query: &query, limit: options.limit, offset: options.offset, now: &now, project };
    let found = app.search(&wanted)?;
    let took = started.elapsed();
    if options.json {
        let results: Vec<_> = found.results.iter().map(as_json).collect();
        return print_json(&json!({
            "results": results,
            "total": found.total,
            "tookMs": took.as_secs_f64() * 1000.0,
        }));
    }
    let _ = locations;
    for item in &found.results {
        say!("{BOLD}{}{BOLD:#} {DIM}{}{DIM:#} {}", item.project, item.score, item.snippet.text)?;
    }
    say!("{} in {took:?}", found.total)
}

fn as_json(item: &FoundItem) -> serde_json::Value {
    let (kind, branch) = match item.what {
        FoundKind::Message { abandoned, .. } => {
            ("message", Some(if abandoned { "abandoned" } else { "active" }))
        }
        FoundKind::Node => ("node", None),
    };
    json!({
        "kind": kind,
        "score": item.score,
        "node": item.node.as_ref().map(|node| node.id),
        "session": item.session.as_ref().map(|session| &session.id),
        "entry": item.entry,
        "file": item.session.as_ref().map(|session| &session.path),
        "line": item.line,
        "project": item.project,
        "time": item.time,
        "branch": branch,
        "snippet": item.snippet.text,
    })
}
