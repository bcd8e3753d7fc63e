//! `pi-brain stats`: everything in numbers.

use jiff::tz::TimeZone;
use pi_brain_app::{Disk, Stats};
use pi_brain_store::{Numbers, Tally};

use super::cost::bar;
use super::listing::{say_nothing, sparkline};
use super::{print_json, say};
use crate::args::StatsOptions;
use crate::brain::open_fresh;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::Locations;
use crate::table::{Column, bytes, count, dollars, draw, how_many};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &StatsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let stats = app.stats(&TimeZone::system())?;
    if options.json {
        return print_json(&stats);
    }
    if stats.numbers.sessions == 0 {
        return say_nothing(locations, &app, "sessions", None);
    }
    say_shape(&stats.numbers)?;
    say_disk(&stats)?;
    say_kinds(&stats)?;
    say_tools(&stats.numbers.tools)
}

fn say_shape(numbers: &Numbers) -> anyhow::Result<()> {
    let many = |number: u64, one: &str, more: &str| {
        how_many(usize::try_from(number).unwrap_or(usize::MAX), one, more)
    };
    say!(
        "{BOLD}{}{BOLD:#} of {}, {}",
        many(numbers.sessions, "session", "sessions"),
        many(numbers.projects, "project", "projects"),
        many(numbers.families, "family", "families")
    )?;
    if let (Some(first), Some(last)) = (numbers.first, numbers.last) {
        say!("  {DIM}time{DIM:#}       {} to {}", when::date(first), when::date(last))?;
    }
    say!(
        "  {DIM}messages{DIM:#}   {}, {} of them abandoned",
        many(numbers.messages, "different one", "different ones"),
        numbers.abandoned
    )?;
    let mut work = vec![
        many(numbers.nodes, "unit of work", "units of work"),
        many(numbers.versions, "version", "versions"),
        many(numbers.edges, "link", "links"),
    ];
    work.extend((numbers.open > 0).then(|| format!("{} still open", numbers.open)));
    work.extend((numbers.hidden > 0).then(|| format!("{} hidden", numbers.hidden)));
    say!("  {DIM}work{DIM:#}       {}", work.join(", "))?;
    let spent = &numbers.spent;
    say!(
        "  {DIM}spent{DIM:#}      {} for {} and {} tokens",
        dollars(spent.usage.cost),
        many(spent.answers, "answer", "answers"),
        count(spent.usage.total_tokens)
    )?;
    if numbers.unreadable > 0 {
        let files = many(numbers.unreadable, "file", "files");
        say!("  {DIM}problems{DIM:#}   {files} could not be read")?;
    }
    Ok(())
}

fn say_disk(stats: &Stats) -> anyhow::Result<()> {
    let Disk { database, index, nodes } = stats.disk;
    let ours = database + index + nodes;
    let sessions = stats.numbers.session_bytes;
    let share = (ours * 100).checked_div(sessions).unwrap_or(0);
    say!(
        "  {DIM}disk{DIM:#}       {} of sessions, and {} ({share} %) for what came of them:",
        bytes(sessions),
        bytes(ours)
    )?;
    say!(
        "             database {}, index {}, node files {}",
        bytes(database),
        bytes(index),
        bytes(nodes)
    )
}

fn say_kinds(stats: &Stats) -> anyhow::Result<()> {
    let Numbers { types, outcomes, languages, edge_types, .. } = &stats.numbers;
    say!("")?;
    for (what, tally) in [
        ("types     ", types),
        ("outcomes  ", outcomes),
        ("languages ", languages),
        ("links     ", edge_types),
    ] {
        if !tally.is_empty() {
            say!("  {DIM}{what}{DIM:#} {}", list(tally))?;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a bar has eight heights")]
    let line = sparkline(stats.hours.iter().map(|answers| *answers as f64));
    say!("  {DIM}hours{DIM:#}      {line}  {DIM}answers from 0 to 23 h{DIM:#}")
}

fn list(tally: &Tally) -> String {
    const MOST: usize = 8;
    let shown = tally.iter().take(MOST);
    let mut parts: Vec<String> = shown
        .map(|(name, number)| format!("{number} {}", one_line(name).replace('_', " ")))
        .collect();
    let more: u64 = tally.iter().skip(MOST).map(|(_, number)| number).sum();
    parts.extend((more > 0).then(|| format!("{more} other")));
    parts.join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "a bar has sixteen lengths")]
fn say_tools(tools: &Tally) -> anyhow::Result<()> {
    const MOST: usize = 12;
    if tools.is_empty() {
        return Ok(());
    }
    let columns = [Column::Text("TOOL"), Column::Number("CALLS"), Column::Text("")];
    let most = tools.iter().map(|(_, calls)| *calls).max().unwrap_or(0) as f64;
    let row = |(name, calls): &(String, u64)| {
        vec![one_line(name), calls.to_string(), bar(*calls as f64, most)]
    };
    say!("\n{}", draw(&columns, &tools.iter().take(MOST).map(row).collect::<Vec<_>>()))
}
