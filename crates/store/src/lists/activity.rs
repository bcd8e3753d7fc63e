//! When work was done.

use pi_brain_session::Millis;
use rusqlite::params_from_iter;

use super::Conditions;
use super::spending::SpendingFilter;
use crate::error::Result;
use crate::store::Store;

/// A run of work without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkSpan {
    /// The number of the session.
    pub session: u32,
    /// When it began.
    pub started: Millis,
    /// When it ended.
    pub ended: Millis,
    /// Whether it is a unit of work that is not hidden.
    pub has_node: bool,
}

impl Store {
    /// Lists when work was done. What forks repeat is the original's.
    pub fn work(&self, filter: &SpendingFilter) -> Result<Vec<WorkSpan>> {
        let SpendingFilter { project, model, after, before } = filter.clone();
        let mut conditions = Conditions::default();
        conditions.sql.push("segment.started IS NOT NULL AND segment.ended IS NOT NULL AND speaks");
        conditions
            .add("instr(lower(coalesce(node.project, segment.project)), lower(?)) > 0", project);
        conditions.add(
            "segment.id IN (SELECT segment FROM spending
                            WHERE instr(lower(provider || '/' || model), lower(?)) > 0)",
            model,
        );
        conditions.add("segment.started >= ?", after.map(|time| time.0));
        conditions.add("segment.started < ?", before.map(|time| time.0));
        let sql = format!(
            "SELECT segment.session, segment.started, segment.ended,
                    node.id IS NOT NULL AND node.id NOT IN hidden
             FROM segment LEFT JOIN node ON node.id = segment.id {}",
            conditions.clause()
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(conditions.values.iter()), |row| {
                Ok(WorkSpan {
                    session: row.get(0)?,
                    started: Millis(row.get(1)?),
                    ended: Millis(row.get(2)?),
                    has_node: row.get(3)?,
                })
            })?;
            rows.collect()
        })
    }
}
