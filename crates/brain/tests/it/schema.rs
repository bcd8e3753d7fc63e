//! The published schemas.

use std::path::Path;

use pi_brain_brain::{Edge, EdgeCreator, EdgeType, NodeId, edge_schema, node_schema};
use pi_brain_session::Millis;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::checker;
use crate::node::EXAMPLE;
use crate::random::{any_node, cases};

#[test]
fn the_schemas_in_the_docs_are_today_s() {
    for (name, schema) in [("node", node_schema()), ("edge", edge_schema())] {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let file = docs.join(format!("{name}.schema.json"));
        let today = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&file, &today).unwrap();
        }
        let published = std::fs::read_to_string(&file).unwrap();
        assert!(
            published == today,
            "docs/{name}.schema.json is out of date: UPDATE_SCHEMA=1 cargo test -p pi-brain-brain schema"
        );
    }
}

#[test]
fn an_edge_follows_its_schema() {
    let (source, target) = (NodeId::from_u64(1), NodeId::from_u64(2));
    let edge = Edge::new(source, target, EdgeType::TreeJump, Millis(0), EdgeCreator::Boundary);
    let mut json = serde_json::to_value(&edge).unwrap();
    assert_eq!(checker::check(&edge_schema(), &json), Ok(()));
    json["type"] = json!("jump");
    assert!(checker::check(&edge_schema(), &json).is_err());
}

#[test]
fn the_example_follows_the_schema() {
    let example: Value = serde_json::from_str(EXAMPLE).unwrap();
    assert_eq!(checker::check(&node_schema(), &example), Ok(()));
}

#[test]
fn the_schema_tells_what_is_no_node() {
    let mut example: Value = serde_json::from_str(EXAMPLE).unwrap();
    let faults = [
        ("/id", json!("A1B2C3D4E5F6A7B8")),
        ("/version", json!(0)),
        ("/content/outcome", json!("done")),
        ("/content/toolsUsed/0", json!(1)),
        ("/content/keyDecisions/0", json!({ "what": "x", "why": "y" })),
        (
            "/source/segment",
            json!({ "startEntryId": "a", "endEntryId": "b", "entryCount": 1, "x": 1 }),
        ),
        ("/metadata/timestamp", json!("noon")),
    ];
    for (path, fault) in faults {
        let place = example.pointer_mut(path).unwrap();
        let good = std::mem::replace(place, fault);
        assert!(checker::check(&node_schema(), &example).is_err(), "{path}");
        *example.pointer_mut(path).unwrap() = good;
    }
}

proptest! {
    #![proptest_config(cases(64))]
    #[test]
    fn every_node_follows_the_schema(node in any_node()) {
        let json: Value = serde_json::from_str(&node.to_json()).unwrap();
        prop_assert_eq!(checker::check(&node_schema(), &json), Ok(()));
        prop_assert_eq!(pi_brain_brain::Node::from_json(node.to_json().as_bytes()).unwrap(), node);
    }
}
