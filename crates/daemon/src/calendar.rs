//! What is done at certain times of the day. Pure: the time comes from the caller.

use cronexpr::{Crontab, MakeTimestamp};
use jiff::Timestamp;
use pi_brain_app::Schedules;
use pi_brain_session::Millis;

/// Something that is done at certain times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appointment {
    /// Units of work that were read with other prompts are given to the model again.
    Reanalyse,
    /// All links are found anew.
    Link,
}

impl Appointment {
    pub(crate) const ALL: [Self; 2] = [Self::Reanalyse, Self::Link];

    /// Returns what it goes by where it is noted when it was last kept.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reanalyse => "reanalyse",
            Self::Link => "link",
        }
    }

    /// Returns when it is due after it was last kept; a time that has passed is due now. `None` if it never is.
    pub(crate) fn due(self, schedules: &Schedules, last: Millis) -> Option<Millis> {
        let times: &Crontab = match self {
            Self::Reanalyse => schedules.reanalyse.as_ref(),
            Self::Link => schedules.link.as_ref(),
        }?;
        let last: Timestamp = last.to_timestamp();
        let next = times.find_next(MakeTimestamp(last)).ok()?;
        Some(next.timestamp().into())
    }
}

#[cfg(test)]
mod tests;
