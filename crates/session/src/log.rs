//! Lines into an index of entries, from the start of a file or from where the last reading ended.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::entry::{Body, Entry, EntryId, Names, Parent, Parsed, Role, parse_object};
use crate::error::ReadError;
use crate::json::{Raw, Scanner};
use crate::lines::{Line, LineReader};
use crate::problem::{Problem, ProblemKind};
use crate::time::Millis;

/// The version of the format that pi writes today.
pub const CURRENT_VERSION: u32 = 3;

/// Old editors put it in front of a file.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The first line of a session file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Header {
    /// The header as it stands in the file.
    pub raw: String,
    /// The format's version; a header without one means 1.
    pub version: u32,
    /// The session's id.
    pub id: String,
    /// When the session began, as written.
    pub timestamp: Option<String>,
    /// The working directory; very old files have none.
    pub cwd: Option<String>,
    /// The path of the file that this one was forked from; it may be gone.
    pub parent_session: Option<String>,
}

impl Header {
    /// Takes a header apart; `None` unless it is one.
    pub(crate) fn parse(raw: Raw<'_>) -> Option<Self> {
        let text = |key: &str| raw.get_str(key).map(std::borrow::Cow::into_owned);
        (text("type").as_deref() == Some("session")).then_some(())?;
        Some(Self {
            version: raw.get("version").map_or(1, version),
            id: text("id")?,
            timestamp: text("timestamp"),
            cwd: text("cwd"),
            parent_session: text("parentSession").filter(|path| !path.is_empty()),
            raw: raw.text().into_owned(),
        })
    }

    /// Returns when the session began.
    pub fn created(&self) -> Option<Millis> {
        self.timestamp.as_deref().and_then(Millis::parse)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn version(raw: Raw<'_>) -> u32 {
    // pi compares with `<`, which takes a string of digits, and true and false, for a number.
    if raw.is_null() || raw.as_bool().is_some() {
        return 1;
    }
    let number = raw.as_f64().or_else(|| raw.as_str()?.trim().parse().ok());
    number.map_or(CURRENT_VERSION, |number| number as u32)
}

/// Everything a session file holds, in file order, without the text.
///
/// It can be kept, so that another process reads on where this one stopped.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Log {
    header: Option<Header>,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
    #[serde(skip)]
    names: Names,
    /// What a version 1 file means by "entry number n"; the header is 0. Later versions have ids.
    numbered: Vec<Option<EntryId>>,
    position: Position,
    /// Where the last line ends, whole or not.
    end: u64,
    /// What is owed to a last line without line break, which is read again when more has come.
    tail: Tail,
}

/// How far a file has been read: up to here all lines are whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Position {
    /// Bytes.
    pub offset: u64,
    /// Lines.
    pub lines: u64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Tail {
    entries: usize,
    problems: usize,
    numbered: usize,
    header: bool,
}

impl Log {
    /// Reads a whole session file.
    pub fn read(input: impl Read) -> Result<Self, ReadError> {
        Self::read_with(input, |_, _| {})
    }

    /// Reads a whole session file and shows each entry, with its text, as it passes by.
    pub fn read_with(
        input: impl Read,
        on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<Self, ReadError> {
        let mut log = Self::default();
        log.take_lines(input, on_entry)?;
        if log.header.is_some() { Ok(log) } else { Err(ReadError::NoHeader) }
    }

    /// Reads the header and the first entries of a session file, up to the line with entry number `count`.
    pub fn read_beginning(
        input: impl Read,
        count: usize,
        mut on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<Self, ReadError> {
        let mut log = Self::default();
        let mut lines = LineReader::new(input, 0);
        while let Some(line) = lines.next()? {
            log.take_line(&line, &mut on_entry);
            log.end = line.offset + line.length + u64::from(line.terminated);
            log.position = Position { offset: log.end, lines: log.position.lines + 1 };
            if log.entries.len() >= count && log.header.is_some() {
                break;
            }
        }
        if log.header.is_some() { Ok(log) } else { Err(ReadError::NoHeader) }
    }

    /// Reads what has been appended; `input` starts at [`Log::position`].
    ///
    /// If the header itself was torn and turns out to be none, the log stays as it was.
    pub fn extend(&mut self, input: impl Read) -> Result<(), ReadError> {
        self.extend_with(input, |_, _| {})
    }

    /// Reads what has been appended and shows each entry, with its text, as it passes by.
    ///
    /// The first that is shown takes the place of entry number [`Log::settled_entries`].
    pub fn extend_with(
        &mut self,
        input: impl Read,
        on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> Result<(), ReadError> {
        let before = self.tail.header.then(|| self.clone());
        self.entries.truncate(self.entries.len() - self.tail.entries);
        self.problems.truncate(self.problems.len() - self.tail.problems);
        self.numbered.truncate(self.numbered.len() - self.tail.numbered);
        if self.tail.header {
            self.header = None;
        }
        self.tail = Tail::default();
        self.end = self.position.offset;
        self.take_lines(input, on_entry)?;
        match (&self.header, before) {
            (None, Some(before)) => {
                *self = before;
                Err(ReadError::NoHeader)
            }
            _ => Ok(()),
        }
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        self.header.as_ref().expect("a log is only handed out once its header was read")
    }

    /// Returns the entries in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns what is wrong with single lines; the [tree](crate::Tree) knows what is wrong between them.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns how far the file has been read.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Returns how many entries stand on whole lines; one behind them may still change.
    pub fn settled_entries(&self) -> usize {
        self.entries.len() - self.tail.entries
    }

    /// Returns where the last line ends, whole or not.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the session's name: the last one given, unless that was empty.
    pub fn name(&self) -> Option<&str> {
        let last = self.entries.iter().rev().find_map(|entry| match &entry.body {
            Body::SessionInfo { name } => Some(name.as_deref()),
            _ => None,
        });
        last.flatten().map(str::trim).filter(|name| !name.is_empty())
    }

    fn take_lines(
        &mut self,
        input: impl Read,
        mut on_entry: impl FnMut(&Entry, Raw<'_>),
    ) -> io::Result<()> {
        let mut lines = LineReader::new(input, self.position.offset);
        while let Some(line) = lines.next()? {
            let before = (self.entries.len(), self.problems.len(), self.numbered.len());
            let had_header = self.header.is_some();
            self.take_line(&line, &mut on_entry);
            self.end = line.offset + line.length + u64::from(line.terminated);
            if !line.terminated {
                self.tail = Tail {
                    entries: self.entries.len() - before.0,
                    problems: self.problems.len() - before.1,
                    numbered: self.numbered.len() - before.2,
                    header: self.header.is_some() != had_header,
                };
                // The file may grow while it is read: what comes now belongs to this same line.
                break;
            }
            self.position = Position { offset: self.end, lines: self.position.lines + 1 };
        }
        Ok(())
    }

    fn take_line(&mut self, line: &Line<'_>, on_entry: &mut impl FnMut(&Entry, Raw<'_>)) {
        let number = self.position.lines + 1;
        let (mut bytes, mut offset) = (line.bytes, line.offset);
        if line.too_long {
            return self.note(number, ProblemKind::TooLong);
        }
        if number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            self.note(number, ProblemKind::ByteOrderMark);
            bytes = &bytes[BYTE_ORDER_MARK.len()..];
            offset += BYTE_ORDER_MARK.len() as u64;
        }
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let (objects, problem) = self.take_apart(bytes, number, offset);
        if !objects.is_empty() && std::str::from_utf8(bytes).is_err() {
            self.note(number, ProblemKind::NotUtf8);
        }
        let pi_reads_it = problem.is_none();
        for parsed in objects {
            self.accept(parsed, pi_reads_it, on_entry);
        }
        match problem {
            Some(ProblemKind::NotJson) if !line.terminated => {
                self.note(number, ProblemKind::TornTail);
            }
            None if !line.terminated => self.note(number, ProblemKind::NoFinalNewline),
            Some(kind) => self.note(number, kind),
            None => {}
        }
    }

    fn note(&mut self, line: u64, kind: ProblemKind) {
        self.problems.push(Problem { line, kind });
    }

    /// Finds the objects on a line: nearly always one, more or fewer after an accident.
    fn take_apart<'a>(
        &mut self,
        bytes: &'a [u8],
        line: u64,
        offset: u64,
    ) -> (Objects<'a>, Option<ProblemKind>) {
        let mut scanner = Scanner::new(bytes);
        if scanner.peek() != Some(b'{')
            && let Some(value) = Raw::parse(bytes)
        {
            self.number(None, !value.is_falsy());
            return (Objects::new(), Some(ProblemKind::NotAnObject));
        }
        let mut objects = Objects::new();
        let mut whole = 0;
        while let Some(parsed) = parse_object(&mut scanner, line, offset, &mut self.names) {
            objects.push(parsed);
            if scanner.at_end() {
                let glued = objects.len() > 1;
                return (objects, glued.then_some(ProblemKind::GluedEntries));
            }
            whole = scanner.position();
        }
        objects.extend(self.find_glued(bytes, whole, line, offset));
        let kind = if objects.is_empty() { ProblemKind::NotJson } else { ProblemKind::GluedToTorn };
        (objects, Some(kind))
    }

    /// Looks for whole entries at the end of a line, behind a torn one that starts at `torn`.
    fn find_glued<'a>(
        &mut self,
        bytes: &'a [u8],
        torn: usize,
        line: u64,
        offset: u64,
    ) -> Vec<Parsed<'a>> {
        // Blocks inside messages start like entries do; little is ever read before the right start.
        let mut left = bytes.len().saturating_mul(4);
        let starts = memchr::memmem::find_iter(&bytes[torn..], br#"{"type":""#).map(|at| torn + at);
        for at in starts.filter(|&at| at > torn) {
            let mut scanner = Scanner::new(&bytes[at..]);
            let mut found = Vec::new();
            while let Some(parsed) =
                parse_object(&mut scanner, line, offset + at as u64, &mut self.names)
            {
                if parsed.entry.timestamp.is_none() {
                    break;
                }
                found.push(parsed);
                if scanner.at_end() {
                    return found;
                }
            }
            left = left.saturating_sub(scanner.position());
            if left == 0 {
                break;
            }
        }
        Vec::new()
    }

    fn accept(
        &mut self,
        parsed: Parsed<'_>,
        pi_reads_it: bool,
        on_entry: &mut impl FnMut(&Entry, Raw<'_>),
    ) {
        let line = parsed.entry.line;
        if parsed.kind.as_deref() == Some("session") {
            self.number(None, pi_reads_it);
            match (&self.header, Header::parse(parsed.raw)) {
                (None, Some(header)) => self.header = Some(header),
                (None, None) => self.note(line, ProblemKind::HeaderWithoutId),
                (Some(_), _) => self.note(line, ProblemKind::SecondHeader),
            }
            return;
        }
        let mut entry = parsed.entry;
        match &self.header {
            None => self.note(line, ProblemKind::BeforeHeader),
            Some(header) if header.version < CURRENT_VERSION => {
                migrate(&mut entry, header, parsed.raw, self.entries.last(), &self.numbered);
            }
            Some(_) => {}
        }
        self.number(entry.id.clone(), pi_reads_it);
        if entry.id.is_none() {
            self.note(line, ProblemKind::NoId);
        }
        if has_null_content(&entry, parsed.raw) {
            self.note(line, ProblemKind::NoContent);
        }
        on_entry(&entry, parsed.raw);
        self.entries.push(entry);
    }

    /// Gives a value its number, if a version 1 file could refer to it.
    fn number(&mut self, id: Option<EntryId>, counts: bool) {
        if counts && self.header.as_ref().is_none_or(|header| header.version < 2) {
            self.numbered.push(id);
        }
    }
}

/// The objects found on one line.
type Objects<'a> = smallvec::SmallVec<[Parsed<'a>; 1]>;

/// Brings an entry of an old file to today's form, in memory only.
fn migrate(
    entry: &mut Entry,
    header: &Header,
    raw: Raw<'_>,
    before: Option<&Entry>,
    numbered: &[Option<EntryId>],
) {
    if header.version < 2 {
        let id = version_1_id(&header.id, entry);
        entry.parent = before.and_then(|entry| entry.id.clone()).map_or(Parent::None, Parent::Id);
        if let Body::Compaction { first_kept, .. } = &mut entry.body
            && let Some(index) = raw.get("firstKeptEntryIndex").and_then(Raw::as_f64)
        {
            let index = whole_index(index);
            // The compaction itself is the next to be numbered; what comes later cannot be kept.
            let itself = (index == numbered.len()).then(|| id.clone());
            *first_kept = numbered.get(index).cloned().flatten().or(itself);
        }
        entry.id = Some(id);
    }
    if let Body::Message(message) = &mut entry.body
        && message.role.as_str() == "hookMessage"
    {
        message.role = Role::Custom;
    }
}

/// Takes a number for an index; one that is none is beyond every list.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
fn whole_index(number: f64) -> usize {
    let is_index = number.fract() == 0.0 && (0.0..1e15).contains(&number);
    if is_index { number as usize } else { usize::MAX }
}

/// Makes the id of an entry in a version 1 file, which has none.
///
/// pi gives such entries random ids when it migrates the file; these depend on the session and the
/// place in the file only, so that two readings agree.
fn version_1_id(session: &str, entry: &Entry) -> EntryId {
    let digest = Sha256::digest(format!("{session}:{}:{}", entry.line, entry.span.start));
    let number = digest.iter().take(8).fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
    EntryId::new(&format!("{number:016x}")).expect("16 digits are not empty")
}

fn has_null_content(entry: &Entry, raw: Raw<'_>) -> bool {
    entry.message().is_some_and(|message| {
        let content = message.content.and_then(|part| raw.bytes().get(part.range()));
        matches!(message.role, Role::User | Role::Assistant) && content == Some(b"null")
    })
}

#[cfg(test)]
mod tests;
