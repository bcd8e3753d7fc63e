//! Which tools were called, and which call a result belongs to.

use std::collections::{BTreeMap, BTreeSet};

use super::command;
use super::heard::Call;

/// So many different tools and programs are listed; a real session has a dozen.
const MOST: usize = 1000;

/// Counts calls and keeps those that wait for their result.
#[derive(Debug, Default)]
pub(super) struct Calls {
    order: Vec<String>,
    counts: BTreeMap<String, u64>,
    programs: BTreeSet<String>,
    waiting: BTreeMap<String, Call>,
}

impl Calls {
    pub(super) fn made(&mut self, call: Call) {
        if call.tool.is_empty() {
            return;
        }
        if let Some(count) = self.counts.get_mut(&call.tool) {
            *count += 1;
        } else if self.order.len() < MOST {
            self.order.push(call.tool.clone());
            self.counts.insert(call.tool.clone(), 1);
        }
        if self.programs.len() < MOST {
            let programs = call.command.iter().flat_map(|command| command::programs(command));
            self.programs.extend(programs);
        }
        if let Some(id) = call.id.clone() {
            self.waiting.insert(id, call);
        }
    }

    /// Returns the call that a result is for; where it is not known, one of the result's tool.
    pub(super) fn answered(&mut self, id: Option<&str>, tool: Option<&str>) -> Call {
        let unknown = || Call { tool: tool.unwrap_or_default().to_owned(), ..Call::default() };
        id.and_then(|id| self.waiting.remove(id)).unwrap_or_else(unknown)
    }

    pub(super) fn unanswered(&self) -> impl Iterator<Item = &Call> {
        self.waiting.values()
    }

    /// Returns the tools in the order of their first use.
    pub(super) fn in_order(&self) -> &[String] {
        &self.order
    }

    pub(super) fn count(&self, tool: &str) -> u64 {
        self.counts.get(tool).copied().unwrap_or_default()
    }

    /// Returns the programs that commands ran.
    pub(super) fn programs(&self) -> &BTreeSet<String> {
        &self.programs
    }

    pub(super) fn into_counts(self) -> BTreeMap<String, u64> {
        self.counts
    }
}
