//! Titles, tags, custom data and bookmarks.

use pi_brain_forest::{Deletion, NodeId, Object, auto_title};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::support::{Garden, message};

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

fn title(garden: &Garden, chain: &str) -> String {
    garden.forest.title(&garden.node(chain)).unwrap()
}

#[test]
fn a_title_is_the_given_one_or_a_leafs_automatic_one_or_how_the_message_begins() {
    let mut garden = Garden::new("u:First line\nsecond");
    let id = garden.id("u:First line\nsecond");
    assert_eq!(title(&garden, "u:First line\nsecond"), "First line");
    garden.forest.set_auto_title(id, Some("Made by a machine".to_owned())).unwrap();
    assert_eq!(title(&garden, "u:First line\nsecond"), "Made by a machine");
    garden.append(id, &["a:x"]);
    assert_eq!(title(&garden, "u:First line\nsecond"), "First line", "it is no leaf any more");
    garden.delete(&["a:x"], Deletion::Cascade);
    assert_eq!(title(&garden, "u:First line\nsecond"), "Made by a machine", "it is one again");
    garden.forest.set_title(id, "  By hand ").unwrap();
    assert_eq!(title(&garden, "u:First line\nsecond"), "By hand");
    garden.append(id, &["a:x"]);
    assert_eq!(title(&garden, "u:First line\nsecond"), "By hand");
    for blank in ["", "  "] {
        garden.forest.set_title(id, "again").unwrap();
        garden.forest.set_title(id, blank).unwrap();
        assert_eq!(
            title(&garden, "u:First line\nsecond"),
            "First line",
            "an empty title clears it"
        );
    }
    garden.forest.set_auto_title(id, None).unwrap();
    assert_eq!(
        garden.node("u:First line\nsecond").metadata.auto_title.as_deref(),
        Some("First line")
    );
}

#[test]
fn the_last_message_of_an_append_gets_an_automatic_title() {
    let mut garden = Garden::new("");
    garden.append(garden.root, &["u:one", "a:two"]);
    assert_eq!(garden.node("u:one").metadata.auto_title, None);
    assert_eq!(garden.node("a:two").metadata.auto_title.as_deref(), Some("two"));
    garden.edit("a:two", "three");
    assert_eq!(garden.node("a:three").metadata.auto_title.as_deref(), Some("three"));
}

#[test]
fn automatic_titles() {
    let long = "word ".repeat(30);
    for (label, expected) in [
        ("u:Hello", "Hello"),
        ("u:\n\n  Hello  there \nmore", "Hello there"),
        ("u:# Heading\ntext", "Heading"),
        ("u:> quoted", "quoted"),
        ("u:- item", "item"),
        ("u:```rust\nfn main() {}\n```", "fn main() {}"),
        ("u:|text", "text"),
        ("a:[x]", "run"),
        ("a:{image}", "image"),
        ("u:* * *", "…"),
        (&format!("u:{long}"), &format!("{}…", "word ".repeat(11) + "word")),
        (&format!("u:{}", "x".repeat(99)), &format!("{}…", "x".repeat(60))),
        (&format!("u:{}", "é".repeat(60)), &"é".repeat(60)),
    ] {
        assert_eq!(auto_title(&message(label)), *expected, "{label}");
    }
}

#[test]
fn tags_are_kept_once_and_in_order() {
    let mut garden = Garden::new("u:a");
    let id = garden.id("u:a");
    let mut tag = |add: &[&str], remove: &[&str]| {
        let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
        garden.forest.tag(id, &owned(add), &owned(remove)).unwrap();
        garden.forest.node(id).unwrap().metadata.tags.clone()
    };
    assert_eq!(tag(&["b", "a", "b", " a ", "", " "], &[]), ["b", "a"]);
    assert_eq!(tag(&["c"], &["b"]), ["a", "c"]);
    assert_eq!(tag(&[], &["missing"]), ["a", "c"]);
    assert_eq!(tag(&[], &[" a "]), ["c"], "white space counts as little as when it was given");
    let tags = ["c".to_owned()];
    garden.quiet(|forest, _| forest.tag(id, &tags, &[]));
}

#[test]
fn custom_data_is_merged_key_by_key() {
    let mut garden = Garden::new("u:a");
    let id = garden.id("u:a");
    let created = garden.node("u:a").metadata.created;
    let mut merge = |data: Value| {
        garden.forest.merge_custom_data(id, object(data)).unwrap();
        Value::Object(garden.forest.node(id).unwrap().metadata.custom_data.clone())
    };
    assert_eq!(merge(json!({ "a": 1, "b": { "x": 1 } })), json!({ "a": 1, "b": { "x": 1 } }));
    assert_eq!(merge(json!({ "c": [] })), json!({ "a": 1, "b": { "x": 1 }, "c": [] }));
    assert_eq!(merge(json!({ "a": null, "missing": null })), json!({ "b": { "x": 1 }, "c": [] }));
    assert_eq!(merge(json!({ "b": { "y": 2 } })), json!({ "b": { "y": 2 }, "c": [] }));
    garden.forest.tag(id, &["t".to_owned()], &[]).unwrap();
    let node = garden.node("u:a");
    assert_eq!(node.metadata.created, created, "notes never erase other notes");
    assert_eq!(
        Value::Object(node.metadata.custom_data.clone()),
        json!({ "b": { "y": 2 }, "c": [] })
    );
    garden.quiet(|forest, _| forest.merge_custom_data(id, object(json!({ "c": [] }))));
}

#[test]
fn notes_on_what_is_not_there_are_refused() {
    let mut garden = Garden::new("u:a (a:b)");
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    let deleted = garden.delete(&["a:b"], Deletion::Cascade).removed[0];
    for (id, expected) in [(missing, "NodeNotFound"), (deleted, "NodeDeleted")] {
        assert_eq!(garden.refused(|forest, _| forest.set_title(id, "t")), expected);
        assert_eq!(garden.refused(|forest, _| forest.set_auto_title(id, None)), expected);
        assert_eq!(garden.refused(|forest, _| forest.tag(id, &[], &[])), expected);
        assert_eq!(
            garden.refused(|forest, _| forest.merge_custom_data(id, Object::new())),
            expected
        );
        assert_eq!(garden.refused(|forest, now| forest.bookmark(id, "t", now)), expected);
        assert_eq!(garden.refused(|forest, _| forest.go_to(id.into())), expected);
    }
}

#[test]
fn a_title_stands_for_one_message_and_a_message_may_have_several() {
    let mut garden = Garden::new("u:a, u:b");
    let (a, b) = (garden.id("u:a"), garden.id("u:b"));
    garden.bookmark("u:a", "one");
    garden.bookmark("u:a", " two ");
    let before = garden.forest.find_bookmark("one").unwrap();
    garden.quiet(|forest, now| forest.bookmark(a, "one", now));
    assert_eq!(garden.forest.find_bookmark("one").unwrap(), before);
    assert_eq!(garden.refused(|forest, now| forest.bookmark(b, "one", now)), "BookmarkTaken");
    assert_eq!(garden.refused(|forest, now| forest.bookmark(b, "two", now)), "BookmarkTaken");
    for blank in ["", "  "] {
        assert_eq!(garden.refused(|forest, now| forest.bookmark(b, blank, now)), "Blank");
    }
    let on = |title: &str, label: &str| (title.to_owned(), label.to_owned());
    assert_eq!(garden.bookmarks(), [on("one", "u:a"), on("two", "u:a")]);
}

#[test]
fn bookmarks_are_renamed_and_removed_by_title() {
    let mut garden = Garden::new("u:a, u:b");
    garden.bookmark("u:a", "one");
    garden.bookmark("u:b", "two");
    let before = garden.forest.find_bookmark("one").unwrap().unwrap();
    garden.forest.rename_bookmark(" one ", " three ", Millis(9)).unwrap();
    let after = garden.forest.find_bookmark("three").unwrap().unwrap();
    assert_eq!(
        (after.created, after.updated, after.node),
        (before.created, Millis(9), before.node)
    );
    assert_eq!(garden.forest.find_bookmark("one").unwrap(), None);
    garden.quiet(|forest, now| forest.rename_bookmark("three", "three ", now));
    let refused = garden.refused(|forest, now| forest.rename_bookmark("three", "two", now));
    assert_eq!(refused, "BookmarkTaken");
    let refused = garden.refused(|forest, now| forest.rename_bookmark("three", " ", now));
    assert_eq!(refused, "Blank");
    let refused = garden.refused(|forest, now| forest.rename_bookmark("one", "four", now));
    assert_eq!(refused, "BookmarkNotFound");
    assert_eq!(garden.refused(|forest, _| forest.remove_bookmark("one")), "BookmarkNotFound");
    garden.forest.remove_bookmark(" three ").unwrap();
    assert_eq!(garden.bookmarks(), [("two".to_owned(), "u:b".to_owned())]);
}

#[test]
fn bookmarks_of_a_deleted_tree_come_back_with_it() {
    let mut garden = Garden::new("u:a");
    garden.bookmark("u:a", "one");
    let other = garden.forest.find_or_create_root(None, Millis(1)).unwrap();
    let there = garden.append(other, &["u:there"]).created[0];
    garden.forest.delete_root(garden.root, Millis(2)).unwrap();
    assert_eq!(garden.forest.bookmarks().unwrap(), []);
    let refused = garden.refused(|forest, now| forest.bookmark(there, "one", now));
    assert_eq!(refused, "BookmarkTaken");
    garden.forest.restore_root(garden.root).unwrap();
    assert_eq!(garden.bookmarks(), [("one".to_owned(), "u:a".to_owned())]);
}
