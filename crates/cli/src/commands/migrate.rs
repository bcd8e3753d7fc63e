//! `pi-brain session migrate`: an old file in today's format.

use pi_brain_session::{CURRENT_VERSION, Migration, View, migrate_file, read_header};

use super::say;
use crate::args::MigrateOptions;
use crate::locate::Locations;
use crate::open::{check_quiet, remember};

pub(crate) fn run(locations: &Locations, options: &MigrateOptions) -> anyhow::Result<()> {
    let path = locations.find_session(&options.write.session)?;
    if read_header(&path).is_some_and(|header| header.version >= CURRENT_VERSION) {
        return say_nothing_to_do();
    }
    let was_quiet = check_quiet(&path, options.write.force)?;
    // What cannot be read is left out of the new file, so it is told.
    locations.read(&path, View::AsPi)?;
    match migrate_file(&path)? {
        Migration::NotNeeded => say_nothing_to_do(),
        Migration::Done { from, original } => {
            if was_quiet && let Ok(metadata) = std::fs::metadata(&path) {
                remember(&path, metadata.len());
            }
            let original = locations.display(&original);
            say!("Migrated from version {from} to {CURRENT_VERSION}; the original is {original}")
        }
    }
}

fn say_nothing_to_do() -> anyhow::Result<()> {
    say!("Nothing to do: the file is of version {CURRENT_VERSION} or later")
}
