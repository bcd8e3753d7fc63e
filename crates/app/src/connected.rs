//! What hangs together: the nodes around one, and windows of the graph to be drawn.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pi_brain_brain::{Edge, EdgeType, NodeId, NodeRef, layout};
use pi_brain_store::{NodeFilter, NodeRow, StoreError};
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

/// Which part of the graph.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// Which nodes.
    pub filter: NodeFilter,
    /// The node in the middle, and how many links around it are shown.
    pub focus: Option<(NodeId, u32)>,
    /// How many nodes at most.
    pub limit: usize,
}

/// A part of the graph, with a place for each node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Drawn {
    /// The nodes.
    pub nodes: Vec<DrawnNode>,
    /// The links between them.
    pub edges: Vec<Edge>,
    /// How many nodes there are in all that fit.
    pub total: usize,
}

/// A node, and where it stands. Linked nodes are about 1 apart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrawnNode {
    /// The node.
    pub node: NodeRow,
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
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

    /// Draws a part of the graph: the newest nodes that fit, or those around one.
    pub fn draw(&self, window: &Window) -> Result<Drawn> {
        let (nodes, edges, total) = match window.focus {
            None => {
                let (graph, total) = self.store.graph(&window.filter, window.limit)?;
                (graph.nodes, graph.edges, total)
            }
            Some((focus, depth)) => {
                let around = self.connected(
                    focus,
                    depth,
                    Direction::Both,
                    &[],
                    window.limit.saturating_sub(1),
                )?;
                let middle = self.store.node_row(focus)?;
                let nodes = middle.into_iter().chain(around.nodes.into_iter().map(|one| one.node));
                let nodes: Vec<NodeRow> = nodes.collect();
                let total = nodes.len();
                (nodes, around.edges, total)
            }
        };
        let numbers: HashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let link = |edge: &Edge| {
            let ends = (numbers.get(&edge.source_node_id)?, numbers.get(&edge.target_node_id)?);
            Some((*ends.0, *ends.1, edge.metadata.similarity.unwrap_or(1.0)))
        };
        let links: Vec<(usize, usize, f64)> = edges.iter().filter_map(link).collect();
        let points = layout(nodes.len(), &links);
        let nodes = nodes.into_iter().zip(points);
        let nodes = nodes.map(|(node, point)| DrawnNode { node, x: point.x, y: point.y });
        Ok(Drawn { nodes: nodes.collect(), edges, total })
    }

    fn require_node(&self, id: NodeId) -> Result<NodeRow> {
        let missing = StoreError::NodeNotFound(NodeRef { id, version: None });
        Ok(self.store.node_row(id)?.ok_or(missing)?)
    }

    fn visible_node(&self, id: NodeId) -> Result<Option<NodeRow>> {
        Ok(if self.store.is_hidden(id)? { None } else { self.store.node_row(id)? })
    }
}
