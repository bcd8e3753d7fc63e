//! Runs a language model on a unit of work or a question, and makes of its answer what the rest of the program can trust.
//!
//! A [`Transcript`] is what a model gets to read of a segment: compact, without secrets, in parts where it is long.
//! [`analyse`] shows it to a [`Model`], be it [`PiJson`], [`PiRpc`] or [`OpenAi`], and reads a [`Judgement`] out of the
//! answer, of which [`Analysed::into_draft`] makes the next version of a node. [`answer`] shows it a question and
//! [`Evidence`], and lets nothing through that names evidence which is not there. An [`Allowance`] bounds what that may take,
//! and knows afterwards what it took.
//!
//! It knows nothing of databases, of the files that sessions are in, or of where nodes are kept. Numbers are not asked of
//! a model: the log has them.

mod allowance;
mod transcript;
mod claims;
mod prompts;
mod judgement;
mod parse;
mod model;
mod process;
mod pi;
mod openai;
mod analyse;
mod draft;
mod citations;
mod answer;
mod error;

pub use allowance::{Allowance, Price, Spent};
pub use analyse::{Analysed, Estimate, Limits, analyse, estimate};
pub use answer::{Answered, Evidence, answer, estimate_answer};
pub use claims::Dropped;
pub use error::{AgentError, Result};
pub use judgement::Judgement;
pub use model::{Event, Model, Reply, Request, Watch};
pub use openai::{KeySource, OpenAi, OpenAiSettings};
pub use pi::{PiJson, PiRpc, PiSettings};
pub use prompts::Prompts;
pub use transcript::{Transcript, estimate_tokens};
