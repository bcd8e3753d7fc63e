//! What a daemon leaves in the data folder: who it is, and where it can be asked.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use pi_brain_session::Millis;
use serde::{Deserialize, Serialize};

use crate::error::{DaemonError, Result};

/// Where a daemon can be asked, and with which token. Only its owner can read it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Announcement {
    /// The process.
    pub pid: u32,
    /// Where it listens.
    pub address: SocketAddr,
    /// What those have to know who want it to do something.
    pub token: String,
    /// When it was started.
    pub since: Millis,
    /// The version of the program.
    pub version: String,
}

impl Announcement {
    /// Reads what the last daemon of a data folder has written; `None` if there is nothing, or nothing usable.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(announcement_file(folder)).ok()?).ok()
    }

    /// Puts it into place in one step: readers see all of it or nothing.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let path = announcement_file(folder);
        let temporary = folder.join("daemon.json.tmp");
        let write = || {
            let mut options = OpenOptions::new();
            let mut file =
                options.mode(0o600).write(true).create(true).truncate(true).open(&temporary)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            fs::rename(&temporary, &path)
        };
        write().map_err(|source| DaemonError::File { path: path.clone(), source })
    }

    /// Takes it away. One that is left behind does no harm: nobody answers there.
    pub(crate) fn remove(folder: &Path) {
        let _ = fs::remove_file(announcement_file(folder));
    }
}

fn announcement_file(folder: &Path) -> PathBuf {
    folder.join("daemon.json")
}

/// Returns the log of a daemon.
pub fn log_file(folder: &Path) -> PathBuf {
    folder.join("logs/daemon.log")
}

/// The right to be the daemon of a data folder, until it is dropped.
///
/// The system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub struct Instance(File);

impl Instance {
    /// Makes this process the daemon of a data folder, or says which one is.
    pub fn claim(folder: &Path) -> Result<Self> {
        const TRIES: usize = 25;
        const PAUSE: Duration = Duration::from_millis(20);
        let path = lock_file(folder);
        let failed = |source| DaemonError::File { path: path.clone(), source };
        create_folder(folder).map_err(failed)?;
        let mut options = OpenOptions::new();
        let options = options.mode(0o600).read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        let mut tries = 0;
        while let Err(refused) = file.try_lock() {
            if let TryLockError::Error(source) = refused {
                return Err(failed(source));
            }
            tries += 1;
            // Who asks whether a daemon runs holds the lock for a moment, too, and has written no number.
            match read_pid(&mut file).filter(|&pid| is_alive(pid)) {
                None if tries < TRIES => thread::sleep(PAUSE),
                pid => {
                    let pid = pid.unwrap_or_default();
                    return Err(DaemonError::Running { folder: folder.to_owned(), pid });
                }
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(failed)?;
        Ok(Self(file))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is just being started shares it for a moment.
        let _ = self.0.set_len(0).and_then(|()| self.0.unlock());
    }
}

/// Returns the process that is the daemon of a data folder, whether it answers or not.
///
/// Only who holds the lock has written its number, so this is never another process that got the same number later.
pub fn running(folder: &Path) -> Option<u32> {
    let mut file = File::open(lock_file(folder)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read_pid(&mut file),
        _ => None,
    }
}

fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn lock_file(folder: &Path) -> PathBuf {
    folder.join("daemon.lock")
}

pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests;
