//! A session that is open for writing: pi's `SessionManager`, append-only.
//!
//! No line that exists is ever changed. A file appears with the first user or assistant message, as in
//! pi; until then the session lives in memory. Each entry is one `write` of one line.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use uuid::Uuid;

use crate::context::ContextMessage;
use crate::entry::{Body, Entry, EntryId, Role};
use crate::error::SessionError;
use crate::folders::{find_most_recent, is_valid_session_id, session_file_name};
use crate::json::{Raw, quote};
use crate::log::CURRENT_VERSION;
use crate::migrate::current_json;
use crate::session::{Checkpoint, Refresh, Session, changed};
use crate::system::current_system_message;
use crate::time::Millis;
use crate::tree::{View, labels};

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

/// What a new `compaction` entry says.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct NewCompaction<'a> {
    pub summary: &'a str,
    /// The first entry that stays; without one nothing is kept.
    pub first_kept: Option<&'a EntryId>,
    pub tokens_before: u64,
    pub details: Option<&'a RawValue>,
    pub usage: Option<&'a RawValue>,
    pub from_hook: Option<bool>,
}

/// What a new `branch_summary` entry says.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct NewBranchSummary<'a> {
    pub summary: &'a str,
    pub details: Option<&'a RawValue>,
    pub usage: Option<&'a RawValue>,
    pub from_hook: Option<bool>,
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
        let (id, header) = new_header(&mut mint, now, cwd, parent);
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

    /// Goes on with a session that was read from a file; `fallback_cwd` is for very old headers.
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
        let path = session.path().unwrap_or(Path::new("")).to_owned();
        let checkpoint = session.checkpoint().map_err(|source| read_error(&path, source))?;
        Ok(Self {
            leaf: last_id(&session),
            ids: all_ids(&session),
            place: Place::File { path, checkpoint },
            session,
            folder,
            cwd,
            mint,
        })
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
        let parent = absolute(source);
        let (id, header) = new_header(&mut mint, now, cwd, Some(&parent));
        let path = folder.join(session_file_name(now, &id));
        write_new(&path, false, |write| {
            write(&header)?;
            for at in 0..original.log().entries().len() {
                write(&(current_json(&original, at)? + "\n"))?;
            }
            Ok(())
        })?;
        Self::over(Session::open(&path)?, folder.to_owned(), cwd.to_owned(), mint)
    }

    /// Leaves this session and starts an empty one in the same folder, with this one as its parent if asked.
    pub fn new_session(&mut self, id: Option<&str>, with_parent: bool) -> Result<(), SessionError> {
        if let Some(id) = id.filter(|id| !is_valid_session_id(id)) {
            return Err(SessionError::BadSessionId(id.to_owned()));
        }
        let parent = self.path().filter(|_| with_parent).map(absolute);
        let now = self.mint.now();
        let (fresh, header) = new_header(&mut self.mint, now, &self.cwd, parent.as_deref());
        let (id, header) = match id {
            Some(id) => (id.to_owned(), header.replacen(&quote(&fresh), &quote(id), 1)),
            None => (fresh, header),
        };
        let path = self.folder.join(session_file_name(now, &id));
        self.go_over_to(path, false, |write| write(&header))
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
            write_new(&path, exists, |write| write_lines(self.session.memory(), write))?;
            self.settle(&path)?;
        }
        Ok(())
    }

    // --- Appending: each returns the id of the new entry, which becomes the leaf.

    /// Appends a message, given as a JSON object in pi's shape.
    pub fn append_message(&mut self, message: &RawValue) -> Result<EntryId, SessionError> {
        let raw = Raw::parse(message.get().as_bytes()).ok_or(SessionError::BadMessage)?;
        raw.get_str("role").ok_or(SessionError::BadMessage)?;
        self.append("message", vec![("message", Some(message.get().to_owned()))])
    }

    /// Appends a change of model.
    pub fn append_model_change(
        &mut self,
        provider: &str,
        model: &str,
    ) -> Result<EntryId, SessionError> {
        let fields = vec![("provider", Some(quote(provider))), ("modelId", Some(quote(model)))];
        self.append("model_change", fields)
    }

    /// Appends a change of thinking level.
    pub fn append_thinking_level_change(&mut self, level: &str) -> Result<EntryId, SessionError> {
        self.append("thinking_level_change", vec![("thinkingLevel", Some(quote(level)))])
    }

    /// Appends a compaction, with the system message in force at this point.
    pub fn append_compaction(&mut self, new: NewCompaction<'_>) -> Result<EntryId, SessionError> {
        let now = self.mint.now();
        let id = self.new_id();
        let tree = self.session.tree(View::AsPi);
        let leaf = self.leaf.as_ref().and_then(|leaf| tree.find(leaf.as_str()));
        let context = self.session.context(&tree, leaf).map_err(|error| self.read_error(error))?;
        let messages: io::Result<Vec<_>> =
            context.messages.iter().map(ContextMessage::raw).collect();
        let messages = messages.map_err(|error| self.read_error(error))?;
        let system = current_system_message(messages.into_iter(), now.0);
        let fields = vec![
            ("summary", Some(quote(new.summary))),
            ("firstKeptEntryId", Some(quote(new.first_kept.unwrap_or(&id).as_str()))),
            ("tokensBefore", Some(new.tokens_before.to_string())),
            ("details", new.details.map(ToString::to_string)),
            ("usage", new.usage.map(ToString::to_string)),
            ("fromHook", new.from_hook.map(|flag| flag.to_string())),
            ("systemMessage", system),
        ];
        self.append_stamped("compaction", id, now, fields)
    }

    /// Appends state of an extension, which no model sees.
    pub fn append_custom_entry(
        &mut self,
        custom_type: &str,
        data: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let own =
            vec![("customType", Some(quote(custom_type))), ("data", data.map(ToString::to_string))];
        self.append_own_first("custom", own)
    }

    /// Appends text of an extension that models see; `content` is a string or a list of blocks.
    pub fn append_custom_message_entry(
        &mut self,
        custom_type: &str,
        content: &RawValue,
        display: bool,
        details: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let own = vec![
            ("customType", Some(quote(custom_type))),
            ("content", Some(content.to_string())),
            ("display", Some(display.to_string())),
            ("details", details.map(ToString::to_string)),
        ];
        self.append_own_first("custom_message", own)
    }

    /// Sets the label of an entry, or clears it.
    pub fn append_label_change(
        &mut self,
        target: &EntryId,
        label: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        self.require(target)?;
        let fields = vec![("targetId", Some(quote(target.as_str()))), ("label", label.map(quote))];
        self.append("label", fields)
    }

    /// Names the session; an empty name clears it. Line breaks become blanks.
    pub fn append_session_info(&mut self, name: &str) -> Result<EntryId, SessionError> {
        let lines: Vec<&str> = name.split(['\r', '\n']).filter(|line| !line.is_empty()).collect();
        self.append("session_info", vec![("name", Some(quote(lines.join(" ").trim())))])
    }

    /// Accounts for tokens that were spent outside the conversation.
    pub fn append_usage(
        &mut self,
        kind: &str,
        provider: &str,
        model: &str,
        usage: &RawValue,
        note: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        let fields = vec![
            ("kind", Some(quote(kind))),
            ("provider", Some(quote(provider))),
            ("model", Some(quote(model))),
            ("usage", Some(usage.to_string())),
            ("note", note.filter(|note| !note.is_empty()).map(quote)),
        ];
        self.append("usage", fields)
    }

    /// Changes what models see of an entry on the current branch: other content, or (`None`) nothing.
    pub fn append_context_edit(
        &mut self,
        target: &EntryId,
        content: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let tree = self.session.tree(View::AsPi);
        let at = tree
            .find(target.as_str())
            .ok_or_else(|| SessionError::EntryNotFound(target.clone()))?;
        let leaf = self.leaf.as_ref().and_then(|leaf| tree.find(leaf.as_str()));
        if !leaf.is_some_and(|leaf| tree.branch(leaf).contains(&at)) {
            return Err(SessionError::NotOnBranch(target.clone()));
        }
        let entry = &self.session.log().entries()[at];
        let wants_blocks = match (&entry.body, entry.role()) {
            (Body::CustomMessage { .. }, _) | (_, Some(Role::User)) => false,
            (_, Some(Role::Assistant | Role::ToolResult)) => true,
            _ => return Err(SessionError::NotEditable(target.clone())),
        };
        let replacement = match content.map(RawValue::get) {
            None => "null".to_owned(),
            Some(text) if wants_blocks && text.starts_with('"') => {
                format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")
            }
            Some(json) => format!("{{\"content\":{json}}}"),
        };
        let fields =
            vec![("targetId", Some(quote(target.as_str()))), ("replacement", Some(replacement))];
        self.append("context_edit", fields)
    }

    // --- Branching.

    /// Moves the leaf. Nothing is written: pi forgets the move unless something is appended here.
    pub fn branch(&mut self, to: &EntryId) -> Result<(), SessionError> {
        self.require(to)?;
        self.leaf = Some(to.clone());
        Ok(())
    }

    /// Moves the leaf before the first entry, so that the next one opens another tree.
    pub fn reset_leaf(&mut self) {
        self.leaf = None;
    }

    /// Moves the leaf to an entry, or before the first, and writes down there what was left behind.
    pub fn branch_with_summary(
        &mut self,
        to: Option<&EntryId>,
        new: NewBranchSummary<'_>,
    ) -> Result<EntryId, SessionError> {
        if let Some(to) = to {
            self.require(to)?;
        }
        let left = self.leaf.clone();
        let from = left.as_ref().map_or("root", EntryId::as_str);
        let fields = vec![
            ("fromId", Some(quote(from))),
            ("summary", Some(quote(new.summary))),
            ("details", new.details.map(ToString::to_string)),
            ("usage", new.usage.map(ToString::to_string)),
            ("fromHook", new.from_hook.map(|flag| flag.to_string())),
        ];
        self.leaf = to.cloned();
        self.append("branch_summary", fields).inspect_err(|_| self.leaf = left)
    }

    /// Goes over to a new session that holds only the path to `leaf`, with this one as its parent.
    ///
    /// Labels of entries on the path are written anew at its end, and entries that followed a label
    /// follow what the label followed.
    pub fn create_branched_session(&mut self, leaf: &EntryId) -> Result<(), SessionError> {
        let tree = self.session.tree(View::AsPi);
        let at =
            tree.find(leaf.as_str()).ok_or_else(|| SessionError::EntryNotFound(leaf.clone()))?;
        let parent = self.path().map(absolute);
        let now = self.mint.now();
        let (id, header) = new_header(&mut self.mint, now, &self.cwd, parent.as_deref());
        let copies = self.copies_of_path(&tree.branch(at));
        let labels = self.new_labels(&copies);
        let speaks = copies.iter().any(|copy| speaks(&self.session.log().entries()[copy.entry]));
        let path = self.folder.join(session_file_name(now, &id));
        let original = std::mem::replace(&mut self.session, placeholder());
        let written = self.go_over_to(path, speaks, |write| {
            write(&header)?;
            copies.iter().try_for_each(|copy| write(&copy.line(&original)?))?;
            labels.iter().try_for_each(|label| write(label))
        });
        if written.is_err() {
            self.session = original;
        }
        written
    }

    /// Leaves this session for a new one; if that cannot be written, nothing changes.
    fn go_over_to(
        &mut self,
        path: PathBuf,
        speaks: bool,
        lines: impl FnOnce(&mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<(), SessionError> {
        if speaks && !matches!(self.place, Place::Memory) {
            write_new(&path, false, lines)?;
            self.settle(&path)?;
        } else {
            let mut text = String::new();
            let mut collect = |line: &str| {
                text += line;
                Ok(())
            };
            lines(&mut collect).map_err(|error| self.read_error(error))?;
            self.session =
                Session::from_bytes(text.into_bytes()).expect("a new header is a session");
            if !matches!(self.place, Place::Memory) {
                self.place = Place::Pending { path, exists: false };
            }
        }
        self.leaf = last_id(&self.session);
        self.ids = all_ids(&self.session);
        Ok(())
    }

    /// Plans the copies of a path without its labels: what follows a label follows what it followed.
    fn copies_of_path(&self, path: &[usize]) -> Vec<Copy> {
        let entries = self.session.log().entries();
        let mut copies: Vec<Copy> = Vec::new();
        let mut removed: Vec<&EntryId> = Vec::new();
        let mut stand_ins: Vec<(&EntryId, &EntryId)> = Vec::new();
        for &entry in path {
            let Some(id) = &entries[entry].id else { continue };
            if matches!(entries[entry].body, Body::Label { .. }) {
                removed.push(id);
                continue;
            }
            stand_ins.extend(removed.drain(..).map(|label| (label, id)));
            let first_kept = match &entries[entry].body {
                Body::Compaction { first_kept: Some(first), .. } if first != id => {
                    stand_ins.iter().find(|(label, _)| *label == first).map(|(_, id)| (*id).clone())
                }
                _ => None,
            };
            let parent = copies.last().map(|copy| copy.id.clone());
            copies.push(Copy { entry, id: id.clone(), parent, first_kept });
        }
        copies
    }

    /// Writes the labels of copied entries anew, one after the other behind the last copy.
    fn new_labels(&mut self, copies: &[Copy]) -> Vec<String> {
        let kept: HashSet<&EntryId> = copies.iter().map(|copy| &copy.id).collect();
        let mut ids: HashSet<EntryId> = kept.iter().map(|id| (*id).clone()).collect();
        let mut leaf = copies.last().map(|copy| copy.id.clone());
        let mut lines = Vec::new();
        for (target, label) in labels(self.session.log()) {
            if !kept.contains(&target) {
                continue;
            }
            let id = new_id(&mut self.mint, &ids);
            lines.push(line(&[
                ("type", Some(quote("label"))),
                ("id", Some(quote(id.as_str()))),
                ("parentId", Some(quoted_or_null(leaf.as_ref()))),
                ("timestamp", label.timestamp.as_deref().map(quote)),
                ("targetId", Some(quote(target.as_str()))),
                ("label", Some(quote(&label.text))),
            ]));
            ids.insert(id.clone());
            leaf = Some(id);
        }
        lines
    }

    // --- The one way in which entries come into a session.

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
                write_new(&path, exists, |write| {
                    write_lines(self.session.memory(), write)?;
                    write(line)
                })?;
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

    fn push_in_memory(&mut self, line: &str) -> Result<(), SessionError> {
        self.session.push_in_memory(line).map_err(|error| self.read_error(io::Error::other(error)))
    }

    /// From now on the session stands in a file.
    fn settle(&mut self, path: &Path) -> Result<(), SessionError> {
        self.session = Session::open(path)?;
        let checkpoint = self.session.checkpoint().map_err(|source| read_error(path, source))?;
        self.place = Place::File { path: path.to_owned(), checkpoint };
        Ok(())
    }

    fn require(&self, id: &EntryId) -> Result<(), SessionError> {
        let known = self.ids.contains(id);
        known.then_some(()).ok_or_else(|| SessionError::EntryNotFound(id.clone()))
    }

    fn new_id(&mut self) -> EntryId {
        new_id(&mut self.mint, &self.ids)
    }

    fn read_error(&self, source: io::Error) -> SessionError {
        read_error(self.path().unwrap_or(Path::new("(memory)")), source)
    }
}

/// Makes an id that is not taken: eight digits, or a whole UUID if luck runs out.
fn new_id(mint: &mut impl Mint, taken: &HashSet<EntryId>) -> EntryId {
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

/// An entry on its way into another session.
struct Copy {
    entry: usize,
    id: EntryId,
    parent: Option<EntryId>,
    /// Replaces the first kept entry of a compaction, where that was a label.
    first_kept: Option<EntryId>,
}

impl Copy {
    fn line(&self, session: &Session) -> io::Result<String> {
        let json = current_json(session, self.entry)?;
        let raw = Raw::parse(json.as_bytes()).ok_or_else(changed)?;
        let parent = quoted_or_null(self.parent.as_ref());
        let first_kept = self.first_kept.as_ref().map(|id| quote(id.as_str()));
        let mut changes = vec![("parentId", Some(&*parent))];
        changes.extend(first_kept.as_ref().map(|id| ("firstKeptEntryId", Some(&**id))));
        Ok(raw.with_members(&changes) + "\n")
    }
}

/// Refuses a file that was written in the last two minutes.
///
/// pi keeps the leaf of an open session in memory, so what we append would be left on a side branch.
pub fn ensure_quiet(path: &Path, now: Millis) -> Result<(), SessionError> {
    const QUIET_SECONDS: i64 = 2 * 60;
    let Ok(written) = fs::metadata(path).and_then(|metadata| metadata.modified()) else {
        return Ok(());
    };
    let seconds = ((now.0 - Millis::from(written).0) / 1000).max(0);
    if seconds >= QUIET_SECONDS {
        return Ok(());
    }
    Err(SessionError::RecentlyWritten { path: path.to_owned(), seconds })
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

fn quoted_or_null(id: Option<&EntryId>) -> String {
    id.map_or_else(|| "null".to_owned(), |id| quote(id.as_str()))
}

/// Stands in for a session while it is read and replaced at the same time.
fn placeholder() -> Session {
    let header = r#"{"type":"session","version":3,"id":"-"}"#;
    Session::from_bytes(header.as_bytes().to_vec()).expect("a header is a session")
}

/// Makes a header line; returns the new session's id with it.
fn new_header(
    mint: &mut impl Mint,
    now: Millis,
    cwd: &str,
    parent: Option<&str>,
) -> (String, String) {
    let random = mint.random().to_be_bytes();
    let mut bits = [0; 10];
    bits.copy_from_slice(&random[..10]);
    let since_1970 = u64::try_from(now.0).unwrap_or_default();
    let id: Uuid = uuid::Builder::from_unix_timestamp_millis(since_1970, &bits).into_uuid();
    let header = line(&[
        ("type", Some(quote("session"))),
        ("version", Some(CURRENT_VERSION.to_string())),
        ("id", Some(quote(&id.to_string()))),
        ("timestamp", Some(quote(&now.to_string()))),
        ("cwd", Some(quote(cwd))),
        ("parentSession", parent.map(quote)),
    ]);
    (id.to_string(), header)
}

/// Writes an object as one line, leaving out what has no value.
fn line(fields: &[(&str, Option<String>)]) -> String {
    // JSON from elsewhere may be spread over lines; a line break in it can only stand between tokens.
    let on_one_line = |value: &String| value.replace(['\n', '\r'], " ");
    let members: Vec<String> = fields
        .iter()
        .filter_map(|(key, value)| Some(format!("{}:{}", quote(key), on_one_line(value.as_ref()?))))
        .collect();
    format!("{{{}}}\n", members.join(","))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

/// Writes a new file line by line, as pi does; if that fails, the file is taken away again.
///
/// A file that `exists` must still be empty: another program may have filled it since we looked.
fn write_new(
    path: &Path,
    exists: bool,
    lines: impl FnOnce(&mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()>,
) -> Result<(), SessionError> {
    let fail = |source| SessionError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut file = OpenOptions::new().append(true).create_new(!exists).open(path).map_err(fail)?;
    if exists && file.metadata().map_err(fail)?.len() > 0 {
        return Err(SessionError::ChangedMeanwhile(path.to_owned()));
    }
    lines(&mut |line| file.write_all(line.as_bytes())).map_err(|source| {
        if !exists {
            // What is left of a file that is only ours is of no use to anybody.
            let _ = fs::remove_file(path);
        }
        fail(source)
    })
}

fn write_lines(text: &[u8], write: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.map(String::from_utf8_lossy).try_for_each(|line| write(&line))
}

/// Appends one line with one `write`. A torn last line is ended first, so that nothing is glued to it.
fn append_line(path: &Path, line: &str) -> Result<(), SessionError> {
    let fail = |source| SessionError::Write { path: path.to_owned(), source };
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(fail)?;
    if !ends_with_line_break(&file).map_err(fail)? {
        file.write_all(b"\n").map_err(fail)?;
    }
    file.write_all(line.as_bytes()).map_err(fail)
}

fn ends_with_line_break(file: &File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if let Some(at) = file.metadata()?.len().checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    Ok(last == *b"\n")
}

fn read_error(path: &Path, source: io::Error) -> SessionError {
    SessionError::Read { path: path.to_owned(), source }
}
