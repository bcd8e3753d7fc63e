//! Splitting and joining: cases 26 to 35.

use pi_brain_forest::{
    Deletion, Matching, Message, ModelSource, NewMessage, NodeId, Role, SourceInfo,
};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::support::{Garden, message};

fn usage_in(garden: &Garden) -> i64 {
    let nodes = garden.forest.subtree(garden.root.into(), None).unwrap();
    let usage = nodes.iter().filter_map(|node| match &node.metadata.source {
        Some(SourceInfo::Model(model)) => model.usage.as_ref()?["output"].as_i64(),
        _ => None,
    });
    usage.sum()
}

/// Plants one answer of a model, with everything that can be noted about it.
fn noted(text: &str) -> Garden {
    let mut garden = Garden::new("u:q");
    let source = SourceInfo::Model(ModelSource {
        provider: "somebody".to_owned(),
        model_name: "one".to_owned(),
        usage: Some(json!({ "output": 42 })),
        more: serde_json::from_value(json!({ "finish": "stop" })).unwrap(),
    });
    let Value::Object(custom_data) = json!({ "k": { "deep": 1 } }) else { unreachable!() };
    let new = NewMessage { message: message(text), source: Some(source), custom_data };
    let q = garden.id("u:q");
    garden.forest.append(q.into(), vec![new], Matching::Exact, Millis(2)).unwrap();
    let id = garden.id(text);
    garden.forest.tag(id, &["red".to_owned(), "blue".to_owned()], &[]).unwrap();
    garden
}

#[test]
fn case_26_the_right_half_keeps_the_id_and_what_follows() {
    let mut garden = noted("a:Hello World");
    let whole = garden.id("a:Hello World");
    garden.append(whole, &["u:next"]);
    let before = (*garden.forest.node(whole).unwrap()).clone();
    let left = garden.split("a:Hello World", 5);
    assert_eq!(garden.sketch(), "u:q (a:Hello (a: World (u:next)))");
    assert_eq!((garden.id("a:Hello"), garden.id("a: World")), (left, whole));
    let (left, right) = (garden.node("a:Hello"), garden.node("a: World"));
    assert_eq!(right.metadata, before.metadata, "the notes stay");
    assert_eq!(left.metadata.tags, ["red", "blue"]);
    assert_eq!(left.metadata.custom_data, before.metadata.custom_data);
    assert_eq!(left.metadata.split_source, Some(whole));
    assert!(left.metadata.split_within);
    assert_eq!(left.metadata.created, Some(Millis(3)), "a fresh time");
    let Some(SourceInfo::Model(model)) = &left.metadata.source else { panic!("a model wrote it") };
    assert_eq!((&*model.model_name, &model.more["finish"]), ("one", &json!("stop")));
    assert_eq!(
        garden.forest.context(whole.into(), "").unwrap().messages[1],
        message("a:Hello World")
    );
}

#[test]
fn case_26_the_copies_of_notes_are_independent() {
    let mut garden = noted("a:Hello World");
    let left = garden.split("a:Hello World", 5);
    garden.forest.tag(left, &["green".to_owned()], &["red".to_owned()]).unwrap();
    assert_eq!(garden.node("a:Hello").metadata.tags, ["blue", "green"]);
    assert_eq!(garden.node("a: World").metadata.tags, ["red", "blue"]);
}

#[test]
fn case_26_a_bookmark_and_the_current_place_still_end_the_whole_text() {
    let mut garden = Garden::new("u:Hello World (a:x)");
    garden.bookmark("u:Hello World", "mark");
    let whole = garden.id("u:Hello World");
    garden.forest.go_to(whole.into()).unwrap();
    garden.split("u:Hello World", 5);
    assert_eq!(garden.bookmarks(), [("mark".to_owned(), "u: World".to_owned())]);
    assert_eq!(garden.forest.current().unwrap(), Some(whole.into()));
}

#[test]
fn case_27_there_must_be_something_on_both_sides() {
    let mut garden = Garden::new("u:Hello (a:x)");
    let id = garden.id("u:Hello");
    for position in [0, 5, 6, 1_000, usize::MAX] {
        let refused = garden.refused(|forest, now| forest.split(id, position, now));
        assert_eq!(refused, "BadPosition", "{position}");
    }
    let missing: NodeId = "root-1/node-99".parse().unwrap();
    assert_eq!(garden.refused(|forest, now| forest.split(missing, 1, now)), "NodeNotFound");
    let deleted = garden.delete(&["a:x"], Deletion::Cascade).removed[0];
    assert_eq!(garden.refused(|forest, now| forest.split(deleted, 1, now)), "NodeDeleted");
}

#[test]
fn case_28_a_blank_half_is_refused() {
    let mut garden = Garden::new("");
    for (text, positions) in
        [("  ab", &[1, 2][..]), ("ab  ", &[2, 3]), ("a \n ", &[1, 2, 3]), ("\u{3000}ab", &[1, 3])]
    {
        let new = vec![NewMessage::new(Message::text(Role::User, text))];
        let end =
            garden.forest.append(garden.root.into(), new, Matching::Exact, Millis(1)).unwrap().end;
        for &position in positions {
            let refused =
                garden.refused(|forest, now| forest.split(end.node().unwrap(), position, now));
            assert_eq!(refused, "BadPosition", "{text:?} at {position}");
        }
    }
}

#[test]
fn case_29_characters_as_people_see_them_stay_whole() {
    let family = "👨‍👩‍👧";
    let cases = [
        ("a𝄞b", 2, "a𝄞", "b"),
        ("a𝄞b", 1, "a", "𝄞b"),
        ("xe\u{301}y", 2, "xe\u{301}", "y"),
        ("a\r\nb", 2, "a\r\n", "b"),
        ("a🇩🇪b", 5, "a🇩🇪", "b"),
    ];
    for (text, position, left, right) in cases {
        let mut garden = Garden::new(&format!("u:{text}"));
        garden.split(&format!("u:{text}"), position);
        assert_eq!(garden.sketch(), format!("u:{left} (u:{right})"));
    }
    for position in 2..=family.len() {
        let mut garden = Garden::new(&format!("u:a{family}b"));
        garden.split(&format!("u:a{family}b"), position);
        assert_eq!(garden.sketch(), format!("u:a{family} (u:b)"), "{position}");
        let mut garden = Garden::new(&format!("u:a{family}"));
        let id = garden.id(&format!("u:a{family}"));
        let refused = garden.refused(|forest, now| forest.split(id, position, now));
        assert_eq!(refused, "BadPosition", "the next border is the end");
    }
}

#[test]
fn case_30_only_text_is_split() {
    let mut garden =
        Garden::new("a:[x] (t:x=result), a:text|[y], u:text|{image}, a:{thinking}|text");
    for (label, expected) in [
        ("a:[x]", "NotTextOnly"),
        ("t:x=result", "ToolMessage"),
        ("a:text|[y]", "NotTextOnly"),
        ("u:text|{image}", "NotTextOnly"),
        ("a:{thinking}|text", "NotTextOnly"),
    ] {
        let id = garden.id(label);
        assert_eq!(garden.refused(|forest, now| forest.split(id, 2, now)), expected, "{label}");
    }
}

#[test]
fn case_31_block_borders_stay() {
    for (position, expected, within) in [
        (1, "u:a (u:b|cd|ef (a:x))", true),
        (2, "u:ab (u:cd|ef (a:x))", false),
        (3, "u:ab|c (u:d|ef (a:x))", true),
        (4, "u:ab|cd (u:ef (a:x))", false),
        (5, "u:ab|cd|e (u:f (a:x))", true),
    ] {
        let mut garden = Garden::new("u:ab|cd|ef (a:x)");
        let left = garden.split("u:ab|cd|ef", position);
        assert_eq!(garden.sketch(), expected);
        assert_eq!(garden.forest.node(left).unwrap().metadata.split_within, within);
    }
}

#[test]
fn case_32_siblings_stay_in_order() {
    let mut garden = Garden::new("u:a, u:Hello, u:b");
    garden.split("u:Hello", 2);
    assert_eq!(garden.sketch(), "u:a, u:He (u:llo), u:b");
    garden.split("u:He", 1);
    assert_eq!(garden.sketch(), "u:a, u:H (u:e (u:llo)), u:b");
    garden.append(garden.root, &["u:c"]);
    assert_eq!(garden.sketch(), "u:a, u:H (u:e (u:llo)), u:b, u:c");
}

#[test]
fn case_33_usage_is_not_counted_twice() {
    let mut garden = noted("a:Hello World");
    garden.split("a:Hello World", 5);
    garden.split("a: World", 3);
    assert_eq!(garden.sketch(), "u:q (a:Hello (a: Wo (a:rld)))");
    assert_eq!(usage_in(&garden), 42);
}

#[test]
fn case_34_a_left_half_that_stands_there_already_takes_the_right_half() {
    let mut garden = Garden::new("u:Hel (a:x), u:Hello (a:y)");
    let (hel, hello) = (garden.id("u:Hel"), garden.id("u:Hello"));
    assert_eq!(garden.split("u:Hello", 3), hel);
    assert_eq!(garden.sketch(), "u:Hel (a:x, u:lo (a:y))");
    assert_eq!(garden.id("u:lo"), hello);
}

#[test]
fn case_34_both_halves_stand_there_already() {
    let mut garden = Garden::new("u:Hel (u:lo (a:x (u:1), a:z)), u:Hello (a:x (u:2), a:y)");
    garden.bookmark("u:Hello", "mark");
    garden.bookmark("u:Hello > a:x", "deep");
    let (hello, x) = (garden.id("u:Hello"), garden.id("u:Hello > a:x"));
    garden.forest.go_to(hello.into()).unwrap();
    garden.split("u:Hello", 3);
    assert_eq!(garden.sketch(), "u:Hel (u:lo (a:x (u:1, u:2), a:z, a:y))");
    let marks = [("deep".to_owned(), "a:x".to_owned()), ("mark".to_owned(), "u:lo".to_owned())];
    assert_eq!(garden.bookmarks(), marks);
    assert_eq!(garden.forest.current().unwrap(), Some(garden.id("u:lo").into()));
    assert_eq!(garden.forest.node(hello).unwrap().id, garden.id("u:lo"), "the old id stays good");
    assert_eq!(garden.forest.node(x).unwrap().id, garden.id("a:x"));
}

#[test]
fn case_35_split_then_join_is_as_before() {
    for text in ["u:Hello World", "u:ab|cd|ef", "u:a|b", "a:ein 🇩🇪 Wort"] {
        let joined: String = message(text).joined_text();
        for position in 1..joined.len() {
            let mut garden = Garden::new(&format!("u:before, {text} (a:x (u:y), a:z), u:after"));
            let whole = garden.id(text);
            garden.bookmark(text, "mark");
            let before = (garden.sketch(), (*garden.node(text)).clone());
            let id = garden.id(text);
            let now = garden.now();
            let Ok(left) = garden.forest.split(id, position, now) else { continue };
            let now = garden.now();
            assert_eq!(garden.forest.join(left, now).unwrap(), whole);
            assert_eq!(
                (garden.sketch(), (*garden.node(text)).clone()),
                before,
                "{text} at {position}"
            );
            assert_eq!(garden.bookmarks(), [("mark".to_owned(), text.to_owned())]);
            assert_eq!(
                garden.forest.node(left).unwrap().id,
                whole,
                "the id of the half stays good"
            );
        }
    }
}

#[test]
fn case_35_many_cuts_can_be_joined_in_any_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut garden = Garden::new("u:one two three (a:x)");
        let whole = garden.id("u:one two three");
        let third = garden.split("u:one two three", 8);
        let second = garden.split("u:one two ", 4);
        let first = garden.split("u:one ", 2);
        assert_eq!(garden.sketch(), "u:on (u:e  (u:two  (u:three (a:x))))");
        for at in order {
            // The name of a half that was joined stands for the whole.
            let now = garden.now();
            garden.forest.join([first, second, third][at], now).unwrap();
        }
        assert_eq!(garden.sketch(), "u:one two three (a:x)", "{order:?}");
        assert_eq!(garden.id("u:one two three"), whole);
    }
}

#[test]
fn join_takes_bookmarks_and_the_current_place_along() {
    let mut garden = Garden::new("u:Hello (a:x)");
    let left = garden.split("u:Hello", 2);
    garden.bookmark("u:He", "half");
    garden.forest.go_to(left.into()).unwrap();
    garden.forest.join(left, Millis(9)).unwrap();
    assert_eq!(garden.bookmarks(), [("half".to_owned(), "u:Hello".to_owned())]);
    assert_eq!(garden.forest.current().unwrap(), Some(garden.id("u:Hello").into()));
    assert_eq!(garden.sketch(), "u:Hello (a:x)");
}

#[test]
fn join_makes_one_with_a_message_that_stands_there_already() {
    let mut garden = Garden::new("u:Hello (a:x)");
    let left = garden.split("u:Hello", 2);
    garden.append(garden.root, &["u:Hello", "a:y"]);
    assert_eq!(garden.sketch(), "u:He (u:llo (a:x)), u:Hello (a:y)");
    garden.forest.join(left, Millis(9)).unwrap();
    assert_eq!(garden.sketch(), "u:Hello (a:x, a:y)");
}

#[test]
fn join_gives_the_whole_the_place_of_the_left_half() {
    let mut garden = Garden::new("u:1, u:gone (u:Hello, u:x), u:2");
    garden.delete(&["u:gone"], Deletion::Reparent);
    let left = garden.split("u:Hello", 2);
    assert_eq!(garden.sketch(), "u:1, u:He (u:llo), u:x, u:2");
    garden.forest.join(left, Millis(9)).unwrap();
    assert_eq!(garden.sketch(), "u:1, u:Hello, u:x, u:2");
}

#[test]
fn only_halves_of_a_split_message_can_be_joined() {
    let mut garden = Garden::new("u:a (u:b (u:c)), u:d, u:Hello (a:x)");
    for label in ["u:a", "u:b", "u:c", "u:d", "u:Hello"] {
        let id = garden.id(label);
        assert_eq!(garden.refused(|forest, now| forest.join(id, now)), "NotSplit", "{label}");
    }
    let left = garden.split("u:Hello", 2);
    let right = garden.id("u:llo");
    assert_eq!(garden.refused(|forest, now| forest.join(right, now)), "NotSplit");
    garden.append(left, &["a:between"]);
    assert_eq!(
        garden.refused(|forest, now| forest.join(left, now)),
        "NotSplit",
        "it went on elsewhere"
    );
    garden.delete(&["a:between"], Deletion::Cascade);
    let refused = garden.refused(|forest, now| forest.join(left, now));
    assert_eq!(refused, "NotSplit", "what was deleted may come back to it");
}
