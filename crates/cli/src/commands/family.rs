//! `pi-brain session family`: a session and its forks as one tree, each message once.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use pi_brain_forest::{
    FamilyCost, Forest, MemoryStore, NodeId, Outline, SessionNo, SessionRecord, Store,
    find_relatives,
};
use pi_brain_session::{EntryId, Log, Millis};
use serde_json::{Value, json};

use super::drawing::draw as draw_tree;
use super::forest::import::{costs, read};
use super::forest::outline::{Marks, Picture};
use super::forest::words::describe;
use super::print_json;
use crate::args::FamilyOptions;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::{Locations, by_listed_name};
use crate::mint::now;
use crate::open::{size_of, spinner};
use crate::pager::Output;
use crate::table::{Column, draw, fit, how_many};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &FamilyOptions) -> anyhow::Result<()> {
    let known = locations.sessions.files();
    let path = by_listed_name(&known, locations.find_session(&options.read.session)?);
    let files = find_relatives(&known, &path);
    let readings = read(locations, &files, std::slice::from_ref(&path))?;
    let spinner = spinner(files.iter().map(|file| size_of(file)).sum(), "merging");
    let mut forest = Forest::new(MemoryStore::default());
    forest.import(readings, now())?;
    let family = Family::new(&forest, &path)?;
    drop(spinner);
    if options.read.json {
        return print_json(&family.to_json()?);
    }
    family.print(options.full)
}

/// A session with its relatives, merged.
struct Family<'a> {
    forest: &'a Forest<MemoryStore>,
    /// Oldest first.
    sessions: Vec<Arc<SessionRecord>>,
    /// The session that was asked for.
    asked: Arc<SessionRecord>,
    /// The ids of all entries, in file order.
    ids: HashMap<SessionNo, Vec<Option<EntryId>>>,
    outline: Outline,
    marks: Marks,
    cost: FamilyCost,
    /// For each message, the lines that say it.
    occurrences: Vec<Vec<(SessionNo, u32)>>,
}

impl<'a> Family<'a> {
    fn new(forest: &'a Forest<MemoryStore>, path: &Path) -> anyhow::Result<Self> {
        let mut sessions = forest.store().sessions()?;
        let file = path.to_string_lossy();
        let asked = sessions.iter().find(|session| session.file == file);
        let asked = Arc::clone(asked.expect("a session that could be read was imported"));
        sessions.retain(|session| session.root == asked.root);
        sessions.sort_by_key(|session| (session.created, session.no));
        let mut ids = HashMap::new();
        for session in &sessions {
            let log = Log::read(forest.session_reader(session.no)?)?;
            let list = log.entries().iter().map(|entry| entry.id.clone()).collect();
            ids.insert(session.no, list);
        }
        let outline = Outline::new(forest, asked.root.into())?;
        let occurrences = outline.nodes.iter().map(|node| forest.store().occurrences(node.id));
        Ok(Self {
            forest,
            occurrences: occurrences.collect::<Result<_, _>>()?,
            marks: Marks::new(forest)?,
            cost: forest.family_cost(asked.root)?,
            sessions,
            asked,
            ids,
            outline,
        })
    }

    fn entries(&self) -> usize {
        self.sessions.iter().map(|session| session.entries.len()).sum()
    }

    /// Returns the messages that only one session has, in the order of reading, for each session.
    fn own_messages(&self) -> HashMap<SessionNo, Vec<usize>> {
        let mut own: HashMap<SessionNo, Vec<usize>> = HashMap::new();
        for at in self.outline.in_reading_order() {
            let mut sessions: Vec<SessionNo> =
                self.occurrences[at].iter().map(|(session, _)| *session).collect();
            sessions.dedup();
            if let [only] = *sessions {
                own.entry(only).or_default().push(at);
            }
        }
        own
    }

    fn entry_id(&self, (session, entry): (SessionNo, u32)) -> Option<&EntryId> {
        self.ids.get(&session)?.get(usize::try_from(entry).ok()?)?.as_ref()
    }

    fn print(&self, full: bool) -> anyhow::Result<()> {
        let mut out = Output::open(true, None);
        let written = self.write(&mut out, full);
        out.finish()?;
        written
    }

    fn write(&self, out: &mut impl Write, full: bool) -> anyhow::Result<()> {
        let counts = self.outline.counts();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}, {}, {}, {}, {}",
            how_many(self.sessions.len(), "session", "sessions"),
            how_many(self.entries(), "entry", "entries"),
            how_many(counts.messages, "message", "messages"),
            how_many(counts.branch_points, "branch point", "branch points"),
            how_many(counts.leaves, "leaf", "leaves"),
        )?;
        writeln!(out, "{}", costs(&self.cost))?;
        writeln!(out, "\n{}\n", self.table()?)?;
        let names = self.names();
        let end = Some(self.asked.leaf);
        let picture = Picture::new(self.forest, &self.outline, &self.marks, end, full);
        draw_tree(out, &picture.with_names(&names), full)?;
        if self.sessions.len() == 1 {
            writeln!(
                out,
                "\n{DIM}It has no forks, and is no fork of a session that is here.{DIM:#}"
            )?;
        }
        Ok(())
    }

    fn table(&self) -> anyhow::Result<String> {
        let own = self.own_messages();
        let now = now();
        let mut rows = Vec::new();
        for session in &self.sessions {
            let own = own.get(&session.no).map_or(&[][..], Vec::as_slice);
            let mark = if session.no == self.asked.no { "◆" } else { "" };
            let messages = session.entries.iter().filter(|entry| entry.own).count();
            rows.push(vec![
                mark.to_owned(),
                self.marks.short_id(session),
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
            (None, Some(&first)) => self.words(first)?,
            (None, None) => "(nothing of its own)".to_owned(),
        })
    }

    fn words(&self, at: usize) -> anyhow::Result<String> {
        Ok(describe(self.forest, self.outline.nodes[at].id)?.words)
    }

    /// Names messages by their entries, if possible of the session that was asked for.
    fn names(&self) -> HashMap<NodeId, String> {
        const SHOWN: usize = 8;
        let name = |at: usize| {
            let lines = &self.occurrences[at];
            let here = lines.iter().find(|(session, _)| *session == self.asked.no);
            let id = self.entry_id(*here.or(lines.first())?)?;
            Some((self.outline.nodes[at].id, one_line(id.as_str()).chars().take(SHOWN).collect()))
        };
        (0..self.outline.nodes.len()).filter_map(name).collect()
    }

    fn to_json(&self) -> anyhow::Result<Value> {
        let counts = self.outline.counts();
        let order = self.outline.in_reading_order();
        // Numbers in the order of reading: ids of a forest that nobody keeps would only mislead.
        let mut numbers = vec![0; order.len()];
        for (number, &at) in order.iter().enumerate() {
            numbers[at] = number + 1;
        }
        let ids: HashMap<SessionNo, &str> =
            self.sessions.iter().map(|session| (session.no, &*session.id)).collect();
        let tree: anyhow::Result<Vec<Value>> =
            order.iter().map(|&at| self.node_to_json(at, &numbers, &ids)).collect();
        let own = self.own_messages();
        let sessions = self.sessions.iter().map(|session| {
            let leaf = self.forest.place(session.leaf).ok();
            json!({
                "file": session.file,
                "id": session.id,
                "name": session.name,
                "cwd": session.cwd,
                "parentSession": session.parent_session,
                "created": session.created,
                "last": last_time(session),
                "entries": session.entries.len(),
                "messages": session.entries.iter().filter(|entry| entry.own).count(),
                "ownMessages": own.get(&session.no).map_or(0, Vec::len),
                "leaf": leaf.and_then(|leaf| self.outline.find(leaf)).map(|at| numbers[at]),
            })
        });
        Ok(json!({
            "sessions": sessions.collect::<Vec<_>>(),
            "entries": self.entries(),
            "messages": counts.messages,
            "branchPoints": counts.branch_points,
            "leaves": counts.leaves,
            "cost": { "honest": self.cost.honest.cost, "naive": self.cost.naive.cost },
            "tree": tree?,
        }))
    }

    fn node_to_json(
        &self,
        at: usize,
        numbers: &[usize],
        session_ids: &HashMap<SessionNo, &str>,
    ) -> anyhow::Result<Value> {
        let node = &self.outline.nodes[at];
        let lines = self.occurrences[at].iter().map(|&(session, entry)| {
            json!({ "session": session_ids.get(&session), "entry": self.entry_id((session, entry)) })
        });
        let children = self.outline.children[at].iter().map(|&child| numbers[child]);
        Ok(json!({
            "id": numbers[at],
            "parent": self.outline.parents[at].map(|parent| numbers[parent]),
            "children": children.collect::<Vec<_>>(),
            "role": node.role,
            "created": node.metadata.created,
            "words": fit(&self.words(at)?, 200),
            "labels": self.marks.labels.get(&node.id).map_or(&[][..], Vec::as_slice),
            "occurrences": lines.collect::<Vec<_>>(),
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
