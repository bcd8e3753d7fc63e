//! `pi-brain session label`: a bookmark on an entry.

use pi_brain_session::{EntryId, View};

use super::say;
use crate::args::LabelOptions;
use crate::describe::clean;
use crate::locate::{Locations, find_entry};

pub(crate) fn run(locations: &Locations, options: &LabelOptions) -> anyhow::Result<()> {
    let mut writer = locations.open_to_write(&options.write.session, options.write.force)?;
    let log = writer.session().log();
    let at = find_entry(log, &writer.session().tree(View::AsPi), &options.entry)?;
    let target: EntryId = log.entries()[at].id.clone().expect("an entry is found by its id");
    let label = options.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    writer.append_label_change(&target, label)?;
    match label {
        Some(label) => say!("{target} is now labelled “{}”", clean(label)),
        None => say!("{target} has no label any more"),
    }
}
