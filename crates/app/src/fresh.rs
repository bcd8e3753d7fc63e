//! Fresh lines: what was appended to a long session a moment ago, and is searched before it is taken in.
//!
//! Taking a line in means to look at its whole family again, which takes longer the longer a session is. To be found, a
//! line needs no family: it is read from where the known part of its file ends. It has no unit of work yet, because its
//! segment is still open.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use pi_brain_brain::Sketch;
use pi_brain_forest::{RootId, SessionRecord};
use pi_brain_search::{Document, HotTail, Key, MessageKey};
use pi_brain_session::{Entry, Parent, prefix_check};
use pi_brain_store::{SessionFile, Store};

use crate::error::Result;
use crate::indexing::{MessageSource, message_key};
use crate::scan::{Changed, Scan};
use crate::text::SketchReader;

/// From how many bytes on a session is long; a shorter one is taken in at once.
const LONG: u64 = 4 * 1024 * 1024;

/// More new bytes than these are taken in at once.
const FEW: u64 = 256 * 1024;

/// The tree that fresh lines are in, as far as the text index is concerned. No family gets so far.
const NO_ROOT: RootId = RootId::new(u32::MAX);

/// Lines that are searched and not taken in yet.
#[derive(Debug, Default)]
pub(crate) struct FreshLines {
    lines: Vec<FreshLine>,
    documents: Vec<Document>,
}

/// A line that is searched and not taken in yet.
#[derive(Debug)]
pub(crate) struct FreshLine {
    pub(crate) session: SessionFile,
    pub(crate) sketch: Sketch,
    /// Whether the session went on from elsewhere.
    pub(crate) abandoned: bool,
}

impl FreshLines {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Reads the lines of files that nothing else has happened to; the others are left.
    pub(crate) fn take_from(&mut self, scan: &mut Scan, store: &Store) -> Result<()> {
        for file in std::mem::take(&mut scan.changed) {
            if !self.read(store, &file)? {
                scan.changed.push(file);
            }
        }
        Ok(())
    }

    /// Lets the lines be found.
    pub(crate) fn show(&self, tail: &mut HotTail) {
        self.documents.iter().for_each(|document| tail.add(document));
    }

    /// Returns the line that the text index knows by this key, if it is a fresh one.
    pub(crate) fn get(&self, key: MessageKey) -> Option<&FreshLine> {
        self.lines.get(key.number as usize).filter(|_| key.family == NO_ROOT.number())
    }

    /// Reads what was appended to a long session. Returns `false` if the file has to be taken in: it is short, or much
    /// is new, or something else has happened to it.
    fn read(&mut self, store: &Store, changed: &Changed) -> Result<bool> {
        let known = changed.known.as_ref().filter(|known| is_worth_it(changed, known.stamp.size));
        let Some(no) = known.and_then(|known| known.session) else { return Ok(false) };
        let (Some(session), Some(record)) = (store.session(no)?, store.session_head(no)?) else {
            return Ok(false);
        };
        let last = u32::try_from(record.settled).ok().and_then(|settled| settled.checked_sub(1));
        let mut sketches = SketchReader::new(store, no);
        let last = last.map(|last| sketches.read(last)).transpose()?.flatten();
        let (Some(last), Ok(Some(bytes))) = (last, appended(&changed.path, &record)) else {
            return Ok(false);
        };
        self.take(&bytes, record.settled_length, last.line, &session);
        Ok(true)
    }

    /// Takes in whole lines that stand behind line `last`, at byte `start`.
    fn take(&mut self, bytes: &[u8], mut start: u64, last: u32, session: &SessionFile) {
        let mut entries: Vec<Entry> = Vec::new();
        let first = self.lines.len();
        for (line, number) in bytes.split_inclusive(|&byte| byte == b'\n').zip(last + 1..) {
            let is_whole = line.ends_with(b"\n");
            let parsed = Entry::parse(line.trim_ascii_end(), number.into(), start);
            start += line.len() as u64;
            let Some((entry, raw)) = parsed.filter(|_| is_whole) else { continue };
            let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
            let (root, project) = (session.root, &*session.project);
            let source = MessageSource { root, project, time: entry.timestamp };
            let document = source.document(at, &entry, raw);
            let key = Key::Message(message_key(NO_ROOT, at));
            self.documents.extend(document.map(|document| Document { key, ..document }));
            let sketch = Sketch::of(&entry, raw);
            self.lines.push(FreshLine { session: session.clone(), sketch, abandoned: true });
            entries.push(entry);
        }
        let mut way = entries.last().and_then(|entry| entry.id.clone());
        for (line, entry) in self.lines[first..].iter_mut().zip(entries).rev() {
            if entry.id == way {
                line.abandoned = false;
                way = match entry.parent {
                    Parent::Id(parent) => Some(parent),
                    Parent::None | Parent::Missing => None,
                };
            }
        }
    }
}

/// Returns whether reading the new lines alone saves anything.
fn is_worth_it(changed: &Changed, known: u64) -> bool {
    let added = changed.stamp.size.checked_sub(known);
    known >= LONG && added.is_some_and(|added| (1..=FEW).contains(&added))
}

/// Reads what stands behind the part of a file that is known; `None` if that part has changed.
fn appended(path: &Path, known: &SessionRecord) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let read = |range: Range<u64>| {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, range.start)?;
        Ok(bytes)
    };
    let length = file.metadata()?.len();
    if length < known.settled_length
        || known.version < 2
        || prefix_check(known.settled_length, read)? != known.check
    {
        return Ok(None);
    }
    read(known.settled_length..length).map(Some)
}
