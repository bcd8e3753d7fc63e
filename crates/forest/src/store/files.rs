//! A store in a folder: a log that survives crashes, and files that people can read.

use std::fs::{self, File};
use std::io::{self, Take};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Change, MemoryStore, Store, Which};
use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::Message;
use crate::node::{Bookmark, Content, Node, Root};
use crate::sessions::{EventId, SessionNo, SessionRecord, SessionText};

mod folder;
mod log;
mod pack;
mod shape;
mod projection;
mod reference;

pub use pack::PackedText;
pub use projection::Mismatch;

use folder::{Folder, Lock, corrupt, read};
use log::{End, Line, Log};
use pack::Pack;
use projection::{Projection, Target, touched};

/// Keeps a forest in a folder.
///
/// | file | what it is |
/// | --- | --- |
/// | `format.json` | the version of the format |
/// | `log.jsonl` | the truth: one line for each commit, on disk before the commit is acknowledged |
/// | `lines.pack` | the lines of imported sessions, each distinct line once |
/// | `roots.json`, `bookmarks.json`, `root-1/nodes/node-1.json` | for people: a projection of the log |
/// | `projection.json` | up to which commit that projection is true |
/// | `lock` | who writes; the system takes it back when that process ends |
///
/// A folder of the reference implementation, which has only the files for people, can be opened too. It stays
/// as it is until the first commit, which gives it a log. Whoever has lost a log can go back to the files for
/// people in the same way, by taking `format.json` away; messages of sessions are not in them.
#[derive(Debug)]
pub struct FileSystemStore {
    folder: Folder,
    memory: MemoryStore,
    pack: Pack,
    has_log: bool,
    /// Nobody writes to a store that was opened for reading.
    writer: Option<Writer>,
    /// What is odd about a folder of the reference implementation.
    findings: Vec<Mismatch>,
    /// Names that such a folder speaks of although nothing has them.
    taken: Vec<Place>,
}

#[derive(Debug)]
struct Writer {
    _lock: Lock,
    has_format: bool,
    /// There is none before the first commit.
    log: Option<Log>,
    projection: Projection,
}

/// The newest format that this version knows.
const FORMAT: u32 = 1;

#[derive(Deserialize, Serialize)]
struct Format {
    format: u32,
}

const FORMAT_FILE: &str = "format.json";
const LOG: &str = "log.jsonl";
const PACK: &str = "lines.pack";

impl FileSystemStore {
    /// Opens the forest in a folder for writing, which only one process can do at a time. Makes the folder if
    /// it is not there.
    pub fn open(folder: &Path) -> Result<Self> {
        let (mut store, end) = Self::load_locked(folder)?;
        store.check_registry()?;
        store.open_log(end)?;
        if let Some(writer) = &mut store.writer {
            writer.finish(&store.memory);
        }
        Ok(store)
    }

    /// Opens the forest in a folder for reading. Takes no lock and writes nothing, so it can be done at any
    /// time; later changes are not seen.
    pub fn open_read_only(folder: &Path) -> Result<Self> {
        let unreadable = |source| ForestError::Read { path: folder.to_owned(), source };
        fs::read_dir(folder).map_err(unreadable)?;
        let folder = Folder::new(folder);
        let has_format = check_format(&folder)?;
        Ok(Self::load(folder, has_format, None)?.0)
    }

    /// Opens the forest in a folder for reading; `None` if nobody has made the folder yet.
    pub fn open_if_there(folder: &Path) -> Result<Option<Self>> {
        match Self::open_read_only(folder) {
            Err(ForestError::Read { path, source })
                if path == folder && source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// Writes the files for people anew, where they do not say what the log says. Returns what was in the way:
    /// damaged files and strange ones, which get names that end with `.damaged-` and a number.
    pub fn rewrite_projection(folder: &Path) -> Result<Vec<PathBuf>> {
        let (mut store, end) = Self::load_locked(folder)?;
        store.open_log(end)?;
        store.start_log()?;
        match &mut store.writer {
            Some(Writer { projection, log: Some(log), .. }) => {
                projection.rewrite(&store.memory, log.seq())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Compares the files for people with the log, and lists where they differ.
    pub fn verify_projection(&mut self) -> Result<Vec<Mismatch>> {
        if !self.has_log {
            return Ok(self.findings.clone());
        }
        match &mut self.writer {
            Some(writer) => {
                writer.finish(&self.memory);
                writer.projection.verify(&self.memory)
            }
            None => Projection::new(self.folder.clone()).verify(&self.memory),
        }
    }

    /// Returns why files for people are behind, if they could not be written. The log has everything.
    pub fn projection_failure(&self) -> Option<&ForestError> {
        self.writer.as_ref()?.projection.failure()
    }

    /// Ends writing, and says if files for people could not be written. Dropping the store does the same in
    /// silence.
    pub fn close(mut self) -> Result<()> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        writer.finish(&self.memory);
        writer.projection.into_failure().map_or(Ok(()), Err)
    }

    fn load_locked(folder: &Path) -> Result<(Self, End)> {
        let folder = Folder::new(folder);
        folder.create()?;
        let lock = folder.lock()?;
        let has_format = check_format(&folder)?;
        let projection = Projection::new(folder.clone());
        let writer = Writer { _lock: lock, has_format, log: None, projection };
        Self::load(folder, has_format, Some(writer))
    }

    fn load(folder: Folder, has_format: bool, writer: Option<Writer>) -> Result<(Self, End)> {
        // In this order, so that the pack has all lines of which the log speaks even while somebody writes.
        let log = log::open(&folder.file(LOG))?;
        let pack = Pack::open(&folder.file(PACK), writer.is_some())?;
        let mut store = Self {
            folder,
            memory: MemoryStore::new(),
            pack,
            has_log: log.is_some(),
            writer,
            findings: Vec::new(),
            taken: Vec::new(),
        };
        if let Some(log) = log {
            let end = store.replay(log)?;
            return Ok((store, end));
        }
        if has_format {
            return Err(corrupt(&store.folder.file(LOG), "it is missing"));
        }
        let loaded = reference::load(&store.folder)?;
        loaded.changes.into_iter().for_each(|change| store.memory.apply(change));
        loaded.taken.iter().for_each(|place| store.memory.take(*place));
        (store.findings, store.taken) = (loaded.findings, loaded.taken);
        Ok((store, End::default()))
    }

    fn replay(&mut self, log: Take<File>) -> Result<End> {
        let (memory, pack) = (&mut self.memory, &self.pack);
        let mut projection = self.writer.as_mut().map(|writer| &mut writer.projection);
        let marked = projection.as_mut().map_or(u64::MAX, |projection| projection.read_mark());
        let end = log::replay(&self.folder.file(LOG), log, |line| {
            if let Some(projection) = projection.as_mut().filter(|_| line.seq > marked) {
                let targets = touched(memory, &line.changes).map_err(|error| error.to_string())?;
                projection.note(targets, line.seq);
            }
            apply(memory, pack, line)
        })?;
        if let Some(projection) = projection {
            projection.resume(memory, end.seq)?;
        }
        Ok(end)
    }

    /// Checks that the registry may be written over. One that is gone is written again.
    fn check_registry(&mut self) -> Result<()> {
        let Some(writer) = self.writer.as_mut().filter(|_| self.has_log) else { return Ok(()) };
        if !writer.projection.check(Target::Roots)? && !self.memory.roots()?.is_empty() {
            writer.projection.note([Target::Roots], 1);
        }
        Ok(())
    }

    /// Opens the log for writing, if there is one.
    fn open_log(&mut self, end: End) -> Result<()> {
        if let Some(writer) = self.writer.as_mut().filter(|_| self.has_log) {
            writer.log = Some(Log::open(&self.folder.file(LOG), end)?);
        }
        Ok(())
    }

    /// Makes the log, if there is none, with everything that is there. Returns whether it did.
    fn start_log(&mut self) -> Result<bool> {
        let writer = self.writer.as_mut().ok_or(ForestError::ReadOnly)?;
        let is_new = writer.log.is_none();
        if is_new {
            let path = self.folder.file(LOG);
            let changes = state_of(&self.memory)?;
            let end = if changes.is_empty() && self.taken.is_empty() {
                End::default()
            } else {
                let line = Line { seq: 1, taken: self.taken.clone(), texts: Vec::new(), changes };
                let (bytes, _) = line.write().map_err(|error| not_kept(&path, error))?;
                self.folder.replace_durably(&path, &bytes)?;
                writer.projection.note_all(&self.memory, 1)?;
                End { seq: 1, length: bytes.len() as u64 }
            };
            writer.log = Some(Log::open(&path, end)?);
            self.has_log = true;
        }
        if !writer.has_format {
            let format = serde_json::to_vec(&Format { format: FORMAT }).expect("a number is JSON");
            self.folder.replace_durably(&self.folder.file(FORMAT_FILE), &format)?;
            writer.has_format = true;
        }
        Ok(is_new)
    }
}

impl Writer {
    fn finish(&mut self, memory: &MemoryStore) {
        if let Some(log) = &self.log {
            self.projection.finish(memory, log.seq());
        }
    }
}

impl Drop for FileSystemStore {
    fn drop(&mut self) {
        if let Some(writer) = &mut self.writer {
            writer.finish(&self.memory);
        }
    }
}

/// Checks the version of the format. Returns whether the folder has one.
fn check_format(folder: &Folder) -> Result<bool> {
    let path = folder.file(FORMAT_FILE);
    let Some(bytes) = read(&path)? else { return Ok(false) };
    let Format { format: found } =
        serde_json::from_slice(&bytes).map_err(|error| corrupt(&path, error.to_string()))?;
    if found > FORMAT {
        let folder = folder.path().to_owned();
        return Err(ForestError::FormatTooNew { folder, found, supported: FORMAT });
    }
    Ok(true)
}

/// Makes the changes of a commit, with the bytes of sessions where they are now.
fn apply(memory: &mut MemoryStore, pack: &Pack, line: Line) -> Result<(), String> {
    line.taken.iter().for_each(|place| memory.take(*place));
    let mut texts = line.texts.into_iter().peekable();
    for mut change in line.changes {
        if let Change::Session(session) = &mut change
            && let Some(text) = texts.next_if(|text| text.session == session.record.no)
        {
            let known = memory.packed_text(text.session).map(|(_, known)| known);
            session.text = Some(SessionText::Packed(pack.text(known, &text)?));
        }
        memory.apply(change);
    }
    Ok(())
}

/// Lists changes that make everything that a folder of the reference implementation can hold.
fn state_of(memory: &MemoryStore) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for root in memory.roots()? {
        changes.push(Change::Root((*root).clone()));
    }
    for root in memory.roots()? {
        for node in memory.nodes(root.id)? {
            changes.push(Change::Node((*node).clone()));
            changes.push(Change::Content(node.id, Content::Inline(memory.message(node.id)?)));
        }
    }
    changes.extend(memory.bookmarks()?.into_iter().map(Change::Bookmark));
    changes.extend(memory.current()?.map(|current| Change::Current(Some(current))));
    Ok(changes)
}

/// Refuses what the log could not give back, such as values that are nested too deeply to be read.
fn not_kept(log: &Path, error: serde_json::Error) -> ForestError {
    let source = io::Error::new(io::ErrorKind::InvalidData, error);
    ForestError::Write { path: log.to_owned(), source }
}

impl Store for FileSystemStore {
    fn roots(&self) -> Result<Vec<Arc<Root>>> {
        self.memory.roots()
    }

    fn root(&self, id: RootId) -> Result<Option<Arc<Root>>> {
        self.memory.root(id)
    }

    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>> {
        self.memory.node(id)
    }

    fn nodes(&self, root: RootId) -> Result<Vec<Arc<Node>>> {
        self.memory.nodes(root)
    }

    fn message(&self, id: NodeId) -> Result<Arc<Message>> {
        self.memory.message(id)
    }

    fn content(&self, id: NodeId) -> Result<Option<Content>> {
        self.memory.content(id)
    }

    fn children(&self, of: Place, which: Which) -> Result<Vec<Arc<Node>>> {
        self.memory.children(of, which)
    }

    fn find_children(
        &self,
        wanted: &[(Place, ContentKey)],
        which: Which,
    ) -> Result<Vec<Option<NodeId>>> {
        self.memory.find_children(wanted, which)
    }

    fn next_root(&self) -> Result<u32> {
        self.memory.next_root()
    }

    fn next_node(&self, root: RootId) -> Result<u32> {
        self.memory.next_node(root)
    }

    fn bookmarks(&self) -> Result<Vec<Bookmark>> {
        self.memory.bookmarks()
    }

    fn current(&self) -> Result<Option<Place>> {
        self.memory.current()
    }

    fn sessions(&self) -> Result<Vec<Arc<SessionRecord>>> {
        self.memory.sessions()
    }

    fn next_session(&self) -> Result<u32> {
        self.memory.next_session()
    }

    fn session(&self, no: SessionNo) -> Result<Option<Arc<SessionRecord>>> {
        self.memory.session(no)
    }

    fn session_text(&self, session: SessionNo, range: Range<u64>) -> Result<Vec<u8>> {
        self.memory.session_text(session, range)
    }

    fn occurrences(&self, node: NodeId) -> Result<Vec<(SessionNo, u32)>> {
        self.memory.occurrences(node)
    }

    fn sessions_with(&self, events: &[EventId]) -> Result<Vec<SessionNo>> {
        self.memory.sessions_with(events)
    }

    /// Checks what the changes concern, makes the log safe, then changes memory, then the files for people.
    fn commit(&mut self, changes: Vec<Change>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let targets = touched(&self.memory, &changes)?;
        let writer = self.writer.as_mut().ok_or(ForestError::ReadOnly)?;
        writer.projection.check_all(&targets)?;
        let is_new = self.start_log()?;
        let Some(Writer { log: Some(log), projection, .. }) = &mut self.writer else {
            unreachable!("the log was started")
        };
        let mut texts = Vec::new();
        for change in &changes {
            if let Change::Session(session) = change
                && let Some(text) = &session.text
            {
                texts.push(self.pack.store(&self.memory, session, text)?);
            }
        }
        let line = Line { seq: log.seq() + 1, taken: Vec::new(), texts, changes };
        let (bytes, line) =
            line.write().map_err(|error| not_kept(&self.folder.file(LOG), error))?;
        log.append(&bytes)?;
        apply(&mut self.memory, &self.pack, line).expect("what was packed just now is there");
        projection.update(&self.memory, &targets, log.seq());
        if is_new {
            projection.finish(&self.memory, log.seq());
        }
        Ok(())
    }
}
