//! What is known about a project, in short: for somebody who begins to work on it.

use std::fmt::Write as _;
use std::path::Path;

use pi_brain_brain::{LessonLevel, NodeId, redact};
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, NodeRow, Order};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::ask::day;
use crate::error::Result;

/// What is known about a project.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Briefing {
    /// The working directory.
    pub project: String,
    /// All of it in one line.
    pub summary: String,
    /// All of it as Markdown.
    pub text: String,
    /// What was learnt there, the most useful first.
    pub lessons: Vec<BriefLesson>,
    /// What was decided there, the newest first.
    pub decisions: Vec<BriefDecision>,
    /// What was done there last.
    pub recent: Vec<BriefWork>,
}

/// Something that was learnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BriefLesson {
    /// What.
    pub summary: String,
    /// What it is about.
    pub level: LessonLevel,
    /// Where it was learnt last.
    pub node_id: NodeId,
}

/// Something that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BriefDecision {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// Where.
    pub node_id: NodeId,
}

/// A unit of work.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BriefWork {
    /// Its name.
    pub id: NodeId,
    /// What was done.
    pub summary: String,
    /// How it ended.
    pub outcome: String,
    /// When it began.
    pub started: Millis,
}

/// How many of each kind are told.
const TOLD: usize = 5;

impl App {
    /// Tells in short what is known about a project: its folder, and those below it.
    pub fn briefing(&self, project: &str, now: Millis) -> Result<Briefing> {
        let project = project.trim_end_matches('/');
        let filter = NodeFilter { project: Some(project.to_owned()), ..NodeFilter::default() };
        let is_here = |folder: &str| Path::new(folder).starts_with(project);
        let (rows, total) = self.store.nodes(&filter, Order::Newest, TOLD, 0)?;
        let lessons = self.store.lessons(&filter, None, now)?;
        let decisions = self.store.decisions(&filter)?;
        let (lesson_count, decision_count) = (lessons.len(), decisions.len());
        let lessons = lessons.into_iter().take(TOLD);
        let decisions = decisions.into_iter().filter(|row| is_here(&row.project)).take(TOLD);
        let recent = rows.into_iter().filter(|row| is_here(&row.project));
        let mut briefing = Briefing {
            project: project.to_owned(),
            summary: if total == 0 {
                "Nothing is known about this project yet.".to_owned()
            } else {
                format!("{total} units of work, {decision_count} decisions, {lesson_count} lessons")
            },
            text: String::new(),
            lessons: lessons
                .filter_map(|lesson| {
                    let node_id = *lesson.nodes.first()?;
                    Some(BriefLesson { summary: lesson.summary, level: lesson.level, node_id })
                })
                .collect(),
            decisions: decisions
                .map(|row| BriefDecision { what: row.what, why: row.why, node_id: row.node })
                .collect(),
            recent: recent.map(BriefWork::from).collect(),
        };
        briefing.text = briefing.write();
        Ok(briefing)
    }
}

impl From<NodeRow> for BriefWork {
    fn from(row: NodeRow) -> Self {
        Self { id: row.id, summary: row.summary, outcome: row.outcome, started: row.started }
    }
}

impl Briefing {
    /// Returns the same without secrets, for agents and whoever else may pass it on.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        let clean = |text: &mut String| *text = redact(text).0.into_owned();
        self.lessons.iter_mut().for_each(|lesson| clean(&mut lesson.summary));
        for decision in &mut self.decisions {
            clean(&mut decision.what);
            clean(&mut decision.why);
        }
        self.recent.iter_mut().for_each(|work| clean(&mut work.summary));
        self.text = self.write();
        self
    }

    fn write(&self) -> String {
        let mut text = format!("{}\n", self.summary);
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                // A string takes everything.
                let _ = write!(text, "\n## {title}\n\n{}\n", lines.join("\n"));
            }
        };
        let lessons = self.lessons.iter();
        let lessons = lessons.map(|lesson| format!("- {} ({})", lesson.summary, lesson.node_id));
        section("Lessons", lessons.collect());
        let decisions = self.decisions.iter().map(|decision| {
            let why = if decision.why.is_empty() { "" } else { " – because " };
            format!("- {}{why}{} ({})", decision.what, decision.why, decision.node_id)
        });
        section("Decisions", decisions.collect());
        let recent = self.recent.iter().map(|work| {
            format!("- {} {} – {} ({})", day(work.started), work.outcome, work.summary, work.id)
        });
        section("Done last", recent.collect());
        text
    }
}
