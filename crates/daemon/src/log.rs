//! The log of a daemon: a line for what happened, in a file that does not grow for ever.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::folder::create_folder;

/// How large a log may become before another is begun. One older one is kept.
const LARGEST: u64 = 5 * 1024 * 1024;

/// Where lines go. A log that cannot be written is no reason to stop.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Mutex<Option<File>>,
    largest: u64,
    /// Whether somebody is looking on.
    is_shown: bool,
}

impl Log {
    /// Opens a log, and prints what is logged as well if somebody looks on.
    pub fn open(path: &Path, is_shown: bool) -> Self {
        Self::with_limit(path, is_shown, LARGEST)
    }

    fn with_limit(path: &Path, is_shown: bool, largest: u64) -> Self {
        let _ = path.parent().map(create_folder);
        Self { path: path.to_owned(), file: Mutex::new(append_to(path).ok()), largest, is_shown }
    }

    /// Writes a line, with the time before it.
    pub fn line(&self, text: fmt::Arguments<'_>) {
        let now = jiff::Timestamp::now();
        // Names of files may hold anything; a line stays a line.
        let text = text.to_string().replace(char::is_control, "\u{fffd}");
        let line = format!("{now:.3} {text}\n");
        if self.is_shown {
            let _ = io::stdout().write_all(line.as_bytes());
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |file: &File| file.metadata().is_ok_and(|file| file.len() >= self.largest);
        if file.as_ref().is_none_or(is_full) {
            if file.is_some() {
                let _ = fs::rename(&self.path, self.path.with_extension("log.1"));
            }
            *file = append_to(&self.path).ok();
        }
        if let Some(file) = &mut *file {
            let _ = file.write_all(line.as_bytes());
        }
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().mode(0o600).append(true).create(true).open(path)
}

#[cfg(test)]
mod tests;
