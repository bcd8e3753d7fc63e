//! What the crate promises, seen from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod analysis;
mod checker;
mod cut;
mod diff;
mod node;
mod random;
mod schema;
mod story;
mod version;
