//! What a group of nodes is called.

use std::collections::{BTreeMap, HashMap};

use crate::link::stems;

/// What a node says that its group may be named by.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// The working directory.
    pub project: String,
    /// What was wanted and what was done.
    pub text: String,
    /// Tags and topics.
    pub tags: Vec<String>,
}

/// A word or tag names a group only if so many of its members have it, and never fewer than two.
const SHARE: f64 = 0.25;

/// And only if they have it so many times as often as nodes do at large.
const LIFT: f64 = 1.5;

/// Somebody chose a tag; words only happen to be there.
const TAG_WEIGHT: f64 = 1.5;

/// A second word has to tell nearly as much as the first.
const SECOND: f64 = 0.6;

/// A group belongs to a project if so many of its members do.
const MOSTLY: f64 = 0.6;

/// Names groups, each with the numbers of its nodes: by the project that most of them belong to, and by one or two words that most
/// of them share and few others have.
pub fn name_clusters(nodes: &[Named], groups: &[Vec<usize>]) -> Vec<String> {
    let terms: Vec<BTreeMap<String, Term>> = nodes.iter().map(terms_of).collect();
    let mut having: HashMap<&str, usize> = HashMap::new();
    for key in terms.iter().flat_map(BTreeMap::keys) {
        *having.entry(key).or_default() += 1;
    }
    let name = |members: &Vec<usize>| {
        let project = common_project(nodes, members);
        let words = telling(&terms, members, |key| ratio(nodes.len(), having[key]));
        match (project, words.join(", ")) {
            (Some(project), words) if words.is_empty() || words == project => project,
            (Some(project), words) => format!("{project}: {words}"),
            (None, words) if words.is_empty() => "various".to_owned(),
            (None, words) => words,
        }
    };
    groups.iter().map(name).collect()
}

/// A word as it was written, and how much it counts.
struct Term {
    written: String,
    weight: f64,
}

/// Returns the words and tags of a node, by what all forms of a word have in common.
fn terms_of(node: &Named) -> BTreeMap<String, Term> {
    let mut terms = BTreeMap::new();
    let tags = node.tags.iter().map(|tag| (&**tag, TAG_WEIGHT));
    let words = node.text.split(|character: char| !character.is_alphanumeric() && character != '_');
    for (written, weight) in tags.chain(words.map(|word| (word, 1.0))) {
        // Paths, ids and whole sentences are no names.
        if written.chars().count() > 24 || written.contains('/') {
            continue;
        }
        let key = stems(written).join(" ");
        if !key.is_empty() {
            terms.entry(key).or_insert_with(|| Term { written: written.to_lowercase(), weight });
        }
    }
    // The name of the project stands before the words anyway.
    for stem in stems(&last_part(&node.project)) {
        terms.remove(&stem);
    }
    terms
}

/// Returns the one or two words that tell most about a group, as they are written most often in it.
fn telling(
    terms: &[BTreeMap<String, Term>],
    members: &[usize],
    rarity: impl Fn(&str) -> f64,
) -> Vec<String> {
    let mut found: BTreeMap<&str, Vec<&Term>> = BTreeMap::new();
    for (key, term) in members.iter().flat_map(|&member| &terms[member]) {
        found.entry(key).or_default().push(term);
    }
    let mut scored: Vec<(f64, String)> = found
        .iter()
        .filter(|(key, terms)| {
            let share = ratio(terms.len(), members.len());
            terms.len() >= 2 && share >= SHARE && share * rarity(key) >= LIFT
        })
        .map(|(key, terms)| {
            let weight: f64 = terms.iter().map(|term| term.weight).sum();
            (weight * (1.0 + rarity(key)).ln(), most_written(terms))
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let enough = scored.first().map_or(0.0, |best| best.0 * SECOND);
    scored.into_iter().take(2).filter(|(score, _)| *score >= enough).map(|(_, word)| word).collect()
}

fn most_written(terms: &[&Term]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for term in terms {
        *counts.entry(&term.written).or_default() += 1;
    }
    let most = counts.values().copied().max();
    counts
        .into_iter()
        .find(|(_, count)| Some(*count) == most)
        .map_or_else(String::new, |(word, _)| word.to_owned())
}

/// Returns the name of the project that most members belong to.
fn common_project(nodes: &[Named], members: &[usize]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for &member in members {
        *counts.entry(&nodes[member].project).or_default() += 1;
    }
    let (project, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let name = last_part(project);
    (ratio(count, members.len()) >= MOSTLY && !name.is_empty()).then_some(name)
}

/// Returns the last part of a path.
fn last_part(path: &str) -> String {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

#[expect(clippy::cast_precision_loss, reason = "there are not so many nodes")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
