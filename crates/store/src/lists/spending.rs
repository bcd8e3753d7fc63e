//! What was spent, and on what. Each answer is counted once, however many forks repeat it.

use std::collections::HashMap;

use pi_brain_forest::SessionNo;
use pi_brain_session::{Millis, Usage};
use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Conditions, NodeFilter, count};
use crate::derived::QUARTER;
use crate::error::Result;
use crate::store::Store;

/// Which spending to count.
#[derive(Clone, Debug, Default)]
pub struct SpendingFilter {
    /// Part of the project's path.
    pub project: Option<String>,
    /// Part of the name of the model, with its provider: `anthropic/opus`.
    pub model: Option<String>,
    /// Not before; from the beginning of the quarter of an hour on.
    pub after: Option<Millis>,
    /// Before; up to the beginning of the quarter of an hour.
    pub before: Option<Millis>,
}

/// What was spent in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// How many answers of models, and other things that were paid for.
    pub answers: u64,
    /// Tokens and dollars.
    #[serde(flatten)]
    pub usage: Usage,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.answers += more.answers;
        self.usage += more.usage;
    }
}

/// What spending is told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpentOn {
    /// The working directory.
    Project,
    /// The model, written `provider/model`.
    Model,
}

/// What was spent on a model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelSpending {
    /// Who offers the model; empty if it is not known.
    pub provider: String,
    /// The model; empty if it is not known.
    pub model: String,
    /// What was spent.
    #[serde(flatten)]
    pub spent: Spent,
    /// In how many sessions.
    pub sessions: u64,
    /// In how many ways its tool calls failed, over all nodes.
    pub tool_errors: u64,
    /// When it was first used, to a quarter of an hour.
    pub first_used: Millis,
    /// When it was last used, to a quarter of an hour.
    pub last_used: Millis,
}

/// What was spent in a session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSpending {
    /// The session.
    pub session: String,
    /// Its file.
    pub file: String,
    /// The working directory.
    pub project: String,
    /// What it was about: its name, or what the user wanted first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What was spent.
    #[serde(flatten)]
    pub spent: Spent,
    /// When it was last used, to a quarter of an hour.
    pub last_used: Millis,
}

/// The tables with what is known of each row of `spending`. The user may have said that a node belongs elsewhere.
const FROM: &str =
    "spending JOIN segment ON segment.id = spending.segment LEFT JOIN node ON node.id = segment.id";

/// The project that a row of [`FROM`] belongs to.
pub(super) const PROJECT: &str = "coalesce(node.project, segment.project)";

const SUMS: &str = "sum(answers), sum(input), sum(output), sum(cache_read), sum(cache_write),
    sum(spending.tokens), sum(spending.cost)";

impl SpendingFilter {
    fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        conditions.add(
            "instr(lower(coalesce(node.project, segment.project)), lower(?)) > 0",
            self.project.clone(),
        );
        conditions.add("instr(lower(provider || '/' || model), lower(?)) > 0", self.model.clone());
        let quarter = |time: Millis| time.0.div_euclid(QUARTER);
        conditions.add("quarter >= ?", self.after.map(quarter));
        conditions.add("quarter < ?", self.before.map(quarter));
        conditions
    }
}

impl Store {
    /// Adds up what was spent in each quarter of an hour since 1970, oldest first.
    pub fn spending_by_quarter(&self, filter: &SpendingFilter) -> Result<Vec<(i64, Spent)>> {
        self.spending(filter, "quarter", "quarter", |row| Ok((row.get(0)?, spent(row, 1)?)))
    }

    /// Adds up what was spent on each project or model in each quarter of an hour since 1970, oldest first.
    pub fn spending_by_quarter_and(
        &self,
        filter: &SpendingFilter,
        by: SpentOn,
    ) -> Result<Vec<(i64, String, Spent)>> {
        let name = match by {
            SpentOn::Project => PROJECT,
            SpentOn::Model => "provider || '/' || model",
        };
        let columns = format!("quarter, {name}");
        self.spending(filter, &columns, &columns, |row| {
            Ok((row.get(0)?, row.get(1)?, spent(row, 2)?))
        })
    }

    /// Adds up what was spent on each project.
    pub fn spending_by_project(&self, filter: &SpendingFilter) -> Result<Vec<(String, Spent)>> {
        self.spending(filter, PROJECT, PROJECT, |row| Ok((row.get(0)?, spent(row, 1)?)))
    }

    /// Adds up what was spent on each model.
    pub fn spending_by_model(&self, filter: &SpendingFilter) -> Result<Vec<ModelSpending>> {
        let errors = self.tool_errors(filter)?;
        let columns =
            "provider, model, count(DISTINCT segment.session), min(quarter), max(quarter)";
        self.spending(filter, columns, "provider, model", |row| {
            let (provider, model): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(ModelSpending {
                tool_errors: errors.get(&format!("{provider}/{model}")).copied().unwrap_or(0),
                provider,
                model,
                sessions: count(row, 2)?,
                first_used: Millis(row.get::<_, i64>(3)? * QUARTER),
                last_used: Millis(row.get::<_, i64>(4)? * QUARTER),
                spent: spent(row, 5)?,
            })
        })
    }

    /// Counts the kinds of failed tool calls of each model, by `provider/model`.
    fn tool_errors(&self, filter: &SpendingFilter) -> Result<HashMap<String, u64>> {
        let SpendingFilter { project, after, before, .. } = filter.clone();
        let filter = NodeFilter { project, after, before, hidden: true, ..NodeFilter::default() };
        let conditions = filter.conditions();
        let sql = format!(
            "SELECT model, count(*) FROM tool_error JOIN node ON id = tool_error.node {} GROUP BY 1",
            conditions.clause()
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params_from_iter(conditions.values.iter());
            let rows = statement.query_map(values, |row| Ok((row.get(0)?, count(row, 1)?)))?;
            rows.collect()
        })
    }

    /// Adds up what was spent in each session. What forks repeat is the original's.
    pub fn spending_by_session(&self, filter: &SpendingFilter) -> Result<Vec<SessionSpending>> {
        let columns = "segment.session, max(quarter)";
        let sums = self.spending(filter, columns, "segment.session", |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, i64>(1)?, spent(row, 2)?))
        })?;
        let mut sessions = Vec::with_capacity(sums.len());
        for (no, quarter, spent) in sums {
            let session = self.session(SessionNo::new(no))?;
            let (id, file, project) = session
                .map(|session| (session.id, session.path, session.project))
                .unwrap_or_default();
            sessions.push(SessionSpending {
                title: self.session_title(no, &id)?,
                session: id,
                file,
                project,
                spent,
                last_used: Millis(quarter * QUARTER),
            });
        }
        Ok(sessions)
    }

    fn session_title(&self, no: u32, id: &str) -> Result<Option<String>> {
        self.database.read(|connection| {
            let sql = "SELECT coalesce(
                (SELECT data ->> 'name' FROM session WHERE no = ?1),
                (SELECT coalesce(goal, summary) FROM node WHERE session_id = ?2 ORDER BY started LIMIT 1))";
            connection.prepare_cached(sql)?.query_row((no, id), |row| row.get(0))
        })
    }

    /// Adds up spending by `group`; a row has `columns`, then the sums.
    fn spending<T>(
        &self,
        filter: &SpendingFilter,
        columns: &str,
        group: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let conditions = filter.conditions();
        let clause = conditions.clause();
        let sql = format!(
            "SELECT {columns}, {SUMS} FROM {FROM} {clause} GROUP BY {group} ORDER BY {group}"
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(conditions.values.iter()), read)?;
            rows.collect()
        })
    }
}

/// Reads the sums of a row, which begin at `column`.
pub(super) fn spent(row: &Row<'_>, column: usize) -> rusqlite::Result<Spent> {
    let count = |at: usize| count(row, column + at);
    Ok(Spent {
        answers: count(0)?,
        usage: Usage {
            input: count(1)?,
            output: count(2)?,
            cache_read: count(3)?,
            cache_write: count(4)?,
            total_tokens: count(5)?,
            cost: row.get::<_, Option<f64>>(column + 6)?.unwrap_or(0.0),
        },
    })
}
