//! What nodes can have in common, and how rare each of these is.

use std::collections::HashMap;
use std::sync::Arc;

use super::signature::error_signature;
use super::words::{stems, telling_stems};
use super::{KnownLesson, LessonFact, NodeFacts};
use crate::node::LessonLevel;

/// What kind of thing nodes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A word of what was wanted, done or learnt.
    Word,
    /// A file, with its project.
    File,
    /// A tag or topic.
    Tag,
    /// A tool.
    Tool,
    /// An error, without what changes from one time to the next.
    Error,
}

/// How many kinds there are.
pub(super) const KINDS: usize = 5;

/// Something that nodes can have in common.
#[derive(Debug)]
struct Key {
    kind: Kind,
    text: Arc<str>,
    /// How many nodes have it.
    count: usize,
    /// These nodes, in the order of time; of a word that many have they are not kept.
    nodes: Vec<usize>,
}

/// Everything that nodes can have in common.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: Vec<Key>,
    /// The number of each, by kind and text.
    numbers: [HashMap<Arc<str>, u32>; KINDS],
    /// What each node has.
    of_node: Vec<Vec<u32>>,
}

/// What more nodes have than this links none of them.
const COMMON: usize = 20;

impl Keys {
    /// Notes what the next node has.
    pub(super) fn add(&mut self, node: &NodeFacts) {
        let number = self.of_node.len();
        self.of_node.push(Vec::new());
        // What is said of models and users sounds alike whatever the work was.
        let is_about_work =
            |lesson: &&LessonFact| !matches!(lesson.level, LessonLevel::Model | LessonLevel::User);
        let learnt = node.lessons.iter().filter(is_about_work).map(|lesson| &*lesson.text);
        let text: Vec<&str> = std::iter::once(&*node.text).chain(learnt).collect();
        let of_project = stems(&node.project);
        for stem in telling_stems(&text.join("\n")) {
            if !of_project.contains(&stem) {
                self.note(number, Kind::Word, stem);
            }
        }
        for file in &node.files {
            self.note(number, Kind::File, whole_path(&node.project, file));
        }
        for tag in &node.tags {
            self.note(number, Kind::Tag, tag.to_lowercase());
        }
        for tool in &node.tools {
            self.note(number, Kind::Tool, tool.to_lowercase());
        }
        for error in &node.errors {
            let signature = signature(&error.error_type, &error.message);
            self.note(number, Kind::Error, signature);
        }
    }

    fn note(&mut self, node: usize, kind: Kind, text: String) {
        let number = self.number(kind, text);
        let of_node = &mut self.of_node[node];
        if of_node.contains(&number) {
            return;
        }
        of_node.push(number);
        let key = &mut self.all[number as usize];
        key.count += 1;
        if kind == Kind::Word && key.count > COMMON {
            key.nodes = Vec::new();
        } else {
            key.nodes.push(node);
        }
    }

    /// Returns the number of a key, whether or not any node has it.
    fn number(&mut self, kind: Kind, text: String) -> u32 {
        let numbers = &mut self.numbers[kind as usize];
        if let Some(&number) = numbers.get(&*text) {
            return number;
        }
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.all.push(Key { kind, text: Arc::clone(&text), count: 0, nodes: Vec::new() });
        numbers.insert(text, next);
        next
    }

    /// Returns what is kept of a lesson.
    pub(super) fn lesson(&mut self, lesson: &LessonFact) -> KnownLesson {
        let words = telling_stems(&lesson.text).map(|stem| self.number(Kind::Word, stem));
        let words = words.collect();
        let tags = lesson.tags.iter().flat_map(|tag| {
            [Kind::Tag, Kind::Tool].map(|kind| self.number(kind, tag.to_lowercase()))
        });
        let tags = tags.collect();
        KnownLesson { level: lesson.level, summary: lesson.summary.clone(), words, tags }
    }

    /// Returns what a node has.
    pub(super) fn of_node(&self, node: usize) -> &[u32] {
        &self.of_node[node]
    }

    fn count(&self, key: u32) -> usize {
        self.all[key as usize].count
    }

    /// Returns the nodes that have something, in the order of time; none if it is a word that links nothing.
    pub(super) fn nodes(&self, key: u32) -> &[usize] {
        &self.all[key as usize].nodes
    }

    pub(super) fn kind(&self, key: u32) -> Kind {
        self.all[key as usize].kind
    }

    pub(super) fn text(&self, key: u32) -> &str {
        &self.all[key as usize].text
    }

    /// Returns all keys of a kind.
    pub(super) fn all(&self, kind: Kind) -> impl Iterator<Item = u32> {
        (0..).zip(&self.all).filter(move |(_, key)| key.kind == kind).map(|(number, _)| number)
    }

    /// Returns how much it says that a node has something: the more, the fewer have it.
    pub(super) fn weight(&self, key: u32) -> f64 {
        self.weight_of(self.count(key))
    }

    /// Returns how much something would say that nobody has.
    pub(super) fn greatest_weight(&self) -> f64 {
        self.weight_of(1)
    }

    #[expect(clippy::cast_precision_loss, reason = "there are not that many nodes")]
    fn weight_of(&self, nodes: usize) -> f64 {
        (1.0 + self.of_node.len() as f64 / nodes as f64).ln()
    }

    /// Returns whether so few nodes have something that it can link them.
    ///
    /// Of few nodes, a twentieth: otherwise everything would be rare in a small brain.
    pub(super) fn is_rare(&self, key: u32) -> bool {
        self.count(key) <= (self.of_node.len() / 20).clamp(3, COMMON)
    }

    /// Returns the rare things that two nodes have in common, the rarest first.
    pub(super) fn shared(&self, one: usize, other: usize) -> Vec<u32> {
        let has = |key: &u32| self.nodes(*key).binary_search(&other).is_ok();
        let mut shared: Vec<u32> = self
            .of_node(one)
            .iter()
            .copied()
            .filter(has)
            .filter(|&key| self.is_rare(key))
            .collect();
        shared.sort_by_key(|&key| (self.count(key), self.kind(key), self.text(key)));
        shared
    }
}

/// Writes an error as it is compared.
pub(crate) fn signature(error_type: &str, message: &str) -> String {
    format!("{error_type}: {}", error_signature(message))
}

/// Names a file for all projects.
pub(super) fn whole_path(project: &str, file: &str) -> String {
    if file.starts_with(['/', '~']) {
        file.to_owned()
    } else {
        format!("{}/{file}", project.trim_end_matches('/'))
    }
}
