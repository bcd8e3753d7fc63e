//! Where one unit of work ends and the next begins, and why.

use std::time::Duration;

use pi_brain_session::Millis;
use serde::Serialize;

use crate::outline::Outline;
use crate::segment::extract_segments;

/// What the cutting goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long nothing may happen within one unit of work.
    pub gap: Duration,
    /// How long a tool may run before nobody waits for it any more.
    pub tool_patience: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Self { gap: Duration::from_secs(10 * 60), tool_patience: Duration::from_secs(2 * 60 * 60) }
    }
}

/// A place where the work changed its course.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// What happened.
    #[serde(flatten)]
    pub kind: BoundaryKind,
    /// The entry that opens what comes next; a damaged line has no id.
    pub entry_id: Option<Box<str>>,
    /// When that entry was written.
    pub timestamp: Option<Millis>,
    /// The entry that the boundary is seen from: the leaf that was left, or what came before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_entry_id: Option<Box<str>>,
    /// The position in its file of the entry that opens what comes next.
    #[serde(skip)]
    pub entry: u32,
}

impl Boundary {
    /// Returns whether this is a pause inside one tool run, which is worth knowing but cuts nothing.
    pub(crate) fn is_pause(&self) -> bool {
        matches!(self.kind, BoundaryKind::Resume { during_tool_run: true, .. })
    }
}

/// The kinds of boundaries, the weightiest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(
    tag = "type",
    content = "metadata",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum BoundaryKind {
    /// What comes before was copied from another session.
    Fork {
        /// The path of that session's file, as the header has it.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_session: Option<Box<str>>,
    },
    /// The user went to another place of the tree and had a summary written of what was left.
    Branch {
        /// How the summary begins.
        summary: Box<str>,
    },
    /// The user went to another place of the tree.
    TreeJump {
        /// The leaf that the entry would have followed.
        expected_parent_id: Option<Box<str>>,
        /// What it follows instead; nothing, if it opens a tree.
        actual_parent_id: Option<Box<str>>,
    },
    /// A summary took the place of what came before.
    Compaction {
        /// How the summary begins.
        summary: Box<str>,
        /// How large the context was.
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens_before: Option<u64>,
    },
    /// Nothing happened for a while.
    Resume {
        /// For how long, rounded to two decimals.
        gap_minutes: f64,
        /// Whether a tool was at work in that time. Then the work went on, and nothing is cut.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        during_tool_run: bool,
    },
    /// Another agent takes over.
    Handoff {
        /// Which one, if it is named.
        #[serde(skip_serializing_if = "Option::is_none")]
        handoff_target: Option<Box<str>>,
    },
}

/// The kinds of boundaries, without what belongs to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds themselves say it")]
pub enum Cause {
    Fork,
    Branch,
    TreeJump,
    Compaction,
    Resume,
    Handoff,
}

impl BoundaryKind {
    /// Returns which kind it is.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Fork { .. } => Cause::Fork,
            Self::Branch { .. } => Cause::Branch,
            Self::TreeJump { .. } => Cause::TreeJump,
            Self::Compaction { .. } => Cause::Compaction,
            Self::Resume { .. } => Cause::Resume,
            Self::Handoff { .. } => Cause::Handoff,
        }
    }
}

/// Finds the boundaries within one file, in file order, those of one entry by weight.
pub fn detect_boundaries(outline: &Outline, rules: &Rules) -> Vec<Boundary> {
    let segments = extract_segments(outline, rules).into_iter();
    let mut boundaries: Vec<Boundary> =
        segments.flat_map(|segment| segment.boundaries.into_iter().chain(segment.pauses)).collect();
    boundaries.sort_by_key(|boundary| boundary.entry);
    boundaries
}

/// Returns the milliseconds that a duration has.
pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Returns milliseconds as minutes, rounded to two decimals.
#[expect(clippy::cast_precision_loss, reason = "gaps of centuries may lose milliseconds")]
pub(crate) fn minutes(millis: i64) -> f64 {
    (millis as f64 / 600.0).round() / 100.0
}
