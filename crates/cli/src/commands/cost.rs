//! `pi-brain cost`: what was spent, on what and when.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_app::{Cost, CostKey, CostRow};
use pi_brain_store::{SpendingFilter, Spent};

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
    let zone = TimeZone::system();
    let mut cost = app.cost(&filter, options.by.into(), &zone)?;
    let in_all = cut(&mut cost.rows, &options.list);
    if options.list.json {
        return print_json(&cost);
    }
    if in_all == 0 {
        let is_narrow = options.narrow.is_narrow() || options.model.is_some();
        return say_nothing(locations, &app, "spending", is_narrow.then_some("cost"));
    }
    let Cost { total, rows, own_use: own, .. } = &cost;
    say_total(total, &app.spending_by_day(&filter, &zone)?)?;
    say!("\n{}", draw_list(locations, options.by, rows, total))?;
    say_more(rows.len(), in_all)?;
    if own.runs == 0 {
        return Ok(());
    }
    let tokens = count(own.tokens_in + own.tokens_out);
    let cost = (own.dollars > 0.0).then(|| format!("{}, ", dollars(own.dollars)));
    say!("\nbesides, models took {}{tokens} tokens for pi-brain itself", cost.unwrap_or_default())
}

/// Names what money was spent on, for people.
fn name(locations: &Locations, key: &CostKey) -> String {
    match key {
        CostKey::Day { day } => day.strftime("%a %Y-%m-%d").to_string(),
        CostKey::Week { week } => format!("{week} to {}", week.saturating_add(6.days())),
        CostKey::Month { month } => month.clone(),
        CostKey::Project { project } => match &**project {
            "" => "(unknown)".to_owned(),
            path => locations.display(Path::new(path)),
        },
        CostKey::Model { provider, model } => model_name(provider, model),
        CostKey::Session { session, project, title, .. } => {
            let title = one_line(title.as_deref().unwrap_or(session));
            format!("{}: {title}", project_name(project))
        }
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

fn draw_list(locations: &Locations, by: CostBy, rows: &[CostRow], total: &Spent) -> String {
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
    let row = |row: &CostRow| {
        let Spent { answers, usage } = row.spent;
        vec![
            dollars(usage.cost),
            share(usage.cost, total.usage.cost),
            bar(usage.cost, most),
            answers.to_string(),
            count(usage.total_tokens),
            name(locations, &row.key),
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
