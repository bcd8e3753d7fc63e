//! How long the work took.

use pi_brain_session::{Body, Entry, Millis};

/// A pause from here on is no work.
const PAUSE: i64 = 10 * 60 * 1000;

/// Collects when entries were written.
#[derive(Debug, Default)]
pub(super) struct Times(Vec<Millis>);

impl Times {
    /// Takes in an entry. Labels and names, which can be given any time later, are not part of the work.
    pub(super) fn hear(&mut self, entry: &Entry, time: Option<Millis>) {
        if !matches!(entry.body, Body::Label { .. } | Body::SessionInfo { .. }) {
            self.0.extend(time);
        }
    }

    pub(super) fn wall_clock_minutes(&self) -> f64 {
        let range = self.0.iter().min().zip(self.0.iter().max());
        range.map_or(0.0, |(first, last)| minutes(last.0.saturating_sub(first.0)))
    }

    pub(super) fn active_minutes(&mut self) -> f64 {
        self.0.sort_unstable();
        let gaps = self.0.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0));
        minutes(gaps.filter(|&gap| gap < PAUSE).sum())
    }
}

/// Returns minutes with two decimals.
fn minutes(millis: i64) -> f64 {
    let hundredths = u32::try_from((millis.max(0) / 60 + 5) / 10);
    f64::from(hundredths.unwrap_or(u32::MAX)) / 100.0
}

/// Returns a time that can be written with a year of four digits and read again: that one, or the nearest.
pub(super) fn writable(time: Millis) -> Millis {
    const LAST: i64 = 253_402_128_000_000;
    Millis(time.0.clamp(0, LAST))
}
