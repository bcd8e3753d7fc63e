//! What can be typed to tell other programs of pi-brain.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};
use pi_brain_mcp::AgentClient;

pub(super) const MCP_HELP: &str = "\
Speaks the Model Context Protocol over stdin and stdout, until stdin ends. Tools: brain_query, brain_search, brain_node, \
brain_session, brain_lessons, brain_flag. What they tell of sessions has no secrets in it (`pi-brain redact` shows which) \
and is marked as data. Needs no daemon, and asks no model.

Examples:
  pi-brain install mcp --client pi        what pi has to be told
  pi mcp list                             whether it works";

pub(super) const INSTALL_HELP: &str = "\
Examples:
  pi-brain install mcp --client claude-code           prints what to add, and where
  pi-brain install mcp --client codex --write         adds it
  pi-brain install mcp --client cursor --project --write";

pub(super) const INSTALL_PI_HELP: &str = "\
Writes the package into the data folder and runs `pi install` on it; after an update of pi-brain, run it again.

Examples:
  pi-brain install pi
  pi-brain install pi --pi ~/.local/bin/pi
  pi install \"$(pi-brain install pi --files-only)\"";

#[derive(Subcommand)]
pub(crate) enum InstallCommand {
    /// Gives an agent the tools of `pi-brain mcp`: prints the settings for it, or writes them
    #[command(after_help = INSTALL_HELP)]
    Mcp(InstallMcpOptions),
    /// Gives pi the command `/brain`, the tool `brain_query` and the skill `brain`
    #[command(after_help = INSTALL_PI_HELP)]
    Pi(InstallPiOptions),
}

#[derive(Args)]
pub(crate) struct InstallPiOptions {
    /// The pi to tell of it
    #[arg(long, value_name = "PROGRAM", default_value = "pi")]
    pub(crate) pi: OsString,
    /// Only write the package, and say where it is
    #[arg(long)]
    pub(crate) files_only: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct InstallMcpOptions {
    /// The agent
    #[arg(long, value_name = "CLIENT")]
    pub(crate) client: ClientName,
    /// Change the agent's file; what it said before stays beside it, in a file that ends in .bak
    #[arg(long)]
    pub(crate) write: bool,
    /// Only for the project in this folder: .mcp.json, .cursor/mcp.json or .pi/mcp.json
    #[arg(long)]
    pub(crate) project: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ClientName {
    /// ~/.claude.json
    ClaudeCode,
    /// ~/.cursor/mcp.json
    Cursor,
    /// ~/.codex/config.toml
    Codex,
    /// ~/.pi/agent/mcp.json (pi 0.99 and later)
    Pi,
}

impl From<ClientName> for AgentClient {
    fn from(name: ClientName) -> Self {
        match name {
            ClientName::ClaudeCode => Self::ClaudeCode,
            ClientName::Cursor => Self::Cursor,
            ClientName::Codex => Self::Codex,
            ClientName::Pi => Self::Pi,
        }
    }
}
