//! What we wrote ourselves a moment ago, so that our own change does not look like pi at work.
//!
//! The memory is a file in our data folder. Losing it costs nothing but a wait of two minutes.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use pi_brain_session::{Millis, SessionError, ensure_quiet};
use serde::{Deserialize, Serialize};

/// A file as we left it.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnWrite {
    path: String,
    length: u64,
    modified_nanoseconds: i64,
}

impl OwnWrite {
    fn of(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let metadata = fs::metadata(&path)?;
        let seconds = metadata.mtime().saturating_mul(1_000_000_000);
        Ok(Self {
            path: path.to_string_lossy().into_owned(),
            length: metadata.len(),
            modified_nanoseconds: seconds.saturating_add(metadata.mtime_nsec()),
        })
    }
}

/// Returns whether the last change of a file was our own.
fn is_own(data_folder: &Path, path: &Path) -> bool {
    OwnWrite::of(path).is_ok_and(|write| read(&list_in(data_folder)).contains(&write))
}

/// Returns whether a file was quiet but for ourselves; an error if somebody else wrote, unless forced.
///
/// pi may have a file open that was written a moment ago, and would not see what is added to it.
pub fn check_quiet(
    data_folder: Option<&Path>,
    path: &Path,
    force: bool,
    now: Millis,
) -> Result<bool, SessionError> {
    match ensure_quiet(path, now) {
        Ok(()) => Ok(true),
        Err(_) if data_folder.is_some_and(|folder| is_own(folder, path)) => Ok(true),
        Err(_) if force => Ok(false),
        Err(error) => Err(error),
    }
}

/// Remembers a file as it is now, if it is as long as we left it: longer, somebody else wrote too.
pub fn remember_own_write(data_folder: &Path, path: &Path, length: u64) -> io::Result<()> {
    const KEPT: usize = 200;
    let write = OwnWrite::of(path)?;
    if write.length != length {
        return Ok(());
    }
    let list = list_in(data_folder);
    let mut writes = read(&list);
    writes.retain(|known| known.path != write.path);
    writes.push(write);
    let surplus = writes.len().saturating_sub(KEPT);
    DirBuilder::new().recursive(true).mode(0o700).create(data_folder)?;
    replace(&list, &serde_json::to_vec(&writes[surplus..])?)
}

fn list_in(data_folder: &Path) -> PathBuf {
    data_folder.join("own-writes.json")
}

/// Reads the list, oldest first; one that cannot be read is empty.
fn read(list: &Path) -> Vec<OwnWrite> {
    let text = fs::read(list).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Puts a new file in the place of another, whole or not at all.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension(format!("{}.tmp", std::process::id()));
    // A file of this name can only be left over from a process that died.
    let _ = fs::remove_file(&new);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&new, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}
