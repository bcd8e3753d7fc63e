//! What the user does: into the journal first, then into the database.

use std::collections::{BTreeSet, HashSet};

use pi_brain_brain::{
    Edge, EdgeCreator, EdgeExt, Feedback, Node, NodeId, NodeRef, VersionTrigger, apply_feedback,
    next_version, word,
};
use pi_brain_session::Millis;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::derived::{changed_node, key, save_edge, save_node};
use crate::error::{Result, StoreError};
use crate::journal::{Action, JournalLine};
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
        let position = position.unwrap_or_default().cast_unsigned();
        for (position, line) in without_replaced(self.journal.read(position)?) {
            self.take_in_line(&line, Some(position))?;
        }
        Ok(())
    }

    /// Takes in a line of the journal, and that it was read up to `position`.
    pub(crate) fn take_in_line(&mut self, line: &JournalLine, position: Option<u64>) -> Result<()> {
        let version = self.corrected(&line.action)?;
        if let Some(version) = &version {
            self.node_files.write(version, true)?;
        }
        self.database.write(|transaction| {
            let done = take_in(transaction, line, version.as_ref()).and_then(|()| {
                let Some(position) = position else { return Ok(0) };
                let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('journal', ?1)";
                transaction.prepare_cached(sql)?.execute([position.cast_signed()])
            });
            done.map(|_| ()).map_err(|source| self.database.failed(source))
        })
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
            Action::Forget { .. } | Action::Remember { .. } | Action::Unknown => Ok(()),
        }
    }

    fn current(&self, id: NodeId) -> Result<Node> {
        let node = NodeRef { id, version: None };
        self.node(node)?.ok_or(StoreError::NodeNotFound(node))
    }

    /// Returns the version of a node that a correction makes, unless the node says so already or is gone.
    fn corrected(&self, action: &Action) -> Result<Option<Node>> {
        let Action::Feedback { node, path, value } = action else { return Ok(None) };
        let Some(current) = self.node(NodeRef { id: *node, version: None })? else {
            return Ok(None);
        };
        let correction = Feedback { path: path.clone(), value: value.clone() };
        // A rebuild reads the whole journal again, over nodes that have been corrected.
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

/// Leaves out corrections that a later one replaces.
pub(crate) fn without_replaced(lines: Vec<(u64, JournalLine)>) -> Vec<(u64, JournalLine)> {
    let mut seen: HashSet<(NodeId, String)> = HashSet::new();
    let mut is_last = |line: &JournalLine| match &line.action {
        Action::Feedback { node, path, .. } => seen.insert((*node, path.clone())),
        _ => true,
    };
    let mut lines: Vec<_> = lines.into_iter().rev().filter(|(_, line)| is_last(line)).collect();
    lines.reverse();
    lines
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
            let sql = "INSERT OR IGNORE INTO flag (node, at, kind, message) VALUES (?1, ?2, ?3, ?4)";
            let row = params![key(*node), line.time.0, word(kind), message];
            transaction.execute(sql, row).map(drop)
        }
        Action::AddEdge { source, target, kind, reason } => {
            let edge = Edge::new(*source, *target, *kind, line.time, EdgeCreator::User);
            let ext = reason.as_deref().map(|reason| EdgeExt { reason: reason.into() });
            save_edge(transaction, None, &Edge { ext, ..edge })
        }
        Action::RemoveEdge { edge } => {
            let sql = "DELETE FROM edge WHERE id = ?1 AND created_by = 'user'";
            transaction.execute(sql, [edge.to_string()]).map(drop)
        }
        Action::Hide { node, hidden } => {
            let sql = "UPDATE node SET hidden = ?2 WHERE id = ?1";
            transaction.execute(sql, params![key(*node), hidden])?;
            changed_node(transaction, key(*node))
        }
        Action::Forget { file } => {
            let sql = "INSERT OR IGNORE INTO forgotten (path) VALUES (?1)";
            transaction.execute(sql, [file]).map(drop)
        }
        Action::Remember { file } => {
            transaction.execute("DELETE FROM forgotten WHERE path = ?1", [file]).map(drop)
        }
        Action::Unknown => Ok(()),
    }
}
