//! Gathers what may answer a question: passages with its words, and what was said around them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use pi_brain_brain::{NodeId, NodeRef, Passage, Question, Voice};
use pi_brain_forest::{RootId, SessionNo};
use pi_brain_search::{
    EntryText, Extent, Hit, Key, MessageKey, Query, Request, Speaker, entry_text, search,
};
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, NodeRow, Order, SessionFile};

use super::Asked;
use super::period::Period;
use crate::app::App;
use crate::error::Result;
use crate::fresh::{FreshLine, FreshLines};
use crate::search::Lookup;
use crate::text::{EntryReader, SketchReader};

/// How many messages and nodes are found. So many cost as little as a few: the index ranks more in any case.
const FOUND: usize = 128;
/// Of so many families in which most was found, all of that is read; of the rest, what is among the first.
const FAMILIES: usize = 8;
const FIRST: usize = 16;
/// How many messages that were found are read at most.
const READ: usize = 40;
/// Around how many of them what else was said is read, and how many entries away.
const WITH_NEIGHBOURS: usize = 8;
const NEIGHBOURS: u32 = 16;
/// Of how many units of work the decisions are read.
const NODES: usize = 8;
/// How much of what a tool was given or printed is looked at, in bytes.
const DETAIL: usize = 3000;

/// Passages, and where each of them stands.
#[derive(Default)]
pub(super) struct Material {
    pub(super) passages: Vec<Passage>,
    pub(super) places: Vec<Place>,
}

/// Where a passage stands.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) session: Option<SessionFile>,
    pub(super) entry: String,
    pub(super) line: Option<u32>,
    pub(super) node: Option<NodeRow>,
    pub(super) project: String,
    pub(super) time: Option<Millis>,
}

impl App {
    /// Looks for passages with the words of a question; within a period first, if it names one.
    pub(super) fn gather(
        &self,
        question: &Question,
        period: Option<&Period>,
        asked: &Asked<'_>,
    ) -> Result<Material> {
        let words: Vec<&str> = question.words().collect();
        let mut query = Query::parse(&words.join(" "), asked.now)?;
        for (word, others) in question.words_in_other_words() {
            query.widen(word, others.iter().copied());
        }
        if let Some(period) = period {
            query.filters.after = Some(period.after);
            query.filters.before = Some(period.before);
        }
        let mut gathering = Gathering {
            lookup: Lookup::new(&self.store, &self.fresh),
            fresh: &self.fresh,
            material: Material::default(),
            wanted: BTreeMap::new(),
            nodes: Vec::new(),
            evidence: Evidence::default(),
        };
        let asking = asked.session.map(|id| Asking::find(self, id)).transpose()?;
        let allow = |key: Key| {
            asking.as_ref().is_none_or(|asking| !asking.says(key, self, &gathering.lookup))
        };
        let request = Request {
            limit: FOUND,
            offset: 0,
            now: Millis::from(asked.now.timestamp()),
            project: asked.project,
            allow: asking.is_some().then_some(&allow),
            // Sentences are chosen by what stands in them, so a message with all parts of a name in it will do here.
            details: None,
            counts: false,
        };
        let found = search(&self.index, &self.tail, &query, &request)?;
        gathering.take(&found.hits)?;
        gathering.read_messages()?;
        gathering.read_nodes()?;
        Ok(gathering.weighed())
    }
}

/// How much was found in each family. What a question is about was spoken of more than once where it was worked on, while
/// its words stand anywhere by chance.
#[derive(Default)]
struct Evidence {
    of_families: HashMap<RootId, f64>,
    most: f64,
}

impl Evidence {
    fn new(hits: &[Hit], fresh: &FreshLines) -> Self {
        let mut of_families: HashMap<RootId, f64> = HashMap::new();
        for hit in hits {
            if let Key::Message(key) = hit.key {
                *of_families.entry(family(key, fresh)).or_default() += hit.score;
            }
        }
        let most = of_families.values().copied().fold(0.0, f64::max);
        Self { of_families, most }
    }

    /// Returns the families in which most was found.
    fn best(&self, count: usize) -> HashSet<RootId> {
        let mut families: Vec<(&RootId, &f64)> = self.of_families.iter().collect();
        families.sort_by(|(one, less), (other, more)| more.total_cmp(less).then(one.cmp(other)));
        families.into_iter().take(count).map(|(family, _)| *family).collect()
    }

    /// Returns how much was found in a family, of the most that was found in one.
    fn share(&self, family: RootId) -> f64 {
        let sum = self.of_families.get(&family).copied().unwrap_or(0.0);
        if self.most > 0.0 { sum / self.most } else { 0.0 }
    }
}

/// Returns the family of a message, also of one that is not taken in yet.
fn family(key: MessageKey, fresh: &FreshLines) -> RootId {
    fresh.get(key).map_or_else(|| RootId::new(key.family), |line| line.session.root)
}

/// The session that a question is asked in, in all files that it stands in.
struct Asking {
    id: String,
    files: HashSet<(RootId, SessionNo)>,
    nodes: HashSet<NodeId>,
}

impl Asking {
    fn find(app: &App, id: &str) -> Result<Self> {
        let files = app.store.sessions_called(id)?;
        let filter = NodeFilter { session: Some(id.to_owned()), ..NodeFilter::default() };
        let (nodes, _) = app.store.nodes(&filter, Order::Newest, usize::MAX, 0)?;
        Ok(Self {
            id: id.to_owned(),
            files: files.iter().map(|file| (file.root, file.no)).collect(),
            nodes: nodes.iter().map(|node| node.id).collect(),
        })
    }

    /// Returns whether a document is from this session. What cannot be looked up is from none.
    fn says(&self, key: Key, app: &App, lookup: &Lookup<'_>) -> bool {
        match key {
            Key::Node(id) => self.nodes.contains(&NodeId::from_u64(id)),
            Key::Message(key) => {
                if let Some(line) = app.fresh.get(key) {
                    return line.session.id == self.id;
                }
                let root = RootId::new(key.family);
                // Most documents are from other families: nothing is read for them.
                self.files.iter().any(|(own, _)| *own == root)
                    && lookup.citation(key).is_ok_and(|found| {
                        found.is_some_and(|(_, at)| self.files.contains(&(root, at.session)))
                    })
            }
        }
    }
}

/// Entries of one session that are to be read, and whether each lies on a branch that was given up.
type Entries = BTreeMap<u32, bool>;

struct Gathering<'a> {
    lookup: Lookup<'a>,
    fresh: &'a FreshLines,
    material: Material,
    wanted: BTreeMap<(RootId, SessionNo), Wanted>,
    nodes: Vec<NodeId>,
    evidence: Evidence,
}

#[derive(Default)]
struct Wanted {
    hits: Entries,
    neighbours: BTreeSet<u32>,
}

impl Gathering<'_> {
    /// Takes what is worth reading of what was found, the best first.
    fn take(&mut self, hits: &[Hit]) -> Result<()> {
        self.evidence = Evidence::new(hits, self.fresh);
        let best = self.evidence.best(FAMILIES);
        let (mut read, mut with_neighbours) = (0, 0);
        for (rank, hit) in hits.iter().enumerate() {
            let key = match hit.key {
                Key::Node(id) => {
                    self.note_node(NodeId::from_u64(id));
                    continue;
                }
                Key::Message(key) => key,
            };
            let is_of_best = best.contains(&family(key, self.fresh));
            if read == READ || !(is_of_best || rank < FIRST) {
                continue;
            }
            read += 1;
            match self.fresh.get(key) {
                Some(line) => self.take_fresh(line),
                None => {
                    let with_others = is_of_best && with_neighbours < WITH_NEIGHBOURS;
                    with_neighbours += usize::from(with_others);
                    self.want(key, with_others)?;
                }
            }
        }
        Ok(())
    }

    fn note_node(&mut self, id: NodeId) {
        if self.nodes.len() < NODES && !self.nodes.contains(&id) {
            self.nodes.push(id);
        }
    }

    fn want(&mut self, key: MessageKey, with_neighbours: bool) -> Result<()> {
        let root = RootId::new(key.family);
        let Some((map, citation)) = self.lookup.citation(key)? else { return Ok(()) };
        let wanted = self.wanted.entry((root, citation.session)).or_default();
        wanted.hits.insert(citation.entry, citation.abandoned);
        let work = map.segment(citation.session, citation.entry);
        if with_neighbours {
            let first = citation.entry.saturating_sub(NEIGHBOURS);
            wanted.neighbours.extend(first..=citation.entry.saturating_add(NEIGHBOURS));
        }
        if let Some(id) = work {
            self.note_node(id);
        }
        Ok(())
    }

    /// Reads the messages that are wanted, file by file.
    fn read_messages(&mut self) -> Result<()> {
        for ((root, no), Wanted { mut hits, neighbours }) in std::mem::take(&mut self.wanted) {
            let map = self.lookup.map(root)?;
            // What a fork repeats is cited from the original, and is no neighbour here.
            let spoken: HashSet<u32> =
                neighbours.into_iter().filter(|entry| !hits.contains_key(entry)).collect();
            if !spoken.is_empty() {
                let near = map
                    .messages()
                    .filter(|citation| citation.session == no && spoken.contains(&citation.entry));
                hits.extend(near.map(|citation| (citation.entry, citation.abandoned)));
            }
            let Some(file) = self.lookup.session(no)? else { continue };
            // A file that is gone or was rewritten will be noticed with the next refresh.
            let Ok(mut reader) = EntryReader::open(Path::new(&file.path)) else { continue };
            let mut sketches = SketchReader::new(self.lookup.store, no);
            for (entry, is_abandoned) in hits {
                let Some(sketch) = sketches.read(entry)? else { continue };
                if spoken.contains(&entry) && !sketch.speaks {
                    continue;
                }
                let Ok((parsed, raw)) = reader.read(sketch) else { continue };
                let Some(text) = entry_text(&parsed, raw, Extent::default()) else { continue };
                let node = match map.segment(no, entry) {
                    Some(id) => self.lookup.node_row(id)?,
                    None => None,
                };
                let place = Place {
                    session: Some(file.clone()),
                    entry: sketch.id.as_deref().unwrap_or_default().to_owned(),
                    line: Some(sketch.line),
                    node,
                    project: file.project.clone(),
                    time: sketch.time,
                };
                self.material.take(text, &place, entry, is_abandoned);
            }
        }
        Ok(())
    }

    fn take_fresh(&mut self, fresh: &FreshLine) {
        let FreshLine { session, sketch, abandoned } = fresh;
        let Ok(mut reader) = EntryReader::open(Path::new(&session.path)) else { return };
        let Ok((entry, raw)) = reader.read(sketch) else { return };
        let Some(text) = entry_text(&entry, raw, Extent::default()) else { return };
        let place = Place {
            session: Some(session.clone()),
            entry: sketch.id.as_deref().unwrap_or_default().to_owned(),
            line: Some(sketch.line),
            node: None,
            project: session.project.clone(),
            time: sketch.time,
        };
        self.material.take(text, &place, sketch.line, *abandoned);
    }

    /// Reads what was noted of the units of work: which entries decide something, and what no entry shows.
    fn read_nodes(&mut self) -> Result<()> {
        for id in std::mem::take(&mut self.nodes) {
            if self.lookup.store.is_hidden(id)? {
                continue;
            }
            let Some(row) = self.lookup.node_row(id)? else { continue };
            // A node whose file is gone has nothing to say.
            let Ok(Some(node)) = self.lookup.store.node(NodeRef { id, version: None }) else {
                continue;
            };
            let evidence = node.ext.as_ref().map(|ext| &ext.evidence);
            let shown = |path: &str| {
                evidence
                    .and_then(|evidence| evidence.get(path))
                    .filter(|entries| !entries.is_empty())
            };
            let mut deciding: HashSet<&str> = HashSet::new();
            let mut noted = Vec::new();
            for (at, decision) in node.content.key_decisions.iter().enumerate() {
                match shown(&format!("content.keyDecisions[{at}]")) {
                    Some(entries) => deciding.extend(entries.iter().map(String::as_str)),
                    None => noted.push((format!("{}\n{}", decision.what, decision.why), true)),
                }
            }
            for (level, lessons) in node.lessons.by_level() {
                let level = pi_brain_brain::word(&level);
                for (at, lesson) in lessons.iter().enumerate() {
                    if shown(&format!("lessons.{level}[{at}]")).is_none() {
                        noted.push((format!("{}\n{}", lesson.summary, lesson.details), false));
                    }
                }
            }
            let Material { passages, places } = &mut self.material;
            for (passage, place) in passages.iter_mut().zip(&*places) {
                let is_here = place.node.as_ref().is_some_and(|node| node.id == id);
                passage.is_decision |= is_here && deciding.contains(&*place.entry);
            }
            if noted.is_empty() {
                continue;
            }
            let session = self.lookup.store.session_of_node(id)?;
            let line = match &session {
                Some(session) => self.lookup.line_of(session, id, &row.start_entry)?,
                None => None,
            };
            let place = Place {
                entry: row.start_entry.clone(),
                line,
                project: row.project.clone(),
                time: Some(row.started),
                session,
                node: Some(row),
            };
            for (text, is_decision) in noted {
                self.material.push(text, Voice::Note, &place, 0, false);
                if let Some(last) = self.material.passages.last_mut() {
                    last.is_decision = is_decision;
                }
            }
        }
        Ok(())
    }

    /// Returns what was read, each with how much was found where it comes from.
    fn weighed(mut self) -> Material {
        let Material { passages, places } = &mut self.material;
        for (passage, place) in passages.iter_mut().zip(places) {
            let family = place.session.as_ref().map(|session| session.root);
            passage.evidence = family.map_or(0.0, |family| self.evidence.share(family));
        }
        self.material
    }
}

impl Material {
    /// Takes what an entry says, and apart from it what it gives to tools or has from them.
    fn take(&mut self, text: EntryText, place: &Place, position: u32, is_abandoned: bool) {
        let voice = match text.speaker {
            Speaker::User => Voice::Person,
            Speaker::Assistant => Voice::Model,
            Speaker::Tool => Voice::Tool,
            Speaker::Summary | Speaker::Extension => Voice::Summary,
        };
        if !text.body.trim().is_empty() {
            self.push(text.body, voice, place, position, is_abandoned);
        }
        let mut detail = text.detail;
        if !detail.trim().is_empty() {
            let end = (0..=DETAIL.min(detail.len())).rev().find(|at| detail.is_char_boundary(*at));
            detail.truncate(end.unwrap_or(0));
            self.push(detail, Voice::Tool, place, position, is_abandoned);
        }
    }

    fn push(
        &mut self,
        text: String,
        voice: Voice,
        place: &Place,
        position: u32,
        is_abandoned: bool,
    ) {
        let session = place.session.as_ref().map_or(u32::MAX, |session| session.no.number());
        let node = place.node.as_ref();
        // Sessions are numbered from below, names of nodes are spread over all numbers.
        let work = node.map_or(u64::from(session), |node| node.id.as_u64());
        let about = node
            .map(|node| format!("{}\n{}", node.goal.as_deref().unwrap_or_default(), node.summary));
        self.passages.push(Passage {
            text,
            voice,
            time: place.time,
            session,
            position,
            work,
            project: place.project.clone(),
            about: about.unwrap_or_default(),
            is_abandoned,
            is_decision: false,
            evidence: 0.0,
        });
        self.places.push(place.clone());
    }
}
