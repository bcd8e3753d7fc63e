//! Messages that no session has, in the form that pi would have given them.

use std::sync::Arc;

use pi_brain_session::{EntryId, Millis, quote};
use serde_json::{Value, json};

use super::super::content::{BRANCH_SUMMARY, COMPACTION, CUSTOM, EMPTY, SHELL, UNKNOWN};
use super::lines::quoted_or_null;
use crate::error::Result;
use crate::forest::Forest;
use crate::ids::Place;
use crate::message::{Block, Message, Object, Role};
use crate::node::{Metadata, Node, SourceInfo};
use crate::store::Store;

/// Something said by hand.
pub(super) struct ByHand {
    pub(super) time: Option<Millis>,
    pub(super) spoken: Spoken,
}

/// What pi makes of it.
pub(super) enum Spoken {
    /// A `message` entry; its time is still missing.
    Message(Value),
    /// An entry of another kind, with the fields that only this kind has.
    Entry(&'static str, Value),
    /// A compaction, which names the first of so many messages before it.
    Compaction { summary: Value, kept: usize },
}

/// Puts the messages of a path into pi's form; the pieces of a split text become one message again.
pub(super) fn spoken_by_hand<S: Store>(
    forest: &Forest<S>,
    path: &[Arc<Node>],
) -> Result<Vec<ByHand>> {
    let mut whole: Vec<(Message, &Node)> = Vec::new();
    for (at, node) in path.iter().enumerate() {
        let message = forest.store.message(node.id)?;
        match (at.checked_sub(1).map(|before| &path[before]), whole.last_mut()) {
            (Some(before), Some((begun, _))) if goes_on(before, begun, &message) => {
                *begun = joined(begun, before, &message);
            }
            _ => whole.push((Message::clone(&message), node)),
        }
    }
    let spoken = whole.iter().map(|(message, node)| {
        let tool = called_tool(forest, message, node.parent)?;
        Ok(ByHand::new(message, &node.metadata, tool))
    });
    spoken.collect()
}

/// Finds the name of the tool that a message is the result of; most calls are made right before it.
pub(super) fn called_tool<S: Store>(
    forest: &Forest<S>,
    message: &Message,
    mut before: Place,
) -> Result<Option<String>> {
    let Some(wanted) = message.tool_call_id() else { return Ok(None) };
    while let Place::Node(id) = before {
        let Some(node) = forest.store.node(id)? else { break };
        if node.role == Role::Assistant {
            let said = forest.store.message(id)?;
            if let Some(call) = said.tool_uses().find(|call| call.id == wanted) {
                return Ok(Some(call.name.clone()));
            }
        }
        before = node.parent;
    }
    Ok(None)
}

/// Returns whether a message goes on with a text that was cut off.
pub(super) fn goes_on(before: &Node, begun: &Message, message: &Message) -> bool {
    before.metadata.split_source.is_some()
        && begun.role() == message.role()
        && begun.is_text_only()
        && message.is_text_only()
}

/// Puts two pieces of a text together.
pub(super) fn joined(begun: &Message, before: &Node, message: &Message) -> Message {
    let mut content = begun.content().to_vec();
    let mut rest = message.content();
    if before.metadata.split_within
        && let (Some(Block::Text(end)), [Block::Text(start), more @ ..]) =
            (content.last_mut(), rest)
    {
        end.push_str(start);
        rest = more;
    }
    content.extend_from_slice(rest);
    Message::new(message.role(), content, None, false).expect("two texts make a text")
}

impl ByHand {
    /// Puts one message into pi's form; the result of a tool wants its name.
    pub(super) fn new(message: &Message, metadata: &Metadata, tool: Option<String>) -> Self {
        let content = pi_content(message);
        let spoken = match message.role() {
            Role::User => match message.content() {
                [Block::Other(block)] => pi_entry(block).unwrap_or_else(|| user(&content)),
                _ => user(&content),
            },
            Role::Assistant => Spoken::Message(answer(message, &content, metadata)),
            Role::Tool => {
                let from_source = || match &metadata.source {
                    Some(SourceInfo::ToolResult { tool_name }) => Some(tool_name.clone()),
                    _ => None,
                };
                Spoken::Message(json!({
                    "role": "toolResult",
                    "toolCallId": message.tool_call_id(),
                    "toolName": tool.or_else(from_source).unwrap_or_else(|| "unknown".to_owned()),
                    "content": content,
                    "isError": message.is_error(),
                }))
            }
        };
        Self { time: metadata.created, spoken }
    }

    /// Returns how many of the messages before it a compaction keeps.
    pub(super) fn kept(&self) -> usize {
        match self.spoken {
            Spoken::Compaction { kept, .. } => kept,
            _ => 0,
        }
    }

    /// Writes the entry. The first kept one is for compactions.
    pub(super) fn json(
        &self,
        id: &EntryId,
        parent: Option<&EntryId>,
        time: Millis,
        first_kept: &EntryId,
    ) -> String {
        let (kind, own) = match &self.spoken {
            Spoken::Message(message) => {
                let mut message = message.clone();
                message["timestamp"] = time.0.into();
                ("message", json!({ "message": message }))
            }
            Spoken::Entry(kind, own) => (*kind, own.clone()),
            Spoken::Compaction { summary, .. } => {
                let first_kept = first_kept.as_str();
                (
                    "compaction",
                    json!({
                        "summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 0,
                    }),
                )
            }
        };
        // pi writes the kind first, and readers of torn lines look for it there.
        let own = own.to_string();
        format!(
            "{{\"type\":{},\"id\":{},\"parentId\":{},\"timestamp\":{},{}",
            quote(kind),
            quote(id.as_str()),
            quoted_or_null(parent),
            quote(&time.to_string()),
            own.trim_start_matches('{'),
        )
    }
}

fn user(content: &[Value]) -> Spoken {
    Spoken::Message(json!({ "role": "user", "content": content }))
}

/// Takes the blocks that only we know back to what they were in pi.
fn pi_entry(block: &Object) -> Option<Spoken> {
    let field = |key: &str| block.get(key).cloned().unwrap_or_default();
    Some(match block.get("type")?.as_str()? {
        SHELL => {
            let mut shell = json!({
                "role": "bashExecution", "command": field("command"), "output": field("output"),
                "cancelled": field("cancelled"), "truncated": field("truncated"),
            });
            let more = [
                ("exitCode", block.get("exitCode")),
                ("fullOutputPath", block.get("outputPath")),
                ("excludeFromContext", block.get("excluded").filter(|flag| **flag == true)),
            ];
            for (key, value) in more {
                if let Some(value) = value {
                    shell[key] = value.clone();
                }
            }
            Spoken::Message(shell)
        }
        CUSTOM => {
            let content = match block.get("content") {
                Some(Value::Array(blocks)) => blocks.iter().filter_map(pi_block).collect(),
                _ => Vec::new(),
            };
            let own = json!({
                "customType": field("customType"), "content": content, "display": true,
            });
            Spoken::Entry("custom_message", own)
        }
        COMPACTION => {
            let kept = block.get("kept").and_then(Value::as_u64).unwrap_or_default();
            let kept = usize::try_from(kept).unwrap_or(usize::MAX);
            Spoken::Compaction { summary: field("summary"), kept }
        }
        BRANCH_SUMMARY => {
            let own = json!({ "fromId": "root", "summary": field("summary") });
            Spoken::Entry("branch_summary", own)
        }
        _ => return None,
    })
}

fn answer(message: &Message, content: &[Value], metadata: &Metadata) -> Value {
    let model = match &metadata.source {
        Some(SourceInfo::Model(model)) => Some(model),
        _ => None,
    };
    let known =
        |key: &str| model.and_then(|model| model.more.get(key)).filter(|value| value.is_string());
    let provider = model.map_or("unknown", |model| &model.provider);
    let name = model.map_or("unknown", |model| &model.model_name);
    // pi adds up usage without asking whether it is there.
    let is_pis = |usage: &&Value| usage.get("cost").is_some_and(Value::is_object);
    let usage = model.and_then(|model| model.usage.as_ref()).filter(is_pis);
    let nothing = json!({
        "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    });
    let ended = if message.tool_uses().next().is_some() { "toolUse" } else { "stop" };
    json!({
        "role": "assistant", "content": content,
        "api": known("api").cloned().unwrap_or_else(|| "unknown".into()),
        "provider": provider, "model": name,
        "usage": usage.cloned().unwrap_or(nothing),
        "stopReason": known("stopReason").cloned().unwrap_or_else(|| ended.into()),
    })
}

fn pi_content(message: &Message) -> Vec<Value> {
    message.content().iter().filter_map(|block| pi_block(&Value::from(block.clone()))).collect()
}

/// Puts a block into pi's form; `None` for the one that says that there is none.
fn pi_block(block: &Value) -> Option<Value> {
    let field = |key: &str| block.get(key).cloned().unwrap_or_default();
    Some(match block.get("type").and_then(Value::as_str) {
        Some("tool-use") => json!({
            "type": "toolCall", "id": field("id"), "name": field("name"),
            "arguments": field("parameters"),
        }),
        Some("thinking") if block.get("redacted").is_some_and(Value::is_string) => json!({
            "type": "thinking", "thinking": field("thinking"),
            "thinkingSignature": field("redacted"), "redacted": true,
        }),
        // Of an image only the digest was kept; a provider would refuse one without data.
        Some("image") if block.get("data").is_none() => {
            let kind = block.get("mimeType").and_then(Value::as_str).unwrap_or("image");
            let digest = block.get("sha256").and_then(Value::as_str).unwrap_or_default();
            json!({ "type": "text", "text": format!("[{kind}, SHA-256 {digest}]") })
        }
        Some(EMPTY) => return None,
        Some(UNKNOWN) => field("value"),
        _ => block.clone(),
    })
}
