//! All sessions of a family as one session: what they share stands once, and every branch is there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use pi_brain_session::{
    Body, EntryId, Label, Log, Millis, Mint, Raw, Tree, current_form, header_line, labels,
    new_entry_id, new_session_id, quote, session_file_name,
};
use sha2::{Digest, Sha256};

use super::by_hand::{ByHand, called_tool, goes_on, joined};
use super::lines::{label_json, quoted_or_null, reference, rewritten};
use super::{ExportedSession, rewritten_meanwhile};
use crate::error::Result;
use crate::forest::Forest;
use crate::ids::{NodeId, Place, RootId};
use crate::message::Message;
use crate::node::Node;
use crate::sessions::{EventId, SessionRecord};
use crate::store::{Store, Which};

impl<S: Store> Forest<S> {
    /// Writes all sessions of a tree as one new session, in the order of time.
    ///
    /// Lines that say the same in the same place become one; each conversation stays as it was, with its settings
    /// and edits. The session goes on where the newest of them would. What was deleted is left out; labels follow
    /// at the end. Entries keep their ids, unless two different ones have the same.
    pub fn export_family(
        &self,
        root: RootId,
        cwd: Option<&str>,
        mint: &mut dyn Mint,
    ) -> Result<ExportedSession> {
        let root = self.root(root)?.id;
        let mut records = self.store.sessions()?;
        records.retain(|record| record.root == root);
        records.sort_by_key(|record| {
            (record.created.is_none(), record.created, record.id.clone(), record.no)
        });
        let now = mint.now();
        let id = new_session_id(mint, now);
        let oldest = records.first().cloned();
        let oldest = oldest.as_ref();
        let cwd = cwd.or_else(|| oldest?.cwd.as_deref()).unwrap_or("/").to_owned();
        let header = header_line(&id, now, &cwd, oldest.map(|record| &*record.file));
        let mut union = Union::new(self);
        // Those that have lost their beginning come when it is there.
        records.sort_by_key(|record| !record.adrift.is_empty());
        for record in records {
            union.add_session(record)?;
        }
        union.add_by_hand(root)?;
        let text = union.write(header, now, mint)?;
        Ok(ExportedSession { file_name: session_file_name(now, &id), id, cwd, text })
    }
}

/// The entries of many sessions, each once.
struct Union<'f, S> {
    forest: &'f Forest<S>,
    sources: Vec<Source>,
    entries: Vec<UnionEntry>,
    by_meaning: HashMap<(Option<usize>, Meaning), Vec<usize>>,
    /// The first entry that is a message.
    by_node: HashMap<NodeId, usize>,
    by_event: HashMap<EventId, usize>,
}

struct Source {
    record: Arc<SessionRecord>,
    log: Log,
    tree: Tree,
    spots: Vec<Spot>,
}

/// Where an entry of a session is among all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    /// Before the first one.
    Top,
    At(usize),
    /// Nowhere: it was deleted.
    Hidden,
}

struct UnionEntry {
    parent: Option<usize>,
    origin: Origin,
    is_message: bool,
    /// Never before that of its parent.
    time: i64,
    /// The last session that has it.
    source: usize,
}

enum Origin {
    Line { source: usize, at: usize },
    ByHand(Box<ByHand>),
}

/// What an entry says apart from its name, and what it refers to.
type Meaning = ([u8; 32], Option<Named>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Named {
    Itself,
    Entry(usize),
    Unknown(EntryId),
}

/// A message that is yet to be written.
struct Waiting {
    node: Arc<Node>,
    parent: Option<usize>,
    /// The text that it may go on with, and the message that ends it.
    begun: Option<(Message, Arc<Node>)>,
}

impl Waiting {
    fn after(parent: Option<usize>, node: Arc<Node>) -> Self {
        Self { node, parent, begun: None }
    }
}

impl<'f, S: Store> Union<'f, S> {
    fn new(forest: &'f Forest<S>) -> Self {
        Self {
            forest,
            sources: Vec::new(),
            entries: Vec::new(),
            by_meaning: HashMap::new(),
            by_node: HashMap::new(),
            by_event: HashMap::new(),
        }
    }

    fn add_session(&mut self, record: Arc<SessionRecord>) -> Result<()> {
        let (log, tree) = self.forest.read_index(&record)?;
        let spots = vec![Spot::Hidden; log.entries().len()];
        let number = self.sources.len();
        let mut source = Source { record, log, tree, spots };
        let mut hidden: HashMap<NodeId, bool> = HashMap::new();
        let mut open: VecDeque<usize> = source.tree.roots().iter().copied().collect();
        while let Some(at) = open.pop_front() {
            open.extend(source.tree.children(at));
            let place = source.record.entries[at].place;
            let is_hidden = match place {
                Place::Root(_) => false,
                Place::Node(node) => match hidden.get(&node) {
                    Some(&is_hidden) => is_hidden,
                    None => {
                        let node_there = self.forest.store.node(node)?;
                        let is_hidden = node_there.is_none_or(|node| !node.is_visible());
                        hidden.insert(node, is_hidden);
                        is_hidden
                    }
                },
            };
            let before = match source.tree.parent(at) {
                Some(parent) => source.spots[parent],
                None => self.beginning(&source, at),
            };
            source.spots[at] = match before {
                _ if is_hidden => Spot::Hidden,
                Spot::Hidden => Spot::Hidden,
                // What follows a label follows what the label follows: forks leave labels out.
                spot if source.is_label(at) => spot,
                Spot::Top => Spot::At(self.add_entry(number, &source, at, None)?),
                Spot::At(parent) => Spot::At(self.add_entry(number, &source, at, Some(parent))?),
            };
        }
        self.sources.push(source);
        Ok(())
    }

    /// Returns where an entry belongs that opens a tree in its session: if that is not where it began, then after
    /// what it follows in another session.
    fn beginning(&self, source: &Source, at: usize) -> Spot {
        let is_adrift = source.record.adrift.contains(&at);
        let event = source.record.entries[at].event.filter(|_| is_adrift);
        let same = event.and_then(|event| self.by_event.get(&event));
        same.and_then(|&same| self.entries[same].parent).map_or(Spot::Top, Spot::At)
    }

    /// Finds an entry that means the same in the same place, or makes one.
    fn add_entry(
        &mut self,
        number: usize,
        source: &Source,
        at: usize,
        parent: Option<usize>,
    ) -> Result<usize> {
        let entry = &source.log.entries()[at];
        let json = self.current_json(source, at)?;
        let raw = Raw::parse(json.as_bytes()).ok_or_else(|| rewritten_meanwhile(&source.record))?;
        let key = reference(&entry.body).map(|(key, _)| (key, None));
        let rest: Vec<_> = [("id", None), ("parentId", None)].into_iter().chain(key).collect();
        let words = Sha256::digest(raw.with_members(&rest)).into();
        // Where a branch was left is told by the branch; a copy of the path does not have it.
        let target = source.named(at).filter(|_| !matches!(entry.body, Body::BranchSummary { .. }));
        let named = target.map(|target| match target {
            Ok(target) if target == at => Named::Itself,
            Ok(target) => match source.spots[target] {
                Spot::At(target) => Named::Entry(target),
                _ => Named::Unknown(
                    source.log.entries()[target].id.clone().expect("found by its id"),
                ),
            },
            Err(id) => Named::Unknown(id.clone()),
        });
        let meaning = (parent, (words, named));
        let known = self.by_meaning.get(&meaning).into_iter().flatten().copied();
        // Two lines of one session are two entries, whatever they say.
        if let Some(known) = known.into_iter().find(|&known| self.entries[known].source != number) {
            self.entries[known].source = number;
            return Ok(known);
        }
        let record = &source.record.entries[at];
        let before = parent.map_or(i64::MIN, |parent| self.entries[parent].time);
        let time = entry.timestamp.or(record.time).map_or(before, |time| time.0.max(before));
        let new = self.entries.len();
        let origin = Origin::Line { source: number, at };
        self.entries.push(UnionEntry {
            parent,
            origin,
            is_message: record.own,
            time,
            source: number,
        });
        self.by_meaning.entry(meaning).or_default().push(new);
        if let Some(event) = record.event {
            self.by_event.entry(event).or_insert(new);
        }
        if let (true, Place::Node(node)) = (record.own, record.place) {
            self.by_node.entry(node).or_insert(new);
        }
        Ok(new)
    }

    fn current_json(&self, source: &Source, at: usize) -> Result<String> {
        let span = source.log.entries()[at].span.clone();
        let text = self.forest.store.session_text(source.record.no, span)?;
        let raw = Raw::parse(&text).ok_or_else(|| rewritten_meanwhile(&source.record))?;
        Ok(current_form(&source.log, at, raw))
    }

    /// Adds the messages that no session has. The pieces of a split text become one message again, once for each
    /// way in which it goes on.
    fn add_by_hand(&mut self, root: RootId) -> Result<()> {
        let store = &self.forest.store;
        let first = store.children(root.into(), Which::Visible)?.into_iter();
        let mut open: VecDeque<Waiting> = first.map(|node| Waiting::after(None, node)).collect();
        while let Some(Waiting { node, parent, begun }) = open.pop_front() {
            let children = store.children(node.id.into(), Which::Visible)?;
            if self.forest.is_imported(node.id)? {
                let here = self.by_node.get(&node.id).copied();
                open.extend(children.into_iter().map(|child| Waiting::after(here, child)));
                continue;
            }
            let mut said = Message::clone(&*store.message(node.id)?);
            if let Some((begun, before)) = &begun
                && goes_on(before, begun, &said)
            {
                said = joined(begun, before, &said);
            }
            let (mut going_on, mut following) = (Vec::new(), Vec::new());
            for child in children {
                let is_imported = self.forest.is_imported(child.id)?;
                if !is_imported && goes_on(&node, &said, &*store.message(child.id)?) {
                    going_on.push(child);
                } else {
                    following.push(child);
                }
            }
            if going_on.is_empty() || !following.is_empty() {
                let here = Some(self.say_by_hand(&node, &said, parent)?);
                open.extend(following.into_iter().map(|child| Waiting::after(here, child)));
            }
            let begun = Some((said, node));
            open.extend(going_on.into_iter().map(|node| Waiting {
                node,
                parent,
                begun: begun.clone(),
            }));
        }
        Ok(())
    }

    fn say_by_hand(&mut self, node: &Node, said: &Message, parent: Option<usize>) -> Result<usize> {
        let tool = called_tool(self.forest, said, node.parent)?;
        let by_hand = ByHand::new(said, &node.metadata, tool);
        let before = parent.map_or(i64::MIN, |parent| self.entries[parent].time);
        let time = by_hand.time.map_or(before, |time| time.0.max(before));
        let origin = Origin::ByHand(Box::new(by_hand));
        self.entries.push(UnionEntry {
            parent,
            origin,
            is_message: true,
            time,
            source: usize::MAX,
        });
        Ok(self.entries.len() - 1)
    }

    fn write(&self, header: String, now: Millis, mint: &mut dyn Mint) -> Result<String> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|&at| (self.entries[at].time, at));
        let mut names = Names::new(mint);
        let ids: Vec<EntryId> =
            self.entries.iter().map(|entry| names.give(self.name_before(entry))).collect();
        let mut text = header;
        let mut push = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        for &at in &order {
            push(&self.line(at, &ids, now, &mut names)?);
        }
        let labels = self.labels();
        let last = order.last().copied();
        let leaf = self.active().or(last);
        let mut parent = leaf.map(|leaf| ids[leaf].clone());
        for (target, label) in &labels {
            let id = names.give(None);
            push(&label_json(&id, parent.as_ref(), &ids[*target], label));
            parent = Some(id);
        }
        if labels.is_empty() && leaf != last {
            // The last line says where a session goes on, and the newest session goes on elsewhere.
            push(&format!(
                "{{\"type\":\"custom\",\"customType\":\"pi-brain-leaf\",\"id\":{},\"parentId\":{},\"timestamp\":{}}}",
                quote(names.give(None).as_str()),
                quoted_or_null(parent.as_ref()),
                quote(&now.to_string()),
            ));
        }
        Ok(text)
    }

    fn name_before(&self, entry: &UnionEntry) -> Option<&EntryId> {
        match entry.origin {
            Origin::Line { source, at } => self.sources[source].log.entries()[at].id.as_ref(),
            Origin::ByHand(_) => None,
        }
    }

    fn line(
        &self,
        at: usize,
        ids: &[EntryId],
        now: Millis,
        names: &mut Names<'_>,
    ) -> Result<String> {
        let entry = &self.entries[at];
        let (id, parent) = (&ids[at], entry.parent.map(|parent| &ids[parent]));
        let (source, at) = match &entry.origin {
            &Origin::Line { source, at } => (&self.sources[source], at),
            Origin::ByHand(said) => {
                let before = std::iter::successors(entry.parent, |&at| self.entries[at].parent);
                let mut messages = before.filter(|&at| self.entries[at].is_message);
                let first = said.kept().checked_sub(1).and_then(|more| messages.nth(more));
                let first = first.map_or(id, |first| &ids[first]);
                return Ok(said.json(id, parent, said.time.unwrap_or(now), first));
            }
        };
        let json = self.current_json(source, at)?;
        let raw = Raw::parse(json.as_bytes()).ok_or_else(|| rewritten_meanwhile(&source.record))?;
        let new_name = source.named(at).and_then(|named| match named {
            Ok(target) => match source.spots[target] {
                Spot::At(target) => Some(ids[target].clone()),
                _ => names.avoid(source.log.entries()[target].id.as_ref()?),
            },
            Err(id) => names.avoid(id),
        });
        Ok(rewritten(&source.log.entries()[at], raw, id, parent, |_| new_name.clone()))
    }

    /// Returns the labels in force; of several for one entry, the last one given.
    fn labels(&self) -> Vec<(usize, Label)> {
        let mut newest: BTreeMap<usize, (Option<Millis>, Label)> = BTreeMap::new();
        for source in &self.sources {
            for (target, label) in labels(&source.log) {
                let Some(Spot::At(target)) =
                    source.tree.find(target.as_str()).map(|target| source.spots[target])
                else {
                    continue;
                };
                let time = label.timestamp.as_deref().and_then(Millis::parse);
                if newest.get(&target).is_none_or(|(known, _)| *known <= time) {
                    newest.insert(target, (time, label));
                }
            }
        }
        newest.into_iter().map(|(target, (_, label))| (target, label)).collect()
    }

    /// Returns where the session that was written last goes on.
    fn active(&self) -> Option<usize> {
        let written = |source: &Source| {
            let last = source.log.entries().last()?;
            last.timestamp.or(source.record.entries.last()?.time)
        };
        let newest = self.sources.iter().filter(|source| !source.log.entries().is_empty());
        let newest = newest.min_by_key(|source| Reverse((written(source), source.record.no)))?;
        match newest.spots.last()? {
            Spot::At(at) => Some(*at),
            Spot::Top | Spot::Hidden => None,
        }
    }
}

impl Source {
    fn is_label(&self, at: usize) -> bool {
        matches!(self.log.entries()[at].body, Body::Label { .. })
    }

    /// Returns the entry that an entry names; `Err` if it is not in the session.
    ///
    /// Whoever names a label, which is left out, means what follows it on the path.
    fn named(&self, at: usize) -> Option<Result<usize, &EntryId>> {
        let (_, id) = reference(&self.log.entries()[at].body)?;
        let Some(target) = self.tree.find(id.as_str()) else { return Some(Err(id)) };
        if !self.is_label(target) {
            return Some(Ok(target));
        }
        let mut follows = at;
        for before in std::iter::successors(self.tree.parent(at), |&at| self.tree.parent(at)) {
            if before == target {
                return Some(Ok(follows));
            }
            if !self.is_label(before) {
                follows = before;
            }
        }
        Some(Err(id))
    }
}

/// Names for the entries of the new session.
struct Names<'a> {
    mint: &'a mut dyn Mint,
    taken: HashSet<EntryId>,
}

impl<'a> Names<'a> {
    fn new(mint: &'a mut dyn Mint) -> Self {
        Self { mint, taken: HashSet::new() }
    }

    /// Gives an entry the name that it had, or another if that is taken.
    fn give(&mut self, before: Option<&EntryId>) -> EntryId {
        let id = match before.filter(|id| !self.taken.contains(*id)) {
            Some(id) => id.clone(),
            None => new_entry_id(self.mint, &self.taken),
        };
        self.taken.insert(id.clone());
        id
    }

    /// Returns another name for one that named nothing, if it would name something now.
    fn avoid(&mut self, id: &EntryId) -> Option<EntryId> {
        self.taken.contains(id).then(|| new_entry_id(self.mint, &self.taken))
    }
}
