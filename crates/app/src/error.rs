//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use pi_brain_forest::ForestError;
use pi_brain_search::SearchError;
use pi_brain_session::SessionError;
use pi_brain_store::StoreError;

/// Why a service could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The settings cannot be used.
    #[error("{} cannot be used", path.display())]
    Config {
        /// The file with the settings.
        path: PathBuf,
        /// Where, and what is wrong.
        source: toml::de::Error,
    },
    /// A pattern in the settings is none.
    #[error("{}: {pattern:?} in `exclude` is no pattern", path.display())]
    Pattern {
        /// The file with the settings.
        path: PathBuf,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
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
    /// A backup would become part of itself.
    #[error("{} lies in the data folder itself; name a folder elsewhere", folder.display())]
    BackupInside {
        /// The folder for the backup.
        folder: PathBuf,
    },
    /// There is something already where a backup should go.
    #[error("{} is not empty; name a new folder", folder.display())]
    NotEmpty {
        /// The folder for the backup.
        folder: PathBuf,
    },
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text index refused.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The forest refused.
    #[error(transparent)]
    Forest(#[from] ForestError),
    /// A session could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The result of asking a service.
pub type Result<T, E = AppError> = std::result::Result<T, E>;
