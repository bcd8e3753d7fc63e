//! Links between nodes.

use std::collections::HashSet;
use std::path::Path;

use pi_brain_session::{Millis, id_in_file_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::boundary::BoundaryKind;
use crate::family::{Cut, FamilyFile};
use crate::ids::{EdgeId, NodeId};
use crate::segment::{Place, Segment};

/// A link between two nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// Follows from the nodes and the type, so that a link that is found again is the same one.
    pub id: EdgeId,
    /// The node that the edge starts from: what came first.
    pub source_node_id: NodeId,
    /// The node that it leads to.
    pub target_node_id: NodeId,
    /// How the nodes belong together.
    #[serde(rename = "type")]
    pub kind: EdgeType,
    /// More about it, by type.
    pub metadata: EdgeMetadata,
    /// For an edge from a boundary, when that was.
    pub created_at: Millis,
    /// Who found it.
    pub created_by: EdgeCreator,
    /// What is known beyond the plain form of an edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext: Option<EdgeExt>,
}

impl Edge {
    /// Links two nodes.
    pub fn new(
        source: NodeId,
        target: NodeId,
        kind: EdgeType,
        created_at: Millis,
        created_by: EdgeCreator,
    ) -> Self {
        Self {
            id: EdgeId::new(source, target, kind.as_str()),
            source_node_id: source,
            target_node_id: target,
            kind,
            metadata: EdgeMetadata::default(),
            created_at,
            created_by,
            ext: None,
        }
    }
}

/// How two nodes belong together.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EdgeType {
    /// The session was forked.
    Fork,
    /// The user went elsewhere in the tree, with a summary.
    Branch,
    /// The user went elsewhere in the tree.
    TreeJump,
    /// The work went on after a while.
    Resume,
    /// The work went on with a summary of what came before.
    Compaction,
    /// The work went on.
    Continuation,
    /// The same topic.
    Semantic,
    /// One speaks of the other.
    Reference,
    /// A lesson of one was put to use in the other.
    LessonApplication,
    /// The same thing went wrong.
    FailurePattern,
    /// The same project.
    ProjectRelated,
    /// The same technique.
    TechniqueShared,
}

impl EdgeType {
    /// Returns the name that stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Branch => "branch",
            Self::TreeJump => "tree_jump",
            Self::Resume => "resume",
            Self::Compaction => "compaction",
            Self::Continuation => "continuation",
            Self::Semantic => "semantic",
            Self::Reference => "reference",
            Self::LessonApplication => "lesson_application",
            Self::FailurePattern => "failure_pattern",
            Self::ProjectRelated => "project_related",
            Self::TechniqueShared => "technique_shared",
        }
    }
}

/// More about an edge, by type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EdgeMetadata {
    /// Of a branch, how the summary of what was left begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Box<str>>,
    /// Of a resume, how long nothing happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_minutes: Option<f64>,
    /// Of a semantic edge, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Of a lesson application, the lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson_id: Option<Box<str>>,
    /// Of a failure pattern, the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_id: Option<Box<str>>,
    /// Of a fork, the id of the session that was forked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<Box<str>>,
    /// Of a fork, the id of the new session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_session: Option<Box<str>>,
}

/// Who found an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeCreator {
    /// It follows from the session files.
    Boundary,
    /// It was found by comparing nodes.
    Daemon,
    /// A person drew it.
    User,
}

/// What is known beyond the plain form of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct EdgeExt {
    /// Why the nodes are linked, in words.
    pub reason: Box<str>,
}

/// Finds the edges that follow from how a family was cut.
///
/// `files` are those that were cut, and `node_of` says which node was made of a segment. An edge that would start in
/// a segment without node starts in the nearest one before.
pub fn structural_edges(
    cut: &Cut,
    files: &[FamilyFile<'_>],
    node_of: impl Fn(usize) -> Option<NodeId>,
) -> Vec<Edge> {
    // What a segment follows was opened before it, so the nearest node there is known by then.
    let mut nearest: Vec<Option<NodeId>> = Vec::with_capacity(cut.segments.len());
    let mut edges = Vec::new();
    for (number, segment) in cut.segments.iter().enumerate() {
        let node_at = |place: Option<Place>, nearest: &[Option<NodeId>]| {
            nearest.get(cut.segment_at(place?)).copied().flatten()
        };
        let node = node_of(number);
        let followed = node_at(segment.follows, &nearest);
        if let Some(target) = node {
            let left = node_at(segment.left, &nearest).filter(|&left| left != target);
            let followed = followed.filter(|&node| node != target && Some(node) != left);
            let created_at = opened_at(segment, files);
            let edge =
                |source, kind| Edge::new(source, target, kind, created_at, EdgeCreator::Boundary);
            if let (Some(left), Some(boundary)) = (left, segment.boundaries.first()) {
                let (kind, metadata) = described(&boundary.kind, segment, files);
                edges.push(Edge { metadata, ..edge(left, kind) });
            }
            edges.extend(followed.map(|followed| edge(followed, EdgeType::Continuation)));
        }
        nearest.push(node.or(followed));
    }
    let mut known = HashSet::new();
    edges.retain(|edge| known.insert(edge.id));
    edges
}

/// Returns when a segment was opened, or else when its session was.
fn opened_at(segment: &Segment, files: &[FamilyFile<'_>]) -> Millis {
    let boundary = segment.boundaries.first().and_then(|boundary| boundary.timestamp);
    let session = || files[segment.file].outline.session.created;
    boundary.or(segment.start_timestamp).or_else(session).unwrap_or(Millis(0))
}

fn described(
    boundary: &BoundaryKind,
    segment: &Segment,
    files: &[FamilyFile<'_>],
) -> (EdgeType, EdgeMetadata) {
    let mut metadata = EdgeMetadata::default();
    let kind = match boundary {
        BoundaryKind::Fork { parent_session } => {
            let session = |file: usize| &*files[file].outline.session.id;
            let place = segment.left.filter(|left| left.file != segment.file);
            let named = || parent_session.as_deref().map(|path| id_or_path(path).into());
            metadata.parent_session = place.map(|place| session(place.file).into()).or_else(named);
            metadata.child_session = Some(session(segment.file).into());
            EdgeType::Fork
        }
        BoundaryKind::Branch { summary } => {
            metadata.summary = Some(summary.clone());
            EdgeType::Branch
        }
        BoundaryKind::TreeJump { .. } => EdgeType::TreeJump,
        BoundaryKind::Compaction { .. } => EdgeType::Compaction,
        BoundaryKind::Resume { gap_minutes, .. } => {
            metadata.gap_minutes = Some(*gap_minutes);
            EdgeType::Resume
        }
        BoundaryKind::Handoff { .. } => EdgeType::Continuation,
    };
    (kind, metadata)
}

fn id_or_path(path: &str) -> &str {
    id_in_file_name(Path::new(path)).unwrap_or(path)
}
