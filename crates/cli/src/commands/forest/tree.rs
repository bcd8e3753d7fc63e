//! `pi-brain forest tree`: a tree, drawn. The way to the current place is its trunk.

use std::io::Write;

use pi_brain_app::TreeSummary;
use pi_brain_forest::{Outline, Place};
use serde_json::json;

use super::outline::{Marks, Picture};
use super::place::find;
use super::roots::{counts_in_words, draw_list, list_to_json};
use super::{KeptForest, nothing_yet, open};
use crate::args::ForestTreeOptions;
use crate::commands::drawing::draw;
use crate::commands::{print_json, say};
use crate::describe::{BOLD, DIM};
use crate::pager::Output;

pub(super) fn run(options: &ForestTreeOptions) -> anyhow::Result<()> {
    let forest = open()?;
    let Some(from) = choose(&forest, options.place.as_deref())? else {
        return list(&forest, options.output.json);
    };
    let outline = Outline::new(&forest, from)?;
    let marks = Marks::new(&forest)?;
    let picture = Picture::new(&forest, &outline, &marks, marks.current, options.full);
    let summary = TreeSummary::new(&forest, forest.root(from.root())?)?;
    if options.output.json {
        let nodes = picture.to_json()?;
        return print_json(&json!({ "root": summary.view(), "from": from, "nodes": nodes }));
    }
    let mut out = Output::open(true, None);
    let drawn = write_head(&mut out, &summary, &marks)
        .and_then(|()| draw(&mut out, &picture, options.full));
    out.finish()?;
    drawn
}

/// Finds where to start: the place that was named, else the only tree, else the current one.
fn choose(forest: &KeptForest, named: Option<&str>) -> anyhow::Result<Option<Place>> {
    if let Some(named) = named {
        return find(forest, named).map(Some);
    }
    Ok(match &*forest.roots()? {
        [] => return Err(nothing_yet()),
        [only] => Some(only.id.into()),
        _ => forest.current()?.map(|place| Place::Root(place.root())),
    })
}

fn list(forest: &KeptForest, json: bool) -> anyhow::Result<()> {
    let summaries = TreeSummary::all(forest, false)?;
    if json {
        return print_json(&list_to_json(&summaries)?);
    }
    say!("{}", draw_list(&summaries))?;
    say!("\n{DIM}Draw one of them: pi-brain forest tree ROOT{DIM:#}")
}

fn write_head(out: &mut impl Write, summary: &TreeSummary, marks: &Marks) -> anyhow::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}  {}", summary.root.id, summary.words())?;
    writeln!(out, "{DIM}{}{DIM:#}", counts_in_words(summary))?;
    let root = Place::Root(summary.root.id);
    if summary.counts.messages == 0 {
        let root = summary.root.id;
        writeln!(out, "Nothing was said yet: pi-brain forest append {root} --user TEXT")?;
    }
    if marks.current == Some(root) {
        writeln!(out, "{BOLD}◆ ← here{BOLD:#}")?;
    }
    if let Some(sessions) = marks.sessions_at(root) {
        writeln!(out, "{DIM}before the first message:{DIM:#}{BOLD} ← {sessions}{BOLD:#}")?;
    }
    Ok(())
}
