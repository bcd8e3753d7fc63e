//! Answers over HTTP and WebSocket what the brain knows, to those who may ask.
//!
//! [`run`] is a daemon with its door: it starts the work of `pi-brain-daemon` and answers beside it until somebody stops it.
//! Inside, a request passes `connections` (how long it may take), `guard` (who may ask), `observe` (what is counted of it), and
//! one of the `routes`; what these need of the brain is done by one of a few open `brains`, so that nothing stalls
//! the rest. `api` is how a question is declared once for its route and for its description in `openapi`.

mod error;
mod failure;
mod neighbours;
mod guard;
mod params;
mod said;
mod openapi;
mod brains;
mod desk;
mod observe;
mod download;
mod api;
mod routes;
mod sockets;
mod connections;
mod run;

pub use brains::ReadSettings;
pub use error::{Result, ServerError};
pub use run::{Options, run};
