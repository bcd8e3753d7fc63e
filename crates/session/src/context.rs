//! What a model would be given at a leaf: the path, with compactions, summaries and edits applied.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::entry::{Body, Entry, EntryId, Message, Role};
use crate::json::{Raw, quote};
use crate::log::Log;
use crate::session::{Session, changed};
use crate::tree::Tree;

/// The messages for a model, and the settings in force, at one leaf.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The messages in pi's own shapes.
    pub messages: Vec<ContextMessage>,
    /// The thinking level; `off` where none was chosen.
    pub thinking_level: Arc<str>,
    /// The model in use.
    pub model: Option<ModelChoice>,
}

/// A message for a model, and the entry that it comes from.
#[derive(Debug)]
pub struct ContextMessage {
    /// The position of the entry in [`Log::entries`].
    pub entry: usize,
    /// The message as JSON, in the bytes of the file wherever nothing had to be changed.
    json: Vec<u8>,
}

impl ContextMessage {
    /// Returns the message for reading; an error if the file was rewritten since it was indexed.
    pub fn raw(&self) -> io::Result<Raw<'_>> {
        Raw::parse(&self.json).ok_or_else(changed)
    }
}

impl Serialize for ContextMessage {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = String::from_utf8_lossy(&self.json);
        let raw: &RawValue = serde_json::from_str(&text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// A model, as `model_change` entries and answers name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct ModelChoice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<Arc<str>>,
}

/// An entry that takes part in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selected {
    pub(crate) entry: usize,
    /// The `context_edit` entry that has the last word on it.
    pub(crate) edit: Option<usize>,
    /// An older compaction says nothing beside a newer one.
    pub(crate) silent: bool,
}

impl Session {
    /// Builds the context at `leaf`, exactly as pi does; without a leaf there is nothing to say.
    pub fn context(&self, tree: &Tree, leaf: Option<usize>) -> io::Result<Context> {
        let path = leaf.map_or_else(Vec::new, |leaf| tree.branch(leaf));
        let (thinking_level, model) = settings(self.log(), &path);
        let mut messages = Vec::new();
        for selected in select(self.log(), &path) {
            messages.extend(self.project(selected)?);
        }
        Ok(Context { messages, thinking_level, model })
    }

    /// Writes out the messages that a selected entry stands for: none, one, or two.
    pub(crate) fn project(&self, selected: Selected) -> io::Result<Vec<ContextMessage>> {
        if selected.silent {
            return Ok(Vec::new());
        }
        let entry = &self.log().entries()[selected.entry];
        let mut messages = match &entry.body {
            Body::Message(message) => self.stored_message(entry, message)?.into_iter().collect(),
            Body::CustomMessage { .. } | Body::BranchSummary { empty: false, .. } => {
                vec![made_message(entry, self.entry_raw(selected.entry)?.raw())]
            }
            Body::Compaction { .. } => {
                let text = self.entry_raw(selected.entry)?;
                let checkpoint = text.raw().get("systemMessage").filter(|raw| !raw.is_falsy());
                let checkpoint = checkpoint.map(|raw| raw.bytes().to_vec());
                checkpoint.into_iter().chain([made_message(entry, text.raw())]).collect()
            }
            _ => Vec::new(),
        };
        if let Some(edit) = selected.edit {
            let edit = self.entry_raw(edit)?;
            messages = apply_edit(messages, edit.raw().get("replacement"));
        }
        let message = |json| ContextMessage { entry: selected.entry, json };
        Ok(messages.into_iter().map(message).collect())
    }

    /// Returns the message as stored, with the small repairs that pi makes.
    fn stored_message(&self, entry: &Entry, message: &Message) -> io::Result<Option<Vec<u8>>> {
        let Some(bytes) = self.message_bytes(entry, message)? else { return Ok(None) };
        let hook = self.log().header().version < 3 && message.role == Role::Custom;
        let needs_content = match message.role {
            Role::System => Some("\"\""),
            Role::User | Role::Assistant | Role::ToolResult => Some("[]"),
            _ => None,
        };
        let Some(raw) = (hook || needs_content.is_some() && !message.has_content(&bytes))
            .then(|| Raw::parse(&bytes))
            .flatten()
        else {
            return Ok(Some(bytes));
        };
        let mut changes = Vec::new();
        if hook {
            changes.push(("role", Some("\"custom\"")));
        }
        if let Some(content) = needs_content.filter(|_| !message.has_content(&bytes)) {
            changes.push(("content", Some(content)));
        }
        Ok(Some(raw.with_members(&changes).into_bytes()))
    }
}

impl Message {
    /// Returns whether there is content that is not null; `bytes` are those of the message.
    fn has_content(&self, bytes: &[u8]) -> bool {
        let (Some(object), Some(content)) = (self.object, self.content) else { return false };
        let start = content.range().start - object.range().start;
        bytes.get(start) != Some(&b'n')
    }
}

/// Returns the settings in force at the end of a path, also where a compaction hides what set them.
fn settings(log: &Log, path: &[usize]) -> (Arc<str>, Option<ModelChoice>) {
    let mut level: Option<&Arc<str>> = None;
    let mut model = None;
    for &at in path {
        match &log.entries()[at].body {
            Body::ThinkingLevelChange { level: Some(chosen) } => level = Some(chosen),
            Body::ModelChange { provider, model_id } => model = Some((provider, model_id)),
            Body::Message(Message { reply: Some(reply), .. }) => {
                model = Some((&reply.provider, &reply.model));
            }
            _ => {}
        }
    }
    let model = model.map(|(provider, model_id)| ModelChoice {
        provider: provider.clone(),
        model_id: model_id.clone(),
    });
    (level.map_or_else(|| "off".into(), Arc::clone), model)
}

/// Selects what takes part in the context at the end of a path.
///
/// With a compaction on the path: the last one, what it kept, and what came after it.
pub(crate) fn select(log: &Log, path: &[usize]) -> Vec<Selected> {
    let entries = log.entries();
    let kept_by = |at: usize| match &entries[at].body {
        Body::Compaction { first_kept, .. } => Some(first_kept),
        _ => None,
    };
    let newest = path.iter().enumerate().rev().find_map(|(place, &at)| Some((place, kept_by(at)?)));
    let selected: Vec<usize> = match newest {
        None => path.to_vec(),
        Some((place, first_kept)) => {
            let is_first = |&kept: &usize| first_kept.is_some() && entries[kept].id == *first_kept;
            let kept = path[..place].iter().skip_while(|at| !is_first(at)).copied();
            let kept = kept.filter(|&at| entries[at].role() != Some(&Role::System));
            [path[place]].into_iter().chain(kept).chain(path[place + 1..].iter().copied()).collect()
        }
    };
    let edits: HashMap<&EntryId, usize> = selected
        .iter()
        .filter_map(|&at| match &entries[at].body {
            Body::ContextEdit { target: Some(target), .. } => Some((target, at)),
            _ => None,
        })
        .collect();
    let edit_of = |at: usize| entries[at].id.as_ref().and_then(|id| edits.get(id)).copied();
    let select = |(place, &at): (usize, &usize)| Selected {
        entry: at,
        edit: edit_of(at),
        silent: place > 0 && kept_by(at).is_some(),
    };
    selected.iter().enumerate().map(select).collect()
}

/// Makes the message that stands for an entry which is no message itself.
fn made_message(entry: &Entry, raw: Raw<'_>) -> Vec<u8> {
    let (role, keys): (&str, &[&str]) = match &entry.body {
        Body::CustomMessage { .. } => ("custom", &["customType", "content", "display", "details"]),
        Body::BranchSummary { .. } => ("branchSummary", &["summary", "fromId"]),
        _ => ("compactionSummary", &["summary", "tokensBefore"]),
    };
    let mut parts = vec![format!("\"role\":{}", quote(role))];
    for key in keys {
        let value = raw.get(key).map(Raw::text);
        let value = match (*key, value) {
            ("content", None) => Some("[]".into()),
            ("content", Some(text)) if text == "null" => Some("[]".into()),
            (_, value) => value,
        };
        parts.extend(value.map(|value| format!("{}:{value}", quote(key))));
    }
    let timestamp = entry.timestamp.map_or_else(|| "null".to_owned(), |time| time.0.to_string());
    parts.push(format!("\"timestamp\":{timestamp}"));
    format!("{{{}}}", parts.join(",")).into_bytes()
}

/// Applies the last edit of an entry to its messages: null takes them out, else the content changes.
fn apply_edit(messages: Vec<Vec<u8>>, replacement: Option<Raw<'_>>) -> Vec<Vec<u8>> {
    let Some(replacement) = replacement else { return messages };
    if replacement.is_null() {
        return Vec::new();
    }
    let Some(content) = replacement.get("content") else { return messages };
    let edit = |message: Vec<u8>| {
        let Some(raw) = Raw::parse(&message) else { return message };
        let role = raw.get_str("role").unwrap_or_default();
        let content = match (&*role, content.as_str()) {
            ("assistant" | "toolResult", Some(_)) => {
                format!("[{{\"type\":\"text\",\"text\":{}}}]", content.text())
            }
            ("user" | "assistant" | "toolResult" | "custom", _) => content.text().into_owned(),
            _ => return message,
        };
        raw.with_members(&[("content", Some(&content))]).into_bytes()
    };
    messages.into_iter().map(edit).collect()
}
