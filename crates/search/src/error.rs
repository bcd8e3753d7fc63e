//! What can go wrong.

use std::path::PathBuf;

/// Why an index, a query or a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query holds a date that is none.
    #[error(
        "{name}:{value} is no date; write a day (2026-01-31), a month (2026-01), a year (2026), today, yesterday, \
         or how long ago (6h, 3d, 2w, 1mo, 1y)"
    )]
    BadDate {
        /// `before` or `after`.
        name: &'static str,
        /// What was written instead of a date.
        value: String,
    },
    /// The query holds a filter that knows only a few values, and another value.
    #[error("{name}:{value} is not known; write one of {accepted}")]
    BadValue {
        /// The filter.
        name: &'static str,
        /// What was written.
        value: String,
        /// What may be written.
        accepted: &'static str,
    },
    /// Another process writes to the index.
    #[error("another process is writing to the search index {}; wait until it is done", folder.display())]
    Busy {
        /// Where the index lies.
        folder: PathBuf,
    },
    /// The folder of the index could not be made or emptied.
    #[error("could not prepare the folder of the search index {}", folder.display())]
    Folder {
        /// Where the index lies.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The index could not be read or written.
    #[error("the search index failed")]
    Index(#[from] tantivy::TantivyError),
}
