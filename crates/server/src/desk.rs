//! What every answer is made of.

use std::sync::Arc;

use pi_brain_daemon::Daemon;
use tokio::sync::Semaphore;

use crate::brains::{Brains, ReadSettings};
use crate::observe::Meter;

/// What those who answer have at hand.
pub(crate) struct Desk {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) brains: Arc<Brains>,
    pub(crate) settings: ReadSettings,
    pub(crate) meter: Meter,
    /// How many models may be asked at once besides: each keeps a thread waiting.
    pub(crate) answers: Arc<Semaphore>,
    /// A seat for each WebSocket.
    pub(crate) sockets: Arc<Semaphore>,
    /// The description of the interface.
    pub(crate) document: Vec<u8>,
}
