//! `brain_lessons`: what was learnt about a project, a file or a tool.

use pi_brain_app::{App, AppError, Depth};
use pi_brain_brain::{LessonGroup, LessonLevel, word};
use pi_brain_store::NodeFilter;
use schemars::JsonSchema;
use serde::Deserialize;

use super::day;
use crate::brain::{Brain, now};
use crate::error::Result;
use crate::page::{Item, Page};

/// So many characters of a lesson, and so many of what to do about it.
const LESSON: usize = 600;
const ACTION: usize = 400;

/// The arguments of `brain_lessons`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct LessonsArguments {
    /// Part of the folder of a project, for example "shop"; "*" for all projects. Default: the folder you work in, or all
    /// projects where `file` or `tool` is given.
    project: Option<String>,
    /// Part of the path of a file: only lessons of work that touched it, for example "src/cart.ts".
    file: Option<String>,
    /// The name of a tool or program: only lessons that speak of it, for example "bash" or "pnpm".
    tool: Option<String>,
    /// How long the answer may be, in tokens: 200 to 4800, default 1500.
    limit: Option<u32>,
}

pub(crate) fn lessons(brain: &Brain, arguments: &LessonsArguments) -> Result<String> {
    let open = brain.open(Depth::Whole)?;
    let app = &open.app;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let (file, tool) = (given(&arguments.file), given(&arguments.tool));
    let named = given(&arguments.project);
    let is_narrow = file.is_some() || tool.is_some();
    let here = || brain.project().map(str::to_owned).filter(|_| !is_narrow);
    let project = named.clone().or_else(here).filter(|project| project != "*");
    let mut filter = NodeFilter { project, file, ..NodeFilter::default() };
    let mut learnt = find(app, &filter, tool.as_deref())?;
    let mut page = Page::of(&open, arguments.limit);
    // Nobody asked for this project in particular.
    if learnt.is_empty() && named.is_none() && filter.project.take().is_some() {
        learnt = find(app, &filter, tool.as_deref())?;
        if !learnt.is_empty() {
            page.say(format_args!("No lessons from this project yet. From all projects:"));
        }
    }
    if learnt.is_empty() {
        page.say(format_args!(
            "No lessons fit. Ask for `project`: \"*\", or look with brain_search for what went wrong."
        ));
        return Ok(page.finish(0, ""));
    }
    for lesson in &learnt {
        page.add(&told(lesson));
    }
    Ok(page.finish(0, "Raise `limit`, or name a `file` or a `tool`."))
}

fn find(app: &App, filter: &NodeFilter, tool: Option<&str>) -> Result<Vec<LessonGroup>> {
    let mut lessons = app.store().lessons(filter, None, now()).map_err(AppError::from)?;
    if let Some(tool) = tool {
        lessons.retain(|lesson| speaks_of(lesson, tool));
        // What is about tools comes first.
        lessons.sort_by_key(|lesson| lesson.level != LessonLevel::Tool);
    }
    Ok(lessons)
}

fn speaks_of(lesson: &LessonGroup, tool: &str) -> bool {
    let tool = tool.trim().to_lowercase();
    let is_it = |word: &str| word.to_lowercase() == tool;
    let has_it = |text: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        text.split(|letter| !is_part(letter)).any(is_it)
    };
    let action = lesson.actionable.as_deref().unwrap_or_default();
    lesson.tags.iter().any(|tag| is_it(tag))
        || [&*lesson.summary, &*lesson.details, action].into_iter().any(has_it)
}

fn told(lesson: &LessonGroup) -> Item {
    let (level, sure) = (word(&lesson.level), word(&lesson.confidence));
    let node = lesson.nodes.first().map(|node| format!(", node {node}")).unwrap_or_default();
    let times = if lesson.count == 1 { "once".to_owned() } else { format!("{}×", lesson.count) };
    let mut item = Item::new(format_args!(
        "About the {level}, learnt {times}, last {}, confidence {sure}{node}",
        day(Some(lesson.last_seen))
    ));
    item.quote_line(&lesson.summary, LESSON);
    if !lesson.details.is_empty() && lesson.details != lesson.summary {
        item.quote_line(&lesson.details, LESSON);
    }
    let says_more = |action: &&str| !action.trim().is_empty() && *action != lesson.summary;
    if let Some(action) = lesson.actionable.as_deref().filter(says_more) {
        item.quote_line(&format!("to do: {action}"), ACTION);
    }
    item
}
