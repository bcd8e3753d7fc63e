//! Asks a model through pi, which knows providers, keys and logins.
//!
//! pi gets no tools, no extensions and no settings of a project, works in an empty folder, and keeps no session. Only with
//! skills it may read files: a skill is a file.

mod message;
mod json_mode;
mod rpc;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

pub use json_mode::PiJson;
pub use rpc::PiRpc;

use crate::error::{AgentError, Result};

/// The whole of pi's system prompt: what is to be done stands in the request.
const SYSTEM: &str =
    "You do exactly what the user's instructions ask for, and answer in the form they ask for.";

/// How pi is run.
#[derive(Clone, Debug)]
pub struct PiSettings {
    /// The program; `pi` is looked for on the path.
    pub program: PathBuf,
    /// The provider, if it is not pi's default.
    pub provider: Option<String>,
    /// The model, if it is not pi's default.
    pub model: Option<String>,
    /// Skills that the model may use: files, or folders with a `SKILL.md`.
    pub skills: Vec<PathBuf>,
    /// How long a request may take.
    pub timeout: Duration,
}

impl Default for PiSettings {
    fn default() -> Self {
        Self {
            program: PathBuf::from("pi"),
            provider: None,
            model: None,
            skills: Vec::new(),
            timeout: Duration::from_secs(10 * 60),
        }
    }
}

impl PiSettings {
    /// Returns the command that runs pi in a mode, in a folder.
    fn command(&self, mode: &str, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(folder);
        command.args(["--mode", mode, "--no-session", "--no-extensions", "--no-skills"]);
        command.args(["--no-prompt-templates", "--no-themes", "--no-context-files"]);
        command.args(["--system-prompt", SYSTEM]);
        if self.skills.is_empty() {
            command.arg("--no-tools");
        } else {
            command.args(["--tools", "read"]);
        }
        for skill in &self.skills {
            command.arg("--skill").arg(skill);
        }
        for (option, value) in [("--provider", &self.provider), ("--model", &self.model)] {
            if let Some(value) = value {
                command.args([option, value]);
            }
        }
        command
    }

    /// Makes a folder of nobody's, for pi to run in.
    fn folder(&self) -> Result<TempDir> {
        tempfile::Builder::new()
            .prefix("pi-brain-")
            .tempdir()
            .map_err(|source| AgentError::Run { program: self.program.clone(), source })
    }
}
