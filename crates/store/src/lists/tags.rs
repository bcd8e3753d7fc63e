//! Tags and topics across nodes.

use std::collections::BTreeSet;

use pi_brain_brain::NodeId;
use pi_brain_session::Millis;
use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::Serialize;

use super::{NodeFilter, count};
use crate::derived::node_id;
use crate::error::Result;
use crate::store::Store;

/// A tag or topic, with where it is found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagRow {
    /// The word.
    pub tag: String,
    /// `tag` or `topic`.
    pub kind: String,
    /// How many nodes have it.
    pub nodes: u64,
    /// The projects that these nodes belong to.
    pub projects: BTreeSet<String>,
    /// When work with it began last.
    pub last_used: Millis,
}

impl Store {
    /// Lists the tags and topics of every node.
    pub fn tags_by_node(&self) -> Result<Vec<(NodeId, String)>> {
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT DISTINCT node, tag FROM tag")?;
            let rows = statement.query_map([], |row| Ok((node_id(row.get(0)?), row.get(1)?)))?;
            rows.collect()
        })
    }

    /// Lists tags and topics, those of most nodes first.
    pub fn tags(&self, filter: &NodeFilter) -> Result<Vec<TagRow>> {
        let conditions = filter.conditions();
        let clause = conditions.clause();
        let sql = format!(
            "SELECT min(tag), kind, count(DISTINCT id), json_group_array(DISTINCT project), max(started)
             FROM tag JOIN node ON id = tag.node {clause}
             GROUP BY tag COLLATE NOCASE, kind ORDER BY 3 DESC, max(started) DESC, 1"
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(conditions.values.iter()), |row| {
                let projects: String = row.get(3)?;
                Ok(TagRow {
                    tag: row.get(0)?,
                    kind: row.get(1)?,
                    nodes: count(row, 2)?,
                    projects: serde_json::from_str(&projects).unwrap_or_default(),
                    last_used: Millis(row.get(4)?),
                })
            })?;
            rows.collect()
        })
    }
}
