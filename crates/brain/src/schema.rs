//! The formats of nodes and edges, for other programs.

use serde_json::Value;

use crate::edge::Edge;
use crate::node::Node;

/// Returns the JSON Schema of a node.
pub fn node_schema() -> Value {
    schemars::schema_for!(Node).to_value()
}

/// Returns the JSON Schema of an edge.
pub fn edge_schema() -> Value {
    schemars::schema_for!(Edge).to_value()
}
