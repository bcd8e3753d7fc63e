//! What a model was asked and what it said, for those who want to know why a node says what it says.

use std::fs;
use std::path::PathBuf;

use jiff::Zoned;
use pi_brain_agent::{Model, Reply, Request, Result as Answered, Spent, Watch};
use pi_brain_brain::{NodeId, redact};
use pi_brain_store::DataFolder;
use serde_json::{Value, json};

/// How many analyses are kept.
const KEPT: usize = 500;

/// The log of one analysis. It is free of secrets, as what the model got to read is.
#[derive(Debug)]
pub(super) struct AnalysisLog {
    data: PathBuf,
    name: String,
    lines: Vec<Value>,
}

impl AnalysisLog {
    pub(super) fn new(folder: &DataFolder, node: NodeId, lease: &str, now: &Zoned) -> Self {
        // The lease keeps two of the same second apart.
        let lease = lease.get(..8).unwrap_or(lease);
        let time = now.strftime("%Y%m%d-%H%M%S");
        let name = format!("{time}-{node}-{lease}.jsonl");
        Self { data: folder.path().to_owned(), name, lines: Vec::new() }
    }

    /// Writes it, and removes the oldest. Returns its path within the data folder; `None` if that failed: it is no reason
    /// to throw an answer away.
    pub(super) fn write(self) -> Option<String> {
        if self.lines.is_empty() {
            return None;
        }
        let relative = format!("logs/analysis/{}", self.name);
        let path = self.data.join(&relative);
        let folder = path.parent()?;
        let lines = self.lines.iter().map(ToString::to_string);
        let text = lines.collect::<Vec<_>>().join("\n") + "\n";
        pi_brain_store::write_private(&path, text.as_bytes()).ok()?;
        let files = fs::read_dir(folder).ok()?.flatten().map(|file| file.path());
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        for old in files.iter().take(files.len().saturating_sub(KEPT)) {
            let _ = fs::remove_file(old);
        }
        Some(relative)
    }
}

/// A model whose answers are written down.
pub(super) struct Recorded<'a> {
    pub(super) model: &'a mut dyn Model,
    pub(super) log: &'a mut AnalysisLog,
}

impl Model for Recorded<'_> {
    fn ask(
        &mut self,
        request: &Request<'_>,
        watch: &Watch<'_>,
        spent: &mut Spent,
    ) -> Answered<Reply> {
        let lines = &mut self.log.lines;
        lines.push(json!({ "instructions": request.instructions, "text": request.text }));
        let reply = self.model.ask(request, watch, spent);
        lines.push(match &reply {
            Ok(reply) => json!({ "answer": redact(&reply.text).0, "cutOff": reply.is_cut_off }),
            Err(error) => json!({ "error": error.to_string() }),
        });
        reply
    }
}
