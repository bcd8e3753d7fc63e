//! Deleting messages, which hides them, and bringing them back.

use std::collections::{BTreeSet, HashSet};

use pi_brain_session::Millis;
use serde_json::Value;

use super::Plan;
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place, RootId};
use crate::message::{Object, Role};
use crate::node::{Bookmark, Node, Order, Removal};
use crate::store::{Change, Store, Which};

/// What goes with a deleted message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Everything that follows it.
    Cascade,
    /// Nothing: what follows takes its place.
    Reparent,
}

/// What a deletion did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// What the deleted messages followed, one for each message that was asked for and found.
    pub parents: Vec<Place>,
    /// All messages that cannot be seen any more.
    pub removed: Vec<NodeId>,
    /// The bookmarks that are gone.
    pub dropped_bookmarks: Vec<Bookmark>,
    /// The bookmarks that went to the message before.
    pub moved_bookmarks: Vec<Bookmark>,
}

/// What a restoration did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The message that is back; an equal one, if that was written in the meantime.
    pub node: NodeId,
    /// All messages that can be seen again.
    pub shown: Vec<NodeId>,
    /// Messages that had taken its place and follow it again.
    pub moved_back: Vec<NodeId>,
}

impl<S: Store> Forest<S> {
    /// Deletes messages. They are only hidden, and [`Forest::restore`] brings them back.
    ///
    /// Names of messages that are not there are passed over, and their order does not matter. Unless forced, it is
    /// refused while a bookmark, a pi session's label, or custom data of a message that stays refers to something
    /// that would go. A bookmark on a message that goes alone moves to the message before; one on a message that
    /// goes with what follows is dropped. A call cannot go alone while results of it follow, be they deleted or not.
    pub fn delete(
        &mut self,
        places: &[Place],
        deletion: Deletion,
        force: bool,
        now: Millis,
    ) -> Result<Deleted> {
        let mut tops: Vec<(usize, NodeId)> = Vec::new();
        let mut deleted = Deleted::default();
        for place in places {
            match *place {
                Place::Root(root) => return Err(ForestError::RootProtected(root)),
                Place::Node(id) => match self.node(id) {
                    Ok(node) => {
                        tops.push((self.path(None, node.id.into())?.len(), node.id));
                        deleted.parents.push(node.parent);
                    }
                    Err(ForestError::NodeNotFound(_) | ForestError::NodeDeleted(_)) => {}
                    Err(error) => return Err(error),
                },
            }
        }
        // The order in which they are named does not matter.
        tops.sort_unstable();
        tops.dedup();
        let tops: Vec<NodeId> = tops.into_iter().map(|(_, id)| id).collect();
        let mut plan = Plan::new(&self.store, now);
        let going = self.going(&tops, deletion)?;
        if !force {
            self.refuse_if_referenced(&going)?;
        }
        match deletion {
            Deletion::Cascade => cascade(&mut plan, &tops, &mut deleted)?,
            Deletion::Reparent => self.reparent(&mut plan, &tops, &mut deleted)?,
        }
        let changes = plan.into_changes();
        if !changes.is_empty() {
            self.store.commit(changes)?;
        }
        Ok(deleted)
    }

    /// Returns everything that a deletion hides.
    fn going(&self, tops: &[NodeId], deletion: Deletion) -> Result<BTreeSet<NodeId>> {
        let mut going: BTreeSet<NodeId> = tops.iter().copied().collect();
        if deletion == Deletion::Cascade {
            let mut open = tops.to_vec();
            while let Some(id) = open.pop() {
                for child in self.store.children(id.into(), Which::Visible)? {
                    if going.insert(child.id) {
                        open.push(child.id);
                    }
                }
            }
        }
        Ok(going)
    }

    fn refuse_if_referenced(&self, going: &BTreeSet<NodeId>) -> Result<()> {
        let mut references: Vec<(NodeId, String)> = Vec::new();
        for bookmark in self.store.bookmarks()? {
            references.push((bookmark.node, format!("the bookmark {:?}", bookmark.title)));
        }
        for session in self.store.sessions()? {
            for label in &session.labels {
                let words = || format!("the label {:?} of session {}", label.text, session.id);
                references.extend(label.place.node().map(|node| (node, words())));
            }
        }
        for root in self.roots()? {
            for node in self.store.nodes(root.id)? {
                if node.is_visible() && !going.contains(&node.id) {
                    let named = named_in(&node.metadata.custom_data).into_iter();
                    references.extend(named.map(|id| (id, format!("custom data of {}", node.id))));
                }
            }
        }
        // The name of a merged message stands for the one that is left.
        for (node, _) in &mut references {
            *node = self.node_or_removed(*node).map_or(*node, |found| found.id);
        }
        references.retain(|(node, _)| going.contains(node));
        match references.first() {
            None => Ok(()),
            Some(&(node, _)) => {
                let by = references.into_iter().filter(|(other, _)| *other == node);
                Err(ForestError::Referenced { node, by: by.map(|(_, words)| words).collect() })
            }
        }
    }

    fn reparent(
        &self,
        plan: &mut Plan<'_, S>,
        tops: &[NodeId],
        deleted: &mut Deleted,
    ) -> Result<()> {
        // All of them go before anything moves, so that nothing that stays becomes one with something that goes.
        for &id in tops {
            if self.is_imported(id)? {
                return Err(ForestError::Imported(id));
            }
            let mut node = plan.node(id)?;
            node.removal = Some(Removal::Deleted { at: plan.now });
            plan.put(node);
            deleted.removed.push(id);
        }
        // The last ones first: what follows several of them takes the place of one after the other.
        for &id in tops.iter().rev() {
            if has_results(plan, id)? {
                return Err(ForestError::HasResults(id));
            }
            take_place_of(plan, id)?;
        }
        let going: HashSet<NodeId> = tops.iter().copied().collect();
        for bookmark in plan.bookmarks()?.into_iter().filter(|mark| going.contains(&mark.node)) {
            match place_before(plan, bookmark.node)? {
                Place::Node(node) => {
                    let moved = Bookmark { node, updated: plan.now, ..bookmark };
                    plan.set_bookmark(moved.clone());
                    deleted.moved_bookmarks.push(moved);
                }
                Place::Root(_) => {
                    plan.drop_bookmark(&bookmark.title);
                    deleted.dropped_bookmarks.push(bookmark);
                }
            }
        }
        if let Some(Place::Node(current)) = plan.current()?
            && going.contains(&current)
        {
            let before = place_before(plan, current)?;
            plan.set_current(Some(before));
        }
        Ok(())
    }

    /// Brings a deleted message back, with everything that went with it, to the place where it was.
    ///
    /// What it followed must be there. Bookmarks that were dropped stay dropped. If the same was written there again
    /// meanwhile, the two become one. What took its place follows it again, unless that became one with another.
    pub fn restore(&mut self, id: NodeId, now: Millis) -> Result<Restored> {
        let node = self.node_or_removed(id)?;
        self.root(node.id.root())?;
        match &node.removal {
            None => return Err(ForestError::NotDeleted(node.id)),
            Some(Removal::With(with)) => {
                return Err(ForestError::DeletedWith { node: node.id, with: *with });
            }
            Some(Removal::Deleted { .. }) => {}
            Some(Removal::Merged(_)) => unreachable!("a merged message stands for another"),
        }
        if let Place::Node(parent) = node.parent {
            self.node(parent)?;
        }
        let mut plan = Plan::new(&self.store, now);
        let mut shown = vec![node.id];
        let mut open = vec![node.id];
        while let Some(at) = open.pop() {
            for mut child in plan.children(at.into(), Which::All)? {
                if child.removal == Some(Removal::With(node.id)) {
                    child.removal = None;
                    shown.push(child.id);
                    open.push(child.id);
                    plan.put(child);
                }
            }
        }
        let moved_back = self.give_place_back(&mut plan, &node)?;
        let mut back = (*node).clone();
        back.removal = None;
        let id = plan.settle(back)?;
        // While they were hidden, imports may have brought equal ones beside them.
        for &child in shown.iter().chain(&moved_back) {
            plan.unite(child)?;
        }
        self.store.commit(plan.into_changes())?;
        Ok(Restored { node: id, shown, moved_back })
    }

    /// Lets what took the place of a deleted message follow it again, and returns what that is.
    ///
    /// Whatever took its place starts with its order, be it visible or deleted since. A message that became one with
    /// another stays where it is: the other never followed the deleted one.
    fn give_place_back(&self, plan: &mut Plan<'_, S>, node: &Node) -> Result<Vec<NodeId>> {
        let came_from_node = |sibling: &Node| {
            let order = sibling.order.outside(&node.order);
            (order != sibling.order && order != Order::default()).then_some(order)
        };
        let mut staying: HashSet<NodeId> = HashSet::new();
        for sibling in self.store.children(node.parent, Which::All)? {
            let is_merged = matches!(sibling.removal, Some(Removal::Merged(_)));
            if is_merged && came_from_node(&sibling).is_none() {
                staying.insert(self.node_or_removed(sibling.id)?.id);
            }
        }
        let mut moved_back = Vec::new();
        for mut child in plan.children(node.parent, Which::All)? {
            if let Some(order) = came_from_node(&child)
                && !staying.contains(&child.id)
            {
                child.parent = node.id.into();
                child.order = order;
                moved_back.extend(child.is_visible().then_some(child.id));
                plan.put(child);
            }
        }
        Ok(moved_back)
    }

    /// Deletes a whole tree; [`Forest::restore_root`] brings it back.
    pub fn delete_root(&mut self, root: RootId, now: Millis) -> Result<()> {
        let mut gone = (*self.root(root)?).clone();
        gone.deleted = Some(now);
        let mut changes = vec![];
        if self.store.current()?.is_some_and(|place| place.root() == gone.id) {
            changes.push(Change::Current(None));
        }
        changes.push(Change::Root(gone));
        self.store.commit(changes)
    }

    /// Brings a deleted tree back.
    pub fn restore_root(&mut self, root: RootId) -> Result<()> {
        let mut back = (*self.store.root(root)?.ok_or(ForestError::RootNotFound(root))?).clone();
        if back.deleted.take().is_none() {
            return Err(ForestError::RootNotDeleted(root));
        }
        self.store.commit(vec![Change::Root(back)])
    }

    /// Returns what can be restored: the messages that somebody deleted, newest deletion first.
    pub fn deleted(&self) -> Result<Vec<std::sync::Arc<Node>>> {
        let mut deleted = Vec::new();
        for root in self.roots()? {
            deleted.extend(self.store.nodes(root.id)?.into_iter().filter_map(|node| {
                match node.removal {
                    Some(Removal::Deleted { at, .. }) => Some((at, node)),
                    _ => None,
                }
            }));
        }
        deleted.sort_by_key(|(at, node)| std::cmp::Reverse((*at, node.id)));
        Ok(deleted.into_iter().map(|(_, node)| node).collect())
    }
}

/// Hides messages with everything that follows them.
fn cascade<S: Store>(plan: &mut Plan<'_, S>, tops: &[NodeId], deleted: &mut Deleted) -> Result<()> {
    for &id in tops {
        let top = plan.node(id)?;
        if !top.is_visible() {
            // It went with one before it.
            continue;
        }
        let subtree = plan.subtree(id)?;
        let going: HashSet<NodeId> = subtree.iter().map(|node| node.id).collect();
        for mut node in subtree {
            node.removal = Some(if node.id == id {
                Removal::Deleted { at: plan.now }
            } else {
                Removal::With(id)
            });
            deleted.removed.push(node.id);
            plan.put(node);
        }
        for bookmark in plan.bookmarks()?.into_iter().filter(|mark| going.contains(&mark.node)) {
            plan.drop_bookmark(&bookmark.title);
            deleted.dropped_bookmarks.push(bookmark);
        }
        if let Some(Place::Node(current)) = plan.current()?
            && going.contains(&current)
        {
            plan.set_current(Some(top.parent));
        }
    }
    Ok(())
}

/// Lets what follows a hidden message take its place. What was deleted after it stays there: it can come back when
/// the message is back.
fn take_place_of<S: Store>(plan: &mut Plan<'_, S>, id: NodeId) -> Result<()> {
    let children = plan.children(id.into(), Which::Visible)?;
    let Node { parent, order, .. } = plan.node(id)?;
    for mut child in children {
        child.parent = parent;
        child.order = child.order.within(&order);
        plan.settle(child)?;
    }
    Ok(())
}

/// Returns the last place before a message that can still be seen.
fn place_before<S: Store>(plan: &Plan<'_, S>, id: NodeId) -> Result<Place> {
    let mut at = plan.node(id)?.parent;
    while let Place::Node(id) = at {
        let node = plan.node(id)?;
        if node.is_visible() {
            break;
        }
        at = node.parent;
    }
    Ok(at)
}

/// Returns whether moving up what follows a message would part results of its calls from it. Results that were
/// deleted count, since they may come back.
fn has_results<S: Store>(plan: &Plan<'_, S>, id: NodeId) -> Result<bool> {
    let message = plan.message(id)?;
    let calls: HashSet<&str> = message.call_ids().collect();
    if calls.is_empty() {
        return Ok(false);
    }
    let mut open = plan.children(id.into(), Which::Visible)?;
    while let Some(node) = open.pop() {
        if node.role == Role::Tool
            && plan.message(node.id)?.tool_call_id().is_some_and(|call| calls.contains(call))
        {
            return Ok(true);
        }
        open.extend(plan.children(node.id.into(), Which::All)?);
    }
    Ok(false)
}

/// Returns the messages whose ids stand somewhere in custom data.
fn named_in(custom_data: &Object) -> Vec<NodeId> {
    let mut named = Vec::new();
    let mut open: Vec<&Value> = custom_data.values().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => named.extend(text.parse::<NodeId>().ok()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    named
}
