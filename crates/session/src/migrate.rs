//! Old files brought to today's version: in memory always, on disk only when somebody asks for it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::entry::{Body, Parent};
use crate::error::SessionError;
use crate::json::{Raw, quote};
use crate::log::{CURRENT_VERSION, Log};
use crate::session::{Session, changed};

/// What a migration did.
#[derive(Debug, PartialEq, Eq)]
pub enum Migration {
    /// The file was of today's version, or a later one; nothing was done.
    NotNeeded,
    /// The file was rewritten; the original lies beside it.
    Done {
        /// The version it had.
        from: u32,
        /// Where the original is now.
        original: PathBuf,
    },
}

/// Rewrites an old session file in today's version, and keeps the original beside it.
///
/// At every moment either the old or the new file stands under the old name, whole.
pub fn migrate_file(path: &Path) -> Result<Migration, SessionError> {
    let session = Session::open(path)?;
    let from = session.header().version;
    if from >= CURRENT_VERSION {
        return Ok(Migration::NotNeeded);
    }
    let read_error = |source| SessionError::Read { path: path.to_owned(), source };
    let write_error = |source| SessionError::Write { path: path.to_owned(), source };
    // A link stays a link: what it points to is rewritten.
    let path = &fs::canonicalize(path).map_err(read_error)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(write_error)?;
    write_current(&session, &mut io::BufWriter::new(&mut file)).map_err(write_error)?;
    let metadata = fs::metadata(path).map_err(read_error)?;
    if metadata.len() != session.log().end() {
        return Err(SessionError::ChangedMeanwhile(path.clone()));
    }
    file.as_file().set_permissions(metadata.permissions()).map_err(write_error)?;
    file.as_file().sync_all().map_err(write_error)?;
    let original = keep_original(path, from).map_err(write_error)?;
    file.persist(path).map_err(|error| {
        let _ = fs::remove_file(&original);
        write_error(error.error)
    })?;
    Ok(Migration::Done { from, original })
}

/// Gives the file a second name, which no session reader looks at.
fn keep_original(path: &Path, version: u32) -> io::Result<PathBuf> {
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".v{version}{suffix}.bak"));
        let backup = path.with_file_name(name);
        match fs::hard_link(path, &backup) {
            Ok(()) => return Ok(backup),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Some file systems have no hard links.
            Err(_) => return fs::copy(path, &backup).map(|_| backup),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn write_current(session: &Session, out: &mut impl Write) -> io::Result<()> {
    let header = Raw::parse(session.header().raw.as_bytes()).ok_or_else(changed)?;
    writeln!(out, "{}", header.with_members(&[("version", Some(&CURRENT_VERSION.to_string()))]))?;
    for at in 0..session.log().entries().len() {
        writeln!(out, "{}", current_json(session, at)?)?;
    }
    out.flush()
}

/// Returns an entry's JSON as it would stand in a file of today's version.
pub(crate) fn current_json(session: &Session, at: usize) -> io::Result<String> {
    let text = session.entry_raw(at)?;
    if session.header().version >= CURRENT_VERSION {
        return Ok(text.into_json());
    }
    Ok(current_form(session.log(), at, text.raw()))
}

/// Brings the JSON of entry `at` to the form that it would have in a file of today's version.
pub fn current_form(log: &Log, at: usize, raw: Raw<'_>) -> String {
    let version = log.header().version;
    if version >= CURRENT_VERSION {
        return raw.text().into_owned();
    }
    let entry = &log.entries()[at];
    let mut changes: Vec<(&str, Option<String>)> = Vec::new();
    if version < 2 {
        changes.push(("id", entry.id.as_ref().map(|id| quote(id.as_str()))));
        changes.push((
            "parentId",
            Some(match &entry.parent {
                Parent::Id(id) => quote(id.as_str()),
                _ => "null".to_owned(),
            }),
        ));
        if let Body::Compaction { first_kept, .. } = &entry.body
            && raw.get("firstKeptEntryIndex").is_some()
        {
            changes.push(("firstKeptEntryIndex", None));
            changes.push(("firstKeptEntryId", first_kept.as_ref().map(|id| quote(id.as_str()))));
        }
    }
    if let Some(message) = raw.get("message")
        && message.get_str("role").as_deref() == Some("hookMessage")
    {
        changes.push(("message", Some(message.with_members(&[("role", Some("\"custom\""))]))));
    }
    let changes: Vec<_> = changes.iter().map(|(key, value)| (*key, value.as_deref())).collect();
    raw.with_members(&changes)
}
