//! A clock and a source of numbers that say the same in every run.

use std::cell::Cell;
use std::rc::Rc;

use pi_brain_session::{Millis, Mint};

/// Clones share one clock, so that a writer can hand over to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestMint {
    ticks: Rc<Cell<u32>>,
    /// How many different ids of eight digits come; no limit if 0.
    short_ids: u32,
}

impl TestMint {
    /// Makes a mint that soon repeats itself, so that ids collide.
    pub(crate) fn with_collisions(short_ids: u32) -> Self {
        Self { short_ids, ..Self::default() }
    }

    fn tick(&self) -> u32 {
        self.ticks.set(self.ticks.get() + 1);
        self.ticks.get()
    }
}

impl Mint for TestMint {
    fn now(&mut self) -> Millis {
        Millis(1_767_225_600_000 + i64::from(self.tick()))
    }

    fn random(&mut self) -> u128 {
        let tick = self.tick();
        let short = tick.checked_rem(self.short_ids).unwrap_or(tick);
        u128::from(short) << 96 | u128::from(tick) << 48
    }
}
