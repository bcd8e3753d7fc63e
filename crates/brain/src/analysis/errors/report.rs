//! All errors of a segment, equal ones as one.

use std::collections::{BTreeMap, HashMap};

use super::{Errors, Occurrence, Recovery};
use crate::node::{ErrorSummary, ToolError};

/// So many different errors are listed, the latest ones; more would tell nothing more.
const MOST_ERRORS: usize = 100;
/// So many entries are named for each.
const MOST_ENTRIES: usize = 5;
/// An error that was there at the end.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Unresolved {
    pub(in crate::analysis) entry: String,
    pub(in crate::analysis) category: String,
    pub(in crate::analysis) message: String,
}

/// All errors of a segment, equal ones as one.
#[derive(Debug, Default)]
pub(in crate::analysis) struct Report {
    pub(in crate::analysis) seen: Vec<ErrorSummary>,
    pub(in crate::analysis) tool_errors: Vec<ToolError>,
    pub(in crate::analysis) evidence: BTreeMap<String, Vec<String>>,
    /// The last grave error that nothing put right.
    pub(in crate::analysis) unresolved: Option<Unresolved>,
    pub(in crate::analysis) recoveries: Vec<Recovery>,
    /// How often each of the tool errors came up.
    pub(in crate::analysis) counts: Vec<u64>,
}

impl Errors {
    /// Says at the end what went wrong, and whether it was put right.
    pub(in crate::analysis) fn finish(mut self) -> Report {
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
