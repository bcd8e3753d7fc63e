//! Session files as they were when they were last read, and what reading them gave.

use pi_brain_brain::{ModelName, Outline, SessionFacts, Sketch};
use pi_brain_forest::{RootId, SessionNo, SessionRecord};
use pi_brain_session::Log;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::database::Database;
use crate::error::{Result, StoreError};
use crate::families::{chunk_id, chunk_ids};
use crate::pack::{pack, unpack};
use crate::session_list::{self, SessionDigest};

/// How many sketches of entries are kept together.
const CHUNK: usize = 1024;

/// A file up to this size is read again from its start when it grows: that takes milliseconds, and the index of so many
/// files would take more room than anything else that is known of them.
const SHORT: i64 = 4 * 1024 * 1024;

/// A session file that was read, or that could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Where it is.
    pub path: String,
    /// The session that was read from it; none if it could not be read.
    pub session: Option<SessionNo>,
    /// The working directory of that session.
    pub project: Option<String>,
    /// The machine that it is from.
    pub computer: String,
    /// What it looked like from outside.
    pub stamp: Stamp,
    /// Why it could not be read.
    pub problem: Option<String>,
}

impl KnownFile {
    /// Returns whether it was not wanted when it was last looked at.
    pub fn was_left_out(&self) -> bool {
        self.session.is_none() && self.problem.is_none()
    }
}

/// What a file looks like from outside: as long as it stays the same, nobody has to look inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// How long it is.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// Its number on the disk.
    pub inode: u64,
}

impl Stamp {
    /// Stands for a file that the system did not let us read; no file looks like this.
    pub const UNREAD: Self = Self { size: 0, modified: 0, inode: 0 };
}

/// A session, as a citation needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    /// The session.
    pub no: SessionNo,
    /// The session's id.
    pub id: String,
    /// Where its file is.
    pub path: String,
    /// The working directory; empty if it is not known.
    pub project: String,
    /// The tree that its family lives in.
    pub root: RootId,
}

/// What reading a file has given.
#[derive(Debug)]
pub struct FileUpdate<'a> {
    /// The file as it is known from now on.
    pub file: KnownFile,
    /// What was read, unless it could not be.
    pub reading: Option<SessionUpdate<'a>>,
}

/// What is new in a session.
#[derive(Debug)]
pub struct SessionUpdate<'a> {
    /// The index of the file.
    pub log: &'a Log,
    /// The outline of the whole file.
    pub outline: &'a Outline,
    /// How many entries of the outline are as they were.
    pub unchanged: usize,
    /// What a list says of it.
    pub digest: &'a SessionDigest,
}

/// What an outline says besides its entries.
type Head = (SessionFacts, Vec<ModelName>);

pub(crate) fn known_files(database: &Database) -> Result<Vec<KnownFile>> {
    database.read(|connection| {
        let sql = "SELECT path, session, computer, size, modified, inode, problem, project
                   FROM file LEFT JOIN session ON no = session";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(KnownFile {
                path: row.get(0)?,
                session: row.get::<_, Option<u32>>(1)?.map(SessionNo::new),
                computer: row.get(2)?,
                stamp: Stamp {
                    size: row.get::<_, i64>(3)?.cast_unsigned(),
                    modified: row.get(4)?,
                    inode: row.get::<_, i64>(5)?.cast_unsigned(),
                },
                problem: row.get(6)?,
                project: row.get(7)?,
            })
        })?;
        rows.collect()
    })
}

const SESSION_COLUMNS: &str = "SELECT no, id, file, project, root FROM session";

fn session_file(row: &Row<'_>) -> rusqlite::Result<SessionFile> {
    Ok(SessionFile {
        no: SessionNo::new(row.get(0)?),
        id: row.get(1)?,
        path: row.get(2)?,
        project: row.get(3)?,
        root: RootId::new(row.get(4)?),
    })
}

pub(crate) fn session(database: &Database, no: SessionNo) -> Result<Option<SessionFile>> {
    database.read(|connection| {
        let sql = format!("{SESSION_COLUMNS} WHERE no = ?1");
        connection.prepare_cached(&sql)?.query_row([no.number()], session_file).optional()
    })
}

/// Reads what the forest knows of a session, without its entries.
pub(crate) fn session_head(database: &Database, no: SessionNo) -> Result<Option<SessionRecord>> {
    let head: Option<String> = database.read(|connection| {
        let sql = "SELECT data FROM session WHERE no = ?1";
        connection.prepare_cached(sql)?.query_row([no.number()], |row| row.get(0)).optional()
    })?;
    let damaged = |why: serde_json::Error| StoreError::Damaged {
        what: "a session".to_owned(),
        why: why.to_string(),
    };
    head.map(|head| serde_json::from_str(&head).map_err(damaged)).transpose()
}

pub(crate) fn sessions(database: &Database) -> Result<Vec<SessionFile>> {
    database.read(|connection| {
        let mut statement = connection.prepare_cached(&format!("{SESSION_COLUMNS} ORDER BY no"))?;
        let rows = statement.query_map([], session_file)?;
        rows.collect()
    })
}

/// Returns the sessions with an id: one, unless a file was copied.
pub(crate) fn sessions_called(database: &Database, id: &str) -> Result<Vec<SessionFile>> {
    database.read(|connection| {
        let sql = format!("{SESSION_COLUMNS} WHERE id = ?1 ORDER BY no");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([id], session_file)?;
        rows.collect()
    })
}

/// Reads how far a file was read, to go on from there; `None` if it is so short that it is read from its start.
pub(crate) fn log(database: &Database, session: SessionNo) -> Result<Option<Log>> {
    let data: Option<Vec<u8>> = database.read(|connection| {
        let sql = "SELECT data FROM log WHERE session = ?1";
        connection.prepare_cached(sql)?.query_row([session.number()], |row| row.get(0)).optional()
    })?;
    data.map(|data| unpack(&data, "the index of a session file")).transpose()
}

pub(crate) fn outline(database: &Database, session: SessionNo) -> Result<Option<Outline>> {
    let what = "the outline of a session file";
    let (head, chunks): (Option<Vec<u8>>, Vec<Vec<u8>>) = database.read(|connection| {
        let sql = "SELECT data FROM outline WHERE session = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let head = statement.query_row([session.number()], |row| row.get(0)).optional()?;
        let sql = "SELECT data FROM outline_chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
        let mut statement = connection.prepare_cached(sql)?;
        let chunks = statement.query_map(chunk_ids(session.number(), 0), |row| row.get(0))?;
        Ok((head, chunks.collect::<rusqlite::Result<_>>()?))
    })?;
    let Some(head) = head else { return Ok(None) };
    let (session, models): Head = unpack(&head, what)?;
    let mut entries = Vec::new();
    for chunk in chunks {
        entries.extend(unpack::<Vec<Sketch>>(&chunk, what)?);
    }
    Ok(Some(Outline { session, models, entries }))
}

/// Reads what is kept together with an entry of an outline, and the position of the first of these entries.
pub(crate) fn sketches_around(
    database: &Database,
    session: SessionNo,
    entry: u32,
) -> Result<(u32, Vec<Sketch>)> {
    let length = u32::try_from(CHUNK).unwrap_or(u32::MAX);
    let chunk = entry / length;
    let data: Option<Vec<u8>> = database.read(|connection| {
        let sql = "SELECT data FROM outline_chunk WHERE id = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row([chunk_id(session.number(), chunk)], |row| row.get(0)).optional()
    })?;
    let sketches = data.map(|data| unpack(&data, "the outline of a session file")).transpose()?;
    Ok((chunk * length, sketches.unwrap_or_default()))
}

pub(crate) fn save(transaction: &Transaction<'_>, update: &FileUpdate<'_>) -> rusqlite::Result<()> {
    let KnownFile { path, session, computer, stamp, problem, .. } = &update.file;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO file (path, session, computer, size, modified, inode, problem)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            path,
            session.map(SessionNo::number),
            computer,
            stamp.size.cast_signed(),
            stamp.modified,
            stamp.inode.cast_signed(),
            problem
        ])?;
    match (&update.reading, session) {
        (Some(reading), Some(session)) => save_session(transaction, *session, reading),
        _ => Ok(()),
    }
}

fn save_session(
    transaction: &Transaction<'_>,
    session: SessionNo,
    update: &SessionUpdate<'_>,
) -> rusqlite::Result<()> {
    let no = session.number();
    let SessionUpdate { log, outline, unchanged, digest } = update;
    session_list::save(transaction, session, digest)?;
    let position = log.position().offset.cast_signed();
    let sql = "SELECT position FROM log WHERE session = ?1";
    let packed: Option<i64> =
        transaction.prepare_cached(sql)?.query_row([no], |row| row.get(0)).optional()?;
    // Packing the index of a long file for each line of it would take longer than reading the last few lines again.
    let is_worth_it = |packed: i64| packed > position || (position - packed) * 16 >= position;
    if position <= SHORT {
        transaction.prepare_cached("DELETE FROM log WHERE session = ?1")?.execute([no])?;
    } else if *unchanged == 0 || packed.is_none_or(is_worth_it) {
        let sql = "INSERT OR REPLACE INTO log (session, position, data) VALUES (?1, ?2, ?3)";
        transaction.prepare_cached(sql)?.execute(params![no, position, pack(log)])?;
    }
    let head = pack(&(&outline.session, &outline.models));
    let sql = "INSERT OR REPLACE INTO outline (session, data) VALUES (?1, ?2)";
    transaction.prepare_cached(sql)?.execute(params![no, head])?;
    let first = unchanged / CHUNK;
    let number = |chunk: usize| u32::try_from(chunk).unwrap_or(u32::MAX);
    let sql = "DELETE FROM outline_chunk WHERE id BETWEEN ?1 AND ?2";
    transaction.prepare_cached(sql)?.execute(chunk_ids(no, number(first)))?;
    let mut put =
        transaction.prepare_cached("INSERT INTO outline_chunk (id, data) VALUES (?1, ?2)")?;
    let rest = outline.entries.get(first * CHUNK..).unwrap_or_default();
    for (entries, chunk) in rest.chunks(CHUNK).zip(first..) {
        put.execute(params![chunk_id(no, number(chunk)), pack(&entries)])?;
    }
    Ok(())
}

/// Forgets a file, and what was read from it.
pub(crate) fn remove(transaction: &Transaction<'_>, path: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM file WHERE path = ?1 RETURNING session";
    let session: Option<Option<u32>> =
        transaction.prepare_cached(sql)?.query_row([path], |row| row.get(0)).optional()?;
    if let Some(Some(no)) = session {
        for sql in [
            "DELETE FROM log WHERE session = ?1",
            "DELETE FROM outline WHERE session = ?1",
            "DELETE FROM digest WHERE session = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([no])?;
        }
        let sql = "DELETE FROM outline_chunk WHERE id BETWEEN ?1 AND ?2";
        transaction.prepare_cached(sql)?.execute(chunk_ids(no, 0))?;
    }
    Ok(())
}

/// Says that something in the database does not fit together.
pub(crate) fn missing(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), why: "it is not there".to_owned() }
}
