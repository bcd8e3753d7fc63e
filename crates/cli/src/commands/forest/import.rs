//! `pi-brain forest import`: pi sessions into the forest.

use std::path::PathBuf;

use pi_brain_app::{ImportNews, ImportView, JoinedView, TreeSummary};
use pi_brain_brain::word;
use pi_brain_forest::{FamilyCost, Reading, find_relatives};

use super::change;
use super::roots::counts_in_words;
use crate::args::ImportOptions;
use crate::commands::sessions::{id_length, progress_bar, reason};
use crate::commands::{print_json, say};
use crate::describe::{BOLD, DIM, one_line};
use crate::failure::warn;
use crate::locate::{Locations, by_listed_name};
use crate::mint::now;
use crate::open::{size_of, spinner};
use crate::table::{Column, dollars, draw};

pub(super) fn run(locations: &Locations, options: &ImportOptions) -> anyhow::Result<()> {
    let known = locations.sessions.files();
    let mut files = Vec::new();
    for session in &options.sessions {
        files.push(by_listed_name(&known, locations.find_session(session)?));
    }
    let named = files.clone();
    if options.family {
        files = named.iter().flat_map(|file| find_relatives(&known, file)).collect();
    }
    files.sort();
    files.dedup();
    let readings = read(locations, &files, &named)?;
    let (imported, trees) = change(|forest| {
        let bytes = files.iter().map(|file| size_of(file)).sum();
        let spinner = spinner(bytes, "putting messages in their places");
        let report = forest.import(readings, now())?;
        drop(spinner);
        Ok(ImportView::new(forest, &report)?)
    })?;
    if options.output.json {
        return print_json(&serde_json::to_value(imported)?);
    }
    tell(&imported, &trees)
}

/// Reads session files, with progress. Those that were `named` must be readable; others are left out.
pub(crate) fn read(
    locations: &Locations,
    files: &[PathBuf],
    named: &[PathBuf],
) -> anyhow::Result<Vec<Reading>> {
    let progress = progress_bar(files.len());
    let (readings, unreadable) = Reading::open_all(files, |_| progress.inc(1));
    progress.finish_and_clear();
    for (path, error) in unreadable {
        if named.contains(&path) {
            return Err(error.into());
        }
        warn(&format!("{}: {}", locations.display(&path), reason(&error)));
    }
    Ok(readings)
}

/// Tells people what an import did.
fn tell(imported: &ImportView, trees: &[(TreeSummary, FamilyCost)]) -> anyhow::Result<()> {
    let prefix = id_length(imported.sessions.iter().map(|session| &*session.id));
    let rows = imported.sessions.iter().map(|session| {
        let id: String = session.id.chars().take(prefix).collect();
        vec![
            one_line(&id),
            word(&session.news),
            session.messages.to_string(),
            session.shared.to_string(),
            session.root.to_string(),
            one_line(session.name.as_deref().unwrap_or_default()),
        ]
    });
    let columns = [
        Column::Text("SESSION"),
        Column::Text("STATE"),
        Column::Number("NEW MSGS"),
        Column::Number("SHARED"),
        Column::Text("TREE"),
        Column::Rest("NAME"),
    ];
    say!("{}", draw(&columns, &rows.collect::<Vec<_>>()))?;
    for JoinedView { root, into } in &imported.joined {
        say!("{root} turned out to be part of {into}; they are one tree now")?;
    }
    say!()?;
    for (summary, cost) in trees {
        let counts = counts_in_words(summary);
        say!("{BOLD}{}{BOLD:#}  {counts}; {}", summary.root.id, costs(cost))?;
    }
    if imported.sessions.iter().all(|session| session.news == ImportNews::Unchanged) {
        return say!("Nothing is new.");
    }
    if let [(summary, _)] = trees {
        say!("{DIM}pi-brain forest tree {}{DIM:#}", summary.root.id)?;
    }
    Ok(())
}

/// Says what a family cost, beside what somebody would get who adds up its files.
pub(crate) fn costs(cost: &FamilyCost) -> String {
    let (honest, naive) = (dollars(cost.honest.cost), dollars(cost.naive.cost));
    if cost.lines == cost.events {
        return honest;
    }
    format!("{honest} once, {naive} if every file is added up")
}
