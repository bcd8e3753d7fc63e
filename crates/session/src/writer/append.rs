//! New entries: each method appends one, which becomes the leaf, and returns its id.

use std::io;

use serde_json::value::RawValue;

use super::{Mint, SessionWriter};
use crate::context::ContextMessage;
use crate::entry::{Body, EntryId, Role};
use crate::error::SessionError;
use crate::json::{Raw, quote};
use crate::system::current_system_message;
use crate::tree::View;

/// What a new `compaction` entry says.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct NewCompaction<'a> {
    pub summary: &'a str,
    /// The first entry that stays; without one nothing is kept.
    pub first_kept: Option<&'a EntryId>,
    pub tokens_before: u64,
    pub details: Option<&'a RawValue>,
    pub usage: Option<&'a RawValue>,
    pub from_hook: Option<bool>,
}

impl<M: Mint> SessionWriter<M> {
    /// Appends a message, given as a JSON object in pi's shape.
    pub fn append_message(&mut self, message: &RawValue) -> Result<EntryId, SessionError> {
        let raw = Raw::parse(message.get().as_bytes()).ok_or(SessionError::BadMessage)?;
        raw.get_str("role").ok_or(SessionError::BadMessage)?;
        self.append("message", vec![("message", Some(message.get().to_owned()))])
    }

    /// Appends a change of model.
    pub fn append_model_change(
        &mut self,
        provider: &str,
        model: &str,
    ) -> Result<EntryId, SessionError> {
        let fields = vec![("provider", Some(quote(provider))), ("modelId", Some(quote(model)))];
        self.append("model_change", fields)
    }

    /// Appends a change of thinking level.
    pub fn append_thinking_level_change(&mut self, level: &str) -> Result<EntryId, SessionError> {
        self.append("thinking_level_change", vec![("thinkingLevel", Some(quote(level)))])
    }

    /// Appends a compaction, with the system message in force at this point.
    pub fn append_compaction(&mut self, new: NewCompaction<'_>) -> Result<EntryId, SessionError> {
        let now = self.mint.now();
        let id = self.new_id();
        let tree = self.session.tree(View::AsPi);
        let leaf = self.leaf.as_ref().and_then(|leaf| tree.find(leaf.as_str()));
        let context = self.session.context(&tree, leaf).map_err(|error| self.read_error(error))?;
        let messages: io::Result<Vec<_>> =
            context.messages.iter().map(ContextMessage::raw).collect();
        let messages = messages.map_err(|error| self.read_error(error))?;
        let system = current_system_message(messages.into_iter(), now.0);
        let fields = vec![
            ("summary", Some(quote(new.summary))),
            ("firstKeptEntryId", Some(quote(new.first_kept.unwrap_or(&id).as_str()))),
            ("tokensBefore", Some(new.tokens_before.to_string())),
            ("details", new.details.map(ToString::to_string)),
            ("usage", new.usage.map(ToString::to_string)),
            ("fromHook", new.from_hook.map(|flag| flag.to_string())),
            ("systemMessage", system),
        ];
        self.append_stamped("compaction", id, now, fields)
    }

    /// Appends state of an extension, which no model sees.
    pub fn append_custom_entry(
        &mut self,
        custom_type: &str,
        data: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let own =
            vec![("customType", Some(quote(custom_type))), ("data", data.map(ToString::to_string))];
        self.append_own_first("custom", own)
    }

    /// Appends text of an extension that models see; `content` is a string or a list of blocks.
    pub fn append_custom_message_entry(
        &mut self,
        custom_type: &str,
        content: &RawValue,
        display: bool,
        details: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let own = vec![
            ("customType", Some(quote(custom_type))),
            ("content", Some(content.to_string())),
            ("display", Some(display.to_string())),
            ("details", details.map(ToString::to_string)),
        ];
        self.append_own_first("custom_message", own)
    }

    /// Sets the label of an entry, or clears it.
    pub fn append_label_change(
        &mut self,
        target: &EntryId,
        label: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        self.require(target)?;
        let fields = vec![("targetId", Some(quote(target.as_str()))), ("label", label.map(quote))];
        self.append("label", fields)
    }

    /// Names the session; an empty name clears it. Line breaks become blanks.
    pub fn append_session_info(&mut self, name: &str) -> Result<EntryId, SessionError> {
        let lines: Vec<&str> = name.split(['\r', '\n']).filter(|line| !line.is_empty()).collect();
        self.append("session_info", vec![("name", Some(quote(lines.join(" ").trim())))])
    }

    /// Accounts for tokens that were spent outside the conversation.
    pub fn append_usage(
        &mut self,
        kind: &str,
        provider: &str,
        model: &str,
        usage: &RawValue,
        note: Option<&str>,
    ) -> Result<EntryId, SessionError> {
        let fields = vec![
            ("kind", Some(quote(kind))),
            ("provider", Some(quote(provider))),
            ("model", Some(quote(model))),
            ("usage", Some(usage.to_string())),
            ("note", note.filter(|note| !note.is_empty()).map(quote)),
        ];
        self.append("usage", fields)
    }

    /// Changes what models see of an entry on the current branch: other content, or (`None`) nothing.
    pub fn append_context_edit(
        &mut self,
        target: &EntryId,
        content: Option<&RawValue>,
    ) -> Result<EntryId, SessionError> {
        let tree = self.session.tree(View::AsPi);
        let at = tree
            .find(target.as_str())
            .ok_or_else(|| SessionError::EntryNotFound(target.clone()))?;
        let leaf = self.leaf.as_ref().and_then(|leaf| tree.find(leaf.as_str()));
        if !leaf.is_some_and(|leaf| tree.branch(leaf).contains(&at)) {
            return Err(SessionError::NotOnBranch(target.clone()));
        }
        let entry = &self.session.log().entries()[at];
        let wants_blocks = match (&entry.body, entry.role()) {
            (Body::CustomMessage { .. }, _) | (_, Some(Role::User)) => false,
            (_, Some(Role::Assistant | Role::ToolResult)) => true,
            _ => return Err(SessionError::NotEditable(target.clone())),
        };
        let replacement = match content.map(RawValue::get) {
            None => "null".to_owned(),
            Some(text) if wants_blocks && text.starts_with('"') => {
                format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")
            }
            Some(json) => format!("{{\"content\":{json}}}"),
        };
        let fields =
            vec![("targetId", Some(quote(target.as_str()))), ("replacement", Some(replacement))];
        self.append("context_edit", fields)
    }
}
