//! `pi-brain rebuild`: makes everything that is derived anew.

use std::time::Instant;

use pi_brain_app::App;

use super::ingest::show;
use crate::args::IngestOptions;
use crate::brain::{Bar, when_free};
use crate::locate::Locations;
use crate::mint::now;
use crate::thrift;

pub(crate) fn run(locations: &Locations, options: &IngestOptions) -> anyhow::Result<()> {
    thrift::for_now();
    let started = Instant::now();
    let bar = Bar::default();
    let (folder, settings) = (locations.brain_folder()?, locations.brain_settings()?);
    let (_, report) = when_free(|| App::rebuild(&folder, settings.clone(), now(), &bar))?;
    bar.clear();
    show(locations, &report, started.elapsed(), options.json)
}
