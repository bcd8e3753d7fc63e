//! What went wrong, and whether it was put right.

pub(super) mod category;
pub(super) mod hidden;

use std::collections::{BTreeMap, HashMap};

use super::command;
use super::heard::Call;
use super::models::Model;
use crate::line::one_line;
use crate::node::{ErrorSummary, ToolError};

/// So many different errors are listed, the latest ones; more would tell nothing more.
const MOST_ERRORS: usize = 100;
/// So many entries are named for each.
const MOST_ENTRIES: usize = 5;
/// So long is what led to an error, in characters.
const CONTEXT_LENGTH: usize = 200;

/// Signs of a command that gets by with force, or by changing files.
const FORCED: [&str; 9] = [
    "--force",
    "--no-verify",
    "--legacy-peer-deps",
    "rm -",
    "git rm",
    "git checkout",
    "git reset",
    "sed -i",
    "sudo ",
];

/// Collects errors and watches for what resolves them.
#[derive(Debug, Default)]
pub(super) struct Errors {
    all: Vec<Occurrence>,
    /// The unresolved ones, by what a later success would have to be about.
    open: HashMap<Subject, Vec<usize>>,
    /// So many of the first errors came before the last commit.
    settled: usize,
    recoveries: Vec<Recovery>,
    /// How often a file was changed so far.
    changes: usize,
}

/// What a call is about; a later success with the same subject resolves an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Model,
    Reading(String),
    Changing(String),
    Command(String),
    /// A tool of which nothing more is known.
    Tool(String),
}

/// One time that something went wrong.
#[derive(Clone, Debug)]
struct Occurrence {
    entry: String,
    category: String,
    message: String,
    /// The call that failed; `None` if the model itself did.
    call: Option<FailedCall>,
    resolved: bool,
    /// Whether the work can hardly be done while this fails.
    grave: bool,
    /// How often a file had been changed by then.
    changes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct FailedCall {
    tool: String,
    context: String,
    model: String,
}

/// Something that failed one way and then worked another.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    pub(super) failed: String,
    pub(super) message: String,
    pub(super) worked: String,
    pub(super) entries: Vec<String>,
}

/// An error that was there at the end.
#[derive(Clone, Debug)]
pub(super) struct Unresolved {
    pub(super) entry: String,
    pub(super) category: String,
    pub(super) message: String,
}

/// All errors of a segment, equal ones as one.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) seen: Vec<ErrorSummary>,
    pub(super) tool_errors: Vec<ToolError>,
    pub(super) evidence: BTreeMap<String, Vec<String>>,
    /// The last grave error that nothing put right.
    pub(super) unresolved: Option<Unresolved>,
    pub(super) recoveries: Vec<Recovery>,
    /// How often each of the tool errors came up.
    pub(super) counts: Vec<u64>,
}

impl Errors {
    pub(super) fn model_failed(&mut self, entry: &str, text: &str) {
        let (category, message) = category::of_model_error(text);
        self.add(entry, category, message, None, true, vec![Subject::Model]);
    }

    pub(super) fn model_succeeded(&mut self) {
        self.resolve(&[Subject::Model]);
    }

    pub(super) fn call_failed(&mut self, entry: &str, call: &Call, text: &str, model: &Model) {
        // What the user stopped has not gone wrong.
        let is_stop = |line: &str| matches!(line.trim(), "Operation aborted" | "Command aborted");
        if text.lines().any(is_stop) {
            return;
        }
        let (category, message) = category::of_tool_error(&call.tool, text);
        let context = call.path.as_deref().or(call.command.as_deref()).unwrap_or(&message);
        let failed = FailedCall {
            tool: call.tool.clone(),
            context: one_line(context, CONTEXT_LENGTH),
            model: model.to_string(),
        };
        self.add(entry, category, message, Some(failed), !call.only_looks(), subjects(call));
    }

    pub(super) fn call_succeeded(&mut self, entry: &str, call: &Call) {
        self.changes += usize::from(call.modifies());
        if self.open.is_empty() {
            return;
        }
        let subjects = subjects(call);
        self.learn(entry, call, &subjects);
        self.resolve(&subjects);
        if subjects.contains(&Subject::Command("git commit".to_owned())) {
            // What is committed is taken to be good, whatever failed on the way.
            self.all[self.settled..].iter_mut().for_each(|error| error.grave = false);
            self.settled = self.all.len();
        }
    }

    /// Notes what is different about a try that worked.
    fn learn(&mut self, entry: &str, call: &Call, subjects: &[Subject]) {
        const MOST_RECOVERIES: usize = 20;
        let Some(worked) = call.command.as_deref() else { return };
        let numbers = subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        let Some(&last) = numbers.max() else { return };
        let error = &self.all[last];
        // After a change to the code it is the code that was wrong, not the way to call the tool.
        if error.changes != self.changes {
            return;
        }
        // What forces its way, or changes files by the way, is nothing to learn from.
        if FORCED.iter().any(|sign| worked.contains(sign)) {
            return;
        }
        let failed = error.call.as_ref().map_or("", |call| &*call.context);
        let worked = one_line(worked, CONTEXT_LENGTH);
        if failed != worked && !failed.is_empty() && self.recoveries.len() < MOST_RECOVERIES {
            self.recoveries.push(Recovery {
                failed: failed.to_owned(),
                message: error.message.clone(),
                worked,
                entries: vec![error.entry.clone(), entry.to_owned()],
            });
        }
    }

    fn add(
        &mut self,
        entry: &str,
        category: String,
        message: String,
        call: Option<FailedCall>,
        grave: bool,
        subjects: Vec<Subject>,
    ) {
        let number = self.all.len();
        for subject in subjects {
            self.open.entry(subject).or_default().push(number);
        }
        let entry = entry.to_owned();
        let changes = self.changes;
        let resolved = false;
        self.all.push(Occurrence { entry, category, message, call, resolved, grave, changes });
    }

    fn resolve(&mut self, subjects: &[Subject]) {
        for number in subjects.iter().filter_map(|subject| self.open.remove(subject)).flatten() {
            self.all[number].resolved = true;
        }
    }

    pub(super) fn finish(self) -> Report {
        let mut report = Report { recoveries: self.recoveries, ..Report::default() };
        let last = self.all.iter().rfind(|error| error.grave && !error.resolved);
        report.unresolved = last.map(|error| Unresolved {
            entry: error.entry.clone(),
            category: error.category.clone(),
            message: error.message.clone(),
        });
        let kinds = grouped(&self.all, |error| Some((&error.category, &error.message)));
        for (number, group) in kinds.iter().enumerate() {
            report.seen.push(ErrorSummary {
                error_type: group[0].category.clone(),
                message: group[0].message.clone(),
                resolved: group.iter().all(|error| error.resolved),
            });
            let entries = group.iter().take(MOST_ENTRIES).map(|error| error.entry.clone());
            report.evidence.insert(format!("content.errorsSeen[{number}]"), entries.collect());
        }
        let calls = grouped(&self.all, |error| Some((error.call.as_ref()?, &error.category)));
        for group in calls {
            let call = group[0].call.clone().expect("only errors of calls are in these groups");
            report.counts.push(group.len() as u64);
            report.tool_errors.push(ToolError {
                tool: call.tool,
                error_type: group[0].category.clone(),
                context: call.context,
                model: call.model,
                was_retried: group.iter().all(|error| error.resolved),
            });
        }
        report
    }
}

/// Returns what a later success must be about to resolve a failure of `call`, any of these.
fn subjects(call: &Call) -> Vec<Subject> {
    match (&call.path, &call.command) {
        (Some(path), _) if call.modifies() => vec![Subject::Changing(path.clone())],
        (Some(path), _) if call.reads() => vec![Subject::Reading(path.clone())],
        (_, Some(command)) => command::keys(command).into_iter().map(Subject::Command).collect(),
        _ => vec![Subject::Tool(call.tool.clone())],
    }
}

/// Puts equal errors together, in the order in which each kind came first; keeps the latest kinds.
fn grouped<'a, K: std::hash::Hash + Eq>(
    errors: &'a [Occurrence],
    key: impl Fn(&'a Occurrence) -> Option<K>,
) -> Vec<Vec<&'a Occurrence>> {
    let mut groups: Vec<Vec<&Occurrence>> = Vec::new();
    let mut numbers: HashMap<K, usize> = HashMap::new();
    for error in errors {
        let Some(key) = key(error) else { continue };
        let number = *numbers.entry(key).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.push(error),
            None => groups.push(vec![error]),
        }
    }
    groups.split_off(groups.len().saturating_sub(MOST_ERRORS))
}
