//! What can go wrong.

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, BrainError>;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum BrainError {
    /// The text is no node.
    #[error("this is not a node")]
    BadNode(#[source] serde_json::Error),
    /// The node was written by a later version of this program.
    #[error(
        "the node's format {found} is newer than {supported}, the newest this build knows; update pi-brain"
    )]
    NodeTooNew {
        /// The node's.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// A correction is for a place that does not exist or cannot be corrected.
    #[error("{path:?} cannot be corrected: {reason}")]
    FeedbackPath {
        /// The place.
        path: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
    /// A correction is of the wrong kind for its place.
    #[error("{value} does not fit at {path:?}: {reason}")]
    FeedbackValue {
        /// The place.
        path: String,
        /// The value, as JSON, shortened.
        value: String,
        /// What is wrong with it, and what would be right.
        reason: String,
    },
}
