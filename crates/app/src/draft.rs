//! Sessions that an entry is about to be appended to, and nobody's work disturbed.

use std::path::{Path, PathBuf};

use pi_brain_session::{
    CURRENT_VERSION, Millis, Mint, Session, SessionError, SessionWriter, Tree, View,
};

use crate::own_writes::{check_quiet, remember_own_write};

/// A session that one entry will be appended to.
pub struct Draft<M> {
    /// What appends it.
    pub writer: SessionWriter<M>,
    data_folder: Option<PathBuf>,
    was_quiet: bool,
    entries: usize,
}

/// A file to write to, and how.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// The file.
    pub path: &'a Path,
    /// Where we remember what we wrote ourselves.
    pub data_folder: Option<&'a Path>,
    /// Whether it is written although pi may have it open.
    pub force: bool,
    /// The working directory for a header that names none.
    pub fallback_cwd: &'a str,
}

impl<M: Mint> Draft<M> {
    /// Prepares a session for writing, unless pi may have it open. `read` reads the file.
    pub fn begin<E: From<SessionError>>(
        writing: &Writing<'_>,
        now: Millis,
        mint: M,
        read: impl FnOnce(&Path) -> Result<(Session, Tree), E>,
    ) -> Result<(Self, Tree), E> {
        let Writing { path, data_folder, force, fallback_cwd } = *writing;
        let was_quiet = check_quiet(data_folder, path, force, now)?;
        let (session, tree) = read(path)?;
        let version = session.header().version;
        if version < CURRENT_VERSION {
            // Said before anybody waits for a summary that could not be written.
            return Err(SessionError::OldVersion { path: path.to_owned(), version }.into());
        }
        let entries = session.log().entries().len();
        let writer = SessionWriter::from_session(session, fallback_cwd, mint)?;
        let data_folder = data_folder.map(Path::to_owned);
        Ok((Self { writer, data_folder, was_quiet, entries }, tree))
    }

    /// Opens a session for writing, unless pi may have it open.
    pub fn open(writing: &Writing<'_>, now: Millis, mint: M) -> Result<(Self, Tree), SessionError> {
        Self::begin(writing, now, mint, |path| {
            let session = Session::open(path)?;
            let tree = session.tree(View::AsPi);
            Ok((session, tree))
        })
    }

    /// Returns the session as it is now.
    pub fn session(&self) -> &Session {
        self.writer.session()
    }

    /// Remembers that the new entry is ours, unless somebody else may be writing too.
    pub fn remember(&self) {
        let log = self.session().log();
        let only_ours = log.entries().len() == self.entries + 1;
        let path = self.writer.path().filter(|_| self.was_quiet && only_ours);
        if let (Some(path), Some(data_folder)) = (path, &self.data_folder) {
            // What is forgotten costs a wait, or a force; the session itself is written.
            let _ = remember_own_write(data_folder, path, log.end());
        }
    }
}
