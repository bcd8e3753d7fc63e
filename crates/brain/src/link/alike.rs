//! `semantic`, `technique_shared` and `project_related`: nodes that have rare things in common.
//!
//! Each thing that both have is evidence: the more, the fewer nodes have it (see [`Keys::weight`]), and by its kind. A word
//! counts once, more if something was decided about it, and a phrase of two words counts beside them; a file counts more,
//! since work has few of them; tags and tools count less, since they only say what kind of work it was. How alike two nodes
//! are is their evidence against everything that each has (the geometric mean of the two): long texts have something in
//! common by chance. The rules:
//!
//! - `project_related`: the same project, other sessions, and files that few others touched; alike in files.
//! - `technique_shared`: other projects, at least two rare tags, topics or tools, and three rare words, of which two make a
//!   phrase; alike in the former. Two programs in one language have no more in common than that.
//! - `semantic`: so much evidence, some of it in what was said, that it is no chance; alike in everything. It takes the
//!   more, the less they belong together anyway: little in one project or where one calls the other's project by name,
//!   which is evidence, too; more in one session, where the same words come again and again; most in two projects that do
//!   not speak of each other, and then words alone do not do.
//!
//! Where several hold, the strongest is taken. The link leads from the earlier one to the later.

use std::collections::HashMap;
use std::sync::Arc;

use super::keys::{KINDS, Keys, Kind};
use super::{Because, Candidate, Known, descending};
use crate::edge::EdgeType;

/// How much something in common counts, by its kind.
const COUNTS: [(Kind, f64); KINDS] = [
    (Kind::Word, 1.0),
    (Kind::Subject, 0.5),
    (Kind::Phrase, 1.0),
    (Kind::File, 1.5),
    (Kind::Tag, 0.25),
    (Kind::Tool, 0.25),
    (Kind::Error, 1.0),
];

/// How much evidence takes: in one project, in one session, and in two projects. Calling a project by name counts as much as
/// a word that nobody else has.
const LEAST_EVIDENCE: f64 = 1.9;
const LEAST_IN_SESSION: f64 = 4.0;
const LEAST_ELSEWHERE: f64 = 4.5;
const NAMED: f64 = 1.0;

/// How alike two nodes have to be at least: in everything, and in one respect.
const LEAST_IN_ALL: f64 = 0.075;
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

/// How two nodes stand to each other, whatever they have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nearness {
    Session,
    Project,
    /// One calls the other's project by name.
    Named,
    Apart,
}

pub(super) fn candidates(nodes: &[Known], keys: &Keys, names: &Names) -> Vec<Candidate> {
    let totals: Vec<[f64; KINDS]> = (0..nodes.len()).map(|node| totals(node, keys)).collect();
    let mut shared = vec![Shared::default(); nodes.len()];
    let mut touched: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for target in 0..nodes.len() {
        for key in keys.of_node(target).filter(|&key| keys.is_rare(key)) {
            let (kind, weight) = (keys.kind(key) as usize, keys.weight(key));
            for source in keys.nodes(key).take_while(|&node| node < target) {
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
            let nearness = nearness(source, target, nodes, keys, names);
            let of_two = [&totals[source], &totals[target]];
            let kind_and_similarity = judge(nearness, &both, of_two);
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
    let mut totals = keys.own(node).map(f64::from);
    for key in keys.of_node(node) {
        totals[keys.kind(key) as usize] += keys.weight(key);
    }
    totals
}

/// The words that each project is called by.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<Arc<str>, Vec<u32>>);

impl Names {
    /// Returns the names of the projects of all nodes.
    pub(super) fn of(nodes: &[Known], keys: &mut Keys) -> Self {
        let mut names = HashMap::new();
        for node in nodes {
            names.entry(Arc::clone(&node.project)).or_insert_with(|| keys.name_of(&node.project));
        }
        Self(names)
    }

    /// Returns whether a node calls a project by its name.
    fn are_in(&self, node: usize, project: &str, keys: &Keys) -> bool {
        let name = self.0.get(project).map_or(&[][..], Vec::as_slice);
        !name.is_empty() && name.iter().all(|word| keys.of_node(node).any(|key| key == *word))
    }
}

fn nearness(one: usize, other: usize, nodes: &[Known], keys: &Keys, names: &Names) -> Nearness {
    let speaks = |from: usize, of: usize| names.are_in(from, &nodes[of].project, keys);
    if nodes[one].session == nodes[other].session {
        Nearness::Session
    } else if nodes[one].project == nodes[other].project {
        Nearness::Project
    } else if speaks(one, other) || speaks(other, one) {
        Nearness::Named
    } else {
        Nearness::Apart
    }
}

/// Adds up weights by what each kind counts.
fn evidence(weights: &[f64; KINDS]) -> f64 {
    COUNTS.iter().map(|(kind, counts)| weights[*kind as usize] * counts).sum()
}

fn judge(nearness: Nearness, both: &Shared, totals: [&[f64; KINDS]; 2]) -> Option<(EdgeType, f64)> {
    let count = |kind: Kind| both.count[kind as usize];
    let judged = [
        (EdgeType::Semantic, semantic(nearness, both, totals)),
        (EdgeType::TechniqueShared, {
            let is_other = matches!(nearness, Nearness::Named | Nearness::Apart);
            let is_told = count(Kind::Word) > 2 && count(Kind::Phrase) > 0;
            let holds = count(Kind::Tag) + count(Kind::Tool) > 1 && is_told;
            (is_other && holds).then(|| alike_in(&[Kind::Tag, Kind::Tool], both, totals))
        }),
        (EdgeType::ProjectRelated, {
            let holds = nearness == Nearness::Project && count(Kind::File) > 0;
            holds.then(|| alike_in(&[Kind::File], both, totals))
        }),
    ];
    let mut enough: Vec<(EdgeType, f64)> = judged
        .into_iter()
        .filter_map(|(kind, similarity)| Some((kind, similarity?)))
        .filter(|(kind, similarity)| *kind == EdgeType::Semantic || *similarity >= LEAST_IN_ONE)
        .collect();
    enough.sort_by(|one, other| descending(one.1, other.1));
    enough.first().copied()
}

/// Returns how strong the evidence is that two nodes are of one matter, if it is enough.
fn semantic(nearness: Nearness, both: &Shared, totals: [&[f64; KINDS]; 2]) -> Option<f64> {
    let shared = evidence(&both.weight);
    let [one, other] = totals.map(evidence);
    let has = |kinds: &[Kind]| kinds.iter().any(|&kind| both.count[kind as usize] > 0);
    let is_more_than_words = has(&[Kind::Phrase, Kind::Error, Kind::Tag]);
    let (evidence, is_enough) = match nearness {
        Nearness::Session => (shared, shared >= LEAST_IN_SESSION),
        Nearness::Project => (shared, shared >= LEAST_EVIDENCE),
        Nearness::Named => (shared + NAMED, shared + NAMED >= LEAST_EVIDENCE),
        Nearness::Apart => (shared, shared >= LEAST_ELSEWHERE && is_more_than_words),
    };
    let is_alike = shared / (one * other).sqrt() >= LEAST_IN_ALL;
    (is_enough && is_alike && has(&[Kind::Word, Kind::Phrase, Kind::Error]))
        .then(|| evidence / (evidence + LEAST_EVIDENCE))
}

/// Returns how alike two nodes are in things of some kinds. One thing in common may be chance, so that it counts half; with
/// each further one half of what is missing comes back.
fn alike_in(kinds: &[Kind], both: &Shared, totals: [&[f64; KINDS]; 2]) -> f64 {
    let sum = |weights: &[f64; KINDS]| kinds.iter().map(|&kind| weights[kind as usize]).sum();
    let [one, other]: [f64; 2] = totals.map(sum);
    let count: u32 = kinds.iter().map(|&kind| both.count[kind as usize]).sum();
    let chance = 0.5_f64.powi(count.try_into().unwrap_or(i32::MAX));
    sum(&both.weight) / (one * other).sqrt() * (1.0 - chance)
}

/// Says what two nodes have in common, the rarest first; of what says the same, the longer.
pub(super) fn reason(
    kind: EdgeType,
    nodes: &[Known],
    keys: &Keys,
    names: &Names,
    [source, target]: [usize; 2],
) -> String {
    const NAMED: usize = 4;
    let shared = keys.shared(source, target);
    let of_kind = |kind: Kind| shared.iter().copied().filter(move |&key| keys.kind(key) == kind);
    let is_in_phrase = |word: &str| {
        of_kind(Kind::Phrase).any(|phrase| keys.text(phrase).split(' ').any(|part| part == word))
    };
    let is_decided = |word: &str| of_kind(Kind::Subject).any(|key| keys.text(key) == word);
    let list = |name: &str, said: Vec<String>| {
        let said: Vec<String> = said.into_iter().take(NAMED).collect();
        (!said.is_empty()).then(|| format!("{name}: {}", said.join(", ")))
    };
    let phrases = of_kind(Kind::Phrase).map(|key| format!("“{}”", keys.said(key))).collect();
    let is_new = |key: &u32| !is_in_phrase(keys.text(*key));
    let decided = of_kind(Kind::Subject).filter(is_new).map(|key| keys.said(key).to_owned());
    let words = of_kind(Kind::Word).filter(is_new).filter(|&key| !is_decided(keys.text(key)));
    let words = words.map(|key| keys.said(key).to_owned()).collect();
    let project = format!("{}/", nodes[target].project.trim_end_matches('/'));
    let file = |key: u32| keys.text(key).trim_start_matches(&*project).to_owned();
    let tags = shared.iter().filter(|&&key| matches!(keys.kind(key), Kind::Tag | Kind::Tool));
    let tags = list("tags and tools", tags.map(|&key| keys.text(key).to_owned()).collect());
    let files = list("files", of_kind(Kind::File).map(file).collect());
    let errors =
        list("errors", of_kind(Kind::Error).map(|key| keys.text(key).to_owned()).collect());
    let phrases = list("both say", phrases);
    let decided = list("decisions about", decided.collect());
    let words = list("words in common", words);
    let called = [(source, target), (target, source)].into_iter().find(|(from, of)| {
        let is_other = nodes[*from].project != nodes[*of].project;
        is_other && names.are_in(*from, &nodes[*of].project, keys)
    });
    let called = called.map(|(_, of)| {
        let project = nodes[of].project.trim_end_matches('/');
        format!("one speaks of {}", project.rsplit(['/', '\\']).next().unwrap_or(project))
    });
    let parts = match kind {
        EdgeType::ProjectRelated => [files, tags, phrases, decided, words, errors, called],
        EdgeType::TechniqueShared => [tags, phrases, decided, words, files, errors, called],
        _ => [called, errors, phrases, decided, words, files, tags],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
