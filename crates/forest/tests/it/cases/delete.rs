//! Deleting: cases 48 to 55, references, and what others lost.

use pi_brain_forest::{
    Bookmark, Deleted, Deletion, FileSystemStore, Forest, ForestError, Matching, NewMessage,
    NodeId, Place,
};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::support::{Garden, kind, message};

fn titles(bookmarks: &[Bookmark]) -> Vec<&str> {
    bookmarks.iter().map(|bookmark| &*bookmark.title).collect()
}

#[test]
fn case_48_a_leaf_a_subtree_a_message_alone_and_nothing() {
    let tree = "u:a (a:b (u:c (a:d), u:e), a:f)";
    let mut garden = Garden::new(tree);
    let (c, d) = (garden.id("u:c"), garden.id("a:d"));
    let deleted = garden.delete(&["a:d"], Deletion::Cascade);
    assert_eq!((deleted.parents, deleted.removed), (vec![c.into()], vec![d]));
    assert_eq!(garden.sketch(), "u:a (a:b (u:c, u:e), a:f)");

    let mut garden = Garden::new(tree);
    let before = Place::Node(garden.id("u:a"));
    let going = ["a:b", "u:c", "u:e", "a:d"].map(|label| garden.id(label));
    let deleted = garden.delete(&["a:b"], Deletion::Cascade);
    assert_eq!((deleted.parents, &deleted.removed[..]), (vec![before], &going[..]));
    assert_eq!(garden.sketch(), "u:a (a:f)");
    for gone in going {
        assert_eq!(kind(&garden.forest.node(gone).unwrap_err()), "NodeDeleted");
    }

    let mut garden = Garden::new(tree);
    let deleted = garden.delete(&["a:b"], Deletion::Reparent);
    assert_eq!((deleted.parents, &deleted.removed[..]), (vec![before], &going[..1]));
    assert_eq!(garden.sketch(), "u:a (u:c (a:d), u:e, a:f)");
}

#[test]
fn case_48_what_is_not_there_is_passed_over() {
    let mut garden = Garden::new("u:a (a:b)");
    let b = garden.delete(&["a:b"], Deletion::Cascade).removed[0];
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    for places in [vec![], vec![missing.into()], vec![b.into(), missing.into(), b.into()]] {
        for deletion in [Deletion::Cascade, Deletion::Reparent] {
            let deleted = garden.quiet(|forest, now| forest.delete(&places, deletion, false, now));
            assert_eq!(deleted, Deleted::default());
        }
    }
    assert_eq!(garden.sketch(), "u:a");
}

#[test]
fn case_49_bookmarks_of_what_goes_are_dropped_and_reported() {
    let mut garden = Garden::new("u:a (a:b (u:c (a:d)), a:e)");
    for label in ["a:b", "u:c", "a:d", "a:e", "u:a"] {
        garden.bookmark(label, label);
    }
    let b = Place::Node(garden.id("a:b"));
    let refused = garden.refused(|forest, now| forest.delete(&[b], Deletion::Cascade, false, now));
    assert_eq!(refused, "Referenced");
    let deleted = garden.delete(&["a:b"], Deletion::Cascade);
    assert_eq!(titles(&deleted.dropped_bookmarks), ["a:b", "a:d", "u:c"]);
    assert_eq!(deleted.moved_bookmarks, []);
    let left: Vec<String> = garden.bookmarks().into_iter().map(|(title, _)| title).collect();
    assert_eq!(left, ["a:e", "u:a"]);
    assert_eq!(garden.sketch(), "u:a (a:e)");
}

#[test]
fn case_49_a_bookmark_deep_below_refuses_too_and_the_error_names_it() {
    let mut garden = Garden::new("u:a (a:b (u:c (a:d)))");
    garden.bookmark("a:d", "deep");
    let d = garden.id("a:d");
    let b = Place::Node(garden.id("a:b"));
    let error = garden.forest.delete(&[b], Deletion::Cascade, false, Millis(9)).unwrap_err();
    assert!(matches!(&error, ForestError::Referenced { node, .. } if *node == d), "{error}");
    assert!(error.to_string().contains(r#"the bookmark "deep""#), "{error}");
    let deleted = garden.forest.delete(&[b], Deletion::Reparent, false, Millis(9)).unwrap();
    assert_eq!(deleted.removed.len(), 1, "one that goes alone does not touch it");
}

#[test]
fn case_49_bookmarks_of_one_that_goes_alone_move_to_the_message_before() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    garden.bookmark("a:b", "one");
    garden.bookmark("a:b", "two");
    garden.bookmark("u:c", "child");
    let b = Place::Node(garden.id("a:b"));
    let refused = garden.refused(|forest, now| forest.delete(&[b], Deletion::Reparent, false, now));
    assert_eq!(refused, "Referenced");
    let deleted = garden.delete(&["a:b"], Deletion::Reparent);
    assert_eq!(titles(&deleted.moved_bookmarks), ["one", "two"]);
    let on = |title: &str, label: &str| (title.to_owned(), label.to_owned());
    assert_eq!(garden.bookmarks(), [on("child", "u:c"), on("one", "u:a"), on("two", "u:a")]);
    let deleted = garden.delete(&["u:a"], Deletion::Reparent);
    assert_eq!(titles(&deleted.dropped_bookmarks), ["one", "two"], "a root has no bookmarks");
    assert_eq!(garden.sketch(), "u:c");
}

#[test]
fn case_50_children_take_the_place_of_the_deleted_one() {
    let mut garden = Garden::new("u:1, u:2 (a:x, a:y (u:z)), u:3");
    garden.delete(&["u:2"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:1, a:x, a:y (u:z), u:3");
    garden.append(garden.root, &["u:4"]);
    garden.delete(&["a:y"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:1, a:x, u:z, u:3, u:4");
}

#[test]
fn case_51_twins_become_one_all_the_way_down() {
    let mut garden =
        Garden::new("u:t (a:x (u:1 (a:p), u:2)), u:gone (u:t (a:x (u:2, u:1 (a:q)), a:y))");
    garden.bookmark("u:gone > u:t", "top");
    garden.bookmark("u:gone > u:t > a:x > u:1", "deep");
    let (t, lower) = (garden.id("u:gone > u:t > a:x"), garden.id("u:gone > u:t > a:x > u:1"));
    garden.forest.go_to(lower.into()).unwrap();
    garden.delete(&["u:gone"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:t (a:x (u:1 (a:p, a:q), u:2), a:y)");
    let marks = [("deep".to_owned(), "u:1".to_owned()), ("top".to_owned(), "u:t".to_owned())];
    assert_eq!(garden.bookmarks(), marks);
    assert_eq!(garden.forest.current().unwrap(), Some(garden.id("u:1").into()));
    assert_eq!(garden.forest.node(t).unwrap().id, garden.id("a:x"), "old ids stay good");
    garden.append(garden.root, &["u:t", "a:x", "u:1", "a:q", "u:more"]);
    assert_eq!(garden.sketch(), "u:t (a:x (u:1 (a:p, a:q (u:more)), u:2), a:y)");
}

#[test]
fn case_51_the_notes_of_both_twins_are_kept() {
    let mut garden = Garden::new("u:t, u:gone (u:t)");
    let old = garden.forest.children(garden.root.into()).unwrap()[0].id;
    let new = garden.id_after("u:gone");
    let object = |value: Value| serde_json::from_value(value).unwrap();
    garden.forest.set_title(new, "named").unwrap();
    garden.forest.tag(old, &["a".to_owned(), "b".to_owned()], &[]).unwrap();
    garden.forest.tag(new, &["b".to_owned(), "c".to_owned()], &[]).unwrap();
    garden.forest.merge_custom_data(old, object(json!({ "x": 1, "y": 1 }))).unwrap();
    garden.forest.merge_custom_data(new, object(json!({ "y": 2, "z": 2 }))).unwrap();
    garden.delete(&["u:gone"], Deletion::Reparent);
    let node = garden.node("u:t");
    assert_eq!(node.id, old);
    assert_eq!(node.metadata.title.as_deref(), Some("named"));
    assert_eq!(node.metadata.tags, ["a", "b", "c"]);
    assert_eq!(Value::Object(node.metadata.custom_data.clone()), json!({ "x": 1, "y": 1, "z": 2 }));
}

impl Garden {
    /// Returns the one message that follows another.
    fn id_after(&self, chain: &str) -> NodeId {
        self.forest.children(self.id(chain).into()).unwrap()[0].id
    }
}

#[test]
fn case_52_a_call_cannot_go_without_its_results() {
    let mut garden = Garden::new("u:a (a:[x]|[y] (t:x=1 (t:y=2 (a:b))))");
    let call = Place::Node(garden.id("a:[x]|[y]"));
    let refuse = |garden: &mut Garden| {
        garden.refused(|forest, now| forest.delete(&[call], Deletion::Reparent, true, now))
    };
    assert_eq!(refuse(&mut garden), "HasResults");
    garden.delete(&["t:x=1"], Deletion::Reparent);
    assert_eq!(refuse(&mut garden), "HasResults", "the other result is still there");
    garden.delete(&["t:y=2"], Deletion::Reparent);
    garden.delete(&["a:[x]|[y]"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:a (a:b)");

    let mut garden = Garden::new("u:a (a:[x] (t:x=1 (a:b)))");
    garden.delete(&["a:[x]"], Deletion::Cascade);
    assert_eq!(garden.sketch(), "u:a");
}

#[test]
fn case_52_no_order_of_deleting_and_restoring_leaves_a_result_without_its_call() {
    // The result is hidden when its call goes.
    let mut garden = Garden::new("u:a (a:[x] (t:x=1, u:other))");
    let call = garden.id("a:[x]");
    let result = garden.delete(&["t:x=1"], Deletion::Cascade).removed[0];
    garden.delete(&["a:[x]"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:a (u:other)");
    assert_eq!(garden.refused(|forest, now| forest.restore(result, now)), "NodeDeleted");
    garden.restore(call);
    garden.restore(result);
    assert_eq!(garden.sketch(), "u:a (a:[x] (t:x=1, u:other))");

    // The hidden result is further down, after something that would move.
    let mut garden = Garden::new("u:a (a:[x] (u:between (t:x=1)))");
    garden.delete(&["t:x=1"], Deletion::Cascade);
    let call = Place::Node(garden.id("a:[x]"));
    let refused =
        garden.refused(|forest, now| forest.delete(&[call], Deletion::Reparent, true, now));
    assert_eq!(refused, "HasResults");
}

#[test]
fn case_52_a_call_and_its_results_can_go_together_in_any_order() {
    let tree = "u:a (a:[x]|[y] (t:x=1 (t:y=2 (a:b))))";
    let labels = ["a:[x]|[y]", "t:x=1", "t:y=2"];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut garden = Garden::new(tree);
        let ids = labels.map(|label| garden.id(label));
        garden.delete(&order.map(|at| labels[at]), Deletion::Reparent);
        assert_eq!(garden.sketch(), "u:a (a:b)");
        for id in ids {
            garden.restore(id);
        }
        assert_eq!(garden.sketch(), tree);
    }
    let mut garden = Garden::new(tree);
    let places = ["a:[x]|[y]", "t:x=1"].map(|label| Place::Node(garden.id(label)));
    let refused =
        garden.refused(|forest, now| forest.delete(&places, Deletion::Reparent, true, now));
    assert_eq!(refused, "HasResults", "one result would be left");
}

#[test]
fn case_53_parent_and_child_in_one_list() {
    let tree = "u:a (a:b (u:c (a:d)), a:e)";
    for list in [["a:b", "u:c"], ["u:c", "a:b"]] {
        let mut garden = Garden::new(tree);
        let ids = list.map(|label| garden.id(label));
        let parents = list.map(|label| garden.node(label).parent);
        let deleted = garden.delete(&list, Deletion::Cascade);
        assert_eq!((deleted.removed.len(), &deleted.parents[..]), (3, &parents[..]));
        assert_eq!(garden.sketch(), "u:a (a:e)");
        garden.restore(garden.forest.deleted().unwrap()[0].id);
        assert_eq!(garden.sketch(), tree, "one thing was deleted, and it is back: {ids:?}");

        let mut garden = Garden::new(tree);
        let deleted = garden.delete(&list, Deletion::Reparent);
        assert_eq!((deleted.removed.len(), &deleted.parents[..]), (2, &parents[..]));
        assert_eq!(garden.sketch(), "u:a (a:d, a:e)");
    }
    let mut garden = Garden::new(tree);
    let deleted = garden.delete(&["a:b", "a:b", "a:b"], Deletion::Reparent);
    assert_eq!((deleted.removed.len(), deleted.parents.len()), (1, 3));
}

#[test]
fn case_53_a_list_with_a_root_changes_nothing() {
    let mut garden = Garden::new("u:a (a:b), u:c");
    let (b, c, root) = (garden.id("a:b"), garden.id("u:c"), garden.root);
    for deletion in [Deletion::Cascade, Deletion::Reparent] {
        for list in [[b.into(), c.into(), root.into()], [root.into(), b.into(), c.into()]] {
            let list: [Place; 3] = list;
            let refused = garden.refused(|forest, now| forest.delete(&list, deletion, true, now));
            assert_eq!(refused, "RootProtected");
        }
    }
}

#[test]
fn case_53_what_stays_never_becomes_one_with_what_goes() {
    // The child of the deleted one is older than its twin beside it, and is to be deleted, too.
    for list in [["u:x", "u:x > a:t"], ["u:x > a:t", "u:x"]] {
        let mut garden = Garden::new("u:x (a:t (u:1)), a:t (u:2)");
        garden.delete(&list, Deletion::Reparent);
        assert_eq!(garden.sketch(), "u:1, a:t (u:2)");
    }
    for list in [["u:x", "u:x > a:t"], ["u:x > a:t", "u:x"]] {
        let mut garden = Garden::new("a:t (u:2), u:x (a:t (u:1))");
        garden.delete(&list, Deletion::Reparent);
        assert_eq!(garden.sketch(), "a:t (u:2), u:1");
    }
    // What moves up is a twin of another that is to be deleted.
    let mut garden = Garden::new("u:x (a:y (u:t (a:1)), u:t (a:2))");
    garden.delete(&["a:y", "u:x > u:t"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:x (u:t (a:1), a:2)");
}

#[test]
fn case_53_bookmarks_pass_over_everything_that_goes() {
    let mut garden = Garden::new("u:a (a:b (u:c (a:d)))");
    garden.bookmark("a:b", "b");
    garden.bookmark("u:c", "c");
    garden.forest.go_to(garden.id("u:c").into()).unwrap();
    let deleted = garden.delete(&["a:b", "u:c"], Deletion::Reparent);
    assert_eq!(titles(&deleted.moved_bookmarks), ["b", "c"]);
    assert_eq!(titles(&deleted.dropped_bookmarks), [""; 0]);
    assert!(deleted.moved_bookmarks.iter().all(|mark| mark.node == garden.id("u:a")));
    assert_eq!(garden.forest.current().unwrap(), Some(garden.id("u:a").into()));
    let deleted = garden.delete(&["u:a", "a:d"], Deletion::Reparent);
    assert_eq!(titles(&deleted.dropped_bookmarks), ["b", "c"]);
    assert_eq!(deleted.moved_bookmarks, []);
    assert_eq!(garden.sketch(), "");
}

#[test]
fn case_54_the_current_place_moves_to_the_message_before() {
    for (deletion, at, expected) in [
        (Deletion::Cascade, "a:b", "u:a"),
        (Deletion::Cascade, "a:d", "u:a"),
        (Deletion::Reparent, "a:b", "u:a"),
        (Deletion::Reparent, "a:d", "a:d"),
        (Deletion::Cascade, "a:e", "a:e"),
    ] {
        let mut garden = Garden::new("u:a (a:b (u:c (a:d)), a:e)");
        let (at, expected) = (garden.id(at), garden.id(expected));
        garden.forest.go_to(at.into()).unwrap();
        garden.delete(&["a:b"], deletion);
        assert_eq!(garden.forest.current().unwrap(), Some(expected.into()));
    }
    let mut garden = Garden::new("u:a");
    garden.forest.go_to(garden.id("u:a").into()).unwrap();
    garden.delete(&["u:a"], Deletion::Cascade);
    assert_eq!(garden.forest.current().unwrap(), Some(garden.root.into()));
}

#[test]
fn case_55_no_id_is_used_twice() {
    let mut garden = Garden::new("u:a (a:b)");
    let gone = garden.delete(&["u:a"], Deletion::Cascade).removed;
    let new = garden.append(garden.root, &["u:a", "a:b"]).created;
    assert!(new.iter().all(|id| !gone.contains(id)));
}

#[test]
fn case_55_no_id_is_used_twice_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Forest::new(FileSystemStore::open(folder.path()).unwrap());
    let append = |forest: &mut Forest<FileSystemStore>, at: Place, text: &str| {
        let new = vec![NewMessage::new(message(text))];
        forest.append(at, new, Matching::Exact, Millis(1)).unwrap().end
    };
    let mut forest = open();
    let root = forest.find_or_create_root(None, Millis(1)).unwrap();
    let a = append(&mut forest, root.into(), "u:a");
    let b = append(&mut forest, a, "a:b");
    forest.delete(&[b], Deletion::Cascade, false, Millis(2)).unwrap();
    drop(forest);
    let mut forest = open();
    let c = append(&mut forest, a, "a:b");
    assert!(c != b && c != a);
    forest.delete_root(root, Millis(3)).unwrap();
    drop(forest);
    let mut forest = open();
    assert_ne!(forest.find_or_create_root(None, Millis(4)).unwrap(), root);
}

#[test]
fn custom_data_that_names_a_message_protects_it() {
    let mut garden = Garden::new("u:a (a:b (u:c)), u:d, u:e");
    let (b, c, d) = (garden.id("a:b"), garden.id("u:c"), garden.id("u:d"));
    let refer = |value: Value| serde_json::from_value(value).unwrap();
    garden
        .forest
        .merge_custom_data(d, refer(json!({ "see": [{ "also": c.to_string() }] })))
        .unwrap();
    let refuse = |garden: &mut Garden, place: NodeId, deletion| {
        garden.refused(|forest, now| forest.delete(&[place.into()], deletion, false, now))
    };
    assert_eq!(refuse(&mut garden, c, Deletion::Cascade), "Referenced");
    assert_eq!(refuse(&mut garden, c, Deletion::Reparent), "Referenced");
    assert_eq!(refuse(&mut garden, b, Deletion::Cascade), "Referenced");
    let error = garden.forest.delete(&[b.into()], Deletion::Cascade, false, Millis(1)).unwrap_err();
    assert!(error.to_string().contains(&format!("custom data of {d}")), "{error}");
    garden.forest.delete(&[b.into()], Deletion::Reparent, false, Millis(8)).unwrap();
    garden.forest.delete(&[c.into(), d.into()], Deletion::Cascade, false, Millis(9)).unwrap();
    assert_eq!(garden.sketch(), "u:a, u:e", "what goes itself protects nothing");
}

#[test]
fn custom_data_in_another_tree_protects_too() {
    let mut garden = Garden::new("u:a (a:b)");
    let b = garden.id("a:b");
    let other = garden.forest.find_or_create_root(None, Millis(1)).unwrap();
    let there = garden.append(other, &["u:there"]).created[0];
    let data = serde_json::from_value(json!({ "see": b.to_string() })).unwrap();
    garden.forest.merge_custom_data(there, data).unwrap();
    let refused =
        garden.refused(|forest, now| forest.delete(&[b.into()], Deletion::Cascade, false, now));
    assert_eq!(refused, "Referenced");
}

#[test]
fn the_name_of_a_merged_message_protects_the_one_that_is_left() {
    let mut garden = Garden::new("u:t, u:gone (u:t), u:other");
    let (merged, other) = (garden.id_after("u:gone"), garden.id("u:other"));
    let data = serde_json::from_value(json!({ "see": merged.to_string() })).unwrap();
    garden.forest.merge_custom_data(other, data).unwrap();
    garden.delete(&["u:gone"], Deletion::Reparent);
    assert_eq!(garden.sketch(), "u:t, u:other");
    let left = Place::Node(garden.id("u:t"));
    let refused =
        garden.refused(|forest, now| forest.delete(&[left], Deletion::Cascade, false, now));
    assert_eq!(refused, "Referenced");
}

#[test]
fn deleting_follows_ancestry_and_not_time() {
    let mut garden = Garden::new("u:a (a:old (u:1), a:new)");
    let old = garden.id("a:old");
    garden.append(old, &["u:late"]);
    garden.append(garden.root, &["u:other", "a:later"]);
    garden.delete(&["a:new"], Deletion::Cascade);
    assert_eq!(garden.sketch(), "u:a (a:old (u:1, u:late)), u:other (a:later)");
}

#[test]
fn deleting_the_last_variant_hides_no_other() {
    let mut garden = Garden::new("u:a (a:1, a:2, a:3)");
    garden.delete(&["a:3"], Deletion::Cascade);
    assert_eq!(garden.sketch(), "u:a (a:1, a:2)");
    garden.delete(&["a:1"], Deletion::Cascade);
    garden.delete(&["a:2"], Deletion::Cascade);
    assert_eq!(garden.sketch(), "u:a");
    garden.append(garden.root, &["u:a", "a:2"]);
    assert_eq!(garden.sketch(), "u:a (a:2)");
}

#[test]
fn deleting_in_a_deleted_tree_is_refused() {
    let mut garden = Garden::new("u:a");
    let a = Place::Node(garden.id("u:a"));
    garden.forest.delete_root(garden.root, Millis(1)).unwrap();
    let refused = garden.refused(|forest, now| forest.delete(&[a], Deletion::Cascade, true, now));
    assert_eq!(refused, "RootDeleted");
}
