//! The time that a question is about.

use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use pi_brain_session::Millis;

/// A stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Period {
    /// How the question calls it.
    pub(super) name: String,
    /// Not before.
    pub(super) after: Millis,
    /// Before.
    pub(super) before: Millis,
}

/// The names of months in English, German, French, Spanish and Portuguese, each list from January on. What is also
/// another word (may, mars) counts only behind a word that leads to it.
const MONTHS: [&str; 5] = [
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
];

/// Words that stand before a month.
const BEFORE_MONTHS: [&str; 14] = [
    "in", "of", "during", "since", "last", "im", "seit", "ende", "anfang", "en", "de", "em", "mid",
    "late",
];

impl Period {
    /// Finds the time that a question names, and returns what is left of the question.
    pub(super) fn find(question: &str, now: &Zoned) -> (Option<Self>, String) {
        let words: Vec<&str> = question.split_whitespace().collect();
        let plain: Vec<String> = words
            .iter()
            .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase())
            .collect();
        let found = (0..words.len()).find_map(|at| named(&plain, at, now));
        let Some((used, days)) = found else { return (None, question.to_owned()) };
        let start = |date: Date| date.to_zoned(now.time_zone().clone()).ok();
        let (Some(after), Some(before)) = (start(days.0), start(days.1)) else {
            return (None, question.to_owned());
        };
        let name = plain[used.clone()].join(" ");
        let rest = [&words[..used.start], &words[used.end..]].concat().join(" ");
        let [after, before] = [after, before].map(|time| Millis::from(time.timestamp()));
        (Some(Self { name, after, before }), rest)
    }
}

type Named = (std::ops::Range<usize>, (Date, Date));

/// Returns the days that the words from `at` on name, and which words these are.
fn named(words: &[String], at: usize, now: &Zoned) -> Option<Named> {
    let today = now.date();
    let days = |from: Option<Date>, to: Option<Date>| from.zip(to);
    let after = |date: Date, days: i64| date.checked_add(days.days()).ok();
    let month_start = today.first_of_month();
    let week_start = after(today, -i64::from(today.weekday().to_monday_zero_offset()))?;
    let word = |ahead: usize| words.get(at + ahead).map_or("", String::as_str);
    let (length, days) = match (word(0), word(1)) {
        ("today" | "heute" | "hoy" | "hoje" | "aujourd'hui", _) => {
            (1, days(Some(today), after(today, 1)))
        }
        ("yesterday" | "gestern" | "hier" | "ayer" | "ontem", _) => {
            (1, days(after(today, -1), Some(today)))
        }
        ("this", "week") | ("diese", "woche") | ("cette", "semaine") | ("esta", "semana") => {
            (2, days(Some(week_start), after(week_start, 7)))
        }
        ("last", "week") | ("letzte", "woche") => {
            (2, days(after(week_start, -7), Some(week_start)))
        }
        ("this", "month") | ("diesen", "monat") | ("ce", "mois") | ("este", "mes" | "mês") => {
            (2, days(Some(month_start), month_start.checked_add(1.month()).ok()))
        }
        ("last", "month")
        | ("letzten", "monat")
        | ("mes" | "mês", "pasado" | "passado")
        | ("mois", "dernier") => {
            (2, days(month_start.checked_sub(1.month()).ok(), Some(month_start)))
        }
        ("this", "year") | ("dieses", "jahr") => (2, year(today.year())),
        ("last", "year") | ("letztes", "jahr") => (2, year(today.year() - 1)),
        ("last", number) if word(2).starts_with("day") => {
            (3, days(after(today, -number.parse::<i64>().ok()?), after(today, 1)))
        }
        ("last", number) if word(2).starts_with("week") => {
            (3, days(after(today, -7 * number.parse::<i64>().ok()?), after(today, 1)))
        }
        (lead, name) if BEFORE_MONTHS.contains(&lead) => {
            let month = month(name)?;
            let named_year =
                word(2).parse::<i16>().ok().filter(|year| (1990..=2100).contains(year));
            let this_year = if month <= today.month() { today.year() } else { today.year() - 1 };
            let first = Date::new(named_year.unwrap_or(this_year), month, 1).ok()?;
            let next = first.checked_add(1.month()).ok()?;
            let is_end = lead == "ende"
                || lead == "late"
                || words[..at].last().is_some_and(|word| word == "end" || word == "fin");
            let is_start = lead == "anfang"
                || words[..at].last().is_some_and(|word| word == "beginning" || word == "start");
            let is_open = lead == "since" || lead == "seit";
            let (from, to) = if is_end {
                (after(first, 19), after(next, 5))
            } else if is_start {
                (Some(first), after(first, 10))
            } else if is_open {
                (Some(first), after(today, 1))
            } else {
                (Some(first), Some(next))
            };
            (2 + usize::from(named_year.is_some()), days(from, to))
        }
        _ => return None,
    };
    Some((at..at + length, days?))
}

fn year(year: i16) -> Option<(Date, Date)> {
    Date::new(year, 1, 1).ok().zip(Date::new(year + 1, 1, 1).ok())
}

fn month(name: &str) -> Option<i8> {
    let at = MONTHS.iter().find_map(|months| months.split(' ').position(|month| month == name))?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    /// Returns the days that a question names, as asked on a Wednesday, and what is left of the question.
    fn asked(question: &str) -> (Option<(Date, Date)>, String) {
        let now =
            date(2026, 11, 18).at(15, 30, 0, 0).to_zoned(TimeZone::UTC).expect("UTC has all times");
        let (period, rest) = Period::find(question, &now);
        let day = |time: Millis| time.to_timestamp().to_zoned(TimeZone::UTC).date();
        (period.map(|period| (day(period.after), day(period.before))), rest)
    }

    #[test]
    fn times_are_found_in_several_languages() {
        let cases = [
            ("what did I do today?", (2026, 11, 18), (2026, 11, 19)),
            ("was habe ich gestern gemacht", (2026, 11, 17), (2026, 11, 18)),
            ("what broke this week", (2026, 11, 16), (2026, 11, 23)),
            ("what broke last week", (2026, 11, 9), (2026, 11, 16)),
            ("what did auth cost last month?", (2026, 10, 1), (2026, 11, 1)),
            ("cuánto costó el mes pasado", (2026, 10, 1), (2026, 11, 1)),
            ("errors of the last 3 days", (2026, 11, 15), (2026, 11, 19)),
            ("work of last 2 weeks", (2026, 11, 4), (2026, 11, 19)),
            ("the cost of last year", (2025, 1, 1), (2026, 1, 1)),
            ("what happened in October", (2026, 10, 1), (2026, 11, 1)),
            ("what happened in December", (2025, 12, 1), (2026, 1, 1)),
            ("was war im März 2025", (2025, 3, 1), (2025, 4, 1)),
            ("fixes since October", (2026, 10, 1), (2026, 11, 19)),
            ("what broke at the end of october", (2026, 10, 20), (2026, 11, 6)),
        ];
        for (question, (y1, m1, d1), (y2, m2, d2)) in cases {
            let wanted = (date(y1, m1, d1), date(y2, m2, d2));
            assert_eq!(asked(question).0, Some(wanted), "{question}");
        }
    }

    #[test]
    fn the_time_is_taken_out_of_the_question_and_other_words_are_left_alone() {
        assert_eq!(asked("what did auth cost last month?").1, "what did auth cost");
        for question in
            ["may we use redis?", "which march algorithm", "the last error", "last n days"]
        {
            assert_eq!(asked(question), (None, question.to_owned()));
        }
    }
}
