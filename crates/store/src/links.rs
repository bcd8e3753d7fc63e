//! The link pass as the database sees it: what it needs to know of nodes, and the edges that it has found.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pi_brain_brain::{Edge, ErrorFact, LessonFact, NodeFacts, NodeId, Outcome};
use pi_brain_session::Millis;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as NoWord, StrDeserializer};

use crate::derived::{json, node_id, save_edge};
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

    /// Returns what the link pass needs to know of all nodes.
    pub fn link_facts(&self) -> Result<Vec<NodeFacts>> {
        self.database.read(|connection| {
            let mut nodes = nodes(connection)?;
            let numbers: HashMap<NodeId, usize> =
                nodes.iter().enumerate().map(|(number, node)| (node.id, number)).collect();
            let mut add = |sql: &str, put: &mut dyn FnMut(&mut NodeFacts, &Row<'_>) -> Added| {
                let mut statement = connection.prepare(sql)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    if let Some(&number) = numbers.get(&node_id(row.get(0)?)) {
                        put(&mut nodes[number], row)?;
                    }
                }
                Added::Ok(())
            };
            add("SELECT node, path FROM file_touched ORDER BY node, path", &mut |node, row| {
                node.files.push(row.get(1)?);
                Ok(())
            })?;
            add("SELECT node, tag FROM tag ORDER BY node, kind, tag", &mut |node, row| {
                node.tags.push(row.get(1)?);
                Ok(())
            })?;
            add("SELECT node, name FROM tool ORDER BY node, name", &mut |node, row| {
                node.tools.push(row.get(1)?);
                Ok(())
            })?;
            let sql = "SELECT node, type, message FROM error ORDER BY node, ordinal";
            add(sql, &mut |node, row| {
                node.errors.push(ErrorFact { error_type: row.get(1)?, message: row.get(2)? });
                Ok(())
            })?;
            let sql = "SELECT node, what, why FROM decision ORDER BY node, ordinal";
            add(sql, &mut |node, row| {
                for column in [1, 2] {
                    node.decisions.push_str(row.get_ref(column)?.as_str()?);
                    node.decisions.push('\n');
                }
                Ok(())
            })?;
            let sql = "SELECT node, level, summary, coalesce(actionable, ''), tags FROM lesson
                       ORDER BY node, level, ordinal";
            add(sql, &mut |node, row| {
                let Some(level) = of_word(row.get_ref(1)?.as_str()?) else { return Ok(()) };
                let summary: String = row.get(2)?;
                let text = format!("{summary}\n{}", row.get_ref(3)?.as_str()?);
                let tags = list(row.get_ref(4)?.as_str()?);
                node.lessons.push(LessonFact { level, text, summary, tags });
                Ok(())
            })?;
            Ok(nodes)
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
            replace(transaction, edges).map_err(|source| self.database.failed(source))
        })
    }
}

type Added = rusqlite::Result<()>;

fn nodes(connection: &Connection) -> rusqlite::Result<Vec<NodeFacts>> {
    let sql = "SELECT id, project, session_id, started, outcome, coalesce(goal, ''), summary
               FROM node ORDER BY id";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(NodeFacts {
            id: node_id(row.get(0)?),
            project: row.get(1)?,
            session: row.get(2)?,
            started: Millis(row.get(3)?),
            outcome: of_word(row.get_ref(4)?.as_str()?).unwrap_or(Outcome::Partial),
            text: format!("{}\n{}", row.get_ref(5)?.as_str()?, row.get_ref(6)?.as_str()?),
            decisions: String::new(),
            files: Vec::new(),
            tags: Vec::new(),
            tools: Vec::new(),
            errors: Vec::new(),
            lessons: Vec::new(),
        })
    })?;
    rows.collect()
}

fn replace(transaction: &Transaction<'_>, edges: &[Edge]) -> rusqlite::Result<()> {
    let mut known: BTreeMap<String, String> = {
        let sql = "SELECT id, data FROM edge WHERE created_by = 'daemon'";
        let mut statement = transaction.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    for edge in edges {
        if known.remove(&edge.id.to_string()).as_deref() != Some(&*json(edge)) {
            save_edge(transaction, None, edge)?;
        }
    }
    for gone in known.keys() {
        transaction.prepare_cached("DELETE FROM edge WHERE id = ?1")?.execute([gone])?;
    }
    transaction.execute("DELETE FROM meta WHERE key = ?1", [UNLINKED]).map(drop)
}

/// Reads a value of a closed set by its word; `None` if this program does not know it.
pub(crate) fn of_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<NoWord>::new(word)).ok()
}

/// Reads a list that is kept as JSON.
pub(crate) fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
