//! A home folder that is nobody's, a pi in it that knows only the scripted model, and something to analyse.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pi_brain_agent::{
    AgentError, Allowance, Analysed, Event, Limits, Model, PiSettings, Prompts, Transcript, Watch,
    analyse,
};
use pi_brain_real_pi::{Pi, ScriptedModel, install_program};
use pi_brain_session::Entry;
use serde_json::{Value, json};
use tempfile::TempDir;

/// No request takes as long, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Installs a real pi that asks this model.
    pub(crate) fn pi(&self, version: &'static str, model: &ScriptedModel) -> PiSettings {
        settings(Pi::new(version).install(self.path(), model))
    }

    /// Installs a program that behaves in some other way.
    pub(crate) fn program(&self, name: &str, script: &str) -> PiSettings {
        settings(install_program(self.path(), name, script))
    }
}

fn settings(program: PathBuf) -> PiSettings {
    PiSettings { program, timeout: PATIENCE, ..PiSettings::default() }
}

/// A conversation of so many turns, as pi writes it, with a secret in each; and the ids of its entries.
pub(crate) fn lines(turns: usize) -> Vec<(String, String)> {
    let line = |id: String, message: Value| {
        let time = "2026-11-01T10:00:00.000Z";
        let entry = json!({"type": "message", "id": id, "parentId": null, "timestamp": time, "message": message});
        (id, entry.to_string())
    };
    let talk = (0..turns).flat_map(|turn| {
        let wish = format!("Make the cart in src/cart.ts faster. DB_PASSWORD=hunter2hunter, step {turn}");
        let call = json!({"type": "toolCall", "id": "t", "name": "edit", "arguments": {"path": "src/cart.ts"}});
        let text = json!({"type": "text", "text": format!("Step {turn} is done. {}", "So it is. ".repeat(60))});
        let usage = json!({"input": 10, "output": 5, "cost": {"total": 0.5}});
        let answer = json!({"role": "assistant", "content": [text, call], "usage": usage, "stopReason": "stop"});
        [
            line(format!("u{turn}"), json!({"role": "user", "content": wish})),
            line(format!("m{turn}"), answer),
        ]
    });
    talk.collect()
}

/// The transcript of such a conversation.
pub(crate) fn transcript(turns: usize) -> Transcript {
    let mut transcript = Transcript::new();
    for (id, line) in lines(turns) {
        let (entry, raw) = Entry::parse(line.as_bytes(), 1, 0).unwrap();
        transcript.hear(&id, &entry, raw);
    }
    transcript
}

/// An answer that is as it should be, but for a lesson about a file that nobody has heard of.
pub(crate) fn good_answer(summary: &str) -> Value {
    json!({
        "type": "coding", "outcome": "success", "summary": summary, "hadClearGoal": true,
        "language": "typescript", "frameworks": [],
        "decisions": [{"what": "Keep carts in a map", "why": "lookups", "entries": ["u0", "m0", "zz"]}],
        "lessons": [
            {"level": "project", "summary": "The cart is in src/cart.ts", "entries": ["u0"]},
            {"level": "project", "summary": "Prices are in src/price.ts"},
        ],
        "tags": ["cart"], "topics": ["performance"], "concepts": ["caching"],
    })
}

/// Analyses with enough of everything.
pub(crate) fn run(model: &mut dyn Model, transcript: &Transcript) -> Result<Analysed, AgentError> {
    run_within(model, transcript, &mut Allowance::tokens(1_000_000))
}

pub(crate) fn run_within(
    model: &mut dyn Model,
    transcript: &Transcript,
    allowance: &mut Allowance,
) -> Result<Analysed, AgentError> {
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, on_event: &|_: Event<'_>| {} };
    let limits = Limits { part_tokens: 600, answer_tokens: 500 };
    analyse(transcript, model, &Prompts::built_in(), limits, allowance, &watch)
}

/// Returns whether a process is there and is more than a remainder that nobody has collected.
pub(crate) fn is_alive(pid: &str) -> bool {
    let output = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
    let state =
        String::from_utf8(output.expect("ps is needed to look for processes").stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}
