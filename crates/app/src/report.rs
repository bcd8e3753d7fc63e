//! What taking sessions in has done.

use pi_brain_brain::NodeRef;
use serde::Serialize;

/// What taking sessions in has done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// How many session files there are.
    pub found: usize,
    /// How many files were read.
    pub files: usize,
    /// How many bytes of them were new.
    pub bytes: u64,
    /// How many entries were new.
    pub entries: usize,
    /// How many messages were new.
    pub messages: usize,
    /// The new versions of nodes.
    pub versions: Vec<NodeRef>,
    /// How many edges the families have that were looked at.
    pub edges: usize,
    /// How many things are odd about lines that were read.
    pub problems: usize,
    /// Files that could not be read, and why.
    pub unreadable: Vec<(String, String)>,
    /// How many files are gone.
    pub gone: usize,
}
