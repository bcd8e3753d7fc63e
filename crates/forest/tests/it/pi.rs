//! pi's sessions on the forest and back.

pub(crate) mod world;
mod notation;
mod picture;
mod content;
mod importing;
mod joining;
mod removal;
mod cost;
mod relatives;
mod export;
mod properties;
mod mixing;

use pi_brain_forest::{Forest, ImportReport, MemoryStore, Reading, SessionNo, Store};
use pi_brain_session::Millis;

const NOW: Millis = Millis(1_800_000_000_000);

/// Imports sessions by name, one after the other.
fn import<S: Store>(forest: &mut Forest<S>, files: &[(&str, &[u8])]) -> ImportReport {
    let read = |(name, bytes): &(&str, &[u8])| Reading::from_bytes(name, bytes.to_vec()).unwrap();
    let report = forest.import(files.iter().map(read), NOW).unwrap();
    assert_eq!(forest.check().unwrap(), [], "the forest is sound after an import");
    report
}

/// Makes a forest of sessions.
fn forest_of(files: &[(&str, &[u8])]) -> Forest<MemoryStore> {
    let mut forest = Forest::new(MemoryStore::new());
    import(&mut forest, files);
    forest
}

/// Returns the session that was imported under a name.
fn number_of<S: Store>(forest: &Forest<S>, name: &str) -> SessionNo {
    let sessions = forest.store().sessions().unwrap();
    sessions.iter().find(|record| record.file == name).unwrap().no
}
