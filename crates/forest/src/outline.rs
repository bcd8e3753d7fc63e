//! The shape of a tree, numbered, for those who walk over it more than once.

use std::collections::HashMap;
use std::sync::Arc;

use pi_brain_session::Millis;

use crate::error::Result;
use crate::forest::Forest;
use crate::ids::{NodeId, Place};
use crate::node::Node;
use crate::store::Store;

/// What can be seen of a tree from a place on, numbered level by level.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The messages.
    pub nodes: Vec<Arc<Node>>,
    /// What follows each of them.
    pub children: Vec<Vec<usize>>,
    /// Those that follow nothing that can be seen from there.
    pub tops: Vec<usize>,
    /// What each of them follows.
    pub parents: Vec<Option<usize>>,
    numbers: HashMap<NodeId, usize>,
}

/// How large a tree is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many messages it has.
    pub messages: usize,
    /// How many of them nothing follows.
    pub leaves: usize,
    /// After how many places several messages follow.
    pub branch_points: usize,
}

impl Outline {
    /// Looks at everything that follows a place.
    pub fn new<S: Store>(forest: &Forest<S>, from: Place) -> Result<Self> {
        let nodes = forest.subtree(from, None)?;
        let numbers: HashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let mut outline = Self {
            children: vec![Vec::new(); nodes.len()],
            tops: Vec::new(),
            parents: Vec::with_capacity(nodes.len()),
            nodes,
            numbers,
        };
        for (at, node) in outline.nodes.iter().enumerate() {
            let parent =
                node.parent.node().and_then(|parent| outline.numbers.get(&parent)).copied();
            match parent {
                Some(parent) => outline.children[parent].push(at),
                None => outline.tops.push(at),
            }
            outline.parents.push(parent);
        }
        Ok(outline)
    }

    /// Returns the number of a message.
    pub fn find(&self, place: Place) -> Option<usize> {
        self.numbers.get(&place.node()?).copied()
    }

    /// Counts what is there.
    pub fn counts(&self) -> Counts {
        let branches = |children: &&Vec<usize>| children.len() > 1;
        Counts {
            messages: self.nodes.len(),
            leaves: self.children.iter().filter(|children| children.is_empty()).count(),
            branch_points: self.children.iter().filter(branches).count()
                + usize::from(self.tops.len() > 1),
        }
    }

    /// Returns when the last message was written.
    pub fn last(&self) -> Option<Millis> {
        self.nodes.iter().filter_map(|node| node.metadata.created).max()
    }

    /// Returns all messages in the order of reading: each branch to its end before the next.
    pub fn in_reading_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut open: Vec<usize> = self.tops.iter().rev().copied().collect();
        while let Some(at) = open.pop() {
            order.push(at);
            open.extend(self.children[at].iter().rev());
        }
        order
    }
}
