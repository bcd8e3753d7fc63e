//! How the work ended.

use super::errors::Unresolved;
use super::heard::Answer;
use super::text::opening;
use crate::node::Outcome;

/// So much of the last words is kept, in characters.
const WORDS_LENGTH: usize = 160;

/// Remembers what came last.
#[derive(Debug, Default)]
pub(super) struct Ending {
    answer: Option<LastAnswer>,
    /// The user's words that no answer followed.
    unanswered: Option<String>,
    last_result_failed: bool,
}

#[derive(Debug)]
struct LastAnswer {
    entry: String,
    words: String,
    asks: bool,
    stop: Stop,
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

/// How the work ended, with what shows it.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    /// The entry that shows it.
    pub(super) entry: Option<String>,
    /// A sentence that says it.
    pub(super) sentence: String,
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
            words: opening(&answer.text, WORDS_LENGTH),
            asks: answer.text.trim_end_matches(['*', '_', ' ', '\n']).ends_with(['?', '？']),
            stop,
        });
    }

    pub(super) fn hear_result(&mut self, failed: bool) {
        self.last_result_failed = failed;
    }

    /// Decides how the work ended. Without a change to any file, what failed failed altogether.
    pub(super) fn verdict(self, unresolved: Option<&Unresolved>, has_changes: bool) -> Verdict {
        let Some(answer) = self.answer else {
            let sentence = "No answer was given.".to_owned();
            return Verdict { outcome: Outcome::Abandoned, entry: self.unanswered, sentence };
        };
        let lost = if has_changes { Outcome::Partial } else { Outcome::Failed };
        let by_answer = |outcome, sentence: &str| Verdict {
            outcome,
            entry: Some(answer.entry.clone()),
            sentence: sentence.to_owned(),
        };
        let by_error = |outcome, error: &Unresolved| Verdict {
            outcome,
            entry: Some(error.entry.clone()),
            sentence: format!("Left unresolved: {}.", told(error)),
        };
        let quoted = |how: &str| match &*answer.words {
            "" => format!("{how}."),
            words => format!("{how}: “{words}”"),
        };
        match (answer.stop, unresolved) {
            (Stop::Failed, Some(error)) => by_error(lost, error),
            (Stop::Failed, None) => by_answer(lost, "The model failed."),
            (Stop::Stopped, _) => by_answer(Outcome::Partial, "The user stopped it."),
            (_, Some(error)) if self.last_result_failed => by_error(lost, error),
            (_, Some(error)) => by_error(Outcome::Partial, error),
            _ if self.unanswered.is_some() => Verdict {
                outcome: Outcome::Partial,
                entry: self.unanswered,
                sentence: "The user's last words were not answered.".to_owned(),
            },
            (Stop::Midway, None) => by_answer(Outcome::Partial, "It broke off midway."),
            (Stop::Done, None) if answer.asks && !has_changes => {
                by_answer(Outcome::Partial, &quoted("Ended with a question"))
            }
            (Stop::Done, None) => by_answer(Outcome::Success, &quoted("Ended with")),
        }
    }
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
