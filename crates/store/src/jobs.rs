//! The queue: what is to be done with nodes, in which order, by whom, and what went wrong.
//!
//! A job is taken by a lease, which its worker renews as long as it lives. What a lease may take of the budget is set
//! aside while it lasts, so that several workers, in several processes, never take more together than is allowed. There is
//! at most one job for a node; one that was done is gone. An answer to a question is no job: nobody does it later. It has a
//! lease all the same, for what is set aside.

use pi_brain_brain::{Node, NodeId, word};
use pi_brain_forest::RootId;
use pi_brain_session::Millis;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::derived::{key, node_id, save_node};
use crate::error::Result;
use crate::journal::Purpose;
use crate::store::Store;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// Give a unit of work to a model.
    Analyse,
    /// Give it to a model once more, because the prompts have changed.
    Reanalyse,
    /// Find all links anew.
    Link,
}

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Somebody waits for it.
    User,
    /// It is new.
    New,
    /// It can wait.
    Later,
}

/// Something that is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// What.
    pub kind: JobKind,
    /// With which node; `None` for all of them.
    pub node: Option<NodeId>,
    /// When the work of the node began: newer comes first.
    pub started: Millis,
}

/// A job that somebody is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What is to be done.
    pub kind: JobKind,
    /// With which node.
    pub node: Option<NodeId>,
    /// The right to do it.
    pub lease: String,
    /// How often it went wrong.
    pub attempts: u32,
    /// The run that it belongs to.
    pub run: Option<String>,
}

/// A lease of somebody who has not been heard of.
#[derive(Clone, Debug, PartialEq)]
pub struct LostLease {
    /// The right that nobody has any more.
    pub lease: String,
    /// What for.
    pub purpose: Purpose,
    /// The node.
    pub node: Option<NodeId>,
    /// What was set aside for it.
    pub tokens: u64,
    /// The same in dollars.
    pub dollars: Option<f64>,
}

/// A job as it is shown.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRow {
    /// Its number.
    pub id: i64,
    /// What is to be done.
    pub kind: JobKind,
    /// With which node.
    pub node: Option<NodeId>,
    /// Since when.
    pub created: Millis,
    /// Not before.
    pub due: Millis,
    /// How often it went wrong.
    pub attempts: u32,
    /// Whether it was given up.
    pub dead: bool,
    /// Who is at it.
    pub owner: Option<String>,
    /// The kind of what went wrong last.
    pub trouble: Option<String>,
    /// What went wrong last.
    pub error: Option<String>,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueCounts {
    /// What waits for its turn.
    pub waiting: u64,
    /// What somebody is at.
    pub running: u64,
    /// What was given up.
    pub dead: u64,
}

/// What may be set aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Caps {
    /// The beginning of the day.
    pub since: Millis,
    /// The most tokens of that day.
    pub tokens: u64,
    /// The most dollars of that day.
    pub dollars: Option<f64>,
    /// The most tokens of the run that the job belongs to.
    pub run_tokens: u64,
    /// The most dollars of that run.
    pub run_dollars: Option<f64>,
}

/// What is left of what may be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Left {
    pub tokens: u64,
    pub dollars: Option<f64>,
}

impl Left {
    fn has(&self, tokens: u64, dollars: Option<f64>) -> bool {
        let is_dear =
            matches!((dollars, self.dollars), (Some(wanted), Some(left)) if wanted > left);
        tokens <= self.tokens && !is_dear
    }
}

/// What came of setting something aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reserved {
    /// It is set aside.
    Yes,
    /// The day has only so much left.
    OverDay(Left),
    /// The run has only so much left.
    OverRun(Left),
}

/// What became of a job that was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It is tried again, not before then; that it went wrong counts.
    Again {
        /// When.
        due: Millis,
        /// The kind of what went wrong.
        trouble: String,
        /// What went wrong.
        error: String,
    },
    /// It has to wait; nothing is wrong with it.
    Postponed {
        /// Until when.
        due: Millis,
        /// Why.
        reason: String,
    },
    /// It is given up.
    Dead {
        /// The kind of what went wrong.
        trouble: String,
        /// What went wrong.
        error: String,
    },
}

impl Store {
    /// Puts work into the queue. A job that is there already comes earlier if this one would; one that was given up is tried
    /// again if somebody waits for it. Returns how many jobs are in the queue because of that.
    pub fn enqueue(
        &self,
        wishes: &[Wish],
        priority: Priority,
        run: Option<&str>,
        now: Millis,
    ) -> Result<usize> {
        self.change_jobs(|transaction| {
            let mut put = transaction.prepare_cached(
                "INSERT INTO job (node, kind, run, priority, started, created, due, attempts, dead)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 0, 0)
                 ON CONFLICT (node) DO UPDATE SET
                  run = coalesce(?3, run), priority = min(priority, ?4), kind = ?2, due = ?6, dead = 0, attempts = 0
                 WHERE lease IS NULL AND (?4 < priority OR ?3 IS NOT NULL)",
            )?;
            let mut count = 0;
            for wish in wishes {
                let node = wish.node.map_or(0, key);
                let kind = word(&wish.kind);
                count += put.execute(params![
                    node,
                    kind,
                    run,
                    priority as i64,
                    wish.started.0,
                    now.0
                ])?;
            }
            Ok(count)
        })
    }

    /// Takes the next job whose time has come, until `until` unless that is renewed; of one run only, or of any.
    pub fn lease_job(
        &self,
        kinds: &[JobKind],
        run: Option<&str>,
        owner: &str,
        lease: &str,
        now: Millis,
        until: Millis,
    ) -> Result<Option<Job>> {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", word(kind))).collect();
        let sql = format!(
            "SELECT id, kind, node, attempts, run FROM job
             WHERE NOT dead AND lease IS NULL AND due <= ?1 AND kind IN ({}) AND (?2 IS NULL OR run = ?2)
             ORDER BY priority, started DESC, id LIMIT 1",
            kinds.join(", ")
        );
        self.change_jobs(|transaction| {
            let found = transaction.prepare_cached(&sql)?.query_row(params![now.0, run], |row| {
                let job = Job {
                    kind: kind(row, 1)?,
                    node: node(row, 2)?,
                    lease: lease.to_owned(),
                    attempts: row.get(3)?,
                    run: row.get(4)?,
                };
                Ok((row.get::<_, i64>(0)?, job))
            });
            let Some((id, job)) = found.optional()? else { return Ok(None) };
            let sql = "UPDATE job SET lease = ?2, owner = ?3, leased_until = ?4 WHERE id = ?1";
            transaction.execute(sql, params![id, lease, owner, until.0])?;
            Ok(Some(job))
        })
    }

    /// Keeps a job for longer. Returns whether it was still ours.
    pub fn renew_lease(&self, lease: &str, until: Millis) -> Result<bool> {
        self.change_jobs(|transaction| {
            let sql = "UPDATE job SET leased_until = ?2 WHERE lease = ?1";
            Ok(transaction.execute(sql, params![lease, until.0])? > 0)
        })
    }

    /// Sets aside what a job may take, if so much is left of the day and of its run.
    pub fn reserve(
        &self,
        job: &Job,
        tokens: u64,
        dollars: Option<f64>,
        caps: Caps,
    ) -> Result<Reserved> {
        self.change_jobs(|transaction| {
            let left = left_of_day(transaction, &caps)?;
            if !left.has(tokens, dollars) {
                return Ok(Reserved::OverDay(left));
            }
            if let Some(run) = &job.run {
                let left = left_of_run(transaction, run, &caps)?;
                if !left.has(tokens, dollars) {
                    return Ok(Reserved::OverRun(left));
                }
            }
            let sql = "UPDATE job SET reserved_tokens = ?2, reserved_dollars = ?3 WHERE lease = ?1";
            transaction.execute(sql, params![job.lease, tokens.cast_signed(), dollars])?;
            Ok(Reserved::Yes)
        })
    }

    /// Sets aside what an answer may take, if so much is left of the day. It is taken back once `until` is over.
    pub fn reserve_answer(
        &self,
        lease: &str,
        owner: &str,
        until: Millis,
        (tokens, dollars): (u64, Option<f64>),
        caps: Caps,
    ) -> Result<Reserved> {
        self.change_jobs(|transaction| {
            let left = left_of_day(transaction, &caps)?;
            if !left.has(tokens, dollars) {
                return Ok(Reserved::OverDay(left));
            }
            let sql = "INSERT INTO answer_lease (lease, owner, until, tokens, dollars) VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction
                .execute(sql, params![lease, owner, until.0, tokens.cast_signed(), dollars])?;
            Ok(Reserved::Yes)
        })
    }

    /// Gives back what was set aside for an answer.
    pub fn release_answer(&self, lease: &str) -> Result<()> {
        self.change_jobs(|transaction| {
            transaction.execute("DELETE FROM answer_lease WHERE lease = ?1", [lease]).map(drop)
        })
    }

    /// Returns what is left of a day, without what is set aside.
    pub fn left_of_day(&self, caps: &Caps) -> Result<Left> {
        self.change_jobs(|transaction| left_of_day(transaction, caps))
    }

    /// Writes the file of the version that came of a job, if the job is still ours. Returns whether it is; otherwise
    /// somebody else does it, and nothing is changed. Only who may write may do this.
    pub fn keep_version(&mut self, lease: &str, version: &Node) -> Result<bool> {
        let is_ours = self.database.read(|connection| {
            let sql = "SELECT 1 FROM job WHERE lease = ?1";
            connection.query_row(sql, [lease], |_| Ok(())).optional()
        })?;
        if is_ours.is_some() {
            self.node_files.write(version, true)?;
        }
        Ok(is_ours.is_some())
    }

    /// Ends a job that was done, with the version that came of it and whose file is there.
    pub fn finish_job(&mut self, lease: &str, version: Option<&Node>) -> Result<()> {
        self.change_jobs(|transaction| {
            if let Some(version) = version {
                save_version(transaction, version)?;
            }
            transaction.execute("DELETE FROM job WHERE lease = ?1", [lease]).map(drop)
        })
    }

    /// Takes in versions of a node that have files and that the database does not know: somebody was killed in between.
    /// Returns whether there were any. Only who may write may do this.
    pub fn adopt_versions(&mut self, node: &Node) -> Result<bool> {
        let written = self.node_files.versions(node.metadata.timestamp, node.id)?;
        let newer: Vec<&Node> =
            written.iter().filter(|version| version.version > node.version).collect();
        self.change_jobs(|transaction| {
            for version in &newer {
                save_version(transaction, version)?;
            }
            Ok(!newer.is_empty())
        })
    }

    /// Gives a job back that was not done.
    pub fn return_job(&self, lease: &str, undone: &Undone) -> Result<()> {
        let (due, dead, counts, trouble, error) = match undone {
            Undone::Again { due, trouble, error } => {
                (Some(due.0), false, 1, Some(trouble), Some(error))
            }
            Undone::Postponed { due, reason } => (Some(due.0), false, 0, None, Some(reason)),
            Undone::Dead { trouble, error } => (None, true, 1, Some(trouble), Some(error)),
        };
        self.change_jobs(|transaction| {
            let sql = "UPDATE job SET due = coalesce(?2, due), dead = ?3, attempts = attempts + ?4, trouble = ?5, error = ?6,
                       lease = NULL, owner = NULL, leased_until = NULL, reserved_tokens = NULL, reserved_dollars = NULL
                       WHERE lease = ?1";
            transaction.execute(sql, params![lease, due, dead, counts, trouble, error]).map(drop)
        })
    }

    /// Takes back the leases that have run out, and those of owners whose name begins with `gone`. Returns them.
    pub fn reap_leases(&self, now: Millis, gone: Option<&str>) -> Result<Vec<LostLease>> {
        self.change_jobs(|transaction| {
            let lost: Vec<LostLease> = {
                let mut statement = transaction.prepare_cached(
                    "SELECT lease, node, reserved_tokens, reserved_dollars, 0 FROM job
                     WHERE lease IS NOT NULL AND (leased_until <= ?1 OR substr(owner, 1, length(?2)) = ?2)
                     UNION ALL SELECT lease, 0, tokens, dollars, 1 FROM answer_lease
                     WHERE until <= ?1 OR substr(owner, 1, length(?2)) = ?2",
                )?;
                let rows = statement.query_map(params![now.0, gone], |row| {
                    let is_answer: bool = row.get(4)?;
                    Ok(LostLease {
                        lease: row.get(0)?,
                        purpose: if is_answer { Purpose::Answer } else { Purpose::Analysis },
                        node: node(row, 1)?,
                        tokens: row.get::<_, Option<i64>>(2)?.unwrap_or_default().cast_unsigned(),
                        dollars: row.get(3)?,
                    })
                })?;
                rows.collect::<rusqlite::Result<_>>()?
            };
            for LostLease { lease, .. } in &lost {
                transaction.execute("DELETE FROM answer_lease WHERE lease = ?1", [lease])?;
                let sql = "UPDATE job SET attempts = attempts + 1, trouble = 'lost', error = 'whoever was at it has gone',
                           lease = NULL, owner = NULL, leased_until = NULL, reserved_tokens = NULL, reserved_dollars = NULL
                           WHERE lease = ?1";
                transaction.execute(sql, [lease])?;
            }
            Ok(lost)
        })
    }

    /// Returns the jobs, those that somebody is at first, then in their order.
    pub fn jobs(&self, limit: usize) -> Result<Vec<JobRow>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, kind, node, created, due, attempts, dead, owner, trouble, error FROM job
                 ORDER BY lease IS NULL, dead, priority, started DESC, id LIMIT ?1",
            )?;
            let rows = statement.query_map([limit], |row| {
                Ok(JobRow {
                    id: row.get(0)?,
                    kind: kind(row, 1)?,
                    node: node(row, 2)?,
                    created: Millis(row.get(3)?),
                    due: Millis(row.get(4)?),
                    attempts: row.get(5)?,
                    dead: row.get(6)?,
                    owner: row.get(7)?,
                    trouble: row.get(8)?,
                    error: row.get(9)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Counts the jobs, of one run or of all.
    pub fn queue_counts(&self, run: Option<&str>) -> Result<QueueCounts> {
        self.database.read(|connection| {
            let sql = "SELECT count(*) FILTER (WHERE NOT dead AND lease IS NULL), count(lease), count(*) FILTER (WHERE dead)
                       FROM job WHERE ?1 IS NULL OR run = ?1";
            connection.query_row(sql, [run], |row| {
                let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
                Ok(QueueCounts { waiting: count(0)?, running: count(1)?, dead: count(2)? })
            })
        })
    }

    /// Returns when the next job that nobody is at, or whose lease runs out, is due.
    pub fn next_job_due(&self, kinds: &[JobKind]) -> Result<Option<Millis>> {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("'{}'", word(kind))).collect();
        let sql = format!(
            "SELECT min(coalesce(leased_until, due)) FROM job WHERE NOT dead AND kind IN ({})",
            kinds.join(", ")
        );
        let due: Option<i64> =
            self.database.read(|connection| connection.query_row(&sql, [], |row| row.get(0)))?;
        Ok(due.map(Millis))
    }

    /// Tries jobs again that were given up: these, or all. Returns how many there are.
    pub fn retry_jobs(&self, ids: Option<&[i64]>, now: Millis) -> Result<usize> {
        self.change_jobs(|transaction| {
            let sql = "UPDATE job SET dead = 0, attempts = 0, due = ?2 WHERE dead AND (?1 IS NULL OR id = ?1)";
            match ids {
                None => transaction.execute(sql, params![None::<i64>, now.0]),
                Some(ids) => {
                    let retry = |id: &i64| transaction.execute(sql, params![id, now.0]);
                    ids.iter().map(retry).sum()
                }
            }
        })
    }

    /// Takes the jobs of a run out of the queue, but for those that somebody is at.
    pub fn drop_run(&self, run: &str) -> Result<()> {
        self.change_jobs(|transaction| {
            let sql = "DELETE FROM job WHERE run = ?1 AND lease IS NULL";
            transaction.execute(sql, [run]).map(drop)
        })
    }

    /// Returns units of work that no model has read since they are what they are, newest first: those that none has read,
    /// and those that have grown since.
    pub fn unread_nodes(&self, since: Millis) -> Result<Vec<(NodeId, Millis)>> {
        let sql = "SELECT node.id, node.started FROM node LEFT JOIN segment ON segment.id = node.id
                   WHERE node.root IS NOT NULL AND node.started >= ?1 AND segment.closes IS NULL
                    AND (analyzer = 'built-in' OR segment.end_entry <> node.end_entry)
                    AND node.id NOT IN hidden
                   ORDER BY node.started DESC, node.id LIMIT ?2";
        self.nodes_to_read(sql, &since.0, usize::MAX)
    }

    /// Returns the family that a node was made of; `None` if its sessions are gone.
    pub fn family_of(&self, node: NodeId) -> Result<Option<RootId>> {
        let root: Option<Option<u32>> = self.database.read(|connection| {
            let sql = "SELECT root FROM node WHERE id = ?1";
            connection.query_row(sql, [key(node)], |row| row.get(0)).optional()
        })?;
        Ok(root.flatten().map(RootId::new))
    }

    /// Returns units of work that a model has read with other prompts than these, newest first. Whatever is in the queue is
    /// left out.
    pub fn outdated_nodes(&self, prompts: &str, limit: usize) -> Result<Vec<(NodeId, Millis)>> {
        let sql = "SELECT id, started FROM node
                   WHERE root IS NOT NULL AND analyzer <> 'built-in' AND analyzer_version <> ?1
                    AND id NOT IN hidden AND id NOT IN (SELECT node FROM job)
                   ORDER BY started DESC, id LIMIT ?2";
        self.nodes_to_read(sql, &prompts, limit)
    }

    fn nodes_to_read(
        &self,
        sql: &str,
        from: &dyn rusqlite::ToSql,
        limit: usize,
    ) -> Result<Vec<(NodeId, Millis)>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![from, limit], |row| {
                Ok((node_id(row.get(0)?), Millis(row.get(1)?)))
            })?;
            rows.collect()
        })
    }

    /// Returns when something was last done that is done at certain times.
    pub fn last_done(&self, what: &str) -> Result<Option<Millis>> {
        let done: Option<i64> = self.database.read(|connection| {
            let sql = "SELECT value FROM meta WHERE key = ?1";
            connection.query_row(sql, [format!("done {what}")], |row| row.get(0)).optional()
        })?;
        Ok(done.map(Millis))
    }

    /// Notes that something was done that is done at certain times.
    pub fn note_done(&self, what: &str, now: Millis) -> Result<()> {
        self.change_jobs(|transaction| {
            let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
            transaction.execute(sql, params![format!("done {what}"), now.0]).map(drop)
        })
    }

    fn change_jobs<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.database
            .write(|transaction| change(transaction).map_err(|source| self.database.failed(source)))
    }
}

fn save_version(transaction: &Transaction<'_>, version: &Node) -> rusqlite::Result<()> {
    let sql = "SELECT root FROM node WHERE id = ?1";
    let root = transaction.query_row(sql, [key(version.id)], |row| row.get(0)).optional()?;
    save_node(transaction, root.flatten(), version)
}

fn left_of_day(transaction: &Transaction<'_>, caps: &Caps) -> rusqlite::Result<Left> {
    let sql = "SELECT total(tokens), total(dollars) FROM (
                SELECT tokens_in + tokens_out AS tokens, dollars FROM model_use WHERE at >= ?1
                UNION ALL SELECT reserved_tokens, reserved_dollars FROM job WHERE lease IS NOT NULL
                UNION ALL SELECT tokens, dollars FROM answer_lease)";
    let taken = transaction.query_row(sql, [caps.since.0], taken)?;
    Ok(rest(caps.tokens, caps.dollars, taken))
}

fn left_of_run(transaction: &Transaction<'_>, run: &str, caps: &Caps) -> rusqlite::Result<Left> {
    let sql = "SELECT total(tokens), total(dollars) FROM (
                SELECT tokens_in + tokens_out AS tokens, dollars FROM model_use WHERE run = ?1
                UNION ALL SELECT reserved_tokens, reserved_dollars FROM job WHERE lease IS NOT NULL AND run = ?1)";
    let taken = transaction.query_row(sql, [run], taken)?;
    Ok(rest(caps.run_tokens, caps.run_dollars, taken))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums of tokens are far below what a float holds exactly"
)]
fn taken(row: &Row<'_>) -> rusqlite::Result<(u64, f64)> {
    Ok((row.get::<_, f64>(0)? as u64, row.get(1)?))
}

fn rest(tokens: u64, dollars: Option<f64>, taken: (u64, f64)) -> Left {
    Left {
        tokens: tokens.saturating_sub(taken.0),
        dollars: dollars.map(|allowed| (allowed - taken.1).max(0.0)),
    }
}

fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<JobKind> {
    Ok(match &*row.get::<_, String>(at)? {
        "link" => JobKind::Link,
        "reanalyse" => JobKind::Reanalyse,
        _ => JobKind::Analyse,
    })
}

fn node(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<NodeId>> {
    let id: i64 = row.get(at)?;
    Ok((id != 0).then(|| node_id(id)))
}
