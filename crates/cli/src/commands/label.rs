//! `pi-brain session label`: a bookmark on an entry.

use pi_brain_session::{EntryId, labels};

use super::say;
use crate::args::LabelOptions;
use crate::describe::one_line;
use crate::locate::{Locations, find_entry};

pub(crate) fn run(locations: &Locations, options: &LabelOptions) -> anyhow::Result<()> {
    let (mut draft, tree) = locations.open_to_write(&options.write.session, options.write.force)?;
    let session = draft.session();
    let at = find_entry(session, &tree, &options.entry)?;
    let log = session.log();
    let target: EntryId = log.entries()[at].id.clone().expect("an entry is found by its id");
    let shown = one_line(target.as_str());
    let label = options.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if label.is_none() && !labels(log).iter().any(|(labelled, _)| *labelled == target) {
        return say!("{shown} has no label; nothing was written");
    }
    draft.writer.append_label_change(&target, label)?;
    draft.remember();
    match label {
        Some(label) => say!("{shown} is now labelled “{}”", one_line(label)),
        None => say!("{shown} has no label any more"),
    }
}
