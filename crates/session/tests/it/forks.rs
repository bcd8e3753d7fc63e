//! Sessions made of other sessions.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_session::{
    Body, EntryId, Lineage, ProblemKind, Session, SessionInfo, SessionWriter, View, fork_point,
    labels,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::generate::{Sketch, any_session, cases};
use crate::mint::TestMint;
use crate::notation::session;

/// Writes a session file into `folder` and goes over to the branch that ends in `leaf`.
fn branched(folder: &Path, text: &str, leaf: &str) -> SessionWriter<TestMint> {
    let path = folder.join("original.jsonl");
    fs::write(&path, text).expect("the file can be written");
    let mut writer =
        SessionWriter::open(&path, "/home/dev", TestMint::default()).expect("a session");
    let leaf = EntryId::new(leaf).expect("not empty");
    writer.create_branched_session(&leaf).expect("the folder can be written to");
    assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some(text));
    writer
}

fn ids(session: &Session) -> String {
    let id = |entry: &pi_brain_session::Entry| {
        entry.id.as_ref().map_or("_".to_owned(), ToString::to_string)
    };
    session.log().entries().iter().map(id).collect::<Vec<_>>().join(" ")
}

fn context(session: &Session, leaf: &str) -> Value {
    let tree = session.tree(View::AsPi);
    let context = session.context(&tree, tree.find(leaf)).expect("the text can be read");
    serde_json::to_value(context).expect("a context is JSON")
}

fn kept_by(session: &Session, compaction: &str) -> Option<String> {
    let at = session.tree(View::AsPi).find(compaction)?;
    match &session.log().entries()[at].body {
        Body::Compaction { first_kept, .. } => first_kept.as_ref().map(ToString::to_string),
        _ => None,
    }
}

#[test]
fn a_branch_is_written_without_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let writer = branched(folder.path(), &session("a b c; b d e"), "d");
    assert_eq!(ids(writer.session()), "a b d");
    let parent = folder.path().join("original.jsonl");
    assert_eq!(writer.session().header().parent_session.as_deref(), parent.to_str());
    assert_eq!(writer.leaf().map(EntryId::as_str), Some("d"));
    assert_eq!(Session::open(writer.path().unwrap()).unwrap().log().entries().len(), 3);
}

#[test]
fn a_branch_without_words_is_not_written_yet() {
    let folder = tempfile::tempdir().unwrap();
    let writer = branched(folder.path(), &session("m:model(p,q) a"), "m");
    assert_eq!(ids(writer.session()), "m");
    assert!(!writer.path().unwrap().exists());
}

#[test]
fn labels_are_written_anew_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    // The label of `a` stands on the path, that of `b` elsewhere, that of `x` is not wanted.
    let text = session("a l:label(a,1) b c; b m:label(b,2) x n:label(x,3)");
    let writer = branched(folder.path(), &text, "c");
    let session = writer.session();
    let labels: Vec<(String, String)> = labels(session.log())
        .into_iter()
        .map(|(target, label)| (target.to_string(), label.text.into()))
        .collect();
    assert_eq!(labels, [("a".into(), "1".into()), ("b".into(), "2".into())]);
    assert!(ids(session).starts_with("a b c "));
    assert_eq!(session.log().entries().len(), 5);
    assert_eq!(session.tree(View::AsPi).leaves().count(), 1);
    // They keep the time at which they were given.
    let times: Vec<_> = session.log().entries()[3..]
        .iter()
        .map(|entry| entry.timestamp.unwrap().to_string())
        .collect();
    assert_eq!(times, ["2026-01-01T00:00:02.000Z", "2026-01-01T00:00:05.000Z"]);
}

#[test]
fn cleared_labels_stay_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let writer = branched(folder.path(), &session("a l:label(a,1) b m:label(a) c"), "c");
    assert_eq!(ids(writer.session()), "a b c");
}

#[test]
fn a_compaction_that_kept_a_label_keeps_what_followed_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = session("a l:label(a,1) m:label(a,2) b k:compaction(l) c");
    let writer = branched(folder.path(), &text, "c");
    assert_eq!(kept_by(writer.session(), "k").as_deref(), Some("b"));
    let before = Session::open(&folder.path().join("original.jsonl")).unwrap();
    assert_eq!(context(writer.session(), "c"), context(&before, "c"));
    // Nothing but the compaction follows the label.
    let folder = tempfile::tempdir().unwrap();
    let writer = branched(folder.path(), &session("a b l:label(a,1) k:compaction(l) c"), "c");
    assert_eq!(kept_by(writer.session(), "k").as_deref(), Some("k"));
}

fn any_text_and_leaf() -> impl Strategy<Value = (Sketch, usize)> {
    (any_session(24), any::<Index>())
        .prop_filter("a leaf is needed", |(sketch, _)| !sketch.entries.is_empty())
        .prop_map(|(sketch, leaf)| {
            let leaf = leaf.index(sketch.entries.len());
            (sketch, leaf)
        })
}

proptest! {
    #![proptest_config(cases(150))]

    /// A branched session is one chain that says what the branch said, with the labels of the branch.
    #[test]
    fn branched_sessions_say_the_same((sketch, leaf) in any_text_and_leaf()) {
        let folder = tempfile::tempdir().unwrap();
        let leaf = format!("e{leaf}");
        let writer = branched(folder.path(), &sketch.text(), &leaf);
        let (new, original) = (writer.session(), Session::open(&folder.path().join("original.jsonl")).unwrap());
        let old_tree = original.tree(View::AsPi);
        let is_label = |session: &Session, at: usize| matches!(session.log().entries()[at].body, Body::Label { .. });
        let path: Vec<EntryId> = old_tree
            .branch(old_tree.find(&leaf).unwrap())
            .into_iter()
            .filter(|&at| !is_label(&original, at))
            .map(|at| original.log().entries()[at].id.clone().unwrap())
            .collect();

        let tree = new.tree(View::AsPi);
        prop_assert!(new.problems(&tree).iter().all(|problem| problem.kind == ProblemKind::NoContent));
        let chain: Vec<Option<usize>> = (0..new.log().entries().len()).map(|at| tree.parent(at)).collect();
        prop_assert_eq!(chain, (0..new.log().entries().len()).map(|at| at.checked_sub(1)).collect::<Vec<_>>());
        let new_ids: Vec<EntryId> = new.log().entries().iter().map(|entry| entry.id.clone().unwrap()).collect();
        prop_assert_eq!(&new_ids[..path.len()], &path[..]);
        prop_assert!((path.len()..new_ids.len()).all(|at| is_label(new, at)));
        prop_assert_eq!(writer.leaf(), new_ids.last());

        let on_path: HashSet<&EntryId> = path.iter().collect();
        let wanted: Vec<_> = labels(original.log()).into_iter().filter(|(target, _)| on_path.contains(target)).collect();
        prop_assert_eq!(labels(new.log()), wanted);

        let last = new_ids.last().map_or("nobody".to_owned(), ToString::to_string);
        if !path.is_empty() {
            prop_assert_eq!(context(new, &last), context(&original, &leaf));
            prop_assert_eq!(fork_point(&original, new), Some(path.len() - 1));
        }
        if let Some(path) = writer.path().filter(|path| path.exists()) {
            let read_back = Session::open(path).unwrap();
            prop_assert_eq!(read_back.log().entries(), new.log().entries());
        }
    }

    #[test]
    fn forks_have_all_entries((sketch, _) in any_text_and_leaf()) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("original.jsonl");
        fs::write(&source, sketch.text()).unwrap();
        let writer = SessionWriter::fork_from(&source, "/elsewhere", &folder.path().join("new"), TestMint::default()).unwrap();
        let fork = Session::open(writer.path().unwrap()).unwrap();
        let entries: Vec<Value> = (0..fork.log().entries().len())
            .map(|at| serde_json::from_str(&fork.entry_raw(at).unwrap().into_json()).unwrap())
            .collect();
        prop_assert_eq!(&entries, &sketch.entries);
        let header = fork.header();
        prop_assert_eq!((header.cwd.as_deref(), header.parent_session.as_deref()), (Some("/elsewhere"), source.to_str()));
        prop_assert_eq!(fs::read_to_string(&source).unwrap(), sketch.text());
        prop_assert_eq!(writer.session().log().entries(), fork.log().entries());
    }
}

#[test]
fn forks_of_old_files_are_of_today() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("original.jsonl");
    let text = session("v1: a b:hook k:compaction(b) c");
    fs::write(&source, &text).unwrap();
    let writer =
        SessionWriter::fork_from(&source, "/", folder.path(), TestMint::default()).unwrap();
    let (old, new) = (Session::open(&source).unwrap(), writer.session());
    assert_eq!((new.header().version, new.log().entries().len()), (3, 4));
    let leaf = new.log().entries()[3].id.as_ref().unwrap().as_str();
    assert_eq!(context(new, leaf), context(&old, leaf));
    assert_eq!(fs::read_to_string(&source).unwrap(), text);
}

#[track_caller]
fn check_fork_point(original: &str, fork: &str, expected: Option<usize>) {
    let read =
        |notation: &str| Session::from_bytes(session(notation).into_bytes()).expect("a session");
    assert_eq!(fork_point(&read(original), &read(fork)), expected, "{original} / {fork}");
}

#[test]
fn forks_part_after_the_last_shared_entry() {
    check_fork_point("a b c", "a b d", Some(1));
    check_fork_point("a b c", "a b", Some(1));
    check_fork_point("a b c", "x", None);
    check_fork_point("a", "", None);
    // The same id at another time is not the same event; a label does not count.
    check_fork_point("a b", "a@9", None);
    check_fork_point("a l:label(a,x)", "a l:label(a,x)", Some(0));
    // Version 1 has no ids.
    check_fork_point("v1: a b c", "v1: a b c@9", Some(1));
    check_fork_point("v1: a b c", "a b x@9", Some(1));
}

#[test]
fn lineage_follows_paths_and_then_ids() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, id: &str, parent: Option<PathBuf>| {
        let mut header = serde_json::json!({"type": "session", "version": 3, "id": id});
        if let Some(parent) = parent {
            header["parentSession"] = parent.to_str().unwrap().into();
        }
        let path = folder.path().join(format!("{name}_{id}.jsonl"));
        fs::write(&path, header.to_string() + "\n").unwrap();
        SessionInfo::read(&path).unwrap()
    };
    let parent = write("1", "p", None);
    let by_path = write("2", "a", Some(parent.path.clone()));
    let by_id = write("3", "b", Some("/gone/1_p.jsonl".into()));
    let own = write("4", "c", Some(folder.path().join("4_c.jsonl")));
    let twin = write("5", "d", None);
    let other_twin = write("6", "d", None);
    let unclear = write("7", "e", Some("/gone/5_d.jsonl".into()));
    let lost = write("8", "f", Some("/gone/8_x.jsonl".into()));
    let all = [&parent, &by_path, &by_id, &own, &twin, &other_twin, &unclear, &lost];
    let lineage = Lineage::read(&all.map(|info| info.path.clone()));
    assert_eq!(lineage.parent(&by_path.path), Some(&*parent.path));
    assert_eq!(lineage.parent(&by_id.path), Some(&*parent.path));
    assert_eq!(lineage.children(&parent.path), [&*by_path.path, &*by_id.path]);
    for info in [&parent, &own, &unclear, &lost] {
        assert_eq!(lineage.parent(&info.path), None, "{}", info.id);
    }
}
