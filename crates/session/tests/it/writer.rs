//! Appending to sessions, in memory and on disk.

use std::fs;
use std::path::Path;

use pi_brain_session::{
    EntryId, NewBranchSummary, NewCompaction, Role, Session, SessionError, SessionWriter, View,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::generate::{any_text, cases};
use crate::mint::TestMint;
use crate::notation::session;

type Writer = SessionWriter<TestMint>;

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a value is JSON")
}

/// JSON as a person would write it, over several lines.
fn pretty(value: &Value) -> Box<RawValue> {
    let text = serde_json::to_string_pretty(value).expect("a value is JSON");
    RawValue::from_string(text).expect("a value is JSON")
}

fn user(text: &str) -> Box<RawValue> {
    raw(&json!({"role": "user", "content": text, "timestamp": 1}))
}

fn entries_json(session: &Session) -> Vec<String> {
    let json = |at| session.entry_raw(at).expect("the entry is still there").into_json();
    (0..session.log().entries().len()).map(json).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Something that can be done to a session.
#[derive(Clone, Debug)]
enum Operation {
    Say(&'static str, String),
    ChooseModel(String),
    ChooseLevel,
    Compact(Option<Index>, String),
    KeepState(Option<String>),
    Note(String),
    Label(Index, Option<String>),
    Name(String),
    Account,
    Edit(Index, Option<String>),
    Branch(Index),
    Reset,
    BranchWithSummary(Option<Index>, String),
    BranchOff(Index),
    StartAnew(bool),
    Reopen,
}

fn any_operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let index = any::<Index>;
    let role =
        prop::sample::select(&["user", "assistant", "toolResult", "system", "bashExecution"][..]);
    prop_oneof![
        6 => (role, any_text()).prop_map(|(role, text)| O::Say(role, text)),
        1 => any_text().prop_map(O::ChooseModel),
        1 => Just(O::ChooseLevel),
        1 => (prop::option::of(index()), any_text()).prop_map(|(kept, text)| O::Compact(kept, text)),
        1 => prop::option::of(any_text()).prop_map(O::KeepState),
        1 => any_text().prop_map(O::Note),
        2 => (index(), prop::option::of(any_text())).prop_map(|(target, text)| O::Label(target, text)),
        1 => any_text().prop_map(O::Name),
        1 => Just(O::Account),
        2 => (index(), prop::option::of(any_text())).prop_map(|(target, text)| O::Edit(target, text)),
        2 => index().prop_map(O::Branch),
        1 => Just(O::Reset),
        1 => (prop::option::of(index()), any_text()).prop_map(|(to, text)| O::BranchWithSummary(to, text)),
        1 => index().prop_map(O::BranchOff),
        1 => any::<bool>().prop_map(O::StartAnew),
        1 => Just(O::Reopen),
    ]
}

impl Operation {
    /// Does it; returns the new entry's id, if there is one.
    fn apply(&self, writer: &mut Writer) -> Result<Option<EntryId>, SessionError> {
        let target = |index: &Index| target(writer, *index);
        match self {
            Self::Say(role, text) => {
                let message = json!({"role": role, "content": text, "model": "m", "timestamp": 1});
                writer.append_message(&pretty(&message)).map(Some)
            }
            Self::ChooseModel(text) => writer.append_model_change("p", text).map(Some),
            Self::ChooseLevel => writer.append_thinking_level_change("high").map(Some),
            Self::Compact(kept, text) => {
                let (kept, details) =
                    (kept.as_ref().map(target), pretty(&json!({"readFiles": [text]})));
                let new = NewCompaction {
                    summary: text,
                    first_kept: kept.as_ref(),
                    tokens_before: 7,
                    details: Some(&details),
                    ..NewCompaction::default()
                };
                writer.append_compaction(new).map(Some)
            }
            Self::KeepState(data) => {
                let data = data.as_ref().map(|data| pretty(&json!([data, {"a": 1}])));
                writer.append_custom_entry("c", data.as_deref()).map(Some)
            }
            Self::Note(text) => writer
                .append_custom_message_entry(
                    "c",
                    &pretty(&json!([{"type": "text", "text": text}])),
                    true,
                    None,
                )
                .map(Some),
            Self::Label(index, text) => {
                let target = target(index);
                writer.append_label_change(&target, text.as_deref()).map(Some)
            }
            Self::Name(text) => writer.append_session_info(text).map(Some),
            Self::Account => writer
                .append_usage("k", "p", "m", &pretty(&json!({"input": 1})), Some("note"))
                .map(Some),
            Self::Edit(index, text) => {
                let (target, content) =
                    (target(index), text.as_ref().map(|text| pretty(&json!(text))));
                writer.append_context_edit(&target, content.as_deref()).map(Some)
            }
            Self::Branch(index) => {
                let target = target(index);
                writer.branch(&target).map(|()| None)
            }
            Self::Reset => {
                writer.reset_leaf();
                Ok(None)
            }
            Self::BranchWithSummary(to, text) => {
                let to = to.as_ref().map(target);
                let new = NewBranchSummary { summary: text, ..NewBranchSummary::default() };
                writer.branch_with_summary(to.as_ref(), new).map(Some)
            }
            Self::BranchOff(index) => {
                let target = target(index);
                writer.create_branched_session(&target).map(|()| None)
            }
            Self::StartAnew(with_parent) => writer.new_session(None, *with_parent).map(|()| None),
            Self::Reopen => {
                let last =
                    writer.session().log().entries().last().and_then(|entry| entry.id.clone());
                match last {
                    Some(last) => writer.branch(&last)?,
                    None => writer.reset_leaf(),
                }
                Ok(None)
            }
        }
    }

    /// Returns where the new entry hangs: where the leaf was, unless the operation moves it first.
    fn parent(&self, writer: &Writer) -> Option<EntryId> {
        match self {
            Self::BranchWithSummary(to, _) => to.map(|index| target(writer, index)),
            _ => writer.leaf().cloned(),
        }
    }
}

/// Chooses an entry of the session, or one that is not there.
fn target(writer: &Writer, index: Index) -> EntryId {
    let entries = writer.session().log().entries();
    let id = entries.get(index.index(entries.len() + 1)).and_then(|entry| entry.id.clone());
    id.unwrap_or_else(|| EntryId::new("nobody").expect("not empty"))
}

fn has_conversation(session: &Session) -> bool {
    let speaks = |role: Option<&Role>| matches!(role, Some(Role::User | Role::Assistant));
    session.log().entries().iter().any(|entry| speaks(entry.role()))
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn writers_only_append(operations in prop::collection::vec(any_operation(), 0..25), short_ids in 0_u32..20) {
        let folder = tempfile::tempdir().unwrap();
        let mint = TestMint::with_collisions(short_ids);
        let mut writer = SessionWriter::create("/home/dev", folder.path(), mint.clone());
        let mut in_memory = SessionWriter::in_memory("/home/dev", TestMint::with_collisions(short_ids));
        for operation in operations {
            let path = writer.path().unwrap().to_owned();
            let (text, leaf, parent) = (read(&path), writer.leaf().cloned(), operation.parent(&writer));
            let entries = entries_json(writer.session());
            if matches!(operation, Operation::Reopen) && path.exists() {
                writer = SessionWriter::open(&path, "/elsewhere", mint.clone()).unwrap();
            }

            let result = operation.apply(&mut writer);
            let result_in_memory = operation.apply(&mut in_memory);
            prop_assert_eq!(format!("{:?}", result), format!("{:?}", result_in_memory));
            prop_assert_eq!(writer.leaf(), in_memory.leaf());
            prop_assert_eq!(entries_json(writer.session()), entries_json(in_memory.session()));

            match result {
                Err(_) => {
                    prop_assert_eq!(read(&path), text);
                    prop_assert_eq!((writer.path(), writer.leaf()), (Some(&*path), leaf.as_ref()));
                    prop_assert_eq!(entries_json(writer.session()), entries);
                }
                Ok(None) => prop_assert_eq!(read(&path), text),
                Ok(Some(id)) => {
                    prop_assert!(read(&path).starts_with(&text));
                    prop_assert_eq!(writer.leaf(), Some(&id));
                    let new = entries_json(writer.session()).split_off(entries.len());
                    prop_assert_eq!(new.len(), 1);
                    let new: Value = serde_json::from_str(&new[0]).unwrap();
                    prop_assert_eq!(&new["id"], id.as_str());
                    prop_assert_eq!(new["parentId"].as_str(), parent.as_ref().map(EntryId::as_str));
                    prop_assert!(entries.iter().all(|old| serde_json::from_str::<Value>(old).unwrap()["id"] != id.as_str()));
                }
            }
            let path = writer.path().unwrap();
            prop_assert_eq!(path.exists(), has_conversation(writer.session()));
            if path.exists() {
                let text = read(path);
                prop_assert!(text.ends_with('\n'));
                prop_assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok_and(|line| line.is_object())));
                prop_assert_eq!(text.lines().count(), writer.session().log().entries().len() + 1);
                let read_back = Session::open(path).unwrap();
                prop_assert_eq!(read_back.log().entries(), writer.session().log().entries());
                prop_assert_eq!(read_back.header(), writer.session().header());
                prop_assert_eq!(read_back.log().problems(), []);
            }
        }
    }

    /// Whatever an accident left at the end of a file, the next entry stands on a line of its own.
    #[test]
    fn a_torn_tail_gets_a_line_break_first(tail in prop_oneof![
        "\\PC{1,20}",
        (0_usize..150).prop_map(|end| session("z").lines().last().unwrap().chars().take(end + 1).collect::<String>()),
    ]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let before = session("a b") + &tail;
        fs::write(&path, &before).unwrap();
        let leaf = Session::open(&path).unwrap().log().entries().last().and_then(|entry| entry.id.clone());
        let mut writer = SessionWriter::open(&path, "/", TestMint::default()).unwrap();
        prop_assert_eq!(read(&path), before.clone());
        let id = writer.append_message(&user("c")).unwrap();
        let after = read(&path);
        prop_assert!(after.starts_with(&before));
        let added = &after[before.len()..];
        prop_assert!(added.starts_with("\n{") && added.ends_with("}\n") && added.matches('\n').count() == 2, "{}", added);
        let entry: Value = serde_json::from_str(added.trim()).unwrap();
        prop_assert_eq!(entry["id"].as_str(), Some(id.as_str()));
        prop_assert_eq!(entry["parentId"].as_str(), leaf.as_ref().map(EntryId::as_str));
        let read_back = Session::open(&path).unwrap();
        prop_assert_eq!(read_back.log().entries(), writer.session().log().entries());
    }
}

#[test]
fn a_file_appears_with_the_first_words() {
    for role in ["user", "assistant"] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer =
            SessionWriter::create("/home/dev", &folder.path().join("deep/er"), TestMint::default());
        writer.append_model_change("p", "m").unwrap();
        writer.append_session_info("name").unwrap();
        writer.append_message(&raw(&json!({"role": "system", "content": ""}))).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        writer.append_message(&raw(&json!({"role": role, "content": []}))).unwrap();
        assert_eq!(read(writer.path().unwrap()).lines().count(), 5);
        assert_eq!(fs::read_dir(folder.path().join("deep/er")).unwrap().count(), 1);
    }
}

#[test]
fn a_session_can_be_written_before_anybody_speaks() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionWriter::create("/home/dev", folder.path(), TestMint::default());
    writer.append_model_change("p", "m").unwrap();
    writer.write_now().unwrap();
    let path = writer.path().unwrap().to_owned();
    let text = read(&path);
    assert_eq!(text.lines().count(), 2);
    writer.write_now().unwrap();
    assert_eq!(read(&path), text);
    writer.append_thinking_level_change("low").unwrap();
    assert!(read(&path).starts_with(&text));
    assert_eq!(Session::open(&path).unwrap().log().entries().len(), 2);
}

#[test]
fn lines_are_written_as_pi_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionWriter::create("/home/dev", folder.path(), TestMint::default());
    let first =
        writer.append_message(&raw(&json!({"role": "system", "content": "be kind"}))).unwrap();
    let asked = writer.append_message(&user("q\n\u{2028}")).unwrap();
    writer
        .append_message(&raw(&json!({"role": "assistant", "content": [], "stopReason": "stop"})))
        .unwrap();
    writer.append_model_change("p", "m").unwrap();
    writer.append_thinking_level_change("high").unwrap();
    writer.append_label_change(&asked, Some("mark")).unwrap();
    writer.append_label_change(&asked, None).unwrap();
    writer.append_session_info(" two\nlines ").unwrap();
    writer.append_custom_entry("state", Some(&raw(&json!({"n": 1})))).unwrap();
    writer.append_custom_message_entry("note", &raw(&json!("text")), false, None).unwrap();
    writer.append_usage("cache_warm", "p", "m", &raw(&json!({"input": 1})), None).unwrap();
    writer.append_context_edit(&asked, Some(&raw(&json!("shorter")))).unwrap();
    writer.append_context_edit(&asked, None).unwrap();
    let compaction = NewCompaction {
        summary: "so far",
        first_kept: Some(&asked),
        tokens_before: 9,
        ..NewCompaction::default()
    };
    writer.append_compaction(compaction).unwrap();
    writer
        .append_compaction(NewCompaction {
            summary: "all",
            from_hook: Some(true),
            ..NewCompaction::default()
        })
        .unwrap();
    let summary = NewBranchSummary {
        summary: "went astray",
        from_hook: Some(false),
        ..NewBranchSummary::default()
    };
    writer.branch_with_summary(Some(&first), summary).unwrap();
    writer.reset_leaf();
    writer
        .branch_with_summary(
            None,
            NewBranchSummary { summary: "again", ..NewBranchSummary::default() },
        )
        .unwrap();
    insta::assert_snapshot!(read(writer.path().unwrap()));
}

#[test]
fn files_that_are_missing_or_empty_become_sessions_of_that_name() {
    let folder = tempfile::tempdir().unwrap();
    let (missing, empty) = (folder.path().join("missing.jsonl"), folder.path().join("empty.jsonl"));
    fs::write(&empty, "").unwrap();
    for path in [missing, empty] {
        let mut writer = SessionWriter::open(&path, "/home/dev", TestMint::default()).unwrap();
        writer.append_thinking_level_change("low").unwrap();
        assert_eq!(read(&path), "");
        writer.append_message(&user("a")).unwrap();
        assert_eq!(writer.path(), Some(&*path));
        assert_eq!(Session::open(&path).unwrap().log().entries().len(), 2);
        assert_eq!(Session::open(&path).unwrap().header().cwd.as_deref(), Some("/home/dev"));
    }
}

#[test]
fn files_that_cannot_be_appended_to_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let open = |text: &str| {
        fs::write(&path, text).unwrap();
        let opened = SessionWriter::open(&path, "/", TestMint::default());
        let named = opened.and_then(|mut writer| {
            writer.ensure_current()?;
            writer.append_session_info("a name")
        });
        if named.is_err() {
            assert_eq!(read(&path), text);
        }
        named.err()
    };
    for version in [1, 2] {
        let error = open(&session(&format!("v{version}: a")));
        assert!(
            matches!(error, Some(SessionError::OldVersion { version: found, .. }) if found == version)
        );
    }
    assert!(matches!(open("{}\n"), Some(SessionError::NotASession(_))));
    assert!(matches!(open("\n"), Some(SessionError::NotASession(_))));
    assert!(open(&session("a")).is_none());
    let error = SessionWriter::open(folder.path(), "/", TestMint::default()).err();
    assert!(matches!(error, Some(SessionError::NotASession(_))));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut writer = SessionWriter::in_memory("/", TestMint::default());
    let nobody = EntryId::new("nobody").unwrap();
    for message in ["[]", "{}", "{\"role\":7}", "\"user\""] {
        let message = RawValue::from_string(message.to_owned()).unwrap();
        assert!(matches!(writer.append_message(&message), Err(SessionError::BadMessage)));
    }
    assert!(matches!(writer.branch(&nobody), Err(SessionError::EntryNotFound(_))));
    assert!(matches!(
        writer.append_label_change(&nobody, Some("x")),
        Err(SessionError::EntryNotFound(_))
    ));
    assert!(matches!(
        writer.append_context_edit(&nobody, None),
        Err(SessionError::EntryNotFound(_))
    ));
    assert!(matches!(writer.create_branched_session(&nobody), Err(SessionError::EntryNotFound(_))));
    for id in ["", "-a", "a b", "é", "a."] {
        assert!(
            matches!(writer.new_session(Some(id), false), Err(SessionError::BadSessionId(_))),
            "{id}"
        );
    }
    let asked = writer.append_message(&user("a")).unwrap();
    let level = writer.append_thinking_level_change("low").unwrap();
    assert!(matches!(writer.append_context_edit(&level, None), Err(SessionError::NotEditable(_))));
    writer.reset_leaf();
    assert!(matches!(writer.append_context_edit(&asked, None), Err(SessionError::NotOnBranch(_))));
    assert_eq!(writer.session().log().entries().len(), 2);
    assert_eq!(writer.leaf(), None);
}

#[test]
fn new_sessions_may_choose_their_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SessionWriter::create("/home/dev", folder.path(), TestMint::default());
    writer.append_message(&user("a")).unwrap();
    let parent = writer.path().unwrap().to_owned();
    writer.new_session(Some("my_own.id-1"), true).unwrap();
    writer.append_message(&user("b")).unwrap();
    let header = writer.session().header();
    assert_eq!((&*header.id, header.parent_session.as_deref()), ("my_own.id-1", parent.to_str()));
    assert_eq!(pi_brain_session::id_in_file_name(writer.path().unwrap()), Some("my_own.id-1"));
    assert_eq!(writer.session().log().entries().len(), 1);
}

/// Does something that cannot be written, and checks that nothing has changed.
#[track_caller]
fn check_failure<T>(
    writer: &mut Writer,
    operation: impl FnOnce(&mut Writer) -> Result<T, SessionError>,
) {
    let state = |writer: &Writer| {
        let header = writer.session().header().clone();
        (
            writer.path().map(Path::to_owned),
            writer.leaf().cloned(),
            header,
            writer.session().log().entries().to_vec(),
        )
    };
    let before = state(writer);
    assert!(matches!(operation(writer), Err(SessionError::Write { .. })));
    assert_eq!(state(writer), before);
}

fn check_all_failures(writer: &mut Writer) {
    check_failure(writer, |writer| writer.append_message(&user("lost")));
    let Some(first) = writer.session().log().entries().first().and_then(|entry| entry.id.clone())
    else {
        return;
    };
    if !has_conversation(writer.session()) {
        return;
    }
    check_failure(writer, |writer| writer.append_label_change(&first, Some("lost")));
    check_failure(writer, |writer| writer.append_custom_entry("lost", None));
    check_failure(writer, |writer| writer.append_compaction(NewCompaction::default()));
    check_failure(writer, |writer| {
        writer.branch_with_summary(Some(&first), NewBranchSummary::default())
    });
    check_failure(writer, |writer| writer.branch_with_summary(None, NewBranchSummary::default()));
}

#[test]
fn a_file_that_is_gone_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    let mut writer = SessionWriter::create("/home/dev", &inner, TestMint::default());
    writer.append_message(&user("a")).unwrap();
    writer.append_message(&user("b")).unwrap();
    fs::remove_dir_all(&inner).unwrap();
    check_all_failures(&mut writer);
    assert!(!inner.exists());
}

#[test]
fn a_folder_that_is_a_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    let mut writer = SessionWriter::create("/home/dev", &inner, TestMint::default());
    let first = writer.append_message(&user("a")).unwrap();
    fs::rename(&inner, folder.path().join("moved")).unwrap();
    fs::write(&inner, "in the way").unwrap();
    check_all_failures(&mut writer);
    check_failure(&mut writer, |writer| writer.create_branched_session(&first));
    let source = folder.path().join("moved").join(writer.path().unwrap().file_name().unwrap());
    let fork = SessionWriter::fork_from(&source, "/", &inner, TestMint::default());
    assert!(matches!(fork, Err(SessionError::Write { .. })));
    // A session that is not written yet keeps what it has, too.
    let mut pending = SessionWriter::create("/home/dev", &inner, TestMint::default());
    pending.append_thinking_level_change("low").unwrap();
    check_all_failures(&mut pending);
    check_failure(&mut pending, SessionWriter::write_now);
    assert_eq!(read(&inner), "in the way");
}

#[test]
fn a_full_disk_changes_nothing() {
    let full = Path::new("/dev/full");
    let mut writer = SessionWriter::open(full, "/home/dev", TestMint::default()).unwrap();
    writer.append_thinking_level_change("low").unwrap();
    check_all_failures(&mut writer);
    check_failure(&mut writer, SessionWriter::write_now);
}

#[test]
fn two_programs_on_one_file_interleave() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("a b")).unwrap();
    let mint = TestMint::default();
    let mut one = SessionWriter::open(&path, "/", mint.clone()).unwrap();
    let mut other = SessionWriter::open(&path, "/", mint).unwrap();
    let theirs = other.append_message(&user("other")).unwrap();
    let ours = one.append_message(&user("one")).unwrap();
    other.append_message(&user("other again")).unwrap();
    one.append_message(&user("one again")).unwrap();
    let tree = one.session().tree(View::AsPi);
    assert_eq!(one.session().log().entries().len(), 6);
    assert_eq!(tree.problems(), []);
    assert_eq!(tree.parent(tree.find(ours.as_str()).unwrap()), tree.find("b"));
    assert_eq!(tree.parent(tree.find(theirs.as_str()).unwrap()), tree.find("b"));
    // What the session shows can be gone to.
    one.branch(&theirs).unwrap();
    one.append_label_change(&theirs, Some("theirs")).unwrap();
}

#[test]
fn the_newest_session_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mint = TestMint::default;
    let fresh = SessionWriter::continue_recent("/home/dev", folder.path(), true, mint()).unwrap();
    assert_eq!(fresh.leaf(), None);
    for (second, name, cwd) in
        [(1, "old", "/home/dev"), (3, "elsewhere", "/tmp"), (2, "new", "/home/dev")]
    {
        let path = folder.path().join(format!("{name}.jsonl"));
        fs::write(&path, session(name).replace("/home/dev", cwd)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + second);
        fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    fs::write(folder.path().join("no-session.jsonl"), "{}\n").unwrap();
    let leaf = |only_this_cwd: bool| {
        let writer =
            SessionWriter::continue_recent("/home/dev", folder.path(), only_this_cwd, mint())
                .unwrap();
        writer.leaf().unwrap().to_string()
    };
    assert_eq!((leaf(true), leaf(false)), ("new".to_owned(), "elsewhere".to_owned()));
}

#[test]
fn a_compaction_carries_the_system_message_in_force() {
    let mut writer = SessionWriter::in_memory("/", TestMint::default());
    let system = |fields: Value| {
        let mut message = json!({"role": "system", "content": ""});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        raw(&message)
    };
    writer.append_message(&system(json!({"content": "one", "sections": {"a": "1", "b": "2"}, "toolsAdded": [{"name": "x"}, {"name": "y"}]}))).unwrap();
    writer.append_message(&system(json!({"content": "two", "sections": {"a": null, "c": "3"}, "toolsRemoved": [{"name": "x"}], "toolsAdded": [{"name": "y", "v": 2}]}))).unwrap();
    writer.append_message(&user("a")).unwrap();
    writer.append_compaction(NewCompaction::default()).unwrap();
    let last: Value = serde_json::from_str(entries_json(writer.session()).last().unwrap()).unwrap();
    let mut system = last["systemMessage"].clone();
    system.as_object_mut().unwrap().remove("timestamp");
    assert_eq!(
        system,
        json!({"role": "system", "content": "one\n\ntwo", "sections": {"b": "2", "c": "3"}, "toolsAdded": [{"name": "y", "v": 2}]})
    );
}
