//! What hangs together: the nodes around one.

use std::collections::{BTreeMap, BTreeSet};

use pi_brain_brain::{Edge, EdgeType, NodeId, NodeRef};
use pi_brain_store::{NodeRow, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::Result;

/// Which way links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From a node to what came of it.
    Outgoing,
    /// From a node to what it came from.
    Incoming,
    /// Both ways.
    #[default]
    Both,
}

/// The nodes around one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Connected {
    /// The node in the middle.
    pub root: NodeId,
    /// The others, the nearest first.
    pub nodes: Vec<Reached>,
    /// The links among all of them that were followed.
    pub edges: Vec<Edge>,
    /// Whether there are more nodes than were wanted.
    pub is_cut: bool,
}

/// A node, and how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Reached {
    /// The node.
    pub node: NodeRow,
    /// How many links away.
    pub distance: u32,
}

impl App {
    /// Finds the nodes around one, link by link.
    pub fn connected(
        &self,
        root: NodeId,
        depth: u32,
        direction: Direction,
        types: &[EdgeType],
        limit: usize,
    ) -> Result<Connected> {
        self.require_node(root)?;
        let mut seen = BTreeSet::from([root]);
        let mut edges: BTreeMap<String, Edge> = BTreeMap::new();
        let (mut nodes, mut is_cut) = (Vec::new(), false);
        let mut edge_of: Vec<NodeId> = vec![root];
        for distance in 1..=depth {
            let from: BTreeSet<NodeId> = edge_of.iter().copied().collect();
            let mut next = Vec::new();
            for edge in self.store.edges_around(&edge_of)? {
                let is_wanted = types.is_empty() || types.contains(&edge.kind);
                let (source, target) = (edge.source_node_id, edge.target_node_id);
                let goes_out = from.contains(&source) && direction != Direction::Incoming;
                let comes_in = from.contains(&target) && direction != Direction::Outgoing;
                if !is_wanted || !(goes_out || comes_in) {
                    continue;
                }
                let other = if goes_out { target } else { source };
                if !seen.contains(&other) {
                    if nodes.len() == limit {
                        is_cut = true;
                        continue;
                    }
                    let Some(node) = self.visible_node(other)? else { continue };
                    seen.insert(other);
                    nodes.push(Reached { node, distance });
                    next.push(other);
                }
                edges.insert(edge.id.to_string(), edge);
            }
            edge_of = next;
        }
        Ok(Connected { root, nodes, edges: edges.into_values().collect(), is_cut })
    }

    fn require_node(&self, id: NodeId) -> Result<NodeRow> {
        let missing = StoreError::NodeNotFound(NodeRef { id, version: None });
        Ok(self.store.node_row(id)?.ok_or(missing)?)
    }

    fn visible_node(&self, id: NodeId) -> Result<Option<NodeRow>> {
        Ok(if self.store.is_hidden(id)? { None } else { self.store.node_row(id)? })
    }
}
