//! `pi-brain daemon queue` and `retry`: what a model is to read, and what was given up.

use std::path::Path;

use pi_brain_brain::word;
use pi_brain_daemon::Client;
use pi_brain_store::JobRow;
use serde_json::json;

use super::super::{print_json, say};
use crate::args::{DaemonStatusOptions, RetryOptions};
use crate::brain::open;
use crate::describe::{BOLD, DIM, one_line};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw, how_many};
use crate::when;

/// How many jobs are listed.
const LISTED: usize = 200;

pub(super) fn list(locations: &Locations, options: &DaemonStatusOptions) -> anyhow::Result<()> {
    let app = open(locations)?;
    let counts = app.store().queue_counts(None)?;
    let jobs = app.store().jobs(LISTED)?;
    if options.json {
        return print_json(&json!({ "counts": counts, "jobs": jobs }));
    }
    if jobs.is_empty() {
        return say!("The queue is empty.");
    }
    say!(
        "{BOLD}{} waiting{BOLD:#}, {} being done, {} given up\n",
        counts.waiting,
        counts.running,
        counts.dead
    )?;
    let columns = [
        Column::Number("JOB"),
        Column::Text("WHAT"),
        Column::Text("NODE"),
        Column::Text("STATE"),
        Column::Number("TRIES"),
        Column::Rest("WHY"),
    ];
    let rows: Vec<Vec<String>> = jobs.iter().map(row).collect();
    say!("{}", draw(&columns, &rows))?;
    let shown = jobs.len() as u64;
    let all = counts.waiting + counts.running + counts.dead;
    if shown < all {
        say!("{DIM}… and {} more{DIM:#}", all - shown)?;
    }
    if counts.dead > 0 {
        say!("{DIM}{} daemon retry JOB    tries one again{DIM:#}", locations.program())?;
    }
    Ok(())
}

fn row(job: &JobRow) -> Vec<String> {
    let state = match (&job.owner, job.dead) {
        (Some(owner), _) => format!("with {owner}"),
        (None, true) => "given up".to_owned(),
        (None, false) if job.due > now() => format!("from {}", when::date_and_time(job.due)),
        (None, false) => "waiting".to_owned(),
    };
    vec![
        job.id.to_string(),
        word(&job.kind),
        job.node.map(|node| node.to_string()[..8].to_owned()).unwrap_or_default(),
        state,
        job.attempts.to_string(),
        one_line(job.error.as_deref().unwrap_or_default()),
    ]
}

pub(super) fn retry(
    locations: &Locations,
    folder: &Path,
    options: &RetryOptions,
) -> anyhow::Result<()> {
    let jobs = (!options.jobs.is_empty()).then_some(&*options.jobs);
    let retried = match Client::find(folder) {
        Some(daemon) => daemon.retry(jobs)?,
        None => open(locations)?.store().retry_jobs(jobs, now())? as u64,
    };
    let retried = usize::try_from(retried).unwrap_or(usize::MAX);
    say!("{} tried again", how_many(retried, "job is", "jobs are"))
}
