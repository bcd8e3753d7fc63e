//! `pi-brain session branches`: where the conversation went more than one way, and where each way ended.

use std::path::{Path, PathBuf};

use pi_brain_app::branch_views;
use pi_brain_session::{Branches, EntryId, Lineage, Millis, Session, View, fork_point};
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
    let Branches { list, points, .. } = Branches::new(session.log(), &tree);
    let found = branch_views(&session, &tree)?;
    let relatives = Relatives::find(locations, &session);
    if options.json {
        let relative = |(path, point): &(PathBuf, Option<EntryId>)| json!({ "path": path.to_string_lossy(), "lastShared": point });
        return print_json(&json!({
            "branches": found,
            "forkedFrom": relatives.parent.as_ref().map(relative),
            "forks": relatives.forks.iter().map(relative).collect::<Vec<_>>(),
        }));
    }
    say!(
        "{}, {}",
        how_many(list.len(), "branch", "branches"),
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
        let id = |id: &Option<String>| one_line(id.as_deref().unwrap_or_default());
        let time = branch.last_timestamp.as_deref().and_then(Millis::parse);
        let words = branch.first_words.clone();
        rows.push(vec![
            if branch.is_current { "◆" } else { "" }.to_owned(),
            id(&branch.leaf_id),
            branch.from_id.as_ref().map_or_else(|| "root".to_owned(), |_| id(&branch.from_id)),
            time.map(|time| when::ago(time, now)).unwrap_or_default(),
            branch.entry_count.to_string(),
            words.unwrap_or_else(|| "(nothing said here yet)".to_owned()),
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
