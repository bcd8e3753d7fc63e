//! The ways that a conversation went.

use std::io;

use pi_brain_session::{Branch, Branches, Session, Tree};
use schemars::JsonSchema;
use serde::Serialize;

use crate::gist::Gist;

/// A way that a conversation went, to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchView {
    /// The entry at its end.
    pub leaf_id: Option<String>,
    /// The entry after which it is a way of its own; none where it begins the session.
    pub from_id: Option<String>,
    /// How many entries only it has.
    pub entry_count: usize,
    /// When the last of them was written.
    pub last_timestamp: Option<String>,
    /// How it begins: the first thing that was said on it, by a person if possible.
    pub first_words: Option<String>,
    /// Whether pi would go on here.
    pub is_current: bool,
}

/// Returns the ways that a conversation went, with the one on which nothing was said yet at the end.
pub fn branch_views(session: &Session, tree: &Tree) -> io::Result<Vec<BranchView>> {
    let Branches { list, silent, .. } = Branches::new(session.log(), tree);
    let current = tree.leaf();
    list.iter().chain(&silent).map(|branch| BranchView::new(session, branch, current)).collect()
}

impl BranchView {
    /// Describes a branch; `current` is the entry after which pi would go on.
    fn new(session: &Session, branch: &Branch, current: Option<usize>) -> io::Result<Self> {
        let entries = session.log().entries();
        let id = |at: usize| entries[at].id.as_ref().map(ToString::to_string);
        let last = branch.own.iter().filter_map(|&at| entries[at].timestamp).max();
        Ok(Self {
            leaf_id: id(branch.leaf),
            from_id: branch.from.and_then(id),
            entry_count: branch.own.len(),
            last_timestamp: last.map(|time| time.to_string()),
            first_words: first_words(session, branch)?,
            is_current: current.is_some_and(|leaf| branch.own.contains(&leaf)),
        })
    }
}

fn first_words(session: &Session, branch: &Branch) -> io::Result<Option<String>> {
    const SILENT: &[&str] =
        &["model", "thinking", "label", "name", "system", "custom", "usage", "edit"];
    let mut first = None;
    for &at in &branch.own {
        let gist = Gist::of(session, at)?;
        if gist.who == "user" {
            return Ok(Some(gist.words));
        }
        if first.is_none() && !SILENT.contains(&gist.who) {
            first = Some(gist.words).filter(|words| !words.is_empty());
        }
    }
    Ok(first)
}
