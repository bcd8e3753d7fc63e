//! Everything that is kept, behind one door.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pi_brain_brain::{Node, NodeId, NodeRef, Outline, Sketch};
use pi_brain_forest::{RootId, SessionNo, SessionRecord};
use pi_brain_session::{Log, Millis};
use rusqlite::{OptionalExtension, Transaction, params};

use crate::database::Database;
use crate::derived::{self, FamilyState, FamilyUpdate, Pending};
use crate::error::{Result, StoreError};
use crate::families::FamilyStore;
use crate::files::{self, FileUpdate, KnownFile, SessionFile};
use crate::folder::DataFolder;
use crate::journal::Journal;
use crate::map::FamilyMap;
use crate::node_files::NodeFiles;
use crate::session_list::{self, SessionRow};

/// What a data folder holds, apart from the text index and the editable trees.
#[derive(Debug)]
pub struct Store {
    pub(crate) database: Arc<Database>,
    pub(crate) node_files: NodeFiles,
    pub(crate) journal: Journal,
}

impl Store {
    /// Opens what is in a data folder; makes what is not there.
    pub fn open(folder: &DataFolder) -> Result<Self> {
        Ok(Self {
            database: Arc::new(Database::open(&folder.database())?),
            node_files: NodeFiles::new(folder.nodes()),
            journal: Journal::new(folder.journal()),
        })
    }

    /// Returns the forest of families.
    pub fn families(&self) -> FamilyStore {
        FamilyStore::new(Arc::clone(&self.database))
    }

    /// Returns every session file that was looked at, whether it could be read or not.
    pub fn known_files(&self) -> Result<Vec<KnownFile>> {
        files::known_files(&self.database)
    }

    /// Lists all sessions, what happened last first, without reading their files.
    pub fn session_rows(&self) -> Result<Vec<SessionRow>> {
        session_list::session_rows(&self.database)
    }

    /// Returns how far a file was read, to go on from there.
    pub fn log(&self, session: SessionNo) -> Result<Option<Log>> {
        files::log(&self.database, session)
    }

    /// Returns the outline of a session file.
    pub fn outline(&self, session: SessionNo) -> Result<Option<Outline>> {
        files::outline(&self.database, session)
    }

    /// Returns a piece of an outline: the entries around one, and the position of the first of them.
    pub fn sketches_around(&self, session: SessionNo, entry: u32) -> Result<(u32, Vec<Sketch>)> {
        files::sketches_around(&self.database, session, entry)
    }

    /// Returns a session, as a citation needs to know it.
    pub fn session(&self, no: SessionNo) -> Result<Option<SessionFile>> {
        files::session(&self.database, no)
    }

    /// Returns what the forest knows of a session, without its entries.
    pub fn session_head(&self, no: SessionNo) -> Result<Option<SessionRecord>> {
        files::session_head(&self.database, no)
    }

    /// Returns all sessions, in the order of their numbers.
    pub fn sessions(&self) -> Result<Vec<SessionFile>> {
        files::sessions(&self.database)
    }

    /// Returns the sessions with an id: one, unless a file was copied.
    pub fn sessions_called(&self, id: &str) -> Result<Vec<SessionFile>> {
        files::sessions_called(&self.database, id)
    }

    /// Takes in what reading files has given: in the forest, and about the files. `gone` are files that are no more.
    ///
    /// Families that have changed wait to be derived.
    pub fn save_files(
        &mut self,
        families: &FamilyStore,
        updates: &[FileUpdate<'_>],
        gone: &[String],
    ) -> Result<()> {
        let saved = self.database.write(|transaction| {
            let failed = |source| self.database.failed(source);
            let paths = updates.iter().map(|update| &update.file.path).chain(gone);
            let mut projects = projects_of(transaction, paths).map_err(failed)?;
            let cwds = updates
                .iter()
                .filter_map(|update| update.reading.as_ref()?.outline.session.cwd.as_ref());
            projects.extend(cwds.map(ToString::to_string));
            let before = first_sessions(transaction, &projects).map_err(failed)?;
            let mut stale = families.save(transaction)?;
            let after = first_sessions(transaction, &projects).map_err(failed)?;
            // Whoever was the first in a project is it no more, and somebody else is.
            for project in
                projects.iter().filter(|project| before.get(*project) != after.get(*project))
            {
                let firsts = [before.get(project), after.get(project)];
                stale.extend(firsts.into_iter().flatten().map(|(root, _)| *root));
            }
            for path in gone {
                files::remove(transaction, path).map_err(failed)?;
            }
            for update in updates {
                files::save(transaction, update).map_err(failed)?;
            }
            derived::mark_stale(transaction, &stale).map_err(failed)
        });
        if saved.is_err() {
            families.discard();
        }
        saved
    }

    /// Returns the families that have changed since they were derived, or of which a segment has closed by waiting.
    pub fn stale_families(&self, now: Millis) -> Result<BTreeSet<RootId>> {
        derived::stale(&self.database, now)
    }

    /// Returns when the next segment closes by waiting.
    pub fn next_close(&self) -> Result<Option<Millis>> {
        let next: Option<i64> = self.database.read(|connection| {
            let sql = "SELECT MIN(closes) FROM segment WHERE closes IS NOT NULL";
            connection.query_row(sql, [], |row| row.get(0))
        })?;
        Ok(next.map(Millis))
    }

    /// Takes in that the last unit of work of a session is over. It is an error if there is no such session.
    pub fn announce_end(&mut self, session: &str, now: Millis) -> Result<()> {
        let is_known = self.database.write(|transaction| {
            let announce = || {
                let sql = "SELECT DISTINCT root FROM session WHERE id = ?1";
                let mut statement = transaction.prepare_cached(sql)?;
                let roots = statement.query_map([session], |row| row.get(0).map(RootId::new))?;
                let roots = roots.collect::<rusqlite::Result<BTreeSet<RootId>>>()?;
                if !roots.is_empty() {
                    let sql = "INSERT OR REPLACE INTO announced (session, at) VALUES (?1, ?2)";
                    transaction.execute(sql, params![session, now.0])?;
                    derived::mark_stale(transaction, &roots)?;
                }
                Ok(!roots.is_empty())
            };
            announce().map_err(|source| self.database.failed(source))
        })?;
        if is_known { Ok(()) } else { Err(StoreError::SessionNotFound(session.to_owned())) }
    }

    /// Returns a family with what was derived from it before.
    pub fn family(&self, families: &FamilyStore, root: RootId) -> Result<FamilyState> {
        derived::state(&self.database, families, root)
    }

    /// Takes in what was derived from families. Files of nodes come first, the database names them then.
    pub fn save_families(&self, updates: &[FamilyUpdate]) -> Result<()> {
        for version in updates.iter().flat_map(|update| &update.versions) {
            if !version.is_written {
                self.node_files.write(&version.node, version.node.analyzer().is_model())?;
            }
        }
        self.database.write(|transaction| {
            for update in updates {
                derived::save(transaction, update)
                    .map_err(|source| self.database.failed(source))?;
            }
            Ok(())
        })
    }

    /// Sees to it that a power cut undoes nothing that was saved so far.
    ///
    /// Versions by the built-in rules are written without waiting for the disk, one by one; this waits once for all.
    pub fn settle(&self) -> Result<()> {
        self.node_files.sync()?;
        self.database.read(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    /// Returns the map of a family.
    pub fn map(&self, root: RootId) -> Result<Option<FamilyMap>> {
        derived::map(&self.database, root)
    }

    /// Returns what the text index has not taken in, behind `position`, with the position behind each.
    pub fn pending(&self, position: u64) -> Result<Vec<(u64, Pending)>> {
        derived::pending(&self.database, position)
    }

    /// Returns the position behind the last change.
    pub fn last_change(&self) -> Result<u64> {
        let last: Option<i64> = self.database.read(|connection| {
            connection.query_row("SELECT MAX(seq) FROM change", [], |row| row.get(0))
        })?;
        Ok(last.unwrap_or_default().cast_unsigned())
    }

    /// Asks for families to be taken in by the text index anew, as they are known now.
    pub fn index_again(&self, roots: &[RootId]) -> Result<()> {
        if roots.is_empty() {
            return Ok(());
        }
        self.database.write(|transaction| {
            for root in roots {
                let sql = "INSERT INTO change (root) VALUES (?1)";
                let noted = transaction.execute(sql, [root.number()]);
                noted.map_err(|source| self.database.failed(source))?;
            }
            Ok(())
        })
    }

    /// Forgets the changes that the text index has taken in.
    pub fn forget_changes(&mut self, position: u64) -> Result<()> {
        self.database.write(|transaction| {
            let position = position.cast_signed();
            let forget = || {
                transaction.execute("DELETE FROM change WHERE seq <= ?1", [position])?;
                let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('indexed', ?1)";
                transaction.execute(sql, [position])
            };
            forget().map(drop).map_err(|source| self.database.failed(source))
        })
    }

    /// Returns up to which change the text index once was true.
    pub fn indexed(&self) -> Result<u64> {
        let indexed: Option<i64> = self.database.read(|connection| {
            let sql = "SELECT value FROM meta WHERE key = 'indexed'";
            connection.query_row(sql, [], |row| row.get(0)).optional()
        })?;
        Ok(indexed.unwrap_or_default().cast_unsigned())
    }

    /// Asks for everything to be taken in by the text index anew.
    pub fn index_everything(&mut self) -> Result<()> {
        self.database.write(|transaction| {
            let all = "DELETE FROM change;
                       DELETE FROM meta WHERE key = 'indexed';
                       INSERT INTO change (root) SELECT root FROM family;
                       INSERT INTO change (node) SELECT id FROM node;";
            transaction.execute_batch(all).map_err(|source| self.database.failed(source))
        })
    }

    /// Reads a node, in its current version or another.
    pub fn node(&self, node: NodeRef) -> Result<Option<Node>> {
        let path: Option<String> = self.database.read(|connection| match node.version {
            None => {
                let sql = "SELECT path FROM node WHERE id = ?1";
                let mut statement = connection.prepare_cached(sql)?;
                statement.query_row([derived::key(node.id)], |row| row.get(0)).optional()
            }
            Some(version) => {
                let sql = "SELECT path FROM node_version WHERE node = ?1 AND version = ?2";
                let mut statement = connection.prepare_cached(sql)?;
                let row = params![derived::key(node.id), version];
                statement.query_row(row, |row| row.get(0)).optional()
            }
        })?;
        path.map(|path| self.node_files.read(&path)).transpose()
    }

    /// Returns whether the user does not want to see a node.
    pub fn is_hidden(&self, id: NodeId) -> Result<bool> {
        let hidden: Option<i64> = self.database.read(|connection| {
            let sql = "SELECT node FROM hidden WHERE node = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([derived::key(id)], |row| row.get(0)).optional()
        })?;
        Ok(hidden.is_some())
    }

    /// Reads the current version of a node that [`FamilyState::nodes`] has named.
    pub fn read_node(&self, path: &str) -> Result<Node> {
        self.node_files.read(path)
    }

    /// Reads the versions of a node that have files, whether the database knows them or not.
    pub fn written_versions(&self, started: Millis, id: NodeId) -> Result<Vec<Node>> {
        self.node_files.versions(started, id)
    }

    /// Takes every node file in, if the database is a new one. Returns those that could not be read.
    pub fn restore_nodes(&mut self) -> Result<Vec<StoreError>> {
        let restored: Option<i64> = self.database.read(|connection| {
            let sql =
                "SELECT 1 FROM meta WHERE key = 'restored' UNION ALL SELECT 1 FROM file LIMIT 1";
            connection.query_row(sql, [], |row| row.get(0)).optional()
        })?;
        if restored.is_some() {
            self.find_reviews()?;
            return Ok(Vec::new());
        }
        let (nodes, problems) = self.node_files.scan()?;
        self.database.write(|transaction| {
            for version in nodes.values().flatten() {
                derived::save_node(transaction, None, version)
                    .map_err(|source| self.database.failed(source))?;
            }
            let sql = "INSERT INTO meta (key, value) VALUES ('restored', 1)";
            let done = transaction.execute(sql, []).map(drop);
            done.map_err(|source| self.database.failed(source))
        })?;
        Ok(problems)
    }

    /// Looks through nodes that were there before the database kept what the user should have a look at.
    fn find_reviews(&mut self) -> Result<()> {
        let paths: Vec<String> = self.database.read(|connection| {
            let sql =
                "SELECT path FROM node WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'unreviewed')";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })?;
        if paths.is_empty() {
            return Ok(());
        }
        // `doctor` tells of files that cannot be read; here there is nothing to learn from them.
        let nodes = paths.iter().filter_map(|path| self.node_files.read(path).ok());
        self.database.write(|transaction| {
            let failed = |source| self.database.failed(source);
            for node in nodes {
                derived::save_reviews(transaction, derived::key(node.id), &node).map_err(failed)?;
            }
            let sql = "DELETE FROM meta WHERE key = 'unreviewed'";
            transaction.execute(sql, []).map(drop).map_err(failed)
        })
    }
}

/// Returns the projects that files were about when they were last read.
fn projects_of<'a>(
    transaction: &Transaction<'_>,
    paths: impl Iterator<Item = &'a String>,
) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT project FROM file JOIN session ON no = session WHERE path = ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut projects = BTreeSet::new();
    for path in paths {
        projects.extend(statement.query_row([path], |row| row.get::<_, String>(0)).optional()?);
    }
    Ok(projects)
}

/// Returns the first session of each project, with the tree that it lives in.
fn first_sessions(
    transaction: &Transaction<'_>,
    projects: &BTreeSet<String>,
) -> rusqlite::Result<BTreeMap<String, (RootId, String)>> {
    let sql = "SELECT root, id FROM session WHERE project = ?1 ORDER BY created, id LIMIT 1";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut first = BTreeMap::new();
    for project in projects {
        let row = statement.query_row([project], |row| Ok((RootId::new(row.get(0)?), row.get(1)?)));
        first.extend(row.optional()?.map(|session| (project.clone(), session)));
    }
    Ok(first)
}
