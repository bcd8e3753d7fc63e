//! Editing a text: the last word changes in place, anything with a future branches.

use pi_brain_session::Millis;

use super::Plan;
use super::split::{cut, previous_border};
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place};
use crate::key::ContentKey;
use crate::message::{Message, is_blank};
use crate::node::{Metadata, Node, Removal, Revision, SourceInfo};
use crate::store::{Store, Which};
use crate::title::auto_title;

/// What becomes of the bookmarks on an edited message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Following {
    /// They go to the new text.
    #[default]
    Follow,
    /// They stay on the original.
    Stay,
}

/// What an edit did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The message at which the new text ends. The text begins after the parent of the edited message.
    pub node: NodeId,
    /// The messages that are new.
    pub created: Vec<NodeId>,
    /// Whether the message itself was changed; the text before is in its history.
    pub in_place: bool,
    /// The bookmarks that went to the new text.
    pub moved_bookmarks: Vec<String>,
}

impl<S: Store> Forest<S> {
    /// Gives a message another text.
    ///
    /// A message that nothing follows changes in place. Otherwise both texts share their beginning and part where
    /// they differ, so that everything that followed the old text still follows it. Where a shared beginning or a
    /// rest would be blank, and for messages of pi sessions, the whole new text stands beside the old one.
    pub fn edit(
        &mut self,
        id: NodeId,
        text: &str,
        following: Following,
        now: Millis,
    ) -> Result<Edited> {
        let node = self.node(id)?;
        let message = self.editable_text(&node)?;
        if is_blank(text) {
            return Err(ForestError::Blank);
        }
        let old = message.joined_text();
        let unchanged = Edited {
            node: node.id,
            created: Vec::new(),
            in_place: false,
            moved_bookmarks: Vec::new(),
        };
        if old == text {
            return Ok(unchanged);
        }
        let whole = Message::text(message.role(), text);
        let mut plan = Plan::new(&self.store, now);
        // The message may become one with another that says the rest of the old text, and take them along.
        let bookmarks = plan.bookmarks_on(node.id)?;
        let twin = plan.find_child(node.parent, ContentKey::of(&whole))?;
        let mut edited = if let Some(twin) = twin {
            Edited { node: twin, ..unchanged }
        } else if self.is_imported(node.id)? {
            beside(&mut plan, &node, whole)?
        } else if self.has_future(node.id)? {
            branch(&mut plan, &node, &message, text)?
        } else {
            in_place(&mut plan, &node, &message, whole)
        };
        if edited.node != node.id && following == Following::Follow {
            edited.moved_bookmarks = plan.move_bookmarks(bookmarks, edited.node);
        }
        let changes = plan.into_changes();
        if !changes.is_empty() {
            self.store.commit(changes)?;
        }
        Ok(edited)
    }

    /// Returns whether anything follows; what was deleted counts, since it may come back.
    fn has_future(&self, id: NodeId) -> Result<bool> {
        let children = self.store.children(id.into(), Which::All)?;
        Ok(children.iter().any(|node| !matches!(node.removal, Some(Removal::Merged(_)))))
    }
}

fn in_place<S: Store>(
    plan: &mut Plan<'_, S>,
    node: &Node,
    before: &Message,
    message: Message,
) -> Edited {
    let mut node = node.clone();
    let source = node.metadata.source.replace(SourceInfo::User);
    let message_before = std::sync::Arc::new(before.clone());
    node.metadata.history.push(Revision { at: plan.now, message: message_before, source });
    node.metadata.edited = Some(plan.now);
    node.metadata.auto_title = Some(auto_title(&message));
    node.key = ContentKey::of(&message);
    let id = node.id;
    plan.say(id, message);
    plan.put(node);
    Edited { node: id, created: Vec::new(), in_place: true, moved_bookmarks: Vec::new() }
}

/// Puts the whole new text beside the old one.
fn beside<S: Store>(plan: &mut Plan<'_, S>, node: &Node, message: Message) -> Result<Edited> {
    let (end, created) = add(plan, node.parent, message)?;
    Ok(Edited { node: end, created, in_place: false, moved_bookmarks: Vec::new() })
}

/// Lets the new text part from the old one where they differ.
fn branch<S: Store>(
    plan: &mut Plan<'_, S>,
    node: &Node,
    message: &Message,
    text: &str,
) -> Result<Edited> {
    let old = message.joined_text();
    let shared = common_prefix(&old, text);
    let (rest_of_old, rest_of_new) = (&old[shared..], &text[shared..]);
    let says_something = |piece: &str| piece.is_empty() || !is_blank(piece);
    let pieces = [&old[..shared], rest_of_old, rest_of_new];
    if shared == 0 || !pieces.into_iter().all(says_something) {
        return beside(plan, node, Message::text(message.role(), text));
    }
    let mut created = Vec::new();
    let fork = if rest_of_old.is_empty() {
        node.id
    } else {
        let siblings = plan.children(node.parent, Which::Visible)?;
        let left = cut(plan, node.clone(), message, shared)?;
        if siblings.iter().all(|sibling| sibling.id != left) {
            created.push(left);
        }
        left
    };
    let mut end = fork;
    if !rest_of_new.is_empty() {
        let (node, new) = add(plan, fork.into(), Message::text(message.role(), rest_of_new))?;
        end = node;
        created.extend(new);
    }
    Ok(Edited { node: end, created, in_place: false, moved_bookmarks: Vec::new() })
}

/// Finds a message after a place, or makes it.
fn add<S: Store>(
    plan: &mut Plan<'_, S>,
    parent: Place,
    message: Message,
) -> Result<(NodeId, Vec<NodeId>)> {
    if let Some(known) = plan.find_child(parent, ContentKey::of(&message))? {
        return Ok((known, Vec::new()));
    }
    let metadata = Metadata {
        created: Some(plan.now),
        source: Some(SourceInfo::User),
        auto_title: Some(auto_title(&message)),
        ..Metadata::default()
    };
    let id = plan.add(parent, message, metadata)?;
    Ok((id, vec![id]))
}

/// Returns how many bytes two texts share at their beginnings, without cutting a visible character of either.
fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let mut at = (0..=same).rev().find(|&at| one.is_char_boundary(at)).unwrap_or(0);
    loop {
        let border = previous_border(one, at).min(previous_border(other, at));
        if border == at {
            return at;
        }
        at = border;
    }
}
