//! Families that turn out to be one.

use pi_brain_forest::{
    Deletion, Forest, Matching, MemoryStore, Message, NewMessage, NodeId, Place, Role, Store,
};
use pi_brain_session::Millis;

use super::importing::{find, tree};
use super::notation::session;
use super::picture::picture;
use super::{NOW, forest_of, import, number_of};

/// Two families that only a third session relates: it has entries of both.
fn families() -> [Vec<u8>; 3] {
    [
        session("old", "a b:answer c").begun(1).bytes(),
        session("new", "p=a b2=b:answer x y:answer").begun(2).bytes(),
        session("link", "p=a b:answer z").begun(3).bytes(),
    ]
}

#[test]
fn the_order_of_four_files_does_not_matter() {
    let [old, new, link] = families();
    let fork =
        session("fork", "a b:answer c d:answer l:label(c,x)").begun(4).fork_of("/link").bytes();
    let files: [(&str, &[u8]); 4] =
        [("/old", &old), ("/new", &new), ("/link", &link), ("/fork", &fork)];
    let expected = picture(&forest_of(&files));
    for order in permutations(files.len()) {
        let files: Vec<_> = order.iter().map(|&at| files[at]).collect();
        let mut forest = Forest::new(MemoryStore::new());
        for file in files {
            import(&mut forest, &[file]);
        }
        assert_eq!(tree(&forest), "a(b(c(d) x(y) z))", "{order:?}");
        assert_eq!(picture(&forest), expected, "{order:?}");
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let longer = |order: Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, next);
                longer
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn append<S: Store>(forest: &mut Forest<S>, at: NodeId, text: &str) -> NodeId {
    let message = NewMessage::new(Message::text(Role::User, text));
    let appended = forest.append(at.into(), vec![message], Matching::Exact, Millis(5)).unwrap();
    appended.end.node().unwrap()
}

#[test]
fn the_tree_of_the_oldest_session_stays_and_old_ids_go_on_working() {
    let [old, new, link] = families();
    let mut forest = forest_of(&[("/new", &new), ("/old", &old)]);
    let [new_root, old_root] = [0, 1].map(|at| forest.roots().unwrap()[at].id);
    let in_new: Vec<NodeId> = ["x", "y"].map(|text| find(&forest, text)).to_vec();
    let shared = forest.children(new_root.into()).unwrap()[0].id;
    let mine = append(&mut forest, in_new[1], "mine");
    forest.bookmark(in_new[0], "here", NOW).unwrap();
    forest.set_title(shared, "A title").unwrap();
    forest.go_to(mine.into()).unwrap();
    let report = import(&mut forest, &[("/link", &link)]);
    assert_eq!(report.joined, [(new_root, old_root)]);
    assert_eq!(tree(&forest), "a(b(c x(y(mine)) z))");
    assert_eq!(forest.roots().unwrap()[0].family.as_deref(), Some("old"));
    // Ids of the tree that is gone stand for those of the tree that is left.
    assert_eq!(forest.root(new_root).unwrap().id, old_root);
    for (id, text) in in_new.iter().zip(["x", "y"]) {
        assert_eq!(forest.node(*id).unwrap().id, find(&forest, text));
        assert_eq!(forest.message(*id).unwrap().joined_text(), text);
    }
    assert_eq!(forest.bookmarks().unwrap()[0].node, find(&forest, "x"));
    assert_eq!(forest.current().unwrap(), Some(Place::Node(find(&forest, "mine"))));
    assert_eq!(forest.node(shared).unwrap().metadata.title.as_deref(), Some("A title"));
    assert!(!forest.is_imported(find(&forest, "mine")).unwrap());
    let record = forest.store().session(number_of(&forest, "/new")).unwrap().unwrap();
    assert_eq!((record.root, record.leaf), (old_root, Place::Node(find(&forest, "y"))));
    // The sessions come out as they went in.
    for (name, bytes) in [("/old", &old), ("/new", &new), ("/link", &link)] {
        assert_eq!(forest.export_session(number_of(&forest, name)).unwrap(), *bytes);
    }
    // A session of the tree that is gone can grow and go.
    import(
        &mut forest,
        &[("/new", &session("new", "p=a b2=b:answer x y:answer w").begun(2).bytes())],
    );
    assert_eq!(tree(&forest), "a(b(c x(y(mine w)) z))");
    forest.remove_session(number_of(&forest, "/new"), NOW).unwrap();
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(tree(&forest), "a(b(c x(y(mine)) z))", "a message by hand keeps what it follows");
    assert_eq!(forest.message(in_new[1]).unwrap().joined_text(), "y");
}

#[test]
fn what_was_deleted_in_either_family_is_deleted() {
    for (deleted, left) in [("/new", "a"), ("/old", "a")] {
        let [old, new, link] = families();
        let mut forest = forest_of(&[("/old", &old), ("/new", &new)]);
        let record = forest.store().session(number_of(&forest, deleted)).unwrap().unwrap();
        let top = record.entries[1].place;
        forest.delete(&[top], Deletion::Cascade, false, NOW).unwrap();
        let other = if deleted == "/new" { "/old" } else { "/new" };
        let other = forest.store().session(number_of(&forest, other)).unwrap().unwrap();
        forest.bookmark(other.leaf.node().unwrap(), "there", NOW).unwrap();
        import(&mut forest, &[("/link", &link)]);
        assert_eq!(tree(&forest), left);
        assert_eq!(
            forest.bookmarks().unwrap()[0].node,
            find(&forest, "a"),
            "a bookmark needs something to see"
        );
        forest.restore(top.node().unwrap(), NOW).unwrap();
        assert_eq!(tree(&forest), "a(b(c x(y) z))");
        assert_eq!(forest.check().unwrap(), []);
    }
}

#[test]
fn what_was_deleted_and_said_again_stays_to_be_seen() {
    let [old, new, link] = families();
    let mut forest = forest_of(&[("/old", &old), ("/new", &new)]);
    let record = forest.store().session(number_of(&forest, "/new")).unwrap().unwrap();
    let (first, top) = (record.entries[0].place, record.entries[1].place);
    forest.delete(&[top], Deletion::Cascade, false, NOW).unwrap();
    let again = NewMessage::new(Message::text(Role::Assistant, "b"));
    forest.append(first, vec![again], Matching::Exact, NOW).unwrap();
    import(&mut forest, &[("/link", &link)]);
    assert_eq!(tree(&forest), "a(b(c z))");
    import(&mut forest, &[("/more", &session("more", "p=a b:answer v").begun(5).bytes())]);
    assert_eq!(tree(&forest), "a(b(c v z))");
}

#[test]
fn three_families_become_one_and_ids_of_all_of_them_work() {
    let mut forest = forest_of(&[
        ("/1", &session("s1", "a b").begun(1).bytes()),
        ("/2", &session("s2", "p=a c").begun(2).bytes()),
        ("/3", &session("s3", "q=a d").begun(3).bytes()),
    ]);
    let ids: Vec<NodeId> = ["b", "c", "d"].map(|text| find(&forest, text)).to_vec();
    // First the two younger ones, then all.
    import(&mut forest, &[("/23", &session("s4", "p=a; d").begun(4).bytes())]);
    assert_eq!(forest.roots().unwrap().len(), 2);
    import(&mut forest, &[("/123", &session("s5", "b; c").begun(5).bytes())]);
    assert_eq!(tree(&forest), "a(b c d) b c d");
    for (id, text) in ids.iter().zip(["b", "c", "d"]) {
        assert_eq!(forest.message(*id).unwrap().joined_text(), text);
    }
    for name in ["/3", "/23", "/2", "/123", "/1"] {
        forest.remove_session(number_of(&forest, name), NOW).unwrap();
        assert_eq!(forest.check().unwrap(), []);
    }
    assert!(forest.roots().unwrap().is_empty());
}
