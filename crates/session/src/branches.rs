//! The branches of a session as a person counts them: ways that a conversation went.

use crate::entry::{Body, Entry};
use crate::log::Log;
use crate::tree::Tree;

/// One way that a conversation went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its last entry.
    pub leaf: usize,
    /// Where it left the others; `None` for a way that starts at a root of its own.
    pub from: Option<usize>,
    /// Its entries after that point, oldest first.
    pub own: Vec<usize>,
}

/// The ways that a conversation went.
///
/// Settings and labels that nothing was said after are no branch: pi writes them side by side. They count
/// to the end of the branch they stand on.
#[derive(Clone, Debug)]
pub struct Branches {
    /// The branches, in the order in which they begin in the file.
    pub list: Vec<Branch>,
    /// The place where pi would continue, if it lies on none of them: somebody went back, and nothing was
    /// said there yet.
    pub silent: Option<Branch>,
    /// The entries at which the conversation went more than one way, in file order.
    pub points: Vec<usize>,
}

impl Branches {
    /// Finds the branches of a session.
    pub fn new(log: &Log, tree: &Tree) -> Self {
        let spoken = spoken_below(log.entries(), tree);
        let list = list_branches(tree, &spoken);
        let ways = |&at: &usize| tree.children(at).iter().filter(|&&child| spoken[child]).count();
        let points = (0..spoken.len()).filter(|at| ways(at) > 1).collect();
        Self { silent: find_silent(tree, &spoken, &list), list, points }
    }

    /// Returns whether the conversation went more than one way after an entry.
    pub fn is_point(&self, at: usize) -> bool {
        self.points.binary_search(&at).is_ok()
    }
}

fn list_branches(tree: &Tree, spoken: &[bool]) -> Vec<Branch> {
    let spoken_children =
        |at: usize| tree.children(at).iter().copied().filter(|&child| spoken[child]);
    let mut open: Vec<usize> = tree.roots().iter().copied().filter(|&root| spoken[root]).collect();
    let mut found = Vec::new();
    while let Some(start) = open.pop() {
        let mut own = vec![start];
        let mut at = start;
        loop {
            let mut next = spoken_children(at);
            match (next.next(), next.next()) {
                (Some(only), None) => at = only,
                (Some(_), Some(_)) => {
                    open.extend(spoken_children(at));
                    break;
                }
                (None, _) => match tree.children(at).last() {
                    Some(&silent) => at = silent,
                    None => break,
                },
            }
            own.push(at);
        }
        let ends = tree.children(at).is_empty();
        if ends {
            found.push(Branch { leaf: at, from: tree.parent(start), own });
        }
    }
    found.sort_by_key(|branch| branch.own[0]);
    found
}

fn find_silent(tree: &Tree, spoken: &[bool], list: &[Branch]) -> Option<Branch> {
    let leaf = tree.leaf().filter(|&leaf| tree.children(leaf).is_empty() && !spoken[leaf])?;
    if list.iter().any(|branch| branch.leaf == leaf) {
        return None;
    }
    let path = std::iter::successors(Some(leaf), |&at| tree.parent(at));
    let mut own: Vec<usize> = path.take_while(|&at| !spoken[at]).collect();
    own.reverse();
    Some(Branch { leaf, from: tree.parent(own[0]), own })
}

/// Says of each entry whether it, or anything below it, is part of a conversation.
fn spoken_below(entries: &[Entry], tree: &Tree) -> Vec<bool> {
    let mut spoken: Vec<bool> = entries.iter().map(speaks).collect();
    let mut order = tree.roots().to_vec();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        order.extend(tree.children(at));
        next += 1;
    }
    for &at in order.iter().rev() {
        if let Some(parent) = tree.parent(at).filter(|_| spoken[at]) {
            spoken[parent] = true;
        }
    }
    spoken
}

fn speaks(entry: &Entry) -> bool {
    matches!(
        entry.body,
        Body::Message(_)
            | Body::CustomMessage { .. }
            | Body::BranchSummary { .. }
            | Body::Compaction { .. }
    )
}
