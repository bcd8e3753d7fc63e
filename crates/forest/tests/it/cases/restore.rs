//! Bringing back what was deleted.

use pi_brain_forest::Deletion::{Cascade, Reparent};
use pi_brain_forest::{NodeId, Restored};
use pi_brain_session::Millis;

use crate::support::Garden;

#[test]
fn a_subtree_comes_back_to_its_place() {
    let tree = "u:1, u:2 (a:x (u:y), a:z), u:3";
    let mut garden = Garden::new(tree);
    let removed = garden.delete(&["u:2"], Cascade).removed;
    assert_eq!(garden.sketch(), "u:1, u:3");
    let restored = garden.restore(removed[0]);
    assert_eq!((restored.node, restored.moved_back), (removed[0], vec![]));
    assert_eq!(restored.shown.len(), 4);
    assert_eq!(garden.sketch(), tree);
    let id = removed[0];
    assert_eq!(garden.refused(|forest, now| forest.restore(id, now)), "NotDeleted");
}

#[test]
fn what_was_deleted_before_stays_deleted() {
    let mut garden = Garden::new("u:a (a:b (u:c), a:d (u:e))");
    let b = garden.delete(&["a:b"], Cascade).removed[0];
    let a = garden.delete(&["u:a"], Cascade).removed[0];
    let refused = garden.refused(|forest, now| forest.restore(b, now));
    assert_eq!(refused, "NodeDeleted", "what it followed has to come back first");
    garden.restore(a);
    assert_eq!(garden.sketch(), "u:a (a:d (u:e))");
    garden.restore(b);
    assert_eq!(garden.sketch(), "u:a (a:b (u:c), a:d (u:e))");
}

#[test]
fn what_went_with_another_comes_back_with_it() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    let c = garden.id("u:c");
    let b = garden.delete(&["a:b"], Cascade).removed[0];
    let error = garden.forest.restore(c, Millis(9)).unwrap_err();
    assert_eq!(error.to_string(), format!("{c} was deleted together with {b}; restore that one"));
    garden.restore(b);
    assert_eq!(garden.sketch(), "u:a (a:b (u:c))");
}

#[test]
fn one_that_went_alone_takes_its_place_back() {
    let tree = "u:1, u:2 (a:x (u:y), a:z), u:3";
    let mut garden = Garden::new(tree);
    let children = [garden.id("a:x"), garden.id("a:z")];
    let id = garden.delete(&["u:2"], Reparent).removed[0];
    assert_eq!(
        garden.restore(id),
        Restored { node: id, shown: vec![id], moved_back: children.to_vec() }
    );
    assert_eq!(garden.sketch(), tree);
}

#[test]
fn what_was_written_since_goes_along_or_stays_where_it_was_written() {
    let mut garden = Garden::new("u:1 (u:2 (a:x))");
    let id = garden.delete(&["u:2"], Reparent).removed[0];
    let (one, x) = (garden.id("u:1"), garden.id("a:x"));
    garden.append(x, &["u:more"]);
    garden.append(one, &["a:new"]);
    garden.restore(id);
    assert_eq!(garden.sketch(), "u:1 (u:2 (a:x (u:more)), a:new)");
}

#[test]
fn one_that_was_written_again_meanwhile_becomes_one_with_it() {
    let mut garden = Garden::new("u:a (a:b (u:c)), u:z");
    let old = garden.delete(&["u:a"], Cascade).removed[0];
    let new = garden.append(garden.root, &["u:a", "a:b", "u:d"]).created;
    garden.bookmark("u:d", "mark");
    assert_eq!(garden.sketch(), "u:z, u:a (a:b (u:d))");
    let restored = garden.restore(old);
    assert_eq!(garden.sketch(), "u:a (a:b (u:c, u:d)), u:z");
    assert_eq!(restored.node, old);
    assert_eq!(garden.forest.node(new[0]).unwrap().id, old, "the newer name stands for it");
    assert_eq!(garden.bookmarks(), [("mark".to_owned(), "u:d".to_owned())]);
}

#[test]
fn one_that_went_alone_and_was_written_again() {
    let mut garden = Garden::new("u:1 (u:2 (a:x))");
    let old = garden.delete(&["u:2"], Reparent).removed[0];
    let one = garden.id("u:1");
    garden.append(one, &["u:2", "a:x", "u:other"]);
    assert_eq!(garden.sketch(), "u:1 (a:x, u:2 (a:x (u:other)))");
    garden.restore(old);
    assert_eq!(garden.sketch(), "u:1 (u:2 (a:x (u:other)))");
}

#[test]
fn two_that_went_alone_come_back_in_any_order() {
    for deletions in [["u:2", "u:3"], ["u:3", "u:2"]] {
        for restored in [[0, 1], [1, 0]] {
            let tree = "u:1 (u:2 (u:3 (u:4 (a:x), a:y), a:z), a:w)";
            let mut garden = Garden::new(tree);
            let gone: Vec<NodeId> = deletions
                .iter()
                .map(|label| garden.delete(&[label], Reparent).removed[0])
                .collect();
            assert_eq!(garden.sketch(), "u:1 (u:4 (a:x), a:y, a:z, a:w)");
            for at in restored {
                if garden.restore_if_possible(gone[at]) {
                    continue;
                }
                // What it followed is still deleted: that one first.
                assert!(garden.restore_if_possible(gone[1 - at]));
                assert!(garden.restore_if_possible(gone[at]));
                break;
            }
            assert_eq!(garden.sketch(), tree, "{deletions:?} {restored:?}");
        }
    }
}

impl Garden {
    fn restore_if_possible(&mut self, id: NodeId) -> bool {
        let now = self.now();
        self.forest.restore(id, now).is_ok()
    }
}

#[test]
fn a_child_that_was_deleted_first_comes_back_to_its_parent() {
    let tree = "u:1 (u:2 (a:x (u:y), a:z))";
    let mut garden = Garden::new(tree);
    let x = garden.delete(&["a:x"], Cascade).removed[0];
    let two = garden.delete(&["u:2"], Reparent).removed[0];
    assert_eq!(garden.sketch(), "u:1 (a:z)");
    assert_eq!(garden.refused(|forest, now| forest.restore(x, now)), "NodeDeleted");
    garden.restore(two);
    garden.restore(x);
    assert_eq!(garden.sketch(), tree);
}

#[test]
fn a_child_that_was_deleted_afterwards_comes_back_to_its_parent() {
    let tree = "u:1 (u:2 (a:x (u:y), a:z))";
    for (deletion, first) in
        [(Cascade, true), (Cascade, false), (Reparent, true), (Reparent, false)]
    {
        let mut garden = Garden::new(tree);
        let two = garden.delete(&["u:2"], Reparent).removed[0];
        let x = garden.delete(&["a:x"], deletion).removed[0];
        for id in if first { [two, x] } else { [x, two] } {
            garden.restore(id);
        }
        assert_eq!(garden.sketch(), tree, "{deletion:?} {first}");
    }
}

#[test]
fn a_child_that_was_split_or_edited_meanwhile_comes_back_whole() {
    let mut garden = Garden::new("u:1 (u:2 (a:Hello (u:y)))");
    let two = garden.delete(&["u:2"], Reparent).removed[0];
    garden.split("a:Hello", 3);
    assert_eq!(garden.sketch(), "u:1 (a:Hel (a:lo (u:y)))");
    garden.restore(two);
    assert_eq!(garden.sketch(), "u:1 (u:2 (a:Hel (a:lo (u:y))))");

    let mut garden = Garden::new("u:1 (u:2 (a:Hello (u:y)))");
    let two = garden.delete(&["u:2"], Reparent).removed[0];
    garden.edit("a:Hello", "Help");
    garden.restore(two);
    assert_eq!(garden.sketch(), "u:1 (u:2 (a:Hel (a:lo (u:y), a:p)))");
}

#[test]
fn restoring_never_takes_away_what_stood_there_on_its_own() {
    // The child that moves up is older than the twin it becomes one with, so it keeps its id.
    let mut garden = Garden::new("u:gone (a:t (u:1)), a:t (u:2)");
    let gone = garden.delete(&["u:gone"], Reparent).removed[0];
    assert_eq!(garden.sketch(), "a:t (u:1, u:2)");
    let restored = garden.restore(gone);
    assert_eq!(restored.moved_back, []);
    assert_eq!(garden.sketch(), "u:gone, a:t (u:1, u:2)");
    // The other way round it gives its id up, and stays as well.
    let mut garden = Garden::new("a:t (u:2), u:gone (a:t (u:1))");
    let gone = garden.delete(&["u:gone"], Reparent).removed[0];
    garden.restore(gone);
    assert_eq!(garden.sketch(), "a:t (u:2, u:1), u:gone");
}

#[test]
fn twins_that_both_followed_the_deleted_one_go_back_to_it() {
    let mut garden = Garden::new("u:x (a:c (u:t (a:1)), u:t (a:2))");
    let x = garden.delete(&["u:x"], Reparent).removed[0];
    garden.delete(&["a:c"], Reparent);
    assert_eq!(garden.sketch(), "u:t (a:1, a:2)");
    garden.restore(x);
    assert_eq!(garden.sketch(), "u:x (u:t (a:1, a:2))");
}

#[test]
fn what_was_deleted_after_a_twin_comes_back_after_the_one_that_is_left() {
    let mut garden = Garden::new("u:t (a:1), u:gone (u:t (a:2, a:3))");
    let three = garden.delete(&["a:3"], Cascade).removed[0];
    garden.delete(&["u:gone"], Reparent);
    assert_eq!(garden.sketch(), "u:t (a:1, a:2)");
    garden.restore(three);
    assert_eq!(garden.sketch(), "u:t (a:1, a:2, a:3)");
}

#[test]
fn restoring_what_was_never_deleted_or_never_there() {
    let mut garden = Garden::new("u:t, u:gone (u:t)");
    let t = garden.id_under("u:gone");
    assert_eq!(garden.refused(|forest, now| forest.restore(t, now)), "NotDeleted");
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    assert_eq!(garden.refused(|forest, now| forest.restore(missing, now)), "NodeNotFound");
    garden.delete(&["u:gone"], Reparent);
    let refused = garden.refused(|forest, now| forest.restore(t, now));
    assert_eq!(refused, "NotDeleted", "a merged one stands for one that can be seen");
    let gone = garden.forest.deleted().unwrap()[0].id;
    garden.forest.delete_root(garden.root, Millis(9)).unwrap();
    assert_eq!(garden.refused(|forest, now| forest.restore(gone, now)), "RootDeleted");
}

impl Garden {
    fn id_under(&self, chain: &str) -> NodeId {
        self.forest.children(self.id(chain).into()).unwrap()[0].id
    }
}

#[test]
fn what_can_be_restored_is_listed_newest_first() {
    let mut garden = Garden::new("u:a (a:b (u:c)), u:d, u:e");
    let b = garden.delete(&["a:b"], Cascade).removed[0];
    let e = garden.delete(&["u:e"], Reparent).removed[0];
    let d = garden.delete(&["u:d"], Cascade).removed[0];
    let listed: Vec<NodeId> = garden.forest.deleted().unwrap().iter().map(|node| node.id).collect();
    assert_eq!(listed, [d, e, b]);
    garden.restore(e);
    assert_eq!(garden.forest.deleted().unwrap().len(), 2);
}

#[test]
fn dropped_bookmarks_stay_dropped() {
    let mut garden = Garden::new("u:a (a:b)");
    garden.bookmark("a:b", "mark");
    let b = garden.delete(&["a:b"], Cascade).removed[0];
    garden.restore(b);
    assert_eq!(garden.bookmarks(), []);
    assert_eq!(garden.sketch(), "u:a (a:b)");
}
