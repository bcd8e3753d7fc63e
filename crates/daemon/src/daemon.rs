//! A daemon from its start to its end, and how the rest of its process talks to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use pi_brain_app::Report;
use serde_json::{Value, json};
use tokio::sync::{broadcast, oneshot, watch};
use uuid::Uuid;

use crate::engine::{Engine, Errand, Event, LoadSettings, Post, Request};
use crate::error::{DaemonError, Result};
use crate::folder::{Announcement, Instance};
use crate::log::Log;
use crate::mint::now;
use crate::status::{Activity, Board, Status, Told};
use crate::watch::Watch;

/// What a daemon is made of.
pub struct Parts {
    /// The right to be the daemon of the folder.
    pub instance: Instance,
    /// The data folder.
    pub folder: PathBuf,
    /// Where those who want to ask it are answered.
    pub address: SocketAddr,
    /// What those have to know who want it to do something; one is made up if none is given.
    pub token: Option<String>,
    /// Reads the settings; asked again whenever they have changed.
    pub settings: LoadSettings,
    /// Where it writes what it does.
    pub log: Arc<Log>,
}

/// A daemon that runs in this process. It takes sessions in, links them and gives them to models; others do the talking.
pub struct Daemon {
    board: Arc<Board>,
    inbox: Sender<Event>,
    announcement: Announcement,
    folder: PathBuf,
    /// Becomes true when the engine has ended.
    ended: watch::Receiver<bool>,
    engine: Mutex<Option<JoinHandle<()>>>,
    /// Held until everything has ended.
    _instance: Instance,
}

/// Why a daemon did not do what it was asked for.
#[derive(Debug)]
pub enum Refusal {
    /// It is about to end.
    Stopping,
    /// It tried, and this is what went wrong.
    Failed(String),
}

impl Daemon {
    /// Starts one, and announces where it can be asked.
    pub fn start(parts: Parts) -> Result<Self> {
        let Parts { instance, folder, address, token, settings, log } = parts;
        let made_up = || format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let announcement = Announcement {
            pid: std::process::id(),
            address,
            token: token.unwrap_or_else(made_up),
            since: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let board = Arc::new(Board::new(Status::at_start(&announcement, folder.clone())));
        let (inbox, events) = channel();
        let engine = Engine::new(Post {
            folder: folder.clone(),
            load: settings,
            watch: watch_with(inbox.clone()),
            board: Arc::clone(&board),
            log,
            inbox: inbox.clone(),
        })?;
        let (is_over, ended) = watch::channel(false);
        announcement.write(&folder)?;
        let engine = Mutex::new(Some(spawn(engine, events, is_over)?));
        Ok(Self { board, inbox, announcement, folder, ended, engine, _instance: instance })
    }

    /// Returns who it is, and what those have to know who want it to do something.
    pub fn announcement(&self) -> &Announcement {
        &self.announcement
    }

    /// Returns how it is.
    pub fn status(&self) -> Status {
        self.board.read()
    }

    /// Returns what it tells from now on.
    pub fn listen(&self) -> broadcast::Receiver<Told> {
        self.board.listen()
    }

    /// Returns what it has told since, as far as that is remembered, and what it tells from now on.
    pub fn listen_since(&self, last: u64) -> (Vec<Told>, broadcast::Receiver<Told>) {
        self.board.listen_since(last)
    }

    /// Returns a number that grows whenever something was taken in.
    pub fn looks(&self) -> u64 {
        self.board.looks()
    }

    /// Tells others about something that this process has done.
    pub fn tell(&self, name: &'static str, data: Value) {
        self.board.tell(name, data);
    }

    /// Says that it may be time to look.
    pub fn look(&self) {
        // Without an engine there is nobody to wake.
        let _ = self.inbox.send(Event::Changed);
    }

    /// Takes everything in, and waits until that is done.
    pub async fn refresh(&self, wants_links: bool) -> Result<Report, Refusal> {
        let (answer, answered) = oneshot::channel();
        let is_sent = self.inbox.send(Event::Refresh(Request { wants_links, answer })).is_ok();
        understand(is_sent, answered.await)
    }

    /// Lets the engine run an errand, and returns what comes of it.
    pub async fn send(&self, errand: Errand) -> Result<Value, Refusal> {
        let (answer, answered) = oneshot::channel();
        let is_sent = self.inbox.send(Event::Errand(errand, answer)).is_ok();
        understand(is_sent, answered.await)
    }

    /// Lets it finish what it is at, and end.
    pub fn stop(&self) {
        self.board.is_doing(Activity::Stopping);
        self.board.tell("stopping", json!({}));
        // If it has ended by itself, that is what we want.
        let _ = self.inbox.send(Event::Stop);
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        // An engine that has died is one that has ended.
        let _ = self.ended.clone().wait_for(|&ended| ended).await;
    }

    /// Waits for its thread, and takes the announcement away.
    pub fn join(&self) -> Result<()> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).take();
        let joined = engine.map_or(Ok(()), JoinHandle::join);
        Announcement::remove(&self.folder);
        joined.map_err(|_| DaemonError::Crashed)
    }
}

fn understand<T>(
    is_sent: bool,
    answer: Result<Result<T, String>, oneshot::error::RecvError>,
) -> Result<T, Refusal> {
    match answer {
        Ok(answer) if is_sent => answer.map_err(Refusal::Failed),
        _ => Err(Refusal::Stopping),
    }
}

fn watch_with(inbox: Sender<Event>) -> Watch {
    Watch::new(move || {
        // Without an engine there is nobody to wake.
        let _ = inbox.send(Event::Changed);
    })
}

/// Starts the thread that does the work. Its end, of whatever kind, is seen by those who wait for it.
fn spawn(
    engine: Engine,
    events: Receiver<Event>,
    is_over: watch::Sender<bool>,
) -> Result<JoinHandle<()>> {
    let work = move || {
        // Dropped in any case, also by a panic: then the receivers see that nobody is left.
        let is_over = is_over;
        engine.run(&events);
        let _ = is_over.send(true);
    };
    thread::Builder::new().name("engine".to_owned()).spawn(work).map_err(DaemonError::Setup)
}
