//! What the store promises, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod families;
mod knowledge;
mod lists;
mod migrations;
