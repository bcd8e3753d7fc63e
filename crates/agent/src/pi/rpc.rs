//! One run of pi for many requests.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::PiSettings;
use super::json_mode::no_answer;
use super::message::{Listener, Record, Said};
use crate::allowance::Spent;
use crate::error::{AgentError, Result, short};
use crate::model::{Model, Reply, Request, Watch};
use crate::process::{Deadline, Running};

/// How long pi may take to leave a request.
const TO_ABORT: Duration = Duration::from_secs(2);
/// How often an old pi is asked whether it is done.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(20);

/// Asks through a pi that keeps running between requests. It is started when first needed, and again after it was lost.
pub struct PiRpc {
    settings: PiSettings,
    talk: Option<Talk>,
}

impl PiRpc {
    /// Takes the settings; nothing runs yet.
    pub fn new(settings: PiSettings) -> Self {
        Self { settings, talk: None }
    }
}

impl fmt::Debug for PiRpc {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_running = self.talk.is_some();
        formatter.debug_struct("PiRpc").field("is_running", &is_running).finish_non_exhaustive()
    }
}

impl Model for PiRpc {
    fn ask(
        &mut self,
        request: &Request<'_>,
        watch: &Watch<'_>,
        spent: &mut Spent,
    ) -> Result<Reply> {
        let deadline = Deadline::after(self.settings.timeout);
        let mut talk = match self.talk.take() {
            Some(mut talk) => match talk.renew(deadline, watch) {
                Ok(()) => talk,
                // It ended while nobody asked it anything.
                Err(Lost::Gone) => Talk::start(&self.settings)?,
                Err(Lost::Because(error)) => return Err(error),
            },
            None => Talk::start(&self.settings)?,
        };
        let reply = talk.prompt(request, deadline, watch).and_then(|()| talk.answer(deadline));
        let reply = match reply {
            Ok(reply) => reply,
            Err(Lost::Gone) => {
                spent.add(&talk.spent);
                return Err(no_answer(&talk.running.into_complaint()));
            }
            Err(Lost::Because(error)) => {
                let is_idle = talk.abort().is_ok();
                spent.add(&talk.spent);
                self.talk = is_idle.then_some(talk);
                return Err(error);
            }
        };
        spent.add(&talk.spent);
        self.talk = Some(talk);
        reply
    }
}

type Outcome<T> = std::result::Result<T, Lost>;

/// Why a talk cannot go on.
enum Lost {
    /// pi has ended.
    Gone,
    Because(AgentError),
}

impl From<AgentError> for Lost {
    fn from(error: AgentError) -> Self {
        Self::Because(error)
    }
}

/// A running pi.
struct Talk {
    running: Running,
    /// pi runs in it; it goes away after pi.
    _folder: TempDir,
    /// How many commands were sent.
    sent: u64,
    /// Whether this pi says when it is settled.
    tells_end: bool,
    /// What was heard of the present request, and what it took.
    listener: Listener,
    spent: Spent,
}

impl Talk {
    fn start(settings: &PiSettings) -> Result<Self> {
        let folder = settings.folder()?;
        let running = Running::start_with_input(settings.command("rpc", folder.path()))?;
        Ok(Self {
            running,
            _folder: folder,
            sent: 0,
            tells_end: false,
            listener: Listener::default(),
            spent: Spent::default(),
        })
    }

    /// Makes pi forget what it was asked before.
    fn renew(&mut self, deadline: Deadline, watch: &Watch<'_>) -> Outcome<()> {
        self.spent = Spent::default();
        self.call("new_session", deadline, watch)?;
        // What was still to be heard of the last request came before that answer.
        self.listener = Listener::default();
        Ok(())
    }

    /// Asks, and waits until pi has nothing more to do.
    fn prompt(
        &mut self,
        request: &Request<'_>,
        deadline: Deadline,
        watch: &Watch<'_>,
    ) -> Outcome<()> {
        let id = self.send("prompt", json!({"message": request.message()}));
        self.settle(&id, deadline, watch)
    }

    /// Follows events until pi is settled. Old pi does not say so: there, `agent_end` is the end if pi is idle after it.
    fn settle(&mut self, prompt: &str, deadline: Deadline, watch: &Watch<'_>) -> Outcome<()> {
        let mut question = None;
        let mut is_retrying = false;
        loop {
            let record = self.next(deadline, watch)?;
            match record.kind.as_str() {
                "agent_settled" => {
                    self.tells_end = true;
                    return Ok(());
                }
                "agent_end" => {
                    self.tells_end |= record.will_retry.is_some();
                    if !self.tells_end {
                        question = Some(self.send("get_state", json!({})));
                    }
                }
                // When to try again is for our caller to say, who knows what may be spent.
                "auto_retry_start" => {
                    is_retrying = true;
                    self.send("abort_retry", json!({}));
                }
                "auto_retry_end" => is_retrying = false,
                "response" if record.id.as_deref() == Some(prompt) && !record.success => {
                    let error = record.error.unwrap_or_default();
                    return Err(AgentError::from_provider(None, &error).into());
                }
                "response" if record.id.is_some() && record.id == question => {
                    let state = record.data.unwrap_or_default();
                    let is_busy = state["isStreaming"] == true || state["isCompacting"] == true;
                    if !is_busy && !is_retrying {
                        return Ok(());
                    }
                    std::thread::sleep(BETWEEN_QUESTIONS);
                    question = Some(self.send("get_state", json!({})));
                }
                _ => {}
            }
        }
    }

    /// Returns what the model said last. Normally it was heard; else pi is asked for all that was said, which lacks what pi
    /// takes back before it tries again.
    fn answer(&mut self, deadline: Deadline) -> Outcome<Result<Reply>> {
        if let Some(reply) = self.listener.take_reply() {
            return Ok(reply);
        }
        let data = self.call("get_messages", deadline, &unwatched(&AtomicBool::new(false)))?;
        let messages = data["messages"].as_array().into_iter().flatten();
        let nothing = || AgentError::Network { message: "pi had no answer".to_owned() };
        let said = messages.filter_map(Said::of).next_back().ok_or_else(nothing)?;
        said.charge(&mut self.spent);
        Ok(said.into_reply())
    }

    /// Makes pi leave what it is doing.
    fn abort(&mut self) -> Outcome<()> {
        let never = AtomicBool::new(false);
        let (deadline, watch) = (Deadline::after(TO_ABORT), unwatched(&never));
        self.call("abort", deadline, &watch)?;
        loop {
            let state = self.call("get_state", deadline, &watch)?;
            if state["isStreaming"] != true {
                return Ok(());
            }
            std::thread::sleep(BETWEEN_QUESTIONS);
        }
    }

    /// Sends a command, and waits for what it gives.
    fn call(&mut self, command: &str, deadline: Deadline, watch: &Watch<'_>) -> Outcome<Value> {
        let id = self.send(command, json!({}));
        loop {
            let record = self.next(deadline, watch)?;
            if record.kind != "response" || record.id.as_ref() != Some(&id) {
                continue;
            }
            if record.success {
                return Ok(record.data.unwrap_or_default());
            }
            let error = record.error.unwrap_or_default();
            let message = short(&format!("pi did not take {command}: {error}"));
            return Err(AgentError::Network { message }.into());
        }
    }

    fn send(&mut self, command: &str, mut members: Value) -> String {
        self.sent += 1;
        let id = format!("r{}", self.sent);
        members["id"] = json!(id);
        members["type"] = json!(command);
        self.running.send(members.to_string());
        id
    }

    fn next(&mut self, deadline: Deadline, watch: &Watch<'_>) -> Outcome<Record> {
        loop {
            let line = self.running.next_line(deadline, watch)?.ok_or(Lost::Gone)?;
            if let Some(record) = self.listener.hear(&line, watch, &mut self.spent) {
                return Ok(record);
            }
        }
    }
}

/// Returns a watch for short commands, which nobody looks at.
fn unwatched(never: &AtomicBool) -> Watch<'_> {
    Watch { stop: never, on_event: &|_| {} }
}
