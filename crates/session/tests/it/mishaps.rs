//! Moments that nobody plans for: a file that changes while we think, ids that are missing, numbers that
//! are none.

use std::fs;
use std::path::Path;

use pi_brain_session::{
    Branches, EntryId, Millis, Problem, ProblemKind, Session, SessionError, SessionWriter, View,
    ensure_quiet,
};

use crate::mint::TestMint;
use crate::notation::session;

fn open(path: &Path) -> SessionWriter<TestMint> {
    SessionWriter::open(path, "/", TestMint::default()).expect("a session")
}

#[test]
fn a_file_that_changed_while_somebody_thought_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("a b")).unwrap();
    let writer = open(&path);
    writer.ensure_current().unwrap();
    fs::write(&path, session("a b c")).unwrap();
    assert!(matches!(writer.ensure_current(), Err(SessionError::ChangedMeanwhile(_))));
}

#[test]
fn a_file_is_quiet_after_two_minutes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("a")).unwrap();
    let written = Millis::from(fs::metadata(&path).unwrap().modified().unwrap());
    let after = |seconds: i64| ensure_quiet(&path, Millis(written.0 + seconds * 1000));
    assert!(matches!(after(0), Err(SessionError::RecentlyWritten { seconds: 0, .. })));
    assert!(matches!(after(119), Err(SessionError::RecentlyWritten { seconds: 119, .. })));
    assert!(after(120).is_ok());
    // A file from the future was written just now by somebody with another clock.
    assert!(matches!(after(-500), Err(SessionError::RecentlyWritten { seconds: 0, .. })));
    assert!(ensure_quiet(&folder.path().join("missing"), written).is_ok());
}

#[test]
fn what_is_appended_follows_the_last_entry_that_has_an_id() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let nameless = r#"{"type":"message","parentId":"b","timestamp":"2026-01-01T00:00:09.000Z","message":{"role":"user","content":"x"}}"#;
    fs::write(&path, session("a b") + nameless + "\n").unwrap();
    let mut writer = open(&path);
    assert_eq!(writer.leaf(), EntryId::new("b").as_ref());
    writer.append_session_info("named").unwrap();
    let session = Session::open(&path).unwrap();
    let tree = session.tree(View::AsPi);
    assert_eq!(session.context(&tree, tree.leaf()).unwrap().messages.len(), 2);
}

#[test]
fn an_empty_file_that_somebody_filled_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, "").unwrap();
    let mut writer = open(&path);
    fs::write(&path, session("a b")).unwrap();
    let message =
        serde_json::value::RawValue::from_string(r#"{"role":"user","content":"x"}"#.to_owned())
            .unwrap();
    assert!(matches!(writer.append_message(&message), Err(SessionError::ChangedMeanwhile(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), session("a b"));
}

#[test]
fn an_old_file_can_be_forked_but_not_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("v1: a b c")).unwrap();
    let mut writer = open(&path);
    assert!(matches!(
        writer.append_session_info("x"),
        Err(SessionError::OldVersion { version: 1, .. })
    ));
    let leaf = writer.leaf().cloned().unwrap();
    writer.create_branched_session(&leaf).unwrap();
    let fork = Session::open(writer.path().unwrap()).unwrap();
    assert_eq!((fork.header().version, fork.log().entries().len()), (3, 3));
    assert_eq!(fs::read_to_string(&path).unwrap(), session("v1: a b c"));
}

#[test]
fn where_somebody_went_back_and_said_nothing_yet_is_a_silent_branch() {
    let silent = |notation: &str| {
        let session = Session::from_bytes(session(notation).into_bytes()).unwrap();
        let tree = session.tree(View::Repaired);
        let branches = Branches::new(session.log(), &tree);
        let found = branches.silent?;
        assert!(!branches.list.contains(&found));
        Some((found.from, found.own))
    };
    assert_eq!(silent("a b c; a l:label(a,x)"), Some((Some(0), vec![3])));
    assert_eq!(silent("a b c; a m:model(p,q) t:level(low)"), Some((Some(0), vec![3, 4])));
    assert_eq!(silent("a b c l:label(a,x)"), None);
    assert_eq!(silent("a b c; a d"), None);
    assert_eq!(silent(""), None);
}

#[test]
fn sums_of_absurd_numbers_stay_numbers() {
    let entry = |number: usize| {
        format!(
            r#"{{"type":"usage","id":"u{number}","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","usage":{{"input":1e300,"output":-5,"cacheRead":"many","cost":{{"total":1e999}}}}}}"#
        )
    };
    let lines: Vec<String> = (0..20_000).map(entry).collect();
    let text = session("a") + &lines.join("\n") + "\n";
    let session = Session::from_bytes(text.into_bytes()).unwrap();
    let stats = session.stats(&session.tree(View::AsPi)).unwrap();
    assert_eq!(stats.usage.output, 0);
    assert!(stats.usage.input > 1_000_000_000 && stats.usage.cost.abs() < 1e-9);
}

#[test]
fn times_without_zone_are_utc_and_versions_that_are_no_numbers_are_old() {
    assert_eq!(Millis::parse("2026-11-15T17:50:03"), Millis::parse("2026-11-15T17:50:03Z"));
    assert_eq!(Millis::parse("2026-11-15"), Millis::parse("2026-11-15T00:00:00Z"));
    assert_eq!(Millis::parse("yesterday"), None);
    for (version, expected) in [("null", 1), ("true", 1), ("\"2\"", 2), ("2", 2), ("7", 7)] {
        let text = session("a").replace("\"version\":3", &format!("\"version\":{version}"));
        assert_eq!(
            Session::from_bytes(text.into_bytes()).unwrap().header().version,
            expected,
            "{version}"
        );
    }
}

#[test]
fn all_whole_entries_behind_a_torn_one_are_read() {
    let text = session("a b c");
    let lines: Vec<&str> = text.lines().collect();
    let torn = format!("{}\n{}\n{}{}{}\n", lines[0], lines[1], &lines[2][..20], lines[2], lines[3]);
    let session = Session::from_bytes(torn.into_bytes()).unwrap();
    let ids: Vec<_> = session.log().entries().iter().filter_map(|entry| entry.id.clone()).collect();
    assert_eq!(ids.iter().map(EntryId::as_str).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn a_header_without_id_is_not_the_header() {
    let text = format!("{{\"type\":\"session\"}}\n{}", session("a"));
    let session = Session::from_bytes(text.into_bytes()).unwrap();
    assert_eq!(session.header().id, "s");
    let problems = session.problems(&session.tree(View::AsPi));
    assert_eq!(problems, [Problem { line: 1, kind: ProblemKind::HeaderWithoutId }]);
}
