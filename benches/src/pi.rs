//! Real pi, kept running in Node, so that neither its start nor a cold compiler counts.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;

use crate::race::{Lap, Seen};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pi-read.mjs");

/// A process of real pi that reads a corpus when told to.
pub(crate) struct Pi {
    process: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

#[derive(Deserialize)]
struct Answer {
    milliseconds: f64,
    sessions: usize,
    messages: usize,
}

impl Pi {
    /// Starts the pi that `tests/pi/install.sh` put into `folder`.
    pub(crate) fn start(folder: &Path, agent: &Path) -> anyhow::Result<Self> {
        let node = folder.join("node");
        let mut process = Command::new(&node)
            .arg(SCRIPT)
            .args(["--pi".as_ref(), folder, "--agent".as_ref(), agent])
            .env_clear()
            .env("HOME", agent)
            .env("PI_OFFLINE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!("could not start {}; run tests/pi/install.sh first", node.display())
            })?;
        let orders = process.stdin.take().context("pi has no standard input")?;
        let answers = process.stdout.take().context("pi has no standard output")?;
        Ok(Self { process, orders, answers: BufReader::new(answers).lines() })
    }

    /// Lets pi open every session and build its tree and its context.
    pub(crate) fn read(&mut self) -> anyhow::Result<Lap> {
        self.order("read")
    }

    /// Lets pi list all sessions.
    pub(crate) fn list(&mut self) -> anyhow::Result<Lap> {
        self.order("list")
    }

    fn order(&mut self, word: &str) -> anyhow::Result<Lap> {
        writeln!(self.orders, "{word}")?;
        let line = self.answers.next().context("pi ended before it answered")??;
        let Answer { milliseconds, sessions, messages } =
            serde_json::from_str(&line).with_context(|| format!("pi said {line}"))?;
        let time = Duration::from_secs_f64(milliseconds / 1000.0);
        Ok(Lap { time, seen: Some(Seen { sessions, messages }) })
    }
}

impl Drop for Pi {
    fn drop(&mut self) {
        // A process that is gone already cannot be ended; either way it is waited for.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
