//! The process that watches session files, takes them in as they are written, and says over loopback HTTP how that goes.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`run`] | the daemon itself, until somebody stops it |
//! | [`Client`] | how other processes of the same user talk to it |
//! | [`bring_up_to_date`] | an open brain, as new as a question needs it, with a daemon or without one |
//! | [`running`] | who holds the data folder, as far as daemons are concerned |
//!
//! The work is done by one thread, the engine, which sleeps until something happens: a session file changes, somebody asks, a
//! unit of work is over, or it is time to look whether an event was missed. HTTP runs beside it and never touches the
//! brain. It knows nothing of the terminal, and gets the settings from its callers.

mod error;
mod folder;
mod log;
mod status;
mod watch;
mod schedule;
mod calendar;
mod workers;
mod engine;
mod guard;
mod http;
mod client;
mod freshness;
mod run;

pub use client::Client;
pub use error::{DaemonError, Result};
pub use folder::{Announcement, log_file, running};
pub use freshness::{Freshness, bring_up_to_date};
pub use run::{Options, run};
pub use status::{Activity, AnalysisStatus, LastRefresh, Status, Trouble};
