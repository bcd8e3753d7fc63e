//! What one of two conversations says after they parted.

use std::collections::BTreeSet;
use std::sync::Arc;

use pi_brain_forest::{Forest, Node, Result, Store, ToolUse};
use schemars::JsonSchema;
use serde::Serialize;

use crate::gist::is_person;

/// How much there is of a side, and which files it touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SideFacts {
    /// How often a person said something.
    pub turns: usize,
    /// How many messages there are.
    pub messages: usize,
    /// How many tools are called.
    pub tool_calls: usize,
    /// The files that are written.
    pub files_changed: BTreeSet<String>,
    /// The files that are read and not written.
    pub files_read: BTreeSet<String>,
}

impl SideFacts {
    /// Counts what is in the messages of a side.
    pub fn of<S: Store>(forest: &Forest<S>, nodes: &[Arc<Node>]) -> Result<Self> {
        let mut facts = Self { messages: nodes.len(), ..Self::default() };
        for node in nodes {
            let message = forest.store().message(node.id)?;
            facts.turns += usize::from(is_person(&message));
            for call in message.tool_uses() {
                facts.tool_calls += 1;
                facts.note_file(call);
            }
        }
        facts.files_read = &facts.files_read - &facts.files_changed;
        Ok(facts)
    }

    fn note_file(&mut self, call: &ToolUse) {
        let file =
            ["path", "file_path"].into_iter().find_map(|key| call.parameters.get(key)?.as_str());
        let Some(file) = file.filter(|file| !file.is_empty()) else { return };
        match &*call.name {
            "write" | "edit" => self.files_changed.insert(file.to_owned()),
            "read" => self.files_read.insert(file.to_owned()),
            _ => false,
        };
    }
}
