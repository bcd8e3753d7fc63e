//! What a daemon takes that has nothing to do, and how soon others find what is written beside it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use pi_brain_daemon::Client;
use rustix::param::clock_ticks_per_second;

use crate::ingest::Typist;
use crate::memory::memory_of;
use crate::race::Outcome;
use crate::sessions::size;

/// How long a daemon may take to take everything in.
const PATIENCE: Duration = Duration::from_secs(600);

/// What to measure on.
#[derive(Clone, Copy, Debug)]
pub struct DaemonPlan<'a> {
    /// The real `pi-brain`.
    pub program: &'a Path,
    /// The agent folder of many small sessions.
    pub agent: &'a Path,
    /// A large session file; a copy of it is appended to.
    pub large: &'a Path,
    /// A folder for what is derived. It is emptied first.
    pub work: &'a Path,
    /// How long an idle daemon is watched.
    pub watch: Duration,
    /// How many lines are appended, one after the other.
    pub appends: usize,
}

/// What was measured.
#[derive(Debug)]
pub struct DaemonFigures {
    /// How many session files there were.
    pub files: usize,
    /// From the start of the first daemon until it had taken them in.
    pub start: Duration,
    /// The daemon that has taken them in, then idle.
    pub first: Idle,
    /// The next one, which had nothing to take in.
    pub next: Idle,
    /// How large the file was that lines were appended to.
    pub large: u64,
    /// From a line appended to the end of a `pi-brain search` that has found it.
    pub appends: Outcome,
}

/// A daemon that has nothing to do.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// How long it was watched.
    pub watched: Duration,
    /// For how much of that it had a core.
    pub busy: Duration,
    /// Anonymous memory, in bytes.
    pub memory: u64,
    /// How many files and sockets it has open.
    pub open_files: usize,
    /// How many threads it has.
    pub threads: usize,
}

/// Measures everything.
pub fn measure_daemon(plan: &DaemonPlan<'_>) -> anyhow::Result<DaemonFigures> {
    if plan.work.exists() {
        fs::remove_dir_all(plan.work)?;
    }
    fs::create_dir_all(plan.work)?;
    let start = Instant::now();
    let daemon = Daemon::start(&plan.place())?;
    let start = start.elapsed();
    let files = daemon.client.status()?.files;
    let first = daemon.watch(plan.watch)?;
    daemon.stop()?;
    let daemon = Daemon::start(&plan.place())?;
    let next = daemon.watch(plan.watch)?;
    daemon.stop()?;
    let (large, appends) = append(plan)?;
    Ok(DaemonFigures { files, start, first, next, large, appends })
}

/// Appends lines to a large session beside the others, and has the program look for each.
fn append(plan: &DaemonPlan<'_>) -> anyhow::Result<(u64, Outcome)> {
    let folder = std::path::absolute(plan.work.join("appended"))?;
    fs::create_dir_all(&folder)?;
    let file = folder.join("large.jsonl");
    fs::copy(plan.large, &file).with_context(|| format!("copying {}", plan.large.display()))?;
    let config = format!("[[sources]]\npath = {:?}\n", folder.to_string_lossy());
    fs::write(plan.place().data().join("config.toml"), config)?;
    let daemon = Daemon::start(&plan.place())?;
    let mut typist = Typist::at_the_end_of(&file)?;
    let mut times = Vec::with_capacity(plan.appends);
    for _ in 0..plan.appends {
        let (id, word) = typist.append(&file)?;
        let start = Instant::now();
        let output = plan.place().command().args(["search", "--json", &word]).output()?;
        times.push(start.elapsed());
        let found = String::from_utf8_lossy(&output.stdout);
        ensure!(found.contains(&id), "the line with {word} was not found");
    }
    daemon.stop()?;
    Ok((size(&file)?, Outcome::new("a line appended", times)?))
}

impl<'a> DaemonPlan<'a> {
    fn place(&self) -> Place<'a> {
        Place { program: self.program, agent: self.agent, work: self.work }
    }
}

/// A program, with what it reads and where it keeps what it makes of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) program: &'a Path,
    pub(crate) agent: &'a Path,
    pub(crate) work: &'a Path,
}

impl Place<'_> {
    fn data(&self) -> PathBuf {
        self.work.join("data")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.env_clear().env("HOME", self.work).env("PI_BRAIN_HOME", self.data());
        command.env("PI_CODING_AGENT_DIR", self.agent);
        command
    }
}

/// A daemon that has taken everything in.
pub(crate) struct Daemon {
    process: Child,
    client: Client,
}

impl Daemon {
    pub(crate) fn address(&self) -> SocketAddr {
        self.client.address()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn start(plan: &Place<'_>) -> anyhow::Result<Self> {
        let mut command = plan.command();
        command.args(["up", "--port", "0"]).stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = command.spawn().with_context(|| {
            format!("could not run {}; build pi-brain first", plan.program.display())
        })?;
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
            let client = Client::find(&plan.data()).filter(|client| client.pid() == process.id());
            if let Some(client) = client
                && client.status()?.last_refresh.is_some()
            {
                return Ok(Self { process, client });
            }
            let ended = process.try_wait()?;
            ensure!(ended.is_none(), "the daemon ended before it had taken everything in");
        }
        process.kill()?;
        anyhow::bail!("the daemon did not take everything in within {PATIENCE:?}")
    }

    /// Looks how much a daemon does when there is nothing to do.
    fn watch(&self, time: Duration) -> anyhow::Result<Idle> {
        let (pid, start) = (self.process.id(), Instant::now());
        let before = processor_time(pid)?;
        thread::sleep(time);
        let count = |folder: &str| {
            let folder = format!("/proc/{pid}/{folder}");
            let list = fs::read_dir(&folder).with_context(|| format!("reading {folder}"))?;
            anyhow::Ok(list.count())
        };
        Ok(Idle {
            watched: start.elapsed(),
            busy: processor_time(pid)?.saturating_sub(before),
            memory: memory_of(&pid.to_string())?,
            open_files: count("fd")?,
            threads: count("task")?,
        })
    }

    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.client.stop()?;
        let status = self.process.wait()?;
        ensure!(status.success(), "the daemon ended badly: {status}");
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Only one that was not stopped, because something else went wrong, is still there.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns for how long a process has had a core so far.
fn processor_time(pid: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    // The name of the program, in brackets, may hold spaces; user and system time are fields 14 and 15.
    let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' '));
    let ticks = fields.and_then(|fields| {
        let times = fields.skip(11).take(2).map(str::parse::<u64>);
        times.sum::<Result<u64, _>>().ok()
    });
    let ticks = ticks.with_context(|| format!("{path} has no times"))?;
    Ok(Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
}
