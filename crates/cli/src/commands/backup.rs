//! `pi-brain backup`: copies what cannot be derived again.

use super::{print_json, say};
use crate::args::BackupOptions;
use crate::brain::{open, when_free};
use crate::locate::Locations;
use crate::table::{bytes, how_many};

pub(crate) fn run(locations: &Locations, options: &BackupOptions) -> anyhow::Result<()> {
    let app = open(locations)?;
    let backup = when_free(|| app.back_up(&options.folder, options.all))?;
    if options.json {
        return print_json(&backup);
    }
    let folder = locations.display(&std::path::absolute(&options.folder)?);
    let files = how_many(backup.files, "file", "files");
    say!("{files}, {} copied to {folder}", bytes(backup.bytes))?;
    if backup.files == 0 {
        return say!("There was nothing to copy: nothing was taken in yet.");
    }
    say!("Session files are pi's, and not among them.")
}
