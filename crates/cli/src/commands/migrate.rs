//! `pi-brain session migrate`: an old file in today's format.

use pi_brain_session::{CURRENT_VERSION, Migration, migrate_file};

use super::say;
use crate::args::MigrateOptions;
use crate::locate::Locations;

pub(crate) fn run(locations: &Locations, options: &MigrateOptions) -> anyhow::Result<()> {
    let path = locations.find_session(&options.write.session)?;
    locations.refuse_if_busy(&path, options.write.force)?;
    match migrate_file(&path)? {
        Migration::NotNeeded => {
            say!("Nothing to do: the file is of version {CURRENT_VERSION} or later")
        }
        Migration::Done { from, original } => {
            let original = locations.display(&original);
            say!("Migrated from version {from} to {CURRENT_VERSION}; the original is {original}")
        }
    }
}
