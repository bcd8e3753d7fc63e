//! Asks a model over HTTP, at any server that speaks as much of OpenAI's chat completions as this.

mod stream;

use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use crate::allowance::{Price, Spent};
use crate::error::{AgentError, Result, short};
use crate::model::{Event, Model, Reply, Request, Watch};
use crate::process::{Deadline, Running};
use crate::transcript::estimate_tokens;
use stream::Streamed;

/// A longer answer than this is none.
const LONGEST_ANSWER: u64 = 16 * 1024 * 1024;
/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(25);

/// Which server is asked for which model.
#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// What `/chat/completions` is added to, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// Where the key comes from.
    pub key: KeySource,
    /// What it costs, if that is known: such servers do not say.
    pub price: Option<Price>,
    /// How long a request may take.
    pub timeout: Duration,
}

/// Where an API key comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The server wants none.
    None,
    /// A variable of the environment.
    Environment(String),
    /// The first line that a shell command prints, such as `pass show openai`.
    Command(String),
}

impl fmt::Debug for KeySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Environment(name) => formatter.debug_tuple("Environment").field(name).finish(),
            // A careless one has the key in it.
            Self::Command(_) => formatter.write_str("Command(…)"),
        }
    }
}

/// Asks over HTTP.
#[derive(Debug)]
pub struct OpenAi {
    settings: OpenAiSettings,
    key: Option<Key>,
    manner: Manner,
}

/// A secret that no message and no log can show by accident.
#[derive(Clone)]
struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// What a server can bear. Each thing that it refuses is left out from then on.
#[derive(Clone, Copy, Debug)]
struct Manner {
    with_schema: bool,
    /// Whether it can answer piece by piece, and be asked to say in the end what that took.
    streams: bool,
    tells_usage: bool,
    /// What the longest answer is called; newer models want another name for it.
    limit: &'static str,
}

impl OpenAi {
    /// Takes the settings; the key is fetched when it is first needed.
    pub fn new(settings: OpenAiSettings) -> Self {
        let manner =
            Manner { with_schema: true, streams: true, tells_usage: true, limit: "max_tokens" };
        Self { settings, key: None, manner }
    }

    /// Asks in the present manner. What comes piece by piece is in `streamed`, also where it broke off.
    fn post(
        &self,
        request: &Request<'_>,
        deadline: Deadline,
        watch: &Watch<'_>,
        streamed: &mut Streamed,
    ) -> Result<Answer> {
        let agent = Agent::new_with_config(
            Agent::config_builder()
                .timeout_global(Some(deadline.left()?))
                .http_status_as_error(false)
                .build(),
        );
        let url = format!("{}/chat/completions", self.settings.base_url.trim_end_matches('/'));
        let mut post = agent.post(&url).content_type("application/json");
        if let Some(Key(key)) = &self.key {
            post = post.header("Authorization", format!("Bearer {key}"));
        }
        let body = self.body(request).to_string();
        let in_pieces = self.asks_for_pieces(request);
        let (sender, heard) = mpsc::sync_channel(1);
        // A blocking request cannot be left, so it is left behind: it ends by its own timeout at the latest.
        thread::spawn(move || {
            let heard = post.send(body).and_then(|response| listen(response, in_pieces, &sender));
            let _ = sender.send(heard.map(Heard::All));
        });
        loop {
            watch.check()?;
            match heard.recv_timeout(deadline.left()?.min(TICK)) {
                Ok(Ok(Heard::Beginning)) => streamed.has_begun = true,
                Ok(Ok(Heard::Line(line))) => {
                    if let Some(text) = streamed.hear(&line).map(str::to_owned) {
                        let bytes = streamed.text.len();
                        (watch.on_event)(Event::Answering { bytes, text: &text });
                    }
                }
                Ok(Ok(Heard::All(answer))) if streamed.has_begun => {
                    return Ok(Answer { text: streamed.end()?, ..answer });
                }
                Ok(Ok(Heard::All(answer))) => return Ok(answer),
                Ok(Err(error)) => return Err(transport_error(&error, self.settings.timeout)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AgentError::Network {
                        message: "the request broke off".to_owned(),
                    });
                }
            }
        }
    }

    fn asks_for_pieces(&self, request: &Request<'_>) -> bool {
        request.is_read_along && self.manner.streams
    }

    fn body(&self, request: &Request<'_>) -> Value {
        let mut body = json!({
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": request.instructions},
                {"role": "user", "content": request.text},
            ],
        });
        body[self.manner.limit] = json!(request.answer_tokens);
        if self.asks_for_pieces(request) {
            body["stream"] = json!(true);
            if self.manner.tells_usage {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        if let Some(schema) = request.schema.filter(|_| self.manner.with_schema) {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": true, "schema": schema},
            });
        }
        body
    }

    /// Returns another manner for a server that refused, if what it says gives reason to hope.
    fn other_manner(&self, answer: &Answer, request: &Request<'_>) -> Option<Manner> {
        let is_refusal = [400, 404, 415, 422, 501].contains(&answer.status.as_u16());
        let text = answer.text.to_lowercase();
        let speaks_of = |words: &[&str]| is_refusal && words.iter().any(|word| text.contains(word));
        if self.manner.limit == "max_tokens" && speaks_of(&["max_completion_tokens"]) {
            return Some(Manner { limit: "max_completion_tokens", ..self.manner });
        }
        let in_pieces = self.asks_for_pieces(request);
        if in_pieces && self.manner.tells_usage && speaks_of(&["stream_options", "include_usage"]) {
            return Some(Manner { tells_usage: false, ..self.manner });
        }
        if in_pieces && speaks_of(&["stream"]) {
            return Some(Manner { streams: false, ..self.manner });
        }
        let refuses_schema =
            speaks_of(&["response_format", "json_schema", "schema", "structured output"]);
        (self.manner.with_schema && refuses_schema)
            .then_some(Manner { with_schema: false, ..self.manner })
    }

    fn read(&self, answer: &Answer, request: &Request<'_>, spent: &mut Spent) -> Result<Reply> {
        let value: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        if !answer.status.is_success() {
            let message = value["error"]["message"].as_str().or(value["error"].as_str());
            let message = message.unwrap_or(&answer.text);
            return Err(answer.error(message));
        }
        let choice = &value["choices"][0];
        let text = choice["message"]["content"].as_str().unwrap_or_default().to_owned();
        self.charge(&value["usage"], request, &text, spent);
        let refusal = choice["message"]["refusal"].as_str();
        let is_filtered = choice["finish_reason"] == "content_filter";
        match refusal.or(is_filtered.then_some("a content filter took the answer away")) {
            Some(refusal) => Err(AgentError::Refused { message: short(refusal) }),
            None if !choice.is_object() => {
                let message = short(&format!("the server answered {}", answer.text));
                Err(AgentError::Network { message })
            }
            None => Ok(Reply { text, is_cut_off: choice["finish_reason"] == "length" }),
        }
    }

    /// Charges what the server says; one that says nothing is reckoned.
    fn charge(&self, usage: &Value, request: &Request<'_>, text: &str, spent: &mut Spent) {
        let estimate_in = || estimate_tokens(request.instructions) + estimate_tokens(request.text);
        let tokens_in = usage["prompt_tokens"].as_u64().unwrap_or_else(estimate_in);
        let tokens_out =
            usage["completion_tokens"].as_u64().unwrap_or_else(|| estimate_tokens(text));
        spent.add(&Spent {
            requests: 1,
            tokens_in,
            tokens_out,
            dollars: self.settings.price.map(|price| price.of(tokens_in, tokens_out)),
            model: Some(self.settings.model.clone()),
        });
    }
}

impl Model for OpenAi {
    fn ask(
        &mut self,
        request: &Request<'_>,
        watch: &Watch<'_>,
        spent: &mut Spent,
    ) -> Result<Reply> {
        let deadline = Deadline::after(self.settings.timeout);
        if self.key.is_none() {
            self.key = self.settings.key.fetch(deadline)?.map(Key);
        }
        loop {
            let mut streamed = Streamed::default();
            let answer = self.post(request, deadline, watch, &mut streamed);
            if answer.is_err() && streamed.has_begun {
                self.charge(&streamed.usage, request, &streamed.text, spent);
            }
            let answer = answer?;
            if let Some(manner) = self.other_manner(&answer, request) {
                // Each manner is left for good, so this comes to an end.
                self.manner = manner;
                continue;
            }
            let reply = self.read(&answer, request, spent)?;
            if !streamed.has_begun {
                let event = Event::Answering { bytes: reply.text.len(), text: &reply.text };
                (watch.on_event)(event);
            }
            return Ok(reply);
        }
    }
}

/// What is heard of a server.
enum Heard {
    /// An answer comes piece by piece.
    Beginning,
    /// A line of it.
    Line(String),
    /// All that it sends, or the end of such an answer.
    All(Answer),
}

/// Reads a response. The lines of one that comes piece by piece are sent as they come, as long as somebody wants them.
fn listen(
    response: Response<Body>,
    in_pieces: bool,
    sender: &SyncSender<std::result::Result<Heard, ureq::Error>>,
) -> std::result::Result<Answer, ureq::Error> {
    // Some servers do not know how to stream and do not say so.
    let is_whole = response.body().mime_type() == Some("application/json");
    if !in_pieces || is_whole || !response.status().is_success() {
        return Answer::of(response);
    }
    let status = response.status();
    let body = response.into_body().into_with_config().limit(LONGEST_ANSWER).reader();
    let mut lines = BufReader::new(body);
    let mut line = Vec::new();
    let mut is_wanted = sender.send(Ok(Heard::Beginning)).is_ok();
    while is_wanted && lines.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line).into_owned();
        is_wanted = sender.send(Ok(Heard::Line(text))).is_ok();
        line.clear();
    }
    Ok(Answer { status, retry_after: None, text: String::new() })
}

/// What a server sent.
struct Answer {
    status: StatusCode,
    retry_after: Option<Duration>,
    text: String,
}

impl Answer {
    fn of(mut response: Response<Body>) -> std::result::Result<Self, ureq::Error> {
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|seconds| seconds.trim().parse().ok());
        let text = response
            .body_mut()
            .with_config()
            .limit(LONGEST_ANSWER)
            .lossy_utf8(true)
            .read_to_string()?;
        Ok(Self {
            status: response.status(),
            retry_after: retry_after.map(Duration::from_secs),
            text,
        })
    }

    fn error(&self, message: &str) -> AgentError {
        match AgentError::from_provider(Some(self.status.as_u16()), message) {
            AgentError::RateLimited { message, .. } => {
                AgentError::RateLimited { message, retry_after: self.retry_after }
            }
            error => error,
        }
    }
}

fn transport_error(error: &ureq::Error, timeout: Duration) -> AgentError {
    match error {
        ureq::Error::Timeout(_) => AgentError::TimedOut { after: timeout },
        error => AgentError::Network { message: short(&error.to_string()) },
    }
}

impl KeySource {
    fn fetch(&self, deadline: Deadline) -> Result<Option<String>> {
        let key = match self {
            Self::None => return Ok(None),
            Self::Environment(name) => std::env::var(name).map_err(|_| AgentError::NoKey {
                reason: format!("the environment has no variable {name}"),
            })?,
            Self::Command(command) => first_line_of(command, deadline)?,
        };
        match key.trim() {
            "" => Err(AgentError::NoKey { reason: "it is empty".to_owned() }),
            key => Ok(Some(key.to_owned())),
        }
    }
}

fn first_line_of(script: &str, deadline: Deadline) -> Result<String> {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    let mut running = Running::start(command)?;
    let never = AtomicBool::new(false);
    let watch = Watch { stop: &never, on_event: &|_| {} };
    let line = running.next_line(deadline, &watch)?.unwrap_or_default();
    if running.wait(deadline, &watch)? {
        return Ok(line);
    }
    // What it printed may be the key, so only what it complained about is told.
    let complaint = short(&running.into_complaint());
    Err(AgentError::NoKey { reason: format!("the command for it failed: {complaint}") })
}
