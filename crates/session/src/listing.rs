//! What a list of sessions says about each: pi's own fields, and what a person asks next.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::branches::Branches;
use crate::content::text_of;
use crate::entry::{Entry, Role, Usage};
use crate::error::SessionError;
use crate::json::Raw;
use crate::log::Log;
use crate::session::Session;
use crate::time::Millis;
use crate::tree::{Tree, View};

/// A session in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The file.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    /// The working directory; empty if the header has none.
    pub cwd: String,
    /// The name somebody gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The file it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_path: Option<String>,
    /// When it began.
    pub created: Option<Millis>,
    /// When somebody last said something.
    pub modified: Millis,
    /// All messages of all branches, tool results and system messages too.
    pub message_count: usize,
    /// The first words of the person, or `(no messages)`.
    pub first_message: String,
    /// All entries of the file.
    pub entry_count: usize,
    /// The ends of conversations in it; 1 unless somebody went back and tried another way.
    pub branch_count: usize,
    /// Tokens and cost of everything in the file.
    pub usage: Usage,
    /// Bytes.
    pub size: u64,
    /// How many things are wrong with the file.
    pub problem_count: usize,
}

impl SessionInfo {
    /// Reads one session file.
    pub fn read(path: &Path) -> Result<Self, SessionError> {
        Self::read_with(path).map(|(info, ..)| info)
    }

    /// Reads one session file, and returns it with its repaired tree, too.
    pub fn read_with(path: &Path) -> Result<(Self, Session, Tree), SessionError> {
        let mut summary = Summary::default();
        let session = Session::open_with(path, |entry, raw| summary.add(entry, raw))?;
        let header = session.header();
        let tree = session.tree(View::Repaired);
        let written = || std::fs::metadata(path).and_then(|metadata| metadata.modified());
        let SessionCounts { messages, last_activity, usage } = summary.counts;
        let modified = last_activity.or(header.created());
        let info = Self {
            path: path.to_owned(),
            id: header.id.clone(),
            cwd: header.cwd.clone().unwrap_or_default(),
            name: session.log().name().map(str::to_owned),
            parent_session_path: header.parent_session.clone(),
            created: header.created(),
            modified: modified.or_else(|| written().ok().map(Millis::from)).unwrap_or(Millis(0)),
            message_count: messages,
            first_message: summary.first_message.unwrap_or_else(|| "(no messages)".to_owned()),
            entry_count: session.log().entries().len(),
            branch_count: Branches::new(session.log(), &tree).list.len(),
            usage,
            size: session.log().end(),
            problem_count: session.problems(&tree).len(),
        };
        Ok((info, session, tree))
    }

    /// Returns what to call the session: its name, else the first words.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.first_message)
    }
}

/// Reads the sessions of all files, on all cores; newest first, and those that could not be read apart.
///
/// `on_read` is called, on any thread, each time a file is done.
pub fn list_sessions(
    files: &[PathBuf],
    on_read: impl Fn() + Sync,
) -> (Vec<SessionInfo>, Vec<(PathBuf, SessionError)>) {
    let read = |path: &PathBuf| {
        let info = SessionInfo::read(path).map_err(|error| (path.clone(), error));
        on_read();
        info
    };
    // The largest files come first, so that no core is left alone with one at the end.
    let size = |path: &&PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut order: Vec<&PathBuf> = files.iter().collect();
    order.sort_by_cached_key(|path| std::cmp::Reverse(size(path)));
    let (mut infos, mut unreadable): (Vec<_>, Vec<_>) =
        order.into_par_iter().map(read).partition_map(|result| match result {
            Ok(info) => rayon::iter::Either::Left(info),
            Err(error) => rayon::iter::Either::Right(error),
        });
    infos.sort_by(|one: &SessionInfo, other| {
        other.modified.cmp(&one.modified).then_with(|| one.path.cmp(&other.path))
    });
    unreadable.sort_by(|(one, _): &(PathBuf, _), (other, _)| one.cmp(other));
    (infos, unreadable)
}

/// Returns the text of all user and assistant messages, in file order, as pi's picker searches it.
pub fn all_messages_text(session: &Session) -> std::io::Result<String> {
    let mut texts = Vec::new();
    for (at, entry) in session.log().entries().iter().enumerate() {
        if speaker(entry).is_some() {
            let text = session.content_raw(at)?.map(|content| text_of(content.raw(), " "));
            texts.extend(text.filter(|text| !text.is_empty()));
        }
    }
    Ok(texts.join(" "))
}

/// What a list counts over the entries of a session.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionCounts {
    /// All messages of all branches, tool results and system messages too.
    pub messages: usize,
    /// When somebody last said something.
    pub last_activity: Option<Millis>,
    /// Tokens and cost of everything in the file.
    pub usage: Usage,
}

impl SessionCounts {
    /// Counts all entries of a log.
    pub fn of(log: &Log) -> Self {
        let mut counts = Self::default();
        log.entries().iter().for_each(|entry| counts.add(entry));
        counts
    }

    fn add(&mut self, entry: &Entry) {
        self.usage += entry.usage.as_deref().copied().unwrap_or_default();
        let Some(message) = entry.message() else { return };
        self.messages += 1;
        if speaker(entry).is_some() {
            let time = message.timestamp.or(entry.timestamp).filter(|time| time.0 > 0);
            self.last_activity = self.last_activity.max(time);
        }
    }
}

/// What is gathered while a file streams by.
#[derive(Default)]
struct Summary {
    counts: SessionCounts,
    first_message: Option<String>,
}

impl Summary {
    fn add(&mut self, entry: &Entry, raw: Raw<'_>) {
        self.counts.add(entry);
        if self.first_message.is_none() && speaker(entry) == Some(&Role::User) {
            self.first_message = spoken_text(entry, raw).filter(|text| !text.is_empty());
        }
    }
}

/// Returns the role if a person or a model speaks here, with content to speak of.
fn speaker(entry: &Entry) -> Option<&Role> {
    let message = entry.message()?;
    let speaks = matches!(message.role, Role::User | Role::Assistant) && message.content.is_some();
    speaks.then_some(&message.role)
}

fn spoken_text(entry: &Entry, raw: Raw<'_>) -> Option<String> {
    let content = raw.bytes().get(entry.message()?.content?.range())?;
    Raw::parse(content).map(|content| text_of(content, " "))
}

/// Writes a path as text; one that is no UTF-8 must not cost the whole list.
fn lossy<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
