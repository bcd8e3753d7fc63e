//! The work that goes on by itself: session files are watched and taken in as they are written, linked, and given to models.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`Daemon`] | that work, in this process, until somebody stops it |
//! | [`Client`] | how other processes of the same user talk to one, over HTTP |
//! | [`bring_up_to_date`] | an open brain, as new as a question needs it, with a daemon or without one |
//! | [`running`] | who holds the data folder, as far as daemons are concerned |
//!
//! The work is done by one thread, the engine, which sleeps until something happens: a session file changes, somebody asks, a
//! unit of work is over, or it is time to look whether an event was missed. It knows nothing of the terminal or of HTTP,
//! and gets the settings from its callers.

mod error;
mod mint;
mod folder;
mod log;
mod status;
mod watch;
mod schedule;
mod calendar;
mod workers;
mod engine;
mod daemon;
mod client;
mod freshness;

pub use client::Client;
pub use daemon::{Daemon, Parts, Refusal};
pub use engine::{Errand, LoadSettings, chain};
pub use error::{DaemonError, Result};
pub use folder::{Announcement, Instance, log_file, running};
pub use freshness::{Freshness, bring_up_to_date};
pub use log::Log;
pub use mint::{SystemMint, now};
pub use status::{Activity, AnalysisStatus, LastRefresh, Status, Told, Trouble, report_as_json};
