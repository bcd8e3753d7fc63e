//! What went wrong, and whether it was put right.

pub(super) mod category;
mod complaint;
pub(super) mod hidden;
pub(super) mod trouble;

use std::collections::{BTreeMap, HashMap};

use super::command;
use super::heard::Call;
use super::models::Model;
use crate::line::one_line;
use crate::node::{ErrorSummary, ToolError};
use trouble::{Trouble, Views};

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
    /// How often something else had been done by then.
    works: usize,
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
        self.observed.push(Observed { number, views, sign: trouble.sign, works: self.works });
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
        let is_quiet = !text.lines().any(complaint::mentions_failure);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let open = subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        open.copied().rfind(|number| {
            let known = self.all[*number].message.trim_end_matches('…');
            only_counts
                || is_quiet && !complaint::mentions_failure(known)
                || known.len() >= ENOUGH && text.contains(known)
        })
    }

    /// Resolves what failed before if the same try, changed, now fails with something else: it got further. What the user
    /// said in between may have led elsewhere, and what does not even compile does not show that the rest would work.
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
            let is_gone = observed.works < works && views.show_the_same(observed.views)
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

    fn resolve_repaired(&mut self, call: &Call) {
        let command = call.command.as_deref().unwrap_or_default();
        let runs = !call.only_looks()
            && !call.modifies()
            && !command::only_keeps(command)
            && call.command.is_some();
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

    pub(super) fn finish(mut self) -> Report {
        for number in (0..self.all.len()).rev() {
            if let Some(other) = self.all[number].follows {
                self.all[number].resolved |= self.all[other].resolved;
            }
        }
        let mut report = Report { recoveries: self.recoveries, ..Report::default() };
        let last = self.all.iter().rfind(|error| error.grave && !error.resolved);
        report.unresolved = last.map(|error| Unresolved {
            entry: error.entries[0].clone(),
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
            let entries = group.iter().flat_map(|error| &error.entries).take(MOST_ENTRIES).cloned();
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

fn failed_call(call: &Call, message: &str, model: &Model) -> FailedCall {
    let context = call.path.as_deref().or(call.command.as_deref()).unwrap_or(message);
    FailedCall {
        tool: call.tool.clone(),
        context: one_line(context, CONTEXT_LENGTH),
        model: model.to_string(),
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

/// Returns whether a command had another way ready, `this || that`, and that one worked.
fn has_fallen_back(call: &Call, text: &str) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let mut ways = command.split(" || ").skip(1).filter_map(|way| way.split_whitespace().next());
    let is_way = |way: &str| !matches!(way, ":" | "echo" | "exit" | "printf" | "true");
    ways.any(is_way)
        && !last.starts_with("Command exited with code")
        && !complaint::mentions_failure(last)
}

/// Finds what is not installed: `No module named 'x'`, `bash: x: command not found`.
fn missing(message: &str) -> Option<&str> {
    let module =
        message.split_once("No module named '").and_then(|(_, rest)| rest.split('\'').next());
    module.or_else(|| message.strip_suffix(": command not found")?.rsplit([' ', ':']).next())
}

/// Returns what must have worked for something to work: what runs was built, and what is applied was checked.
fn subsumed(subjects: &[Subject]) -> Vec<Subject> {
    const LATER: [&str; 9] =
        ["apply", "deploy", "flash", "publish", "release", "run", "test", "up", "upload"];
    const EARLIER: [&str; 6] = ["build", "check", "compile", "generate", "plan", "validate"];
    let keys = subjects.iter().filter_map(|subject| match subject {
        Subject::Command(key) => key.rsplit_once(' '),
        _ => None,
    });
    let later = keys.filter(|(_, word)| LATER.contains(word));
    later
        .flat_map(|(program, _)| EARLIER.map(|word| Subject::Command(format!("{program} {word}"))))
        .collect()
}

/// Returns what a later success must be about, knowing which of the programs that a call runs has complained: `ping6: …`.
fn subjects_of_failure(call: &Call, message: &str) -> Vec<Subject> {
    let mut all = subjects(call);
    all.extend(missing(message).map(|name| Subject::Command(format!("install {name}"))));
    let Some((program, _)) = message.split_once(": ") else { return all };
    let is_its = |subject: &&Subject| match subject {
        Subject::Command(key) => {
            let key = key.rsplit(": ").next().unwrap_or(key);
            key.split(' ').next() == Some(program)
        }
        _ => false,
    };
    let its: Vec<Subject> = all.iter().filter(is_its).cloned().collect();
    if its.is_empty() { all } else { its }
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
