//! From a transcript to a judgement.

use serde_json::Value;

use crate::allowance::{Allowance, Spent};
use crate::claims::{Dropped, Known};
use crate::error::{AgentError, Result, short};
use crate::judgement::{Judgement, answer_schema};
use crate::model::{Event, Model, Request, Watch};
use crate::parse::parse;
use crate::prompts::Prompts;
use crate::transcript::{Transcript, estimate_tokens};

/// How much is asked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most tokens of a transcript, or of judgements to be put together, in one request.
    pub part_tokens: u64,
    /// The most tokens of an answer.
    pub answer_tokens: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { part_tokens: 48_000, answer_tokens: 6_000 }
    }
}

/// What an analysis is likely to take, and what it can take at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// How many requests, if no answer has to be asked for once more.
    pub requests: u32,
    /// Tokens that the model reads then.
    pub tokens_in: u64,
    /// Tokens that it writes then, if its answers are as long as most are.
    pub tokens_out: u64,
    /// The most that it can read.
    pub most_tokens_in: u64,
    /// The most that it can write.
    pub most_tokens_out: u64,
}

/// Estimates what it takes to analyse a unit of work.
pub fn estimate(transcript: &Transcript, prompts: &Prompts, limits: Limits) -> Estimate {
    /// Most answers are not longer.
    const USUAL_ANSWER: u64 = 1_200;
    let answer = limits.answer_tokens;
    let usual = USUAL_ANSWER.min(answer);
    let parts = transcript.parts(limits.part_tokens);
    let (analyse, merge) = (estimate_tokens(&prompts.analyse), estimate_tokens(&prompts.merge));
    let read: u64 = parts.iter().map(|part| analyse + estimate_tokens(part)).sum();
    let count = parts.len() as u64;
    // Of so many judgements one is made, two or more at once.
    let joins = if count > 1 { count.div_ceil(2) } else { 0 };
    let joined = |answer: u64| joins * merge + if joins > 0 { 2 * count * answer } else { 0 };
    let requests = count + joins;
    let repairs = requests * (estimate_tokens(&prompts.repair) + answer);
    Estimate {
        requests: u32::try_from(requests).unwrap_or(u32::MAX),
        tokens_in: read + joined(usual),
        tokens_out: requests * usual,
        most_tokens_in: read + joined(answer) + repairs,
        most_tokens_out: 2 * requests * answer,
    }
}

/// What came of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysed {
    /// What the model makes of the unit of work.
    pub judgement: Judgement,
    /// What this analysis took.
    pub spent: Spent,
    /// The version of the prompts.
    pub prompt_version: String,
    /// Statements that were left out, because they speak of files or tools that the log does not contain.
    pub dropped: Vec<Dropped>,
    /// Whether the unit was too long to be read at once.
    pub rlm_used: bool,
    /// About how many tokens the transcript has.
    pub transcript_tokens: u64,
}

/// Asks a model what it makes of a unit of work.
///
/// A long one is read in parts, whose judgements a further request puts together. An answer that cannot be used is asked for
/// once more. The allowance is asked before each request; what was taken is in it also after an error.
pub fn analyse(
    transcript: &Transcript,
    model: &mut dyn Model,
    prompts: &Prompts,
    limits: Limits,
    allowance: &mut Allowance,
    watch: &Watch<'_>,
) -> Result<Analysed> {
    if transcript.is_empty() {
        return Err(AgentError::NothingSaid);
    }
    let before = allowance.spent().clone();
    let parts = transcript.parts(limits.part_tokens);
    let total = if parts.len() > 1 { parts.len() + 1 } else { 1 };
    let known = transcript.known();
    let mut run = Run {
        model,
        prompts,
        limits,
        allowance,
        watch,
        known,
        number: 0,
        total,
        dropped: Vec::new(),
    };
    let mut judgements = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        judgements.push(run.judge(&prompts.analyse, &introduced(at, parts.len(), part))?);
    }
    let judgement = run.merge(judgements)?;
    let dropped = run.dropped;
    Ok(Analysed {
        judgement,
        spent: allowance.spent().since(&before),
        prompt_version: prompts.version().to_owned(),
        dropped,
        rlm_used: parts.len() > 1,
        transcript_tokens: transcript.tokens(),
    })
}

fn introduced(at: usize, total: usize, part: &str) -> String {
    match total {
        1 => format!("The transcript:\n\n{part}"),
        _ => format!(
            "This is part {} of {total} of the transcript. Judge this part; the others are judged apart.\n\n{part}",
            at + 1
        ),
    }
}

/// An analysis under way.
struct Run<'a> {
    model: &'a mut dyn Model,
    prompts: &'a Prompts,
    limits: Limits,
    allowance: &'a mut Allowance,
    watch: &'a Watch<'a>,
    known: &'a Known,
    /// How many requests went out, without repairs.
    number: usize,
    total: usize,
    dropped: Vec<Dropped>,
}

impl Run<'_> {
    /// Puts judgements together, as many at once as fit into a request, until there is one.
    fn merge(&mut self, mut judgements: Vec<Judgement>) -> Result<Judgement> {
        while judgements.len() > 1 {
            let mut merged = Vec::new();
            for group in groups(&judgements, self.limits.part_tokens) {
                merged.push(match group {
                    [one] => one.clone(),
                    several => {
                        let answers: Vec<Value> =
                            several.iter().map(Judgement::to_answer).collect();
                        let text =
                            answers.iter().map(Value::to_string).collect::<Vec<_>>().join("\n\n");
                        self.judge(&self.prompts.merge.clone(), &text)?
                    }
                });
            }
            judgements = merged;
        }
        judgements.pop().ok_or(AgentError::NothingSaid)
    }

    /// Asks, and once more if the answer cannot be used.
    fn judge(&mut self, instructions: &str, text: &str) -> Result<Judgement> {
        self.number += 1;
        self.total = self.total.max(self.number);
        (self.watch.on_event)(Event::Asking { number: self.number, total: self.total });
        let (answer, is_cut_off) = self.ask(instructions, text)?;
        let reason = match self.read(&answer) {
            Ok(judgement) => return Ok(judgement),
            Err(reason) if is_cut_off => format!("{reason} (it was too long, and was cut off)"),
            Err(reason) => reason,
        };
        let text = format!("The reason: {reason}\n\nThe answer:\n\n{answer}");
        (self.watch.on_event)(Event::Anew);
        let (answer, _) = self.ask(&self.prompts.repair.clone(), &text)?;
        self.read(&answer).map_err(|reason| AgentError::BadOutput { reason: short(&reason) })
    }

    fn ask(&mut self, instructions: &str, text: &str) -> Result<(String, bool)> {
        self.watch.check()?;
        let answer_tokens = self.limits.answer_tokens;
        self.allowance.ask(estimate_tokens(instructions) + estimate_tokens(text), answer_tokens)?;
        let schema = Some(answer_schema());
        let request = Request { instructions, text, schema, answer_tokens, is_read_along: false };
        let mut spent = Spent::default();
        let reply = self.model.ask(&request, self.watch, &mut spent);
        self.allowance.charge(&spent);
        reply.map(|reply| (reply.text, reply.is_cut_off))
    }

    fn read(&mut self, answer: &str) -> std::result::Result<Judgement, String> {
        let (judgement, dropped) = parse(answer, self.known)?;
        self.dropped.extend(dropped);
        Ok(judgement)
    }
}

/// Cuts judgements into groups that fit into a request, of two at least: each round must leave fewer.
fn groups(judgements: &[Judgement], tokens: u64) -> Vec<&[Judgement]> {
    let mut groups = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, judgement) in judgements.iter().enumerate() {
        let more = estimate_tokens(&judgement.to_answer().to_string());
        if at - start >= 2 && size + more > tokens {
            groups.push(&judgements[start..at]);
            (start, size) = (at, 0);
        }
        size += more;
    }
    groups.push(&judgements[start..]);
    groups
}
