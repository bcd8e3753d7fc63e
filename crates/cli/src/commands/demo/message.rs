//! Messages in pi's shapes, with its order of keys, and what they cost.

use anyhow::Context;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A message as pi stores it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Message<'a> {
    System {
        content: &'a str,
        sections: Sections<'a>,
        timestamp: i64,
    },
    User {
        content: Vec<Block<'a>>,
        timestamp: i64,
    },
    Assistant {
        content: Vec<Block<'a>>,
        api: &'a str,
        provider: &'a str,
        model: &'a str,
        usage: Usage,
        stop_reason: &'a str,
        timestamp: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_message: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        response_id: Option<String>,
        duration_ms: i64,
        thinking_level: &'a str,
    },
    ToolResult {
        tool_call_id: String,
        tool_name: &'a str,
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        is_error: bool,
        duration_ms: i64,
        timestamp: i64,
    },
    BashExecution {
        command: &'a str,
        output: String,
        exit_code: u8,
        cancelled: bool,
        truncated: bool,
        timestamp: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        exclude_from_context: Option<bool>,
    },
}

/// The parts of a system message.
#[derive(Serialize)]
pub(super) struct Sections<'a> {
    pub(super) preamble: &'a str,
    pub(super) tools: &'a str,
    pub(super) rules: &'a str,
    pub(super) cwd: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Block<'a> {
    Text { text: String },
    Image { data: &'a str, mime_type: &'a str },
    Thinking { thinking: &'a str },
    ToolCall { id: String, name: &'a str, arguments: Value },
}

impl Block<'_> {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A little picture of a chart. It stands for every picture in the stories.
    pub(super) fn picture() -> Self {
        let data = "iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAIAAACDRijCAAAAM0lEQVR42mP4TyXAMMINOhFgA0GD0iCnin0QRKxB\
                    yBoGziBkRXQ1CJlNPYNwSYwaBGcDAMX8m871WuBsAAAAAElFTkSuQmCC";
        Self::Image { data, mime_type: "image/png" }
    }

    /// Estimates the tokens that a model spends on saying this.
    pub(super) fn tokens(&self) -> u32 {
        let characters = match self {
            Self::Text { text } => text.len(),
            // Providers show a summary of it, and charge for the whole.
            Self::Thinking { thinking } => thinking.len() * 4,
            Self::ToolCall { arguments, .. } => arguments.to_string().len() + 60,
            Self::Image { .. } => 0,
        };
        u32::try_from(characters / 4).unwrap_or(u32::MAX)
    }
}

/// A language model and what it charges, in dollars for a million tokens.
pub(super) struct Model {
    pub(super) provider: &'static str,
    pub(super) id: &'static str,
    pub(super) api: &'static str,
    /// How its providers' ids of calls and answers begin.
    pub(super) id_prefixes: (&'static str, &'static str),
    input: f64,
    output: f64,
    cache_read: f64,
    /// Zero for those that cache by themselves.
    cache_write: f64,
}

const MODELS: [Model; 3] = [
    Model {
        provider: "anthropic",
        id: "claude-sonnet-4-5",
        api: "anthropic-messages",
        id_prefixes: ("toolu_01", "msg_01"),
        input: 3.0,
        output: 15.0,
        cache_read: 0.3,
        cache_write: 3.75,
    },
    Model {
        provider: "openai",
        id: "gpt-5.2",
        api: "openai-responses",
        id_prefixes: ("call_", "resp_"),
        input: 1.75,
        output: 14.0,
        cache_read: 0.175,
        cache_write: 0.0,
    },
    Model {
        provider: "zai",
        id: "glm-4.7",
        api: "openai-completions",
        id_prefixes: ("call_", "2026"),
        input: 0.6,
        output: 2.2,
        cache_read: 0.11,
        cache_write: 0.0,
    },
];

impl Model {
    /// Finds a model by `provider/id`.
    pub(super) fn find(name: &str) -> anyhow::Result<&'static Self> {
        let is_meant = |model: &&Self| name.split_once('/') == Some((model.provider, model.id));
        MODELS.iter().find(is_meant).with_context(|| format!("no model {name}"))
    }

    /// Says what an answer cost, if `cached` tokens of its prompt were known already.
    pub(super) fn usage(&self, prompt: u32, cached: u32, output: u32) -> Usage {
        let cached = cached.min(prompt);
        let fresh = prompt - cached;
        let (input, cache_write) =
            if self.cache_write > 0.0 { (fresh.min(7), fresh - fresh.min(7)) } else { (fresh, 0) };
        let price = |tokens: u32, dollars: f64| f64::from(tokens) * dollars / 1e6;
        let mut cost = Cost {
            input: price(input, self.input),
            output: price(output, self.output),
            cache_read: price(cached, self.cache_read),
            cache_write: price(cache_write, self.cache_write),
            total: 0.0,
        };
        cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
        let total_tokens = prompt + output;
        Usage { input, output, cache_read: cached, cache_write, total_tokens, cost }
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    input: u32,
    output: u32,
    cache_read: u32,
    cache_write: u32,
    total_tokens: u32,
    cost: Cost,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    #[serde(serialize_with = "dollars")]
    input: f64,
    #[serde(serialize_with = "dollars")]
    output: f64,
    #[serde(serialize_with = "dollars")]
    cache_read: f64,
    #[serde(serialize_with = "dollars")]
    cache_write: f64,
    #[serde(serialize_with = "dollars")]
    total: f64,
}

/// Writes nothing as `0`, as JavaScript does, not as `0.0`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn dollars<S: Serializer>(amount: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if *amount == 0.0 { serializer.serialize_u8(0) } else { serializer.serialize_f64(*amount) }
}
