//! How the work ended, and what shows it.

use super::errors::Unresolved;
use super::heard::{Answer, Call};
use super::speech::{Act, Conclusion, Signs, announces, conclusion_in, sentences};
use super::talk::{Speaker, Talk, Turn};
use super::text::opening;
use crate::boundary::Cause;
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
    last_result_failed: bool,
    /// The last thing that was run, if it checks or keeps the work, and was content.
    confirmation: Option<Confirmation>,
    has_committed: bool,
}

#[derive(Debug)]
struct LastAnswer {
    entry: String,
    asks: bool,
    stop: Stop,
}

/// What a tool confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirmation {
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
    pub(super) has_changes: bool,
    /// What ended the segment.
    pub(super) ended_by: Option<Cause>,
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

impl Ending {
    pub(super) fn hear_request(&mut self, entry: &str) {
        self.unanswered = Some(entry.to_owned());
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
        self.last_result_failed = failed && !call.only_looks();
        self.confirmation = confirmation(command).filter(|_| !failed);
        self.has_committed |= !failed && command.contains("git commit");
    }

    /// Decides how the work ended: by the user's last words first, then by what the model and the tools said.
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
        let judge = Judge { ending: self, answer, with, conclusion };
        judge.by_the_user().unwrap_or_else(|| judge.by_the_work())
    }
}

/// Decides how the work ended.
struct Judge<'a> {
    ending: &'a Ending,
    answer: &'a LastAnswer,
    with: &'a Circumstances<'a>,
    /// What the model said last.
    conclusion: Option<&'a Turn>,
}

impl Judge<'_> {
    /// Reads it from the user's last words, if these judge anything.
    fn by_the_user(&self) -> Option<Verdict> {
        let requests = || self.with.talk.by(Speaker::User);
        let last = requests().next_back()?;
        let is_first = requests().count() == 1;
        // The first words of the user open the work; only later ones can judge it.
        if is_first && !self.is_left() {
            return None;
        }
        let quoted = format!("The user's last words: “{}”", one_line(&last.text, WORDS_LENGTH / 2));
        let is_last = self.ending.unanswered.is_some();
        // Whoever says stop, and then gets something that works, has not given up.
        let went_on = self.answer.stop == Stop::Done
            && !is_last
            && self.with.has_changes
            && self.said() == Some(Conclusion::Done);
        if last.reading().gives_up() && !last.reading().praises() && !went_on {
            let has_failed = self.said() == Some(Conclusion::Failed);
            let outcome = if has_failed { Outcome::Failed } else { Outcome::Abandoned };
            return Some(verdict(outcome, &last.entry, quoted));
        }
        let is_content = last.reading().praises() || last.reading().consents();
        if is_last && is_content && !self.is_left() && self.answer.stop != Stop::Failed {
            let is_whole = last.reading().act == Act::Praise
                || self.said() != Some(Conclusion::Partial)
                || !self.with.has_changes;
            let outcome = if is_whole { Outcome::Success } else { Outcome::Partial };
            return Some(verdict(outcome, &last.entry, self.concluded()));
        }
        if is_last && last.reading().postpones() {
            let outcome = if self.with.has_changes || self.answer.asks {
                Outcome::Partial
            } else {
                Outcome::Success
            };
            return Some(verdict(outcome, &last.entry, quoted));
        }
        if self.is_left() && last.reading().refuses() {
            let outcome = match requests().count() {
                3.. if self.with.has_changes => Outcome::Partial,
                _ => Outcome::Abandoned,
            };
            return Some(verdict(outcome, &last.entry, quoted));
        }
        None
    }

    /// Reads it from what the model and the tools said last.
    fn by_the_work(&self) -> Verdict {
        let Circumstances { unresolved, has_changes, ended_by, .. } = *self.with;
        let lost = if has_changes { Outcome::Partial } else { Outcome::Failed };
        let given_up = if has_changes { Outcome::Partial } else { Outcome::Abandoned };
        let by_answer =
            |outcome, sentence: &str| verdict(outcome, &self.answer.entry, sentence.to_owned());
        let by_error = |outcome, error: &Unresolved| {
            verdict(outcome, &error.entry, format!("Left unresolved: {}.", told(error)))
        };
        let has_failed = self.ending.last_result_failed;
        match (self.answer.stop, unresolved) {
            (Stop::Stopped, _) => by_answer(given_up, "The user stopped it."),
            (Stop::Failed, Some(error)) => by_error(lost, error),
            (Stop::Failed, None) => by_answer(lost, "The model failed."),
            (Stop::Done, _) if self.says_failure() && !self.ending.has_committed => {
                self.by_conclusion(if has_failed { Outcome::Failed } else { lost })
            }
            (_, Some(error)) if has_failed => by_error(lost, error),
            (Stop::Done, Some(_))
                if ended_by != Some(Cause::Compaction) && !has_changes && self.concludes() =>
            {
                let doubt = Some("an error was never put right");
                Verdict { doubt, ..self.by_conclusion(Outcome::Success) }
            }
            (_, Some(error)) => by_error(Outcome::Partial, error),
            (Stop::Midway, None) if ended_by.is_none() && self.is_confirmed() => {
                let doubt = Some("nobody said that it was done");
                Verdict { doubt, ..self.by_conclusion(Outcome::Success) }
            }
            (Stop::Midway, None) => by_answer(Outcome::Partial, "It broke off midway."),
            (Stop::Done, None) if self.is_left() => {
                let doubt = Some("the user went elsewhere");
                Verdict { doubt, ..self.by_conclusion(given_up) }
            }
            (Stop::Done, None)
                if ended_by == Some(Cause::Compaction)
                    && has_changes
                    && !self.ending.has_committed =>
            {
                self.by_conclusion(Outcome::Partial)
            }
            (Stop::Done, None) if self.ending.unanswered.is_some() => self.unanswered(),
            (Stop::Done, None) if self.leaves_more() => {
                let doubt = Some("more was to come");
                Verdict { doubt, ..self.by_conclusion(Outcome::Partial) }
            }
            (Stop::Done, None) => self.by_conclusion(Outcome::Success),
        }
    }

    /// The last thing a user says may be a remark; a wish that nobody answers is another matter.
    fn unanswered(&self) -> Verdict {
        let last = self.with.talk.by(Speaker::User).next_back();
        match last.filter(|turn| turn.reading().refuses() || turn.text.ends_with('?')) {
            Some(turn) => {
                let quoted = one_line(&turn.text, WORDS_LENGTH / 2);
                let sentence = format!("The user's last words were not answered: “{quoted}”");
                verdict(Outcome::Partial, &turn.entry, sentence)
            }
            None => {
                let doubt = Some("the user's last words were not answered");
                Verdict { doubt, ..self.by_conclusion(Outcome::Success) }
            }
        }
    }

    fn by_conclusion(&self, outcome: Outcome) -> Verdict {
        let entry = self.conclusion.map_or(&*self.answer.entry, |turn| &*turn.entry);
        verdict(outcome, entry, self.concluded())
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

    /// Returns whether the model had something to say in the end.
    fn concludes(&self) -> bool {
        self.conclusion.is_some_and(|turn| turn.text.chars().count() >= SUBSTANCE)
    }

    /// Returns whether the user went elsewhere in the tree.
    fn is_left(&self) -> bool {
        matches!(self.with.ended_by, Some(Cause::Branch | Cause::TreeJump))
    }

    /// Returns what the model's last words say of the work.
    fn said(&self) -> Option<Conclusion> {
        let ends_failing = self.ending.last_result_failed || self.with.unresolved.is_some();
        self.conclusion.map(|turn| conclusion_in(&turn.text, ends_failing))
    }

    /// Returns whether the tools say that the work is done, where nobody else says it.
    fn is_confirmed(&self) -> bool {
        match self.ending.confirmation {
            Some(Confirmation::Kept) => true,
            Some(Confirmation::Checked) => self.said() == Some(Conclusion::Done),
            None => false,
        }
    }

    fn says_failure(&self) -> bool {
        self.said() == Some(Conclusion::Failed)
    }

    /// Returns whether the model's last words tell of more to come: of work, or of a question before any was done.
    fn leaves_more(&self) -> bool {
        let talk = self.with.talk;
        let only_asks = self.answer.asks && talk.by(Speaker::User).count() == 1;
        let was_asked =
            talk.by(Speaker::User).next().is_some_and(|turn| turn.text.contains(['?', '？']));
        if self.with.has_changes {
            self.said() == Some(Conclusion::Partial)
        } else {
            only_asks && !was_asked
        }
    }
}

/// Returns how a command confirms what was done, if it does.
fn confirmation(command: &str) -> Option<Confirmation> {
    static KEEPS: Signs =
        Signs::new("git commit|git push|deploy|apply|publish|restart|rollout|merge");
    static CHECKS: Signs =
        Signs::new("test|pytest|vitest|jest|rspec|ctest|check|verify|clippy|tsc |lint|build");
    let command = command.to_lowercase();
    let keeps = KEEPS.are_in(&command).then_some(Confirmation::Kept);
    keeps.or_else(|| CHECKS.are_in(&command).then_some(Confirmation::Checked))
}

fn verdict(outcome: Outcome, entry: &str, sentence: String) -> Verdict {
    Verdict { outcome, entry: Some(entry.to_owned()), sentence, doubt: None }
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
