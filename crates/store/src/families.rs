//! The forest's store in SQLite: one tree for each family of sessions.
//!
//! Messages and entries are kept in chunks of neighbours, and a chunk is read when something in it is wanted: an
//! import that appends to a long session touches the last chunks only. Commits are gathered in memory until
//! [`FamilyStore::save`] writes them, together with whatever else belongs to the same step.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pi_brain_forest::{
    Bookmark, Change, Content, ContentKey, EventId, ForestError, Message, Node, NodeId, Place,
    Removal, Root, RootId, SessionKin, SessionNo, SessionRecord, SessionText, Store, Which,
};
use rusqlite::Transaction;

use crate::database::Database;
use crate::error::{Result, StoreError};

mod columns;
mod shelf;
mod saving;

pub(crate) use shelf::{chunk_id, chunk_ids};

use columns::CHUNK;
use shelf::{Shelf, Source};

/// Keeps the forest of families in the database.
#[derive(Debug)]
pub struct FamilyStore {
    database: Arc<Database>,
    shelf: Mutex<Shelf>,
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
                // One transaction takes the locks once, not for each of thousands of questions.
                let transaction = connection.unchecked_transaction()?;
                let sql = "SELECT session FROM event WHERE event = ?1";
                let mut statement = transaction.prepare_cached(sql)?;
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
