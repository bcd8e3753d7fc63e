//! What the system reports of session folders.
//!
//! An event only says that it is time to look: what has changed is found out by comparing, so an event that is lost, late,
//! doubled or wrong costs time and nothing else.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use pi_brain_app::Sources;

/// The folders that are watched.
pub(crate) struct Watch {
    watcher: Result<RecommendedWatcher, notify::Error>,
    /// What is watched.
    folders: HashMap<PathBuf, FolderId>,
    seen: Arc<Mutex<Seen>>,
}

/// What tells a folder from another that took its place.
type FolderId = (u64, u64);

/// How many folders may come one inside the other while we look.
const DEEPEST: usize = 8;

/// What the thread of the watcher and ours share.
#[derive(Default)]
struct Seen {
    /// The folders that sessions come from, also those that are not there yet.
    roots: Vec<PathBuf>,
    /// Paths that have gone away or come: a watch on them is none any more.
    moved: BTreeSet<PathBuf>,
    /// Whether nobody has taken notice yet.
    is_news: bool,
}

impl Watch {
    /// Begins to watch, nothing at first. `wake` is called when something has happened, once until it is taken notice of.
    pub(crate) fn new(wake: impl Fn() + Send + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let mut seen = lock(&shared);
            let is_news = match &event {
                Ok(event) => seen.take(event),
                // The system has lost track: look.
                Err(_) => true,
            };
            if is_news && !seen.is_news {
                seen.is_news = true;
                drop(seen);
                wake();
            }
        });
        Self { watcher, folders: HashMap::new(), seen }
    }

    /// Returns how many folders are watched.
    pub(crate) fn len(&self) -> usize {
        self.folders.len()
    }

    /// Watches the folders that are there now. Has to come before the look at what is in them: what is written later is
    /// reported then.
    ///
    /// Returns what cannot be watched, and why.
    pub(crate) fn follow(&mut self, sources: &Sources) -> Vec<String> {
        let moved = {
            let mut seen = lock(&self.seen);
            seen.is_news = false;
            seen.roots = roots(sources);
            std::mem::take(&mut seen.moved)
        };
        let watcher = match &mut self.watcher {
            Ok(watcher) => watcher,
            Err(error) => return vec![format!("the system reports no changes: {error}")],
        };
        let wanted = wanted(sources);
        self.folders.retain(|folder, id| {
            let stays = wanted.get(folder) == Some(id) && !moved.contains(folder);
            if !stays {
                // Of a folder that is gone there is nothing left to take back.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
        let mut problems = Vec::new();
        self.add(wanted, &mut problems);
        // Folders may have come into those that were not watched before a moment ago.
        for _ in 0..DEEPEST {
            if !self.add(self::wanted(sources), &mut Vec::new()) {
                break;
            }
        }
        problems
    }

    /// Watches what is not watched yet. Returns whether there was any.
    fn add(&mut self, wanted: HashMap<PathBuf, FolderId>, problems: &mut Vec<String>) -> bool {
        let Ok(watcher) = &mut self.watcher else { return false };
        let before = self.folders.len();
        for (folder, id) in wanted {
            if self.folders.contains_key(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder, id);
                }
                Err(error) => problems.push(format!("{}: {error}", folder.display())),
            }
        }
        self.folders.len() > before
    }
}

impl Seen {
    /// Takes an event in. Returns whether it may mean that a session has changed.
    fn take(&mut self, event: &Event) -> bool {
        if event.need_rescan() {
            return true;
        }
        let comes_or_goes = match event.kind {
            // We read these files ourselves; only the end of writing is news.
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
            EventKind::Access(_) => return false,
            EventKind::Modify(kind) => matches!(kind, notify::event::ModifyKind::Name(_)),
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
        };
        let mut is_news = false;
        for path in &event.paths {
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                is_news = true;
            } else if comes_or_goes && self.is_folder_of_sessions(path) {
                self.moved.insert(path.clone());
                is_news = true;
            }
        }
        is_news
    }

    /// Returns whether a path is a folder of sessions, or leads to one, or may be one inside.
    fn is_folder_of_sessions(&self, path: &Path) -> bool {
        let is_in = |root: &PathBuf| path.parent() == Some(root);
        self.roots.iter().any(|root| root.starts_with(path) || is_in(root))
    }
}

/// Returns where sessions come from, also by the names that the system may use for it.
fn roots(sources: &Sources) -> Vec<PathBuf> {
    let named = sources.folders.iter().map(|source| source.folder.path());
    named
        .flat_map(|path| [Some(path.to_owned()), path.canonicalize().ok()])
        .flatten()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Returns the folders to watch. For one that is not there, that is the nearest one above it, in which it will appear.
fn wanted(sources: &Sources) -> HashMap<PathBuf, FolderId> {
    let mut wanted = HashMap::new();
    let id = |path: &Path| {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_dir)?;
        Some((path.to_owned(), (metadata.dev(), metadata.ino())))
    };
    for source in &sources.folders {
        let nearest = source.folder.path().ancestors().find_map(id);
        wanted.extend(nearest);
        wanted.extend(source.folder.folders().filter_map(|folder| id(&folder)));
    }
    wanted
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
