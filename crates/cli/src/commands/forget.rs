//! `pi-brain forget`: leaves sessions out, and deletes what was made of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pi_brain_app::App;
use pi_brain_session::read_header;
use pi_brain_store::{NodeFilter, Order, SessionFile};
use serde_json::json;

use super::unit::project_name;
use super::{print_json, say};
use crate::args::ForgetOptions;
use crate::brain::{Bar, open, when_free};
use crate::describe::{BOLD, DIM, clean_path};
use crate::failure::Failure;
use crate::locate::{Locations, by_listed_name};
use crate::mint::now;
use crate::table::how_many;

pub(crate) fn run(locations: &Locations, options: &ForgetOptions) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let forgotten: Vec<PathBuf> = app.store().forgotten()?.into_iter().map(PathBuf::from).collect();
    if options.sessions.is_empty() && options.project.is_none() {
        return list(locations, &forgotten, options);
    }
    let files = match &options.project {
        Some(project) if options.undo => of_project(&forgotten, project),
        Some(project) => known_of_project(&app, project)?,
        None => {
            let named = options.sessions.iter();
            named.map(|session| find(locations, &app, session)).collect::<Result<_, _>>()?
        }
    };
    if files.is_empty() {
        let text = "no session fits; `pi-brain projects` lists what is known, `pi-brain forget` what is forgotten";
        return Err(Failure::NotFound(text.to_owned()).into());
    }
    if options.undo {
        let bar = Bar::default();
        when_free(|| app.remember(now(), &files, &bar))?;
        bar.clear();
        return done(&files, options, "remembered", "again taken in");
    }
    if !options.yes {
        return preview(locations, &app, &files, options);
    }
    let bar = Bar::default();
    when_free(|| app.forget(now(), &files, &bar))?;
    bar.clear();
    done(&files, options, "forgotten", "forgotten; the files themselves are as they were")
}

fn list(
    locations: &Locations,
    forgotten: &[PathBuf],
    options: &ForgetOptions,
) -> anyhow::Result<()> {
    if options.json {
        return print_json(&json!({ "forgotten": forgotten }));
    }
    if forgotten.is_empty() {
        return say!("Nothing is forgotten. `pi-brain forget SESSION` shows what would go.");
    }
    for file in forgotten {
        say!("{}", locations.display(file))?;
    }
    say!("\n{DIM}pi-brain forget FILE --undo    takes one in again{DIM:#}")
}

fn done(files: &[PathBuf], options: &ForgetOptions, key: &str, what: &str) -> anyhow::Result<()> {
    if options.json {
        return print_json(&json!({ key: files }));
    }
    say!("{} {what}", how_many(files.len(), "session is", "sessions are"))
}

/// Shows what would be forgotten.
fn preview(
    locations: &Locations,
    app: &App,
    files: &[PathBuf],
    options: &ForgetOptions,
) -> anyhow::Result<()> {
    let known = app.store().sessions()?;
    let mut rows = Vec::with_capacity(files.len());
    for file in files {
        let session = known.iter().find(|session| Path::new(&session.path) == file);
        let nodes = match session {
            Some(session) => nodes_of(app, session)?,
            None => 0,
        };
        rows.push((file, session, nodes));
    }
    let nodes: usize = rows.iter().map(|(_, _, nodes)| nodes).sum();
    if options.json {
        return print_json(&json!({ "wouldForget": files, "nodes": nodes }));
    }
    say!(
        "{BOLD}{}{BOLD:#} would be forgotten, with {} that came of it:",
        how_many(files.len(), "session", "sessions"),
        how_many(nodes, "unit of work", "units of work")
    )?;
    for (file, session, nodes) in &rows {
        let project = session.map(|session| project_name(locations, &session.project));
        let project = project.unwrap_or_else(|| "not taken in".to_owned());
        let nodes = how_many(*nodes, "unit of work", "units of work");
        say!("  {}  {DIM}{project}, {nodes}{DIM:#}", locations.display(file))?;
    }
    say!("\nNothing was done. Add --yes to do it.")
}

fn nodes_of(app: &App, session: &SessionFile) -> anyhow::Result<usize> {
    let filter =
        NodeFilter { session: Some(session.id.clone()), hidden: true, ..NodeFilter::default() };
    let (nodes, _) = app.store().nodes(&filter, Order::Newest, usize::MAX, 0)?;
    Ok(nodes.iter().filter(|node| node.session_file == session.path).count())
}

/// Finds the file that a SESSION argument means, by the name that it was taken in with.
fn find(locations: &Locations, app: &App, session: &OsStr) -> anyhow::Result<PathBuf> {
    let prefix = session.to_string_lossy();
    let known = app.store().sessions()?;
    let mut named: Vec<&SessionFile> =
        known.iter().filter(|session| session.id.starts_with(&*prefix)).collect();
    // A whole id means itself, not those that begin with it.
    if named.iter().any(|session| session.id == prefix) {
        named.retain(|session| session.id == prefix);
    }
    // Sessions of other folders are not among those that pi has here.
    match &*named {
        [only] => return Ok(PathBuf::from(&only.path)),
        [] => {}
        several => {
            let list: Vec<String> = several
                .iter()
                .map(|session| format!("\n  {}", clean_path(Path::new(&session.path))))
                .collect();
            let text =
                format!("{prefix} could be any of these; name one by its file:{}", list.concat());
            return Err(Failure::Usage(text).into());
        }
    }
    let path = locations.find_session(session)?;
    let known: Vec<PathBuf> =
        known.into_iter().map(|session| PathBuf::from(session.path)).collect();
    let path = by_listed_name(&known, path);
    let forgotten = app.store().forgotten()?;
    if !path.exists() && !known.contains(&path) && !forgotten.contains(&*path.to_string_lossy()) {
        return Err(Failure::NotFound(format!("no file {}", locations.display(&path))).into());
    }
    Ok(path)
}

fn known_of_project(app: &App, project: &str) -> anyhow::Result<Vec<PathBuf>> {
    let project = project.to_lowercase();
    let sessions = app.store().sessions()?.into_iter();
    let fitting = sessions.filter(|session| session.project.to_lowercase().contains(&project));
    Ok(fitting.map(|session| PathBuf::from(session.path)).collect())
}

/// Returns the files whose sessions are about a project.
fn of_project(files: &[PathBuf], project: &str) -> Vec<PathBuf> {
    let project = project.to_lowercase();
    let is_about = |file: &&PathBuf| {
        let cwd = read_header(file).and_then(|header| header.cwd);
        cwd.is_some_and(|cwd| cwd.to_lowercase().contains(&project))
    };
    files.iter().filter(is_about).cloned().collect()
}
