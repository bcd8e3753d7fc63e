//! Ctrl-C as a wish to stop, for work that can be put back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What the shell is told of a program that a signal ended.
const INTERRUPTED: i32 = 130;

/// Makes signals a wish to stop. A second one ends the program at once.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .context("could not listen for signals")?;
    }
    Ok(stop)
}
