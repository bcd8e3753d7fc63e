//! Answers to questions, with the lines that prove them and without a model.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::Zoned;
use pi_brain_brain::{Chosen, Commonness, Confidence, NodeId, Question, Standing, choose, redact};
use pi_brain_search::count_words;
use pi_brain_session::Millis;
use pi_brain_store::{NodeRow, SessionFile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::ask::gathering::{Material, Place};
use crate::ask::period::Period;
use crate::error::Result;

mod gathering;
mod period;
mod tables;

pub(crate) use tables::folder;

/// What somebody wants to know.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The question, as a person would ask it.
    pub question: &'a str,
    /// How many sources at most.
    pub limit: usize,
    /// The present time, in the user's time zone.
    pub now: &'a Zoned,
    /// The project that the user is in.
    pub project: Option<&'a str>,
}

/// An answer; without sources where nothing fits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The answer in one line.
    pub summary: String,
    /// The whole answer, with `[1]` for the first source and so on.
    pub answer: String,
    /// The units of work that it comes from, the most relevant first.
    pub related_nodes: Vec<RelatedNode>,
    /// Where it stands.
    pub sources: Vec<AnswerSource>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether it was counted: there is nothing that a model could add to it.
    #[serde(skip)]
    pub is_counted: bool,
}

/// A unit of work that has to do with an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RelatedNode {
    /// Its name.
    pub id: NodeId,
    /// How much it has to do with the question, from 0 to 1.
    pub relevance: f64,
    /// What was done.
    pub summary: String,
}

/// A place that an answer is taken from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerSource {
    /// The unit of work; what is still open belongs to none.
    pub node_id: Option<NodeId>,
    /// The session's id.
    pub session: Option<String>,
    /// The entry's id.
    pub entry: String,
    /// The session file, unless it is gone.
    pub file: Option<String>,
    /// The line of the file.
    pub line: Option<u32>,
    /// What it says.
    pub excerpt: String,
    /// The whole text that this stands in.
    #[serde(skip)]
    pub passage: String,
    /// Whether that still holds.
    #[serde(skip)]
    pub standing: Standing,
    /// The working directory.
    #[serde(skip)]
    pub project: String,
    /// When it was said.
    #[serde(skip)]
    pub time: Option<Millis>,
    /// The session, for those who want to go there.
    #[serde(skip)]
    pub session_file: Option<SessionFile>,
}

impl Answer {
    /// Returns the answer for what nothing is known about.
    fn nothing() -> Self {
        Self {
            summary: "Nothing fits this question.".to_owned(),
            answer: "Nothing in the sessions answers this question.".to_owned(),
            related_nodes: Vec::new(),
            sources: Vec::new(),
            confidence: Confidence::Low,
            is_counted: false,
        }
    }

    /// Returns whether nothing fits.
    pub fn is_nothing(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns the same answer without secrets, for agents and whoever else may pass it on.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        let clean = |text: &mut String| {
            if let (Cow::Owned(redacted), _) = redact(text) {
                *text = redacted;
            }
        };
        clean(&mut self.summary);
        clean(&mut self.answer);
        self.related_nodes.iter_mut().for_each(|node| clean(&mut node.summary));
        for source in &mut self.sources {
            clean(&mut source.excerpt);
            clean(&mut source.passage);
        }
        self
    }
}

impl App {
    /// Answers a question with sentences from sessions, or from the tables where it asks for what is counted.
    pub fn ask(&self, asked: &Asked<'_>) -> Result<Answer> {
        let (period, rest) = Period::find(asked.question, asked.now);
        let question = Question::parse(&rest);
        if let Some(table) = question.table
            && let Some(answer) = self.ask_table(table, &question, period.as_ref(), asked)?
        {
            return Ok(answer);
        }
        let material = self.gather(&question, period.as_ref(), asked)?;
        let words: Vec<&str> = question.words().collect();
        let counts = count_words(&self.index, &self.tail, &words)?;
        let commonness = Commonness { documents: counts.documents, with_word: counts.with_word };
        Ok(match choose(&question, &material.passages, &commonness, asked.limit) {
            Some(chosen) => put_together(&chosen, &material),
            None => Answer::nothing(),
        })
    }
}

/// Makes an answer of sentences and the places where they stand.
fn put_together(chosen: &Chosen, material: &Material) -> Answer {
    let mut sources: Vec<AnswerSource> = Vec::new();
    let mut nodes: HashMap<NodeId, (usize, RelatedNode)> = HashMap::new();
    let mut lines = Vec::new();
    for quote in &chosen.quotes {
        let place = &material.places[quote.passage];
        let mark = sources.len() + 1;
        let day = place.time.map_or_else(|| "undated".to_owned(), day);
        lines.push(match quote.standing {
            Standing::Stands => format!("{} [{mark}]", quote.text),
            Standing::Superseded => format!("Earlier ({day}): {} [{mark}]", quote.text),
            Standing::Abandoned => format!("Given up ({day}): {} [{mark}]", quote.text),
        });
        if let Some(node) = &place.node {
            let next = nodes.len();
            let (_, related) =
                nodes.entry(node.id).or_insert_with(|| (next, related(node, quote.relevance)));
            related.relevance = related.relevance.max(quote.relevance);
        }
        let passage = material.passages[quote.passage].text.clone();
        sources.push(AnswerSource { passage, ..place.source(quote.text.clone(), quote.standing) });
    }
    let mut related_nodes: Vec<(usize, RelatedNode)> = nodes.into_values().collect();
    related_nodes.sort_by(|(one_at, one), (other_at, other)| {
        other.relevance.total_cmp(&one.relevance).then(one_at.cmp(other_at))
    });
    Answer {
        summary: chosen.quotes.first().map(|quote| quote.text.clone()).unwrap_or_default(),
        answer: lines.join("\n"),
        related_nodes: related_nodes.into_iter().map(|(_, related)| related).collect(),
        sources,
        confidence: chosen.confidence,
        is_counted: false,
    }
}

/// Writes the day of a time.
pub(crate) fn day(time: Millis) -> String {
    time.to_timestamp().strftime("%Y-%m-%d").to_string()
}

fn related(node: &NodeRow, relevance: f64) -> RelatedNode {
    RelatedNode { id: node.id, relevance, summary: node.summary.clone() }
}

impl Place {
    fn source(&self, excerpt: String, standing: Standing) -> AnswerSource {
        AnswerSource {
            node_id: self.node.as_ref().map(|node| node.id),
            session: self.session.as_ref().map(|session| session.id.clone()),
            entry: self.entry.clone(),
            file: self.session.as_ref().map(|session| session.path.clone()),
            line: self.line,
            passage: excerpt.clone(),
            excerpt,
            standing,
            project: self.project.clone(),
            time: self.time,
            session_file: self.session.clone(),
        }
    }
}
