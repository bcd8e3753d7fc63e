//! How fast sessions are read and listed, beside real pi and beside tools that only look at bytes.

use std::cell::RefCell;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use pi_brain_session::{Block, Raw, Session, SessionFolder, View, blocks, list_sessions};
use rayon::prelude::*;

use crate::pi::Pi;
use crate::race::{Contestant, Outcome, Seen, race};

/// Real pi, the contestant that matters most.
pub(crate) const PI: &str = "pi";
/// Ripgrep, which reads every byte but understands none.
pub(crate) const RIPGREP: &str = "rg -c needle";
/// The least that anybody can do with bytes.
pub(crate) const CAT: &str = "cat";

/// What was measured over one corpus.
#[derive(Debug)]
pub struct SessionFigures {
    /// How many files.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
    /// Parsing, tree and context of every file.
    pub reading: Vec<Outcome>,
    /// A list of all sessions.
    pub listing: Vec<Outcome>,
}

/// Measures reading and listing over `agent/sessions`; real pi takes part if its folder is given.
pub fn measure_sessions(
    agent: &Path,
    pi: Option<&Path>,
    runs: usize,
) -> anyhow::Result<SessionFigures> {
    let sessions = agent.join("sessions");
    let files = SessionFolder::ByProject(sessions.clone()).files();
    let sizes: Vec<u64> = files.iter().map(|path| size(path)).collect::<anyhow::Result<_>>()?;
    let pi = pi.map(|folder| Pi::start(folder, agent)).transpose()?.map(RefCell::new);
    Ok(SessionFigures {
        files: files.len(),
        bytes: sizes.iter().sum(),
        reading: race(readers(&sessions, &files, pi.as_ref()), runs)?,
        listing: race(listers(&files, pi.as_ref()), runs)?,
    })
}

pub(crate) fn size(path: &Path) -> anyhow::Result<u64> {
    let metadata = fs::metadata(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(metadata.len())
}

fn readers<'a>(
    sessions: &'a Path,
    files: &'a [PathBuf],
    pi: Option<&'a RefCell<Pi>>,
) -> Vec<Contestant<'a>> {
    let mut contestants = vec![
        Contestant::timed("pi-brain, one thread", || {
            files.iter().map(|path| read(path)).sum::<anyhow::Result<Seen>>().map(Some)
        }),
        Contestant::timed("pi-brain, one thread, text decoded", || {
            files.iter().map(|path| read_and_decode(path)).sum::<anyhow::Result<Seen>>().map(Some)
        }),
        Contestant::timed("pi-brain, all cores", || {
            files.par_iter().map(|path| read(path)).sum::<anyhow::Result<Seen>>().map(Some)
        }),
        Contestant::timed(RIPGREP, || search(sessions, files.len()).map(|()| None)),
        Contestant::timed(CAT, || run_cat(files).map(|()| None)),
    ];
    contestants.extend(pi.map(|pi| Contestant::timing_itself(PI, || pi.borrow_mut().read())));
    contestants
}

fn listers<'a>(files: &'a [PathBuf], pi: Option<&'a RefCell<Pi>>) -> Vec<Contestant<'a>> {
    let mut contestants = vec![Contestant::timed("pi-brain, all cores", || {
        let (infos, unreadable) = list_sessions(files, || {});
        ensure!(unreadable.is_empty(), "could not read {unreadable:?}");
        let messages = infos.iter().map(|info| info.message_count).sum();
        Ok(Some(Seen { sessions: infos.len(), messages }))
    })];
    contestants.extend(pi.map(|pi| Contestant::timing_itself(PI, || pi.borrow_mut().list())));
    contestants
}

fn read(path: &Path) -> anyhow::Result<Seen> {
    let context = build_context(path)?;
    Ok(Seen { sessions: 1, messages: context.messages.len() })
}

/// Reads a session and decodes the text of its context as well. pi cannot do without; pi-brain leaves
/// text as it stands in the file until somebody wants to see it.
fn read_and_decode(path: &Path) -> anyhow::Result<Seen> {
    let context = build_context(path)?;
    for message in &context.messages {
        decode(message.raw()?);
    }
    Ok(Seen { sessions: 1, messages: context.messages.len() })
}

/// Does what pi does when it opens a session: parse, tree, and the messages for the model.
fn build_context(path: &Path) -> anyhow::Result<pi_brain_session::Context> {
    let session = Session::open(path)?;
    let tree = session.tree(View::AsPi);
    Ok(session.context(&tree, tree.leaf())?)
}

fn decode(message: Raw<'_>) {
    black_box(message.get_str("summary"));
    for block in message.get("content").into_iter().flat_map(blocks) {
        if let Block::ToolCall { arguments: Some(arguments), .. } = black_box(block) {
            arguments.members().for_each(|member| drop(black_box(member.value.as_str())));
        }
    }
}

/// Every session holds a needle, so a search that left a file out would show.
pub(crate) fn search(sessions: &Path, files: usize) -> anyhow::Result<()> {
    let output = Command::new("rg")
        .args(["--no-ignore", "--no-config", "-c", "needle"])
        .arg(sessions)
        .output()
        .context("could not run rg, which is measured too; install ripgrep")?;
    let found = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    ensure!(output.status.success() && found == files, "rg found {found} of {files} sessions");
    Ok(())
}

fn run_cat(files: &[PathBuf]) -> anyhow::Result<()> {
    let status = Command::new("cat")
        .args(files)
        .stdout(Stdio::null())
        .status()
        .context("could not run cat")?;
    ensure!(status.success(), "cat ended with {status}");
    Ok(())
}
