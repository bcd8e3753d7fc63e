//! Folders of the reference implementation: there the files of the messages are all there is.
//!
//! What such a folder says about messages is read strictly: a file that cannot be read is an error, since a tree
//! without it would be another tree. What a crash of the reference implementation leaves behind in the lists
//! around them is left out and reported. Broken chains and equal siblings are taken as they are: the engine finds
//! and mends them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::folder::{Folder, corrupt, read};
use super::projection::{BOOKMARKS, Mismatch, ROOTS, node_files};
use super::shape::{self, BookmarksShape, NodeEntry, RootEntry};
use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::node::{Content, Order};
use crate::store::Change;

/// What such a folder holds.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) changes: Vec<Change>,
    /// Roots and messages that are spoken of but are not there. Nothing new may take their names.
    pub(super) taken: Vec<Place>,
    pub(super) findings: Vec<Mismatch>,
}

/// Reads a folder that has no log. An empty one is an empty forest.
pub(super) fn load(folder: &Folder) -> Result<Loaded> {
    let mut loaded = Loaded::default();
    let registry = folder.file(ROOTS);
    let roots = match read(&registry)? {
        Some(bytes) => shape::read_roots(&bytes).map_err(|why| corrupt(&registry, why))?,
        None => Vec::new(),
    };
    let mut known = HashSet::new();
    if let Some(twice) = roots.iter().find(|entry| !known.insert(entry.root.id)) {
        return Err(corrupt(&registry, format!("{} is in it twice", twice.root.id)));
    }
    if let Some(last) = known.iter().find(|id| id.0 > HIGHEST) {
        return Err(corrupt(&registry, format!("after {last} no number is left")));
    }
    loaded.find_unlisted_roots(folder, &known)?;
    loaded.changes.extend(roots.iter().map(|entry| Change::Root(entry.root.clone())));
    let mut nodes = HashSet::new();
    for entry in &roots {
        loaded.load_tree(folder, entry, &mut nodes)?;
    }
    loaded.load_bookmarks(folder, &known, &nodes)?;
    let is_high = |place: &Place| {
        place.root().0 > HIGHEST || place.node().is_some_and(|node| node.number > HIGHEST)
    };
    loaded.taken.retain(|place| !is_high(place));
    Ok(loaded)
}

/// Numbers count up from the highest one that is there, so that one must leave room.
const HIGHEST: u32 = u32::MAX / 2;

impl Loaded {
    fn find(&mut self, path: PathBuf, what: String) {
        self.findings.push(Mismatch { path, what });
    }

    /// Two programs that wrote the registry at once may have lost a root; its folder is still there.
    fn find_unlisted_roots(&mut self, folder: &Folder, known: &HashSet<RootId>) -> Result<()> {
        let unreadable = |source| ForestError::Read { path: folder.path().to_owned(), source };
        for item in fs::read_dir(folder.path()).map_err(unreadable)? {
            let path = item.map_err(unreadable)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(root) = name.and_then(|name| name.parse::<RootId>().ok()) else { continue };
            if !known.contains(&root) {
                self.taken.push(root.into());
                self.find(path, format!("{root} is not in {ROOTS}"));
            }
        }
        Ok(())
    }

    fn load_tree(
        &mut self,
        folder: &Folder,
        root: &RootEntry,
        known: &mut HashSet<NodeId>,
    ) -> Result<()> {
        let mut files: Vec<(PathBuf, NodeId)> = Vec::new();
        for (path, id) in node_files(folder, root.root.id)? {
            match id {
                Some(id) if id.number > HIGHEST => {
                    return Err(corrupt(&path, "after this name no number is left"));
                }
                Some(id) => files.push((path, id)),
                None => self.find(path, "has a name that no message has".to_owned()),
            }
        }
        let load = |(path, id): &(PathBuf, NodeId)| {
            let bytes = read(path)?.unwrap_or_default();
            shape::read_node(&bytes, *id, root.answered()).map_err(|why| corrupt(path, why))
        };
        let entries: Vec<NodeEntry> = files.par_iter().map(load).collect::<Result<_>>()?;
        let tree: BTreeMap<NodeId, NodeEntry> =
            entries.into_iter().map(|entry| (entry.node.id, entry)).collect();
        if let Some(entry) = tree.values().find(|entry| entry.node.parent.root() != root.root.id) {
            let why = format!("it follows {}, which is in another tree", entry.node.parent);
            return Err(corrupt(&folder.node(entry.node.id), why));
        }
        let listed = self.read_lists(folder, root, &tree);
        known.extend(tree.keys());

        let places = places(&tree, &listed);
        for (id, NodeEntry { mut node, message, has_order, .. }) in tree {
            if !has_order {
                node.order = Order::new(&[places[&id]]);
            }
            let mentioned = [node.parent.node(), node.metadata.split_source].into_iter().flatten();
            self.taken.extend(mentioned.filter(|id| !known.contains(id)).map(Place::Node));
            self.changes.push(Change::Node(node));
            self.changes.push(Change::Content(id, Content::Inline(Arc::new(message))));
        }
        Ok(())
    }

    /// Reads the lists of children: they say nothing but the order, since each message names what it follows.
    fn read_lists(
        &mut self,
        folder: &Folder,
        root: &RootEntry,
        tree: &BTreeMap<NodeId, NodeEntry>,
    ) -> HashMap<NodeId, usize> {
        let mut listed = HashMap::new();
        let of_root = (Place::Root(root.root.id), &root.child_ids, folder.file(ROOTS));
        let of_nodes = tree
            .values()
            .map(|entry| (entry.node.id.into(), &entry.child_ids, folder.node(entry.node.id)));
        for (parent, child_ids, path) in std::iter::once(of_root).chain(of_nodes) {
            for (child, place) in child_ids.iter().zip(0..) {
                match tree.get(child) {
                    Some(entry) if entry.node.parent == parent => {
                        listed.entry(*child).or_insert(place);
                    }
                    Some(entry) => {
                        let what = format!("lists {child}, which follows {}", entry.node.parent);
                        self.find(path.clone(), what);
                    }
                    None => {
                        self.taken.push((*child).into());
                        self.find(path.clone(), format!("lists {child}, which is not there"));
                    }
                }
            }
        }
        listed
    }

    fn load_bookmarks(
        &mut self,
        folder: &Folder,
        roots: &HashSet<RootId>,
        nodes: &HashSet<NodeId>,
    ) -> Result<()> {
        type Reader = fn(&[u8]) -> Result<BookmarksShape, String>;
        let sources: [(&str, Reader); 2] =
            [(BOOKMARKS, shape::read_bookmarks), ("config.toml", BookmarksShape::from_settings)];
        for (name, reader) in sources {
            let path = folder.file(name);
            let Some(bytes) = read(&path)? else { continue };
            let shape = reader(&bytes).map_err(|why| corrupt(&path, why))?;
            let is_there = |place: &Place| match place {
                Place::Root(root) => roots.contains(root),
                Place::Node(node) => nodes.contains(node),
            };
            self.changes.extend(shape.current.filter(is_there).map(|at| Change::Current(Some(at))));
            let (bookmarks, on_roots) = shape.bookmarks();
            for title in on_roots {
                self.find(path.clone(), format!("has the bookmark {title:?} on a root"));
            }
            let mut titles = HashSet::new();
            for mut bookmark in bookmarks {
                if nodes.contains(&bookmark.node) {
                    // There a title may stand for several messages, here for one.
                    let free = (2..).map(|number| format!("{} ({number})", bookmark.title));
                    let mut candidates = std::iter::once(bookmark.title.clone()).chain(free);
                    let title = candidates.find(|title| titles.insert(title.clone()));
                    bookmark.title = title.expect("some number is free");
                    self.changes.push(Change::Bookmark(bookmark));
                } else {
                    let (title, node) = (&bookmark.title, bookmark.node);
                    let what = format!("has the bookmark {title:?} on {node}, which is not there");
                    self.find(path.clone(), what);
                    self.taken.push(node.into());
                }
            }
            return Ok(());
        }
        Ok(())
    }
}

/// Numbers siblings from 1: first those that a list names, as it does, then the others by their own numbers.
///
/// So no place is higher than the highest number in the tree, and what is new comes last.
fn places(
    tree: &BTreeMap<NodeId, NodeEntry>,
    listed: &HashMap<NodeId, usize>,
) -> HashMap<NodeId, i64> {
    let mut siblings: HashMap<Place, Vec<NodeId>> = HashMap::new();
    for (id, entry) in tree {
        siblings.entry(entry.node.parent).or_default().push(*id);
    }
    let mut places = HashMap::new();
    for mut siblings in siblings.into_values() {
        siblings.sort_by_key(|id| (listed.get(id).copied().unwrap_or(usize::MAX), *id));
        places.extend(siblings.into_iter().zip(1..));
    }
    places
}
