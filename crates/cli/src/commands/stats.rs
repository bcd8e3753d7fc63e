//! `pi-brain session stats`: the numbers of a session.

use pi_brain_session::{Stats, View};

use super::{print_json, say};
use crate::args::ReadOptions;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::Locations;
use crate::table::{Column, bytes, count, dollars, draw, how_many};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ReadOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.session, View::Repaired)?;
    let stats = session.stats(&tree)?;
    if options.json {
        return print_json(&stats);
    }
    let title = session.log().name().unwrap_or(&session.header().id);
    say!("{BOLD}{}{BOLD:#}", one_line(title))?;
    if stats.entries == 0 {
        return say!(
            "  The session is empty: its file of {} has only a header.",
            bytes(session.log().end())
        );
    }
    print_shape(&stats, session.log().end())?;
    print_usage(&stats)?;
    print_tables(&stats)
}

fn print_shape(stats: &Stats, size: u64) -> anyhow::Result<()> {
    let list = |counts: &std::collections::BTreeMap<String, usize>| {
        let parts: Vec<String> =
            counts.iter().map(|(name, number)| format!("{} {}", number, one_line(name))).collect();
        parts.join(", ")
    };
    say!("  {DIM}entries{DIM:#}    {} ({}), {}", stats.entries, list(&stats.by_kind), bytes(size))?;
    if !stats.by_role.is_empty() {
        say!("  {DIM}messages{DIM:#}   {}", list(&stats.by_role))?;
    }
    if !stats.stop_reasons.is_empty() {
        say!(
            "  {DIM}answers{DIM:#}    {}; {} with thinking",
            list(&stats.stop_reasons),
            stats.thinking_turns
        )?;
    }
    let shape = [
        how_many(stats.branches, "branch", "branches"),
        how_many(stats.branch_points, "branch point", "branch points"),
        format!("{} deep", stats.depth),
        how_many(stats.compactions, "compaction", "compactions"),
        how_many(stats.images, "image", "images"),
    ];
    say!("  {DIM}shape{DIM:#}      {}", shape.join(", "))?;
    if let (Some(first), Some(last)) = (stats.first, stats.last) {
        let active = when::minutes(stats.active_minutes);
        say!(
            "  {DIM}time{DIM:#}       {} to {}, {active} active",
            when::date_and_time(first),
            when::date_and_time(last)
        )?;
    }
    Ok(())
}

fn print_usage(stats: &Stats) -> anyhow::Result<()> {
    let usage = &stats.usage;
    say!(
        "  {DIM}tokens{DIM:#}     {} in, {} out, {} read from cache, {} written to it; {}",
        count(usage.input),
        count(usage.output),
        count(usage.cache_read),
        count(usage.cache_write),
        dollars(usage.cost)
    )
}

fn print_tables(stats: &Stats) -> anyhow::Result<()> {
    if !stats.models.is_empty() {
        let columns = [
            Column::Text("MODEL"),
            Column::Number("ANSWERS"),
            Column::Number("TOKENS"),
            Column::Number("COST"),
        ];
        let rows = stats.models.iter().map(|(name, model)| {
            vec![
                one_line(name),
                model.answers.to_string(),
                count(model.usage.total_tokens),
                dollars(model.usage.cost),
            ]
        });
        say!("\n{}", draw(&columns, &rows.collect::<Vec<_>>()))?;
    }
    if !stats.tools.is_empty() {
        let columns = [
            Column::Text("TOOL"),
            Column::Number("CALLS"),
            Column::Number("ERRORS"),
            Column::Number("OUTPUT"),
        ];
        let rows = stats.tools.iter().map(|(name, tool)| {
            vec![
                one_line(name),
                tool.calls.to_string(),
                tool.errors.to_string(),
                bytes(tool.output_size as u64),
            ]
        });
        say!("\n{}", draw(&columns, &rows.collect::<Vec<_>>()))?;
    }
    Ok(())
}
