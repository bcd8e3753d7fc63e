//! `pi-brain cost`: what was spent, on what and when.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_session::Millis;
use pi_brain_store::{QUARTER, SpendingFilter, Spent, Store};
use serde::Serialize;
use serde_json::{Value, json};

use super::listing::{cut, project_name, say_more, say_nothing, sparkline};
use super::models::model_name;
use super::{print_json, say};
use crate::args::{CostBy, CostOptions};
use crate::brain::open_fresh;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::Locations;
use crate::table::{Column, count, dollars, draw, fit};

pub(crate) fn run(locations: &Locations, options: &CostOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let filter = SpendingFilter { model: options.model.clone(), ..options.narrow.spending() };
    let days = by_day(app.store(), &filter)?;
    let mut rows = rows(locations, app.store(), &filter, options.by, &days)?;
    let mut total = Spent::default();
    for row in &rows {
        total += row.spent;
    }
    let in_all = cut(&mut rows, &options.list);
    let own = app.store().own_use(filter.after.unwrap_or(Millis(i64::MIN)))?;
    if options.list.json {
        let by = by_name(options.by);
        return print_json(&json!({ "by": by, "total": total, "rows": rows, "ownUse": own }));
    }
    if in_all == 0 {
        let is_narrow = options.narrow.is_narrow() || options.model.is_some();
        return say_nothing(locations, &app, "spending", is_narrow.then_some("cost"));
    }
    say_total(&total, &days)?;
    say!("\n{}", draw_list(options.by, &rows, &total))?;
    say_more(rows.len(), in_all)?;
    if own.runs == 0 {
        return Ok(());
    }
    let tokens = count(own.tokens_in + own.tokens_out);
    let cost = (own.dollars > 0.0).then(|| format!("{}, ", dollars(own.dollars)));
    say!("\nbesides, models took {}{tokens} tokens for pi-brain itself", cost.unwrap_or_default())
}

/// Something that money was spent on.
#[derive(Serialize)]
struct Row {
    /// What a person reads.
    #[serde(skip)]
    name: String,
    /// What a program reads.
    #[serde(flatten)]
    key: Value,
    #[serde(flatten)]
    spent: Spent,
}

/// Adds up what was spent on each day, where the person is.
fn by_day(store: &Store, filter: &SpendingFilter) -> anyhow::Result<BTreeMap<Date, Spent>> {
    let zone = TimeZone::system();
    let mut days: BTreeMap<Date, Spent> = BTreeMap::new();
    for (quarter, spent) in store.spending_by_quarter(filter)? {
        let time = Millis(quarter.saturating_mul(QUARTER)).to_timestamp();
        *days.entry(zone.to_datetime(time).date()).or_default() += spent;
    }
    Ok(days)
}

/// Returns the rows: times with the newest first, everything else with the dearest first.
fn rows(
    locations: &Locations,
    store: &Store,
    filter: &SpendingFilter,
    by: CostBy,
    days: &BTreeMap<Date, Spent>,
) -> anyhow::Result<Vec<Row>> {
    let mut rows: Vec<Row> = match by {
        CostBy::Day | CostBy::Week | CostBy::Month => return Ok(by_period(by, days)),
        CostBy::Project => {
            let projects = store.spending_by_project(filter)?.into_iter();
            let row = |(project, spent): (String, Spent)| Row {
                name: match &*project {
                    "" => "(unknown)".to_owned(),
                    path => locations.display(Path::new(path)),
                },
                key: json!({ "project": project }),
                spent,
            };
            projects.map(row).collect()
        }
        CostBy::Model => {
            let models = store.spending_by_model(filter)?.into_iter();
            let row = |model: pi_brain_store::ModelSpending| Row {
                name: model_name(&model.provider, &model.model),
                key: json!({ "provider": model.provider, "model": model.model }),
                spent: model.spent,
            };
            models.map(row).collect()
        }
        CostBy::Session => {
            let sessions = store.spending_by_session(filter)?.into_iter();
            let row = |session: pi_brain_store::SessionSpending| Row {
                name: format!(
                    "{}: {}",
                    project_name(&session.project),
                    one_line(session.title.as_deref().unwrap_or(&session.session))
                ),
                key: json!({
                    "session": session.session,
                    "file": session.file,
                    "project": session.project,
                    "title": session.title,
                    "lastUsed": session.last_used,
                }),
                spent: session.spent,
            };
            sessions.map(row).collect()
        }
    };
    rows.sort_by(|one, other| other.spent.usage.cost.total_cmp(&one.spent.usage.cost));
    Ok(rows)
}

fn by_period(by: CostBy, days: &BTreeMap<Date, Spent>) -> Vec<Row> {
    let mut periods: BTreeMap<Date, Spent> = BTreeMap::new();
    for (day, spent) in days {
        let since_monday = i64::from(day.weekday().to_monday_zero_offset());
        let first = match by {
            CostBy::Week => day.saturating_sub(since_monday.days()),
            CostBy::Month => day.first_of_month(),
            _ => *day,
        };
        *periods.entry(first).or_default() += *spent;
    }
    let row = |(first, spent): (Date, Spent)| {
        let (name, key) = match by {
            CostBy::Week => {
                let last = first.saturating_add(6.days());
                (format!("{first} to {last}"), first.to_string())
            }
            CostBy::Month => {
                let month = first.strftime("%Y-%m").to_string();
                (month.clone(), month)
            }
            _ => (first.strftime("%a %Y-%m-%d").to_string(), first.to_string()),
        };
        Row { name, key: json!({ by_name(by): key }), spent }
    };
    periods.into_iter().rev().map(row).collect()
}

fn by_name(by: CostBy) -> &'static str {
    match by {
        CostBy::Day => "day",
        CostBy::Week => "week",
        CostBy::Month => "month",
        CostBy::Project => "project",
        CostBy::Model => "model",
        CostBy::Session => "session",
    }
}

/// Says what it comes to, and draws the last days.
fn say_total(total: &Spent, days: &BTreeMap<Date, Spent>) -> anyhow::Result<()> {
    const MOST_DAYS: i32 = 60;
    let Spent { answers, usage } = total;
    say!(
        "{BOLD}{}{BOLD:#} for {} answers {DIM}({} tokens in, {} out, {} read from cache){DIM:#}",
        dollars(usage.cost),
        count(*answers),
        count(usage.input + usage.cache_write),
        count(usage.output),
        count(usage.cache_read)
    )?;
    let (Some((first, _)), Some((last, _))) = (days.first_key_value(), days.last_key_value())
    else {
        return Ok(());
    };
    let first = (*first).max(last.saturating_sub((MOST_DAYS - 1).days()));
    let series = first.series(1.day()).take_while(|day| day <= last);
    let cost = |day: Date| days.get(&day).map_or(0.0, |spent| spent.usage.cost);
    let line = sparkline(series.map(cost));
    say!("{line}  {DIM}{first} to {last}, day by day{DIM:#}")
}

fn draw_list(by: CostBy, rows: &[Row], total: &Spent) -> String {
    let title = match by {
        CostBy::Day => "DAY",
        CostBy::Week => "WEEK",
        CostBy::Month => "MONTH",
        CostBy::Project => "PROJECT",
        CostBy::Model => "MODEL",
        CostBy::Session => "SESSION",
    };
    let columns = [
        Column::Number("COST"),
        Column::Number("SHARE"),
        Column::Text(""),
        Column::Number("ANSWERS"),
        Column::Number("TOKENS"),
        Column::Rest(title),
    ];
    let most = rows.iter().map(|row| row.spent.usage.cost).fold(0.0, f64::max);
    let row = |row: &Row| {
        let Spent { answers, usage } = row.spent;
        vec![
            dollars(usage.cost),
            share(usage.cost, total.usage.cost),
            bar(usage.cost, most),
            answers.to_string(),
            count(usage.total_tokens),
            row.name.clone(),
        ]
    };
    draw(&columns, &rows.iter().map(row).collect::<Vec<_>>())
}

fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.0} %", part / whole * 100.0) } else { "–".to_owned() }
}

/// Draws a number as a bar, the largest one over the whole width.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a bar is not longer than its room"
)]
pub(super) fn bar(number: f64, most: f64) -> String {
    const WIDEST: f64 = 16.0;
    let length = if most > 0.0 { (number / most * WIDEST).round() as usize } else { 0 };
    let length = if number > 0.0 { length.max(1) } else { 0 };
    fit(&"█".repeat(length), 16)
}
