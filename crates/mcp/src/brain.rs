//! The brain behind the tools: opened for each call, and brought up to date.

use std::fmt;
use std::path::PathBuf;
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
    /// The data folder.
    pub folder: PathBuf,
    /// Reads the settings; asked anew for each call.
    pub settings: ReadSettings,
    /// The project that is meant where nobody names one.
    pub project: Option<String>,
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
    /// Opens the brain and brings it up to date, as far as a question needs it.
    pub(crate) fn open(&self, depth: Depth) -> Result<App> {
        let mut app = App::open(&self.folder, (self.settings)()?)?;
        if let Freshness::TakenIn(report) =
            bring_up_to_date(&mut app, &self.folder, depth, now, &Silent)?
        {
            for (file, why) in &report.unreadable {
                warn(&format!("{file} {why}"));
            }
        }
        Ok(app)
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
