//! Search as callers see it: an index in a folder, a hot tail, real session files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod common;
mod deep;
mod finding;
mod index;
mod ranking;
mod tail;
