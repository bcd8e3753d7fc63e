//! The threads that give units of work to a model, as many as the settings say; none if no model is chosen.
//!
//! They sleep until somebody rings, or until a job is due that has to be tried again. What they need of a model, a running pi
//! for example, they let go when there has been nothing to do for a while.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use jiff::Zoned;
use pi_brain_agent::{Event as ModelEvent, Watch};
use pi_brain_app::{Analyst, Settings, Worked};
use pi_brain_session::Millis;
use serde_json::json;

use crate::engine::{Event, chain};
use crate::log::Log;
use crate::mint::now;
use crate::status::{AnalysisStatus, Board};

/// What the names of all daemons begin with who work on jobs.
const OWNER: &str = "daemon ";

/// How long a worker keeps what it needs of a model while there is nothing to do.
const KEPT: Duration = Duration::from_secs(60);

/// How long to wait after something of ours has failed.
const AFTER_TROUBLE: Duration = Duration::from_secs(30);

/// The longest sleep: the clock of the machine may be set, and other processes ring no bell.
const LONGEST_SLEEP: Duration = Duration::from_secs(15 * 60);

/// The workers of a daemon.
pub(crate) struct Workers {
    floor: Arc<Floor>,
    threads: Vec<JoinHandle<()>>,
}

/// What workers share.
struct Floor {
    folder: PathBuf,
    settings: Settings,
    stop: AtomicBool,
    bell: Bell,
    /// Nobody takes a job before what an earlier daemon left is taken over.
    beginning: Once,
    board: Arc<Board>,
    log: Arc<Log>,
    engine: Sender<Event>,
}

impl Workers {
    /// Starts the workers that the settings ask for.
    pub(crate) fn start(
        folder: &Path,
        settings: &Settings,
        board: &Arc<Board>,
        log: &Arc<Log>,
        engine: &Sender<Event>,
    ) -> Self {
        let floor = Arc::new(Floor {
            folder: folder.to_owned(),
            settings: settings.clone(),
            stop: AtomicBool::new(false),
            bell: Bell::default(),
            beginning: Once::new(),
            board: Arc::clone(board),
            log: Arc::clone(log),
            engine: engine.clone(),
        });
        let mut threads = Vec::new();
        let count = if settings.analysis.is_some() { settings.daemon.workers } else { 0 };
        for number in 1..=count {
            let floor = Arc::clone(&floor);
            let work = move || Worker::new(&floor, number).run();
            match thread::Builder::new().name(format!("worker {number}")).spawn(work) {
                Ok(thread) => threads.push(thread),
                Err(error) => log.line(format_args!("error: a worker cannot be started: {error}")),
            }
        }
        if count == 0 {
            board.update(|status| status.analysis = None);
        }
        Self { floor, threads }
    }

    /// Wakes the workers: there may be something to do.
    pub(crate) fn ring(&self) {
        self.floor.bell.ring();
    }

    /// Ends the workers. What they are at is put back into the queue, and what they started is ended.
    pub(crate) fn stop(&mut self) {
        self.floor.stop.store(true, Ordering::Relaxed);
        self.floor.bell.ring();
        for thread in self.threads.drain(..) {
            // Its panic was printed; the others shall end as well.
            let _ = thread.join();
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Floor {
    /// Takes over what an earlier daemon was at when it was killed.
    fn take_over(&self) {
        let taken = self.open(0).and_then(|mut analyst| analyst.reap(Some(OWNER)));
        if let Err(error) = taken {
            self.trouble(&chain(&error));
        }
    }

    fn open(&self, number: usize) -> pi_brain_app::Result<Analyst> {
        let owner = format!("{OWNER}{} worker {number}", std::process::id());
        Analyst::open(&self.folder, &self.settings, &owner, Zoned::now)
    }

    fn trouble(&self, message: &str) {
        if self.board.trouble(now(), message) {
            self.log.line(format_args!("error: {message}"));
        }
    }
}

/// One of the threads.
struct Worker<'a> {
    floor: &'a Floor,
    number: usize,
    analyst: Option<Analyst>,
    /// How often the bell had rung when it last looked for new work.
    heard: u64,
}

impl<'a> Worker<'a> {
    fn new(floor: &'a Floor, number: usize) -> Self {
        Self { floor, number, analyst: None, heard: 0 }
    }

    fn run(mut self) {
        self.floor.beginning.call_once(|| self.floor.take_over());
        while !self.floor.stop.load(Ordering::Relaxed) {
            match self.step() {
                Ok(None) => {}
                Ok(Some(due)) => self.sleep(due),
                Err(error) => {
                    self.floor.trouble(&chain(&error));
                    self.analyst = None;
                    self.floor.bell.wait(self.heard, AFTER_TROUBLE);
                }
            }
        }
    }

    /// Does a job. Returns how long there is nothing to do, if there is not.
    fn step(&mut self) -> pi_brain_app::Result<Option<Duration>> {
        let rung = self.floor.bell.rung();
        let analyst = match &mut self.analyst {
            Some(analyst) => analyst,
            none => none.insert(self.floor.open(self.number)?),
        };
        if self.heard != rung {
            self.heard = rung;
            analyst.plan_new()?;
        }
        let number = self.number;
        let tell = |event: ModelEvent<'_>| {
            if let ModelEvent::Asking { number: request, total } = event {
                let data = json!({ "worker": number, "request": request, "of": total });
                self.floor.board.tell("analysis_progress", data);
            }
        };
        let watch = Watch { stop: &self.floor.stop, on_event: &tell };
        let worked = analyst.work(None, &watch)?;
        let pause = match &worked {
            Worked::Nothing => Some(until(analyst.next_due()?)),
            // To look at every other job only to put it off as well would take a core for nothing.
            Worked::OverDay { until: tomorrow, .. } => Some(until(Some(*tomorrow))),
            _ => None,
        };
        let state = analyst.state()?;
        let queue = state.queue;
        let mut is_other = false;
        self.floor.board.update(|status| {
            let before = status.analysis.take().unwrap_or_default();
            let (done, failed) = match &worked {
                Worked::Done { .. } => (1, 0),
                Worked::Failed { .. } => (0, 1),
                _ => (0, 0),
            };
            is_other = before.queue != queue;
            status.analysis = Some(AnalysisStatus {
                by: state.by,
                prompts: state.prompts,
                queue,
                today: state.today,
                left: state.left,
                done: before.done + done,
                failed: before.failed + failed,
            });
        });
        if is_other {
            self.floor.board.tell("queue", json!({ "counts": queue }));
        }
        self.told(&worked);
        Ok(pause)
    }

    fn told(&self, worked: &Worked) {
        let Floor { board, log, engine, .. } = self.floor;
        match worked {
            Worked::Done { node, is_new, spent } => {
                let version = node.version.unwrap_or_default();
                log.line(format_args!(
                    "analysed {node}: {} tokens in, {} out{}",
                    spent.tokens_in,
                    spent.tokens_out,
                    spent.dollars.map(|dollars| format!(", ${dollars:.4}")).unwrap_or_default()
                ));
                let data = json!({ "node": node.id, "version": version, "new": is_new });
                board.tell("analysed", data);
                if *is_new {
                    let node = json!({ "id": node.id, "version": version, "new": false });
                    board.tell("nodes", json!({ "nodes": [node] }));
                    // The text index takes it in.
                    let _ = engine.send(Event::Changed);
                }
            }
            Worked::Failed { node, error, again, .. } => {
                let what = if again.is_some() { "is tried again" } else { "is given up" };
                board.tell("analysis_failed", json!({ "node": node, "again": again }));
                self.floor.trouble(&format!("the analysis of {node} {what}: {error}"));
            }
            Worked::OverDay { until, .. } => {
                board.tell("budget_reached", json!({ "until": until }));
                log.line(format_args!("nothing more may be taken by models today"));
            }
            Worked::OverRun { .. } => {
                log.line(format_args!("nothing more may be taken by models in this run"));
            }
            Worked::Nothing | Worked::Skipped { .. } | Worked::Stopped => {}
        }
    }

    /// Waits for the bell, or until something is due; lets go what a model needs if that takes long.
    fn sleep(&mut self, wait: Duration) {
        let wait = wait.min(LONGEST_SLEEP);
        if wait > KEPT {
            if self.floor.bell.wait(self.heard, KEPT) {
                return;
            }
            self.analyst = None;
            self.floor.bell.wait(self.heard, wait.saturating_sub(KEPT));
        } else {
            self.floor.bell.wait(self.heard, wait);
        }
    }
}

/// Returns how long it is until then.
fn until(due: Option<Millis>) -> Duration {
    /// A job whose time has come may be another's just now.
    const SHORTEST: Duration = Duration::from_millis(200);
    let Some(due) = due else { return LONGEST_SLEEP };
    let wait = u64::try_from(due.0 - now().0).unwrap_or(0);
    Duration::from_millis(wait).max(SHORTEST)
}

/// What wakes workers.
#[derive(Default)]
struct Bell {
    rung: Mutex<u64>,
    woken: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.lock() += 1;
        self.woken.notify_all();
    }

    /// Returns how often it has rung, plus one: whoever has heard nothing yet has missed something.
    fn rung(&self) -> u64 {
        *self.lock() + 1
    }

    /// Waits until it has rung more often than was heard. Returns whether it has.
    fn wait(&self, heard: u64, longest: Duration) -> bool {
        let began = Instant::now();
        let mut rung = self.lock();
        while *rung < heard {
            let Some(left) = longest.checked_sub(began.elapsed()) else { return false };
            let waited = self.woken.wait_timeout(rung, left);
            rung = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
