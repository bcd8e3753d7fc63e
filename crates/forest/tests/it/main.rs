//! What the crate promises, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;
mod cases;
mod machine;
mod files;
mod pi;
mod real_pi;
