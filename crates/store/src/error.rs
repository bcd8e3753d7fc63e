//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use pi_brain_brain::{BrainError, NodeRef};
use pi_brain_forest::ForestError;

/// Why the store could not do something. What was there before is untouched.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the database {} could not be used", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// There is no room for what the database has to write, which may be so even where only a question was asked.
    #[error(
        "the disk with the database {} is full; nothing is lost, and what is new will be taken in when there is space",
        path.display()
    )]
    DiskFull {
        /// The database.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// A newer version wrote the database.
    #[error(
        "the database {} was written by a newer version of pi-brain; take that one, or move the file away and \
         run pi-brain rebuild",
        path.display()
    )]
    TooNew {
        /// The database.
        path: PathBuf,
    },
    /// The database could not be brought to today's form.
    #[error("the database {} could not be brought up to date", path.display())]
    Migration {
        /// The database.
        path: PathBuf,
        /// Why.
        source: rusqlite_migration::Error,
    },
    /// Something in the database is not as it was written.
    #[error("{what} is damaged ({why}); pi-brain rebuild makes it anew")]
    Damaged {
        /// What it is.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The system refused to read.
    #[error("could not read {}", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refused to write.
    #[error("could not write {}", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process writes.
    #[error("{holder} is writing to {}; try again when that is done", folder.display())]
    Locked {
        /// The data folder.
        folder: PathBuf,
        /// Who has it, as far as is known.
        holder: String,
    },
    /// There is no such node.
    #[error("no node {0}; pi-brain nodes lists them")]
    NodeNotFound(NodeRef),
    /// There is no such session.
    #[error("no session {0} is known; pi-brain sessions lists them")]
    SessionNotFound(String),
    /// There is no such edge, or it is not the user's to remove.
    #[error("no edge {0} that was drawn by hand; pi-brain edges list shows them")]
    EdgeNotFound(String),
    /// A correction that cannot be made.
    #[error(transparent)]
    Brain(#[from] BrainError),
    /// The forest refused.
    #[error(transparent)]
    Forest(#[from] ForestError),
}

/// The result of asking the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
