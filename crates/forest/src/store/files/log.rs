//! The log: one line for each commit, and the only truth about a forest.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Take, Write};
use std::path::{Path, PathBuf};

use pi_brain_session::Raw;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::folder::{corrupt, private};
use crate::error::{ForestError, Result};
use crate::ids::Place;
use crate::sessions::SessionNo;
use crate::store::Change;

/// A commit, as the log has it.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Line {
    /// Which commit, counted from 1.
    pub(super) seq: u64,
    /// Numbers that are taken although nothing has them any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) taken: Vec<Place>,
    /// Where the bytes of sessions are, in the order of the changes that bring bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) texts: Vec<TextChange>,
    /// What is there afterwards.
    pub(super) changes: Vec<Change>,
}

/// Where the new bytes of a session are in the pack.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct TextChange {
    /// The session.
    pub(super) session: SessionNo,
    /// How many of the bytes known before stay.
    pub(super) from: u64,
    /// Offsets and lengths.
    pub(super) pieces: Vec<(u64, u64)>,
}

impl Line {
    /// Writes the line, and reads it back: what the reader would not understand must never get into the log.
    ///
    /// What was read back is what counts, so that a forest in memory and its log cannot part.
    pub(super) fn write(&self) -> Result<(Vec<u8>, Self), serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        let read_back = serde_json::from_slice(&bytes)?;
        bytes.push(b'\n');
        Ok((bytes, read_back))
    }
}

/// How far a log could be read.
#[derive(Debug, Default)]
pub(super) struct End {
    /// The number of the last commit.
    pub(super) seq: u64,
    /// How many bytes the commits take. What may follow them was never acknowledged.
    pub(super) length: u64,
}

/// Opens a log for reading as far as it goes now; `None` if there is no log.
pub(super) fn open(path: &Path) -> Result<Option<Take<File>>> {
    let unreadable = |source| ForestError::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(unreadable(source)),
    };
    let length = file.metadata().map_err(unreadable)?.len();
    Ok(Some(file.take(length)))
}

/// Reads a log from its beginning and hands over each commit.
///
/// A writer that was stopped leaves a last line without an end, or one that is no JSON. Nobody was told
/// that it is there, so it is not. Anything else that is wrong is damage.
pub(super) fn replay(
    path: &Path,
    file: Take<File>,
    mut each: impl FnMut(Line) -> Result<(), String>,
) -> Result<End> {
    let unreadable = |source| ForestError::Read { path: path.to_owned(), source };
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut end = End::default();
    loop {
        let batch = read_batch(&mut reader).map_err(unreadable)?;
        let Some(last) = batch.len().checked_sub(1) else { return Ok(end) };
        let parsed: Vec<Result<Line, String>> = batch.par_iter().map(|line| parse(line)).collect();
        let is_last_batch = reader.fill_buf().map_err(unreadable)?.is_empty();
        for (at, (line, bytes)) in parsed.into_iter().zip(&batch).enumerate() {
            let is_last = is_last_batch && at == last;
            if is_last && (!bytes.ends_with(b"\n") || line.is_err() && !is_json(bytes)) {
                return Ok(end);
            }
            let wrong = |why: String| corrupt(path, format!("line {}: {why}", end.seq + 1));
            let line = line.map_err(wrong)?;
            if line.seq != end.seq + 1 {
                let (expected, found) = (end.seq + 1, line.seq);
                return Err(wrong(format!("commit {expected} should be here, and not {found}")));
            }
            each(line).map_err(wrong)?;
            end = End { seq: end.seq + 1, length: end.length + bytes.len() as u64 };
        }
    }
}

fn read_batch(reader: &mut impl BufRead) -> std::io::Result<Vec<Vec<u8>>> {
    const ENOUGH: usize = 8 << 20;
    let (mut batch, mut length) = (Vec::new(), 0);
    while length < ENOUGH {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        length += line.len();
        batch.push(line);
    }
    Ok(batch)
}

fn parse(line: &[u8]) -> Result<Line, String> {
    if line.starts_with(BYTE_ORDER_MARK) {
        return Err("it starts with a byte order mark, which another program put there".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// Returns whether a line is whole, even if another program put a byte order mark in front of it.
fn is_json(line: &[u8]) -> bool {
    Raw::parse(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)).is_some()
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The end of a log, where commits are added.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    end: End,
    /// Whether something may stand behind the end that must go before the next commit.
    is_dirty: bool,
}

impl Log {
    /// Opens a log for writing and cuts off what may stand behind its end.
    pub(super) fn open(path: &Path, end: End) -> Result<Self> {
        let fail = |source| ForestError::Write { path: path.to_owned(), source };
        let file = private().append(true).create(true).open(path).map_err(fail)?;
        let is_dirty = file.metadata().map_err(fail)?.len() > end.length;
        let mut log = Self { path: path.to_owned(), file, end, is_dirty };
        log.cut_back()?;
        Ok(log)
    }

    /// Returns the number of the last commit.
    pub(super) fn seq(&self) -> u64 {
        self.end.seq
    }

    /// Adds a commit and waits until it is safe. If that fails, the log is as before.
    pub(super) fn append(&mut self, line: &[u8]) -> Result<()> {
        self.cut_back()?;
        if let Err(source) = self.file.write_all(line).and_then(|()| self.file.sync_data()) {
            self.is_dirty = true;
            // If this fails as well, it is tried again before the next commit and after the next start.
            let _ = self.cut_back();
            return Err(ForestError::Write { path: self.path.clone(), source });
        }
        self.end = End { seq: self.end.seq + 1, length: self.end.length + line.len() as u64 };
        Ok(())
    }

    fn cut_back(&mut self) -> Result<()> {
        if self.is_dirty {
            let cut = self.file.set_len(self.end.length).and_then(|()| self.file.sync_data());
            cut.map_err(|source| ForestError::Write { path: self.path.clone(), source })?;
            self.is_dirty = false;
        }
        Ok(())
    }
}
