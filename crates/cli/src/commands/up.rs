//! `pi-brain up`: the daemon in the foreground.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use pi_brain_app::SettingsFile;
use pi_brain_server::{Options, ReadSettings};

use super::say;
use crate::args::UpOptions;
use crate::locate::Locations;
use crate::thrift;

pub(crate) fn run(locations: Locations, options: &UpOptions) -> anyhow::Result<()> {
    thrift::for_good();
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
        home: locations.home().to_owned(),
        address: options.bind,
        port,
        token: options.token_file.as_deref().map(read_token).transpose()?,
        is_shown: !options.detached,
        settings: settings_of(locations)?,
    };
    pi_brain_server::run(daemon, |address| {
        if !options.detached {
            // Nobody may be looking on.
            let _ = say!("watching {shown}, http://{address}, Ctrl-C ends it");
        }
    })?;
    Ok(())
}

/// Reads a token that other programs know, too.
fn read_token(file: &Path) -> anyhow::Result<String> {
    const SHORTEST: usize = 16;
    let shown = file.display();
    let failed = || format!("could not read the token in {shown}");
    let others = fs::metadata(file).with_context(failed)?.permissions().mode() & 0o077;
    let token = fs::read_to_string(file).with_context(failed)?.trim().to_owned();
    let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
    if others != 0 {
        bail!("others can read {shown}; `chmod 600 {shown}` keeps the token to yourself");
    }
    if token.len() < SHORTEST || !is_plain {
        bail!("the token in {shown} has to have at least {SHORTEST} letters and digits");
    }
    Ok(token)
}

/// Returns how to read the settings, now and whenever they have changed.
fn settings_of(locations: Locations) -> anyhow::Result<ReadSettings> {
    let folder = locations.brain_folder()?;
    let file = SettingsFile::of(&folder);
    Ok(Arc::new(move |text| match text {
        None => locations.brain_settings_of(&folder),
        Some(text) => locations.parse_brain_settings(text, file.path()),
    }))
}
