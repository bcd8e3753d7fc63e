//! The program as people and scripts use it, and beside the real pi.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod commands;
mod extension;
mod interface;
#[path = "../../../app/tests/it/picture.rs"]
mod picture;
mod real_pi;
mod soak;
mod support;
