//! `pi-brain brief`: what is known about a project, in short.

use anyhow::Context;

use super::{print_json, say};
use crate::args::BriefOptions;
use crate::brain::open_fresh;
use crate::describe::clean;
use crate::locate::Locations;
use crate::mint::now;

pub(crate) fn run(locations: &Locations, options: &BriefOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let project = match &options.project {
        Some(project) => std::path::absolute(locations.expand(project))?,
        None => std::env::current_dir().context("the folder you are in is gone")?,
    };
    let briefing = app.briefing(&project.to_string_lossy(), now())?;
    if options.json {
        return print_json(&briefing.without_secrets());
    }
    say!("{}", clean(briefing.text.trim_end()))
}
