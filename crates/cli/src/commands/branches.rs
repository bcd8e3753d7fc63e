//! `pi-brain session branches`: where the conversation went more than one way, and where each way ended.

use std::io;
use std::path::{Path, PathBuf};

use pi_brain_session::{Branch, Branches, EntryId, Lineage, Millis, Session, View, fork_point};
use serde_json::json;

use super::{print_json, say};
use crate::args::ReadOptions;
use crate::describe::{BOLD, DIM, describe, one_line};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw, fit, how_many, room};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ReadOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.session, View::Repaired)?;
    let Branches { list, silent, points } = Branches::new(session.log(), &tree);
    let count = list.len();
    let found: Vec<Branch> = list.into_iter().chain(silent).collect();
    let current = tree.leaf();
    let relatives = Relatives::find(locations, &session);
    if options.json {
        let list: io::Result<Vec<_>> =
            found.iter().map(|branch| to_json(&session, branch, current)).collect();
        let relative = |(path, point): &(PathBuf, Option<EntryId>)| json!({ "path": path.to_string_lossy(), "lastShared": point });
        return print_json(&json!({
            "branches": list?,
            "forkedFrom": relatives.parent.as_ref().map(relative),
            "forks": relatives.forks.iter().map(relative).collect::<Vec<_>>(),
        }));
    }
    say!(
        "{}, {}",
        how_many(count, "branch", "branches"),
        how_many(points.len(), "branch point", "branch points")
    )?;
    for point in points {
        let words = describe(&session, point)?.words;
        say!("  {DIM}⑂ {}{DIM:#} {}", id(&session, point), fit(&words, room(16)))?;
    }
    relatives.print(locations)?;
    let now = now();
    let mut rows = Vec::new();
    for branch in &found {
        let mark = if branch.own.contains(&current.unwrap_or(usize::MAX)) { "◆" } else { "" };
        rows.push(vec![
            mark.to_owned(),
            id(&session, branch.leaf),
            branch.from.map_or_else(|| "root".to_owned(), |from| id(&session, from)),
            last_time(&session, branch).map(|time| when::ago(time, now)).unwrap_or_default(),
            branch.own.len().to_string(),
            first_words(&session, branch)?.unwrap_or_else(|| "(nothing said here yet)".to_owned()),
        ]);
    }
    let columns = [
        Column::Text(""),
        Column::Text("LEAF"),
        Column::Text("FROM"),
        Column::Text("AGE"),
        Column::Number("ENTRIES"),
        Column::Rest("BEGINS WITH"),
    ];
    say!("\n{}", draw(&columns, &rows))?;
    say!(
        "\n{BOLD}◆{BOLD:#} {DIM}where pi would continue. Go elsewhere: pi-brain session branch SESSION --at LEAF{DIM:#}"
    )
}

/// The sessions that this one was forked from or into, each with the last entry they share.
struct Relatives {
    parent: Option<(PathBuf, Option<EntryId>)>,
    forks: Vec<(PathBuf, Option<EntryId>)>,
}

impl Relatives {
    fn find(locations: &Locations, session: &Session) -> Self {
        let path = session.path().unwrap_or(Path::new(""));
        let lineage = Lineage::read(&locations.sessions.files());
        let last_shared = |original: &Session, fork: &Session| {
            fork_point(original, fork).and_then(|at| fork.log().entries()[at].id.clone())
        };
        let open = |path: &Path| Some((path.to_owned(), Session::open(path).ok()?));
        let parent = lineage.parent(path).and_then(open);
        let forks = lineage.children(path).into_iter().filter_map(open);
        Self {
            parent: parent.map(|(path, parent)| (path, last_shared(&parent, session))),
            forks: forks.map(|(path, fork)| (path, last_shared(session, &fork))).collect(),
        }
    }

    fn print(&self, locations: &Locations) -> anyhow::Result<()> {
        let words = |(path, point): &(PathBuf, Option<EntryId>)| {
            let point = point.as_ref().map(|id| format!(" after {}", one_line(id.as_str())));
            format!("{}{}", locations.display(path), point.unwrap_or_default())
        };
        if let Some(parent) = &self.parent {
            say!("  {DIM}forked from{DIM:#} {}", words(parent))?;
        }
        for fork in &self.forks {
            say!("  {DIM}forked into{DIM:#} {}", words(fork))?;
        }
        Ok(())
    }
}

fn id(session: &Session, at: usize) -> String {
    let id = session.log().entries()[at].id.as_ref().map_or("", EntryId::as_str);
    one_line(id)
}

fn last_time(session: &Session, branch: &Branch) -> Option<Millis> {
    branch.own.iter().filter_map(|&at| session.log().entries()[at].timestamp).max()
}

/// Returns how a branch begins: the first thing that was said on it, by a person if possible.
fn first_words(session: &Session, branch: &Branch) -> io::Result<Option<String>> {
    const SILENT: &[&str] =
        &["model", "thinking", "label", "name", "system", "custom", "usage", "edit"];
    let mut first = None;
    for &at in &branch.own {
        let description = describe(session, at)?;
        if description.who == "user" {
            return Ok(Some(description.words));
        }
        if first.is_none() && !SILENT.contains(&description.who) {
            first = Some(description.words).filter(|words| !words.is_empty());
        }
    }
    Ok(first)
}

fn to_json(
    session: &Session,
    branch: &Branch,
    current: Option<usize>,
) -> io::Result<serde_json::Value> {
    let entries = session.log().entries();
    Ok(json!({
        "leafId": entries[branch.leaf].id,
        "fromId": branch.from.and_then(|from| entries[from].id.as_ref()),
        "entryCount": branch.own.len(),
        "lastTimestamp": last_time(session, branch).map(|time| time.to_string()),
        "firstWords": first_words(session, branch)?,
        "isCurrent": current.is_some_and(|leaf| branch.own.contains(&leaf)),
    }))
}
