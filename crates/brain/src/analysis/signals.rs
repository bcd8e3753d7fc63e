//! Friction and delight: what the log tells about how the work felt.

use super::calls::Calls;
use super::files::Files;
use super::talk::{Speaker, Talk};
use crate::node::{Delight, Friction};

/// What the tools tell, which the talk does not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Workshop {
    pub(super) calls: u64,
    /// How often the same tool failed in the same way three times or more.
    pub(super) loops: u64,
    /// How many different files and folders were looked at.
    pub(super) looked_at: u64,
    /// Whether something failed and then worked, without a word from the user in between.
    pub(super) recovered: bool,
    /// Whether it ended with something failing, and nobody said anything more.
    pub(super) ends_failing: bool,
    pub(super) switched_model: bool,
}

impl Workshop {
    /// Counts what can be counted; how each error came up is in `counts`.
    pub(super) fn counted(calls: &Calls, files: &Files, counts: &[u64]) -> Self {
        Self {
            calls: calls.in_order().iter().map(|tool| calls.count(tool)).sum(),
            loops: counts.iter().filter(|count| **count >= 3).count() as u64,
            looked_at: files.read.len() as u64,
            ..Self::default()
        }
    }
}

/// Returns how hard it was.
pub(super) fn friction(talk: &Talk, workshop: &Workshop) -> Friction {
    let rephrasings = rephrasings(talk);
    let corrections =
        talk.later_replies().filter(|(_, turn)| turn.reading().refuses()).count() as u64;
    let churn = if workshop.looked_at >= 10 { workshop.looked_at / 10 } else { 0 };
    let is_silent = workshop.ends_failing
        && !talk.by(Speaker::User).next_back().is_some_and(|turn| turn.reading().praises());
    let part = |count: u64, each: u64, most: u64| (count * each).min(most);
    let percent = part(rephrasings, 15, 30)
        + part(churn, 10, 20)
        + part(workshop.loops, 20, 40)
        + part(corrections, 10, 30)
        + 15 * u64::from(workshop.switched_model)
        + 25 * u64::from(is_silent);
    Friction {
        score: hundredths(percent),
        rephrasing_count: rephrasings,
        correction_count: corrections,
        tool_loop_count: workshop.loops,
        context_churn_count: churn,
        model_switched: workshop.switched_model,
        silent_termination: is_silent,
    }
}

/// Returns how well it went.
pub(super) fn delight(talk: &Talk, workshop: &Workshop) -> Delight {
    let corrected =
        talk.later_replies().any(|(_, turn)| turn.reading().refuses() && !turn.reading().praises());
    let praised = talk.by(Speaker::User).any(|turn| turn.reading().praises());
    let one_shot = workshop.calls >= 3 && !corrected && !workshop.ends_failing;
    let percent =
        40 * u64::from(workshop.recovered) + 40 * u64::from(one_shot) + 30 * u64::from(praised);
    Delight {
        score: hundredths(percent),
        resilient_recovery: workshop.recovered,
        one_shot_success: one_shot,
        explicit_praise: praised,
    }
}

/// Counts runs of three or more requests that got no answer to speak of.
fn rephrasings(talk: &Talk) -> u64 {
    const SUBSTANCE: usize = 50;
    let (mut runs, mut length) = (0, 0);
    for turn in talk.turns() {
        match turn.speaker {
            Speaker::User if turn.reading().consents() && turn.text.len() < 10 => {}
            Speaker::User => {
                length += 1;
                runs += u64::from(length == 3);
            }
            Speaker::Model if turn.works || turn.text.chars().count() > SUBSTANCE => length = 0,
            Speaker::Model | Speaker::Summary => {}
        }
    }
    runs
}

fn hundredths(percent: u64) -> f64 {
    f64::from(u32::try_from(percent.min(100)).unwrap_or(100)) / 100.0
}
