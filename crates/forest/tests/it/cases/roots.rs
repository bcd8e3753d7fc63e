//! Roots and reads: cases 1 to 9, differences, and what others got wrong.

use std::sync::Mutex;
use std::thread;

use pi_brain_forest::{
    Change, Forest, MemoryStore, NewMessage, NodeId, Place, RootId, Store, Which,
};
use pi_brain_session::Millis;

use crate::support::{Garden, label, message};

#[test]
fn case_01_the_same_prompt_is_the_same_root() {
    let mut forest = Forest::new(MemoryStore::new());
    let mut find = |prompt| forest.find_or_create_root(prompt, Millis(1)).unwrap();
    let (with, without) = (find(Some("sys")), find(None));
    assert_ne!(with, without);
    assert_eq!((find(Some("sys")), find(None)), (with, without));
    assert_eq!(forest.roots().unwrap().len(), 2);
}

#[test]
fn case_01_finding_a_root_again_changes_nothing() {
    let mut garden = Garden::new("u:a");
    let found = garden.quiet(|forest, now| forest.find_or_create_root(Some("prompt"), now));
    assert_eq!(found, garden.root);
    assert_eq!(garden.forest.root(found).unwrap().created, Millis(0));
}

#[test]
fn case_02_every_byte_of_a_prompt_counts() {
    let mut forest = Forest::new(MemoryStore::new());
    let prompts = [None, Some(""), Some(" "), Some("sys"), Some("sys "), Some(" sys"), Some("Sys")];
    let mut find = |prompt| forest.find_or_create_root(prompt, Millis(1)).unwrap();
    let roots: Vec<RootId> = prompts.into_iter().map(&mut find).collect();
    let again: Vec<RootId> = prompts.into_iter().map(&mut find).collect();
    assert_eq!(roots, again);
    let stored = forest.roots().unwrap();
    assert_eq!(
        stored.iter().map(|root| root.system_prompt.as_deref()).collect::<Vec<_>>(),
        prompts
    );
}

#[test]
fn case_03_many_at_once_make_one_root() {
    let forest = Mutex::new(Forest::new(MemoryStore::new()));
    let roots: Vec<RootId> = thread::scope(|scope| {
        let find = || forest.lock().unwrap().find_or_create_root(Some("new"), Millis(1)).unwrap();
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(find)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(roots.iter().all(|root| *root == roots[0]), "{roots:?}");
    assert_eq!(forest.into_inner().unwrap().roots().unwrap().len(), 1);
}

#[test]
fn case_03_many_equal_appends_at_once_make_one_message() {
    let garden = Garden::new("");
    let (root, forest) = (garden.root, Mutex::new(garden.forest));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let messages =
                    vec![NewMessage::new(message("u:a")), NewMessage::new(message("a:b"))];
                let mut forest = forest.lock().unwrap();
                forest
                    .append(root.into(), messages, pi_brain_forest::Matching::Exact, Millis(1))
                    .unwrap();
            });
        }
    });
    assert_eq!(forest.into_inner().unwrap().subtree(root.into(), None).unwrap().len(), 2);
}

#[test]
fn case_04_a_deleted_root_is_not_found_again() {
    let mut garden = Garden::new("u:a (a:b)");
    let (old, inside) = (garden.root, garden.id("a:b"));
    garden.forest.delete_root(old, Millis(1)).unwrap();
    assert_eq!(garden.forest.roots().unwrap(), []);
    let new = garden.forest.find_or_create_root(Some("prompt"), Millis(2)).unwrap();
    assert_ne!(new, old);
    let refuse = |garden: &mut Garden, place: Place| {
        let children = garden.refused(|forest, _| forest.children(place));
        let append = garden.refused(|forest, now| {
            let new = NewMessage::new(message("u:c"));
            forest.append(place, vec![new], pi_brain_forest::Matching::Exact, now)
        });
        let go = garden.refused(|forest, _| forest.go_to(place));
        assert_eq!([children, append, go], ["RootDeleted"; 3]);
    };
    refuse(&mut garden, old.into());
    refuse(&mut garden, inside.into());
    assert_eq!(garden.refused(|forest, now| forest.delete_root(old, now)), "RootDeleted");
    assert_eq!(garden.refused(|forest, _| forest.restore_root(new)), "RootNotDeleted");
    let unknown: RootId = "root-9".parse().unwrap();
    assert_eq!(garden.refused(|forest, _| forest.restore_root(unknown)), "RootNotFound");
    assert_eq!(garden.refused(|forest, now| forest.delete_root(unknown, now)), "RootNotFound");
}

#[test]
fn case_04_a_restored_root_is_whole_and_the_oldest_of_equal_roots_is_found() {
    let mut garden = Garden::new("u:a (a:b, a:c)");
    garden.bookmark("a:b", "here");
    let old = garden.root;
    garden.forest.go_to(old.into()).unwrap();
    garden.forest.delete_root(old, Millis(1)).unwrap();
    assert_eq!(garden.forest.current().unwrap(), None);
    assert_eq!(garden.forest.bookmarks().unwrap(), []);
    let new = garden.forest.find_or_create_root(Some("prompt"), Millis(2)).unwrap();
    garden.forest.restore_root(old).unwrap();
    assert_eq!(garden.sketch(), "u:a (a:b, a:c)");
    assert_eq!(garden.bookmarks(), [("here".to_owned(), "a:b".to_owned())]);
    assert_eq!(garden.forest.find_or_create_root(Some("prompt"), Millis(3)).unwrap(), old);
    assert_eq!(garden.sketch_of(new), "");
}

#[test]
fn case_05_a_path_runs_from_the_oldest_to_the_newest() {
    let garden = Garden::new("u:a (a:b (u:c (a:d), u:x), a:y)");
    let path = |from: Option<Place>, to: Place| -> Vec<String> {
        let path = garden.forest.path(from, to).unwrap();
        path.iter().map(|node| label(&garden.forest.message(node.id).unwrap())).collect()
    };
    let (a, b, d) = (garden.id("u:a"), garden.id("a:b"), garden.id("a:d"));
    assert_eq!(path(None, d.into()), ["u:a", "a:b", "u:c", "a:d"]);
    assert_eq!(path(Some(b.into()), d.into()), ["a:b", "u:c", "a:d"]);
    assert_eq!(path(Some(d.into()), d.into()), ["a:d"]);
    assert_eq!(path(Some(a.into()), b.into()), ["u:a", "a:b"]);
    let said = garden.forest.messages(d.into()).unwrap();
    assert_eq!(
        said.iter().map(|said| label(said)).collect::<Vec<_>>(),
        ["u:a", "a:b", "u:c", "a:d"]
    );
}

#[test]
fn case_06_paths_at_the_root_and_paths_that_are_none() {
    let mut garden = Garden::new("u:a (a:b), u:c");
    let root = Place::Root(garden.root);
    let (a, b, c) = (garden.id("u:a"), garden.id("a:b"), garden.id("u:c"));
    assert_eq!(garden.forest.path(Some(root), b.into()).unwrap().len(), 2);
    assert_eq!(garden.forest.path(Some(root), root).unwrap(), []);
    assert_eq!(garden.forest.path(None, root).unwrap(), []);
    let other = Place::Root(garden.forest.find_or_create_root(None, Millis(1)).unwrap());
    for (from, to) in
        [(c.into(), b.into()), (b.into(), a.into()), (a.into(), root), (other, b.into())]
    {
        let refused = garden.refused(|forest, _| forest.path(Some(from), to));
        assert_eq!(refused, "NotAnAncestor", "{from} to {to}");
    }
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    assert_eq!(garden.refused(|forest, _| forest.path(None, missing.into())), "NodeNotFound");
    let missing: RootId = "root-99".parse().unwrap();
    assert_eq!(garden.refused(|forest, _| forest.path(None, missing.into())), "RootNotFound");
}

#[test]
fn case_06_a_circle_ends_in_an_error_wherever_one_looks() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    let (a, c) = (garden.id("u:a"), garden.id("u:c"));
    let mut twisted = (*garden.forest.node(a).unwrap()).clone();
    twisted.parent = c.into();
    garden.forest.store_mut().commit(vec![Change::Node(twisted)]).unwrap();
    assert_eq!(garden.refused(|forest, _| forest.path(None, c.into())), "BrokenPath");
    assert_eq!(garden.refused(|forest, _| forest.messages(c.into())), "BrokenPath");
    assert_eq!(garden.refused(|forest, _| forest.context(c.into(), "")), "BrokenPath");
    assert_eq!(garden.refused(|forest, _| forest.diff(a.into(), c.into())), "BrokenPath");
    assert_eq!(garden.refused(|forest, _| forest.subtree(c.into(), None)), "BrokenPath");
    assert_eq!(
        garden.refused(|forest, now| {
            forest.delete(&[c.into()], pi_brain_forest::Deletion::Cascade, true, now)
        }),
        "BrokenPath"
    );
    assert_eq!(
        garden.refused(|forest, now| {
            let result = NewMessage::new(message("t:x=done"));
            forest.append(c.into(), vec![result], pi_brain_forest::Matching::Exact, now)
        }),
        "BrokenPath"
    );
    assert_eq!(garden.forest.subtree(garden.root.into(), None).unwrap(), []);
}

#[test]
fn case_06_a_gap_in_the_middle_is_an_error() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    let (b, c) = (garden.id("a:b"), garden.id("u:c"));
    garden.forest.store_mut().commit(vec![Change::DropNode(b)]).unwrap();
    assert_eq!(garden.refused(|forest, _| forest.path(None, c.into())), "BrokenPath");
    assert_eq!(garden.refused(|forest, _| forest.messages(c.into())), "BrokenPath");
}

#[test]
fn case_07_twelve_siblings_stand_in_the_order_in_which_they_were_made() {
    let mut garden = Garden::new("");
    let labels: Vec<String> = (1..=12).rev().map(|number| format!("u:{number}")).collect();
    for label in &labels {
        garden.append(garden.root, &[label]);
    }
    assert_eq!(garden.sketch(), labels.join(", "));
    let siblings = garden.forest.siblings(garden.id("u:3")).unwrap();
    assert_eq!(siblings.len(), 11);
    assert!(siblings.iter().is_sorted_by_key(|node| node.id));
    assert!(siblings.iter().all(|node| node.id != garden.id("u:3")));
}

#[test]
fn case_08_a_subtree_comes_level_by_level() {
    let garden = Garden::new("u:a (a:b (u:d (a:f)), a:c (u:e)), u:g");
    let subtree = |from: Place, depth| -> String {
        let nodes = garden.forest.subtree(from, depth).unwrap();
        let labels = nodes.iter().map(|node| label(&garden.forest.message(node.id).unwrap()));
        labels.map(|label| label.replace("u:", "").replace("a:", "")).collect()
    };
    let (root, a) = (Place::Root(garden.root), Place::Node(garden.id("u:a")));
    assert_eq!(subtree(root, None), "agbcdef");
    assert_eq!(subtree(a, None), "abcdef");
    assert_eq!(subtree(root, Some(0)), "");
    assert_eq!(subtree(root, Some(1)), "ag");
    assert_eq!(subtree(root, Some(2)), "agbc");
    assert_eq!(subtree(a, Some(0)), "a");
    assert_eq!(subtree(a, Some(1)), "abc");
    assert_eq!(subtree(a, Some(99)), "abcdef");
    assert_eq!(subtree(garden.id("a:f").into(), None), "f");
}

#[test]
fn case_09_recent_leaves_are_newest_first_and_ties_go_to_the_later_made() {
    let mut garden = Garden::new("u:a (a:b, a:c), u:d");
    let leaves = |garden: &Garden, count| -> Vec<String> {
        let leaves = garden.forest.recent_leaves(count).unwrap();
        leaves.iter().map(|leaf| label(&garden.forest.message(leaf.id).unwrap())).collect()
    };
    assert_eq!(leaves(&garden, 9), ["u:d", "a:c", "a:b"]);
    assert_eq!(leaves(&garden, 2), ["u:d", "a:c"]);
    assert_eq!(leaves(&garden, 0), [""; 0]);
    let at_once = ["a:x", "a:y", "a:z"].map(|label| NewMessage::new(message(label)));
    for new in at_once {
        let a = garden.id("u:a");
        garden
            .forest
            .append(a.into(), vec![new], pi_brain_forest::Matching::Exact, Millis(2))
            .unwrap();
    }
    assert_eq!(leaves(&garden, 9), ["u:d", "a:c", "a:z", "a:y", "a:x", "a:b"]);
}

#[test]
fn malformed_ids_are_refused_before_they_reach_a_forest() {
    for text in [
        "",
        "root",
        "root-",
        "root-0",
        "root-01",
        "root-1/",
        "root-1/node-",
        "root-1/node-0",
        "root-1/node-+1",
        "node-1",
        "/node-1",
        "root-1/node-1/node-2",
        "root--1",
        "root-99999999999",
        " root-1",
        "ROOT-1",
    ] {
        text.parse::<Place>().expect_err(text);
        text.parse::<RootId>().expect_err(text);
        text.parse::<NodeId>().expect_err(text);
    }
    for text in ["root-1", "root-12/node-3"] {
        assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
    }
    assert!("root-1".parse::<NodeId>().is_err() && "root-1/node-1".parse::<RootId>().is_err());
}

#[test]
fn a_difference_starts_where_two_conversations_part() {
    let mut garden = Garden::new("u:a (a:b (u:c (a:d), u:e), a:f), u:g");
    let id = |label: &str| Place::Node(garden.id(label));
    let names = |nodes: &[std::sync::Arc<pi_brain_forest::Node>]| -> Vec<String> {
        nodes.iter().map(|node| label(&garden.forest.message(node.id).unwrap())).collect()
    };
    let diff = garden.forest.diff(id("a:d"), id("u:e")).unwrap();
    assert_eq!((diff.base, diff.shared, diff.turns()), (id("a:b"), 2, (1, 1)));
    assert_eq!(
        (names(&diff.left), names(&diff.right)),
        (vec!["u:c".into(), "a:d".into()], vec!["u:e".into()])
    );
    let diff = garden.forest.diff(id("a:b"), id("a:d")).unwrap();
    assert_eq!((diff.base, diff.left.len(), diff.right.len()), (id("a:b"), 0, 2));
    let diff = garden.forest.diff(id("a:f"), id("u:g")).unwrap();
    assert_eq!((diff.base, diff.shared, diff.turns()), (Place::Root(garden.root), 0, (1, 1)));
    let diff = garden.forest.diff(garden.root.into(), id("u:g")).unwrap();
    assert_eq!((diff.base, diff.right.len()), (Place::Root(garden.root), 1));
    let other = garden.forest.find_or_create_root(None, Millis(1)).unwrap();
    let here = Place::Node(garden.id("u:g"));
    assert_eq!(garden.refused(|forest, _| forest.diff(here, other.into())), "DifferentTrees");
}

#[test]
fn the_topology_has_no_content_and_no_hidden_message() {
    let mut garden = Garden::new("u:a (a:b (u:c), a:d)");
    garden.delete(&["a:b"], pi_brain_forest::Deletion::Cascade);
    let shape = garden.forest.topology(None).unwrap();
    let shape = serde_json::to_value(shape).unwrap();
    assert_eq!(
        shape,
        serde_json::json!([
            { "id": "root-1", "parent": null, "children": ["root-1/node-1"],
              "created": "1970-01-01T00:00:00.000Z", "role": "system" },
            { "id": "root-1/node-1", "parent": "root-1", "children": ["root-1/node-4"],
              "created": "1970-01-01T00:00:00.001Z", "role": "user" },
            { "id": "root-1/node-4", "parent": "root-1/node-1", "children": [],
              "created": "1970-01-01T00:00:00.004Z", "role": "assistant" },
        ])
    );
    let all = garden.forest.store().children(garden.id("u:a").into(), Which::All).unwrap();
    assert_eq!(all.len(), 2);
}

#[test]
fn looking_at_another_branch_hides_nothing() {
    let mut garden = Garden::new("u:a (a:b (u:c), a:d (u:e))");
    let before = garden.sketch();
    for label in ["u:c", "u:e", "a:b", "u:a"] {
        let place = Place::Node(garden.id(label));
        garden.forest.go_to(place).unwrap();
        assert_eq!(garden.forest.current().unwrap(), Some(place));
        assert_eq!(garden.sketch(), before);
    }
    let again = Place::Node(garden.id("u:a"));
    garden.quiet(|forest, _| forest.go_to(again));
}
