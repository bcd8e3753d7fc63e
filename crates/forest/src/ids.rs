//! Names of roots and messages. Numbers count up within their scope and are never given twice.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Identifies a tree of the forest; written `root-3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct RootId(pub(crate) u32);

/// Identifies a message; carries its tree and is written `root-3/node-14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeId {
    pub(crate) root: RootId,
    pub(crate) number: u32,
}

impl RootId {
    /// Makes the name of a tree from its number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the tree's number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl NodeId {
    /// Makes the name of a message from its number within a tree.
    pub fn new(root: RootId, number: u32) -> Self {
        Self { root, number }
    }

    /// Returns the message's number within its tree.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Returns the tree that the message belongs to.
    pub fn root(self) -> RootId {
        self.root
    }
}

/// Where a message can follow: the root of a tree, or another message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Place {
    /// The beginning of a tree.
    Root(RootId),
    /// After a message.
    Node(NodeId),
}

impl Place {
    /// Returns the tree that the place lies in.
    pub fn root(self) -> RootId {
        match self {
            Self::Root(root) => root,
            Self::Node(node) => node.root,
        }
    }

    /// Returns the message, unless the place is a root.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Root(_) => None,
            Self::Node(node) => Some(node),
        }
    }
}

impl From<RootId> for Place {
    fn from(root: RootId) -> Self {
        Self::Root(root)
    }
}

impl From<NodeId> for Place {
    fn from(node: NodeId) -> Self {
        Self::Node(node)
    }
}

/// A text that names no root and no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no id; a root is written root-1, a message root-1/node-2")]
pub struct BadId(pub String);

impl FromStr for RootId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        number(text, "root-").map(Self).ok_or_else(|| BadId(text.to_owned()))
    }
}

impl FromStr for NodeId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let parse = || {
            let (root, node) = text.split_once('/')?;
            Some(Self { root: root.parse().ok()?, number: number(node, "node-")? })
        };
        parse().ok_or_else(|| BadId(text.to_owned()))
    }
}

impl FromStr for Place {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        if text.contains('/') { text.parse().map(Self::Node) } else { text.parse().map(Self::Root) }
    }
}

/// Reads the number behind `prefix`, in the one spelling that `Display` gives it.
fn number(text: &str, prefix: &str) -> Option<u32> {
    let digits = text.strip_prefix(prefix)?;
    let number: u32 = digits.parse().ok()?;
    (number > 0 && number.to_string() == digits).then_some(number)
}

impl fmt::Display for RootId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "root-{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/node-{}", self.root, self.number)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(root) => root.fmt(formatter),
            Self::Node(node) => node.fmt(formatter),
        }
    }
}

macro_rules! as_text {
    ($($id:ty: $pattern:literal),*) => {$(
        impl TryFrom<String> for $id {
            type Error = BadId;

            fn try_from(text: String) -> Result<Self, BadId> {
                text.parse()
            }
        }

        impl From<$id> for String {
            fn from(id: $id) -> Self {
                id.to_string()
            }
        }

        impl JsonSchema for $id {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($id).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    )*};
}

as_text!(
    RootId: "^root-[1-9][0-9]*$",
    NodeId: "^root-[1-9][0-9]*/node-[1-9][0-9]*$",
    Place: "^root-[1-9][0-9]*(/node-[1-9][0-9]*)?$"
);
