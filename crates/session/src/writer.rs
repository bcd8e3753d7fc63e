//! A session that is open for writing: pi's `SessionManager`, append-only.
//!
//! No line that exists is ever changed. A file appears with the first user or assistant message, as in
//! pi; until then the session lives in memory. Each entry is one `write` of one line.

mod append;
mod branching;
mod compose;
mod disk;

use std::collections::HashSet;
use std::fs;
use std::hash::BuildHasher;
use std::io;
use std::path::{Path, PathBuf};

pub use append::NewCompaction;
pub use branching::NewBranchSummary;
pub use compose::{header_line, new_session_id};
pub use disk::ensure_quiet;

use crate::entry::{Entry, EntryId, Role};
use crate::error::SessionError;
use crate::folders::{find_most_recent, is_valid_session_id, session_file_name};
use crate::json::{Raw, quote};
use crate::log::CURRENT_VERSION;
use crate::migrate::current_json;
use crate::session::{Checkpoint, Refresh, Session};
use crate::time::Millis;
use compose::{line, quoted_or_null};
use disk::{append_line, write_new};

/// Gives a session what it cannot know by itself: the time, and numbers nobody else has.
pub trait Mint {
    /// Returns the time now.
    fn now(&mut self) -> Millis;
    /// Returns 128 random bits.
    fn random(&mut self) -> u128;
}

/// A session open for appending. The leaf is the entry that the next one will follow.
pub struct SessionWriter<M> {
    session: Session,
    place: Place,
    folder: PathBuf,
    cwd: String,
    leaf: Option<EntryId>,
    ids: HashSet<EntryId>,
    mint: M,
}

enum Place {
    /// Never written.
    Memory,
    /// Will be written to this file once somebody has said something.
    Pending { path: PathBuf, exists: bool },
    /// Stands in a file; the checkpoint says how far we know it.
    File { path: PathBuf, checkpoint: Checkpoint },
}

impl<M: Mint> SessionWriter<M> {
    /// Starts a session for `cwd` whose file will lie in `folder`.
    pub fn create(cwd: &str, folder: &Path, mint: M) -> Self {
        Self::start(cwd, folder, None, true, mint)
    }

    /// Starts a session that is never written to disk.
    pub fn in_memory(cwd: &str, mint: M) -> Self {
        Self::start(cwd, Path::new(""), None, false, mint)
    }

    fn start(cwd: &str, folder: &Path, parent: Option<&str>, on_disk: bool, mut mint: M) -> Self {
        let now = mint.now();
        let id = new_session_id(&mut mint, now);
        let header = header_line(&id, now, cwd, parent);
        let path = folder.join(session_file_name(now, &id));
        Self {
            session: Session::from_bytes(header.into_bytes()).expect("a new header is a session"),
            place: if on_disk { Place::Pending { path, exists: false } } else { Place::Memory },
            folder: folder.to_owned(),
            cwd: cwd.to_owned(),
            leaf: None,
            ids: HashSet::new(),
            mint,
        }
    }

    /// Opens a session file; a file that is missing or empty becomes a new session of that name.
    ///
    /// The file itself is not touched before something is appended. Nothing can be appended to a file of
    /// an old version: today's entries would make it unreadable for pi. Migrate it first.
    pub fn open(path: &Path, fallback_cwd: &str, mint: M) -> Result<Self, SessionError> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let size = fs::metadata(path).map(|metadata| metadata.len());
        if !matches!(size, Ok(size) if size > 0) {
            let mut writer = Self::start(fallback_cwd, &folder, None, true, mint);
            writer.place = Place::Pending { path: path.to_owned(), exists: size.is_ok() };
            return Ok(writer);
        }
        Self::from_session(Session::open(path)?, fallback_cwd, mint)
    }

    /// Goes on with a session that was read; `fallback_cwd` is for very old headers.
    pub fn from_session(
        session: Session,
        fallback_cwd: &str,
        mint: M,
    ) -> Result<Self, SessionError> {
        let path = session.path().unwrap_or(Path::new("")).to_owned();
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let cwd = session.header().cwd.clone().unwrap_or_else(|| fallback_cwd.to_owned());
        Self::over(session, folder, cwd, mint)
    }

    fn over(session: Session, folder: PathBuf, cwd: String, mint: M) -> Result<Self, SessionError> {
        let place = match session.path() {
            Some(path) => {
                let checkpoint = session.checkpoint().map_err(|source| read_error(path, source))?;
                Place::File { path: path.to_owned(), checkpoint }
            }
            None => Place::Memory,
        };
        let (leaf, ids) = (last_id(&session), all_ids(&session));
        Ok(Self { session, place, folder, cwd, leaf, ids, mint })
    }

    /// Opens the newest session of `folder` (only those of `cwd`, if asked), or starts one.
    pub fn continue_recent(
        cwd: &str,
        folder: &Path,
        only_this_cwd: bool,
        mint: M,
    ) -> Result<Self, SessionError> {
        match find_most_recent(folder, only_this_cwd.then_some(cwd)) {
            Some(path) => Self::open(&path, cwd, mint),
            None => Ok(Self::create(cwd, folder, mint)),
        }
    }

    /// Copies all entries of a session, every branch, into a new file for another working directory.
    pub fn fork_from(
        source: &Path,
        cwd: &str,
        folder: &Path,
        mut mint: M,
    ) -> Result<Self, SessionError> {
        let original = Session::open(source)?;
        let now = mint.now();
        let id = new_session_id(&mut mint, now);
        let path = folder.join(session_file_name(now, &id));
        let header = header_line(&id, now, cwd, Some(&absolute(source)));
        let copies = (0..original.log().entries().len()).map(|at| {
            let json = current_json(&original, at).map_err(|error| read_error(source, error))?;
            Ok(json + "\n")
        });
        write_new(&path, false, std::iter::once(Ok(header)).chain(copies))?;
        Self::over(Session::open(&path)?, folder.to_owned(), cwd.to_owned(), mint)
    }

    /// Leaves this session and starts an empty one in the same folder, with this one as its parent if asked.
    pub fn new_session(&mut self, id: Option<&str>, with_parent: bool) -> Result<(), SessionError> {
        if let Some(id) = id.filter(|id| !is_valid_session_id(id)) {
            return Err(SessionError::BadSessionId(id.to_owned()));
        }
        let parent = self.path().filter(|_| with_parent).map(absolute);
        let now = self.mint.now();
        let fresh = new_session_id(&mut self.mint, now);
        let id = id.unwrap_or(&fresh);
        let header = header_line(id, now, &self.cwd, parent.as_deref());
        let path = self.folder.join(session_file_name(now, id));
        let new = self.elsewhere(path, false, std::iter::once(Ok(header)))?;
        self.go_over_to(new);
        Ok(())
    }

    /// Returns the session as it is now.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the file, which may not exist yet; a session in memory has none.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Memory => None,
            Place::Pending { path, .. } | Place::File { path, .. } => Some(path),
        }
    }

    /// Returns the entry that the next one will follow.
    pub fn leaf(&self) -> Option<&EntryId> {
        self.leaf.as_ref()
    }

    /// Makes sure that nobody has written to the file since we read it.
    ///
    /// Two programs may share a file: what we append then starts a branch of its own. Whoever has waited
    /// for a person or a model before appending will not want that.
    pub fn ensure_current(&self) -> Result<(), SessionError> {
        let Place::File { path, .. } = &self.place else { return Ok(()) };
        let length = fs::metadata(path).map_err(|error| self.read_error(error))?.len();
        let same = length == self.session.log().end();
        same.then_some(()).ok_or_else(|| SessionError::ChangedMeanwhile(path.clone()))
    }

    /// Writes a session that is still in memory to its file, although nobody has said anything yet.
    pub fn write_now(&mut self) -> Result<(), SessionError> {
        if let Place::Pending { path, exists } = &self.place {
            let (path, exists) = (path.clone(), *exists);
            write_new(&path, exists, self.lines_in_memory())?;
            self.settle(&path)?;
        }
        Ok(())
    }

    fn append(
        &mut self,
        kind: &str,
        own: Vec<(&str, Option<String>)>,
    ) -> Result<EntryId, SessionError> {
        let id = self.new_id();
        let now = self.mint.now();
        self.append_stamped(kind, id, now, own)
    }

    fn append_stamped(
        &mut self,
        kind: &str,
        id: EntryId,
        now: Millis,
        own: Vec<(&str, Option<String>)>,
    ) -> Result<EntryId, SessionError> {
        let mut fields = vec![("type", Some(quote(kind)))];
        fields.extend(self.place_in_tree(&id, now));
        fields.extend(own);
        self.write_entry(&line(&fields), id)
    }

    /// Extensions' entries have their own fields before the common ones.
    fn append_own_first(
        &mut self,
        kind: &str,
        own: Vec<(&str, Option<String>)>,
    ) -> Result<EntryId, SessionError> {
        let id = self.new_id();
        let now = self.mint.now();
        let mut fields = vec![("type", Some(quote(kind)))];
        fields.extend(own);
        fields.extend(self.place_in_tree(&id, now));
        self.write_entry(&line(&fields), id)
    }

    fn place_in_tree(&self, id: &EntryId, now: Millis) -> [(&'static str, Option<String>); 3] {
        [
            ("id", Some(quote(id.as_str()))),
            ("parentId", Some(quoted_or_null(self.leaf.as_ref()))),
            ("timestamp", Some(quote(&now.to_string()))),
        ]
    }

    fn write_entry(&mut self, line: &str, id: EntryId) -> Result<EntryId, SessionError> {
        match &self.place {
            Place::Pending { path, exists } if line_speaks(line) => {
                let (path, exists) = (path.clone(), *exists);
                let lines = self.lines_in_memory().chain([Ok(line.to_owned())]);
                write_new(&path, exists, lines)?;
                self.settle(&path)?;
            }
            Place::Memory | Place::Pending { .. } => self.push_in_memory(line)?,
            Place::File { path, checkpoint } => {
                let version = self.session.header().version;
                if version < CURRENT_VERSION {
                    return Err(SessionError::OldVersion { path: path.clone(), version });
                }
                append_line(path, line)?;
                // Another program may have written too; its entries are then ours to know.
                let from = match self.session.refresh(checkpoint)? {
                    Refresh::Unchanged => self.session.log().entries().len(),
                    Refresh::Changed { from } => from,
                };
                let new = self.session.log().entries()[from..].iter();
                self.ids.extend(new.filter_map(|entry| entry.id.clone()));
                let path = path.clone();
                let checkpoint =
                    self.session.checkpoint().map_err(|error| self.read_error(error))?;
                self.place = Place::File { path, checkpoint };
            }
        }
        self.ids.insert(id.clone());
        self.leaf = Some(id.clone());
        Ok(id)
    }

    /// Writes another session, to its file or (while nobody speaks in it) to memory. This one stays.
    fn elsewhere(
        &self,
        path: PathBuf,
        speaks: bool,
        lines: impl Iterator<Item = Result<String, SessionError>>,
    ) -> Result<(Session, Place), SessionError> {
        if speaks && !matches!(self.place, Place::Memory) {
            write_new(&path, false, lines)?;
            return open_settled(&path);
        }
        let text: String = lines.collect::<Result<_, _>>()?;
        let session = Session::from_bytes(text.into_bytes()).expect("a new header is a session");
        let place = match self.place {
            Place::Memory => Place::Memory,
            Place::Pending { .. } | Place::File { .. } => Place::Pending { path, exists: false },
        };
        Ok((session, place))
    }

    fn go_over_to(&mut self, (session, place): (Session, Place)) {
        self.leaf = last_id(&session);
        self.ids = all_ids(&session);
        self.session = session;
        self.place = place;
    }

    fn lines_in_memory(&self) -> impl Iterator<Item = Result<String, SessionError>> {
        let lines = self.session.memory().split_inclusive(|&byte| byte == b'\n');
        lines.map(|line| Ok(String::from_utf8_lossy(line).into_owned()))
    }

    fn push_in_memory(&mut self, line: &str) -> Result<(), SessionError> {
        self.session.push_in_memory(line).map_err(|error| self.read_error(io::Error::other(error)))
    }

    /// From now on the session stands in a file.
    fn settle(&mut self, path: &Path) -> Result<(), SessionError> {
        (self.session, self.place) = open_settled(path)?;
        Ok(())
    }

    fn require(&self, id: &EntryId) -> Result<(), SessionError> {
        let known = self.ids.contains(id);
        known.then_some(()).ok_or_else(|| SessionError::EntryNotFound(id.clone()))
    }

    fn new_id(&mut self) -> EntryId {
        new_entry_id(&mut self.mint, &self.ids)
    }

    fn read_error(&self, source: io::Error) -> SessionError {
        read_error(self.path().unwrap_or(Path::new("(memory)")), source)
    }
}

/// Makes an id that is not taken: eight digits, or a whole UUID if luck runs out.
pub fn new_entry_id<B: BuildHasher>(
    mint: &mut (impl Mint + ?Sized),
    taken: &HashSet<EntryId, B>,
) -> EntryId {
    for _ in 0..100 {
        let digits = format!("{:08x}", mint.random() >> 96);
        let id = EntryId::new(&digits).expect("eight digits are not empty");
        if !taken.contains(&id) {
            return id;
        }
    }
    let uuid = uuid::Builder::from_random_bytes(mint.random().to_be_bytes()).into_uuid();
    EntryId::new(&uuid.to_string()).expect("a UUID is not empty")
}

fn open_settled(path: &Path) -> Result<(Session, Place), SessionError> {
    let session = Session::open(path)?;
    let checkpoint = session.checkpoint().map_err(|source| read_error(path, source))?;
    Ok((session, Place::File { path: path.to_owned(), checkpoint }))
}

/// The entry that the next one follows. pi takes the last line even if it has no id and then starts a new
/// tree; the last entry that can be named keeps the conversation together.
fn last_id(session: &Session) -> Option<EntryId> {
    session.log().entries().iter().rev().find_map(|entry| entry.id.clone())
}

fn all_ids(session: &Session) -> HashSet<EntryId> {
    session.log().entries().iter().filter_map(|entry| entry.id.clone()).collect()
}

/// Returns whether a person or a model speaks in an entry: then the session gets its file.
fn speaks(entry: &Entry) -> bool {
    matches!(entry.role(), Some(Role::User | Role::Assistant))
}

fn line_speaks(line: &str) -> bool {
    let role = Raw::parse(line.as_bytes()).and_then(|raw| raw.get("message")?.get_str("role"));
    matches!(role.as_deref(), Some("user" | "assistant"))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn read_error(path: &Path, source: io::Error) -> SessionError {
    SessionError::Read { path: path.to_owned(), source }
}
