//! What went wrong, and whether it was put right.

pub(super) mod category;
mod complaint;
pub(super) mod hidden;
mod report;
mod subject;
pub(super) mod trouble;

use std::collections::HashMap;

use super::command;
use super::heard::Call;
use super::models::Model;
use crate::line::one_line;
pub(super) use report::Unresolved;
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

/// Signs of a command that works only because it no longer minds what failed.
const IGNORING: [&str; 9] = [
    "--force",
    "--legacy-peer-deps",
    "--no-verify",
    "--no-default-features",
    "--ignore-",
    "--skip",
    "--exclude",
    "--deselect",
    "#[ignore",
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
    /// The call that failed; `None` if the model itself did.
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
        self.add(entry, category, message, None, vec![Subject::Model]);
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
        self.note_changes(call);
        let (mut category, mut message) = category::of_tool_error(&call.tool, text);
        let subjects = subjects_of_failure(call, &message);
        match self.seen_again(&subjects, text) {
            Some(number) => {
                (category, message) =
                    (self.all[number].category.clone(), self.all[number].message.clone());
            }
            None => self.resolve_what_is_passed(&subjects, call, text),
        }
        let failed = failed_call(call, &message, model);
        let was_observed = self.take_observed(text);
        let falls_back = has_fallen_back(call, text);
        self.add(entry, category, message, Some(failed), subjects);
        let last = self.all.len() - 1;
        self.all[last].resolved = falls_back;
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
        model: &Model,
    ) {
        // Whoever looks for the cause of an error sees the same error from another side.
        if let Some(number) = self.examined {
            self.all[number].entries.push(entry.to_owned());
            return;
        }
        let (category, message) = category::of_tool_error(&call.tool, &trouble.text);
        let is_same = |observed: &&Observed| {
            observed.sign == trouble.sign || self.all[observed.number].message == message
        };
        if let Some(known) = self.observed.iter().find(is_same) {
            self.all[known.number].entries.push(entry.to_owned());
            return;
        }
        let failed = failed_call(call, &message, model);
        self.add(entry, category, message, Some(failed), Vec::new());
        let number = self.all.len() - 1;
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
    fn seen_again(&self, subjects: &[Subject], text: &str) -> Option<usize> {
        const ENOUGH: usize = 12;
        let only_counts = category::only_counts(text);
        // Where no line says what is wrong, nothing tells the errors of one try apart.
        let is_quiet = std::cell::LazyCell::new(|| !text.lines().any(complaint::mentions_failure));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let open = subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        open.copied().rfind(|number| {
            let known = self.all[*number].message.trim_end_matches('…');
            only_counts
                || *is_quiet && !complaint::mentions_failure(known)
                || known.len() >= ENOUGH && text.contains(known)
        })
    }

    /// Resolves what failed before if the same try, changed, now fails with something else: it got further. What the user
    /// said in between may have led elsewhere, and what does not even compile does not show that the rest would work. Where
    /// no file was changed another way was tried, and how that ended tells whether the first was overcome.
    fn resolve_what_is_passed(&mut self, subjects: &[Subject], call: &Call, text: &str) {
        let is_of_compiler = text.lines().any(trouble::is_compiler_error);
        let command = one_line(call.command.as_deref().unwrap_or_default(), CONTEXT_LENGTH);
        let next = self.all.len();
        for number in subjects.iter().filter_map(|subject| self.open.get(subject)).flatten() {
            let error = &mut self.all[*number];
            let is_changed = error.changes != self.changes
                || error.call.as_ref().is_some_and(|call| call.context != command);
            if is_changed
                && error.requests == self.requests
                && (error.is_of_compiler || !is_of_compiler)
            {
                if error.changes != self.changes || error.is_of_compiler && !is_of_compiler {
                    error.resolved = true;
                } else {
                    error.follows = Some(next);
                }
            }
        }
    }

    /// Finds trouble that was seen in a log or a state, and which a run now shows.
    fn take_observed(&mut self, text: &str) -> Option<usize> {
        if self.observed.is_empty() {
            return None;
        }
        let lower = text.to_ascii_lowercase();
        let at = self.observed.iter().rposition(|observed| lower.contains(&observed.sign))?;
        Some(self.observed.remove(at).number)
    }

    /// Resolves what was seen, if it is looked at again after something was done, or if something that runs is content after
    /// files were changed.
    fn resolve_observed(&mut self, call: &Call) {
        if self.observed.is_empty() {
            return;
        }
        let views = Views::of(call);
        let command = call.command.as_deref().unwrap_or_default();
        let runs = !call.only_looks() && !call.modifies() && !command::only_keeps(command);
        let is_undone = self.undone == Some(self.changes);
        let changes_by_itself = command.contains("sed -i");
        let (all, works, changes) = (&mut self.all, self.works, self.changes);
        self.observed.retain(|observed| {
            let is_changed = changes > all[observed.number].changes || changes_by_itself;
            let asks_there =
                observed.address.as_ref().is_none_or(|address| command.contains(&**address));
            let is_gone =
                observed.works < works && views.show_the_same(observed.views) && asks_there
                    || runs && is_changed && !is_undone;
            all[observed.number].resolved |= is_gone;
            !is_gone
        });
    }

    /// Returns whether a success says nothing of what failed: it no longer minds, or all is as it was before.
    fn ignores_failure(&self, subjects: &[Subject], call: &Call) -> bool {
        let command = call.command.as_deref().unwrap_or_default();
        let open = || subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        let failed = || open().filter_map(|number| self.all[*number].call.as_ref());
        let is_new = |sign: &str| failed().any(|call| !call.context.contains(sign));
        let is_undone = self.undone == Some(self.changes)
            && open().any(|number| self.all[*number].changes < self.changes);
        IGNORING.iter().any(|sign| command.contains(sign) && is_new(sign))
            || (is_undone && command::takes_back(command))
    }

    /// Resolves the last error if files were changed for it, and what was run next was content: a repair need not be shown
    /// by the very command that failed. What the user said in between may have led elsewhere.
    fn resolve_repaired(&mut self, call: &Call) {
        let command = call.command.as_deref().unwrap_or_default();
        let runs = call.command.is_some() && !call.only_looks() && !command::only_keeps(command);
        if !runs || self.undone == Some(self.changes) {
            return;
        }
        let Some(last) = self.all.last_mut() else { return };
        if (last.changes < self.changes || command.contains("sed -i"))
            && last.requests == self.requests
            && last.call.is_some()
        {
            last.resolved = true;
        }
    }

    /// Resolves that a file could not be read if it was found elsewhere, or written.
    fn resolve_missing(&mut self, call: &Call) {
        let named = |file: &str| {
            let name = file.rsplit('/').next().unwrap_or_default();
            !name.is_empty()
                && [&call.path, &call.command]
                    .into_iter()
                    .flatten()
                    .any(|text| text.rsplit(['/', ' ']).any(|word| word.starts_with(name)))
        };
        let found: Vec<Subject> = self
            .open
            .keys()
            .filter(|subject| matches!(subject, Subject::Reading(file) if named(file)))
            .cloned()
            .collect();
        self.resolve(&found);
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

    fn add(
        &mut self,
        entry: &str,
        category: String,
        message: String,
        call: Option<FailedCall>,
        subjects: Vec<Subject>,
    ) {
        let number = self.all.len();
        for subject in subjects {
            self.open.entry(subject).or_default().push(number);
        }
        self.examined = Some(number);
        self.all.push(Occurrence {
            entries: vec![entry.to_owned()],
            category,
            message,
            grave: call.is_none(),
            call,
            resolved: false,
            changes: self.changes,
            requests: self.requests,
            is_of_compiler: false,
            follows: None,
        });
    }

    fn resolve(&mut self, subjects: &[Subject]) {
        for number in subjects.iter().filter_map(|subject| self.open.remove(subject)).flatten() {
            self.all[number].resolved = true;
        }
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
