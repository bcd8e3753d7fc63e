//! From session files to the forest: the first half of taking sessions in.

use std::path::Path;
use std::sync::Arc;

use pi_brain_brain::{Outline, Sketch};
use pi_brain_forest::{Forest, ImportedSession, News, Reading, SessionRecord, Store as _};
use pi_brain_session::{Log, Millis, SessionError};
use pi_brain_store::{
    FamilyStore, FileUpdate, KnownFile, SessionDigest, SessionUpdate, Stamp, Store,
};
use rayon::prelude::*;

use crate::digest::digest;
use crate::error::Result;
use crate::progress::{Progress, Step};
use crate::report::Report;
use crate::scan::{Changed, Scan, is_left_out};
use crate::settings::Sources;

/// How many bytes of session files are read before what they gave is saved.
const BATCH_BYTES: u64 = 10 * 1024 * 1024;

/// How many files are read before what they gave is saved.
const BATCH_FILES: usize = 256;

/// Takes files that have changed into the forest, and those that are gone out of it.
pub(crate) fn take_in(
    store: &mut Store,
    forest: &mut Forest<FamilyStore>,
    sources: &Sources,
    scan: Scan,
    now: Millis,
    progress: &dyn Progress,
    report: &mut Report,
) -> Result<()> {
    let total = scan.changed.iter().map(unread).sum();
    progress.begin(Step::Read { files: scan.changed.len(), bytes: total });
    let mut batches = batches(scan.changed).into_iter();
    let mut tasks = Task::all(store, forest.store(), batches.next())?;
    let mut read: Vec<ReadFile> = Vec::new();
    // While one batch is saved, which takes one core, the next is read.
    while !(tasks.is_empty() && read.is_empty()) {
        let (next, saved) = rayon::join(
            || tasks.into_par_iter().map(|task| task.read(sources, progress)).collect(),
            || save(store, forest, read, now, report),
        );
        saved?;
        read = next;
        tasks = Task::all(store, forest.store(), batches.next())?;
    }
    for file in &scan.gone {
        if let Some(session) = file.session {
            forest.remove_session(session, now)?;
        }
    }
    if !scan.gone.is_empty() {
        let gone: Vec<String> = scan.gone.into_iter().map(|file| file.path).collect();
        report.gone = gone.len();
        store.save_files(forest.store(), &[], &gone)?;
    }
    Ok(())
}

fn batches(changed: Vec<Changed>) -> Vec<Vec<Changed>> {
    let mut batches: Vec<Vec<Changed>> = Vec::new();
    let mut bytes = 0;
    for file in changed {
        let fits =
            bytes < BATCH_BYTES && batches.last().is_some_and(|batch| batch.len() < BATCH_FILES);
        if !fits {
            bytes = 0;
            batches.push(Vec::new());
        }
        bytes += unread(&file);
        batches.last_mut().expect("there is one by now").push(file);
    }
    batches
}

/// Returns how many bytes of a file nobody has read yet, as far as can be told from outside.
fn unread(changed: &Changed) -> u64 {
    let known = changed.known.as_ref().filter(|known| known.session.is_some());
    let known = known.map_or(0, |known| known.stamp.size);
    if known < changed.stamp.size { changed.stamp.size - known } else { changed.stamp.size }
}

/// A file that is to be read, with what is known of it.
struct Task {
    changed: Changed,
    before: Option<(Arc<SessionRecord>, Log, Outline)>,
}

impl Task {
    fn all(
        store: &Store,
        families: &FamilyStore,
        batch: Option<Vec<Changed>>,
    ) -> Result<Vec<Self>> {
        let batch = batch.into_iter().flatten();
        batch.map(|changed| Self::new(store, families, changed)).collect()
    }

    fn new(store: &Store, families: &FamilyStore, changed: Changed) -> Result<Self> {
        let session = changed.known.as_ref().and_then(|known| known.session);
        let before = match session {
            None => None,
            Some(session) => {
                let record = families.session(session)?;
                let log = store.log(session)?;
                let outline = store.outline(session)?;
                record.zip(log).zip(outline).map(|((record, log), outline)| (record, log, outline))
            }
        };
        Ok(Self { changed, before })
    }

    fn read(self, sources: &Sources, progress: &dyn Progress) -> ReadFile {
        let bytes = unread(&self.changed);
        let outcome = match self.before {
            Some((record, log, outline)) => read_on(&record, log, outline)
                .and_then(|read| read.map_or_else(|| read_all(&self.changed.path, sources), Ok)),
            None => read_all(&self.changed.path, sources),
        };
        progress.advance(bytes);
        ReadFile { changed: self.changed, outcome }
    }
}

/// A file that was read, or could not be.
struct ReadFile {
    changed: Changed,
    outcome: Result<Outcome, SessionError>,
}

enum Outcome {
    Read {
        reading: Box<Reading>,
        outline: Outline,
        /// How many entries of the outline are as they were.
        unchanged: usize,
        digest: Box<SessionDigest>,
    },
    /// The user does not want sessions of this project.
    LeftOut,
}

impl Outcome {
    fn read(reading: Reading, outline: Outline, unchanged: usize) -> Self {
        let digest = Box::new(digest(&reading));
        Self::Read { reading: Box::new(reading), outline, unchanged, digest }
    }
}

fn read_all(path: &Path, sources: &Sources) -> Result<Outcome, SessionError> {
    if is_left_out(path, sources) {
        return Ok(Outcome::LeftOut);
    }
    let mut sketches = Vec::new();
    let reading = Reading::open_with(path, |entry, raw| sketches.push(Sketch::of(entry, raw)))?;
    let outline = Outline::new(reading.log(), reading.tree(), sketches);
    Ok(Outcome::read(reading, outline, 0))
}

/// Reads what was appended; `None` if the whole file has to be read.
fn read_on(
    record: &SessionRecord,
    log: Log,
    outline: Outline,
) -> Result<Option<Outcome>, SessionError> {
    let unchanged = log.settled_entries();
    let mut sketches = outline.entries;
    sketches.truncate(unchanged);
    let reading = Reading::extend(record, log, |entry, raw| sketches.push(Sketch::of(entry, raw)))?;
    Ok(reading.map(|reading| {
        let outline = Outline::new(reading.log(), reading.tree(), sketches);
        Outcome::read(reading, outline, unchanged)
    }))
}

/// Takes what was read into the forest and into the store, as one step.
fn save(
    store: &mut Store,
    forest: &mut Forest<FamilyStore>,
    read: Vec<ReadFile>,
    now: Millis,
    report: &mut Report,
) -> Result<()> {
    let (mut readings, mut files) = (Vec::new(), Vec::new());
    // Files that held a session and hold none any more.
    let (mut lost, mut spoilt) = (Vec::new(), Vec::new());
    for ReadFile { changed, outcome } in read {
        let Changed { path, computer, stamp, known } = changed;
        let file = KnownFile {
            path: path.to_string_lossy().into_owned(),
            session: None,
            project: None,
            computer,
            stamp,
            problem: None,
        };
        match outcome {
            Ok(Outcome::Read { reading, outline, unchanged, digest }) => {
                report.problems += reading.log().problems().len();
                let before = known.map_or(0, |known| known.stamp.size);
                readings.push(*reading);
                files.push((file, Some((outline, unchanged, digest, before))));
            }
            Ok(Outcome::LeftOut) => files.push((file, None)),
            // A file that went away while we looked will be missed the next time.
            Err(SessionError::FileNotFound(_)) => {}
            Err(error) => {
                if let Some(session) = known.and_then(|known| known.session) {
                    lost.push(session);
                    spoilt.push(file.path.clone());
                }
                report.unreadable.push((file.path.clone(), error.to_string()));
                // What the system refused today it may grant tomorrow, and the file looks the same then.
                let is_refused = matches!(error, SessionError::Read { .. });
                let stamp = if is_refused { Stamp::UNREAD } else { stamp };
                files.push((KnownFile { problem: Some(error.to_string()), stamp, ..file }, None));
            }
        }
    }
    let imported = forest.import(&readings, now)?.sessions;
    for session in lost {
        forest.remove_session(session, now)?;
    }
    let mut taken = imported.iter().zip(&readings);
    let mut updates = Vec::with_capacity(files.len());
    for (file, read) in &files {
        let Some((outline, unchanged, digest, before)) = read else {
            updates.push(FileUpdate { file: file.clone(), reading: None });
            continue;
        };
        let (imported, reading) = taken.next().expect("every reading was imported");
        count(imported, report);
        report.bytes += match imported.news {
            News::Unchanged => 0,
            News::Grown => file.stamp.size.saturating_sub(*before),
            News::New | News::Rewritten => file.stamp.size,
        };
        let file = KnownFile { session: Some(imported.session), ..file.clone() };
        let unchanged = if imported.news == News::Grown { *unchanged } else { 0 };
        let reading = Some(SessionUpdate { log: reading.log(), outline, unchanged, digest });
        updates.push(FileUpdate { file, reading });
    }
    Ok(store.save_files(forest.store(), &updates, &spoilt)?)
}

fn count(imported: &ImportedSession, report: &mut Report) {
    report.files += 1;
    report.entries += imported.entries;
    report.messages += imported.messages;
}
