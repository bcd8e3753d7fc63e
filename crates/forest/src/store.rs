//! Where a forest is kept: one small trait, and the two stores of this crate.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::Message;
use crate::node::{Bookmark, Content, Node, Root};
use crate::sessions::{EventId, SessionKin, SessionNo, SessionRecord, SessionText};

mod memory;
mod files;

pub use files::{FileSystemStore, Mismatch, PackedText};
pub use memory::MemoryStore;

/// Keeps a forest. Reads see the last commit; a commit happens as a whole or not at all.
///
/// A store knows nothing of what the changes mean: the engine checks everything before it commits. Order
/// among siblings is by [`Node::order`], then by id.
pub trait Store {
    /// Returns all roots, deleted ones too, in the order of their ids.
    fn roots(&self) -> Result<Vec<Arc<Root>>>;

    /// Returns a root.
    fn root(&self, id: RootId) -> Result<Option<Arc<Root>>>;

    /// Returns a message's place and notes, visible or not.
    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>>;

    /// Returns all messages of a tree, in the order of their ids, visible or not.
    fn nodes(&self, root: RootId) -> Result<Vec<Arc<Node>>>;

    /// Returns what a message says.
    fn message(&self, id: NodeId) -> Result<Arc<Message>>;

    /// Returns where the text of a message is.
    fn content(&self, id: NodeId) -> Result<Option<Content>>;

    /// Returns what follows a place, in order.
    fn children(&self, of: Place, which: Which) -> Result<Vec<Arc<Node>>>;

    /// Finds the children that say something, for many places at once.
    ///
    /// Of several equal ones a visible one is preferred, then the lowest id. Merged ones are never found.
    fn find_children(
        &self,
        wanted: &[(Place, ContentKey)],
        which: Which,
    ) -> Result<Vec<Option<NodeId>>>;

    /// Returns the first number that no root ever had.
    fn next_root(&self) -> Result<u32>;

    /// Returns the first number that no message of a tree ever had.
    fn next_node(&self, root: RootId) -> Result<u32>;

    /// Returns all bookmarks by title.
    fn bookmarks(&self) -> Result<Vec<Bookmark>>;

    /// Returns where the user is.
    fn current(&self) -> Result<Option<Place>>;

    /// Returns the imported sessions, in the order of their numbers.
    fn sessions(&self) -> Result<Vec<Arc<SessionRecord>>>;

    /// Returns what relates the imported sessions, in the order of their numbers.
    fn kin(&self) -> Result<Vec<SessionKin>> {
        Ok(self.sessions()?.iter().map(|record| SessionKin::from(&**record)).collect())
    }

    /// Returns the sessions that live in a tree, in the order of their numbers.
    fn members(&self, root: RootId) -> Result<Vec<Arc<SessionRecord>>> {
        let mut sessions = self.sessions()?;
        sessions.retain(|record| record.root == root);
        Ok(sessions)
    }

    /// Returns an imported session.
    fn session(&self, no: SessionNo) -> Result<Option<Arc<SessionRecord>>>;

    /// Returns the first number that no session ever had.
    fn next_session(&self) -> Result<u32>;

    /// Returns the bytes of an imported session, or of a part of it.
    fn session_text(&self, session: SessionNo, range: std::ops::Range<u64>) -> Result<Vec<u8>>;

    /// Returns the lines that say what a message says: sessions, and positions among their entries.
    fn occurrences(&self, node: NodeId) -> Result<Vec<(SessionNo, u32)>>;

    /// Returns the sessions that tell of any of these events.
    fn sessions_with(&self, events: &[EventId]) -> Result<Vec<SessionNo>>;

    /// Makes the changes, in order.
    fn commit(&mut self, changes: Vec<Change>) -> Result<()>;
}

/// Which messages to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that take part in the tree.
    Visible,
    /// Deleted ones too.
    All,
}

/// One change of what a store keeps. Every change says what is there afterwards.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A root is made or noted upon.
    Root(Root),
    /// A message gets a place, moves, or is noted upon. The first change of a new message.
    Node(Node),
    /// A message says something.
    Content(NodeId, Content),
    /// A message is taken out for good, because no session has it any more.
    DropNode(NodeId),
    /// A bookmark is set.
    Bookmark(Bookmark),
    /// A bookmark is taken away.
    DropBookmark(String),
    /// The user goes somewhere.
    Current(Option<Place>),
    /// A session is imported, or what is new in it.
    Session(SessionChange),
    /// A session is forgotten.
    DropSession(SessionNo),
}

/// What changes about an imported session.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SessionChange {
    /// The session as it is now, with only its new entries.
    pub record: SessionRecord,
    /// How many of the entries known before stay.
    pub kept: usize,
    /// Where its bytes are; `None` if they are those known before. Never kept in a log: a store that lasts
    /// copies the bytes.
    #[serde(skip)]
    pub text: Option<SessionText>,
}
