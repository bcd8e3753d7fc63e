//! What models took for us: by day and purpose, as the journal tells.

use std::ops::AddAssign;

use pi_brain_brain::word;
use pi_brain_session::Millis;
use rusqlite::{Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::derived::{QUARTER, key};
use crate::error::Result;
use crate::journal::ModelSpend;
use crate::store::Store;

/// What models took for us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnUse {
    /// How many analyses and answers.
    pub runs: u64,
    /// How many of them came to nothing.
    pub failed: u64,
    /// Tokens that models read.
    pub tokens_in: u64,
    /// Tokens that models wrote.
    pub tokens_out: u64,
    /// Dollars, as far as they are known.
    pub dollars: f64,
}

impl AddAssign for OwnUse {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.failed += other.failed;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.dollars += other.dollars;
    }
}

/// What is added up, in the order in which [`own_use`] reads it.
const SUMS: &str =
    "count(*), count(*) FILTER (WHERE outcome <> 'done'), coalesce(sum(tokens_in), 0),
                    coalesce(sum(tokens_out), 0), total(dollars)";

fn own_use(row: &Row<'_>, first: usize) -> rusqlite::Result<OwnUse> {
    let count = |at: usize| row.get::<_, i64>(first + at).map(i64::cast_unsigned);
    Ok(OwnUse {
        runs: count(0)?,
        failed: count(1)?,
        tokens_in: count(2)?,
        tokens_out: count(3)?,
        dollars: row.get(first + 4)?,
    })
}

impl Store {
    /// Adds up what models took for us, from a time on.
    pub fn own_use(&self, since: Millis) -> Result<OwnUse> {
        self.database.read(|connection| {
            let sql = format!("SELECT {SUMS} FROM model_use WHERE at >= ?1");
            connection.query_row(&sql, [since.0], |row| own_use(row, 0))
        })
    }

    /// Adds up what models took for us in each quarter of an hour since 1970, from a time on, oldest first.
    pub fn own_use_by_quarter(&self, since: Millis) -> Result<Vec<(i64, OwnUse)>> {
        self.database.read(|connection| {
            let sql = format!(
                "SELECT at / {QUARTER}, {SUMS} FROM model_use WHERE at >= ?1 GROUP BY 1 ORDER BY 1"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([since.0], |row| Ok((row.get(0)?, own_use(row, 1)?)))?;
            rows.collect()
        })
    }

    /// Returns what each of our own requests to a model took: tokens in, tokens out and dollars.
    pub fn own_prices(&self, model: &str) -> Result<Vec<(u64, u64, f64)>> {
        self.database.read(|connection| {
            let sql = "SELECT tokens_in, tokens_out, dollars FROM model_use
                       WHERE dollars > 0 AND outcome <> 'lost' AND (model = ?1 OR model LIKE '%/' || ?1)";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([model], |row| {
                let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                Ok((count(0)?, count(1)?, row.get(2)?))
            })?;
            rows.collect()
        })
    }
}

pub(crate) fn save(
    transaction: &Transaction<'_>,
    time: Millis,
    spent: &ModelSpend,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO model_use
                (lease, at, node, run, purpose, analyzer, model, requests, tokens_in, tokens_out, dollars, outcome)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let row = params![
        spent.lease,
        time.0,
        spent.node.map(key),
        spent.run,
        word(&spent.purpose),
        word(&spent.analyzer),
        spent.model,
        spent.requests,
        spent.tokens_in.cast_signed(),
        spent.tokens_out.cast_signed(),
        spent.dollars,
        word(&spent.outcome)
    ];
    transaction.execute(sql, row).map(drop)
}
