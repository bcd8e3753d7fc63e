//! `pi-brain daemon …`: starts, stops and asks the process that takes sessions in as they are written.

mod logs;
mod queue;
mod service;

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use pi_brain_daemon::{Activity, AnalysisStatus, Announcement, Client, Status, log_file, running};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{print_json, say};
use crate::args::{DaemonCommand, DaemonStatusOptions};
use crate::describe::{BOLD, DIM, FAILURE, one_line};
use crate::failure::Failure;
use crate::locate::{Locations, absolute_variables};
use crate::mint::now;
use crate::table::{bytes, count, dollars, how_many};
use crate::when;

/// How long a daemon may take to answer for the first time.
const START: Duration = Duration::from_secs(20);

/// How long a daemon may take to finish what it is at, before it is told by a signal as well, and then once more.
const STOP: Duration = Duration::from_secs(60);

/// How often to look.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn run(locations: &Locations, command: DaemonCommand) -> anyhow::Result<()> {
    let folder = std::path::absolute(locations.brain_folder()?)?;
    match command {
        DaemonCommand::Start(options) => start(locations, &folder, options.port),
        DaemonCommand::Stop => stop(&folder),
        DaemonCommand::Status(options) => status(locations, &folder, &options),
        DaemonCommand::Restart(options) => {
            let before = Announcement::read(&folder).map(|before| before.address.port());
            stop(&folder)?;
            start(locations, &folder, options.port.or(before))
        }
        DaemonCommand::Logs(options) => logs::run(&log_file(&folder), &options),
        DaemonCommand::Queue(options) => queue::list(locations, &options),
        DaemonCommand::Retry(options) => queue::retry(locations, &folder, &options),
        DaemonCommand::Install(options) => service::run(locations, &options),
    }
}

fn start(locations: &Locations, folder: &Path, port: Option<u16>) -> anyhow::Result<()> {
    if let Some(client) = Client::find(folder) {
        return say!("running already: process {}, http://{}", client.pid(), client.address());
    }
    if let Some(pid) = running(folder) {
        bail!("process {pid} is the daemon, and does not answer. `pi-brain daemon stop` ends it");
    }
    let log = log_file(folder);
    let before = fs::metadata(&log).map_or(0, |log| log.len());
    let mut child = spawn(locations, &log, port)?;
    let began = Instant::now();
    while began.elapsed() < START {
        if let Some(client) = Client::find(folder).filter(|client| client.pid() == child.id()) {
            let (pid, address) = (client.pid(), client.address());
            return say!("started: process {pid}, {BOLD}http://{address}{BOLD:#}");
        }
        if child.try_wait()?.is_some() {
            let said = logs::since(&log, before);
            let said = said.trim().lines().last().map(|line| line.trim_start_matches("error: "));
            let nothing = "it could not even say why; is the disk full?";
            bail!("the daemon did not start: {}", said.unwrap_or(nothing));
        }
        thread::sleep(PAUSE);
    }
    bail!("the daemon does not answer; `pi-brain daemon logs` may say why")
}

/// Starts this very program as a daemon of its own, which outlives us.
fn spawn(locations: &Locations, log: &Path, port: Option<u16>) -> anyhow::Result<Child> {
    if let Some(folder) = log.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let open = || OpenOptions::new().mode(0o600).append(true).create(true).open(log);
    let failed = || format!("could not write {}", log.display());
    let program = std::env::current_exe().context("this program cannot be found again")?;
    let mut command = Command::new(program);
    command.args(locations.arguments()?).args(["up", "--detached"]);
    if let Some(port) = port {
        command.args(["--port", &port.to_string()]);
    }
    for (name, value) in absolute_variables()? {
        command.env(name, value);
    }
    // No folder is kept in use, and what the daemon watches does not depend on where it was started.
    command.current_dir("/").stdin(Stdio::null());
    command.stdout(open().with_context(failed)?).stderr(open().with_context(failed)?);
    command.spawn().context("the daemon could not be started")
}

fn stop(folder: &Path) -> anyhow::Result<()> {
    let Some(pid) = running(folder) else { return say!("no daemon is running") };
    let is_asked = Client::find(folder).is_some_and(|client| client.stop().is_ok());
    if is_asked && has_ended(folder, pid, STOP) {
        return say!("stopped");
    }
    // It may have ended meanwhile, and its number may be another's.
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(process) = process.filter(|_| running(folder) == Some(pid)) {
        kill_process(process, Signal::TERM)
            .with_context(|| format!("process {pid} cannot be ended"))?;
    }
    if has_ended(folder, pid, STOP) {
        return say!("stopped");
    }
    bail!("process {pid} is still finishing what it is at; `pi-brain daemon status` shows what")
}

fn has_ended(folder: &Path, pid: u32, patience: Duration) -> bool {
    let began = Instant::now();
    while running(folder) == Some(pid) {
        if began.elapsed() > patience {
            return false;
        }
        thread::sleep(PAUSE);
    }
    true
}

fn status(
    locations: &Locations,
    folder: &Path,
    options: &DaemonStatusOptions,
) -> anyhow::Result<()> {
    let Some(client) = Client::find(folder) else {
        let pid = running(folder);
        if options.json {
            print_json(&json!({ "running": pid.is_some(), "answers": false, "pid": pid }))?;
        }
        if let Some(pid) = pid {
            bail!("process {pid} is the daemon, and does not answer");
        }
        let text = "no daemon is running. `pi-brain daemon start` starts one; nothing needs it";
        return Err(Failure::NotFound(text.to_owned()).into());
    };
    let status = client.status()?;
    if options.json {
        let mut value = serde_json::to_value(&status)?;
        value["running"] = true.into();
        value["answers"] = true.into();
        return print_json(&value);
    }
    write_status(locations, &status)
}

fn write_status(locations: &Locations, status: &Status) -> anyhow::Result<()> {
    let (now, label) = (now(), DIM);
    let Status { pid, version, address, .. } = status;
    say!("{BOLD}{}{BOLD:#}", activity(status.activity))?;
    say!(
        "  {label}process{label:#}   {pid}, version {version}, since {}",
        when::date_and_time(status.since)
    )?;
    say!("  {label}address{label:#}   http://{address}")?;
    say!("  {label}data{label:#}      {}", locations.display(&status.data_folder))?;
    say!(
        "  {label}watches{label:#}   {} in {}",
        how_many(status.files, "session file", "session files"),
        how_many(status.folders, "folder", "folders")
    )?;
    match &status.last_refresh {
        None => say!("  {label}last{label:#}      nothing taken in yet")?,
        Some(last) => say!(
            "  {label}last{label:#}      {}, {} ms: {}, {}, {}",
            when::ago(last.at, now),
            last.milliseconds,
            how_many(last.files, "file", "files"),
            how_many(last.entries, "new entry", "new entries"),
            how_many(last.nodes, "unit of work", "units of work")
        )?,
    }
    if let Some(close) = status.next_close {
        say!(
            "  {label}next{label:#}      a unit of work is over at {}",
            when::date_and_time(close)
        )?;
    }
    if let Some(analysis) = &status.analysis {
        let AnalysisStatus { by, queue, today, left, .. } = analysis;
        let limit = left.dollars.map(|left| format!(", {} left", dollars(left)));
        say!(
            "  {label}model{label:#}     {by}: {} to read, {} being read, {} given up",
            queue.waiting,
            queue.running,
            queue.dead
        )?;
        say!(
            "  {label}today{label:#}     {}, {} tokens{}{}",
            how_many(usize::try_from(today.runs).unwrap_or(usize::MAX), "run", "runs"),
            count(today.tokens_in + today.tokens_out),
            if today.dollars > 0.0 {
                format!(", {}", dollars(today.dollars))
            } else {
                String::new()
            },
            limit.unwrap_or_else(|| format!(", {} tokens left", count(left.tokens)))
        )?;
    }
    for trouble in &status.errors {
        let times =
            if trouble.times > 1 { format!(", {} times", trouble.times) } else { String::new() };
        say!(
            "  {FAILURE}error{FAILURE:#}     {} {DIM}({}{times}){DIM:#}",
            one_line(&trouble.message),
            when::ago(trouble.at, now)
        )?;
    }
    Ok(())
}

fn activity(activity: Activity) -> String {
    match activity {
        Activity::Idle => "running, nothing to do".to_owned(),
        Activity::Looking => "looking for what is new".to_owned(),
        Activity::Reading { done, total } => {
            format!("reading sessions, {} of {}", bytes(done), bytes(total))
        }
        Activity::Deriving { done, total } => {
            format!("finding units of work, {} of {} families", count(done), count(total))
        }
        Activity::Indexing { done, total } => {
            format!("making them searchable, {} of {}", count(done), count(total))
        }
        Activity::Stopping => "finishing what it is at, and ending".to_owned(),
    }
}
