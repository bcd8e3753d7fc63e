//! Databases of older and newer versions.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pi_brain_brain::EdgeType;
use pi_brain_store::{DataFolder, Database, FileWanted, NodeFilter, Order, Store, StoreError};
use rusqlite::Connection;
use tempfile::TempDir;

/// Databases as older versions left them, each with a session, its fork, their nodes and edges.
const OLDER: &[(&str, &[u8])] = &[
    ("v1", include_bytes!("fixtures/v1.db")),
    ("v2", include_bytes!("fixtures/v2.db")),
    ("v3", include_bytes!("fixtures/v3.db")),
    ("v4", include_bytes!("fixtures/v4.db")),
    ("v5", include_bytes!("fixtures/v5.db")),
    ("v6", include_bytes!("fixtures/v6.db")),
];

#[test]
fn an_older_database_becomes_todays() {
    let new = TempDir::new().unwrap();
    Database::open(&new.path().join("brain.db")).unwrap();
    let today = schema(&new.path().join("brain.db"));
    for (version, bytes) in OLDER {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("brain.db"), bytes).unwrap();
        let store = Store::open(&DataFolder::create(folder.path()).unwrap()).unwrap();
        assert_eq!(schema(&folder.path().join("brain.db")), today, "{version}");
        assert_eq!(store.sessions().unwrap().len(), 2, "{version}");
        let (nodes, total) = store.nodes(&NodeFilter::default(), Order::Newest, 100, 0).unwrap();
        assert_eq!((nodes.len(), total), (3, 3), "{version}");
        let (graph, _) = store.graph(&NodeFilter::default(), 100).unwrap();
        assert_eq!(graph.edges.len(), 2, "{version}");
        let forks = graph.edges.iter().filter(|edge| edge.kind == EdgeType::Fork);
        let parents: Vec<_> =
            forks.filter_map(|edge| edge.metadata.parent_session.as_deref()).collect();
        assert_eq!(parents, ["aaaaaaaa-0000-7000-8000-000000000001"], "{version}");
        let opened_by = |id| store.segment(id).unwrap().unwrap().boundaries;
        let opened_by: Vec<_> = nodes.iter().flat_map(|node| opened_by(node.id)).collect();
        let opened_by: Vec<_> = opened_by.iter().map(|boundary| &boundary["type"]).collect();
        assert_eq!(opened_by, ["fork", "resume", "resume"], "{version}");
        let ending = Some("cart.ts".to_owned());
        let touches = store.touches(&FileWanted { ending, ..FileWanted::default() }).unwrap();
        let touches: Vec<_> = touches.iter().map(|touch| (&*touch.path, touch.modified)).collect();
        assert_eq!(touches, [("/home/dev/shop/src/cart.ts", true)], "{version}");
        let numbers = store.numbers().unwrap();
        assert_eq!((numbers.families, numbers.messages), (1, 13), "{version}");
        // What lists say of sessions is not there yet: all files are to be looked at once more.
        let rows = store.session_rows().unwrap();
        assert!(rows.len() == 2 && rows.iter().all(|row| row.digest.is_none()), "{version}");
        let files = store.known_files().unwrap();
        assert!(files.iter().all(|file| file.stamp.modified == 0), "{version}");
        // What was packed then can be unpacked today.
        let mut entries = 0;
        for session in store.sessions().unwrap() {
            entries += store.outline(session.no).unwrap().unwrap().entries.len();
            assert!(store.log(session.no).unwrap().is_some(), "{version}");
            assert!(store.map(session.root).unwrap().is_some(), "{version}");
        }
        assert!(entries >= 13, "{version}: {entries} entries");
    }
}

#[test]
fn a_database_that_is_up_to_date_stays_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("brain.db");
    Database::open(&path).unwrap();
    let before = schema(&path);
    Database::open(&path).unwrap();
    assert_eq!(schema(&path), before);
}

#[test]
fn a_database_is_for_its_owner_only() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("brain.db");
    let _open = Database::open(&path).unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_newer_database_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("brain.db");
    Database::open(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 9999).unwrap();
    drop(connection);
    let before = schema(&path);
    let error = Database::open(&path).unwrap_err();
    assert!(matches!(&error, StoreError::TooNew { path: named } if *named == path), "{error}");
    assert!(error.to_string().contains("newer version of pi-brain"), "{error}");
    assert_eq!(schema(&path), before);
}

#[test]
fn what_is_no_database_is_said_to_be_none() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("brain.db");
    std::fs::write(
        &path,
        "these are notes, and there are enough of them to fill a header\n".repeat(20),
    )
    .unwrap();
    let error = Database::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Database { .. }), "{error}");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("these are notes"));
}

/// Returns the version of a database, and how each of its tables and indexes was made.
fn schema(path: &Path) -> (i64, BTreeSet<String>) {
    let connection = Connection::open(path).unwrap();
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL";
    let mut statement = connection.prepare(sql).unwrap();
    let made = statement.query_map([], |row| row.get(0)).unwrap();
    (version, made.collect::<Result<_, _>>().unwrap())
}
