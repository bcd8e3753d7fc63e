//! What all ways to a model have in common.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::allowance::Spent;
use crate::error::{AgentError, Result};

/// A way to ask a language model.
pub trait Model {
    /// Asks, and waits for the whole answer.
    ///
    /// What was spent is charged to `spent` also where there is an error: providers count failed answers, too.
    fn ask(&mut self, request: &Request<'_>, watch: &Watch<'_>, spent: &mut Spent)
    -> Result<Reply>;
}

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What it shall do.
    pub instructions: &'a str,
    /// What it shall do it with. This is data, and may have been written by anybody.
    pub text: &'a str,
    /// The shape of the answer, as a JSON schema, for those who can hold a model to it.
    pub schema: Option<&'a Value>,
    /// The longest answer, in tokens, for those who can hold a model to it.
    pub answer_tokens: u64,
    /// Whether somebody reads along, so that the answer is wanted piece by piece from those who can do either.
    pub is_read_along: bool,
}

impl Request<'_> {
    /// Returns instructions and text as one message.
    pub(crate) fn message(&self) -> String {
        format!("{}\n\n{}", self.instructions.trim_end(), self.text)
    }
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What it said.
    pub text: String,
    /// Whether it was cut off at the longest length.
    pub is_cut_off: bool,
}

/// What happens while a model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A request goes out: which one, and of how many as far as that is known.
    Asking {
        /// Counted from 1.
        number: usize,
        /// Without repairs.
        total: usize,
    },
    /// More of the answer has come.
    Answering {
        /// How many bytes there are, with those that the model only thinks.
        bytes: usize,
        /// The new piece of the answer; empty while the model only thinks.
        text: &'a str,
    },
    /// The answer begins anew: the pieces that came are no part of it.
    Anew,
    /// The model uses a tool.
    Tool {
        /// Its name.
        name: &'a str,
    },
}

/// How a caller looks on, and ends it.
pub struct Watch<'a> {
    /// Once this is true, the request ends with [`AgentError::Aborted`].
    pub stop: &'a AtomicBool,
    /// Is told what happens.
    pub on_event: &'a dyn Fn(Event<'_>),
}

impl Watch<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(AgentError::Aborted) } else { Ok(()) }
    }
}
