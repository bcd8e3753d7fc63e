//! Everything in numbers.

use std::collections::BTreeMap;

use pi_brain_forest::RootId;
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::count;
use super::spending::{SpendingFilter, Spent};
use crate::error::Result;
use crate::store::Store;

/// How often something is there, by name, the most frequent first.
pub type Tally = Vec<(String, u64)>;

/// How much there is of everything.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Numbers {
    /// Session files that were read.
    pub sessions: u64,
    /// Session files that could not be read.
    pub unreadable: u64,
    /// The size of all session files.
    pub session_bytes: u64,
    /// Trees that related sessions share.
    pub families: u64,
    /// Working directories.
    pub projects: u64,
    /// Different messages.
    pub messages: u64,
    /// Those that lie on no way that any session is on.
    pub abandoned: u64,
    /// Units of work.
    pub nodes: u64,
    /// Those that the user hides.
    pub hidden: u64,
    /// Versions of all nodes together.
    pub versions: u64,
    /// Runs of entries that may still grow, so that no node was made of them.
    pub open: u64,
    /// Links between nodes.
    pub edges: u64,
    /// What was spent.
    pub spent: Spent,
    /// When the first work began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Millis>,
    /// When something happened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Millis>,
    /// Nodes by the kind of work.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub types: Tally,
    /// Nodes by how they ended.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub outcomes: Tally,
    /// Nodes by programming language.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub languages: Tally,
    /// Edges by type.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub edge_types: Tally,
    /// Calls by tool.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub tools: Tally,
}

impl Store {
    /// Counts everything.
    pub fn numbers(&self) -> Result<Numbers> {
        let count = |sql: &str| {
            self.database.read(|connection| connection.query_row(sql, [], |row| count(row, 0)))
        };
        let time = |sql: &str| {
            let read = |row: &rusqlite::Row<'_>| Ok(row.get::<_, Option<i64>>(0)?.map(Millis));
            self.database.read(|connection| connection.query_row(sql, [], read))
        };
        let mut spent = Spent::default();
        for (_, more) in self.spending_by_project(&SpendingFilter::default())? {
            spent += more;
        }
        let (messages, abandoned) = self.count_messages()?;
        Ok(Numbers {
            sessions: count("SELECT count(*) FROM session")?,
            unreadable: count("SELECT count(*) FROM file WHERE problem IS NOT NULL")?,
            session_bytes: count("SELECT sum(size) FROM file")?,
            families: count("SELECT count(DISTINCT root) FROM session")?,
            projects: count("SELECT count(DISTINCT project) FROM session")?,
            messages,
            abandoned,
            nodes: count("SELECT count(*) FROM node")?,
            hidden: count("SELECT count(*) FROM node WHERE id IN hidden")?,
            versions: count("SELECT count(*) FROM node_version")?,
            open: count("SELECT count(*) FROM segment WHERE speaks AND closes IS NOT NULL")?,
            edges: count("SELECT count(*) FROM edge")?,
            spent,
            first: time("SELECT min(started) FROM segment")?,
            last: time("SELECT max(ended) FROM segment")?,
            types: self.counts("SELECT type, count(*) FROM node GROUP BY 1 ORDER BY 2 DESC, 1")?,
            outcomes: self.counts("SELECT outcome, count(*) FROM node GROUP BY 1 ORDER BY 2 DESC, 1")?,
            languages: self.counts(
                "SELECT language, count(*) FROM node WHERE language IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1",
            )?,
            edge_types: self.counts("SELECT type, count(*) FROM edge GROUP BY 1 ORDER BY 2 DESC, 1")?,
            tools: self.counts("SELECT name, sum(calls) FROM tool GROUP BY 1 ORDER BY 2 DESC, 1")?,
        })
    }

    /// Counts the messages of all families, and those of them that are abandoned.
    fn count_messages(&self) -> Result<(u64, u64)> {
        let roots: Vec<u32> = self.database.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT root FROM family")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        let (mut messages, mut abandoned) = (0, 0);
        for root in roots {
            let Some(map) = self.map(RootId::new(root))? else { continue };
            for message in map.messages() {
                messages += 1;
                abandoned += u64::from(message.abandoned);
            }
        }
        Ok((messages, abandoned))
    }
}

/// Writes a tally as an object, in its order.
fn in_order<S: Serializer>(tally: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(tally.iter().map(|(name, count)| (name, count)))
}
