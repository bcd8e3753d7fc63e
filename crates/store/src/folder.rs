//! The data folder: where things are in it, who may read them, and who may write.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{Result, StoreError};

/// The folder that holds everything pi-brain keeps. Only its owner can look into it.
#[derive(Clone, Debug)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// Names a folder, which may not be there.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Makes the folder, if it is not there.
    pub fn create(path: &Path) -> Result<Self> {
        create_folder(path)?;
        Ok(Self::at(path))
    }

    /// Returns the folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the settings of the user.
    pub fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// Returns what the user did and what models cost, for ever.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// Returns the database.
    pub fn database(&self) -> PathBuf {
        self.0.join("brain.db")
    }

    /// Returns the folder of the node files.
    pub fn nodes(&self) -> PathBuf {
        self.0.join("nodes")
    }

    /// Returns what cannot be derived again, apart from the session files: settings, journal, nodes, editable trees.
    pub fn truth(&self) -> [PathBuf; 4] {
        [self.config(), self.journal(), self.nodes(), self.forest()]
    }

    /// Returns the folder of the editable trees.
    pub fn forest(&self) -> PathBuf {
        self.0.join("forest")
    }

    /// Returns when somebody last had the right to write.
    pub fn last_locked(&self) -> Option<SystemTime> {
        fs::metadata(self.lock_file()).ok()?.modified().ok()
    }

    fn lock_file(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Returns the folder of the text index.
    pub fn index(&self) -> PathBuf {
        self.0.join("index")
    }

    /// Makes this process the only writer, or says who is. `work` is what the others will be told.
    ///
    /// The system takes the lock back when the process ends, however it ends.
    pub fn lock(&self, work: &str) -> Result<WriterLock> {
        let path = self.lock_file();
        let failed = |source| StoreError::Write { path: path.clone(), source };
        let mut options = private();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "another process".to_owned(),
                    holder => holder.to_owned(),
                };
                return Err(StoreError::Locked { folder: self.0.clone(), holder });
            }
        }
        // The text only helps those who find the lock taken; a full disk is no reason to fail.
        let holder = format!("pi-brain {work} (process {})", std::process::id());
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{holder}"));
        Ok(WriterLock(file))
    }

    /// Throws the database and the text index away. Both can be made anew.
    pub fn remove_derived(&self, _lock: &WriterLock) -> Result<()> {
        let database = self.database();
        for ending in ["", "-wal", "-shm"] {
            let mut path = database.clone().into_os_string();
            path.push(ending);
            gone(Path::new(&path), fs::remove_file(&path))?;
        }
        let index = self.index();
        gone(&index, fs::remove_dir_all(&index))
    }
}

/// The right to write to a data folder, until it is dropped.
#[derive(Debug)]
pub struct WriterLock(File);

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is just being started shares it for a moment.
        let _ = self.0.unlock();
    }
}

/// Takes it for a success that what was to be removed is not there.
fn gone(path: &Path, removed: io::Result<()>) -> Result<()> {
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

pub(crate) fn create_folder(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StoreError::Write { path: path.to_owned(), source })
}

/// Options for files that only their owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Writes a file that only its owner can read, in a folder that only its owner can look into.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let write = || private().write(true).create(true).truncate(true).open(path)?.write_all(bytes);
    write().map_err(|source| StoreError::Write { path: path.to_owned(), source })
}

/// Puts a file into place in one step: readers see the old bytes or the new ones.
///
/// With `durable`, a power cut does not undo it.
pub fn put_file(path: &Path, bytes: &[u8], durable: bool) -> Result<()> {
    // There is one writer, so one name is enough, and a crash leaves at most one such file behind.
    let temporary = path.with_file_name("unfinished.tmp");
    let put = || {
        let mut file = private().write(true).create(true).truncate(true).open(&temporary)?;
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        fs::rename(&temporary, path)?;
        match path.parent().filter(|_| durable) {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    };
    put().map_err(|source| {
        let _ = fs::remove_file(&temporary);
        StoreError::Write { path: path.to_owned(), source }
    })
}
