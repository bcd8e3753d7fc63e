//! The programs that can be given the tools: where their settings are, and what has to stand there.
//!
//! Settings of other programs are changed with as light a hand as possible: what is not ours stays as it is, to the byte
//! where the file is JSON. What cannot be read is not changed.

mod json;
mod codex;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::Result;

/// What the tools are known by in the settings of clients. pi calls them `mcp__brain__…` after it.
pub const SERVER_NAME: &str = "brain";

/// A program that speaks the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AgentClient {
    ClaudeCode,
    Cursor,
    Codex,
    Pi,
}

/// For which work the tools are there.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// For all of a user's.
    User {
        /// The user's home folder.
        home: &'a Path,
        /// pi's own folder.
        pi: &'a Path,
    },
    /// For one project, in its folder.
    Project(&'a Path),
}

/// How the server is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What has to be in its environment.
    pub variables: Vec<(String, Value)>,
}

impl AgentClient {
    /// Returns the file with the client's settings; `None` if it has none for a project alone.
    pub fn settings_file(self, scope: Scope<'_>) -> Option<PathBuf> {
        Some(match (self, scope) {
            (Self::ClaudeCode, Scope::User { home, .. }) => home.join(".claude.json"),
            (Self::ClaudeCode, Scope::Project(folder)) => folder.join(".mcp.json"),
            (Self::Cursor, Scope::User { home, .. }) => home.join(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project(folder)) => folder.join(".cursor/mcp.json"),
            (Self::Codex, Scope::User { home, .. }) => home.join(".codex/config.toml"),
            (Self::Codex, Scope::Project(_)) => return None,
            (Self::Pi, Scope::User { pi, .. }) => pi.join("mcp.json"),
            (Self::Pi, Scope::Project(folder)) => folder.join(".pi/mcp.json"),
        })
    }

    /// Returns what a file with nothing else in it would say.
    pub fn settings(self, server: &ServerCommand) -> Result<String> {
        self.merge("", server)
    }

    /// Returns the client's settings with the server in them; as they were if it is there already.
    pub fn merge(self, text: &str, server: &ServerCommand) -> Result<String> {
        match self {
            Self::Codex => codex::merge(text, server),
            _ => json::merge(text, &self.entry(server)),
        }
    }

    fn entry(self, server: &ServerCommand) -> Vec<(&'static str, Value)> {
        let mut entry = vec![("command", json!(server.program)), ("args", json!(server.arguments))];
        if !server.variables.is_empty() {
            entry.push(("env", Value::Object(server.variables.iter().cloned().collect())));
        }
        match self {
            Self::ClaudeCode => entry.insert(0, ("type", json!("stdio"))),
            Self::Pi => {
                // Otherwise pi hides the tools behind scripts.
                entry.push(("exposure", json!("direct")));
                let what = "The memory of earlier sessions: what was tried, decided and learnt";
                entry.push(("description", json!(what)));
            }
            Self::Cursor | Self::Codex => {}
        }
        entry
    }
}

#[cfg(test)]
mod tests;
