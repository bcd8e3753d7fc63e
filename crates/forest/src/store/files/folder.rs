//! The folder of a forest: where things are in it, who may read them, and who may write.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{ForestError, Result};
use crate::ids::{NodeId, RootId};

/// A folder that only its owner can look into.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn nodes(&self, root: RootId) -> PathBuf {
        self.0.join(root.to_string()).join("nodes")
    }

    pub(super) fn node(&self, id: NodeId) -> PathBuf {
        self.nodes(id.root).join(format!("node-{}.json", id.number))
    }

    /// Makes the folder, if it is not there.
    pub(super) fn create(&self) -> Result<()> {
        create_folder(&self.0).map_err(|source| ForestError::Write { path: self.0.clone(), source })
    }

    /// Makes this process the only writer. The system takes the lock back when the process ends, however it ends.
    pub(super) fn lock(&self) -> Result<Lock> {
        let path = self.file("lock");
        let fail = |source| ForestError::Write { path: path.clone(), source };
        let mut options = private();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(source)) => return Err(fail(source)),
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file).unwrap_or_else(|| "another process".to_owned());
                return Err(ForestError::Locked { folder: self.0.clone(), holder });
            }
        }
        // The number only helps those who find the lock taken; a full disk is no reason to fail.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Lock(file))
    }

    /// Puts a file into place in one step: readers see the old bytes or the new ones.
    pub(super) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.put(path, bytes, |_| Ok(()))
    }

    /// Puts a file into place in one step, and sees to it that a power cut does not undo it.
    pub(super) fn replace_durably(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let fail = |source| ForestError::Write { path: path.to_owned(), source };
        self.put(path, bytes, File::sync_all)?;
        self.sync().map_err(fail)
    }

    /// Makes new and renamed files of the folder last.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(&self.0)?.sync_all()
    }

    fn put(
        &self,
        path: &Path,
        bytes: &[u8],
        before_rename: impl Fn(&File) -> io::Result<()>,
    ) -> Result<()> {
        // There is one writer, so one name is enough, and a crash leaves at most one such file behind.
        let temporary = self.file("unfinished.tmp");
        let put = || {
            let mut file = private().write(true).create(true).truncate(true).open(&temporary)?;
            file.write_all(bytes)?;
            before_rename(&file)?;
            match fs::rename(&temporary, path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    path.parent().map_or(Ok(()), create_folder)?;
                    fs::rename(&temporary, path)
                }
                renamed => renamed,
            }
        };
        put().map_err(|source| {
            let _ = fs::remove_file(&temporary);
            ForestError::Write { path: path.to_owned(), source }
        })
    }
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is just being started shares it for a moment.
        let _ = self.0.unlock();
    }
}

fn holder(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let process: u32 = text.trim().parse().ok()?;
    Some(format!("process {process}"))
}

fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Options for files that only their owner can read.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Reads a file; `None` if it is not there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(source) => Err(ForestError::Read { path: path.to_owned(), source }),
    }
}

/// Returns whether a file is not there; it cannot be where something else stands in place of its folder.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn corrupt(path: &Path, why: impl Into<String>) -> ForestError {
    ForestError::Corrupt { path: path.to_owned(), why: why.into() }
}
