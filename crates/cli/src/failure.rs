//! Errors for people: a sentence that says what to do, and an exit code that scripts can use.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use pi_brain_app::AppError;
use pi_brain_brain::BrainError;
use pi_brain_forest::ForestError;
use pi_brain_search::SearchError;
use pi_brain_session::SessionError;
use pi_brain_store::StoreError;

use crate::describe::clean;

/// What can go wrong outside of a session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// There are files, but none of them is a session.
    #[error("{0}")]
    NoneReadable(String),
    /// A compaction would change nothing.
    #[error("{0}")]
    NothingToCompact(String),
    /// A check found something.
    #[error("{0}")]
    NotInOrder(String),
    /// Some of several things could not be done.
    #[error("{0}")]
    SomeFailed(String),
}

pub(crate) fn report(error: &anyhow::Error) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let text = clean(&format!("{error:#}"));
    // Only our own messages, and those that show a line of the settings, have line breaks on purpose; elsewhere they come
    // with the name of a file.
    let is_ours = error.is::<Failure>()
        || matches!(error.downcast_ref(), Some(AppError::Config { .. } | AppError::Setting { .. }));
    let text = if is_ours { text } else { text.replace('\n', "\u{fffd}") };
    print(format_args!("{style}error:{style:#} {text}"));
    if let Some(hint) = hint(error) {
        print(format_args!("  {hint}"));
    }
}

/// Tells on stderr what does not keep us from going on. Names and texts of others may be part of it.
pub(crate) fn warn(text: &str) {
    let style = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    print(format_args!("{style}warning:{style:#} {}", clean(text)));
}

fn print(line: fmt::Arguments<'_>) {
    // Where stderr cannot be written, there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{line}");
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref::<ForestError>() {
        Some(error) => hint_on_forest(error),
        None => hint_on_session(error.downcast_ref::<SessionError>()?),
    }
}

fn hint_on_forest(error: &ForestError) -> Option<&'static str> {
    match error {
        ForestError::NodeNotFound(_) => {
            Some("`pi-brain forest tree` shows the ids of all messages.")
        }
        ForestError::RootNotFound(_) => Some("`pi-brain forest roots` lists the trees."),
        ForestError::NodeDeleted(_) | ForestError::RootDeleted(_) => {
            Some("`pi-brain forest restore` lists what can be brought back.")
        }
        ForestError::Referenced { .. } => Some("Add --force to delete it all the same."),
        ForestError::BookmarkNotFound(_) => Some("`pi-brain forest bookmark` lists them."),
        ForestError::SessionNotFound(_) => Some("`pi-brain forest import SESSION` brings it in."),
        ForestError::InvalidMessage { .. } => Some(
            "A message is {\"role\": \"user\", \"content\": \"…\"}; the system prompt belongs to the root.",
        ),
        ForestError::Corrupt { .. } => Some("`pi-brain forest check` says more."),
        _ => None,
    }
}

fn hint_on_session(error: &SessionError) -> Option<&'static str> {
    match error {
        SessionError::OldVersion { .. } => {
            Some("Run `pi-brain session migrate` on it first; the original is kept.")
        }
        SessionError::RecentlyWritten { .. } => {
            Some("Close it there and wait two minutes, or add --force.")
        }
        SessionError::ChangedMeanwhile(_) => Some("Look at what is new, then try again."),
        SessionError::EntryNotFound(_) => {
            Some("`pi-brain session tree SESSION --filter all` shows the ids of all entries.")
        }
        SessionError::NotASession(_) => {
            Some("A session file starts with a line like {\"type\":\"session\",…}.")
        }
        _ => None,
    }
}

pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let code = if let Some(failure) = error.downcast_ref::<Failure>() {
        match failure {
            Failure::Usage(_) => USAGE,
            Failure::NotFound(_) => NOT_FOUND,
            Failure::NoneReadable(_) => UNREADABLE,
            Failure::NothingToCompact(_) | Failure::NotInOrder(_) | Failure::SomeFailed(_) => {
                FAILED
            }
        }
    } else if let Some(error) = error.downcast_ref::<SessionError>() {
        match error {
            SessionError::FileNotFound(_) | SessionError::EntryNotFound(_) => NOT_FOUND,
            SessionError::NotASession(_) | SessionError::Read { .. } => UNREADABLE,
            _ => FAILED,
        }
    } else if let Some(error) = error.downcast_ref::<ForestError>() {
        forest_code(error)
    } else if let Some(error) = error.downcast_ref::<AppError>() {
        app_code(error)
    } else if let Some(error) = error.downcast_ref::<StoreError>() {
        store_code(error)
    } else {
        FAILED
    };
    ExitCode::from(code)
}

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const NOT_FOUND: u8 = 3;
const UNREADABLE: u8 = 4;

fn app_code(error: &AppError) -> u8 {
    match error {
        AppError::Store(error) => store_code(error),
        AppError::Search(SearchError::BadDate { .. } | SearchError::BadValue { .. })
        | AppError::BackupInside { .. }
        | AppError::NotEmpty { .. } => USAGE,
        _ => FAILED,
    }
}

fn store_code(error: &StoreError) -> u8 {
    match error {
        StoreError::NodeNotFound(_) | StoreError::EdgeNotFound(_) => NOT_FOUND,
        StoreError::Brain(BrainError::FeedbackPath { .. } | BrainError::FeedbackValue { .. }) => {
            USAGE
        }
        _ => FAILED,
    }
}

fn forest_code(error: &ForestError) -> u8 {
    match error {
        ForestError::BadId(_)
        | ForestError::RootProtected(_)
        | ForestError::NotAnAncestor { .. }
        | ForestError::DifferentTrees(..)
        | ForestError::InvalidMessage { .. }
        | ForestError::NoSuchCall { .. }
        | ForestError::Blank
        | ForestError::BadPosition { .. } => USAGE,
        ForestError::NodeNotFound(_)
        | ForestError::NodeDeleted(_)
        | ForestError::RootNotFound(_)
        | ForestError::RootDeleted(_)
        | ForestError::BookmarkNotFound(_)
        | ForestError::SessionNotFound(_) => NOT_FOUND,
        ForestError::Corrupt { .. }
        | ForestError::FormatTooNew { .. }
        | ForestError::Read { .. }
        | ForestError::SessionGone { .. } => UNREADABLE,
        _ => FAILED,
    }
}

/// Whether the reader of our output went away, as `head` and pagers do. That is no error.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(closed)
}
