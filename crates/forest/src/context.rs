//! What a model would be given at a place.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::forest::Forest;
use crate::ids::Place;
use crate::message::{Block, Message, Role};
use crate::store::Store;

/// What a model is given: the system prompt, and messages that alternate where they can.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelContext {
    /// The prompt of the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The messages.
    pub messages: Vec<Message>,
}

impl<S: Store> Forest<S> {
    /// Builds what a model would be given at a place.
    ///
    /// Neighbouring texts of one speaker become one, with `separator` between them. With none, the pieces of a
    /// split or edited text give exactly that text again. A compaction stands for what came before it, but for the
    /// messages that it kept.
    pub fn context(&self, at: Place, separator: &str) -> Result<ModelContext> {
        let root = self.root(at.root())?;
        let messages = after_compaction(self.messages(at)?);
        let system = root.system_prompt.clone();
        Ok(ModelContext { system, messages: coalesce(&messages, separator) })
    }
}

/// Leaves out what the last compaction stands for; the compaction goes first.
fn after_compaction(mut messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let newest =
        messages.iter().enumerate().rev().find_map(|(at, message)| Some((at, kept_by(message)?)));
    let Some((at, kept)) = newest else { return messages };
    let compaction = messages.remove(at);
    let mut shown = messages.split_off(at.saturating_sub(kept));
    // What is left of `messages` is what the summary tells.
    shown.insert(0, compaction);
    shown
        .into_iter()
        .enumerate()
        .filter(|(at, message)| *at == 0 || kept_by(message).is_none())
        .map(|(_, message)| message)
        .collect()
}

/// Returns how many messages before it a compaction keeps; `None` if it is none.
fn kept_by(message: &Message) -> Option<usize> {
    let [Block::Other(members)] = message.content() else { return None };
    (members.get("type")?.as_str()? == "compaction").then_some(())?;
    let kept = members.get("kept").and_then(Value::as_u64).unwrap_or_default();
    Some(usize::try_from(kept).unwrap_or(usize::MAX))
}

/// Joins neighbouring texts of one speaker. Whatever holds more than text, and results of tools, stays alone.
fn coalesce(messages: &[Arc<Message>], separator: &str) -> Vec<Message> {
    let joins = |message: &Message| message.is_text_only() && message.role() != Role::Tool;
    let mut runs: Vec<Vec<&Message>> = Vec::new();
    for message in messages {
        match runs.last_mut() {
            Some(run) if joins(message) && joins(run[0]) && run[0].role() == message.role() => {
                run.push(message);
            }
            _ => runs.push(vec![message]),
        }
    }
    let join = |run: Vec<&Message>| match run[..] {
        [alone] => alone.clone(),
        _ => {
            let texts: Vec<String> = run.iter().map(|message| message.joined_text()).collect();
            Message::text(run[0].role(), &texts.join(separator))
        }
    };
    runs.into_iter().map(join).collect()
}
