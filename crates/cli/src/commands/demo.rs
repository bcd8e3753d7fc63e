//! `pi-brain demo`: a small, lifelike set of sessions to try things on, the same at every run.

mod clock;
mod message;
mod story;
mod teller;
mod tools;

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use pi_brain_session::{Millis, SessionFolder, quote};

use super::{overview, say, search};
use crate::args::{RefreshOptions, SearchOptions};
use crate::brain::{Bar, open, when_free};
use crate::describe::BOLD;
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use teller::Told;

pub(crate) fn run(folder: Option<PathBuf>) -> anyhow::Result<()> {
    let folder = match folder {
        Some(folder) => folder,
        None => Locations::data_folder()?.join("demo"),
    };
    let agent = make(&folder)?;
    // The folder of sessions is named: the environment may speak of another one.
    let sessions = agent.join("sessions");
    let locations = Locations::find(Some(agent), Some(sessions))?;
    let mut app = open(&locations)?;
    let bar = Bar::default();
    when_free(|| app.ingest("demo", now(), &bar))?;
    bar.clear();
    overview::run(&locations, false)?;
    let question = "why fts5 instead of meilisearch";
    say!("\n{BOLD}{} search {question}{BOLD:#}\n", locations.program())?;
    search::run(
        &locations,
        &SearchOptions {
            words: vec![question.to_owned()],
            limit: 4,
            offset: 0,
            deep: false,
            refresh: RefreshOptions { no_refresh: true },
            json: false,
        },
    )
}

/// Counts up when the stories change, so that an old demo is not taken for the present one.
const VERSION: u32 = 1;
/// Lies in the demo's folder: a line with the version, then the session files.
const MARKER: &str = "pi-brain-demo";

macro_rules! stories {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("demo/stories/", $name, ".md")))),*]
    };
}

/// The stories by name, each after those that it is a fork of.
const STORIES: &[(&str, &str)] = stories! {
    "01-cart-cent"
    "02-ledger-start"
    "03-weather-locked"
    "04-dotfiles-tmux"
    "05-shop-pnpm"
    "06-ledger-dates"
    "07-weather-retry"
    "08-ledger-categories"
    "09-ledger-bayes-suggest"
    "10-shop-search"
    "11-shop-search-typos"
    "12-dotfiles-better"
    "13-weather-chart"
    "14-shop-checkout"
    "15-weather-dst"
    "16-ledger-rounding"
    "17-shop-locked"
    "18-weather-flaky"
    "19-dotfiles-git"
    "20-shop-export"
    "21-ledger-shop-import"
    "22-weather-loop"
    "23-shop-slow"
    "24-shop-why-fts"
    "25-ledger-report"
};

/// Makes the demo below `folder` unless it is there already; returns pi's folder in it.
fn make(folder: &Path) -> anyhow::Result<PathBuf> {
    let folder = std::path::absolute(folder)?;
    let agent = folder.join("agent");
    if agent.symlink_metadata().is_ok() {
        check(&agent)?;
        return Ok(agent);
    }
    // Everything is written beside its place first: an interrupted run leaves nothing that looks whole.
    let unfinished = folder.join("agent.unfinished");
    if unfinished.join(MARKER).is_file() {
        fs::remove_dir_all(&unfinished)
            .with_context(|| format!("could not clear {}", unfinished.display()))?;
    }
    write(&unfinished, &agent)
        .with_context(|| format!("could not write the demo to {}", unfinished.display()))?;
    fs::rename(&unfinished, &agent)
        .with_context(|| format!("could not put the demo at {}", agent.display()))?;
    Ok(agent)
}

/// Makes sure that what is there is this demo, whole. Changes that somebody made in it stay.
fn check(agent: &Path) -> anyhow::Result<()> {
    let refuse = |what: &str| {
        let text = format!("{} {what}; remove it, or name another folder", agent.display());
        Err(Failure::Usage(text).into())
    };
    let Ok(marker) = fs::read_to_string(agent.join(MARKER)) else {
        return refuse("is there already and is no demo of pi-brain");
    };
    let mut lines = marker.lines();
    if lines.next() != Some(&first_line()) {
        return refuse("holds the demo of another version of pi-brain");
    }
    match lines.find(|file| !agent.join(file).is_file()) {
        Some(missing) => refuse(&format!("holds a demo that misses {missing}")),
        None => Ok(()),
    }
}

fn first_line() -> String {
    format!("pi-brain demo, version {VERSION}")
}

/// Writes the demo into `folder`, so that it can be moved to `place` afterwards.
fn write(folder: &Path, place: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(!folder.exists(), "there is something that is not ours; remove it");
    make_private_folder(folder)?;
    fs::write(folder.join(MARKER), "pi-brain demo, unfinished\n")?;

    let sessions = SessionFolder::ByProject(folder.join("sessions"));
    let mut told: HashMap<&str, Told> = HashMap::new();
    for (name, text) in STORIES {
        let session = story::parse(text)
            .and_then(|story| teller::tell(name, &story, &sessions, &told))
            .with_context(|| format!("in the story {name}"))?;
        told.insert(name, session);
    }

    let mut marker = vec![first_line()];
    for (name, _) in STORIES {
        let Told { path, parent, end, .. } = &told[name];
        if let Some(parent) = parent {
            let new_parent = place.join(parent.strip_prefix(folder)?);
            let text = fs::read_to_string(path)?;
            fs::write(path, text.replacen(&quoted(parent), &quoted(&new_parent), 1))?;
        }
        set_modified(path, *end)?;
        marker.push(path.strip_prefix(folder)?.to_string_lossy().into_owned());
    }
    Ok(fs::write(folder.join(MARKER), marker.join("\n") + "\n")?)
}

/// Makes a folder, and those above it, for its owner alone.
fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn quoted(path: &Path) -> String {
    quote(&path.to_string_lossy())
}

fn set_modified(path: &Path, time: Millis) -> anyhow::Result<()> {
    let since_1970 = Duration::from_millis(u64::try_from(time.0)?);
    Ok(File::options().write(true).open(path)?.set_modified(UNIX_EPOCH + since_1970)?)
}

#[cfg(test)]
mod tests;
