//! The format of nodes, for other programs.

use serde_json::Value;

use crate::node::Node;

/// Returns the JSON Schema of a node.
pub fn node_schema() -> Value {
    schemars::schema_for!(Node).to_value()
}
