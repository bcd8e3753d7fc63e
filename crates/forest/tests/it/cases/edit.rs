//! Editing: cases 36 to 47.

use pi_brain_forest::{
    Deletion, Edited, Following, Message, ModelSource, NewMessage, NodeId, Role, SourceInfo,
};
use pi_brain_session::Millis;
use proptest::prelude::*;

use crate::support::{Garden, assert_sound, cases, label, message};

/// Returns the text from the place of the edited message to the result.
fn spelled(garden: &Garden, after: Option<NodeId>, edited: &Edited) -> String {
    let path = garden.forest.path(None, edited.node.into()).unwrap();
    let start = after.map_or(0, |after| path.iter().position(|node| node.id == after).unwrap() + 1);
    path[start..].iter().map(|node| garden.forest.message(node.id).unwrap().joined_text()).collect()
}

#[test]
fn case_36_a_leaf_changes_in_place_and_remembers() {
    let mut garden = Garden::new("u:q");
    let source =
        SourceInfo::Model(ModelSource { model_name: "one".to_owned(), ..ModelSource::default() });
    let new = NewMessage { source: Some(source.clone()), ..NewMessage::new(message("a:old")) };
    let q = garden.id("u:q");
    garden.forest.append(q.into(), vec![new], pi_brain_forest::Matching::Exact, Millis(2)).unwrap();
    garden.bookmark("a:old", "mark");
    let id = garden.id("a:old");
    garden.forest.tag(id, &["kept".to_owned()], &[]).unwrap();
    let edited = garden.edit("a:old", "new");
    assert_eq!(
        edited,
        Edited { node: id, created: vec![], in_place: true, moved_bookmarks: vec![] }
    );
    assert_eq!(garden.sketch(), "u:q (a:new)");
    let node = garden.node("a:new");
    assert_eq!(node.metadata.created, Some(Millis(2)));
    assert_eq!(node.metadata.edited, Some(Millis(3)));
    assert_eq!(node.metadata.tags, ["kept"]);
    assert_eq!(node.metadata.source, Some(SourceInfo::User));
    let [revision] = &node.metadata.history[..] else { panic!("one revision") };
    assert_eq!(
        (label(&revision.message), revision.source.clone()),
        ("a:old".to_owned(), Some(source))
    );
    assert_eq!(garden.bookmarks(), [("mark".to_owned(), "a:new".to_owned())]);
    garden.edit("a:new", "newer");
    let history = &garden.node("a:newer").metadata.history;
    assert_eq!(
        history.iter().map(|old| label(&old.message)).collect::<Vec<_>>(),
        ["a:old", "a:new"]
    );
}

#[test]
fn case_36_the_same_text_changes_nothing() {
    let mut garden = Garden::new("u:leaf, u:inner (a:x), u:a|b");
    for (label, text) in [("u:leaf", "leaf"), ("u:inner", "inner"), ("u:a|b", "ab")] {
        let id = garden.id(label);
        let edited = garden.quiet(|forest, now| forest.edit(id, text, Following::Follow, now));
        assert_eq!(
            edited,
            Edited { node: id, created: vec![], in_place: false, moved_bookmarks: vec![] }
        );
    }
}

#[test]
fn case_37_texts_part_where_they_differ() {
    let mut garden = Garden::new("u:before, u:Hello World (a:x (u:y)), u:after");
    let old = garden.id("u:Hello World");
    let edited = garden.edit("u:Hello World", "Hello Moon");
    assert_eq!(garden.sketch(), "u:before, u:Hello  (u:World (a:x (u:y)), u:Moon), u:after");
    assert_eq!(garden.id("u:World"), old);
    assert_eq!(edited.node, garden.id("u:Moon"));
    assert_eq!(edited.created, [garden.id("u:Hello "), garden.id("u:Moon")]);
    assert!(!edited.in_place);
    assert_eq!(garden.node("u:Moon").metadata.source, Some(SourceInfo::User));
}

#[test]
fn case_37_where_no_character_is_cut() {
    let mut garden = Garden::new("u:xe\u{301} (a:y)");
    garden.edit("u:xe\u{301}", "xe\u{300}");
    assert_eq!(garden.sketch(), "u:x (u:e\u{301} (a:y), u:e\u{300})");
    let mut garden = Garden::new("u:xe (a:y)");
    garden.edit("u:xe", "xe\u{301}");
    assert_eq!(
        garden.sketch(),
        "u:x (u:e (a:y), u:e\u{301})",
        "an accent on the last letter is a new letter"
    );
    let mut garden = Garden::new("u:a🇩🇪 (a:y)");
    garden.edit("u:a🇩🇪", "a🇩🇰");
    assert_eq!(garden.sketch(), "u:a (u:🇩🇪 (a:y), u:🇩🇰)");
    let mut garden = Garden::new("u:ä (a:y)");
    garden.edit("u:ä", "ö");
    assert_eq!(garden.sketch(), "u:ä (a:y), u:ö", "the first byte is shared, the letter is not");
}

#[test]
fn case_38_a_beginning_of_the_old_text() {
    let mut garden = Garden::new("u:Hello World (a:x)");
    let edited = garden.edit("u:Hello World", "Hello");
    assert_eq!(garden.sketch(), "u:Hello (u: World (a:x))");
    assert_eq!((edited.node, edited.created), (garden.id("u:Hello"), vec![garden.id("u:Hello")]));
}

#[test]
fn case_39_the_old_text_and_more() {
    let mut garden = Garden::new("u:Hello (a:x)");
    let edited = garden.edit("u:Hello", "Hello World");
    assert_eq!(garden.sketch(), "u:Hello (a:x, u: World)");
    assert_eq!((edited.node, edited.created.len()), (garden.id("u: World"), 1));
    let again = garden.edit("u:Hello", "Hello World");
    assert_eq!((again.node, again.created), (edited.node, vec![]), "the same edit twice is one");
}

#[test]
fn case_40_nothing_in_common() {
    let mut garden = Garden::new("u:q (a:Hello (u:x), a:z)");
    let edited = garden.edit("a:Hello", "Bye");
    assert_eq!(garden.sketch(), "u:q (a:Hello (u:x), a:z, a:Bye)");
    assert_eq!(edited.node, garden.id("a:Bye"));
}

#[test]
fn case_41_blank_texts_are_refused() {
    let mut garden = Garden::new("u:Hello (a:x)");
    for label in ["u:Hello", "a:x"] {
        for text in ["", " ", "\n\t", "\u{3000}"] {
            let id = garden.id(label);
            let refused =
                garden.refused(|forest, now| forest.edit(id, text, Following::Follow, now));
            assert_eq!(refused, "Blank", "{label} {text:?}");
        }
    }
}

#[test]
fn case_42_a_change_of_white_space_gives_exactly_that_text() {
    for text in ["Hello ", "Hello\n", " Hello", "  Hello  ", "Hello  "] {
        let mut garden = Garden::new("u:q (a:Hello (u:x))");
        let q = garden.id("u:q");
        let edited = garden.edit("a:Hello", text);
        assert_eq!(spelled(&garden, Some(q), &edited), text);
        assert_eq!(garden.sketch(), format!("u:q (a:Hello (u:x), a:{text})"), "it stands beside");
    }
    let mut garden = Garden::new("");
    let padded = NewMessage::new(Message::text(Role::User, "Hello "));
    let end = garden.forest.append(
        garden.root.into(),
        vec![padded],
        pi_brain_forest::Matching::Exact,
        Millis(1),
    );
    garden.append(end.unwrap().end, &["a:x"]);
    let edited = garden.edit("u:Hello ", "Hello");
    assert_eq!(spelled(&garden, None, &edited), "Hello", "taking it away works, too");
    assert_eq!(garden.sketch(), "u:Hello  (a:x), u:Hello");
}

#[test]
fn case_43_suffixes_that_differ_in_white_space_are_different() {
    let mut garden = Garden::new("u:Base (a:x)");
    let one = garden.edit("u:Base", "Base plus");
    let other = garden.edit("u:Base", "Baseplus");
    let third = garden.edit("u:Base", "Base plus ");
    assert_eq!(spelled(&garden, None, &one), "Base plus");
    assert_eq!(spelled(&garden, None, &other), "Baseplus");
    assert_eq!(spelled(&garden, None, &third), "Base plus ");
    assert_eq!(garden.sketch(), "u:Base (a:x, u: plus, u:plus, u: plus )");
}

#[test]
fn case_44_the_text_of_a_sibling_is_that_sibling() {
    let mut garden = Garden::new("u:one (a:x), u:two (a:y), u:three");
    garden.bookmark("u:one", "inner");
    garden.bookmark("u:three", "leaf");
    let two = garden.id("u:two");
    for label in ["u:one", "u:three"] {
        let edited = garden.edit(label, "two");
        assert_eq!((edited.node, edited.created.len(), edited.in_place), (two, 0, false));
    }
    assert_eq!(garden.sketch(), "u:one (a:x), u:two (a:y), u:three", "nothing is lost");
    let marks = [("inner".to_owned(), "u:two".to_owned()), ("leaf".to_owned(), "u:two".to_owned())];
    assert_eq!(garden.bookmarks(), marks);
}

#[test]
fn case_44_parts_that_stand_there_already_are_used() {
    let mut garden = Garden::new("u:Hel (u:p (a:1), u:lo (a:2)), u:Hello (a:3)");
    let edited = garden.edit("u:Hello", "Help");
    assert_eq!(garden.sketch(), "u:Hel (u:p (a:1), u:lo (a:2, a:3))");
    assert_eq!((edited.node, edited.created), (garden.id("u:p"), vec![]));
}

#[test]
fn case_45_only_text_is_edited() {
    let mut garden = Garden::new("a:[x] (t:x=result), a:text|[y], u:text|{image}");
    for (label, expected) in [
        ("a:[x]", "NotTextOnly"),
        ("t:x=result", "ToolMessage"),
        ("a:text|[y]", "NotTextOnly"),
        ("u:text|{image}", "NotTextOnly"),
    ] {
        let id = garden.id(label);
        let refused = garden.refused(|forest, now| forest.edit(id, "new", Following::Follow, now));
        assert_eq!(refused, expected, "{label}");
    }
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    let refused = garden.refused(|forest, now| forest.edit(missing, "new", Following::Follow, now));
    assert_eq!(refused, "NodeNotFound");
    let deleted = garden.delete(&["u:text|{image}"], Deletion::Cascade).removed[0];
    let refused = garden.refused(|forest, now| forest.edit(deleted, "new", Following::Follow, now));
    assert_eq!(refused, "NodeDeleted");
}

#[test]
fn case_46_all_bookmarks_of_the_message_follow_and_no_others() {
    let mut garden = Garden::new("u:Hello (a:x), u:other");
    for (label, title) in
        [("u:Hello", "one"), ("u:Hello", "two"), ("a:x", "child"), ("u:other", "far")]
    {
        garden.bookmark(label, title);
    }
    let before = garden.forest.find_bookmark("one").unwrap().unwrap();
    let edited = garden.edit("u:Hello", "Help");
    assert_eq!(edited.moved_bookmarks, ["one", "two"]);
    let on = |title: &str, label: &str| (title.to_owned(), label.to_owned());
    assert_eq!(
        garden.bookmarks(),
        [on("child", "a:x"), on("far", "u:other"), on("one", "u:p"), on("two", "u:p")]
    );
    let after = garden.forest.find_bookmark("one").unwrap().unwrap();
    assert_eq!(after.created, before.created);
    assert!(after.updated > before.updated);
}

#[test]
fn case_46_bookmarks_can_stay_on_the_original() {
    let mut garden = Garden::new("u:Hello (a:x)");
    garden.bookmark("u:Hello", "one");
    let id = garden.id("u:Hello");
    let edited = garden.forest.edit(id, "Help", Following::Stay, Millis(9)).unwrap();
    assert_eq!(edited.moved_bookmarks, [""; 0]);
    assert_eq!(garden.bookmarks(), [("one".to_owned(), "u:lo".to_owned())]);
    let edited = garden.forest.edit(garden.id("u:p"), "q", Following::Stay, Millis(9)).unwrap();
    assert!(edited.in_place);
}

#[test]
fn case_46_bookmarks_follow_also_when_the_old_text_becomes_one_with_another() {
    for (following, expected) in [(Following::Follow, "u:p"), (Following::Stay, "u:lo")] {
        let mut garden = Garden::new("u:Hel (u:lo (a:1)), u:Hello (a:2)");
        garden.bookmark("u:Hello", "mark");
        garden.bookmark("u:lo", "other");
        let id = garden.id("u:Hello");
        let edited = garden.forest.edit(id, "Help", following, Millis(9)).unwrap();
        assert_eq!(garden.sketch(), "u:Hel (u:lo (a:1, a:2), u:p)");
        let marks =
            [("mark".to_owned(), expected.to_owned()), ("other".to_owned(), "u:lo".to_owned())];
        assert_eq!(garden.bookmarks(), marks);
        assert_eq!(edited.moved_bookmarks.len(), usize::from(following == Following::Follow));
    }
}

#[test]
fn what_was_deleted_after_a_message_still_counts_as_its_future() {
    let mut garden = Garden::new("u:Hello (a:x)");
    let x = garden.delete(&["a:x"], Deletion::Cascade).removed[0];
    let edited = garden.edit("u:Hello", "Help");
    assert!(!edited.in_place);
    garden.restore(x);
    assert_eq!(garden.sketch(), "u:Hel (u:lo (a:x), u:p)");
}

#[test]
fn an_edit_of_several_blocks_keeps_the_borders_of_the_old_text() {
    let mut garden = Garden::new("u:ab|cd (a:x)");
    let edited = garden.edit("u:ab|cd", "abcX");
    assert_eq!(garden.sketch(), "u:ab|c (u:d (a:x), u:X)");
    assert_eq!(spelled(&garden, None, &edited), "abcX");
    let mut garden = Garden::new("u:ab|cd");
    garden.edit("u:ab|cd", "abcX");
    assert_eq!(garden.sketch(), "u:abcX", "a leaf becomes one block");
}

/// A tree of texts from a small alphabet, so that beginnings are shared and siblings collide.
fn any_texts() -> impl Strategy<Value = Vec<(prop::sample::Index, bool, String)>> {
    let text = prop_oneof![9 => "[ab é]{1,4}", 1 => "[ab🇩🇪e\u{301}\r\n]{1,4}"]
        .prop_filter("not blank", |text| !text.trim().is_empty());
    prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), text), 1..10)
}

/// Returns every conversation that ends in a leaf: who said what, with neighbouring texts joined.
fn conversations(garden: &Garden) -> Vec<(NodeId, Vec<(Role, String)>)> {
    let leaves = garden.forest.recent_leaves(usize::MAX).unwrap();
    leaves.iter().map(|leaf| (leaf.id, conversation(garden, leaf.id))).collect()
}

fn conversation(garden: &Garden, end: NodeId) -> Vec<(Role, String)> {
    let mut said: Vec<(Role, String)> = Vec::new();
    for message in garden.forest.messages(end.into()).unwrap() {
        match said.last_mut() {
            Some((role, text)) if *role == message.role() => text.push_str(&message.joined_text()),
            _ => said.push((message.role(), message.joined_text())),
        }
    }
    said
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn case_47_an_edit_spells_its_text_and_leaves_every_conversation_as_it_was(
        tree in any_texts(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), "[ab é]{0,5}"), 1..6),
    ) {
        let mut garden = Garden::new("");
        for (at, is_user, text) in tree {
            let nodes = garden.forest.subtree(garden.root.into(), None).unwrap();
            let places: Vec<_> =
                nodes.iter().map(|node| node.id.into()).chain([garden.root.into()]).collect();
            let role = if is_user { Role::User } else { Role::Assistant };
            let new = vec![NewMessage::new(Message::text(role, &text))];
            let now = garden.now();
            garden.forest.append(*at.get(&places), new, pi_brain_forest::Matching::Exact, now).unwrap();
        }
        for (at, text) in edits {
            let nodes = garden.forest.subtree(garden.root.into(), None).unwrap();
            let id = at.get(&nodes).id;
            let (parent, role) = {
                let node = garden.forest.node(id).unwrap();
                (node.parent.node(), node.role)
            };
            let before = conversations(&garden);
            if text.trim().is_empty() {
                garden.refused(|forest, now| forest.edit(id, &text, Following::Follow, now));
                continue;
            }
            let now = garden.now();
            let edited = garden.forest.edit(id, &text, Following::Follow, now).unwrap();
            prop_assert_eq!(&spelled(&garden, parent, &edited), &text);
            let path = garden.forest.path(None, edited.node.into()).unwrap();
            let start = path.iter().position(|node| Some(node.id) == parent).map_or(0, |at| at + 1);
            prop_assert!(path[start..].iter().all(|node| node.role == role));
            let now_said: Vec<_> = garden
                .forest
                .subtree(garden.root.into(), None)
                .unwrap()
                .iter()
                .map(|node| conversation(&garden, node.id))
                .collect();
            for (leaf, said) in before {
                if edited.in_place && leaf == id {
                    let history = &garden.forest.node(id).unwrap().metadata.history;
                    prop_assert!(said.last().unwrap().1.ends_with(&history.last().unwrap().message.joined_text()));
                } else {
                    prop_assert!(now_said.contains(&said), "lost {:?}", said);
                    prop_assert_eq!(&conversation(&garden, leaf), &said, "its id still leads there");
                }
            }
            assert_sound(&garden.forest);
        }
    }
}
