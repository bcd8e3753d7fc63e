//! Nodes with the edges between them.

use pi_brain_brain::Edge;
use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::Serialize;

use super::{NodeFilter, NodeRow, Order};
use crate::edges::{EDGE_COLUMNS, edge_row};
use crate::error::Result;
use crate::store::Store;

/// Nodes, and the edges between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Graph {
    /// The nodes, newest first.
    pub nodes: Vec<NodeRow>,
    /// The edges whose two nodes are among these.
    pub edges: Vec<Edge>,
}

impl Store {
    /// Returns the newest nodes that fit, with the edges between them, and says how many nodes fit in all.
    pub fn graph(&self, filter: &NodeFilter, limit: usize) -> Result<(Graph, usize)> {
        let (nodes, total) = self.nodes(filter, Order::Newest, limit, 0)?;
        let conditions = filter.conditions();
        let clause = conditions.clause();
        let sql = format!(
            "WITH chosen AS (SELECT id FROM node {clause} ORDER BY started DESC, id LIMIT {limit})
             {EDGE_COLUMNS} WHERE source IN chosen AND target IN chosen ORDER BY id"
        );
        let edges = self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(conditions.values.iter()), edge_row)?;
            rows.collect::<rusqlite::Result<_>>()
        })?;
        Ok((Graph { nodes, edges }, total))
    }
}
