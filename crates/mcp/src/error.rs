//! What can go wrong, by what a model or a person may do about it.

use std::io;

use pi_brain_app::AppError;
use pi_brain_session::SessionError;

/// Why a call could not be answered, or settings could not be changed.
///
/// A model reads most of these: each says what to do next, and none repeats what a session says.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// Nothing is known by this name.
    #[error("there is no unit of work {0}. Find the right id with brain_search")]
    UnknownNode(String),
    /// No node has a name like this.
    #[error(
        "{0:?} is no id of a unit of work: give its 16 hex digits or the first 4 or more of them, with -v2 behind them \
         for a version. brain_search finds ids"
    )]
    NotANode(String),
    /// The beginning of several names.
    #[error("{prefix} could be any of {count} units of work; give more digits of the id")]
    AmbiguousNode {
        /// What was said.
        prefix: String,
        /// How many begin like this.
        count: usize,
    },
    /// A version that is not there.
    #[error("there is no version {version} of {node}; leave out the -v for the current one")]
    UnknownVersion {
        /// The node.
        node: String,
        /// The version.
        version: u32,
    },
    /// Versions stay as they are.
    #[error("a note belongs to a unit of work, not to one version of it: leave out the -v")]
    NoteOnVersion,
    /// A note that says nothing.
    #[error("the note is empty: say in `message` what should be remembered")]
    EmptyNote,
    /// No session is known by this id.
    #[error("no session has the id {0:?}. brain_search and brain_query tell the ids of sessions")]
    UnknownSession(String),
    /// The beginning of several ids.
    #[error("{prefix:?} could be any of {count} sessions; give more of the id")]
    AmbiguousSession {
        /// What was said.
        prefix: String,
        /// How many sessions begin like this.
        count: usize,
    },
    /// The session does not have this entry.
    #[error(
        "the session has no entry {entry:?}; leave `entry` out to read it from the beginning, or give `from_line`"
    )]
    UnknownEntry {
        /// What was said.
        entry: String,
    },
    /// The session does not have these lines.
    #[error("there is nothing on these lines: the session has lines 2 to {last}")]
    NoSuchLines {
        /// The last line.
        last: u64,
    },
    /// The query is empty.
    #[error("there is nothing to look for: give some words, or a filter such as project:shop")]
    EmptyQuery,
    /// No resource has a name like this.
    #[error("{0:?} is no resource of this server: ask for brain://node/ID or brain://session/ID")]
    UnknownResource(String),
    /// Somebody else is writing, and takes long.
    #[error("another pi-brain is writing to the data folder; try again in a minute")]
    Busy,
    /// The brain refused.
    #[error(transparent)]
    App(#[from] AppError),
    /// A session file could not be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// An entry of a session file could not be read.
    #[error("could not read from the session file")]
    Read(#[source] io::Error),
    /// The call ended in a way that nobody expected.
    #[error("the call failed in an unexpected way; try it with other arguments")]
    Crashed,
    /// Threads or timers are not to be had.
    #[error("could not set the MCP server up")]
    Setup(#[source] io::Error),
    /// The other side does not speak the protocol.
    #[error("could not agree with the other side on the protocol: {0}")]
    Protocol(String),
    /// The settings of another program are not what they should be.
    #[error("it cannot be changed safely: {0}. Put it right, or add the lines yourself")]
    Unusable(String),
}

/// The result of a call.
pub type Result<T, E = McpError> = std::result::Result<T, E>;
