//! What an import does, case by case.

use std::fs;

use pi_brain_forest::{
    Deletion, Forest, Matching, MemoryStore, Message, NewMessage, News, NodeId, Place, Reading,
    Role, RootId, Store,
};
use pi_brain_session::{Millis, SessionError};

use super::notation::session;
use super::picture::picture;
use super::{NOW, forest_of, import, number_of};

/// Draws the visible tree of the only family: `a(b(c) d)`.
pub(super) fn tree<S: Store>(forest: &Forest<S>) -> String {
    let roots = forest.roots().unwrap();
    assert_eq!(roots.len(), 1, "one family");
    tree_of(forest, roots[0].id)
}

pub(super) fn tree_of<S: Store>(forest: &Forest<S>, root: RootId) -> String {
    fn draw<S: Store>(forest: &Forest<S>, place: Place) -> String {
        let children = forest.children(place).unwrap();
        let drawn: Vec<String> = children
            .iter()
            .map(|child| {
                let text = forest.message(child.id).unwrap().joined_text();
                match draw(forest, child.id.into()) {
                    below if below.is_empty() => text,
                    below => format!("{text}({below})"),
                }
            })
            .collect();
        drawn.join(" ")
    }
    draw(forest, root.into())
}

/// Finds the visible message that says something.
pub(super) fn find<S: Store>(forest: &Forest<S>, text: &str) -> NodeId {
    let says = |id: NodeId| forest.message(id).is_ok_and(|message| message.joined_text() == text);
    let roots = forest.roots().unwrap();
    let nodes = roots.iter().flat_map(|root| forest.subtree(root.id.into(), None).unwrap());
    nodes.map(|node| node.id).find(|id| says(*id)).unwrap()
}

fn check(files: &[(&str, &str)], expected: &str) {
    let texts: Vec<Vec<u8>> =
        files.iter().map(|(_, notation)| session("s", notation).bytes()).collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().zip(&texts).map(|((name, _), bytes)| (*name, &**bytes)).collect();
    assert_eq!(tree(&forest_of(&files)), expected);
}

#[test]
fn forks_share_what_they_have_in_common() {
    check(&[("/a", "a b:answer c d:answer"), ("/b", "a b:answer e f:answer")], "a(b(c(d) e(f)))");
    // Other ids, the same words.
    check(&[("/a", "a b:answer c"), ("/b", "p=a q=b:answer r=c s=d:answer")], "a(b(c(d)))");
    // A person who says the same again in the same place has said it once, with two answers.
    check(&[("/a", "a b:answer; p=a c:answer")], "a(b c)");
    // "continue" twice in a row is a chain.
    check(&[("/a", "a b:answer c=a d:answer")], "a(b(a(d)))");
    // The same words after other words are other messages.
    check(&[("/a", "a x; b p=x")], "a(x) b(x)");
    // The order of parallel results counts.
    check(
        &[
            ("/a", "c:calls(1,2) d:result(1) e:result(2)"),
            ("/b", "c:calls(1,2) e:result(2) d:result(1)"),
        ],
        "(d(e) e(d))",
    );
}

#[test]
fn decorations_are_walked_past() {
    check(&[("/a", "a b:model(m) c:level(high) d:nothing e:answer"), ("/b", "a e:answer")], "a(e)");
    check(&[("/a", "a l:label(a,x) b:answer; l c:answer")], "a(b c)");
    check(&[("/a", "s:system a n:name(x) u:usage(3) b:answer")], "a(b)");
}

#[test]
fn siblings_stand_in_the_order_of_time() {
    check(&[("/a", "a d; a c; a b")], "a(b c d)");
    let late = session("s", "a z=m").bytes();
    let early = session("s", "a b=m; a k").bytes();
    // What was said again earlier was said earlier.
    for files in [[("/a", &*late), ("/b", &*early)], [("/b", &*early), ("/a", &*late)]] {
        assert_eq!(tree(&forest_of(&files)), "a(m k)");
    }
}

#[test]
fn a_compaction_keeps_messages_not_names() {
    let said = |files: &[(&str, &str)]| {
        let texts: Vec<Vec<u8>> =
            files.iter().map(|(_, text)| session("s", text).bytes()).collect();
        let files: Vec<_> =
            files.iter().zip(&texts).map(|((name, _), bytes)| (*name, &**bytes)).collect();
        let forest = forest_of(&files);
        let root = forest.roots().unwrap()[0].id;
        forest.subtree(root.into(), None).unwrap().len()
    };
    // Another name for the same border, also where a setting stands at it.
    assert_eq!(said(&[("/a", "a b c:compaction(b)"), ("/b", "p=a q=b r=c:compaction(q)")]), 3);
    assert_eq!(
        said(&[("/a", "a l:level(low) b c:compaction(l)"), ("/b", "a b c:compaction(b)")]),
        3
    );
    // Another border is another message.
    assert_eq!(said(&[("/a", "a b c:compaction(b)"), ("/b", "a b c:compaction(a)")]), 4);
    assert_eq!(said(&[("/a", "a b c:compaction(b)"), ("/b", "a b c:compaction(nobody)")]), 4);
    // What is on another branch is not on the path; keeping itself is keeping nothing.
    assert_eq!(said(&[("/a", "a b; a d c:compaction(b)"), ("/b", "a d c:compaction(c)")]), 4);
}

#[test]
fn a_session_knows_its_labels_name_and_leaf() {
    let bytes = session(
        "s",
        "a b:answer l:label(a,one) m:label(b,two) n:name(first); a c o:label(a,three) p:label(b) q:name(last)",
    );
    let forest = forest_of(&[("/a", &bytes.bytes())]);
    let record = forest.store().sessions().unwrap()[0].clone();
    assert_eq!(record.name.as_deref(), Some("last"));
    assert_eq!(record.leaf, Place::Node(find(&forest, "c")), "where the last line stands");
    let labels: Vec<(Place, &str)> =
        record.labels.iter().map(|label| (label.place, &*label.text)).collect();
    assert_eq!(
        labels,
        [(Place::Node(find(&forest, "a")), "three")],
        "the last word counts, an empty one clears"
    );
    let owns: Vec<bool> = record.entries.iter().map(|entry| entry.own).collect();
    assert_eq!(owns, [true, true, false, false, false, true, false, false, false]);
    assert_eq!(record.cwd.as_deref(), Some("/home/dev"));
}

#[test]
fn unrelated_sessions_have_nothing_in_common() {
    let (one, other) = (session("s1", "a b:answer"), session("s2", "p=a q=b:answer"));
    let forest = forest_of(&[("/1", &one.bytes()), ("/2", &other.bytes())]);
    let roots = forest.roots().unwrap();
    assert_eq!(
        roots.iter().map(|root| root.family.as_deref().unwrap()).collect::<Vec<_>>(),
        ["s1", "s2"]
    );
    assert!(roots.iter().all(|root| tree_of(&forest, root.id) == "a(b)"));
}

#[test]
fn sessions_are_related_by_link_id_or_event() {
    let file = "/sessions/2026-01-01_one.jsonl";
    let original = session("one", "a b:answer").bytes();
    let relatives = [
        ("the path in the header", session("two", "p=a q=b:answer").fork_of(file)),
        (
            "the id in a path that has moved",
            session("two", "p=a q=b:answer").fork_of("/elsewhere/2026_one.jsonl"),
        ),
        ("an id instead of a path", session("two", "p=a q=b:answer").fork_of("one")),
        ("the same id", session("one", "p=a q=b:answer")),
        ("a shared entry", session("two", "a q=b:answer")),
        ("a shared setting", session("two", "m:model(m) p=a; b:answer")),
    ];
    for (how, relative) in relatives {
        let relative = relative.bytes();
        for files in
            [[(file, &*original), ("/2", &*relative)], [("/2", &*relative), (file, &*original)]]
        {
            let forest = forest_of(&files);
            assert_eq!(forest.roots().unwrap().len(), 1, "{how}");
        }
    }
    let strangers = [
        ("the same words", session("two", "p=a q=b:answer")),
        ("the same id at another time", session("two", "p=a b2=b:answer")),
        ("a label of the same name", session("two", "p=a l:label(p,x)")),
    ];
    let labelled = session("one", "a b:answer l:label(a,x)").bytes();
    for (how, stranger) in strangers {
        let forest = forest_of(&[(file, &*labelled), ("/2", &stranger.bytes())]);
        assert_eq!(forest.roots().unwrap().len(), 2, "{how}");
    }
}

#[test]
fn version_1_files_are_related_by_what_was_said_when() {
    let (one, other) =
        (session("one", "a b:answer c").aged(), session("two", "a b:answer d").aged());
    assert_eq!(tree(&forest_of(&[("/1", &one.bytes()), ("/2", &other.bytes())])), "a(b(c d))");
}

#[test]
fn news_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("2026_s.jsonl");
    let mut forest = Forest::new(MemoryStore::new());
    let mut import_file = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let changed = forest.changed_files(std::slice::from_ref(&path)).unwrap().len();
        let report = forest.import(vec![Reading::open(&path).unwrap()], NOW).unwrap();
        assert_eq!(forest.check().unwrap(), []);
        let session = &report.sessions[0];
        assert_eq!(changed == 0, session.news == News::Unchanged);
        (session.news, session.entries, session.messages, tree(&forest))
    };
    let whole = session("s", "a b:answer c d:answer").bytes();
    let half = session("s", "a b:answer").bytes();
    let torn = &whole[..half.len() + 30];
    assert_eq!(import_file(&half), (News::New, 2, 2, "a(b)".to_owned()));
    assert_eq!(import_file(&half), (News::Unchanged, 0, 0, "a(b)".to_owned()));
    assert_eq!(import_file(torn), (News::Grown, 0, 0, "a(b)".to_owned()));
    assert_eq!(import_file(&whole), (News::Grown, 2, 2, "a(b(c(d)))".to_owned()));
    // Somebody opened it with another program: other ids, other lines, one message more.
    let rewritten = session("s", "p=a q=b:answer r=x").bytes();
    assert_eq!(import_file(&rewritten), (News::Rewritten, 3, 1, "a(b(x))".to_owned()));
    assert_eq!(import_file(&half), (News::Rewritten, 2, 0, "a(b)".to_owned()));
}

#[test]
fn a_last_line_without_line_break_counts_and_may_still_change() {
    let whole = session("s", "a b:answer").bytes();
    let mut forest = Forest::new(MemoryStore::new());
    import(&mut forest, &[("/a", &whole[..whole.len() - 1])]);
    assert_eq!(tree(&forest), "a(b)");
    assert_eq!(forest.export_session(number_of(&forest, "/a")).unwrap(), whole[..whole.len() - 1]);
    let kept = find(&forest, "b");
    let report = import(&mut forest, &[("/a", &whole)]);
    assert_eq!((report.sessions[0].news, report.sessions[0].messages), (News::Grown, 0));
    assert_eq!(find(&forest, "b"), kept, "the message is still the same");
    // The next entry is glued to it: pi loses both, we do not.
    let mut forest = forest_of(&[("/a", &whole[..whole.len() - 1])]);
    let more = session("s", "a b:answer c").bytes();
    let glued = [&whole[..whole.len() - 1], &more[whole.len()..]].concat();
    import(&mut forest, &[("/a", &glued)]);
    assert_eq!(tree(&forest), "a(b(c))");
}

#[test]
fn a_parent_that_comes_late_moves_what_waited_for_it() {
    let child = r#"{"type":"message","id":"c","parentId":"p","timestamp":"2026-01-01T00:00:09.000Z","message":{"role":"user","content":"c"}}"#;
    let parent = r#"{"type":"message","id":"p","parentId":"a","timestamp":"2026-01-01T00:00:08.000Z","message":{"role":"user","content":"p"}}"#;
    let begun = [session("s", "a").bytes(), format!("{child}\n").into_bytes()].concat();
    let whole = [&*begun, format!("{parent}\n").as_bytes()].concat();
    let mut forest = forest_of(&[("/a", &begun)]);
    assert_eq!(tree(&forest), "a c");
    import(&mut forest, &[("/a", &whole)]);
    assert_eq!(tree(&forest), "a(p(c))");
    assert_eq!(picture(&forest), picture(&forest_of(&[("/a", &whole)])));
}

#[test]
fn migrating_an_old_file_changes_no_message() {
    let old = session("s", "a b:answer c").aged().bytes();
    let mut forest = forest_of(&[("/a", &old)]);
    let before: Vec<NodeId> = ["a", "b", "c"].map(|text| find(&forest, text)).to_vec();
    let report = import(&mut forest, &[("/a", &session("s", "p=a q=b:answer r=c d").bytes())]);
    assert_eq!((report.sessions[0].news, report.sessions[0].messages), (News::Rewritten, 1));
    assert_eq!(["a", "b", "c"].map(|text| find(&forest, text)).to_vec(), before);
}

#[test]
fn a_file_that_becomes_another_session_moves_out() {
    let (one, other) = (session("s1", "a b:answer"), session("s1", "a c"));
    let mut forest = forest_of(&[("/1", &one.bytes()), ("/2", &other.bytes())]);
    import(&mut forest, &[("/2", &session("s2", "x y").bytes())]);
    let families = forest.roots().unwrap();
    let drawn: Vec<(String, String)> = families
        .iter()
        .map(|root| (root.family.clone().unwrap(), tree_of(&forest, root.id)))
        .collect();
    let expected =
        [("s1", "a(b)"), ("s2", "x(y)")].map(|(id, tree)| (id.to_owned(), tree.to_owned()));
    assert_eq!(drawn, expected);
    // The last one leaves no empty tree behind.
    import(&mut forest, &[("/1", &session("s3", "z").bytes())]);
    let families: Vec<_> =
        forest.roots().unwrap().iter().map(|root| root.family.clone().unwrap()).collect();
    assert_eq!(families, ["s2", "s3"]);
}

#[test]
fn the_family_is_called_after_its_oldest_session() {
    let old = session("old", "a b:answer").begun(1).bytes();
    let new = session("new", "a b:answer c").begun(9).bytes();
    let mut forest = forest_of(&[("/new", &new)]);
    let root = forest.roots().unwrap()[0].clone();
    assert_eq!(root.family.as_deref(), Some("new"));
    import(&mut forest, &[("/old", &old)]);
    let now = forest.roots().unwrap()[0].clone();
    assert_eq!((now.id, now.family.as_deref()), (root.id, Some("old")));
    forest.remove_session(number_of(&forest, "/old"), NOW).unwrap();
    assert_eq!(forest.roots().unwrap()[0].family.as_deref(), Some("new"));
}

fn append<S: Store>(forest: &mut Forest<S>, at: NodeId, text: &str) -> NodeId {
    let message = NewMessage::new(Message::text(Role::User, text));
    let appended = forest.append(at.into(), vec![message], Matching::Exact, Millis(5)).unwrap();
    appended.end.node().unwrap()
}

#[test]
fn what_was_deleted_stays_deleted() {
    let mut forest = forest_of(&[("/a", &session("s", "a b:answer c").bytes())]);
    let top = find(&forest, "b");
    forest.delete(&[top.into()], Deletion::Cascade, false, NOW).unwrap();
    assert_eq!(tree(&forest), "a");
    // The file goes on below it, and a fork repeats it.
    import(&mut forest, &[("/a", &session("s", "a b:answer c d:answer; a e").bytes())]);
    import(&mut forest, &[("/b", &session("t", "a b:answer c f").bytes())]);
    assert_eq!(tree(&forest), "a(e)");
    forest.restore(top, NOW).unwrap();
    assert_eq!(tree(&forest), "a(b(c(d f)) e)");
    assert_eq!(forest.check().unwrap(), []);
}

#[test]
fn a_message_made_by_hand_is_the_sessions_when_a_session_says_it() {
    let mut forest = forest_of(&[("/a", &session("s", "a b:answer").bytes())]);
    let b = find(&forest, "b");
    let by_hand = append(&mut forest, b, "c");
    append(&mut forest, b, "mine");
    assert!(!forest.is_imported(by_hand).unwrap());
    import(&mut forest, &[("/a", &session("s", "a b:answer c d:answer").bytes())]);
    assert_eq!(find(&forest, "c"), by_hand);
    assert!(forest.is_imported(by_hand).unwrap());
    assert_eq!(tree(&forest), "a(b(mine c(d)))");
    // It was somebody's before it was the session's, and stays when the session goes.
    forest.remove_session(number_of(&forest, "/a"), NOW).unwrap();
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(tree(&forest), "a(b(mine c))");
}

#[test]
fn files_that_are_no_sessions_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let [good, bad, missing] =
        ["good.jsonl", "bad.jsonl", "missing.jsonl"].map(|name| folder.path().join(name));
    fs::write(&good, session("s", "a").bytes()).unwrap();
    fs::write(&bad, "{}\n").unwrap();
    let (readings, unreadable) = Reading::open_all(
        &[bad.clone(), good.clone(), missing.clone(), folder.path().to_owned()],
        |_| {},
    );
    assert_eq!(readings.iter().map(Reading::file).collect::<Vec<_>>(), [good.to_str().unwrap()]);
    assert_eq!(readings[0].session_id(), "s");
    assert!(matches!(&unreadable[..], [
        (_, SessionError::NotASession(one)), (_, SessionError::FileNotFound(two)), (_, SessionError::Read { .. }),
    ] if *one == bad && *two == missing));
}

#[test]
fn long_chains_and_many_children_are_ordinary() {
    let line = |id: usize, parent: Option<usize>| {
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:01.000Z","message":{{"role":"user","content":"{id}"}}}}"#
        ) + "\n"
    };
    let header = String::from_utf8(session("s", "").bytes()).unwrap();
    let count = 10_000;
    let chain: String = (0..count).map(|id| line(id, id.checked_sub(1))).collect();
    let siblings: String = (0..count).map(|id| line(id, (id > 0).then_some(0))).collect();
    for (text, depth) in [(chain, count), (siblings, 2)] {
        let bytes = (header.clone() + &text).into_bytes();
        let mut forest = Forest::new(MemoryStore::new());
        forest.import(vec![Reading::from_bytes("/a", bytes.clone()).unwrap()], NOW).unwrap();
        let fork = Reading::from_bytes("/b", bytes).unwrap();
        let report = forest.import(vec![fork], NOW).unwrap();
        assert_eq!(report.sessions[0].messages, 0);
        let record = forest.store().session(number_of(&forest, "/b")).unwrap().unwrap();
        assert_eq!(forest.path(None, record.leaf).unwrap().len(), depth);
        assert_eq!(forest.pi_context(record.leaf.node().unwrap()).unwrap().messages.len(), depth);
        forest.remove_session(number_of(&forest, "/a"), NOW).unwrap();
        assert_eq!(forest.remove_session(number_of(&forest, "/b"), NOW).unwrap(), count);
    }
}

#[test]
fn the_text_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, session("s", "a b:answer").bytes()).unwrap();
    let mut forest = Forest::new(MemoryStore::new());
    forest.import(vec![Reading::open(&path).unwrap()], NOW).unwrap();
    let b = find(&forest, "b");
    fs::write(&path, "something else\n").unwrap();
    let error = forest.message(b).unwrap_err();
    assert!(error.to_string().contains("could not read session"), "{error}");
}
