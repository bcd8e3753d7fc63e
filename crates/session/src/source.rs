//! Where the bytes of a session are: in a file, or still in memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::session::changed;

/// Gives back any piece of a session's bytes. Files are not mapped: one that shrinks would kill us.
#[derive(Debug)]
pub(crate) enum Source {
    File(File),
    Memory(Vec<u8>),
}

impl Source {
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        match self {
            Self::File(file) => {
                let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, range.start).map_err(|error| {
                    match error.kind() {
                        io::ErrorKind::UnexpectedEof => changed(),
                        _ => error,
                    }
                })?;
                Ok(bytes)
            }
            Self::Memory(bytes) => {
                let position = |at: u64| usize::try_from(at).map_err(io::Error::other);
                let piece = bytes.get(position(range.start)?..position(range.end)?);
                Ok(piece.ok_or(io::ErrorKind::UnexpectedEof)?.to_vec())
            }
        }
    }

    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Returns a reader from `offset` to the end, as it is when the reading gets there.
    pub(crate) fn reader(&self, offset: u64) -> SourceReader<'_> {
        SourceReader { source: self, offset }
    }
}

pub(crate) struct SourceReader<'a> {
    source: &'a Source,
    offset: u64,
}

impl io::Read for SourceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.source {
            Source::File(file) => file.read_at(buffer, self.offset)?,
            Source::Memory(bytes) => {
                let start = usize::try_from(self.offset).map_err(io::Error::other)?;
                let mut rest = bytes.get(start..).unwrap_or_default();
                rest.read(buffer)?
            }
        };
        self.offset += read as u64;
        Ok(read)
    }
}
