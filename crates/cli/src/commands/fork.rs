//! `pi-brain session fork`: a new session from a part of an old one.

use std::collections::HashSet;
use std::path::Path;

use pi_brain_app::{Forked, Forking, fork as fork_session, said};
use pi_brain_session::{EntryId, Role, Session, Tree, View};
use serde_json::json;

use super::{print_json, say};
use crate::args::ForkOptions;
use crate::describe::{BOLD, DIM, clean, one_line};
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::mint::SystemMint;
use crate::open::current_folder;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ForkOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.read.session, View::AsPi)?;
    let Some(leaf) = tree.leaf() else {
        return Err(
            Failure::NotFound("the session is empty; there is nothing to fork".to_owned()).into()
        );
    };
    let entry = match &options.at {
        Some(entry) => find_entry(&session, &tree, entry)?,
        None if options.clone => leaf,
        None => return list_choices(&session, &tree, leaf, options.read.json),
    };
    let data_folder = Locations::data_folder().ok();
    let forking = Forking {
        entry,
        is_clone: options.clone,
        fallback_cwd: &current_folder(),
        data_folder: data_folder.as_deref(),
    };
    let Forked { path, id, cwd, entry_count, text } =
        fork_session(session, &tree, &forking, SystemMint)?;
    if options.read.json {
        return print_json(&json!({
            "path": path.to_string_lossy(),
            "id": id,
            "entryCount": entry_count,
            "text": text,
        }));
    }
    say!("{BOLD}{}{BOLD:#}", locations.display(&path))?;
    if let Some(text) = text {
        say!("It ends before: {}", clean(&text))?;
    }
    let cwd = cwd.as_deref().map(Path::new);
    let cwd = cwd.filter(|cwd| cwd.is_dir()).map(|cwd| locations.shell_word(cwd));
    let go_there = cwd.map(|cwd| format!("cd {cwd} && ")).unwrap_or_default();
    say!("{DIM}{go_there}pi --session {}{DIM:#}", locations.shell_word(&path))
}

/// Lists what a person said, on whatever branch.
fn list_choices(session: &Session, tree: &Tree, leaf: usize, json: bool) -> anyhow::Result<()> {
    let current: HashSet<usize> = tree.branch(leaf).into_iter().collect();
    let entries = session.log().entries();
    let choices = entries.iter().enumerate().filter_map(|(at, entry)| {
        let id = entry.id.as_ref().filter(|_| entry.role() == Some(&Role::User))?;
        // Of several entries with one id, only one can be chosen.
        (tree.find(id.as_str()) == Some(at)).then_some((at, id))
    });
    let (mut list, mut rows) = (Vec::new(), Vec::new());
    for (at, id) in choices {
        let (time, text) = (entries[at].timestamp, said(session, at)?);
        let on_current_branch = current.contains(&at);
        if json {
            list.push(json!({
                "entryId": id,
                "timestamp": time.map(|time| time.to_string()),
                "onCurrentBranch": on_current_branch,
                "text": text,
            }));
        } else {
            rows.push(row(on_current_branch, id, time.map(when::date_and_time), &text));
        }
    }
    if json {
        return print_json(&list);
    }
    if rows.is_empty() {
        return say!("Nobody said anything here yet; `--clone` copies what is there.");
    }
    let columns =
        [Column::Text(""), Column::Text("ENTRY"), Column::Text("WHEN"), Column::Rest("YOU SAID")];
    say!("{}", draw(&columns, &rows))?;
    say!("\n{DIM}● on the current branch, ○ on another")?;
    say!("Choose one: pi-brain session fork SESSION --at ENTRY{DIM:#}")
}

fn row(on_current_branch: bool, id: &EntryId, time: Option<String>, text: &str) -> Vec<String> {
    let mark = if on_current_branch { "●" } else { "○" };
    vec![mark.to_owned(), one_line(id.as_str()), time.unwrap_or_default(), one_line(text)]
}
