//! A process for the tests to kill, to lock out and to starve: it changes a forest and tells what is safe.
//!
//! `victim <folder> churn <seed>` makes random changes without end; `victim <folder> hold` only keeps the folder open;
//! `victim <folder> say <text>` appends one message; `victim <folder> fill` appends until it fails;
//! `victim <folder> read` looks and touches nothing. After each change that was acknowledged, a digest of the whole
//! forest is printed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use pi_brain_forest::{
    Deletion, FileSystemStore, Following, Forest, ForestError, Matching, Message, NewMessage, Node,
    Place, Role,
};
use pi_brain_session::Millis;

#[path = "../tests/it/files/dump.rs"]
mod dump;

const NOW: Millis = Millis(1_760_000_000_000);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [folder, ref task @ ..] = arguments[..] else { return ExitCode::from(2) };
    let folder = Path::new(folder);
    let done = match *task {
        ["churn", seed] => churn(folder, seed.parse().unwrap()),
        ["hold"] => hold(folder),
        ["say", text] => say(folder, text),
        ["fill"] => fill(folder),
        ["read"] => read(folder),
        _ => return ExitCode::from(2),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let source = std::error::Error::source(&error);
            tell(&format!(
                "{error}{}",
                source.map(|source| format!(": {source}")).unwrap_or_default()
            ));
            ExitCode::FAILURE
        }
    }
}

fn tell(line: &str) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).unwrap();
}

fn acknowledge(forest: &Forest<FileSystemStore>) {
    let mut hasher = DefaultHasher::new();
    dump::dump(forest.store()).hash(&mut hasher);
    tell(&format!("{:016x}", hasher.finish()));
}

fn open(folder: &Path) -> Result<Forest<FileSystemStore>, ForestError> {
    FileSystemStore::open(folder).map(Forest::new)
}

fn hold(folder: &Path) -> Result<(), ForestError> {
    let forest = open(folder)?;
    acknowledge(&forest);
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    Ok(())
}

fn read(folder: &Path) -> Result<(), ForestError> {
    acknowledge(&Forest::new(FileSystemStore::open_read_only(folder)?));
    Ok(())
}

fn say(folder: &Path, text: &str) -> Result<(), ForestError> {
    let mut forest = open(folder)?;
    let root = forest.find_or_create_root(None, NOW)?;
    append(&mut forest, root.into(), text)?;
    acknowledge(&forest);
    Ok(())
}

/// Fills the disk; the failure must change nothing, and must not be the end.
fn fill(folder: &Path) -> Result<(), ForestError> {
    let mut forest = open(folder)?;
    let root = forest.find_or_create_root(None, NOW)?;
    acknowledge(&forest);
    let failure = loop {
        let text = "x".repeat(10_000);
        let number = forest.recent_leaves(usize::MAX)?.len();
        match append(&mut forest, root.into(), &format!("{number} {text}")) {
            Ok(()) => acknowledge(&forest),
            Err(failure) => break failure,
        }
    };
    acknowledge(&forest);
    // This one may still find room.
    let _ = append(&mut forest, root.into(), "something small");
    acknowledge(&forest);
    Err(failure)
}

fn append(forest: &mut Forest<FileSystemStore>, at: Place, text: &str) -> Result<(), ForestError> {
    let message = NewMessage::new(Message::text(Role::User, text));
    forest.append(at, vec![message], Matching::Exact, NOW).map(drop)
}

fn churn(folder: &Path, seed: u64) -> Result<(), ForestError> {
    let mut forest = open(folder)?;
    let root = forest.find_or_create_root(None, NOW)?;
    acknowledge(&forest);
    let mut random = Random(seed);
    loop {
        let nodes = forest.subtree(root.into(), None)?;
        match change(&mut forest, &mut random, root.into(), &nodes) {
            Err(error @ (ForestError::Write { .. } | ForestError::Corrupt { .. })) => {
                return Err(error);
            }
            // What makes no sense in this place is refused, and changes nothing.
            Ok(()) | Err(_) => acknowledge(&forest),
        }
    }
}

fn change(
    forest: &mut Forest<FileSystemStore>,
    random: &mut Random,
    root: Place,
    nodes: &[Arc<Node>],
) -> Result<(), ForestError> {
    let place = match random.below(nodes.len() + 1) {
        0 => root,
        at => nodes[at - 1].id.into(),
    };
    let Place::Node(node) = place else {
        let count = 1 + random.below(3);
        let message = |_| NewMessage::new(Message::text(Role::User, &random.text()));
        let messages = (0..count).map(message).collect();
        return forest.append(place, messages, Matching::Exact, NOW).map(drop);
    };
    match random.below(20) {
        0..4 => {
            let text = format!("{}{}", random.text(), forest.message(node)?.joined_text());
            forest.edit(node, &text, Following::Follow, NOW).map(drop)
        }
        4..7 => {
            let text = forest.message(node)?.joined_text();
            let kept = random.below(text.len());
            forest.edit(node, &format!("{} or so", &text[..kept]), Following::Stay, NOW).map(drop)
        }
        7..11 => {
            let length = forest.message(node)?.joined_text().len();
            forest.split(node, random.below(length), NOW).map(drop)
        }
        11 => forest.delete(&[place], Deletion::Cascade, true, NOW).map(drop),
        12..14 => forest.delete(&[place], Deletion::Reparent, true, NOW).map(drop),
        14 => match forest.deleted()?.first() {
            Some(deleted) => forest.restore(deleted.id, NOW).map(drop),
            None => Ok(()),
        },
        15 => forest.bookmark(node, &random.text(), NOW),
        16 => forest.go_to(place),
        _ => append(forest, place, &random.text()),
    }
}

/// A small generator, so that a seed tells the whole story.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }

    /// Few words, so that equal messages meet.
    fn text(&mut self) -> String {
        const WORDS: [&str; 6] = ["oak", "ash", "elm", "fir", "yew", "pine"];
        let count = 1 + self.below(3);
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}
