//! The forest's store in SQLite: one tree for each family of sessions.
//!
//! Messages and entries are kept in chunks of neighbours, and a chunk is read when something in it is wanted: an
//! import that appends to a long session touches the last chunks only. Commits are gathered in memory until
//! [`FamilyStore::save`] writes them, together with whatever else belongs to the same step.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pi_brain_forest::{
    Bookmark, Change, Content, ContentKey, EventId, ForestError, Message, Node, NodeId, Place,
    Removal, Root, RootId, SessionChange, SessionKin, SessionNo, SessionRecord, SessionText, Store,
    Which,
};
use pi_brain_session::Millis;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::database::Database;
use crate::error::{Result, StoreError};
use crate::pack::{pack, unpack};

mod columns;

use columns::{CHUNK, EntryColumns, MessageColumns};

/// From how many on those that follow a place are not compared one by one.
const CROWD: usize = 32;

/// Keeps the forest of families in the database.
#[derive(Debug)]
pub struct FamilyStore {
    database: Arc<Database>,
    shelf: Mutex<Shelf>,
}

/// A message with what follows it.
#[derive(Clone, Debug)]
struct Slot {
    node: Arc<Node>,
    content: Option<Content>,
    /// The numbers of all that follow it, visible or not, in the order in which they came.
    children: Vec<u32>,
}

/// What is in memory: everything small, and those chunks that were looked at.
#[derive(Debug, Default)]
struct Shelf {
    /// Changes when another process writes to the database.
    version: Option<i64>,
    /// Whether roots and sessions have been read.
    is_open: bool,
    roots: BTreeMap<RootId, Trunk>,
    kin: BTreeMap<SessionNo, SessionKin>,
    last_root: u32,
    last_session: u32,
    current: Option<Place>,
    bookmarks: BTreeMap<String, Bookmark>,
    chunks: HashMap<(RootId, u32), Vec<Option<Slot>>>,
    /// What follows places that very much follows, by what it says.
    crowds: HashMap<Place, HashMap<ContentKey, Vec<Arc<Node>>>>,
    records: HashMap<SessionNo, Arc<SessionRecord>>,
    /// Where sessions say what the messages of a tree say.
    occurrences: HashMap<RootId, HashMap<NodeId, Vec<(SessionNo, u32)>>>,
    unsaved: Unsaved,
}

/// A root with what follows it.
#[derive(Debug)]
struct Trunk {
    root: Arc<Root>,
    last_message: u32,
    children: Vec<u32>,
}

/// What has changed since the last time it was saved.
#[derive(Debug, Default)]
struct Unsaved {
    roots: BTreeSet<RootId>,
    chunks: BTreeSet<(RootId, u32)>,
    /// The sessions, with the number of entries that are as they were.
    sessions: BTreeMap<SessionNo, usize>,
    dropped_sessions: BTreeSet<SessionNo>,
    /// Whether a session tells of an event.
    events: BTreeMap<(EventId, SessionNo), bool>,
    bookmarks: bool,
    current: bool,
    /// The trees that are not what they were.
    trees: BTreeSet<RootId>,
}

impl FamilyStore {
    /// Makes a store over a database; nothing is read yet.
    pub fn new(database: Arc<Database>) -> Self {
        Self { database, shelf: Mutex::default() }
    }

    /// Writes everything that was committed, and lets go of what is not needed for the next step.
    ///
    /// Returns the trees that have changed.
    pub(crate) fn save(&self, transaction: &Transaction<'_>) -> Result<BTreeSet<RootId>> {
        let mut books = self.books();
        books.write(transaction).map_err(|source| self.database.failed(source))?;
        let trees = std::mem::take(&mut books.unsaved).trees;
        books.forget_looks();
        Ok(trees)
    }

    /// Forgets what another process has changed meanwhile.
    pub fn renew(&self) -> Result<()> {
        let version = self.database.read(|connection| {
            connection.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0))
        })?;
        let mut books = self.books();
        if books.version != Some(version) {
            *books = Shelf { version: Some(version), ..Shelf::default() };
        }
        Ok(())
    }

    /// Lets go of what was looked at and has not changed.
    pub fn let_go(&self) {
        self.books().forget_looks();
    }

    /// Forgets what was not saved.
    pub fn discard(&self) {
        *self.books() = Shelf::default();
    }

    fn books(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a look at the shelf, with everything small on it.
    fn look<T>(
        &self,
        look: impl FnOnce(&mut Shelf, &Source<'_>) -> Result<T>,
    ) -> pi_brain_forest::Result<T> {
        let source = Source(&self.database);
        let mut books = self.books();
        books.open(&source).and_then(|()| look(&mut books, &source)).map_err(into_forest)
    }
}

fn into_forest(error: StoreError) -> ForestError {
    match error {
        StoreError::Forest(error) => error,
        error => ForestError::Store(Box::new(error)),
    }
}

/// Where chunks come from.
struct Source<'a>(&'a Database);

impl Source<'_> {
    fn read<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.0.read(ask)
    }

    fn chunk(&self, table: &str, of: u32, number: u32) -> Result<Option<Vec<u8>>> {
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
    fn forget_looks(&mut self) {
        self.chunks.retain(|chunk, _| self.unsaved.chunks.contains(chunk));
        self.records.retain(|no, _| self.unsaved.sessions.contains_key(no));
        self.crowds.clear();
        self.occurrences.clear();
    }

    fn open(&mut self, source: &Source<'_>) -> Result<()> {
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

    fn slot(&mut self, source: &Source<'_>, id: NodeId) -> Result<Option<&mut Slot>> {
        let (chunk, at) = (id.number() / CHUNK, id.number() % CHUNK);
        let slots = self.chunk(source, id.root(), chunk)?;
        Ok(slots[at as usize].as_mut())
    }

    fn chunk(
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
    fn children(&mut self, source: &Source<'_>, of: Place) -> Result<Vec<NodeId>> {
        let numbers = match of {
            Place::Root(root) => self.roots.get(&root).map(|trunk| trunk.children.clone()),
            Place::Node(node) => self.slot(source, node)?.map(|slot| slot.children.clone()),
        };
        let root = of.root();
        Ok(numbers.into_iter().flatten().map(|number| NodeId::new(root, number)).collect())
    }

    /// Returns what follows a place.
    fn following(&mut self, source: &Source<'_>, of: Place) -> Result<Vec<Arc<Node>>> {
        let mut following = Vec::new();
        for id in self.children(source, of)? {
            following.extend(self.slot(source, id)?.map(|slot| Arc::clone(&slot.node)));
        }
        Ok(following)
    }

    /// Returns what follows a place and says something, in the order of their ids.
    fn saying(
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

    fn record(&mut self, source: &Source<'_>, no: SessionNo) -> Result<Option<Arc<SessionRecord>>> {
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

    fn members(&mut self, source: &Source<'_>, root: RootId) -> Result<Vec<Arc<SessionRecord>>> {
        let numbers = self.kin.values().filter(|kin| kin.root == root).map(|kin| kin.no);
        let numbers: Vec<SessionNo> = numbers.collect();
        let mut members = Vec::with_capacity(numbers.len());
        for no in numbers {
            members.extend(self.record(source, no)?);
        }
        Ok(members)
    }

    fn apply(&mut self, source: &Source<'_>, change: Change) -> Result<()> {
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
    fn mark(&mut self, id: NodeId) {
        self.touch(id.root());
        self.unsaved.chunks.insert((id.root(), id.number() / CHUNK));
    }

    fn touch(&mut self, root: RootId) {
        self.unsaved.trees.insert(root);
        self.occurrences.remove(&root);
        self.crowds.clear();
    }

    fn put(&mut self, source: &Source<'_>, node: Node) -> Result<()> {
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

    fn unlink(&mut self, source: &Source<'_>, id: NodeId, parent: Place) -> Result<()> {
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

    fn put_session(&mut self, source: &Source<'_>, change: SessionChange) -> Result<()> {
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

    fn write(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Unsaved { roots, chunks, sessions, dropped_sessions, events, .. } = &self.unsaved;
        let mut put_root = transaction.prepare_cached(
            "INSERT OR REPLACE INTO root (id, last_message, children, data) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for id in roots {
            let Some(Trunk { root, last_message, children }) = self.roots.get(id) else { continue };
            let data = serde_json::to_string(&**root).expect("a root has a JSON form");
            put_root.execute(params![id.number(), last_message, pack(children), data])?;
        }
        let mut put_chunk = transaction
            .prepare_cached("INSERT OR REPLACE INTO message_chunk (id, data) VALUES (?1, ?2)")?;
        for (root, chunk) in chunks {
            let Some(slots) = self.chunks.get(&(*root, *chunk)) else { continue };
            let data = pack(&MessageColumns::of(slots));
            put_chunk.execute(params![chunk_id(root.number(), *chunk), data])?;
        }
        let mut put_session = transaction.prepare_cached(
            "INSERT OR REPLACE INTO session (no, root, id, file, parent, project, created, data)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let mut put_entries = transaction
            .prepare_cached("INSERT OR REPLACE INTO entry_chunk (id, data) VALUES (?1, ?2)")?;
        let mut drop_entries =
            transaction.prepare_cached("DELETE FROM entry_chunk WHERE id BETWEEN ?1 AND ?2")?;
        for (no, unchanged) in sessions {
            let Some(record) = self.records.get(no) else { continue };
            let head = serde_json::to_string(&record.without_entries());
            put_session.execute(params![
                no.number(),
                record.root.number(),
                record.id,
                record.file,
                record.parent_session,
                record.cwd.as_deref().unwrap_or_default(),
                record.created.map_or(i64::MAX, |time| time.0),
                head.expect("a session has a JSON form")
            ])?;
            let first = u32::try_from(*unchanged).unwrap_or(u32::MAX) / CHUNK;
            drop_entries.execute(chunk_ids(no.number(), first))?;
            let rest = record.entries.get((first * CHUNK) as usize..).unwrap_or_default();
            for (entries, chunk) in rest.chunks(CHUNK as usize).zip(first..) {
                let data = pack(&EntryColumns::of(entries));
                put_entries.execute(params![chunk_id(no.number(), chunk), data])?;
            }
        }
        for no in dropped_sessions {
            transaction.execute("DELETE FROM session WHERE no = ?1", [no.number()])?;
            drop_entries.execute(chunk_ids(no.number(), 0))?;
        }
        let mut put_event = transaction
            .prepare_cached("INSERT OR IGNORE INTO event (event, session) VALUES (?1, ?2)")?;
        let mut drop_event =
            transaction.prepare_cached("DELETE FROM event WHERE event = ?1 AND session = ?2")?;
        // In the order of the index: neighbours lie on one page.
        for ((event, no), tells) in events {
            let statement = if *tells { &mut put_event } else { &mut drop_event };
            statement.execute(params![event.digest().cast_signed(), no.number()])?;
        }
        let mut put_meta = transaction
            .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
        put_meta.execute(params!["last_session", self.last_session.to_string()])?;
        if self.unsaved.current {
            let place = self.current.map_or(String::new(), |place| place.to_string());
            put_meta.execute(params!["current", place])?;
        }
        if self.unsaved.bookmarks {
            transaction.execute("DELETE FROM bookmark", [])?;
            for bookmark in self.bookmarks.values() {
                let data = serde_json::to_string(bookmark).expect("a bookmark has a JSON form");
                let sql = "INSERT INTO bookmark (title, data) VALUES (?1, ?2)";
                transaction.execute(sql, params![bookmark.title, data])?;
            }
        }
        Ok(())
    }
}

impl Store for FamilyStore {
    fn roots(&self) -> pi_brain_forest::Result<Vec<Arc<Root>>> {
        self.look(|shelf, _| {
            Ok(shelf.roots.values().map(|trunk| Arc::clone(&trunk.root)).collect())
        })
    }

    fn root(&self, id: RootId) -> pi_brain_forest::Result<Option<Arc<Root>>> {
        self.look(|shelf, _| Ok(shelf.roots.get(&id).map(|trunk| Arc::clone(&trunk.root))))
    }

    fn node(&self, id: NodeId) -> pi_brain_forest::Result<Option<Arc<Node>>> {
        self.look(|shelf, source| Ok(shelf.slot(source, id)?.map(|slot| Arc::clone(&slot.node))))
    }

    fn nodes(&self, root: RootId) -> pi_brain_forest::Result<Vec<Arc<Node>>> {
        self.look(|shelf, source| {
            let last = shelf.roots.get(&root).map_or(0, |trunk| trunk.last_message);
            let mut nodes = Vec::new();
            for chunk in 0..=last / CHUNK {
                let slots = shelf.chunk(source, root, chunk)?.iter().flatten();
                nodes.extend(slots.map(|slot| Arc::clone(&slot.node)));
            }
            Ok(nodes)
        })
    }

    fn message(&self, id: NodeId) -> pi_brain_forest::Result<Arc<Message>> {
        match self.content(id)?.ok_or(ForestError::NodeNotFound(id))? {
            Content::Inline(message) => Ok(message),
            Content::Imported { session, entry } => {
                let record = self.session(session)?;
                let record = record.ok_or(ForestError::NodeNotFound(id))?;
                record.read_message(entry, |range| self.session_text(session, range)).map(Arc::new)
            }
        }
    }

    fn content(&self, id: NodeId) -> pi_brain_forest::Result<Option<Content>> {
        self.look(|shelf, source| Ok(shelf.slot(source, id)?.and_then(|slot| slot.content.clone())))
    }

    fn children(&self, of: Place, which: Which) -> pi_brain_forest::Result<Vec<Arc<Node>>> {
        self.look(|shelf, source| {
            let mut children = shelf.following(source, of)?;
            children.retain(|node| which == Which::All || node.is_visible());
            children.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
            Ok(children)
        })
    }

    fn find_children(
        &self,
        wanted: &[(Place, ContentKey)],
        which: Which,
    ) -> pi_brain_forest::Result<Vec<Option<NodeId>>> {
        self.look(|shelf, source| {
            let mut found = Vec::with_capacity(wanted.len());
            for (place, key) in wanted {
                let equal = shelf.saying(source, *place, *key)?;
                let visible = equal.iter().find(|node| node.is_visible());
                let is_there =
                    |node: &&Arc<Node>| !matches!(node.removal, Some(Removal::Merged(_)));
                let hidden = || equal.iter().find(is_there).filter(|_| which == Which::All);
                found.push(visible.or_else(hidden).map(|node| node.id));
            }
            Ok(found)
        })
    }

    fn next_root(&self) -> pi_brain_forest::Result<u32> {
        self.look(|shelf, _| Ok(shelf.last_root + 1))
    }

    fn next_node(&self, root: RootId) -> pi_brain_forest::Result<u32> {
        self.look(|shelf, _| Ok(shelf.roots.get(&root).map_or(0, |trunk| trunk.last_message) + 1))
    }

    fn bookmarks(&self) -> pi_brain_forest::Result<Vec<Bookmark>> {
        self.look(|shelf, _| Ok(shelf.bookmarks.values().cloned().collect()))
    }

    fn current(&self) -> pi_brain_forest::Result<Option<Place>> {
        self.look(|shelf, _| Ok(shelf.current))
    }

    fn sessions(&self) -> pi_brain_forest::Result<Vec<Arc<SessionRecord>>> {
        self.look(|shelf, source| {
            let numbers: Vec<SessionNo> = shelf.kin.keys().copied().collect();
            let mut sessions = Vec::with_capacity(numbers.len());
            for no in numbers {
                sessions.extend(shelf.record(source, no)?);
            }
            Ok(sessions)
        })
    }

    fn kin(&self) -> pi_brain_forest::Result<Vec<SessionKin>> {
        self.look(|shelf, _| Ok(shelf.kin.values().cloned().collect()))
    }

    fn members(&self, root: RootId) -> pi_brain_forest::Result<Vec<Arc<SessionRecord>>> {
        self.look(|shelf, source| shelf.members(source, root))
    }

    fn session(&self, no: SessionNo) -> pi_brain_forest::Result<Option<Arc<SessionRecord>>> {
        self.look(|shelf, source| shelf.record(source, no))
    }

    fn next_session(&self) -> pi_brain_forest::Result<u32> {
        self.look(|shelf, _| Ok(shelf.last_session + 1))
    }

    fn session_text(
        &self,
        session: SessionNo,
        range: Range<u64>,
    ) -> pi_brain_forest::Result<Vec<u8>> {
        let file = self.look(|shelf, _| Ok(shelf.kin.get(&session).map(|kin| kin.file.clone())))?;
        let unknown = || ForestError::SessionNotFound(format!("number {}", session.number()));
        let file = file.ok_or_else(unknown)?;
        SessionText::File(PathBuf::from(&file))
            .read(range)
            .map_err(|source| ForestError::SessionGone { file, source })
    }

    fn occurrences(&self, node: NodeId) -> pi_brain_forest::Result<Vec<(SessionNo, u32)>> {
        self.look(|shelf, source| {
            let root = node.root();
            if !shelf.occurrences.contains_key(&root) {
                let mut occurrences: HashMap<NodeId, Vec<(SessionNo, u32)>> = HashMap::new();
                for record in shelf.members(source, root)? {
                    for (entry, at) in record.entries.iter().zip(0..) {
                        if let (true, Place::Node(node)) = (entry.own, entry.place) {
                            occurrences.entry(node).or_default().push((record.no, at));
                        }
                    }
                }
                shelf.occurrences.insert(root, occurrences);
            }
            Ok(shelf.occurrences[&root].get(&node).cloned().unwrap_or_default())
        })
    }

    fn sessions_with(&self, events: &[EventId]) -> pi_brain_forest::Result<Vec<SessionNo>> {
        self.look(|shelf, source| {
            let unsaved = &shelf.unsaved.events;
            let stored: Vec<(EventId, u32)> = source.read(|connection| {
                let sql = "SELECT session FROM event WHERE event = ?1";
                let mut statement = connection.prepare_cached(sql)?;
                let mut stored = Vec::new();
                for event in events {
                    let mut rows = statement.query([event.digest().cast_signed()])?;
                    while let Some(row) = rows.next()? {
                        stored.push((*event, row.get(0)?));
                    }
                }
                Ok(stored)
            })?;
            let stored = stored.into_iter().map(|(event, no)| (event, SessionNo::new(no)));
            let stored = stored.filter(|told| unsaved.get(told) != Some(&false)).map(|(_, no)| no);
            let mut sessions: BTreeSet<SessionNo> = stored.collect();
            for event in events {
                let all = (*event, SessionNo::new(0))..=(*event, SessionNo::new(u32::MAX));
                let telling = unsaved.range(all).filter(|(_, tells)| **tells);
                sessions.extend(telling.map(|((_, no), _)| *no));
            }
            Ok(sessions.into_iter().collect())
        })
    }

    fn commit(&mut self, changes: Vec<Change>) -> pi_brain_forest::Result<()> {
        self.look(|shelf, source| {
            changes.into_iter().try_for_each(|change| shelf.apply(source, change))
        })
    }
}
