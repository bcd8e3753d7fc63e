//! Finding the family of a session file without reading whole files.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::hash::Hash;
use std::io::Read;
use std::path::{Path, PathBuf};

use pi_brain_session::Log;
use rayon::prelude::*;

use super::families::{names, parent_names};
use super::reading::{Heard, event_heard};
use crate::sessions::EventId;

/// How many entries at the beginning of a file are looked at. A copy begins with what the original begins with.
const LOOKED_AT: usize = 8;

/// Nobody has a beginning this large; a file that is no session must not be read to its end.
const FURTHEST: u64 = 4 * 1024 * 1024;

/// Finds all files that belong to the family of `start`, as far as their beginnings show; sorted by path.
///
/// Looks at headers (which file was forked from which, by path or by id, and which have one id) and at the first
/// entries. So it misses a copy whose header names no file that is there and that begins elsewhere than the
/// original: one of a conversation that was started again from nothing, or one that another program cut out of
/// the middle. An import of both notices it.
pub fn find_relatives(files: &[PathBuf], start: &Path) -> Vec<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let start = absolute(start);
    let mut paths: BTreeSet<PathBuf> = files.iter().map(|path| absolute(path)).collect();
    paths.insert(start.clone());
    let paths: Vec<PathBuf> = paths.into_iter().collect();
    let beginnings: Vec<Option<Beginning>> =
        paths.par_iter().map(|path| Beginning::read(path)).collect();

    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut naming: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut telling: HashMap<EventId, Vec<usize>> = HashMap::new();
    for (at, beginning) in beginnings.iter().enumerate() {
        let Some(beginning) = beginning else { continue };
        list(&mut named, beginning.names(), at);
        list(&mut naming, beginning.parent_names(), at);
        list(&mut telling, beginning.events.iter().copied(), at);
    }
    let first = paths.binary_search(&start).expect("it was put in");
    let mut found = BTreeSet::from([first]);
    let mut open = vec![first];
    while let Some(beginning) = open.pop().map(|at| &beginnings[at]) {
        let Some(beginning) = beginning else { continue };
        let by_id = named.get(&*beginning.id);
        let parents = beginning.parent_names().filter_map(|name| named.get(name));
        let forks = beginning.names().filter_map(|name| naming.get(name));
        let copies = beginning.events.iter().filter_map(|event| telling.get(event));
        for &at in by_id.into_iter().chain(parents).chain(forks).chain(copies).flatten() {
            if found.insert(at) {
                open.push(at);
            }
        }
    }
    found.into_iter().map(|at| paths[at].clone()).collect()
}

fn list<K: Eq + Hash>(
    lists: &mut HashMap<K, Vec<usize>>,
    keys: impl Iterator<Item = K>,
    at: usize,
) {
    for key in keys {
        lists.entry(key).or_default().push(at);
    }
}

/// What the first few kilobytes of a file tell.
struct Beginning {
    file: String,
    id: String,
    parent: Option<String>,
    events: Vec<EventId>,
}

impl Beginning {
    fn read(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?.take(FURTHEST);
        let mut heard = Vec::new();
        let log =
            Log::read_beginning(file, LOOKED_AT, |entry, raw| heard.push(Heard::new(entry, raw)));
        let log = log.ok()?;
        let entries = log.entries().iter().zip(&heard);
        Some(Self {
            file: path.to_string_lossy().into_owned(),
            id: log.header().id.clone(),
            parent: log.header().parent_session.clone(),
            events: entries.filter_map(|(entry, heard)| event_heard(&log, entry, heard)).collect(),
        })
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.file, &self.id).into_iter()
    }

    fn parent_names(&self) -> impl Iterator<Item = &str> {
        parent_names(self.parent.as_deref())
    }
}
