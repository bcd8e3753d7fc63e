//! The only writes to session files: a new file, or one more line.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::SessionError;
use crate::time::Millis;

/// Refuses a file that was written in the last two minutes.
///
/// pi keeps the leaf of an open session in memory, so what we append would be left on a side branch.
pub fn ensure_quiet(path: &Path, now: Millis) -> Result<(), SessionError> {
    const QUIET_SECONDS: i64 = 2 * 60;
    let Ok(written) = fs::metadata(path).and_then(|metadata| metadata.modified()) else {
        return Ok(());
    };
    let seconds = ((now.0 - Millis::from(written).0) / 1000).max(0);
    if seconds >= QUIET_SECONDS {
        return Ok(());
    }
    Err(SessionError::RecentlyWritten { path: path.to_owned(), seconds })
}

/// Writes a new file line by line, as pi does; if that fails, the file is taken away again.
///
/// A file that `exists` must still be empty: another program may have filled it since we looked.
pub(super) fn write_new(
    path: &Path,
    exists: bool,
    mut lines: impl Iterator<Item = Result<String, SessionError>>,
) -> Result<(), SessionError> {
    let fail = |source| SessionError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut file = OpenOptions::new().append(true).create_new(!exists).open(path).map_err(fail)?;
    if exists && file.metadata().map_err(fail)?.len() > 0 {
        return Err(SessionError::ChangedMeanwhile(path.to_owned()));
    }
    let written = lines.try_for_each(|line| file.write_all(line?.as_bytes()).map_err(fail));
    written.inspect_err(|_| {
        if !exists {
            // What is left of a file that is only ours is of no use to anybody.
            let _ = fs::remove_file(path);
        }
    })
}

/// Appends one line with one `write`, which also ends a torn last line, so that nothing is glued to it.
pub(super) fn append_line(path: &Path, line: &str) -> Result<(), SessionError> {
    let fail = |source| SessionError::Write { path: path.to_owned(), source };
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(fail)?;
    let torn = !ends_with_line_break(&file).map_err(fail)?;
    let line = if torn { format!("\n{line}") } else { line.to_owned() };
    file.write_all(line.as_bytes()).map_err(fail)
}

fn ends_with_line_break(file: &File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if let Some(at) = file.metadata()?.len().checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    Ok(last == *b"\n")
}
