//! What is known about single nodes: versions, notes, and where their segment begins.

use pi_brain_brain::NodeId;
use pi_brain_session::Millis;
use rusqlite::OptionalExtension;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::derived::{key, node_id};
use crate::error::{Result, StoreError};
use crate::store::Store;

/// A version of a node, as a list of versions has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionRow {
    /// Its number.
    pub version: u32,
    /// When it was made.
    pub analyzed_at: String,
    /// Why it was made.
    pub trigger: String,
    /// Who analysed the segment.
    pub analyzer: String,
    /// The file, within the folder of node files.
    pub path: String,
}

/// A note that the user put on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagRow {
    /// When.
    pub time: Millis,
    /// What kind of note.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
}

/// A segment, as those who look at one node need it.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentDetails {
    /// What opened it, the weightiest first, as JSON: type, metadata, entry and time.
    pub boundaries: Vec<Value>,
    /// Whether a person or a model says something in it.
    pub speaks: bool,
}

impl Store {
    /// Finds the nodes whose names begin so.
    pub fn nodes_named(&self, prefix: &str) -> Result<Vec<NodeId>> {
        const DIGITS: usize = 16;
        let is_prefix = (1..=DIGITS).contains(&prefix.len())
            && prefix.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u64::from_str_radix(prefix, 16).ok().filter(|_| is_prefix);
        let Some(number) = number else { return Ok(Vec::new()) };
        let free = 4 * (DIGITS - prefix.len());
        let first = number << free;
        // The first digit is given, so that both ends have the same sign in the database.
        let last = first | ((1_u64 << free) - 1);
        self.database.read(|connection| {
            let sql = "SELECT id FROM node WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
            let mut statement = connection.prepare_cached(sql)?;
            let range = [first.cast_signed(), last.cast_signed()];
            let rows = statement.query_map(range, |row| row.get(0).map(node_id))?;
            rows.collect()
        })
    }

    /// Lists the versions of a node, oldest first.
    pub fn versions(&self, id: NodeId) -> Result<Vec<VersionRow>> {
        self.database.read(|connection| {
            let sql = "SELECT version, analyzed, reason, analyzer, path FROM node_version
                       WHERE node = ?1 ORDER BY version";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([key(id)], |row| {
                Ok(VersionRow {
                    version: row.get(0)?,
                    analyzed_at: row.get(1)?,
                    trigger: row.get(2)?,
                    analyzer: row.get(3)?,
                    path: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Lists the notes that the user put on a node, oldest first.
    pub fn flags(&self, id: NodeId) -> Result<Vec<FlagRow>> {
        self.database.read(|connection| {
            let sql =
                "SELECT at, kind, message FROM flag WHERE node = ?1 ORDER BY at, kind, message";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([key(id)], |row| {
                Ok(FlagRow { time: Millis(row.get(0)?), kind: row.get(1)?, message: row.get(2)? })
            })?;
            rows.collect()
        })
    }

    /// Returns the segment that a node is, or would be, made of.
    pub fn segment(&self, id: NodeId) -> Result<Option<SegmentDetails>> {
        let row: Option<(String, bool)> = self.database.read(|connection| {
            let sql = "SELECT boundaries, speaks FROM segment WHERE id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([key(id)], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })?;
        let Some((boundaries, speaks)) = row else { return Ok(None) };
        let damaged = |why: serde_json::Error| StoreError::Damaged {
            what: "a segment".to_owned(),
            why: why.to_string(),
        };
        let boundaries = serde_json::from_str(&boundaries).map_err(damaged)?;
        Ok(Some(SegmentDetails { boundaries, speaks }))
    }

    /// Returns the versions of nodes that the database names and that have no file.
    pub fn missing_node_files(&self) -> Result<Vec<String>> {
        let paths: Vec<String> = self.database.read(|connection| {
            let mut statement =
                connection.prepare("SELECT path FROM node_version ORDER BY path")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        Ok(paths.into_iter().filter(|path| !self.node_files.has(path)).collect())
    }

    /// Looks whether the database is whole; says what is wrong with it.
    pub fn check_database(&self) -> Result<Vec<String>> {
        let lines: Vec<String> = self.database.read(|connection| {
            let mut statement = connection.prepare("PRAGMA quick_check(20)")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Writes a copy of the database to a file that is not there yet; others may use the database meanwhile.
    pub fn copy_database(&self, to: &str) -> Result<()> {
        self.database.read(|connection| connection.execute("VACUUM INTO ?1", [to]).map(drop))
    }
}
