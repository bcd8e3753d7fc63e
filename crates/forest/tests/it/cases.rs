//! The edge cases 1 to 55 of the reference, and the rules of its first chapter, one test each.

mod roots;
mod append;
mod split;
mod edit;
mod delete;
mod restore;
mod context;
mod notes;
mod messages;
