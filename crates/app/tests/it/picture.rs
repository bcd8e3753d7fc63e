//! A picture of everything that a brain knows, for comparing it with another.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Zoned;
use jiff::tz::TimeZone;
use pi_brain_app::{App, Found, FoundKind, Wanted};
use pi_brain_brain::{NodeId, NodeRef};
use pi_brain_session::Millis;
use rusqlite::{Connection, Row};
use serde_json::{Value, json};

/// More than any query finds.
const EVERYTHING: usize = 10_000;

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
    /// Draws what is known, with what is found at some time for some questions.
    pub(crate) fn of(app: &App, data: &Path, queries: &[String], now: Millis) -> Self {
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
        let edges = app.store().edges_of(None).unwrap().into_iter();
        let edges = edges.map(|edge| (edge.id.to_string(), serde_json::to_value(&edge).unwrap()));
        let segments = rows(
            &database,
            "SELECT segment.id, session.id, segment.project, started, ended, closes, speaks, end_entry, boundaries
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
            answers: queries
                .iter()
                .map(|query| (query.clone(), lines(ask(app, query, now), query)))
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
        let answers = self.answers.iter().filter_map(|(query, one)| {
            let other = other.answers.get(query)?;
            let (one, other) = one.iter().zip(other).find(|(one, other)| one != other).map_or_else(
                || (format!("{} results", one.len()), format!("{} results", other.len())),
                |(one, other)| (one.clone(), other.clone()),
            );
            (one != other).then(|| format!("answer {query}:\n  {one}\n  {other}"))
        });
        found.extend(answers);
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

/// Asks for everything that there is about a query.
pub(crate) fn ask(app: &App, query: &str, now: Millis) -> Found {
    let now: Zoned = now.to_timestamp().to_zoned(TimeZone::UTC);
    let wanted = Wanted { query, limit: EVERYTHING, offset: 0, now: &now, project: None };
    app.search(&wanted).unwrap()
}

/// Returns what was found, the best first, ties by what they are called.
pub(crate) fn lines(found: Found, query: &str) -> Vec<String> {
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
