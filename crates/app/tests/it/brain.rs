//! A brain in a folder, and a picture of everything that it knows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use jiff::tz::TimeZone;
use pi_brain_app::{App, Found, FoundKind, Report, Settings, Silent, Source, Wanted};
use pi_brain_brain::{NodeId, NodeRef};
use pi_brain_search::SearchIndex;
use pi_brain_session::{Millis, SessionFolder};
use rusqlite::{Connection, Row};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

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
        Picture::of(&self.open(), &self.data)
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

/// What a brain knows, apart from numbers that it gave out and places where files lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Picture {
    pub(crate) nodes: BTreeMap<String, Value>,
    pub(crate) edges: BTreeMap<String, Value>,
    pub(crate) segments: BTreeMap<String, String>,
    pub(crate) spending: BTreeSet<String>,
    pub(crate) journal: BTreeSet<String>,
    pub(crate) answers: BTreeMap<String, Vec<String>>,
}

impl Picture {
    fn of(app: &App, data: &Path) -> Self {
        let database = Connection::open(data.join("brain.db")).unwrap();
        let names: Vec<(i64, bool, bool)> =
            rows(&database, "SELECT id, id IN hidden, root IS NULL FROM node", |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            });
        let nodes = names.into_iter().map(|(id, hidden, orphaned)| {
            let id = NodeId::from_u64(id.cast_unsigned());
            let node = app.store().node(NodeRef { id, version: None }).unwrap().unwrap();
            let node = essence(serde_json::to_value(&node).unwrap());
            (id.to_string(), json!({"hidden": hidden, "orphaned": orphaned, "node": node}))
        });
        let edges = rows(&database, "SELECT id, data FROM edge", |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        let edges = edges.into_iter().map(|(id, data)| (id, serde_json::from_str(&data).unwrap()));
        let segments = rows(
            &database,
            "SELECT segment.id, session.id, segment.project, started, ended, closes, speaks, segment.data
             FROM segment JOIN session ON no = segment.session",
            |row| Ok((hex(row.get(0)?), texts(row, 1))),
        );
        let spending = rows(&database, "SELECT * FROM spending", |row| {
            Ok(format!("{}: {}", hex(row.get(0)?), texts(row, 1)))
        });
        let flags = rows(&database, "SELECT * FROM flag", |row| Ok(texts(row, 0)));
        let forgotten = rows(&database, "SELECT * FROM forgotten", |row| Ok(texts(row, 0)));
        Self {
            nodes: nodes.collect(),
            edges: edges.collect(),
            segments: segments.into_iter().collect(),
            spending: spending.into_iter().collect(),
            journal: flags.into_iter().chain(forgotten).collect(),
            answers: queries()
                .into_iter()
                .map(|query| (query.clone(), answer(app, &query)))
                .collect(),
        }
    }

    /// Says where two pictures differ, so that one can read it.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        fn compare<V: PartialEq + std::fmt::Debug>(
            what: &str,
            one: &BTreeMap<String, V>,
            other: &BTreeMap<String, V>,
        ) -> Vec<String> {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let differs = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
            let line = |key: &String| match (one.get(key), other.get(key)) {
                (Some(one), Some(other)) => format!("{what} {key}:\n  {one:?}\n  {other:?}"),
                (one, _) => format!(
                    "{what} {key} only in the {}",
                    if one.is_some() { "first" } else { "second" }
                ),
            };
            differs.map(line).collect()
        }
        let mut found = Vec::new();
        for (id, node) in &self.nodes {
            let Some(other) = other.nodes.get(id).filter(|other| *other != node) else { continue };
            found.extend(
                json_differences(node, other).into_iter().map(|line| format!("node {id}{line}")),
            );
        }
        let ids = |picture: &Self| picture.nodes.keys().map(|id| (id.clone(), ())).collect();
        found.extend(compare("node", &ids(self), &ids(other)));
        found.extend(compare("edge", &self.edges, &other.edges));
        found.extend(compare("segment", &self.segments, &other.segments));
        let spent = self.spending.symmetric_difference(&other.spending);
        found.extend(spent.map(|line| format!("spending {line}")));
        let done = self.journal.symmetric_difference(&other.journal);
        found.extend(done.map(|line| format!("journal {line}")));
        found.extend(compare("answer", &self.answers, &other.answers));
        found
    }
}

/// Returns the places at which two values differ, with what stands there.
fn json_differences(one: &Value, other: &Value) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), one, other)]);
    while let Some((path, one, other)) = open.pop() {
        match (one, other) {
            (Value::Object(ones), Value::Object(others)) => {
                let keys: BTreeSet<&String> = ones.keys().chain(others.keys()).collect();
                open.extend(
                    keys.into_iter().map(|key| (format!("{path}.{key}"), &one[key], &other[key])),
                );
            }
            _ if one != other => found.push(format!("{path}: {one} | {other}")),
            _ => {}
        }
    }
    found
}

/// Fails with what differs.
#[track_caller]
pub(crate) fn assert_same(one: &Picture, other: &Picture, why: &str) {
    let differences = one.differences(other);
    assert!(differences.is_empty(), "{why}:\n{}", differences.join("\n"));
}

/// Returns a node without what may differ: versions, times of analysis, places.
fn essence(mut node: Value) -> Value {
    let remove = |value: &mut Value, keys: &[&str]| {
        if let Value::Object(members) = value {
            members.retain(|key, _| !keys.contains(&&**key));
        }
    };
    remove(&mut node, &["version", "previousVersions"]);
    remove(&mut node["source"], &["sessionFile", "computer", "parentSession"]);
    remove(&mut node["metadata"], &["analyzedAt"]);
    if let Some(decisions) = node["daemonMeta"]["decisions"].as_array_mut() {
        for decision in decisions {
            remove(decision, &["timestamp"]);
        }
    }
    if node["ext"].is_object() {
        remove(&mut node["ext"], &["trigger"]);
    }
    node
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
    let now: Zoned = LATER.to_timestamp().to_zoned(TimeZone::UTC);
    let wanted = Wanted { query, limit: 400, offset: 0, now: &now, project: None };
    app.search(&wanted).unwrap()
}

/// Returns what is found, the best first, ties by what they are called.
pub(crate) fn answer(app: &App, query: &str) -> Vec<String> {
    let found = ask(app, query);
    assert_eq!(found.total, found.results.len() as u64, "{query}: not everything can be looked up");
    let mut lines: Vec<(i64, String)> = Vec::new();
    for item in found.results {
        let kind = match item.what {
            FoundKind::Message { speaker, abandoned: false } => speaker.as_str().to_owned(),
            FoundKind::Message { speaker, abandoned: true } => {
                format!("{} (abandoned)", speaker.as_str())
            }
            FoundKind::Node => "node".to_owned(),
        };
        let node = item.node.map_or_else(|| "-".to_owned(), |node| node.id.to_string());
        let session = item.session.map_or_else(|| "-".to_owned(), |session| session.id);
        #[expect(clippy::cast_possible_truncation, reason = "scores are small")]
        let score = (item.score * 1e5).round() as i64;
        let time = item.time.map_or(0, |time| time.0);
        let line = format!(
            "{kind} {node} {session} {} {:?} {} {time} {}",
            item.entry, item.line, item.project, item.snippet.text
        );
        lines.push((-score, line));
    }
    lines.sort();
    lines.into_iter().map(|(score, line)| format!("{score} {line}")).collect()
}

pub(crate) fn rows<T>(
    database: &Connection,
    sql: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    let mut statement = database.prepare(sql).unwrap();
    statement.query_map([], read).unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

fn hex(id: i64) -> String {
    NodeId::from_u64(id.cast_unsigned()).to_string()
}

fn texts(row: &Row<'_>, from: usize) -> String {
    let count = row.as_ref().column_count();
    let values = (from..count).map(|at| match row.get_ref(at).unwrap() {
        rusqlite::types::ValueRef::Null => "null".to_owned(),
        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
        rusqlite::types::ValueRef::Real(number) => format!("{number:.9}"),
        rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        rusqlite::types::ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
    });
    values.collect::<Vec<_>>().join(" | ")
}
