//! What is to be done next, and when. Pure: the time comes from the caller.

use std::time::{Duration, Instant};

/// How long to wait after the first sign of a change: a line is often written in several pieces.
const DEBOUNCE: Duration = Duration::from_millis(5);

/// How often to look whether an event was missed.
const CHECK: Duration = Duration::from_secs(30);

/// How long nothing may happen before what was taken in is put into the index for good, and linked.
const QUIET: Duration = Duration::from_secs(3);

/// How long that may be put off while lines keep coming.
const UNSETTLED: Duration = Duration::from_secs(60);

/// How much longer than the last look to rest before the next one: long sessions, written quickly, must not take a core.
const REST: u32 = 4;

/// The longest rest.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// How long to wait after a first failure; twice as long after each that follows.
const RETRY: Duration = Duration::from_secs(1);

/// The longest wait after a failure.
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// How long to wait while another process writes.
const BUSY: Duration = Duration::from_millis(100);

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Compare sizes and times; usually that is all.
    Check,
    /// Take in what is new.
    Look,
    /// Take in what is new, put everything into the index, and find links.
    Settle,
    /// Keep what is to be done at a certain time of the day.
    Keep,
}

/// When things are due.
#[derive(Debug)]
pub(crate) struct Schedule {
    look: Option<Instant>,
    check: Instant,
    settle: Option<Unsettled>,
    /// When the next segment closes.
    close: Option<Instant>,
    /// When the next appointment is.
    appointment: Option<Instant>,
    /// Nothing begins by itself before.
    rested: Instant,
    failures: u32,
}

#[derive(Clone, Copy, Debug)]
struct Unsettled {
    since: Instant,
    last: Instant,
}

impl Schedule {
    /// Begins with everything that has happened while nobody was watching.
    pub(crate) fn new(now: Instant) -> Self {
        let settle = now.checked_sub(UNSETTLED).unwrap_or(now);
        let settle = Some(Unsettled { since: settle, last: settle });
        Self {
            look: None,
            check: now + CHECK,
            settle,
            close: None,
            appointment: None,
            rested: now,
            failures: 0,
        }
    }

    /// Returns the next task, and when it is due.
    pub(crate) fn next(&self) -> (Instant, Task) {
        let settle =
            self.settle.map(|unsettled| (unsettled.last + QUIET).min(unsettled.since + UNSETTLED));
        let look = self.look.into_iter().chain(self.close).min();
        let mut next = (self.check, Task::Check);
        let appointment = self.appointment;
        for (due, task) in [(appointment, Task::Keep), (look, Task::Look), (settle, Task::Settle)] {
            // Settling looks as well, so it goes first where both are due.
            if let Some(due) = due.filter(|&due| due <= next.0) {
                next = (due, task);
            }
        }
        (next.0.max(self.rested), next.1)
    }

    /// Takes in when the next appointment is.
    pub(crate) fn agreed(&mut self, appointment: Option<Instant>) {
        self.appointment = appointment;
    }

    /// Takes in that something may have changed.
    pub(crate) fn noticed(&mut self, now: Instant) {
        self.look.get_or_insert(now + DEBOUNCE);
    }

    /// Takes in that a check found nothing.
    pub(crate) fn checked(&mut self, now: Instant) {
        self.check = now + CHECK;
    }

    /// Takes in that a look is over.
    pub(crate) fn looked(&mut self, began: Instant, now: Instant, outcome: Outcome) {
        let rest = (now.saturating_duration_since(began) * REST).min(LONGEST_REST);
        (self.look, self.check, self.failures) = (None, now + CHECK, 0);
        self.rested = now + rest;
        // What is overdue just after a look could not be closed; the next check tries again.
        self.close = outcome.close.filter(|wait| !wait.is_zero()).map(|wait| now + wait);
        if outcome.is_settled {
            self.settle = None;
        } else if outcome.is_news {
            let since = self.settle.map_or(now, |unsettled| unsettled.since);
            self.settle = Some(Unsettled { since, last: now });
        }
    }

    /// Takes in that somebody else is writing.
    pub(crate) fn found_busy(&mut self, now: Instant) {
        self.look.get_or_insert(now);
        self.rested = now + BUSY;
    }

    /// Takes in that it went wrong.
    pub(crate) fn failed(&mut self, now: Instant) {
        let wait = RETRY.saturating_mul(2_u32.saturating_pow(self.failures));
        self.failures = self.failures.saturating_add(1);
        self.look.get_or_insert(now);
        self.rested = now + wait.min(LONGEST_RETRY);
    }
}

/// What a look came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Whether there is anything that is not in the index for good, or may be.
    pub(crate) is_news: bool,
    /// Whether everything is in the index, and linked.
    pub(crate) is_settled: bool,
    /// In how long the next segment closes.
    pub(crate) close: Option<Duration>,
}

#[cfg(test)]
mod tests;
