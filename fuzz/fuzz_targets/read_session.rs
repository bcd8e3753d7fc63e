//! Reads any bytes as a session and asks everything that can be asked of it.
//!
//! Run with `cargo +nightly fuzz run read_session fuzz/corpus/read_session fuzz/seeds`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/session/tests/it/exercise.rs"]
mod exercise;

fuzz_target!(|bytes: &[u8]| {
    exercise::exercise(bytes, cut(bytes));
});

/// Chooses where the bytes are cut for reading them in two; any change of them moves it.
fn cut(bytes: &[u8]) -> usize {
    let mix = |sum: usize, &byte: &u8| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
    bytes.iter().fold(7, mix) % (bytes.len() + 1)
}
