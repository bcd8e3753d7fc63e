//! What the tools do: each takes the arguments of a call and returns a page to read.

mod query;
mod search;
mod node;
mod session;
mod lessons;
mod flag;

pub(crate) use flag::{FlagArguments, flag};
pub(crate) use lessons::{LessonsArguments, lessons};
pub(crate) use node::{NodeArguments, node};
pub(crate) use query::{QueryArguments, query};
pub(crate) use search::{SearchArguments, search};
pub(crate) use session::{SessionArguments, session};

use pi_brain_app::{App, Meant};
use pi_brain_brain::NodeRef;
use pi_brain_session::Millis;

use crate::error::{McpError, Result};

/// Finds the node that an argument means.
fn find_node(app: &App, argument: &str) -> Result<NodeRef> {
    match app.find_node(argument)? {
        Meant::Node(node) => Ok(node),
        Meant::Unknown => Err(McpError::UnknownNode(argument.trim().to_owned())),
        Meant::Several(several) => Err(McpError::AmbiguousNode {
            prefix: argument.trim().to_owned(),
            count: several.len(),
        }),
        Meant::Nothing => Err(McpError::NotANode(argument.trim().to_owned())),
    }
}

/// Says where something stands, as the other tools take it.
fn place(session: Option<&str>, entry: &str, line: Option<u32>, project: &str) -> String {
    let mut place = vec![match session {
        Some(session) => format!("session {session}"),
        None => "the session file is gone".to_owned(),
    }];
    if !entry.is_empty() {
        place.push(format!("entry {entry}"));
    }
    place.extend(line.map(|line| format!("line {line}")));
    if !project.is_empty() {
        place.push(format!("in {project}"));
    }
    place.join(", ")
}

/// Writes the day of a time.
fn day(time: Option<Millis>) -> String {
    let day = |time: Millis| time.to_timestamp().strftime("%Y-%m-%d").to_string();
    time.map_or_else(|| "undated".to_owned(), day)
}

/// So many characters of a path, an id or a name are shown.
const NAME: usize = 300;
