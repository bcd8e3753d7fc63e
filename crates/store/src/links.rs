//! The link pass as the database sees it: what it needs to know of nodes, and the edges that it has found.

use std::collections::BTreeSet;

use pi_brain_brain::{Edge, ErrorFact, LessonFact, NodeFacts, NodeId, Outcome};
use pi_brain_session::Millis;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, Transaction};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as NoWord, StrDeserializer};

use crate::derived::node_id;
use crate::edges::save_found;
use crate::error::Result;
use crate::store::Store;

/// Under this key the database notes that nodes or edges have changed since the last link pass.
const UNLINKED: &str = "unlinked";

/// Notes that a link pass may find something else than the last one.
pub(crate) fn mark_unlinked(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO meta (key, value) VALUES (?1, 1)";
    transaction.prepare_cached(sql)?.execute([UNLINKED]).map(drop)
}

impl Store {
    /// Asks for a link pass, whether anything has changed or not.
    pub fn forget_links(&self) -> Result<()> {
        self.database.write(|transaction| {
            mark_unlinked(transaction).map_err(|source| self.database.failed(source))
        })
    }

    /// Returns whether nodes or edges have changed since the last link pass.
    pub fn is_unlinked(&self) -> Result<bool> {
        self.database.read(|connection| {
            let sql = "SELECT 1 FROM meta WHERE key = ?1";
            let mark: Option<i64> =
                connection.query_row(sql, [UNLINKED], |row| row.get(0)).optional()?;
            Ok(mark.is_some())
        })
    }

    /// Returns how many nodes there are.
    pub fn node_count(&self) -> Result<u32> {
        self.database.read(|connection| {
            connection.query_row("SELECT count(*) FROM node", [], |row| row.get(0))
        })
    }

    /// Hands over what the link pass needs to know of each node, in the order of time.
    pub fn each_node_facts(&self, mut take: impl FnMut(NodeFacts)) -> Result<()> {
        self.database.read(|connection| {
            let mut details = Details::prepare(connection)?;
            let sql =
                "SELECT id, project, session_id, started, outcome, coalesce(goal, ''), summary
                       FROM node ORDER BY started, id";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                take(details.of(row)?);
            }
            Ok(())
        })
    }

    /// Returns the pairs of nodes that the structure of sessions, or a person, has linked; the smaller id first.
    pub fn linked_pairs(&self) -> Result<BTreeSet<(NodeId, NodeId)>> {
        self.database.read(|connection| {
            let sql = "SELECT source, target FROM edge WHERE created_by <> 'daemon'";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                let (one, other) = (node_id(row.get(0)?), node_id(row.get(1)?));
                Ok((one.min(other), one.max(other)))
            })?;
            rows.collect()
        })
    }

    /// Takes in what a link pass has found: all of it, in place of what the last one found. What is the same
    /// is not written, and edges of others are left alone.
    pub fn save_links(&mut self, edges: &[Edge]) -> Result<()> {
        self.database.write(|transaction| {
            save_found(transaction, edges)
                .and_then(|()| {
                    transaction.execute("DELETE FROM meta WHERE key = ?1", [UNLINKED]).map(drop)
                })
                .map_err(|source| self.database.failed(source))
        })
    }
}

/// The questions that are asked about each node.
struct Details<'a> {
    files: CachedStatement<'a>,
    tags: CachedStatement<'a>,
    tools: CachedStatement<'a>,
    errors: CachedStatement<'a>,
    decisions: CachedStatement<'a>,
    lessons: CachedStatement<'a>,
}

impl<'a> Details<'a> {
    fn prepare(connection: &'a Connection) -> rusqlite::Result<Self> {
        let prepare = |sql: &str| connection.prepare_cached(sql);
        Ok(Self {
            files: prepare("SELECT read, modified FROM files_touched WHERE node = ?1")?,
            tags: prepare("SELECT tag FROM tag WHERE node = ?1 ORDER BY kind, tag")?,
            tools: prepare("SELECT name FROM tool WHERE node = ?1 ORDER BY name")?,
            errors: prepare("SELECT type, message FROM error WHERE node = ?1 ORDER BY ordinal")?,
            decisions: prepare("SELECT what, why FROM decision WHERE node = ?1 ORDER BY ordinal")?,
            lessons: prepare(
                "SELECT level, summary, coalesce(actionable, ''), tags FROM lesson WHERE node = ?1
                 ORDER BY level, ordinal",
            )?,
        })
    }

    fn of(&mut self, node: &Row<'_>) -> rusqlite::Result<NodeFacts> {
        let key: i64 = node.get(0)?;
        let text = |row: &Row<'_>| row.get(0);
        let files = |row: &Row<'_>| {
            let lines = [row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?];
            let mut files: Vec<String> =
                lines.into_iter().flat_map(str::lines).map(str::to_owned).collect();
            files.sort();
            Ok(files)
        };
        let decided = |row: &Row<'_>| {
            Ok(format!("{}\n{}\n", row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?))
        };
        let lessons = |row: &Row<'_>| {
            let Some(level) = of_word(row.get_ref(0)?.as_str()?) else { return Ok(None) };
            let summary: String = row.get(1)?;
            let text = format!("{summary}\n{}", row.get_ref(2)?.as_str()?);
            let tags = list(row.get_ref(3)?.as_str()?);
            Ok(Some(LessonFact { level, text, summary, tags }))
        };
        let errors =
            |row: &Row<'_>| Ok(ErrorFact { error_type: row.get(0)?, message: row.get(1)? });
        Ok(NodeFacts {
            id: node_id(key),
            project: node.get(1)?,
            session: node.get(2)?,
            started: Millis(node.get(3)?),
            outcome: of_word(node.get_ref(4)?.as_str()?).unwrap_or(Outcome::Partial),
            text: format!("{}\n{}", node.get_ref(5)?.as_str()?, node.get_ref(6)?.as_str()?),
            decisions: self
                .decisions
                .query_map([key], decided)?
                .collect::<rusqlite::Result<_>>()?,
            files: self.files.query_row([key], files).optional()?.unwrap_or_default(),
            tags: self.tags.query_map([key], text)?.collect::<rusqlite::Result<_>>()?,
            tools: self.tools.query_map([key], text)?.collect::<rusqlite::Result<_>>()?,
            errors: self.errors.query_map([key], errors)?.collect::<rusqlite::Result<_>>()?,
            lessons: self
                .lessons
                .query_map([key], lessons)?
                .filter_map(rusqlite::Result::transpose)
                .collect::<rusqlite::Result<_>>()?,
        })
    }
}

/// Reads a value of a closed set by its word; `None` if this program does not know it.
pub(crate) fn of_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<NoWord>::new(word)).ok()
}

/// Reads a list that is kept as JSON.
pub(crate) fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
