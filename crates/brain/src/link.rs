//! The link pass: which nodes have to do with each other, beyond what the structure of sessions says.
//!
//! A pure function of all nodes. What two nodes have in common counts by how rare it is among all of them: what
//! many have links nothing. The result does not depend on earlier passes. Nodes are taken in one after the other, and only what
//! they can have in common is kept of each: there may be tens of thousands.

mod words;
mod signature;
mod compact;
mod keys;
mod named;
mod applied;
mod failures;
mod alike;

pub use signature::error_signature;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use pi_brain_session::Millis;
use sha2::{Digest, Sha256};

use crate::edge::{Edge, EdgeCreator, EdgeExt, EdgeMetadata, EdgeType};
use crate::ids::NodeId;
use crate::node::{LessonLevel, Outcome};
use crate::word::word;
use alike::Names;
use compact::Mark;
use keys::Keys;
pub(crate) use keys::signature as failure_signature;
pub(crate) use words::stems;

/// So many links of one node are kept, the strongest ones.
const MOST_LINKS: usize = 5;

/// What the link pass has to know of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeFacts {
    /// Its name.
    pub id: NodeId,
    /// The working directory.
    pub project: String,
    /// The session that it came from.
    pub session: String,
    /// When the work began.
    pub started: Millis,
    /// How it ended.
    pub outcome: Outcome,
    /// What was wanted and what was done.
    pub text: String,
    /// What was decided, and why.
    pub decisions: String,
    /// Files that were read or changed, relative to the project where they lie in it.
    pub files: Vec<String>,
    /// Tags and topics.
    pub tags: Vec<String>,
    /// Tools that were called.
    pub tools: Vec<String>,
    /// What went wrong.
    pub errors: Vec<ErrorFact>,
    /// What was learnt.
    pub lessons: Vec<LessonFact>,
}

/// Something that went wrong, as the link pass sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorFact {
    /// The category.
    pub error_type: String,
    /// What it said.
    pub message: String,
}

/// Something that was learnt, as the link pass sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonFact {
    /// What it is about.
    pub level: LessonLevel,
    /// One line, and what to do about it.
    pub text: String,
    /// The line alone, by which the lesson is named.
    pub summary: String,
    /// By what to filter it.
    pub tags: Vec<String>,
}

/// What is kept of a node while nodes are linked; all that it can have in common with others is in [`Keys`].
#[derive(Debug)]
struct Known {
    id: NodeId,
    project: Arc<str>,
    session: Arc<str>,
    started: Millis,
    outcome: Outcome,
    /// What may be names of other nodes or sessions in what was said.
    names: Vec<String>,
    lessons: Vec<KnownLesson>,
}

/// What is kept of a lesson.
#[derive(Debug)]
struct KnownLesson {
    level: LessonLevel,
    summary: Box<str>,
    /// Its words.
    words: Box<[Mark]>,
    /// Its tags, as tags and as tools.
    tags: Box<[Mark]>,
}

/// A link that may be drawn, between nodes by their numbers.
#[derive(Clone, Debug)]
struct Candidate {
    source: usize,
    target: usize,
    kind: EdgeType,
    similarity: f64,
    because: Because,
}

/// What a link rests on; it is put into words only for links that are drawn.
#[derive(Clone, Debug)]
enum Because {
    /// These words, naming the other node.
    Named(String),
    /// The lesson with this number, and the words that both have.
    Lesson(usize, Vec<u32>),
    /// An error that both have.
    Error(u32),
    /// Whatever rare things both have.
    Shared,
}

/// Finds the links between nodes that their content shows.
///
/// The rule of each type is stated by the module that makes it: `named` for `reference`, `applied` for
/// `lesson_application`, `failures` for `failure_pattern`, `alike` for `semantic`, `technique_shared` and
/// `project_related`.
#[derive(Debug, Default)]
pub struct Linker {
    nodes: Vec<Known>,
    keys: Keys,
    /// Projects and sessions, which many nodes have.
    shared: HashSet<Arc<str>>,
}

impl Linker {
    /// Takes in the next node. Nodes come in the order of time; those of one moment in any order, but always the same.
    pub fn add(&mut self, node: NodeFacts) {
        let is_earlier = |last: &Known| last.started <= node.started;
        debug_assert!(self.nodes.last().is_none_or(is_earlier), "nodes come in the order of time");
        self.keys.add(&node);
        let lessons = node.lessons.iter().map(|lesson| self.keys.lesson(lesson)).collect();
        let names = named::names_in(&node);
        let (project, session) = (self.share(node.project), self.share(node.session));
        let NodeFacts { id, started, outcome, .. } = node;
        self.nodes.push(Known { id, project, session, started, outcome, names, lessons });
    }

    fn share(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.shared.get(&*text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.shared.insert(Arc::clone(&text));
        text
    }

    /// Returns the links between all nodes that were taken in: at most five of each node, and at most one of two.
    ///
    /// `linked` are the pairs that the structure of sessions, or a person, has linked already, the smaller id first:
    /// there is nothing to add to these.
    pub fn finish(self, linked: &BTreeSet<(NodeId, NodeId)>) -> Vec<Edge> {
        let Self { nodes, mut keys, .. } = self;
        let names = Names::of(&nodes, &mut keys);
        keys.settle();
        let mut candidates = named::candidates(&nodes);
        candidates.extend(applied::candidates(&nodes, &keys));
        keys.let_go();
        candidates.extend(failures::candidates(&keys));
        candidates.extend(alike::candidates(&nodes, &keys, &names));
        let chosen = choose(&nodes, candidates, linked);
        chosen.iter().map(|candidate| drawn(candidate, &nodes, &keys, &names)).collect()
    }
}

/// Keeps the strongest links: of each pair one, of each node a handful.
fn choose(
    nodes: &[Known],
    mut candidates: Vec<Candidate>,
    linked: &BTreeSet<(NodeId, NodeId)>,
) -> Vec<Candidate> {
    let pair = |candidate: &Candidate| {
        let (one, other) = (nodes[candidate.source].id, nodes[candidate.target].id);
        (one.min(other), one.max(other))
    };
    candidates.retain(|candidate| {
        candidate.source != candidate.target && !linked.contains(&pair(candidate))
    });
    candidates.sort_by(|one, other| {
        let by_strength = other.similarity.total_cmp(&one.similarity);
        let by_kind = || rank(one.kind).cmp(&rank(other.kind));
        let by_id = || pair(one).cmp(&pair(other));
        by_strength.then_with(by_kind).then_with(by_id).then_with(|| one.source.cmp(&other.source))
    });
    let mut taken = HashSet::new();
    let mut links = vec![0; nodes.len()];
    candidates.retain(|candidate| {
        let ends = [candidate.source, candidate.target];
        let is_free = ends.iter().all(|&end| links[end] < MOST_LINKS);
        let is_kept = is_free && taken.insert(pair(candidate));
        if is_kept {
            for end in ends {
                links[end] += 1;
            }
        }
        is_kept
    });
    candidates
}

/// Orders the types of links by how much each says; the most telling first.
fn rank(kind: EdgeType) -> u8 {
    match kind {
        EdgeType::Reference => 0,
        EdgeType::LessonApplication => 1,
        EdgeType::FailurePattern => 2,
        EdgeType::Semantic => 3,
        EdgeType::TechniqueShared => 4,
        _ => 5,
    }
}

fn drawn(candidate: &Candidate, nodes: &[Known], keys: &Keys, names: &Names) -> Edge {
    let Candidate { source, target, kind, .. } = *candidate;
    let (from, to) = (&nodes[source], &nodes[target]);
    let mut metadata = EdgeMetadata {
        similarity: Some((candidate.similarity.clamp(0.0, 1.0) * 1000.0).round() / 1000.0),
        ..EdgeMetadata::default()
    };
    let reason = match &candidate.because {
        Because::Named(words) => words.clone(),
        Because::Lesson(number, shared) => {
            let lesson = &from.lessons[*number];
            metadata.lesson_id = Some(lesson_id(from.id, lesson.level, &lesson.summary).into());
            applied::reason(lesson, shared, keys)
        }
        Because::Error(key) => {
            metadata.pattern_id = Some(pattern_id(keys.text(*key)).into());
            failures::reason(keys.text(*key))
        }
        Because::Shared => alike::reason(kind, nodes, keys, names, [source, target]),
    };
    // The pass may run at any time; the link is as old as the later of the two.
    let created_at = from.started.max(to.started);
    let edge = Edge::new(from.id, to.id, kind, created_at, EdgeCreator::Daemon);
    Edge { metadata, ext: Some(EdgeExt { reason: reason.into() }), ..edge }
}

/// Names a lesson: by its node, and by what it says.
fn lesson_id(node: NodeId, level: LessonLevel, summary: &str) -> String {
    format!("{node}-{}", digest(&format!("{} {summary}", word(&level))))
}

/// Names a pattern of failures: by the signature of its error.
pub(crate) fn pattern_id(signature: &str) -> String {
    digest(signature)
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// Compares two numbers so that the larger comes first.
fn descending(one: f64, other: f64) -> Ordering {
    other.total_cmp(&one)
}

#[cfg(test)]
mod tests;
