//! What the talk and the tools tell together: decisions, lessons, signals, and how the models did.

use super::decisions::{Decided, decisions};
use super::errors::Recovery;
use super::helpers::Helper;
use super::lessons::{Experience, lessons};
use super::observations::{prompting_failures, prompting_wins, quirks};
use super::signals::{Workshop, delight, friction};
use super::talk::Talk;
use crate::node::{Decision, LessonsByLevel, ManualFlag, ModelObservations, Signals, ToolError};

/// What was heard, from which the rest is understood.
pub(super) struct Impressions<'a> {
    pub(super) talk: &'a Talk,
    pub(super) flags: Vec<ManualFlag>,
    pub(super) helpers: &'a [Helper],
    pub(super) tags: &'a [String],
    /// The model that answered last, written `provider/model`.
    pub(super) model: &'a str,
    pub(super) has_clear_goal: bool,
    pub(super) recoveries: &'a [Recovery],
    /// With how often each came up.
    pub(super) tool_errors: Vec<(ToolError, u64)>,
    pub(super) workshop: Workshop,
}

/// What is understood.
pub(super) struct Insight {
    pub(super) key_decisions: Vec<Decision>,
    pub(super) lessons: LessonsByLevel,
    pub(super) signals: Signals,
    /// Without usage and errors, which are counted.
    pub(super) observations: ModelObservations,
    /// For the path of a statement, the entries that show it.
    pub(super) evidence: Vec<(String, Vec<String>)>,
}

impl Insight {
    pub(super) fn of(heard: Impressions<'_>) -> Self {
        let Impressions { talk, flags, model, .. } = heard;
        let (lessons, mut evidence) = lessons(&Experience {
            talk,
            recoveries: heard.recoveries,
            helpers: heard.helpers,
            flags: &flags,
            tags: heard.tags,
            model,
        });
        let mut key_decisions = Vec::new();
        for (number, Decided { decision, entries }) in decisions(talk).into_iter().enumerate() {
            evidence.push((format!("content.keyDecisions[{number}]"), entries));
            key_decisions.push(decision);
        }
        let (friction, delight) = (friction(talk, &heard.workshop), delight(talk, &heard.workshop));
        let observations = ModelObservations {
            prompting_wins: prompting_wins(talk, heard.has_clear_goal, delight.one_shot_success),
            prompting_failures: prompting_failures(talk),
            model_quirks: quirks(&heard.tool_errors, &flags, model),
            ..ModelObservations::default()
        };
        let (friction, delight) = (Some(friction), Some(delight));
        let signals = Signals { friction, delight, manual_flags: flags };
        Self { key_decisions, lessons, signals, observations, evidence }
    }
}
