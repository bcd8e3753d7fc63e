//! `pi-brain up`: the daemon in the foreground.

use pi_brain_app::Settings;
use pi_brain_daemon::Options;

use super::say;
use crate::args::UpOptions;
use crate::locate::Locations;

pub(crate) fn run(locations: Locations, options: &UpOptions) -> anyhow::Result<()> {
    if options.detached {
        // Who leads a group of processes cannot leave; then there is no terminal that could end us.
        let _ = rustix::process::setsid();
    }
    let folder = std::path::absolute(locations.brain_folder()?)?;
    let shown = locations.display(locations.sessions.path());
    let port = match options.port.port {
        Some(port) => port,
        None => locations.brain_settings()?.daemon.port,
    };
    let daemon = Options {
        folder,
        port,
        is_shown: !options.detached,
        settings: Box::new(settings_of(locations)?),
    };
    pi_brain_daemon::run(daemon, |address| {
        if !options.detached {
            // Nobody may be looking on.
            let _ = say!("watching {shown}, http://{address}, Ctrl-C ends it");
        }
    })?;
    Ok(())
}

/// Returns how to read the settings, now and whenever they have changed.
fn settings_of(
    locations: Locations,
) -> anyhow::Result<impl Fn() -> pi_brain_app::Result<Settings> + Send> {
    let folder = locations.brain_folder()?;
    Ok(move || locations.brain_settings_of(&folder))
}
