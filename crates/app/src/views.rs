//! Sessions as programs are shown them, whoever asks: typed, so that every surface says the same.

mod bookmarks;
mod branches;
mod family;
mod forest;
mod imports;
mod sides;
mod tree;

pub use bookmarks::{BookmarkKind, BookmarkView};
pub use branches::{BranchView, branch_views};
pub use family::{Family, FamilyMessage, FamilySession, Occurrence};
pub use forest::{MessageGist, MessageView, Restorable, RootView, TreeSummary};
pub use imports::{CostView, ImportNews, ImportView, ImportedTree, ImportedView, JoinedView};
pub use sides::SideFacts;
pub use tree::{SessionTree, TreeEntry, TreeFilter};
