//! What the crate promises, seen from outside.

mod branches;
mod compaction;
mod context;
mod damage;
mod exercise;
mod generate;
mod notation;
mod reading;
mod trees;
