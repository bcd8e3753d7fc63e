//! The ways a conversation went.

use pi_brain_session::{Abandoned, Branches, Session, View};
use proptest::prelude::*;

use crate::generate::{any_session, cases};
use crate::notation::session;

fn opened(notation: &str) -> Session {
    Session::from_bytes(session(notation).into_bytes()).expect("the notation makes sessions")
}

fn name(session: &Session, at: usize) -> String {
    session.log().entries()[at].id.as_ref().map_or("_".to_owned(), ToString::to_string)
}

fn names(session: &Session, list: &[usize]) -> String {
    list.iter().map(|&at| name(session, at)).collect::<Vec<_>>().join(" ")
}

/// Writes branches as `from: own own`, with a bar between them.
#[track_caller]
fn check(notation: &str, expected: &str) {
    let session = opened(notation);
    let found = Branches::new(session.log(), &session.tree(View::Repaired)).list;
    let write = |branch: &pi_brain_session::Branch| {
        assert_eq!(branch.own.last(), Some(&branch.leaf));
        let own = names(&session, &branch.own);
        branch.from.map_or(own.clone(), |from| format!("{}: {own}", name(&session, from)))
    };
    assert_eq!(found.iter().map(write).collect::<Vec<_>>().join(" | "), expected, "{notation}");
}

#[test]
fn a_chain_is_one_branch() {
    check("", "");
    check("a", "a");
    check("a b c", "a b c");
}

#[test]
fn a_branch_begins_where_ways_part() {
    check("a b c; b d", "b: c | b: d");
    check("a b c; b d e; d f", "b: c | d: e | d: f");
    check("a b; c d", "a b | c d");
}

#[test]
fn branches_come_in_the_order_of_the_file() {
    check("a b@9; a c@1; a d@5", "a: b | a: c | a: d");
    check("a b c; b d; a e", "b: c | b: d | a: e");
}

#[test]
fn settings_and_labels_alone_are_no_branch() {
    check("a b; a l:label(a,x)", "a b");
    check("a b; a m:model(p,q) t:level(low)", "a b");
    check("m:model(p,q) t:level(low)", "");
    check("m:model(p,q); a b", "a b");
    // Something was said after them.
    check("a b; a m:model(p,q) c", "a: b | a: m c");
}

#[test]
fn settings_and_labels_at_the_end_belong_to_the_branch() {
    check("a b l:label(a,x)", "a b l");
    check("a b l:label(a,x) m:label(b,y)", "a b l m");
    check("a b l:label(a,x); b m:label(b,y)", "a b m");
    check("a b c l:label(a,x); b d m:model(p,q)", "b: c l | b: d m");
}

#[test]
fn summaries_and_compactions_speak() {
    check("a b; a s:summary(x)", "a: b | a: s");
    check("a b; a k:compaction(a)", "a: b | a: k");
    check("a b; a n:note", "a: b | a: n");
}

#[track_caller]
fn check_left(notation: &str, old: &str, target: Option<&str>, expected: &str) {
    let session = opened(notation);
    let tree = session.tree(View::AsPi);
    let find = |id: &str| tree.find(id).expect("the entry is in the session");
    let left = Abandoned::new(&tree, find(old), target.map(find));
    let ancestor = left.common_ancestor.map_or("-".to_owned(), |at| name(&session, at));
    assert_eq!(format!("{ancestor}: {}", names(&session, &left.entries)), expected, "{notation}");
}

#[test]
fn going_elsewhere_leaves_something_behind() {
    check_left("a b c; b d", "c", Some("d"), "b: c");
    check_left("a b c; b d", "c", Some("a"), "a: b c");
    check_left("a b c; b d", "c", Some("c"), "c: ");
    check_left("a b c; d e", "c", Some("e"), "-: a b c");
    check_left("a b c", "c", None, "-: a b c");
    check_left("a b c", "a", Some("c"), "a: ");
}

proptest! {
    #![proptest_config(cases(200))]

    /// No entry is on two branches, every branch has a leaf of its own, and every way that ends in words
    /// is on one.
    #[test]
    fn branches_divide_the_tree(sketch in any_session(24)) {
        let session = Session::from_bytes(sketch.text().into_bytes()).unwrap();
        let tree = session.tree(View::Repaired);
        let found = Branches::new(session.log(), &tree).list;
        let mut own: Vec<usize> = found.iter().flat_map(|branch| branch.own.clone()).collect();
        let count = own.len();
        own.sort_unstable();
        own.dedup();
        prop_assert_eq!(own.len(), count);
        for branch in &found {
            prop_assert_eq!(branch.from, tree.parent(branch.own[0]));
            prop_assert!(branch.own.windows(2).all(|pair| tree.parent(pair[1]) == Some(pair[0])));
            prop_assert!(tree.children(branch.leaf).is_empty());
        }
        let speaks = |at: &usize| {
            let kind = session.log().entries()[*at].kind();
            ["message", "custom_message", "branch_summary", "compaction"].contains(&kind)
        };
        for leaf in tree.leaves().filter(speaks) {
            prop_assert!(found.iter().any(|branch| branch.leaf == leaf));
        }
    }
}
