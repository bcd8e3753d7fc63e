//! Taking out what the user wants to be forgotten: not only the session goes, but also what was made of it.

use std::collections::{BTreeMap, BTreeSet};

use pi_brain_brain::NodeId;

use crate::actions::without_replaced;
use crate::derived::{node_id, remove_node};
use crate::error::Result;
use crate::journal::Action;
use crate::store::Store;

impl Store {
    /// Deletes the nodes of forgotten files that are still known, all their versions and files. Returns them.
    ///
    /// Node files go first: what a crash leaves behind is seen again, as long as the session file itself is known.
    pub fn drop_forgotten(&mut self) -> Result<BTreeSet<NodeId>> {
        let waiting: i64 = self.database.read(|connection| {
            let sql = "SELECT count(*) FROM forgotten JOIN file USING (path)";
            connection.query_row(sql, [], |row| row.get(0))
        })?;
        if waiting == 0 {
            return Ok(BTreeSet::new());
        }
        let named = self.named_files()?;
        let dropped: BTreeSet<NodeId> = self.forgotten_nodes()?.into_iter().collect();
        for (path, _) in named.iter().filter(|(_, node)| dropped.contains(node)) {
            self.node_files.delete(path)?;
        }
        // Nodes whose segment was cut otherwise have files that the database does not name any more.
        let sessions = self.forgotten_sessions()?;
        for (path, node) in self.node_files.list()? {
            if !named.contains_key(&path) && sessions.contains(&node.source.session_id) {
                self.node_files.delete(&path)?;
            }
        }
        self.database.write(|transaction| {
            for id in &dropped {
                remove_node(transaction, *id).map_err(|source| self.database.failed(source))?;
            }
            Ok(())
        })?;
        Ok(dropped)
    }

    /// Does again what the user did to nodes that were made anew.
    pub fn replay_for(&mut self, nodes: &BTreeSet<NodeId>) -> Result<()> {
        let lines = without_replaced(self.journal.read(0)?);
        let about = |action: &Action| match action {
            Action::Feedback { node, .. } | Action::Hide { node, .. } => nodes.contains(node),
            _ => false,
        };
        for (_, line) in lines.into_iter().filter(|(_, line)| about(&line.action)) {
            self.take_in_line(&line, None)?;
        }
        Ok(())
    }

    /// Returns the file of every version, with its node.
    fn named_files(&self) -> Result<BTreeMap<String, NodeId>> {
        self.database.read(|connection| {
            let mut statement = connection.prepare("SELECT path, node FROM node_version")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, node_id(row.get(1)?))))?;
            rows.collect()
        })
    }

    fn forgotten_nodes(&self) -> Result<Vec<NodeId>> {
        self.database.read(|connection| {
            let sql = "SELECT id FROM node WHERE session_file IN (SELECT path FROM forgotten)";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0).map(node_id))?;
            rows.collect()
        })
    }

    /// Returns the ids of forgotten sessions, without those that another file has, too.
    fn forgotten_sessions(&self) -> Result<BTreeSet<String>> {
        self.database.read(|connection| {
            let sql = "SELECT id FROM session WHERE file IN (SELECT path FROM forgotten)
                       EXCEPT SELECT id FROM session WHERE file NOT IN (SELECT path FROM forgotten)";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }
}
