//! A forest in a folder: what is on disk, what survives, and what is refused.

mod dump;
mod log;
mod projection;
mod pack;
mod sessions;
mod reference;
mod legacy_messages;
mod processes;
mod crashes;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_forest::{
    Deletion, FileSystemStore, Following, Forest, ForestError, Matching, Message, NewMessage,
    NodeId, Place, Role, Store,
};
use pi_brain_session::Millis;

use dump::dump;

const NOW: Millis = Millis(1_760_000_000_000);

fn open(folder: &Path) -> Forest<FileSystemStore> {
    Forest::new(FileSystemStore::open(folder).unwrap())
}

fn read_only(folder: &Path) -> Forest<FileSystemStore> {
    Forest::new(FileSystemStore::open_read_only(folder).unwrap())
}

/// Opens a folder that cannot be opened, and returns why.
fn refusal(folder: &Path) -> ForestError {
    FileSystemStore::open(folder).map(drop).unwrap_err()
}

/// Opens a folder that is damaged. Returns the file and what is wrong with it.
fn damage(folder: &Path) -> (PathBuf, String) {
    match refusal(folder) {
        ForestError::Corrupt { path, why } => (path, why),
        other => panic!("not damaged: {other}"),
    }
}

/// Makes messages of texts, first a person's, then a model's, and so on.
fn talk(texts: &[&str]) -> Vec<NewMessage> {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    let message = |(text, role): (&&str, Role)| NewMessage::new(Message::text(role, text));
    texts.iter().zip(roles).map(message).collect()
}

fn append<S: Store>(forest: &mut Forest<S>, at: impl Into<Place>, texts: &[&str]) -> NodeId {
    let appended = forest.append(at.into(), talk(texts), Matching::Exact, NOW).unwrap();
    appended.end.node().unwrap()
}

/// Makes a forest with a bit of everything: branches, an edit in place, a split, deletions, bookmarks, a place.
fn grow(folder: &Path) -> Forest<FileSystemStore> {
    let mut forest = open(folder);
    let root = forest.find_or_create_root(Some("You are brief."), NOW).unwrap();
    let end = append(&mut forest, root, &["What is a forest?", "Many trees.", "And a tree?"]);
    append(&mut forest, root, &["What is a forest?", "A set of trees."]);
    let third = append(&mut forest, root, &["What is a shrub?", "A small tree.", "Why?"]);
    forest.edit(end, "And what is a tree?", Following::Follow, NOW).unwrap();
    forest.split(end, 4, NOW).unwrap();
    forest.bookmark(end, "trees", NOW).unwrap();
    forest.tag(end, &["botany".to_owned()], &[]).unwrap();
    forest.set_title(end, "The question").unwrap();
    forest.delete(&[third.into()], Deletion::Cascade, false, NOW).unwrap();
    forest.find_or_create_root(None, NOW).unwrap();
    forest.go_to(end.into()).unwrap();
    forest
}

/// Returns what a folder holds: every file with its bytes, but for the lock.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
        } else if !path.ends_with("lock") {
            let bytes = fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}
