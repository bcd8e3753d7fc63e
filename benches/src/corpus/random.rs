//! Numbers that look random and are the same for the same seed, on every machine.

use super::Style;

/// A xorshift generator. It works on whole numbers only: the last digits of powers and logarithms
/// differ between machines.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
    ids_given: u32,
    style: Style,
}

impl Random {
    pub(crate) fn new(seed: u64, style: Style) -> Self {
        // Seeds are small numbers that share most bits, and the state must not be 0.
        let state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, ids_given: mix(u32::try_from(state >> 32).unwrap_or_default()), style }
    }

    /// Returns what is to be made of the numbers.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// Returns a number from `low` up to, but not including, `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        // The low bits are the least random.
        low + (self.next() >> 11) % (high - low)
    }

    /// Returns a number of that range such that each doubling is about equally likely.
    pub(crate) fn spread(&mut self, low: u64, high: u64) -> u64 {
        let doublings = self.between(0, u64::from((high / low).ilog2()) + 1);
        let from = low << doublings;
        let to = (from * 2).min(high);
        if from < to { self.between(from, to) } else { from }
    }

    /// Returns a size relative to others, distributed as file sizes are: many small, a few very large.
    pub(crate) fn weight(&mut self) -> u64 {
        let doublings = (self.next() >> 54).count_ones();
        self.between(1 << doublings, 2 << doublings)
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.between(0, 100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// Returns a number below `length`.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        let index = self.between(0, length as u64);
        usize::try_from(index).expect("an index into a list in memory")
    }

    /// Returns that many random bits.
    pub(crate) fn bits(&mut self, count: u32) -> u64 {
        self.next() >> (64 - count)
    }

    /// Returns an entry id that looks random and was never given before.
    pub(crate) fn fresh_id(&mut self) -> u32 {
        self.ids_given = self.ids_given.wrapping_add(1);
        mix(self.ids_given)
    }
}

/// Scatters numbers without ever mapping two to one: each step can be undone.
pub(crate) fn mix(mut number: u32) -> u32 {
    number ^= number >> 16;
    number = number.wrapping_mul(0x85eb_ca6b);
    number ^= number >> 13;
    number = number.wrapping_mul(0xc2b2_ae35);
    number ^ number >> 16
}
