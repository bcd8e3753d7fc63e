//! Appending with prefix matching: cases 10 to 23, and 25.

use pi_brain_forest::{
    Appended, Change, Content, ContentKey, Deletion, Following, InvalidMessage, Matching, Message,
    ModelSource, NewMessage, Node, NodeId, Order, Place, Role, SourceInfo, Store,
};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::support::{Garden, label, message};

fn from_json(value: Value) -> NewMessage {
    NewMessage::from_json(value).unwrap().unwrap()
}

fn model(name: &str, usage: u32) -> SourceInfo {
    SourceInfo::Model(ModelSource {
        provider: "somebody".to_owned(),
        model_name: name.to_owned(),
        usage: Some(json!({ "output": usage })),
        ..ModelSource::default()
    })
}

impl Garden {
    fn append_new(&mut self, at: impl Into<Place>, new: Vec<NewMessage>) -> Appended {
        let now = self.now();
        self.forest.append(at.into(), new, Matching::Exact, now).unwrap()
    }
}

#[test]
fn case_10_what_stands_there_is_returned_and_nothing_written() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    let (root, b) = (garden.root, garden.id("a:b"));
    let new = || ["u:a", "a:b"].map(|label| NewMessage::new(message(label))).to_vec();
    let appended =
        garden.quiet(|forest, now| forest.append(root.into(), new(), Matching::Exact, now));
    assert_eq!(appended, Appended { end: b.into(), created: vec![], matched: 2, blank: 0 });
}

#[test]
fn case_10_an_empty_list_returns_the_place_itself() {
    let mut garden = Garden::new("u:a");
    for place in [Place::Root(garden.root), garden.id("u:a").into()] {
        let appended =
            garden.quiet(|forest, now| forest.append(place, vec![], Matching::Exact, now));
        assert_eq!(appended, Appended { end: place, created: vec![], matched: 0, blank: 0 });
    }
}

#[test]
fn case_11_what_is_new_branches_off() {
    let mut garden = Garden::new("u:a (a:b (u:c))");
    let appended = garden.append(garden.root, &["u:a", "a:b", "u:x", "a:y"]);
    assert_eq!(garden.sketch(), "u:a (a:b (u:c, u:x (a:y)))");
    assert_eq!(appended.matched, 2);
    assert_eq!(appended.created, [garden.id("u:x"), garden.id("a:y")]);
    assert_eq!(appended.end, garden.id("a:y").into());
    let b = garden.id("a:b");
    assert_eq!(garden.append(b, &["u:x"]).matched, 1);
}

#[test]
fn case_11_the_same_text_under_another_parent_or_role_is_another_message() {
    let mut garden = Garden::new("u:a");
    garden.append(garden.root, &["u:a", "u:a", "u:a"]);
    garden.append(garden.root, &["a:a"]);
    assert_eq!(garden.sketch(), "u:a (u:a (u:a)), a:a");
}

#[test]
fn case_12_the_order_of_arguments_does_not_count_but_the_call_does() {
    let call = |id: &str, parameters: &str| {
        let parameters: Value = serde_json::from_str(parameters).unwrap();
        from_json(json!({ "role": "assistant", "content": [
            { "type": "tool-use", "id": id, "name": "run", "parameters": parameters }] }))
    };
    let mut garden = Garden::new("u:a");
    let a = garden.id("u:a");
    let first = garden.append_new(a, vec![call("1", r#"{"x": 1, "y": [1, {"b": 2, "a": 3}]}"#)]);
    for same in [
        r#"{"y": [1, {"a": 3, "b": 2}], "x": 1}"#,
        r#"{"y": [1, {"a": 3, "b": 2}], "x": 1.0}"#,
        r#"{"y": [1e0, {"a": 3, "b": 2}], "x": 1}"#,
    ] {
        assert_eq!(garden.append_new(a, vec![call("1", same)]).end, first.end, "{same}");
    }
    for other in [
        r#"{"y": [{"a": 3, "b": 2}, 1], "x": 1}"#,
        r#"{"y": [1, {"a": 3, "b": 2}], "x": "1"}"#,
        r#"{"y": [1, {"a": 3, "b": 2}], "x": 1, "z": null}"#,
        r#"{"y": [1, {"a": 3, "b": 2}], "x": 1.5}"#,
    ] {
        assert_eq!(garden.append_new(a, vec![call("1", other)]).created.len(), 1, "{other}");
    }
    let again = r#"{"x": 1, "y": [1, {"b": 2, "a": 3}]}"#;
    assert_eq!(garden.append_new(a, vec![call("2", again)]).created.len(), 1, "another call");
}

#[test]
fn case_12_large_numbers_that_differ_are_different_calls() {
    let call = |number: Value| {
        from_json(json!({ "role": "assistant", "content": [
            { "type": "tool-use", "id": "1", "name": "run", "parameters": { "id": number } }] }))
    };
    let mut garden = Garden::new("");
    let root = garden.root;
    let numbers = [
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(u64::MAX),
        json!(u64::MAX - 1),
        json!(i64::MIN),
        json!(i64::MIN + 1),
        json!(1e300),
    ];
    for number in numbers {
        assert_eq!(
            garden.append_new(root, vec![call(number.clone())]).created.len(),
            1,
            "{number}"
        );
    }
    // By value: the same number in another spelling.
    assert_eq!(garden.append_new(root, vec![call(json!(9_007_199_254_740_992.0))]).matched, 1);
    assert_eq!(garden.append_new(root, vec![call(json!(-9_223_372_036_854_775_808.0))]).matched, 1);
}

#[test]
fn case_13_blank_messages_are_left_out_and_matching_goes_on() {
    let mut garden = Garden::new("u:a (a:b)");
    for blank in ["", " ", "\n\t ", "\u{3000}"] {
        let blank = || NewMessage::new(Message::text(Role::User, blank));
        let list = |labels: &[&str]| -> Vec<NewMessage> {
            let mut list = vec![blank()];
            for label in labels {
                list.extend([NewMessage::new(message(label)), blank()]);
            }
            list
        };
        let appended = garden.append_new(garden.root, list(&["u:a", "a:b"]));
        assert_eq!((appended.matched, appended.blank, appended.created.len()), (2, 3, 0));
        let (root, new) = (garden.root, list(&[]));
        let nothing =
            garden.quiet(|forest, now| forest.append(root.into(), new, Matching::Exact, now));
        assert_eq!(nothing, Appended { end: root.into(), created: vec![], matched: 0, blank: 1 });
    }
    assert_eq!(garden.sketch(), "u:a (a:b)");
    let blank = json!({ "role": "user", "content": "  " });
    assert_eq!(NewMessage::from_json(blank).unwrap(), None);
}

#[test]
fn case_14_a_message_that_only_calls_a_tool_is_kept() {
    let mut garden = Garden::new("");
    let calls = json!([{ "id": "1", "function": { "name": "run", "arguments": "{}" } }]);
    let old = json!({ "role": "assistant", "content": " ", "tool_calls": calls });
    garden.append_new(garden.root, vec![from_json(old)]);
    assert_eq!(garden.sketch(), "a:[1]");
    assert_eq!(garden.append(garden.root, &["a:[1]"]).matched, 1);
}

#[test]
fn case_15_two_messages_are_not_one() {
    let mut garden = Garden::new("a:A (a: B)");
    assert_eq!(garden.append(garden.root, &["a:A B"]).created.len(), 1);
    assert_eq!(garden.sketch(), "a:A (a: B), a:A B");
    let mut garden = Garden::new("a:ab");
    garden.append(garden.root, &["a:a|b"]);
    assert_eq!(garden.sketch(), "a:ab, a:a|b", "blocks are not joined, either");
}

#[test]
fn case_16_white_space_counts_unless_one_asks_otherwise() {
    let mut garden = Garden::new("u:hello");
    let (root, hello) = (garden.root, garden.id("u:hello"));
    let padded = || vec![NewMessage::new(Message::text(Role::User, " hello\n"))];
    let found =
        garden.quiet(|forest, now| forest.append(root.into(), padded(), Matching::Trimmed, now));
    assert_eq!(found.end, hello.into(), "the first spelling stays");
    assert_eq!(garden.append_new(root, padded()).created.len(), 1);
    let exact = garden.forest.append(root.into(), padded(), Matching::Trimmed, Millis(9)).unwrap();
    assert_ne!(exact.end, hello.into(), "an exact match comes first");
    for other in ["hel lo", "Hello", "hello!", "he\u{301}llo"] {
        let new = vec![NewMessage::new(Message::text(Role::User, other))];
        let now = garden.now();
        let appended = garden.forest.append(root.into(), new, Matching::Trimmed, now).unwrap();
        assert_eq!(appended.created.len(), 1, "{other}");
    }
}

#[test]
fn case_16_trimming_looks_at_texts_only() {
    let call = |text: &str, number: Value| {
        from_json(json!({ "role": "assistant", "content": [ { "type": "text", "text": text },
            { "type": "tool-use", "id": "1", "name": "run", "parameters": { "text": " x ", "n": number } }] }))
    };
    let mut garden = Garden::new("");
    let root = garden.root;
    garden.append_new(root, vec![call("go", json!(1))]);
    let mut trimmed = |new| {
        let now = garden.now();
        garden.forest.append(root.into(), vec![new], Matching::Trimmed, now).unwrap().matched
    };
    assert_eq!(trimmed(call(" go ", json!(1))), 1);
    assert_eq!(trimmed(call(" go ", json!(1.0))), 1, "numbers count by value here, too");
    assert_eq!(trimmed(call("go", json!(2))), 0);
    let unpadded = json!({ "role": "assistant", "content": [ { "type": "text", "text": "go" },
        { "type": "tool-use", "id": "1", "name": "run", "parameters": { "text": "x", "n": 1 } }] });
    assert_eq!(trimmed(from_json(unpadded)), 0, "arguments are no text");
}

#[test]
fn case_17_unknown_blocks_survive_and_count() {
    let image = json!({ "type": "image", "data": "abc", "deep": { "b": [1, null], "a": true } });
    let with = |block: &Value| json!({ "role": "user", "content": [{ "type": "text", "text": "see" }, block] });
    let mut garden = Garden::new("");
    let root = garden.root;
    let end = garden.append_new(root, vec![from_json(with(&image))]).end;
    let said = garden.forest.message(end.node().unwrap()).unwrap();
    assert_eq!(serde_json::to_value(&*said).unwrap(), with(&image));
    assert_eq!(garden.append_new(root, vec![from_json(with(&image))]).end, end);
    let mut other = image.clone();
    other["deep"]["b"][1] = json!(0);
    assert_ne!(garden.append_new(root, vec![from_json(with(&other))]).end, end);
    assert_eq!(garden.sketch(), "u:see|{image}, u:see|{image}");
}

#[test]
fn case_18_one_bad_message_refuses_all() {
    let mut garden = Garden::new("u:a");
    let root = Place::Root(garden.root);
    let text = |text: &str| NewMessage::new(message(text));
    let lists: Vec<(Vec<NewMessage>, &str)> = vec![
        (vec![text("u:a"), text("a:b"), text("t:x=result"), text("u:c")], "NoSuchCall"),
        (vec![text("u:n"), text("t:x=result"), text("a:[x]")], "NoSuchCall"),
        (vec![text("a:[x]"), text("t:x= "), text("u:n")], "InvalidMessage"),
        (vec![text("a:n"), NewMessage::new(Message::text(Role::Tool, "result"))], "InvalidMessage"),
    ];
    for (list, expected) in lists {
        let refused = garden.refused(|forest, now| forest.append(root, list, Matching::Exact, now));
        assert_eq!(refused, expected);
    }
    assert_eq!(garden.sketch(), "u:a");
}

#[test]
fn case_18_an_error_says_which_message_is_wrong() {
    let mut garden = Garden::new("u:a");
    let list = ["u:n", "a:m", "t:x=result"].map(|label| NewMessage::new(message(label)));
    let error = garden.forest.append(garden.root.into(), list.to_vec(), Matching::Exact, Millis(1));
    let text = error.unwrap_err().to_string();
    assert_eq!(text, r#"message 3 is the result of tool call "x", which nothing before it made"#);
}

#[test]
fn case_18_a_result_finds_its_call_anywhere_before_it() {
    let mut garden = Garden::new("u:a (a:[x]|[y] (t:y=2 (u:b)))");
    let b = garden.id("u:b");
    garden.append(b, &["a:[z]", "t:x=1", "t:z=3"]);
    garden.append(garden.root, &["u:a", "a:[x]|[y]", "t:x=1"]);
    assert_eq!(garden.sketch(), "u:a (a:[x]|[y] (t:y=2 (u:b (a:[z] (t:x=1 (t:z=3)))), t:x=1))");
    let aside = garden.append(garden.root, &["u:other"]).end;
    let result = || vec![NewMessage::new(message("t:x=1"))];
    let refused =
        garden.refused(|forest, now| forest.append(aside, result(), Matching::Exact, now));
    assert_eq!(refused, "NoSuchCall", "a call in another branch is none");
}

#[test]
fn case_18_a_call_that_says_more_than_we_know_is_a_call() {
    let mut garden = Garden::new("u:a");
    let call = json!({ "role": "assistant", "content": [
        { "type": "tool-use", "id": "x", "name": "run", "parameters": {}, "signature": "s" }] });
    let a = garden.id("u:a");
    garden.append_new(a, vec![from_json(call), NewMessage::new(message("t:x=1"))]);
    let end = garden.id("t:x=1");
    garden.append(end, &["a:fine"]);
    assert_eq!(garden.sketch(), "u:a (a:{tool-use} (t:x=1 (a:fine)))");
    let call = Place::Node(garden.id("a:{tool-use}"));
    let refused =
        garden.refused(|forest, now| forest.delete(&[call], Deletion::Reparent, true, now));
    assert_eq!(refused, "HasResults");
}

#[test]
fn case_19_a_place_that_is_not_there() {
    let mut garden = Garden::new("u:a (a:b)");
    let new = || vec![NewMessage::new(message("u:x"))];
    let mut refused = |place: &str| {
        let place: Place = place.parse().unwrap();
        garden.refused(|forest, now| forest.append(place, new(), Matching::Exact, now))
    };
    assert_eq!(refused("root-1/node-77"), "NodeNotFound");
    assert_eq!(refused("root-7"), "RootNotFound");
    assert_eq!(refused("root-7/node-1"), "NodeNotFound");
    let deleted = garden.delete(&["a:b"], Deletion::Cascade).removed[0];
    let refused =
        garden.refused(|forest, now| forest.append(deleted.into(), new(), Matching::Exact, now));
    assert_eq!(refused, "NodeDeleted");
}

#[test]
fn case_20_fields_that_no_message_has_become_custom_data() {
    let mut garden = Garden::new("");
    let root = garden.root;
    let extra = json!({ "role": "user", "content": "hi", "name": "Ann", "id": 7 });
    let end = garden.append_new(root, vec![from_json(extra)]).end;
    let plain = json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }] });
    assert_eq!(garden.append_new(root, vec![from_json(plain)]).end, end);
    let node = garden.node("u:hi");
    assert_eq!(Value::Object(node.metadata.custom_data.clone()), json!({ "name": "Ann", "id": 7 }));
}

#[test]
fn case_21_a_model_that_says_the_same_again_is_noted() {
    let mut garden = Garden::new("u:a");
    let a = garden.id("u:a");
    let answer = |source| NewMessage { source, ..NewMessage::new(message("a:b")) };
    garden.append_new(a, vec![answer(Some(model("one", 1)))]);
    let appended = garden.append_new(a, vec![answer(Some(model("two", 2)))]);
    assert_eq!((appended.matched, appended.created.len()), (1, 0));
    garden.append_new(a, vec![answer(None)]);
    garden.append_new(a, vec![answer(Some(SourceInfo::User))]);
    let node = garden.node("a:b");
    assert_eq!(node.metadata.source, Some(model("one", 1)), "the first stays");
    assert_eq!(node.metadata.created, Some(Millis(2)));
    let repeats: Vec<_> =
        node.metadata.repeats.iter().map(|repeat| (repeat.at, &repeat.source)).collect();
    assert_eq!(repeats, [(Millis(3), &model("two", 2))]);
    assert_eq!(garden.sketch(), "u:a (a:b)");
}

#[test]
fn case_22_equal_completions_are_one_message_and_counted() {
    let mut garden = Garden::new("u:a");
    let a = garden.id("u:a");
    let ends: Vec<Place> = (0..5)
        .map(|number| {
            let source = Some(model("one", number));
            garden.append_new(a, vec![NewMessage { source, ..NewMessage::new(message("a:b")) }]).end
        })
        .collect();
    assert!(ends.iter().all(|end| *end == ends[0]));
    assert_eq!(garden.sketch(), "u:a (a:b)");
    assert_eq!(garden.node("a:b").metadata.repeats.len() + 1, 5);
}

#[test]
fn case_23_a_thousand_appends_without_a_failure() {
    let mut garden = Garden::new("");
    let root = garden.root;
    for number in 0..1_000 {
        let appended = garden.append(root, &[&format!("u:{number}")]);
        assert_eq!(appended.created.len(), 1);
    }
    let children = garden.forest.children(root.into()).unwrap();
    let texts = children.iter().map(|node| label(&garden.forest.message(node.id).unwrap()));
    assert!(texts.eq((0..1_000).map(|number| format!("u:{number}"))));
}

/// Makes messages that no append would: each says "twin" after the same place.
fn duplicates(garden: &mut Garden, count: u32) -> Vec<NodeId> {
    let said = message("u:twin");
    let next = garden.forest.store().next_node(garden.root).unwrap();
    let ids: Vec<NodeId> = (next..next + count)
        .map(|number| format!("{}/node-{number}", garden.root).parse().unwrap())
        .collect();
    for (id, number) in ids.iter().zip(next..) {
        // The last made stands first, so that the order among siblings and the order of ids differ.
        let order: Order = serde_json::from_value(json!([1_000 - number])).unwrap();
        let node = Node {
            id: *id,
            parent: garden.root.into(),
            order,
            key: ContentKey::of(&said),
            role: Role::User,
            metadata: pi_brain_forest::Metadata::default(),
            removal: None,
        };
        let changes =
            vec![Change::Node(node), Change::Content(*id, Content::Inline(said.clone().into()))];
        garden.forest.store_mut().commit(changes).unwrap();
    }
    ids
}

#[test]
fn case_25_of_equal_siblings_the_lowest_id_is_found() {
    let mut garden = Garden::new("u:a");
    let twins = duplicates(&mut garden, 3);
    for _ in 0..3 {
        let appended = garden.append(garden.root, &["u:twin"]);
        assert_eq!((appended.end, appended.matched), (twins[0].into(), 1));
    }
    // Also while the one that would be preferred is being changed in the same operation.
    let appended = garden.append(garden.root, &["u:twin", "a:x"]);
    assert_eq!(appended.matched, 1);
    assert_eq!(garden.forest.node(twins[0]).unwrap().id, twins[0]);
    let edited =
        garden.forest.edit(garden.id("u:a"), "twin", Following::Follow, Millis(9)).unwrap();
    assert_eq!(edited.node, twins[0]);
}

#[test]
fn case_25_repair_makes_equal_siblings_one() {
    let mut garden = Garden::new("");
    let twins = duplicates(&mut garden, 3);
    for (twin, labels) in twins.iter().zip([["a:x", "u:1"], ["a:x", "u:2"], ["a:y", "u:1"]]) {
        garden.append(*twin, &labels);
    }
    garden.forest.bookmark(twins[2], "last", Millis(1)).unwrap();
    assert_eq!(garden.forest.check().unwrap().len(), 2);
    garden.forest.repair(Millis(9)).unwrap();
    assert_eq!(garden.sketch(), "u:twin (a:x (u:1, u:2), a:y (u:1))");
    assert_eq!(garden.id("u:twin"), twins[0]);
    assert_eq!(garden.bookmarks(), [("last".to_owned(), "u:twin".to_owned())]);
    for twin in twins {
        assert_eq!(garden.forest.node(twin).unwrap().id, garden.id("u:twin"), "old ids stay good");
    }
}

#[test]
fn asking_again_branches_and_never_overwrites() {
    let mut garden = Garden::new("u:ask (a:one (u:more (a:end)))");
    garden.append(garden.root, &["u:ask", "a:two"]);
    garden.append(garden.root, &["u:ask", "a:three"]);
    assert_eq!(garden.sketch(), "u:ask (a:one (u:more (a:end)), a:two, a:three)");
}

#[test]
fn what_is_invalid_never_becomes_a_message() {
    let invalid = |value: Value| NewMessage::from_json(value).unwrap_err();
    assert_eq!(invalid(json!([])), InvalidMessage::NotAnObject);
    assert_eq!(
        invalid(json!({ "role": "system", "content": "x" })),
        InvalidMessage::UnknownRole("system".into())
    );
    assert_eq!(invalid(json!({ "role": "tool", "content": "x" })), InvalidMessage::NoToolCallId);
    assert_eq!(
        invalid(json!({ "role": "tool", "tool_call_id": " ", "content": "x" })),
        InvalidMessage::NoToolCallId
    );
    assert_eq!(invalid(json!({ "role": "user", "content": 7 })), InvalidMessage::BadContent);
}
