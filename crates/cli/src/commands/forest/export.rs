//! `pi-brain forest export`: out of the forest, as sessions of pi.

use std::io::{ErrorKind, Read};
use std::path::Path;

use pi_brain_forest::{ExportOptions, ExportedSession, Place};
use pi_brain_session::SessionError;
use serde_json::json;

use super::place::{find, find_node, find_session};
use super::{KeptForest, open};
use crate::args;
use crate::commands::{print_json, say};
use crate::describe::{BOLD, DIM};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::SystemMint;
use crate::open::{current_folder, remember};
use crate::table::bytes;

pub(super) fn run(locations: &Locations, options: &args::ExportOptions) -> anyhow::Result<()> {
    let forest = open()?;
    match (&options.place, &options.session) {
        (Some(place), _) if options.pi => export_leaf(locations, &forest, place, options),
        (Some(place), _) if options.family => export_family(locations, &forest, place, options),
        (None, Some(session)) => {
            let Some(out) = &options.out else {
                return Err(usage("say where to write it: --out FILE"));
            };
            let record = find_session(&forest, session)?;
            let mut reader = forest.session_reader(record.no)?;
            let length = write_new(out, &mut reader)?;
            tell_file(locations, out, length, options.output.json)
        }
        (Some(_), _) => Err(usage("say how: --pi for a new session, --family for the whole tree")),
        (None, None) => {
            Err(usage("say what to export: PLACE --pi, PLACE --family or --session SESSION"))
        }
    }
}

fn usage(text: &str) -> anyhow::Error {
    Failure::Usage(text.to_owned()).into()
}

/// Writes the conversation that leads to a place as a session that pi goes on with.
fn export_leaf(
    locations: &Locations,
    forest: &KeptForest,
    place: &str,
    options: &args::ExportOptions,
) -> anyhow::Result<()> {
    let node = find_node(forest, place)?;
    let session = options.session.as_deref().map(|session| find_session(forest, session));
    let session = session.transpose()?.map(|record| record.no);
    let cwd = working_directory(forest, node.into(), options.cwd.as_deref())?;
    let wanted = ExportOptions { session, cwd: cwd.as_deref() };
    let exported = forest.export_leaf(node, wanted, &mut SystemMint)?;
    let in_folder = || locations.sessions.for_cwd(&exported.cwd).join(&exported.file_name);
    let path = options.out.clone().unwrap_or_else(in_folder);
    write_session(locations, &path, &exported, options.output.json)
}

fn export_family(
    locations: &Locations,
    forest: &KeptForest,
    place: &str,
    options: &args::ExportOptions,
) -> anyhow::Result<()> {
    let Some(out) = &options.out else { return Err(usage("say where to write it: --out FILE")) };
    let place = find(forest, place)?;
    let cwd = working_directory(forest, place, options.cwd.as_deref())?;
    let exported = forest.export_family(place.root(), cwd.as_deref(), &mut SystemMint)?;
    write_session(locations, out, &exported, options.output.json)
}

/// Returns the working directory for a new session, unless that of the sessions in the tree will do.
fn working_directory(
    forest: &KeptForest,
    place: Place,
    named: Option<&Path>,
) -> anyhow::Result<Option<String>> {
    Ok(match named {
        Some(folder) => Some(std::path::absolute(folder)?.to_string_lossy().into_owned()),
        None => match forest.root(place.root())?.family {
            Some(_) => None,
            None => Some(current_folder()),
        },
    })
}

fn write_session(
    locations: &Locations,
    path: &Path,
    exported: &ExportedSession,
    json: bool,
) -> anyhow::Result<()> {
    let path = std::path::absolute(path)?;
    let length = write_new(&path, &mut exported.text.as_bytes())?;
    remember(&path, length);
    if json {
        return print_json(&json!({
            "path": path.to_string_lossy(),
            "id": exported.id,
            "cwd": exported.cwd,
            "entryCount": exported.text.lines().count().saturating_sub(1),
        }));
    }
    say!("{BOLD}{}{BOLD:#}", locations.display(&path))?;
    let cwd = Some(Path::new(&exported.cwd)).filter(|cwd| cwd.is_dir());
    let go_there = cwd.map(|cwd| format!("cd {} && ", locations.shell_word(cwd)));
    let file = locations.shell_word(&path);
    say!("{DIM}{}pi --session {file}{DIM:#}", go_there.unwrap_or_default())
}

fn tell_file(locations: &Locations, path: &Path, length: u64, json: bool) -> anyhow::Result<()> {
    let path = std::path::absolute(path)?;
    if json {
        return print_json(&json!({ "path": path.to_string_lossy(), "bytes": length }));
    }
    say!("{BOLD}{}{BOLD:#}  {}", locations.display(&path), bytes(length))
}

/// Writes a file that is not there yet. Returns its length.
fn write_new(path: &Path, text: &mut impl Read) -> anyhow::Result<u64> {
    match pi_brain_app::write_new(path, text) {
        Err(SessionError::Write { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
            let text = format!("{} is there already; name another file", path.display());
            Err(Failure::Usage(text).into())
        }
        written => Ok(written?),
    }
}
