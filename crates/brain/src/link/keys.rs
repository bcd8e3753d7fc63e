//! What nodes can have in common, and how rare each of these is.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::mem::take;

use smallvec::SmallVec;

use super::compact::{ByMark, Holder, Mark, Place, Rows, Slot, Texts, short};
use super::signature::{error_signature, quoted_errors};
use super::words::{Phrase, Told, Words, mark, stems};
use super::{KnownLesson, LessonFact, NodeFacts};
use crate::analysis::examples::join;
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

/// Something that nodes have in common.
#[derive(Debug)]
struct Key {
    kind: Kind,
    text: Place,
    /// How it was said first.
    said: Place,
    /// How many nodes have it, and the last that was noted.
    count: u32,
    latest: Option<u32>,
    /// Whether a project is called by it.
    is_name: bool,
    /// These nodes, in the order of time; of a word that many have they are not kept, and most are of few nodes.
    nodes: SmallVec<[u32; 4]>,
}

/// Everything that nodes can have in common.
#[derive(Debug, Default)]
pub(super) struct Keys {
    all: Vec<Key>,
    texts: Texts,
    /// Who has what, by what stands for its kind and text. Most is had by one node and by no other, and little is kept of
    /// that: there may be millions.
    holders: ByMark<Slot>,
    /// How words were said that only one node has, where that is something else than how they are compared.
    said: ByMark<Place>,
    /// How many things of each kind each node has that no other has.
    own: Vec<[u32; KINDS]>,
    /// What each node has that one before it has as well.
    again: Rows,
    /// What each node was the first to have and others have as well, once there are no more keys.
    first: Rows,
    /// The same until then, with the number of the node, as it came.
    unsorted: Vec<(u32, u32)>,
    words: Words,
}

/// What more nodes have than this links none of them, and what at most so many have may.
const COMMON: usize = 20;
const UNCOMMON: usize = 5;

/// So many words that were met are remembered, before they are looked at anew: where names are said once each, most of them
/// never come again.
const MOST_WORDS: usize = 20_000;

/// A brain of few nodes is weighed as if so many more were there that share nothing: that two of twenty nodes have
/// something says no more than that two of two hundred have it.
const BACKGROUND: usize = 200;

impl Keys {
    /// Notes what the next node has.
    pub(super) fn add(&mut self, node: &NodeFacts) {
        self.own.push([0; KINDS]);
        self.again.begin();
        // What is said of models and users sounds alike whatever the work was.
        let is_about_work =
            |lesson: &&LessonFact| !matches!(lesson.level, LessonLevel::Model | LessonLevel::User);
        let learnt = node.lessons.iter().filter(is_about_work).map(|lesson| &*lesson.text);
        let text: Vec<&str> = [&*node.text, &*node.decisions].into_iter().chain(learnt).collect();
        let text = text.join("\n");
        let of_project = self.words.told(&node.project);
        for (kind, text) in [(Kind::Word, &*text), (Kind::Subject, &node.decisions)] {
            for told in self.words.telling(text) {
                if of_project.iter().all(|it| it.stem != told.stem) {
                    self.note(kind, &told);
                }
            }
        }
        let mut words = take(&mut self.words);
        words.each_telling_phrase(&text, |phrase| self.note(Kind::Phrase, &phrase));
        if words.count() < MOST_WORDS {
            self.words = words;
        }
        for file in node.files.iter().filter(|file| !is_everybodys(file)) {
            self.note(Kind::File, &*whole_path(&node.project, file));
        }
        for tag in &node.tags {
            self.note(Kind::Tag, &*tag.to_lowercase());
        }
        for tool in &node.tools {
            self.note(Kind::Tool, &*tool.to_lowercase());
        }
        for error in &node.errors {
            self.note(Kind::Error, &*signature(&error.error_type, &error.message));
        }
        let messages = node.errors.iter().map(|error| &*error.message);
        for said in messages.chain([&*node.text]).flat_map(quoted_errors) {
            self.note(Kind::Error, &*said);
        }
    }

    /// Notes that the latest node has something; it gets a key as soon as a second node has it.
    fn note(&mut self, kind: Kind, thing: &(impl Thing + ?Sized)) {
        let mark = mark_of(kind, thing);
        let latest = self.latest();
        let holder = match self.holders.entry(mark) {
            Entry::Occupied(place) => place.get().holder(),
            Entry::Vacant(place) => {
                place.insert(Slot::new(Holder::Node(latest)));
                self.own[latest as usize][kind as usize] += 1;
                // There are too many phrases to keep how each was said.
                if kind != Kind::Phrase && thing.said() != thing.text() {
                    self.said.insert(mark, self.texts.add(&thing.said()));
                }
                return;
            }
        };
        let key = match holder {
            Holder::Node(only) if only == latest => return,
            Holder::Node(_) => self.key(kind, thing),
            Holder::Key(key) => key,
        };
        // How a phrase is said is told by the second node, and how a word is that so far only a lesson has, by this.
        if self.count(key) == usize::from(kind == Kind::Phrase) {
            self.all[key as usize].said = self.texts.add(&thing.said());
        }
        self.give(latest, key);
    }

    /// Notes that a node has what there is a key of.
    fn give(&mut self, node: u32, number: u32) {
        let key = &mut self.all[number as usize];
        if key.latest == Some(node) {
            return;
        }
        if key.count == 0 {
            self.unsorted.push((node, number));
        } else {
            self.again.push(number);
        }
        key.latest = Some(node);
        key.count += 1;
        let is_said = matches!(key.kind, Kind::Word | Kind::Subject | Kind::Phrase);
        if is_said && key.count as usize > COMMON {
            key.nodes = SmallVec::new();
        } else {
            key.nodes.push(node);
        }
    }

    /// Returns the number of the key of something, whoever has it.
    fn key(&mut self, kind: Kind, thing: &(impl Thing + ?Sized)) -> u32 {
        let mark = mark_of(kind, thing);
        if let Some(key) = self.noted(mark) {
            return key;
        }
        let number = short(self.all.len());
        let text = self.texts.add(&thing.text());
        self.all.push(Key {
            kind,
            text,
            said: self.said.remove(&mark).unwrap_or(text),
            count: 0,
            latest: None,
            is_name: false,
            nodes: SmallVec::new(),
        });
        let before = self.holders.insert(mark, Slot::new(Holder::Key(number)));
        if let Some(Holder::Node(only)) = before.map(Slot::holder) {
            self.own[only as usize][kind as usize] -= 1;
            self.give(only, number);
        }
        number
    }

    /// Returns the number of the node that was added last.
    fn latest(&self) -> u32 {
        short(self.own.len().saturating_sub(1))
    }

    /// Returns what is kept of a lesson of the node that was added last.
    pub(super) fn lesson(&mut self, lesson: &LessonFact) -> KnownLesson {
        let words = self.words.telling(&lesson.text);
        let words = words.iter().map(|told| {
            let mark = mark_of(Kind::Word, told);
            // If only a later node says it, then that is what shows that the lesson was applied.
            if !self.has(self.latest() as usize, mark) {
                self.key(Kind::Word, told);
            }
            mark
        });
        let words = words.collect();
        let tags = lesson.tags.iter().flat_map(|tag| {
            [Kind::Tag, Kind::Tool].map(|kind| mark_of(kind, &*tag.to_lowercase()))
        });
        KnownLesson {
            level: lesson.level,
            summary: lesson.summary.as_str().into(),
            words,
            tags: tags.collect(),
        }
    }

    /// Returns the words that a project is called by, if it has a name of its own; from now on they are nothing
    /// that nodes have in common: what it is called says nothing of the work.
    pub(super) fn name_of(&mut self, project: &str) -> Vec<u32> {
        let name = project.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
        let words: Vec<Told> = self.words.telling(name);
        if words.len() < stems(name).len() {
            return Vec::new();
        }
        let mut met = take(&mut self.words);
        let mut phrases: Vec<u32> = Vec::new();
        met.each_telling_phrase(name, |phrase| phrases.push(self.key(Kind::Phrase, &phrase)));
        self.words = met;
        let words: Vec<u32> = words.iter().map(|told| self.key(Kind::Word, told)).collect();
        for &number in words.iter().chain(&phrases) {
            self.all[number as usize].is_name = true;
        }
        words
    }

    /// Takes in that there will be no more keys.
    pub(super) fn settle(&mut self) {
        let mut unsorted = take(&mut self.unsorted);
        unsorted.sort_unstable();
        let mut rest = &*unsorted;
        for node in 0..short(self.own.len()) {
            self.first.begin();
            let (row, others) = rest.split_at(rest.partition_point(|(of, _)| *of == node));
            for (_, key) in row {
                self.first.push(*key);
            }
            rest = others;
        }
    }

    /// Forgets what only serves to find things by how they are written.
    pub(super) fn let_go(&mut self) {
        self.holders = ByMark::default();
        self.said = ByMark::default();
        self.words = Words::default();
    }

    /// Returns the number of the key of something, if it has one.
    pub(super) fn noted(&self, mark: Mark) -> Option<u32> {
        match self.holders.get(&mark)?.holder() {
            Holder::Node(_) => None,
            Holder::Key(key) => Some(key),
        }
    }

    /// Returns whether a node has something that is not a word of many.
    pub(super) fn has(&self, node: usize, mark: Mark) -> bool {
        self.holders.get(&mark).is_some_and(|slot| match slot.holder() {
            Holder::Node(only) => only == short(node),
            Holder::Key(key) => self.is_of(key, node),
        })
    }

    /// Returns how many things of each kind a node has that no other has.
    pub(super) fn own(&self, node: usize) -> [u32; KINDS] {
        self.own[node]
    }

    /// Returns what it has that others have as well.
    pub(super) fn of_node(&self, node: usize) -> impl Iterator<Item = u32> {
        [self.again.row(node), self.first.row(node)].into_iter().flatten().copied()
    }

    fn count(&self, key: u32) -> usize {
        self.all[key as usize].count as usize
    }

    /// Returns the nodes that have something, in the order of time; none if it is a word that links nothing.
    pub(super) fn nodes(&self, key: u32) -> impl Iterator<Item = usize> + Clone {
        self.all[key as usize].nodes.iter().map(|node| *node as usize)
    }

    /// Returns whether a node is among these.
    pub(super) fn is_of(&self, key: u32, node: usize) -> bool {
        self.all[key as usize].nodes.binary_search(&short(node)).is_ok()
    }

    pub(super) fn kind(&self, key: u32) -> Kind {
        self.all[key as usize].kind
    }

    pub(super) fn text(&self, key: u32) -> &str {
        self.texts.at(self.all[key as usize].text)
    }

    /// Returns how a person would write it.
    pub(super) fn said(&self, key: u32) -> &str {
        self.texts.at(self.all[key as usize].said)
    }

    /// Returns the keys of a kind.
    pub(super) fn all(&self, kind: Kind) -> impl Iterator<Item = u32> {
        (0..).zip(&self.all).filter(move |(_, key)| key.kind == kind).map(|(number, _)| number)
    }

    /// Returns how much it says that a node has something: 1 if no other has it, and the less, the more have it.
    pub(super) fn weight(&self, key: u32) -> f64 {
        self.weight_of(self.count(key)) / self.weight_of(1)
    }

    #[expect(clippy::cast_precision_loss, reason = "there are not that many nodes")]
    fn weight_of(&self, nodes: usize) -> f64 {
        (1.0 + (self.own.len() + BACKGROUND) as f64 / nodes as f64).ln()
    }

    /// Returns whether so few nodes have something that it can link them: of many nodes a twentieth.
    pub(super) fn is_rare(&self, key: u32) -> bool {
        self.count(key) <= (self.own.len() / 20).clamp(UNCOMMON, COMMON)
            && !self.all[key as usize].is_name
    }

    /// Returns the rare things that two nodes have in common, the rarest first.
    pub(super) fn shared(&self, one: usize, other: usize) -> Vec<u32> {
        let is_shared = |key: &u32| self.is_of(*key, other) && self.is_rare(*key);
        let mut shared: Vec<u32> = self.of_node(one).filter(is_shared).collect();
        shared.sort_by_key(|&key| (self.count(key), self.kind(key), self.text(key)));
        shared
    }
}

fn mark_of(kind: Kind, thing: &(impl Thing + ?Sized)) -> Mark {
    Mark::new(join(thing.mark(), kind as u64))
}

/// Something that a node has, as it is written there.
trait Thing {
    /// Returns what stands for it among things of its kind.
    fn mark(&self) -> u64;
    /// Returns how it is compared.
    fn text(&self) -> Cow<'_, str>;
    /// Returns how a person would write it.
    fn said(&self) -> Cow<'_, str>;
}

impl Thing for Told {
    fn mark(&self) -> u64 {
        self.mark
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.stem)
    }

    fn said(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.said)
    }
}

impl Thing for Phrase<'_> {
    fn mark(&self) -> u64 {
        Phrase::mark(self)
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.stems())
    }

    fn said(&self) -> Cow<'_, str> {
        Cow::Owned(Phrase::said(self))
    }
}

impl Thing for str {
    fn mark(&self) -> u64 {
        mark(self)
    }

    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn said(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
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
