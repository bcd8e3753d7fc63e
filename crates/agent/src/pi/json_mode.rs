//! One run of pi for one request.

use super::PiSettings;
use super::message::Listener;
use crate::allowance::Spent;
use crate::error::{AgentError, Result};
use crate::model::{Model, Reply, Request, Watch};
use crate::process::{Deadline, Running};

/// Asks through a pi that is started for each request.
#[derive(Clone, Debug)]
pub struct PiJson {
    settings: PiSettings,
}

impl PiJson {
    /// Takes the settings; nothing runs yet.
    pub fn new(settings: PiSettings) -> Self {
        Self { settings }
    }
}

impl Model for PiJson {
    fn ask(
        &mut self,
        request: &Request<'_>,
        watch: &Watch<'_>,
        spent: &mut Spent,
    ) -> Result<Reply> {
        let deadline = Deadline::after(self.settings.timeout);
        let folder = self.settings.folder()?;
        // Arguments are limited in length, and everybody on the machine can read them; files are not.
        let file = folder.path().join("request.md");
        std::fs::write(&file, request.message())
            .map_err(|source| AgentError::Run { program: self.settings.program.clone(), source })?;
        let mut command = self.settings.command("json", folder.path());
        command.args(["@request.md", "Do what the file asks for."]);
        let running = Running::start(command)?;
        let mut listener = Listener::default();
        while let Some(line) = running.next_line(deadline, watch)? {
            let record = listener.hear(&line, watch, spent);
            // When to try again is for our caller to say, who knows what may be spent. It also takes long.
            if record.is_some_and(|record| record.kind == "auto_retry_start") {
                break;
            }
        }
        let complaint = running.into_complaint();
        listener.take_reply().unwrap_or_else(|| Err(no_answer(&complaint)))
    }
}

/// Makes an error of what pi says where no model has said anything.
pub(super) fn no_answer(complaint: &str) -> AgentError {
    match complaint.trim() {
        "" => AgentError::Network { message: "pi ended without an answer".to_owned() },
        complaint => AgentError::from_provider(None, complaint),
    }
}
