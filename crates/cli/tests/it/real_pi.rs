//! Beside the real pi: the same files read, the same operations written, and turns taken on our files.

mod continuing;
mod reading;
mod writing;
