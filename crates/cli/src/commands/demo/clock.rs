//! The clock and the dice of a story, in place of those of the machine.

use std::cell::Cell;
use std::rc::Rc;

use pi_brain_session::{Millis, Mint};

/// The clock and the dice of a story: the same at each telling.
///
/// Clones share one state, for the writer owns its mint and the teller moves the clock.
#[derive(Clone)]
pub(super) struct StoryMint {
    time: Rc<Cell<Millis>>,
    dice: Rc<Cell<u64>>,
}

impl StoryMint {
    /// Each story has dice of its own, so that a new one leaves the ids of all others as they are.
    pub(super) fn new(name: &str, start: Millis) -> Self {
        let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
        let mint = Self { time: Rc::new(Cell::new(start)), dice: Rc::new(Cell::new(seed)) };
        mint.wait(0, 60_000);
        mint
    }

    pub(super) fn time(&self) -> Millis {
        self.time.get()
    }

    /// Lets some time pass, from `least` to `most` milliseconds.
    pub(super) fn wait(&self, least: i64, most: i64) {
        let range = u64::try_from(most - least).unwrap_or(0).max(1);
        let extra = i64::try_from(self.roll() % range).unwrap_or(0);
        self.time.set(Millis(self.time().0 + least + extra));
    }

    pub(super) fn go_to(&self, time: Millis) -> anyhow::Result<()> {
        anyhow::ensure!(time > self.time(), "the story is already at {}", self.time());
        self.time.set(time);
        self.wait(0, 60_000);
        Ok(())
    }

    /// Makes an id as providers give them out.
    pub(super) fn id(&self, prefix: &str) -> String {
        const DIGITS: &[u8] = b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
        let digit =
            |_| char::from(DIGITS[usize::try_from(self.roll() >> 40).unwrap_or(0) % DIGITS.len()]);
        prefix.chars().chain((0..22).map(digit)).collect()
    }

    /// Splitmix64.
    fn roll(&self) -> u64 {
        let state = self.dice.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.dice.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Mint for StoryMint {
    fn now(&mut self) -> Millis {
        self.time()
    }

    fn random(&mut self) -> u128 {
        u128::from(self.roll()) << 64 | u128::from(self.roll())
    }
}
