//! Session files to measure on, made up from a seed: the same seed gives the same bytes.
//!
//! They are sized like real work. Most bytes are tool results of 2 to 50 KB; some sessions branch, are
//! labelled, named, compacted or forked. One line alone depends on more than the seed: the header of a
//! fork names its original by its whole path, as pi does.

mod conversation;
mod random;
mod text;
mod writer;

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use conversation::{Conversation, Finished, TurnEnd};
use random::Random;
use writer::{Identity, SessionFile, some_time};

const PROJECTS: usize = 12;
const SMALLEST_SESSION: u64 = 6000;
const FORKS_PERCENT: u64 = 5;

/// What a corpus is made from.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// How many session files.
    pub files: usize,
    /// How many bytes they have together, roughly.
    pub bytes: u64,
    /// What they are like.
    pub style: Style,
    /// Which of all such corpora.
    pub seed: u64,
}

/// What the entries of sessions are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Most bytes are tool results of 2 to 50 KB, in a hundred words: for those who read.
    Bulky,
    /// Entries have 1.2 KB on average, in as many words as people use: for those who search.
    Wordy,
}

/// A session of a corpus, with what a test may want to know about it.
#[derive(Clone, Debug)]
pub struct MadeSession {
    /// The file.
    pub path: PathBuf,
    /// A sentence that a model says in this session, and in no other but its forks.
    pub needle: String,
    /// The file that this one was forked from, and starts with the entries of.
    pub parent: Option<PathBuf>,
}

/// Makes a corpus in `agent/sessions`, laid out as pi's own agent folder.
pub fn make_corpus(agent: &Path, recipe: Recipe) -> io::Result<Vec<MadeSession>> {
    let agent = std::path::absolute(agent)?;
    let mut random = Random::new(recipe.seed, recipe.style);
    let projects: Vec<String> = (0..PROJECTS).map(|number| project(&mut random, number)).collect();
    let weights: Vec<u64> = (0..recipe.files).map(|_| random.weight()).collect();
    let all_weights: u64 = weights.iter().sum();
    let mut earlier: Vec<Original> = Vec::new();
    for (number, weight) in weights.into_iter().enumerate() {
        let bytes = (recipe.bytes / all_weights * weight).max(SMALLEST_SESSION);
        let forked = !earlier.is_empty() && random.chance(FORKS_PERCENT);
        let original = forked.then(|| &earlier[random.index(earlier.len())]);
        let cwd =
            original.map_or_else(|| &projects[random.index(PROJECTS)], |original| &original.cwd);
        let made = make_session(&agent, cwd.clone(), number, bytes, original, &mut random)?;
        earlier.push(made);
    }
    Ok(earlier.into_iter().map(|original| original.made).collect())
}

/// A session that later ones can be forked from.
struct Original {
    made: MadeSession,
    cwd: String,
    finished: Finished,
}

fn project(random: &mut Random, number: usize) -> String {
    format!("/home/dev/{}-{}{number}", text::name(random), text::word(random))
}

fn make_session(
    agent: &Path,
    cwd: String,
    number: usize,
    bytes: u64,
    original: Option<&Original>,
    random: &mut Random,
) -> io::Result<Original> {
    let fork = original.map(|original| (original, original.some_end(bytes, random)));
    let started = match fork {
        Some((_, end)) => end.time + random.between(1000, 60_000),
        None => some_time(random),
    };
    let identity = Identity::in_agent_folder(agent, &cwd, started, random);
    let needle = format!("needle {number} hides in {}.", cwd.trim_start_matches("/home/dev/"));
    let parent = original.map(|original| original.made.path.clone());
    let file = SessionFile::create(identity, parent.as_deref(), random)?;
    let path = file.path.clone();
    let mut conversation = match fork {
        Some((original, end)) => {
            Conversation::fork(file, &original.made.path, original.finished.header_bytes, end)?
        }
        None => Conversation::start(file)?,
    };
    conversation.talk(bytes, &needle)?;
    let finished = conversation.finish()?;
    Ok(Original { made: MadeSession { path, needle, parent }, cwd, finished })
}

impl Original {
    /// Returns a moment at which somebody forked this session into one of `bytes` bytes.
    fn some_end(&self, bytes: u64, random: &mut Random) -> TurnEnd {
        let ends = &self.finished.ends;
        let fitting = ends.partition_point(|end| end.bytes < bytes).max(1);
        random.pick(&ends[..fitting])
    }
}

/// Returns so many pairs of words to look for, as often common and as often rare as they are in [`Style::Wordy`].
pub fn word_pairs(count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed, Style::Wordy);
    (0..count).map(|_| [text::word(&mut random), text::word(&mut random)].join(" ")).collect()
}

/// Makes one large session, which ends as long ones do: soon after a compaction.
pub fn make_large_session(path: &Path, bytes: u64, style: Style, seed: u64) -> io::Result<()> {
    let mut random = Random::new(seed, style);
    let identity = Identity::of_file(path, &mut random);
    let mut conversation = Conversation::start(SessionFile::create(identity, None, &mut random)?)?;
    conversation.talk(bytes, "needle 0 hides in large.")?;
    conversation.end_compacted()?;
    conversation.finish()?;
    Ok(())
}

/// The two shapes that a careless reader chokes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each entry follows the one before.
    Chain,
    /// All entries but the first follow the first.
    Siblings,
}

impl Shape {
    /// Returns a word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Siblings => "siblings",
        }
    }
}

/// Makes a session of short messages in an extreme shape.
pub fn make_shape(path: &Path, shape: Shape, entries: usize, seed: u64) -> io::Result<()> {
    let mut random = Random::new(seed, Style::Bulky);
    let identity = Identity::of_file(path, &mut random);
    let mut file = SessionFile::create(identity, None, &mut random)?;
    let mut first = None;
    for number in 0..entries {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let id = file.put_message(|line, random| {
            line.extend_from_slice(
                format!(r#""role":"{role}","content":[{{"type":"text","text":""#).as_bytes(),
            );
            text::prose(line, random, 60);
            line.extend_from_slice(br#""}]"#);
        })?;
        let first = *first.get_or_insert(id);
        if shape == Shape::Siblings {
            file.leaf = Some(first);
        }
    }
    file.finish()
}

/// Makes a file or folder unless it is there already, made from the same recipe by the same code.
///
/// What stands there and was not made here is never touched.
pub fn make_once(
    target: &Path,
    recipe: &str,
    make: impl FnOnce() -> io::Result<()>,
) -> anyhow::Result<()> {
    let stamp = beside(target, ".recipe");
    let wanted = format!("{recipe}\ncode {:016x}\n", code_fingerprint());
    let found = fs::read_to_string(&stamp).ok();
    if found.as_deref() == Some(&wanted) {
        return Ok(());
    }
    if target.exists() {
        if found.is_none() {
            bail!("{} was not made by a benchmark; name another folder", target.display());
        }
        remove(target).with_context(|| format!("removing {}", target.display()))?;
    }
    let write = || {
        fs::create_dir_all(target.parent().unwrap_or(Path::new("")))?;
        fs::write(&stamp, "unfinished\n")?;
        make()?;
        fs::write(&stamp, &wanted)
    };
    write().with_context(|| format!("making {}", target.display()))
}

fn beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(target);
    name.push(ending);
    name.into()
}

fn remove(target: &Path) -> io::Result<()> {
    if target.is_dir() { fs::remove_dir_all(target) } else { fs::remove_file(target) }
}

/// Changes whenever the code that makes session files does.
fn code_fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    [
        include_str!("corpus.rs"),
        include_str!("corpus/conversation.rs"),
        include_str!("corpus/random.rs"),
        include_str!("corpus/text.rs"),
        include_str!("corpus/writer.rs"),
    ]
    .hash(&mut hasher);
    hasher.finish()
}
