//! Sessions as commands open them: their problems told, and nobody's work disturbed.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pi_brain_session::{
    CURRENT_VERSION, Problem, Session, SessionError, SessionWriter, Tree, View, ensure_quiet,
};

use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::{SystemMint, now};
use crate::own_writes;

impl Locations {
    /// Opens a session for reading, and says on stderr what is wrong with it.
    pub(crate) fn open(&self, argument: &OsStr, view: View) -> anyhow::Result<(Session, Tree)> {
        let path = self.find_session(argument)?;
        self.read(&path, view)
    }

    /// Opens a session for writing, unless pi may have it open.
    pub(crate) fn open_to_write(
        &self,
        argument: &OsStr,
        force: bool,
    ) -> anyhow::Result<(Draft, Tree)> {
        let path = self.find_session(argument)?;
        let was_quiet = check_quiet(&path, force)?;
        let (session, tree) = self.read(&path, View::AsPi)?;
        let version = session.header().version;
        if version < CURRENT_VERSION {
            // Said before anybody waits for a summary that could not be written.
            return Err(SessionError::OldVersion { path, version }.into());
        }
        let entries = session.log().entries().len();
        let writer = SessionWriter::from_session(session, &current_folder(), SystemMint)?;
        Ok((Draft { writer, was_quiet, entries }, tree))
    }

    pub(crate) fn read(&self, path: &Path, view: View) -> anyhow::Result<(Session, Tree)> {
        let spinner = spinner(size_of(path), "reading");
        let session = Session::open(path)?;
        let tree = session.tree(view);
        drop(spinner);
        tell(&self.display(path), &session.problems(&tree));
        Ok((session, tree))
    }
}

/// A session that one entry will be appended to.
pub(crate) struct Draft {
    pub(crate) writer: SessionWriter<SystemMint>,
    was_quiet: bool,
    entries: usize,
}

impl Draft {
    pub(crate) fn session(&self) -> &Session {
        self.writer.session()
    }

    /// Remembers that the new entry is ours, unless somebody else may be writing too.
    pub(crate) fn remember(&self) {
        let log = self.session().log();
        let only_ours = log.entries().len() == self.entries + 1;
        if let Some(path) = self.writer.path().filter(|_| self.was_quiet && only_ours) {
            remember(path, log.end());
        }
    }
}

/// Returns whether the file was quiet but for ourselves; an error if somebody else wrote, unless forced.
pub(crate) fn check_quiet(path: &Path, force: bool) -> anyhow::Result<bool> {
    let is_own =
        || Locations::data_folder().is_ok_and(|data_folder| own_writes::is_own(&data_folder, path));
    match ensure_quiet(path, now()) {
        Ok(()) => Ok(true),
        Err(_) if is_own() => Ok(true),
        Err(_) if force => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Remembers that a file is as we left it, at this length.
pub(crate) fn remember(path: &Path, length: u64) {
    if let Ok(data_folder) = Locations::data_folder() {
        // What is forgotten costs a wait, or a --force; the session itself is written.
        let _ = own_writes::remember(&data_folder, path, length);
    }
}

/// Returns the folder we are in, for headers that name none.
pub(crate) fn current_folder() -> String {
    env::current_dir().unwrap_or_default().to_string_lossy().into_owned()
}

/// A sign on the terminal that something takes its time; it goes when the value is dropped.
pub(crate) struct Sign(ProgressBar);

impl Drop for Sign {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Shows, on a terminal, that so many bytes take their time.
pub(crate) fn spinner(bytes: u64, doing: &'static str) -> Option<Sign> {
    const LARGE: u64 = 64 << 20;
    (bytes > LARGE).then(|| {
        let style = ProgressStyle::with_template("{spinner} {msg} …")
            .expect("the template is constant and valid");
        // indicatif draws on stderr, and only on a terminal.
        let spinner = ProgressBar::new_spinner().with_style(style).with_message(doing);
        spinner.enable_steady_tick(Duration::from_millis(100));
        Sign(spinner)
    })
}

/// Returns how large a file is; one that cannot be asked is empty.
pub(crate) fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn tell(file: &str, problems: &[Problem]) {
    const SHOWN: usize = 8;
    for problem in problems.iter().take(SHOWN) {
        warn(&format!("{file}:{}: {}", problem.line, problem.kind));
    }
    if let Some(more) = problems.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        warn(&format!("{file}: {more} more; `session dump` lists all"));
    }
}
