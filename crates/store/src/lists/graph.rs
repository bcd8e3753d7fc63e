//! Nodes with the edges between them.

use pi_brain_brain::Edge;
use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::Serialize;

use super::{NodeFilter, NodeRow, Order};
use crate::error::{Result, StoreError};
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
             SELECT data FROM edge WHERE source IN chosen AND target IN chosen ORDER BY id"
        );
        let data: Vec<String> = self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement
                .query_map(params_from_iter(conditions.values.iter()), |row| row.get(0))?;
            rows.collect()
        })?;
        let edges = data.iter().map(|edge| serde_json::from_str(edge)).collect::<Result<_, _>>();
        let damaged = |why: serde_json::Error| StoreError::Damaged {
            what: "an edge".to_owned(),
            why: why.to_string(),
        };
        Ok((Graph { nodes, edges: edges.map_err(damaged)? }, total))
    }
}
