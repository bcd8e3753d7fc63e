//! Conversations as trees in which each message stands once.
//!
//! A [`Forest`] is kept in a [`Store`]: in memory ([`MemoryStore`]) or in a folder ([`FileSystemStore`]). Messages are
//! compared by content ([`ContentKey`]), so what two conversations share is shared in the tree. Every operation
//! plans, checks, and then makes one commit of [`Change`]s.
//!
//! pi sessions are read ([`Reading`]) and imported into families: sessions that belong together share a tree, and every
//! line of every file is known by the message that it says. From there come the honest cost ([`FamilyCost`]), the
//! context that pi would build, and session files again.
//!
//! It knows nothing of databases, of the terminal, or of the clock.

mod ids;
mod message;
mod key;
mod node;
mod sessions;
mod store;
mod forest;
mod title;
mod outline;
mod context;
mod ops;
mod check;
mod pi;
mod error;

pub use check::{Finding, Repaired, Trouble};
pub use context::ModelContext;
pub use error::{ForestError, Result};
pub use forest::{Diff, Forest, NodeStructure};
pub use ids::{BadId, NodeId, Place, RootId};
pub use key::ContentKey;
pub use message::{Block, InvalidMessage, Message, Object, Role, ToolUse};
pub use node::{
    Bookmark, Content, Metadata, ModelSource, Node, Order, Removal, Repeat, Revision, Root,
    SourceInfo,
};
pub use ops::{Appended, Deleted, Deletion, Edited, Following, Matching, NewMessage, Restored};
pub use outline::{Counts, Outline};
pub use pi::{
    ExportOptions, ExportedSession, FamilyCost, FamilyEvents, ImportReport, ImportedSession, News,
    Reading, SessionReader, find_relatives,
};
pub use sessions::{
    EntryKind, EntryRecord, EventId, LabelRecord, SessionKin, SessionNo, SessionRecord, SessionText,
};
pub use store::{
    Change, FileSystemStore, MemoryStore, Mismatch, PackedText, SessionChange, Store, Which,
};
pub use title::auto_title;
