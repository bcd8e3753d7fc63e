//! What the forest remembers of each imported session file: every line, and where it stands.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pi_brain_session::{Body, Millis, Usage, prefix_check};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{ForestError, Result};
use crate::ids::{Place, RootId};
use crate::message::Message;
use crate::pi::message_of_line;
use crate::store::PackedText;

/// Identifies an imported session file. The file is what counts: two files may have one session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(transparent)]
pub struct SessionNo(pub(crate) u32);

impl SessionNo {
    /// Makes the name of a session from its number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the session's number.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// What relates an imported session to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionKin {
    /// Its number.
    pub no: SessionNo,
    /// The tree that its family lives in.
    pub root: RootId,
    /// The file, as it was named when it was imported.
    pub file: String,
    /// The session's id.
    pub id: String,
    /// The file that it was forked from, as the header names it.
    pub parent_session: Option<String>,
    /// When the session began.
    pub created: Option<Millis>,
}

impl From<&SessionRecord> for SessionKin {
    fn from(record: &SessionRecord) -> Self {
        Self {
            no: record.no,
            root: record.root,
            file: record.file.clone(),
            id: record.id.clone(),
            parent_session: record.parent_session.clone(),
            created: record.created,
        }
    }
}

/// An imported session file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SessionRecord {
    /// Its number.
    pub no: SessionNo,
    /// The file, as it was named when it was imported.
    pub file: String,
    /// The tree that its family lives in.
    pub root: RootId,
    /// The session's id.
    pub id: String,
    /// The format's version.
    pub version: u32,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The file that it was forked from, as the header names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    /// When the session began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Millis>,
    /// The session's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The labels in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelRecord>,
    /// Where pi would go on.
    pub leaf: Place,
    /// How many bytes were imported.
    pub length: u64,
    /// How many of them are whole lines.
    pub settled_length: u64,
    /// A digest of the first and the last bytes of these whole lines, to notice that the file was rewritten.
    pub check: String,
    /// How many entries stand on whole lines; one behind them may still change.
    pub settled: usize,
    /// Entries that follow something which is not in the file, by position. If another session of the family has
    /// them with what comes before, they stand there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adrift: Vec<usize>,
    /// Every entry, in file order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<EntryRecord>,
}

impl SessionRecord {
    /// Reads what an entry says back from the session's bytes.
    pub fn read_message(
        &self,
        entry: u32,
        read: impl FnOnce(Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<Message> {
        let gone = |why: &str| ForestError::SessionGone {
            file: self.file.clone(),
            source: io::Error::new(io::ErrorKind::InvalidData, why),
        };
        let entry = self.entries.get(entry as usize).ok_or_else(|| gone("it has fewer entries"))?;
        let line = read(entry.start..entry.start + entry.length)?;
        message_of_line(&line, entry.kept)
            .ok_or_else(|| gone("the file has changed since it was read"))
    }

    /// Returns all but the entries.
    #[must_use]
    pub fn without_entries(&self) -> Self {
        Self {
            no: self.no,
            file: self.file.clone(),
            root: self.root,
            id: self.id.clone(),
            version: self.version,
            cwd: self.cwd.clone(),
            parent_session: self.parent_session.clone(),
            created: self.created,
            name: self.name.clone(),
            labels: self.labels.clone(),
            leaf: self.leaf,
            length: self.length,
            settled_length: self.settled_length,
            check: self.check.clone(),
            settled: self.settled,
            adrift: self.adrift.clone(),
            entries: Vec::new(),
        }
    }

    /// Returns whether a file is as it was when it was imported, by its length and its check.
    pub(crate) fn describes(&self, path: &Path) -> bool {
        let text = SessionText::File(path.to_owned());
        let length = std::fs::metadata(path).map(|metadata| metadata.len());
        length.is_ok_and(|length| length == self.length)
            && prefix_check(self.settled_length, |range| text.read(range))
                .is_ok_and(|check| check == self.check)
    }
}

/// One entry of an imported session.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct EntryRecord {
    /// Where its JSON starts in the file, in bytes.
    pub start: u64,
    /// How long its JSON is.
    pub length: u64,
    /// The message that it is or, if it is none, the place that it decorates.
    pub place: Place,
    /// Whether it is a message of the tree; otherwise it decorates its place.
    pub own: bool,
    /// What kind of entry it is.
    #[serde(default, skip_serializing_if = "EntryKind::is_other")]
    pub kind: EntryKind,
    /// What makes it the same event as an entry of another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventId>,
    /// The id that a provider gave the answer, as a digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<EventId>,
    /// The message's own time, or else the entry's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Millis>,
    /// For a compaction, how many of the messages before it stay in sight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u32>,
    /// Tokens and cost that it accounts for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Box<Usage>>,
}

/// The kinds of entries that the forest tells apart.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// Somebody speaks, be it with words or without.
    Message,
    /// A summary takes the place of what was said.
    Compaction,
    /// A summary tells of a branch that was left.
    BranchSummary,
    /// Tokens were spent outside the conversation.
    Usage,
    /// Anything else.
    #[default]
    Other,
}

impl EntryKind {
    pub(crate) fn of(body: &Body) -> Self {
        match body {
            Body::Message(_) | Body::CustomMessage { .. } => Self::Message,
            Body::Compaction { .. } => Self::Compaction,
            Body::BranchSummary { .. } => Self::BranchSummary,
            Body::Usage { .. } => Self::Usage,
            _ => Self::Other,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    fn is_other(&self) -> bool {
        *self == Self::Other
    }
}

/// A label, as a session has it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct LabelRecord {
    /// What it is on.
    pub place: Place,
    /// The label.
    pub text: String,
    /// When it was given, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// Something that happened once, however many files tell of it: a digest of the entry's id and time or,
/// where there are no ids, of the message's time and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(transparent)]
pub struct EventId(pub(crate) u64);

impl EventId {
    /// Takes the digest of an event that was kept.
    pub fn new(digest: u64) -> Self {
        Self(digest)
    }

    /// Returns the digest, to be kept.
    pub fn digest(self) -> u64 {
        self.0
    }

    /// Makes the digest of what tells an event from others of its kind.
    pub(crate) fn of(kind: &str, parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in [kind].iter().chain(parts) {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        Self(digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

/// Where the bytes of a session are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionText {
    /// In its file.
    File(PathBuf),
    /// In memory.
    Bytes(Arc<[u8]>),
    /// In pieces, in a file that a store keeps for the lines of all sessions.
    Packed(PackedText),
}

impl SessionText {
    /// Reads a piece.
    pub fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let position = |at: u64| usize::try_from(at).map_err(io::Error::other);
        match self {
            Self::File(path) => {
                let mut bytes = vec![0; position(range.end - range.start)?];
                File::open(path)?.read_exact_at(&mut bytes, range.start)?;
                Ok(bytes)
            }
            Self::Bytes(bytes) => {
                let piece = bytes.get(position(range.start)?..position(range.end)?);
                Ok(piece.ok_or(io::ErrorKind::UnexpectedEof)?.to_vec())
            }
            Self::Packed(text) => text.read(range),
        }
    }
}
