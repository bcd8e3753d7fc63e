//! What went wrong across nodes, equal errors as one.

use std::collections::{BTreeSet, HashMap};

use pi_brain_brain::{NodeId, Resolution, error_signature};
use pi_brain_session::Millis;
use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::Serialize;

use super::NodeFilter;
use crate::derived::node_id;
use crate::error::Result;
use crate::store::Store;

/// Errors that differ in nothing but numbers and paths.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorGroup {
    /// What kind of error.
    #[serde(rename = "type")]
    pub error_type: String,
    /// What it says, as it was seen last.
    pub message: String,
    /// In how many nodes it was seen.
    pub nodes: u64,
    /// In how many of them it was put right.
    pub resolved: u64,
    /// The projects that these nodes belong to.
    pub projects: BTreeSet<String>,
    /// When the work began in which it was seen first.
    pub first_seen: Millis,
    /// When the work began in which it was seen last.
    pub last_seen: Millis,
    /// The node in which it was seen last.
    pub example: NodeId,
    /// The nodes in which it was seen, the latest first, as far as a person would look at them.
    pub latest: Vec<NodeId>,
    /// How it was put right last, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
}

/// So many nodes of a group are named.
const SHOWN: usize = 10;

impl ErrorGroup {
    /// Returns whether it was put right wherever it was seen.
    pub fn is_resolved(&self) -> bool {
        self.resolved == self.nodes
    }
}

impl Store {
    /// Lists errors, those of most nodes first; with `unresolved`, only those that nobody put right.
    pub fn errors(&self, filter: &NodeFilter, unresolved: bool) -> Result<Vec<ErrorGroup>> {
        let conditions = filter.conditions();
        let clause = conditions.clause();
        let open = if unresolved { "WHERE resolved = 0" } else { "" };
        let sql = format!(
            "SELECT error.type, message, resolved, chosen.id, project, started, summary
             FROM (SELECT id, project, started, summary FROM node {clause}) AS chosen
             JOIN error ON error.node = chosen.id {open}
             ORDER BY started DESC, chosen.id, ordinal DESC"
        );
        let mut numbers: HashMap<(String, String), usize> = HashMap::new();
        let mut groups: Vec<ErrorGroup> = Vec::new();
        // The last node of each group that was counted, and whether the error was put right in it: a node may have
        // the same error with several numbers.
        let mut counted: Vec<(NodeId, bool)> = Vec::new();
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(conditions.values.iter()))?;
            while let Some(row) = rows.next()? {
                let (error_type, message): (String, String) = (row.get(0)?, row.get(1)?);
                let (resolved, node) = (row.get::<_, bool>(2)?, node_id(row.get(3)?));
                let (project, started): (String, Millis) = (row.get(4)?, Millis(row.get(5)?));
                let kind = (error_type.clone(), error_signature(&message));
                let at = *numbers.entry(kind).or_insert_with(|| {
                    groups.push(ErrorGroup {
                        error_type,
                        message,
                        nodes: 0,
                        resolved: 0,
                        projects: BTreeSet::new(),
                        first_seen: started,
                        last_seen: started,
                        example: node,
                        latest: Vec::new(),
                        resolution: None,
                    });
                    counted.push((node, false));
                    groups.len() - 1
                });
                let group = &mut groups[at];
                if group.nodes > 0 && counted[at].0 == node {
                    if counted[at].1 && !resolved {
                        group.resolved -= 1;
                        group.resolution.take_if(|resolution| resolution.node == node);
                        counted[at].1 = false;
                    }
                    continue;
                }
                counted[at] = (node, resolved);
                group.nodes += 1;
                group.resolved += u64::from(resolved);
                group.first_seen = started;
                group.projects.insert(project);
                if group.latest.len() < SHOWN {
                    group.latest.push(node);
                }
                if resolved && group.resolution.is_none() {
                    group.resolution = Some(Resolution { node, summary: row.get(6)? });
                }
            }
            Ok(())
        })?;
        // Stable: of those seen equally often, the latest stay first.
        groups.sort_by_key(|group| std::cmp::Reverse(group.nodes));
        Ok(groups)
    }
}
