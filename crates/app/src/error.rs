//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use pi_brain_agent::AgentError;
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
    /// One of the settings cannot be used.
    #[error("{}, line {line}: {key} cannot be used: {reason}", path.display())]
    Setting {
        /// The file with the settings.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
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
    /// Nobody has said which model to ask.
    #[error(
        "no model is chosen. Say `by = \"pi\"` or `by = \"openai\"` under `[analysis]` in config.toml; \
         `pi-brain config init` writes one to start from"
    )]
    NoModel,
    /// Money is limited, and nobody knows what the model costs.
    #[error(
        "the budget is in dollars, and nobody knows what this model costs: name the model under `[analysis.pi]`, say \
         its price under `[analysis.price]`, or limit tokens instead"
    )]
    NoPrice,
    /// The model, or what it is asked with, refused.
    #[error(transparent)]
    Agent(#[from] AgentError),
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
