//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use pi_brain_app::AppError;

/// Why a daemon could not be started, found or asked.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// There is one already.
    #[error("a daemon is running already for {}: process {pid}. `pi-brain daemon stop` ends it", folder.display())]
    Running {
        /// The data folder.
        folder: PathBuf,
        /// The process.
        pid: u32,
    },
    /// A file of the data folder could not be read or written.
    #[error("could not use {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Threads, timers or signals are not to be had.
    #[error("could not set the daemon up")]
    Setup(#[source] io::Error),
    /// The brain refused.
    #[error(transparent)]
    App(#[from] AppError),
    /// The thread that does the work has died; what it had saved is safe.
    #[error("the daemon failed in an unexpected way; its log says where")]
    Crashed,
    /// The daemon did not answer, or not as a daemon does.
    #[error("the daemon does not answer")]
    Silent(#[source] io::Error),
    /// The daemon answered that it could not do it.
    #[error("the daemon says: {message}")]
    Refused {
        /// What it is called.
        code: String,
        /// What it says.
        message: String,
    },
}

/// The result of asking a daemon.
pub type Result<T, E = DaemonError> = std::result::Result<T, E>;
