//! The tools as a client of the protocol sees them, over sessions in a real data folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod world;
mod protocol;
mod tools;
mod hostile;
