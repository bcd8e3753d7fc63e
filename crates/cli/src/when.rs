//! Times as people say and read them.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use pi_brain_session::Millis;

/// A point in time that somebody typed: a date, `today`, `yesterday`, or so long ago (`12h`, `3d`, `2w`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Day {
    Date(Date),
    DaysAgo(i64),
    HoursAgo(i64),
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| {
            digits.parse::<i64>().ok().filter(|number| (0..100_000).contains(number))
        };
        let parsed = match text {
            "today" => Some(Self::DaysAgo(0)),
            "yesterday" => Some(Self::DaysAgo(1)),
            _ => match text.char_indices().last() {
                Some((end, 'h')) => number(&text[..end]).map(Self::HoursAgo),
                Some((end, 'd')) => number(&text[..end]).map(Self::DaysAgo),
                Some((end, 'w')) => number(&text[..end]).map(|weeks| Self::DaysAgo(weeks * 7)),
                _ => text.parse().ok().map(Self::Date),
            },
        };
        parsed
            .ok_or_else(|| "say a date like 2026-11-01, today, yesterday, 12h, 3d or 2w".to_owned())
    }
}

impl Day {
    /// Returns the moment that is meant: days begin at midnight, where the person is.
    pub(crate) fn start(self, now: &Zoned) -> Millis {
        let midnight = |date: Date| date.to_zoned(now.time_zone().clone()).ok();
        let moment = match self {
            Self::Date(date) => midnight(date),
            Self::DaysAgo(days) => now.date().checked_sub(days.days()).ok().and_then(midnight),
            Self::HoursAgo(hours) => now.checked_sub(hours.hours()).ok(),
        };
        moment.map_or(Millis(i64::MIN), |moment| moment.timestamp().into())
    }
}

/// Returns a short word for how long ago something was; the date if it is long.
pub(crate) fn ago(time: Millis, now: Millis) -> String {
    let seconds = (now.0 - time.0) / 1000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        86_400..604_800 => format!("{} d ago", seconds / 86_400),
        _ => date(time),
    }
}

pub(crate) fn date(time: Millis) -> String {
    local(time).strftime("%Y-%m-%d").to_string()
}

pub(crate) fn date_and_time(time: Millis) -> String {
    local(time).strftime("%Y-%m-%d %H:%M").to_string()
}

fn local(time: Millis) -> Zoned {
    let timestamp: Timestamp = time.to_timestamp();
    timestamp.to_zoned(TimeZone::system())
}

/// Returns a length of time in words.
pub(crate) fn minutes(minutes: u64) -> String {
    match minutes {
        0 => "under a minute".to_owned(),
        1..60 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests;
