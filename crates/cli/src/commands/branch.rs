//! `pi-brain session branch`: going back to an earlier entry, so that it lasts.

use pi_brain_app::Draft;
use pi_brain_session::{Abandoned, EntryId, NewBranchSummary, SummaryDetails};
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::say;
use super::summary::summarize;
use crate::args::BranchOptions;
use crate::describe::one_line;
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::mint::SystemMint;
use crate::table::how_many;

pub(crate) fn run(locations: &Locations, options: &BranchOptions) -> anyhow::Result<()> {
    let (mut draft, tree) = locations.open_to_write(&options.write.session, options.write.force)?;
    let session = draft.session();
    let at = find_entry(session, &tree, &options.at)?;
    let target = session.log().entries()[at].id.clone().expect("an entry is found by its id");
    let shown = one_line(target.as_str());
    let Some(left) = draft.writer.leaf().cloned().filter(|leaf| *leaf != target) else {
        return Err(Failure::Usage(format!(
            "{shown} is the leaf already; there is nothing to leave"
        ))
        .into());
    };
    let old_leaf = tree.find(left.as_str()).expect("the leaf is an entry");
    let abandoned = Abandoned::new(&tree, old_leaf, Some(at));
    if options.summary.is_given() {
        move_with_summary(&mut draft, options, &target, &left, &abandoned)?;
    } else {
        move_silently(&mut draft, options, &target, &left)?;
    }
    draft.remember();
    let count = how_many(abandoned.entries.len(), "entry", "entries");
    let left = one_line(left.as_str());
    say!("pi will continue after {shown}; {count} up to {left} stay on their own branch")
}

fn move_with_summary(
    draft: &mut Draft<SystemMint>,
    options: &BranchOptions,
    target: &EntryId,
    left: &EntryId,
    abandoned: &Abandoned,
) -> anyhow::Result<()> {
    let conversation = draft.session().conversation(&abandoned.entries)?;
    let reason = options.reason.as_deref();
    let files = conversation.files.clone();
    let (text, source) = summarize(&options.summary, || Ok(conversation), None, None)?;
    let details = to_raw_value(&SummaryDetails {
        files: &files,
        source,
        abandoned_leaf_id: Some(left),
        reason,
        instructions: None,
    })?;
    // Somebody may have thought about the summary for a while.
    draft.writer.ensure_current()?;
    let new =
        NewBranchSummary { summary: &text, details: Some(&details), ..NewBranchSummary::default() };
    draft.writer.branch_with_summary(Some(target), new)?;
    Ok(())
}

/// The entry that makes a move last where there is no summary to do so.
const MOVE: &str = "pi-brain.branch";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Move<'a> {
    abandoned_leaf_id: &'a EntryId,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

fn move_silently(
    draft: &mut Draft<SystemMint>,
    options: &BranchOptions,
    target: &EntryId,
    left: &EntryId,
) -> anyhow::Result<()> {
    let reason = options.reason.as_deref();
    let data = to_raw_value(&Move { abandoned_leaf_id: left, reason })?;
    draft.writer.ensure_current()?;
    draft.writer.branch(target)?;
    draft.writer.append_custom_entry(MOVE, Some(&data))?;
    Ok(())
}
