//! `semantic`, `technique_shared` and `project_related`: nodes that have rare things in common.
//!
//! How alike two nodes are is the weight of the rare things that both have, against the weight of everything that
//! each has (the geometric mean of the two). One thing in common may be chance, so that it counts half; with each further
//! one half of what is missing comes back. The rules:
//!
//! - `project_related`: the same project, other sessions, and files that few others touched; alike in files.
//! - `technique_shared`: other projects, at least two rare tags, topics or tools, and three rare words; alike in
//!   the former. Two programs in one language have no more in common than that.
//! - `semantic`: in one project at least three rare words, or one and a rare file or error; in two projects five, or
//!   four and another rare thing; alike in everything. A word that the project itself is named by says nothing.
//!
//! Where several hold, the one in which the two are most alike is taken. The link leads from the earlier one to the later.

use super::keys::{KINDS, Keys, Kind};
use super::{Because, Candidate, Known, descending};
use crate::edge::EdgeType;

/// How alike two nodes have to be at least: in everything, and in one respect.
const LEAST_IN_ALL: f64 = 0.12;
const LEAST_IN_ONE: f64 = 0.25;

/// So many earlier nodes are considered for each, the most alike ones. It is more than are kept, because some of them
/// may have enough links already.
const MOST: usize = 10;

/// What two nodes have in common, by kind: weight and number.
#[derive(Clone, Copy, Default)]
struct Shared {
    weight: [f64; KINDS],
    count: [u32; KINDS],
}

pub(super) fn candidates(nodes: &[Known], keys: &Keys) -> Vec<Candidate> {
    let totals: Vec<[f64; KINDS]> = (0..nodes.len()).map(|node| totals(node, keys)).collect();
    let mut shared = vec![Shared::default(); nodes.len()];
    let mut touched: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for target in 0..nodes.len() {
        for &key in keys.of_node(target).iter().filter(|&&key| keys.is_rare(key)) {
            let (kind, weight) = (keys.kind(key) as usize, keys.weight(key));
            for &source in keys.nodes(key).iter().take_while(|&&node| node < target) {
                let both = &mut shared[source];
                if both.count.iter().all(|&count| count == 0) {
                    touched.push(source);
                }
                both.weight[kind] += weight;
                both.count[kind] += 1;
            }
        }
        let mut best: Vec<Candidate> = Vec::new();
        for source in touched.drain(..) {
            let both = std::mem::take(&mut shared[source]);
            let of_two = [&totals[source], &totals[target]];
            let kind_and_similarity = judge(&nodes[source], &nodes[target], &both, of_two);
            best.extend(kind_and_similarity.map(|(kind, similarity)| Candidate {
                source,
                target,
                kind,
                similarity,
                because: Because::Shared,
            }));
        }
        best.sort_by(|one, other| {
            let strength = descending(one.similarity, other.similarity);
            strength.then_with(|| nodes[one.source].id.cmp(&nodes[other.source].id))
        });
        best.truncate(MOST);
        found.append(&mut best);
    }
    found
}

/// Adds up the weight of everything that a node has, by kind.
fn totals(node: usize, keys: &Keys) -> [f64; KINDS] {
    let mut totals = [0.0; KINDS];
    for &key in keys.of_node(node) {
        totals[keys.kind(key) as usize] += keys.weight(key);
    }
    totals
}

fn judge(
    earlier: &Known,
    later: &Known,
    both: &Shared,
    totals: [&[f64; KINDS]; 2],
) -> Option<(EdgeType, f64)> {
    const ALL: [Kind; KINDS] = [Kind::Word, Kind::File, Kind::Tag, Kind::Tool, Kind::Error];
    let count = |kinds: &[Kind]| kinds.iter().map(|&kind| both.count[kind as usize]).sum::<u32>();
    let alike = |kinds: &[Kind]| {
        let sum = |weights: &[f64; KINDS]| kinds.iter().map(|&kind| weights[kind as usize]).sum();
        let [one, other]: [f64; 2] = totals.map(sum);
        let chance = 0.5_f64.powi(count(kinds).try_into().unwrap_or(i32::MAX));
        sum(&both.weight) / (one * other).sqrt() * (1.0 - chance)
    };
    let is_same_project = earlier.project == later.project;
    let related = is_same_project && earlier.session != later.session && count(&[Kind::File]) > 0;
    let words = count(&[Kind::Word]);
    let technique = !is_same_project && count(&[Kind::Tag, Kind::Tool]) > 1 && words > 2;
    let semantic = if is_same_project {
        words > 2 || (words > 0 && count(&[Kind::File, Kind::Error]) > 0)
    } else {
        words > 4 || (words > 3 && count(&ALL) > words)
    };
    let judged = [
        (EdgeType::Semantic, semantic, &ALL[..], LEAST_IN_ALL),
        (EdgeType::TechniqueShared, technique, &[Kind::Tag, Kind::Tool], LEAST_IN_ONE),
        (EdgeType::ProjectRelated, related, &[Kind::File], LEAST_IN_ONE),
    ];
    let held = judged.into_iter().filter(|(_, holds, ..)| *holds);
    let alike = held.map(|(kind, _, kinds, least)| (kind, alike(kinds), least));
    let mut enough: Vec<(EdgeType, f64)> = alike
        .filter(|(_, similarity, least)| similarity >= least)
        .map(|(kind, similarity, _)| (kind, similarity))
        .collect();
    enough.sort_by(|one, other| descending(one.1, other.1));
    enough.first().copied()
}

/// Says what two nodes have in common, the rarest first.
pub(super) fn reason(kind: EdgeType, keys: &Keys, source: usize, target: usize) -> String {
    const NAMED: usize = 4;
    let shared = keys.shared(source, target);
    let list = |name: &str, kinds: &[Kind]| {
        let texts: Vec<&str> = shared
            .iter()
            .filter(|&&key| kinds.contains(&keys.kind(key)))
            .take(NAMED)
            .map(|&key| keys.text(key))
            .collect();
        (!texts.is_empty()).then(|| format!("{name}: {}", texts.join(", ")))
    };
    let words = list("words in common", &[Kind::Word]);
    let files = list("files", &[Kind::File]);
    let tags = list("tags and tools", &[Kind::Tag, Kind::Tool]);
    let errors = list("errors", &[Kind::Error]);
    let parts = match kind {
        EdgeType::ProjectRelated => [files, tags, words, errors],
        EdgeType::TechniqueShared => [tags, words, files, errors],
        _ => [words, files, tags, errors],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
