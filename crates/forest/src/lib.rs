//! Conversations as trees in which each message stands once.

mod ids;
mod message;
mod key;
mod node;
mod sessions;
mod store;
mod forest;
mod title;
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
pub use pi::{
    ExportOptions, ExportedSession, FamilyCost, ImportReport, ImportedSession, News, Reading,
    SessionReader, find_relatives,
};
pub use sessions::{
    EntryKind, EntryRecord, EventId, LabelRecord, SessionNo, SessionRecord, SessionText,
};
pub use store::{
    Change, FileSystemStore, MemoryStore, Mismatch, PackedText, SessionChange, Store, Which,
};
pub use title::auto_title;
