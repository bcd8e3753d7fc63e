//! `pi-brain install …`: tells agents of the tools, in their own settings, and pi of the package.

mod pi;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;
use pi_brain_mcp::{AgentClient, SERVER_NAME, Scope, ServerCommand};
use serde_json::json;

use super::{print_json, say};
use crate::args::{InstallCommand, InstallMcpOptions};
use crate::describe::DIM;
use crate::failure::Failure;
use crate::locate::{Locations, absolute_variables};

pub(crate) fn run(locations: &Locations, command: &InstallCommand) -> anyhow::Result<()> {
    match command {
        InstallCommand::Mcp(options) => install_mcp(locations, options),
        InstallCommand::Pi(options) => pi::run(locations, options),
    }
}

fn install_mcp(locations: &Locations, options: &InstallMcpOptions) -> anyhow::Result<()> {
    let client = AgentClient::from(options.client);
    let here = std::env::current_dir().context("the present folder is gone")?;
    let scope = if options.project {
        Scope::Project(&here)
    } else {
        Scope::User { home: locations.home(), pi: locations.agent() }
    };
    let Some(path) = client.settings_file(scope) else {
        let text = "codex has no settings for one project; leave out --project";
        return Err(Failure::Usage(text.to_owned()).into());
    };
    let server = server(locations)?;
    let done = if options.write { Some(write(client, &path, &server)?) } else { None };
    if options.json {
        return print_json(&json!({
            "client": options.client.to_possible_value().map(|value| value.get_name().to_owned()),
            "file": path,
            "name": SERVER_NAME,
            "command": server.program,
            "args": server.arguments,
            "env": server.variables.iter().cloned().collect::<serde_json::Map<_, _>>(),
            "settings": client.settings(&server)?,
            "written": matches!(done, Some(Done::Written { .. })),
            "backup": done.as_ref().and_then(Done::backup),
        }));
    }
    let shown = locations.display(&path);
    match done {
        None => {
            say!("{DIM}in {shown}:{DIM:#}\n\n{}", client.settings(&server)?)?;
            say!("{DIM}add --write to have it put there, beside what the file says already{DIM:#}")
        }
        Some(Done::Nothing) => say!("{shown} says so already"),
        Some(Done::Written { backup }) => {
            say!("written: {shown}")?;
            if let Some(backup) = backup {
                say!("{DIM}what it said before: {}{DIM:#}", locations.display(&backup))?;
            }
            say!("{DIM}{}{DIM:#}", next_step(client))
        }
    }
}

/// Returns how this program is started, so that it finds the same sessions from anywhere.
fn server(locations: &Locations) -> anyhow::Result<ServerCommand> {
    let program = std::env::current_exe().context("this program cannot be found again")?;
    let mut arguments = locations.arguments()?;
    arguments.push("mcp".into());
    let variables = absolute_variables()?
        .into_iter()
        .map(|(name, value)| Ok((name.to_owned(), text(value.into_os_string())?.into())));
    Ok(ServerCommand {
        program: text(program.into_os_string())?,
        arguments: arguments.into_iter().map(text).collect::<anyhow::Result<_>>()?,
        variables: variables.collect::<anyhow::Result<_>>()?,
    })
}

fn text(word: OsString) -> anyhow::Result<String> {
    match word.into_string() {
        Ok(word) => Ok(word),
        Err(word) => bail!("{} cannot be written into a file of settings", word.display()),
    }
}

enum Done {
    /// The server was there.
    Nothing,
    /// The file was changed, and this is what it was.
    Written { backup: Option<PathBuf> },
}

impl Done {
    fn backup(&self) -> Option<&Path> {
        match self {
            Self::Nothing => None,
            Self::Written { backup } => backup.as_deref(),
        }
    }
}

fn write(client: AgentClient, path: &Path, server: &ServerCommand) -> anyhow::Result<Done> {
    // Where the name is a link, as in folders that are kept elsewhere, it stays one.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let unchanged = || format!("{} was not changed", path.display());
    let before = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(unchanged),
    };
    let old = before.as_deref().unwrap_or_default();
    let new = client.merge(old, server).with_context(unchanged)?;
    if before.is_some() && new == old {
        return Ok(Done::Nothing);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(unchanged)?;
    }
    let backup = before.is_some().then(|| beside(&path, ".bak"));
    if let Some(backup) = &backup {
        fs::copy(&path, backup).with_context(unchanged)?;
    }
    put(&path, new.as_bytes()).with_context(unchanged)?;
    Ok(Done::Written { backup })
}

/// Puts a file into place in one step, with the permissions of the one that was there; a new one is its owner's alone.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    const PRIVATE: u32 = 0o600;
    let permissions = fs::metadata(path).map(|data| data.permissions());
    let temporary = beside(path, &format!(".pi-brain-{}", std::process::id()));
    let written = || {
        let mut options = OpenOptions::new();
        let mut file: File =
            options.write(true).create(true).truncate(true).mode(PRIVATE).open(&temporary)?;
        file.set_permissions(permissions.unwrap_or_else(|_| Permissions::from_mode(PRIVATE)))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    written().inspect_err(|_| drop(fs::remove_file(&temporary)))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn next_step(client: AgentClient) -> &'static str {
    match client {
        AgentClient::ClaudeCode => "`claude mcp list` shows whether it works",
        AgentClient::Cursor => "Cursor lists it in its settings under MCP",
        AgentClient::Codex => "`codex mcp list` shows it",
        AgentClient::Pi => "`pi mcp list` shows whether it works",
    }
}
