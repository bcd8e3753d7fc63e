//! `pi-brain sessions`: a list to find a session in.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use jiff::Zoned;
use pi_brain_session::{Millis, SessionError, SessionInfo, list_sessions};

use super::{print_json, say};
use crate::args::{SessionsOptions, SortField};
use crate::describe::one_line;
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, dollars, draw, fit};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &SessionsOptions) -> anyhow::Result<()> {
    let files = locations.sessions.files();
    let mut sessions = read_all(locations, &files);
    if !options.json {
        require_some(locations, &files, &sessions)?;
    }
    let prefix = id_length(sessions.iter().map(|session| &*session.id));
    retain(&mut sessions, options);
    sort(&mut sessions, options);
    sessions.truncate(options.limit.unwrap_or(usize::MAX));
    if options.json {
        return print_json(&sessions);
    }
    if sessions.is_empty() {
        return say!("No session fits. `pi-brain sessions` without options lists all.");
    }
    say!("{}", draw_list(&sessions, prefix))
}

/// Reads all sessions, with a progress bar if it takes a while.
pub(crate) fn read_all(locations: &Locations, files: &[PathBuf]) -> Vec<SessionInfo> {
    let progress = progress_bar(files.len());
    let (sessions, unreadable) = list_sessions(files, || progress.inc(1));
    progress.finish_and_clear();
    for (path, error) in unreadable.iter().filter(|(_, error)| !is_empty_file(error)) {
        warn(&format!("{}: {}", locations.display(path), reason(error)));
    }
    sessions
}

/// Says so if there is nothing to list.
pub(crate) fn require_some(
    locations: &Locations,
    files: &[PathBuf],
    sessions: &[SessionInfo],
) -> anyhow::Result<()> {
    if files.is_empty() {
        return Err(locations.no_sessions());
    }
    if sessions.is_empty() {
        let folder = locations.display(locations.sessions.path());
        let text = match files.len() {
            1 => format!("the one file in {folder} is not readable as a session"),
            several => format!("none of the {several} files in {folder} is readable as a session"),
        };
        return Err(Failure::NoneReadable(text).into());
    }
    Ok(())
}

/// Draws the table; ids are cut to `prefix` digits.
pub(crate) fn draw_list(sessions: &[SessionInfo], prefix: usize) -> String {
    const WIDEST_PROJECT: usize = 24;
    let columns = [
        Column::Text("WHEN"),
        Column::Text("PROJECT"),
        Column::Number("MSGS"),
        Column::Number("BRANCHES"),
        Column::Number("COST"),
        Column::Text("ID"),
        Column::Rest("SESSION"),
    ];
    let now = now();
    let row = |session: &SessionInfo| {
        vec![
            when::ago(session.modified, now),
            fit(&one_line(project(session)), WIDEST_PROJECT),
            session.message_count.to_string(),
            session.branch_count.to_string(),
            dollars(session.usage.cost),
            one_line(&session.id.chars().take(prefix).collect::<String>()),
            one_line(session.title()),
        ]
    };
    draw(&columns, &sessions.iter().map(row).collect::<Vec<_>>())
}

/// Returns how many digits of an id are needed to tell all sessions apart.
pub(crate) fn id_length<'a>(ids: impl Iterator<Item = &'a str>) -> usize {
    const SHORTEST: usize = 8;
    let mut ids: Vec<&str> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    let shared = |pair: &[&str]| {
        pair[0].chars().zip(pair[1].chars()).take_while(|(one, other)| one == other).count()
    };
    ids.windows(2).map(|pair| shared(pair) + 1).max().unwrap_or(0).max(SHORTEST)
}

/// Returns the last part of the working directory.
pub(crate) fn project(session: &SessionInfo) -> &str {
    session
        .cwd
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("/")
}

fn retain(sessions: &mut Vec<SessionInfo>, options: &SessionsOptions) {
    let now = Zoned::now();
    let since = options.since.map(|day| day.start(&now));
    let before = options.before.map(|day| day.start(&now));
    let wanted = options.project.as_ref().map(|project| project.to_lowercase());
    sessions.retain(|session| {
        since.is_none_or(|since| session.modified >= since)
            && before.is_none_or(|before| session.modified < before)
            && wanted.as_ref().is_none_or(|project| session.cwd.to_lowercase().contains(project))
    });
}

fn sort(sessions: &mut [SessionInfo], options: &SessionsOptions) {
    // The largest, newest and dearest first; names from A to Z.
    match options.sort {
        SortField::Modified => {}
        SortField::Created => sessions.sort_by_key(|session| std::cmp::Reverse(session.created)),
        SortField::Messages => {
            sessions.sort_by_key(|session| std::cmp::Reverse(session.message_count));
        }
        SortField::Branches => {
            sessions.sort_by_key(|session| std::cmp::Reverse(session.branch_count));
        }
        SortField::Cost => {
            sessions.sort_by(|one, other| other.usage.cost.total_cmp(&one.usage.cost));
        }
        SortField::Size => sessions.sort_by_key(|session| std::cmp::Reverse(session.size)),
        SortField::Project => sessions.sort_by(|one, other| one.cwd.cmp(&other.cwd)),
        SortField::Title => sessions.sort_by_key(|session| session.title().to_lowercase()),
    }
    if options.reverse {
        sessions.reverse();
    }
}

/// Counts files on a terminal.
pub(crate) fn progress_bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("reading sessions {bar:30} {pos}/{len}")
        .expect("the template is constant and valid");
    // indicatif draws on stderr, and only on a terminal.
    ProgressBar::new(files as u64).with_style(style)
}

fn is_empty_file(error: &SessionError) -> bool {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    matches!(error, SessionError::NotASession(path) if size(path) == 0)
}

/// Says why a file is left out.
pub(crate) fn reason(error: &SessionError) -> String {
    match error {
        SessionError::NotASession(_) => "not a pi session, left out".to_owned(),
        SessionError::Read { source, .. } => format!("could not be read, left out: {source}"),
        other => other.to_string(),
    }
}

/// The newest time at which anything was said.
pub(crate) fn newest(sessions: &[SessionInfo]) -> Option<Millis> {
    sessions.iter().map(|session| session.modified).max()
}
