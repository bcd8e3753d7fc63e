//! What pi tells: records of its JSON and RPC modes, and the messages in them.

use serde::Deserialize;
use serde_json::Value;

use crate::allowance::Spent;
use crate::error::{AgentError, Result};
use crate::model::{Event, Reply, Watch};

/// One line of pi's output.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Record {
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Of a response: the command that it answers.
    pub(super) id: Option<String>,
    pub(super) success: bool,
    pub(super) error: Option<String>,
    pub(super) data: Option<Value>,
    /// Of the end of a message.
    message: Option<Value>,
    tool_name: String,
    /// Of the end of a run: absent in pis that do not say when all is settled.
    pub(super) will_retry: Option<bool>,
}

/// As much of a record as is needed of those that come with every word. Old pi repeats the whole message in each.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    assistant_message_event: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type")]
    kind: String,
    delta: Option<String>,
}

/// Follows what pi tells of an answer.
#[derive(Debug, Default)]
pub(super) struct Listener {
    bytes: usize,
    /// Whether pieces came of a message that has ended. If another follows, it is the answer.
    has_ended: bool,
    last: Option<Said>,
}

impl Listener {
    /// Takes in a line; what is no record, or one that only tells of progress, is not given back.
    pub(super) fn hear(
        &mut self,
        line: &str,
        watch: &Watch<'_>,
        spent: &mut Spent,
    ) -> Option<Record> {
        if line.starts_with(r#"{"type":"message_update""#) {
            let update: Update = serde_json::from_str(line).ok()?;
            let event = update.assistant_message_event?;
            self.answering(&event.kind, &event.delta?, watch);
            return None;
        }
        let record: Record = serde_json::from_str(line).ok()?;
        match record.kind.as_str() {
            "message_end" => {
                if let Some(said) = record.message.as_ref().and_then(Said::of) {
                    said.charge(spent);
                    self.has_ended = self.bytes > 0;
                    self.last = Some(said);
                }
            }
            "tool_execution_start" => {
                (watch.on_event)(Event::Tool { name: &record.tool_name });
            }
            _ => {}
        }
        Some(record)
    }

    fn answering(&mut self, kind: &str, delta: &str, watch: &Watch<'_>) {
        if std::mem::take(&mut self.has_ended) {
            self.bytes = 0;
            (watch.on_event)(Event::Anew);
        }
        self.bytes += delta.len();
        // Thoughts and calls of tools come in pieces, too.
        let text = if kind == "text_delta" { delta } else { "" };
        (watch.on_event)(Event::Answering { bytes: self.bytes, text });
    }

    /// Returns the answer: the last one counts, whatever came before it.
    pub(super) fn take_reply(&mut self) -> Option<Result<Reply>> {
        Some(self.last.take()?.into_reply())
    }
}

/// What the model said in a message.
#[derive(Debug)]
pub(super) struct Said {
    text: String,
    stop_reason: String,
    error: String,
    spent: Spent,
}

impl Said {
    /// Takes a message of the model; `None` if somebody else speaks.
    pub(super) fn of(message: &Value) -> Option<Self> {
        if message["role"] != "assistant" {
            return None;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let blocks = message["content"].as_array().into_iter().flatten();
        let texts =
            blocks.filter(|block| block["type"] == "text").map(|block| text(&block["text"]));
        Some(Self {
            text: texts.collect(),
            stop_reason: text(&message["stopReason"]),
            error: text(&message["errorMessage"]),
            spent: spent_on(message),
        })
    }

    pub(super) fn charge(&self, spent: &mut Spent) {
        spent.add(&self.spent);
    }

    /// Returns the answer; how the message ended decides whether it is one.
    pub(super) fn into_reply(self) -> Result<Reply> {
        match self.stop_reason.as_str() {
            "stop" => Ok(Reply { text: self.text, is_cut_off: false }),
            "length" => Ok(Reply { text: self.text, is_cut_off: true }),
            "aborted" => Err(AgentError::Aborted),
            "error" => Err(AgentError::from_provider(None, &self.error)),
            other => {
                let message = format!("pi ended in the middle, with stop reason {other:?}");
                Err(AgentError::Network { message })
            }
        }
    }
}

fn spent_on(message: &Value) -> Spent {
    let usage = &message["usage"];
    let count = |name: &str| usage[name].as_u64().unwrap_or_default();
    let model = message["model"].as_str().map(|model| match message["provider"].as_str() {
        Some(provider) => format!("{provider}/{model}"),
        None => model.to_owned(),
    });
    Spent {
        requests: 1,
        tokens_in: count("input") + count("cacheRead") + count("cacheWrite"),
        tokens_out: count("output"),
        // pi writes 0 for models whose price it does not know.
        dollars: usage["cost"]["total"].as_f64().filter(|cost| *cost > 0.0),
        model,
    }
}
