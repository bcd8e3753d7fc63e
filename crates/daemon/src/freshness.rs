//! Brings an open brain up to date before a question is answered, with a daemon's help where there is one.

use std::path::Path;

use pi_brain_app::{App, Depth, Progress, Report, Result};
use pi_brain_session::Millis;

use crate::client::Client;

/// How new an answer is.
#[derive(Debug)]
pub enum Freshness {
    /// A daemon had taken everything in, or has done so now.
    KeptByDaemon,
    /// Everything that was new was taken in here.
    TakenIn(Report),
    /// Another process is taking sessions in: the answer is as new as that one has come.
    Behind,
}

/// Takes in what is new, as far as a question needs it. If a daemon of this data folder has done that, there is nothing to
/// do; if it has not, for whatever reason, we look ourselves.
pub fn bring_up_to_date(
    app: &mut App,
    folder: &Path,
    depth: Depth,
    now: fn() -> Millis,
    progress: &dyn Progress,
) -> Result<Freshness> {
    if let Some(daemon) = Client::find(folder)
        && is_kept_fresh(app, &daemon, depth, now)
    {
        return Ok(Freshness::KeptByDaemon);
    }
    let report = match depth {
        Depth::Findable => app.refresh_for_search(now(), progress)?,
        Depth::Linked => app.refresh_with_links(now(), progress)?,
        Depth::Whole | Depth::Kept => app.refresh(now(), progress)?,
    };
    Ok(report.map_or(Freshness::Behind, Freshness::TakenIn))
}

fn is_kept_fresh(app: &mut App, daemon: &Client, depth: Depth, now: fn() -> Millis) -> bool {
    let is_fresh = |app: &mut App| app.is_up_to_date(depth, now()).unwrap_or(false);
    is_fresh(app) || (daemon.refresh(depth == Depth::Linked).is_ok() && is_fresh(app))
}
