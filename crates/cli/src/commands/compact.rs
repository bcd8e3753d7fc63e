//! `pi-brain session compact`: a summary in place of the older part of a conversation.

use std::io;

use pi_brain_session::{
    Body, CompactionPlan, ContextMessage, Conversation, KEEP_RECENT_TOKENS, NewCompaction, Session,
    SummaryDetails, SummarySource, Tree, View,
};
use serde_json::value::to_raw_value;

use super::say;
use super::summary::summarize;
use crate::args::CompactOptions;
use crate::describe::{DIM, clean, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::table::{count, how_many};

pub(crate) fn run(locations: &Locations, options: &CompactOptions) -> anyhow::Result<()> {
    let keep =
        options.keep_tokens.or(locations.settings.keep_recent_tokens).unwrap_or(KEEP_RECENT_TOKENS);
    let argument = &*options.write.session;
    if options.dry_run {
        // Looking costs nothing, so a dry run never needs --force.
        let (session, tree) = locations.open(argument, View::AsPi)?;
        let plan = find_plan(&session, &tree, keep)?;
        return tell(&plan, &write_summary(&plan, options)?.0);
    }
    let (mut draft, tree) = locations.open_to_write(argument, options.write.force)?;
    let plan = find_plan(draft.session(), &tree, keep)?;
    let (text, source) = write_summary(&plan, options)?;
    let details = to_raw_value(&SummaryDetails {
        files: &plan.files,
        source,
        abandoned_leaf_id: None,
        reason: None,
        instructions: options.instructions.as_deref(),
    })?;
    // Somebody may have thought about the summary for a while.
    draft.writer.ensure_current()?;
    let id = draft.writer.append_compaction(NewCompaction {
        summary: &text,
        first_kept: Some(&plan.first_kept),
        tokens_before: plan.tokens_before,
        details: Some(&details),
        ..NewCompaction::default()
    })?;
    draft.remember();
    say!(
        "{id} now stands for {} (about {} tokens before); kept from {} on",
        messages(&plan),
        count(plan.tokens_before),
        one_line(plan.first_kept.as_str())
    )
}

fn find_plan(session: &Session, tree: &Tree, keep: u64) -> anyhow::Result<CompactionPlan> {
    let nothing = |why: String| {
        anyhow::Error::from(Failure::NothingToCompact(format!(
            "there is nothing to compact: {why}"
        )))
    };
    let Some(leaf) = tree.leaf() else { return Err(nothing("the session is empty".to_owned())) };
    if matches!(session.log().entries()[leaf].body, Body::Compaction { .. }) {
        return Err(nothing(
            "the leaf is a compaction already, and nothing was said since".to_owned(),
        ));
    }
    session.plan_compaction(tree, leaf, keep)?.ok_or_else(|| {
        nothing(format!(
            "all of it fits into the {} tokens that are kept. --keep-tokens N keeps fewer",
            count(keep)
        ))
    })
}

fn write_summary(
    plan: &CompactionPlan,
    options: &CompactOptions,
) -> anyhow::Result<(String, SummarySource)> {
    let earlier = plan.previous_summaries.first().map(String::as_str);
    let conversation = || {
        let all = plan.summarized.iter().chain(&plan.turn_prefix);
        let raw: Vec<_> = all.map(ContextMessage::raw).collect::<io::Result<_>>()?;
        Ok(Conversation::from_messages(raw.into_iter(), plan.files.clone()))
    };
    summarize(&options.summary, conversation, earlier, options.instructions.as_deref())
}

/// Says what would be done.
fn tell(plan: &CompactionPlan, summary: &str) -> anyhow::Result<()> {
    say!(
        "Would summarise {} and keep everything from {} on; the context is about {} tokens now.",
        messages(plan),
        one_line(plan.first_kept.as_str()),
        count(plan.tokens_before)
    )?;
    if plan.is_split_turn {
        say!(
            "The cut goes through a turn: its beginning is part of the summary, its end is kept."
        )?;
    }
    say!("\n{DIM}{}{DIM:#}", clean(summary))
}

fn messages(plan: &CompactionPlan) -> String {
    how_many(plan.summarized.len() + plan.turn_prefix.len(), "message", "messages")
}
