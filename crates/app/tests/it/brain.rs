//! A brain in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_app::{App, Found, Report, Settings, Silent, Source};
use pi_brain_search::SearchIndex;
use pi_brain_session::{Millis, SessionFolder};
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::picture::{self, Picture};
use crate::world::{LATER, WORDS, World};

/// A folder with sessions, and one with what is known of them.
pub(crate) struct Home {
    _folder: TempDir,
    pub(crate) sessions: PathBuf,
    pub(crate) data: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (sessions, data) = (folder.path().join("sessions"), folder.path().join("data"));
        fs::create_dir(&sessions).unwrap();
        Self { _folder: folder, sessions, data }
    }

    pub(crate) fn with(world: &World) -> Self {
        let home = Self::new();
        world.write(&home.sessions);
        home
    }

    pub(crate) fn open(&self) -> App {
        App::open(&self.data, settings(&self.sessions)).unwrap()
    }

    pub(crate) fn ingest(&self) -> Report {
        self.ingest_at(LATER)
    }

    pub(crate) fn ingest_at(&self, now: Millis) -> Report {
        let report = self.open().ingest("ingest", now, &Silent).unwrap();
        assert_eq!(report.unreadable, []);
        report
    }

    pub(crate) fn rebuild(&self) -> Report {
        App::rebuild(&self.data, settings(&self.sessions), LATER, &Silent).unwrap().1
    }

    /// Draws everything that is known, after the index was put in order.
    pub(crate) fn picture(&self) -> Picture {
        SearchIndex::open(&self.data.join("index")).unwrap().merge().unwrap();
        Picture::of(&self.open(), &self.data, &queries(), LATER)
    }

    pub(crate) fn database(&self) -> Connection {
        Connection::open(self.data.join("brain.db")).unwrap()
    }

    /// Returns what the session files are: their bytes, and when they were written.
    pub(crate) fn session_files(&self) -> BTreeMap<PathBuf, ([u8; 32], std::time::SystemTime)> {
        let file = |path: PathBuf| {
            let digest = Sha256::digest(fs::read(&path).unwrap()).into();
            let written = fs::metadata(&path).unwrap().modified().unwrap();
            (path, (digest, written))
        };
        files_in(&self.sessions).into_iter().map(file).collect()
    }

    pub(crate) fn node_files(&self) -> BTreeSet<PathBuf> {
        files_in(&self.data.join("nodes")).into_iter().collect()
    }
}

/// Returns the sessions that lie in a folder.
pub(crate) fn settings(sessions: &Path) -> Settings {
    let usual = Source {
        folder: SessionFolder::ByProject(sessions.to_owned()),
        computer: "thismachine".to_owned(),
    };
    Settings::read(Path::new("/nowhere/config.toml"), usual, Path::new("/nowhere")).unwrap()
}

pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The questions by which two brains are compared.
fn queries() -> Vec<String> {
    let words = WORDS.iter().map(|&word| word.to_owned());
    let pairs = WORDS.windows(2).step_by(5).map(|pair| pair.join(" "));
    let others = [
        "\"please continue\"",
        "error code",
        "is:abandoned",
        "is:active fix",
        "project:engine",
        "model:opus",
        "tool:read",
        "file:main.rs",
        "type:bugfix",
        "outcome:success",
        "after:2026-01-02 test",
        "before:2026-01-02 test",
    ];
    words.chain(pairs).chain(others.map(str::to_owned)).collect()
}

/// Asks for everything that there is about a query.
pub(crate) fn ask(app: &App, query: &str) -> Found {
    picture::ask(app, query, LATER)
}

/// Returns what is found, the best first.
pub(crate) fn answer(app: &App, query: &str) -> Vec<String> {
    picture::lines(ask(app, query), query)
}
