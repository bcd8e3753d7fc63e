//! A daemon with real files, a real brain and real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod analysing;
mod api;
mod asking;
mod attacks;
mod forest;
mod home;
mod http;
mod page;
mod people;
mod sessions;
mod sockets;
mod system;
mod troubles;
mod watching;
