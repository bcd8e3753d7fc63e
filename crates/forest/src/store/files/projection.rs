//! The files for people and other programs: a projection of the log, which can always be written anew.
//!
//! A file is written right after the commit that changes it, unless it is long: such a one waits for more changes,
//! so that the ten-thousandth child of a message costs no more than the first. `projection.json` says up to which
//! commit all files are true; after a crash the rest is written again.
//!
//! Only trees made by hand have files for their messages. Messages of pi sessions never change and are in
//! `lines.pack` already; as files they would take several times the room of the sessions themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder::{Folder, corrupt, is_missing, read};
use super::shape;
use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::store::{Change, MemoryStore, Store};

/// A file of the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    /// `roots.json`.
    Roots,
    /// `bookmarks.json`.
    Bookmarks,
    /// The file of a message.
    Node(NodeId),
}

/// A file for people that does not say what the forest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub what: String,
}

/// Lists the files that changes concern, given what was there before them.
pub(super) fn touched(memory: &MemoryStore, changes: &[Change]) -> Result<BTreeSet<Target>> {
    let mut families: HashMap<RootId, bool> = HashMap::new();
    for change in changes {
        if let Change::Root(root) = change {
            families.insert(root.id, root.family.is_some());
        }
    }
    let mut targets = BTreeSet::new();
    for change in changes {
        match change {
            Change::Root(_) => {
                targets.insert(Target::Roots);
            }
            Change::Bookmark(_) | Change::DropBookmark(_) | Change::Current(_) => {
                targets.insert(Target::Bookmarks);
            }
            Change::Node(node) => {
                targets.insert(Target::Node(node.id));
                let before = memory.node(node.id)?;
                let is_same = before.as_ref().is_some_and(|before| {
                    (before.parent, &before.order, before.is_visible())
                        == (node.parent, &node.order, node.is_visible())
                });
                if !is_same {
                    targets.insert(file_of(node.parent));
                    targets.extend(before.map(|before| file_of(before.parent)));
                }
            }
            Change::Content(id, _) => {
                targets.insert(Target::Node(*id));
            }
            Change::DropNode(id) => {
                targets.insert(Target::Node(*id));
                targets.extend(memory.node(*id)?.map(|node| file_of(node.parent)));
            }
            Change::Session(_) | Change::DropSession(_) => {}
        }
    }
    let mut has_files =
        |root: RootId| !*families.entry(root).or_insert_with(|| is_family(memory, root));
    targets.retain(|target| match target {
        Target::Node(id) => has_files(id.root),
        _ => true,
    });
    Ok(targets)
}

fn file_of(place: Place) -> Target {
    match place {
        Place::Root(_) => Target::Roots,
        Place::Node(node) => Target::Node(node),
    }
}

fn is_family(memory: &MemoryStore, root: RootId) -> bool {
    memory.root(root).ok().flatten().is_some_and(|root| root.family.is_some())
}

/// Writes the files, and remembers which ones are behind.
#[derive(Debug)]
pub(super) struct Projection {
    folder: Folder,
    behind: BTreeMap<Target, Behind>,
    /// The files that are as they should be, as the system showed them then.
    seen: HashMap<Target, Stamp>,
    /// The commit that `projection.json` names.
    marked: u64,
    failure: Option<ForestError>,
}

#[derive(Debug)]
struct Behind {
    /// How often it has changed since it was written.
    changes: u64,
    /// The first commit that it does not know of.
    since: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: u64,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            file: metadata.ino(),
            length: metadata.len(),
            changed: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

#[derive(Deserialize, Serialize)]
struct Mark {
    seq: u64,
}

impl Projection {
    pub(super) fn new(folder: Folder) -> Self {
        Self { folder, behind: BTreeMap::new(), seen: HashMap::new(), marked: 0, failure: None }
    }

    /// Returns the commit up to which all files are true, as far as they say so.
    pub(super) fn read_mark(&mut self) -> u64 {
        let bytes = read(&self.folder.file(MARK)).ok().flatten().unwrap_or_default();
        self.marked = serde_json::from_slice(&bytes).map_or(0, |mark: Mark| mark.seq);
        self.marked
    }

    /// Goes on after a log was read up to commit `seq`. Files that know of later ones belong to another log.
    pub(super) fn resume(&mut self, memory: &MemoryStore, seq: u64) -> Result<()> {
        if self.marked > seq {
            self.marked = 0;
            self.note_all(memory, 1)?;
        }
        Ok(())
    }

    /// Returns why files are behind, if they could not be written.
    pub(super) fn failure(&self) -> Option<&ForestError> {
        self.failure.as_ref()
    }

    /// Returns the same, at the end.
    pub(super) fn into_failure(self) -> Option<ForestError> {
        self.failure
    }

    /// Checks that none of these files holds something that must not be written over.
    pub(super) fn check_all(&mut self, targets: &BTreeSet<Target>) -> Result<()> {
        targets.iter().try_for_each(|target| self.check(*target).map(drop))
    }

    /// Checks that a file is what it should be, or not there; returns whether it is there.
    ///
    /// An empty one, which a power cut may leave, is as good as none: nothing is lost with it.
    pub(super) fn check(&mut self, target: Target) -> Result<bool> {
        let path = self.path(target);
        let stamp = match fs::metadata(&path) {
            Ok(metadata) => Stamp::of(&metadata),
            Err(error) if is_missing(&error) => return Ok(false),
            Err(source) => return Err(ForestError::Read { path, source }),
        };
        if self.seen.get(&target) == Some(&stamp) {
            return Ok(true);
        }
        let Some(bytes) = read(&path)? else { return Ok(false) };
        if is_nothing(&bytes) {
            return Ok(false);
        }
        validate(target, &bytes).map_err(|why| corrupt(&path, why))?;
        self.seen.insert(target, stamp);
        Ok(true)
    }

    /// Notes that files no longer say what the forest says.
    pub(super) fn note(&mut self, targets: impl IntoIterator<Item = Target>, seq: u64) {
        for target in targets {
            let behind = self.behind.entry(target).or_insert(Behind { changes: 0, since: seq });
            behind.changes += 1;
        }
    }

    /// Notes that no file says what the forest says.
    pub(super) fn note_all(&mut self, memory: &MemoryStore, seq: u64) -> Result<()> {
        self.note(expected(memory)?, seq);
        Ok(())
    }

    /// Writes what is due after a commit. What cannot be written stays noted and is tried again.
    pub(super) fn update(&mut self, memory: &MemoryStore, targets: &BTreeSet<Target>, seq: u64) {
        const COMMITS_PER_MARK: u64 = 64;
        self.note(targets.iter().copied(), seq);
        let due = |target: &Target| self.is_due(*target);
        let due: Vec<Target> = match self.failure {
            None => targets.iter().copied().filter(due).collect(),
            Some(_) => self.behind.keys().copied().filter(due).collect(),
        };
        self.write_all(memory, due);
        if seq >= self.marked + COMMITS_PER_MARK {
            self.mark(seq);
        }
    }

    /// A long file is due when it has changed often, so that each change pays for a few kilobytes at most.
    fn is_due(&self, target: Target) -> bool {
        const BYTES_PER_CHANGE: u64 = 16 << 10;
        let length = self.seen.get(&target).map_or(0, |stamp| stamp.length);
        self.behind.get(&target).is_some_and(|behind| behind.changes * BYTES_PER_CHANGE >= length)
    }

    /// Writes everything that is behind, and says so.
    pub(super) fn finish(&mut self, memory: &MemoryStore, seq: u64) {
        let behind = self.behind.keys().copied().collect();
        self.write_all(memory, behind);
        self.mark(seq);
    }

    fn write_all(&mut self, memory: &MemoryStore, targets: Vec<Target>) {
        self.failure = None;
        for target in targets {
            match self.write(memory, target) {
                Ok(()) => {
                    self.behind.remove(&target);
                }
                Err(failure) => {
                    // One damaged file is no reason to leave the others behind; a full disk is.
                    let goes_on = matches!(failure, ForestError::Corrupt { .. });
                    self.failure.get_or_insert(failure);
                    if !goes_on {
                        break;
                    }
                }
            }
        }
    }

    fn write(&mut self, memory: &MemoryStore, target: Target) -> Result<()> {
        let path = self.path(target);
        let is_there = self.check(target)?;
        let Some(bytes) = Self::render(memory, target)? else {
            self.seen.remove(&target);
            let gone = if is_there { fs::remove_file(&path) } else { Ok(()) };
            return gone.map_err(|source| ForestError::Write { path, source });
        };
        self.folder.replace(&path, &bytes)?;
        if let Ok(metadata) = fs::metadata(&path) {
            self.seen.insert(target, Stamp::of(&metadata));
        }
        Ok(())
    }

    fn render(memory: &MemoryStore, target: Target) -> Result<Option<Vec<u8>>> {
        match target {
            Target::Roots => shape::write_roots(memory).map(Some),
            Target::Bookmarks => shape::write_bookmarks(memory).map(Some),
            Target::Node(id) => shape::write_node(memory, id),
        }
    }

    fn mark(&mut self, seq: u64) {
        let first_unknown = self.behind.values().map(|behind| behind.since).min();
        let seq = first_unknown.map_or(seq, |first| first - 1);
        if seq == self.marked {
            return;
        }
        let mark = serde_json::to_vec(&Mark { seq }).expect("a number is JSON");
        match self.folder.replace(&self.folder.file(MARK), &mark) {
            Ok(()) => self.marked = seq,
            Err(failure) => {
                self.failure.get_or_insert(failure);
            }
        }
    }

    /// Compares all files with what they should be.
    pub(super) fn verify(&self, memory: &MemoryStore) -> Result<Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        for target in expected(memory)? {
            if let Some(what) = self.mismatch(memory, target)? {
                mismatches.push(Mismatch { path: self.path(target), what });
            }
        }
        let belongs_nowhere = "belongs to no message of the forest";
        mismatches.extend(
            self.strangers(memory)?
                .into_iter()
                .map(|path| Mismatch { path, what: belongs_nowhere.to_owned() }),
        );
        Ok(mismatches)
    }

    /// Writes all files that are not as they should be. Returns what was moved out of the way.
    pub(super) fn rewrite(&mut self, memory: &MemoryStore, seq: u64) -> Result<Vec<PathBuf>> {
        let mut moved = Vec::new();
        for path in self.strangers(memory)? {
            moved.push(move_aside(&path)?);
        }
        for target in expected(memory)? {
            if self.mismatch(memory, target)?.is_none() {
                continue;
            }
            if matches!(self.check(target), Err(ForestError::Corrupt { .. })) {
                moved.push(move_aside(&self.path(target))?);
            }
            self.write(memory, target)?;
        }
        self.behind.clear();
        self.mark(seq);
        Ok(moved)
    }

    fn mismatch(&self, memory: &MemoryStore, target: Target) -> Result<Option<String>> {
        let expected = Self::render(memory, target)?;
        let found = read(&self.path(target))?;
        if found == expected {
            return Ok(None);
        }
        Ok(Some(match found.filter(|found| !is_nothing(found)) {
            None => "is missing".to_owned(),
            Some(found) => match validate(target, &found) {
                Ok(()) => "does not say what the forest says".to_owned(),
                Err(why) => format!("is damaged: {why}"),
            },
        }))
    }

    /// Finds files of messages that are none. In the trees of sessions no message has a file.
    fn strangers(&self, memory: &MemoryStore) -> Result<Vec<PathBuf>> {
        let mut strangers = Vec::new();
        for root in memory.roots()? {
            for (path, id) in node_files(&self.folder, root.id)? {
                let is_known = match id {
                    Some(id) => root.family.is_none() && memory.node(id)?.is_some(),
                    None => false,
                };
                if !is_known {
                    strangers.push(path);
                }
            }
        }
        Ok(strangers)
    }

    fn path(&self, target: Target) -> PathBuf {
        match target {
            Target::Roots => self.folder.file(ROOTS),
            Target::Bookmarks => self.folder.file(BOOKMARKS),
            Target::Node(id) => self.folder.node(id),
        }
    }
}

pub(super) const ROOTS: &str = "roots.json";
pub(super) const BOOKMARKS: &str = "bookmarks.json";
const MARK: &str = "projection.json";

/// Lists the files that there should be.
fn expected(memory: &MemoryStore) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    let roots = memory.roots()?;
    if !roots.is_empty() {
        targets.push(Target::Roots);
    }
    if memory.current()?.is_some() || !memory.bookmarks()?.is_empty() {
        targets.push(Target::Bookmarks);
    }
    for root in roots.iter().filter(|root| root.family.is_none()) {
        targets.extend(memory.nodes(root.id)?.iter().map(|node| Target::Node(node.id)));
    }
    Ok(targets)
}

/// Lists the JSON files in a tree's folder, in the order of their names' numbers, with the messages that they name.
pub(super) fn node_files(folder: &Folder, root: RootId) -> Result<Vec<(PathBuf, Option<NodeId>)>> {
    let path = folder.nodes(root);
    let unreadable = |source| ForestError::Read { path: path.clone(), source };
    let items = match fs::read_dir(&path) {
        Ok(items) => items,
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        Err(source) => return Err(unreadable(source)),
    };
    let mut files = Vec::new();
    for item in items {
        let path = item.map_err(unreadable)?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let id = name.and_then(|name| format!("{root}/{name}").parse().ok());
        files.push((path, id));
    }
    files.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
    Ok(files)
}

fn validate(target: Target, bytes: &[u8]) -> Result<(), String> {
    match target {
        Target::Roots => shape::read_roots(bytes).map(drop),
        Target::Bookmarks => shape::read_bookmarks(bytes).map(drop),
        Target::Node(id) => shape::read_node(bytes, id, &shape::Answered::default()).map(drop),
    }
}

fn is_nothing(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Gives a file a name under which nobody looks for it.
fn move_aside(path: &Path) -> Result<PathBuf> {
    let fail = |source| ForestError::Write { path: path.to_owned(), source };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".damaged-");
    let free = (1_u32..).find_map(|number| {
        let mut name = name.clone();
        name.push(number.to_string());
        let aside = path.with_file_name(name);
        (!aside.exists()).then_some(aside)
    });
    let aside = free.expect("some number is free");
    fs::rename(path, &aside).map_err(fail)?;
    Ok(aside)
}
