//! What is known across units of work: lessons, decisions, errors, projects, numbers.

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_app::{Cost, CostBy, Stats};
use pi_brain_brain::{FailurePattern, LessonGroup, LessonLevel};
use pi_brain_session::Millis;
use pi_brain_store::{
    DecisionRow, ErrorGroup, FileTouch, FileWanted, ModelSpending, NodeFilter, ProjectRow,
    QuirkRow, SpendingFilter, Spent, TagRow,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::nodes::Which;
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/lessons", "What was learnt, what comes up most first", lessons)
        .get("/api/v1/decisions", "What was decided, the newest first", decisions)
        .get("/api/v1/errors", "What went wrong, equal errors as one", errors)
        .get("/api/v1/quirks", "What models do that one should know", quirks)
        .get("/api/v1/patterns", "What goes wrong again and again", patterns)
        .get("/api/v1/files", "Which units of work touched a file", files)
        .get("/api/v1/projects", "The projects, the last one worked on first", projects)
        .get("/api/v1/tags", "Tags and topics, the most frequent first", tags)
        .get("/api/v1/models", "What was spent on each model", models)
        .get("/api/v1/stats", "Everything in numbers", stats)
        .get("/api/v1/timeseries", "Tokens, dollars and answers, day by day", timeseries)
        .get("/api/v1/cost", "What was spent, added up by something", cost)
}

/// Which lessons.
#[derive(Deserialize, JsonSchema)]
struct Level {
    /// What they are about.
    level: Option<LessonLevel>,
}

fn lessons(
    brain: &mut Brain,
    (which, level, paging): (Which, Level, Paging),
) -> Answered<Listed<LessonGroup>> {
    let lessons = brain.app.store().lessons(&which.into(), level.level, Brain::now())?;
    paging.cut(lessons, |lesson| {
        let node = lesson.nodes.last().map(ToString::to_string).unwrap_or_default();
        format!("{node} {}", lesson.summary)
    })
}

fn decisions(brain: &mut Brain, (which, paging): (Which, Paging)) -> Answered<Listed<DecisionRow>> {
    let decisions = brain.app.store().decisions(&which.into())?;
    paging.cut(decisions, |row| format!("{} {}", row.node, row.what))
}

/// Which errors.
#[derive(Deserialize, JsonSchema)]
struct Unresolved {
    /// Only what nobody put right.
    #[serde(default)]
    unresolved: bool,
}

fn errors(
    brain: &mut Brain,
    (which, only, paging): (Which, Unresolved, Paging),
) -> Answered<Listed<ErrorGroup>> {
    let errors = brain.app.store().errors(&which.into(), only.unresolved)?;
    paging.cut(errors, |group| format!("{} {}", group.error_type, group.message))
}

fn quirks(brain: &mut Brain, (which, paging): (Which, Paging)) -> Answered<Listed<QuirkRow>> {
    let filter = NodeFilter::from(which);
    let model = filter.model.clone();
    let quirks =
        brain.app.store().quirks(&NodeFilter { model: None, ..filter }, model.as_deref())?;
    paging.cut(quirks, |row| format!("{} {}", row.model, row.observation))
}

fn patterns(
    brain: &mut Brain,
    (which, paging): (Which, Paging),
) -> Answered<Listed<FailurePattern>> {
    let patterns = brain.app.store().patterns(&which.into(), Brain::now())?;
    paging.cut(patterns, |pattern| pattern.id.clone())
}

/// Which file.
#[derive(Deserialize, JsonSchema)]
struct WhichFile {
    /// A whole path, or the end of one.
    path: String,
    /// Only work that changed it.
    #[serde(default)]
    changed: bool,
}

fn files(brain: &mut Brain, (which, paging): (WhichFile, Paging)) -> Answered<Listed<FileTouch>> {
    if which.path.is_empty() {
        return Err(Failure::bad_request("path is empty"));
    }
    let is_whole = which.path.starts_with(['/', '~']);
    let ending = (!is_whole).then(|| which.path.clone());
    let wanted = FileWanted { names: vec![which.path], ending };
    let mut touches = brain.app.store().touches(&wanted)?;
    touches.retain(|touch| touch.modified || !which.changed);
    paging.cut(touches, |touch| format!("{} {}", touch.node.id, touch.path))
}

fn projects(brain: &mut Brain, (paging,): (Paging,)) -> Answered<Listed<ProjectRow>> {
    paging.cut(brain.app.store().projects()?, |row| row.project.clone())
}

fn tags(brain: &mut Brain, (which, paging): (Which, Paging)) -> Answered<Listed<TagRow>> {
    let tags = brain.app.store().tags(&which.into())?;
    paging.cut(tags, |row| format!("{} {}", row.kind, row.tag))
}

/// Which spending.
#[derive(Deserialize, JsonSchema)]
struct WhichSpending {
    /// Part of the project's path.
    project: Option<String>,
    /// Part of the name of the model, with its provider.
    model: Option<String>,
    /// Not before.
    after: Option<Millis>,
    /// Before.
    before: Option<Millis>,
}

impl From<WhichSpending> for SpendingFilter {
    fn from(which: WhichSpending) -> Self {
        let WhichSpending { project, model, after, before } = which;
        Self { project, model, after, before }
    }
}

fn models(
    brain: &mut Brain,
    (which, paging): (WhichSpending, Paging),
) -> Answered<Listed<ModelSpending>> {
    let models = brain.app.store().spending_by_model(&which.into())?;
    paging.cut(models, |row| format!("{}/{}", row.provider, row.model))
}

fn stats(brain: &mut Brain, (): ()) -> Answered<Stats> {
    Ok(brain.app.stats(&TimeZone::system())?)
}

/// What to add up by.
#[derive(Deserialize, JsonSchema)]
struct By {
    /// Times with the newest first, everything else with the dearest first.
    #[serde(default)]
    by: CostBy,
}

fn cost(brain: &mut Brain, (which, by): (WhichSpending, By)) -> Answered<Cost> {
    Ok(brain.app.cost(&which.into(), by.by, &TimeZone::system())?)
}

/// How far back.
#[derive(Deserialize, JsonSchema)]
struct Days {
    /// How many days, today among them.
    #[serde(default = "Days::usual")]
    #[schemars(range(min = 1, max = 3660))]
    days: u16,
}

impl Days {
    const MOST: u16 = 3660;

    fn usual() -> u16 {
        30
    }
}

/// What happened on a day.
#[derive(Serialize, JsonSchema)]
struct DayRow {
    /// The day, where the person is.
    #[schemars(with = "String", extend("format" = "date"))]
    day: Date,
    /// Answers, tokens and dollars.
    #[serde(flatten)]
    spent: Spent,
}

fn timeseries(brain: &mut Brain, (which, days): (WhichSpending, Days)) -> Answered<Vec<DayRow>> {
    if !(1..=Days::MOST).contains(&days.days) {
        let most = Days::MOST;
        return Err(Failure::bad_request(format!("days has to be from 1 to {most}")));
    }
    let zone = TimeZone::system();
    let today = Brain::now().to_timestamp().to_zoned(zone.clone()).date();
    let first = today.saturating_sub((i64::from(days.days) - 1).days());
    let spent = brain.app.spending_by_day(&which.into(), &zone)?;
    let row = |day: Date| DayRow { day, spent: spent.get(&day).copied().unwrap_or_default() };
    Ok(first.series(1.day()).take_while(|day| *day <= today).map(row).collect())
}
