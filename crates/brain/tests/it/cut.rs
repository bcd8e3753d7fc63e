//! How sessions are cut into segments, and how those are linked.

mod notation;
mod outlines;
mod boundaries;
mod writers;
mod families;
mod edges;
mod properties;
mod ids;
