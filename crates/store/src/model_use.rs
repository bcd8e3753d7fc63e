//! What models took for us: by day and purpose, as the journal tells.

use pi_brain_brain::word;
use pi_brain_session::Millis;
use rusqlite::{Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::derived::key;
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

impl Store {
    /// Adds up what models took for us, from a time on.
    pub fn own_use(&self, since: Millis) -> Result<OwnUse> {
        self.database.read(|connection| {
            let sql = "SELECT count(*), count(*) FILTER (WHERE outcome <> 'done'), coalesce(sum(tokens_in), 0),
                        coalesce(sum(tokens_out), 0), total(dollars) FROM model_use WHERE at >= ?1";
            connection.query_row(sql, [since.0], |row| {
                let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                Ok(OwnUse {
                    runs: count(0)?,
                    failed: count(1)?,
                    tokens_in: count(2)?,
                    tokens_out: count(3)?,
                    dollars: row.get(4)?,
                })
            })
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
