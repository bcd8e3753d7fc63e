//! Sessions as commands open them: their problems told, and nobody's work disturbed.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pi_brain_app::{Draft, Writing, remember_own_write};
use pi_brain_session::{Problem, Session, Tree, View};

use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::{SystemMint, now};

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
    ) -> anyhow::Result<(Draft<SystemMint>, Tree)> {
        let path = self.find_session(argument)?;
        let data_folder = Self::data_folder().ok();
        let writing = Writing {
            path: &path,
            data_folder: data_folder.as_deref(),
            force,
            fallback_cwd: &current_folder(),
        };
        Draft::begin(&writing, now(), SystemMint, |path| self.read(path, View::AsPi))
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

/// Returns whether the file was quiet but for ourselves; an error if somebody else wrote, unless forced.
pub(crate) fn check_quiet(path: &Path, force: bool) -> anyhow::Result<bool> {
    let data_folder = Locations::data_folder().ok();
    Ok(pi_brain_app::check_quiet(data_folder.as_deref(), path, force, now())?)
}

/// Remembers that a file is as we left it, at this length.
pub(crate) fn remember(path: &Path, length: u64) {
    if let Ok(data_folder) = Locations::data_folder() {
        // What is forgotten costs a wait, or a --force; the session itself is written.
        let _ = remember_own_write(&data_folder, path, length);
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
