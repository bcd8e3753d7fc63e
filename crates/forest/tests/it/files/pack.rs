//! The lines of sessions: each once, and every byte as it was.

use std::fs;
use std::path::Path;

use pi_brain_forest::{
    Change, FileSystemStore, ForestError, SessionChange, SessionNo, SessionRecord, SessionText,
    Store,
};
use proptest::prelude::*;
use serde_json::json;

use super::{contents, damage, dump};

fn no(number: u32) -> SessionNo {
    serde_json::from_value(json!(number)).unwrap()
}

/// Makes the change that an import of `text` makes, of whose entries `kept` were known.
fn import(number: u32, text: &[u8], kept: usize) -> Change {
    let settled = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let entries = text[..settled].split_inclusive(|byte| *byte == b'\n').count();
    let record = json!({
        "no": number, "file": format!("{number}.jsonl"), "root": "root-1", "id": number.to_string(),
        "version": 3, "leaf": "root-1", "length": text.len(), "settled_length": settled,
        "check": "", "settled": entries,
    });
    let record: SessionRecord = serde_json::from_value(record).unwrap();
    Change::Session(SessionChange { record, kept, text: Some(SessionText::Bytes(text.into())) })
}

fn text_of(store: &FileSystemStore, number: u32) -> Vec<u8> {
    let session = store.session(no(number)).unwrap().unwrap();
    store.session_text(session.no, 0..session.length).unwrap()
}

fn pack(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("lines.pack")).unwrap()
}

#[test]
fn a_fork_adds_only_its_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    let lines: Vec<String> = (0..1000).map(|line| format!("{{\"line\":{line}}}\n")).collect();
    let original = lines.concat();
    store.commit(vec![import(1, original.as_bytes(), 0)]).unwrap();
    assert_eq!(pack(folder.path()), original.as_bytes());

    let shared = lines[1..501].concat();
    let fork = format!("{{\"header\":2}}\n{shared}{{\"own\":true}}\n");
    let log_before = fs::metadata(folder.path().join("log.jsonl")).unwrap().len();
    store.commit(vec![import(2, fork.as_bytes(), 0)]).unwrap();
    let own = "{\"header\":2}\n{\"own\":true}\n";
    assert_eq!(pack(folder.path()), format!("{original}{own}").as_bytes());
    let log_after = fs::metadata(folder.path().join("log.jsonl")).unwrap().len();
    assert!(log_after - log_before < 400, "a fork is a few pieces");
    assert_eq!(text_of(&store, 2), fork.as_bytes());
    drop(store);

    let store = FileSystemStore::open_read_only(folder.path()).unwrap();
    assert_eq!(text_of(&store, 1), original.as_bytes());
    assert_eq!(text_of(&store, 2), fork.as_bytes());
}

#[test]
fn lines_are_known_after_a_restart_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"one\ntwo\nthree\n";
    FileSystemStore::open(folder.path()).unwrap().commit(vec![import(1, text, 0)]).unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(2, b"two\nthree\none\nfour\n", 0)]).unwrap();
    assert_eq!(pack(folder.path()), b"one\ntwo\nthree\nfour\n");
}

#[test]
fn every_byte_comes_back() {
    let texts: [&[u8]; 9] = [
        b"",
        b"\n",
        b"\n\n\n",
        b"no end",
        b"\xef\xbb\xbf{\"bom\":1}\r\n\r\n{\"crlf\":2}\r\n",
        b"not \xff\xfe UTF-8\n\x00\n",
        b"twice\ntwice\ntwice\nonce\ntwice",
        b"a\nb\nc\na\nb\nc\nx\na\nb",
        b"no end\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    for (text, number) in texts.iter().zip(1..) {
        store.commit(vec![import(number, text, 0)]).unwrap();
        assert_eq!(text_of(&store, number), *text);
    }
    let mut lines: Vec<&[u8]> = Vec::new();
    let pack = pack(folder.path());
    for line in pack.split_inclusive(|byte| *byte == b'\n') {
        assert!(!lines.contains(&line), "{line:?} is there twice");
        lines.push(line);
    }
    drop(store);
    let store = FileSystemStore::open(folder.path()).unwrap();
    for (text, number) in texts.iter().zip(1..) {
        assert_eq!(text_of(&store, number), *text);
        for start in 0..=text.len() {
            for end in start..=text.len() {
                let range = start as u64..end as u64;
                assert_eq!(store.session_text(no(number), range).unwrap(), text[start..end]);
            }
        }
        let beyond = store.session_text(no(number), 0..text.len() as u64 + 1);
        assert!(matches!(beyond, Err(ForestError::SessionGone { .. })));
    }
}

#[test]
fn what_grows_is_read_from_where_it_was_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(1, b"header\none\ntwo\nthr", 0)]).unwrap();
    store.commit(vec![import(2, b"other\n", 0)]).unwrap();
    // What was whole is not looked at again: here it would read otherwise.
    store.commit(vec![import(1, b"------\n---\n---\nthree\nfour\n", 3)]).unwrap();
    let whole = b"header\none\ntwo\nthree\nfour\n";
    assert_eq!(text_of(&store, 1), whole);
    assert_eq!(pack(folder.path()), b"header\none\ntwo\nthr\nother\nthree\nfour\n");
    drop(store);
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    assert_eq!(text_of(&store, 1), whole);

    // Rewritten: nothing of it is known to be the same.
    store.commit(vec![import(1, b"another\none\n", 0)]).unwrap();
    assert_eq!(text_of(&store, 1), b"another\none\n");
    drop(store);
    let store = FileSystemStore::open(folder.path()).unwrap();
    assert_eq!(text_of(&store, 1), b"another\none\n");
}

#[test]
fn a_session_in_a_file_is_copied_and_may_go() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    fs::write(&file, "header\nentry\nand m").unwrap();
    let forest = folder.path().join("forest");
    let mut store = FileSystemStore::open(&forest).unwrap();
    let change = |length: u64| {
        let Change::Session(mut change) = import(1, b"header\nentry\nand m", 0) else { panic!() };
        change.text = Some(SessionText::File(file.clone()));
        change.record.length = length;
        Change::Session(change)
    };
    let before = dump(&store);
    let refused = store.commit(vec![change(19)]);
    assert!(matches!(refused, Err(ForestError::SessionGone { .. })), "shorter than it was");
    assert_eq!(dump(&store), before);
    store.commit(vec![change(18)]).unwrap();
    fs::write(&file, "overwritten").unwrap();
    assert_eq!(text_of(&store, 1), b"header\nentry\nand m");
    fs::remove_file(&file).unwrap();
    assert!(matches!(store.commit(vec![change(18)]), Err(ForestError::SessionGone { .. })));
    drop(store);
    assert_eq!(text_of(&FileSystemStore::open(&forest).unwrap(), 1), b"header\nentry\nand m");
}

#[test]
fn a_pack_torn_by_a_crash_is_cut_at_its_last_whole_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(1, b"one\ntwo\n", 0)]).unwrap();
    drop(store);
    fs::write(folder.path().join("lines.pack"), b"one\ntwo\nthree\nfo").unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(2, b"three\nfour\n", 0)]).unwrap();
    assert_eq!(pack(folder.path()), b"one\ntwo\nthree\nfour\n");
    assert_eq!(text_of(&store, 2), b"three\nfour\n");
}

#[test]
fn a_pack_that_lost_lines_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(1, b"one\ntwo\n", 0)]).unwrap();
    drop(store);
    let path = folder.path().join("lines.pack");
    fs::write(&path, b"one\n").unwrap();
    let before = contents(folder.path());
    assert!(damage(folder.path()).1.contains("lines that are not in lines.pack"));
    fs::remove_file(&path).unwrap();
    assert!(damage(folder.path()).1.contains("lines.pack is missing"));
    fs::write(&path, b"one\n").unwrap();
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn a_forgotten_session_stays_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(vec![import(1, b"one\n", 0), import(2, b"two\n", 0)]).unwrap();
    store.commit(vec![Change::DropSession(no(1))]).unwrap();
    let before = dump(&store);
    drop(store);
    let store = FileSystemStore::open(folder.path()).unwrap();
    assert_eq!(dump(&store), before);
    assert!(store.session(no(1)).unwrap().is_none());
    assert_eq!(store.next_session().unwrap(), 3);
}

#[test]
fn readers_come_at_any_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    let text = |number: u32| format!("{{\"line\":{number}}}\n").repeat(2);
    let writer = std::thread::spawn(move || {
        for number in 1..=60 {
            store.commit(vec![import(number, text(number).as_bytes(), 0)]).unwrap();
        }
    });
    let mut seen = 0;
    while seen < 60 {
        let reader = FileSystemStore::open_read_only(folder.path()).unwrap();
        let count = reader.next_session().unwrap() - 1;
        assert!(count >= seen, "what was seen stays");
        for number in 1..=count {
            assert_eq!(text_of(&reader, number), text(number).as_bytes());
        }
        seen = count;
    }
    writer.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sessions_of_any_bytes_come_back(
        texts in prop::collection::vec("[ab\n]{0,12}", 1..6),
        cut in 0_usize..12,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = FileSystemStore::open(folder.path()).unwrap();
        for (text, number) in texts.iter().zip(1..) {
            let start = &text.as_bytes()[..cut.min(text.len())];
            store.commit(vec![import(number, start, 0)]).unwrap();
        }
        for (text, number) in texts.iter().zip(1..) {
            let known = text[..cut.min(text.len())].matches('\n').count();
            store.commit(vec![import(number, text.as_bytes(), known)]).unwrap();
        }
        for store in [&store, &FileSystemStore::open_read_only(folder.path()).unwrap()] {
            for (text, number) in texts.iter().zip(1..) {
                prop_assert_eq!(text_of(store, number), text.as_bytes());
            }
        }
    }
}
