//! Measures pi-brain on made-up sessions, beside real pi and beside plain tools.
//!
//! What counts are ratios between contestants of one run; see `docs/benchmarks.md`. [`corpus`] makes the
//! sessions. Reading and listing ([`measure_sessions`]), memory ([`measure_memory`]), growth
//! ([`measure_growth`]), forests ([`measure_forest`]), taking sessions in and searching them ([`measure_ingest`]), and a daemon
//! that has nothing to do ([`measure_daemon`]) are measured by functions that tests call at a tiny size. Nothing here decides whether a figure is good enough.

pub mod corpus;
mod daemon;
mod floors;
mod forest;
mod growth;
mod ingest;
mod memory;
mod pi;
mod race;
mod report;
mod serve;
mod sessions;

pub use daemon::{DaemonFigures, DaemonPlan, Idle, measure_daemon};
pub use forest::{AppendFigures, ForestFigures, ForestSizes, measure_forest};
pub use growth::{GrowthFigures, measure_growth};
pub use ingest::{
    INGEST_COMMAND, IngestFigures, IngestPlan, Ingested, SEARCH_COMMAND, Searched, ingest_watched,
    measure_ingest, search_watched,
};
pub use memory::{MEMORY_COMMAND, MemoryFigures, measure_memory, open_watched};
pub use race::Outcome;
pub use report::{
    report_daemon, report_forest, report_growth, report_ingest, report_memory, report_serving,
    report_sessions,
};
pub use serve::{ServeFigures, ServePlan, measure_serving};
pub use sessions::{SessionFigures, measure_sessions};
