//! What the forest remembers of each imported session file: every line, and where it stands.

use std::path::PathBuf;
use std::sync::Arc;

use pi_brain_session::{Millis, Usage};
use serde::{Deserialize, Serialize};

use crate::ids::{Place, RootId};

/// Identifies an imported session file. The file is what counts: two files may have one session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(transparent)]
pub struct SessionNo(pub(crate) u32);

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
    /// Every entry, in file order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<EntryRecord>,
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

/// Where the bytes of a session are while it is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionText {
    /// In its file.
    File(PathBuf),
    /// In memory.
    Bytes(Arc<[u8]>),
}
