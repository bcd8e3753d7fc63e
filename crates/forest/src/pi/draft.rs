//! An import in the making: the store as it would be after it.
//!
//! A [`Plan`] knows messages, bookmarks and the current place. What only imports change stands here: sessions,
//! families, and messages that go for good.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use pi_brain_session::Millis;

use crate::error::{ForestError, Result};
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::Role;
use crate::node::{Content, Metadata, Node, Order, Removal, Root};
use crate::ops::Plan;
use crate::sessions::{SessionNo, SessionRecord, SessionText};
use crate::store::{Change, SessionChange, Store, Which};

pub(super) struct Draft<'a, S> {
    pub(super) store: &'a S,
    pub(super) plan: Plan<'a, S>,
    /// The messages that are made here: the store knows nothing of what follows them.
    made: HashSet<NodeId>,
    made_by_key: HashMap<(Place, ContentKey), NodeId>,
    contents: BTreeMap<NodeId, Content>,
    dropped: BTreeSet<NodeId>,
    roots: BTreeMap<RootId, Root>,
    sessions: BTreeMap<SessionNo, Option<Revised>>,
}

/// A session as it will be.
pub(super) struct Revised {
    /// With the entries from `kept` on.
    pub(super) record: SessionRecord,
    /// How many of the entries known before stay as they are.
    pub(super) kept: usize,
    /// Where its bytes are, if they are not those known before.
    pub(super) text: Option<SessionText>,
}

impl<'a, S: Store> Draft<'a, S> {
    pub(super) fn new(store: &'a S, now: Millis) -> Self {
        Self {
            store,
            plan: Plan::new(store, now),
            made: HashSet::new(),
            made_by_key: HashMap::new(),
            contents: BTreeMap::new(),
            dropped: BTreeSet::new(),
            roots: BTreeMap::new(),
            sessions: BTreeMap::new(),
        }
    }

    /// Returns the changes in an order in which they can be made.
    pub(super) fn into_changes(self) -> Vec<Change> {
        let dropped = &self.dropped;
        let stays = |change: &Change| match change {
            Change::Node(node) => !dropped.contains(&node.id),
            Change::Content(id, _) => !dropped.contains(id),
            _ => true,
        };
        let contents = self.contents.into_iter().map(|(id, content)| Change::Content(id, content));
        let sessions = self.sessions.into_iter().map(|(no, revised)| match revised {
            Some(Revised { record, kept, text }) => {
                Change::Session(SessionChange { record, kept, text })
            }
            None => Change::DropSession(no),
        });
        let roots = self.roots.into_values().map(Change::Root);
        let messages = self.plan.into_changes().into_iter().chain(contents).filter(stays);
        let drops = dropped.iter().copied().map(Change::DropNode);
        roots.chain(messages).chain(sessions).chain(drops).collect()
    }

    pub(super) fn root(&self, id: RootId) -> Result<Root> {
        match self.roots.get(&id) {
            Some(root) => Ok(root.clone()),
            None => {
                Ok(Arc::unwrap_or_clone(self.store.root(id)?.ok_or(ForestError::RootNotFound(id))?))
            }
        }
    }

    pub(super) fn put_root(&mut self, root: Root) {
        self.roots.insert(root.id, root);
    }

    /// Returns the record of a session as it will be, with all its entries.
    pub(super) fn session(&self, no: SessionNo) -> Result<Option<Arc<SessionRecord>>> {
        let stored = self.store.session(no)?;
        match (self.sessions.get(&no), stored) {
            (None, stored) => Ok(stored),
            (Some(None), _) => Ok(None),
            (Some(Some(revised)), stored) => {
                let mut record = revised.record.clone();
                if let Some(stored) = stored {
                    let kept = stored.entries[..revised.kept].to_vec();
                    record.entries.splice(0..0, kept);
                }
                Ok(Some(Arc::new(record)))
            }
        }
    }

    pub(super) fn put_session(&mut self, revised: Revised) {
        self.sessions.insert(revised.record.no, Some(revised));
    }

    pub(super) fn drop_session(&mut self, no: SessionNo) {
        self.sessions.insert(no, None);
    }

    /// Returns where sessions say what messages say, for all messages at once.
    pub(super) fn occurrences(&self) -> Occurrences<'_, 'a, S> {
        let mut new: HashMap<NodeId, Vec<(SessionNo, u32)>> = HashMap::new();
        for (&no, revised) in &self.sessions {
            let Some(revised) = revised else { continue };
            let first = u32::try_from(revised.kept).unwrap_or(u32::MAX);
            for (entry, at) in revised.record.entries.iter().zip(first..) {
                if let (true, Place::Node(node)) = (entry.own, entry.place) {
                    new.entry(node).or_default().push((no, at));
                }
            }
        }
        Occurrences { draft: self, new }
    }

    /// Returns where the text of a message is.
    pub(super) fn content(&self, id: NodeId) -> Result<Option<Content>> {
        match self.contents.get(&id) {
            Some(content) => Ok(Some(content.clone())),
            None => self.store.content(id),
        }
    }

    pub(super) fn put_content(&mut self, id: NodeId, content: Content) {
        self.contents.insert(id, content);
    }

    /// Returns whether a message comes from a session, be it one that is being imported.
    pub(super) fn is_imported(&self, id: NodeId) -> Result<bool> {
        let points_to_session = matches!(self.content(id)?, Some(Content::Imported { .. }));
        Ok(points_to_session || !self.store.occurrences(id)?.is_empty())
    }

    /// Finds what says something after a place, deleted or not, for many places at once.
    pub(super) fn find(&self, wanted: &[(Place, ContentKey)]) -> Result<Vec<Option<NodeId>>> {
        let mut found: Vec<Option<NodeId>> =
            wanted.iter().map(|wanted| self.made_by_key.get(wanted).copied()).collect();
        let is_open = |&at: &usize| {
            let made_here = wanted[at].0.node().is_some_and(|node| self.made.contains(&node));
            found[at].is_none() && !made_here
        };
        let open: Vec<usize> = (0..wanted.len()).filter(is_open).collect();
        if !open.is_empty() {
            let asked: Vec<(Place, ContentKey)> = open.iter().map(|&at| wanted[at]).collect();
            for (at, stored) in open.into_iter().zip(self.store.find_children(&asked, Which::All)?)
            {
                found[at] = stored;
            }
        }
        Ok(found)
    }

    /// Makes a message. What follows a deleted message is deleted with it.
    pub(super) fn make(
        &mut self,
        parent: Place,
        (key, role): (ContentKey, Role),
        metadata: Metadata,
        content: Content,
    ) -> Result<NodeId> {
        let id = self.plan.mint(parent.root())?;
        let removal = self.hidden_by(parent)?.map(Removal::With);
        let order = Order::in_family(metadata.created, key);
        self.plan.put(Node { id, parent, order, key, role, metadata, removal });
        self.made.insert(id);
        self.made_by_key.insert((parent, key), id);
        self.contents.insert(id, content);
        Ok(id)
    }

    /// Lets another message be found in a place where one was made.
    pub(super) fn find_instead(&mut self, parent: Place, key: ContentKey, found: Option<NodeId>) {
        match found {
            Some(found) => self.made_by_key.insert((parent, key), found),
            None => self.made_by_key.remove(&(parent, key)),
        };
    }

    /// Returns the deleted message because of which a place cannot be seen.
    pub(super) fn hidden_by(&self, place: Place) -> Result<Option<NodeId>> {
        let Place::Node(id) = place else { return Ok(None) };
        Ok(match self.plan.node(id)?.removal {
            Some(Removal::Deleted { .. }) => Some(id),
            Some(Removal::With(top)) => Some(top),
            Some(Removal::Merged(_)) | None => None,
        })
    }

    /// Sets when a message was first said, on which its place among its siblings depends.
    pub(super) fn date(&mut self, id: NodeId, created: Option<Millis>) -> Result<()> {
        let mut node = self.plan.node(id)?;
        if node.metadata.created == created {
            return Ok(());
        }
        // A message that somebody moved stays where it was moved to.
        if node.order == Order::in_family(node.metadata.created, node.key) {
            node.order = Order::in_family(created, node.key);
        }
        node.metadata.created = created;
        self.plan.put(node);
        Ok(())
    }

    /// Takes a message out for good.
    pub(super) fn drop_node(&mut self, id: NodeId) {
        self.dropped.insert(id);
    }

    pub(super) fn is_dropped(&self, id: NodeId) -> bool {
        self.dropped.contains(&id)
    }
}

/// Where sessions say what messages say, after the import.
pub(super) struct Occurrences<'d, 'a, S> {
    draft: &'d Draft<'a, S>,
    new: HashMap<NodeId, Vec<(SessionNo, u32)>>,
}

impl<S: Store> Occurrences<'_, '_, S> {
    pub(super) fn of(&self, node: NodeId) -> Result<Vec<(SessionNo, u32)>> {
        let mut occurrences = self.draft.store.occurrences(node)?;
        occurrences.retain(|(no, at)| match self.draft.sessions.get(no) {
            None => true,
            Some(Some(revised)) => (*at as usize) < revised.kept,
            Some(None) => false,
        });
        occurrences.extend(self.new.get(&node).into_iter().flatten());
        Ok(occurrences)
    }

    /// Returns the earliest time that any session gives to a message.
    pub(super) fn earliest(&self, occurrences: &[(SessionNo, u32)]) -> Result<Option<Millis>> {
        let mut earliest: Option<Millis> = None;
        for &(no, at) in occurrences {
            let time = match self.draft.sessions.get(&no) {
                Some(Some(revised)) if at as usize >= revised.kept => {
                    revised.record.entries[at as usize - revised.kept].time
                }
                _ => {
                    let record = self.draft.store.session(no)?;
                    record.and_then(|record| record.entries.get(at as usize)?.time)
                }
            };
            earliest = earliest.into_iter().chain(time).min();
        }
        Ok(earliest)
    }
}
