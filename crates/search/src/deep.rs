//! Looks through session files for what the index leaves out: the middle of long output, and thinking.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use memchr::memmem::{self, Finder};
use pi_brain_session::{Entry, EntryId, Header, Log, Millis, Raw, ReadError};
use rayon::prelude::*;

use crate::document::{EntryText, Extent, entry_text};
use crate::matching::{Matcher, holds, needles};
use crate::query::{Filters, Query};
use crate::snippet::{Snippet, cut};

/// What was found in session files.
#[derive(Debug, Default)]
pub struct DeepHits {
    /// The newest first.
    pub hits: Vec<DeepHit>,
    /// Files that could not be read.
    pub unreadable: Vec<(PathBuf, ReadError)>,
}

/// An entry that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepHit {
    /// The session file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u64,
    /// The entry's id; a damaged line may have none.
    pub entry_id: Option<EntryId>,
    /// When it was written.
    pub time: Option<Millis>,
    /// The piece that shows it.
    pub snippet: Snippet,
}

const SNIPPET: usize = 200;

/// Longer lines are passed over, as the reader of sessions does.
const LONGEST_LINE: u64 = 512 * 1024 * 1024;

/// Looks through files, several at a time, for entries that hold every word and phrase, upper and lower case alike.
///
/// A word may also be a part of another, as in any search for a string. Filters apply as far as an entry can tell. `on_file`
/// is called when a file is done.
pub fn deep_search(
    files: &[PathBuf],
    query: &Query,
    limit: usize,
    on_file: &(dyn Fn(&Path) + Sync),
) -> DeepHits {
    if query.is_only_filters() {
        return DeepHits::default();
    }
    let scan = Scan::new(query, limit);
    let found: Vec<(&PathBuf, Result<Vec<DeepHit>, ReadError>)> = files
        .par_iter()
        .map(|file| {
            let hits = scan.file(file);
            on_file(file);
            (file, hits)
        })
        .collect();
    let mut all = DeepHits::default();
    for (file, hits) in found {
        match hits {
            Ok(hits) => all.hits.extend(hits),
            Err(error) => all.unreadable.push((file.clone(), error)),
        }
    }
    keep_newest(&mut all.hits, limit);
    all
}

fn keep_newest(hits: &mut Vec<DeepHit>, limit: usize) {
    hits.sort_by(|one, other| {
        let by_time = other.time.cmp(&one.time);
        by_time.then_with(|| (&one.file, one.line).cmp(&(&other.file, other.line)))
    });
    hits.truncate(limit);
}

struct Scan<'a> {
    filters: &'a Filters,
    matcher: Matcher,
    excluded: Matcher,
    needles: Vec<Finder<'static>>,
    limit: usize,
}

impl<'a> Scan<'a> {
    fn new(query: &'a Query, limit: usize) -> Self {
        let needles = needles(query);
        Self {
            filters: &query.filters,
            matcher: Matcher::new(query, false),
            excluded: Matcher::excluded(query),
            needles: needles.iter().map(|needle| Finder::new(needle).into_owned()).collect(),
            limit,
        }
    }

    fn file(&self, path: &Path) -> Result<Vec<DeepHit>, ReadError> {
        let mut hits = Hits { path, scan: self, list: Vec::new() };
        let mut input = BufReader::with_capacity(256 * 1024, File::open(path)?);
        let mut first = Vec::new();
        next_line(&mut input, &mut first)?;
        match Log::read(&*first) {
            Ok(log) if log.header().version >= 2 => {
                if self.is_in_project(log.header()) {
                    hits.take_lines(&first, input)?;
                }
            }
            // Entries of the first version get their ids from their place in the file, and a header that is not on the
            // first line is only found by reading: such files are read as a whole.
            _ => {
                let log = Log::read_with(File::open(path)?, |entry, raw| {
                    hits.take(entry, raw, entry.line);
                })?;
                if !self.is_in_project(log.header()) {
                    hits.list.clear();
                }
            }
        }
        keep_newest(&mut hits.list, self.limit);
        Ok(hits.list)
    }

    fn is_in_project(&self, header: &Header) -> bool {
        fits(&self.filters.projects, header.cwd.iter().map(|cwd| &**cwd))
    }

    /// Returns whether a line may hold every word. `lower` is room for the line in lower case.
    fn may_hold(&self, line: &[u8], lower: &mut Vec<u8>) -> bool {
        lower.clear();
        lower.extend_from_slice(line);
        lower.make_ascii_lowercase();
        self.needles.iter().all(|needle| needle.find(lower).is_some()) || hides_letters(line)
    }
}

/// Returns whether ASCII letters or digits are written as numbers, as JSON allows and hardly anyone does.
fn hides_letters(line: &[u8]) -> bool {
    memmem::find_iter(line, br"\u00").any(|at| matches!(line.get(at + 4), Some(b'3'..=b'7')))
}

/// What is found in one file.
struct Hits<'a> {
    path: &'a Path,
    scan: &'a Scan<'a>,
    list: Vec<DeepHit>,
}

impl Hits<'_> {
    fn take_lines(&mut self, header: &[u8], mut input: impl BufRead) -> Result<(), ReadError> {
        let mut line = Vec::new();
        let mut lower = Vec::new();
        let mut number = 1;
        while next_line(&mut input, &mut line)? {
            number += 1;
            if self.scan.may_hold(&line, &mut lower) {
                // The reader of sessions wants a header; it finds the entry, or several that are glued together.
                let alone = header.chain(&*line);
                Log::read_with(alone, |entry, raw| self.take(entry, raw, number))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: &Entry, raw: Raw<'_>, line: u64) {
        let extent = Extent { thinking: true, whole_output: true };
        let Some(said) = entry_text(entry, raw, extent) else { return };
        if !is_wanted(&said, entry.timestamp, self.scan.filters) {
            return;
        }
        let text = format!("{}\n{}", said.body, said.detail);
        let matcher = &self.scan.matcher;
        let places = matcher.places_anywhere(&text);
        if !matcher.is_complete(&places) || !self.scan.excluded.places(&text).is_empty() {
            return;
        }
        self.list.push(DeepHit {
            file: self.path.to_owned(),
            line,
            entry_id: entry.id.clone(),
            time: entry.timestamp,
            snippet: cut(&text, &places, &matcher.weights, SNIPPET),
        });
        if self.list.len() > 2 * self.scan.limit + 1024 {
            keep_newest(&mut self.list, self.scan.limit);
        }
    }
}

/// Reads the next line, with its end; an overlong one is left empty. Returns `false` at the end of the file.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', line)?;
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        *line = Vec::new();
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

fn is_wanted(said: &EntryText, time: Option<Millis>, filters: &Filters) -> bool {
    filters.after.is_none_or(|after| time.is_some_and(|time| time >= after))
        && filters.before.is_none_or(|before| time.is_some_and(|time| time < before))
        && (filters.speakers.is_empty() || filters.speakers.contains(&said.speaker))
        && fits(&filters.tools, said.tools.iter().map(String::as_str))
        && fits(&filters.files, said.files.iter().map(String::as_str))
        && fits(&filters.models, said.model.as_deref())
}

/// Returns whether one of the values fits one of the texts; without values, everything does.
fn fits<'a>(values: &[String], texts: impl IntoIterator<Item = &'a str>) -> bool {
    values.is_empty() || texts.into_iter().any(|text| values.iter().any(|value| holds(text, value)))
}
