//! The engine: what can be asked of a forest. What changes it is in [`ops`](crate::ops).

use std::collections::VecDeque;
use std::sync::Arc;

use pi_brain_session::Millis;
use serde::Serialize;

use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::message::{Message, Role};
use crate::node::{Node, Removal, Root};
use crate::store::{Change, Store, Which};
use crate::title::auto_title;

/// Conversations as trees, kept in a store.
///
/// Every change is planned first, with all its checks, and then committed as a whole. Whoever shares a
/// forest between threads puts it behind a lock: changes take `&mut self`, so they come one after the other.
///
/// Ids of messages that were merged with an equal one stay good: they stand for the one that is left.
#[derive(Debug)]
pub struct Forest<S> {
    pub(crate) store: S,
}

/// Longer chains of "this one stands for that one" run in a circle.
const MOST_REDIRECTS: usize = 1 << 20;

/// A tree without its content, for drawing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeStructure {
    /// A root or a message.
    pub id: Place,
    /// What it follows; a root follows nothing.
    pub parent: Option<Place>,
    /// What follows it, in order.
    pub children: Vec<NodeId>,
    /// When it was made.
    pub created: Option<Millis>,
    /// `system` for a root.
    pub role: &'static str,
}

impl<S: Store> Forest<S> {
    /// Takes a store.
    pub fn new(store: S) -> Self {
        Self { store }
    }

    /// Returns the store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Returns the store, for what only this kind of store can do.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Gives the store back.
    pub fn into_store(self) -> S {
        self.store
    }

    /// Finds the root with exactly this system prompt, or makes it. No prompt is not an empty prompt.
    pub fn find_or_create_root(&mut self, prompt: Option<&str>, now: Millis) -> Result<RootId> {
        let fits = |root: &&Arc<Root>| {
            root.deleted.is_none()
                && root.family.is_none()
                && root.joined.is_none()
                && root.system_prompt.as_deref() == prompt
        };
        if let Some(root) = self.store.roots()?.iter().find(fits) {
            return Ok(root.id);
        }
        let id = RootId(self.store.next_root()?);
        let system_prompt = prompt.map(str::to_owned);
        let root =
            Root { id, created: now, system_prompt, family: None, deleted: None, joined: None };
        self.store.commit(vec![Change::Root(root)])?;
        Ok(id)
    }

    /// Returns the roots that are there, oldest first.
    pub fn roots(&self) -> Result<Vec<Arc<Root>>> {
        let mut roots = self.store.roots()?;
        roots.retain(|root| root.deleted.is_none() && root.joined.is_none());
        Ok(roots)
    }

    /// Returns a root that is there; a joined one stands for the one it was joined with.
    pub fn root(&self, id: RootId) -> Result<Arc<Root>> {
        let mut at = id;
        for _ in 0..MOST_REDIRECTS {
            let root = self.store.root(at)?.ok_or(ForestError::RootNotFound(at))?;
            match (root.joined, root.deleted) {
                (Some(joined), _) => at = joined,
                (None, Some(_)) => return Err(ForestError::RootDeleted(at)),
                (None, None) => return Ok(root),
            }
        }
        Err(ForestError::RootNotFound(id))
    }

    /// Returns a message that takes part in its tree.
    pub fn node(&self, id: NodeId) -> Result<Arc<Node>> {
        let node = self.node_or_removed(id)?;
        self.root(node.id.root)?;
        match node.removal {
            Some(_) => Err(ForestError::NodeDeleted(node.id)),
            None => Ok(node),
        }
    }

    /// Returns a message, deleted or not; a merged one stands for the one it was merged with.
    pub(crate) fn node_or_removed(&self, id: NodeId) -> Result<Arc<Node>> {
        let mut at = id;
        for _ in 0..MOST_REDIRECTS {
            let node = self.store.node(at)?.ok_or(ForestError::NodeNotFound(at))?;
            match node.removal {
                Some(Removal::Merged(into)) => at = into,
                _ => return Ok(node),
            }
        }
        Err(ForestError::BrokenPath(id))
    }

    /// Checks that a place is there, and returns it by its own name.
    pub fn place(&self, place: Place) -> Result<Place> {
        match place {
            Place::Root(root) => self.root(root).map(|root| Place::Root(root.id)),
            Place::Node(node) => self.node(node).map(|node| Place::Node(node.id)),
        }
    }

    /// Returns what a message says.
    pub fn message(&self, id: NodeId) -> Result<Arc<Message>> {
        let node = self.node(id)?;
        self.store.message(node.id)
    }

    /// Returns the messages that lead to a place, oldest first, both ends included.
    ///
    /// They start at `from`, which must come before; a root stands before the first message of its tree.
    pub fn path(&self, from: Option<Place>, to: Place) -> Result<Vec<Arc<Node>>> {
        let to = self.place(to)?;
        let from = from.map(|from| self.place(from)).transpose()?;
        let mut path = self.path_up(to)?;
        if let Some(from @ Place::Node(start)) = from {
            let end = path.iter().position(|node| node.id == start);
            path.truncate(end.ok_or(ForestError::NotAnAncestor { ancestor: from, node: to })? + 1);
        } else if let Some(from) = from.filter(|from| from.root() != to.root()) {
            return Err(ForestError::NotAnAncestor { ancestor: from, node: to });
        }
        path.reverse();
        Ok(path)
    }

    /// Walks from a place to its root, the place itself first.
    fn path_up(&self, to: Place) -> Result<Vec<Arc<Node>>> {
        let Place::Node(start) = to else { return Ok(Vec::new()) };
        // No path can be longer than there are messages: a longer one runs in a circle.
        let longest = self.store.next_node(start.root)?;
        let mut path: Vec<Arc<Node>> = Vec::new();
        let mut at = to;
        while let Place::Node(id) = at {
            let node = self.store.node(id)?.filter(|node| node.is_visible());
            let node = node.ok_or(ForestError::BrokenPath(start))?;
            if path.len() >= longest as usize {
                return Err(ForestError::BrokenPath(start));
            }
            at = node.parent;
            path.push(node);
        }
        Ok(path)
    }

    /// Returns what is said on the way to a place, as it is stored.
    pub fn messages(&self, to: Place) -> Result<Vec<Arc<Message>>> {
        self.path(None, to)?.iter().map(|node| self.store.message(node.id)).collect()
    }

    /// Returns what follows a place, in order.
    pub fn children(&self, of: Place) -> Result<Vec<Arc<Node>>> {
        let of = self.place(of)?;
        self.store.children(of, Which::Visible)
    }

    /// Returns the other messages that follow the same place, in order.
    pub fn siblings(&self, of: NodeId) -> Result<Vec<Arc<Node>>> {
        let node = self.node(of)?;
        let mut siblings = self.store.children(node.parent, Which::Visible)?;
        siblings.retain(|sibling| sibling.id != node.id);
        Ok(siblings)
    }

    /// Returns a message and what follows it, level by level, down to `depth`; all of it without one.
    ///
    /// A root itself is not among them: what follows it is at depth 1.
    pub fn subtree(&self, from: Place, depth: Option<usize>) -> Result<Vec<Arc<Node>>> {
        let mut found = Vec::new();
        let mut open: VecDeque<(Arc<Node>, usize)> = VecDeque::new();
        match self.place(from)? {
            Place::Node(node) => {
                // Whatever follows a message that reaches its root cannot run in a circle.
                let path = self.path_up(node.into())?;
                open.extend(path.into_iter().next().map(|node| (node, 0)));
            }
            root @ Place::Root(_) if depth != Some(0) => {
                open.extend(
                    self.store.children(root, Which::Visible)?.into_iter().map(|node| (node, 1)),
                );
            }
            Place::Root(_) => {}
        }
        while let Some((node, at)) = open.pop_front() {
            if depth.is_none_or(|depth| at < depth) {
                let children = self.store.children(node.id.into(), Which::Visible)?;
                open.extend(children.into_iter().map(|child| (child, at + 1)));
            }
            found.push(node);
        }
        Ok(found)
    }

    /// Returns the newest ends of conversations, newest first; of equally old ones the later made.
    pub fn recent_leaves(&self, count: usize) -> Result<Vec<Arc<Node>>> {
        let mut leaves = Vec::new();
        for root in self.roots()? {
            for node in self.store.nodes(root.id)? {
                if node.is_visible()
                    && self.store.children(node.id.into(), Which::Visible)?.is_empty()
                {
                    leaves.push(node);
                }
            }
        }
        leaves.sort_by_key(|leaf| std::cmp::Reverse((leaf.metadata.created, leaf.id)));
        leaves.truncate(count);
        Ok(leaves)
    }

    /// Returns the shape of a tree, or of all trees, without any content: each root, then what follows it.
    pub fn topology(&self, root: Option<RootId>) -> Result<Vec<NodeStructure>> {
        let roots = match root {
            Some(root) => vec![self.root(root)?],
            None => self.roots()?,
        };
        let mut shape = Vec::new();
        for root in roots {
            shape.push(NodeStructure {
                id: root.id.into(),
                parent: None,
                children: self.child_ids(root.id.into())?,
                created: Some(root.created),
                role: "system",
            });
            for node in self.subtree(root.id.into(), None)? {
                shape.push(NodeStructure {
                    id: node.id.into(),
                    parent: Some(node.parent),
                    children: self.child_ids(node.id.into())?,
                    created: node.metadata.created,
                    role: node.role.as_str(),
                });
            }
        }
        Ok(shape)
    }

    fn child_ids(&self, of: Place) -> Result<Vec<NodeId>> {
        Ok(self.store.children(of, Which::Visible)?.iter().map(|node| node.id).collect())
    }

    /// Returns what to call a message: its title; a leaf's automatic title; else how it begins.
    pub fn title(&self, node: &Node) -> Result<String> {
        if let Some(title) = &node.metadata.title {
            return Ok(title.clone());
        }
        if let Some(title) = &node.metadata.auto_title
            && self.store.children(node.id.into(), Which::Visible)?.is_empty()
        {
            return Ok(title.clone());
        }
        Ok(auto_title(&*self.store.message(node.id)?))
    }

    /// Returns where the user is: where the next message goes if nobody says otherwise.
    pub fn current(&self) -> Result<Option<Place>> {
        self.store.current()
    }

    /// Returns whether a message comes from a pi session, so that it stays as it is.
    pub fn is_imported(&self, node: NodeId) -> Result<bool> {
        Ok(!self.store.occurrences(node)?.is_empty())
    }

    /// Finds where two conversations of one tree part, and what each says from there on.
    pub fn diff(&self, left: Place, right: Place) -> Result<Diff> {
        let (left, right) = (self.place(left)?, self.place(right)?);
        if left.root() != right.root() {
            return Err(ForestError::DifferentTrees(left, right));
        }
        let (mut ours, mut theirs) = (self.path(None, left)?, self.path(None, right)?);
        let shared = ours.iter().zip(&theirs).take_while(|(one, other)| one.id == other.id).count();
        let base = match shared.checked_sub(1) {
            Some(last) => Place::Node(ours[last].id),
            None => Place::Root(left.root()),
        };
        Ok(Diff { base, shared, left: ours.split_off(shared), right: theirs.split_off(shared) })
    }
}

/// Two conversations, from where they part.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The last place that both share.
    pub base: Place,
    /// How many messages lead there.
    pub shared: usize,
    /// What only the left one says.
    pub left: Vec<Arc<Node>>,
    /// What only the right one says.
    pub right: Vec<Arc<Node>>,
}

impl Diff {
    /// Returns how often a person spoke on the left and on the right.
    pub fn turns(&self) -> (usize, usize) {
        let turns =
            |nodes: &[Arc<Node>]| nodes.iter().filter(|node| node.role == Role::User).count();
        (turns(&self.left), turns(&self.right))
    }
}
