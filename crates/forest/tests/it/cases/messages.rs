//! What is a message, in today's shape and in the old ones, and what makes two messages the same.

use pi_brain_forest::{Block, ContentKey, InvalidMessage, Message, Role, ToolUse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::cases;

fn read(value: Value) -> Result<Value, InvalidMessage> {
    Message::from_json(value).map(|(message, _)| serde_json::to_value(message).unwrap())
}

fn calls(arguments: &Value) -> Value {
    json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": "1", "function": { "name": "run", "arguments": arguments } }] })
}

#[test]
fn old_shapes_become_blocks() {
    let text = |role: &str, text: &str| json!({ "role": role, "content": [{ "type": "text", "text": text }] });
    assert_eq!(read(json!({ "role": "user", "content": " hi " })).unwrap(), text("user", " hi "));
    assert_eq!(
        read(json!({ "role": "assistant", "content": "hi" })).unwrap(),
        text("assistant", "hi")
    );
    let both = json!({ "role": "assistant", "content": "hi", "tool_calls": [
        { "id": "1", "function": { "name": "a", "arguments": "{\"x\":1}" } },
        { "id": "2", "function": { "name": "b" } }] });
    assert_eq!(
        read(both).unwrap(),
        json!({ "role": "assistant", "content": [
            { "type": "text", "text": "hi" },
            { "type": "tool-use", "id": "1", "name": "a", "parameters": { "x": 1 } },
            { "type": "tool-use", "id": "2", "name": "b", "parameters": {} }] })
    );
    let result = json!({ "role": "tool", "tool_call_id": "1", "content": "done" });
    assert_eq!(
        read(result).unwrap(),
        json!({ "role": "tool", "tool_call_id": "1", "content": [{ "type": "text", "text": "done" }] })
    );
    for blank in [json!(null), json!(""), json!(" ")] {
        let mut value = calls(&json!("{}"));
        value["content"] = blank;
        assert_eq!(read(value).unwrap()["content"].as_array().unwrap().len(), 1, "calls only");
    }
    for none in [json!(""), json!("  "), json!({}), json!("{}")] {
        assert_eq!(read(calls(&none)).unwrap()["content"][0]["parameters"], json!({}), "{none}");
    }
}

#[test]
fn old_shapes_that_say_nothing_or_nonsense() {
    for content in [json!(null), json!(""), json!(" "), json!([])] {
        for role in ["user", "assistant"] {
            let value = json!({ "role": role, "content": content });
            assert_eq!(read(value), Err(InvalidMessage::Empty), "{role} {content}");
        }
        let value = json!({ "role": "tool", "tool_call_id": "1", "content": content });
        assert_eq!(read(value), Err(InvalidMessage::Empty), "tool {content}");
    }
    let no_calls = json!({ "role": "assistant", "content": null, "tool_calls": [] });
    assert_eq!(read(no_calls), Err(InvalidMessage::Empty));
    for bad in
        [json!("{"), json!("[]"), json!("null"), json!("7"), json!([]), json!(null), json!(7)]
    {
        let error = read(calls(&bad)).unwrap_err();
        let InvalidMessage::BadArguments { id, name, arguments } = &error else {
            panic!("{error}")
        };
        let raw = bad.as_str().map_or_else(|| bad.to_string(), str::to_owned);
        assert_eq!((&**id, &**name, &**arguments), ("1", "run", &*raw));
    }
    for (member, value) in [("id", json!(" ")), ("id", json!(7)), ("id", Value::Null)] {
        let mut message = calls(&json!("{}"));
        message["tool_calls"][0][member] = value;
        assert!(matches!(read(message), Err(InvalidMessage::BadBlock { .. })));
    }
    for content in [json!(7), json!({}), json!(true)] {
        for role in ["user", "assistant", "tool"] {
            let value = json!({ "role": role, "tool_call_id": "1", "content": content });
            assert_eq!(read(value), Err(InvalidMessage::BadContent));
        }
    }
}

#[test]
fn blocks_that_lack_what_their_kind_needs() {
    for block in [
        json!("text"),
        json!(null),
        json!({}),
        json!({ "type": 7 }),
        json!({ "type": "text" }),
        json!({ "type": "text", "text": 7 }),
        json!({ "type": "tool-use", "name": "n", "parameters": {} }),
        json!({ "type": "tool-use", "id": " ", "name": "n", "parameters": {} }),
        json!({ "type": "tool-use", "id": "1", "name": "", "parameters": {} }),
        json!({ "type": "tool-use", "id": "1", "name": "n" }),
        json!({ "type": "tool-use", "id": "1", "name": "n", "parameters": [] }),
        json!({ "type": "tool-use", "id": "1", "name": "n", "parameters": null }),
    ] {
        let value =
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "x" }, block] });
        let error = read(value).unwrap_err();
        assert!(matches!(error, InvalidMessage::BadBlock { index: 2, .. }), "{block}: {error}");
    }
    for extra in [json!({}), json!({ "signature": "s" })] {
        let mut block = json!({ "type": "tool-use", "id": "1", "name": "n", "parameters": {} });
        block.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let value = json!({ "role": "user", "content": [block] });
        assert!(matches!(read(value), Err(InvalidMessage::BadBlock { index: 1, .. })), "{extra}");
    }
}

#[test]
fn a_block_of_unknown_kind_must_be_one() {
    let object = |value: Value| -> Map<String, Value> { serde_json::from_value(value).unwrap() };
    let new = |value| Message::new(Role::User, vec![Block::Other(object(value))], None, false);
    let text = new(json!({ "type": "text", "text": "x" })).unwrap();
    assert_eq!(
        text,
        Message::text(Role::User, "x"),
        "a known kind by another way is the known kind"
    );
    assert!(matches!(new(json!({ "data": "x" })), Err(InvalidMessage::BadBlock { .. })));
    assert!(matches!(new(json!({ "type": "text" })), Err(InvalidMessage::BadBlock { .. })));
    new(json!({ "type": "image" })).unwrap();
}

#[test]
fn everything_that_is_said_is_in_the_key() {
    let base = || {
        json!({ "role": "tool", "tool_call_id": "1", "is_error": false,
        "content": [{ "type": "text", "text": "a" }, { "type": "image", "data": "x" }] })
    };
    let key = |value: Value| ContentKey::of(&Message::from_json(value).unwrap().0);
    let mut keys = vec![key(base())];
    for change in [
        |value: &mut Value| value["tool_call_id"] = json!("2"),
        |value: &mut Value| value["is_error"] = json!(true),
        |value: &mut Value| value["content"][0]["text"] = json!("a "),
        |value: &mut Value| value["content"][0]["text"] = json!("b"),
        |value: &mut Value| value["content"][1]["data"] = json!("y"),
        |value: &mut Value| value["content"][1]["more"] = json!(null),
        |value: &mut Value| value["content"].as_array_mut().unwrap().reverse(),
        |value: &mut Value| {
            value["content"].as_array_mut().unwrap().push(json!({ "type": "image" }));
        },
        |value: &mut Value| value["role"] = json!("user"),
    ] {
        let mut value = base();
        change(&mut value);
        keys.push(key(value));
    }
    let distinct: std::collections::HashSet<&ContentKey> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
    let mut noted = base();
    noted["timestamp"] = json!(1);
    assert_eq!(key(noted), keys[0], "what is beside the message is not");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_block() -> impl Strategy<Value = Block> {
    let object = || {
        prop::collection::btree_map("[ab]|text|id|name", any_value(), 0..3)
            .prop_map(|members| members.into_iter().collect::<Map<String, Value>>())
    };
    prop_oneof![
        ".{0,4}".prop_map(Block::Text),
        ("[a-c]", "[a-c]", object()).prop_map(|(id, name, parameters)| Block::ToolUse(ToolUse {
            id,
            name,
            parameters
        })),
        (prop_oneof!["image", "text", "tool-use"], object()).prop_map(|(kind, mut members)| {
            members.insert("type".to_owned(), kind.into());
            Block::Other(members)
        }),
    ]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_message_survives_being_written_and_read(
        role in prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool)],
        content in prop::collection::vec(any_block(), 0..4),
        call in prop::option::of("[a ]{0,2}"),
        is_error in any::<bool>(),
    ) {
        if let Ok(message) = Message::new(role, content, call, is_error) {
            let text = serde_json::to_string(&message).unwrap();
            let read: Message = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(ContentKey::of(&read), ContentKey::of(&message));
            prop_assert_eq!(read, message);
        }
    }
}
