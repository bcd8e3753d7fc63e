//! `lesson_application`: a lesson of one node was put to use in a later one.
//!
//! The rule: a node that began later and ended well has at least two of the lesson's rare words, and with them two
//! fifths of the lesson's weight; and the two have common ground: a file that both touched, or a tag of the lesson that
//! is a tag, topic or tool of the later one. The link leads from the node that learnt to the one that applied.

use std::collections::BTreeMap;

use super::compact::Mark;
use super::keys::{Keys, Kind};
use super::{Because, Candidate, Known, KnownLesson, descending};
use crate::edge::EdgeType;
use crate::node::Outcome;

/// So many words of a lesson have to come up again.
const FEWEST_WORDS: usize = 2;

/// So much of the lesson's weight has to come up again.
const LEAST: f64 = 0.4;

/// So many later nodes are taken for one lesson, those that have most of it.
const MOST: usize = 3;

pub(super) fn candidates(nodes: &[Known], keys: &Keys) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (source, node) in nodes.iter().enumerate() {
        for (number, lesson) in node.lessons.iter().enumerate() {
            let mut applied: Vec<(f64, usize, Vec<u32>)> = later(source, lesson, keys)
                .into_iter()
                .filter(|(_, target, _)| nodes[*target].outcome == Outcome::Success)
                .filter(|(_, target, _)| have_common_ground(source, *target, lesson, keys))
                .collect();
            applied.sort_by(|one, other| descending(one.0, other.0).then(one.1.cmp(&other.1)));
            for (similarity, target, shared) in applied.into_iter().take(MOST) {
                let because = Because::Lesson(number, shared);
                let kind = EdgeType::LessonApplication;
                found.push(Candidate { source, target, kind, similarity, because });
            }
        }
    }
    found
}

/// Returns the later nodes that have enough of a lesson's words: how much of it, and which.
fn later(source: usize, lesson: &KnownLesson, keys: &Keys) -> Vec<(f64, usize, Vec<u32>)> {
    let noted = |&word: &Mark| keys.noted(word);
    // A word without a key is one that nobody else says.
    let weight = |word: &Mark| noted(word).map_or(1.0, |key| keys.weight(key));
    let total: f64 = lesson.words.iter().map(weight).sum();
    let mut shared: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for key in lesson.words.iter().filter_map(noted) {
        let after = keys.nodes(key).filter(|&node| node > source && keys.is_rare(key));
        after.for_each(|node| shared.entry(node).or_default().push(key));
    }
    let enough = shared.into_iter().filter(|(_, words)| words.len() >= FEWEST_WORDS);
    let weighed = enough.map(|(node, words)| {
        let weight: f64 = words.iter().map(|&key| keys.weight(key)).sum();
        (weight / total, node, words)
    });
    weighed.filter(|(share, ..)| *share >= LEAST).collect()
}

fn have_common_ground(source: usize, target: usize, lesson: &KnownLesson, keys: &Keys) -> bool {
    let is_file_of_both = |key: u32| keys.kind(key) == Kind::File && keys.is_of(key, target);
    let same_file = keys.of_node(source).any(is_file_of_both);
    same_file || lesson.tags.iter().any(|&tag| keys.has(target, tag))
}

pub(super) fn reason(lesson: &KnownLesson, shared: &[u32], keys: &Keys) -> String {
    let words: Vec<&str> = shared.iter().take(4).map(|&key| keys.said(key)).collect();
    format!("the lesson “{}” again, with success ({})", lesson.summary, words.join(", "))
}
