//! Reading and writing nodes.

use pi_brain_brain::{BrainError, Node, NodeId, SCHEMA_VERSION};
use serde_json::{Value, json};

/// The node that the format's description shows, with ids that are hexadecimal.
pub(crate) const EXAMPLE: &str = include_str!("node/example.json");

pub(crate) fn example() -> Node {
    Node::from_json(EXAMPLE.as_bytes()).unwrap()
}

#[test]
fn the_example_loses_nothing() {
    let written: Value = serde_json::from_str(&example().to_json()).unwrap();
    assert_eq!(plain(written), plain(serde_json::from_str(EXAMPLE).unwrap()));
}

/// Makes 45 and 45.0 the same number, as they are in JSON.
fn plain(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.drain(..).map(plain).collect(),
        Value::Object(members) => {
            std::mem::take(members).into_iter().map(|(key, value)| (key, plain(value))).collect()
        }
        _ => value,
    }
}

#[test]
fn optional_fields_are_left_out_and_lists_are_always_there() {
    let mut node = example();
    node.classification.language = None;
    node.classification.frameworks = None;
    node.content.files_touched.clear();
    let written = node.to_json();
    assert!(!written.contains("language") && !written.contains("null"), "{written}");
    assert!(written.contains("\"filesTouched\":[]"), "{written}");
}

#[test]
fn what_is_no_node_is_refused() {
    let with = |path: &str, value: Value| {
        let mut node: Value = serde_json::from_str(EXAMPLE).unwrap();
        *node.pointer_mut(path).unwrap() = value;
        node
    };
    let cases = [
        (json!(1), "invalid type"),
        (json!({}), "missing field `id`"),
        (with("/id", json!("g7h8")), "16 hex digits"),
        (with("/content/outcome", json!("done")), "expected one of `success`"),
        (with("/classification", json!({ "typ": 1 })), "unknown field `typ`"),
        (with("/metadata/timestamp", json!("yesterday")), "no time"),
        (with("/source/segment/entryCount", json!(-1)), "expected u64"),
    ];
    for (json, reason) in cases {
        let refused = match Node::from_json(json.to_string().as_bytes()) {
            Err(BrainError::BadNode(error)) => error.to_string(),
            other => panic!("{json}: {other:?}"),
        };
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn a_node_of_a_later_format_is_refused_as_such() {
    let mut json: Value = serde_json::from_str(EXAMPLE).unwrap();
    json["ext"] = json!({ "schemaVersion": SCHEMA_VERSION + 1, "mood": "unknown to us" });
    match Node::from_json(json.to_string().as_bytes()) {
        Err(BrainError::NodeTooNew { found, supported }) => {
            assert_eq!((found, supported), (SCHEMA_VERSION + 1, SCHEMA_VERSION));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_id_has_sixteen_digits() {
    let id: NodeId = "00b2c3d4e5f6a7b8".parse().unwrap();
    assert_eq!(id.to_string(), "00b2c3d4e5f6a7b8");
    assert_eq!(id.as_u64(), 0x00b2_c3d4_e5f6_a7b8);
    for bad in ["", "00b2", "00B2C3D4E5F6A7B8", "a1b2c3d4e5f6g7h8", "+0b2c3d4e5f6a7b8"] {
        assert!(bad.parse::<NodeId>().is_err(), "{bad}");
    }
}
