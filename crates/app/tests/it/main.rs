//! What taking sessions in promises, on made-up sessions in real folders.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod world;
mod picture;
mod brain;
mod sameness;
#[path = "../../../forest/tests/it/pi/picture.rs"]
mod forest_picture;
mod reading;
mod rebuilding;
mod numbers;
mod links;
mod tail;
mod fresh;
mod processes;
mod analysis;
mod answering;
