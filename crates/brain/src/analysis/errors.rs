//! What went wrong, and whether it was put right.

pub(super) mod category;
mod complaint;
pub(super) mod hidden;
mod report;
mod resolution;
mod same;
mod subject;
pub(super) mod trouble;

use std::cell::LazyCell;
use std::collections::HashMap;

use super::command;
use super::heard::Call;
use super::models::Model;
use crate::line::one_line;
pub(super) use report::{Report, Unresolved};
use same::{Told, gist, masked};
use subject::{Subject, has_fallen_back, subjects, subjects_of_failure, subsumed};
use trouble::{Trouble, Views};

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
    /// How often something was done that is more than to look, and worked.
    works: usize,
    /// How often the user has spoken.
    requests: usize,
    /// The changes that there were when the last of them were taken back.
    undone: Option<usize>,
    /// The unresolved ones that were seen in something else than what was run.
    observed: Vec<Observed>,
    /// The last error, as long as nothing was done since but to look.
    examined: Option<usize>,
}

/// An error that was seen in the state or the log of something.
#[derive(Clone, Debug)]
struct Observed {
    number: usize,
    views: Views,
    sign: String,
    /// The address that was asked, if any was.
    address: Option<String>,
    /// How often something else had been done by then.
    works: usize,
}

/// One time that something went wrong.
#[derive(Clone, Debug)]
struct Occurrence {
    /// The entries that show it, at least one.
    entries: Vec<String>,
    category: String,
    message: String,
    /// The model's call that failed; `None` if the model itself did, or a command of the user's.
    call: Option<FailedCall>,
    resolved: bool,
    /// Whether the work can hardly be done while this fails.
    grave: bool,
    /// How often a file had been changed by then.
    changes: usize,
    /// How often the user had spoken by then.
    requests: usize,
    /// Whether it kept anything from running at all.
    is_of_compiler: bool,
    /// What its output told of failures.
    told: Told,
    /// A later one that is the same, and tells whether it was resolved.
    follows: Option<usize>,
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

impl Errors {
    pub(super) fn hear_request(&mut self) {
        self.requests += 1;
    }

    pub(super) fn model_failed(&mut self, entry: &str, text: &str) {
        let (category, message) = category::of_model_error(text);
        let number = self.add(entry, category, message, None, vec![Subject::Model]);
        self.all[number].grave = true;
    }

    pub(super) fn model_succeeded(&mut self) {
        self.resolve(&[Subject::Model]);
    }

    /// Takes in a call that has failed; the user's own, if no model made it.
    pub(super) fn call_failed(
        &mut self,
        entry: &str,
        call: &Call,
        text: &str,
        model: Option<&Model>,
    ) {
        // What the user stopped has not gone wrong.
        let is_stop = |line: &str| matches!(line.trim(), "Operation aborted" | "Command aborted");
        if text.lines().any(is_stop) {
            return;
        }
        self.note_changes(call);
        let (mut category, mut message) = category::of_tool_error(&call.tool, text);
        let subjects = subjects_of_failure(call, &message, text);
        let told = Told::of(text);
        match self.seen_again(&subjects, text, &told) {
            Some(number) => {
                (category, message) =
                    (self.all[number].category.clone(), self.all[number].message.clone());
            }
            None => self.resolve_what_is_passed(&subjects, call, text),
        }
        let failed = model.map(|model| failed_call(call, &message, model));
        let was_observed = self.take_observed(text, &message);
        let falls_back = has_fallen_back(call, text);
        let last = self.add(entry, category, message, failed, subjects);
        self.all[last].resolved = falls_back;
        self.all[last].told = told;
        self.all[last].grave = !call.only_looks();
        self.all[last].is_of_compiler = text.lines().any(trouble::is_compiler_error);
        if let Some(number) = was_observed {
            // The log told of what the run then showed: it is one error, and the run tells how it ends.
            let (category, message) = (&self.all[last].category, &self.all[last].message);
            let (category, message) = (category.clone(), message.clone());
            let number = &mut self.all[number];
            (number.category, number.message, number.follows) = (category, message, Some(last));
        }
    }

    /// Takes in trouble that a call shows, which has not failed itself.
    pub(super) fn observed(
        &mut self,
        entry: &str,
        call: &Call,
        views: Views,
        trouble: Trouble,
        model: Option<&Model>,
    ) {
        // Whoever looks for the cause of an error sees the same error from another side.
        if let Some(number) = self.examined
            && trouble::only_shows(call)
            && self.all[number].requests == self.requests
        {
            self.all[number].entries.push(entry.to_owned());
            return;
        }
        let (category, message) = category::of_tool_error(&call.tool, &trouble.text);
        let is_same = |observed: &&Observed| {
            let known = &self.all[observed.number].message;
            // Lines of the same level have only that in common.
            observed.sign == trouble.sign && !trouble.is_level()
                || masked(known) == masked(&message)
        };
        if let Some(known) = self.observed.iter().find(is_same) {
            self.all[known.number].entries.push(entry.to_owned());
            return;
        }
        let failed = model.map(|model| failed_call(call, &message, model));
        let remedies = subject::remedies(&message);
        let number = self.add(entry, category, message, failed, remedies);
        let address = command::address(call.command.as_deref().unwrap_or_default());
        let address = address.map(str::to_owned);
        self.observed.push(Observed {
            number,
            views,
            sign: trouble.sign,
            address,
            works: self.works,
        });
    }

    pub(super) fn call_succeeded(&mut self, entry: &str, call: &Call) {
        self.note_changes(call);
        let works = call.modifies() || !call.only_looks();
        self.works += usize::from(works);
        if works {
            self.examined = None;
        }
        self.resolve_observed(call);
        if self.open.is_empty() {
            return;
        }
        let subjects = subjects(call);
        self.learn(entry, call, &subjects);
        if !self.ignores_failure(&subjects, call) {
            self.resolve(&subjects);
            self.resolve(&subsumed(&subjects));
        }
        self.resolve_missing(call);
        self.resolve_repaired(call);
        if subjects.contains(&Subject::Command("git commit".to_owned())) {
            // What is committed is taken to be good, whatever failed on the way.
            self.all[self.settled..].iter_mut().for_each(|error| error.grave = false);
            self.settled = self.all.len();
        }
    }

    fn note_changes(&mut self, call: &Call) {
        let command = call.command.as_deref().unwrap_or_default();
        if command::takes_back(command) {
            self.undone = Some(self.changes);
        }
        self.changes += usize::from(call.modifies());
    }

    /// Returns an open error about the same, whose message comes up again, or the last one if nothing is told but how
    /// many failed.
    fn seen_again(&self, subjects: &[Subject], text: &str, told: &Told) -> Option<usize> {
        const ENOUGH: usize = 12;
        let only_counts = category::only_counts(text);
        // Where no line says what is wrong, nothing tells the errors of one try apart.
        let is_quiet = LazyCell::new(|| !text.lines().any(complaint::mentions_failure));
        let masked_text = LazyCell::new(|| masked(text));
        let open = subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        open.copied().rfind(|number| {
            let error = &self.all[*number];
            let known = masked(gist(error.message.trim_end_matches('…')));
            // That other tests fail than before is something else.
            let is_telling = known.len() >= ENOUGH && !trouble::counts_failures(&error.message);
            only_counts
                || *is_quiet && !complaint::mentions_failure(&error.message)
                || is_telling && masked_text.contains(&known)
                || told.has_nothing_but(&error.told)
        })
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
                entries: vec![error.entries[0].clone(), entry.to_owned()],
            });
        }
    }

    /// Adds one, and returns its number.
    fn add(
        &mut self,
        entry: &str,
        category: String,
        message: String,
        call: Option<FailedCall>,
        subjects: Vec<Subject>,
    ) -> usize {
        let number = self.all.len();
        for subject in subjects {
            self.open.entry(subject).or_default().push(number);
        }
        self.examined = Some(number);
        self.all.push(Occurrence {
            entries: vec![entry.to_owned()],
            category,
            message,
            grave: false,
            call,
            resolved: false,
            changes: self.changes,
            requests: self.requests,
            is_of_compiler: false,
            told: Told::default(),
            follows: None,
        });
        number
    }
}

fn failed_call(call: &Call, message: &str, model: &Model) -> FailedCall {
    let context = call.path.as_deref().or(call.command.as_deref()).unwrap_or(message);
    FailedCall {
        tool: call.tool.clone(),
        context: one_line(context, CONTEXT_LENGTH),
        model: model.to_string(),
    }
}
