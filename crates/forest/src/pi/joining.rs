//! Two families turn out to be one: the tree of one moves into the tree of the other.

use std::collections::{HashMap, HashSet};

use super::draft::{Draft, Revised};
use crate::error::Result;
use crate::ids::{NodeId, Place, RootId};
use crate::node::{Node, Removal};
use crate::sessions::SessionNo;
use crate::store::{Store, Which};

impl<S: Store> Draft<'_, S> {
    /// Moves everything in `from` into the tree `into`: messages that stand there already are walked along, the
    /// others are made anew. Notes, bookmarks, deletions and sessions come along; old ids stand for the new ones.
    pub(super) fn join(
        &mut self,
        from: RootId,
        into: RootId,
        sessions: impl Iterator<Item = SessionNo>,
    ) -> Result<()> {
        let moved = self.move_messages(from, into)?;
        for no in sessions {
            self.move_session(no, &moved)?;
        }
        self.move_bookmarks(&moved)?;
        let (mut gone, mut stays) = (self.root(from)?, self.root(into)?);
        // A deleted tree that belongs to one that is not comes back with it.
        if gone.deleted.is_none() {
            stays.deleted = None;
        }
        gone.joined = Some(into);
        self.put_root(gone);
        self.put_root(stays);
        Ok(())
    }

    fn move_messages(&mut self, from: RootId, into: RootId) -> Result<Moved> {
        let mut moved = Moved { from, into, nodes: HashMap::new() };
        let mut level: Vec<(Place, Place)> = vec![(from.into(), into.into())];
        let mut halves = Vec::new();
        while !level.is_empty() {
            let mut found: Vec<(Node, Place)> = Vec::new();
            for (old, new) in level.drain(..) {
                let children = self.plan.children(old, Which::All)?.into_iter();
                found.extend(children.map(|node| (node, new)));
            }
            let wanted: Vec<_> = found.iter().map(|(node, parent)| (*parent, node.key)).collect();
            let twins = self.find(&wanted)?;
            let seen = found.iter().filter(|(node, _)| node.is_visible());
            let seen: HashSet<_> = seen.map(|(node, parent)| (*parent, node.key)).collect();
            for ((node, parent), twin) in found.into_iter().zip(twins) {
                // What was deleted and then said again has two places, of which one is to be seen.
                let again = !node.is_visible() && seen.contains(&(parent, node.key));
                let id = match twin {
                    Some(twin) if !again => self.merge_into(&node, twin)?,
                    _ => self.make_again(&node, parent, !again)?,
                };
                halves.extend(node.metadata.split_source.map(|_| id));
                level.push((node.id.into(), id.into()));
                moved.nodes.insert(node.id, id);
                self.plan.put(Node { removal: Some(Removal::Merged(id)), ..node });
            }
        }
        for id in halves {
            let mut node = self.plan.node(id)?;
            node.metadata.split_source = node.metadata.split_source.map(|half| moved.node(half));
            self.plan.put(node);
        }
        Ok(moved)
    }

    /// Makes a message in the other tree, with all its notes.
    fn make_again(&mut self, node: &Node, parent: Place, can_be_found: bool) -> Result<NodeId> {
        let content = self.content(node.id)?.expect("every message says something");
        let found = self.find(&[(parent, node.key)])?[0];
        let id = self.make(parent, (node.key, node.role), node.metadata.clone(), content)?;
        if !can_be_found {
            self.find_instead(parent, node.key, found);
        }
        let mut new = self.plan.node(id)?;
        new.order = node.order.clone();
        // What it went with has moved before it, and hides it there, too.
        if new.removal.is_none() {
            new.removal =
                node.removal.clone().filter(|removal| matches!(removal, Removal::Deleted { .. }));
        }
        self.plan.put(new);
        Ok(id)
    }

    /// Lets `twin` stand for an equal message of the other tree. What was deleted in either is deleted.
    fn merge_into(&mut self, node: &Node, twin: NodeId) -> Result<NodeId> {
        let mut stays = self.plan.node(twin)?;
        stays.metadata.absorb(&node.metadata);
        self.plan.put(stays.clone());
        let times = (stays.metadata.created, node.metadata.created);
        let created = match (self.is_imported(twin)?, self.is_imported(node.id)?) {
            (true, true) => times.0.into_iter().chain(times.1).min(),
            (false, true) => times.1,
            _ => times.0,
        };
        self.date(twin, created)?;
        if let (Some(Removal::Deleted { at, .. }), None) = (&node.removal, &stays.removal) {
            for mut below in self.plan.subtree(twin)? {
                below.removal = Some(if below.id == twin {
                    Removal::Deleted { at: *at }
                } else {
                    Removal::With(twin)
                });
                self.plan.put(below);
            }
        }
        Ok(twin)
    }

    fn move_session(&mut self, no: SessionNo, moved: &Moved) -> Result<()> {
        let Some(record) = self.session(no)? else { return Ok(()) };
        let mut record = (*record).clone();
        record.root = moved.into;
        record.leaf = moved.place(record.leaf);
        for label in &mut record.labels {
            label.place = moved.place(label.place);
        }
        for entry in &mut record.entries {
            entry.place = moved.place(entry.place);
        }
        self.put_session(Revised { record, kept: 0, text: None });
        Ok(())
    }

    /// Takes bookmarks and the current place along; what has become hidden gives them to what it follows.
    fn move_bookmarks(&mut self, moved: &Moved) -> Result<()> {
        let is_ours = |place: Place| [moved.from, moved.into].contains(&place.root());
        for mut bookmark in self.plan.bookmarks()? {
            if !is_ours(bookmark.node.into()) {
                continue;
            }
            match self.first_seen(moved.place(bookmark.node.into()))? {
                Place::Node(node) if node == bookmark.node => {}
                Place::Node(node) => {
                    bookmark.node = node;
                    self.plan.set_bookmark(bookmark);
                }
                Place::Root(_) => self.plan.drop_bookmark(&bookmark.title),
            }
        }
        if let Some(current) = self.plan.current()?.filter(|place| is_ours(*place)) {
            let place = self.first_seen(moved.place(current))?;
            if place != current {
                self.plan.set_current(Some(place));
            }
        }
        Ok(())
    }

    /// Returns a place, or the last one before it that can be seen.
    fn first_seen(&self, mut place: Place) -> Result<Place> {
        while let Place::Node(id) = place {
            let node = self.plan.node(id)?;
            if node.is_visible() {
                break;
            }
            place = node.parent;
        }
        Ok(place)
    }
}

/// Where everything went.
struct Moved {
    from: RootId,
    into: RootId,
    nodes: HashMap<NodeId, NodeId>,
}

impl Moved {
    fn node(&self, node: NodeId) -> NodeId {
        self.nodes.get(&node).copied().unwrap_or(node)
    }

    fn place(&self, place: Place) -> Place {
        match place {
            Place::Root(root) if root == self.from => self.into.into(),
            Place::Node(node) => self.node(node).into(),
            other @ Place::Root(_) => other,
        }
    }
}
