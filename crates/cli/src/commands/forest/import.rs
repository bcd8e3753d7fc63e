//! `pi-brain forest import`: pi sessions into the forest.

use std::path::PathBuf;
use std::sync::Arc;

use pi_brain_app::TreeSummary;
use pi_brain_forest::{
    FamilyCost, Forest, ImportReport, ImportedSession, News, Reading, RootId, SessionRecord, Store,
    find_relatives,
};
use serde_json::{Value, json};

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
    let news = change(|forest| {
        let bytes = files.iter().map(|file| size_of(file)).sum();
        let spinner = spinner(bytes, "putting messages in their places");
        let report = forest.import(readings, now())?;
        drop(spinner);
        Imported::new(forest, report)
    })?;
    if options.output.json {
        return print_json(&news.to_json());
    }
    news.tell()
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

/// What an import did, with everything that is told about it.
struct Imported {
    report: ImportReport,
    records: Vec<Arc<SessionRecord>>,
    /// The trees that the sessions live in, with what they cost.
    trees: Vec<(TreeSummary, FamilyCost)>,
}

impl Imported {
    fn new<S: Store>(forest: &Forest<S>, report: ImportReport) -> anyhow::Result<Self> {
        let mut records = Vec::new();
        let mut roots: Vec<RootId> = Vec::new();
        for session in &report.sessions {
            // A later session of the same import may have joined trees.
            records.extend(forest.store().session(session.session)?);
        }
        for record in &records {
            if !roots.contains(&record.root) {
                roots.push(record.root);
            }
        }
        let mut trees = Vec::new();
        for root in roots {
            let summary = TreeSummary::new(forest, forest.root(root)?)?;
            trees.push((summary, forest.family_cost(root)?));
        }
        Ok(Self { report, records, trees })
    }

    fn sessions(&self) -> impl Iterator<Item = (&ImportedSession, &SessionRecord)> {
        self.report.sessions.iter().zip(self.records.iter().map(|record| &**record))
    }

    fn tell(&self) -> anyhow::Result<()> {
        let prefix = id_length(self.records.iter().map(|record| &*record.id));
        let rows = self.sessions().map(|(session, record)| {
            let name = record.name.as_deref().unwrap_or_default();
            let id: String = record.id.chars().take(prefix).collect();
            vec![
                one_line(&id),
                news(session.news).to_owned(),
                session.messages.to_string(),
                shared(session, record).to_string(),
                record.root.to_string(),
                one_line(name),
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
        for (from, into) in &self.report.joined {
            say!("{from} turned out to be part of {into}; they are one tree now")?;
        }
        say!()?;
        for (summary, cost) in &self.trees {
            let counts = counts_in_words(summary);
            say!("{BOLD}{}{BOLD:#}  {counts}; {}", summary.root.id, costs(cost))?;
        }
        if self.report.sessions.iter().all(|session| session.news == News::Unchanged) {
            return say!("Nothing is new.");
        }
        if let [(summary, _)] = &*self.trees {
            say!("{DIM}pi-brain forest tree {}{DIM:#}", summary.root.id)?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let sessions = self.sessions().map(|(session, record)| {
            json!({
                "id": record.id,
                "name": record.name,
                "file": record.file,
                "root": record.root,
                "news": news(session.news),
                "entries": session.entries,
                "messages": session.messages,
                "shared": shared(session, record),
            })
        });
        let joined =
            self.report.joined.iter().map(|(from, into)| json!({ "root": from, "into": into }));
        let trees = self.trees.iter().map(|(summary, cost)| {
            let mut tree = json!(summary.view());
            tree["cost"] = json!({ "honest": cost.honest.cost, "naive": cost.naive.cost });
            tree
        });
        json!({
            "sessions": sessions.collect::<Vec<_>>(),
            "joined": joined.collect::<Vec<_>>(),
            "trees": trees.collect::<Vec<_>>(),
        })
    }
}

/// Returns how many of a session's new messages stood in the tree already.
fn shared(session: &ImportedSession, record: &SessionRecord) -> usize {
    let new = record.entries.len().saturating_sub(session.entries);
    let messages = record.entries[new..].iter().filter(|entry| entry.own).count();
    messages.saturating_sub(session.messages)
}

fn news(news: News) -> &'static str {
    match news {
        News::New => "new",
        News::Grown => "has grown",
        News::Rewritten => "was rewritten",
        News::Unchanged => "known",
    }
}

/// Says what a family cost, beside what somebody would get who adds up its files.
pub(crate) fn costs(cost: &FamilyCost) -> String {
    let (honest, naive) = (dollars(cost.honest.cost), dollars(cost.naive.cost));
    if cost.lines == cost.events {
        return honest;
    }
    format!("{honest} once, {naive} if every file is added up")
}
