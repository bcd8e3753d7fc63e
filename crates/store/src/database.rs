//! The SQLite database: opening it, bringing it up to date, reading and writing.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use crate::error::{Result, StoreError};
use crate::folder::private;

/// Every step from an empty database to today's, oldest first. A step that was published never changes.
const MIGRATIONS: &[M<'_>] = &[
    M::up(include_str!("migrations/001.sql")),
    M::up(include_str!("migrations/002.sql")),
    M::up(include_str!("migrations/003.sql")),
    M::up(include_str!("migrations/004.sql")),
    M::up(include_str!("migrations/005.sql")),
    M::up(include_str!("migrations/006.sql")),
    M::up(include_str!("migrations/007.sql")),
];

/// How long to wait for another process that holds the database for a moment.
const PATIENCE: Duration = Duration::from_secs(10);

/// The database of a data folder. Everything in it can be made anew from session files, node files and journal.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Database {
    /// Opens the database and brings it up to date; makes one where there is none.
    pub fn open(path: &Path) -> Result<Self> {
        const PAUSE: Duration = Duration::from_millis(20);
        let started = Instant::now();
        // SQLite does not wait by itself while another process makes the database or brings it up to date.
        loop {
            match Self::try_open(path) {
                Err(StoreError::Database { source, .. })
                    if is_busy(&source) && started.elapsed() < PATIENCE =>
                {
                    thread::sleep(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    fn try_open(path: &Path) -> Result<Self> {
        let failed = |source| refusal(path, source);
        // SQLite makes the files beside it as readable as this one.
        private()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|source| StoreError::Write { path: path.to_owned(), source })?;
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&connection).map_err(failed)?;
        migrate(&mut connection).map_err(|error| {
            use rusqlite_migration::{Error, MigrationDefinitionError::DatabaseTooFarAhead};
            match error {
                Error::MigrationDefinition(DatabaseTooFarAhead) => {
                    StoreError::TooNew { path: path.to_owned() }
                }
                Error::RusqliteError { err, .. } => failed(err),
                source => StoreError::Migration { path: path.to_owned(), source },
            }
        })?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    /// Asks the database something.
    pub(crate) fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        ask(&self.connection()).map_err(|source| self.failed(source))
    }

    /// Changes the database, as a whole or not at all.
    pub(crate) fn write<T>(&self, change: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = self.connection();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|source| self.failed(source))?;
        let value = change(&transaction)?;
        transaction.commit().map_err(|source| self.failed(source))?;
        Ok(value)
    }

    /// Says which database refused.
    pub(crate) fn failed(&self, source: rusqlite::Error) -> StoreError {
        refusal(&self.path, source)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // Whoever panicked has left no transaction open: dropping one rolls it back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    // SQLite calls it an I/O error if there is no space for the file that readers and writers share.
    let is_full = source.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == SQLITE_IOERR_SHMSIZE
    });
    if is_full {
        StoreError::DiskFull { path, source }
    } else {
        StoreError::Database { path, source }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Takes the steps that are missing.
///
/// A process that does the same at the same time may be a step ahead: then that step fails here, and the next one
/// is tried.
fn migrate(connection: &mut Connection) -> std::result::Result<(), rusqlite_migration::Error> {
    let migrations = Migrations::from_slice(MIGRATIONS);
    loop {
        let before = migrations.current_version(connection)?;
        match migrations.to_latest(connection) {
            Err(_) if migrations.current_version(connection)? != before => {}
            done => return done,
        }
    }
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // Much of what is kept is a few kilobytes each, and wastes half a page.
    connection.pragma_update(None, "page_size", 4096)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // A crash of the machine may cost the last transactions, never the database; all of them can be derived again.
    connection.pragma_update(None, "synchronous", "normal")?;
    // Every 32 MB instead of 4: moving pages from the log to the database waits for the disk, and a page that is changed again
    // meanwhile is moved once.
    connection.pragma_update(None, "wal_autocheckpoint", 8000)?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
