//! The files for people: what they say, when they are written, and that nothing of somebody else's is lost.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pi_brain_forest::{FileSystemStore, ForestError, Matching};
use serde_json::Value;

use super::{NOW, append, contents, damage, dump, grow, open, read_only, talk};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Lists what `verify_projection` finds: names of files, and what is the matter with them.
fn mismatches(folder: &Path) -> Vec<String> {
    let mut store = FileSystemStore::open_read_only(folder).unwrap();
    let mismatches = store.verify_projection().unwrap();
    let show = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
    mismatches.iter().map(|found| format!("{} {}", show(&found.path), found.what)).collect()
}

#[test]
fn people_can_read_a_forest() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let mut text = String::new();
    for (path, bytes) in contents(folder.path()) {
        if !path.ends_with("log.jsonl") {
            let name = path.strip_prefix(folder.path()).unwrap().display();
            let bytes = String::from_utf8(bytes).unwrap();
            writeln!(text, "--- {name}\n{}", bytes.trim_end()).unwrap();
        }
    }
    insta::assert_snapshot!(text);
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
}

#[test]
fn only_the_owner_can_read_a_forest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest");
    drop(grow(&path));
    let mut open = vec![path];
    while let Some(path) = open.pop() {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        if path.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            open.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
}

#[test]
fn files_are_there_right_after_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let one = append(&mut forest, root, &["one"]);
    append(&mut forest, one, &["two"]);
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
    let file = json(&folder.path().join("root-1/nodes/node-1.json"));
    assert_eq!(file["child_ids"], serde_json::json!(["root-1/node-2"]));
}

#[test]
fn a_long_file_waits_and_is_there_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let top = append(&mut forest, root, &[&"long ".repeat(20_000)]);
    let path = folder.path().join("root-1/nodes/node-1.json");
    let count = || json(&path)["child_ids"].as_array().unwrap().len();
    let mut waited = Vec::new();
    for number in 1..=30 {
        append(&mut forest, top, &[&format!("child {number}")]);
        waited.push(number - count());
    }
    assert_eq!(waited[..8], [1, 2, 3, 4, 5, 6, 0, 1], "one change for every 16 kilobytes");
    assert!(forest.store().projection_failure().is_none());
    drop(forest);
    assert_eq!(count(), 30);
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
}

#[test]
fn what_a_crash_left_behind_is_written_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let forest = grow(folder.path());
    let good = contents(folder.path());
    // A process that is killed runs no destructors; the lock goes with it.
    drop(forest);
    let mark = folder.path().join("projection.json");
    assert_eq!(json(&mark), serde_json::json!({ "seq": lines(folder.path()) }));
    for stale in ["{\"seq\":0}", "", "{\"seq\":3}", "{\"seq\":999}"] {
        fs::write(&mark, stale).unwrap();
        fs::remove_file(folder.path().join("root-1/nodes/node-3.json")).unwrap();
        fs::write(folder.path().join("roots.json"), "[]").unwrap();
        fs::write(folder.path().join("bookmarks.json"), "").unwrap();
        drop(open(folder.path()));
        let without_mark =
            |files: Vec<_>| files.into_iter().filter(|(path, _)| *path != mark).collect::<Vec<_>>();
        assert_eq!(without_mark(contents(folder.path())), without_mark(good.clone()), "{stale}");
        assert_eq!(json(&mark), serde_json::json!({ "seq": lines(folder.path()) }));
    }
}

fn lines(folder: &Path) -> usize {
    fs::read_to_string(folder.join("log.jsonl")).unwrap().lines().count()
}

#[test]
fn case_59_a_corrupt_registry_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let registry = folder.path().join("roots.json");
    let whole = fs::read(&registry).unwrap();
    for damaged in [&b"[{\"id\": \"root-1\""[..], b"{}", b"no json", &whole[..whole.len() - 3]] {
        fs::write(&registry, damaged).unwrap();
        let before = contents(folder.path());
        assert_eq!(damage(folder.path()).0, registry);
        assert_eq!(contents(folder.path()), before);
    }
    assert!(mismatches(folder.path())[0].starts_with("roots.json is damaged: "));
    let before = dump(read_only(folder.path()).store());
    let moved = FileSystemStore::rewrite_projection(folder.path()).unwrap();
    assert_eq!(moved, [folder.path().join("roots.json.damaged-1")]);
    assert_eq!(fs::read(&moved[0]).unwrap(), whole[..whole.len() - 3]);
    assert_eq!(fs::read(&registry).unwrap(), whole);
    assert_eq!(dump(open(folder.path()).store()), before);
}

#[test]
fn a_registry_that_is_gone_or_empty_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let registry = folder.path().join("roots.json");
    let whole = fs::read(&registry).unwrap();
    fs::remove_file(&registry).unwrap();
    drop(open(folder.path()));
    assert_eq!(fs::read(&registry).unwrap(), whole);
    fs::write(&registry, "").unwrap();
    drop(open(folder.path()));
    assert_eq!(fs::read(&registry).unwrap(), whole);
}

#[test]
fn a_damaged_file_stops_what_would_write_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let parent = append(&mut forest, root, &["parent"]);
    append(&mut forest, parent, &["child"]);
    let path = folder.path().join("root-1/nodes/node-1.json");
    let other = folder.path().join("root-1/nodes/node-2.json");
    for restart in [false, true] {
        fs::write(&path, "{\"id\": \"root-1/node-1\", \"mess").unwrap();
        if restart {
            drop(forest);
            forest = open(folder.path());
        }
        let before = (dump(forest.store()), contents(folder.path()));
        let refused = forest.append(parent.into(), talk(&["more"]), Matching::Exact, NOW);
        assert!(matches!(refused, Err(ForestError::Corrupt { path: named, .. }) if named == path));
        assert_eq!((dump(forest.store()), contents(folder.path())), before);
        // It can be read, and written to elsewhere: the log has everything.
        append(&mut forest, root, &["elsewhere"]);
        assert_eq!(forest.message(parent).unwrap().joined_text(), "parent");
    }
    fs::write(&path, fs::read(&other).unwrap()).unwrap();
    let refused = forest.append(parent.into(), talk(&["more"]), Matching::Exact, NOW);
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("it holds root-1/node-2"), "{why}");

    drop(forest);
    let moved = FileSystemStore::rewrite_projection(folder.path()).unwrap();
    assert_eq!(moved, [folder.path().join("root-1/nodes/node-1.json.damaged-1")]);
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
    append(&mut open(folder.path()), parent, &["more"]);
}

#[test]
fn case_24_a_damaged_sibling_makes_no_duplicate() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let first = append(&mut forest, root, &["same"]);
    drop(forest);
    let path = folder.path().join("root-1/nodes/node-1.json");
    fs::write(&path, "{").unwrap();
    let mut forest = open(folder.path());
    assert_eq!(append(&mut forest, root, &["same"]), first);
    assert_eq!(fs::read(&path).unwrap(), b"{");
    assert_eq!(mismatches(folder.path()).len(), 1);

    // Without a log the file is all there is, so nothing goes on without it.
    drop(forest);
    fs::remove_file(folder.path().join("log.jsonl")).unwrap();
    fs::remove_file(folder.path().join("format.json")).unwrap();
    assert_eq!(damage(folder.path()).0, path);
}

#[test]
fn verification_tells_all_differences_and_rewriting_mends_them() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let good = contents(folder.path());
    let node = |name: &str| folder.path().join("root-1/nodes").join(name);
    let edited = fs::read_to_string(node("node-1.json")).unwrap().replace("forest", "wood");
    fs::write(node("node-1.json"), edited).unwrap();
    fs::remove_file(node("node-2.json")).unwrap();
    fs::write(node("node-3.json"), "}").unwrap();
    fs::write(node("node-77.json"), "{}").unwrap();
    fs::write(node("notes.json"), "{}").unwrap();
    fs::write(node("notes.txt"), "mine").unwrap();
    fs::write(folder.path().join("bookmarks.json"), "{\"bookmarks\": []}").unwrap();
    let found = mismatches(folder.path());
    let expected = [
        "bookmarks.json does not say what the forest says",
        "root-1/nodes/node-1.json does not say what the forest says",
        "root-1/nodes/node-2.json is missing",
        "root-1/nodes/node-3.json is damaged: expected value at line 1 column 1",
        "root-1/nodes/notes.json belongs to no message of the forest",
        "root-1/nodes/node-77.json belongs to no message of the forest",
    ];
    assert_eq!(found, expected);

    let moved = FileSystemStore::rewrite_projection(folder.path()).unwrap();
    let names: Vec<_> =
        moved.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    let expected = ["notes.json.damaged-1", "node-77.json.damaged-1", "node-3.json.damaged-1"];
    assert_eq!(names, expected);
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
    for path in moved {
        fs::remove_file(path).unwrap();
    }
    fs::remove_file(node("notes.txt")).unwrap();
    assert_eq!(contents(folder.path()), good);
}

#[test]
fn files_that_cannot_be_written_do_not_fail_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    // A file where a folder belongs: nobody can write into it, not even the administrator.
    fs::write(folder.path().join("root-1"), "in the way").unwrap();
    let node = append(&mut forest, root, &["one"]);
    let failure = forest.store().projection_failure().unwrap();
    assert!(matches!(failure, ForestError::Read { .. } | ForestError::Write { .. }));
    assert_eq!(forest.message(node).unwrap().joined_text(), "one");
    let before = dump(forest.store());

    fs::remove_file(folder.path().join("root-1")).unwrap();
    append(&mut forest, root, &["two"]);
    assert!(forest.store().projection_failure().is_none(), "it was tried again");
    assert_eq!(mismatches(folder.path()), Vec::<String>::new());
    assert_ne!(dump(forest.store()), before);
    drop(forest);

    fs::remove_dir_all(folder.path().join("root-1")).unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    assert_eq!(store.verify_projection().unwrap().len(), 2);
    store.close().unwrap();
}

#[test]
fn the_last_failure_is_told_when_the_store_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    append(&mut forest, root, &["one"]);
    fs::remove_dir_all(folder.path().join("root-1")).unwrap();
    fs::write(folder.path().join("root-1"), "in the way").unwrap();
    drop(forest);
    fs::remove_file(folder.path().join("projection.json")).unwrap();
    let store = FileSystemStore::open(folder.path()).unwrap();
    assert!(store.projection_failure().is_some());
    store.close().unwrap_err();
}
