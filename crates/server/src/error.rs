//! What can go wrong before anybody can be answered, by what a caller may do about it.

use std::io;
use std::net::{IpAddr, SocketAddr};

use pi_brain_daemon::DaemonError;

/// Why the server could not be started, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Somebody else listens where we want to.
    #[error(
        "port {port} is taken by {}; choose another with --port, or any with --port 0",
        by.as_deref().unwrap_or("another program")
    )]
    PortTaken {
        /// The port.
        port: u16,
        /// Who it is, where that can be found out.
        by: Option<String>,
    },
    /// The system does not let us listen.
    #[error("could not listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Everybody in the network could ask.
    #[error(
        "{address} can be reached from other machines, and there is no token that they would have to know; write one of at least \
         16 characters into a file that only you can read, and name it with --token-file"
    )]
    Exposed {
        /// Where it was to listen.
        address: IpAddr,
    },
    /// Threads, timers or signals are not to be had.
    #[error("could not set the server up")]
    Setup(#[source] io::Error),
    /// The daemon could not be started, or failed.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
}

/// The result of running the server.
pub type Result<T, E = ServerError> = std::result::Result<T, E>;
