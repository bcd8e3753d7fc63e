//! `pi-brain up`: the daemon in the foreground.

use pi_brain_app::Sources;
use pi_brain_daemon::Options;

use super::say;
use crate::args::{DEFAULT_PORT, UpOptions};
use crate::locate::Locations;

pub(crate) fn run(locations: Locations, options: &UpOptions) -> anyhow::Result<()> {
    if options.detached {
        // Who leads a group of processes cannot leave; then there is no terminal that could end us.
        let _ = rustix::process::setsid();
    }
    let folder = std::path::absolute(locations.brain_folder()?)?;
    let shown = locations.display(locations.sessions.path());
    let daemon = Options {
        folder,
        port: options.port.port.unwrap_or(DEFAULT_PORT),
        is_shown: !options.detached,
        sources: Box::new(sources_of(locations)?),
    };
    pi_brain_daemon::run(daemon, |address| {
        if !options.detached {
            // Nobody may be looking on.
            let _ = say!("watching {shown}, http://{address}, Ctrl-C ends it");
        }
    })?;
    Ok(())
}

/// Returns how to find out where sessions come from, now and whenever the settings have changed.
fn sources_of(
    locations: Locations,
) -> anyhow::Result<impl Fn() -> pi_brain_app::Result<Sources> + Send> {
    let folder = locations.brain_folder()?;
    Ok(move || locations.sources_for(&folder))
}
