//! The clock and the dice of this machine.

pub(crate) use pi_brain_daemon::{SystemMint, now};
