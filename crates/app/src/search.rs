//! Finding messages and nodes, and saying where they stand.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Zoned;
use pi_brain_brain::{NodeId, NodeRef, Sketch};
use pi_brain_forest::{RootId, SessionNo};
use pi_brain_search::{
    Extent, Filters, Key, MessageKey, Query, Request, Snippet, Speaker, entry_text, search, snippet,
};
use pi_brain_session::Millis;
use pi_brain_store::{Citation, FamilyMap, NodeRow, SessionFile, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::Result;
use crate::fresh::{FreshLine, FreshLines};
use crate::indexing::node_text;
use crate::text::{EntryReader, SketchReader};

/// What somebody looks for, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The query, in the query language.
    pub query: &'a str,
    /// How many results.
    pub limit: usize,
    /// How many to pass over.
    pub offset: usize,
    /// The present time, in the user's time zone.
    pub now: &'a Zoned,
    /// The project that the user is in.
    pub project: Option<&'a str>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The best results first.
    pub results: Vec<FoundItem>,
    /// How many there are.
    pub total: u64,
}

/// A message or a node that was found.
#[derive(Clone, Debug)]
pub struct FoundItem {
    /// How good it is.
    pub score: f64,
    /// What it is.
    pub what: FoundKind,
    /// The unit of work that it belongs to; a message of an open segment belongs to none yet.
    pub node: Option<NodeRow>,
    /// The session that it can be read in; that of a node may be gone.
    pub session: Option<SessionFile>,
    /// The entry's id; a node is cited by its first entry.
    pub entry: String,
    /// The line of the session file.
    pub line: Option<u32>,
    /// The working directory.
    pub project: String,
    /// When it was said, or when the work began.
    pub time: Option<Millis>,
    /// The place of the words that were looked for.
    pub snippet: Snippet,
    /// The text that this is cut from. Who takes secrets out needs it: half a secret is not known as one.
    pub text: String,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// Something that was said.
    Message {
        /// Who says it.
        speaker: Speaker,
        /// Whether it lies on no way that any file of the family is on.
        abandoned: bool,
    },
    /// A unit of work.
    Node,
}

/// What programs are told of something that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundRow {
    /// `message` or `node`.
    pub kind: &'static str,
    /// How good it is.
    pub score: f64,
    /// The unit of work that it belongs to; a message of an open segment belongs to none yet.
    pub node: Option<NodeId>,
    /// The session's id.
    pub session: Option<String>,
    /// The entry's id; a node is cited by its first entry.
    pub entry: String,
    /// The session file, unless it is gone.
    pub file: Option<String>,
    /// The line of the session file.
    pub line: Option<u32>,
    /// The working directory.
    pub project: String,
    /// When it was said, or when the work began.
    pub time: Option<Millis>,
    /// `active` or `abandoned`; a node is on no branch.
    pub branch: Option<&'static str>,
    /// The place of the words that were looked for.
    pub snippet: String,
}

impl From<&FoundItem> for FoundRow {
    fn from(item: &FoundItem) -> Self {
        let (kind, branch) = match item.what {
            FoundKind::Message { abandoned, .. } => {
                ("message", Some(if abandoned { "abandoned" } else { "active" }))
            }
            FoundKind::Node => ("node", None),
        };
        Self {
            kind,
            score: item.score,
            node: item.node.as_ref().map(|node| node.id),
            session: item.session.as_ref().map(|session| session.id.clone()),
            entry: item.entry.clone(),
            file: item.session.as_ref().map(|session| session.path.clone()),
            line: item.line,
            project: item.project.clone(),
            time: item.time,
            branch,
            snippet: item.snippet.text.clone(),
        }
    }
}

/// How much of a text is shown around the words that were looked for, in characters.
const SNIPPET: usize = 220;

impl App {
    /// Finds messages and nodes.
    pub fn search(&self, wanted: &Wanted<'_>) -> Result<Found> {
        let query = Query::parse(wanted.query, wanted.now)?;
        let lookup = Lookup::new(&self.store, &self.fresh);
        let filters = &query.filters;
        let asks_for_nodes = !filters.types.is_empty() || !filters.outcomes.is_empty();
        let allow = |key: Key| lookup.allows(key, &query);
        let is_needed = filters.abandoned.is_some() || asks_for_nodes;
        let details = |keys: &[Key]| lookup.details(keys);
        let request = Request {
            limit: wanted.limit,
            offset: wanted.offset,
            now: Millis::from(wanted.now.timestamp()),
            project: wanted.project,
            allow: is_needed.then_some(&allow),
            details: Some(&details),
            counts: true,
        };
        let hits = search(&self.index, &self.tail, &query, &request)?;
        let mut results = Vec::with_capacity(hits.hits.len());
        for hit in hits.hits {
            let item = match hit.key {
                Key::Message(key) => lookup.message(key, &query)?,
                Key::Node(id) => lookup.node(NodeId::from_u64(id), &query)?,
            };
            results.extend(item.map(|item| FoundItem { score: hit.score, ..item }));
        }
        Ok(Found { results, total: hits.total })
    }
}

/// Looks up what hits are about; families and sessions are read once.
pub(crate) struct Lookup<'a> {
    pub(crate) store: &'a Store,
    fresh: &'a FreshLines,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    maps: HashMap<RootId, Arc<FamilyMap>>,
    nodes: HashMap<NodeId, Option<NodeRow>>,
    sessions: HashMap<SessionNo, Option<SessionFile>>,
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(store: &'a Store, fresh: &'a FreshLines) -> Self {
        Self { store, fresh, seen: Mutex::default() }
    }

    pub(crate) fn map(&self, root: RootId) -> Result<Arc<FamilyMap>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = seen.maps.get(&root) {
            return Ok(Arc::clone(map));
        }
        let map = Arc::new(self.store.map(root)?.unwrap_or_default());
        seen.maps.insert(root, Arc::clone(&map));
        Ok(map)
    }

    pub(crate) fn node_row(&self, id: NodeId) -> Result<Option<NodeRow>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(row) = seen.nodes.get(&id) {
            return Ok(row.clone());
        }
        let row = self.store.node_row(id)?;
        seen.nodes.insert(id, row.clone());
        Ok(row)
    }

    pub(crate) fn session(&self, no: SessionNo) -> Result<Option<SessionFile>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = seen.sessions.get(&no) {
            return Ok(session.clone());
        }
        let session = self.store.session(no)?;
        seen.sessions.insert(no, session.clone());
        Ok(session)
    }

    pub(crate) fn citation(&self, key: MessageKey) -> Result<Option<(Arc<FamilyMap>, Citation)>> {
        let map = self.map(RootId::new(key.family))?;
        let citation = map.message(key.number);
        Ok(citation.map(|citation| (map, citation)))
    }

    /// Returns the unit of work that a message belongs to, unless that is still open.
    fn node_at(&self, map: &FamilyMap, citation: &Citation) -> Result<Option<NodeRow>> {
        match map.segment(citation.session, citation.entry) {
            Some(id) => self.node_row(id),
            None => Ok(None),
        }
    }

    /// Decides about a document by what the index does not know. What cannot be looked up is not found.
    fn allows(&self, key: Key, query: &Query) -> bool {
        let filters = &query.filters;
        match key {
            // The index knows types and outcomes of nodes; branches have none.
            Key::Node(_) => filters.abandoned.is_none(),
            Key::Message(key) => {
                let is_on_branch = |is_abandoned: bool| {
                    filters.abandoned.is_none_or(|abandoned| abandoned == is_abandoned)
                };
                if let Some(line) = self.fresh.get(key) {
                    return is_on_branch(line.abandoned) && is_wanted_node(None, filters);
                }
                let Ok(Some((map, citation))) = self.citation(key) else { return false };
                is_on_branch(citation.abandoned) && self.has_wanted_node(&map, &citation, filters)
            }
        }
    }

    fn has_wanted_node(&self, map: &FamilyMap, citation: &Citation, filters: &Filters) -> bool {
        let asks = !filters.types.is_empty() || !filters.outcomes.is_empty();
        !asks
            || self.node_at(map, citation).is_ok_and(|node| is_wanted_node(node.as_ref(), filters))
    }

    fn message(&self, key: MessageKey, query: &Query) -> Result<Option<FoundItem>> {
        if let Some(FreshLine { session, sketch, abandoned }) = self.fresh.get(key) {
            return Ok(read_back(session.clone(), sketch, None, *abandoned, query));
        }
        let Some((map, citation)) = self.citation(key)? else { return Ok(None) };
        let node = self.node_at(&map, &citation)?;
        let Some(file) = self.session(citation.session)? else { return Ok(None) };
        let mut sketches = SketchReader::new(self.store, citation.session);
        let Some(sketch) = sketches.read(citation.entry)? else { return Ok(None) };
        Ok(read_back(file, sketch, node, citation.abandoned, query))
    }

    /// Reads what tools were given or printed in messages, and the small print of nodes; `None` where that is not possible.
    fn details(&self, keys: &[Key]) -> Vec<Option<String>> {
        let mut details = vec![None; keys.len()];
        let mut by_session: BTreeMap<SessionNo, Vec<(u32, usize)>> = BTreeMap::new();
        for (at, key) in keys.iter().enumerate() {
            match *key {
                Key::Node(id) => {
                    let node = NodeRef { id: NodeId::from_u64(id), version: None };
                    let node = self.store.node(node).ok().flatten();
                    details[at] = node.map(|node| node_text(&node).1);
                }
                Key::Message(key) => match (self.fresh.get(key), self.citation(key)) {
                    (Some(FreshLine { session, sketch, .. }), _) => {
                        let reader = EntryReader::open(Path::new(&session.path));
                        details[at] =
                            reader.ok().and_then(|mut reader| detail(&mut reader, sketch));
                    }
                    (None, Ok(Some((_, citation)))) => {
                        by_session.entry(citation.session).or_default().push((citation.entry, at));
                    }
                    (None, _) => {}
                },
            }
        }
        for (no, mut entries) in by_session {
            let Ok(Some(session)) = self.session(no) else { continue };
            let Ok(mut reader) = EntryReader::open(Path::new(&session.path)) else { continue };
            let mut sketches = SketchReader::new(self.store, no);
            entries.sort_unstable();
            for (entry, at) in entries {
                if let Ok(Some(sketch)) = sketches.read(entry) {
                    details[at] = detail(&mut reader, sketch);
                }
            }
        }
        details
    }

    /// Finds out who speaks on a line, and whether that was given up; `None` if it cannot be read any more.
    pub(crate) fn what_is_said(
        &self,
        session: &SessionFile,
        line: u64,
    ) -> Result<Option<FoundKind>> {
        let Some(outline) = self.store.outline(session.no)? else { return Ok(None) };
        let entries = &outline.entries;
        let Some(at) = entries.iter().position(|sketch| u64::from(sketch.line) == line) else {
            return Ok(None);
        };
        let Ok(mut reader) = EntryReader::open(Path::new(&session.path)) else { return Ok(None) };
        let Ok((entry, raw)) = reader.read(&entries[at]) else { return Ok(None) };
        let extent = Extent { thinking: true, whole_output: true };
        let Some(text) = entry_text(&entry, raw, extent) else { return Ok(None) };
        let map = self.map(session.root)?;
        let is_here =
            |citation: &Citation| citation.session == session.no && citation.entry as usize == at;
        // What a fork repeats is cited from the original; here it is on the way to the leaf, or given up.
        let is_off_the_way = || {
            let last = entries.len().checked_sub(1);
            let parent = |&at: &usize| entries[at].parent.map(|parent| parent as usize);
            !std::iter::successors(last, parent).any(|on_way| on_way == at)
        };
        let cited = map.messages().find(is_here).map(|citation| citation.abandoned);
        let abandoned = cited.unwrap_or_else(is_off_the_way);
        Ok(Some(FoundKind::Message { speaker: text.speaker, abandoned }))
    }

    fn node(&self, id: NodeId, query: &Query) -> Result<Option<FoundItem>> {
        let Some(row) = self.node_row(id)? else { return Ok(None) };
        let Ok(Some(node)) = self.store.node(NodeRef { id, version: None }) else {
            return Ok(None);
        };
        let session = self.store.session_of_node(id)?;
        let line = match &session {
            Some(session) => self.line_of(session, id, &row.start_entry)?,
            None => None,
        };
        let (body, detail) = node_text(&node);
        let whole = [body, detail].join("\n");
        Ok(Some(FoundItem {
            score: 0.0,
            what: FoundKind::Node,
            session,
            entry: row.start_entry.clone(),
            line,
            project: row.project.clone(),
            time: Some(row.started),
            snippet: snippet(whole.trim(), query, SNIPPET),
            text: whole,
            node: Some(row),
        }))
    }
    /// Returns the line that a node starts with.
    pub(crate) fn line_of(
        &self,
        session: &SessionFile,
        id: NodeId,
        start: &str,
    ) -> Result<Option<u32>> {
        let is_start = |sketch: &&Sketch| sketch.id.as_deref() == Some(start);
        if let Some(entry) = self.map(session.root)?.first_entry(session.no, id)
            && let Some(sketch) =
                SketchReader::new(self.store, session.no).read(entry)?.filter(is_start)
        {
            return Ok(Some(sketch.line));
        }
        let outline = self.store.outline(session.no)?;
        let sketches = outline.iter().flat_map(|outline| &outline.entries);
        Ok(sketches.filter(is_start).map(|sketch| sketch.line).next())
    }
}

/// Reads what tools were given or printed in a message back from its file.
fn detail(reader: &mut EntryReader, sketch: &Sketch) -> Option<String> {
    let (entry, raw) = reader.read(sketch).ok()?;
    Some(entry_text(&entry, raw, Extent::default())?.detail)
}

/// Reads a message back from its file. One that has just been rewritten or deleted is noticed with the next refresh.
fn read_back(
    file: SessionFile,
    sketch: &Sketch,
    node: Option<NodeRow>,
    abandoned: bool,
    query: &Query,
) -> Option<FoundItem> {
    let mut reader = EntryReader::open(Path::new(&file.path)).ok()?;
    let (entry, raw) = reader.read(sketch).ok()?;
    let text = entry_text(&entry, raw, Extent::default())?;
    let whole = [&*text.body, &*text.detail].join("\n");
    Some(FoundItem {
        score: 0.0,
        what: FoundKind::Message { speaker: text.speaker, abandoned },
        node,
        entry: sketch.id.as_deref().unwrap_or_default().to_owned(),
        line: Some(sketch.line),
        project: file.project.clone(),
        session: Some(file),
        time: sketch.time,
        snippet: snippet(whole.trim(), query, SNIPPET),
        text: whole,
    })
}

/// Returns whether the unit of work that a message belongs to is of a wanted type and outcome, if any are wanted.
pub(crate) fn is_wanted_node(node: Option<&NodeRow>, filters: &Filters) -> bool {
    let fits = |wanted: &[String], word: fn(&NodeRow) -> &str| {
        let is_it = |node: &NodeRow| wanted.iter().any(|one| one.eq_ignore_ascii_case(word(node)));
        wanted.is_empty() || node.is_some_and(is_it)
    };
    fits(&filters.types, |node| &node.node_type) && fits(&filters.outcomes, |node| &node.outcome)
}
