//! `pi-brain mcp`: the tools for agents, over stdin and stdout.

use std::io::IsTerminal;

use pi_brain_mcp::{Brain, serve_stdio};

use crate::failure::warn;
use crate::locate::Locations;

pub(crate) fn run(locations: Locations) -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        warn(
            "this is for agents to start; `pi-brain install mcp --client …` tells them of it. Ctrl-D ends it",
        );
    }
    let here = std::env::current_dir().ok();
    let folder = std::path::absolute(locations.brain_folder()?)?;
    let settings_folder = folder.clone();
    let settings = move || locations.brain_settings_of(&settings_folder);
    let project = here.and_then(|here| here.to_str().map(str::to_owned));
    Ok(serve_stdio(Brain::new(folder, settings, project))?)
}
