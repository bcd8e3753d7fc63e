//! `pi-brain ingest`: takes all sessions in and says what that came to.

use std::time::{Duration, Instant};

use pi_brain_app::Report;
use serde_json::json;

use super::{print_json, say};
use crate::args::IngestOptions;
use crate::brain::{Bar, open, unreadable, when_free};
use crate::describe::{BOLD, DIM};
use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{bytes, count, how_many};
use crate::thrift;

pub(crate) fn run(locations: &Locations, options: &IngestOptions) -> anyhow::Result<()> {
    thrift::for_now();
    let mut app = open(locations)?;
    let started = Instant::now();
    let bar = Bar::default();
    let report = when_free(|| app.ingest("ingest", now(), &bar))?;
    bar.clear();
    if report.found == 0 && report.unreadable.is_empty() {
        return Err(locations.no_sessions());
    }
    show(locations, &report, started.elapsed(), options.json)
}

/// Says what taking sessions in came to.
pub(crate) fn show(
    locations: &Locations,
    report: &Report,
    took: Duration,
    as_json: bool,
) -> anyhow::Result<()> {
    let seconds = took.as_secs_f64();
    if as_json {
        let unreadable: Vec<_> = report
            .unreadable
            .iter()
            .map(|(file, problem)| json!({ "file": file, "problem": problem }))
            .collect();
        return print_json(&json!({
            "files": report.files,
            "bytes": report.bytes,
            "entries": report.entries,
            "messages": report.messages,
            "nodes": report.versions.len(),
            "edges": report.edges,
            "problems": report.problems,
            "unreadable": unreadable,
            "gone": report.gone,
            "found": report.found,
            "seconds": seconds,
        }));
    }
    for (file, why) in &report.unreadable {
        warn(&unreadable(locations, file, why));
    }
    let found = how_many(report.found, "session file", "session files");
    if report.files == 0 && report.versions.is_empty() && report.gone == 0 {
        return say!("{found}, nothing new {DIM}({seconds:.2} s){DIM:#}");
    }
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = bytes(report.bytes.saturating_mul(1000) / milliseconds);
    say!(
        "{BOLD}{}{BOLD:#} of {found}: {} in {seconds:.1} s {DIM}({rate}/s){DIM:#}",
        how_many(report.files, "new or changed", "new or changed"),
        bytes(report.bytes)
    )?;
    say!(
        "  {} entries, {} messages that were not there before",
        count(report.entries as u64),
        count(report.messages as u64)
    )?;
    say!(
        "  {} or changed, {}",
        how_many(report.versions.len(), "unit of work is new", "units of work are new"),
        how_many(report.edges, "link between them", "links between them")
    )?;
    if report.gone > 0 {
        say!(
            "  {} gone; what was learnt in them stays",
            how_many(report.gone, "file is", "files are")
        )?;
    }
    if report.problems > 0 {
        say!("  {}", how_many(report.problems, "line has a problem", "lines have problems"))?;
    }
    say!("\n{DIM}{} search WORDS    finds them again{DIM:#}", locations.program())
}
