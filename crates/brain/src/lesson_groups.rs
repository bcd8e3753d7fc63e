//! Lessons that say the same in other words, as one.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::NodeId;
use crate::link::stems;
use crate::node::{Confidence, LessonLevel};

/// A lesson, with where it was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearntLesson {
    /// The node.
    pub node: NodeId,
    /// When the work began.
    pub learnt: Millis,
    /// The working directory.
    pub project: String,
    /// What it is about.
    pub level: LessonLevel,
    /// One line.
    pub summary: String,
    /// The whole explanation.
    pub details: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// By what to filter it.
    pub tags: Vec<String>,
    /// What to do about it.
    pub actionable: Option<String>,
}

/// Lessons of one level that say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LessonGroup {
    /// What they are about.
    pub level: LessonLevel,
    /// One line, as it was put last.
    pub summary: String,
    /// The explanation that goes with it.
    pub details: String,
    /// How sure the surest of them is.
    pub confidence: Confidence,
    /// What to do about it, as it was put last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actionable: Option<String>,
    /// In how many nodes it was learnt.
    pub count: usize,
    /// In how many of them within the last 30 days.
    pub recent: usize,
    /// In how many of them within the 30 days before.
    pub before: usize,
    /// Whether it comes up more often than before.
    pub trend: Trend,
    /// When it was learnt first.
    pub first_seen: Millis,
    /// When it was learnt last.
    pub last_seen: Millis,
    /// The projects.
    pub projects: BTreeSet<String>,
    /// The tags of all of them.
    pub tags: BTreeSet<String>,
    /// All the ways in which it was put, the latest first.
    pub wordings: Vec<String>,
    /// The nodes, the latest first.
    pub nodes: Vec<NodeId>,
}

/// How often something comes up, compared with before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Trend {
    /// More often.
    Rising,
    /// As often.
    Steady,
    /// Less often.
    Falling,
}

impl Trend {
    pub(crate) fn of(recent: usize, before: usize) -> Self {
        match recent.cmp(&before) {
            std::cmp::Ordering::Greater => Self::Rising,
            std::cmp::Ordering::Equal => Self::Steady,
            std::cmp::Ordering::Less => Self::Falling,
        }
    }
}

/// A month, as far as trends go.
const MONTH: i64 = 30 * 24 * 3600 * 1000;

/// Counts how many times lie within the last 30 days, and how many within the 30 before.
pub(crate) fn lately(times: impl Iterator<Item = Millis>, now: Millis) -> (usize, usize) {
    times.fold((0, 0), |(recent, before), time| match now.0 - time.0 {
        ..=MONTH => (recent + 1, before),
        age if age <= 2 * MONTH => (recent, before + 1),
        _ => (recent, before),
    })
}

/// Lessons are the same if they share so much of the weight of all their words.
const SAME: f64 = 0.5;

/// Words that more lessons have do not lead from one to the other; they count all the same.
const COMMON: usize = 200;

/// Groups lessons that say the same, the most frequent first, then the latest.
///
/// Two lessons of a level are alike if the words of their lines, without endings and weighted by rarity, overlap by
/// half. Groups are what is connected by such pairs, so that they do not depend on the order of the lessons.
pub fn group_lessons(mut lessons: Vec<LearntLesson>, now: Millis) -> Vec<LessonGroup> {
    lessons.sort_by(|one, other| {
        let by_time = other.learnt.cmp(&one.learnt);
        by_time.then(one.node.cmp(&other.node)).then_with(|| one.summary.cmp(&other.summary))
    });
    // Equal words first: what is said a thousand times is compared once.
    let mut numbers: BTreeMap<(&'static str, Vec<String>), usize> = BTreeMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (at, lesson) in lessons.iter().enumerate() {
        let words = match stems(&lesson.summary) {
            // A line without telling words is only like itself.
            none if none.is_empty() => vec![lesson.summary.trim().to_lowercase()],
            words => words,
        };
        let number = *numbers.entry((level_word(lesson.level), words)).or_insert(members.len());
        match members.get_mut(number) {
            Some(group) => group.push(at),
            None => members.push(vec![at]),
        }
    }
    let mut wordings: Vec<(&'static str, &[String])> = vec![("", &[]); members.len()];
    for ((level, words), &number) in &numbers {
        wordings[number] = (level, words);
    }
    let leaders = connected(&wordings);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, leader) in leaders.into_iter().enumerate() {
        groups.entry(leader).or_default().extend(&members[number]);
    }
    let mut groups: Vec<LessonGroup> = groups
        .into_values()
        .map(|mut group| {
            group.sort_unstable();
            described(&group.iter().map(|&at| &lessons[at]).collect::<Vec<_>>(), now)
        })
        .collect();
    groups.sort_by(|one, other| {
        let by_count = other.count.cmp(&one.count).then(other.last_seen.cmp(&one.last_seen));
        by_count.then_with(|| one.summary.cmp(&other.summary))
    });
    groups
}

fn level_word(level: LessonLevel) -> &'static str {
    match level {
        LessonLevel::Project => "project",
        LessonLevel::Task => "task",
        LessonLevel::User => "user",
        LessonLevel::Model => "model",
        LessonLevel::Tool => "tool",
        LessonLevel::Skill => "skill",
        LessonLevel::Subagent => "subagent",
    }
}

/// Returns for each wording the first one that it is connected with.
fn connected(wordings: &[(&'static str, &[String])]) -> Vec<usize> {
    let index = WordIndex::of(wordings);
    let mut leaders: Vec<usize> = (0..wordings.len()).collect();
    // How much of the rare words each earlier wording shares with the present one.
    let mut shared = vec![0.0; wordings.len()];
    for number in 0..wordings.len() {
        let mut candidates = Vec::new();
        let mut common = 0.0;
        for &word in &index.words[number] {
            let (weight, others) = (index.weights[word], &index.having[word]);
            if others.len() > COMMON {
                common += weight;
                continue;
            }
            for &other in others.iter().take_while(|&&other| other < number) {
                if shared[other] == 0.0 {
                    candidates.push(other);
                }
                shared[other] += weight;
            }
        }
        for other in candidates {
            // Most have too little in common even if they share every common word.
            let most = shared[other] + common;
            shared[other] = 0.0;
            if index.likeness(number, other, most) >= SAME
                && index.likeness(number, other, index.shared(number, other)) >= SAME
            {
                let (one, two) = (leader_of(&leaders, number), leader_of(&leaders, other));
                leaders[one.max(two)] = one.min(two);
            }
        }
    }
    (0..wordings.len()).map(|number| leader_of(&leaders, number)).collect()
}

/// Which wordings have which words, with numbers in place of words.
struct WordIndex {
    /// The words of each wording, in order.
    words: Vec<Vec<usize>>,
    /// The wordings that have a word, in order.
    having: Vec<Vec<usize>>,
    /// How much a word tells: rare ones more.
    weights: Vec<f64>,
    /// How much all words of a wording tell.
    totals: Vec<f64>,
}

impl WordIndex {
    fn of(wordings: &[(&'static str, &[String])]) -> Self {
        let pairs = |(level, words): &(&'static str, &'_ [String])| {
            let level = *level;
            words.iter().map(move |word| (level, word.clone())).collect::<Vec<_>>()
        };
        let all: BTreeSet<(&str, String)> = wordings.iter().flat_map(pairs).collect();
        let numbers: HashMap<(&str, &str), usize> = all
            .iter()
            .zip(0..)
            .map(|((level, word), number)| ((*level, &**word), number))
            .collect();
        let words: Vec<Vec<usize>> = wordings
            .iter()
            .map(|(level, words)| words.iter().map(|word| numbers[&(*level, &**word)]).collect())
            .collect();
        let mut having = vec![Vec::new(); numbers.len()];
        for (wording, words) in words.iter().enumerate() {
            for &word in words {
                having[word].push(wording);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "there are not that many lessons")]
        let weight = |having: &Vec<usize>| (1.0 + wordings.len() as f64 / having.len() as f64).ln();
        let weights: Vec<f64> = having.iter().map(weight).collect();
        let total = |words: &Vec<usize>| words.iter().map(|&word| weights[word]).sum();
        let totals = words.iter().map(total).collect();
        Self { words, having, weights, totals }
    }

    /// Returns how much the words tell that two wordings share.
    fn shared(&self, one: usize, other: usize) -> f64 {
        let others = &self.words[other];
        let shared = self.words[one].iter().filter(|word| others.binary_search(word).is_ok());
        shared.map(|&word| self.weights[word]).sum()
    }

    /// Returns which part of all their words two wordings share, if they share so much.
    fn likeness(&self, one: usize, other: usize, shared: f64) -> f64 {
        shared / (self.totals[one] + self.totals[other] - shared)
    }
}

fn leader_of(leaders: &[usize], mut number: usize) -> usize {
    while leaders[number] != number {
        number = leaders[number];
    }
    number
}

/// Describes a group; its lessons come latest first.
fn described(lessons: &[&LearntLesson], now: Millis) -> LessonGroup {
    let latest = lessons[0];
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut wordings: Vec<String> = Vec::new();
    let mut times = Vec::new();
    let (mut seen_nodes, mut seen_wordings) = (HashSet::new(), HashSet::new());
    for lesson in lessons {
        if seen_nodes.insert(lesson.node) {
            nodes.push(lesson.node);
            times.push(lesson.learnt);
        }
        if seen_wordings.insert(&*lesson.summary) {
            wordings.push(lesson.summary.clone());
        }
    }
    let (recent, before) = lately(times.into_iter(), now);
    let surest = lessons.iter().map(|lesson| lesson.confidence).min_by_key(|sure| match sure {
        Confidence::High => 0,
        Confidence::Medium => 1,
        Confidence::Low => 2,
    });
    LessonGroup {
        level: latest.level,
        summary: latest.summary.clone(),
        details: latest.details.clone(),
        confidence: surest.unwrap_or(latest.confidence),
        actionable: lessons.iter().find_map(|lesson| lesson.actionable.clone()),
        count: nodes.len(),
        recent,
        before,
        trend: Trend::of(recent, before),
        first_seen: lessons.last().map_or(latest.learnt, |lesson| lesson.learnt),
        last_seen: latest.learnt,
        projects: lessons.iter().map(|lesson| lesson.project.clone()).collect(),
        tags: lessons.iter().flat_map(|lesson| lesson.tags.iter().cloned()).collect(),
        wordings,
        nodes,
    }
}

#[cfg(test)]
mod tests;
