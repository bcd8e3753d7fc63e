//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use crate::entry::EntryId;

/// Why bytes could not be read as a session.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes are no session, or only the beginning of one.
    #[error("no session header found")]
    NoHeader,
    /// The bytes could not be had.
    #[error("could not read")]
    Io(#[from] io::Error),
}

/// Why a session operation failed. No line that was there before is changed or lost by a failure; one that
/// could only be written in part stays torn, and the next append begins a new line.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such file.
    #[error("no file {}", .0.display())]
    FileNotFound(PathBuf),
    /// The file is not a pi session.
    #[error("{} is not a pi session: no session header found", .0.display())]
    NotASession(PathBuf),
    /// The file is of an old version, to which nothing can be appended.
    #[error("{} is of version {version}; it must be migrated before anything can be appended", path.display())]
    OldVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The file was written a moment ago, so pi may have it open and would not see what we append.
    #[error("{} was written {seconds} s ago, so pi may have it open and would not see the change", path.display())]
    RecentlyWritten {
        /// The file.
        path: PathBuf,
        /// How long ago.
        seconds: i64,
    },
    /// The file is not as it was when it was read.
    #[error("{} has changed since it was read; nothing was written", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// The file exists but could not be read.
    #[error("could not read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file could not be written; what was there before is untouched.
    #[error("could not write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such entry in the session.
    #[error("no entry {0} in this session")]
    EntryNotFound(EntryId),
    /// The entry is not on the path that leads to the current leaf.
    #[error("entry {0} is not on the current branch")]
    NotOnBranch(EntryId),
    /// The entry holds nothing that a model would see, so there is nothing to replace.
    #[error("entry {0} has no content that could be edited")]
    NotEditable(EntryId),
    /// A session id that pi would refuse.
    #[error(
        "session id {0:?} must be letters, digits, '.', '_' and '-', with a letter or digit at both ends"
    )]
    BadSessionId(String),
    /// A message is not a JSON object with a role.
    #[error("a message must be a JSON object with a role")]
    BadMessage,
}
