//! What happened in a family, and what it cost: every event once, however many files tell of it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use pi_brain_session::Usage;

use crate::error::Result;
use crate::forest::Forest;
use crate::ids::{Place, RootId};
use crate::sessions::{EntryKind, EntryRecord, SessionNo, SessionRecord};
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

/// Which lines of a family tell of the same event, and what each event spent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FamilyEvents {
    /// The sessions of the family, by number; for each of its entries, the event that it tells of.
    pub sessions: Vec<(SessionNo, Vec<u32>)>,
    /// What each event spent, if anything.
    pub spent: Vec<Option<Usage>>,
}

impl<S: Store> Forest<S> {
    /// Adds up what the sessions in a tree have spent.
    pub fn family_cost(&self, root: RootId) -> Result<FamilyCost> {
        let root = self.root(root)?.id;
        let members = self.store.members(root)?;
        let usages = || members.iter().flat_map(|record| &record.entries);
        let naive: Vec<Usage> =
            usages().filter_map(|entry| entry.usage.as_deref().copied()).collect();
        let spent = FamilyEvents::of(&members).spent;
        let honest: Vec<Usage> = spent.into_iter().flatten().collect();
        Ok(FamilyCost {
            events: honest.len(),
            lines: naive.len(),
            honest: sum(honest),
            naive: sum(naive),
        })
    }
}

impl FamilyEvents {
    /// Finds out which lines of a family tell of the same event.
    ///
    /// Two lines do if they have the response's id, or the entry's id and time, or the place, the kind and the
    /// message's time in common.
    pub fn of(members: &[Arc<SessionRecord>]) -> Self {
        let mut lines = Lines::default();
        for entry in members.iter().flat_map(|record| &record.entries) {
            lines.add(entry);
        }
        let mut numbers: HashMap<u32, u32, Digested> = HashMap::default();
        let mut spent: Vec<Option<Usage>> = Vec::new();
        let mut line = 0;
        let mut sessions = Vec::with_capacity(members.len());
        for record in members {
            let mut events = Vec::with_capacity(record.entries.len());
            for entry in &record.entries {
                let event = *numbers.entry(lines.first_of(line)).or_insert_with(|| {
                    spent.push(None);
                    u32::try_from(spent.len() - 1).unwrap_or(u32::MAX)
                });
                let known = &mut spent[event as usize];
                // Copies agree; where one was tampered with, the order of imports must not decide.
                if let Some(usage) = entry.usage.as_deref()
                    && known.as_ref().is_none_or(|known| by_amount(known, usage).is_lt())
                {
                    *known = Some(*usage);
                }
                events.push(event);
                line += 1;
            }
            sessions.push((record.no, events));
        }
        Self { sessions, spent }
    }
}

/// Lines, gathered into events as they come.
#[derive(Default)]
struct Lines {
    /// For each line another of the same event, or itself.
    links: Vec<u32>,
    /// The first line that has something about it, by a digest of that.
    first_with: HashMap<u64, u32, Digested>,
}

impl Lines {
    fn add(&mut self, entry: &EntryRecord) {
        let line = u32::try_from(self.links.len()).unwrap_or(u32::MAX);
        self.links.push(line);
        // Settings are written side by side, in one place and at one time: they are not one event.
        let is_one = entry.own || entry.usage.is_some() || entry.kind == EntryKind::Usage;
        let traits = [
            entry.response.map(|response| mix(1, response.0)),
            entry.event.map(|event| event.0),
            entry.time.filter(|_| is_one).map(|time| moment(entry, time.0)),
        ];
        for shared in traits.into_iter().flatten() {
            let other = *self.first_with.entry(shared).or_insert(line);
            let (one, other) = (self.first_of(line), self.first_of(other));
            self.links[one.max(other) as usize] = one.min(other);
        }
    }

    /// Returns the first line of the event that a line tells of, and shortens the way there.
    fn first_of(&mut self, line: u32) -> u32 {
        let mut first = line;
        while self.links[first as usize] != first {
            first = self.links[first as usize];
        }
        let mut at = line;
        while self.links[at as usize] != first {
            at = std::mem::replace(&mut self.links[at as usize], first);
        }
        first
    }
}

/// Returns a digest of where and when something was said.
fn moment(entry: &EntryRecord, time: i64) -> u64 {
    let place = match entry.place {
        Place::Root(_) => 0,
        Place::Node(node) => u64::from(node.number) + 1,
    };
    let kind = entry.kind as u64 * 2 + u64::from(entry.own);
    mix(mix(2 + kind, place), time.cast_unsigned())
}

/// Mixes a number into a digest, so that every bit of either changes half the bits of the result.
fn mix(digest: u64, number: u64) -> u64 {
    let mut mixed = (digest.rotate_left(32) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Hashes what is a digest already.
type Digested = BuildHasherDefault<Identity>;

#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = mix(0, number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
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
