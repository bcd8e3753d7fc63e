//! `pi-brain forest`: conversations as trees, kept in our data folder.

mod place;
pub(super) mod words;
mod roots;
pub(super) mod outline;
mod tree;
mod path;
mod append;
mod edit;
mod delete;
mod notes;
mod diff;
mod side_by_side;
mod context;
pub(super) mod import;
mod export;
mod check;

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use pi_brain_forest::{FileSystemStore, Forest};
use pi_brain_store::DataFolder;

use crate::args::ForestCommand;
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::open::{Sign, size_of, spinner};

pub(crate) fn run(locations: &Locations, command: ForestCommand) -> anyhow::Result<()> {
    match command {
        ForestCommand::Root(options) => roots::find_or_create(&options),
        ForestCommand::Roots(options) => roots::list(&options),
        ForestCommand::Tree(options) => tree::run(&options),
        ForestCommand::Path(options) => path::run(&options),
        ForestCommand::Append(options) => append::run(&options),
        ForestCommand::Edit(options) => edit::edit(&options),
        ForestCommand::Split(options) => edit::split(&options),
        ForestCommand::Join(options) => edit::join(&options),
        ForestCommand::Delete(options) => delete::delete(&options),
        ForestCommand::Restore(options) => delete::restore(&options),
        ForestCommand::Bookmark(options) => notes::bookmark(&options),
        ForestCommand::Title(options) => notes::title(&options),
        ForestCommand::Tag(options) => notes::tag(&options),
        ForestCommand::Data(options) => notes::data(options),
        ForestCommand::Diff(options) => diff::run(&options),
        ForestCommand::Context(options) => context::run(&options),
        ForestCommand::Import(options) => import::run(locations, &options),
        ForestCommand::Export(options) => export::run(locations, &options),
        ForestCommand::Check(options) => check::check(locations, &options),
        ForestCommand::Repair(options) => check::repair(locations, &options),
    }
}

type KeptForest = Forest<FileSystemStore>;

fn folder() -> anyhow::Result<PathBuf> {
    Ok(DataFolder::at(&Locations::data_folder()?).forest())
}

/// Opens the forest for reading.
fn open() -> anyhow::Result<KeptForest> {
    open_if_there()?.ok_or_else(nothing_yet)
}

/// Opens the forest for reading; `None` if nobody has written to it yet.
fn open_if_there() -> anyhow::Result<Option<KeptForest>> {
    let folder = folder()?;
    let _spinner = opening(&folder);
    Ok(FileSystemStore::open_if_there(&folder)?.map(Forest::new))
}

fn open_to_change(folder: &Path) -> anyhow::Result<KeptForest> {
    let _spinner = opening(folder);
    Ok(Forest::new(FileSystemStore::open(folder)?))
}

/// Shows, on a terminal, that a large forest takes its time.
fn opening(folder: &Path) -> Option<Sign> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = files.map(|file| size_of(&file.path())).sum();
    spinner(size, "opening the forest")
}

/// Opens the forest, which nobody else can change meanwhile, and changes it.
fn change<T>(operation: impl FnOnce(&mut KeptForest) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let mut forest = open_to_change(&folder()?)?;
    let done = operation(&mut forest)?;
    if let Err(error) = forest.into_store().close() {
        let error = anyhow::Error::from(error);
        warn(&format!(
            "the change is made, but the files to read it in are behind: {error:#}. \
             `pi-brain forest repair` writes them"
        ));
    }
    Ok(done)
}

/// Says what to do where there is nothing yet.
fn nothing_yet() -> anyhow::Error {
    let text = "the forest is empty. `pi-brain forest import SESSION` brings in a session of pi, \
                `pi-brain forest root` starts a tree";
    Failure::NotFound(text.to_owned()).into()
}

/// Reads a file, or standard input for `-`.
fn read_input(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        return read_stdin("a text");
    }
    std::fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()))
}

/// Reads standard input; a person at a terminal is told what is missing instead.
fn read_stdin(what: &str) -> anyhow::Result<String> {
    if io::stdin().is_terminal() {
        let text = format!("say {what}, or pipe it in; `--help` shows how");
        return Err(Failure::Usage(text).into());
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).context("could not read standard input")?;
    Ok(text)
}
