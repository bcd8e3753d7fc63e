//! The program as people and scripts use it, and beside the real pi.

mod commands;
mod real_pi;
mod support;
