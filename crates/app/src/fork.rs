//! A new session from a part of an old one, which stays as it is.

use std::path::{Path, PathBuf};

use pi_brain_session::{Mint, Role, Session, SessionError, SessionWriter, Tree, text_of};

use crate::own_writes::remember_own_write;

/// From where, and how.
#[derive(Clone, Copy, Debug)]
pub struct Forking<'a> {
    /// The entry, by its position in the file.
    pub entry: usize,
    /// Whether a person's message stays in the new session. Without that it ends before: who starts again at their own
    /// words wants to say something else in their place.
    pub is_clone: bool,
    /// The working directory for a header that names none.
    pub fallback_cwd: &'a str,
    /// Where we remember what we wrote ourselves.
    pub data_folder: Option<&'a Path>,
}

/// A session that was forked off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// Its file.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Its working directory.
    pub cwd: Option<String>,
    /// How many entries it begins with.
    pub entry_count: usize,
    /// What the person said that it ends before, as pi would put it back into its editor.
    pub text: Option<String>,
}

/// Writes the way to an entry into a new file. `tree` is the session's as pi reads it.
pub fn fork(
    session: Session,
    tree: &Tree,
    forking: &Forking<'_>,
    mint: impl Mint,
) -> Result<Forked, SessionError> {
    let Forking { entry, is_clone, fallback_cwd, data_folder } = *forking;
    let is_user = session.log().entries()[entry].role() == Some(&Role::User);
    let says_again = is_user && !is_clone;
    let text = says_again.then(|| said(&session, entry)).transpose()?;
    let end = if says_again { tree.parent(entry) } else { Some(entry) };
    // A damaged entry without id cannot end a path; what came before it can.
    let end = std::iter::successors(end, |&at| tree.parent(at))
        .find_map(|at| session.log().entries()[at].id.clone());
    let mut writer = SessionWriter::from_session(session, fallback_cwd, mint)?;
    match end {
        Some(end) => writer.create_branched_session(&end)?,
        None => writer.new_session(None, true)?,
    }
    // pi would wait for the first message; somebody who asked for a file wants to see one.
    writer.write_now()?;
    let path = writer.path().map(Path::to_owned).unwrap_or_default();
    let new = writer.session();
    if let Some(data_folder) = data_folder {
        // What is forgotten costs a wait, or a force; the session itself is written.
        let _ = remember_own_write(data_folder, &path, new.log().end());
    }
    Ok(Forked {
        id: new.header().id.clone(),
        cwd: new.header().cwd.clone(),
        entry_count: new.log().entries().len(),
        path,
        text,
    })
}

/// Returns what a person said, as pi would put it back into its editor.
pub fn said(session: &Session, at: usize) -> Result<String, SessionError> {
    let failed = |source| SessionError::Read {
        path: session.path().map(Path::to_owned).unwrap_or_default(),
        source,
    };
    let content = session.content_raw(at).map_err(failed)?;
    Ok(content.map(|content| text_of(content.raw(), "")).unwrap_or_default())
}
