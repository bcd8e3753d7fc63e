//! Preparing a compaction: where to cut, what is summarised, what is kept.

use std::io;

use crate::content::{FileLists, FileOperations};
use crate::context::{ContextMessage, Selected, select};
use crate::entry::{Body, Entry, EntryId, Role};
use crate::json::Raw;
use crate::log::Log;
use crate::session::Session;
use crate::system::current_system_message;
use crate::tokens::estimate_tokens;
use crate::tree::Tree;

/// How many tokens of the newest messages pi keeps by default.
pub const KEEP_RECENT_TOKENS: u64 = 20_000;

/// A compaction that is ready but for its summary.
#[derive(Debug)]
pub struct CompactionPlan {
    /// The first entry that stays in the context.
    pub first_kept: EntryId,
    /// The messages that the summary must stand for, oldest first.
    pub summarized: Vec<ContextMessage>,
    /// The beginning of a turn whose end is kept; the summary must stand for it too.
    pub turn_prefix: Vec<ContextMessage>,
    /// Whether the cut goes through a turn.
    pub is_split_turn: bool,
    /// The estimated size of the context before the compaction.
    pub tokens_before: u64,
    /// The summaries of earlier compactions on the path, newest first.
    pub previous_summaries: Vec<String>,
    /// The files touched by what is summarised.
    pub files: FileLists,
}

impl Session {
    /// Prepares a compaction at `leaf`; `None` if there is nothing to compact.
    ///
    /// The cut never separates a tool call from its result.
    pub fn plan_compaction(
        &self,
        tree: &Tree,
        leaf: usize,
        keep_recent_tokens: u64,
    ) -> io::Result<Option<CompactionPlan>> {
        let entries = self.log().entries();
        if is_compaction(&entries[leaf]) {
            return Ok(None);
        }
        let path = tree.branch(leaf);
        let steps = self.project_all(&path)?;
        // The newest compaction comes first; everything after it is its kept tail and what followed.
        let compacted =
            steps.first().is_some_and(|step| is_compaction(&entries[step.selected.entry]));
        let start = usize::from(compacted && !steps[0].messages.is_empty());
        let cut = find_cut(self.log(), &steps, start, keep_recent_tokens)?;
        let first_kept =
            steps.get(cut.first_kept).and_then(|step| entries[step.selected.entry].id.clone());
        let Some(first_kept) = first_kept else { return Ok(None) };

        let tokens_before = tokens_in_context(self.log(), &steps, &path)?;
        let previous_summaries = self.previous_summaries(&path)?;
        let mut files = FileOperations::default();
        if start > 0 {
            let earlier = steps[0].selected.entry;
            let ours = matches!(entries[earlier].body, Body::Compaction { from_hook: false, .. });
            if ours && let Some(details) = self.entry_raw(earlier)?.raw().get("details") {
                files.add_details(details);
            }
        }
        let history_end = cut.turn_start.unwrap_or(cut.first_kept);
        let mut conversation = steps.into_iter().take(cut.first_kept).skip(start);
        let summarized =
            messages(conversation.by_ref().take(history_end.saturating_sub(start)), entries)?;
        let turn_prefix = messages(conversation, entries)?;
        if summarized.is_empty() && turn_prefix.is_empty() {
            return Ok(None);
        }
        for message in summarized.iter().chain(&turn_prefix) {
            files.add_message(message.raw()?);
        }
        Ok(Some(CompactionPlan {
            first_kept,
            is_split_turn: cut.turn_start.is_some(),
            summarized,
            turn_prefix,
            tokens_before,
            previous_summaries,
            files: files.into_lists(),
        }))
    }

    /// Estimates how large the context at `leaf` is, starting from what the last answer reported.
    pub fn context_tokens(&self, tree: &Tree, leaf: usize) -> io::Result<u64> {
        let path = tree.branch(leaf);
        tokens_in_context(self.log(), &self.project_all(&path)?, &path)
    }

    fn project_all(&self, path: &[usize]) -> io::Result<Vec<Step>> {
        let project = |selected| Ok(Step { selected, messages: self.project(selected)? });
        select(self.log(), path).into_iter().map(project).collect()
    }

    fn previous_summaries(&self, path: &[usize]) -> io::Result<Vec<String>> {
        let compactions = path.iter().rev().filter(|&&at| is_compaction(&self.log().entries()[at]));
        compactions
            .map(|&at| {
                Ok(self.entry_raw(at)?.raw().get_str("summary").unwrap_or_default().into_owned())
            })
            .collect()
    }
}

/// An entry of the context, with the messages it stands for.
struct Step {
    selected: Selected,
    messages: Vec<ContextMessage>,
}

impl Step {
    fn tokens(&self) -> io::Result<u64> {
        self.messages.iter().map(|message| Ok(estimate_tokens(message.raw()?))).sum()
    }

    fn has_role(&self, entries: &[Entry], roles: &[&str]) -> io::Result<bool> {
        if is_compaction(&entries[self.selected.entry]) {
            return Ok(false);
        }
        for message in &self.messages {
            if message.raw()?.get_str("role").is_some_and(|role| roles.contains(&&*role)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What a turn can start with; a cut may also stand before an answer, never before a tool result.
const TURN_STARTS: &[&str] =
    &["user", "bashExecution", "custom", "branchSummary", "compactionSummary"];
const CUT_POINTS: &[&str] =
    &["user", "assistant", "bashExecution", "custom", "branchSummary", "compactionSummary"];

struct Cut {
    first_kept: usize,
    /// Where the turn begins that the cut goes through.
    turn_start: Option<usize>,
}

/// Walks back from the newest entry until enough is kept, then finds the nearest place to cut.
fn find_cut(log: &Log, steps: &[Step], start: usize, keep: u64) -> io::Result<Cut> {
    let entries = log.entries();
    let mut candidates = Vec::new();
    for (at, step) in steps.iter().enumerate().skip(start) {
        if step.has_role(entries, CUT_POINTS)? {
            candidates.push(at);
        }
    }
    let (Some(&first), Some(&last)) = (candidates.first(), candidates.last()) else {
        return Ok(Cut { first_kept: start, turn_start: None });
    };
    let mut cut = first;
    let mut kept = 0;
    for at in (start..steps.len()).rev() {
        let tokens = steps[at].tokens()?;
        kept += tokens;
        if tokens > 0 && kept >= keep {
            let next = candidates.partition_point(|&candidate| candidate < at);
            cut = candidates.get(next).copied().unwrap_or(last);
            if only_omitted_attempts_follow(log, &steps[cut + 1..]) {
                cut += 1;
            }
            break;
        }
    }
    // Settings and the like in front of the cut go with what they belong to.
    while cut > start
        && !is_compaction(&entries[steps[cut - 1].selected.entry])
        && steps[cut - 1].messages.is_empty()
    {
        cut -= 1;
    }
    if steps[cut].has_role(entries, TURN_STARTS)? {
        return Ok(Cut { first_kept: cut, turn_start: None });
    }
    for at in (start..=cut).rev() {
        if steps[at].has_role(entries, TURN_STARTS)? {
            return Ok(Cut { first_kept: cut, turn_start: Some(at) });
        }
    }
    Ok(Cut { first_kept: cut, turn_start: None })
}

/// Whether nothing visible follows but an answer that was edited out, as pi leaves it when a request
/// was too large: then the input before it goes into the summary as well.
fn only_omitted_attempts_follow(log: &Log, rest: &[Step]) -> bool {
    let entries = log.entries();
    let visible = |step: &Step| match &entries[step.selected.entry].body {
        Body::Message(_) | Body::CustomMessage { .. } | Body::Compaction { .. } => true,
        Body::BranchSummary { empty, .. } => !empty,
        _ => false,
    };
    let omitted = |step: &Step| visible(step) && step.messages.is_empty();
    let omitted_ids: Vec<&EntryId> = rest
        .iter()
        .filter(|step| omitted(step))
        .filter_map(|step| entries[step.selected.entry].id.as_ref())
        .collect();
    let replaces_elsewhere = rest.iter().any(|step| match &entries[step.selected.entry].body {
        Body::ContextEdit { target, omits: false } => {
            target.as_ref().is_none_or(|target| !omitted_ids.contains(&target))
        }
        _ => false,
    });
    let is_answer = |step: &Step| entries[step.selected.entry].role() == Some(&Role::Assistant);
    !replaces_elsewhere
        && rest.iter().any(|step| is_answer(step) && omitted(step))
        && rest.iter().all(|step| {
            !is_compaction(&entries[step.selected.entry]) && (!visible(step) || omitted(step))
        })
}

/// Estimates the context, starting from the tokens that the last answer reported if they still hold.
fn tokens_in_context(log: &Log, steps: &[Step], path: &[usize]) -> io::Result<u64> {
    let entries = log.entries();
    let reported = |entry: &Entry| {
        let reply = entry.message()?.reply.as_ref()?;
        let failed = matches!(reply.stop_reason.as_deref(), Some("aborted" | "error"));
        entry.usage.as_ref().map(|usage| usage.total_tokens).filter(|&total| !failed && total > 0)
    };
    let known = steps.iter().enumerate().rev().find_map(|(place, step)| {
        let spoken = !step.messages.is_empty();
        let total = reported(&entries[step.selected.entry]).filter(|_| spoken)?;
        Some((place, step.selected.entry, total))
    });
    let position = |entry: usize| path.iter().position(|&at| at == entry);
    let invalidated = path.iter().rposition(|&at| {
        matches!(entries[at].body, Body::ContextEdit { .. } | Body::Compaction { .. })
    });
    if let Some((place, entry, total)) = known
        && position(entry) > invalidated
    {
        let after: io::Result<u64> = steps[place + 1..].iter().map(Step::tokens).sum();
        return Ok(total + after?);
    }
    let all: Vec<Raw<'_>> = steps
        .iter()
        .flat_map(|step| &step.messages)
        .map(ContextMessage::raw)
        .collect::<io::Result<_>>()?;
    let is_system = |message: &Raw<'_>| message.get_str("role").as_deref() == Some("system");
    let system = current_system_message(all.iter().copied(), 0);
    let system =
        system.as_deref().and_then(|json| Raw::parse(json.as_bytes())).map_or(0, estimate_tokens);
    Ok(system
        + all.into_iter().filter(|message| !is_system(message)).map(estimate_tokens).sum::<u64>())
}

/// Returns what the steps say, without compactions and system messages: those are not conversation.
fn messages(
    steps: impl Iterator<Item = Step>,
    entries: &[Entry],
) -> io::Result<Vec<ContextMessage>> {
    let spoken = steps.filter(|step| !is_compaction(&entries[step.selected.entry]));
    let mut conversation = Vec::new();
    for message in spoken.flat_map(|step| step.messages) {
        if message.raw()?.get_str("role").as_deref() != Some("system") {
            conversation.push(message);
        }
    }
    Ok(conversation)
}

fn is_compaction(entry: &Entry) -> bool {
    matches!(entry.body, Body::Compaction { .. })
}
