//! Bare `pi-brain`: what is there, what was done last, and what to try next.

use std::collections::HashSet;

use pi_brain_store::{NodeFilter, Order};

use super::say;
use super::sessions::{draw_list, id_length, newest, read_all, require_some};
use crate::brain::open;
use crate::describe::{BOLD, DIM};
use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{bytes, count, dollars, how_many};
use crate::when;

const SHOWN: usize = 10;

pub(crate) fn run(locations: &Locations) -> anyhow::Result<()> {
    let files = locations.sessions.files();
    let sessions = &*read_all(locations, &files);
    require_some(locations, &files, sessions)?;
    let projects: HashSet<&str> = sessions.iter().map(|session| &*session.cwd).collect();
    let messages: usize = sessions.iter().map(|session| session.message_count).sum();
    let tokens: u64 = sessions.iter().map(|session| session.usage.total_tokens).sum();
    let cost: f64 = sessions.iter().map(|session| session.usage.cost).sum();
    let size: u64 = sessions.iter().map(|session| session.size).sum();
    let forks = sessions.iter().filter(|session| session.parent_session_path.is_some()).count();
    let damaged = sessions.iter().filter(|session| session.problem_count > 0).count();
    let folder = locations.display(locations.sessions.path());

    say!(
        "{BOLD}{}{BOLD:#} of {} in {folder}",
        how_many(sessions.len(), "session", "sessions"),
        how_many(projects.len(), "project", "projects")
    )?;
    say!(
        "  {} messages, {} tokens, {}, {}",
        count(messages as u64),
        count(tokens),
        dollars(cost),
        bytes(size)
    )?;
    if let Some(newest) = newest(sessions) {
        say!("  last used {}", when::ago(newest, now()))?;
    }
    write_brain(locations)?;
    if forks > 0 {
        say!(
            "  {} forked from another; what they share is counted in each",
            how_many(forks, "was", "were")
        )?;
    }
    if damaged > 0 {
        let (files, them) =
            (how_many(damaged, "file has", "files have"), if damaged == 1 { "it" } else { "them" });
        say!("  {files} problems; what can be read of {them} is shown")?;
    }
    let prefix = id_length(sessions.iter().map(|session| &*session.id));
    say!("\n{}", draw_list(&sessions[..sessions.len().min(SHOWN)], prefix))?;
    let program = locations.program();
    if sessions.len() > SHOWN {
        say!("{DIM}… and {} more: {program} sessions{DIM:#}", sessions.len() - SHOWN)?;
    }
    say!("\n{DIM}{program} search WORDS           any message or unit of work")?;
    say!("{program} nodes                  what was done, newest first")?;
    say!("{program} session show latest    read the one written last")?;
    say!("{program} session tree latest    its branches and labels")?;
    let indent = " ".repeat(program.len() - "pi-brain".len());
    say!("pi-brain --help{indent}                 everything else{DIM:#}")
}

/// Says what was made of the sessions, if anything was.
fn write_brain(locations: &Locations) -> anyhow::Result<()> {
    if !locations.brain_folder()?.join("brain.db").exists() {
        return Ok(());
    }
    let nodes = open(locations).and_then(|app| {
        let (_, nodes) = app.store().nodes(&NodeFilter::default(), Order::Newest, 0, 0)?;
        Ok((nodes, app.last_written()))
    });
    match nodes {
        Ok((0, _)) => Ok(()),
        Ok((nodes, written)) => {
            let nodes = how_many(nodes, "unit of work", "units of work");
            let age = written.map(|written| when::ago(written, now()));
            let age = age.map(|age| format!(", brought up to date {age}")).unwrap_or_default();
            say!("  {nodes} taken in{age}")
        }
        Err(error) => {
            warn(&format!("{error:#}; `pi-brain doctor` says what to do"));
            Ok(())
        }
    }
}
