//! Old files, brought up to date on request.

use std::fs;

use pi_brain_session::{Migration, Session, SessionError, View, migrate_file};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generate::{any_oddities, any_session, cases};
use crate::notation::session;

fn contexts(session: &Session) -> Vec<Value> {
    let tree = session.tree(View::AsPi);
    let context = |at| {
        let context = session.context(&tree, Some(at)).expect("the text can be read");
        serde_json::to_value(context).expect("a context is JSON")
    };
    (0..session.log().entries().len()).map(context).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn migration_changes_the_form_and_not_the_words(sketch in any_session(20), version in 1_u32..3, oddities in any_oddities()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let text = sketch.aged(version).spaced_text(&oddities);
        fs::write(&path, &text).unwrap();
        let before = Session::open(&path).unwrap();
        let before = (contexts(&before), before);

        let Migration::Done { from, original } = migrate_file(&path).unwrap() else {
            return Err(TestCaseError::fail("an old file needs a migration"));
        };
        prop_assert_eq!(from, version);
        prop_assert_eq!(fs::read_to_string(original).unwrap(), text);
        let migrated = fs::read_to_string(&path).unwrap();
        let after = Session::open(&path).unwrap();
        prop_assert_eq!(after.header().version, 3);
        prop_assert_eq!(contexts(&after), before.0);
        let ids = |session: &Session| session.log().entries().iter().map(|entry| (entry.id.clone(), entry.parent.clone())).collect::<Vec<_>>();
        prop_assert_eq!(ids(&after), ids(&before.1));
        prop_assert!(!migrated.contains("hookMessage") && !migrated.contains("firstKeptEntryIndex"));

        prop_assert_eq!(migrate_file(&path).unwrap(), Migration::NotNeeded);
        prop_assert_eq!(fs::read_to_string(&path).unwrap(), migrated);
        prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}

#[test]
fn files_of_today_or_later_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    for text in [session("a b"), session("a").replace("\"version\":3", "\"version\":4")] {
        fs::write(&path, &text).unwrap();
        assert_eq!(migrate_file(&path).unwrap(), Migration::NotNeeded);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, "{}\n").unwrap();
    assert!(matches!(migrate_file(&path), Err(SessionError::NotASession(_))));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn originals_do_not_overwrite_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    for (notation, name) in [
        ("v1: a", "session.jsonl.v1.bak"),
        ("v1: a b", "session.jsonl.v1-2.bak"),
        ("v2: a", "session.jsonl.v2.bak"),
    ] {
        fs::write(&path, session(notation)).unwrap();
        let original = folder.path().join(name);
        let from = if notation.starts_with("v1") { 1 } else { 2 };
        let done = Migration::Done { from, original: original.clone() };
        assert_eq!(migrate_file(&path).unwrap(), done);
        assert_eq!(fs::read_to_string(&original).unwrap(), session(notation));
    }
}

#[test]
fn unknown_header_fields_and_permissions_survive() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("v2: a").replacen("\"id\"", "\"extra\":[1],\"id\"", 1)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    migrate_file(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&header["extra"], &header["version"]), (&json!([1]), &json!(3)));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
