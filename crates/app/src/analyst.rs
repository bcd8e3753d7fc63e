//! Gives units of work to a model: job by job, within what it may take, and nothing twice. Lets it answer questions, too.
//!
//! What a job may take is set aside before the model is asked, and what it took goes into the journal, whatever came of it.
//! A new version's file is written first, then the journal, then the database, which takes the job out of the queue: whoever
//! comes after a kill in between finds the version and asks nobody.

mod answering;
mod log;
mod price;
mod retry;

use std::collections::HashSet;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use jiff::Zoned;
use pi_brain_agent::{
    AgentError, Allowance, Analysed, Estimate, Model, OpenAi, PiJson, PiRpc, Price, Prompts, Spent,
    Transcript, Watch, analyse, estimate,
};
use pi_brain_brain::{Analyzer, Node, NodeId, NodeRef, VersionTrigger, next_version, word};
use pi_brain_session::Millis;
use pi_brain_store::{
    Action, Caps, DataFolder, Job, JobKind, Left, ModelSpend, NodeFilter, Order, OwnUse, Priority,
    Purpose, QueueCounts, Reserved, SpendOutcome, Store, StoreError, Undone, Wish, WriterLock,
};
use uuid::Uuid;

use crate::derive::{Circumstances, reread};
use crate::error::{AppError, Result};
use crate::settings::{AnalysisBy, AnalysisSettings, Settings};
pub use answering::ModelAnswer;
use log::Recorded;
use price::find_price;

/// How long a lease lasts, and how often it is renewed.
const LEASE: Duration = Duration::from_secs(60);
const RENEWAL: Duration = Duration::from_secs(15);

/// What is done here; links are found elsewhere.
const KINDS: [JobKind; 2] = [JobKind::Analyse, JobKind::Reanalyse];

/// What tells the time, where the user is.
pub type Clock = fn() -> Zoned;

/// Who gives units of work and questions to a model.
pub struct Analyst {
    folder: DataFolder,
    store: Store,
    settings: Settings,
    analysis: AnalysisSettings,
    prompts: Prompts,
    model: Box<dyn Model + Send>,
    /// What tokens cost, if that is known.
    price: Option<Price>,
    owner: String,
    clock: Clock,
}

/// What became of a job.
#[derive(Debug)]
pub enum Worked {
    /// There is none whose time has come.
    Nothing,
    /// The node has a new version, or the model had nothing new to say.
    Done {
        /// The version.
        node: NodeRef,
        /// Whether it is new.
        is_new: bool,
        /// What it took.
        spent: Spent,
    },
    /// Nothing had to be done: somebody had done it, or the unit of work is gone.
    Skipped {
        /// The node.
        node: Option<NodeId>,
    },
    /// It went wrong.
    Failed {
        /// The node.
        node: NodeId,
        /// What went wrong.
        error: String,
        /// When it is tried again; `None` if it was given up.
        again: Option<Millis>,
        /// What it took all the same.
        spent: Spent,
    },
    /// Nothing more may be taken today.
    OverDay {
        /// What is left, too little for this job.
        left: Left,
        /// When there is more.
        until: Millis,
    },
    /// Nothing more may be taken by this run.
    OverRun {
        /// What is left, too little for this job.
        left: Left,
    },
    /// Somebody wanted it to end; the job is back in the queue.
    Stopped,
}

/// How things stand with what models do for us.
#[derive(Clone, Debug)]
pub struct AnalysisState {
    /// How models are asked.
    pub by: String,
    /// The version of the prompts.
    pub prompts: String,
    /// What there is to do.
    pub queue: QueueCounts,
    /// What was taken today.
    pub today: OwnUse,
    /// What may still be taken today.
    pub left: Left,
}

/// What analysing units of work would take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outlook {
    /// How many units of work.
    pub nodes: usize,
    /// How many of them can be read no more.
    pub unreadable: usize,
    /// What it takes.
    pub estimate: Estimate,
    /// The same in dollars, if the price is known.
    pub dollars: Option<f64>,
}

impl Analyst {
    /// Prepares everything but the model, which is asked when it is needed. `owner` is who works on jobs then.
    ///
    /// It is an error if no model is chosen, or if money is limited and the price is not known.
    pub fn open(folder: &Path, settings: &Settings, owner: &str, clock: Clock) -> Result<Self> {
        let analysis = settings.analysis.clone().ok_or(AppError::NoModel)?;
        let folder = DataFolder::create(folder)?;
        let store = Store::open(&folder)?;
        let prompts = Prompts::with_overrides(&folder.path().join("prompts"))?;
        let price = find_price(&store, &analysis)?;
        let is_limited =
            settings.budget.dollars_per_day.is_some() || settings.budget.dollars_per_run.is_some();
        if is_limited && price.is_none() {
            return Err(AppError::NoPrice);
        }
        let model: Box<dyn Model + Send> = match &analysis.by {
            AnalysisBy::Pi { settings, stays: true } => Box::new(PiRpc::new(settings.clone())),
            AnalysisBy::Pi { settings, stays: false } => Box::new(PiJson::new(settings.clone())),
            AnalysisBy::OpenAi(settings) => {
                let settings = pi_brain_agent::OpenAiSettings { price, ..settings.clone() };
                Box::new(OpenAi::new(settings))
            }
        };
        let (settings, owner) = (settings.clone(), owner.to_owned());
        Ok(Self { folder, store, settings, analysis, prompts, model, price, owner, clock })
    }

    /// Returns the version of the prompts in use.
    pub fn prompt_version(&self) -> &str {
        self.prompts.version()
    }

    /// Puts units of work into the queue that no model has read since they are what they are, as far as they are young
    /// enough. Returns how many.
    pub fn plan_new(&self) -> Result<usize> {
        let now = self.now();
        let days = i64::from(self.analysis.days) * 24 * 60 * 60 * 1000;
        let unread = self.store.unread_nodes(Millis(now.0 - days))?;
        let wishes = wishes(JobKind::Analyse, unread);
        Ok(self.store.enqueue(&wishes, Priority::New, None, now)?)
    }

    /// Puts the newest units of work into the queue that a model has read with other prompts. Returns how many.
    pub fn plan_reanalysis(&self) -> Result<usize> {
        let batch = self.settings.schedule.reanalyse_batch as usize;
        let outdated = self.store.outdated_nodes(self.prompts.version(), batch)?;
        let run = format!("reanalyse {}", Uuid::new_v4());
        let wishes = wishes(JobKind::Reanalyse, outdated);
        Ok(self.store.enqueue(&wishes, Priority::Later, Some(&run), self.now())?)
    }

    /// Returns what is to be done so that the model has read these units of work with the present prompts; with `again`,
    /// also those that it has read.
    pub fn wishes(&self, filter: &NodeFilter, again: bool) -> Result<Vec<Wish>> {
        let (rows, _) = self.store.nodes(filter, Order::Newest, usize::MAX, 0)?;
        let unread = self.store.unread_nodes(Millis(i64::MIN))?;
        let unread: HashSet<NodeId> = unread.into_iter().map(|(id, _)| id).collect();
        let kind = if again { JobKind::Reanalyse } else { JobKind::Analyse };
        let wanted = rows.into_iter().filter_map(|row| {
            let is_read =
                row.analyzer_version == self.prompts.version() && !unread.contains(&row.id);
            (again || !is_read).then_some(Wish { kind, node: Some(row.id), started: row.started })
        });
        Ok(wanted.collect())
    }

    /// Puts work into the queue that somebody waits for.
    pub fn enqueue(&self, wishes: &[Wish], run: &str) -> Result<usize> {
        Ok(self.store.enqueue(wishes, Priority::User, Some(run), self.now())?)
    }

    /// Returns how much of a run waits for its turn.
    pub fn waiting(&self, run: &str) -> Result<u64> {
        Ok(self.store.queue_counts(Some(run))?.waiting)
    }

    /// Returns whether somebody is at a job of a run.
    pub fn is_running(&self, run: &str) -> Result<bool> {
        Ok(self.store.queue_counts(Some(run))?.running > 0)
    }

    /// Takes what is left of a run out of the queue.
    pub fn drop_run(&self, run: &str) -> Result<()> {
        Ok(self.store.drop_run(run)?)
    }

    /// Reckons what it would take to do all this; `seen` is called after each.
    pub fn outlook(&self, wishes: &[Wish], mut seen: impl FnMut()) -> Result<Outlook> {
        let mut outlook = Outlook::default();
        for wish in wishes {
            let read = wish.node.map(|id| self.read(id)).transpose();
            seen();
            match read {
                Ok(Some(Some((_, transcript)))) => {
                    let more = estimate(&transcript, &self.prompts, self.analysis.limits);
                    let sum = &mut outlook.estimate;
                    outlook.nodes += 1;
                    sum.requests += more.requests;
                    sum.tokens_in += more.tokens_in;
                    sum.tokens_out += more.tokens_out;
                    sum.most_tokens_in += more.most_tokens_in;
                    sum.most_tokens_out += more.most_tokens_out;
                }
                Ok(_) | Err(AppError::Read { .. }) => outlook.unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        let Estimate { tokens_in, tokens_out, .. } = outlook.estimate;
        outlook.dollars = self.price.map(|price| price.of(tokens_in, tokens_out));
        Ok(outlook)
    }

    /// Returns what is left of today.
    pub fn left(&self) -> Result<Left> {
        Ok(self.store.left_of_day(&self.caps())?)
    }

    /// Returns when the next job is due, if there is one.
    pub fn next_due(&self) -> Result<Option<Millis>> {
        Ok(self.store.next_job_due(&KINDS)?)
    }

    /// Returns how things stand.
    pub fn state(&self) -> Result<AnalysisState> {
        let caps = self.caps();
        Ok(AnalysisState {
            by: word(&self.analyzer()),
            prompts: self.prompts.version().to_owned(),
            queue: self.store.queue_counts(None)?,
            today: self.store.own_use(caps.since)?,
            left: self.store.left_of_day(&caps)?,
        })
    }

    /// Takes the next job, of one run or of any, and does it.
    pub fn work(&mut self, run: Option<&str>, watch: &Watch<'_>) -> Result<Worked> {
        self.reap(None)?;
        let lease = Uuid::new_v4().to_string();
        let now = self.now();
        let until = after(now, LEASE);
        let job = self.store.lease_job(&KINDS, run, &self.owner, &lease, now, until)?;
        let Some(job) = job else { return Ok(Worked::Nothing) };
        let worked = self.perform(&job, watch);
        if let Err(error) = &worked {
            // Something of ours is broken, not the model: the job is not lost for that.
            let due = after(self.now(), LEASE);
            let undone =
                Undone::Again { due, trouble: "store".to_owned(), error: error.to_string() };
            self.store.return_job(&job.lease, &undone)?;
        }
        worked
    }

    /// Takes back the leases of those who have gone, and counts what they may have taken. `gone` are owners that are known
    /// to be gone, by the beginning of their names.
    pub fn reap(&mut self, gone: Option<&str>) -> Result<()> {
        let now = self.now();
        for lost in self.store.reap_leases(now, gone)? {
            if lost.tokens == 0 {
                continue;
            }
            let spend = ModelSpend {
                lease: lost.lease,
                purpose: lost.purpose,
                node: lost.node,
                run: None,
                analyzer: self.analyzer(),
                model: None,
                requests: 0,
                tokens_in: lost.tokens,
                tokens_out: 0,
                dollars: lost.dollars,
                outcome: SpendOutcome::Lost,
            };
            let _lock = self.lock()?;
            self.store.act(now, Action::Spend(spend))?;
        }
        Ok(())
    }

    fn perform(&mut self, job: &Job, watch: &Watch<'_>) -> Result<Worked> {
        let Some(id) = job.node else {
            self.finish(job)?;
            return Ok(Worked::Skipped { node: None });
        };
        let Some(current) = self.store.node(NodeRef { id, version: None })? else {
            self.finish(job)?;
            return Ok(Worked::Skipped { node: Some(id) });
        };
        if self.has_unknown_version(&current)? {
            self.finish(job)?;
            return Ok(Worked::Skipped { node: Some(id) });
        }
        let (built_in, transcript) = match self.read(id) {
            Ok(Some(read)) => read,
            Ok(None) => {
                self.finish(job)?;
                return Ok(Worked::Skipped { node: Some(id) });
            }
            Err(AppError::Read { path, source }) => {
                let error = format!("could not read {}: {source}", path.display());
                let undone =
                    Undone::Dead { trouble: "unreadable".to_owned(), error: error.clone() };
                self.store.return_job(&job.lease, &undone)?;
                return Ok(Worked::Failed {
                    node: id,
                    error,
                    again: None,
                    spent: Spent::default(),
                });
            }
            Err(error) => return Err(error),
        };
        let is_read = current.analyzer().is_model()
            && current.metadata.analyzer_version == self.prompts.version()
            && current.source.segment == built_in.source.segment;
        if job.kind == JobKind::Analyse && is_read {
            self.finish(job)?;
            return Ok(Worked::Skipped { node: Some(id) });
        }
        let mut allowance = match self.reserve(job, &transcript)? {
            Ok(allowance) => allowance,
            Err(over) => return Ok(over),
        };
        let mut log = log::AnalysisLog::new(&self.folder, id, &job.lease, &(self.clock)());
        let analysed = self.ask(job, &transcript, &mut allowance, &mut log, watch);
        let spent = allowance.spent().clone();
        let log = log.write();
        match analysed {
            Ok(analysed) => {
                let mut draft = analysed.into_draft(built_in, self.analyzer(), self.now());
                draft.daemon_meta.analysis_log = log;
                self.done(job, &current, draft, spent)
            }
            Err(error) => self.failed(job, id, &error, spent),
        }
    }

    /// Reads a unit of work: what the rules make of it, and what a model gets to read.
    fn read(&self, id: NodeId) -> Result<Option<(Node, Transcript)>> {
        let Some(root) = self.store.family_of(id)? else { return Ok(None) };
        let families = self.store.families();
        let state = self.store.family(&families, root)?;
        let with = Circumstances {
            store: &self.store,
            rules: self.settings.rules,
            now: self.now(),
            filling: None,
        };
        let mut transcript = Transcript::new();
        let node =
            reread(&state, &with, id, &mut |id, entry, raw| transcript.hear(id, entry, raw))?;
        Ok(node.map(|node| (node, transcript)))
    }

    /// Sets aside what a job may take, or puts the job off.
    fn reserve(
        &self,
        job: &Job,
        transcript: &Transcript,
    ) -> Result<std::result::Result<Allowance, Worked>> {
        let Estimate { most_tokens_in, most_tokens_out, .. } =
            estimate(transcript, &self.prompts, self.analysis.limits);
        let (allowance, tokens, dollars) = self.allowance(most_tokens_in, most_tokens_out);
        let put_off = |due: Millis, reason: &str| {
            let undone = Undone::Postponed { due, reason: reason.to_owned() };
            self.store.return_job(&job.lease, &undone)
        };
        match self.store.reserve(job, tokens, dollars, self.caps())? {
            Reserved::Yes => Ok(Ok(allowance)),
            Reserved::OverDay(left) => {
                let until = self.tomorrow();
                put_off(until, "nothing more may be taken today")?;
                Ok(Err(Worked::OverDay { left, until }))
            }
            Reserved::OverRun(left) => {
                put_off(self.tomorrow(), "nothing more may be taken by this run")?;
                Ok(Err(Worked::OverRun { left }))
            }
        }
    }

    /// Allows what is estimated at most, and more; returns how much that is in tokens and dollars.
    fn allowance(&self, most_in: u64, most_out: u64) -> (Allowance, u64, Option<f64>) {
        // Words of other languages have more tokens than the estimate says.
        let [tokens_in, tokens_out] = [most_in, most_out].map(|most| most / 2 * 3);
        let tokens = tokens_in + tokens_out;
        let allowance = Allowance::tokens(tokens);
        match self.price {
            None => (allowance, tokens, None),
            Some(price) => {
                let dollars = price.of(tokens_in, tokens_out);
                (allowance.and_dollars(dollars, price), tokens, Some(dollars))
            }
        }
    }

    /// Asks the model, and keeps the lease meanwhile.
    fn ask(
        &mut self,
        job: &Job,
        transcript: &Transcript,
        allowance: &mut Allowance,
        log: &mut log::AnalysisLog,
        watch: &Watch<'_>,
    ) -> std::result::Result<Analysed, AgentError> {
        let Self { store, prompts, model, analysis, clock, .. } = self;
        let (store, clock) = (&*store, *clock);
        let (done, is_done) = sync_channel::<()>(0);
        thread::scope(|scope| {
            let lease = &*job.lease;
            scope.spawn(move || {
                while is_done.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
                    // A lease that runs out all the same is noticed at the end.
                    let _ = store.renew_lease(lease, after(millis(&clock()), LEASE));
                }
            });
            let mut model = Recorded { model: &mut **model, log };
            let analysed =
                analyse(transcript, &mut model, prompts, analysis.limits, allowance, watch);
            drop(done);
            analysed
        })
    }

    fn done(&mut self, job: &Job, current: &Node, draft: Node, spent: Spent) -> Result<Worked> {
        let has_grown = current.source.segment != draft.source.segment;
        let trigger = if has_grown && current.analyzer().is_model() {
            VersionTrigger::SegmentExtended
        } else {
            VersionTrigger::PromptUpdate
        };
        let _lock = self.lock()?;
        // Somebody may have corrected it meanwhile.
        let current = self.store.node(NodeRef { id: current.id, version: None })?;
        let Some(current) = current else {
            self.journal(job, &spent, SpendOutcome::Done)?;
            self.store.finish_job(&job.lease, None)?;
            return Ok(Worked::Skipped { node: job.node });
        };
        let version = next_version(Some(&current), draft, trigger);
        let number = version.as_ref().map_or(current.version, |version| version.version);
        let node = NodeRef { id: current.id, version: Some(number) };
        let kept = match version {
            Some(version) if self.store.keep_version(&job.lease, &version)? => Some(version),
            _ => None,
        };
        self.journal(job, &spent, SpendOutcome::Done)?;
        self.store.finish_job(&job.lease, kept.as_ref())?;
        Ok(Worked::Done { node, is_new: kept.is_some(), spent })
    }

    fn failed(
        &mut self,
        job: &Job,
        node: NodeId,
        error: &AgentError,
        spent: Spent,
    ) -> Result<Worked> {
        if spent.requests > 0 || spent.tokens() > 0 {
            let _lock = self.lock()?;
            self.journal(job, &spent, SpendOutcome::Failed)?;
        }
        let undone = retry::undone(error, job.attempts, self.now());
        self.store.return_job(&job.lease, &undone)?;
        Ok(match undone {
            Undone::Postponed { .. } if matches!(error, AgentError::Aborted) => Worked::Stopped,
            Undone::Again { due, error, .. } | Undone::Postponed { due, reason: error } => {
                Worked::Failed { node, error, again: Some(due), spent }
            }
            Undone::Dead { error, .. } => Worked::Failed { node, error, again: None, spent },
        })
    }

    fn journal(&mut self, job: &Job, spent: &Spent, outcome: SpendOutcome) -> Result<()> {
        let taken = self.spend(&job.lease, Purpose::Analysis, spent, outcome);
        let taken = ModelSpend { node: job.node, run: job.run.clone(), ..taken };
        Ok(self.store.act(self.now(), Action::Spend(taken))?)
    }

    /// Makes of what was spent what the journal tells of it.
    fn spend(
        &self,
        lease: &str,
        purpose: Purpose,
        spent: &Spent,
        outcome: SpendOutcome,
    ) -> ModelSpend {
        ModelSpend {
            lease: lease.to_owned(),
            purpose,
            node: None,
            run: None,
            analyzer: self.analyzer(),
            model: spent.model.clone(),
            requests: spent.requests,
            tokens_in: spent.tokens_in,
            tokens_out: spent.tokens_out,
            dollars: spent.dollars,
            outcome,
        }
    }

    /// Returns whether there is a version that the database did not know, and makes it known.
    fn has_unknown_version(&mut self, current: &Node) -> Result<bool> {
        let written = self.store.written_versions(current.metadata.timestamp, current.id)?;
        if written.iter().all(|version| version.version <= current.version) {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let current = self.store.node(NodeRef { id: current.id, version: None })?;
        Ok(current.map(|current| self.store.adopt_versions(&current)).transpose()? == Some(true))
    }

    fn finish(&mut self, job: &Job) -> Result<()> {
        Ok(self.store.finish_job(&job.lease, None)?)
    }

    /// Waits for the right to write: what a model said is paid for.
    fn lock(&self) -> Result<WriterLock> {
        loop {
            match self.folder.lock("analyze") {
                Err(StoreError::Locked { .. }) => thread::sleep(Duration::from_millis(20)),
                lock => return Ok(lock?),
            }
        }
    }

    fn caps(&self) -> Caps {
        let budget = self.settings.budget;
        let now = (self.clock)();
        let since = now.start_of_day().unwrap_or(now);
        Caps {
            since: millis(&since),
            tokens: budget.tokens_per_day,
            dollars: budget.dollars_per_day,
            run_tokens: budget.tokens_per_run,
            run_dollars: budget.dollars_per_run,
        }
    }

    fn tomorrow(&self) -> Millis {
        let now = (self.clock)();
        let tomorrow = now.tomorrow().and_then(|tomorrow| tomorrow.start_of_day());
        tomorrow.map_or_else(|_| after(millis(&now), LEASE), |tomorrow| millis(&tomorrow))
    }

    fn analyzer(&self) -> Analyzer {
        match self.analysis.by {
            AnalysisBy::Pi { .. } => Analyzer::Pi,
            AnalysisBy::OpenAi(_) => Analyzer::OpenAi,
        }
    }

    fn now(&self) -> Millis {
        millis(&(self.clock)())
    }
}

fn wishes(kind: JobKind, nodes: Vec<(NodeId, Millis)>) -> Vec<Wish> {
    let wish = |(node, started)| Wish { kind, node: Some(node), started };
    nodes.into_iter().map(wish).collect()
}

fn millis(time: &Zoned) -> Millis {
    time.timestamp().into()
}

fn after(time: Millis, wait: Duration) -> Millis {
    Millis(time.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
}
