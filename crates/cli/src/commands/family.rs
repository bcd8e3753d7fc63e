//! `pi-brain session family`: a session and its forks as one tree, each message once.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use pi_brain_app::{CostView, Family};
use pi_brain_forest::{
    Forest, MemoryStore, NodeId, SessionNo, SessionRecord, Store, find_relatives,
};
use pi_brain_session::{Entry, Log, Millis};
use serde_json::{Value, json};

use super::drawing::draw as draw_tree;
use super::forest::import::{costs, read};
use super::forest::outline::{Marks, Picture};
use super::print_json;
use crate::args::FamilyOptions;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::{Locations, by_listed_name};
use crate::mint::now;
use crate::open::{size_of, spinner};
use crate::pager::Output;
use crate::table::{Column, draw, how_many};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &FamilyOptions) -> anyhow::Result<()> {
    let known = locations.sessions.files();
    let path = by_listed_name(&known, locations.find_session(&options.read.session)?);
    let files = find_relatives(&known, &path);
    let readings = read(locations, &files, std::slice::from_ref(&path))?;
    let spinner = spinner(files.iter().map(|file| size_of(file)).sum(), "merging");
    let mut forest = Forest::new(MemoryStore::default());
    forest.import(readings, now())?;
    let page = Page::new(&forest, &path)?;
    drop(spinner);
    if options.read.json {
        return print_json(&page.to_json()?);
    }
    page.print(options.full)
}

/// A family as it is shown.
struct Page<'a> {
    forest: &'a Forest<MemoryStore>,
    family: Family<'a, MemoryStore>,
    /// The session that was asked for.
    asked: Arc<SessionRecord>,
    marks: Marks,
}

impl<'a> Page<'a> {
    fn new(forest: &'a Forest<MemoryStore>, path: &Path) -> anyhow::Result<Self> {
        let file = path.to_string_lossy();
        let sessions = forest.store().sessions()?;
        let asked = sessions.into_iter().find(|session| session.file == file);
        let asked = asked.expect("a session that could be read was imported");
        let ids = |no: SessionNo| -> anyhow::Result<Vec<Option<Box<str>>>> {
            let log = Log::read(forest.session_reader(no)?)?;
            let id = |entry: &Entry| entry.id.as_ref().map(|id| id.as_str().into());
            Ok(log.entries().iter().map(id).collect())
        };
        let family = Family::new(forest, asked.no, ids)?;
        Ok(Self { forest, family, asked, marks: Marks::new(forest)? })
    }

    fn print(&self, full: bool) -> anyhow::Result<()> {
        let mut out = Output::open(true, None);
        let written = self.write(&mut out, full);
        out.finish()?;
        written
    }

    fn write(&self, out: &mut impl Write, full: bool) -> anyhow::Result<()> {
        let counts = self.family.outline.counts();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}, {}, {}, {}, {}",
            how_many(self.family.sessions.len(), "session", "sessions"),
            how_many(self.family.entries(), "entry", "entries"),
            how_many(counts.messages, "message", "messages"),
            how_many(counts.branch_points, "branch point", "branch points"),
            how_many(counts.leaves, "leaf", "leaves"),
        )?;
        writeln!(out, "{}", costs(&self.family.cost))?;
        writeln!(out, "\n{}\n", self.table()?)?;
        let names = self.names();
        let end = Some(self.asked.leaf);
        let picture = Picture::new(self.forest, &self.family.outline, &self.marks, end, full);
        draw_tree(out, &picture.with_names(&names), full)?;
        if self.family.sessions.len() == 1 {
            writeln!(
                out,
                "\n{DIM}It has no forks, and is no fork of a session that is here.{DIM:#}"
            )?;
        }
        Ok(())
    }

    fn table(&self) -> anyhow::Result<String> {
        let own = self.family.own_messages();
        let now = now();
        let mut rows = Vec::new();
        for session in &self.family.sessions {
            let own = own.get(&session.no).map_or(&[][..], Vec::as_slice);
            let mark = if session.no == self.asked.no { "◆" } else { "" };
            let messages = session.entries.iter().filter(|entry| entry.own).count();
            rows.push(vec![
                mark.to_owned(),
                self.marks.short_id(&session.id),
                last_time(session).map(|time| when::ago(time, now)).unwrap_or_default(),
                one_line(project(session)),
                messages.to_string(),
                own.len().to_string(),
                self.title(session, own)?,
            ]);
        }
        let columns = [
            Column::Text(""),
            Column::Text("ID"),
            Column::Text("WHEN"),
            Column::Text("PROJECT"),
            Column::Number("MSGS"),
            Column::Number("ONLY HERE"),
            Column::Rest("SESSION"),
        ];
        Ok(draw(&columns, &rows))
    }

    /// Says what a session is about: its name, else the first thing that only it has.
    fn title(&self, session: &SessionRecord, own: &[usize]) -> anyhow::Result<String> {
        Ok(match (&session.name, own.first()) {
            (Some(name), _) => one_line(name),
            (None, Some(&first)) => self.family.words(first)?,
            (None, None) => "(nothing of its own)".to_owned(),
        })
    }

    /// Names messages by their entries, if possible of the session that was asked for.
    fn names(&self) -> HashMap<NodeId, String> {
        const SHOWN: usize = 8;
        let nodes = &self.family.outline.nodes;
        let name = |at: usize| {
            let id = self.family.entry_of(at, self.asked.no)?;
            Some((nodes[at].id, one_line(id).chars().take(SHOWN).collect()))
        };
        (0..nodes.len()).filter_map(name).collect()
    }

    fn to_json(&self) -> anyhow::Result<Value> {
        let Family { outline, cost, .. } = &self.family;
        let counts = outline.counts();
        Ok(json!({
            "sessions": self.family.session_views(),
            "entries": self.family.entries(),
            "messages": counts.messages,
            "branchPoints": counts.branch_points,
            "leaves": counts.leaves,
            "cost": CostView::from(cost),
            "tree": self.family.message_views(0, usize::MAX)?,
        }))
    }
}

fn last_time(session: &SessionRecord) -> Option<Millis> {
    session.entries.iter().filter_map(|entry| entry.time).max()
}

/// Returns the last part of the working directory.
fn project(session: &SessionRecord) -> &str {
    let cwd = session.cwd.as_deref().unwrap_or_default();
    cwd.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}
