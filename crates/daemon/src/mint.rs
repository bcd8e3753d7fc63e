//! The clock and the dice of this machine.

use pi_brain_session::{Millis, Mint};
use uuid::Uuid;

/// Gives out the system's time and random numbers.
#[derive(Clone, Copy, Debug)]
pub struct SystemMint;

impl Mint for SystemMint {
    fn now(&mut self) -> Millis {
        now()
    }

    fn random(&mut self) -> u128 {
        // Six bits of a version 4 UUID are fixed, and none of them among the first 32.
        Uuid::new_v4().as_u128()
    }
}

/// Returns the present time.
pub fn now() -> Millis {
    jiff::Timestamp::now().into()
}
