//! What goes wrong again and again.

use std::collections::{BTreeMap, BTreeSet};

use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::NodeId;
use crate::lesson_groups::{Trend, lately};
use crate::link::{failure_signature, pattern_id};

/// An error of a node, with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenError {
    /// The node.
    pub node: NodeId,
    /// When the work began.
    pub seen: Millis,
    /// The working directory.
    pub project: String,
    /// The category.
    pub error_type: String,
    /// What it said.
    pub message: String,
    /// Whether it was gone by the end.
    pub resolved: bool,
    /// What was done in the node, in words.
    pub summary: String,
    /// Tools whose calls failed with this category in the node.
    pub tools: Vec<String>,
    /// Models that made these calls.
    pub models: Vec<String>,
}

/// An error that came up in several nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePattern {
    /// Follows from the error's signature.
    pub id: String,
    /// The category.
    #[serde(rename = "type")]
    pub error_type: String,
    /// What it said last.
    pub message: String,
    /// What all of them have in common: the message without numbers, paths, ids.
    pub signature: String,
    /// In how many nodes it was seen.
    pub count: usize,
    /// In how many of them it was gone by the end.
    pub resolved: usize,
    /// In how many of them within the last 30 days.
    pub recent: usize,
    /// In how many of them within the 30 days before.
    pub before: usize,
    /// Whether it comes up more often than before.
    pub trend: Trend,
    /// Tools whose calls failed so.
    pub tools: BTreeSet<String>,
    /// Models that made the calls.
    pub models: BTreeSet<String>,
    /// The projects.
    pub projects: BTreeSet<String>,
    /// When it was seen first.
    pub first_seen: Millis,
    /// When it was seen last.
    pub last_seen: Millis,
    /// How it was got rid of last, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// The nodes, the latest first.
    pub nodes: Vec<NodeId>,
}

/// How a failure was got rid of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Resolution {
    /// The node in which it was.
    pub node: NodeId,
    /// What was done there.
    pub summary: String,
}

/// Groups errors of two or more nodes by their signature, the most frequent first, then the latest.
pub fn find_patterns(mut errors: Vec<SeenError>, now: Millis) -> Vec<FailurePattern> {
    errors.sort_by(|one, other| {
        other
            .seen
            .cmp(&one.seen)
            .then(one.node.cmp(&other.node))
            .then(one.message.cmp(&other.message))
    });
    let mut groups: BTreeMap<String, Vec<&SeenError>> = BTreeMap::new();
    for error in &errors {
        let signature = failure_signature(&error.error_type, &error.message);
        groups.entry(signature).or_default().push(error);
    }
    let mut patterns: Vec<FailurePattern> = groups
        .into_iter()
        .filter_map(|(signature, group)| described(signature, &group, now))
        .collect();
    patterns.sort_by(|one, other| {
        let by_count = other.count.cmp(&one.count).then(other.last_seen.cmp(&one.last_seen));
        by_count.then_with(|| one.id.cmp(&other.id))
    });
    patterns
}

/// Describes a group, whose errors come latest first; `None` if all are of one node.
fn described(signature: String, errors: &[&SeenError], now: Millis) -> Option<FailurePattern> {
    // A node may have the same error with several numbers: it got rid of it if it got rid of all.
    let mut nodes: Vec<(&SeenError, bool)> = Vec::new();
    for error in errors {
        match nodes.iter_mut().find(|(first, _)| first.node == error.node) {
            Some((_, resolved)) => *resolved &= error.resolved,
            None => nodes.push((error, error.resolved)),
        }
    }
    let (latest, first) = (nodes.first()?.0, nodes.last()?.0);
    if nodes.len() < 2 {
        return None;
    }
    let (recent, before) = lately(nodes.iter().map(|(error, _)| error.seen), now);
    let solved = nodes.iter().find(|(_, resolved)| *resolved).map(|(error, _)| error);
    Some(FailurePattern {
        id: pattern_id(&signature),
        error_type: latest.error_type.clone(),
        message: latest.message.clone(),
        signature,
        count: nodes.len(),
        resolved: nodes.iter().filter(|(_, resolved)| *resolved).count(),
        recent,
        before,
        trend: Trend::of(recent, before),
        tools: errors.iter().flat_map(|error| error.tools.iter().cloned()).collect(),
        models: errors.iter().flat_map(|error| error.models.iter().cloned()).collect(),
        projects: errors.iter().map(|error| error.project.clone()).collect(),
        first_seen: first.seen,
        last_seen: latest.seen,
        resolution: solved
            .map(|error| Resolution { node: error.node, summary: error.summary.clone() }),
        nodes: nodes.iter().map(|(error, _)| error.node).collect(),
    })
}

#[cfg(test)]
mod tests;
