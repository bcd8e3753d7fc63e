//! Errors for people: a sentence that says what to do, and an exit code that scripts can use.

use std::io;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use pi_brain_session::SessionError;

/// What can go wrong before a session is even open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// pi may be writing to the file.
    #[error(
        "{file} was written {seconds} s ago, so pi may have it open and would not see the change. \
         Close it there and wait two minutes, or add --force"
    )]
    Busy { file: String, seconds: i64 },
}

pub(crate) fn report(error: &anyhow::Error) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    anstream::eprintln!("{style}error:{style:#} {error:#}");
    if let Some(hint) = hint(error) {
        anstream::eprintln!("  {hint}");
    }
}

fn hint(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref::<SessionError>()? {
        SessionError::OldVersion { .. } => {
            Some("Run `pi-brain session migrate` on it first; the original is kept.")
        }
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
    let code = match (error.downcast_ref::<Failure>(), error.downcast_ref::<SessionError>()) {
        (Some(Failure::Usage(_)), _) => 2,
        (Some(Failure::NotFound(_)), _)
        | (_, Some(SessionError::FileNotFound(_) | SessionError::EntryNotFound(_))) => 3,
        (_, Some(SessionError::NotASession(_) | SessionError::Read { .. })) => 4,
        _ => 1,
    };
    ExitCode::from(code)
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
