//! A store in memory: the index behind every other store of this crate, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::files::PackedText;
use super::{Change, SessionChange, Store, Which};
use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::Message;
use crate::node::{Bookmark, Content, Node, Removal, Root};
use crate::sessions::{EventId, SessionNo, SessionRecord, SessionText};

/// Keeps a forest in memory. The text of imported messages stays in the session files.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    roots: BTreeMap<RootId, Arc<Root>>,
    nodes: HashMap<NodeId, Slot>,
    /// All messages of a tree that are there, visible or not.
    members: BTreeMap<RootId, BTreeSet<NodeId>>,
    /// What follows each place, in order, visible or not.
    children: HashMap<Place, Vec<NodeId>>,
    by_key: HashMap<(Place, ContentKey), SmallVec<[NodeId; 1]>>,
    /// The highest numbers ever seen.
    last_root: u32,
    last_nodes: HashMap<RootId, u32>,
    last_session: u32,
    bookmarks: BTreeMap<String, Bookmark>,
    current: Option<Place>,
    sessions: BTreeMap<SessionNo, Imported>,
    occurrences: HashMap<NodeId, SmallVec<[(SessionNo, u32); 1]>>,
    events: HashMap<EventId, SmallVec<[SessionNo; 1]>>,
}

#[derive(Clone, Debug)]
struct Slot {
    node: Arc<Node>,
    content: Option<Content>,
}

#[derive(Clone, Debug)]
struct Imported {
    record: Arc<SessionRecord>,
    text: Option<SessionText>,
}

impl MemoryStore {
    /// Makes an empty forest.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees to it that nothing new gets a name.
    pub(super) fn take(&mut self, place: Place) {
        self.last_root = self.last_root.max(place.root().0);
        if let Place::Node(node) = place {
            let last = self.last_nodes.entry(node.root).or_default();
            *last = (*last).max(node.number);
        }
    }

    /// Returns an imported session whose bytes are packed.
    pub(super) fn packed_text(&self, session: SessionNo) -> Option<(&SessionRecord, &PackedText)> {
        match self.sessions.get(&session)? {
            Imported { record, text: Some(SessionText::Packed(text)) } => Some((record, text)),
            _ => None,
        }
    }

    /// Reads what an entry of an imported session says.
    fn read_back(&self, session: SessionNo, entry: u32) -> Result<Message> {
        let unknown = || ForestError::SessionNotFound(format!("number {}", session.0));
        let record = &self.sessions.get(&session).ok_or_else(unknown)?.record;
        record.read_message(entry, |range| self.session_text(session, range))
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Root(root) => {
                self.last_root = self.last_root.max(root.id.0);
                self.roots.insert(root.id, Arc::new(root));
            }
            Change::Node(node) => self.put(node),
            Change::Content(id, content) => {
                if let Some(slot) = self.nodes.get_mut(&id) {
                    slot.content = Some(content);
                }
            }
            Change::DropNode(id) => {
                self.unlink(id);
                self.nodes.remove(&id);
                self.members.entry(id.root).or_default().remove(&id);
            }
            Change::Bookmark(bookmark) => {
                self.bookmarks.insert(bookmark.title.clone(), bookmark);
            }
            Change::DropBookmark(title) => {
                self.bookmarks.remove(&title);
            }
            Change::Current(place) => self.current = place,
            Change::Session(change) => self.put_session(change),
            Change::DropSession(no) => {
                if let Some(gone) = self.sessions.remove(&no) {
                    self.unlist(no, &gone.record.entries, 0);
                }
            }
        }
    }

    fn put(&mut self, node: Node) {
        let id = node.id;
        let last = self.last_nodes.entry(id.root).or_default();
        *last = (*last).max(id.number);
        let known = self.nodes.get(&id);
        let stays = known.is_some_and(|slot| {
            (slot.node.parent, &slot.node.order, slot.node.key)
                == (node.parent, &node.order, node.key)
        });
        let content = known.and_then(|slot| slot.content.clone());
        if !stays && known.is_some() {
            self.unlink(id);
        }
        let (parent, key) = (node.parent, node.key);
        self.nodes.insert(id, Slot { node: Arc::new(node), content });
        if !stays {
            self.members.entry(id.root).or_default().insert(id);
            self.link(id, parent, key);
        }
    }

    fn link(&mut self, id: NodeId, parent: Place, key: ContentKey) {
        let order = |id: &NodeId| (&self.nodes[id].node.order, *id);
        let siblings = self.children.entry(parent).or_default();
        // Nearly always the newest is the last.
        let at = match siblings.last() {
            Some(last) if order(last) > order(&id) => {
                siblings.partition_point(|sibling| order(sibling) < order(&id))
            }
            _ => siblings.len(),
        };
        siblings.insert(at, id);
        let equal = self.by_key.entry((parent, key)).or_default();
        equal.insert(equal.partition_point(|other| *other < id), id);
    }

    fn unlink(&mut self, id: NodeId) {
        let Some(slot) = self.nodes.get(&id) else { return };
        let (parent, key) = (slot.node.parent, slot.node.key);
        if let Some(siblings) = self.children.get_mut(&parent) {
            siblings.retain(|sibling| *sibling != id);
        }
        if let Some(equal) = self.by_key.get_mut(&(parent, key)) {
            equal.retain(|other| *other != id);
            if equal.is_empty() {
                self.by_key.remove(&(parent, key));
            }
        }
    }

    fn put_session(&mut self, change: SessionChange) {
        let SessionChange { mut record, kept, text } = change;
        let no = record.no;
        self.last_session = self.last_session.max(no.0);
        let before = self.sessions.remove(&no);
        let (mut entries, known_text) = match before {
            Some(Imported { record, text }) => {
                let entries = Arc::unwrap_or_clone(record).entries;
                self.unlist(no, &entries, kept);
                (entries, text)
            }
            None => (Vec::new(), None),
        };
        entries.truncate(kept);
        for (entry, at) in record.entries.iter().zip(u32::try_from(kept).unwrap_or(u32::MAX)..) {
            if let (true, Place::Node(node)) = (entry.own, entry.place) {
                self.occurrences.entry(node).or_default().push((no, at));
            }
            if let Some(event) = entry.event {
                let sessions = self.events.entry(event).or_default();
                if !sessions.contains(&no) {
                    sessions.push(no);
                }
            }
        }
        entries.append(&mut record.entries);
        record.entries = entries;
        self.sessions.insert(no, Imported { record: Arc::new(record), text: text.or(known_text) });
    }

    /// Takes the entries of a session from `kept` on out of the lists of occurrences and events.
    fn unlist(&mut self, no: SessionNo, entries: &[crate::sessions::EntryRecord], kept: usize) {
        let mut staying: Option<BTreeSet<EventId>> = None;
        for (entry, at) in entries.iter().zip(0..).skip(kept) {
            if let (true, Place::Node(node)) = (entry.own, entry.place)
                && let Some(list) = self.occurrences.get_mut(&node)
            {
                list.retain(|occurrence| *occurrence != (no, at));
                if list.is_empty() {
                    self.occurrences.remove(&node);
                }
            }
            let Some(event) = entry.event else { continue };
            let staying = staying.get_or_insert_with(|| {
                entries[..kept].iter().filter_map(|entry| entry.event).collect()
            });
            if !staying.contains(&event)
                && let Some(sessions) = self.events.get_mut(&event)
            {
                sessions.retain(|session| *session != no);
            }
        }
    }
}

impl Store for MemoryStore {
    fn roots(&self) -> Result<Vec<Arc<Root>>> {
        Ok(self.roots.values().cloned().collect())
    }

    fn root(&self, id: RootId) -> Result<Option<Arc<Root>>> {
        Ok(self.roots.get(&id).cloned())
    }

    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>> {
        Ok(self.nodes.get(&id).map(|slot| Arc::clone(&slot.node)))
    }

    fn nodes(&self, root: RootId) -> Result<Vec<Arc<Node>>> {
        let members = self.members.get(&root).into_iter().flatten();
        Ok(members.map(|id| Arc::clone(&self.nodes[id].node)).collect())
    }

    fn message(&self, id: NodeId) -> Result<Arc<Message>> {
        let slot = self.nodes.get(&id).ok_or(ForestError::NodeNotFound(id))?;
        match slot.content.as_ref().ok_or(ForestError::NodeNotFound(id))? {
            Content::Inline(message) => Ok(Arc::clone(message)),
            &Content::Imported { session, entry } => self.read_back(session, entry).map(Arc::new),
        }
    }

    fn content(&self, id: NodeId) -> Result<Option<Content>> {
        Ok(self.nodes.get(&id).and_then(|slot| slot.content.clone()))
    }

    fn children(&self, of: Place, which: Which) -> Result<Vec<Arc<Node>>> {
        let children = self.children.get(&of).into_iter().flatten();
        let nodes = children.map(|id| &self.nodes[id].node);
        Ok(nodes.filter(|node| which == Which::All || node.is_visible()).cloned().collect())
    }

    fn find_children(
        &self,
        wanted: &[(Place, ContentKey)],
        which: Which,
    ) -> Result<Vec<Option<NodeId>>> {
        let find = |wanted: &(Place, ContentKey)| {
            let equal = self.by_key.get(wanted)?;
            let node = |id: &NodeId| &self.nodes[id].node;
            let visible = equal.iter().find(|id| node(id).is_visible());
            let hidden =
                || equal.iter().find(|id| !matches!(node(id).removal, Some(Removal::Merged(_))));
            visible.or_else(|| (which == Which::All).then(hidden).flatten()).copied()
        };
        Ok(wanted.iter().map(find).collect())
    }

    fn next_root(&self) -> Result<u32> {
        Ok(self.last_root + 1)
    }

    fn next_node(&self, root: RootId) -> Result<u32> {
        Ok(self.last_nodes.get(&root).copied().unwrap_or_default() + 1)
    }

    fn bookmarks(&self) -> Result<Vec<Bookmark>> {
        Ok(self.bookmarks.values().cloned().collect())
    }

    fn current(&self) -> Result<Option<Place>> {
        Ok(self.current)
    }

    fn sessions(&self) -> Result<Vec<Arc<SessionRecord>>> {
        Ok(self.sessions.values().map(|imported| Arc::clone(&imported.record)).collect())
    }

    fn session(&self, no: SessionNo) -> Result<Option<Arc<SessionRecord>>> {
        Ok(self.sessions.get(&no).map(|imported| Arc::clone(&imported.record)))
    }

    fn next_session(&self) -> Result<u32> {
        Ok(self.last_session + 1)
    }

    fn session_text(&self, session: SessionNo, range: Range<u64>) -> Result<Vec<u8>> {
        let unknown = || ForestError::SessionNotFound(format!("number {}", session.0));
        let imported = self.sessions.get(&session).ok_or_else(unknown)?;
        let read = |text: &SessionText| text.read(range);
        let gone = |source| ForestError::SessionGone { file: imported.record.file.clone(), source };
        imported.text.as_ref().map_or(Err(io::ErrorKind::NotFound.into()), read).map_err(gone)
    }

    fn occurrences(&self, node: NodeId) -> Result<Vec<(SessionNo, u32)>> {
        Ok(self.occurrences.get(&node).map(|list| list.to_vec()).unwrap_or_default())
    }

    fn sessions_with(&self, events: &[EventId]) -> Result<Vec<SessionNo>> {
        let sessions = events.iter().filter_map(|event| self.events.get(event)).flatten();
        Ok(sessions.copied().collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn commit(&mut self, changes: Vec<Change>) -> Result<()> {
        for change in changes {
            self.apply(change);
        }
        Ok(())
    }
}
