//! What the forest keeps: roots, messages with their places and notes, bookmarks.

use std::sync::Arc;

use pi_brain_session::Millis;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::{Message, Object, Role};
use crate::sessions::SessionNo;

/// The beginning of a tree: no message, never changed. Another prompt is another root.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Root {
    /// Its name.
    pub id: RootId,
    /// When it was made.
    pub created: Millis,
    /// The system prompt; an empty one is not the same as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The oldest session of the family that lives here; trees made by hand have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// When it was deleted; everything in it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Millis>,
    /// The root that its family was joined with, when it turned out to be the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<RootId>,
}

/// A message's place in a tree, and everything known about it but the message itself.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Node {
    /// Its name.
    pub id: NodeId,
    /// What it follows.
    pub parent: Place,
    /// Where it stands among its siblings.
    pub order: Order,
    /// What it says, as a digest.
    pub key: ContentKey,
    /// Who speaks.
    pub role: Role,
    /// What has been noted about it.
    #[serde(default)]
    pub metadata: Metadata,
    /// Why it cannot be seen, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removal: Option<Removal>,
}

impl Node {
    /// Returns whether it takes part in the tree.
    pub fn is_visible(&self) -> bool {
        self.removal.is_none()
    }
}

/// A place among siblings. Whoever takes another's place starts with the other's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub struct Order(SmallVec<[i64; 2]>);

impl Order {
    pub(crate) fn new(parts: &[i64]) -> Self {
        Self(SmallVec::from_slice(parts))
    }

    /// Returns the place among siblings in a family. It depends on time and content alone, so that the order of
    /// imports does not show. What has no time stands last.
    pub fn in_family(created: Option<Millis>, key: ContentKey) -> Self {
        Self::new(&[created.map_or(i64::MAX, |time| time.0), key.rank()])
    }

    /// Returns the place that `self`, a child, has after it took the place of its parent `taken`.
    pub(crate) fn within(&self, taken: &Self) -> Self {
        Self(taken.0.iter().chain(&self.0).copied().collect())
    }

    /// Returns the place that `self` had before it took the place of its parent `taken`.
    pub(crate) fn outside(&self, taken: &Self) -> Self {
        Self(self.0.strip_prefix(&*taken.0).unwrap_or(&self.0).into())
    }
}

/// Why a message cannot be seen. Nothing that was said is ever thrown away.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// Somebody deleted it.
    Deleted {
        /// When.
        at: Millis,
    },
    /// It went with a message before it.
    With(NodeId),
    /// An equal sibling took its children; that one stands for both.
    Merged(NodeId),
}

/// What is noted about a message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Metadata {
    /// When it was made; for pi's messages, the earliest time that any session gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Millis>,
    /// When its text was last changed in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Millis>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceInfo>,
    /// A title given by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A title made by a machine; it counts only for a leaf without a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_title: Option<String>,
    /// Words to find it by, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub custom_data: Object,
    /// The message that this one was cut off from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_source: Option<NodeId>,
    /// Whether that cut went through a block of text, and not between two.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub split_within: bool,
    /// Further times that the same was said in the same place, with who said it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
    /// What it said before it was edited in place, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Revision>,
}

impl Metadata {
    /// Takes in what is noted about an equal message, for which this one stands from now on.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.title = self.title.take().or_else(|| other.title.clone());
        self.auto_title = self.auto_title.take().or_else(|| other.auto_title.clone());
        for tag in &other.tags {
            if !self.tags.contains(tag) {
                self.tags.push(tag.clone());
            }
        }
        for (key, value) in &other.custom_data {
            self.custom_data.entry(key).or_insert_with(|| value.clone());
        }
        let said = other.created.zip(other.source.clone());
        self.repeats.extend(said.map(|(at, source)| Repeat { at, source }));
        self.repeats.extend(other.repeats.iter().cloned());
        self.history.extend(other.history.iter().cloned());
    }
}

/// Where a message comes from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SourceInfo {
    /// A model wrote it.
    Model(ModelSource),
    /// A person wrote it.
    User,
    /// A tool wrote it.
    ToolResult {
        /// The tool.
        tool_name: String,
    },
    /// Anything else, kept as it is.
    #[serde(untagged)]
    Other(Object),
}

/// Which model wrote a message, and how.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ModelSource {
    /// Who runs the model.
    pub provider: String,
    /// The model.
    pub model_name: String,
    /// Tokens and cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<serde_json::Value>,
    /// Parameters, tools, finish reason and whatever else is known.
    #[serde(flatten)]
    pub more: Object,
}

/// Another time that a message was written in the place where it stood already.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Repeat {
    /// When.
    pub at: Millis,
    /// By whom.
    pub source: SourceInfo,
}

/// What a message said before it was edited.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Revision {
    /// When it was edited.
    pub at: Millis,
    /// The message before that.
    pub message: Arc<Message>,
    /// Where that one came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceInfo>,
}

/// Where the text of a message is.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Here.
    Inline(Arc<Message>),
    /// In a session, which may have it on several lines; this is one of them.
    Imported {
        /// The session.
        session: SessionNo,
        /// The position among its entries.
        entry: u32,
    },
}

/// A name for a message, given by a person. A name stands for one message; a message may have several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Bookmark {
    /// The name.
    pub title: String,
    /// The message.
    pub node: NodeId,
    /// When it was made.
    pub created: Millis,
    /// When it was last renamed or moved.
    pub updated: Millis,
}
