//! What happened, in up to three sentences: what was asked for, what was done, how it ended.

use super::calls::Calls;
use super::files::Files;
use super::goal::Goal;
use super::outcome::Verdict;
use crate::line::one_line;
use crate::node::Outcome;

/// So much of the request is repeated, in characters.
const GOAL_LENGTH: usize = 200;

pub(super) fn summary(goal: &Goal, files: &Files, calls: &Calls, verdict: &Verdict) -> String {
    let asked = sentence(&one_line(&goal.told(), GOAL_LENGTH));
    let asked = if asked.is_empty() {
        "Went on without new words from the user.".to_owned()
    } else {
        asked
    };
    let how = match verdict.outcome {
        Outcome::Success => None,
        Outcome::Partial => Some("Not finished."),
        Outcome::Failed => Some("It did not work."),
        Outcome::Abandoned => Some("It was given up."),
    };
    let ended = sentence(&verdict.sentence);
    let ended = if ended.is_empty() { done(files, calls).unwrap_or_default() } else { ended };
    let parts = [Some(&*asked), how, Some(&*ended)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Ends a text with a full stop unless it has an end.
fn sentence(text: &str) -> String {
    let text = text.trim();
    match text.chars().last() {
        None => String::new(),
        Some(last) if ".!?…。！？”\"".contains(last) => text.to_owned(),
        Some(_) => format!("{text}."),
    }
}

/// Says what was done where nobody said it.
fn done(files: &Files, calls: &Calls) -> Option<String> {
    let (changed, read) = (files.modified.len(), files.read.len());
    let files =
        |count: usize| if count == 1 { "one file".to_owned() } else { format!("{count} files") };
    let calls: u64 = calls.in_order().iter().map(|tool| calls.count(tool)).sum();
    match (changed, read, calls) {
        (1.., _, _) => Some(format!("Changed {}.", files(changed))),
        (0, 1.., _) => Some(format!("Read {}.", files(read))),
        (0, 0, 1..) => Some("Only ran tools.".to_owned()),
        (0, 0, 0) => None,
    }
}
