//! Full-text search over messages and nodes.
//!
//! A [`SearchIndex`] on disk and a [`HotTail`] of what is not committed yet are [searched](search()) together with a
//! [`Query`]. Neither keeps any text: [`entry_text`] says which words of a session entry count, for the index as well as
//! for a [`snippet()`] of text that the caller reads back from the session file. The index knows which words of a tool's
//! output are there but not where, so for phrases it has the caller [read](Details) the few outputs that may hold them. What
//! the index leaves out, [`deep_search`] finds in the files themselves.
//!
//! This crate knows tokens, ranking and the query language. It does not know databases, and of nodes no more than their
//! words; time and settings are given by the caller.

mod tokens;
mod document;
mod query;
mod schema;
mod snapshot;
mod index;
mod tail;
mod plan;
mod rank;
mod matching;
mod confirm;
mod search;
mod words;
mod snippet;
mod deep;
mod error;

pub use confirm::Details;
pub use deep::{DeepHit, DeepHits, deep_search};
pub use document::{Document, EntryText, Extent, Key, MessageKey, Speaker, entry_text};
pub use error::SearchError;
pub use index::{SearchIndex, SearchWriter};
pub use query::{DocumentKind, Filters, Query};
pub use search::{Hit, Hits, Request, search};
pub use snippet::{Snippet, snippet};
pub use tail::HotTail;
pub use words::{WordCounts, count_words};
