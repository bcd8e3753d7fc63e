//! Appending messages: what stands there already is walked along, what is new branches off.

use std::collections::HashSet;

use pi_brain_session::Millis;
use serde_json::Value;

use super::Plan;
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place};
use crate::key::ContentKey;
use crate::message::{InvalidMessage, Message, Object, Role};
use crate::node::{Metadata, Repeat, SourceInfo};
use crate::store::{Store, Which};
use crate::title::auto_title;

/// A message to append, with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    /// The message.
    pub message: Message,
    /// Where it comes from.
    pub source: Option<SourceInfo>,
    /// What else to note, if it is new.
    pub custom_data: Object,
}

impl NewMessage {
    /// Takes a message about which nothing is known.
    pub fn new(message: Message) -> Self {
        Self { message, source: None, custom_data: Object::new() }
    }

    /// Reads a message, in today's shape or an old one; fields that no message has become custom data.
    ///
    /// `None` if nothing is said.
    pub fn from_json(value: Value) -> Result<Option<Self>, InvalidMessage> {
        let is_tool = value.get("role").and_then(Value::as_str) == Some(Role::Tool.as_str());
        match Message::from_json(value) {
            Ok((message, _)) if message.is_blank() && !is_tool => Ok(None),
            Ok((message, custom_data)) => Ok(Some(Self { message, source: None, custom_data })),
            Err(InvalidMessage::Empty) if !is_tool => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// When a message counts as one that stands there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// Every byte counts.
    #[default]
    Exact,
    /// White space at the ends of texts does not count.
    Trimmed,
}

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Where the conversation ends now.
    pub end: Place,
    /// The messages that are new.
    pub created: Vec<NodeId>,
    /// How many stood there already.
    pub matched: usize,
    /// How many said nothing and were left out.
    pub blank: usize,
}

impl<S: Store> Forest<S> {
    /// Appends messages after a place. Those that stand there already are walked along and stay as they are;
    /// if a model wrote one of them again, that is noted.
    pub fn append(
        &mut self,
        at: Place,
        messages: Vec<NewMessage>,
        matching: Matching,
        now: Millis,
    ) -> Result<Appended> {
        let start = self.place(at)?;
        let count = messages.len();
        let messages = self.check_messages(start, messages)?;
        let blank = count - messages.len();
        let mut plan = Plan::new(&self.store, now);
        let mut appended = Appended { end: start, created: Vec::new(), matched: 0, blank };
        for new in messages {
            // Nothing follows a message that was made a moment ago.
            let fresh =
                appended.end.node().is_some_and(|node| appended.created.last() == Some(&node));
            let known =
                if fresh { None } else { find_equal(&plan, appended.end, &new.message, matching)? };
            let id = match known {
                Some(known) => {
                    appended.matched += 1;
                    if let Some(source @ SourceInfo::Model(_)) = new.source {
                        let mut node = plan.node(known)?;
                        node.metadata.repeats.push(Repeat { at: now, source });
                        plan.put(node);
                    }
                    known
                }
                None => {
                    let id = plan.add(
                        appended.end,
                        new.message,
                        Metadata {
                            created: Some(now),
                            source: new.source,
                            custom_data: new.custom_data,
                            ..Metadata::default()
                        },
                    )?;
                    appended.created.push(id);
                    id
                }
            };
            appended.end = Place::Node(id);
        }
        if let Some(&last) = appended.created.last() {
            let mut node = plan.node(last)?;
            node.metadata.auto_title = Some(auto_title(&*plan.message(last)?));
            plan.put(node);
        }
        let changes = plan.into_changes();
        if !changes.is_empty() {
            self.store.commit(changes)?;
        }
        Ok(appended)
    }

    /// Leaves out what says nothing; every result of a tool must answer a call that was made before it.
    fn check_messages(&self, start: Place, messages: Vec<NewMessage>) -> Result<Vec<NewMessage>> {
        let mut checked = Vec::with_capacity(messages.len());
        let mut calls: HashSet<String> = HashSet::new();
        for (new, index) in messages.into_iter().zip(1..) {
            let message = &new.message;
            if message.role() == Role::Tool {
                let invalid = |source| Err(ForestError::InvalidMessage { index, source });
                if message.is_blank() {
                    return invalid(InvalidMessage::Empty);
                }
                if message.tool_call_id().is_none() {
                    return invalid(InvalidMessage::NoToolCallId);
                }
            }
            if message.is_blank() {
                continue;
            }
            if let Some(call) = message.tool_call_id()
                && !calls.contains(call)
                && !self.was_called(start, call)?
            {
                return Err(ForestError::NoSuchCall { index, call: call.to_owned() });
            }
            calls.extend(message.call_ids().map(str::to_owned));
            checked.push(new);
        }
        Ok(checked)
    }

    /// Returns whether a tool call was made on the way to a place. Most are made right before it, so the way
    /// is walked from its end.
    fn was_called(&self, place: Place, call: &str) -> Result<bool> {
        let longest = self.store.next_node(place.root())?;
        let mut at = place;
        for _ in 0..longest {
            let Place::Node(id) = at else { return Ok(false) };
            let node = self.store.node(id)?.ok_or(ForestError::NodeNotFound(id))?;
            if node.role == Role::Assistant
                && self.store.message(id)?.call_ids().any(|made| made == call)
            {
                return Ok(true);
            }
            at = node.parent;
        }
        // A way that is longer than there are messages runs in a circle.
        at.node().map_or(Ok(false), |node| Err(ForestError::BrokenPath(node)))
    }
}

fn find_equal<S: Store>(
    plan: &Plan<'_, S>,
    parent: Place,
    message: &Message,
    matching: Matching,
) -> Result<Option<NodeId>> {
    let exact = plan.find_child(parent, ContentKey::of(message))?;
    if exact.is_some() || matching == Matching::Exact {
        return Ok(exact);
    }
    let trimmed = ContentKey::of(&message.trimmed());
    for child in plan.children(parent, Which::Visible)? {
        if ContentKey::of(&plan.message(child.id)?.trimmed()) == trimmed {
            return Ok(Some(child.id));
        }
    }
    Ok(None)
}
