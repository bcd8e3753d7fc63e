//! What a find is worth: one formula for the index and the hot tail.

use pi_brain_session::Millis;

use crate::document::Speaker;
use crate::plan::{Form, Plan};

/// Ranks the documents that match a plan.
pub(crate) struct Ranking<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) now: Millis,
}

/// What is known of a document that was found.
pub(crate) struct Found {
    /// What each of the plan's scored leaves gave, 0 where it is not in the document.
    pub(crate) scores: Vec<f32>,
    pub(crate) time: Option<Millis>,
    pub(crate) speaker: Option<Speaker>,
    pub(crate) in_project: bool,
}

/// What is left of the score of a document that holds none of many words; all of them make it whole.
const COVERAGE: f64 = 0.5;
/// How much words in a row add to what they are worth by themselves.
const IN_A_ROW: f64 = 0.5;
/// How much being from today adds, and in how many days that halves.
const NEW: f64 = 0.25;
const HALF_LIFE_DAYS: f64 = 30.0;
/// How much being from the project one is in counts.
const SAME_PROJECT: f64 = 1.2;

impl Ranking<'_> {
    /// Returns whether a document with these scores has the words it must have.
    pub(crate) fn matches(&self, scores: &[f32]) -> bool {
        let groups = &self.plan.groups;
        let mut at = 0;
        let mut some = groups.is_empty();
        for group in groups {
            let leaves = group.forms.iter().map(|form| form.leaves.len()).sum::<usize>();
            let here = &scores[at..at + leaves];
            at += here.len();
            let is_found = here.iter().any(|score| *score > 0.0);
            if group.is_required && !is_found {
                return false;
            }
            some |= is_found;
        }
        some
    }

    /// Returns the score; 0 if nothing but filters was asked for.
    pub(crate) fn score(&self, found: &Found) -> f64 {
        let groups = &self.plan.groups;
        if groups.is_empty() {
            return 0.0;
        }
        let mut at = 0;
        let mut next = |form: &Form| {
            let scores = &found.scores[at..at + form.leaves.len()];
            at += scores.len();
            let parts = form.leaves.iter().zip(scores);
            parts.map(|((_, weight), score)| f64::from(*weight) * f64::from(*score)).sum::<f64>()
        };
        let (mut sum, mut covered) = (0.0, 0.0);
        for group in groups {
            let best = group.forms.iter().map(&mut next).fold(0.0, f64::max);
            sum += best;
            covered += if best > 0.0 { 1.0 } else { 0.0 };
        }
        let in_a_row = self.plan.in_a_row.as_ref().map_or(0.0, next);
        #[expect(clippy::cast_precision_loss, reason = "queries have few words")]
        let coverage = covered / groups.len() as f64;
        let words = sum * (COVERAGE + (1.0 - COVERAGE) * coverage) + IN_A_ROW * in_a_row;
        let project = if found.in_project { SAME_PROJECT } else { 1.0 };
        words * speaker_weight(found.speaker) * self.recency(found.time) * project
    }

    #[expect(clippy::cast_precision_loss, reason = "a millisecond more or less does not matter")]
    fn recency(&self, time: Option<Millis>) -> f64 {
        let Some(time) = time else { return 1.0 };
        let days = self.now.0.saturating_sub(time.0).max(0) as f64 / 86_400_000.0;
        1.0 + NEW * (-days / HALF_LIFE_DAYS).exp2()
    }
}

/// What a person said is what people remember; what a tool printed is mostly noise. A node, which nobody speaks, sums up.
fn speaker_weight(speaker: Option<Speaker>) -> f64 {
    match speaker {
        None => 1.25,
        Some(Speaker::User) => 1.2,
        Some(Speaker::Summary) => 1.1,
        Some(Speaker::Assistant) => 1.0,
        Some(Speaker::Extension) => 0.9,
        Some(Speaker::Tool) => 0.7,
    }
}
