//! The tools that agents are given over MCP, and how agents are told of them.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`Server`] | the tools and resources; it answers whoever speaks the protocol |
//! | [`serve_stdio`] | the same over stdin and stdout, until the other side is gone |
//! | [`Brain`] | which data folder is asked, and from which project |
//! | [`AgentClient`] | a program that can be given the tools: where its settings are, and what has to stand there |
//!
//! Each call opens the brain, takes in what is new (or lets a daemon do so), and gives it back: between two calls
//! nothing is held, so that another process may rebuild the data folder in the meantime.
//!
//! What comes from a session is data. A page holds it on lines of its own that begin with a mark, without
//! secrets and without characters that nobody sees; everything else on it is ours. This crate knows nothing of
//! the terminal, and writes no settings of other programs: it says what they would be.

mod error;
mod brain;
mod page;
mod tools;
mod resources;
mod server;
mod clients;

pub use brain::Brain;
pub use clients::{AgentClient, SERVER_NAME, Scope, ServerCommand};
pub use error::{McpError, Result};
pub use server::{Server, serve_stdio};
