//! Which session was forked from which, and where they part.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::entry::{Body, Entry};
use crate::folders::{id_in_file_name, read_headers};
use crate::log::Header;
use crate::session::Session;

/// The forks between sessions.
#[derive(Clone, Debug, Default)]
pub struct Lineage {
    parents: HashMap<PathBuf, PathBuf>,
}

impl Lineage {
    /// Reads the headers of all files and finds the parent of each: by its path, or by its id where the
    /// folder has moved.
    pub fn read(files: &[PathBuf]) -> Self {
        let headers = read_headers(files);
        let known: HashSet<&Path> = headers.iter().map(|(path, _)| *path).collect();
        let mut by_id: HashMap<&str, Option<&Path>> = HashMap::new();
        for (path, header) in &headers {
            // Two files of one id: nobody can say which of them was meant.
            by_id.entry(&header.id).and_modify(|other| *other = None).or_insert(Some(path));
        }
        let parent = |(path, header): &(&Path, Header)| {
            let named = Path::new(header.parent_session.as_ref()?);
            let moved = || id_in_file_name(named).and_then(|id| *by_id.get(id)?);
            let parent = known.get(named).copied().or_else(moved)?;
            (parent != *path).then(|| (path.to_path_buf(), parent.to_owned()))
        };
        Self { parents: headers.iter().filter_map(parent).collect() }
    }

    /// Returns the file that a session was forked from, if it is still there.
    pub fn parent(&self, path: &Path) -> Option<&Path> {
        self.parents.get(path).map(PathBuf::as_path)
    }

    /// Returns the files that were forked from a session, by path.
    pub fn children(&self, path: &Path) -> Vec<&Path> {
        let forked = self.parents.iter().filter(|(_, parent)| *parent == path);
        let mut children: Vec<&Path> = forked.map(|(child, _)| child.as_path()).collect();
        children.sort();
        children
    }
}

/// Returns the last entry, by position in `fork`, that a fork shares with the session it came from.
///
/// Shared means the same event: the same id, time and kind. Labels do not count: a fork writes them anew.
/// Version 1 files have no ids; there position takes their place.
pub fn fork_point(original: &Session, fork: &Session) -> Option<usize> {
    let (original_entries, fork_entries) = (original.log().entries(), fork.log().entries());
    if original.header().version < 2 || fork.header().version < 2 {
        let same = |(one, other): &(&Entry, &Entry)| {
            one.timestamp == other.timestamp && one.kind() == other.kind()
        };
        return original_entries.iter().zip(fork_entries).take_while(same).count().checked_sub(1);
    }
    let event = |entry: &Entry| {
        let is_label = matches!(entry.body, Body::Label { .. });
        (!is_label).then(|| (entry.id.clone(), entry.timestamp, entry.kind().to_owned()))
    };
    let known: HashSet<_> = original_entries.iter().filter_map(event).collect();
    fork_entries.iter().rposition(|entry| event(entry).is_some_and(|event| known.contains(&event)))
}
