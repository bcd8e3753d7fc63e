//! What is known across units of work: lessons, decisions, errors, projects, numbers.

use jiff::ToSpan;
use jiff::tz::TimeZone;
use pi_brain_app::{Cost, CostBy, DayRow, Rhythm, Stats};
use pi_brain_brain::{Confidence, FailurePattern, LessonGroup, LessonLevel};
use pi_brain_session::Millis;
use pi_brain_store::{
    DecisionRow, ErrorGroup, FileTouch, FileWanted, ModelSpending, NodeFilter, ProjectRow,
    QuirkRow, SpendingFilter, SpentOn, TagRow,
};
use schemars::JsonSchema;
use serde::Deserialize;

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
        .get("/api/v1/timeseries", "What was done and spent, day by day", timeseries)
        .get("/api/v1/rhythm", "At which hours of the week models answered", rhythm)
        .get("/api/v1/cost", "What was spent, added up by something", cost)
}

/// Which lessons.
#[derive(Deserialize, JsonSchema)]
struct Lessons {
    /// What they are about.
    level: Option<LessonLevel>,
    /// How sure they are.
    confidence: Option<Confidence>,
    /// Words that have to be there, in upper or lower case.
    q: Option<String>,
}

/// What has to be said.
#[derive(Deserialize, JsonSchema)]
struct Saying {
    /// Words that have to be there, in upper or lower case.
    q: Option<String>,
}

/// Returns whether all words are found in what something says.
fn says<'a>(q: Option<&str>, texts: impl IntoIterator<Item = &'a str>) -> bool {
    let Some(q) = q.filter(|q| !q.trim().is_empty()) else { return true };
    let text = texts.into_iter().collect::<Vec<_>>().join("\n").to_lowercase();
    q.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

fn lessons(
    brain: &mut Brain,
    (which, wanted, paging): (Which, Lessons, Paging),
) -> Answered<Listed<LessonGroup>> {
    let mut lessons = brain.app.store().lessons(&which.into(), wanted.level, Brain::now())?;
    lessons.retain(|lesson| {
        let texts = [&*lesson.details].into_iter().chain(lesson.actionable.as_deref());
        wanted.confidence.is_none_or(|confidence| lesson.confidence == confidence)
            && says(wanted.q.as_deref(), texts.chain(lesson.wordings.iter().map(String::as_str)))
    });
    paging.cut(lessons, |lesson| {
        let node = lesson.nodes.last().map(ToString::to_string).unwrap_or_default();
        format!("{node} {}", lesson.summary)
    })
}

fn decisions(
    brain: &mut Brain,
    (which, saying, paging): (Which, Saying, Paging),
) -> Answered<Listed<DecisionRow>> {
    let mut decisions = brain.app.store().decisions(&which.into())?;
    decisions.retain(|row| {
        let others = row.alternatives_considered.iter().map(String::as_str);
        says(saying.q.as_deref(), [&*row.what, &*row.why].into_iter().chain(others))
    });
    paging.cut(decisions, |row| format!("{} {}", row.node, row.what))
}

/// Which errors.
#[derive(Deserialize, JsonSchema)]
struct Unresolved {
    /// Only what nobody put right.
    #[serde(default)]
    unresolved: bool,
    /// Words that have to be there, in upper or lower case.
    q: Option<String>,
}

fn errors(
    brain: &mut Brain,
    (which, only, paging): (Which, Unresolved, Paging),
) -> Answered<Listed<ErrorGroup>> {
    let mut errors = brain.app.store().errors(&which.into(), only.unresolved)?;
    errors.retain(|group| says(only.q.as_deref(), [&*group.error_type, &*group.message]));
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
    (which, saying, paging): (Which, Saying, Paging),
) -> Answered<Listed<FailurePattern>> {
    let mut patterns = brain.app.store().patterns(&which.into(), Brain::now())?;
    patterns.retain(|one| says(saying.q.as_deref(), [&*one.error_type, &*one.message]));
    paging.cut(patterns, |pattern| pattern.id.clone())
}

/// Which file.
#[derive(Deserialize, JsonSchema)]
struct WhichFile {
    /// A whole path, or the end of one.
    #[schemars(length(min = 1))]
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
    /// Tells, too, how much of it belongs to which project or model.
    by: Option<SpentOn>,
}

impl Days {
    const MOST: u16 = 3660;

    fn usual() -> u16 {
        30
    }
}

fn timeseries(brain: &mut Brain, (which, days): (WhichSpending, Days)) -> Answered<Vec<DayRow>> {
    if !(1..=Days::MOST).contains(&days.days) {
        let most = Days::MOST;
        return Err(Failure::bad_request(format!("days has to be from 1 to {most}")));
    }
    let zone = TimeZone::system();
    let today = Brain::now().to_timestamp().to_zoned(zone.clone()).date();
    let first = today.saturating_sub((i64::from(days.days) - 1).days());
    Ok(brain.app.days(&which.into(), days.by, (first, today), &zone)?)
}

fn rhythm(brain: &mut Brain, (which,): (WhichSpending,)) -> Answered<Rhythm> {
    Ok(brain.app.rhythm(&which.into(), &TimeZone::system())?)
}
