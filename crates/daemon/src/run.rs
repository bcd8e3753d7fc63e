//! A daemon from its start to its end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use pi_brain_app::Settings;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use uuid::Uuid;

use crate::engine::{Engine, Event, Post, now};
use crate::error::{DaemonError, Result};
use crate::folder::{Announcement, Instance, log_file};
use crate::http::{Door, router};
use crate::log::Log;
use crate::status::{Activity, Board, Status};
use crate::watch::Watch;

/// How long those who are still being answered may keep a daemon from ending.
const FAREWELL: Duration = Duration::from_secs(2);

/// How a daemon is to be run.
pub struct Options {
    /// The data folder.
    pub folder: PathBuf,
    /// The port to listen on; 0 takes any that is free.
    pub port: u16,
    /// Whether what is logged is printed, too.
    pub is_shown: bool,
    /// Reads the settings; asked again whenever they have changed.
    pub settings: Box<dyn Fn() -> pi_brain_app::Result<Settings> + Send>,
}

/// Runs a daemon until somebody stops it. `started` is called as soon as it can be asked.
pub fn run(options: Options, started: impl FnOnce(SocketAddr)) -> Result<()> {
    let Options { folder, port, is_shown, settings } = options;
    let instance = Instance::claim(&folder)?;
    let listener = listen(port)?;
    let address = listener.local_addr().map_err(DaemonError::Setup)?;
    let log = Arc::new(Log::open(&log_file(&folder), is_shown));
    let announcement = Announcement {
        pid: std::process::id(),
        address,
        token: format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()),
        since: now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let board = Arc::new(Board::new(Status {
        pid: announcement.pid,
        version: announcement.version.clone(),
        since: announcement.since,
        address,
        data_folder: folder.clone(),
        activity: Activity::Idle,
        files: 0,
        folders: 0,
        refreshes: 0,
        last_refresh: None,
        next_close: None,
        analysis: None,
        errors: Vec::new(),
    }));
    let (engine, events) = channel();
    let watch = watch_with(engine.clone());
    let worker = Engine::new(Post {
        folder: folder.clone(),
        load: settings,
        watch,
        board: Arc::clone(&board),
        log: Arc::clone(&log),
        inbox: engine.clone(),
    })?;
    let (is_over, ended) = watch::channel(false);
    let door = Door {
        board,
        engine,
        token: announcement.token.as_str().into(),
        port: address.port(),
        ended,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(DaemonError::Setup)?;
    announcement.write(&folder)?;
    log.line(format_args!("started as process {} on http://{address}", announcement.pid));
    let worker = spawn(worker, events, is_over);
    let served = worker.and_then(|worker| {
        let served = runtime.block_on(serve(listener, door, started));
        worker.join().map_err(|_| DaemonError::Crashed)?;
        served.map_err(DaemonError::Setup)
    });
    // Connections that are still open are cut here.
    runtime.shutdown_background();
    Announcement::remove(&folder);
    match &served {
        Ok(()) => log.line(format_args!("stopped")),
        Err(error) => log.line(format_args!("failed: {error}")),
    }
    drop(instance);
    served
}

fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => DaemonError::PortTaken { port },
        _ => DaemonError::Listen { port, source },
    })
}

fn watch_with(engine: Sender<Event>) -> Watch {
    Watch::new(move || {
        // Without an engine there is nobody to wake.
        let _ = engine.send(Event::Changed);
    })
}

/// Starts the thread that does the work. Its end, of whatever kind, ends the streams.
fn spawn(
    engine: Engine,
    events: mpsc::Receiver<Event>,
    is_over: watch::Sender<bool>,
) -> Result<thread::JoinHandle<()>> {
    let work = move || {
        // Dropped in any case, also by a panic: then the receivers see that nobody is left.
        let is_over = is_over;
        engine.run(&events);
        let _ = is_over.send(true);
    };
    thread::Builder::new().name("engine".to_owned()).spawn(work).map_err(DaemonError::Setup)
}

/// Answers until the engine has ended.
async fn serve(
    listener: TcpListener,
    door: Door,
    started: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (terminate, interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    started(address);
    let ended = |mut ended: watch::Receiver<bool>| async move {
        let _ = ended.wait_for(|&ended| ended).await;
    };
    let over = ended(door.ended.clone());
    let farewell = ended(door.ended.clone());
    let answering =
        axum::serve(listener, router(door.clone())).with_graceful_shutdown(over).into_future();
    tokio::select! {
        served = answering => served,
        () = obey(door, terminate, interrupt) => Ok(()),
        () = async { farewell.await; tokio::time::sleep(FAREWELL).await } => Ok(()),
    }
}

/// Stops the engine at the first signal. A second one ends the process at once, which loses nothing either: what is
/// half-written is not seen.
async fn obey(
    door: Door,
    mut terminate: tokio::signal::unix::Signal,
    mut interrupt: tokio::signal::unix::Signal,
) {
    for is_first in [true, false] {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if is_first {
            door.stop();
        } else {
            std::process::exit(130);
        }
    }
}
