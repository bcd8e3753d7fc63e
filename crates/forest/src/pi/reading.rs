//! One pass over a session file: what each entry says, as a digest, and what it follows.
//!
//! A reading knows nothing of the forest. Everything that can be computed from one file alone is computed here,
//! on all cores; what is left for the import is to look up places.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use pi_brain_session::{
    Body, Entry, EntryId, Header, Label, Log, Millis, Parent, Raw, ReadError, SessionError, Tree,
    Usage, View, labels, prefix_check,
};
use rayon::prelude::*;
use serde_json::Value;

use super::content::{compaction, message_of_entry, spoken, summary};
use crate::ids::Place;
use crate::key::ContentKey;
use crate::message::{Message, Role};
use crate::sessions::{EntryKind, EntryRecord, EventId, SessionRecord, SessionText};

/// A session file that was read and waits to be imported.
#[derive(Debug)]
pub struct Reading {
    pub(super) file: String,
    pub(super) text: SessionText,
    pub(super) header: Header,
    pub(super) name: Option<String>,
    /// The labels in force, with the positions of their targets.
    pub(super) labels: Vec<(usize, Label)>,
    pub(super) length: u64,
    pub(super) settled_length: u64,
    pub(super) check: String,
    pub(super) settled: usize,
    pub(super) entries: Vec<ReadEntry>,
    /// Entries that open a tree because what they follow is not in the file.
    pub(super) adrift: Vec<usize>,
    /// Entries whose parent stands behind them, with the position of that parent.
    late: Vec<(usize, usize)>,
    log: Log,
    tree: Tree,
}

/// What an import needs to know of an entry.
#[derive(Debug)]
pub(super) struct ReadEntry {
    /// The message that it is, as a digest; a decoration is none.
    pub(super) said: Option<(ContentKey, Role)>,
    /// The last message before it, by position.
    pub(super) anchor: Option<usize>,
    /// How many messages come before it.
    pub(super) depth: usize,
    /// The entry that opens its tree, by position.
    pub(super) root: usize,
    pub(super) event: Option<EventId>,
    pub(super) time: Option<Millis>,
    start: u64,
    length: u64,
    kind: EntryKind,
    response: Option<EventId>,
    kept: Option<u32>,
    usage: Option<Box<Usage>>,
}

impl Reading {
    /// Reads a session file.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        Self::open_with(path, |_, _| {})
    }

    /// Reads a session file and shows each entry, with its text, as it passes by.
    pub fn open_with(
        path: &Path,
        mut on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<Self, SessionError> {
        let path = absolute(path)?;
        let file = File::open(&path).map_err(|source| cannot_read(&path, source))?;
        let mut heard = Vec::new();
        let log = Log::read_with(&file, |entry, raw| {
            heard.push(Heard::new(entry, raw));
            on_entry(entry, raw);
        });
        let log = log.map_err(|error| unreadable(&path, error))?;
        Self::of_file(path, log, heard, &[])
    }

    /// Reads what was appended to an imported session file, and shows each new entry as it passes by.
    ///
    /// `log` is what was read when `known` was imported, or at an earlier time: then the lines since are read again.
    /// The forest keeps the first [`known.settled`] entries. Returns `None` if the file has to be read from the start:
    /// it was rewritten, or what was appended moves what was there before.
    ///
    /// [`known.settled`]: SessionRecord::settled
    pub fn extend(
        known: &SessionRecord,
        mut log: Log,
        mut on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<Option<Self>, SessionError> {
        let path = PathBuf::from(&known.file);
        let failed = |source| cannot_read(&path, source);
        let mut file = File::open(&path).map_err(failed)?;
        let is_longer = file.metadata().map_err(failed)?.len() >= known.settled_length;
        let text = SessionText::File(path.clone());
        if !is_longer
            || prefix_check(known.settled_length, |range| text.read(range)).map_err(failed)?
                != known.check
            || log.position().offset > known.settled_length
            || log.settled_entries() > known.settled
        {
            return Ok(None);
        }
        let first_new = log.settled_entries();
        file.seek(SeekFrom::Start(log.position().offset)).map_err(failed)?;
        let mut heard = Vec::new();
        let extended = log.extend_with(&file, |entry, raw| {
            heard.push(Heard::new(entry, raw));
            on_entry(entry, raw);
        });
        extended.map_err(|error| unreadable(&path, error))?;
        let reading = Self::of_file(path, log, heard, &known.entries[..first_new])?;
        Ok(reading.is_settled(known.settled).then_some(reading))
    }

    fn of_file(
        path: PathBuf,
        log: Log,
        heard: Vec<Heard>,
        known: &[EntryRecord],
    ) -> Result<Self, SessionError> {
        let name = path.to_string_lossy().into_owned();
        Self::new(name, SessionText::File(path.clone()), log, heard, known)
            .map_err(|source| cannot_read(&path, source))
    }

    /// Reads a session that is not in a file. It goes by the name `file`.
    pub fn from_bytes(file: &str, bytes: Vec<u8>) -> Result<Self, ReadError> {
        let mut heard = Vec::new();
        let log = Log::read_with(&*bytes, |entry, raw| heard.push(Heard::new(entry, raw)))?;
        Ok(Self::new(file.to_owned(), SessionText::Bytes(bytes.into()), log, heard, &[])?)
    }

    /// Reads many session files, on all cores, and tells of each when it is done.
    ///
    /// Returns them in the order of the paths, and the files that are no sessions or cannot be read.
    pub fn open_all(
        paths: &[PathBuf],
        on_read: impl Fn(&Path) + Sync,
    ) -> (Vec<Self>, Vec<(PathBuf, SessionError)>) {
        let read = |path: &PathBuf| {
            let reading = Self::open(path).map_err(|error| (path.clone(), error));
            on_read(path);
            reading
        };
        let results: Vec<_> = paths.par_iter().map(read).collect();
        let (mut readings, mut unreadable) = (Vec::new(), Vec::new());
        for result in results {
            match result {
                Ok(reading) => readings.push(reading),
                Err(error) => unreadable.push(error),
            }
        }
        (readings, unreadable)
    }

    /// Takes what was heard of the entries behind those that are `known`.
    fn new(
        file: String,
        text: SessionText,
        log: Log,
        heard: Vec<Heard>,
        known: &[EntryRecord],
    ) -> io::Result<Self> {
        let check = prefix_check(log.position().offset, |range| text.read(range))?;
        let tree = Tree::new(&log, View::Repaired);
        let labels = labels(&log).into_iter();
        let labels =
            labels.filter_map(|(target, label)| Some((tree.find(target.as_str())?, label)));
        Ok(Self {
            file,
            text,
            header: log.header().clone(),
            name: log.name().map(str::to_owned),
            labels: labels.collect(),
            length: log.end(),
            settled_length: log.position().offset,
            check,
            settled: log.settled_entries(),
            entries: read_entries(&log, &tree, heard, known),
            adrift: adrift(log.entries(), &tree),
            late: late_parents(log.entries(), &tree),
            log,
            tree,
        })
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the session's id.
    pub fn session_id(&self) -> &str {
        &self.header.id
    }

    /// Returns the index of the file.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns how the entries follow each other.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns whether the first `count` entries stand where they stood when nothing followed them.
    ///
    /// Not if a parent that was missing has come meanwhile.
    pub(super) fn is_settled(&self, count: usize) -> bool {
        self.late.iter().all(|&(entry, parent)| entry >= count || parent < count)
    }

    /// Returns a digest of the first `length` bytes, as they are now.
    pub(super) fn check_of_first(&self, length: u64) -> io::Result<String> {
        prefix_check(length, |range| self.text.read(range))
    }
}

impl ReadEntry {
    /// Returns what the forest remembers of the entry.
    pub(super) fn record(&self, place: Place) -> EntryRecord {
        EntryRecord {
            start: self.start,
            length: self.length,
            place,
            own: self.said.is_some(),
            kind: self.kind,
            event: self.event,
            response: self.response,
            time: self.time,
            kept: self.kept,
            usage: self.usage.clone(),
        }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, SessionError> {
    std::path::absolute(path).map_err(|source| cannot_read(path, source))
}

fn cannot_read(path: &Path, source: io::Error) -> SessionError {
    match source.kind() {
        io::ErrorKind::NotFound => SessionError::FileNotFound(path.to_owned()),
        _ => SessionError::Read { path: path.to_owned(), source },
    }
}

fn unreadable(path: &Path, error: ReadError) -> SessionError {
    match error {
        ReadError::NoHeader => SessionError::NotASession(path.to_owned()),
        ReadError::Io(source) => cannot_read(path, source),
    }
}

/// What was heard while an entry passed by, before its place was known.
pub(super) struct Heard {
    said: Said,
    response: Option<EventId>,
}

enum Said {
    Nothing,
    Message(ContentKey, Role),
    /// What a compaction says depends on how much it keeps, which is not known yet.
    Compaction(Value),
}

impl Heard {
    pub(super) fn new(entry: &Entry, raw: Raw<'_>) -> Self {
        let said = |message: Option<Message>| match message {
            Some(message) => Said::Message(ContentKey::of(&message), message.role()),
            None => Said::Nothing,
        };
        match &entry.body {
            Body::Message(message) => {
                let object = message.raw_in(raw);
                let said = said(object.and_then(spoken));
                let response = message.reply.as_ref().and_then(|reply| {
                    let id = object?.get_str("responseId").filter(|id| !id.is_empty())?;
                    let provider = reply.provider.as_deref().unwrap_or_default();
                    // Small servers count their responses with three digits: the words must be the same, too.
                    let words = said.key().map(|key| key.to_string()).unwrap_or_default();
                    Some(EventId::of("response", &[provider, &id, &words]))
                });
                Self { said, response }
            }
            Body::Compaction { .. } => {
                Self { said: Said::Compaction(summary(raw)), response: None }
            }
            Body::CustomMessage { .. } | Body::BranchSummary { .. } => {
                Self { said: said(message_of_entry(raw, 0)), response: None }
            }
            _ => Self { said: Said::Nothing, response: None },
        }
    }
}

impl Said {
    fn key(&self) -> Option<ContentKey> {
        match self {
            Self::Message(key, _) => Some(*key),
            _ => None,
        }
    }
}

/// Puts together what an import needs to know. What the first, `known` entries say is not looked at again.
fn read_entries(
    log: &Log,
    tree: &Tree,
    heard: Vec<Heard>,
    known: &[EntryRecord],
) -> Vec<ReadEntry> {
    let entries = log.entries();
    let is_own = |heard: &Heard| !matches!(heard.said, Said::Nothing);
    let own: Vec<bool> =
        known.iter().map(|entry| entry.own).chain(heard.iter().map(is_own)).collect();
    let anchors = Anchors::new(tree, &own);
    let kept = kept_messages(entries, tree, &anchors.depths);
    let blank = |at: usize| {
        let entry = &entries[at];
        ReadEntry {
            said: None,
            anchor: anchors.messages[at],
            depth: anchors.depths[at],
            root: anchors.roots[at],
            event: None,
            time: time_of(entry),
            start: entry.span.start,
            length: entry.span.end - entry.span.start,
            kind: EntryKind::of(&entry.body),
            response: None,
            kept: kept.get(&at).copied(),
            usage: entry.usage.clone().filter(|usage| **usage != Usage::default()),
        }
    };
    let settled = known.iter().enumerate().map(|(at, known)| ReadEntry {
        event: known.event,
        response: known.response,
        ..blank(at)
    });
    let read = |(at, heard): (usize, Heard)| {
        let blank = blank(at);
        let said = match heard.said {
            Said::Nothing => None,
            Said::Message(key, role) => Some((key, role)),
            Said::Compaction(summary) => {
                let message = compaction(&summary, blank.kept.unwrap_or_default());
                Some((ContentKey::of(&message), message.role()))
            }
        };
        let event = event(log, &entries[at], said.map(|(key, _)| key));
        ReadEntry { said, event, response: heard.response, ..blank }
    };
    settled.chain((known.len()..).zip(heard).map(read)).collect()
}

/// Returns the message's own time, or else the entry's.
fn time_of(entry: &Entry) -> Option<Millis> {
    entry.message().and_then(|message| message.timestamp).or(entry.timestamp)
}

/// Returns what makes an entry the same event as one in another file.
///
/// Labels are no events: forks write them anew.
fn event(log: &Log, entry: &Entry, key: Option<ContentKey>) -> Option<EventId> {
    if matches!(entry.body, Body::Label { .. }) {
        return None;
    }
    // The ids of a version 1 file are not in the file; pi will give the entries others.
    match entry.id.as_ref().filter(|_| log.header().version >= 2) {
        Some(id) => Some(EventId::of("entry", &[id.as_str(), &entry.timestamp?.0.to_string()])),
        None => {
            let time = time_of(entry)?.0.to_string();
            Some(EventId::of("message", &[&time, &key?.to_string()]))
        }
    }
}

/// Returns the same of an entry whose place is not known.
pub(super) fn event_heard(log: &Log, entry: &Entry, heard: &Heard) -> Option<EventId> {
    event(log, entry, heard.said.key())
}

/// The last message before each entry, how many there are before it, and what opens its tree.
struct Anchors {
    messages: Vec<Option<usize>>,
    depths: Vec<usize>,
    roots: Vec<usize>,
}

impl Anchors {
    fn new(tree: &Tree, own: &[bool]) -> Self {
        let mut messages = vec![None; own.len()];
        let mut depths = vec![0; own.len()];
        let mut roots: Vec<usize> = (0..own.len()).collect();
        let mut open: Vec<usize> = tree.roots().to_vec();
        while let Some(at) = open.pop() {
            for &child in tree.children(at) {
                messages[child] = if own[at] { Some(at) } else { messages[at] };
                depths[child] = depths[at] + usize::from(own[at]);
                roots[child] = roots[at];
                open.push(child);
            }
        }
        Self { messages, depths, roots }
    }
}

/// Counts, for each compaction, the messages from the first kept entry on. It keeps none if that entry is not
/// on its path.
fn kept_messages(entries: &[Entry], tree: &Tree, depths: &[usize]) -> HashMap<usize, u32> {
    let compactions = entries.iter().enumerate().filter_map(|(at, entry)| match &entry.body {
        Body::Compaction { first_kept, .. } => Some((at, first_kept.as_ref())),
        _ => None,
    });
    let compactions: Vec<(usize, Option<&EntryId>)> = compactions.collect();
    if compactions.is_empty() {
        return HashMap::new();
    }
    let bearers = positions_of(entries, compactions.iter().filter_map(|(_, kept)| *kept));
    let spans = Spans::new(tree, entries.len());
    let count = |&(at, first_kept): &(usize, Option<&EntryId>)| {
        let named = first_kept.and_then(|id| bearers.get(id)).into_iter().flatten();
        let before = named.filter(|&&kept| kept != at && spans.is_before(kept, at));
        // Of several entries with this id pi takes the one that comes first on the path.
        let first = before.map(|&kept| depths[kept]).min();
        let count = first.map_or(0, |first| depths[at] - first);
        (at, u32::try_from(count).unwrap_or(u32::MAX))
    };
    compactions.iter().map(count).collect()
}

/// Finds the entries that have one of these ids.
fn positions_of<'a>(
    entries: &[Entry],
    ids: impl Iterator<Item = &'a EntryId>,
) -> HashMap<&'a EntryId, Vec<usize>> {
    let mut positions: HashMap<&EntryId, Vec<usize>> = ids.map(|id| (id, Vec::new())).collect();
    for (at, entry) in entries.iter().enumerate() {
        if let Some(bearers) = entry.id.as_ref().and_then(|id| positions.get_mut(id)) {
            bearers.push(at);
        }
    }
    positions
}

/// Where the walk through a tree enters and leaves each entry: one comparison tells whether an entry comes
/// before another on its path.
struct Spans {
    enter: Vec<usize>,
    leave: Vec<usize>,
}

impl Spans {
    fn new(tree: &Tree, count: usize) -> Self {
        let mut spans = Self { enter: vec![0; count], leave: vec![0; count] };
        let mut clock = 0;
        // An entry is met twice: on the way down, and when everything after it has been seen.
        let mut open: Vec<(usize, bool)> = tree.roots().iter().map(|&root| (root, false)).collect();
        while let Some((at, seen)) = open.pop() {
            clock += 1;
            if seen {
                spans.leave[at] = clock;
                continue;
            }
            spans.enter[at] = clock;
            open.push((at, true));
            open.extend(tree.children(at).iter().map(|&child| (child, false)));
        }
        spans
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        self.enter[one] <= self.enter[other] && self.leave[other] <= self.leave[one]
    }
}

/// Finds the entries that name a parent and have none.
fn adrift(entries: &[Entry], tree: &Tree) -> Vec<usize> {
    let names_another = |&at: &usize| match &entries[at].parent {
        Parent::Id(named) => tree.find(named.as_str()).is_none(),
        Parent::None | Parent::Missing => false,
    };
    tree.roots().iter().copied().filter(names_another).collect()
}

/// Finds the entries that follow one which stands behind them in the file.
fn late_parents(entries: &[Entry], tree: &Tree) -> Vec<(usize, usize)> {
    let odd = entries.iter().enumerate().filter_map(|(at, entry)| {
        let Parent::Id(named) = &entry.parent else { return None };
        let parent = tree.parent(at).filter(|&parent| parent < at);
        let found = parent.is_some_and(|parent| entries[parent].id.as_ref() == Some(named));
        (!found).then_some((at, named))
    });
    let odd: Vec<(usize, &EntryId)> = odd.collect();
    if odd.is_empty() {
        return Vec::new();
    }
    let bearers = positions_of(entries, odd.iter().map(|(_, named)| *named));
    let late = odd.into_iter().filter_map(|(at, named)| {
        let behind = bearers[named].iter().find(|&&bearer| bearer > at)?;
        Some((at, *behind))
    });
    late.collect()
}
