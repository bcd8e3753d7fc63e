//! Lessons that say the same in other words, as one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pi_brain_session::Millis;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    let mut having: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (number, (level, words)) in wordings.iter().enumerate() {
        for word in *words {
            having.entry((level, word)).or_default().push(number);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "there are not that many lessons")]
    let weight = |level: &str, word: &str| {
        let nodes = having.get(&(level, word)).map_or(1, Vec::len);
        (1.0 + wordings.len() as f64 / nodes as f64).ln()
    };
    let total = |number: usize| {
        let (level, words) = wordings[number];
        words.iter().map(|word| weight(level, word)).sum::<f64>()
    };
    let totals: Vec<f64> = (0..wordings.len()).map(total).collect();
    let mut leaders: Vec<usize> = (0..wordings.len()).collect();
    for (number, (level, words)) in wordings.iter().enumerate() {
        let mut candidates: BTreeSet<usize> = BTreeSet::new();
        for word in *words {
            let others = &having[&(*level, &**word)];
            if others.len() <= COMMON {
                candidates.extend(others.iter().take_while(|&&other| other < number));
            }
        }
        for other in candidates {
            let is_shared = |word: &&String| wordings[other].1.binary_search(word).is_ok();
            let shared: f64 = words.iter().filter(is_shared).map(|word| weight(level, word)).sum();
            if shared / (totals[number] + totals[other] - shared) >= SAME {
                let (one, two) = (leader_of(&leaders, number), leader_of(&leaders, other));
                leaders[one.max(two)] = one.min(two);
            }
        }
    }
    (0..wordings.len()).map(|number| leader_of(&leaders, number)).collect()
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
    for lesson in lessons {
        if !nodes.contains(&lesson.node) {
            nodes.push(lesson.node);
            times.push(lesson.learnt);
        }
        if !wordings.contains(&lesson.summary) {
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
