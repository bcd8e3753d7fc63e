//! `pi-brain daemon logs`: the end of the log, and what comes after it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::super::say;
use crate::args::LogsOptions;
use crate::describe::clean;
use crate::failure::Failure;

/// How often to look for more lines.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) fn run(log: &Path, options: &LogsOptions) -> anyhow::Result<()> {
    let mut file = match File::open(log) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = "there is no log yet. `pi-brain daemon start` starts a daemon";
            return Err(Failure::NotFound(text.to_owned()).into());
        }
        Err(error) => return Err(error.into()),
    };
    let mut text = read(&mut file)?;
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(options.lines)..] {
        say!("{}", clean(line))?;
    }
    if !options.follow {
        return Ok(());
    }
    loop {
        text = read(&mut file)?;
        for line in text.lines() {
            say!("{}", clean(line))?;
        }
        if text.is_empty() {
            // When it is full, a new one is begun by the same name.
            let number = file.metadata()?.ino();
            match fs::metadata(log) {
                Ok(log_now) if log_now.ino() != number => file = File::open(log)?,
                _ => thread::sleep(PAUSE),
            }
        }
    }
}

/// Returns what a log has from a byte on; nothing if it cannot be read.
pub(super) fn since(log: &Path, start: u64) -> String {
    let read = || {
        let mut file = File::open(log)?;
        file.seek(SeekFrom::Start(start))?;
        read(&mut file)
    };
    read().unwrap_or_default()
}

fn read(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
