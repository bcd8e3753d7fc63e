//! How the work ended, and what shows it.

use super::command;
use super::errors::Unresolved;
use super::heard::{Answer, Call};
use super::judgement::Judgement;
use super::speech::{Signs, announces, sentences};
use super::talk::{Speaker, Talk, Turn};
use super::text::opening;
use super::traits::Traits;
use crate::line::one_line;
use crate::node::Outcome;

/// Shorter words conclude nothing, in characters.
const SUBSTANCE: usize = 12;
/// Shorter words do not tell what was done, in characters.
const TELLING: usize = 60;
/// So many turns before the last are looked at for words that do.
const LOOKED_BACK: usize = 4;
/// So much of the last words is kept, in characters.
const WORDS_LENGTH: usize = 240;

/// Remembers what came last.
#[derive(Debug, Default)]
pub(super) struct Ending {
    answer: Option<LastAnswer>,
    /// The user's words that no answer followed.
    unanswered: Option<String>,
    /// What the last result of a tool says of the work, if anything.
    last_result: Option<Told>,
    has_committed: bool,
    has_taken_back: bool,
    /// Whether tools answered since the user spoke last.
    worked_since: bool,
}

#[derive(Debug)]
struct LastAnswer {
    entry: String,
    asks: bool,
    stop: Stop,
}

/// What a tool tells of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// Something that was done does not work.
    Failed,
    /// The work was committed, or put to use.
    Kept,
    /// Tests or other checks were content.
    Checked,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Done,
    /// With a tool call, or at the limit of its length: more was to come.
    Midway,
    Stopped,
    Failed,
}

/// What a verdict goes by besides what came last.
pub(super) struct Circumstances<'a> {
    pub(super) talk: &'a Talk,
    pub(super) unresolved: Option<&'a Unresolved>,
    pub(super) traits: &'a Traits,
}

/// How the work ended, with what shows it.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    /// The entry that shows it.
    pub(super) entry: Option<String>,
    /// A sentence that says it.
    pub(super) sentence: String,
    /// What speaks against it, if much does.
    pub(super) doubt: Option<&'static str>,
}

/// Outcomes, in the order in which they are judged.
pub const OUTCOMES: [Outcome; 4] =
    [Outcome::Success, Outcome::Partial, Outcome::Failed, Outcome::Abandoned];

static JUDGEMENT: Judgement<4> = Judgement::new(include_bytes!("judgement/outcomes.bin"));

/// With a smaller lead another reader could say something else.
const CLEAR: f32 = 0.25;

impl Ending {
    pub(super) fn hear_request(&mut self, entry: &str) {
        self.unanswered = Some(entry.to_owned());
        self.worked_since = false;
    }

    pub(super) fn hear_answer(&mut self, entry: &str, answer: &Answer<'_>) {
        let stop = match answer.stop_reason {
            _ if answer.error.is_some() => Stop::Failed,
            Some("aborted") => Stop::Stopped,
            Some("length" | "toolUse" | "deferred") => Stop::Midway,
            _ if !answer.calls.is_empty() => Stop::Midway,
            _ => Stop::Done,
        };
        self.unanswered = None;
        self.answer = Some(LastAnswer {
            entry: entry.to_owned(),
            asks: answer.text.trim_end_matches(['*', '_', ' ', '\n']).ends_with(['?', '？']),
            stop,
        });
    }

    pub(super) fn hear_result(&mut self, call: &Call, failed: bool) {
        let command = call.command.as_deref().unwrap_or_default();
        self.last_result =
            if failed { (!call.only_looks()).then_some(Told::Failed) } else { confirmed(command) };
        self.has_committed |= !failed && command.contains("git commit");
        self.has_taken_back |= !failed && command::takes_back(command);
        self.worked_since = true;
    }

    /// Returns whether the user spoke last.
    pub(super) fn is_unanswered(&self) -> bool {
        self.unanswered.is_some()
    }

    /// Returns how it ended, as far as examples can be compared by it.
    pub(super) fn facts(&self) -> impl Iterator<Item = &'static str> {
        let stop = self.answer.as_ref().map_or("not answered", |answer| match answer.stop {
            Stop::Done => "answered",
            Stop::Midway => "ends midway",
            Stop::Stopped => "stopped",
            Stop::Failed => "model failed",
        });
        let asks = self.answer.as_ref().is_some_and(|answer| answer.asks);
        let facts = [
            (true, stop),
            (asks, "asks"),
            (asks && self.unanswered.is_none(), "ends asking"),
            (self.unanswered.is_some(), "user spoke last"),
            (self.last_result == Some(Told::Failed), "last result failed"),
            (self.last_result == Some(Told::Kept), "last result kept"),
            (self.last_result == Some(Told::Checked), "last result checked"),
            (self.has_committed, "committed"),
            (self.has_taken_back, "took back"),
            (self.worked_since, "worked since"),
        ];
        facts.into_iter().filter_map(|(is_so, fact)| is_so.then_some(fact))
    }

    /// Decides how the work ended, by examples of all that was heard, and says what shows it.
    pub(super) fn verdict(&self, with: &Circumstances<'_>) -> Verdict {
        let Some(answer) = &self.answer else {
            let (outcome, entry) = (Outcome::Abandoned, self.unanswered.clone());
            return Verdict {
                outcome,
                entry,
                sentence: "No answer was given.".to_owned(),
                doubt: None,
            };
        };
        let conclusion = conclusion(with.talk);
        let shown = Shown { ending: self, answer, with, conclusion };
        if answer.stop == Stop::Failed && conclusion.is_none() {
            let (entry, sentence) = shown.evidence(Outcome::Failed);
            return Verdict { outcome: Outcome::Failed, entry: Some(entry), sentence, doubt: None };
        }
        let mut weighed: Vec<(Outcome, f32)> =
            OUTCOMES.into_iter().zip(JUDGEMENT.weigh(with.traits)).collect();
        // The sort is stable: of equals the earlier one stays first.
        weighed.sort_by(|one, other| other.1.total_cmp(&one.1));
        let is_clear = weighed[0].1 - weighed[1].1 > CLEAR;
        let (entry, sentence) = shown.evidence(weighed[0].0);
        Verdict {
            outcome: weighed[0].0,
            entry: Some(entry),
            sentence,
            doubt: (!is_clear).then_some("much speaks for another outcome"),
        }
    }
}

/// What can show how the work ended.
struct Shown<'a> {
    ending: &'a Ending,
    answer: &'a LastAnswer,
    with: &'a Circumstances<'a>,
    /// What the model said last.
    conclusion: Option<&'a Turn>,
}

impl Shown<'_> {
    /// Returns the entry that shows an outcome best, and a sentence that says it.
    fn evidence(&self, outcome: Outcome) -> (String, String) {
        let by_answer = |sentence: &str| (self.answer.entry.clone(), sentence.to_owned());
        let is_user_last = self.ending.unanswered.is_some();
        match (outcome, self.answer.stop) {
            (Outcome::Success, _) => self.by_conclusion(),
            (_, Stop::Stopped) if !is_user_last => by_answer("The user stopped it."),
            (Outcome::Abandoned, _) => self
                .by_last_words()
                .or_else(|| self.by_error())
                .unwrap_or_else(|| self.by_conclusion()),
            (_, Stop::Failed) => self.by_error().unwrap_or_else(|| by_answer("The model failed.")),
            (_, _) if self.ending.last_result == Some(Told::Failed) => {
                self.by_error().unwrap_or_else(|| self.by_conclusion())
            }
            (_, Stop::Midway) if !is_user_last => by_answer("It broke off midway."),
            (_, _) if is_user_last => self.by_last_words().unwrap_or_else(|| self.by_conclusion()),
            (_, _) => self.by_conclusion(),
        }
    }

    /// The first words of the user open the work; only later ones can tell how it ended.
    fn by_last_words(&self) -> Option<(String, String)> {
        let last = self.with.talk.by(Speaker::User).skip(1).last()?;
        let quoted = one_line(&last.text, WORDS_LENGTH / 2);
        Some((last.entry.clone(), format!("The user's last words: “{quoted}”")))
    }

    fn by_error(&self) -> Option<(String, String)> {
        let error = self.with.unresolved?;
        Some((error.entry.clone(), format!("Left unresolved: {}.", told(error))))
    }

    fn by_conclusion(&self) -> (String, String) {
        let entry = self.conclusion.map_or(&*self.answer.entry, |turn| &*turn.entry);
        (entry.to_owned(), self.concluded())
    }

    fn concluded(&self) -> String {
        let last = self.conclusion.map_or(String::new(), |turn| last_words(&turn.text));
        if last.chars().count() >= TELLING {
            return last;
        }
        // That it was committed says little; what was said before that says what.
        let told = self
            .with
            .talk
            .by(Speaker::Model)
            .rev()
            .skip_while(|turn| Some(&*turn.entry) != self.conclusion.map(|last| &*last.entry));
        let told = told
            .skip(1)
            .take(LOOKED_BACK)
            .find(|turn| turn.text.chars().count() >= TELLING && !announces(&turn.text));
        let told = told.map_or(String::new(), |turn| first_words(&turn.text));
        [told, last].join(" ").trim().to_owned()
    }
}

/// Returns how a command confirms what was done, if it does.
fn confirmed(command: &str) -> Option<Told> {
    static KEEPS: Signs =
        Signs::new("git commit|git push|deploy|apply|publish|restart|rollout|merge");
    static CHECKS: Signs =
        Signs::new("test|pytest|vitest|jest|rspec|ctest|check|verify|clippy|tsc |lint|build");
    let command = command.to_lowercase();
    let keeps = KEEPS.are_in(&command).then_some(Told::Kept);
    keeps.or_else(|| CHECKS.are_in(&command).then_some(Told::Checked))
}

/// Returns the last thing that a model said with substance.
fn conclusion(talk: &Talk) -> Option<&Turn> {
    let mut said = talk.by(Speaker::Model).rev().filter(|turn| !turn.text.is_empty());
    let last = said.next()?;
    if last.text.chars().count() >= SUBSTANCE { Some(last) } else { said.next().or(Some(last)) }
}

/// Returns what a conclusion says, in a sentence or two.
fn last_words(text: &str) -> String {
    let parts = sentences(text);
    let mut words = String::new();
    for part in parts {
        let part = part.replace("**", "");
        if !words.is_empty() && words.chars().count() + part.chars().count() > WORDS_LENGTH {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words += &one_line(&part, WORDS_LENGTH);
    }
    words
}

/// Returns how a turn begins, in a sentence.
fn first_words(text: &str) -> String {
    sentences(text)
        .first()
        .map_or(String::new(), |first| one_line(&first.replace("**", ""), WORDS_LENGTH))
}

/// Says an error in a few words; many messages begin with their category.
fn told(error: &Unresolved) -> String {
    let message = opening(&error.message, WORDS_LENGTH);
    let message = message.trim_end_matches('.');
    if message.is_empty() || message.contains(&error.category) {
        return if message.is_empty() { error.category.clone() } else { message.to_owned() };
    }
    format!("{}: {message}", error.category)
}
