//! What a look at everything means: what is in order, what is worth knowing, what has to be mended, and how.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{BrainHealth, Checkup, check_up, whole_story};
use crate::error::Result;
use crate::figures::{bytes, count, how_many};
use crate::paths::{clean_path, display_path, shell_path, unreadable_file};
use crate::settings::Settings;

/// What the doctor says.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// Whether nothing has to be mended.
    pub in_order: bool,
    /// What was looked at.
    pub findings: Vec<Finding>,
    /// Everything that was seen; none if the settings cannot be read.
    pub details: Option<Checkup>,
}

/// Something that was looked at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is about.
    pub area: &'static str,
    /// How it is.
    pub state: State,
    /// What was found.
    pub text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is in order.
    Fine,
    /// It is worth knowing.
    Note,
    /// It has to be mended.
    Problem,
}

impl Diagnosis {
    /// Looks at everything and judges it. Paths are shown from the home folder on.
    pub fn of(folder: &Path, settings: Result<Settings>, home: &Path) -> Self {
        let mut findings = Vec::new();
        let details = match settings {
            Ok(settings) => Some(check_up(folder, &settings.sources)),
            Err(error) => {
                let text = whole_story(&error);
                findings.push(problem("settings", text, "mend or remove config.toml"));
                None
            }
        };
        if let Some(checkup) = &details {
            findings.extend(judge(checkup, home));
        }
        findings.extend(judge_disk(folder));
        let in_order = findings.iter().all(|finding| finding.state != State::Problem);
        Self { in_order, findings, details }
    }
}

fn fine(area: &'static str, text: String) -> Finding {
    Finding { area, state: State::Fine, text, remedy: None }
}

fn note(area: &'static str, text: String, remedy: &str) -> Finding {
    Finding { area, state: State::Note, text, remedy: Some(remedy.to_owned()) }
}

fn problem(area: &'static str, text: String, remedy: &str) -> Finding {
    Finding { area, state: State::Problem, text, remedy: Some(remedy.to_owned()) }
}

fn judge(checkup: &Checkup, home: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &checkup.sources {
        let folder = display_path(&source.folder, home);
        findings.push(match (&source.problem, source.files) {
            (None, 0) => note(
                "sessions",
                format!("{folder} has no session files"),
                "pi writes them there when you use it; `pi-brain demo` makes some to try things on",
            ),
            (None, files) => {
                fine("sessions", format!("{} in {folder}", how_many(files, "file", "files")))
            }
            (Some(why), _) => problem(
                "sessions",
                format!("{folder} cannot be looked into: {why}"),
                "use pi once, or say with --session-dir or `[[sources]]` in config.toml where sessions are",
            ),
        });
    }
    let folder = display_path(&checkup.folder, home);
    for path in &checkup.exposed {
        let remedy = format!("chmod 700 {}", shell_path(path, home));
        findings.push(problem("data folder", format!("others can look into {folder}"), &remedy));
    }
    if checkup.exposed.is_empty() && checkup.folder.exists() {
        findings.push(fine("data folder", format!("{folder}, only for you")));
    }
    match (&checkup.brain, &checkup.refused) {
        (Some(brain), _) => findings.extend(judge_brain(brain, home)),
        (None, Some(why)) => findings.push(problem(
            "database",
            why.clone(),
            "`pi-brain rebuild` makes database and index anew; nothing is lost by that",
        )),
        (None, None) => findings.push(note(
            "database",
            "nothing was taken in yet".to_owned(),
            "`pi-brain ingest` does that, and so does the first search",
        )),
    }
    findings.extend(judge_journal(checkup));
    findings
}

fn judge_brain(brain: &BrainHealth, home: &Path) -> Vec<Finding> {
    const SHOWN: usize = 10;
    let mut findings = Vec::new();
    let size = bytes(brain.database_bytes);
    let files = how_many(brain.files, "session", "sessions");
    let nodes = how_many(brain.nodes, "unit of work", "units of work");
    findings.push(match &*brain.damage {
        [] => fine("database", format!("{files}, {nodes}, {size}")),
        [first, ..] => problem(
            "database",
            format!("it is damaged: {first}"),
            "`pi-brain rebuild` makes it anew; nothing is lost by that",
        ),
    });
    for (file, why) in brain.unreadable.iter().take(SHOWN) {
        let text = unreadable_file(file, why, home);
        findings.push(note("session file", text, "it is left out; look at it, or move it away"));
    }
    if let Some(more) = brain.unreadable.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let text = format!("{more} more could not be read");
        findings.push(note("session file", text, "`pi-brain doctor --json` lists all"));
    }
    if brain.forgotten > 0 {
        let text = how_many(brain.forgotten, "session is forgotten", "sessions are forgotten");
        findings.push(note("forgotten", text, "`pi-brain forget` lists them"));
    }
    if let Some(first) = brain.missing_nodes.first() {
        let text = format!(
            "{} of nodes, such as {}",
            how_many(brain.missing_nodes.len(), "file is missing", "files are missing"),
            clean_path(Path::new(first))
        );
        findings.push(problem(
            "node files",
            text,
            "bring them back from a backup, or run `pi-brain rebuild`, which makes the nodes anew",
        ));
    }
    let documents = count(brain.documents);
    findings.push(if brain.is_index_behind {
        problem(
            "index",
            "it has been lost, or is older than the database".to_owned(),
            "`pi-brain ingest` fills it again",
        )
    } else if brain.pending > 0 {
        let waiting = how_many(brain.pending, "change waits", "changes wait");
        fine(
            "index",
            format!("{documents} documents; {waiting} in the tail, which is searched, too"),
        )
    } else {
        fine("index", format!("{documents} documents, up to date"))
    });
    findings
}

fn judge_journal(checkup: &Checkup) -> Vec<Finding> {
    let journal = &checkup.journal;
    let mut findings = Vec::new();
    if let Some(first) = journal.unreadable.first() {
        let text = format!(
            "{} cannot be read, the first is line {first}",
            how_many(journal.unreadable.len(), "line", "lines")
        );
        findings.push(problem(
            "journal",
            text,
            "what they said is lost; take them out of journal.jsonl, or bring it back from a backup",
        ));
    } else if journal.lines > 0 {
        findings.push(fine("journal", how_many(journal.lines, "line", "lines")));
    }
    if journal.unknown > 0 {
        let text = how_many(journal.unknown, "line is", "lines are");
        findings.push(note("journal", format!("{text} from a newer version"), "update pi-brain"));
    }
    findings
}

fn judge_disk(folder: &Path) -> Option<Finding> {
    const LITTLE: u64 = 500_000_000;
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let text = format!("{} free", bytes(free));
    Some(if free < LITTLE {
        problem("disk", text, "make room: the database and the index grow with your sessions")
    } else {
        fine("disk", text)
    })
}
