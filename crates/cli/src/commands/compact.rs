//! `pi-brain session compact`: a summary in place of the older part of a conversation.

use pi_brain_session::{
    ContextMessage, Conversation, KEEP_RECENT_TOKENS, NewCompaction, SummaryDetails, View,
};
use serde_json::value::to_raw_value;

use super::say;
use super::summary::summarize;
use crate::args::{CompactOptions, SummaryOptions};
use crate::describe::{DIM, clean};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::table::{count, how_many};

pub(crate) fn run(locations: &Locations, options: &CompactOptions) -> anyhow::Result<()> {
    // Looking costs nothing, so a dry run never needs --force.
    let force = options.write.force || options.dry_run;
    let mut writer = locations.open_to_write(&options.write.session, force)?;
    let session = writer.session();
    let tree = session.tree(View::AsPi);
    let keep = options
        .keep_tokens
        .or(locations.settings.keep_recent_tokens())
        .unwrap_or(KEEP_RECENT_TOKENS);
    let plan =
        tree.leaf().map(|leaf| session.plan_compaction(&tree, leaf, keep)).transpose()?.flatten();
    let Some(plan) = plan else {
        let text = format!(
            "there is nothing to compact: all of it fits into the {} tokens that are kept. --keep-tokens N keeps fewer",
            count(keep)
        );
        return Err(Failure::Usage(text).into());
    };
    let raw: std::io::Result<Vec<_>> =
        plan.summarized.iter().chain(&plan.turn_prefix).map(ContextMessage::raw).collect();
    let conversation = Conversation::from_messages(raw?.into_iter(), plan.files.clone());
    let earlier = plan.previous_summaries.first().map(String::as_str);
    let instructions = options.instructions.as_deref();
    let summary = match summarize(&options.summary, &conversation, earlier, instructions)? {
        Some(summary) => Some(summary),
        None => summarize(
            &SummaryOptions { auto: true, summary: None, summary_command: None },
            &conversation,
            earlier,
            instructions,
        )?,
    };
    let (text, source) = summary.expect("the built-in summary is always there");
    let messages = how_many(plan.summarized.len() + plan.turn_prefix.len(), "message", "messages");
    let before = count(plan.tokens_before);
    if options.dry_run {
        say!(
            "Would summarise {messages} of about {before} tokens, and keep everything from {} on:\n",
            plan.first_kept
        )?;
        return say!("{DIM}{}{DIM:#}", clean(&text));
    }
    let details = SummaryDetails {
        files: &plan.files,
        source,
        abandoned_leaf_id: None,
        reason: None,
        instructions,
    };
    let details = to_raw_value(&details)?;
    let id = writer.append_compaction(NewCompaction {
        summary: &text,
        first_kept: Some(&plan.first_kept),
        tokens_before: plan.tokens_before,
        details: Some(&details),
        ..NewCompaction::default()
    })?;
    say!(
        "{id} now stands for {messages} (about {before} tokens before); kept from {} on",
        plan.first_kept
    )
}
