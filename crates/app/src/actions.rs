//! What the user does: corrections, notes, links, and forgetting.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pi_brain_brain::{Edge, EdgeCreator, EdgeId, EdgeType, FlagType, Node, NodeId, NodeRef};
use pi_brain_session::Millis;
use pi_brain_store::{Action, NodeFilter, NodeRow, Order, StoreError};
use serde_json::Value;

use crate::app::{App, Depth};
use crate::error::Result;
use crate::progress::Progress;
use crate::report::Report;

impl App {
    /// Corrects a node. Returns it as it is then; its version stays the same if it said so already.
    pub fn correct(&mut self, now: Millis, node: NodeId, path: &str, value: Value) -> Result<Node> {
        let path = path.to_owned();
        self.act("node feedback", now, Action::Feedback { node, path, value })?;
        let current = NodeRef { id: node, version: None };
        Ok(self.store.node(current)?.ok_or(StoreError::NodeNotFound(current))?)
    }

    /// Puts a note on a node.
    pub fn flag(&mut self, now: Millis, node: NodeId, kind: FlagType, message: &str) -> Result<()> {
        self.act("node flag", now, Action::Flag { node, kind, message: message.to_owned() })
    }

    /// Hides a node from lists and search, or shows it again.
    pub fn hide(&mut self, now: Millis, node: NodeId, hidden: bool) -> Result<()> {
        self.act("node hide", now, Action::Hide { node, hidden })
    }

    /// Links two nodes.
    pub fn add_edge(
        &mut self,
        now: Millis,
        source: NodeId,
        target: NodeId,
        kind: EdgeType,
        reason: Option<String>,
    ) -> Result<EdgeId> {
        self.act("edges add", now, Action::AddEdge { source, target, kind, reason })?;
        Ok(Edge::new(source, target, kind, now, EdgeCreator::User).id)
    }

    /// Takes a link away that a person drew.
    pub fn remove_edge(&mut self, now: Millis, edge: EdgeId) -> Result<()> {
        self.act("edges remove", now, Action::RemoveEdge { edge })
    }

    /// Forgets session files: they are left out from now on, and what was made of them is deleted.
    ///
    /// The session files themselves stay as they are. What other files tell as well stays known from those.
    pub fn forget(
        &mut self,
        now: Millis,
        files: &[PathBuf],
        progress: &dyn Progress,
    ) -> Result<Report> {
        let lock = self.lock("forget")?;
        for file in files {
            self.store.act(now, Action::Forget { file: file.to_string_lossy().into_owned() })?;
        }
        let report = self.take_in(&lock, now, Depth::Kept, progress)?;
        // The words of what was deleted stay in the index until its parts are merged.
        self.index.merge()?;
        Ok(report)
    }

    /// Takes files in again that were forgotten.
    pub fn remember(
        &mut self,
        now: Millis,
        files: &[PathBuf],
        progress: &dyn Progress,
    ) -> Result<Report> {
        let lock = self.lock("forget --undo")?;
        for file in files {
            self.store.act(now, Action::Remember { file: file.to_string_lossy().into_owned() })?;
        }
        let report = self.take_in(&lock, now, Depth::Kept, progress)?;
        // What the user said about the nodes holds again.
        let everything = NodeFilter { hidden: true, ..NodeFilter::default() };
        let (nodes, _) = self.store.nodes(&everything, Order::Newest, usize::MAX, 0)?;
        let is_back =
            |node: &NodeRow| files.iter().any(|file| file == Path::new(&node.session_file));
        let back: BTreeSet<NodeId> =
            nodes.iter().filter(|node| is_back(node)).map(|node| node.id).collect();
        self.store.replay_for(&back)?;
        Ok(report)
    }

    fn act(&mut self, work: &str, now: Millis, action: Action) -> Result<()> {
        let _lock = self.lock(work)?;
        Ok(self.store.act(now, action)?)
    }
}
