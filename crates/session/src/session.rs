//! A session that is open for reading: its index, and the bytes that the index points into.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::entry::{Entry, Message};
use crate::error::{ReadError, SessionError};
use crate::json::Raw;
use crate::log::{Header, Log, Position};
use crate::problem::Problem;
use crate::source::Source;
use crate::tree::{Tree, View};

/// A session file, indexed. Nothing here writes.
#[derive(Debug)]
pub struct Session {
    path: Option<PathBuf>,
    source: Source,
    log: Log,
}

impl Session {
    /// Reads a session file.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        Self::open_with(path, |_, _| {})
    }

    /// Reads a session file and shows each entry, with its text, as it passes by.
    pub fn open_with(
        path: &Path,
        on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<Self, SessionError> {
        let source = Source::File(open_file(path)?);
        let log =
            Log::read_with(source.reader(0), on_entry).map_err(|error| unreadable(path, error))?;
        Ok(Self { path: Some(path.to_owned()), source, log })
    }

    /// Reads a session that is not in a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        let log = Log::read(&*bytes)?;
        Ok(Self { path: None, source: Source::Memory(bytes), log })
    }

    /// Returns the file; a session in memory has none.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the index of the file.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        self.log.header()
    }

    /// Links the entries into a tree.
    pub fn tree(&self, view: View) -> Tree {
        Tree::new(&self.log, view)
    }

    /// Returns everything that is wrong with the file, by line.
    pub fn problems(&self, tree: &Tree) -> Vec<Problem> {
        let mut problems = [self.log.problems(), tree.problems()].concat();
        problems.sort_by_key(|problem| problem.line);
        problems
    }

    /// Reads back the text of an entry.
    pub fn entry_raw(&self, at: usize) -> io::Result<EntryText> {
        self.read_checked(self.log.entries()[at].span.clone())
    }

    /// Reads back the content of a message, without the rest of its entry; `None` where there is none.
    pub fn content_raw(&self, at: usize) -> io::Result<Option<EntryText>> {
        let entry = &self.log.entries()[at];
        let Some(part) = entry.message().and_then(|message| message.content) else {
            return Ok(None);
        };
        let (start, range) = (entry.span.start, part.range());
        self.read_checked(start + range.start as u64..start + range.end as u64).map(Some)
    }

    fn read_checked(&self, range: Range<u64>) -> io::Result<EntryText> {
        let bytes = self.source.read(range)?;
        match Raw::parse(&bytes) {
            Some(_) => Ok(EntryText(bytes)),
            None => Err(changed()),
        }
    }

    pub(crate) fn message_bytes(
        &self,
        entry: &Entry,
        message: &Message,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(object) = message.object else { return Ok(None) };
        let start = entry.span.start;
        let range = object.range();
        self.source.read(start + range.start as u64..start + range.end as u64).map(Some)
    }

    /// Remembers how far the file was read, and what it looked like there.
    pub fn checkpoint(&self) -> io::Result<Checkpoint> {
        Checkpoint::take(&self.source, self.log.position())
    }

    /// Reads what has been appended since `checkpoint` was taken, or all of it if the file was rewritten.
    pub fn refresh(&mut self, checkpoint: &Checkpoint) -> Result<Refresh, SessionError> {
        let Some(path) = self.path.clone() else { return Ok(Refresh::Unchanged) };
        let read_error = |source| SessionError::Read { path: path.clone(), source };
        let source = Source::File(open_file(&path)?);
        let known = checkpoint.position == self.log.position();
        if !known || !checkpoint.holds_for(&source).map_err(read_error)? {
            *self = Self::open(&path)?;
            return Ok(Refresh::Changed { from: 0 });
        }
        let before = (self.log.position(), self.log.end());
        let from = self.log.settled_entries();
        let extended = self.log.extend(source.reader(checkpoint.position.offset));
        extended.map_err(|error| unreadable(&path, error))?;
        self.source = source;
        let same = before == (self.log.position(), self.log.end());
        Ok(if same { Refresh::Unchanged } else { Refresh::Changed { from } })
    }

    /// Takes in lines that were added to a session in memory.
    pub(crate) fn push_in_memory(&mut self, line: &str) -> Result<(), ReadError> {
        let Source::Memory(bytes) = &mut self.source else {
            unreachable!("only a session in memory is written to memory")
        };
        bytes.extend_from_slice(line.as_bytes());
        let position = self.log.position();
        self.log.extend(self.source.reader(position.offset))
    }

    /// Returns all bytes of a session in memory.
    pub(crate) fn memory(&self) -> &[u8] {
        match &self.source {
            Source::Memory(bytes) => bytes,
            Source::File(_) => unreachable!("a session in a file has no bytes in memory"),
        }
    }
}

/// The text of one entry, or of a part of it, read back from its file.
#[derive(Debug)]
pub struct EntryText(Vec<u8>);

impl EntryText {
    /// Returns it for reading.
    pub fn raw(&self) -> Raw<'_> {
        Raw::of_checked(&self.0)
    }

    /// Returns it as JSON.
    pub fn into_json(self) -> String {
        match String::from_utf8(self.0) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }
}

/// What a second look at a file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Nothing new.
    Unchanged,
    /// There is something new; entries from this position on may differ from those known before.
    Changed {
        /// 0 if the known part had changed, so that everything was read again.
        from: usize,
    },
}

/// How far a file was read, with a check of what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    position: Position,
    check: String,
}

impl Checkpoint {
    fn take(source: &Source, position: Position) -> io::Result<Self> {
        let check = prefix_check(position.offset, |range| source.read(range))?;
        Ok(Self { position, check })
    }

    fn holds_for(&self, source: &Source) -> io::Result<bool> {
        let offset = self.position.offset;
        Ok(offset > 0 && source.length()? >= offset && Self::take(source, self.position)? == *self)
    }
}

/// Returns a digest by which to notice that the first `length` bytes of a file have been rewritten.
///
/// pi only ever appends, except when it migrates an old file, which changes the header. So the first
/// and the last few kilobytes tell whether the known part is still the same.
pub fn prefix_check(
    length: u64,
    read: impl Fn(Range<u64>) -> io::Result<Vec<u8>>,
) -> io::Result<String> {
    const CHECKED_BYTES: u64 = 4096;
    let mut hash = Sha256::new();
    hash.update(read(0..length.min(CHECKED_BYTES))?);
    hash.update(read(length.saturating_sub(CHECKED_BYTES)..length)?);
    Ok(hex(&hash.finalize()))
}

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).expect("half a byte is a digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

fn unreadable(path: &Path, error: ReadError) -> SessionError {
    match error {
        ReadError::NoHeader => SessionError::NotASession(path.to_owned()),
        ReadError::Io(source) => SessionError::Read { path: path.to_owned(), source },
    }
}

fn open_file(path: &Path) -> Result<File, SessionError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => SessionError::FileNotFound(path.to_owned()),
        _ => SessionError::Read { path: path.to_owned(), source },
    };
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(SessionError::NotASession(path.to_owned()));
    }
    Ok(file)
}

pub(crate) fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file has changed since it was read")
}
