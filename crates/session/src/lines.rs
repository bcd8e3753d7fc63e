//! Bytes into lines, with a buffer that is as large as the longest line and no larger.

use std::io::{self, Read};

const BUFFER: usize = 64 * 1024;

/// Longer lines are passed over: pi itself cannot hold a string of this size.
pub(crate) const LONGEST_LINE: usize = 512 * 1024 * 1024;

/// Splits what it reads at LF, and only there: U+2028 and CR are text.
pub(crate) struct LineReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled and not yet given out.
    start: usize,
    end: usize,
    /// Where `start` lies in the file.
    offset: u64,
}

pub(crate) struct Line<'a> {
    /// Where the line starts in the file.
    pub(crate) offset: u64,
    /// The line without its LF; empty where it was [too long](LONGEST_LINE).
    pub(crate) bytes: &'a [u8],
    /// How long the line is, without its LF.
    pub(crate) length: u64,
    pub(crate) too_long: bool,
    /// Whether an LF ends it; only the last line of a file may have none.
    pub(crate) terminated: bool,
}

impl<R: Read> LineReader<R> {
    pub(crate) fn new(input: R, offset: u64) -> Self {
        Self { input, buffer: Vec::new(), start: 0, end: 0, offset }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = self.start;
        let mut skipped = 0;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + at;
                return Ok(Some(self.take(line, skipped, true)));
            }
            if self.end - self.start > LONGEST_LINE {
                skipped += (self.end - self.start) as u64;
                self.start = 0;
                self.end = 0;
            }
            searched = self.fill()?;
            if searched == self.end {
                let line = self.start..self.end;
                let nothing = line.is_empty() && skipped == 0;
                return Ok(if nothing { None } else { Some(self.take(line, skipped, false)) });
            }
        }
    }

    fn take(&mut self, line: std::ops::Range<usize>, skipped: u64, terminated: bool) -> Line<'_> {
        let offset = self.offset;
        let length = skipped + line.len() as u64;
        self.start = line.end + usize::from(terminated);
        self.offset += length + u64::from(terminated);
        let too_long = skipped > 0 || line.len() > LONGEST_LINE;
        let bytes = if too_long { &[][..] } else { &self.buffer[line] };
        Line { offset, bytes, length, too_long, terminated }
    }

    /// Reads more behind what is there; returns where the new bytes start.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < self.end + BUFFER / 2 {
            self.buffer.resize((self.buffer.len() * 2).max(BUFFER), 0);
        }
        let from = self.end;
        loop {
            match self.input.read(&mut self.buffer[from..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(from);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
