//! `pi-brain session branch`: going back to an earlier entry, so that it lasts.

use pi_brain_session::{Abandoned, EntryId, NewBranchSummary, SummaryDetails, View};
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::say;
use super::summary::summarize;
use crate::args::BranchOptions;
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::table::how_many;

/// The entry that makes a move last where there is no summary to do so.
const MOVE: &str = "pi-brain.branch";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Move<'a> {
    abandoned_leaf_id: &'a EntryId,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

pub(crate) fn run(locations: &Locations, options: &BranchOptions) -> anyhow::Result<()> {
    let mut writer = locations.open_to_write(&options.write.session, options.write.force)?;
    let session = writer.session();
    let tree = session.tree(View::AsPi);
    let at = find_entry(session.log(), &tree, &options.at)?;
    let target = session.log().entries()[at].id.clone().expect("an entry is found by its id");
    let Some(left) = writer.leaf().cloned().filter(|leaf| *leaf != target) else {
        return Err(Failure::Usage(format!(
            "{target} is the leaf already; there is nothing to leave"
        ))
        .into());
    };
    let old_leaf = tree.find(left.as_str()).expect("the leaf is an entry");
    let abandoned = Abandoned::new(&tree, old_leaf, Some(at));
    let conversation = session.conversation(&abandoned.entries)?;
    let summary = summarize(&options.summary, &conversation, None, options.reason.as_deref())?;
    let reason = options.reason.as_deref();
    if let Some((text, source)) = summary {
        let files = &conversation.files;
        let abandoned_leaf_id = Some(&left);
        let details =
            SummaryDetails { files, source, abandoned_leaf_id, reason, instructions: None };
        let details = to_raw_value(&details)?;
        let new = NewBranchSummary {
            summary: &text,
            details: Some(&details),
            ..NewBranchSummary::default()
        };
        writer.branch_with_summary(Some(&target), new)?;
    } else {
        let data = to_raw_value(&Move { abandoned_leaf_id: &left, reason })?;
        writer.branch(&target)?;
        writer.append_custom_entry(MOVE, Some(&data))?;
    }
    let count = how_many(abandoned.entries.len(), "entry", "entries");
    say!("pi will continue after {target}; {count} up to {left} stay on their own branch")
}
