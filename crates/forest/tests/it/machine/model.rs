//! A forest as the documentation tells it, slow and plain: flat lists that are searched from end to end.
//!
//! Messages are labels of the notation, a name is a position in a list, and nobody keeps lists of children. Operations
//! work on a copy, so that a failed one changes nothing.

use std::collections::{BTreeMap, BTreeSet};

/// Why something is refused: the name of the error.
pub(super) type Refusal = &'static str;

/// A tree and, unless it is the root, a message.
pub(super) type Spot = (usize, Option<usize>);

#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) trees: Vec<Tree>,
    /// Titles, and the messages they stand for.
    pub(super) bookmarks: BTreeMap<String, Spot>,
    pub(super) current: Option<Spot>,
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) prompt: Option<String>,
    pub(super) deleted: bool,
    /// In the order in which they were made.
    pub(super) nodes: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) parent: Option<usize>,
    /// The place among siblings: when it was made, after the ranks of those whose place it took.
    rank: Vec<usize>,
    pub(super) said: String,
    pub(super) gone: Option<Gone>,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) data: BTreeMap<String, Spot>,
    /// How often a model said it again.
    pub(super) repeats: usize,
    /// Whether it is known who said it first.
    has_source: bool,
    /// The right half, if it is the left one; and whether the cut went through a block.
    pub(super) half_of: Option<(usize, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gone {
    Deleted,
    With(usize),
    Merged(usize),
}

/// What an operation says it did; the machine compares it with what the engine says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Done {
    /// Where it ends.
    pub(super) end: Option<Spot>,
    pub(super) created: Vec<usize>,
    pub(super) removed: BTreeSet<Spot>,
    pub(super) parents: Vec<Spot>,
    pub(super) moved: BTreeSet<usize>,
    pub(super) in_place: bool,
    /// Titles of bookmarks that moved, and of those that are gone.
    pub(super) followed: BTreeSet<String>,
    pub(super) dropped: BTreeSet<String>,
}

impl Model {
    /// Does something as a whole or not at all.
    pub(super) fn attempt(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<Done, Refusal>,
    ) -> Result<Done, Refusal> {
        let mut copy = self.clone();
        let done = operation(&mut copy)?;
        *self = copy;
        Ok(done)
    }

    pub(super) fn find_or_create_root(&mut self, prompt: Option<&str>) -> Done {
        let fits = |tree: &Tree| !tree.deleted && tree.prompt.as_deref() == prompt;
        let found = self.trees.iter().position(fits);
        let tree = found.unwrap_or_else(|| {
            let prompt = prompt.map(str::to_owned);
            self.trees.push(Tree { prompt, deleted: false, nodes: Vec::new() });
            self.trees.len() - 1
        });
        Done { end: Some((tree, None)), ..Done::default() }
    }

    pub(super) fn append(
        &mut self,
        at: Spot,
        labels: &[&str],
        trimmed: bool,
        by_model: bool,
    ) -> Result<Done, Refusal> {
        let (tree, mut end) = self.place(at)?;
        let mut calls: Vec<String> = self.trees[tree]
            .path(end)
            .iter()
            .flat_map(|&node| calls_in(&self.trees[tree].nodes[node].said))
            .collect();
        for label in labels {
            if let Some((call, text)) =
                label.strip_prefix("t:").and_then(|rest| rest.split_once('='))
            {
                if text.trim().is_empty() {
                    return Err("InvalidMessage");
                }
                if !calls.iter().any(|made| made == call) {
                    return Err("NoSuchCall");
                }
            }
            calls.extend(calls_in(label));
        }
        let mut created = Vec::new();
        let tree_now = &mut self.trees[tree];
        for label in labels.iter().filter(|label| !is_blank(label)) {
            let children = tree_now.children(end);
            let exact =
                children.iter().filter(|&&child| tree_now.nodes[child].said == **label).min();
            let close =
                || children.iter().find(|&&child| trim(&tree_now.nodes[child].said) == trim(label));
            let known = exact.or_else(|| if trimmed { close() } else { None }).copied();
            end = Some(match known {
                Some(known) => {
                    tree_now.nodes[known].repeats += usize::from(by_model);
                    known
                }
                None => {
                    created.push(tree_now.add(end, label, by_model));
                    tree_now.nodes.len() - 1
                }
            });
        }
        Ok(Done { end: Some((tree, end)), created, ..Done::default() })
    }

    pub(super) fn edit(&mut self, at: Spot, text: &str, follow: bool) -> Result<Done, Refusal> {
        let (tree, node) = self.message(at)?;
        let Entry { said, parent, .. } = self.trees[tree].nodes[node].clone();
        editable(&said)?;
        if text.trim().is_empty() {
            return Err("Blank");
        }
        let old = joined(&said);
        let unchanged = Done { end: Some((tree, Some(node))), ..Done::default() };
        if old == text {
            return Ok(unchanged);
        }
        let marks: Vec<String> = self.marks_on((tree, Some(node)));
        let whole = format!("{}{text}", &said[..2]);
        let count = self.trees[tree].nodes.len();
        let has_future = self.trees[tree].lasting_children(Some(node)).next().is_some();
        let shared = old.chars().zip(text.chars()).take_while(|(one, other)| one == other).count();
        let (start, rest_of_old, rest_of_new) = (&old[..shared], &old[shared..], &text[shared..]);
        let mut in_place = false;
        let end = if let Some(twin) = self.trees[tree].find(parent, &whole) {
            twin
        } else if !has_future {
            (self.trees[tree].nodes[node].said, self.trees[tree].nodes[node].has_source) =
                (whole, true);
            in_place = true;
            node
        } else if shared == 0
            || [start, rest_of_old, rest_of_new]
                .iter()
                .any(|part| !part.is_empty() && part.trim().is_empty())
        {
            self.trees[tree].add(parent, &whole, true)
        } else {
            let fork = if rest_of_old.is_empty() { node } else { self.cut(tree, node, shared) };
            let rest = format!("{}{rest_of_new}", &said[..2]);
            match self.trees[tree].find(Some(fork), &rest) {
                _ if rest_of_new.is_empty() => fork,
                Some(known) => known,
                None => self.trees[tree].add(Some(fork), &rest, true),
            }
        };
        let mut done = Done { end: Some((tree, Some(end))), in_place, ..unchanged };
        done.created = (count..self.trees[tree].nodes.len()).collect();
        if follow && end != node {
            for title in marks {
                self.bookmarks.insert(title.clone(), (tree, Some(end)));
                done.followed.insert(title);
            }
        }
        Ok(done)
    }

    pub(super) fn split(&mut self, at: Spot, position: usize) -> Result<Done, Refusal> {
        let (tree, node) = self.message(at)?;
        let said = self.trees[tree].nodes[node].said.clone();
        editable(&said)?;
        let text = joined(&said);
        let blank_half =
            || text[..position].trim().is_empty() || text[position..].trim().is_empty();
        if position > text.len() || blank_half() {
            return Err("BadPosition");
        }
        let left = self.cut(tree, node, position);
        Ok(Done { end: Some((tree, Some(left))), ..Done::default() })
    }

    /// Cuts a text. The new message is the left half, unless a sibling says just that; the old one the right half.
    fn cut(&mut self, tree: usize, node: usize, position: usize) -> usize {
        let Entry { said, parent, rank, tags, data, has_source, .. } =
            self.trees[tree].nodes[node].clone();
        let (mut left, mut right, mut at, mut within) = (Vec::new(), Vec::new(), 0, false);
        for block in said[2..].split('|') {
            let cut = position.saturating_sub(at).min(block.len());
            if cut > 0 || block.is_empty() && at <= position {
                left.push(&block[..cut]);
            }
            if cut < block.len() {
                right.push(&block[cut..]);
            }
            within |= cut > 0 && cut < block.len();
            at += block.len();
        }
        let [left, right] =
            [left, right].map(|blocks| format!("{}{}", &said[..2], blocks.join("|")));
        let left = self.trees[tree].find(parent, &left).unwrap_or_else(|| {
            let id = self.trees[tree].add(parent, &left, has_source);
            let half = &mut self.trees[tree].nodes[id];
            (half.rank, half.tags, half.data, half.half_of) =
                (rank, tags, data, Some((node, within)));
            id
        });
        let moved = &mut self.trees[tree].nodes[node];
        (moved.parent, moved.rank, moved.said) = (Some(left), vec![node], right);
        self.settle(tree, node);
        left
    }

    pub(super) fn join(&mut self, at: Spot) -> Result<Done, Refusal> {
        let (tree, left) = self.message(at)?;
        let Entry { said, parent, rank, half_of, .. } = self.trees[tree].nodes[left].clone();
        let (half, within) = half_of.ok_or("NotSplit")?;
        let right = self.trees[tree].stands_for(half);
        let children: Vec<usize> = self.trees[tree].lasting_children(Some(left)).collect();
        if children != [right] || self.trees[tree].nodes[right].gone.is_some() {
            return Err("NotSplit");
        }
        let border = if within { "" } else { "|" };
        let moved = &mut self.trees[tree].nodes[right];
        moved.said = format!("{said}{border}{}", &moved.said[2..]);
        (moved.parent, moved.rank) = (parent, rank);
        self.trees[tree].nodes[left].gone = Some(Gone::Merged(right));
        self.redirect((tree, Some(left)), (tree, Some(right)));
        let end = self.settle(tree, right);
        Ok(Done { end: Some((tree, Some(end))), ..Done::default() })
    }

    pub(super) fn delete(
        &mut self,
        spots: &[Spot],
        cascade: bool,
        force: bool,
    ) -> Result<Done, Refusal> {
        let mut done = Done::default();
        let mut tops: Vec<(usize, usize, usize)> = Vec::new();
        for &spot in spots {
            if spot.1.is_none() {
                return Err("RootProtected");
            }
            match self.message(spot) {
                Ok((tree, node)) => {
                    tops.push((self.trees[tree].path(Some(node)).len(), tree, node));
                    done.parents.push((tree, self.trees[tree].nodes[node].parent));
                }
                Err("NodeNotFound" | "NodeDeleted") => {}
                Err(refusal) => return Err(refusal),
            }
        }
        tops.sort_unstable();
        tops.dedup();
        let mut going: BTreeSet<Spot> = BTreeSet::new();
        for &(_, tree, top) in &tops {
            let goes = |&node: &usize| {
                node == top || cascade && self.trees[tree].path(Some(node)).contains(&top)
            };
            going.extend(self.trees[tree].visible().filter(goes).map(|node| (tree, Some(node))));
        }
        if !force && self.is_referred_to(&going) {
            return Err("Referenced");
        }
        if cascade {
            for &(_, tree, top) in &tops {
                for &(_, node) in going.iter().filter(|spot| spot.0 == tree) {
                    let node = node.expect("no roots");
                    let follows = self.trees[tree].path(Some(node)).contains(&top);
                    let entry = &mut self.trees[tree].nodes[node];
                    if follows && entry.gone.is_none() {
                        entry.gone =
                            Some(if node == top { Gone::Deleted } else { Gone::With(top) });
                    }
                }
            }
        } else {
            for &(_, tree, top) in &tops {
                self.trees[tree].nodes[top].gone = Some(Gone::Deleted);
            }
            for &(_, tree, top) in tops.iter().rev() {
                if self.trees[tree].parts_from_results(top) {
                    return Err("HasResults");
                }
                let Entry { parent, rank, .. } = self.trees[tree].nodes[top].clone();
                for child in self.trees[tree].children(Some(top)) {
                    let moved = &mut self.trees[tree].nodes[child];
                    moved.parent = parent;
                    moved.rank = [rank.clone(), moved.rank.clone()].concat();
                    self.settle(tree, child);
                }
            }
        }
        for (title, spot) in
            self.bookmarks.clone().into_iter().filter(|(_, spot)| going.contains(spot))
        {
            match self.before(spot) {
                place @ (_, Some(_)) if !cascade => {
                    self.bookmarks.insert(title.clone(), place);
                    done.followed.insert(title);
                }
                _ => {
                    self.bookmarks.remove(&title);
                    done.dropped.insert(title);
                }
            }
        }
        if let Some(current) = self.current.filter(|current| going.contains(current)) {
            self.current = Some(self.before(current));
        }
        done.removed = going;
        Ok(done)
    }

    fn is_referred_to(&self, going: &BTreeSet<Spot>) -> bool {
        let staying = self.trees.iter().enumerate().filter(|(_, tree)| !tree.deleted).flat_map(
            |(at, tree)| {
                tree.visible()
                    .filter(move |node| !going.contains(&(at, Some(*node))))
                    .map(|node| &tree.nodes[node])
            },
        );
        let named = staying.flat_map(|node| node.data.values()).map(|&(tree, node)| {
            (tree, node.map(|node| self.trees.get(tree).map_or(node, |tree| tree.stands_for(node))))
        });
        named.chain(self.bookmarks.values().copied()).any(|spot| going.contains(&spot))
    }

    /// Returns the last place before a message that can be seen.
    fn before(&self, (tree, node): Spot) -> Spot {
        let nodes = &self.trees[tree].nodes;
        let mut at = node.and_then(|node| nodes[node].parent);
        while let Some(node) = at.filter(|&node| nodes[node].gone.is_some()) {
            at = nodes[node].parent;
        }
        (tree, at)
    }

    pub(super) fn restore(&mut self, at: Spot) -> Result<Done, Refusal> {
        let node = at.1.expect("the machine restores messages");
        let tree = at.0;
        if self.trees.get(tree).is_none_or(|tree| node >= tree.nodes.len()) {
            return Err("NodeNotFound");
        }
        if self.trees[tree].deleted {
            return Err("RootDeleted");
        }
        let here = &mut self.trees[tree];
        let node = here.stands_for(node);
        let Entry { gone, parent, rank, .. } = here.nodes[node].clone();
        match gone {
            Some(Gone::Deleted) => {}
            Some(Gone::With(_)) => return Err("DeletedWith"),
            _ => return Err("NotDeleted"),
        }
        if parent.is_some_and(|parent| here.nodes[parent].gone.is_some()) {
            return Err("NodeDeleted");
        }
        for entry in &mut here.nodes {
            if entry.gone == Some(Gone::With(node)) {
                entry.gone = None;
            }
        }
        // What took its place gives it back, unless it became one with something that did not.
        let came = |entry: &Entry| entry.rank.len() > rank.len() && entry.rank.starts_with(&rank);
        let beside: Vec<usize> = (0..here.nodes.len())
            .filter(|&other| other != node && here.nodes[other].parent == parent)
            .collect();
        let strangers =
            beside.iter().filter(|&&other| is_merged_in(here, other) && !came(&here.nodes[other]));
        let with_strangers: BTreeSet<usize> =
            strangers.map(|&other| here.stands_for(other)).collect();
        let mut moved = BTreeSet::new();
        for &other in &beside {
            if came(&here.nodes[other])
                && !is_merged_in(here, other)
                && !with_strangers.contains(&other)
            {
                let entry = &mut here.nodes[other];
                entry.parent = Some(node);
                entry.rank.drain(..rank.len());
                if entry.gone.is_none() {
                    moved.insert(other);
                }
            }
        }
        here.nodes[node].gone = None;
        let end = self.settle(tree, node);
        Ok(Done { end: Some((tree, Some(end))), moved, ..Done::default() })
    }

    pub(super) fn delete_root(&mut self, tree: usize) -> Result<Done, Refusal> {
        self.place((tree, None))?;
        self.trees[tree].deleted = true;
        self.current = self.current.filter(|current| current.0 != tree);
        Ok(Done::default())
    }

    pub(super) fn restore_root(&mut self, tree: usize) -> Result<Done, Refusal> {
        match self.trees.get_mut(tree) {
            None => Err("RootNotFound"),
            Some(tree) if !tree.deleted => Err("RootNotDeleted"),
            Some(tree) => {
                tree.deleted = false;
                Ok(Done::default())
            }
        }
    }

    /// Notes something about a message.
    pub(super) fn note(
        &mut self,
        at: Spot,
        write: impl FnOnce(&mut Entry),
    ) -> Result<Done, Refusal> {
        let (tree, node) = self.message(at)?;
        write(&mut self.trees[tree].nodes[node]);
        Ok(Done::default())
    }

    pub(super) fn bookmark(&mut self, at: Spot, title: &str) -> Result<Done, Refusal> {
        let (tree, node) = self.message(at)?;
        let title = Some(title.trim()).filter(|title| !title.is_empty()).ok_or("Blank")?;
        let spot = (tree, Some(node));
        match self.bookmarks.get(title) {
            Some(&known) if known != spot => Err("BookmarkTaken"),
            _ => {
                self.bookmarks.insert(title.to_owned(), spot);
                Ok(Done::default())
            }
        }
    }

    pub(super) fn rename_bookmark(&mut self, from: &str, to: &str) -> Result<Done, Refusal> {
        let to = Some(to.trim()).filter(|title| !title.is_empty()).ok_or("Blank")?;
        let spot = *self.bookmarks.get(from.trim()).ok_or("BookmarkNotFound")?;
        if to != from.trim() && self.bookmarks.contains_key(to) {
            return Err("BookmarkTaken");
        }
        self.bookmarks.remove(from.trim());
        self.bookmarks.insert(to.to_owned(), spot);
        Ok(Done::default())
    }

    pub(super) fn remove_bookmark(&mut self, title: &str) -> Result<Done, Refusal> {
        self.bookmarks.remove(title.trim()).map(|_| Done::default()).ok_or("BookmarkNotFound")
    }

    pub(super) fn go_to(&mut self, at: Spot) -> Result<Done, Refusal> {
        self.current = Some(self.place(at)?);
        Ok(Done::default())
    }

    /// Checks that a place is there; a merged message stands for the one that is left.
    fn place(&self, (tree, node): Spot) -> Result<Spot, Refusal> {
        match node {
            Some(_) => self.message((tree, node)).map(|(tree, node)| (tree, Some(node))),
            None => match self.trees.get(tree) {
                None => Err("RootNotFound"),
                Some(root) if root.deleted => Err("RootDeleted"),
                Some(_) => Ok((tree, None)),
            },
        }
    }

    fn message(&self, (tree, node): Spot) -> Result<(usize, usize), Refusal> {
        let node = node.expect("the machine asks for messages");
        let root =
            self.trees.get(tree).filter(|tree| node < tree.nodes.len()).ok_or("NodeNotFound")?;
        let node = root.stands_for(node);
        match root.nodes[node].gone {
            _ if root.deleted => Err("RootDeleted"),
            Some(_) => Err("NodeDeleted"),
            None => Ok((tree, node)),
        }
    }

    fn marks_on(&self, spot: Spot) -> Vec<String> {
        let on = self.bookmarks.iter().filter(|(_, known)| **known == spot);
        on.map(|(title, _)| title.clone()).collect()
    }

    fn redirect(&mut self, from: Spot, to: Spot) {
        for spot in self.bookmarks.values_mut().chain(self.current.as_mut()) {
            if *spot == from {
                *spot = to;
            }
        }
    }

    /// Makes a message that has come to a place one with an equal one there. Returns the one that is left.
    fn settle(&mut self, tree: usize, node: usize) -> usize {
        let Entry { parent, said, .. } = self.trees[tree].nodes[node].clone();
        let twins = self.trees[tree].children(parent).into_iter();
        match twins.filter(|&twin| twin != node && self.trees[tree].nodes[twin].said == said).min()
        {
            Some(twin) => self.merge(tree, node, twin),
            None => node,
        }
    }

    /// Makes one of two equal messages: the older one stays, with the children and notes of both.
    fn merge(&mut self, tree: usize, one: usize, other: usize) -> usize {
        let (stays, goes) = (one.min(other), one.max(other));
        let children: Vec<usize> = self.trees[tree].lasting_children(Some(goes)).collect();
        for child in children {
            let entry = &self.trees[tree].nodes[child];
            let twin =
                self.trees[tree].find(Some(stays), &entry.said).filter(|_| entry.gone.is_none());
            self.trees[tree].nodes[child].parent = Some(stays);
            if let Some(twin) = twin {
                self.merge(tree, child, twin);
            }
        }
        let theirs = self.trees[tree].nodes[goes].clone();
        let ours = &mut self.trees[tree].nodes[stays];
        ours.title = ours.title.take().or(theirs.title);
        for tag in theirs.tags {
            if !ours.tags.contains(&tag) {
                ours.tags.push(tag);
            }
        }
        for (key, value) in theirs.data {
            ours.data.entry(key).or_insert(value);
        }
        ours.repeats += theirs.repeats + usize::from(theirs.has_source);
        self.trees[tree].nodes[goes].gone = Some(Gone::Merged(stays));
        self.redirect((tree, Some(goes)), (tree, Some(stays)));
        stays
    }
}

impl Entry {
    /// Returns whether it took the place of another.
    pub(super) fn has_risen(&self) -> bool {
        self.rank.len() > 1
    }
}

impl Tree {
    /// Returns whether a sibling of its parent says the same.
    pub(super) fn has_twin_above(&self, node: usize) -> bool {
        let entry = &self.nodes[node];
        entry
            .parent
            .is_some_and(|parent| self.find(self.nodes[parent].parent, &entry.said).is_some())
    }

    /// Returns the visible messages after a place, in order.
    pub(super) fn children(&self, of: Option<usize>) -> Vec<usize> {
        let mut children: Vec<usize> =
            self.visible().filter(|&node| self.nodes[node].parent == of).collect();
        children.sort_by_key(|&node| (self.nodes[node].rank.clone(), node));
        children
    }

    pub(super) fn visible(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|&node| self.nodes[node].gone.is_none())
    }

    /// Returns what follows a place, deleted or not, but for those that became one with another.
    fn lasting_children(&self, of: Option<usize>) -> impl Iterator<Item = usize> {
        let lasting =
            move |&node: &usize| self.nodes[node].parent == of && !is_merged_in(self, node);
        (0..self.nodes.len()).filter(lasting)
    }

    fn find(&self, parent: Option<usize>, said: &str) -> Option<usize> {
        self.children(parent).into_iter().filter(|&child| self.nodes[child].said == said).min()
    }

    fn add(&mut self, parent: Option<usize>, said: &str, has_source: bool) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Entry {
            parent,
            rank: vec![id],
            said: said.to_owned(),
            gone: None,
            title: None,
            tags: Vec::new(),
            data: BTreeMap::new(),
            repeats: 0,
            has_source,
            half_of: None,
        });
        id
    }

    fn stands_for(&self, node: usize) -> usize {
        match self.nodes.get(node).map(|entry| entry.gone) {
            Some(Some(Gone::Merged(into))) => self.stands_for(into),
            _ => node,
        }
    }

    /// Returns the way from the root to a message.
    fn path(&self, to: Option<usize>) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(to, |&node| self.nodes[node].parent).collect();
        path.reverse();
        path
    }

    /// Returns whether results of a message's calls follow it, other than those that were deleted right after it.
    fn parts_from_results(&self, top: usize) -> bool {
        let calls = calls_in(&self.nodes[top].said);
        (0..self.nodes.len()).any(|node| {
            let path = self.path(Some(node));
            let Some(at) = path.iter().position(|&step| step == top) else { return false };
            let moves = path.get(at + 1).is_some_and(|&next| self.nodes[next].gone.is_none());
            let result =
                self.nodes[node].said.strip_prefix("t:").and_then(|rest| rest.split_once('='));
            moves
                && path[at..].iter().all(|&step| !is_merged_in(self, step))
                && result.is_some_and(|(call, _)| calls.iter().any(|made| made == call))
        })
    }
}

fn is_merged_in(tree: &Tree, node: usize) -> bool {
    matches!(tree.nodes[node].gone, Some(Gone::Merged(_)))
}

fn blocks(label: &str) -> impl Iterator<Item = &str> {
    let content = match label.split_once('=') {
        Some((_, text)) if label.starts_with("t:") => text,
        _ => &label[2..],
    };
    content.split('|')
}

fn is_text(block: &str) -> bool {
    !block.starts_with(['[', '{'])
}

fn joined(label: &str) -> String {
    blocks(label).filter(|block| is_text(block)).collect()
}

fn is_blank(label: &str) -> bool {
    blocks(label).all(|block| is_text(block) && block.trim().is_empty())
}

fn calls_in(label: &str) -> Vec<String> {
    blocks(label)
        .filter(|block| block.starts_with('['))
        .map(|block| block[1..block.len() - 1].to_owned())
        .collect()
}

/// Takes white space off the ends of texts, and leaves blank ones out.
fn trim(label: &str) -> (&str, Vec<&str>) {
    let head = &label[..label.len() - blocks(label).collect::<Vec<_>>().join("|").len()];
    let trimmed = blocks(label).map(|block| if is_text(block) { block.trim() } else { block });
    (head, trimmed.filter(|block| !block.is_empty()).collect())
}

fn editable(label: &str) -> Result<(), Refusal> {
    if label.starts_with("t:") {
        return Err("ToolMessage");
    }
    if blocks(label).all(is_text) { Ok(()) } else { Err("NotTextOnly") }
}
