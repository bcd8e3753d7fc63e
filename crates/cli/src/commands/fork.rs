//! `pi-brain session fork`: a new session from a part of an old one.

use std::path::Path;

use pi_brain_session::{EntryId, Role, Session, SessionWriter, Tree, View};
use serde_json::json;

use super::{print_json, say};
use crate::args::ForkOptions;
use crate::describe::{BOLD, DIM, describe};
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::mint::SystemMint;
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
        Some(entry) => find_entry(session.log(), &tree, entry)?,
        None if options.clone => leaf,
        None => return list_choices(&session, &tree, leaf, options.read.json),
    };
    // Somebody who starts again at their own words wants to say something else in their place.
    let is_user = session.log().entries()[entry].role() == Some(&Role::User);
    let says_again = is_user && !options.clone;
    let end = if says_again { tree.parent(entry) } else { Some(entry) };
    let path = session.path().unwrap_or(Path::new("")).to_owned();
    let mut writer = SessionWriter::open(&path, "", SystemMint)?;
    match end.and_then(|end| session.log().entries()[end].id.clone()) {
        Some(end) => writer.create_branched_session(&end)?,
        None => writer.new_session(None, true)?,
    }
    // pi would wait for the first message; somebody who asked for a file wants to see one.
    writer.write_now()?;
    let new = writer.path().unwrap_or(Path::new(""));
    let text = describe(&session, entry)?.words;
    if options.read.json {
        return print_json(&json!({
            "path": new,
            "id": writer.session().header().id,
            "entryCount": writer.session().log().entries().len(),
            "text": says_again.then_some(text),
        }));
    }
    say!("{BOLD}{}{BOLD:#}", locations.display(new))?;
    if says_again {
        say!("It ends before: {text}")?;
    }
    say!("{DIM}pi --session {}{DIM:#}", writer.session().header().id)
}

/// Lists what a person said on the current path.
fn list_choices(session: &Session, tree: &Tree, leaf: usize, json: bool) -> anyhow::Result<()> {
    let entries = session.log().entries();
    let spoken =
        tree.branch(leaf).into_iter().filter(|&at| entries[at].role() == Some(&Role::User));
    let mut rows = Vec::new();
    for at in spoken {
        let id = entries[at].id.as_ref().map_or("", EntryId::as_str).to_owned();
        let time = entries[at].timestamp;
        rows.push((id, time, describe(session, at)?.words));
    }
    if json {
        let list: Vec<_> = rows
            .iter()
            .map(|(id, time, text)| json!({ "entryId": id, "timestamp": time.map(|time| time.to_string()), "text": text }))
            .collect();
        return print_json(&list);
    }
    if rows.is_empty() {
        return say!("Nobody said anything here yet; `--clone` copies what is there.");
    }
    let columns = [Column::Text("ENTRY"), Column::Text("WHEN"), Column::Rest("YOU SAID")];
    let rows = rows.into_iter().map(|(id, time, text)| {
        vec![
            crate::describe::one_line(&id),
            time.map(when::date_and_time).unwrap_or_default(),
            text,
        ]
    });
    say!("{}", draw(&columns, &rows.collect::<Vec<_>>()))?;
    say!("\n{DIM}Choose one: pi-brain session fork SESSION --at ENTRY{DIM:#}")
}
