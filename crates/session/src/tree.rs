//! Entries into a tree: who follows whom, where the branches are, which entry is the leaf.
//!
//! Nothing here recurses: a chat of 100,000 turns is a tree of that depth.

use std::collections::HashMap;

use crate::entry::{Body, Entry, EntryId, Parent};
use crate::log::Log;
use crate::problem::{Problem, ProblemKind};

/// How to read a file whose lines contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As pi reads it: of several entries with one id only the last exists.
    AsPi,
    /// Every line has its own place, and what an accident cut off is put back where it belongs.
    Repaired,
}

/// The shape of a session. Entries are named by their position in [`Log::entries`].
///
/// Cycles are cut in both views, because pi itself never comes back from one.
#[derive(Clone, Debug)]
pub struct Tree {
    by_id: HashMap<EntryId, usize>,
    parents: Vec<Option<usize>>,
    children: Children,
    roots: Vec<usize>,
    leaf: Option<usize>,
    echoes: Vec<usize>,
    problems: Vec<Problem>,
}

impl Tree {
    /// Links the entries of a log.
    pub fn new(log: &Log, view: View) -> Self {
        let entries = log.entries();
        let mut problems = Vec::new();
        let by_id = index_ids(entries, &mut problems);
        let forked = log.header().parent_session.is_some();
        let linked = match view {
            View::AsPi => link_as_pi(entries, &by_id, &mut problems),
            View::Repaired => link_repaired(entries, forked, &mut problems),
        };
        let parents = cut_cycles(linked, entries, &mut problems);
        let is_echo = |at: &usize| match (view, &entries[*at].id) {
            (View::AsPi, Some(id)) => by_id[id] != *at,
            _ => false,
        };
        let (echoes, placed): (Vec<usize>, Vec<usize>) = (0..entries.len()).partition(is_echo);
        let roots = placed.iter().copied().filter(|&at| parents[at].is_none()).collect();
        let children = Children::new(entries, &parents, &placed);
        problems.sort_by_key(|problem| problem.line);
        let leaf = entries.len().checked_sub(1);
        Self { by_id, parents, children, roots, leaf, echoes, problems }
    }

    /// Returns what is wrong between the lines: repeated ids, missing parents, circles.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Finds an entry by its id; where an id is repeated, the last one counts, as in pi.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Returns the entry that the next one would follow: the last line of the file, whatever it is.
    pub fn leaf(&self) -> Option<usize> {
        self.leaf
    }

    /// Returns the entries without parent, in file order.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Returns the entries that are not in the tree because a later one has their id.
    ///
    /// Only [`View::AsPi`] has any. pi shows the later entry once more in the place of each.
    pub fn echoes(&self) -> &[usize] {
        &self.echoes
    }

    /// Returns the parent of an entry.
    pub fn parent(&self, at: usize) -> Option<usize> {
        self.parents[at]
    }

    /// Returns the entries that follow one, oldest first.
    pub fn children(&self, at: usize) -> &[usize] {
        self.children.of(at)
    }

    /// Returns the path that leads to an entry, root first.
    pub fn branch(&self, to: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(Some(to), |&at| self.parents[at]).collect();
        path.reverse();
        path
    }

    /// Returns the entries that nothing follows, in file order.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        let childless = |&at: &usize| self.children(at).is_empty();
        (0..self.parents.len())
            .filter(childless)
            .filter(|at| self.echoes.binary_search(at).is_err())
    }

    /// Returns how far each entry is from its root.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.parents.len()];
        let mut open: Vec<usize> = self.roots.clone();
        while let Some(at) = open.pop() {
            for &child in self.children(at) {
                depths[child] = depths[at] + 1;
                open.push(child);
            }
        }
        depths
    }

    /// Returns the deepest entry that lies on the paths to both; `None` if they share no root.
    pub fn common_ancestor(&self, one: usize, other: usize) -> Option<usize> {
        let on_path: std::collections::HashSet<usize> = self.branch(one).into_iter().collect();
        std::iter::successors(Some(other), |&at| self.parents[at]).find(|at| on_path.contains(at))
    }
}

/// What somebody means who names an entry by its id, the beginning of one, or a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryMatch {
    /// This one, by position.
    One(usize),
    /// None that is there.
    Nothing,
    /// Any of those whose ids begin so.
    SeveralIds(Vec<usize>),
    /// Any of those that are labelled so.
    SeveralLabels(Vec<usize>),
}

impl EntryMatch {
    /// Finds what is meant. A whole id goes before a label, and a label before the beginning of an id.
    pub fn find(log: &Log, tree: &Tree, named: &str) -> Self {
        if let Some(at) = tree.find(named) {
            return Self::One(at);
        }
        let labelled: Vec<usize> = labels(log)
            .iter()
            .filter(|(_, label)| &*label.text == named)
            .filter_map(|(target, _)| tree.find(target.as_str()))
            .collect();
        let ids = log.entries().iter().filter_map(|entry| entry.id.as_ref());
        let mut begun: Vec<&str> =
            ids.map(EntryId::as_str).filter(|id| id.starts_with(named)).collect();
        begun.sort_unstable();
        begun.dedup();
        let begun: Vec<usize> = begun.into_iter().filter_map(|id| tree.find(id)).collect();
        match (&*labelled, &*begun) {
            ([only], _) | ([], [only]) => Self::One(*only),
            ([], []) => Self::Nothing,
            ([], _) => Self::SeveralIds(begun),
            (_, _) => Self::SeveralLabels(labelled),
        }
    }
}

/// The label of an entry and when it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The label.
    pub text: Box<str>,
    /// When it was given, as written.
    pub timestamp: Option<Box<str>>,
}

/// Returns the labels by target, in the order in which the targets were first labelled.
///
/// The last word in file order counts, on whatever branch it stands; a target may be unknown.
pub fn labels(log: &Log) -> Vec<(EntryId, Label)> {
    let mut order: Vec<Option<(EntryId, Label)>> = Vec::new();
    let mut places: HashMap<&EntryId, usize> = HashMap::new();
    for entry in log.entries() {
        let Body::Label { target: Some(target), label, timestamp } = &entry.body else { continue };
        match label {
            Some(text) => {
                let label = Label { text: text.clone(), timestamp: timestamp.clone() };
                let place = *places.entry(target).or_insert_with(|| {
                    order.push(None);
                    order.len() - 1
                });
                order[place] = Some((target.clone(), label));
            }
            None => {
                if let Some(place) = places.remove(target) {
                    order[place] = None;
                }
            }
        }
    }
    order.into_iter().flatten().collect()
}

fn index_ids(entries: &[Entry], problems: &mut Vec<Problem>) -> HashMap<EntryId, usize> {
    let mut by_id = HashMap::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let Some(id) = &entry.id else { continue };
        if by_id.insert(id.clone(), at).is_some() {
            problems.push(Problem { line: entry.line, kind: ProblemKind::DuplicateId });
        }
    }
    by_id
}

fn link_as_pi(
    entries: &[Entry],
    by_id: &HashMap<EntryId, usize>,
    problems: &mut Vec<Problem>,
) -> Vec<Option<usize>> {
    let resolve = |entry: &Entry| {
        let mut note = |kind| problems.push(Problem { line: entry.line, kind });
        match &entry.parent {
            Parent::None => None,
            Parent::Id(id) if Some(id) == entry.id.as_ref() => {
                note(ProblemKind::SelfParent);
                None
            }
            Parent::Id(id) => by_id.get(id).copied().or_else(|| {
                note(ProblemKind::UnknownParent);
                None
            }),
            Parent::Missing => {
                note(ProblemKind::UnknownParent);
                None
            }
        }
    };
    entries.iter().map(resolve).collect()
}

fn link_repaired(
    entries: &[Entry],
    forked: bool,
    problems: &mut Vec<Problem>,
) -> Vec<Option<usize>> {
    let mut places: HashMap<&EntryId, Vec<usize>> = HashMap::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        if let Some(id) = &entry.id {
            places.entry(id).or_default().push(at);
        }
    }
    // Of several entries with the parent's name, the one written last before this line was meant.
    let nearest = |id: &EntryId, at: usize| {
        let named = places.get(id)?;
        let before = named.partition_point(|&other| other < at);
        named[..before]
            .last()
            .or_else(|| named[before..].iter().find(|&&other| other != at))
            .copied()
    };
    let resolve = |(at, entry): (usize, &Entry)| {
        let parent = match &entry.parent {
            Parent::None => return None,
            Parent::Id(id) => nearest(id, at),
            Parent::Missing => None,
        };
        let before = at.checked_sub(1).filter(|_| forked);
        let itself = matches!(&entry.parent, Parent::Id(id) if Some(id) == entry.id.as_ref());
        let (parent, kind) = match (parent, before) {
            (Some(parent), _) => return Some(parent),
            (None, _) if itself => (None, ProblemKind::SelfParent),
            (None, Some(before)) => (Some(before), ProblemKind::Reattached),
            (None, None) => (None, ProblemKind::UnknownParent),
        };
        problems.push(Problem { line: entry.line, kind });
        parent
    };
    entries.iter().enumerate().map(resolve).collect()
}

/// Makes the earliest entry of each circle a root.
fn cut_cycles(
    mut parents: Vec<Option<usize>>,
    entries: &[Entry],
    problems: &mut Vec<Problem>,
) -> Vec<Option<usize>> {
    // The number of the walk that first came by; 0 is "not yet".
    let mut walked = vec![0; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(here) = at.filter(|&here| walked[here] == 0) {
            walked[here] = walk;
            at = parents[here];
        }
        let Some(met) = at.filter(|&met| walked[met] == walk) else { continue };
        let circle = std::iter::successors(parents[met], |&here| parents[here]);
        let earliest = circle.take_while(|&here| here != met).fold(met, usize::min);
        parents[earliest] = None;
        problems.push(Problem { line: entries[earliest].line, kind: ProblemKind::Cycle });
    }
    parents
}

/// Lists of children in one allocation: those of entry `n` stand from `starts[n]` to `starts[n + 1]`.
#[derive(Clone, Debug)]
struct Children {
    starts: Vec<usize>,
    list: Vec<usize>,
}

impl Children {
    fn new(entries: &[Entry], parents: &[Option<usize>], placed: &[usize]) -> Self {
        let links = || placed.iter().filter_map(|&at| Some((parents[at]?, at)));
        let mut starts = vec![0; parents.len() + 1];
        for (parent, _) in links() {
            starts[parent + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut list = vec![0; starts[parents.len()]];
        for (parent, at) in links() {
            list[next[parent]] = at;
            next[parent] += 1;
        }
        for bounds in starts.windows(2) {
            sort_by_time(&mut list[bounds[0]..bounds[1]], entries);
        }
        Self { starts, list }
    }

    fn of(&self, at: usize) -> &[usize] {
        &self.list[self.starts[at]..self.starts[at + 1]]
    }
}

/// Sorts siblings, oldest first; file order where times are equal, or where one is missing.
fn sort_by_time(siblings: &mut [usize], entries: &[Entry]) {
    if siblings.len() > 1 && siblings.iter().all(|&at| entries[at].timestamp.is_some()) {
        siblings.sort_by_key(|&at| entries[at].timestamp);
    }
}

#[cfg(test)]
mod tests;
