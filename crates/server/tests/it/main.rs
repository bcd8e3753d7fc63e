//! A daemon with real files, a real brain and real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod analysing;
mod asking;
mod home;
mod troubles;
mod watching;
