//! The graph, to be drawn: a place for each node, and names for what hangs together.

use std::collections::HashMap;

use pi_brain_brain::{Edge, EdgeType, Named, NodeId, find_clusters, layout, name_clusters};
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, NodeRow};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::connected::Direction;
use crate::error::Result;

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

/// A part of the graph. It says no more of each thing than a drawing needs: there may be ten thousand.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Drawn {
    /// The nodes, the oldest first.
    pub nodes: Vec<DrawnNode>,
    /// The links between them.
    pub edges: Vec<DrawnEdge>,
    /// What hangs together more closely than with the rest, the largest first.
    pub clusters: Vec<DrawnCluster>,
    /// How many nodes there are in all that fit.
    pub total: usize,
}

/// A node, and where it stands. Linked nodes are about 1 apart.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrawnNode {
    /// Its name.
    pub id: NodeId,
    /// The working directory.
    pub project: String,
    /// The kind of work.
    #[serde(rename = "type")]
    pub node_type: String,
    /// How it ended.
    pub outcome: String,
    /// How what was done begins.
    pub summary: String,
    /// When the work began.
    pub started: Millis,
    /// How long it took.
    pub minutes: f64,
    /// Dollars.
    pub cost: f64,
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// A link; its ends are places in the list of nodes, counted from 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrawnEdge {
    /// What came first.
    pub source: usize,
    /// What it leads to.
    pub target: usize,
    /// How they belong together.
    #[serde(rename = "type")]
    pub kind: EdgeType,
}

/// Nodes that hang together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrawnCluster {
    /// What they share.
    pub name: String,
    /// The middle, to the right.
    pub x: f64,
    /// The middle, down.
    pub y: f64,
    /// Its nodes: places in the list of nodes, counted from 0.
    pub members: Vec<usize>,
}

/// Fewer nodes are no cluster that needs a name.
const FEWEST_MEMBERS: usize = 3;

/// So many characters of what was done are told.
const LONGEST: usize = 140;

impl App {
    /// Draws a part of the graph: the newest nodes that fit, or those around one.
    pub fn draw(&self, window: &Window) -> Result<Drawn> {
        let (mut nodes, edges, total) = self.part(window)?;
        // From the oldest on, so that what comes later does not move what was there.
        nodes.sort_by_key(|node| (node.started, node.id));
        let numbers: HashMap<NodeId, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let link = |edge: &Edge| {
            let ends = (numbers.get(&edge.source_node_id)?, numbers.get(&edge.target_node_id)?);
            Some((*ends.0, *ends.1, edge.metadata.similarity.unwrap_or(1.0)))
        };
        let links: Vec<(usize, usize, f64)> = edges.iter().filter_map(link).collect();
        let projects: Vec<&str> = nodes.iter().map(|node| &*node.project).collect();
        let points = layout(&numbered(&projects), &links);
        // Projects stand apart from each other, and so does what hangs together in them.
        let is_near = |(one, other, _): &&(usize, usize, f64)| projects[*one] == projects[*other];
        let near: Vec<(usize, usize, f64)> = links.iter().filter(is_near).copied().collect();
        let groups = find_clusters(&projects, &near);
        let mut drawn = Drawn {
            clusters: Vec::new(),
            edges: edges
                .iter()
                .filter_map(|edge| {
                    let (source, target, _) = link(edge)?;
                    Some(DrawnEdge { source, target, kind: edge.kind })
                })
                .collect(),
            nodes: nodes
                .iter()
                .zip(points)
                .map(|(node, point)| DrawnNode::new(node, rounded(point.x), rounded(point.y)))
                .collect(),
            total,
        };
        drawn.clusters = self.named(&nodes, &groups, &drawn.nodes)?;
        Ok(drawn)
    }

    /// Returns the nodes and links of a part, and how many nodes there are in all that fit.
    fn part(&self, window: &Window) -> Result<(Vec<NodeRow>, Vec<Edge>, usize)> {
        let Some((focus, depth)) = window.focus else {
            let (graph, total) = self.store.graph(&window.filter, window.limit)?;
            return Ok((graph.nodes, graph.edges, total));
        };
        let others = window.limit.saturating_sub(1);
        let around = self.connected(focus, depth, Direction::Both, &[], others)?;
        let middle = self.store.node_row(focus)?;
        let nodes = middle.into_iter().chain(around.nodes.into_iter().map(|one| one.node));
        let nodes: Vec<NodeRow> = nodes.collect();
        let total = nodes.len();
        Ok((nodes, around.edges, total))
    }

    /// Names the groups that are large enough.
    fn named(
        &self,
        nodes: &[NodeRow],
        groups: &[usize],
        places: &[DrawnNode],
    ) -> Result<Vec<DrawnCluster>> {
        let mut members: Vec<Vec<usize>> =
            vec![Vec::new(); groups.iter().max().map_or(0, |most| most + 1)];
        for (at, group) in groups.iter().enumerate() {
            members[*group].push(at);
        }
        members.retain(|members| members.len() >= FEWEST_MEMBERS);
        // Stable: of equally large ones, the oldest first.
        members.sort_by_key(|members| std::cmp::Reverse(members.len()));
        let mut tags: HashMap<NodeId, Vec<String>> = HashMap::new();
        for (node, tag) in self.store.tags_by_node()? {
            tags.entry(node).or_default().push(tag);
        }
        let facts: Vec<Named> = nodes
            .iter()
            .map(|node| Named {
                project: node.project.clone(),
                text: format!("{} {}", node.goal.as_deref().unwrap_or_default(), node.summary),
                tags: tags.remove(&node.id).unwrap_or_default(),
            })
            .collect();
        let names = name_clusters(&facts, &members);
        let cluster = |(name, members): (String, Vec<usize>)| {
            let (x, y) = members
                .iter()
                .fold((0.0, 0.0), |(x, y), &member| (x + places[member].x, y + places[member].y));
            #[expect(clippy::cast_precision_loss, reason = "there are not so many nodes")]
            let size = members.len() as f64;
            DrawnCluster { name, x: rounded(x / size), y: rounded(y / size), members }
        };
        Ok(names.into_iter().zip(members).map(cluster).collect())
    }
}

impl DrawnNode {
    fn new(node: &NodeRow, x: f64, y: f64) -> Self {
        let summary = match node.summary.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", node.summary[..end].trim_end()),
            None => node.summary.clone(),
        };
        Self {
            id: node.id,
            project: node.project.clone(),
            node_type: node.node_type.clone(),
            outcome: node.outcome.clone(),
            summary,
            started: node.started,
            minutes: rounded(node.minutes),
            cost: node.cost,
            x,
            y,
        }
    }
}

/// Numbers projects by their first nodes.
fn numbered(projects: &[&str]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut groups = Vec::with_capacity(projects.len());
    for &project in projects {
        let next = numbers.len();
        groups.push(*numbers.entry(project).or_insert(next));
    }
    groups
}

/// Rounds to two places: nobody sees more, and it is much to send.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
