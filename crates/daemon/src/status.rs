//! What a daemon tells of itself: its state, its troubles, and events as they happen.

use std::collections::VecDeque;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pi_brain_app::{Progress, Report, Step};
use pi_brain_session::Millis;
use pi_brain_store::{Left, OwnUse, QueueCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::engine::has_news;
use crate::folder::Announcement;

/// How many troubles are remembered.
const TROUBLES: usize = 20;

/// How many events a slow listener may be behind before it misses some, and how many are remembered for one who comes back.
const BACKLOG: usize = 256;

/// How often listeners are told how far taking in has come.
const PROGRESS: Duration = Duration::from_millis(250);

/// How many nodes one event names.
const NAMED_NODES: usize = 200;

/// The state of a daemon.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The process.
    pub pid: u32,
    /// The version of the program.
    pub version: String,
    /// When it was started.
    pub since: Millis,
    /// Where it listens.
    pub address: SocketAddr,
    /// The folder that it keeps everything in.
    pub data_folder: PathBuf,
    /// What it is doing.
    pub activity: Activity,
    /// How many session files there are.
    pub files: usize,
    /// How many folders the system reports changes of.
    pub folders: usize,
    /// How often it has taken something in since it was started.
    pub refreshes: u64,
    /// The last time that it looked and took in what was new.
    pub last_refresh: Option<LastRefresh>,
    /// When the next unit of work is over, if nothing more is said in it.
    pub next_close: Option<Millis>,
    /// What models do; `None` if none is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<AnalysisStatus>,
    /// How much memory it has to itself, in bytes, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// What went wrong last, newest first.
    pub errors: Vec<Trouble>,
}

/// What models do, and what that takes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisStatus {
    /// How they are asked.
    pub by: String,
    /// The version of the prompts.
    pub prompts: String,
    /// What there is to do.
    pub queue: QueueCounts,
    /// What was taken today.
    pub today: OwnUse,
    /// What may still be taken today.
    pub left: Left,
    /// How many units of work were read since the daemon was started.
    pub done: u64,
    /// How often that went wrong.
    pub failed: u64,
}

/// What a daemon is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Activity {
    /// It sleeps until something happens.
    Idle,
    /// It looks for what is new.
    Looking,
    /// It reads session files.
    Reading {
        /// How many bytes it has read.
        done: u64,
        /// Of how many.
        total: u64,
    },
    /// It finds units of work.
    Deriving {
        /// How many families it is through with.
        done: u64,
        /// Of how many.
        total: u64,
    },
    /// It makes them searchable.
    Indexing {
        /// How many changes it is through with.
        done: u64,
        /// Of how many.
        total: u64,
    },
    /// It finishes what it is at, and ends.
    Stopping,
}

/// What the last look for new lines came to.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastRefresh {
    /// When it was finished.
    pub at: Millis,
    /// How long it took.
    pub milliseconds: u64,
    /// How many files were read.
    pub files: usize,
    /// How many entries were new.
    pub entries: usize,
    /// How many nodes are new or have a new version.
    pub nodes: usize,
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trouble {
    /// When it was last seen.
    pub at: Millis,
    /// What it is.
    pub message: String,
    /// How often it was seen.
    pub times: u64,
}

impl Status {
    /// Returns the state of a daemon that has done nothing yet.
    pub(crate) fn at_start(announcement: &Announcement, folder: PathBuf) -> Self {
        Self {
            pid: announcement.pid,
            version: announcement.version.clone(),
            since: announcement.since,
            address: announcement.address,
            data_folder: folder,
            activity: Activity::Idle,
            files: 0,
            folders: 0,
            refreshes: 0,
            last_refresh: None,
            next_close: None,
            analysis: None,
            memory: None,
            errors: Vec::new(),
        }
    }
}

/// An event, as listeners are told of it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Events are numbered from 1 since the daemon was started.
    pub number: u64,
    /// What happened.
    pub name: &'static str,
    /// More about it.
    pub data: Arc<Value>,
}

/// What listeners were told last.
#[derive(Debug, Default)]
struct Past {
    last: u64,
    told: VecDeque<Told>,
}

/// The state that the engine writes and HTTP reads.
#[derive(Debug)]
pub(crate) struct Board {
    status: Mutex<Status>,
    troubles: Mutex<VecDeque<Trouble>>,
    events: broadcast::Sender<Told>,
    past: Mutex<Past>,
    /// How often something was taken in, or made findable.
    looks: AtomicU64,
    /// Whether listeners were told that sessions are being taken in.
    has_begun: AtomicBool,
    /// When listeners were last told how far that has come.
    progress: Mutex<Option<Instant>>,
}

impl Board {
    pub(crate) fn new(status: Status) -> Self {
        let (events, _) = broadcast::channel(BACKLOG);
        Self {
            status: Mutex::new(status),
            troubles: Mutex::default(),
            events,
            past: Mutex::default(),
            looks: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            progress: Mutex::default(),
        }
    }

    /// Returns everything as it is now.
    pub(crate) fn read(&self) -> Status {
        let errors = lock(&self.troubles).iter().cloned().collect();
        Status { errors, memory: own_memory(), ..lock(&self.status).clone() }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<Told> {
        self.events.subscribe()
    }

    /// Returns what was told after an event, as far as that is remembered, and what is told from now on; nothing in between
    /// is missing.
    pub(crate) fn listen_since(&self, last: u64) -> (Vec<Told>, broadcast::Receiver<Told>) {
        let past = lock(&self.past);
        let missed = past.told.iter().filter(|told| told.number > last).cloned().collect();
        (missed, self.events.subscribe())
    }

    /// Returns how often something was taken in, or made findable.
    pub(crate) fn looks(&self) -> u64 {
        self.looks.load(Ordering::Acquire)
    }

    pub(crate) fn update(&self, change: impl FnOnce(&mut Status)) {
        change(&mut lock(&self.status));
    }

    /// Says what is being done. Who is about to end says nothing else any more.
    pub(crate) fn is_doing(&self, activity: Activity) {
        self.update(|status| {
            if status.activity != Activity::Stopping {
                status.activity = activity;
            }
        });
    }

    /// Remembers a trouble. Returns whether it is another than those that are remembered already.
    pub(crate) fn trouble(&self, at: Millis, message: &str) -> bool {
        let mut troubles = lock(&self.troubles);
        let known = troubles.iter().position(|trouble| trouble.message == message);
        let known = known.and_then(|at| troubles.remove(at));
        let times = known.as_ref().map_or(0, |trouble| trouble.times) + 1;
        troubles.push_front(Trouble { at, message: message.to_owned(), times });
        troubles.truncate(TROUBLES);
        drop(troubles);
        self.tell("error", json!({ "message": message, "times": times }));
        known.is_none()
    }

    /// Tells what taking sessions in came to.
    pub(crate) fn taken_in(&self, report: &Report, at: Millis, milliseconds: u64) {
        let last = LastRefresh {
            at,
            milliseconds,
            files: report.files,
            entries: report.entries,
            nodes: report.versions.len(),
        };
        self.update(|status| {
            status.files = report.found;
            status.refreshes += 1;
            status.last_refresh = Some(last.clone());
        });
        self.looks.fetch_add(1, Ordering::AcqRel);
        let has_begun = self.has_begun.swap(false, Ordering::Relaxed);
        if has_begun || has_news(report) {
            let mut data = report_as_json(report);
            data["milliseconds"] = milliseconds.into();
            self.tell("ingest_finished", data);
        }
        // Lines of a long session may have become findable, without having been taken in.
        self.tell("looked", json!({}));
        for versions in report.versions.chunks(NAMED_NODES) {
            let named = versions.iter().map(|node| {
                json!({ "id": node.id, "version": node.version, "new": node.version == Some(1) })
            });
            self.tell("nodes", json!({ "nodes": named.collect::<Vec<_>>() }));
        }
    }

    pub(crate) fn tell(&self, name: &'static str, data: Value) {
        let mut past = lock(&self.past);
        past.last += 1;
        let told = Told { number: past.last, name, data: Arc::new(data) };
        if past.told.len() == BACKLOG {
            past.told.pop_front();
        }
        past.told.push_back(told.clone());
        // Nobody may be listening.
        let _ = self.events.send(told);
    }
}

/// Writes what taking sessions in came to.
pub fn report_as_json(report: &Report) -> Value {
    json!({
        "found": report.found,
        "files": report.files,
        "bytes": report.bytes,
        "entries": report.entries,
        "messages": report.messages,
        "nodes": report.versions.len(),
        "gone": report.gone,
        "unreadable": report.unreadable.len(),
    })
}

impl Progress for Board {
    fn begin(&self, step: Step) {
        if !self.has_begun.swap(true, Ordering::Relaxed) {
            let (files, bytes) = match step {
                Step::Read { files, bytes } => (files, bytes),
                Step::Derive { .. } | Step::Index { .. } => (0, 0),
            };
            self.tell("ingest_begun", json!({ "files": files, "bytes": bytes }));
        }
        let done = 0;
        self.is_doing(match step {
            Step::Read { bytes, .. } => Activity::Reading { done, total: bytes },
            Step::Derive { families } => Activity::Deriving { done, total: families as u64 },
            Step::Index { changes } => Activity::Indexing { done, total: changes as u64 },
        });
    }

    fn advance(&self, amount: u64) {
        self.update(|status| match &mut status.activity {
            Activity::Reading { done, .. }
            | Activity::Deriving { done, .. }
            | Activity::Indexing { done, .. } => *done += amount,
            Activity::Idle | Activity::Looking | Activity::Stopping => {}
        });
        let mut told = lock(&self.progress);
        if told.is_none_or(|told| told.elapsed() >= PROGRESS) {
            *told = Some(Instant::now());
            self.tell("ingest_progress", json!({ "activity": lock(&self.status).activity }));
        }
    }
}

/// Reads how much memory this process has to itself. What it shares with others, such as files, does not count.
fn own_memory() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = told.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    kilobytes.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|number| number * 1024)
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is one assignment: what a panic left behind is whole.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
