//! Links between nodes, as the database keeps them.

use std::collections::BTreeMap;

use pi_brain_brain::{Edge, EdgeExt, EdgeId, EdgeMetadata, NodeId, word};
use pi_brain_session::Millis;
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, ToSql, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::derived::{json, key, node_id};
use crate::error::Result;
use crate::links::{mark_unlinked, of_word};
use crate::store::Store;

/// What [`edge_row`] reads.
pub(crate) const EDGE_COLUMNS: &str = "SELECT id, source, target, type, created_by, data FROM edge";

/// What an edge says beyond the columns that are asked for.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rest {
    metadata: EdgeMetadata,
    created_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ext: Option<EdgeExt>,
}

impl Rest {
    fn of(edge: &Edge) -> String {
        json(&Self {
            metadata: edge.metadata.clone(),
            created_at: edge.created_at,
            ext: edge.ext.clone(),
        })
    }
}

/// Reads an edge.
pub(crate) fn edge_row(row: &Row<'_>) -> rusqlite::Result<Edge> {
    let damaged = |column: usize, why: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why)
    };
    let unknown = |column: usize| damaged(column, "this program does not know the word".into());
    let id: EdgeId = row.get_ref(0)?.as_str()?.parse().map_err(|_| unknown(0))?;
    let rest: Rest =
        serde_json::from_str(row.get_ref(5)?.as_str()?).map_err(|why| damaged(5, Box::new(why)))?;
    Ok(Edge {
        id,
        source_node_id: node_id(row.get(1)?),
        target_node_id: node_id(row.get(2)?),
        kind: of_word(row.get_ref(3)?.as_str()?).ok_or_else(|| unknown(3))?,
        created_by: of_word(row.get_ref(4)?.as_str()?).ok_or_else(|| unknown(4))?,
        metadata: rest.metadata,
        created_at: rest.created_at,
        ext: rest.ext,
    })
}

impl Store {
    /// Lists the edges from and to a node, or all there are, oldest first.
    pub fn edges_of(&self, node: Option<NodeId>) -> Result<Vec<Edge>> {
        let condition = match node {
            Some(_) => "source = ?1 OR target = ?1",
            None => "?1 IS NULL",
        };
        self.edges_where(condition, &node.map(key))
    }

    /// Lists the edges from and to any of the nodes, the oldest first.
    pub fn edges_around(&self, nodes: &[NodeId]) -> Result<Vec<Edge>> {
        let keys: Vec<i64> = nodes.iter().copied().map(key).collect();
        let condition = "source IN (SELECT value FROM json_each(?1))
                         OR target IN (SELECT value FROM json_each(?1))";
        self.edges_where(condition, &json(&keys))
    }

    fn edges_where(&self, condition: &str, value: &dyn ToSql) -> Result<Vec<Edge>> {
        let mut edges: Vec<Edge> = self.database.read(|connection| {
            let sql = format!("{EDGE_COLUMNS} WHERE {condition}");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([value], edge_row)?;
            rows.collect()
        })?;
        edges.sort_by_key(|edge| (edge.created_at, edge.id));
        Ok(edges)
    }

    /// Returns an edge.
    pub fn edge(&self, id: EdgeId) -> Result<Option<Edge>> {
        self.database.read(|connection| {
            let sql = format!("{EDGE_COLUMNS} WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_row([id.to_string()], edge_row).optional()
        })
    }
}

/// Takes in the edges that show the structure of a family, in place of those that it had.
pub(crate) fn save_structure(
    transaction: &Transaction<'_>,
    root: u32,
    edges: &[Edge],
) -> rusqlite::Result<()> {
    if replace(transaction, Some(root), edges)? {
        mark_unlinked(transaction)?;
    }
    Ok(())
}

/// Takes in what a link pass has found, in place of what the last one found.
pub(crate) fn save_found(transaction: &Transaction<'_>, edges: &[Edge]) -> rusqlite::Result<()> {
    replace(transaction, None, edges).map(drop)
}

/// Puts edges in place of those of a family, or of the last link pass; returns whether that changed anything. What is
/// the same is not written, and edges of others are left alone.
fn replace(
    transaction: &Transaction<'_>,
    root: Option<u32>,
    edges: &[Edge],
) -> rusqlite::Result<bool> {
    let condition = match root {
        Some(_) => "root = ?1",
        None => "created_by = 'daemon' AND ?1 IS NULL",
    };
    let mut known: BTreeMap<String, String> = {
        let sql = format!("SELECT id, data FROM edge WHERE {condition}");
        let mut statement = transaction.prepare_cached(&sql)?;
        let rows = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut changes = false;
    for edge in edges {
        if known.remove(&edge.id.to_string()) != Some(Rest::of(edge)) {
            save_edge(transaction, root, edge)?;
            changes = true;
        }
    }
    changes |= !known.is_empty();
    for gone in known.keys() {
        transaction.prepare_cached("DELETE FROM edge WHERE id = ?1")?.execute([gone])?;
    }
    Ok(changes)
}

/// Takes in an edge; `root` is the family whose structure it shows.
pub(crate) fn save_edge(
    transaction: &Transaction<'_>,
    root: Option<u32>,
    edge: &Edge,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO edge (id, source, target, type, root, created_by, data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            edge.id.to_string(),
            key(edge.source_node_id),
            key(edge.target_node_id),
            word(&edge.kind),
            root,
            word(&edge.created_by),
            Rest::of(edge)
        ])?;
    Ok(())
}
