//! The brain behind the tools: opened for each call, and brought up to date.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pi_brain_app::{App, AppError, Depth, Settings, Silent};
use pi_brain_daemon::{Freshness, bring_up_to_date};
use pi_brain_session::Millis;
use pi_brain_store::StoreError;

use crate::error::{McpError, Result};

/// How to read the settings, now and whenever they have changed.
type ReadSettings = Box<dyn Fn() -> pi_brain_app::Result<Settings> + Send + Sync>;

/// Which data folder is asked, and from where.
pub struct Brain {
    folder: PathBuf,
    settings: ReadSettings,
    project: Option<String>,
    /// Held while sessions are taken in: of several calls at once, the others wait for what the first finds.
    taking_in: Mutex<()>,
}

/// A brain that is open, for one call.
pub(crate) struct Open {
    pub(crate) app: App,
    /// Whether another process is taking sessions in, so that there is more to come.
    pub(crate) is_behind: bool,
}

impl fmt::Debug for Brain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, project, .. } = self;
        formatter
            .debug_struct("Brain")
            .field("folder", folder)
            .field("project", project)
            .finish_non_exhaustive()
    }
}

/// How long a note waits for somebody else who is writing.
const PATIENCE: Duration = Duration::from_secs(20);

impl Brain {
    /// Asks the brain in a data folder. The settings are read anew for each call; `project` is the folder that is meant where
    /// nobody names one.
    pub fn new(
        folder: PathBuf,
        settings: impl Fn() -> pi_brain_app::Result<Settings> + Send + Sync + 'static,
        project: Option<String>,
    ) -> Self {
        Self { folder, settings: Box::new(settings), project, taking_in: Mutex::default() }
    }

    /// Returns the project that is meant where nobody names one.
    pub(crate) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Opens the brain and brings it up to date, as far as a question needs it.
    pub(crate) fn open(&self, depth: Depth) -> Result<Open> {
        let _guard = self.taking_in.lock().unwrap_or_else(PoisonError::into_inner);
        let mut app = App::open(&self.folder, (self.settings)()?)?;
        let freshness = bring_up_to_date(&mut app, &self.folder, depth, now, &Silent)?;
        if let Freshness::TakenIn(report) = &freshness {
            for (file, why) in &report.unreadable {
                warn(&format!("{file} {why}"));
            }
        }
        Ok(Open { app, is_behind: matches!(freshness, Freshness::Behind) })
    }
}

/// Does something that needs the right to write, and waits a while for whoever has it.
pub(crate) fn when_free<T>(mut work: impl FnMut() -> pi_brain_app::Result<T>) -> Result<T> {
    let began = Instant::now();
    loop {
        match work() {
            Err(AppError::Store(StoreError::Locked { .. })) if began.elapsed() > PATIENCE => {
                return Err(McpError::Busy);
            }
            Err(AppError::Store(StoreError::Locked { .. })) => {
                thread::sleep(Duration::from_millis(100));
            }
            done => return Ok(done?),
        }
    }
}

pub(crate) fn now() -> Millis {
    jiff::Timestamp::now().into()
}

/// Tells of a problem where the protocol does not run. Names of files and their content may be part of it.
pub(crate) fn warn(text: &str) {
    eprintln!("pi-brain mcp: {}", text.escape_debug());
}
