//! The log: what was acknowledged is there again, and what was not leaves no trace.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use pi_brain_forest::{
    FileSystemStore, Forest, ForestError, Matching, Message, NewMessage, Role, SourceInfo, Store,
};
use serde_json::json;

use super::{NOW, append, contents, damage, dump, grow, open, read_only, refusal};

fn log(folder: &Path) -> Vec<u8> {
    fs::read(folder.join("log.jsonl")).unwrap()
}

fn lines(folder: &Path) -> Vec<String> {
    let text = String::from_utf8(log(folder)).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn a_forest_is_there_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let forest = grow(folder.path());
    let before = dump(forest.store());
    assert!(forest.check().unwrap().is_empty());
    drop(forest);

    let again = open(folder.path());
    assert_eq!(dump(again.store()), before);
    assert!(again.check().unwrap().is_empty());
    assert_eq!(dump(read_only(folder.path()).store()), before);
}

#[test]
fn every_prefix_of_a_log_is_a_forest() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let lines = lines(folder.path());
    assert!(lines.len() > 10);
    for count in 0..=lines.len() {
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join("format.json"), "{\"format\":1}").unwrap();
        fs::write(copy.path().join("log.jsonl"), lines[..count].concat()).unwrap();
        let mut forest = open(copy.path());
        assert_eq!(forest.check().unwrap(), [], "after {count} commits");
        assert_eq!(forest.store_mut().verify_projection().unwrap(), [], "after {count} commits");
    }
}

#[test]
fn a_line_torn_at_any_byte_was_never_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = grow(folder.path());
    let root = forest.roots().unwrap()[1].id;
    append(&mut forest, root, &["torn \u{1f333}"]);
    drop(forest);
    let whole = log(folder.path());
    let all = lines(folder.path());
    let last = all.last().unwrap().len();
    let before = whole.len() - last;

    let copy = tempfile::tempdir().unwrap();
    fs::write(copy.path().join("log.jsonl"), &whole[..before]).unwrap();
    let expected = dump(open(copy.path()).store());
    for kept in 0..last {
        fs::write(copy.path().join("log.jsonl"), &whole[..before + kept]).unwrap();
        assert_eq!(dump(read_only(copy.path()).store()), expected, "read with {kept} bytes");
        assert_eq!(log(copy.path()).len(), before + kept, "reading writes nothing");
        assert_eq!(dump(open(copy.path()).store()), expected, "opened with {kept} bytes");
        assert_eq!(log(copy.path()).len(), before, "the torn line is cut off");
    }
}

#[test]
fn a_last_line_of_zeros_was_never_there() {
    let folder = tempfile::tempdir().unwrap();
    let before = dump(grow(folder.path()).store());
    let mut file = OpenOptions::new().append(true).open(folder.path().join("log.jsonl")).unwrap();
    file.write_all(b"\0\0\0\0\0\n").unwrap();
    let mut forest = open(folder.path());
    assert_eq!(dump(forest.store()), before);
    let root = forest.roots().unwrap()[0].id;
    append(&mut forest, root, &["on we go"]);
    let after = dump(forest.store());
    drop(forest);
    assert_eq!(dump(open(folder.path()).store()), after);
}

#[test]
fn damage_before_the_end_is_an_error_that_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let good = lines(folder.path());
    let path = folder.path().join("log.jsonl");
    let check = |lines: &[String], expected: &str| {
        fs::write(&path, lines.concat()).unwrap();
        let before = contents(folder.path());
        let (named, why) = damage(folder.path());
        assert_eq!(named, path);
        assert!(why.contains(expected), "{why}");
        assert_eq!(contents(folder.path()), before, "nothing is changed");
        assert!(FileSystemStore::open_read_only(folder.path()).is_err());
    };
    let with = |at: usize, line: &str| {
        let mut lines = good.clone();
        lines[at] = line.to_owned();
        lines
    };
    check(&with(3, "{\"seq\":4,\"chan\n"), "line 4: ");
    check(&with(3, "\n"), "line 4: ");
    check(&with(0, "{\"seq\":1}\n"), "line 1: missing field `changes`");
    check(&with(2, &good[1]), "line 3: commit 3 should be here, and not 2");
    check(&[&good[..4], &good[5..]].concat(), "line 5: commit 5 should be here, and not 6");
    let last = good.len() - 1;
    check(&with(last, "{\"seq\":99,\"changes\":[]}\n"), "should be here, and not 99");
    check(&with(last, "[]\n"), &format!("line {}", last + 1));
    let marked = format!("\u{feff}{}", good[0]);
    check(&with(0, &marked), "line 1: it starts with a byte order mark");
    check(&[marked], "line 1: it starts with a byte order mark");
}

#[test]
fn a_log_with_other_line_ends_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let before = dump(grow(folder.path()).store());
    let text = lines(folder.path()).concat().replace('\n', "\r\n");
    fs::write(folder.path().join("log.jsonl"), text).unwrap();
    let mut forest = open(folder.path());
    assert_eq!(dump(forest.store()), before);
    let root = forest.roots().unwrap()[0].id;
    append(&mut forest, root, &["on we go"]);
    drop(forest);
    open(folder.path());
}

#[test]
fn a_lost_log_is_an_error_and_not_an_empty_forest() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    fs::remove_file(folder.path().join("log.jsonl")).unwrap();
    let (path, why) = damage(folder.path());
    assert_eq!((path, &*why), (folder.path().join("log.jsonl"), "it is missing"));
}

#[test]
fn a_newer_format_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let format = folder.path().join("format.json");
    assert_eq!(fs::read_to_string(&format).unwrap(), "{\"format\":1}");
    fs::write(&format, "{\"format\": 2, \"more\": []}").unwrap();
    let before = contents(folder.path());
    assert!(matches!(
        refusal(folder.path()),
        ForestError::FormatTooNew { found: 2, supported: 1, .. }
    ));
    let refused = FileSystemStore::open_read_only(folder.path()).map(drop).unwrap_err();
    assert!(matches!(refused, ForestError::FormatTooNew { .. }));
    assert_eq!(contents(folder.path()), before);

    fs::write(&format, "{").unwrap();
    assert_eq!(damage(folder.path()).0, format);
}

#[test]
fn a_log_whose_format_was_not_written_yet_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let before = dump(grow(folder.path()).store());
    fs::remove_file(folder.path().join("format.json")).unwrap();
    let mut forest = open(folder.path());
    assert_eq!(dump(forest.store()), before);
    forest.find_or_create_root(Some("new"), NOW).unwrap();
    assert!(folder.path().join("format.json").exists());
}

#[test]
fn opening_for_reading_changes_nothing_and_allows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = grow(folder.path());
    let before = contents(folder.path());
    let mut reader = read_only(folder.path());
    assert_eq!(dump(reader.store()), dump(writer.store()), "while somebody writes");
    let root = reader.roots().unwrap()[0].id;
    let refused = reader.append(root.into(), super::talk(&["no"]), Matching::Exact, NOW);
    assert!(matches!(refused, Err(ForestError::ReadOnly)));
    assert_eq!(dump(reader.store()), dump(writer.store()));
    drop(reader);
    assert_eq!(contents(folder.path()), before);
    append(&mut writer, root, &["yes"]);

    let missing = folder.path().join("missing");
    let refused = FileSystemStore::open_read_only(&missing).map(drop).unwrap_err();
    assert!(matches!(refused, ForestError::Read { .. }));
    assert!(FileSystemStore::open_if_there(&missing).unwrap().is_none());
    assert!(!missing.exists());
    drop(writer);
    assert!(FileSystemStore::open_if_there(folder.path()).unwrap().is_some());
    fs::write(folder.path().join("format.json"), "{").unwrap();
    assert!(FileSystemStore::open_if_there(folder.path()).is_err(), "damage is no absence");
}

#[test]
fn opening_a_new_folder_writes_nothing_but_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/forest");
    drop(open(&path));
    assert_eq!(contents(&path), []);
    drop(open(&path));
    assert_eq!(dump(read_only(&path).store()), dump(&pi_brain_forest::MemoryStore::new()));
}

#[test]
fn case_57_an_invalid_message_changes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = grow(folder.path());
    let root = forest.roots().unwrap()[0].id;
    let before = contents(folder.path());
    let result = json!({"role": "tool", "tool_call_id": "nobody called", "content": "42"});
    let mut messages = super::talk(&["good"]);
    messages.push(NewMessage::from_json(result).unwrap().unwrap());
    forest.append(root.into(), messages, Matching::Exact, NOW).unwrap_err();
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn case_58_what_was_written_is_read_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    assert_eq!(forest.topology(None).unwrap().len(), 1);
    let node = append(&mut forest, root, &["one"]);
    assert_eq!(forest.topology(None).unwrap().len(), 2);
    let deletion = pi_brain_forest::Deletion::Cascade;
    forest.delete(&[node.into()], deletion, false, NOW).unwrap();
    assert_eq!(forest.topology(None).unwrap().len(), 1);
}

#[test]
fn what_could_not_be_read_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = grow(folder.path());
    let root = forest.roots().unwrap()[0].id;
    let before = (dump(forest.store()), contents(folder.path()));
    let mut value = json!(1);
    for _ in 0..126 {
        value = json!([value]);
    }
    let mut message = NewMessage::new(Message::text(Role::User, "deep"));
    message.custom_data.insert("deep".to_owned(), value);
    let refused = forest.append(root.into(), vec![message], Matching::Exact, NOW);
    assert!(matches!(refused, Err(ForestError::Write { .. })), "{refused:?}");
    assert_eq!((dump(forest.store()), contents(folder.path())), before);
    append(&mut forest, root, &["shallow"]);
    let after = dump(forest.store());
    drop(forest);
    assert_eq!(dump(open(folder.path()).store()), after);
}

#[test]
fn numbers_and_unknown_things_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(Some(""), NOW).unwrap();
    let source = json!({"type": "model", "provider": "p", "model_name": "m", "finish_reason": null,
        "usage": {"cost": 0.000_005, "raw": [0.1, 1e300, 5e-324, 9_007_199_254_740_993_u64]}});
    let message = json!({"role": "assistant", "extra": {"b": 1, "a": [null]}, "content": [
        {"type": "tool-use", "id": "1", "name": "n", "parameters": {"x": 8.41e-5, "y": -0.0}},
        {"type": "image", "data": "…", "scale": 2.225_073_858_507_201_4e-308},
    ]});
    let mut message = NewMessage::from_json(message).unwrap().unwrap();
    message.source = Some(serde_json::from_value::<SourceInfo>(source).unwrap());
    let strange = NewMessage {
        source: Some(SourceInfo::Other(json!({"type": "oracle"}).as_object().unwrap().clone())),
        ..NewMessage::new(Message::text(Role::User, "\u{0}\u{2028}\u{1f333} \r\n\t"))
    };
    forest.append(root.into(), vec![message, strange], Matching::Exact, NOW).unwrap();
    let before = dump(forest.store());
    drop(forest);
    let again = open(folder.path());
    assert_eq!(dump(again.store()), before);
    assert!(again.check().unwrap().is_empty(), "the keys still fit");
}

#[test]
fn numbers_of_messages_are_never_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let first = append(&mut forest, root, &["one"]);
    let deletion = pi_brain_forest::Deletion::Cascade;
    forest.delete(&[first.into()], deletion, false, NOW).unwrap();
    drop(forest);
    let mut forest = open(folder.path());
    let second = append(&mut forest, root, &["two"]);
    assert_eq!(second.to_string(), "root-1/node-2");
}

#[test]
fn a_store_can_be_dropped_before_anything_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileSystemStore::open(folder.path()).unwrap();
    assert_eq!(store.next_root().unwrap(), 1);
    Forest::new(store).store_mut().commit(Vec::new()).unwrap();
}

#[test]
fn a_log_with_any_byte_changed_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(grow(folder.path()));
    let good = log(folder.path());
    let copy = tempfile::tempdir().unwrap();
    let (mut read, mut refused) = (0, 0);
    for (at, byte) in (0..good.len()).step_by(7).zip(b"\"{}[],:x0\n\\\x00\xff".iter().cycle()) {
        let mut log = good.clone();
        log[at] = *byte;
        fs::write(copy.path().join("log.jsonl"), log).unwrap();
        match FileSystemStore::open_read_only(copy.path()) {
            Ok(store) => {
                // It can be looked at, whatever it says now.
                let _ = Forest::new(store).check().unwrap();
                read += 1;
            }
            Err(ForestError::Corrupt { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(read > 10 && refused > 100, "{read} read, {refused} refused");
}
