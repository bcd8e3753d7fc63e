//! An answer that comes piece by piece, as server-sent events.

use serde_json::{Value, json};

use crate::error::{AgentError, Result};

/// What has come of an answer.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    /// Whether the server has begun to answer in this way.
    pub(super) has_begun: bool,
    pub(super) text: String,
    /// What it took, which comes last, and not from every server.
    pub(super) usage: Value,
    refusal: String,
    finish_reason: Value,
    error: Option<Value>,
}

impl Streamed {
    /// Takes in a line, and returns the new piece of the answer if there is one in it.
    pub(super) fn hear(&mut self, line: &str) -> Option<&str> {
        // Other lines name the event, or only keep the connection alive; the last one says `[DONE]`, which is no JSON.
        let chunk: Value = serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()?;
        if chunk["usage"].is_object() {
            self.usage = chunk["usage"].clone();
        }
        if !chunk["error"].is_null() {
            self.error = Some(chunk["error"].clone());
        }
        let choice = &chunk["choices"][0];
        if choice["finish_reason"].is_string() {
            self.finish_reason = choice["finish_reason"].clone();
        }
        let delta = &choice["delta"];
        self.refusal += delta["refusal"].as_str().unwrap_or_default();
        let piece = delta["content"].as_str().filter(|piece| !piece.is_empty())?;
        self.text += piece;
        Some(&self.text[self.text.len() - piece.len()..])
    }

    /// Returns what a server would have sent that does not stream; it is an error if the answer has no end.
    pub(super) fn end(&self) -> Result<String> {
        if let Some(error) = &self.error {
            let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let message = error["message"].as_str().or(error.as_str()).unwrap_or("no reason given");
            return Err(AgentError::from_provider(status, message));
        }
        if self.finish_reason.is_null() {
            let message = "the answer broke off".to_owned();
            return Err(AgentError::Network { message });
        }
        let refusal = Some(&self.refusal).filter(|refusal| !refusal.is_empty());
        let message = json!({"content": self.text, "refusal": refusal});
        let choice = json!({"message": message, "finish_reason": self.finish_reason});
        Ok(json!({"choices": [choice], "usage": self.usage}).to_string())
    }
}

#[cfg(test)]
mod tests;
