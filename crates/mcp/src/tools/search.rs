//! `brain_search`: messages and units of work that have some words, or fit some filters.

use jiff::Zoned;
use pi_brain_app::{Depth, FoundItem, FoundKind, Wanted};
use pi_brain_search::{Query, snippet};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NAME, day, place};
use crate::brain::Brain;
use crate::error::{McpError, Result};
use crate::page::{Item, Page, safe};

/// So many results are looked at for one page.
const RESULTS: usize = 40;

/// So many characters are shown around the words that were looked for.
const SNIPPET: usize = 280;

/// The arguments of `brain_search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchArguments {
    /// Words, phrases and filters, for example `"database is locked" project:shop after:2w`. Words are OR-ed and ranked; quotes
    /// make a phrase, a minus in front excludes. Filters: project:, file:, tool:, model:, type: (coding, debugging, …),
    /// outcome: (success, partial, failed, abandoned), after: and before: (2026-03-01, 2w, 3mo), role: (user, assistant, tool),
    /// kind: (message, node), is:abandoned.
    query: String,
    /// How many results to pass over, to see those after them. Default 0.
    offset: Option<u32>,
    /// The folder of a project, whose results come first. Default: the folder you work in. Use the filter project: to see no
    /// others.
    project: Option<String>,
    /// How long the answer may be, in tokens: 200 to 4800, default 1500.
    limit: Option<u32>,
}

pub(crate) fn search(brain: &Brain, arguments: &SearchArguments) -> Result<String> {
    if arguments.query.trim().is_empty() {
        return Err(McpError::EmptyQuery);
    }
    let open = brain.open(Depth::Findable)?;
    let app = &open.app;
    let now = Zoned::now();
    let offset = usize::try_from(arguments.offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let wanted = Wanted {
        query: &arguments.query,
        limit: RESULTS,
        offset,
        now: &now,
        project: arguments.project.as_deref().or(brain.project()),
    };
    let found = app.search(&wanted)?;
    let query = Query::parse(&arguments.query, &now).map_err(pi_brain_app::AppError::from)?;
    let mut page = Page::of(&open, arguments.limit);
    let total = usize::try_from(found.total).unwrap_or(usize::MAX);
    if found.results.is_empty() {
        match total {
            0 => page.say(format_args!("Nothing found. Try other words, or leave out a filter.")),
            total => page.say(format_args!("There are only {total} results.")),
        }
        return Ok(page.finish(0, ""));
    }
    page.say(format_args!("{total} results, the best first, from number {}:", offset + 1));
    let mut next = offset;
    for (number, item) in (offset + 1..).zip(&found.results) {
        if page.add(&result(number, item, &query)) {
            next = number;
        }
    }
    let beyond = total.saturating_sub(offset + found.results.len());
    let how =
        format!("`offset`: {next} shows the next; a larger `limit` or a filter helps as well.");
    Ok(page.finish(beyond, &how))
}

fn result(number: usize, found: &FoundItem, query: &Query) -> Item {
    let what = match found.what {
        FoundKind::Node => "unit of work".to_owned(),
        FoundKind::Message { speaker, abandoned } => {
            let abandoned = if abandoned { ", on a branch that was given up" } else { "" };
            format!("{}{abandoned}", speaker.as_str())
        }
    };
    let node = found.node.as_ref().map(|node| format!(", node {}", node.id)).unwrap_or_default();
    let mut item = Item::new(format_args!("{number}. {what}, {}{node}", day(found.time)));
    item.quote_line(&snippet(safe(&found.text).trim(), query, SNIPPET).text, 2 * SNIPPET);
    let session = found.session.as_ref().map(|session| &*session.id);
    item.quote_line(&place(session, &found.entry, found.line, &found.project), NAME);
    item
}
