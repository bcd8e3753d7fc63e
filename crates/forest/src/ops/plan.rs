//! Changes in the making: the store as it would be after them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pi_brain_session::Millis;

use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::Message;
use crate::node::{Bookmark, Content, Metadata, Node, Order, Removal};
use crate::store::{Change, Store, Which};

/// A store with changes on top that are not committed yet.
pub(crate) struct Plan<'a, S> {
    store: &'a S,
    pub(crate) now: Millis,
    nodes: BTreeMap<NodeId, Node>,
    contents: BTreeMap<NodeId, Content>,
    /// The changed messages by place and content; may name some that have moved on.
    by_key: HashMap<(Place, ContentKey), Vec<NodeId>>,
    by_parent: HashMap<Place, Vec<NodeId>>,
    next: HashMap<RootId, u32>,
    /// Bookmarks that change; `None` for those that go.
    bookmarks: BTreeMap<String, Option<Bookmark>>,
    current: Option<Place>,
    moved_current: bool,
}

impl<'a, S: Store> Plan<'a, S> {
    pub(crate) fn new(store: &'a S, now: Millis) -> Self {
        Self {
            store,
            now,
            nodes: BTreeMap::new(),
            contents: BTreeMap::new(),
            by_key: HashMap::new(),
            by_parent: HashMap::new(),
            next: HashMap::new(),
            bookmarks: BTreeMap::new(),
            current: None,
            moved_current: false,
        }
    }

    /// Returns the changes in an order in which they can be made.
    pub(crate) fn into_changes(self) -> Vec<Change> {
        let nodes = self.nodes.into_values().map(Change::Node);
        let contents = self.contents.into_iter().map(|(id, content)| Change::Content(id, content));
        let bookmarks = self.bookmarks.into_iter().map(|(title, bookmark)| match bookmark {
            Some(bookmark) => Change::Bookmark(bookmark),
            None => Change::DropBookmark(title),
        });
        let current = self.moved_current.then_some(Change::Current(self.current));
        nodes.chain(contents).chain(bookmarks).chain(current).collect()
    }

    pub(crate) fn node(&self, id: NodeId) -> Result<Node> {
        match self.nodes.get(&id) {
            Some(node) => Ok(node.clone()),
            None => {
                let node = self.store.node(id)?.ok_or(ForestError::NodeNotFound(id))?;
                Ok(Arc::unwrap_or_clone(node))
            }
        }
    }

    pub(crate) fn message(&self, id: NodeId) -> Result<Arc<Message>> {
        match self.contents.get(&id) {
            Some(Content::Inline(message)) => Ok(Arc::clone(message)),
            _ => self.store.message(id),
        }
    }

    /// Sets what is known of a message: its place, its notes, whether it can be seen.
    pub(crate) fn put(&mut self, node: Node) {
        self.by_key.entry((node.parent, node.key)).or_default().push(node.id);
        self.by_parent.entry(node.parent).or_default().push(node.id);
        self.nodes.insert(node.id, node);
    }

    /// Sets what a message says; its key has to be put, too.
    pub(crate) fn say(&mut self, id: NodeId, message: Message) {
        self.contents.insert(id, Content::Inline(Arc::new(message)));
    }

    /// Makes a message after `parent`, behind all its siblings.
    pub(crate) fn add(
        &mut self,
        parent: Place,
        message: Message,
        metadata: Metadata,
    ) -> Result<NodeId> {
        let id = self.mint(parent.root())?;
        let key = ContentKey::of(&message);
        let order = self.last_order(id, key)?;
        let role = message.role();
        self.put(Node { id, parent, order, key, role, metadata, removal: None });
        self.say(id, message);
        Ok(id)
    }

    pub(crate) fn mint(&mut self, root: RootId) -> Result<NodeId> {
        let next = match self.next.get(&root) {
            Some(&next) => next,
            None => self.store.next_node(root)?,
        };
        self.next.insert(root, next + 1);
        Ok(NodeId { root, number: next })
    }

    /// Returns the place of the newest among siblings.
    ///
    /// In a family it depends on time and content only, so that the order of imports does not show.
    pub(crate) fn last_order(&self, id: NodeId, key: ContentKey) -> Result<Order> {
        let is_family = self.store.root(id.root)?.is_some_and(|root| root.family.is_some());
        Ok(if is_family {
            Order::new(&[self.now.0, key.rank()])
        } else {
            Order::new(&[i64::from(id.number)])
        })
    }

    /// Finds the visible message with this content after `parent`; of several the lowest id.
    pub(crate) fn find_child(&self, parent: Place, key: ContentKey) -> Result<Option<NodeId>> {
        let planned = self.by_key.get(&(parent, key)).into_iter().flatten().copied();
        let planned = planned.filter(|id| {
            let node = &self.nodes[id];
            node.parent == parent && node.key == key && node.is_visible()
        });
        let stored = match self.store.find_children(&[(parent, key)], Which::Visible)?[0] {
            Some(id) if !self.nodes.contains_key(&id) => Some(id),
            // The one that the store prefers has changed; another may be left.
            Some(_) => {
                let children = self.store.children(parent, Which::Visible)?;
                let unchanged =
                    |node: &&Arc<Node>| node.key == key && !self.nodes.contains_key(&node.id);
                children.iter().find(unchanged).map(|node| node.id)
            }
            None => None,
        };
        Ok(planned.chain(stored).min())
    }

    /// Returns what follows a place, in order; merged ones are never among them.
    pub(crate) fn children(&self, of: Place, which: Which) -> Result<Vec<Node>> {
        let stored = self.store.children(of, Which::All)?.into_iter();
        let stored =
            stored.filter(|node| !self.nodes.contains_key(&node.id)).map(Arc::unwrap_or_clone);
        let mut planned = self.by_parent.get(&of).cloned().unwrap_or_default();
        planned.sort_unstable();
        planned.dedup();
        let planned =
            planned.iter().map(|id| &self.nodes[id]).filter(|node| node.parent == of).cloned();
        let wanted = |node: &Node| match node.removal {
            None => true,
            Some(Removal::Merged(_)) => false,
            Some(_) => which == Which::All,
        };
        let mut children: Vec<Node> = stored.chain(planned).filter(wanted).collect();
        children.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
        Ok(children)
    }

    /// Returns a message and everything visible after it, level by level.
    pub(crate) fn subtree(&self, top: NodeId) -> Result<Vec<Node>> {
        let mut found = vec![self.node(top)?];
        let mut at = 0;
        while at < found.len() {
            let children = self.children(found[at].id.into(), Which::Visible)?;
            found.extend(children);
            at += 1;
        }
        Ok(found)
    }

    /// Puts a message, with all that follows it, after another place.
    ///
    /// If an equal one stands there already, the two become one. Returns the one that stands there now.
    pub(crate) fn settle(&mut self, node: Node) -> Result<NodeId> {
        let twin = self.find_child(node.parent, node.key)?.filter(|twin| *twin != node.id);
        let id = node.id;
        self.put(node);
        match twin {
            Some(twin) => self.merge(id, twin),
            None => Ok(id),
        }
    }

    /// Makes one message of a visible one and an equal sibling, if there is one.
    pub(crate) fn unite(&mut self, id: NodeId) -> Result<()> {
        let node = self.node(id)?;
        let twin = self.find_child(node.parent, node.key)?.filter(|twin| *twin != id);
        if let Some(twin) = twin.filter(|_| node.is_visible()) {
            self.merge(id, twin)?;
        }
        Ok(())
    }

    /// Makes one message of two equal siblings, and so on below them. Returns the one that stays.
    ///
    /// A message of a pi session stays, since sessions refer to it; else the older one.
    pub(crate) fn merge(&mut self, one: NodeId, other: NodeId) -> Result<NodeId> {
        let survivor = self.survivor(one, other)?;
        let mut open = vec![(if survivor == one { other } else { one }, survivor)];
        while let Some((from, into)) = open.pop() {
            for mut child in self.children(from.into(), Which::All)? {
                let twin = if child.is_visible() {
                    self.find_child(into.into(), child.key)?
                } else {
                    None
                };
                let id = child.id;
                child.parent = into.into();
                self.put(child);
                if let Some(twin) = twin {
                    let survivor = self.survivor(id, twin)?;
                    open.push((if survivor == id { twin } else { id }, survivor));
                }
            }
            self.hand_over(from, into)?;
        }
        Ok(survivor)
    }

    fn survivor(&self, one: NodeId, other: NodeId) -> Result<NodeId> {
        let imported = |id| Ok::<_, ForestError>(!self.store.occurrences(id)?.is_empty());
        Ok(match (imported(one)?, imported(other)?) {
            (true, false) => one,
            (false, true) => other,
            _ => one.min(other),
        })
    }

    /// Lets one message stand for another: notes and bookmarks come along.
    fn hand_over(&mut self, from: NodeId, into: NodeId) -> Result<()> {
        let mut gone = self.node(from)?;
        let mut stays = self.node(into)?;
        stays.metadata.absorb(&gone.metadata);
        gone.removal = Some(Removal::Merged(into));
        self.put(gone);
        self.put(stays);
        let bookmarks = self.bookmarks_on(from)?;
        self.move_bookmarks(bookmarks, into);
        if self.current()? == Some(from.into()) {
            self.set_current(Some(into.into()));
        }
        Ok(())
    }

    /// Returns all bookmarks.
    pub(crate) fn bookmarks(&self) -> Result<Vec<Bookmark>> {
        let stored = self.store.bookmarks()?.into_iter();
        let stored = stored.filter(|bookmark| !self.bookmarks.contains_key(&bookmark.title));
        Ok(stored.chain(self.bookmarks.values().flatten().cloned()).collect())
    }

    /// Returns the bookmarks of a message.
    pub(crate) fn bookmarks_on(&self, node: NodeId) -> Result<Vec<Bookmark>> {
        Ok(self.bookmarks()?.into_iter().filter(|bookmark| bookmark.node == node).collect())
    }

    /// Moves bookmarks to a message, and returns their names.
    pub(crate) fn move_bookmarks(&mut self, bookmarks: Vec<Bookmark>, to: NodeId) -> Vec<String> {
        let titles = bookmarks.iter().map(|bookmark| bookmark.title.clone()).collect();
        for bookmark in bookmarks {
            self.set_bookmark(Bookmark { node: to, updated: self.now, ..bookmark });
        }
        titles
    }

    pub(crate) fn set_bookmark(&mut self, bookmark: Bookmark) {
        self.bookmarks.insert(bookmark.title.clone(), Some(bookmark));
    }

    pub(crate) fn drop_bookmark(&mut self, title: &str) {
        self.bookmarks.insert(title.to_owned(), None);
    }

    pub(crate) fn current(&self) -> Result<Option<Place>> {
        if self.moved_current { Ok(self.current) } else { self.store.current() }
    }

    pub(crate) fn set_current(&mut self, place: Option<Place>) {
        self.current = place;
        self.moved_current = true;
    }
}
