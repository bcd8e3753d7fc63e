//! A daemon with real files, a real brain and real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod analysing;
mod asking;
mod forest;
mod home;
mod http;
mod sessions;
mod troubles;
mod watching;
