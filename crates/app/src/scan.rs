//! Which session files are there, and which of them have changed.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pi_brain_session::read_header;
use pi_brain_store::{KnownFile, Stamp};
use rayon::prelude::*;

use crate::settings::Sources;

/// What a look at the folders has shown.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// How many session files there are.
    pub(crate) found: usize,
    /// Files that are new or have changed, in the order of their names: parents come before their forks.
    pub(crate) changed: Vec<Changed>,
    /// Files that are not there any more, or are not wanted.
    pub(crate) gone: Vec<KnownFile>,
    /// Folders that cannot be read, with what the system says. Their files are taken to be as they were.
    pub(crate) unreadable: Vec<(PathBuf, String)>,
}

/// A file that is new or has changed.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) path: PathBuf,
    pub(crate) computer: String,
    pub(crate) stamp: Stamp,
    pub(crate) known: Option<KnownFile>,
}

impl Scan {
    /// Returns whether there is anything to take in, as far as can be told from outside.
    ///
    /// Files that are left out are in every scan, because the settings may have changed; they are news only if so.
    pub(crate) fn has_news(&self, sources: &Sources) -> bool {
        let is_news = |file: &Changed| match &file.known {
            Some(known) if known.stamp != file.stamp => true,
            _ => !is_left_out(&file.path, sources),
        };
        !self.gone.is_empty() || self.changed.iter().any(is_news)
    }

    pub(crate) fn of(
        sources: &Sources,
        forgotten: &BTreeSet<String>,
        known: Vec<KnownFile>,
    ) -> Self {
        let mut scan = Self::default();
        let mut files: Vec<(PathBuf, &str)> = Vec::new();
        for source in &sources.folders {
            let folder = source.folder.path();
            match fs::read_dir(folder) {
                Ok(_) => {
                    let found = source.folder.files().into_iter();
                    files.extend(found.map(|path| (path, &*source.computer)));
                }
                // A folder that never was is no loss.
                Err(error) => scan.unreadable.push((folder.to_owned(), error.to_string())),
            }
        }
        // Folders may lie within each other; a file belongs to the first that has it.
        files.sort_by(|(one, _), (other, _)| one.as_os_str().cmp(other.as_os_str()));
        files.dedup_by(|(other, _), (one, _)| one.as_os_str() == other.as_os_str());
        files.retain(|(path, _)| {
            !forgotten.contains(&*path.to_string_lossy()) && !sources.excludes(path)
        });
        let mut known: HashMap<String, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let stamps: Vec<Option<Stamp>> = files.par_iter().map(|(path, _)| stamp(path)).collect();
        for ((path, computer), stamp) in files.into_iter().zip(stamps) {
            let Some(stamp) = stamp else { continue };
            scan.found += 1;
            let known = known.remove(&*path.to_string_lossy());
            let is_unwanted = |file: &KnownFile| {
                file.project.as_deref().is_some_and(|project| sources.excludes(project.as_ref()))
            };
            if let Some(unwanted) = known.clone().filter(is_unwanted) {
                scan.gone.push(unwanted);
            } else if known.as_ref().is_none_or(|known| is_to_be_read(known, stamp)) {
                scan.changed.push(Changed { path, computer: computer.to_owned(), stamp, known });
            }
        }
        let is_gone = |file: &KnownFile| {
            let path = Path::new(&file.path);
            let is_in = |folder: &Path| path.starts_with(folder);
            let is_unreachable = scan.unreadable.iter().any(|(folder, _)| is_in(folder));
            let was_listed = sources.folders.iter().any(|source| is_in(source.folder.path()));
            // A folder that is named no more keeps what was read from it, as long as the files are there.
            !is_unreachable && (was_listed || !path.exists())
        };
        let gone: Vec<KnownFile> = known.into_values().filter(is_gone).collect();
        scan.gone.extend(gone);
        scan.gone.sort_by(|one, other| one.path.cmp(&other.path));
        scan
    }
}

/// Returns whether the user does not want a session because of the project that it is about.
pub(crate) fn is_left_out(path: &Path, sources: &Sources) -> bool {
    let project = read_header(path).and_then(|header| header.cwd);
    project.is_some_and(|project| sources.excludes(project.as_ref()))
}

fn is_to_be_read(known: &KnownFile, stamp: Stamp) -> bool {
    match &known.problem {
        // Whether the system lets us in now cannot be told from outside.
        Some(_) if known.stamp == Stamp::UNREAD => fs::File::open(&known.path).is_ok(),
        _ => known.stamp != stamp || known.was_left_out(),
    }
}

fn stamp(path: &PathBuf) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    let modified = metadata.mtime().saturating_mul(1_000_000_000) + metadata.mtime_nsec();
    Some(Stamp { size: metadata.len(), modified, inode: metadata.ino() })
}
