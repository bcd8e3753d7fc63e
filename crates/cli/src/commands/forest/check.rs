//! `pi-brain forest check` and `repair`: whether the forest is in order, and putting it in order.

use pi_brain_forest::{FileSystemStore, Finding, Forest, ForestError, Mismatch, Place, Store};
use serde_json::{Value, json};

use super::{KeptForest, folder, open_if_there, open_to_change};
use crate::args::JsonOption;
use crate::commands::{print_json, say};
use crate::describe::{FAILURE, clean, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::how_many;

pub(super) fn check(locations: &Locations, options: &JsonOption) -> anyhow::Result<()> {
    let mut forest = match open_if_there() {
        Ok(forest) => forest,
        Err(error) if is_damage(&error) => return tell_unreadable(&error, options.json),
        Err(error) => return Err(error),
    };
    let (mut findings, mut files) = (Vec::new(), Vec::new());
    if let Some(forest) = &mut forest {
        findings = forest.check()?;
        files = forest.store_mut().verify_projection()?;
    }
    let count = findings.len() + files.len();
    if options.json {
        print_json(&json!({
            "ok": count == 0,
            "findings": findings.iter().map(finding_to_json).collect::<Vec<_>>(),
            "files": files.iter().map(mismatch_to_json).collect::<Vec<_>>(),
        }))?;
    } else {
        findings.iter().try_for_each(|finding| say_wrong(&finding.to_string()))?;
        files.iter().try_for_each(|file| say_wrong(&mismatch(locations, file)))?;
    }
    if count > 0 {
        let text = format!(
            "{} not in order. `pi-brain forest repair` mends what can be mended; nothing that was said gets lost",
            how_many(count, "thing is", "things are")
        );
        return Err(Failure::NotInOrder(text).into());
    }
    if options.json {
        return Ok(());
    }
    match forest {
        Some(forest) => say!("All is well: {}.", inventory(&forest)?),
        None => say!("All is well: there is nothing yet."),
    }
}

fn is_damage(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<ForestError>();
    matches!(error, Some(ForestError::Corrupt { .. } | ForestError::Read { .. }))
}

/// Tells what is wrong with a forest that cannot even be opened.
fn tell_unreadable(error: &anyhow::Error, json: bool) -> anyhow::Result<()> {
    if json {
        let finding = json!({ "place": null, "trouble": format!("{error:#}") });
        print_json(&json!({ "ok": false, "findings": [finding], "files": [] }))?;
    }
    Err(Failure::NotInOrder(one_line(&format!("{error:#}"))).into())
}

pub(super) fn repair(locations: &Locations, options: &JsonOption) -> anyhow::Result<()> {
    let folder = folder()?;
    let mut forest = open_to_change(&folder)?;
    let repaired = forest.repair(now())?;
    forest.into_store().close()?;
    let set_aside = FileSystemStore::rewrite_projection(&folder)?;
    let left = forest_left(&folder)?;
    if options.json {
        print_json(&json!({
            "ok": left.is_empty(),
            "mended": repaired.mended.iter().map(finding_to_json).collect::<Vec<_>>(),
            "left": left.iter().map(finding_to_json).collect::<Vec<_>>(),
            "setAside": set_aside.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        }))?;
    } else {
        for finding in &repaired.mended {
            say!("mended  {}", clean(&finding.to_string()))?;
        }
        for path in &set_aside {
            say!("set aside  {}", locations.display(path))?;
        }
        left.iter().try_for_each(|finding| say_wrong(&finding.to_string()))?;
        if repaired.mended.is_empty() && set_aside.is_empty() && left.is_empty() {
            say!("Nothing had to be mended.")?;
        }
    }
    match left.len() {
        0 => Ok(()),
        count => {
            let things = how_many(count, "thing is", "things are");
            Err(Failure::NotInOrder(format!("{things} still not in order")).into())
        }
    }
}

/// Looks again at what a repair left behind.
fn forest_left(folder: &std::path::Path) -> anyhow::Result<Vec<Finding>> {
    Ok(Forest::new(FileSystemStore::open_read_only(folder)?).check()?)
}

fn say_wrong(text: &str) -> anyhow::Result<()> {
    say!("{FAILURE}✗{FAILURE:#} {}", one_line(text))
}

fn mismatch(locations: &Locations, file: &Mismatch) -> String {
    format!("{}: {}", locations.display(&file.path), file.what)
}

fn finding_to_json(finding: &Finding) -> Value {
    json!({ "place": finding.place, "trouble": finding.trouble.to_string() })
}

fn mismatch_to_json(file: &Mismatch) -> Value {
    json!({ "path": file.path.to_string_lossy(), "what": file.what })
}

/// Counts what was verified.
fn inventory(forest: &KeptForest) -> anyhow::Result<String> {
    let roots = forest.roots()?;
    let mut messages = 0;
    for root in &roots {
        messages += forest.subtree(Place::Root(root.id), None)?.len();
    }
    let sessions = forest.store().sessions()?.len();
    Ok([
        how_many(roots.len(), "tree", "trees"),
        how_many(messages, "message", "messages"),
        how_many(sessions, "session", "sessions"),
    ]
    .join(", "))
}
