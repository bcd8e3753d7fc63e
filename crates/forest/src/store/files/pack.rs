//! The pack: the lines of all imported sessions, each distinct line once.
//!
//! A session is a list of pieces of it. pi copies lines as they are when it forks, so a fork is a few pieces
//! and its own lines. Lines are only ever added; each ends with a line break, also where a session's does not.

use std::collections::HashMap;
use std::fs::File;
use std::io::{
    self, BufRead, BufReader, BufWriter, Cursor, ErrorKind, Read, Seek, SeekFrom, Write,
};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::folder::private;
use super::log::TextChange;
use crate::error::{ForestError, Result};
use crate::sessions::SessionText;
use crate::store::{MemoryStore, SessionChange};

/// The bytes of a session, as pieces of a file that holds the lines of many.
#[derive(Clone, Debug)]
pub struct PackedText {
    pack: Arc<File>,
    pieces: Arc<[Piece]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where it starts in the session.
    start: u64,
    /// Where it starts in the pack.
    offset: u64,
    length: u64,
}

impl PackedText {
    fn length(&self) -> u64 {
        self.pieces.last().map_or(0, |piece| piece.start + piece.length)
    }

    /// Reads a part of the session.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.end > self.length() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let length = range.end.saturating_sub(range.start);
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        let mut rest = &mut bytes[..];
        let mut at = range.start;
        let first = self.pieces.partition_point(|piece| piece.start + piece.length <= at);
        for piece in &self.pieces[first..] {
            let inside = at - piece.start;
            let left = usize::try_from(piece.length - inside).unwrap_or(usize::MAX);
            let (now, later) = rest.split_at_mut(left.min(rest.len()));
            self.pack.read_exact_at(now, piece.offset + inside)?;
            at += now.len() as u64;
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        Ok(bytes)
    }
}

impl PartialEq for PackedText {
    fn eq(&self, other: &Self) -> bool {
        self.pieces == other.pieces
    }
}

impl Eq for PackedText {}

/// The file with the lines.
#[derive(Debug)]
pub(super) struct Pack {
    path: PathBuf,
    file: Option<Arc<File>>,
    length: u64,
    /// Where each line is, by its digest. Only those who import need it, so it is made when they come.
    known: Option<HashMap<LineKey, u64>>,
}

/// The first half of a SHA-256, which is more than enough to tell lines apart.
type LineKey = [u8; 16];

impl Pack {
    /// Opens the pack, if there is one.
    pub(super) fn open(path: &Path, writable: bool) -> Result<Self> {
        let unreadable = |source| ForestError::Read { path: path.to_owned(), source };
        let file = match private().read(true).append(writable).open(path) {
            Ok(file) => Some(Arc::new(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(source) => return Err(unreadable(source)),
        };
        let length = match &file {
            Some(file) => file.metadata().map_err(unreadable)?.len(),
            None => 0,
        };
        Ok(Self { path: path.to_owned(), file, length, known: None })
    }

    /// Stores what is new of a session, and waits until it is safe.
    pub(super) fn store(
        &mut self,
        memory: &MemoryStore,
        change: &SessionChange,
        text: &SessionText,
    ) -> Result<TextChange> {
        let record = &change.record;
        let known = memory.packed_text(record.no).filter(|(before, _)| {
            // Nobody vouches for the header if no entry stays.
            change.kept > 0
                && change.kept == before.settled
                && before.settled_length <= record.length
        });
        let from = known.map_or(0, |(before, text)| before.settled_length.min(text.length()));
        let gone = |source| ForestError::SessionGone { file: record.file.clone(), source };
        let reader = reader(text, from..record.length).map_err(gone)?;
        let pieces = self.add(reader, record.length - from).map_err(|error| match error {
            Failure::Reading(source) => gone(source),
            Failure::Writing(source) => ForestError::Write { path: self.path.clone(), source },
        })?;
        Ok(TextChange { session: record.no, from, pieces })
    }

    /// Adds lines that are not there yet. Returns where all of them are.
    fn add(&mut self, mut reader: impl BufRead, length: u64) -> Result<Vec<(u64, u64)>, Failure> {
        self.prepare().map_err(Failure::Writing)?;
        let (Some(file), Some(known)) = (&self.file, &mut self.known) else {
            unreachable!("prepared above")
        };
        let mut pieces: Vec<(u64, u64)> = Vec::new();
        let mut fresh: HashMap<LineKey, u64> = HashMap::new();
        let (mut end, mut read) = (self.length, 0);
        let mut writer = BufWriter::with_capacity(1 << 18, &**file);
        let mut line = Vec::new();
        let mut add_all = || {
            while read < length {
                line.clear();
                reader.read_until(b'\n', &mut line).map_err(Failure::Reading)?;
                if line.is_empty() {
                    return Err(Failure::Reading(ErrorKind::UnexpectedEof.into()));
                }
                let taken = line.len() as u64;
                read += taken;
                if !line.ends_with(b"\n") {
                    line.push(b'\n');
                }
                let key = key_of(&line);
                let at = match known.get(&key).or_else(|| fresh.get(&key)) {
                    Some(at) => *at,
                    None => {
                        writer.write_all(&line).map_err(Failure::Writing)?;
                        fresh.insert(key, end);
                        end += line.len() as u64;
                        end - line.len() as u64
                    }
                };
                match pieces.last_mut() {
                    Some((offset, length)) if *offset + *length == at => *length += taken,
                    _ => pieces.push((at, taken)),
                }
            }
            writer.flush().map_err(Failure::Writing)
        };
        let added = add_all();
        // What the writer still holds after a failure must not come after what is cut off here.
        drop(writer.into_parts());
        let added = added.and_then(|()| file.sync_data().map_err(Failure::Writing));
        if let Err(failure) = added {
            // Nothing refers to what is left if this fails; the next import cuts off the last line if it is torn.
            let _ = file.set_len(self.length);
            self.known = None;
            return Err(failure);
        }
        self.length = end;
        known.extend(fresh);
        Ok(pieces)
    }

    /// Makes the file, and the list of what is in it.
    fn prepare(&mut self) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => {
                let file = private().read(true).append(true).create(true).open(&self.path)?;
                // The name must last as long as the log that will refer to it.
                self.path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())?;
                Arc::clone(self.file.insert(Arc::new(file)))
            }
        };
        if self.known.is_none() {
            let (known, length) = scan(&file)?;
            if file.metadata()?.len() > length {
                file.set_len(length)?;
            }
            self.length = length;
            self.known = Some(known);
        }
        Ok(())
    }

    /// Returns a session's bytes as they are after a change.
    pub(super) fn text(
        &self,
        known: Option<&PackedText>,
        change: &TextChange,
    ) -> Result<PackedText, String> {
        let file = self.file.as_ref().ok_or("a session has lines, but lines.pack is missing")?;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut start = 0;
        for piece in known.into_iter().flat_map(|text| text.pieces.iter()) {
            let length = piece.length.min(change.from - start);
            if length == 0 {
                break;
            }
            pieces.push(Piece { length, ..*piece });
            start += length;
        }
        if start != change.from {
            return Err("a session goes on from bytes that are not known".to_owned());
        }
        for &(offset, length) in &change.pieces {
            if offset.checked_add(length).is_none_or(|end| end > self.length) {
                return Err("a session has lines that are not in lines.pack".to_owned());
            }
            match pieces.last_mut() {
                Some(last) if last.offset + last.length == offset => last.length += length,
                _ => pieces.push(Piece { start, offset, length }),
            }
            start += length;
        }
        Ok(PackedText { pack: Arc::clone(file), pieces: pieces.into() })
    }
}

enum Failure {
    Reading(io::Error),
    Writing(io::Error),
}

fn reader(text: &SessionText, range: Range<u64>) -> io::Result<Box<dyn BufRead + '_>> {
    let length = range.end - range.start;
    Ok(match text {
        SessionText::File(path) => {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(range.start))?;
            Box::new(BufReader::with_capacity(1 << 18, file).take(length))
        }
        SessionText::Bytes(bytes) => {
            let mut cursor = Cursor::new(&**bytes);
            cursor.set_position(range.start);
            Box::new(cursor.take(length))
        }
        SessionText::Packed(packed) => Box::new(Cursor::new(packed.read(range)?)),
    })
}

/// Finds every line of a pack. Returns also where the last whole line ends.
fn scan(file: &File) -> io::Result<(HashMap<LineKey, u64>, u64)> {
    const BLOCK: u64 = 16 << 20;
    let length = file.metadata()?.len();
    let mut known = HashMap::new();
    let (mut read, mut start, mut block): (u64, u64, Vec<u8>) = (0, 0, Vec::new());
    while read < length {
        let before = block.len();
        let more = BLOCK.min(length - read);
        block.resize(before + usize::try_from(more).map_err(io::Error::other)?, 0);
        file.read_exact_at(&mut block[before..], read)?;
        read += more;
        let whole = block.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut lines: Vec<(u64, &[u8])> = Vec::new();
        for line in block[..whole].split_inclusive(|byte| *byte == b'\n') {
            lines.push((start, line));
            start += line.len() as u64;
        }
        known.par_extend(lines.par_iter().map(|(at, line)| (key_of(line), *at)));
        block.drain(..whole);
    }
    Ok((known, start))
}

fn key_of(line: &[u8]) -> LineKey {
    let digest: [u8; 32] = Sha256::digest(line).into();
    *digest.first_chunk().expect("a digest has 32 bytes")
}
