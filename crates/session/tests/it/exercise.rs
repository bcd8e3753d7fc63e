//! Asks everything that can be asked of a session; the fuzzer does the same.

use pi_brain_session::{
    Abandoned, Branches, Conversation, Log, Session, Tree, View, all_messages_text, fork_point,
    labels,
};

/// Reads `bytes` as a session, at once and in two pieces, and looks at it from all sides.
///
/// Returns whether it is a session.
///
/// # Panics
///
/// If what the library says contradicts itself.
pub(crate) fn exercise(bytes: &[u8], cut: usize) -> bool {
    let in_two = read_in_two(bytes, cut);
    let Ok(session) = Session::from_bytes(bytes.to_vec()) else {
        assert!(in_two.is_none());
        return false;
    };
    if let Some(in_two) = in_two {
        let log = session.log();
        assert_eq!(in_two.header(), log.header());
        assert_eq!(in_two.entries(), log.entries());
        assert_eq!(in_two.problems(), log.problems());
        assert_eq!((in_two.position(), in_two.end()), (log.position(), log.end()));
    }
    assert_eq!(session.log().end(), bytes.len() as u64);
    for at in 0..session.log().entries().len() {
        let text = session.entry_raw(at).expect("nothing changes in memory");
        assert!(text.raw().is_object());
    }
    for view in [View::AsPi, View::Repaired] {
        let tree = session.tree(view);
        check_tree(session.log(), &tree);
        look_around(&session, &tree);
    }
    assert!(all_messages_text(&session).is_ok());
    assert!(labels(session.log()).len() <= session.log().entries().len());
    true
}

fn read_in_two(bytes: &[u8], cut: usize) -> Option<Log> {
    let mut log = Log::read(&bytes[..cut]).ok()?;
    let offset = usize::try_from(log.position().offset).expect("the bytes are in memory");
    log.extend(&bytes[offset..]).ok()?;
    Some(log)
}

/// Checks that every entry has one place, and that all directions agree.
pub(crate) fn check_tree(log: &Log, tree: &Tree) {
    let count = log.entries().len();
    let mut seen = vec![0; count];
    for &root in tree.roots() {
        assert_eq!(tree.parent(root), None);
        seen[root] += 1;
    }
    for at in 0..count {
        for &child in tree.children(at) {
            assert_eq!(tree.parent(child), Some(at));
            seen[child] += 1;
        }
    }
    for &echo in tree.echoes() {
        seen[echo] += 1;
        let id = log.entries()[echo].id.as_ref().expect("only an id can be repeated");
        assert!(tree.find(id.as_str()) > Some(echo));
    }
    assert_eq!(seen, vec![1; count]);
    let depths = tree.depths();
    for (at, &depth) in depths.iter().enumerate() {
        if tree.echoes().contains(&at) {
            continue;
        }
        let path = tree.branch(at);
        assert_eq!((path.len(), path.last()), (depth + 1, Some(&at)));
        assert!(tree.roots().contains(&path[0]));
    }
    assert_eq!(tree.leaf(), count.checked_sub(1));
    assert_eq!(tree.leaves().count() == 0, count == 0);
}

/// Contexts, branches, numbers and plans; at a few leaves only, since files can have thousands.
fn look_around(session: &Session, tree: &Tree) {
    const LEAVES: usize = 12;
    let branches = Branches::new(session.log(), tree);
    let ways = &branches.list;
    for way in ways {
        assert!(tree.children(way.leaf).is_empty());
        assert_eq!(tree.parent(way.own[0]), way.from);
    }
    if let Some(way) = &branches.silent {
        assert_eq!(Some(way.leaf), tree.leaf());
        assert!(ways.iter().all(|other| !other.own.contains(&way.leaf)));
        assert_eq!(tree.parent(way.own[0]), way.from);
    }
    let points = &branches.points;
    assert!(ways.iter().all(|way| way.from.is_none_or(|from| points.contains(&from))));
    let stats = session.stats(tree).expect("nothing changes in memory");
    assert_eq!((stats.entries, stats.branches), (session.log().entries().len(), ways.len()));
    assert!(session.problems(tree).len() >= session.log().problems().len());
    assert!(session.context(tree, None).is_ok_and(|context| context.messages.is_empty()));
    for leaf in tree.leaves().take(LEAVES).chain(tree.leaf()) {
        let context = session.context(tree, Some(leaf)).expect("nothing changes in memory");
        assert!(serde_json::to_string(&context).is_ok());
        for keep in [0, 30, 20_000] {
            let plan =
                session.plan_compaction(tree, leaf, keep).expect("nothing changes in memory");
            let Some(plan) = plan else { continue };
            assert!(!plan.summarized.is_empty() || !plan.turn_prefix.is_empty());
            let messages = plan.summarized.iter().chain(&plan.turn_prefix);
            let messages = messages.map(|message| message.raw().expect("checked when it was made"));
            let conversation = Conversation::from_messages(messages, plan.files);
            assert!(!conversation.summarize(Some("earlier"), Some("this")).is_empty());
        }
        let left = Abandoned::new(tree, leaf, tree.leaf());
        let conversation = session.conversation(&left.entries).expect("nothing changes in memory");
        assert!(!conversation.summarize(None, None).is_empty());
        assert!(conversation.to_text().is_empty() || !left.entries.is_empty());
    }
    assert!(fork_point(session, session) < Some(session.log().entries().len()));
}
