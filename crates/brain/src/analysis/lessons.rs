//! What is worth remembering, with what it rests on.
//!
//! Only what the log shows: what the user laid down, flagged or had to say twice, what failed one way and then worked
//! another, and how skills and subagents did.

use std::collections::BTreeSet;

use super::errors::Recovery;
use super::helpers::Helper;
use super::speech::{Signs, lays_down, sentences};
use super::talk::{Speaker, Talk, Turn};
use super::text::words;
use crate::line::one_line;
use crate::node::{Confidence, FlagType, Lesson, LessonLevel, LessonsByLevel, ManualFlag};
use crate::vocabulary;

/// So many lessons of one level are given.
const MOST: usize = 8;
/// So long is the line of one, in characters.
const SUMMARY_LENGTH: usize = 200;
const DETAILS_LENGTH: usize = 500;

/// Fewer words order something once and lay down nothing.
const FEWEST_WORDS: usize = 3;

/// What lessons are drawn from.
pub(super) struct Experience<'a> {
    pub(super) talk: &'a Talk,
    pub(super) recoveries: &'a [Recovery],
    pub(super) helpers: &'a [Helper],
    pub(super) flags: &'a [ManualFlag],
    pub(super) tags: &'a [String],
    pub(super) model: &'a str,
}

/// A lesson, and the entries that show it.
struct Learnt {
    lesson: Lesson,
    entries: Vec<String>,
}

/// Returns the lessons, and for the path of each the entries that show it.
pub(super) fn lessons(experience: &Experience<'_>) -> (LessonsByLevel, Vec<(String, Vec<String>)>) {
    let mut learnt = rules(experience);
    learnt.extend(conduct(experience));
    learnt.extend(experience.recoveries.iter().map(|recovery| from_recovery(recovery, experience)));
    learnt.extend(experience.helpers.iter().map(|helper| from_helper(helper, experience)));
    learnt.extend(vagueness(experience));
    learnt.extend(experience.flags.iter().map(|flag| from_flag(flag, experience)));
    let mut lessons = LessonsByLevel::default();
    let mut evidence = Vec::new();
    let mut seen = BTreeSet::new();
    for Learnt { lesson, entries } in learnt {
        let (list, name) = match lesson.level {
            LessonLevel::Project => (&mut lessons.project, "project"),
            LessonLevel::Task => (&mut lessons.task, "task"),
            LessonLevel::User => (&mut lessons.user, "user"),
            LessonLevel::Model => (&mut lessons.model, "model"),
            LessonLevel::Tool => (&mut lessons.tool, "tool"),
            LessonLevel::Skill => (&mut lessons.skill, "skill"),
            LessonLevel::Subagent => (&mut lessons.subagent, "subagent"),
        };
        if list.len() < MOST && seen.insert((name, lesson.summary.to_lowercase())) {
            evidence.push((format!("lessons.{name}[{}]", list.len()), entries));
            list.push(lesson);
        }
    }
    (lessons, evidence)
}

/// What the user laid down for the project, and what a summary lists as given.
fn rules(experience: &Experience<'_>) -> Vec<Learnt> {
    let mut found = Vec::new();
    for turn in experience.talk.by(Speaker::User).filter(|turn| turn.reading().is_understood) {
        for sentence in sentences(&turn.text).into_iter().filter(|sentence| lays_down(sentence)) {
            let says_enough = words(sentence).count() >= FEWEST_WORDS || is_unspaced(sentence);
            if says_enough && !sentence.ends_with('?') {
                found.push(experience.learnt(
                    LessonLevel::Project,
                    sentence,
                    &turn.text,
                    Confidence::High,
                    Some(sentence),
                    turn,
                ));
            }
        }
    }
    for turn in experience.talk.by(Speaker::Summary) {
        let sections = ["constraints & preferences", "constraints", "critical context"];
        for item in items(&turn.text, &sections) {
            found.push(experience.learnt(
                LessonLevel::Project,
                item,
                item,
                Confidence::Medium,
                None,
                turn,
            ));
        }
    }
    found
}

/// Returns whether a sentence is in a script that puts no spaces between words, so that these cannot be counted.
fn is_unspaced(sentence: &str) -> bool {
    sentence.contains(vocabulary::is_unspaced)
}

/// Returns the items of lists under some headings.
fn items<'a>(text: &'a str, headings: &[&str]) -> Vec<&'a str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() {
            inside = headings.contains(&&*heading.trim().to_lowercase());
        } else if inside && line.starts_with(['-', '*']) {
            let item = line.trim_start_matches(['-', '*', ' ']).trim();
            if !matches!(&*item.to_lowercase(), "" | "none" | "(none)") {
                found.push(item);
            }
        }
    }
    found
}

/// Signs that the user speaks of how the model goes about it.
static CONDUCT: Signs = Signs::new(
    "guess|you keep|you always|you again|again and again|every time|stop |we never|never use|i told you|\
    i said|didn't ask|didnt ask|you forgot|why did you|why do you|schon wieder|rate nicht|nicht raten|\
    ich habe gesagt|hatten doch gesagt|encore une fois|je t'ai dit|arrête de|otra vez|te dije|de novo|\
    eu disse|また|言いました|又|我说过|别猜",
);

/// What the user says against the way a model works.
fn conduct(experience: &Experience<'_>) -> Vec<Learnt> {
    let replies = experience.talk.later_replies();
    let complaints = replies.filter(|(_, turn)| turn.reading().refuses());
    let mut found = Vec::new();
    for (before, turn) in complaints {
        let complaint = sentences(&turn.text)
            .into_iter()
            .find(|sentence| CONDUCT.are_in(&sentence.to_lowercase()));
        if let (Some(complaint), Some(_)) = (complaint, before) {
            let summary = format!("{}: the user had to say “{complaint}”", experience.model);
            found.push(experience.learnt(
                LessonLevel::Model,
                &summary,
                &turn.text,
                Confidence::Medium,
                Some(complaint),
                turn,
            ));
        }
    }
    found
}

fn from_recovery(recovery: &Recovery, experience: &Experience<'_>) -> Learnt {
    let summary = format!(
        "`{}` failed ({}); `{}` worked",
        recovery.failed, recovery.message, recovery.worked
    );
    let actionable = format!("Use `{}` instead of `{}`.", recovery.worked, recovery.failed);
    let lesson = experience.lesson(
        LessonLevel::Tool,
        &summary,
        &recovery.message,
        Confidence::Medium,
        Some(&actionable),
    );
    Learnt { lesson, entries: recovery.entries.clone() }
}

fn from_helper(helper: &Helper, experience: &Experience<'_>) -> Learnt {
    let (level, what) = if helper.is_skill {
        (LessonLevel::Skill, "skill")
    } else {
        (LessonLevel::Subagent, "subagent")
    };
    let mentions =
        |turn: &&Turn| turn.speaker != Speaker::Summary && turn.text.to_lowercase().contains(what);
    let said = experience.talk.turns().iter().rev().find(mentions).map_or("", |turn| &*turn.text);
    let verdict = if helper.failures == 0 { "worked" } else { "did not get by without errors" };
    let summary = format!("The {what} {} was used and {verdict}", helper.name);
    let flagged = experience
        .flags
        .iter()
        .find(|flag| flag.message.to_lowercase().contains(&helper.name.to_lowercase()));
    let details = [flagged.map_or("", |flag| &*flag.message), said].join(" ");
    let lesson = experience.lesson(level, &summary, &details, Confidence::Low, None);
    Learnt { lesson, entries: vec![helper.entry.clone()] }
}

/// A request that had to be said again.
fn vagueness(experience: &Experience<'_>) -> Option<Learnt> {
    const SHORT: usize = 60;
    static CORRECTIONS: Signs = Signs::new(
        "i meant|way too|not what i|thats not what|that's not what|i wanted|ich meinte|je voulais|quería|\
        eu queria|つもり|我的意思",
    );
    let mut requests = experience.talk.by(Speaker::User);
    let first = requests.next()?;
    let second = requests.next()?;
    let is_corrected = CORRECTIONS.are_in(&second.text.to_lowercase());
    if !is_corrected || first.text.chars().count() > 2 * SHORT {
        return None;
    }
    let summary = format!(
        "“{}” was too vague: it took “{}” to make it clear",
        one_line(&first.text, SHORT),
        one_line(&second.text, 2 * SHORT)
    );
    let mut learnt = experience.learnt(
        LessonLevel::User,
        &summary,
        &second.text,
        Confidence::Medium,
        Some("Say what it is for and how long it should be."),
        second,
    );
    learnt.entries.insert(0, first.entry.clone());
    Some(learnt)
}

fn from_flag(flag: &ManualFlag, experience: &Experience<'_>) -> Learnt {
    let level = match flag.flag_type {
        FlagType::Quirk => LessonLevel::Model,
        FlagType::Fail | FlagType::Win => LessonLevel::Task,
        FlagType::Note => LessonLevel::Project,
    };
    let lesson = experience.lesson(level, &flag.message, &flag.message, Confidence::High, None);
    Learnt { lesson, entries: vec![flag.entry_id.clone()] }
}

impl Experience<'_> {
    fn lesson(
        &self,
        level: LessonLevel,
        summary: &str,
        details: &str,
        confidence: Confidence,
        actionable: Option<&str>,
    ) -> Lesson {
        let mentioned: BTreeSet<String> = words(&[summary, details].join(" ")).collect();
        Lesson {
            level,
            summary: one_line(summary, SUMMARY_LENGTH),
            details: one_line(details, DETAILS_LENGTH),
            confidence,
            tags: self.tags.iter().filter(|tag| mentioned.contains(*tag)).cloned().collect(),
            actionable: actionable.map(|text| one_line(text, SUMMARY_LENGTH)),
        }
    }

    fn learnt(
        &self,
        level: LessonLevel,
        summary: &str,
        details: &str,
        confidence: Confidence,
        actionable: Option<&str>,
        turn: &Turn,
    ) -> Learnt {
        let lesson = self.lesson(level, summary, details, confidence, actionable);
        Learnt { lesson, entries: vec![turn.entry.clone()] }
    }
}
