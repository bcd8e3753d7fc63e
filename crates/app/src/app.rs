//! A data folder that is open: refresh it, ask it, change it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use pi_brain_brain::{Linker, NodeId, NodeRef};
use pi_brain_forest::{Forest, RootId};
use pi_brain_search::{HotTail, SearchIndex};
use pi_brain_session::Millis;
use pi_brain_store::{
    DataFolder, FamilyState, FamilyStore, FamilyUpdate, JobKind, NewVersion, Priority, Store,
    StoreError, Undone, Wish, WriterLock,
};
use rayon::prelude::*;
use uuid::Uuid;

use crate::derive::{Circumstances, derive};
use crate::error::{AppError, Result};
use crate::fresh::FreshLines;
use crate::indexing::{self, Filling};
use crate::ingest;
use crate::progress::{Progress, Step};
use crate::report::Report;
use crate::scan::Scan;
use crate::settings::Settings;

/// Everything that the surfaces share.
pub struct App {
    pub(crate) folder: DataFolder,
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) forest: Forest<FamilyStore>,
    pub(crate) index: SearchIndex,
    pub(crate) tail: HotTail,
    pub(crate) fresh: FreshLines,
    database: Option<FileId>,
}

/// What tells a file from another that took its place.
type FileId = (u64, u64);

/// How much has to be taken in before a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Everything, and for good.
    Kept,
    /// Everything, and how it hangs together.
    Linked,
    /// Everything.
    Whole,
    /// As much as it takes to find every line.
    Findable,
}

/// How many families are derived before what was found out is saved.
const BATCH_FAMILIES: usize = 96;

/// How many entries these families may have together.
const BATCH_ENTRIES: usize = 12_000;

/// From how many new bytes on the text index is filled while families are derived, and links are found at once.
const MUCH: u64 = 2 * 1024 * 1024;

/// How long whoever finds all links anew is not disturbed, in milliseconds.
const LINK_LEASE: i64 = 10 * 60 * 1000;

/// Up to how many nodes all are linked whenever one has changed.
const FEW_NODES: u32 = 2000;

impl App {
    /// Opens a data folder; makes one where there is none.
    pub fn open(folder: &Path, settings: Settings) -> Result<Self> {
        let folder = DataFolder::create(folder)?;
        let store = Store::open(&folder)?;
        let index = SearchIndex::open(&folder.index())?;
        let forest = Forest::new(store.families());
        let (tail, fresh) = (HotTail::default(), FreshLines::default());
        let database = file_id(&folder.database());
        Ok(Self { folder, settings, store, forest, index, tail, fresh, database })
    }

    /// Returns what the user chose.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns where everything is.
    pub fn folder(&self) -> &DataFolder {
        &self.folder
    }

    /// Returns what is kept.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Takes in everything that is new, and keeps it for good. `work` is what others are told who want to write.
    pub fn ingest(&mut self, work: &str, now: Millis, progress: &dyn Progress) -> Result<Report> {
        let lock = self.lock(work)?;
        self.take_in(&lock, now, Depth::Kept, progress)
    }

    /// Makes this process the only writer.
    ///
    /// While this one was open, another may have thrown away what can be derived and made it anew: then that is opened.
    pub(crate) fn lock(&mut self, work: &str) -> Result<WriterLock> {
        let lock = self.folder.lock(work)?;
        if !self.is_current() {
            *self = Self::open(self.folder.path(), self.settings.clone())?;
        }
        Ok(lock)
    }

    /// Takes in what is new before a question is answered.
    ///
    /// Returns `None` if another process is just writing: then the answer is as new as that one has come.
    pub fn refresh(&mut self, now: Millis, progress: &dyn Progress) -> Result<Option<Report>> {
        self.refresh_to(Depth::Whole, now, progress)
    }

    /// Does the same, and finds the links of what is new: for questions about links.
    pub fn refresh_with_links(
        &mut self,
        now: Millis,
        progress: &dyn Progress,
    ) -> Result<Option<Report>> {
        self.refresh_to(Depth::Linked, now, progress)
    }

    /// Does the same as far as a search needs it: a few lines at the end of a long session can be found, and are taken in
    /// later.
    pub fn refresh_for_search(
        &mut self,
        now: Millis,
        progress: &dyn Progress,
    ) -> Result<Option<Report>> {
        self.refresh_to(Depth::Findable, now, progress)
    }

    fn refresh_to(
        &mut self,
        depth: Depth,
        now: Millis,
        progress: &dyn Progress,
    ) -> Result<Option<Report>> {
        match self.lock("refresh") {
            Ok(lock) => self.take_in(&lock, now, depth, progress).map(Some),
            Err(AppError::Store(StoreError::Locked { .. })) => {
                self.open_tail()?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether everything is taken in that a question needs, and makes it searchable. Writes nothing, and waits for
    /// nobody who writes.
    pub fn is_up_to_date(&mut self, depth: Depth, now: Millis) -> Result<bool> {
        // Whoever writes may move lines from here to there while we look at both.
        const TRIES: usize = 5;
        for _ in 0..TRIES {
            let before = self.store.last_change()?;
            let mut scan = self.scan()?;
            self.fresh.clear();
            if depth == Depth::Findable {
                self.fresh.take_from(&mut scan, &self.store)?;
            }
            if self.is_behind(&scan, now)?
                || (depth == Depth::Linked && self.store.is_unlinked()?)
            {
                return Ok(false);
            }
            self.show()?;
            if self.store.last_change()? == before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes searchable what others have taken in, and the last lines of long sessions. Writes nothing.
    pub fn catch_up(&mut self) -> Result<()> {
        let mut scan = self.scan()?;
        self.fresh.clear();
        self.fresh.take_from(&mut scan, &self.store)?;
        self.show()
    }

    fn show(&mut self) -> Result<()> {
        self.open_tail()?;
        // After the tail: what was committed in between is then in both, and the tail's copy counts.
        self.index.reload()?;
        self.fresh.show(&mut self.tail);
        Ok(())
    }

    /// Returns whether what is open is still what lies in the data folder: another process may have thrown it away and made it
    /// anew.
    pub fn is_current(&self) -> bool {
        file_id(&self.folder.database()) == self.database
    }

    /// Returns whether there is anything to take in. Compares sizes and times, and does no more.
    pub fn has_news(&self, now: Millis) -> Result<bool> {
        self.is_behind(&self.scan()?, now)
    }

    fn is_behind(&self, scan: &Scan, now: Millis) -> Result<bool> {
        Ok(scan.has_news(&self.settings.sources) || !self.store.stale_families(now)?.is_empty())
    }

    /// Returns when the next unit of work is over, if nothing more is said in it.
    pub fn next_close(&self) -> Result<Option<Millis>> {
        Ok(self.store.next_close()?)
    }

    fn scan(&self) -> Result<Scan> {
        Ok(Scan::of(&self.settings.sources, &self.store.forgotten()?, self.store.known_files()?))
    }

    /// Makes what was taken in and is not in the text index yet searchable, without looking for anything new.
    pub fn open_tail(&mut self) -> Result<()> {
        indexing::fill_tail(&self.store, &self.index, &mut self.tail)
    }

    /// Throws away what can be derived, and derives it again.
    pub fn rebuild(
        folder: &Path,
        settings: Settings,
        now: Millis,
        progress: &dyn Progress,
    ) -> Result<(Self, Report)> {
        let data = DataFolder::create(folder)?;
        let lock = data.lock("rebuild")?;
        data.remove_derived(&lock)?;
        let mut app = Self::open(folder, settings)?;
        let report = app.take_in(&lock, now, Depth::Kept, progress)?;
        app.index.merge()?;
        Ok((app, report))
    }

    pub(crate) fn take_in(
        &mut self,
        _lock: &WriterLock,
        now: Millis,
        depth: Depth,
        progress: &dyn Progress,
    ) -> Result<Report> {
        // Somebody may have thrown the database away: what the user did is about nodes, so these come first.
        let unreadable = self.store.restore_nodes()?;
        self.forest.store().renew()?;
        self.store.replay()?;
        let dropped = self.store.drop_forgotten()?;
        let mut scan = self.scan()?;
        self.fresh.clear();
        if depth == Depth::Findable {
            self.fresh.take_from(&mut scan, &self.store)?;
        }
        let unreadable = unreadable.iter().map(|error| (error.to_string(), String::new()));
        let mut report =
            Report { found: scan.found, unreadable: unreadable.collect(), ..Report::default() };
        if !scan.changed.is_empty() || !scan.gone.is_empty() {
            let Self { store, forest, settings, .. } = self;
            let sources = &settings.sources;
            let taken = ingest::take_in(store, forest, sources, scan, now, progress, &mut report);
            // Half of a batch must not be saved with the next one.
            taken.inspect_err(|_| forest.store().discard())?;
        }
        indexing::notice_loss(&mut self.store, &self.index)?;
        let commit = depth == Depth::Kept;
        let filling = self.derive(now, commit, progress, &mut report)?;
        if !dropped.is_empty() {
            // A fork may tell what was forgotten, too; what the user said about that still holds.
            self.store.replay_for(&dropped)?;
        }
        let Self { store, index, tail, fresh, .. } = self;
        indexing::catch_up(store, index, tail, filling, commit, progress)?;
        fresh.show(tail);
        // Few nodes are linked in no time; among many, a few new ones can wait until somebody asks for links.
        let is_quick = || Ok::<_, AppError>(self.store.node_count()? <= FEW_NODES);
        if commit
            || depth == Depth::Linked
            || report.bytes >= MUCH
            || (depth == Depth::Whole && is_quick()?)
        {
            self.link()?;
        }
        Ok(report)
    }

    /// Finds all links anew, whether anything has changed or not.
    pub fn link_anew(&mut self, now: Millis) -> Result<()> {
        let wish = Wish { kind: JobKind::Link, node: None, started: now };
        self.store.enqueue(&[wish], Priority::Later, None, now)?;
        let lease = format!("link {}", Uuid::new_v4());
        let until = Millis(now.0.saturating_add(LINK_LEASE));
        let owner = format!("process {}", std::process::id());
        let job = self.store.lease_job(&[JobKind::Link], None, &owner, &lease, now, until)?;
        // Somebody else is at it.
        let Some(job) = job else { return Ok(()) };
        let linked = self.lock("link").and_then(|_lock| {
            self.store.forget_links()?;
            self.link()
        });
        match linked {
            Ok(()) => self.store.finish_job(&job.lease, None)?,
            Err(error) => {
                let due = Millis(now.0.saturating_add(LINK_LEASE));
                let error_text = error.to_string();
                let undone = Undone::Again { due, trouble: "store".to_owned(), error: error_text };
                self.store.return_job(&job.lease, &undone)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Puts nodes into the queue that a model shall read before all others. Returns how many.
    pub fn enqueue_analysis(&self, nodes: &[NodeId], now: Millis) -> Result<usize> {
        let mut wishes = Vec::new();
        for &id in nodes {
            let node = self.store.node_row(id)?;
            let node = node.ok_or(StoreError::NodeNotFound(NodeRef { id, version: None }))?;
            let started = node.started;
            wishes.push(Wish { kind: JobKind::Reanalyse, node: Some(id), started });
        }
        Ok(self.store.enqueue(&wishes, Priority::User, None, now)?)
    }

    /// Takes in that a unit of work is over, which otherwise shows only after a while: its last one of a session.
    pub fn announce_end(&mut self, session: &str, now: Millis) -> Result<()> {
        let _lock = self.lock("announce")?;
        Ok(self.store.announce_end(session, now)?)
    }

    /// Finds out which nodes have something in common, if anything has changed since that was done last.
    fn link(&mut self) -> Result<()> {
        if self.store.is_unlinked()? {
            // Threads that derive leave memory free that only they can use again.
            let found = rayon::scope(|_| {
                let mut linker = Linker::default();
                self.store.each_node_facts(|node| linker.add(node))?;
                Ok::<_, AppError>(linker.finish(&self.store.linked_pairs()?))
            });
            self.store.save_links(&found?)?;
        }
        Ok(())
    }

    /// Derives every family that has changed. If that is much, they fill the text index while they are at it.
    fn derive(
        &mut self,
        now: Millis,
        commit: bool,
        progress: &dyn Progress,
        report: &mut Report,
    ) -> Result<Option<Filling>> {
        let Self { store, forest, index, settings, .. } = self;
        let store = &*store;
        let roots = store.stale_families(now)?;
        if roots.is_empty() {
            return Ok(None);
        }
        let fills = commit || report.bytes >= MUCH;
        let filled = fills.then(|| Filling::begin(index, store)).transpose()?;
        let filling = filled.as_ref();
        progress.begin(Step::Derive { families: roots.len() });
        let with = Circumstances { store, rules: settings.rules, now, filling };
        let mut roots = roots.into_iter();
        let mut derived: Vec<(RootId, Result<FamilyUpdate>)> = Vec::new();
        loop {
            let states = next_states(store, forest.store(), &mut roots)?;
            if states.is_empty() && derived.is_empty() {
                break;
            }
            // While what one batch gave is saved, which takes one core, the next is derived.
            let (next, saved) = rayon::join(
                || {
                    let derive = |state: FamilyState| {
                        let update = derive(&state, &with);
                        progress.advance(1);
                        (state.root, update)
                    };
                    states.into_par_iter().map(derive).collect()
                },
                || save_derived(store, filling, derived, report),
            );
            saved?;
            derived = next;
        }
        Ok(filled)
    }
}

/// Reads the next families that are to be derived.
fn next_states(
    store: &Store,
    families: &FamilyStore,
    roots: &mut impl Iterator<Item = RootId>,
) -> Result<Vec<FamilyState>> {
    let (mut states, mut entries) = (Vec::new(), 0);
    while states.len() < BATCH_FAMILIES && entries < BATCH_ENTRIES {
        let Some(root) = roots.next() else { break };
        let state = store.family(families, root)?;
        let lengths = state.members.iter().map(|member| member.outline.entries.len());
        entries += lengths.sum::<usize>();
        states.push(state);
    }
    families.let_go();
    Ok(states)
}

/// Keeps what was derived, and tells the text index of it.
fn save_derived(
    store: &Store,
    filling: Option<&Filling>,
    derived: Vec<(RootId, Result<FamilyUpdate>)>,
    report: &mut Report,
) -> Result<()> {
    let mut updates = Vec::with_capacity(derived.len());
    let mut half_given = Vec::new();
    for (root, update) in derived {
        match update {
            Ok(update) => updates.push(update),
            // The file changed while we looked; the family stays stale until the next time.
            Err(AppError::Read { path, source }) => {
                let path = path.to_string_lossy().into_owned();
                report.unreadable.push((path, source.to_string()));
                half_given.push(root);
            }
            Err(error) => return Err(error),
        }
    }
    let versions = updates.iter().flat_map(|update| &update.versions);
    let versions = versions.map(|NewVersion { node, .. }| (node.id, node.version));
    let versions = versions.map(|(id, version)| NodeRef { id, version: Some(version) });
    report.versions.extend(versions);
    report.edges += updates.iter().map(|update| update.edges.len()).sum::<usize>();
    store.save_families(&updates)?;
    if let Some(filling) = filling {
        filling.saved(store, &updates)?;
        // The index gets them as they were.
        store.index_again(&half_given)?;
    }
    Ok(())
}

/// Returns what tells a file from another by the same name; `None` if there is none.
fn file_id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
