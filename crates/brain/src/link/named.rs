//! `reference`: one node speaks of the other.
//!
//! The rule: what was wanted, done, decided or learnt in a node names another node's id, or the whole id of another
//! session; then the last node of that session before this one is meant, or else its first. The link leads from the
//! node that speaks to the one that is spoken of.

use std::collections::HashMap;

use super::{Because, Candidate, Known, NodeFacts};
use crate::edge::EdgeType;
use crate::ids::NodeId;

pub(super) fn candidates(nodes: &[Known]) -> Vec<Candidate> {
    let numbers: HashMap<NodeId, usize> =
        nodes.iter().enumerate().map(|(number, node)| (node.id, number)).collect();
    let mut sessions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, node) in nodes.iter().enumerate() {
        sessions.entry(&node.session).or_default().push(number);
    }
    let mut found = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        for name in &node.names {
            let target = match name.get(..16).unwrap_or_default().parse::<NodeId>() {
                Ok(id) if is_node_name(name) => numbers.get(&id).copied(),
                _ => sessions
                    .get(&**name)
                    .filter(|_| **name != *node.session)
                    .map(|members| nearest(members, number)),
            };
            let Some(target) = target.filter(|&target| target != number) else { continue };
            let because = Because::Named(format!("it names {name}"));
            let (source, kind) = (number, EdgeType::Reference);
            found.push(Candidate { source, target, kind, similarity: 1.0, because });
        }
    }
    found
}

/// Returns what may name other nodes or sessions in what is known of a node.
pub(super) fn names_in(node: &NodeFacts) -> Vec<String> {
    let learnt = node.lessons.iter().map(|lesson| &*lesson.text);
    let texts = [&*node.text, &*node.decisions].into_iter().chain(learnt);
    texts.flat_map(names).map(str::to_owned).collect()
}

/// Returns what may be a name in a text: long runs of letters, digits and hyphens.
fn names(text: &str) -> impl Iterator<Item = &str> {
    const SHORTEST: usize = 16;
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '-';
    text.split(move |character| !is_part(character))
        .map(|name| name.trim_matches('-'))
        .filter(|name| name.len() >= SHORTEST)
}

/// Returns whether nothing follows the id of a node but a version.
fn is_node_name(name: &str) -> bool {
    let rest = &name[16..];
    rest.is_empty() || rest.strip_prefix("-v").is_some_and(|version| version.parse::<u32>().is_ok())
}

/// Returns the last of a session's nodes before another node, or else its first.
fn nearest(members: &[usize], number: usize) -> usize {
    members.iter().rev().copied().find(|&member| member < number).unwrap_or(members[0])
}
