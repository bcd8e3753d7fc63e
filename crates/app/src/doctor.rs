//! What is found, what is missing, and whether it fits together.

mod findings;

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pi_brain_search::SearchIndex;
use pi_brain_store::{Action, DataFolder, JournalLine, NodeFilter, Order, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::settings::{Source, Sources};
pub use findings::{Diagnosis, Finding, State};

/// What a look at everything has shown. Nothing is changed by looking.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkup {
    /// The folders with sessions.
    pub sources: Vec<SourceHealth>,
    /// Our own folder.
    pub folder: PathBuf,
    /// What others can read and should not.
    pub exposed: Vec<PathBuf>,
    /// The journal.
    pub journal: JournalHealth,
    /// What was taken in; none if that has not happened yet, or if the database cannot be opened.
    pub brain: Option<BrainHealth>,
    /// Why the database or the index cannot be opened.
    pub refused: Option<String>,
}

/// A folder with sessions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceHealth {
    /// The folder.
    pub folder: PathBuf,
    /// The machine that they were recorded on.
    pub computer: String,
    /// How many session files it has.
    pub files: usize,
    /// Why it cannot be looked into.
    pub problem: Option<String>,
}

/// The journal.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalHealth {
    /// How many lines it has.
    pub lines: usize,
    /// The numbers of those that cannot be read.
    pub unreadable: Vec<usize>,
    /// How many were written by a newer version.
    pub unknown: usize,
}

/// What was taken in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrainHealth {
    /// How many session files were read.
    pub files: usize,
    /// Those that could not be, and why.
    pub unreadable: Vec<(String, String)>,
    /// How many are left out because the user does not want them.
    pub forgotten: usize,
    /// How many nodes there are, hidden ones too.
    pub nodes: usize,
    /// Versions of nodes that have no file.
    pub missing_nodes: Vec<String>,
    /// How large the database is, in bytes.
    pub database_bytes: u64,
    /// What is wrong inside of it.
    pub damage: Vec<String>,
    /// How many documents the text index has.
    pub documents: u64,
    /// How many changes it has not taken in.
    pub pending: usize,
    /// Whether it knows less than it once did.
    pub is_index_behind: bool,
}

/// Looks at everything.
fn check_up(folder: &Path, sources: &Sources) -> Checkup {
    let data = DataFolder::at(folder);
    let source_health = sources.folders.iter().map(look_at_source);
    let mut checkup = Checkup {
        sources: source_health.collect(),
        folder: folder.to_owned(),
        exposed: exposed(folder),
        journal: look_at_journal(&data.journal()),
        brain: None,
        refused: None,
    };
    // Whoever opens a database makes one; looking must not.
    if data.database().exists() {
        match look_at_brain(&data) {
            Ok(brain) => checkup.brain = Some(brain),
            Err(error) => checkup.refused = Some(whole_story(&error)),
        }
    }
    checkup
}

fn look_at_source(source: &Source) -> SourceHealth {
    let path = source.folder.path();
    let problem = match fs::read_dir(path) {
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("it is not there".to_owned()),
        Err(error) => Some(error.to_string()),
    };
    SourceHealth {
        folder: path.to_owned(),
        computer: source.computer.clone(),
        files: source.folder.files().len(),
        problem,
    }
}

fn exposed(folder: &Path) -> Vec<PathBuf> {
    const OTHERS: u32 = 0o077;
    let is_exposed = |path: &PathBuf| {
        fs::symlink_metadata(path).is_ok_and(|metadata| {
            !metadata.is_symlink() && metadata.permissions().mode() & OTHERS != 0
        })
    };
    // Nobody gets past a folder that is closed.
    [folder.to_owned()].into_iter().filter(is_exposed).collect()
}

fn look_at_journal(path: &Path) -> JournalHealth {
    let mut health = JournalHealth::default();
    let Ok(file) = fs::File::open(path) else { return health };
    for line in BufReader::new(file).split(b'\n').map_while(io::Result::ok) {
        health.lines += 1;
        match serde_json::from_slice::<JournalLine>(&line) {
            Ok(JournalLine { action: Action::Unknown, .. }) => health.unknown += 1,
            Ok(_) => {}
            Err(_) => health.unreadable.push(health.lines),
        }
    }
    health
}

fn look_at_brain(folder: &DataFolder) -> Result<BrainHealth> {
    let store = Store::open(folder)?;
    let index = SearchIndex::open(&folder.index())?;
    let files = store.known_files()?;
    let everything = NodeFilter { hidden: true, ..NodeFilter::default() };
    let position = index.position()?;
    Ok(BrainHealth {
        files: files.iter().filter(|file| file.session.is_some()).count(),
        unreadable: files
            .into_iter()
            .filter_map(|file| file.problem.map(|problem| (file.path, problem)))
            .collect(),
        forgotten: store.forgotten()?.len(),
        nodes: store.nodes(&everything, Order::Newest, 0, 0)?.1,
        missing_nodes: store.missing_node_files()?,
        database_bytes: fs::metadata(folder.database()).map_or(0, |metadata| metadata.len()),
        damage: store.check_database()?,
        documents: index.document_count(),
        pending: store.pending(position)?.len(),
        is_index_behind: position < store.indexed()?,
    })
}

/// Writes an error with all its causes.
fn whole_story(error: &dyn std::error::Error) -> String {
    let mut story = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        story = format!("{story}: {error}");
        cause = error.source();
    }
    story
}
