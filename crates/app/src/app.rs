//! A data folder that is open: refresh it, ask it, change it.

use std::path::Path;

use pi_brain_brain::Rules;
use pi_brain_forest::Forest;
use pi_brain_search::{HotTail, SearchIndex};
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, FamilyStore, FamilyUpdate, Store, StoreError, WriterLock};
use rayon::prelude::*;

use crate::config::Sources;
use crate::derive::{Circumstances, derive};
use crate::error::{AppError, Result};
use crate::indexing;
use crate::ingest;
use crate::progress::{Progress, Step};
use crate::report::Report;
use crate::scan::Scan;

/// Everything that the surfaces share.
pub struct App {
    pub(crate) folder: DataFolder,
    pub(crate) sources: Sources,
    pub(crate) store: Store,
    pub(crate) forest: Forest<FamilyStore>,
    pub(crate) index: SearchIndex,
    pub(crate) tail: HotTail,
}

/// How many families are derived before what was found out is saved.
const BATCH_FAMILIES: usize = 128;

/// How many entries these families may have together.
const BATCH_ENTRIES: usize = 40_000;

impl App {
    /// Opens a data folder; makes one where there is none.
    pub fn open(folder: &Path, sources: Sources) -> Result<Self> {
        let folder = DataFolder::create(folder)?;
        let store = Store::open(&folder)?;
        let index = SearchIndex::open(&folder.index())?;
        let forest = Forest::new(store.families());
        Ok(Self { folder, sources, store, forest, index, tail: HotTail::default() })
    }

    /// Returns where sessions come from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Returns what is kept.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Takes in everything that is new, and keeps it for good. `work` is what others are told who want to write.
    pub fn ingest(&mut self, work: &str, now: Millis, progress: &dyn Progress) -> Result<Report> {
        let lock = self.folder.lock(work)?;
        self.take_in(&lock, now, true, progress)
    }

    /// Takes in what is new before a question is answered.
    ///
    /// Returns `None` if another process is just writing: then the answer is as new as that one has come.
    pub fn refresh(&mut self, now: Millis, progress: &dyn Progress) -> Result<Option<Report>> {
        match self.folder.lock("refresh") {
            Ok(lock) => self.take_in(&lock, now, false, progress).map(Some),
            Err(StoreError::Locked { .. }) => {
                self.open_tail()?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes what was taken in and is not in the text index yet searchable, without looking for anything new.
    pub fn open_tail(&mut self) -> Result<()> {
        indexing::fill_tail(&self.store, &self.index, &mut self.tail)
    }

    /// Throws away what can be derived, and derives it again.
    pub fn rebuild(
        folder: &Path,
        sources: Sources,
        now: Millis,
        progress: &dyn Progress,
    ) -> Result<(Self, Report)> {
        let data = DataFolder::create(folder)?;
        let lock = data.lock("rebuild")?;
        data.remove_derived(&lock)?;
        let mut app = Self::open(folder, sources)?;
        let report = app.take_in(&lock, now, true, progress)?;
        app.index.merge()?;
        Ok((app, report))
    }

    pub(crate) fn take_in(
        &mut self,
        _lock: &WriterLock,
        now: Millis,
        commit: bool,
        progress: &dyn Progress,
    ) -> Result<Report> {
        // Somebody may have thrown the database away: what the user did is about nodes, so these come first.
        let unreadable = self.store.restore_nodes()?;
        self.forest.store().renew()?;
        self.store.replay()?;
        let dropped = self.store.drop_forgotten()?;
        let scan = Scan::of(&self.sources, &self.store.forgotten()?, self.store.known_files()?);
        let unreadable = unreadable.iter().map(|error| (error.to_string(), String::new()));
        let mut report =
            Report { found: scan.found, unreadable: unreadable.collect(), ..Report::default() };
        if !scan.changed.is_empty() || !scan.gone.is_empty() {
            let Self { store, forest, sources, .. } = self;
            let taken = ingest::take_in(store, forest, sources, scan, now, progress, &mut report);
            // Half of a batch must not be saved with the next one.
            taken.inspect_err(|_| forest.store().discard())?;
        }
        self.derive(now, progress, &mut report)?;
        if !dropped.is_empty() {
            // A fork may tell what was forgotten, too; what the user said about that still holds.
            self.store.replay_for(&dropped)?;
        }
        indexing::catch_up(&mut self.store, &self.index, &mut self.tail, commit, progress)?;
        Ok(report)
    }

    /// Derives every family that has changed.
    fn derive(&mut self, now: Millis, progress: &dyn Progress, report: &mut Report) -> Result<()> {
        let roots = self.store.stale_families(now)?;
        if roots.is_empty() {
            return Ok(());
        }
        progress.begin(Step::Derive { families: roots.len() });
        let families = self.forest.store();
        let mut roots = roots.into_iter().peekable();
        while roots.peek().is_some() {
            let (mut states, mut entries) = (Vec::new(), 0);
            while states.len() < BATCH_FAMILIES && entries < BATCH_ENTRIES {
                let Some(root) = roots.next() else { break };
                let state = self.store.family(families, root)?;
                entries +=
                    state.members.iter().map(|member| member.outline.entries.len()).sum::<usize>();
                states.push(state);
            }
            families.let_go();
            let with = Circumstances { store: &self.store, rules: Rules::default(), now };
            let derived: Vec<Result<FamilyUpdate>> = states
                .into_par_iter()
                .map(|state| {
                    let update = derive(&state, &with);
                    progress.advance(1);
                    update
                })
                .collect();
            let mut updates = Vec::with_capacity(derived.len());
            for update in derived {
                match update {
                    Ok(update) => updates.push(update),
                    // The file changed while we looked; the family stays stale until the next time.
                    Err(AppError::Read { path, source }) => {
                        let path = path.to_string_lossy().into_owned();
                        report.unreadable.push((path, source.to_string()));
                    }
                    Err(error) => return Err(error),
                }
            }
            report.nodes += updates.iter().map(|update| update.versions.len()).sum::<usize>();
            report.edges += updates.iter().map(|update| update.edges.len()).sum::<usize>();
            self.store.save_families(&updates)?;
        }
        Ok(())
    }
}
