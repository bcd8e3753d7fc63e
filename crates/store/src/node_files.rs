//! Node files: every version of every node, as JSON that people can read. They are truth, not derived.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pi_brain_brain::{BrainError, Node, NodeId};
use pi_brain_session::Millis;

use crate::error::{Result, StoreError};
use crate::folder::{create_folder, put_file};

/// The versions of nodes, oldest first.
type Versions = BTreeMap<NodeId, Vec<Node>>;

/// The folder of the node files.
#[derive(Debug)]
pub(crate) struct NodeFiles {
    folder: PathBuf,
    /// Folders that are known to be there.
    made: Mutex<HashSet<PathBuf>>,
}

impl NodeFiles {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, made: Mutex::default() }
    }

    /// Returns the path of a version within the folder: by year and month of the segment's start.
    pub(crate) fn relative_path(started: Millis, id: NodeId, version: u32) -> String {
        let month = started.to_timestamp().strftime("%Y/%m");
        format!("{month}/{id}-v{version}.json")
    }

    /// Writes a version; with `durable`, it is on disk when this returns.
    pub(crate) fn write(&self, node: &Node, durable: bool) -> Result<String> {
        let relative = Self::relative_path(node.metadata.timestamp, node.id, node.version);
        let path = self.folder.join(&relative);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = path.parent()
            && !made.contains(folder)
        {
            create_folder(folder)?;
            made.insert(folder.to_owned());
        }
        drop(made);
        put_file(&path, node.to_json().as_bytes(), durable)?;
        Ok(relative)
    }

    pub(crate) fn read(&self, relative: &str) -> Result<Node> {
        read_file(&self.folder.join(relative))
    }

    /// Waits until everything that was written is on disk.
    pub(crate) fn sync(&self) -> Result<()> {
        match File::open(&self.folder) {
            Ok(folder) => sync_all(&folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(|source| StoreError::Write { path: self.folder.clone(), source })
    }

    /// Reads the versions of a node that are there, oldest first.
    pub(crate) fn versions(&self, started: Millis, id: NodeId) -> Result<Vec<Node>> {
        let mut versions = Vec::new();
        for version in 1.. {
            let path = self.folder.join(Self::relative_path(started, id, version));
            match read_file(&path) {
                Ok(node) => versions.push(node),
                // Not there, or torn by a power cut; a newer program's is not ours to replace.
                Err(StoreError::Read { .. } | StoreError::Damaged { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(versions)
    }

    /// Returns whether a version has a file.
    pub(crate) fn has(&self, relative: &str) -> bool {
        self.folder.join(relative).exists()
    }

    /// Deletes the file of a version; it is no error if there is none.
    pub(crate) fn delete(&self, relative: &str) -> Result<()> {
        let path = self.folder.join(relative);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Write { path, source })
            }
            _ => Ok(()),
        }
    }

    /// Reads every version that has a file where it belongs, each with its path within the folder.
    pub(crate) fn list(&self) -> Result<Vec<(String, Node)>> {
        let (nodes, _) = self.scan()?;
        let path =
            |node: &Node| Self::relative_path(node.metadata.timestamp, node.id, node.version);
        Ok(nodes.into_values().flatten().map(|node| (path(&node), node)).collect())
    }

    /// Reads every version of every node, each with its path; and the files that are none.
    pub(crate) fn scan(&self) -> Result<(Versions, Vec<StoreError>)> {
        let mut nodes = Versions::new();
        let mut problems = Vec::new();
        let mut open = vec![self.folder.clone()];
        while let Some(folder) = open.pop() {
            let list = match fs::read_dir(&folder) {
                Ok(list) => list,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(StoreError::Read { path: folder, source }),
            };
            for entry in list.flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "json") {
                    match read_file(&path) {
                        Ok(node) => nodes.entry(node.id).or_default().push(node),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
        }
        for versions in nodes.values_mut() {
            versions.sort_by_key(|node| node.version);
        }
        Ok((nodes, problems))
    }
}

/// Waits for a whole file system: files are many, and each by itself would take longer.
#[cfg(target_os = "linux")]
fn sync_all(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

/// Waits for a folder; a system that cannot wait for all files writes them soon enough.
#[cfg(not(target_os = "linux"))]
fn sync_all(folder: &File) -> io::Result<()> {
    folder.sync_all()
}

fn read_file(path: &Path) -> Result<Node> {
    let json =
        fs::read(path).map_err(|source| StoreError::Read { path: path.to_owned(), source })?;
    Node::from_json(&json).map_err(|why| match why {
        BrainError::NodeTooNew { .. } => why.into(),
        why => StoreError::Damaged {
            what: format!("the node file {}", path.display()),
            why: why.to_string(),
        },
    })
}
