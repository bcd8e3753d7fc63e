//! Lists of what is known, for people and programs to look at.

mod activity;
mod errors;
mod file;
mod graph;
mod knowledge;
mod numbers;
mod projects;
mod spending;
mod tags;

pub use activity::WorkSpan;
pub use errors::ErrorGroup;
pub use file::{FileTouch, FileWanted};
pub use graph::Graph;
pub use knowledge::{DecisionRow, QuirkRow};
pub use numbers::{Numbers, Tally};
pub use projects::ProjectRow;
pub use spending::{ModelSpending, SessionSpending, SpendingFilter, Spent, SpentOn};
pub use tags::TagRow;

use pi_brain_brain::NodeId;
use pi_brain_session::Millis;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;

use crate::derived::{key, node_id};
use crate::error::Result;
use crate::files::{self, SessionFile};
use crate::store::Store;

/// What lists say of a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    /// Its name.
    pub id: NodeId,
    /// Its current version.
    pub version: u32,
    /// The working directory.
    pub project: String,
    /// The kind of work.
    #[serde(rename = "type")]
    pub node_type: String,
    /// How it ended.
    pub outcome: String,
    /// What was done.
    pub summary: String,
    /// What the user wanted, in the user's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The programming language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// When the work began.
    pub started: Millis,
    /// How long it took.
    pub minutes: f64,
    /// Tokens in and out.
    pub tokens: i64,
    /// Dollars.
    pub cost: f64,
    /// How many entries it has.
    pub entries: i64,
    /// The machine.
    pub computer: String,
    /// The session.
    pub session_id: String,
    /// The session file.
    pub session_file: String,
    /// Its first entry.
    pub start_entry: String,
    /// Its last entry.
    pub end_entry: String,
    /// Who analysed it.
    pub analyzer: String,
    /// With which rules or prompts.
    #[serde(skip)]
    pub analyzer_version: String,
}

/// Which nodes to list.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    /// Part of the project's path.
    pub project: Option<String>,
    /// The kind of work.
    pub node_type: Option<String>,
    /// How it ended.
    pub outcome: Option<String>,
    /// A tag or topic.
    pub tag: Option<String>,
    /// Part of a path that was touched.
    pub file: Option<String>,
    /// The session's id.
    pub session: Option<String>,
    /// Not before.
    pub after: Option<Millis>,
    /// Before.
    pub before: Option<Millis>,
    /// Part of the name of a model that answered, written `provider/model`.
    pub model: Option<String>,
    /// Only those that the user should have a look at.
    pub needs_review: bool,
    /// Hidden ones, too.
    pub hidden: bool,
    /// Only those that come after this one in the list.
    pub behind: Option<NodeId>,
}

impl NodeFilter {
    fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        if !self.hidden {
            conditions.sql.push("id NOT IN hidden");
        }
        conditions.add("instr(lower(project), lower(?)) > 0", self.project.clone());
        conditions.add("type = ?", self.node_type.clone());
        conditions.add("outcome = ?", self.outcome.clone());
        conditions
            .add("id IN (SELECT node FROM tag WHERE tag = ? COLLATE NOCASE)", self.tag.clone());
        conditions.add(
            "id IN (SELECT node FROM files_touched, (SELECT ? AS part)
                    WHERE instr(read, part) OR instr(modified, part))",
            self.file.clone(),
        );
        if self.needs_review {
            conditions.sql.push("id IN (SELECT node FROM review)");
        }
        conditions.add(
            "id IN (SELECT segment FROM spending
                    WHERE instr(lower(provider || '/' || model), lower(?)) > 0)",
            self.model.clone(),
        );
        conditions.add("session_id = ?", self.session.clone());
        conditions.add("started >= ?", self.after.map(|time| time.0));
        conditions.add("started < ?", self.before.map(|time| time.0));
        conditions
    }
}

/// In which order to list nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// The most expensive first.
    Cost,
    /// The longest first.
    Duration,
}

const NODE_COLUMNS: &str =
    "SELECT id, version, project, type, outcome, summary, goal, language, started, minutes,
    tokens, cost, entries, computer, session_id, session_file, start_entry, end_entry, analyzer,
    analyzer_version FROM node";

fn node_row(row: &Row<'_>) -> rusqlite::Result<NodeRow> {
    Ok(NodeRow {
        id: node_id(row.get(0)?),
        version: row.get(1)?,
        project: row.get(2)?,
        node_type: row.get(3)?,
        outcome: row.get(4)?,
        summary: row.get(5)?,
        goal: row.get(6)?,
        language: row.get(7)?,
        started: Millis(row.get(8)?),
        minutes: row.get(9)?,
        tokens: row.get(10)?,
        cost: row.get(11)?,
        entries: row.get(12)?,
        computer: row.get(13)?,
        session_id: row.get(14)?,
        session_file: row.get(15)?,
        start_entry: row.get(16)?,
        end_entry: row.get(17)?,
        analyzer: row.get(18)?,
        analyzer_version: row.get(19)?,
    })
}

/// Reads a count.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, Option<i64>>(column)?.unwrap_or(0).cast_unsigned())
}

impl Store {
    /// Returns what lists say of a node.
    pub fn node_row(&self, id: NodeId) -> Result<Option<NodeRow>> {
        self.database.read(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{NODE_COLUMNS} WHERE id = ?1"))?;
            statement.query_row([key(id)], node_row).optional()
        })
    }

    /// Returns the session that a node can be read in, unless it is gone.
    pub fn session_of_node(&self, id: NodeId) -> Result<Option<SessionFile>> {
        let no: Option<u32> = self.database.read(|connection| {
            let sql = "SELECT session FROM segment WHERE id = ?1";
            connection.prepare_cached(sql)?.query_row([key(id)], |row| row.get(0)).optional()
        })?;
        match no {
            Some(no) => files::session(&self.database, pi_brain_forest::SessionNo::new(no)),
            None => Ok(None),
        }
    }

    /// Lists nodes, and says how many there are in all.
    pub fn nodes(
        &self,
        filter: &NodeFilter,
        order: Order,
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<NodeRow>, usize)> {
        let mut conditions = filter.conditions();
        let (order, is_behind) = match order {
            Order::Newest => (
                "started DESC, id",
                "(-started, id) > (SELECT -started, id FROM node WHERE id = ?)",
            ),
            Order::Cost => (
                "cost DESC, started DESC, id",
                "(-cost, -started, id) > (SELECT -cost, -started, id FROM node WHERE id = ?)",
            ),
            Order::Duration => (
                "minutes DESC, started DESC, id",
                "(-minutes, -started, id) > (SELECT -minutes, -started, id FROM node WHERE id = ?)",
            ),
        };
        let all = conditions.clause();
        let values = conditions.values.clone();
        conditions.add(is_behind, filter.behind.map(key));
        let clause = conditions.clause();
        // SQLite counts with a sign.
        let [limit, offset] = [limit, offset].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        self.database.read(|connection| {
            let sql = format!("SELECT count(*) FROM node {all}");
            let total: i64 =
                connection.query_row(&sql, params_from_iter(&values), |row| row.get(0))?;
            let sql =
                format!("{NODE_COLUMNS} {clause} ORDER BY {order} LIMIT {limit} OFFSET {offset}");
            let mut statement = connection.prepare(&sql)?;
            let rows = statement.query_map(params_from_iter(&conditions.values), node_row)?;
            Ok((rows.collect::<rusqlite::Result<_>>()?, usize::try_from(total).unwrap_or(0)))
        })
    }
}

/// What a list is narrowed down by.
#[derive(Default)]
struct Conditions {
    sql: Vec<&'static str>,
    values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition with one value, if there is one.
    fn add(&mut self, sql: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.sql.push(sql);
            self.values.push(value.into());
        }
    }

    fn clause(&self) -> String {
        match self.sql.join(" AND ") {
            all if all.is_empty() => all,
            all => format!("WHERE {all}"),
        }
    }
}
