//! Answers made of what was said: sentences that fit a question, each with the passage it comes from.
//!
//! A [`Question`] is understood, the caller looks for [`Passage`]s with its words, and [`choose`] takes the sentences that
//! answer it. Nothing is made up: where no passage has what the question is about, there is no answer.

mod words;
mod sentences;
mod table;
mod question;
mod manner;
mod choosing;

pub use choosing::{Chosen, Quote, Standing, choose};
pub use question::{Asks, Question, plain_word};
pub use table::{Table, file_in};

use pi_brain_session::Millis;

/// Something that was said or noted, and may hold an answer.
#[derive(Clone, Debug)]
pub struct Passage {
    /// What it says.
    pub text: String,
    /// Who says it.
    pub voice: Voice,
    /// When.
    pub time: Option<Millis>,
    /// The session that it stands in.
    pub session: u32,
    /// Its position in the session.
    pub position: u32,
    /// The unit of work that it belongs to, or the session if it belongs to none.
    pub work: u64,
    /// The folder of the project.
    pub project: String,
    /// What the unit of work is about.
    pub about: String,
    /// Whether it lies on no way that any file of the family is on.
    pub is_abandoned: bool,
    /// Whether something is decided here.
    pub is_decision: bool,
    /// How much was found where it comes from, as a share of the most that was found in one place.
    pub evidence: f64,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A person.
    Person,
    /// A model.
    Model,
    /// A tool or a command.
    Tool,
    /// A summary of what came before.
    Summary,
    /// What an analysis noted: a decision or a lesson.
    Note,
}

/// How common words are in everything that can be found.
#[derive(Clone, Debug, Default)]
pub struct Commonness {
    /// How many documents there are.
    pub documents: u64,
    /// How many of them have each word of the question, in the order of [`Question::words`].
    pub with_word: Vec<u64>,
}

#[cfg(test)]
mod tests;
