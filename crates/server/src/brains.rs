//! A few open brains, for requests that are answered at the same time.
//!
//! What they are asked takes files and a database, so it runs on threads of its own and stalls nobody else. The daemon says when
//! something was taken in; until then a brain is as new as it can be, and a request costs no look at folders.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pi_brain_app::{App, AppError, Settings};
use pi_brain_daemon::{Daemon, now};
use pi_brain_session::Millis;
use pi_brain_store::StoreError;
use tokio::sync::Semaphore;

use crate::failure::{Answered, Failure};

/// How many are asked at once for what may take long: two for each core, because half of the time they wait for files, within
/// these bounds.
const LONG: std::ops::RangeInclusive<usize> = 4..=16;

/// How many are asked besides for what is answered at once, so that it does not wait behind the others.
const SHORT: usize = 2;

/// How long a request may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long somebody waits who wants to write while another process does.
const WRITER_PATIENCE: Duration = Duration::from_secs(5);

/// Reads the settings: those of the file, or those that a text would be.
pub type ReadSettings = Arc<dyn Fn(Option<&str>) -> pi_brain_app::Result<Settings> + Send + Sync>;

/// The open brains.
pub(crate) struct Brains {
    folder: PathBuf,
    settings: ReadSettings,
    daemon: Arc<Daemon>,
    idle: Mutex<Vec<Brain>>,
    long: Arc<Semaphore>,
    short: Arc<Semaphore>,
}

/// How long something takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// One thing is looked up.
    Short,
    /// Much may have to be looked at, or waited for.
    Long,
}

/// An open brain, and how new it is.
pub(crate) struct Brain {
    pub(crate) app: App,
    looks: Option<u64>,
    change: u64,
}

impl Brain {
    /// Returns the present time.
    pub(crate) fn now() -> Millis {
        now()
    }

    /// Does something that needs the right to write; waits for whoever has it, though not for long.
    pub(crate) fn write<T>(
        &mut self,
        mut work: impl FnMut(&mut App) -> Result<T, AppError>,
    ) -> Answered<T> {
        let is_locked =
            |error: &AppError| matches!(error, AppError::Store(StoreError::Locked { .. }));
        Ok(patiently(|| work(&mut self.app), is_locked)?)
    }
}

/// Tries something again while somebody else holds a lock, though not for long.
pub(crate) fn patiently<T, E>(
    mut work: impl FnMut() -> Result<T, E>,
    is_locked: impl Fn(&E) -> bool,
) -> Result<T, E> {
    const PAUSE: Duration = Duration::from_millis(20);
    let began = std::time::Instant::now();
    loop {
        match work() {
            Err(error) if is_locked(&error) && began.elapsed() < WRITER_PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

impl Brains {
    pub(crate) fn new(folder: PathBuf, settings: ReadSettings, daemon: Arc<Daemon>) -> Self {
        let cores = std::thread::available_parallelism().map_or(*LONG.start(), NonZero::get);
        let long = (2 * cores).clamp(*LONG.start(), *LONG.end());
        let [long, short] = [long, SHORT].map(|turns| Arc::new(Semaphore::new(turns)));
        Self { folder, settings, daemon, idle: Mutex::default(), long, short }
    }

    /// Lets a brain do something, as soon as it is its turn.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        effort: Effort,
        work: impl FnOnce(&mut Brain) -> Answered<T> + Send + 'static,
    ) -> Answered<T> {
        let turns = match effort {
            Effort::Short => &self.short,
            Effort::Long => &self.long,
        };
        let turn = Arc::clone(turns).acquire_owned();
        let turn = tokio::time::timeout(PATIENCE, turn).await;
        let Ok(Ok(turn)) = turn else { return Err(Failure::busy("too much is being asked")) };
        let brains = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let mut brain = brains.take()?;
            let answer = work(&mut brain);
            // One whose work panicked does not come back.
            brains.lock().push(brain);
            answer
        });
        asked.await.map_err(|_| Failure::internal("this question could not be answered"))?
    }

    fn take(&self) -> Answered<Brain> {
        let idle = self.lock().pop();
        let mut brain = match idle {
            Some(brain) if brain.app.is_current() => brain,
            _ => {
                let app = App::open(&self.folder, (self.settings)(None)?)?;
                Brain { app, looks: None, change: 0 }
            }
        };
        let looks = Some(self.daemon.looks());
        let change = brain.app.store().last_change()?;
        if (looks, change) != (brain.looks, brain.change) {
            brain.app.catch_up()?;
            (brain.looks, brain.change) = (looks, change);
        }
        Ok(brain)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Brain>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
