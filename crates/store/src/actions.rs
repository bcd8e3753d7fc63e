//! What the user does: into the journal first, then into the database.

use std::collections::{BTreeSet, HashMap};

use pi_brain_brain::{
    Edge, EdgeCreator, EdgeExt, Feedback, Node, NodeId, NodeRef, VersionTrigger, apply_feedback,
    next_version, word,
};
use pi_brain_session::Millis;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Value;

use crate::derived::{changed_node, key, save_node};
use crate::edges::save_edge;
use crate::error::{Result, StoreError};
use crate::journal::{Action, JournalLine};
use crate::links::mark_unlinked;
use crate::model_use;
use crate::store::Store;

impl Store {
    /// Does what the user wants, and remembers it for ever.
    ///
    /// What cannot be done is not remembered.
    pub fn act(&mut self, time: Millis, action: Action) -> Result<()> {
        self.check(&action)?;
        self.journal.append(&JournalLine { time, action })?;
        self.replay()
    }

    /// Takes in what the journal says and the database does not know yet.
    pub fn replay(&mut self) -> Result<()> {
        let position: Option<i64> = self.database.read(|connection| {
            let sql = "SELECT value FROM meta WHERE key = 'journal'";
            connection.query_row(sql, [], |row| row.get(0)).optional()
        })?;
        let lines = self.journal.read(position.unwrap_or_default().cast_unsigned())?;
        self.take_in_lines(&lines)?;
        let Some((position, _)) = lines.last() else { return Ok(()) };
        self.database.write(|transaction| {
            let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('journal', ?1)";
            let done = transaction.execute(sql, [position.cast_signed()]);
            done.map(drop).map_err(|source| self.database.failed(source))
        })
    }

    /// Takes in lines of the journal. Whatever is known already changes nothing.
    pub(crate) fn take_in_lines(&mut self, lines: &[(u64, JournalLine)]) -> Result<()> {
        // A database that was lost reads all of the journal again: a correction that was itself corrected later is
        // in the node files, and must not come back as a new version.
        let mut last: HashMap<(NodeId, &str), u64> = HashMap::new();
        for (position, line) in lines {
            if let Action::Feedback { node, path, .. } = &line.action {
                last.insert((*node, path), *position);
            }
        }
        for (position, line) in lines {
            let version = match &line.action {
                Action::Feedback { node, path, value } if last[&(*node, &**path)] == *position => {
                    self.corrected(*node, path, value)?
                }
                _ => None,
            };
            if let Some(version) = &version {
                self.node_files.write(version, true)?;
            }
            self.database.write(|transaction| {
                take_in(transaction, line, version.as_ref())
                    .map_err(|source| self.database.failed(source))
            })?;
        }
        Ok(())
    }

    /// Returns the session files that the user wants to be forgotten.
    pub fn forgotten(&self) -> Result<BTreeSet<String>> {
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT path FROM forgotten")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }

    /// Finds out whether something can be done.
    fn check(&self, action: &Action) -> Result<()> {
        match action {
            Action::Feedback { node, path, value } => {
                let correction = Feedback { path: path.clone(), value: value.clone() };
                Ok(apply_feedback(&mut self.current(*node)?, &[correction])?)
            }
            Action::Flag { node, .. } | Action::Hide { node, .. } => self.current(*node).map(drop),
            Action::AddEdge { source, target, .. } => {
                self.current(*source)?;
                self.current(*target).map(drop)
            }
            Action::RemoveEdge { edge } => {
                let by_hand: Option<i64> = self.database.read(|connection| {
                    let sql = "SELECT 1 FROM edge WHERE id = ?1 AND created_by = 'user'";
                    connection.query_row(sql, [edge.to_string()], |row| row.get(0)).optional()
                })?;
                by_hand.map(drop).ok_or_else(|| StoreError::EdgeNotFound(edge.to_string()))
            }
            Action::Forget { .. }
            | Action::Remember { .. }
            | Action::Spend(_)
            | Action::Unknown => Ok(()),
        }
    }

    fn current(&self, id: NodeId) -> Result<Node> {
        let node = NodeRef { id, version: None };
        self.node(node)?.ok_or(StoreError::NodeNotFound(node))
    }

    /// Returns the version of a node that a correction makes, unless the node says so already or is gone.
    fn corrected(&self, node: NodeId, path: &str, value: &Value) -> Result<Option<Node>> {
        let Some(current) = self.node(NodeRef { id: node, version: None })? else {
            return Ok(None);
        };
        let correction = Feedback { path: path.to_owned(), value: value.clone() };
        if current.ext.as_ref().is_some_and(|ext| ext.feedback.contains(&correction)) {
            return Ok(None);
        }
        let mut draft = current.clone();
        // The node may have changed since, so that the correction fits no more.
        if apply_feedback(&mut draft, &[correction]).is_err() {
            return Ok(None);
        }
        Ok(next_version(Some(&current), draft, VersionTrigger::UserFeedback))
    }
}

fn take_in(
    transaction: &Transaction<'_>,
    line: &JournalLine,
    version: Option<&Node>,
) -> rusqlite::Result<()> {
    match &line.action {
        Action::Feedback { node, .. } => {
            let Some(version) = version else { return Ok(()) };
            let sql = "SELECT root FROM node WHERE id = ?1";
            let root = transaction.query_row(sql, [key(*node)], |row| row.get(0))?;
            save_node(transaction, root, version)
        }
        Action::Flag { node, kind, message } => {
            let sql =
                "INSERT OR IGNORE INTO flag (node, at, kind, message) VALUES (?1, ?2, ?3, ?4)";
            let row = params![key(*node), line.time.0, word(kind), message];
            transaction.execute(sql, row).map(drop)
        }
        Action::AddEdge { source, target, kind, reason } => {
            let edge = Edge::new(*source, *target, *kind, line.time, EdgeCreator::User);
            let ext = reason.as_deref().map(|reason| EdgeExt { reason: reason.into() });
            mark_unlinked(transaction)?;
            save_edge(transaction, None, &Edge { ext, ..edge })
        }
        Action::RemoveEdge { edge } => {
            let sql = "DELETE FROM edge WHERE id = ?1 AND created_by = 'user'";
            mark_unlinked(transaction)?;
            transaction.execute(sql, [edge.to_string()]).map(drop)
        }
        Action::Hide { node, hidden } => {
            let sql = if *hidden {
                "INSERT OR IGNORE INTO hidden (node) VALUES (?1)"
            } else {
                "DELETE FROM hidden WHERE node = ?1"
            };
            transaction.execute(sql, [key(*node)])?;
            changed_node(transaction, key(*node))
        }
        Action::Forget { file } => {
            let sql = "INSERT OR IGNORE INTO forgotten (path) VALUES (?1)";
            transaction.execute(sql, [file]).map(drop)
        }
        Action::Remember { file } => {
            transaction.execute("DELETE FROM forgotten WHERE path = ?1", [file]).map(drop)
        }
        Action::Spend(spent) => model_use::save(transaction, line.time, spent),
        Action::Unknown => Ok(()),
    }
}
