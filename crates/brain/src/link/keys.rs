//! What nodes can have in common, and how rare each of these is.

use std::collections::HashMap;
use std::sync::Arc;

use super::signature::{error_signature, quoted_errors};
use super::words::{Told, stems, telling_phrases, telling_words};
use super::{KnownLesson, LessonFact, NodeFacts};
use crate::node::LessonLevel;

/// What kind of thing nodes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A word of what was wanted, done, decided or learnt.
    Word,
    /// A word of what was decided: it counts beside the same as a word.
    Subject,
    /// Two words that follow each other.
    Phrase,
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
pub(super) const KINDS: usize = 7;

/// Something that nodes can have in common.
#[derive(Debug)]
struct Key {
    kind: Kind,
    text: Arc<str>,
    /// How it was said first, where that is something else.
    said: Option<Box<str>>,
    /// How many nodes have it, and the last that was noted.
    count: usize,
    latest: Option<usize>,
    /// Whether a project is called by it.
    is_name: bool,
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

/// What more nodes have than this links none of them, and what at most so many have may.
const COMMON: usize = 20;
const UNCOMMON: usize = 5;

/// A brain of few nodes is weighed as if so many more were there that share nothing: that two of twenty nodes have
/// something says no more than that two of two hundred have it.
const BACKGROUND: usize = 200;

impl Keys {
    /// Notes what the next node has.
    pub(super) fn add(&mut self, node: &NodeFacts) {
        let number = self.of_node.len();
        self.of_node.push(Vec::new());
        // What is said of models and users sounds alike whatever the work was.
        let is_about_work =
            |lesson: &&LessonFact| !matches!(lesson.level, LessonLevel::Model | LessonLevel::User);
        let learnt = node.lessons.iter().filter(is_about_work).map(|lesson| &*lesson.text);
        let text: Vec<&str> = [&*node.text, &*node.decisions].into_iter().chain(learnt).collect();
        let text = text.join("\n");
        let of_project = stems(&node.project);
        let of_work = |told: &Told| !of_project.contains(&told.stem);
        for told in telling_words(&text).filter(of_work) {
            self.note_told(number, Kind::Word, told);
        }
        for told in telling_words(&node.decisions).filter(of_work) {
            self.note_told(number, Kind::Subject, told);
        }
        for told in telling_phrases(&text) {
            self.note_told(number, Kind::Phrase, told);
        }
        for file in node.files.iter().filter(|file| !is_everybodys(file)) {
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
        let messages = node.errors.iter().map(|error| &*error.message);
        for said in messages.chain([&*node.text]).flat_map(quoted_errors) {
            self.note(number, Kind::Error, said);
        }
    }

    fn note_told(&mut self, node: usize, kind: Kind, Told { stem, said }: Told) {
        let is_other = stem != said;
        let key = self.note(node, kind, stem);
        let key = &mut self.all[key as usize];
        if key.count == 1 && is_other {
            key.said = Some(said.into());
        }
    }

    fn note(&mut self, node: usize, kind: Kind, text: String) -> u32 {
        let number = self.number(kind, text);
        let key = &mut self.all[number as usize];
        if key.latest == Some(node) {
            return number;
        }
        self.of_node[node].push(number);
        key.latest = Some(node);
        key.count += 1;
        if matches!(kind, Kind::Word | Kind::Subject | Kind::Phrase) && key.count > COMMON {
            key.nodes = Vec::new();
        } else {
            key.nodes.push(node);
        }
        number
    }

    /// Returns the number of a key, whether or not any node has it.
    fn number(&mut self, kind: Kind, text: String) -> u32 {
        let numbers = &mut self.numbers[kind as usize];
        if let Some(&number) = numbers.get(&*text) {
            return number;
        }
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        let key = Key {
            kind,
            text: Arc::clone(&text),
            said: None,
            count: 0,
            latest: None,
            is_name: false,
            nodes: Vec::new(),
        };
        self.all.push(key);
        numbers.insert(text, next);
        next
    }

    /// Returns what is kept of a lesson.
    pub(super) fn lesson(&mut self, lesson: &LessonFact) -> KnownLesson {
        let words = telling_words(&lesson.text).map(|told| self.number(Kind::Word, told.stem));
        let words = words.collect();
        let tags = lesson.tags.iter().flat_map(|tag| {
            [Kind::Tag, Kind::Tool].map(|kind| self.number(kind, tag.to_lowercase()))
        });
        let tags = tags.collect();
        KnownLesson { level: lesson.level, summary: lesson.summary.clone(), words, tags }
    }

    /// Returns the words that a project is called by, if it has a name of its own; from now on they are nothing
    /// that nodes have in common: what it is called says nothing of the work.
    pub(super) fn name_of(&mut self, project: &str) -> Vec<u32> {
        let name = project.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
        let words: Vec<Told> = telling_words(name).collect();
        if words.len() < stems(name).len() {
            return Vec::new();
        }
        let phrases: Vec<Told> = telling_phrases(name).collect();
        let phrases = phrases.into_iter().map(|told| self.number(Kind::Phrase, told.stem));
        let phrases: Vec<u32> = phrases.collect();
        let words = words.into_iter().map(|told| self.number(Kind::Word, told.stem));
        let words: Vec<u32> = words.collect();
        for &number in words.iter().chain(&phrases) {
            self.all[number as usize].is_name = true;
        }
        words
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

    /// Returns how a person would write it.
    pub(super) fn said(&self, key: u32) -> &str {
        let key = &self.all[key as usize];
        key.said.as_deref().unwrap_or(&key.text)
    }

    /// Returns all keys of a kind.
    pub(super) fn all(&self, kind: Kind) -> impl Iterator<Item = u32> {
        (0..).zip(&self.all).filter(move |(_, key)| key.kind == kind).map(|(number, _)| number)
    }

    /// Returns how much it says that a node has something: 1 if no other has it, and the less, the more have it.
    pub(super) fn weight(&self, key: u32) -> f64 {
        self.weight_of(self.count(key)) / self.weight_of(1)
    }

    #[expect(clippy::cast_precision_loss, reason = "there are not that many nodes")]
    fn weight_of(&self, nodes: usize) -> f64 {
        (1.0 + (self.of_node.len() + BACKGROUND) as f64 / nodes as f64).ln()
    }

    /// Returns whether so few nodes have something that it can link them: of many nodes a twentieth.
    pub(super) fn is_rare(&self, key: u32) -> bool {
        self.count(key) <= (self.of_node.len() / 20).clamp(UNCOMMON, COMMON)
            && !self.all[key as usize].is_name
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

/// Returns whether a file is read whatever the work is: what agents are told, what a project is and what it depends on.
fn is_everybodys(file: &str) -> bool {
    const BEGINNINGS: [&str; 7] =
        ["agents.", "changelog", "claude.", "contributing", "gemini.", "license", "readme"];
    const NAMES: [&str; 24] = [
        ".env",
        ".gitignore",
        "build.gradle",
        "build.gradle.kts",
        "build.sbt",
        "cargo.toml",
        "cmakelists.txt",
        "composer.json",
        "deno.json",
        "dune-project",
        "gemfile",
        "go.mod",
        "go.sum",
        "justfile",
        "makefile",
        "mix.exs",
        "package-lock.json",
        "package.json",
        "package.swift",
        "pnpm-lock.yaml",
        "pom.xml",
        "pyproject.toml",
        "requirements.txt",
        "tsconfig.json",
    ];
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_lowercase();
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || NAMES.contains(&&*name)
        || name.rsplit_once('.').is_some_and(|(_, ending)| ending == "lock")
}
