//! Where session files lie, and what they are called.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;

use crate::json::Scanner;
use crate::lines::LineReader;
use crate::log::{BYTE_ORDER_MARK, Header};
use crate::time::Millis;

/// The places where pi keeps sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionFolder {
    /// One folder for each working directory, as under `~/.pi/agent/sessions`.
    ByProject(PathBuf),
    /// All files in one folder, as with `--session-dir`.
    Flat(PathBuf),
}

impl SessionFolder {
    /// Returns the folder itself.
    pub fn path(&self) -> &Path {
        match self {
            Self::ByProject(path) | Self::Flat(path) => path,
        }
    }

    /// Returns the folder for new sessions of a working directory.
    pub fn for_cwd(&self, cwd: &str) -> PathBuf {
        match self {
            Self::ByProject(path) => path.join(encode_cwd(cwd)),
            Self::Flat(path) => path.clone(),
        }
    }

    /// Returns the folders inside it that may hold sessions.
    ///
    /// A flat folder may also hold pi's folders by project: somebody may have named the whole tree.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        list(self.path()).filter(|path| path.is_dir()).filter(|path| match self {
            Self::ByProject(_) => true,
            Self::Flat(_) => is_encoded_cwd(path),
        })
    }

    /// Returns all session files, sorted by path. Folders that cannot be read are left out, as in pi.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            self.folders().flat_map(|folder| session_files(&folder)).collect();
        if let Self::Flat(path) = self {
            files.extend(session_files(path));
        }
        // As names, for paths are compared piece by piece, which takes ten times as long.
        files.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        files
    }
}

fn list(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn session_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let path = entry.path();
        let is_session = path.extension().is_some_and(|ending| ending == "jsonl");
        // The folder itself knows which of its entries are files; only links have to be followed.
        let is_file = || match entry.file_type() {
            Ok(kind) if kind.is_file() => true,
            _ => path.is_file(),
        };
        (is_session && is_file()).then_some(path)
    });
    files.collect()
}

/// Turns a working directory into the name of its folder. Several directories can share one.
pub fn encode_cwd(cwd: &str) -> String {
    let path = cwd.strip_prefix(['/', '\\']).unwrap_or(cwd);
    format!("--{}--", path.replace(['/', '\\', ':'], "-"))
}

fn is_encoded_cwd(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.len() >= 4 && name.starts_with("--") && name.ends_with("--")
}

/// Makes the name of a new session file.
pub fn session_file_name(created: Millis, id: &str) -> String {
    format!("{}_{id}.jsonl", created.to_string().replace([':', '.'], "-"))
}

/// Returns the session id that a file's name speaks of; the header has the last word.
pub fn id_in_file_name(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.split_once('_').map(|(_, id)| id)
}

/// Returns whether pi would take this as a session id.
pub(crate) fn is_valid_session_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    let bytes = id.as_bytes();
    bytes.iter().all(|&byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
        && bytes.first().copied().is_some_and(plain)
        && bytes.last().copied().is_some_and(plain)
}

/// Reads only the header of a file; `None` if it is no session or cannot be read.
pub fn read_header(path: &Path) -> Option<Header> {
    // Nobody has a header this large; a file that has none must not be read to its end.
    const FURTHEST: u64 = 1024 * 1024;
    let mut lines = LineReader::new(File::open(path).ok()?.take(FURTHEST), 0);
    while let Some(line) = lines.next().ok()? {
        let bytes = line.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line.bytes);
        let mut scanner = Scanner::new(bytes);
        let values = std::iter::from_fn(|| scanner.value());
        if let Some(header) = values.take_while(|value| value.is_object()).find_map(Header::parse) {
            return Some(header);
        }
    }
    None
}

/// Reads the headers of many files, on all cores; files without one are left out.
pub fn read_headers(files: &[PathBuf]) -> Vec<(&Path, Header)> {
    files.par_iter().filter_map(|path| Some((path.as_path(), read_header(path)?))).collect()
}

/// Finds the file that was written last, of those with a good header (and this working directory).
pub fn find_most_recent(folder: &Path, cwd: Option<&str>) -> Option<PathBuf> {
    newest(session_files(folder)).find(|path| {
        read_header(path).is_some_and(|header| cwd.is_none() || header.cwd.as_deref() == cwd)
    })
}

/// Sorts files by the time they were written, newest first.
pub fn newest(files: Vec<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let written = |path: &PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified());
    let mut dated: Vec<(SystemTime, PathBuf)> =
        files.into_iter().filter_map(|path| Some((written(&path).ok()?, path))).collect();
    dated.sort_by(|(one, _), (other, _)| other.cmp(one));
    dated.into_iter().map(|(_, path)| path)
}
