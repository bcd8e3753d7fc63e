//! What changes a forest. Each operation plans first: it looks, checks, and collects changes; then it commits
//! them all at once. So a failed operation has changed nothing.

mod plan;
mod append;
mod split;
mod edit;
mod delete;
mod notes;

pub use append::{Appended, Matching, NewMessage};
pub use delete::{Deleted, Deletion, Restored};
pub use edit::{Edited, Following};
pub(crate) use plan::Plan;
