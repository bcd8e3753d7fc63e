//! A daemon with its door, from its start to its end.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use pi_brain_daemon::{Daemon, Instance, Log, Parts, log_file};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

use crate::brains::{Brains, ReadSettings};
use crate::connections;
use crate::desk::Desk;
use crate::error::{Result, ServerError};
use crate::guard::Gate;
use crate::observe::Meter;
use crate::{neighbours, routes, sockets};

/// How many threads may wait for files and the database at once.
const BLOCKING_THREADS: usize = 32;

/// How many of them may wait for a model that answers a question.
const MODEL_ANSWERS: usize = 4;

/// How a daemon is to be run.
pub struct Options {
    /// The data folder.
    pub folder: PathBuf,
    /// The home folder of whoever runs it, from which paths are shown.
    pub home: PathBuf,
    /// Where to listen.
    pub address: IpAddr,
    /// The port to listen on; 0 takes any that is free.
    pub port: u16,
    /// What those have to know who want something done. One is made up if none is given, unless others than this machine can
    /// ask.
    pub token: Option<String>,
    /// Whether what is logged is printed, too.
    pub is_shown: bool,
    /// Reads the settings; asked again whenever they have changed.
    pub settings: ReadSettings,
}

/// Runs a daemon until somebody stops it. `started` is called as soon as it can be asked.
pub fn run(options: Options, started: impl FnOnce(SocketAddr)) -> Result<()> {
    let Options { folder, home, address, port, token, is_shown, settings } = options;
    if !address.is_loopback() && token.is_none() {
        return Err(ServerError::Exposed { address });
    }
    let instance = Instance::claim(&folder)?;
    let listener = listen(SocketAddr::new(address, port))?;
    let address = listener.local_addr().map_err(ServerError::Setup)?;
    let log = Arc::new(Log::open(&log_file(&folder), is_shown));
    let requests = Log::open(&log_file(&folder).with_file_name("requests.log"), false);
    let of_daemon = Arc::clone(&settings);
    let daemon = Arc::new(Daemon::start(Parts {
        instance,
        folder: folder.clone(),
        address,
        token,
        settings: Box::new(move || of_daemon(None)),
        log: Arc::clone(&log),
    })?);
    log.line(format_args!("started as process {} on http://{address}", std::process::id()));
    let brains = Arc::new(Brains::new(folder.clone(), Arc::clone(&settings), Arc::clone(&daemon)));
    let (router, document) = routes::all();
    let gate = Gate::new(address, &daemon.announcement().token);
    let desk = Arc::new(Desk {
        daemon: Arc::clone(&daemon),
        brains,
        settings,
        folder,
        home,
        meter: Meter::new(requests),
        answers: Arc::new(Semaphore::new(MODEL_ANSWERS)),
        sockets: sockets::seats(),
        document,
    });
    let served = runtime().and_then(|runtime| {
        let served = runtime.block_on(async {
            let (terminate, interrupt) =
                (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
            started(address);
            let router = routes::guarded(router, &desk, gate);
            let served = tokio::select! {
                served = connections::serve(listener, router, daemon.ended()) => served,
                () = obey(&daemon, terminate, interrupt) => Ok(()),
            };
            sockets::all_have_left(&desk).await;
            served
        });
        // Connections that are still open are cut here.
        runtime.shutdown_background();
        served
    });
    if served.is_err() {
        daemon.stop();
    }
    let ended = daemon.join().map_err(ServerError::from).and(served.map_err(ServerError::Setup));
    match &ended {
        Ok(()) => log.line(format_args!("stopped")),
        Err(error) => log.line(format_args!("failed: {error}")),
    }
    ended
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().max_blocking_threads(BLOCKING_THREADS).build()
}

fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ServerError::PortTaken {
            port: address.port(),
            by: neighbours::holder_of(address.port()),
        },
        _ => ServerError::Listen { address, source },
    })
}

/// Stops the daemon at the first signal. A second one ends the process at once, which loses nothing either: what is
/// half-written is not seen.
async fn obey(
    daemon: &Daemon,
    mut terminate: tokio::signal::unix::Signal,
    mut interrupt: tokio::signal::unix::Signal,
) {
    for is_first in [true, false] {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if is_first {
            daemon.stop();
        } else {
            std::process::exit(130);
        }
    }
}
