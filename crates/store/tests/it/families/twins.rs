//! Two forests that are told the same: one in the database, one in memory.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use pi_brain_forest::{
    EventId, Forest, MemoryStore, NodeId, Place, Reading, SessionNo, Store as _, Which,
};
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, FamilyStore, Store};
use proptest::sample::Index;
use tempfile::TempDir;

const NOW: Millis = Millis(1_800_000_000_000);

pub(crate) struct Twins {
    folder: TempDir,
    store: Store,
    kept: Forest<FamilyStore>,
    remembered: Forest<MemoryStore>,
}

impl Twins {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let store = open(folder.path());
        let kept = Forest::new(store.families());
        Self { folder, store, kept, remembered: Forest::new(MemoryStore::new()) }
    }

    pub(crate) fn import(&mut self, files: &[PathBuf]) {
        let readings: Vec<Reading> =
            files.iter().map(|file| Reading::open(file).unwrap()).collect();
        let kept = self.kept.import(&readings, NOW).unwrap();
        let remembered = self.remembered.import(&readings, NOW).unwrap();
        assert_eq!(format!("{kept:?}"), format!("{remembered:?}"));
    }

    /// Takes a session out; returns its file.
    pub(crate) fn remove(&mut self, session: Index) -> Option<String> {
        let kin = self.remembered.store().kin().unwrap();
        let gone = kin.get(session.index(kin.len().max(1)))?;
        self.remove_session(gone.no);
        Some(gone.file.clone())
    }

    pub(crate) fn remove_file(&mut self, path: &Path) {
        let kin = self.remembered.store().kin().unwrap();
        let gone = kin.iter().find(|kin| Path::new(&kin.file) == path).unwrap();
        self.remove_session(gone.no);
    }

    fn remove_session(&mut self, no: SessionNo) {
        let gone = self.kept.remove_session(no, NOW).unwrap();
        assert_eq!(gone, self.remembered.remove_session(no, NOW).unwrap());
    }

    pub(crate) fn bookmark(&mut self, message: Index) {
        let nodes: Vec<NodeId> = self.messages().into_iter().collect();
        let Some(node) = nodes.get(message.index(nodes.len().max(1))) else { return };
        let title = format!("mark {}", node.number() % 3);
        let kept = self.kept.bookmark(*node, &title, NOW);
        let remembered = self.remembered.bookmark(*node, &title, NOW);
        assert_eq!(kept.is_ok(), remembered.is_ok());
    }

    /// Writes to the database what it was told.
    pub(crate) fn save(&mut self) {
        self.store.save_files(self.kept.store(), &[], &[]).unwrap();
    }

    /// Saves, and reads everything from the disk from now on.
    pub(crate) fn reopen(&mut self) {
        self.save();
        self.store = open(self.folder.path());
        self.kept = Forest::new(self.store.families());
    }

    fn messages(&self) -> Vec<NodeId> {
        let store = self.remembered.store();
        let roots = store.roots().unwrap();
        let nodes = roots.iter().flat_map(|root| store.nodes(root.id).unwrap());
        nodes.map(|node| node.id).collect()
    }

    /// Asks both everything that a store can be asked.
    pub(crate) fn compare(&self) {
        let (kept, remembered) = (self.kept.store(), self.remembered.store());
        same("roots", &kept.roots().unwrap(), &remembered.roots().unwrap());
        assert_eq!(kept.next_root().unwrap(), remembered.next_root().unwrap());
        assert_eq!(kept.next_session().unwrap(), remembered.next_session().unwrap());
        assert_eq!(kept.bookmarks().unwrap(), remembered.bookmarks().unwrap());
        assert_eq!(kept.current().unwrap(), remembered.current().unwrap());
        same("sessions", &kept.sessions().unwrap(), &remembered.sessions().unwrap());
        same("kin", &kept.kin().unwrap(), &remembered.kin().unwrap());
        for root in remembered.roots().unwrap() {
            let id = root.id;
            assert_eq!(kept.root(id).unwrap(), remembered.root(id).unwrap());
            same("nodes", &kept.nodes(id).unwrap(), &remembered.nodes(id).unwrap());
            assert_eq!(kept.next_node(id).unwrap(), remembered.next_node(id).unwrap());
            same("members", &kept.members(id).unwrap(), &remembered.members(id).unwrap());
            self.compare_children(id.into());
            let cost = |cost: pi_brain_forest::Result<_>| cost.ok();
            assert_eq!(cost(self.kept.family_cost(id)), cost(self.remembered.family_cost(id)));
        }
        for id in self.messages() {
            assert_eq!(kept.node(id).unwrap(), remembered.node(id).unwrap());
            assert_eq!(kept.message(id).unwrap(), remembered.message(id).unwrap());
            let sorted = |mut lines: Vec<(SessionNo, u32)>| {
                lines.sort_unstable();
                lines
            };
            assert_eq!(
                sorted(kept.occurrences(id).unwrap()),
                sorted(remembered.occurrences(id).unwrap())
            );
            self.compare_children(id.into());
        }
        let mut events: Vec<EventId> = Vec::new();
        for record in remembered.sessions().unwrap() {
            same("a session", &kept.session(record.no).unwrap(), &Some(record.clone()));
            events.extend(record.entries.iter().filter_map(|entry| entry.event));
        }
        for event in events {
            let sessions = kept.sessions_with(&[event]).unwrap();
            assert_eq!(sessions, remembered.sessions_with(&[event]).unwrap());
        }
    }

    fn compare_children(&self, of: Place) {
        let (kept, remembered) = (self.kept.store(), self.remembered.store());
        for which in [Which::Visible, Which::All] {
            let children = remembered.children(of, which).unwrap();
            assert_eq!(kept.children(of, which).unwrap(), children);
            let all = remembered.children(of, Which::All).unwrap();
            let wanted: Vec<_> = all.iter().map(|child| (of, child.key)).collect();
            assert_eq!(
                kept.find_children(&wanted, which).unwrap(),
                remembered.find_children(&wanted, which).unwrap()
            );
        }
    }
}

/// Compares two answers that may be too long to be printed.
fn same<T: PartialEq + Debug>(what: &str, kept: &T, remembered: &T) {
    const ENOUGH: usize = 2000;
    let beginning = |answer: &T| format!("{answer:?}").chars().take(ENOUGH).collect::<String>();
    assert!(
        kept == remembered,
        "{what}: the database says\n{}\nand memory says\n{}",
        beginning(kept),
        beginning(remembered)
    );
}

fn open(folder: &Path) -> Store {
    Store::open(&DataFolder::create(&folder.join("data")).unwrap()).unwrap()
}
