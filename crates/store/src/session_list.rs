//! Sessions in a list, as they are known without reading their files.

use pi_brain_forest::SessionNo;
use pi_brain_session::Millis;
use rusqlite::{Row, Transaction, params};
use schemars::JsonSchema;
use serde::Serialize;

use crate::database::Database;
use crate::error::Result;

/// What a list says of a session. It is made whenever the file is read, so that nobody reads thousands of files for a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDigest {
    /// How the first thing that a person said begins.
    pub first_words: Option<String>,
    /// How many entries its file has.
    pub entries: u64,
    /// All messages of all branches, tool results and system messages too.
    pub messages: u64,
    /// The ends of conversations in it; 1 unless somebody went back and tried another way.
    pub branches: u64,
    /// All tokens that its file tells of.
    pub tokens: u64,
    /// Dollars for everything in its file. What a fork has copied is in the original, too.
    pub cost: f64,
    /// When somebody last said something.
    pub last_said: Option<Millis>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// The session's id.
    pub id: String,
    /// Where its file is.
    pub file: String,
    /// The name that somebody gave it.
    pub name: Option<String>,
    /// The working directory; empty if it is not known.
    pub project: String,
    /// The file that it was forked from, as its header names it.
    pub parent_session: Option<String>,
    /// When it began.
    pub created: Option<Millis>,
    /// When its last unit of work ended.
    pub last_active: Option<Millis>,
    /// When its file was last written to, as far as that was noticed.
    pub written: Millis,
    /// The machine that it is from.
    pub computer: String,
    /// The length of its file in bytes.
    pub size: u64,
    /// What is counted in it; nothing for a moment after a newer program has taken over an older one's data.
    pub digest: Option<SessionDigest>,
}

impl SessionRow {
    /// Returns when something last happened in it, as far as that is known.
    pub fn latest(&self) -> Option<Millis> {
        let said = self.digest.as_ref().and_then(|digest| digest.last_said);
        said.max(self.last_active).or(self.created)
    }

    /// Returns what to call it: its name, else its first words.
    pub fn title(&self) -> Option<&str> {
        let words = || self.digest.as_ref()?.first_words.as_deref();
        self.name.as_deref().or_else(words)
    }
}

/// Lists all sessions, what happened last first.
pub(crate) fn session_rows(database: &Database) -> Result<Vec<SessionRow>> {
    let mut rows: Vec<SessionRow> = database.read(|connection| {
        let sql = "SELECT id, session.file, json_extract(data, '$.name'), session.project, parent,
                          created, ended, modified, computer, size,
                          words, entries, messages, branches, tokens, cost, said
                   FROM session JOIN file ON file.session = no
                   LEFT JOIN digest ON digest.session = no
                   LEFT JOIN (SELECT session, MAX(ended) AS ended FROM segment GROUP BY session)
                          AS work ON work.session = no";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([], session_row)?;
        rows.collect()
    })?;
    rows.sort_by(|one, other| {
        other.latest().cmp(&one.latest()).then_with(|| one.file.cmp(&other.file))
    });
    Ok(rows)
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    const NANOSECONDS: i64 = 1_000_000;
    Ok(SessionRow {
        id: row.get(0)?,
        file: row.get(1)?,
        name: row.get(2)?,
        project: row.get(3)?,
        parent_session: row.get(4)?,
        // The beginning of a session that is not known is as late as can be.
        created: Some(row.get(5)?).filter(|&time| time != i64::MAX).map(Millis),
        last_active: row.get::<_, Option<i64>>(6)?.map(Millis),
        written: Millis(row.get::<_, i64>(7)? / NANOSECONDS),
        computer: row.get(8)?,
        size: row.get::<_, i64>(9)?.cast_unsigned(),
        digest: session_digest(row)?,
    })
}

fn session_digest(row: &Row<'_>) -> rusqlite::Result<Option<SessionDigest>> {
    let count = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    if row.get::<_, Option<i64>>(11)?.is_none() {
        return Ok(None);
    }
    Ok(Some(SessionDigest {
        first_words: row.get(10)?,
        entries: count(11)?,
        messages: count(12)?,
        branches: count(13)?,
        tokens: count(14)?,
        cost: row.get(15)?,
        last_said: row.get::<_, Option<i64>>(16)?.map(Millis),
    }))
}

pub(crate) fn save(
    transaction: &Transaction<'_>,
    session: SessionNo,
    digest: &SessionDigest,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO digest
                   (session, words, entries, messages, branches, tokens, cost, said)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    transaction.prepare_cached(sql)?.execute(params![
        session.number(),
        digest.first_words,
        digest.entries.cast_signed(),
        digest.messages.cast_signed(),
        digest.branches.cast_signed(),
        digest.tokens.cast_signed(),
        digest.cost,
        digest.last_said.map(|time| time.0),
    ])?;
    Ok(())
}
