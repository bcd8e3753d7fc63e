//! What pi-brain keeps: the database, node files and the journal. The only crate that speaks SQL.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`DataFolder`] | where everything is, and who may write |
//! | [`Store`] | the door to the rest |
//! | [`FamilyStore`] | the forest of sessions, as the forest's engine sees it |
//! | [`JournalLine`] | what the user did and what models cost: truth |
//!
//! Node files and the journal are truth; the database can be made anew from them and from the session files. It
//! knows nothing of the terminal, of HTTP, or of the clock.

mod error;
mod pack;
mod folder;
mod database;
mod families;
mod files;
mod session_list;
mod map;
mod node_files;
mod derived;
mod edges;
mod links;
mod journal;
mod jobs;
mod model_use;
mod store;
mod actions;
mod forgetting;
mod lists;
mod details;

pub use database::Database;
pub use derived::{
    FamilyState, FamilyUpdate, IndexChange, KnownNode, KnownSegment, Member, NewVersion, Pending,
    QUARTER, SegmentRow, Spending,
};
pub use details::{FlagRow, SegmentDetails, VersionRow};
pub use error::{Result, StoreError};
pub use families::FamilyStore;
pub use files::{FileUpdate, KnownFile, SessionFile, SessionUpdate, Stamp};
pub use folder::{DataFolder, WriterLock, put_file, write_private};
pub use jobs::{
    Caps, Job, JobKind, JobRow, Left, LostLease, Priority, QueueCounts, Reserved, Undone, Wish,
};
pub use journal::{Action, JournalLine, ModelSpend, Purpose, SpendOutcome};
pub use lists::{
    DecisionRow, ErrorGroup, FileTouch, FileWanted, Graph, ModelSpending, NodeFilter, NodeRow,
    Numbers, Order, ProjectRow, QuirkRow, SessionSpending, SpendingFilter, Spent, SpentOn, TagRow,
    Tally, WorkSpan,
};
pub use map::{Citation, FamilyMap};
pub use model_use::OwnUse;
pub use session_list::{SessionDigest, SessionRow};
pub use store::Store;
