//! What every answer is made of.

use std::path::PathBuf;
use std::sync::Arc;

use pi_brain_daemon::Daemon;
use tokio::sync::Semaphore;

use crate::brains::{Brains, ReadSettings};
use crate::failure::{Answered, Failure};
use crate::observe::Meter;

/// What those who answer have at hand.
pub(crate) struct Desk {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) brains: Arc<Brains>,
    pub(crate) settings: ReadSettings,
    pub(crate) meter: Meter,
    /// The data folder.
    pub(crate) folder: PathBuf,
    /// The home folder of whoever runs the daemon.
    pub(crate) home: PathBuf,
    /// How many models may be asked at once besides: each keeps a thread waiting.
    pub(crate) answers: Arc<Semaphore>,
    /// A seat for each WebSocket.
    pub(crate) sockets: Arc<Semaphore>,
    /// The description of the interface.
    pub(crate) document: Vec<u8>,
}

impl Desk {
    /// Does something that waits for files, beside the thread that serves everybody.
    pub(crate) async fn beside<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Answered<T> + Send + 'static,
    ) -> Answered<T> {
        let done = tokio::task::spawn_blocking(move || work(&self));
        done.await.map_err(|_| Failure::internal("this could not be done"))?
    }
}
