//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;

use crate::ids::{BadId, NodeId, Place, RootId};
use crate::message::InvalidMessage;

/// Why an operation failed. A failed operation has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum ForestError {
    /// A text that is no id.
    #[error(transparent)]
    BadId(#[from] BadId),
    /// There is no such message.
    #[error("no message {0}")]
    NodeNotFound(NodeId),
    /// The message was deleted.
    #[error("message {0} was deleted")]
    NodeDeleted(NodeId),
    /// There is no such tree.
    #[error("no root {0}")]
    RootNotFound(RootId),
    /// The tree was deleted.
    #[error("{0} was deleted")]
    RootDeleted(RootId),
    /// The tree was not deleted.
    #[error("{0} was not deleted")]
    RootNotDeleted(RootId),
    /// Roots have no message, are never changed, and are deleted as a whole or not at all.
    #[error("{0} is a root; this can only be done with a message")]
    RootProtected(RootId),
    /// The parent of a message is gone, or the chain of parents never ends.
    #[error("the path of {0} is broken")]
    BrokenPath(NodeId),
    /// A path was asked for between messages that do not follow each other.
    #[error("{ancestor} does not come before {node}")]
    NotAnAncestor {
        /// The message that should come before.
        ancestor: Place,
        /// The message at the end.
        node: Place,
    },
    /// Two places of different trees have nothing in common.
    #[error("{0} and {1} are in different trees")]
    DifferentTrees(Place, Place),
    /// Not a message.
    #[error("message {index} is not valid")]
    InvalidMessage {
        /// Which one, counted from 1.
        index: usize,
        /// What is wrong with it.
        source: InvalidMessage,
    },
    /// A tool's result that answers no call before it.
    #[error("message {index} is the result of tool call {call:?}, which nothing before it made")]
    NoSuchCall {
        /// Which message, counted from 1.
        index: usize,
        /// The call that it names.
        call: String,
    },
    /// There is nothing in it but white space.
    #[error("the text is blank")]
    Blank,
    /// Results of tools are facts; they are not edited.
    #[error("{0} is the result of a tool, which cannot be changed")]
    ToolMessage(NodeId),
    /// Only text can be edited and split.
    #[error("{0} holds more than text, so it can neither be edited nor split")]
    NotTextOnly(NodeId),
    /// A cut that would leave nothing on one side.
    #[error("{node} cannot be cut at {position}: both halves must say something")]
    BadPosition {
        /// The message.
        node: NodeId,
        /// The byte position that was asked for.
        position: usize,
    },
    /// Two messages that were never one.
    #[error("{0} is no half of a split message")]
    NotSplit(NodeId),
    /// Something refers to what is to be deleted.
    #[error("{node} is referred to by {}; force the deletion to drop these references", by.join(", "))]
    Referenced {
        /// The message.
        node: NodeId,
        /// What refers to it, in words.
        by: Vec<String>,
    },
    /// Removing a tool call from between its neighbours would leave its results without a call.
    #[error("{0} calls tools whose results follow it; delete it together with what follows")]
    HasResults(NodeId),
    /// Messages of pi sessions stay as pi wrote them.
    #[error("{0} belongs to a pi session and stays as it is; delete it together with what follows")]
    Imported(NodeId),
    /// There is nothing to restore.
    #[error("{0} was not deleted")]
    NotDeleted(NodeId),
    /// It went with another message, which has to come back first.
    #[error("{node} was deleted together with {with}; restore that one")]
    DeletedWith {
        /// The message.
        node: NodeId,
        /// The message that took it along.
        with: NodeId,
    },
    /// A bookmark of that name is somewhere else.
    #[error("the bookmark {title:?} is on {node}; remove or rename it first")]
    BookmarkTaken {
        /// The name.
        title: String,
        /// Where it is.
        node: NodeId,
    },
    /// There is no such bookmark.
    #[error("no bookmark {0:?}")]
    BookmarkNotFound(String),
    /// There is no such session.
    #[error("no session {0} in the forest")]
    SessionNotFound(String),
    /// A session that was imported could not be read back.
    #[error("could not read session {file} back")]
    SessionGone {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A file of the forest that is not as it was written.
    #[error("{} is damaged: {why}; nothing was changed", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Somebody else has the forest open for writing.
    #[error("the forest in {} is being changed by {holder}; try again when that is done", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
        /// Who has it, as far as is known.
        holder: String,
    },
    /// A newer version wrote it.
    #[error("the forest in {} has format {found}; this version knows formats up to {supported}", folder.display())]
    FormatTooNew {
        /// The folder.
        folder: PathBuf,
        /// Its format.
        found: u32,
        /// The newest we know.
        supported: u32,
    },
    /// The system refused to read.
    #[error("could not read {}", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refused to write; what was there before is untouched.
    #[error("could not write {}", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A store that keeps forests its own way has failed.
    #[error("the forest's database could not be used")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A store that was opened for reading only.
    #[error("the forest was opened for reading only")]
    ReadOnly,
}

/// The result of a forest operation.
pub type Result<T, E = ForestError> = std::result::Result<T, E>;
