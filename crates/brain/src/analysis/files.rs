//! Which files were read and changed.

use std::collections::{BTreeMap, BTreeSet};

use super::heard::Call;

/// Collects files, with how often each was touched.
#[derive(Debug, Default)]
pub(super) struct Files {
    project: String,
    pub(super) read: BTreeMap<String, u64>,
    pub(super) modified: BTreeMap<String, u64>,
    /// Those that were written whole before anybody had read them.
    pub(super) created: BTreeSet<String>,
}

impl Files {
    pub(super) fn new(project: &str) -> Self {
        Self { project: project.to_owned(), ..Self::default() }
    }

    /// Writes the path of a call as it is listed, so that all ways to name a file are one.
    pub(super) fn locate(&self, mut call: Call) -> Call {
        call.path = call.path.map(|path| relative(&self.project, &path));
        call
    }

    /// Takes in a call that worked.
    pub(super) fn touch(&mut self, call: &Call) {
        let Some(path) = &call.path else { return };
        if call.reads() {
            *self.read.entry(path.clone()).or_default() += 1;
        } else if call.modifies() {
            let is_new = !self.read.contains_key(path) && !self.modified.contains_key(path);
            if call.tool == "write" && is_new {
                self.created.insert(path.clone());
            }
            *self.modified.entry(path.clone()).or_default() += 1;
        }
    }

    /// Returns all files, each once, in alphabetical order.
    pub(super) fn touched(&self) -> Vec<String> {
        let mut files: Vec<String> =
            self.read.keys().chain(self.modified.keys()).cloned().collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Iterates over all files with their weight: a change counts twice.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (&str, u64)> {
        let read = self.read.iter().map(|(path, count)| (&**path, *count));
        read.chain(self.modified.iter().map(|(path, count)| (&**path, 2 * count)))
    }
}

/// Writes a path from the project's folder if it lies there, else from the root. What begins with `~` stays.
pub(super) fn relative(project: &str, path: &str) -> String {
    if path.starts_with('~') {
        return path.to_owned();
    }
    let project_parts = resolve(project.split('/'), project.starts_with('/'));
    let is_absolute = path.starts_with('/');
    let is_rooted = is_absolute || project.starts_with('/');
    let start = if is_absolute { "" } else { project };
    let parts = resolve(start.split('/').chain(path.split('/')), is_rooted);
    match parts.strip_prefix(&project_parts[..]) {
        Some([]) => ".".to_owned(),
        Some(inside) if is_rooted == project.starts_with('/') => inside.join("/"),
        _ if is_rooted => format!("/{}", parts.join("/")),
        _ => parts.join("/"),
    }
}

/// Takes `.` and `..` out of a path; above the root there is nothing.
fn resolve<'a>(parts: impl Iterator<Item = &'a str>, is_rooted: bool) -> Vec<&'a str> {
    let mut resolved = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." if resolved.last().is_some_and(|last| *last != "..") => {
                resolved.pop();
            }
            ".." if is_rooted => {}
            part => resolved.push(part),
        }
    }
    resolved
}
