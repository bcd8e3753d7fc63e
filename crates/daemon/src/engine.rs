//! The thread that does the work. Everything that can wake it is an [`Event`], or a time that has come.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use jiff::Zoned;
use pi_brain_app::{Analyst, App, AppError, Depth, Report, Settings};
use pi_brain_brain::NodeId;
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, StoreError};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::calendar::Appointment;
use crate::log::Log;
use crate::mint::now;
use crate::schedule::{Outcome, Schedule, Task};
use crate::status::{Activity, Board};
use crate::watch::Watch;
use crate::workers::Workers;

/// What wakes the engine.
#[derive(Debug)]
pub(crate) enum Event {
    /// The system says that something in the folders has changed.
    Changed,
    /// Somebody wants everything taken in now.
    Refresh(Request),
    /// Somebody wants something of the queue, or says something about a session.
    Errand(Errand, oneshot::Sender<Result<Value, String>>),
    /// It is time to end.
    Stop,
}

/// Something that needs the brain, and not everything taken in.
#[derive(Debug)]
pub enum Errand {
    /// Give these nodes to a model before all others.
    Analyse(Vec<NodeId>),
    /// Try jobs again that were given up: these, or all.
    Retry(Option<Vec<i64>>),
    /// A unit of work of this session is over.
    Announce(String),
}

/// A wish to have everything taken in, and where to answer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) wants_links: bool,
    pub(crate) answer: oneshot::Sender<Result<Report, String>>,
}

/// Reads the settings.
pub type LoadSettings = Box<dyn Fn() -> pi_brain_app::Result<Settings> + Send>;

/// How long somebody waits who wants everything taken in while another process writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// When to look for appointments again if that failed.
const LATER: Duration = Duration::from_secs(10 * 60);

/// What an engine is given to work with.
pub(crate) struct Post {
    pub(crate) folder: PathBuf,
    pub(crate) load: LoadSettings,
    pub(crate) watch: Watch,
    pub(crate) board: Arc<Board>,
    pub(crate) log: Arc<Log>,
    /// Where its own events come in.
    pub(crate) inbox: Sender<Event>,
}

pub(crate) struct Engine {
    folder: PathBuf,
    load: LoadSettings,
    settings: Settings,
    /// What their file looked like from outside when they were read.
    settings_file: Option<(i64, i64, u64)>,
    /// Opened when it is needed, and again after a failure.
    app: Option<App>,
    watch: Watch,
    schedule: Schedule,
    workers: Workers,
    board: Arc<Board>,
    log: Arc<Log>,
    inbox: Sender<Event>,
}

/// Another process is writing.
struct Busy;

impl Engine {
    pub(crate) fn new(post: Post) -> pi_brain_app::Result<Self> {
        let Post { folder, load, watch, board, log, inbox } = post;
        let settings_file = look_at_settings(&folder);
        let (settings, schedule) = (load()?, Schedule::new(Instant::now()));
        let workers = Workers::start(&folder, &settings, &board, &log, &inbox);
        Ok(Self {
            folder,
            load,
            settings,
            settings_file,
            app: None,
            watch,
            schedule,
            workers,
            board,
            log,
            inbox,
        })
    }

    /// Works until it is told to stop. What it is at then is finished.
    pub(crate) fn run(mut self, events: &Receiver<Event>) {
        self.agree();
        loop {
            let (due, task) = self.schedule.next();
            match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Event::Changed) => self.schedule.noticed(Instant::now()),
                Ok(Event::Refresh(request)) => self.answer(request),
                Ok(Event::Errand(errand, answer)) => {
                    // Whoever asked may have gone.
                    let _ = answer.send(self.run_errand(errand).map_err(|error| chain(&error)));
                }
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => self.perform(task),
            }
            self.board.is_doing(Activity::Idle);
        }
    }

    fn perform(&mut self, task: Task) {
        let depth = match task {
            Task::Check if self.has_missed_nothing() => {
                return self.schedule.checked(Instant::now());
            }
            // The last lines of a long session are only made findable, by us and by every other process; to take each in at
            // once would take a core as long as pi writes.
            Task::Check | Task::Look => Depth::Findable,
            Task::Settle => Depth::Kept,
            Task::Keep => return self.keep_appointments(),
        };
        // What went wrong is on the board.
        let _ = self.take_in(depth);
    }

    fn answer(&mut self, request: Request) {
        let depth = if request.wants_links { Depth::Linked } else { Depth::Whole };
        let began = Instant::now();
        let answer = loop {
            match self.take_in(depth) {
                Ok(Ok(report)) => break Ok(report),
                Ok(Err(Busy)) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Ok(Err(Busy)) => break Err("another process has been writing for long".to_owned()),
                Err(message) => break Err(message),
            }
        };
        // Whoever asked may have gone.
        let _ = request.answer.send(answer);
    }

    /// Compares sizes and times with what is known, and folders with those that are watched.
    fn has_missed_nothing(&mut self) -> bool {
        self.board.is_doing(Activity::Looking);
        self.read_settings();
        self.follow();
        let now = now();
        match self.open() {
            Ok(app) => app.has_news(now).is_ok_and(|has_news| !has_news),
            Err(_) => false,
        }
    }

    /// Takes in what is new. Only the folders and the clock decide what that is, so nothing is lost if it fails.
    fn take_in(&mut self, depth: Depth) -> Result<Result<Report, Busy>, String> {
        let began = Instant::now();
        self.board.is_doing(Activity::Looking);
        self.read_settings();
        self.follow();
        let taken = self.refresh(depth);
        let ended = Instant::now();
        match taken {
            Ok(Some((report, close))) => {
                self.took_in(&report, began.elapsed(), close);
                let is_news = has_news(&report) || depth == Depth::Findable;
                let is_settled = depth == Depth::Kept;
                if is_settled {
                    // What a large ingest needed is of no use to the next line.
                    self.app = None;
                }
                if !report.versions.is_empty() {
                    self.workers.ring();
                }
                let wait = close.map(|close| {
                    Duration::from_millis(u64::try_from(close.0 - now().0).unwrap_or(0))
                });
                self.schedule.looked(began, ended, Outcome { is_news, is_settled, close: wait });
                Ok(Ok(report))
            }
            Ok(None) => {
                self.schedule.found_busy(ended);
                Ok(Err(Busy))
            }
            Err(error) => {
                let message = chain(&error);
                self.trouble(&message);
                // What is open may be what is broken.
                self.app = None;
                self.schedule.failed(ended);
                Err(message)
            }
        }
    }

    /// Returns what was taken in and when the next segment closes; `None` if another process is writing.
    fn refresh(&mut self, depth: Depth) -> pi_brain_app::Result<Option<(Report, Option<Millis>)>> {
        let (board, now) = (Arc::clone(&self.board), now());
        let app = self.open()?;
        let taken = match depth {
            Depth::Kept => match app.ingest("daemon", now, &*board) {
                Err(AppError::Store(StoreError::Locked { .. })) => None,
                taken => Some(taken?),
            },
            Depth::Linked => app.refresh_with_links(now, &*board)?,
            Depth::Findable => app.refresh_for_search(now, &*board)?,
            Depth::Whole => app.refresh(now, &*board)?,
        };
        let Some(report) = taken else { return Ok(None) };
        Ok(Some((report, app.next_close()?)))
    }

    fn open(&mut self) -> pi_brain_app::Result<&mut App> {
        let app = match self.app.take() {
            Some(app) => app,
            None => App::open(&self.folder, self.settings.clone())?,
        };
        Ok(self.app.insert(app))
    }

    /// Reads the settings again if they have changed. Those that cannot be used change nothing.
    fn read_settings(&mut self) {
        let settings_file = look_at_settings(&self.folder);
        if settings_file == self.settings_file {
            return;
        }
        self.settings_file = settings_file;
        match (self.load)() {
            Ok(settings) => {
                self.log.line(format_args!("settings have changed"));
                (self.settings, self.app) = (settings, None);
                self.workers.stop();
                let Self { folder, settings, board, log, inbox, .. } = &*self;
                self.workers = Workers::start(folder, settings, board, log, inbox);
                self.agree();
            }
            Err(error) => self.trouble(&chain(&error)),
        }
    }

    /// Finds out when the next appointment is.
    ///
    /// One that was never kept counts as kept now: nobody wants all of the night's work when a daemon is first started. One that
    /// was missed because the machine slept is due.
    fn agree(&mut self) {
        let due = |engine: &mut Self| {
            let (now, schedules) = (now(), engine.settings.schedule.clone());
            let store = engine.open()?.store();
            let mut next = None;
            for appointment in Appointment::ALL {
                let last = store.last_done(appointment.name())?;
                if last.is_none() {
                    store.note_done(appointment.name(), now)?;
                }
                next =
                    next.into_iter().chain(appointment.due(&schedules, last.unwrap_or(now))).min();
            }
            Ok::<_, AppError>(next)
        };
        match due(self) {
            Ok(next) => {
                let wait = next.map(|next: Millis| u64::try_from(next.0 - now().0).unwrap_or(0));
                let next = wait.map(|wait| Instant::now() + Duration::from_millis(wait));
                self.schedule.agreed(next);
            }
            Err(error) => {
                self.trouble(&chain(&error));
                self.schedule.agreed(Some(Instant::now() + LATER));
            }
        }
    }

    fn keep_appointments(&mut self) {
        for appointment in Appointment::ALL {
            if let Err(error) = self.keep(appointment) {
                self.trouble(&chain(&error));
            }
        }
        self.agree();
    }

    fn keep(&mut self, appointment: Appointment) -> pi_brain_app::Result<()> {
        let (now, schedules) = (now(), self.settings.schedule.clone());
        let last = self.open()?.store().last_done(appointment.name())?.unwrap_or(now);
        if appointment.due(&schedules, last).is_none_or(|due| due > now) {
            return Ok(());
        }
        match appointment {
            Appointment::Link => {
                let took = Instant::now();
                self.open()?.link_anew(now)?;
                self.log
                    .line(format_args!("all links found anew, {} ms", took.elapsed().as_millis()));
            }
            Appointment::Reanalyse if self.settings.analysis.is_some() => {
                let (folder, settings) = (&self.folder, &self.settings);
                let analyst = Analyst::open(folder, settings, "daemon schedule", Zoned::now)?;
                let count = analyst.plan_reanalysis()?;
                self.log
                    .line(format_args!("{count} units of work are to be read with new prompts"));
                self.workers.ring();
            }
            Appointment::Reanalyse => {}
        }
        Ok(self.open()?.store().note_done(appointment.name(), now)?)
    }

    fn run_errand(&mut self, errand: Errand) -> pi_brain_app::Result<Value> {
        let now = now();
        let answer = match errand {
            Errand::Analyse(nodes) => {
                if self.settings.analysis.is_none() {
                    return Err(AppError::NoModel);
                }
                json!({ "queued": self.open()?.enqueue_analysis(&nodes, now)? })
            }
            Errand::Retry(ids) => {
                json!({ "retried": self.open()?.store().retry_jobs(ids.as_deref(), now)? })
            }
            Errand::Announce(session) => {
                self.open()?.announce_end(&session, now)?;
                self.schedule.noticed(Instant::now());
                json!({ "announced": session })
            }
        };
        self.workers.ring();
        Ok(answer)
    }

    fn follow(&mut self) {
        for problem in self.watch.follow(&self.settings.sources) {
            self.trouble(&format!("changes are noticed late: {problem}"));
        }
        let folders = self.watch.len();
        self.board.update(|status| status.folders = folders);
    }

    fn took_in(&self, report: &Report, took: Duration, close: Option<Millis>) {
        for (file, why) in &report.unreadable {
            let message = if why.is_empty() { file.clone() } else { format!("{file}: {why}") };
            self.trouble(&message);
        }
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.board.taken_in(report, now(), milliseconds);
        self.board.update(|status| status.next_close = close);
        if has_news(report) {
            self.log.line(format_args!(
                "{} files, {} bytes, {} entries, {} nodes, {} gone, {milliseconds} ms",
                report.files,
                report.bytes,
                report.entries,
                report.versions.len(),
                report.gone
            ));
        }
    }

    fn trouble(&self, message: &str) {
        if self.board.trouble(now(), message) {
            self.log.line(format_args!("error: {message}"));
        }
    }
}

/// Returns whether anything came of a look.
pub(crate) fn has_news(report: &Report) -> bool {
    report.files > 0 || report.gone > 0 || !report.versions.is_empty()
}

fn look_at_settings(folder: &Path) -> Option<(i64, i64, u64)> {
    let metadata = fs::metadata(DataFolder::at(folder).config()).ok()?;
    Some((metadata.mtime(), metadata.mtime_nsec(), metadata.ino()))
}

/// Returns an error with its causes, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
