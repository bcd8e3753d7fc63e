//! The web page as it was built, and sessions as pages of their own.
//!
//! `web/` is built by Vite into `web/dist`, and what lies there is embedded here: [`file`] gives the files of the page, and
//! [`export`] writes a session into one file that needs nothing else. Without Node there is nothing in that folder; then
//! [`is_built`] says so, and whoever wanted the page says how to get it.

mod export;
mod files;

pub use export::{ExportError, ExportOptions, export};
pub use files::{PageFile, file, is_built};
