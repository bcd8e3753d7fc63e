//! Whether appending costs the same in a large forest as in a small one, and how fast sessions are imported.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use pi_brain_forest::{
    FileSystemStore, Forest, Matching, MemoryStore, Message, NewMessage, NodeId, Place, Reading,
    Role, Store,
};
use pi_brain_session::{Millis, Session, SessionFolder, View};
use rayon::prelude::*;

use crate::race::{Contestant, Lap, Outcome, Seen, race};

/// What was measured with forests.
#[derive(Debug)]
pub struct ForestFigures {
    /// Appending, by where the forest is kept and what it looks like.
    pub appending: Vec<AppendFigures>,
    /// How many bytes were imported.
    pub bytes: u64,
    /// Reading and importing sessions.
    pub importing: Vec<Outcome>,
}

/// What one append costs in a small and in a large forest.
#[derive(Debug)]
pub struct AppendFigures {
    /// What was appended to.
    pub name: &'static str,
    /// Messages in the smaller forest.
    pub few: usize,
    /// The time for one append there.
    pub small: Duration,
    /// Messages in the larger forest.
    pub many: usize,
    /// The time for one append there.
    pub large: Duration,
}

/// How large the forests are, and how much is done to them.
#[derive(Clone, Copy, Debug)]
pub struct ForestSizes {
    /// Messages in the smaller forest.
    pub few: usize,
    /// Messages in the larger forest.
    pub many: usize,
    /// Messages that are appended in one lap, each by itself.
    pub appends: usize,
    /// Bytes of sessions to import, at most.
    pub bytes: u64,
}

/// Measures appending, in `folder` where it needs one, and importing sessions of `agent`.
pub fn measure_forest(
    agent: &Path,
    folder: &Path,
    sizes: ForestSizes,
    runs: usize,
) -> anyhow::Result<ForestFigures> {
    let memory = |_: &str| Ok(MemoryStore::new());
    let files = |name: &str| {
        let folder = folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(FileSystemStore::open(&folder)?)
    };
    let appending = vec![
        measure_appending("in memory, anywhere", memory, ANYWHERE, sizes, runs)?,
        measure_appending("in memory, one chain", memory, ONE_CHAIN, sizes, runs)?,
        measure_appending("in memory, one parent", memory, ONE_PARENT, sizes, runs)?,
        measure_appending("in files, anywhere", files, ANYWHERE, sizes, runs)?,
    ];
    let (paths, bytes) = some_sessions(agent, sizes.bytes)?;
    Ok(ForestFigures { appending, bytes, importing: race(importers(&paths), runs)? })
}

/// What a forest looks like.
#[derive(Clone, Copy)]
struct Shape {
    /// How many messages follow each other when the forest is planted.
    branch: usize,
    /// Chooses where the next message goes: the root, or one of the messages that are there.
    choose: fn(Place, &[NodeId]) -> Place,
}

const ANYWHERE: Shape = Shape {
    branch: 100,
    choose: |root, nodes| match nodes.len() {
        0 => root,
        // A multiplicative walk visits the whole forest in no order.
        count => nodes[count.wrapping_mul(count).wrapping_mul(2_654_435_761) / 7 % count].into(),
    },
};

const ONE_CHAIN: Shape = Shape {
    branch: 1000,
    choose: |root, nodes| nodes.last().map_or(root, |last| Place::Node(*last)),
};

const ONE_PARENT: Shape = Shape { branch: 1, choose: |root, _| root };

fn measure_appending<S: Store>(
    name: &'static str,
    mut store: impl FnMut(&str) -> anyhow::Result<S>,
    shape: Shape,
    sizes: ForestSizes,
    runs: usize,
) -> anyhow::Result<AppendFigures> {
    let ForestSizes { few, many, appends, .. } = sizes;
    let mut small = Growing::plant(store("small")?, shape, few)?;
    let mut large = Growing::plant(store("large")?, shape, many)?;
    let contestants = vec![
        Contestant::timing_itself("small", || small.lap(appends)),
        Contestant::timing_itself("large", || large.lap(appends)),
    ];
    let outcomes = race(contestants, runs)?;
    let count = u32::try_from(appends).context("so many appends take too long")?;
    let for_one = |outcome: &Outcome| outcome.median() / count;
    Ok(AppendFigures {
        name,
        few,
        small: for_one(&outcomes[0]),
        many,
        large: for_one(&outcomes[1]),
    })
}

/// A forest that grows.
struct Growing<S> {
    forest: Forest<S>,
    root: Place,
    nodes: Vec<NodeId>,
    shape: Shape,
}

impl<S: Store> Growing<S> {
    fn plant(store: S, shape: Shape, count: usize) -> anyhow::Result<Self> {
        let mut forest = Forest::new(store);
        let root = forest.find_or_create_root(Some("Be brief."), NOW)?.into();
        let mut growing = Self { forest, root, nodes: Vec::new(), shape };
        while growing.nodes.len() < count {
            growing.append(shape.branch.min(count - growing.nodes.len()))?;
        }
        Ok(growing)
    }

    /// Appends a branch of `length` messages in one commit.
    fn append(&mut self, length: usize) -> anyhow::Result<()> {
        let place = (self.shape.choose)(self.root, &self.nodes);
        let numbers = self.nodes.len()..self.nodes.len() + length;
        let branch = numbers.map(|number| NewMessage::new(message(number))).collect();
        let appended = self.forest.append(place, branch, Matching::Exact, NOW)?;
        ensure!(appended.created.len() == length, "a message stood there already");
        self.nodes.extend(appended.created);
        Ok(())
    }

    fn lap(&mut self, appends: usize) -> anyhow::Result<Lap> {
        let start = Instant::now();
        for _ in 0..appends {
            self.append(1)?;
        }
        Ok(Lap { time: start.elapsed(), seen: None })
    }
}

const NOW: Millis = Millis(1_790_000_000_000);

fn message(number: usize) -> Message {
    let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    Message::text(role, &format!("message {number}, of a length that people might write in a chat"))
}

/// Returns sessions of `most` bytes together, or a little more.
fn some_sessions(agent: &Path, most: u64) -> anyhow::Result<(Vec<PathBuf>, u64)> {
    let mut paths = Vec::new();
    let mut bytes = 0;
    for path in SessionFolder::ByProject(agent.join("sessions")).files() {
        if bytes >= most {
            break;
        }
        bytes += fs::metadata(&path).with_context(|| format!("reading {}", path.display()))?.len();
        paths.push(path);
    }
    Ok((paths, bytes))
}

/// Reading alone, which is the least that an import can do.
pub(crate) const READ_ONLY: &str = "read, without importing";

fn importers(paths: &[PathBuf]) -> Vec<Contestant<'_>> {
    vec![
        Contestant::timed("import into memory", || {
            let mut forest = Forest::new(MemoryStore::new());
            let (readings, unreadable) = Reading::open_all(paths, |_| {});
            ensure!(unreadable.is_empty(), "could not read {unreadable:?}");
            forest.import(readings, NOW)?;
            Ok(Some(Seen { sessions: forest.store().sessions()?.len(), messages: 0 }))
        }),
        Contestant::timed(READ_ONLY, || {
            let read = |path: &PathBuf| {
                let session = Session::open(path)?;
                std::hint::black_box(session.tree(View::Repaired));
                Ok(Seen { sessions: 1, messages: 0 })
            };
            paths.par_iter().map(read).sum::<anyhow::Result<Seen>>().map(Some)
        }),
    ]
}
