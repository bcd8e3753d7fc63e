//! Contestants that do the same work in turn, so that whatever slows the machine slows them all.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

/// Somebody who can do the work.
pub(crate) struct Contestant<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> anyhow::Result<Lap> + 'a>,
}

/// One time that a contestant did the work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lap {
    pub(crate) time: Duration,
    /// What it came across; plain tools cannot tell.
    pub(crate) seen: Option<Seen>,
}

/// What shows that two contestants did the same work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) sessions: usize,
    pub(crate) messages: usize,
}

impl std::iter::Sum for Seen {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            sessions: sum.sessions + one.sessions,
            messages: sum.messages + one.messages,
        })
    }
}

impl<'a> Contestant<'a> {
    /// Takes a contestant who is timed from outside.
    pub(crate) fn timed(
        name: &'static str,
        mut work: impl FnMut() -> anyhow::Result<Option<Seen>> + 'a,
    ) -> Self {
        Self::timing_itself(name, move || {
            let start = Instant::now();
            let seen = work()?;
            Ok(Lap { time: start.elapsed(), seen })
        })
    }

    /// Takes a contestant who knows best what counts.
    pub(crate) fn timing_itself(
        name: &'static str,
        run: impl FnMut() -> anyhow::Result<Lap> + 'a,
    ) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// How a contestant did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Who it was.
    pub name: &'static str,
    /// The time of each lap, shortest first.
    times: Vec<Duration>,
}

impl Outcome {
    /// Takes the times of laps that somebody else has run; there is at least one.
    pub(crate) fn new(name: &'static str, mut times: Vec<Duration>) -> anyhow::Result<Self> {
        ensure!(!times.is_empty(), "{name} did not run at all");
        times.sort();
        Ok(Self { name, times })
    }

    /// Returns the time that half of the laps kept to.
    pub fn median(&self) -> Duration {
        self.times[self.times.len() / 2]
    }

    /// Returns the time that 19 of 20 laps kept to.
    pub fn nearly_all(&self) -> Duration {
        self.times[(self.times.len() * 19).div_ceil(20) - 1]
    }

    /// Returns the time that 99 of 100 laps kept to.
    pub fn all_but_a_few(&self) -> Duration {
        self.times[(self.times.len() * 99).div_ceil(100) - 1]
    }

    /// Returns how many laps there were.
    pub fn laps(&self) -> usize {
        self.times.len()
    }

    /// Returns the shortest and the longest time.
    pub fn range(&self) -> (Duration, Duration) {
        (self.times[0], self.times[self.times.len() - 1])
    }
}

/// Lets everybody run once for practice and then `runs` times in turn.
pub(crate) fn race(
    mut contestants: Vec<Contestant<'_>>,
    runs: usize,
) -> anyhow::Result<Vec<Outcome>> {
    let mut agreed = None;
    for contestant in &mut contestants {
        run(contestant, &mut agreed)?;
    }
    race_unpractised(contestants, runs, agreed)
}

/// Lets everybody run `runs` times in turn: for work so long that practice would make no difference.
pub(crate) fn race_at_once(
    contestants: Vec<Contestant<'_>>,
    runs: usize,
) -> anyhow::Result<Vec<Outcome>> {
    race_unpractised(contestants, runs, None)
}

fn race_unpractised(
    mut contestants: Vec<Contestant<'_>>,
    runs: usize,
    mut agreed: Option<Seen>,
) -> anyhow::Result<Vec<Outcome>> {
    ensure!(runs > 0, "a race takes at least one run");
    let start = |contestant: &Contestant<'_>| Outcome { name: contestant.name, times: Vec::new() };
    let mut outcomes: Vec<Outcome> = contestants.iter().map(start).collect();
    for _ in 0..runs {
        for (contestant, outcome) in contestants.iter_mut().zip(&mut outcomes) {
            outcome.times.push(run(contestant, &mut agreed)?);
        }
    }
    for outcome in &mut outcomes {
        outcome.times.sort();
    }
    Ok(outcomes)
}

fn run(contestant: &mut Contestant<'_>, agreed: &mut Option<Seen>) -> anyhow::Result<Duration> {
    let name = contestant.name;
    let lap = (contestant.run)().with_context(|| format!("running {name}"))?;
    if let Some(seen) = lap.seen {
        let expected = *agreed.get_or_insert(seen);
        ensure!(seen == expected, "{name} saw {seen:?}, but the one before saw {expected:?}");
    }
    Ok(lap.time)
}
