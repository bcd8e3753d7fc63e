//! Sessions as programs are shown them, whoever asks: typed, so that every surface says the same.

mod branches;
mod family;
mod forest;
mod tree;

pub use branches::{BranchView, branch_views};
pub use family::{Family, FamilyMessage, FamilySession, Occurrence};
pub use forest::{
    BookmarkKind, BookmarkView, CostView, ImportNews, ImportView, ImportedTree, ImportedView,
    JoinedView, MessageView, Restorable, RootView, TreeSummary,
};
pub use tree::{SessionTree, TreeEntry, TreeFilter};
