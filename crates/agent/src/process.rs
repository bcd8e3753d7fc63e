//! A program that runs beside this one, and that never outlives the wish for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::error::{AgentError, Result};
use crate::model::Watch;

/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(25);
/// How long a program may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// A longer line is none that we could use.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// So much is kept of what a program complains about.
const COMPLAINT: usize = 4 * 1024;

/// A running program, in a process group of its own. Dropping it ends the group and waits for that.
pub(crate) struct Running {
    child: Child,
    program: PathBuf,
    lines: Receiver<String>,
    /// To the thread that writes; without it, the program gets no input.
    input: Option<Sender<String>>,
    complaint: Arc<Mutex<String>>,
    complaining: thread::JoinHandle<()>,
}

/// When to give up.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    after: Duration,
}

impl Deadline {
    pub(crate) fn after(after: Duration) -> Self {
        // Who has all the time in the world waits for a year.
        const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        Self { at: Instant::now() + after.min(YEAR), after }
    }

    /// Returns how long there is left, or that there is nothing left.
    pub(crate) fn left(&self) -> Result<Duration> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(AgentError::TimedOut { after: self.after }) } else { Ok(left) }
    }
}

impl Running {
    /// Starts a program without input.
    pub(crate) fn start(command: Command) -> Result<Self> {
        Self::spawn(command, Stdio::null())
    }

    /// Starts a program that is written to.
    pub(crate) fn start_with_input(command: Command) -> Result<Self> {
        Self::spawn(command, Stdio::piped())
    }

    fn spawn(mut command: Command, input: Stdio) -> Result<Self> {
        let program = PathBuf::from(command.get_program());
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => AgentError::ProgramMissing { program: program.clone() },
            _ => AgentError::Run { program: program.clone(), source },
        })?;
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let stderr = child.stderr.take().expect("standard error is a pipe");
        let (line_sender, lines) = mpsc::channel();
        thread::spawn(move || read_lines(stdout, &line_sender));
        let complaint = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&complaint);
        let complaining = thread::spawn(move || hear_complaints(stderr, &heard));
        let input = child.stdin.take().map(|stdin| {
            let (sender, texts) = mpsc::channel();
            // A program that does not read must not make us wait without end.
            thread::spawn(move || write_all(stdin, &texts));
            sender
        });
        Ok(Self { child, program, lines, input, complaint, complaining })
    }

    /// Sends a line; what becomes of it shows in what comes back.
    pub(crate) fn send(&self, line: String) {
        if let Some(input) = &self.input {
            let _ = input.send(line + "\n");
        }
    }

    /// Waits for the next line of output; `None` at its end.
    pub(crate) fn next_line(
        &self,
        deadline: Deadline,
        watch: &Watch<'_>,
    ) -> Result<Option<String>> {
        loop {
            watch.check()?;
            match self.lines.recv_timeout(deadline.left()?.min(TICK)) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends the program and returns what it complained about.
    pub(crate) fn into_complaint(mut self) -> String {
        self.end();
        // What it wrote last may not have been read yet. With the group gone, the pipe has an end.
        let give_up = Instant::now() + GRACE;
        while !self.complaining.is_finished() && Instant::now() < give_up {
            thread::sleep(TICK / 5);
        }
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the end of a program whose output has ended, and returns whether it was content.
    pub(crate) fn wait(&mut self, deadline: Deadline, watch: &Watch<'_>) -> Result<bool> {
        loop {
            watch.check()?;
            let status = self.child.try_wait().map_err(|source| self.failed(source))?;
            match status {
                Some(status) => return Ok(status.success()),
                None => thread::sleep(deadline.left()?.min(TICK)),
            }
        }
    }

    fn failed(&self, source: std::io::Error) -> AgentError {
        AgentError::Run { program: self.program.clone(), source }
    }

    fn end(&mut self) {
        self.input = None;
        self.signal(Signal::TERM);
        let give_up = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < give_up {
            thread::sleep(TICK / 5);
        }
        // Also when the program itself is gone: its own children may have stayed.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // It fails where nobody is left, which is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn read_lines(stdout: ChildStdout, lines: &Sender<String>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
        if lines.send(text).is_err() {
            return;
        }
    }
}

fn hear_complaints(mut stderr: ChildStderr, complaint: &Mutex<String>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer) {
        let mut text = complaint.lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() < COMPLAINT {
            *text += &String::from_utf8_lossy(&buffer[..length]);
        }
    }
}

fn write_all(mut stdin: ChildStdin, texts: &Receiver<String>) {
    while let Ok(text) = texts.recv() {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}
