//! What of the forest is in memory, how it is read, and how changes are made to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use pi_brain_forest::{
    Bookmark, Change, Content, ContentKey, EventId, Node, NodeId, Place, Root, RootId,
    SessionChange, SessionKin, SessionNo, SessionRecord,
};
use pi_brain_session::Millis;
use rusqlite::{Connection, OptionalExtension};

use super::columns::{CHUNK, EntryColumns, MessageColumns};
use crate::database::Database;
use crate::error::{Result, StoreError};
use crate::pack::unpack;

/// What is in memory: everything small, and those chunks that were looked at.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    /// Changes when another process writes to the database.
    pub(super) version: Option<i64>,
    /// Whether roots and sessions have been read.
    pub(super) is_open: bool,
    pub(super) roots: BTreeMap<RootId, Trunk>,
    pub(super) kin: BTreeMap<SessionNo, SessionKin>,
    pub(super) last_root: u32,
    pub(super) last_session: u32,
    pub(super) current: Option<Place>,
    pub(super) bookmarks: BTreeMap<String, Bookmark>,
    pub(super) chunks: HashMap<(RootId, u32), Vec<Option<Slot>>>,
    /// What follows places that very much follows, by what it says.
    pub(super) crowds: HashMap<Place, HashMap<ContentKey, Vec<Arc<Node>>>>,
    pub(super) records: HashMap<SessionNo, Arc<SessionRecord>>,
    /// Where sessions say what the messages of a tree say.
    pub(super) occurrences: HashMap<RootId, HashMap<NodeId, Vec<(SessionNo, u32)>>>,
    pub(super) unsaved: Unsaved,
}

/// A message with what follows it.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) node: Arc<Node>,
    pub(super) content: Option<Content>,
    /// The numbers of all that follow it, visible or not, in the order in which they came.
    pub(super) children: Vec<u32>,
}

/// A root with what follows it.
#[derive(Debug)]
pub(super) struct Trunk {
    pub(super) root: Arc<Root>,
    pub(super) last_message: u32,
    pub(super) children: Vec<u32>,
}

/// What has changed since the last time it was saved.
#[derive(Debug, Default)]
pub(super) struct Unsaved {
    pub(super) roots: BTreeSet<RootId>,
    pub(super) chunks: BTreeSet<(RootId, u32)>,
    /// The sessions, with the number of entries that are as they were.
    pub(super) sessions: BTreeMap<SessionNo, usize>,
    pub(super) dropped_sessions: BTreeSet<SessionNo>,
    /// Whether a session tells of an event.
    pub(super) events: BTreeMap<(EventId, SessionNo), bool>,
    pub(super) bookmarks: bool,
    pub(super) current: bool,
    /// The trees that are not what they were.
    pub(super) trees: BTreeSet<RootId>,
}

/// From how many on those that follow a place are not compared one by one.
const CROWD: usize = 32;

/// Where chunks come from.
pub(super) struct Source<'a>(pub(super) &'a Database);

impl Source<'_> {
    pub(super) fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.0.read(ask)
    }

    pub(super) fn chunk(&self, table: &str, of: u32, number: u32) -> Result<Option<Vec<u8>>> {
        self.read(|connection| {
            let sql = format!("SELECT data FROM {table} WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_row([chunk_id(of, number)], |row| row.get(0)).optional()
        })
    }
}

/// Names a chunk by what it belongs to and its number.
pub(crate) fn chunk_id(of: u32, number: u32) -> i64 {
    i64::from(of) << 32 | i64::from(number)
}

/// Names all chunks of something, from number `first` on.
pub(crate) fn chunk_ids(of: u32, first: u32) -> (i64, i64) {
    (chunk_id(of, first), chunk_id(of, u32::MAX))
}

impl Shelf {
    /// Lets go of everything large that is saved.
    pub(super) fn forget_looks(&mut self) {
        self.chunks.retain(|chunk, _| self.unsaved.chunks.contains(chunk));
        self.records.retain(|no, _| self.unsaved.sessions.contains_key(no));
        self.crowds.clear();
        self.occurrences.clear();
    }

    pub(super) fn open(&mut self, source: &Source<'_>) -> Result<()> {
        if self.is_open {
            return Ok(());
        }
        let damaged = |what: &str, why: String| StoreError::Damaged { what: what.to_owned(), why };
        let roots = source.read(|connection| {
            let mut statement =
                connection.prepare("SELECT last_message, children, data FROM root")?;
            let rows = statement.query_map([], |row| {
                Ok((row.get::<_, u32>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, String>(2)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        for (last_message, children, data) in roots {
            let root: Root =
                serde_json::from_str(&data).map_err(|why| damaged("a root", why.to_string()))?;
            let children = unpack(&children, "a root")?;
            self.last_root = self.last_root.max(root.id.number());
            self.roots.insert(root.id, Trunk { root: Arc::new(root), last_message, children });
        }
        let kin: Vec<SessionKin> = source.read(|connection| {
            let sql = "SELECT no, root, id, file, parent, created FROM session";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(SessionKin {
                    no: SessionNo::new(row.get(0)?),
                    root: RootId::new(row.get(1)?),
                    id: row.get(2)?,
                    file: row.get(3)?,
                    parent_session: row.get(4)?,
                    created: Some(row.get(5)?).filter(|&time| time != i64::MAX).map(Millis),
                })
            })?;
            rows.collect()
        })?;
        self.kin = kin.into_iter().map(|kin| (kin.no, kin)).collect();
        let meta = |key: &'static str| {
            source.read(move |connection| {
                let sql = "SELECT value FROM meta WHERE key = ?1";
                connection.query_row(sql, [key], |row| row.get::<_, String>(0)).optional()
            })
        };
        self.last_session = meta("last_session")?.and_then(|last| last.parse().ok()).unwrap_or(0);
        self.current = match meta("current")? {
            Some(place) => place.parse().ok(),
            None => None,
        };
        let bookmarks = source.read(|connection| {
            let mut statement = connection.prepare("SELECT data FROM bookmark")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        for data in bookmarks {
            let bookmark: Bookmark = serde_json::from_str(&data)
                .map_err(|why| damaged("a bookmark", why.to_string()))?;
            self.bookmarks.insert(bookmark.title.clone(), bookmark);
        }
        self.is_open = true;
        Ok(())
    }

    pub(super) fn slot(&mut self, source: &Source<'_>, id: NodeId) -> Result<Option<&mut Slot>> {
        let (chunk, at) = (id.number() / CHUNK, id.number() % CHUNK);
        let slots = self.chunk(source, id.root(), chunk)?;
        Ok(slots[at as usize].as_mut())
    }

    pub(super) fn chunk(
        &mut self,
        source: &Source<'_>,
        root: RootId,
        chunk: u32,
    ) -> Result<&mut Vec<Option<Slot>>> {
        use std::collections::hash_map::Entry;
        match self.chunks.entry((root, chunk)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) => {
                let mut slots = vec![None; CHUNK as usize];
                if let Some(data) = source.chunk("message_chunk", root.number(), chunk)? {
                    let what = "a chunk of messages";
                    let damaged =
                        || StoreError::Damaged { what: what.to_owned(), why: "columns".to_owned() };
                    let columns: MessageColumns = unpack(&data, what)?;
                    for slot in columns.into_slots(root).ok_or_else(damaged)? {
                        let at = (slot.node.id.number() % CHUNK) as usize;
                        slots[at] = Some(slot);
                    }
                }
                Ok(vacant.insert(slots))
            }
        }
    }

    /// Returns the numbers of what follows a place.
    pub(super) fn children(&mut self, source: &Source<'_>, of: Place) -> Result<Vec<NodeId>> {
        let numbers = match of {
            Place::Root(root) => self.roots.get(&root).map(|trunk| trunk.children.clone()),
            Place::Node(node) => self.slot(source, node)?.map(|slot| slot.children.clone()),
        };
        let root = of.root();
        Ok(numbers.into_iter().flatten().map(|number| NodeId::new(root, number)).collect())
    }

    /// Returns what follows a place.
    pub(super) fn following(&mut self, source: &Source<'_>, of: Place) -> Result<Vec<Arc<Node>>> {
        let mut following = Vec::new();
        for id in self.children(source, of)? {
            following.extend(self.slot(source, id)?.map(|slot| Arc::clone(&slot.node)));
        }
        Ok(following)
    }

    /// Returns what follows a place and says something, in the order of their ids.
    pub(super) fn saying(
        &mut self,
        source: &Source<'_>,
        of: Place,
        key: ContentKey,
    ) -> Result<Vec<Arc<Node>>> {
        let is_crowded = match of {
            Place::Root(root) => self.roots.get(&root).map_or(0, |trunk| trunk.children.len()),
            Place::Node(node) => self.slot(source, node)?.map_or(0, |slot| slot.children.len()),
        } > CROWD;
        let mut saying = if is_crowded {
            if !self.crowds.contains_key(&of) {
                let mut crowd: HashMap<ContentKey, Vec<Arc<Node>>> = HashMap::new();
                for node in self.following(source, of)? {
                    crowd.entry(node.key).or_default().push(node);
                }
                self.crowds.insert(of, crowd);
            }
            self.crowds[&of].get(&key).cloned().unwrap_or_default()
        } else {
            let mut saying = self.following(source, of)?;
            saying.retain(|node| node.key == key);
            saying
        };
        saying.sort_by_key(|node| node.id);
        Ok(saying)
    }

    pub(super) fn record(
        &mut self,
        source: &Source<'_>,
        no: SessionNo,
    ) -> Result<Option<Arc<SessionRecord>>> {
        if let Some(record) = self.records.get(&no) {
            return Ok(Some(Arc::clone(record)));
        }
        let Some(kin) = self.kin.get(&no) else { return Ok(None) };
        let root = kin.root;
        let what = "a session";
        let damaged =
            |why: &str| StoreError::Damaged { what: what.to_owned(), why: why.to_owned() };
        let (head, chunks) = source.read(|connection| {
            let sql = "SELECT data FROM session WHERE no = ?1";
            let head: String =
                connection.prepare_cached(sql)?.query_row([no.number()], |row| row.get(0))?;
            let sql = "SELECT data FROM entry_chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
            let mut statement = connection.prepare_cached(sql)?;
            let chunks = statement.query_map(chunk_ids(no.number(), 0), |row| row.get(0))?;
            Ok((head, chunks.collect::<rusqlite::Result<Vec<Vec<u8>>>>()?))
        })?;
        let mut record: SessionRecord =
            serde_json::from_str(&head).map_err(|why| damaged(&why.to_string()))?;
        for chunk in chunks {
            let columns: EntryColumns = unpack(&chunk, what)?;
            columns.read_into(&mut record.entries, root).ok_or_else(|| damaged("columns"))?;
        }
        let record = Arc::new(record);
        self.records.insert(no, Arc::clone(&record));
        Ok(Some(record))
    }

    pub(super) fn members(
        &mut self,
        source: &Source<'_>,
        root: RootId,
    ) -> Result<Vec<Arc<SessionRecord>>> {
        let numbers = self.kin.values().filter(|kin| kin.root == root).map(|kin| kin.no);
        let numbers: Vec<SessionNo> = numbers.collect();
        let mut members = Vec::with_capacity(numbers.len());
        for no in numbers {
            members.extend(self.record(source, no)?);
        }
        Ok(members)
    }

    pub(super) fn apply(&mut self, source: &Source<'_>, change: Change) -> Result<()> {
        match change {
            Change::Root(root) => {
                self.touch(root.id);
                self.last_root = self.last_root.max(root.id.number());
                self.unsaved.roots.insert(root.id);
                let new = Arc::new(root);
                match self.roots.get_mut(&new.id) {
                    Some(trunk) => trunk.root = new,
                    None => {
                        let trunk =
                            Trunk { root: Arc::clone(&new), last_message: 0, children: Vec::new() };
                        self.roots.insert(new.id, trunk);
                    }
                }
            }
            Change::Node(node) => self.put(source, node)?,
            Change::Content(id, content) => {
                if let Some(slot) = self.slot(source, id)? {
                    slot.content = Some(content);
                }
                self.mark(id);
            }
            Change::DropNode(id) => {
                if let Some(slot) = self.slot(source, id)? {
                    let parent = slot.node.parent;
                    self.unlink(source, id, parent)?;
                }
                let (chunk, at) = (id.number() / CHUNK, id.number() % CHUNK);
                self.chunk(source, id.root(), chunk)?[at as usize] = None;
                self.mark(id);
            }
            Change::Bookmark(bookmark) => {
                self.unsaved.bookmarks = true;
                self.bookmarks.insert(bookmark.title.clone(), bookmark);
            }
            Change::DropBookmark(title) => {
                self.unsaved.bookmarks = true;
                self.bookmarks.remove(&title);
            }
            Change::Current(place) => {
                self.unsaved.current = true;
                self.current = place;
            }
            Change::Session(change) => self.put_session(source, change)?,
            Change::DropSession(no) => {
                if let Some(gone) = self.record(source, no)? {
                    self.touch(gone.root);
                    for event in gone.entries.iter().filter_map(|entry| entry.event) {
                        self.unsaved.events.insert((event, no), false);
                    }
                }
                self.kin.remove(&no);
                self.records.remove(&no);
                self.unsaved.sessions.remove(&no);
                self.unsaved.dropped_sessions.insert(no);
            }
        }
        Ok(())
    }

    /// Notes that a message has changed.
    pub(super) fn mark(&mut self, id: NodeId) {
        self.touch(id.root());
        self.unsaved.chunks.insert((id.root(), id.number() / CHUNK));
    }

    pub(super) fn touch(&mut self, root: RootId) {
        self.unsaved.trees.insert(root);
        self.occurrences.remove(&root);
        self.crowds.clear();
    }

    pub(super) fn put(&mut self, source: &Source<'_>, node: Node) -> Result<()> {
        let (id, parent) = (node.id, node.parent);
        self.mark(id);
        let node = Arc::new(node);
        let before = match self.slot(source, id)? {
            Some(slot) => Some(std::mem::replace(&mut slot.node, Arc::clone(&node)).parent),
            None => None,
        };
        if before == Some(parent) {
            return Ok(());
        }
        match before {
            Some(before) => self.unlink(source, id, before)?,
            None => {
                let (chunk, at) = (id.number() / CHUNK, id.number() % CHUNK);
                let slot = Slot { node, content: None, children: Vec::new() };
                self.chunk(source, id.root(), chunk)?[at as usize] = Some(slot);
                if let Some(trunk) = self.roots.get_mut(&id.root()) {
                    trunk.last_message = trunk.last_message.max(id.number());
                    self.unsaved.roots.insert(id.root());
                }
            }
        }
        match parent {
            Place::Root(root) => {
                self.unsaved.roots.insert(root);
                self.roots.entry(root).and_modify(|trunk| trunk.children.push(id.number()));
            }
            Place::Node(above) => {
                self.mark(above);
                if let Some(slot) = self.slot(source, above)? {
                    slot.children.push(id.number());
                }
            }
        }
        Ok(())
    }

    pub(super) fn unlink(&mut self, source: &Source<'_>, id: NodeId, parent: Place) -> Result<()> {
        match parent {
            Place::Root(root) => {
                self.unsaved.roots.insert(root);
                let trunk = self.roots.entry(root);
                trunk.and_modify(|trunk| trunk.children.retain(|child| *child != id.number()));
            }
            Place::Node(above) => {
                self.mark(above);
                if let Some(slot) = self.slot(source, above)? {
                    slot.children.retain(|child| *child != id.number());
                }
            }
        }
        Ok(())
    }

    pub(super) fn put_session(&mut self, source: &Source<'_>, change: SessionChange) -> Result<()> {
        let SessionChange { mut record, kept, .. } = change;
        let no = record.no;
        self.last_session = self.last_session.max(no.number());
        self.touch(record.root);
        let mut entries = match self.record(source, no)? {
            Some(before) => {
                self.touch(before.root);
                self.records.remove(&no);
                Arc::unwrap_or_clone(before).entries
            }
            None => Vec::new(),
        };
        let gone: Vec<EventId> =
            entries.drain(kept.min(entries.len())..).filter_map(|entry| entry.event).collect();
        self.unsaved.events.extend(gone.iter().map(|event| ((*event, no), false)));
        // What a session tells of at its end may stand at its beginning, too.
        let staying = if gone.is_empty() { &[] } else { &entries[..] };
        let telling = staying.iter().chain(&record.entries).filter_map(|entry| entry.event);
        self.unsaved.events.extend(telling.map(|event| ((event, no), true)));
        let unchanged = self.unsaved.sessions.entry(no).or_insert(kept);
        *unchanged = (*unchanged).min(kept);
        self.unsaved.dropped_sessions.remove(&no);
        entries.append(&mut record.entries);
        record.entries = entries;
        self.kin.insert(no, SessionKin::from(&record));
        self.records.insert(no, Arc::new(record));
        Ok(())
    }
}
