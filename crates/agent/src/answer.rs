//! From a question and evidence to an answer that names its evidence.

use std::cell::RefCell;

use pi_brain_brain::{Standing, redact};

use crate::allowance::{Allowance, Spent};
use crate::analyse::{Estimate, Limits};
use crate::citations::{Citations, first_sentence};
use crate::error::{AgentError, Result};
use crate::model::{Event, Model, Request, Watch};
use crate::prompts::Prompts;
use crate::transcript::{estimate_tokens, one_line};

/// So many characters are shown of what was said around a sentence.
const AROUND: usize = 1_500;
/// So many of the sentence itself, and of a question.
const SENTENCE: usize = 1_000;

/// Something that may answer a question. It goes by its position, counted from 1.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The day on which it was said, if that is known.
    pub day: Option<&'a str>,
    /// The project.
    pub project: &'a str,
    /// Whether it still holds.
    pub standing: Standing,
    /// The sentence that fits the question.
    pub excerpt: &'a str,
    /// The whole text that it stands in.
    pub passage: &'a str,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answer, with marks such as `[2]`, each of which names evidence.
    pub text: String,
    /// Its first sentence, without marks.
    pub summary: String,
    /// How many marks were taken out that named evidence which is not there.
    pub invented: usize,
    /// What it took.
    pub spent: Spent,
}

/// Estimates what an answer takes.
pub fn estimate_answer(
    question: &str,
    evidence: &[Evidence<'_>],
    prompts: &Prompts,
    limits: Limits,
) -> Estimate {
    /// Most answers are not longer.
    const USUAL_ANSWER: u64 = 300;
    let text = shown(question, evidence, limits);
    let tokens_in = estimate_tokens(&prompts.answer) + estimate_tokens(&text);
    Estimate {
        requests: 1,
        tokens_in,
        tokens_out: USUAL_ANSWER.min(limits.answer_tokens),
        most_tokens_in: tokens_in,
        most_tokens_out: limits.answer_tokens,
    }
}

/// Asks a model to answer a question from evidence.
///
/// Whoever looks on gets the answer piece by piece, without marks that name nothing. An answer that names no evidence at
/// all is an error: nobody could check it. The allowance is asked before; what was taken is in it also after an error.
pub fn answer(
    question: &str,
    evidence: &[Evidence<'_>],
    model: &mut dyn Model,
    prompts: &Prompts,
    limits: Limits,
    allowance: &mut Allowance,
    watch: &Watch<'_>,
) -> Result<Answered> {
    if evidence.is_empty() {
        return Err(AgentError::NothingSaid);
    }
    watch.check()?;
    let text = shown(question, evidence, limits);
    let (instructions, answer_tokens) = (&*prompts.answer, limits.answer_tokens);
    allowance.ask(estimate_tokens(instructions) + estimate_tokens(&text), answer_tokens)?;
    (watch.on_event)(Event::Asking { number: 1, total: 1 });

    let pieces = RefCell::new(Citations::new(evidence.len()));
    let on_event = |event: Event<'_>| match event {
        Event::Answering { bytes, text } => {
            let mut pieces = pieces.borrow_mut();
            (watch.on_event)(Event::Answering { bytes, text: pieces.hear(text) });
        }
        Event::Anew => {
            *pieces.borrow_mut() = Citations::new(evidence.len());
            (watch.on_event)(Event::Anew);
        }
        event => (watch.on_event)(event),
    };
    let checked = Watch { stop: watch.stop, on_event: &on_event };
    let request =
        Request { instructions, text: &text, schema: None, answer_tokens, is_read_along: true };
    let mut spent = Spent::default();
    let reply = model.ask(&request, &checked, &mut spent);
    allowance.charge(&spent);
    let reply = reply?;
    let mut pieces = pieces.into_inner();
    let last = pieces.end();
    if !last.is_empty() {
        (watch.on_event)(Event::Answering { bytes: reply.text.len(), text: last });
    }
    let answered = check(&reply.text, evidence.len(), spent)?;
    if pieces.text() != answered.text {
        // It did not come in pieces, or not all of it.
        (watch.on_event)(Event::Anew);
        let (bytes, text) = (answered.text.len(), &*answered.text);
        (watch.on_event)(Event::Answering { bytes, text });
    }
    Ok(answered)
}

/// Takes out of an answer what names nothing, and refuses it if nothing is named.
fn check(reply: &str, known: usize, spent: Spent) -> Result<Answered> {
    let mut citations = Citations::new(known);
    citations.hear(reply);
    citations.end();
    let text = citations.text().to_owned();
    let bad = |reason: &str| Err(AgentError::BadOutput { reason: reason.to_owned() });
    if text.is_empty() {
        return bad("it is empty");
    }
    if citations.cited().is_empty() {
        return bad("it names no evidence that is there");
    }
    let summary = first_sentence(&text);
    Ok(Answered { text, summary, invented: citations.invented(), spent })
}

/// Returns what the model gets to read: free of secrets, and each piece of evidence in lines that nothing in it can break.
fn shown(question: &str, evidence: &[Evidence<'_>], limits: Limits) -> String {
    let room = limits.part_tokens.saturating_mul(4) / (evidence.len() as u64).max(1);
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let question = line(question, SENTENCE);
    let mut lines = vec![format!("The question: {question}"), "\nThe evidence:".to_owned()];
    for (number, piece) in (1..).zip(evidence) {
        let standing = match piece.standing {
            Standing::Stands => "nothing says otherwise",
            Standing::Superseded => "superseded by a later decision",
            Standing::Abandoned => "given up",
        };
        let (day, project) = (piece.day.unwrap_or("unknown"), line(piece.project, SENTENCE));
        lines.push(format!("\n[{number}] day: {day}; project: {project}; standing: {standing}"));
        let (passage, secrets) = redact(piece.passage);
        let passage = one_line(&passage);
        let sentence = line(piece.excerpt, SENTENCE.min(room));
        // What is a secret may show only in what stands around it.
        if secrets.is_empty() || passage.contains(&sentence) {
            lines.push(format!("sentence: {sentence}"));
        }
        let around = around(&passage, &sentence, AROUND.min(room));
        if around != sentence && !around.is_empty() {
            lines.push(format!("around it: {around}"));
        }
    }
    lines.join("\n")
}

/// Makes a text free of secrets and one line of at most so many characters.
fn line(text: &str, limit: usize) -> String {
    one_line(&redact(text).0).chars().take(limit).collect()
}

/// Returns what stands around a sentence in a passage, at most so many characters.
fn around(passage: &str, sentence: &str, limit: usize) -> String {
    let before = passage.find(sentence).map_or(0, |at| passage[..at].chars().count());
    let lead = limit.saturating_sub(sentence.chars().count()) / 2;
    passage.chars().skip(before.saturating_sub(lead)).take(limit).collect()
}

#[cfg(test)]
mod tests;
