//! The last seven days in numbers, and the seven before them.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, Order, SpendingFilter};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::Result;

/// The last seven days, today among them, against the seven before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Week {
    /// The last seven days.
    pub current: Numbers,
    /// The seven before.
    pub before: Numbers,
    /// All fourteen, the oldest first.
    pub days: Vec<DayNumbers>,
}

/// A day in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DayNumbers {
    /// The day, where the person is.
    #[schemars(with = "String", extend("format" = "date"))]
    pub day: Date,
    /// What was done on it.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// What was done in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Numbers {
    /// Units of work that began then.
    pub nodes: u64,
    /// Sessions that these belong to, each once.
    pub sessions: u64,
    /// How long these units of work took.
    pub minutes: f64,
    /// All tokens that were spent.
    pub tokens: u64,
    /// Dollars.
    pub cost: f64,
}

const DAYS: i64 = 7;

impl App {
    /// Adds up what was done in the last seven days, and in the seven before.
    pub fn week(&self, now: &Zoned) -> Result<Week> {
        let today = now.date();
        let first = today.saturating_sub((2 * DAYS - 1).days());
        let zone = now.time_zone();
        let start = first
            .to_zoned(zone.clone())
            .map_or(Millis(i64::MIN), |start| Millis::from(start.timestamp()));
        let recent = NodeFilter { after: Some(start), ..NodeFilter::default() };
        let (nodes, _) = self.store.nodes(&recent, Order::Newest, usize::MAX, 0)?;
        let spending = SpendingFilter { after: Some(start), ..SpendingFilter::default() };
        let spent = self.spending_by_day(&spending, zone)?;

        let mut tallies: BTreeMap<Date, Tally<'_>> = BTreeMap::new();
        for node in &nodes {
            let day = zone.to_datetime(node.started.to_timestamp()).date();
            let tally = tallies.entry(day).or_default();
            tally.numbers.nodes += 1;
            tally.numbers.minutes += node.minutes;
            tally.sessions.insert(&node.session_id);
        }
        for (day, spent) in spent {
            let numbers = &mut tallies.entry(day).or_default().numbers;
            numbers.tokens += spent.usage.total_tokens;
            numbers.cost += spent.usage.cost;
        }
        let boundary = today.saturating_sub((DAYS - 1).days());
        let sum = |from: Date, to: Date| {
            let days = tallies.range(from..to).map(|(_, tally)| tally);
            days.fold(Tally::default(), Tally::with).total()
        };
        let tomorrow = today.saturating_add(1.day());
        let days = first
            .series(1.day())
            .take_while(|day| *day <= today)
            .map(|day| DayNumbers { day, numbers: sum(day, day.saturating_add(1.day())) });
        Ok(Week {
            current: sum(boundary, tomorrow),
            before: sum(first, boundary),
            days: days.collect(),
        })
    }
}

/// Numbers, with the sessions by name: one that went on for days is one session of the week.
#[derive(Default)]
struct Tally<'a> {
    numbers: Numbers,
    sessions: HashSet<&'a str>,
}

impl<'a> Tally<'a> {
    fn with(mut self, more: &Tally<'a>) -> Self {
        self.numbers.nodes += more.numbers.nodes;
        self.numbers.minutes += more.numbers.minutes;
        self.numbers.tokens += more.numbers.tokens;
        self.numbers.cost += more.numbers.cost;
        self.sessions.extend(&more.sessions);
        self
    }

    fn total(self) -> Numbers {
        Numbers { sessions: self.sessions.len() as u64, ..self.numbers }
    }
}
