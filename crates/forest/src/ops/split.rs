//! Cutting a text in two, and putting the halves together again.

use pi_brain_session::Millis;
use unicode_segmentation::GraphemeCursor;

use super::Plan;
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::NodeId;
use crate::key::ContentKey;
use crate::message::{Block, Message, Role, is_blank};
use crate::node::{Metadata, Node, Order, Removal, SourceInfo};
use crate::store::{Store, Which};

impl<S: Store> Forest<S> {
    /// Cuts the text of a message before byte `position`, moved on to the next border between characters as
    /// people see them. Returns the left half, which is new; the right half keeps the id and what follows.
    ///
    /// Block borders stay. If the left half is what a sibling says already, the right half moves there. A message
    /// of a pi session stays as it is: the two halves then stand beside it.
    pub fn split(&mut self, id: NodeId, position: usize, now: Millis) -> Result<NodeId> {
        let node = self.node(id)?;
        let message = self.editable_text(&node)?;
        let text = message.joined_text();
        let refused = || ForestError::BadPosition { node: node.id, position };
        let at = next_border(&text, position).ok_or_else(refused)?;
        if is_blank(&text[..at]) || is_blank(&text[at..]) {
            return Err(refused());
        }
        let mut plan = Plan::new(&self.store, now);
        let left = if self.is_imported(node.id)? {
            copy_halves(&mut plan, &node, &message, at)?
        } else {
            cut(&mut plan, (*node).clone(), &message, at)?
        };
        self.store.commit(plan.into_changes())?;
        Ok(left)
    }

    /// Finds what stands for the rest of `text`, whose beginning is now the message `left`.
    pub fn right_half(&self, left: NodeId, text: &str) -> Result<NodeId> {
        let beginning = self.message(left)?.joined_text().len();
        for child in self.children(left.into())? {
            if Some(&*self.message(child.id)?.joined_text()) == text.get(beginning..) {
                return Ok(child.id);
            }
        }
        Err(ForestError::NotSplit(left))
    }

    /// Finds the first of two halves of a split message, whichever is named.
    pub fn left_half(&self, half: NodeId) -> Result<NodeId> {
        let parent = self.node(half)?.parent.node();
        let Some(parent) = parent else { return Ok(half) };
        let is_second = self.node(parent)?.metadata.split_source == Some(half);
        Ok(if is_second { parent } else { half })
    }

    /// Puts the halves of a split message together again. Returns the whole, which has the id of the right half.
    pub fn join(&mut self, left: NodeId, now: Millis) -> Result<NodeId> {
        let left = self.node(left)?;
        let not_split = || ForestError::NotSplit(left.id);
        let children = self.store.children(left.id.into(), Which::All)?;
        let mut children =
            children.iter().filter(|node| !matches!(node.removal, Some(Removal::Merged(_))));
        let (Some(right), None) = (children.next(), children.next()) else {
            return Err(not_split());
        };
        // The half that was cut off may have become one with another since, which then stands for it.
        let other_half =
            left.metadata.split_source.map(|id| self.node_or_removed(id)).transpose()?;
        if other_half.is_none_or(|half| half.id != right.id) || !right.is_visible() {
            return Err(not_split());
        }
        for half in [&left, right] {
            self.editable_text(half)?;
            if self.is_imported(half.id)? {
                return Err(ForestError::Imported(half.id));
            }
        }
        let (first, second) = (self.store.message(left.id)?, self.store.message(right.id)?);
        let mut content = first.content().to_vec();
        let mut rest = second.content();
        if left.metadata.split_within
            && let (Some(Block::Text(end)), [Block::Text(start), more @ ..]) =
                (content.last_mut(), rest)
        {
            end.push_str(start);
            rest = more;
        }
        content.extend_from_slice(rest);
        let whole = Message::new(first.role(), content, None, false)
            .expect("two valid texts make a valid text");

        let mut plan = Plan::new(&self.store, now);
        let mut gone = (*left).clone();
        gone.removal = Some(Removal::Merged(right.id));
        plan.put(gone);
        let bookmarks = plan.bookmarks_on(left.id)?;
        plan.move_bookmarks(bookmarks, right.id);
        if plan.current()? == Some(left.id.into()) {
            plan.set_current(Some(right.id.into()));
        }
        let mut node = (**right).clone();
        node.parent = left.parent;
        node.order = left.order.clone();
        node.key = ContentKey::of(&whole);
        plan.say(node.id, whole);
        let id = plan.settle(node)?;
        self.store.commit(plan.into_changes())?;
        Ok(id)
    }

    /// Returns what a message says, if it is text that can be changed.
    pub(super) fn editable_text(&self, node: &Node) -> Result<std::sync::Arc<Message>> {
        let message = self.store.message(node.id)?;
        if message.role() == Role::Tool {
            return Err(ForestError::ToolMessage(node.id));
        }
        if !message.is_text_only() {
            return Err(ForestError::NotTextOnly(node.id));
        }
        Ok(message)
    }
}

/// Cuts a message before byte `at` of its text. Returns the left half, be it new or an equal sibling.
pub(super) fn cut<S: Store>(
    plan: &mut Plan<'_, S>,
    mut node: Node,
    message: &Message,
    at: usize,
) -> Result<NodeId> {
    let Halves { left, right, within } = halves(message, at);
    let key = ContentKey::of(&left);
    let left = match plan.find_child(node.parent, key)? {
        Some(sibling) => sibling,
        None => {
            let id = plan.mint(node.id.root())?;
            let metadata = left_metadata(plan, &node, within);
            let role = left.role();
            let order = node.order.clone();
            plan.put(Node { id, parent: node.parent, order, key, role, metadata, removal: None });
            plan.say(id, left);
            id
        }
    };
    node.parent = left.into();
    node.order = Order::new(&[i64::from(node.id.number)]);
    node.key = ContentKey::of(&right);
    plan.say(node.id, right);
    plan.settle(node)?;
    Ok(left)
}

/// Puts copies of both halves beside a message that must not change. Returns the left one.
fn copy_halves<S: Store>(
    plan: &mut Plan<'_, S>,
    node: &Node,
    message: &Message,
    at: usize,
) -> Result<NodeId> {
    let Halves { left, right, within } = halves(message, at);
    let find_or_add =
        |plan: &mut Plan<'_, S>, parent, message: Message, metadata: Metadata| match plan
            .find_child(parent, ContentKey::of(&message))?
        {
            Some(known) => Ok(known),
            None => plan.add(parent, message, metadata),
        };
    let metadata = left_metadata(plan, node, within);
    let left = find_or_add(plan, node.parent, left, metadata.clone())?;
    find_or_add(plan, left.into(), right, Metadata { split_source: None, ..metadata })?;
    Ok(left)
}

/// Notes for the left half: those of the whole, but for usage, which would count twice.
fn left_metadata<S: Store>(plan: &Plan<'_, S>, node: &Node, within: bool) -> Metadata {
    let mut source = node.metadata.source.clone();
    if let Some(SourceInfo::Model(model)) = &mut source {
        model.usage = None;
    }
    Metadata {
        created: Some(plan.now),
        source,
        tags: node.metadata.tags.clone(),
        custom_data: node.metadata.custom_data.clone(),
        split_source: Some(node.id),
        split_within: within,
        ..Metadata::default()
    }
}

struct Halves {
    left: Message,
    right: Message,
    /// Whether the cut went through a block, and not between two.
    within: bool,
}

fn halves(message: &Message, at: usize) -> Halves {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (mut position, mut within) = (0, false);
    for block in message.content() {
        let Block::Text(text) = block else { unreachable!("only text is cut") };
        let end = position + text.len();
        if end <= at {
            left.push(block.clone());
        } else if position >= at {
            right.push(block.clone());
        } else {
            let (one, other) = text.split_at(at - position);
            left.push(Block::Text(one.to_owned()));
            right.push(Block::Text(other.to_owned()));
            within = true;
        }
        position = end;
    }
    let half = |content| {
        Message::new(message.role(), content, None, false).expect("a half of a text is a text")
    };
    Halves { left: half(left), right: half(right), within }
}

/// Returns the first border between characters as people see them, at or after `position`.
pub(super) fn next_border(text: &str, position: usize) -> Option<usize> {
    if position > text.len() {
        return None;
    }
    let at = (position..=text.len()).find(|&at| text.is_char_boundary(at))?;
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    if cursor.is_boundary(text, 0).unwrap_or(true) {
        return Some(at);
    }
    cursor.next_boundary(text, 0).ok().flatten()
}

/// Returns the last border between characters as people see them, at or before `position`.
pub(super) fn previous_border(text: &str, position: usize) -> usize {
    let mut cursor = GraphemeCursor::new(position, text.len(), true);
    if cursor.is_boundary(text, 0).unwrap_or(true) {
        return position;
    }
    cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}
