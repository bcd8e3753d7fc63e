//! What every answer is made of.

use std::sync::Arc;

use pi_brain_daemon::Daemon;

use crate::brains::{Brains, ReadSettings};
use crate::observe::Meter;

/// What those who answer have at hand.
pub(crate) struct Desk {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) brains: Arc<Brains>,
    pub(crate) settings: ReadSettings,
    pub(crate) meter: Meter,
    /// The description of the interface.
    pub(crate) document: Vec<u8>,
}
