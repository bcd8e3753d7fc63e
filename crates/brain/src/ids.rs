//! Names of nodes. They are derived from what the session files say, so that every reading gives the same ones.

use std::fmt;
use std::str::FromStr;

use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Identifies a unit of work; written as 16 hex digits.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{16}$"))]
pub struct NodeId(u64);

impl NodeId {
    /// Names the unit of work that an entry opens.
    ///
    /// Copies of an entry keep its id and its time, so the name is the same in whichever file it is read.
    pub fn of_entry(id: &str, time: Millis) -> Self {
        Self::digest(&format!("{id} {time}"))
    }

    /// Names the unit of work that a line opens, where entries have no ids of their own.
    pub fn of_line(session: &str, line: u32) -> Self {
        Self::digest(&format!("{session} {line}"))
    }

    /// Takes the number of an id that was kept.
    pub fn from_u64(number: u64) -> Self {
        Self(number)
    }

    /// Returns the id as a number.
    pub fn as_u64(self) -> u64 {
        self.0
    }

    fn digest(text: &str) -> Self {
        let digest = Sha256::digest(text);
        Self(digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

/// A node as it is now, or one version of it; written `{id}` or `{id}-v{version}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeRef {
    /// The node.
    pub id: NodeId,
    /// The version, counted from 1; without one the current version is meant.
    pub version: Option<u32>,
}

/// Identifies a link between two nodes; written as a UUID.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("format" = "uuid"))]
pub struct EdgeId(Uuid);

impl EdgeId {
    /// Names the link of a kind between two nodes: one that is found again is the same one.
    pub(crate) fn new(source: NodeId, target: NodeId, kind: &str) -> Self {
        const NAMESPACE: Uuid = Uuid::from_u128(0x8f0c_1d5e_6a7b_4c39_9d21_5b3e_70a4_c682);
        Self(Uuid::new_v5(&NAMESPACE, format!("{source} {target} {kind}").as_bytes()))
    }
}

/// A text that names no node or edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no node; a node is written with 16 hex digits, a version of it with -v1 behind them"
)]
pub struct BadId(pub String);

impl FromStr for NodeId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let number = || u64::from_str_radix(text, 16).ok();
        let known_form = text.len() == 16 && text.bytes().all(is_digit);
        let number = if known_form { number() } else { None };
        number.map(Self).ok_or_else(|| BadId(text.to_owned()))
    }
}

impl FromStr for NodeRef {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let Some((id, digits)) = text.split_once("-v") else {
            return Ok(Self { id: text.parse()?, version: None });
        };
        // Only the spelling that `Display` gives: a version has one name.
        let number: Option<u32> = digits.parse().ok();
        let version = number.filter(|&number| number > 0 && number.to_string() == digits);
        match (id.parse(), version) {
            (Ok(id), Some(version)) => Ok(Self { id, version: Some(version) }),
            _ => Err(BadId(text.to_owned())),
        }
    }
}

impl FromStr for EdgeId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        text.parse().map(Self).map_err(|_| BadId(text.to_owned()))
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl fmt::Display for NodeRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(formatter, "{}-v{version}", self.id),
            None => self.id.fmt(formatter),
        }
    }
}

impl fmt::Display for EdgeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

macro_rules! as_text {
    ($($id:ty),*) => {$(
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
    )*};
}

as_text!(NodeId, NodeRef, EdgeId);
