//! What is kept of hundreds of thousands of things that nodes have, in few bytes for each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::analysis::examples::Hashed;

/// What stands for something that nodes can have in common: its kind and its text. In halves it takes a quarter less room
/// beside a [`Slot`] than as one number, which has to stand at a multiple of eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark([u32; 2]);

pub(super) type ByMark<T> = HashMap<Mark, T, BuildHasherDefault<Hashed>>;

impl Mark {
    #[expect(clippy::cast_possible_truncation, reason = "these are the halves")]
    pub(super) fn new(mark: u64) -> Self {
        Self([(mark >> 32) as u32, mark as u32])
    }
}

impl Hash for Mark {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [high, low] = self.0.map(u64::from);
        state.write_u64(high << 32 | low);
    }
}

/// Who has something.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holder {
    /// This node and no other.
    Node(u32),
    /// Those that are noted under the key of this number.
    Key(u32),
}

/// Who has something, in four bytes: the highest bit tells keys from nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot(u32);

impl Slot {
    const KEY: u32 = 1 << 31;

    pub(super) fn new(holder: Holder) -> Self {
        match holder {
            Holder::Node(node) => Self(node & !Self::KEY),
            Holder::Key(key) => Self(key | Self::KEY),
        }
    }

    pub(super) fn holder(self) -> Holder {
        if self.0 & Self::KEY == 0 {
            Holder::Node(self.0)
        } else {
            Holder::Key(self.0 & !Self::KEY)
        }
    }
}

/// Keys of nodes, those of one node after those of the node before.
#[derive(Debug, Default)]
pub(super) struct Rows {
    keys: Vec<u32>,
    begins: Vec<u32>,
}

impl Rows {
    /// Begins the row of the next node.
    pub(super) fn begin(&mut self) {
        self.begins.push(short(self.keys.len()));
    }

    /// Adds to the row of the latest node.
    pub(super) fn push(&mut self, key: u32) {
        self.keys.push(key);
    }

    pub(super) fn row(&self, node: usize) -> &[u32] {
        let end = self.begins.get(node + 1).map_or(self.keys.len(), |end| *end as usize);
        &self.keys[self.begins[node] as usize..end]
    }
}

/// Short texts, one after the other: there are hundreds of thousands, and each by itself takes twice as much room.
#[derive(Debug, Default)]
pub(super) struct Texts(String);

/// Where a text stands among others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    begin: u32,
    end: u32,
}

impl Texts {
    pub(super) fn add(&mut self, text: &str) -> Place {
        let begin = short(self.0.len());
        self.0.push_str(text);
        Place { begin, end: short(self.0.len()) }
    }

    pub(super) fn at(&self, place: Place) -> &str {
        self.0.get(place.begin as usize..place.end as usize).unwrap_or_default()
    }
}

/// Shortens a number of nodes, keys or bytes.
pub(super) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
