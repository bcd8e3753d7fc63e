//! Which sessions belong together.
//!
//! Two sessions are related if one names the other as the file it was forked from (by its path, or by its id
//! where the folder has moved), if they have one id, or if they tell of the same event. All of this is a matter
//! between the two alone, so that the order of imports cannot matter. A family is whatever hangs together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use pi_brain_session::{Millis, id_in_file_name};

use super::reading::Reading;
use crate::error::Result;
use crate::ids::RootId;
use crate::sessions::{EventId, SessionKin, SessionNo};
use crate::store::Store;

/// The sessions of a store by what relates them.
#[derive(Default)]
pub(super) struct Families {
    sessions: BTreeMap<SessionNo, SessionKin>,
    by_file: HashMap<String, SessionNo>,
    /// By all that a session can be called: its file, its id.
    by_name: HashMap<String, BTreeSet<SessionNo>>,
    /// By all that a session calls the one it was forked from.
    by_parent: HashMap<String, BTreeSet<SessionNo>>,
    by_root: BTreeMap<RootId, BTreeSet<SessionNo>>,
    /// Trees whose sessions are gone and in which something else is left, by the session they are called after.
    left: HashMap<String, RootId>,
}

/// Orders sessions, oldest first; those without a time come last.
pub(super) type Age = (i64, String);

pub(super) fn age(created: Option<Millis>, id: &str) -> Age {
    (created.map_or(i64::MAX, |time| time.0), id.to_owned())
}

/// Returns what a session can be called by one that was forked from it.
pub(super) fn names<'a>(file: &'a str, id: &'a str) -> [&'a str; 2] {
    [file, id]
}

/// Returns what a session calls the one it was forked from. pi writes a path; others write an id.
pub(super) fn parent_names(parent: Option<&str>) -> impl Iterator<Item = &str> {
    let in_name = parent.and_then(|parent| id_in_file_name(Path::new(parent)));
    parent.into_iter().chain(in_name)
}

impl Families {
    pub(super) fn of(store: &impl Store) -> Result<Self> {
        let mut families = Self::default();
        for kin in store.kin()? {
            families.put(kin);
        }
        for root in store.roots()? {
            let is_there = root.deleted.is_none() && root.joined.is_none();
            if is_there && families.in_root(root.id).next().is_none() {
                families.left.extend(root.family.clone().map(|family| (family, root.id)));
            }
        }
        Ok(families)
    }

    pub(super) fn put(&mut self, kin: SessionKin) {
        self.remove(kin.no);
        for name in names(&kin.file, &kin.id) {
            self.by_name.entry(name.to_owned()).or_default().insert(kin.no);
        }
        for name in parent_names(kin.parent_session.as_deref()) {
            self.by_parent.entry(name.to_owned()).or_default().insert(kin.no);
        }
        self.by_file.insert(kin.file.clone(), kin.no);
        self.by_root.entry(kin.root).or_default().insert(kin.no);
        self.sessions.insert(kin.no, kin);
    }

    pub(super) fn remove(&mut self, no: SessionNo) {
        let Some(kin) = self.sessions.remove(&no) else { return };
        let take_out = |map: &mut HashMap<String, BTreeSet<SessionNo>>, name: &str| {
            map.get_mut(name).map(|sessions| sessions.remove(&no))
        };
        for name in names(&kin.file, &kin.id) {
            take_out(&mut self.by_name, name);
        }
        for name in parent_names(kin.parent_session.as_deref()) {
            take_out(&mut self.by_parent, name);
        }
        self.by_file.remove(&kin.file);
        if let Some(sessions) = self.by_root.get_mut(&kin.root) {
            sessions.remove(&no);
        }
    }

    /// Returns the session that was imported from a file.
    pub(super) fn imported_from(&self, file: &str) -> Option<SessionNo> {
        self.by_file.get(file).copied()
    }

    /// Returns the trees of the sessions that are related to one that was read.
    pub(super) fn related(
        &self,
        store: &impl Store,
        reading: &Reading,
        events: &[EventId],
    ) -> Result<BTreeSet<RootId>> {
        let id = reading.session_id();
        let parents = parent_names(reading.header.parent_session.as_deref());
        let named = parents.chain([id]).filter_map(|name| self.by_name.get(name));
        let naming =
            names(&reading.file, id).into_iter().filter_map(|name| self.by_parent.get(name));
        let mut related: BTreeSet<SessionNo> = named.chain(naming).flatten().copied().collect();
        related.extend(store.sessions_with(events)?);
        let kin = related.iter().filter_map(|no| self.sessions.get(no));
        Ok(kin.map(|kin| kin.root).chain(self.left.get(id).copied()).collect())
    }

    /// Returns the sessions that live in a tree.
    pub(super) fn in_root(&self, root: RootId) -> impl Iterator<Item = SessionNo> {
        self.by_root.get(&root).into_iter().flatten().copied()
    }

    /// Returns the oldest session of a tree, apart from `except`.
    pub(super) fn oldest(&self, root: RootId, except: Option<SessionNo>) -> Option<Age> {
        let sessions = self.in_root(root).filter(|no| Some(*no) != except);
        let kin = sessions.filter_map(|no| self.sessions.get(&no));
        kin.map(|kin| age(kin.created, &kin.id)).min()
    }
}
