//! What a family cost: every response once, however many files tell of it.

use std::cmp::Ordering;
use std::collections::HashMap;

use pi_brain_session::{Millis, Usage};

use crate::error::Result;
use crate::forest::Forest;
use crate::ids::{Place, RootId};
use crate::sessions::{EntryKind, EntryRecord, EventId};
use crate::store::Store;

/// Tokens and cost of all sessions of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FamilyCost {
    /// Every event once.
    pub honest: Usage,
    /// Every line of every file, as somebody gets who adds up the files.
    pub naive: Usage,
    /// How many events spent something.
    pub events: usize,
    /// How many lines tell of them.
    pub lines: usize,
}

impl<S: Store> Forest<S> {
    /// Adds up what the sessions in a tree have spent.
    ///
    /// Two lines tell of the same event if they have the response's id, or the entry's id and time, or the place,
    /// the kind and the message's time in common.
    pub fn family_cost(&self, root: RootId) -> Result<FamilyCost> {
        let root = self.root(root)?.id;
        let sessions = self.store.sessions()?;
        let members = sessions.iter().filter(|record| record.root == root);
        let mut events = Events::default();
        for entry in members.flat_map(|record| &record.entries) {
            if let Some(usage) = &entry.usage {
                events.add(entry, **usage);
            }
        }
        Ok(events.total())
    }
}

/// What two lines can have in common.
#[derive(PartialEq, Eq, Hash)]
enum Trait {
    Response(EventId),
    Entry(EventId),
    Moment(Place, bool, EntryKind, Millis),
}

/// Lines, gathered into events as they come.
#[derive(Default)]
struct Events {
    usages: Vec<Usage>,
    /// For each line another of the same event, or itself.
    links: Vec<usize>,
    by_trait: HashMap<Trait, usize>,
}

impl Events {
    fn add(&mut self, entry: &EntryRecord, usage: Usage) {
        let line = self.usages.len();
        self.usages.push(usage);
        self.links.push(line);
        let traits = [
            entry.response.map(Trait::Response),
            entry.event.map(Trait::Entry),
            entry.time.map(|time| Trait::Moment(entry.place, entry.own, entry.kind, time)),
        ];
        for shared in traits.into_iter().flatten() {
            let other = *self.by_trait.entry(shared).or_insert(line);
            let (one, other) = (self.event_of(line), self.event_of(other));
            self.links[one.max(other)] = one.min(other);
        }
    }

    /// Returns the first line of the event that a line tells of, and shortens the way there.
    fn event_of(&mut self, line: usize) -> usize {
        let mut first = line;
        while self.links[first] != first {
            first = self.links[first];
        }
        let mut at = line;
        while self.links[at] != first {
            at = std::mem::replace(&mut self.links[at], first);
        }
        first
    }

    fn total(mut self) -> FamilyCost {
        let mut events: HashMap<usize, Usage> = HashMap::new();
        for line in 0..self.usages.len() {
            let (event, usage) = (self.event_of(line), self.usages[line]);
            let known = events.entry(event).or_insert(usage);
            // Copies agree; where one was tampered with, the order of imports must not decide.
            if by_amount(known, &usage).is_lt() {
                *known = usage;
            }
        }
        FamilyCost {
            events: events.len(),
            lines: self.usages.len(),
            honest: sum(events.into_values().collect()),
            naive: sum(self.usages),
        }
    }
}

/// Adds up in an order that depends on the amounts alone: sums of fractions depend on their order.
fn sum(mut usages: Vec<Usage>) -> Usage {
    usages.sort_by(by_amount);
    let mut sum = Usage::default();
    for usage in usages {
        sum += usage;
    }
    sum
}

fn by_amount(one: &Usage, other: &Usage) -> Ordering {
    let tokens = |usage: &Usage| {
        (usage.total_tokens, usage.input, usage.output, usage.cache_read, usage.cache_write)
    };
    one.cost.total_cmp(&other.cost).then_with(|| tokens(one).cmp(&tokens(other)))
}
