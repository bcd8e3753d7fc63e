//! What was done day by day, where the person is, and at which hours of the week.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_session::Millis;
use pi_brain_store::{QUARTER, SpendingFilter, Spent, SpentOn};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::Result;

/// A day.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayRow {
    /// The day, where the person is.
    #[schemars(with = "String", extend("format" = "date"))]
    pub day: Date,
    /// Answers, tokens and dollars.
    #[serde(flatten)]
    pub spent: Spent,
    /// How long work went on, without breaks of ten minutes and more. Sessions side by side are added up.
    pub active_minutes: f64,
    /// In how many sessions something was done.
    pub sessions: usize,
    /// How many units of work began.
    pub nodes: usize,
    /// What was spent on each project or model, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<BTreeMap<String, Spent>>,
}

/// At which hours somebody works.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rhythm {
    /// Answers of models by the hour of the day, for each day of the week, Monday first.
    pub week: [[u64; 24]; 7],
}

/// What was done on a day besides spending.
#[derive(Default)]
struct Work {
    minutes: f64,
    sessions: BTreeSet<u32>,
    nodes: usize,
}

impl App {
    /// Tells of each day from the first to the last, also of those on which nothing was done.
    pub fn days(
        &self,
        filter: &SpendingFilter,
        by: Option<SpentOn>,
        (first, last): (Date, Date),
        zone: &TimeZone,
    ) -> Result<Vec<DayRow>> {
        let spent = self.spending_by_day(filter, zone)?;
        let mut work: BTreeMap<Date, Work> = BTreeMap::new();
        for span in self.store.work(filter)? {
            for (at, (day, minutes)) in
                by_day(span.started, span.ended, zone).into_iter().enumerate()
            {
                let work = work.entry(day).or_default();
                work.minutes += minutes;
                work.sessions.insert(span.session);
                work.nodes += usize::from(at == 0 && span.has_node);
            }
        }
        let mut parts: BTreeMap<Date, BTreeMap<String, Spent>> = BTreeMap::new();
        if let Some(by) = by {
            for (quarter, name, spent) in self.store.spending_by_quarter_and(filter, by)? {
                let time = Millis(quarter.saturating_mul(QUARTER)).to_timestamp();
                let day = zone.to_datetime(time).date();
                *parts.entry(day).or_default().entry(name).or_default() += spent;
            }
        }
        let row = |day: Date| {
            let Work { minutes, sessions, nodes } = work.remove(&day).unwrap_or_default();
            DayRow {
                day,
                spent: spent.get(&day).copied().unwrap_or_default(),
                active_minutes: (minutes * 10.0).round() / 10.0,
                sessions: sessions.len(),
                nodes,
                parts: by.map(|_| parts.remove(&day).unwrap_or_default()),
            }
        };
        Ok(first.series(1.day()).take_while(|day| *day <= last).map(row).collect())
    }

    /// Counts answers by the hour of the week.
    pub fn rhythm(&self, filter: &SpendingFilter, zone: &TimeZone) -> Result<Rhythm> {
        let mut rhythm = Rhythm::default();
        for (quarter, spent) in self.store.spending_by_quarter(filter)? {
            let time = zone.to_datetime(Millis(quarter.saturating_mul(QUARTER)).to_timestamp());
            let day = usize::try_from(time.weekday().to_monday_zero_offset()).unwrap_or(0);
            rhythm.week[day][usize::try_from(time.hour()).unwrap_or(0)] += spent.answers;
        }
        Ok(rhythm)
    }
}

/// Says how many minutes of a time lie on which days.
fn by_day(started: Millis, ended: Millis, zone: &TimeZone) -> Vec<(Date, f64)> {
    let mut days = Vec::new();
    let mut from = started;
    loop {
        let day = zone.to_datetime(from.to_timestamp()).date();
        let midnight = day.tomorrow().ok().and_then(|next| next.to_zoned(zone.clone()).ok());
        let until = midnight.map_or(ended, |next| Millis::from(next.timestamp()).min(ended));
        #[expect(clippy::cast_precision_loss, reason = "a day has few milliseconds")]
        days.push((day, (until.0 - from.0).max(0) as f64 / 60_000.0));
        if until >= ended || until <= from {
            return days;
        }
        from = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_over_midnight_belongs_to_both_days() {
        let time = |text: &str| Millis::from(text.parse::<jiff::Timestamp>().unwrap());
        let days = |from: &str, to: &str| -> Vec<(String, f64)> {
            let days = by_day(time(from), time(to), &TimeZone::UTC);
            days.into_iter().map(|(day, minutes)| (day.to_string(), minutes)).collect()
        };
        assert_eq!(
            days("2026-11-16T09:00:00Z", "2026-11-16T09:30:00Z"),
            [("2026-11-16".to_owned(), 30.0)]
        );
        assert_eq!(
            days("2026-11-16T23:50:00Z", "2026-11-17T00:20:00Z"),
            [("2026-11-16".to_owned(), 10.0), ("2026-11-17".to_owned(), 20.0)]
        );
        assert_eq!(
            days("2026-11-16T09:00:00Z", "2026-11-16T09:00:00Z"),
            [("2026-11-16".to_owned(), 0.0)]
        );
        assert_eq!(
            days("2026-11-17T00:00:00Z", "2026-11-19T00:00:00Z"),
            [("2026-11-17".to_owned(), 1440.0), ("2026-11-18".to_owned(), 1440.0)]
        );
    }
}
