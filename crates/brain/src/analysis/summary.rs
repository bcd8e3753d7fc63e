//! What happened, in up to three sentences: what was asked for, what was done, how it ended.

use super::calls::Calls;
use super::files::Files;
use super::goal::Goal;
use super::outcome::Verdict;
use super::text::{one_line, opening};

/// So much of the request is repeated, in characters.
const GOAL_LENGTH: usize = 160;
/// So many files are named.
const FILES_NAMED: usize = 3;
/// So many tools are named.
const TOOLS_NAMED: usize = 5;

pub(super) fn summary(goal: &Goal, files: &Files, calls: &Calls, verdict: &Verdict) -> String {
    let asked = opening(goal.text(), GOAL_LENGTH);
    let asked = match asked.chars().last() {
        None => "Went on without new words from the user.".to_owned(),
        Some(last) if ".!?…。！？".contains(last) => asked,
        Some(_) => asked + ".",
    };
    let sentences = [Some(asked), done(files, calls), Some(verdict.sentence.clone())];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn done(files: &Files, calls: &Calls) -> Option<String> {
    let named = |verb: &str, paths: &mut dyn ExactSizeIterator<Item = &String>| {
        let total = paths.len();
        let shown: Vec<String> = paths.take(FILES_NAMED).map(|path| one_line(path, 80)).collect();
        (total > 0).then(|| format!("{verb} {}", list(&shown, total)))
    };
    let changed = named("Changed", &mut files.modified.keys());
    let read = || named("Read", &mut files.read.keys());
    let tools: Vec<String> = calls
        .in_order()
        .iter()
        .take(TOOLS_NAMED)
        .map(|tool| format!("{} {}×", one_line(tool, 40), calls.count(tool)))
        .collect();
    let tools = (!tools.is_empty()).then(|| list(&tools, calls.in_order().len()));
    match (changed.or_else(read), tools) {
        (Some(files), Some(tools)) => Some(format!("{files} ({tools}).")),
        (Some(files), None) => Some(format!("{files}.")),
        (None, Some(tools)) => Some(format!("Used {tools}.")),
        (None, None) => None,
    }
}

/// Writes names one after the other, and how many more there are.
fn list(shown: &[String], total: usize) -> String {
    let names = shown.join(", ");
    match total - shown.len() {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
