//! What the crate promises, seen from outside.

mod branches;
mod compaction;
mod context;
mod damage;
mod exercise;
mod forks;
mod generate;
mod listing;
mod migrate;
mod mint;
mod mishaps;
mod notation;
mod numbers;
mod reading;
mod summary;
mod trees;
mod writer;
