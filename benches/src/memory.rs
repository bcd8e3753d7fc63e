//! How much memory a large session takes, measured in a process of its own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use pi_brain_session::{Session, View};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The name under which the program measures itself.
pub const MEMORY_COMMAND: &str = "open-large";

const BETWEEN_SAMPLES: Duration = Duration::from_millis(2);

/// What it took to open a session, and to build its tree and its context.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MemoryFigures {
    /// The size of the file.
    pub bytes: u64,
    /// How many entries it has.
    pub entries: usize,
    /// How many messages the context has.
    pub messages: usize,
    /// Anonymous memory before the file was opened, in bytes.
    pub before: u64,
    /// The most anonymous memory at any time until the context was there, in bytes.
    pub peak: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Lets another process of this program open a session, so that nothing else counts.
pub fn measure_memory(program: &Path, file: &Path) -> anyhow::Result<MemoryFigures> {
    figures_of(Command::new(program).arg(MEMORY_COMMAND).arg(file))
}

/// Runs a process of this program that prints figures.
pub(crate) fn figures_of<T: DeserializeOwned>(command: &mut Command) -> anyhow::Result<T> {
    let program = command.get_program().to_owned();
    let output =
        command.output().with_context(|| format!("could not run {}", program.display()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "could not measure: {complaint}");
    serde_json::from_slice(&output.stdout).context("reading the figures")
}

/// Opens a session while a thread watches the memory of this process.
pub fn open_watched(file: &Path) -> anyhow::Result<MemoryFigures> {
    let before = anonymous_memory()?;
    let start = Instant::now();
    let (opened, peak) = watch_memory(|| {
        let session = Session::open(file)?;
        let tree = session.tree(View::AsPi);
        let context = session.context(&tree, tree.leaf())?;
        anyhow::Ok((session, tree, context))
    })?;
    let (session, _tree, context) = opened?;
    Ok(MemoryFigures {
        bytes: session.log().end(),
        entries: session.log().entries().len(),
        messages: context.messages.len(),
        before,
        peak,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Does some work; returns what it gave, and the most memory that was in use up to then.
pub(crate) fn watch_memory<T>(work: impl FnOnce() -> T) -> anyhow::Result<(T, u64)> {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut peak = 0;
            while !done.load(Ordering::Relaxed) {
                peak = anonymous_memory()?.max(peak);
                thread::sleep(BETWEEN_SAMPLES);
            }
            anyhow::Ok(peak)
        });
        let result = work();
        let at_the_end = anonymous_memory()?;
        done.store(true, Ordering::Relaxed);
        let peak = watcher.join().expect("the watcher does not panic")?;
        Ok((result, peak.max(at_the_end)))
    })
}

/// Returns the memory that this process alone has filled: `RssAnon`. Pages of files do not count, for
/// the system can take them back at any time.
pub(crate) fn anonymous_memory() -> anyhow::Result<u64> {
    memory_of("self")
}

/// Returns the same of another process.
pub(crate) fn memory_of(process: &str) -> anyhow::Result<u64> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    Ok(kilobytes.with_context(|| format!("{path} says nothing of RssAnon"))? * 1024)
}
