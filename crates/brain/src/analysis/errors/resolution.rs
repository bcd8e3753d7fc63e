//! What puts an error right.

use super::complaint;
use super::same::{gist, masked};
use super::subject::Subject;
use super::trouble::{self, Views};
use super::{CONTEXT_LENGTH, Errors, Observed};
use crate::analysis::command;
use crate::analysis::heard::Call;
use crate::line::one_line;

/// Signs of a command that works only because it no longer minds what failed.
const IGNORING: [&str; 14] = [
    "--force",
    "--legacy-peer-deps",
    "--no-verify",
    "--no-default-features",
    "--ignore-",
    "--skip",
    "--exclude",
    "--deselect",
    "#[ignore",
    // What only says what it would do has not done it.
    "--dry-run",
    "--estimate",
    "--explain",
    "--help",
    "--version",
];

impl Errors {
    /// Resolves what failed before if the same try, changed, now fails with something else: it got further. What the user
    /// said in between may have led elsewhere, and what does not even compile does not show that the rest would work. Where
    /// no file was changed another way was tried, and how that ended tells whether the first was overcome. What was
    /// missing is there by now, wherever it came from.
    pub(super) fn resolve_what_is_passed(&mut self, subjects: &[Subject], call: &Call, text: &str) {
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
                if error.changes != self.changes
                    || error.is_of_compiler && !is_of_compiler
                    || complaint::misses_something(&error.message)
                {
                    error.resolved = true;
                } else {
                    error.follows = Some(next);
                }
            }
        }
    }

    /// Finds trouble that was seen in a log or a state, and which a run now shows: by its sign, or since a log says the same.
    pub(super) fn take_observed(&mut self, text: &str, message: &str) -> Option<usize> {
        const ENOUGH: usize = 12;
        if self.observed.is_empty() {
            return None;
        }
        let lower = text.to_ascii_lowercase();
        let says = masked(gist(message));
        let says_so = |observed: &Observed| {
            says.len() >= ENOUGH && masked(&self.all[observed.number].message).contains(&says)
        };
        let at = self
            .observed
            .iter()
            .rposition(|observed| lower.contains(&observed.sign) || says_so(observed))?;
        Some(self.observed.remove(at).number)
    }

    /// Resolves what was seen, if it is looked at again after something was done, or if something that runs is content after
    /// files were changed.
    pub(super) fn resolve_observed(&mut self, call: &Call) {
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
    pub(super) fn ignores_failure(&self, subjects: &[Subject], call: &Call) -> bool {
        let command = call.command.as_deref().unwrap_or_default();
        let open = || subjects.iter().filter_map(|subject| self.open.get(subject)).flatten();
        let failed = || open().filter_map(|number| self.all[*number].call.as_ref());
        let is_new = |sign: &str| failed().any(|call| !call.context.contains(sign));
        let is_undone = self.undone == Some(self.changes) && open().next().is_some();
        IGNORING.iter().any(|sign| command.contains(sign) && is_new(sign))
            || command::throws_away(command)
            || is_undone
    }

    /// Resolves the last error if files were changed for it, and what was run next was content: a repair need not be shown
    /// by the very command that failed. What the user said in between may have led elsewhere.
    pub(super) fn resolve_repaired(&mut self, call: &Call) {
        let command = call.command.as_deref().unwrap_or_default();
        let runs = call.command.is_some() && !call.only_looks() && !command::only_keeps(command);
        if !runs || self.undone == Some(self.changes) {
            return;
        }
        let Some(last) = self.all.last_mut() else { return };
        if (last.changes < self.changes || command.contains("sed -i"))
            && last.requests == self.requests
            && last.call.as_ref().is_some_and(|call| !command::asks_service(&call.context))
        {
            last.resolved = true;
        }
    }

    /// Resolves that a file could not be read if it was found elsewhere, or written.
    pub(super) fn resolve_missing(&mut self, call: &Call) {
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

    pub(super) fn resolve(&mut self, subjects: &[Subject]) {
        for number in subjects.iter().filter_map(|subject| self.open.remove(subject)).flatten() {
            self.all[number].resolved = true;
        }
    }
}
