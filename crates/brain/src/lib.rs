//! Units of work.
