//! Reads entries back from session files, and where they are from their outlines.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use pi_brain_brain::Sketch;
use pi_brain_forest::SessionNo;
use pi_brain_session::{Entry, Raw};
use pi_brain_store::Store;

use crate::error::Result;

/// Reads sketches of a session's entries, a piece of the outline at a time; best in file order.
#[derive(Debug)]
pub(crate) struct SketchReader<'a> {
    store: &'a Store,
    session: SessionNo,
    first: u32,
    piece: Vec<Sketch>,
}

impl<'a> SketchReader<'a> {
    pub(crate) fn new(store: &'a Store, session: SessionNo) -> Self {
        Self { store, session, first: 0, piece: Vec::new() }
    }

    pub(crate) fn read(&mut self, entry: u32) -> Result<Option<&Sketch>> {
        let at = |first: u32| entry.checked_sub(first).map(|at| at as usize);
        if at(self.first).is_none_or(|at| at >= self.piece.len()) {
            (self.first, self.piece) = self.store.sketches_around(self.session, entry)?;
        }
        Ok(at(self.first).and_then(|at| self.piece.get(at)))
    }
}

/// How much is read at once behind the first entry: neighbours are usually wanted together.
const BLOCK: usize = 256 * 1024;

/// Reads entries of one file, best in file order.
#[derive(Debug)]
pub(crate) struct EntryReader {
    file: File,
    start: u64,
    block: Vec<u8>,
}

impl EntryReader {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, start: 0, block: Vec::new() })
    }

    /// Reads an entry; an error if something else stands there now.
    pub(crate) fn read(&mut self, sketch: &Sketch) -> io::Result<(Entry, Raw<'_>)> {
        let bytes = self.bytes(sketch.start..sketch.start + u64::from(sketch.length))?;
        let changed =
            || io::Error::new(io::ErrorKind::InvalidData, "the file has changed since it was read");
        Entry::parse(bytes, sketch.line.into(), sketch.start).ok_or_else(changed)
    }

    fn bytes(&mut self, range: Range<u64>) -> io::Result<&[u8]> {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let is_there =
            range.start >= self.start && range.end <= self.start + self.block.len() as u64;
        if !is_there {
            let is_first = self.block.is_empty();
            self.block.resize(if is_first { length } else { length.max(BLOCK) }, 0);
            let mut read = 0;
            while read < self.block.len() {
                match self.file.read_at(&mut self.block[read..], range.start + read as u64) {
                    Ok(0) => break,
                    Ok(more) => read += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            self.block.truncate(read);
            self.start = range.start;
        }
        let at = usize::try_from(range.start - self.start).map_err(io::Error::other)?;
        self.block.get(at..at + length).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
