//! The commands, one module each.

pub(crate) mod analyze;
pub(crate) mod ask;
pub(crate) mod backup;
pub(crate) mod brain_stats;
pub(crate) mod branch;
pub(crate) mod branches;
pub(crate) mod brief;
pub(crate) mod compact;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod decisions;
pub(crate) mod cost;
pub(crate) mod daemon;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod dump;
pub(crate) mod edges;
pub(crate) mod errors;
pub(crate) mod export;
pub(crate) mod family;
pub(crate) mod file;
pub(crate) mod forest;
pub(crate) mod forget;
pub(crate) mod fork;
pub(crate) mod graph;
pub(crate) mod ingest;
pub(crate) mod install;
pub(crate) mod label;
pub(crate) mod lessons;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod name;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod overview;
pub(crate) mod patterns;
pub(crate) mod projects;
pub(crate) mod quirks;
pub(crate) mod rebuild;
pub(crate) mod redact;
pub(crate) mod related;
pub(crate) mod search;
pub(crate) mod session_export;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod stats;
mod summary;
pub(crate) mod tags;
pub(crate) mod tree;
pub(crate) mod up;
mod drawing;
mod listing;
mod transcript;
mod unit;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

/// Prints a value as JSON for programs.
fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// Prints a line for people; a reader that went away is an error that ends the program quietly.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(anstream::stdout(), $($text)*).map_err(anyhow::Error::from)
    }};
}
use say;
