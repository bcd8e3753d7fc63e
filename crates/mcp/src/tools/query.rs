//! `brain_query`: an answer in sentences from sessions, each with its source.

use jiff::Zoned;
use pi_brain_app::{Answer, AnswerSource, Asked, Depth};
use pi_brain_brain::{Confidence, Standing};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NAME, day, place};
use crate::brain::Brain;
use crate::error::{McpError, Result};
use crate::page::{Item, Page, safe_excerpt};

/// So many sources at most.
const SOURCES: usize = 12;

/// So many characters of what a source says.
const EXCERPT: usize = 800;

/// The arguments of `brain_query`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct QueryArguments {
    /// The question, as you would ask a colleague, for example "why did we choose SQLite over Postgres?". Name the things it is
    /// about: files, tools, errors, projects.
    question: String,
    /// The folder of a project, whose sessions count more. Default: the folder you work in.
    project: Option<String>,
    /// How long the answer may be, in tokens: 200 to 4800, default 1500.
    limit: Option<u32>,
}

pub(crate) fn query(brain: &Brain, arguments: &QueryArguments) -> Result<String> {
    if arguments.question.trim().is_empty() {
        return Err(McpError::EmptyQuery);
    }
    let open = brain.open(Depth::Findable)?;
    let app = &open.app;
    // Set by a pi that starts us for one session; what that says itself answers nothing.
    let session = std::env::var("PI_SESSION_ID").ok().filter(|id| !id.is_empty());
    let answer = app.ask(&Asked {
        question: &arguments.question,
        limit: SOURCES,
        now: &Zoned::now(),
        project: arguments.project.as_deref().or(brain.project()),
        session: session.as_deref(),
    })?;
    let mut page = Page::of(&open, arguments.limit);
    if answer.is_nothing() {
        page.say(format_args!(
            "Nothing in the sessions answers this question. Try brain_search with its rarest words."
        ));
        return Ok(page.finish(0, ""));
    }
    write_answer(&mut page, &answer);
    Ok(page.finish(0, "Raise `limit`, or ask for less at once."))
}

fn write_answer(page: &mut Page, answer: &Answer) {
    let sure = match answer.confidence {
        Confidence::High => "high: everything that the question names is there",
        Confidence::Medium => "medium: most of what the question names is there",
        Confidence::Low => "low: only part of what the question names is there",
    };
    page.say(format_args!("Confidence {sure}. Cite the sources by their numbers."));
    if answer.is_counted {
        let mut counted = Item::new(format_args!("Counted over all sessions:"));
        counted.quote(&answer.answer, 4 * EXCERPT);
        page.add(&counted);
    }
    for (number, source) in (1..).zip(&answer.sources) {
        page.add(&cited(number, source, answer.is_counted));
    }
    for related in &answer.related_nodes {
        let mut item = Item::new(format_args!("Related: brain_node {}", related.id));
        item.quote_line(&related.summary, NAME);
        page.add(&item);
    }
}

fn cited(number: usize, source: &AnswerSource, is_told: bool) -> Item {
    let standing = match source.standing {
        Standing::Stands => "",
        Standing::Superseded => ", decided otherwise later",
        Standing::Abandoned => ", given up later",
    };
    let node = source.node_id.map(|id| format!(", node {id}")).unwrap_or_default();
    let mut item = Item::new(format_args!("[{number}] {}{standing}{node}", day(source.time)));
    if !is_told {
        item.quote(&safe_excerpt(&source.passage, &source.excerpt), EXCERPT);
    }
    let at = place(source.session.as_deref(), &source.entry, source.line, &source.project);
    item.quote_line(&at, NAME);
    item
}
