//! What nodes can have in common, and how rare each of these is.

use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;

use smallvec::SmallVec;

use super::signature::{error_signature, quoted_errors};
use super::words::{Phrase, Told, Words, stems};
use super::{KnownLesson, LessonFact, NodeFacts};
use crate::analysis::examples::ByHash;
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
    /// These nodes, in the order of time; of a word that many have they are not kept, and most are of one node or two.
    nodes: SmallVec<[usize; 2]>,
}

/// Everything that nodes can have in common.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: Vec<Key>,
    /// The number of each, by kind and text.
    numbers: [HashMap<Arc<str>, u32>; KINDS],
    /// What each node has, but for phrases that no other has.
    of_node: Vec<Vec<u32>>,
    /// How many of these each node has.
    own_phrases: Vec<u32>,
    /// All phrases, by what stands for them. Most are said in one node and never again, and little is kept of those: there
    /// may be millions.
    phrases: ByHash<Said>,
    words: Words,
}

/// Where a phrase was said.
#[derive(Clone, Copy, Debug)]
enum Said {
    /// In this node and in no other. How is not kept: so many are said once.
    Once(u32),
    /// In several; this is the number of the key.
    Again(u32),
}

/// What more nodes have than this links none of them, and what at most so many have may.
const COMMON: usize = 20;
const UNCOMMON: usize = 5;

/// So many words that were met are remembered, before they are looked at anew: where names are said once each, most of them
/// never come again.
const MOST_WORDS: usize = 40_000;

/// A brain of few nodes is weighed as if so many more were there that share nothing: that two of twenty nodes have
/// something says no more than that two of two hundred have it.
const BACKGROUND: usize = 200;

impl Keys {
    /// Notes what the next node has.
    pub(super) fn add(&mut self, node: &NodeFacts) {
        let number = self.of_node.len();
        self.of_node.push(Vec::new());
        self.own_phrases.push(0);
        // What is said of models and users sounds alike whatever the work was.
        let is_about_work =
            |lesson: &&LessonFact| !matches!(lesson.level, LessonLevel::Model | LessonLevel::User);
        let learnt = node.lessons.iter().filter(is_about_work).map(|lesson| &*lesson.text);
        let text: Vec<&str> = [&*node.text, &*node.decisions].into_iter().chain(learnt).collect();
        let text = text.join("\n");
        let of_project = self.words.told(&node.project);
        for (kind, text) in [(Kind::Word, &*text), (Kind::Subject, &node.decisions)] {
            for Told { stem, said } in self.words.telling(text) {
                if of_project.iter().all(|it| it.stem != stem) {
                    let key = self.number(kind, &stem);
                    self.note(number, key);
                    self.note_how(key, || said.to_string());
                }
            }
        }
        let mut words = take(&mut self.words);
        words.each_telling_phrase(&text, |phrase| self.note_phrase(number, &phrase));
        if words.count() < MOST_WORDS {
            self.words = words;
        }
        for file in node.files.iter().filter(|file| !is_everybodys(file)) {
            self.note_text(number, Kind::File, &whole_path(&node.project, file));
        }
        for tag in &node.tags {
            self.note_text(number, Kind::Tag, &tag.to_lowercase());
        }
        for tool in &node.tools {
            self.note_text(number, Kind::Tool, &tool.to_lowercase());
        }
        for error in &node.errors {
            let signature = signature(&error.error_type, &error.message);
            self.note_text(number, Kind::Error, &signature);
        }
        let messages = node.errors.iter().map(|error| &*error.message);
        for said in messages.chain([&*node.text]).flat_map(quoted_errors) {
            self.note_text(number, Kind::Error, &said);
        }
    }

    /// Notes a phrase, which is something to have in common as soon as a second node says it.
    fn note_phrase(&mut self, node: usize, phrase: &Phrase<'_>) {
        let mark = phrase.mark();
        match self.phrases.get(&mark).copied() {
            None => {
                let by = u32::try_from(node).unwrap_or(u32::MAX);
                self.phrases.insert(mark, Said::Once(by));
                self.own_phrases[node] += 1;
            }
            Some(Said::Once(first)) if first as usize == node => {}
            Some(Said::Once(first)) => {
                let key = self.number(Kind::Phrase, &phrase.stems());
                self.phrases.insert(mark, Said::Again(key));
                self.own_phrases[first as usize] -= 1;
                self.note(first as usize, key);
                self.note_how(key, || phrase.said());
                self.note(node, key);
            }
            Some(Said::Again(key)) => self.note(node, key),
        }
    }

    fn note_text(&mut self, node: usize, kind: Kind, text: &str) {
        let key = self.number(kind, text);
        self.note(node, key);
    }

    fn note(&mut self, node: usize, number: u32) {
        let key = &mut self.all[number as usize];
        if key.latest == Some(node) {
            return;
        }
        self.of_node[node].push(number);
        key.latest = Some(node);
        key.count += 1;
        if matches!(key.kind, Kind::Word | Kind::Subject | Kind::Phrase) && key.count > COMMON {
            key.nodes = SmallVec::new();
        } else {
            key.nodes.push(node);
        }
    }

    /// Notes how something was said that only one node has so far, if that is not how it is compared.
    fn note_how(&mut self, number: u32, said: impl Fn() -> String) {
        let key = &mut self.all[number as usize];
        if key.count == 1 && key.said.is_none() {
            key.said = Some(said()).filter(|said| **said != *key.text).map(Into::into);
        }
    }

    /// Returns the number of a key, whether or not any node has it.
    fn number(&mut self, kind: Kind, text: &str) -> u32 {
        let numbers = &mut self.numbers[kind as usize];
        if let Some(&number) = numbers.get(text) {
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
            nodes: SmallVec::new(),
        };
        self.all.push(key);
        numbers.insert(text, next);
        next
    }

    /// Returns what is kept of a lesson.
    pub(super) fn lesson(&mut self, lesson: &LessonFact) -> KnownLesson {
        let words = self.words.telling(&lesson.text);
        let words = words.iter().map(|told| self.number(Kind::Word, &told.stem)).collect();
        let tags = lesson.tags.iter().flat_map(|tag| {
            [Kind::Tag, Kind::Tool].map(|kind| self.number(kind, &tag.to_lowercase()))
        });
        let tags = tags.collect();
        KnownLesson { level: lesson.level, summary: lesson.summary.clone(), words, tags }
    }

    /// Returns the words that a project is called by, if it has a name of its own; from now on they are nothing
    /// that nodes have in common: what it is called says nothing of the work.
    pub(super) fn name_of(&mut self, project: &str) -> Vec<u32> {
        let name = project.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
        let words: Vec<Told> = self.words.telling(name);
        if words.len() < stems(name).len() {
            return Vec::new();
        }
        let mut phrases: Vec<String> = Vec::new();
        self.words.each_telling_phrase(name, |phrase| phrases.push(phrase.stems()));
        let phrases = phrases.iter().map(|stems| self.number(Kind::Phrase, stems));
        let phrases: Vec<u32> = phrases.collect();
        let words = words.iter().map(|told| self.number(Kind::Word, &told.stem));
        let words: Vec<u32> = words.collect();
        for &number in words.iter().chain(&phrases) {
            self.all[number as usize].is_name = true;
        }
        words
    }

    /// Returns how many phrases a node has that no other has.
    pub(super) fn own_phrases(&self, node: usize) -> u32 {
        self.own_phrases[node]
    }

    /// Returns what else a node has.
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
