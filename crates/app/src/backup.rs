//! Copies of what cannot be derived again.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use pi_brain_store::DataFolder;
use serde::Serialize;

use crate::app::App;
use crate::error::{AppError, Result};

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// How many files.
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
    /// Whether the database is among them.
    pub database: bool,
}

impl App {
    /// Copies settings, journal, node files and editable trees into a folder that is new or empty.
    ///
    /// With `all`, the database is copied, too; the text index never is. Nobody writes meanwhile.
    pub fn back_up(&self, to: &Path, all: bool) -> Result<Backup> {
        let failed = |source| AppError::Write { path: to.to_owned(), source };
        let data = self.folder.path();
        let to = &std::path::absolute(to).map_err(failed)?;
        // A copy of what the copy is in would never end.
        if to.starts_with(data) || to.starts_with(data.canonicalize().map_err(failed)?) {
            return Err(AppError::BackupInside { folder: to.clone() });
        }
        make_folder(to).map_err(failed)?;
        if fs::read_dir(to).map_err(failed)?.next().is_some() {
            return Err(AppError::NotEmpty { folder: to.clone() });
        }
        let _lock = self.folder.lock("backup")?;
        let mut backup = Backup::default();
        let copies = DataFolder::at(to);
        for (from, to) in self.folder.truth().iter().zip(copies.truth()) {
            copy(from, &to, &mut backup)?;
        }
        if all {
            let database = copies.database();
            self.store.copy_database(&database.to_string_lossy())?;
            let failed = |source| AppError::Write { path: database.clone(), source };
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(&database, permissions).map_err(failed)?;
            backup.files += 1;
            backup.bytes += fs::metadata(&database).map_err(failed)?.len();
            backup.database = true;
        }
        Ok(backup)
    }
}

/// Copies a file, or a folder with all that is in it. What is not there is not copied, and no link is followed.
fn copy(from: &Path, to: &Path, backup: &mut Backup) -> Result<()> {
    let mut open: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = open.pop() {
        let unreadable = |source| AppError::Read { path: from.clone(), source };
        let unwritable = |source| AppError::Write { path: to.clone(), source };
        let kind = match fs::symlink_metadata(&from) {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(unreadable(source)),
        };
        if kind.is_dir() {
            make_folder(&to).map_err(unwritable)?;
            for entry in fs::read_dir(&from).map_err(unreadable)? {
                let name = entry.map_err(unreadable)?.file_name();
                open.push((from.join(&name), to.join(&name)));
            }
        } else if kind.is_file() {
            let mut source = fs::File::open(&from).map_err(unreadable)?;
            let mut options = OpenOptions::new();
            let mut copy =
                options.write(true).create_new(true).mode(0o600).open(&to).map_err(unwritable)?;
            backup.bytes += io::copy(&mut source, &mut copy).map_err(unwritable)?;
            backup.files += 1;
        }
    }
    Ok(())
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
