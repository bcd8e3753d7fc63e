//! What goes when a session goes, or when a file says something else than before.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use pi_brain_session::Millis;

use super::draft::Draft;
use super::families::{Age, Families};
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::{Block, Message, Role};
use crate::node::{Content, Node, Removal};
use crate::sessions::SessionNo;
use crate::store::{Store, Which};

impl<S: Store> Forest<S> {
    /// Forgets a session, and every message that nobody needs without it.
    ///
    /// What another session says, what was said by hand, what has a bookmark, and whatever leads there stays.
    /// Returns how many messages went.
    pub fn remove_session(&mut self, no: SessionNo, now: Millis) -> Result<usize> {
        let unknown = || ForestError::SessionNotFound(format!("number {}", no.0));
        let record = self.store.session(no)?.ok_or_else(unknown)?;
        let mut families = Families::of(&self.store)?;
        let mut draft = Draft::new(&self.store, now);
        draft.drop_session(no);
        let own = record.entries.iter().filter(|entry| entry.own);
        let lost: BTreeSet<NodeId> = own.filter_map(|entry| entry.place.node()).collect();
        let gone = draft.let_go(record.root, no, &lost)?;
        draft.rename_family(record.root, families.oldest(record.root, Some(no)))?;
        self.store.commit(draft.into_changes())?;
        families.remove(no);
        self.moor(record.root, &mut families, now)?;
        Ok(gone)
    }
}

impl<S: Store> Draft<'_, S> {
    /// Takes in that session `no` does not say these messages where it did, if at all. Returns how many went.
    pub(super) fn let_go(
        &mut self,
        root: RootId,
        no: SessionNo,
        lost: &BTreeSet<NodeId>,
    ) -> Result<usize> {
        let occurrences = self.occurrences();
        let mut said_elsewhere = Vec::new();
        for &id in lost {
            let left = occurrences.of(id)?;
            if let Some(&first) = left.first() {
                said_elsewhere.push((id, first, occurrences.earliest(&left)?));
            }
        }
        let is_said = said_elsewhere.len() == lost.len();
        for (id, (session, entry), created) in said_elsewhere {
            self.date(id, created)?;
            if matches!(self.content(id)?, Some(Content::Imported { session, .. }) if session == no)
            {
                self.put_content(id, Content::Imported { session, entry });
            }
        }
        let gone = if is_said { 0 } else { self.sweep(root)? };
        self.mend_redirects(root)?;
        Ok(gone)
    }

    /// Takes out every message of a tree that nobody needs. Returns how many there were.
    fn sweep(&mut self, root: RootId) -> Result<usize> {
        let nodes = self.all_messages(root)?;
        let bookmarked: HashSet<NodeId> =
            self.plan.bookmarks()?.into_iter().map(|bookmark| bookmark.node).collect();
        let mut twins: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for (redirect, target) in self.redirects(root)? {
            twins.entry(target).or_default().push(redirect);
        }
        let occurrences = self.occurrences();
        let mut needed: HashSet<NodeId> = HashSet::new();
        let mut needed_by_hand: HashSet<NodeId> = HashSet::new();
        let mut not_said = Vec::new();
        for node in nodes.iter().rev() {
            // Whoever said what was merged with it later has said it, too.
            let (mut is_said, mut words) = (false, None);
            for &id in [node.id].iter().chain(twins.get(&node.id).into_iter().flatten()) {
                is_said |= !occurrences.of(id)?.is_empty();
                if let Some(Content::Inline(message)) = self.content(id)? {
                    words.get_or_insert(message);
                }
            }
            let is_needed = words.is_some() || bookmarked.contains(&node.id);
            if is_needed || needed_by_hand.contains(&node.id) {
                needed_by_hand.insert(node.id);
                needed_by_hand.extend(node.parent.node());
                if !is_said && !matches!(self.content(node.id)?, Some(Content::Inline(_))) {
                    not_said.push((node.clone(), words));
                }
            }
            // What a session adrift says stands after what only others say, until it is moored again.
            if is_said || needed.contains(&node.id) {
                needed.insert(node.id);
                needed.extend(node.parent.node());
            }
        }
        needed.extend(needed_by_hand);
        for (node, words) in not_said {
            self.keep_by_hand(node, words);
        }
        let gone: HashMap<NodeId, Place> = nodes
            .iter()
            .filter(|node| !needed.contains(&node.id))
            .map(|node| (node.id, node.parent))
            .collect();
        for &id in gone.keys() {
            self.drop_node(id);
        }
        if let Some(mut current) = self.plan.current()? {
            let before = current;
            while let Some(&parent) = current.node().and_then(|node| gone.get(&node)) {
                current = parent;
            }
            if current != before {
                self.plan.set_current(Some(current));
            }
        }
        Ok(gone.len())
    }

    /// Returns all messages of a tree, deleted ones too, parents before children.
    fn all_messages(&self, root: RootId) -> Result<Vec<Node>> {
        let mut found = self.plan.children(root.into(), Which::All)?;
        let mut at = 0;
        while at < found.len() {
            let children = self.plan.children(found[at].id.into(), Which::All)?;
            found.extend(children);
            at += 1;
        }
        Ok(found)
    }

    /// Keeps a message whose session is gone, because somebody said it by hand, or something after it.
    fn keep_by_hand(&mut self, mut node: Node, words: Option<Arc<Message>>) {
        let words = words.or_else(|| self.store.message(node.id).ok());
        let is_it = |message: &Arc<Message>| ContentKey::of(message) == node.key;
        let message = words.filter(is_it).unwrap_or_else(|| Arc::new(lost_text(node.role)));
        node.key = ContentKey::of(&message);
        self.put_content(node.id, Content::Inline(message));
        self.plan.put(node);
    }

    /// Lets the messages that stand for others read their text from where those do.
    fn mend_redirects(&mut self, root: RootId) -> Result<()> {
        for (redirect, target) in self.redirects(root)? {
            if self.is_dropped(target) {
                self.drop_node(redirect);
                continue;
            }
            let (known, content) = (self.content(redirect)?, self.content(target)?);
            if let (Some(Content::Imported { .. }), Some(content)) = (&known, &content)
                && known.as_ref() != Some(content)
            {
                self.put_content(redirect, content.clone());
            }
        }
        Ok(())
    }

    /// Returns the messages for which others stand, in a tree and in those that were joined with it, and those others.
    fn redirects(&self, root: RootId) -> Result<Vec<(NodeId, NodeId)>> {
        let mut redirects = Vec::new();
        for other in self.store.roots()? {
            if self.joined_with(other.id)? != root {
                continue;
            }
            for node in self.store.nodes(other.id)? {
                let mut target = node.id;
                while let Some(Removal::Merged(into)) = self.plan.node(target)?.removal {
                    target = into;
                }
                if target != node.id {
                    redirects.push((node.id, target));
                }
            }
        }
        Ok(redirects)
    }

    /// Returns the tree that a tree was joined with, or itself.
    fn joined_with(&self, root: RootId) -> Result<RootId> {
        let mut at = root;
        while let Some(joined) = self.root(at)?.joined {
            at = joined;
        }
        Ok(at)
    }

    /// Names a family after its oldest session; a tree in which nothing is left goes.
    pub(super) fn rename_family(&mut self, root: RootId, oldest: Option<Age>) -> Result<()> {
        let mut root = self.root(root)?;
        match oldest {
            Some((_, id)) => root.family = Some(id),
            None => {
                let nodes = self.all_messages(root.id)?;
                if nodes.iter().all(|node| self.is_dropped(node.id)) {
                    root.deleted = Some(self.plan.now);
                    // The user cannot stay where nothing is.
                    if self.plan.current()?.is_some_and(|place| place.root() == root.id) {
                        self.plan.set_current(None);
                    }
                }
            }
        }
        self.put_root(root);
        Ok(())
    }
}

/// Stands for what a session said before its file was rewritten, where nobody has kept the words.
fn lost_text(role: Role) -> Message {
    let text = "(This was said in a session file that has been rewritten since then.)";
    let call = (role == Role::Tool).then(|| "(lost)".to_owned());
    Message::new(role, vec![Block::Text(text.to_owned())], call, false)
        .expect("a text is a message of any role")
}
