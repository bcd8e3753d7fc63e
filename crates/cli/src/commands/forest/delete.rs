//! `pi-brain forest delete` and `restore`: hiding messages, and bringing them back.

use std::collections::HashMap;

use pi_brain_forest::{
    Bookmark, Deleted, Deletion, Forest, NodeId, Place, Removal, Restored, Root, RootId, Store,
};
use pi_brain_session::Millis;
use serde_json::json;

use super::place::{find, name, names, quoted, resolve};
use super::roots::summarize;
use super::words::describe;
use super::{KeptForest, change, open_if_there};
use crate::args::{DeleteOptions, RestoreOptions};
use crate::commands::{print_json, say};
use crate::describe::DIM;
use crate::failure::Failure;
use crate::mint::now;
use crate::table::{Column, draw, how_many};
use crate::when;

pub(super) fn delete(options: &DeleteOptions) -> anyhow::Result<()> {
    if options.whole_tree {
        return delete_trees(options);
    }
    let deletion = if options.keep_children { Deletion::Reparent } else { Deletion::Cascade };
    let (tops, deleted) = change(|forest| {
        let mut tops: Vec<NodeId> = Vec::new();
        for place in &options.places {
            match find(forest, place)? {
                Place::Node(node) if tops.contains(&node) => {}
                Place::Node(node) => tops.push(node),
                Place::Root(root) => {
                    let text = format!("{root} is a whole tree; add --whole-tree to delete it");
                    return Err(Failure::Usage(text).into());
                }
            }
        }
        let places: Vec<Place> = tops.iter().copied().map(Place::Node).collect();
        let deleted = forest.delete(&places, deletion, options.force, now())?;
        // What went with another message comes back with that one.
        tops.retain(|top| {
            let node = forest.store().node(*top).ok().flatten();
            node.is_some_and(|node| matches!(node.removal, Some(Removal::Deleted { .. })))
        });
        Ok((tops, deleted))
    })?;
    if options.output.json {
        let title = |bookmark: &Bookmark| bookmark.title.clone();
        return print_json(&json!({
            "removed": deleted.removed,
            "restorable": tops,
            "droppedBookmarks": deleted.dropped_bookmarks.iter().map(title).collect::<Vec<_>>(),
            "movedBookmarks": deleted.moved_bookmarks.iter().map(title).collect::<Vec<_>>(),
        }));
    }
    tell_deleted(&tops, &deleted)
}

fn tell_deleted(tops: &[NodeId], deleted: &Deleted) -> anyhow::Result<()> {
    let hidden = how_many(deleted.removed.len(), "message", "messages");
    say!("{hidden} hidden: {}", names(&deleted.removed))?;
    let titles = |bookmarks: &[Bookmark]| quoted(bookmarks.iter().map(|mark| &*mark.title));
    if !deleted.dropped_bookmarks.is_empty() {
        say!("bookmarks gone with them: {}", titles(&deleted.dropped_bookmarks))?;
    }
    if let Some(moved) = deleted.moved_bookmarks.first() {
        let titles = titles(&deleted.moved_bookmarks);
        say!("bookmarks now on the message before ({}): {titles}", name(moved.node))?;
    }
    let undo = tops.iter().map(|&top| format!("pi-brain forest restore {}", name(top)));
    say!("{DIM}undo: {}{DIM:#}", undo.collect::<Vec<_>>().join("; "))
}

fn delete_trees(options: &DeleteOptions) -> anyhow::Result<()> {
    let roots = change(|forest| {
        let mut roots: Vec<RootId> = Vec::new();
        for place in &options.places {
            match find(forest, place)? {
                Place::Root(root) if roots.contains(&root) => {}
                Place::Root(root) => roots.push(root),
                Place::Node(node) => {
                    let text = format!("{} is a message; --whole-tree is for roots", name(node));
                    return Err(Failure::Usage(text).into());
                }
            }
        }
        for &root in &roots {
            forest.delete_root(root, now())?;
        }
        Ok(roots)
    })?;
    if options.output.json {
        return print_json(&json!({ "removedRoots": roots }));
    }
    for root in roots {
        say!("{root} hidden, with everything in it")?;
        say!("{DIM}undo: pi-brain forest restore {root}{DIM:#}")?;
    }
    Ok(())
}

pub(super) fn restore(options: &RestoreOptions) -> anyhow::Result<()> {
    let Some(argument) = &options.place else { return list(options.output.json) };
    let place = change(|forest| match resolve(forest, argument)? {
        Place::Root(root) => {
            forest.restore_root(root)?;
            Ok(Back::Tree(root))
        }
        Place::Node(node) => Ok(Back::Message(forest.restore(node, now())?)),
    })?;
    match (place, options.output.json) {
        (Back::Tree(root), true) => print_json(&json!({ "root": root })),
        (Back::Tree(root), false) => say!("{root} is back, with everything in it"),
        (Back::Message(Restored { node, shown, moved_back }), true) => {
            print_json(&json!({ "node": node, "shown": shown, "movedBack": moved_back }))
        }
        (Back::Message(restored), false) => {
            let Restored { node, shown, moved_back } = restored;
            say!("{} is back: {}", name(node), how_many(shown.len(), "message", "messages"))?;
            if !moved_back.is_empty() {
                say!("again after it: {}", names(&moved_back))?;
            }
            Ok(())
        }
    }
}

/// What was brought back.
enum Back {
    Tree(RootId),
    Message(Restored),
}

/// Something that can be brought back.
struct Restorable {
    place: Place,
    at: Millis,
    messages: usize,
    words: String,
}

fn list(json: bool) -> anyhow::Result<()> {
    let found = match open_if_there()? {
        Some(forest) => restorable(&forest)?,
        None => Vec::new(),
    };
    if json {
        let row = |found: &Restorable| {
            json!({
                "place": found.place,
                "deleted": found.at,
                "messages": found.messages,
                "words": found.words,
            })
        };
        return print_json(&found.iter().map(row).collect::<Vec<_>>());
    }
    if found.is_empty() {
        return say!("Nothing is deleted.");
    }
    let now = now();
    let row = |found: &Restorable| {
        vec![
            name(found.place),
            when::ago(found.at, now),
            found.messages.to_string(),
            found.words.clone(),
        ]
    };
    let columns = [
        Column::Text("PLACE"),
        Column::Text("DELETED"),
        Column::Number("MSGS"),
        Column::Rest("WHAT"),
    ];
    say!("{}", draw(&columns, &found.iter().map(row).collect::<Vec<_>>()))?;
    say!("\n{DIM}Bring one back: pi-brain forest restore PLACE{DIM:#}")
}

/// Finds what can be brought back, what was deleted last first.
fn restorable(forest: &KeptForest) -> anyhow::Result<Vec<Restorable>> {
    let mut gone_with: HashMap<NodeId, usize> = HashMap::new();
    for root in forest.roots()? {
        for node in forest.store().nodes(root.id)? {
            if let Some(Removal::With(top)) = node.removal {
                *gone_with.entry(top).or_default() += 1;
            }
        }
    }
    let mut found = Vec::new();
    for node in forest.deleted()? {
        let Some(Removal::Deleted { at, .. }) = node.removal else { continue };
        let messages = 1 + gone_with.get(&node.id).copied().unwrap_or_default();
        let words = describe(forest, node.id)?.words;
        found.push(Restorable { place: node.id.into(), at, messages, words });
    }
    for root in forest.store().roots()? {
        let Some(at) = root.deleted else { continue };
        found.push(deleted_tree(forest, root, at)?);
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.at));
    Ok(found)
}

fn deleted_tree<S: Store>(
    forest: &Forest<S>,
    root: std::sync::Arc<Root>,
    at: Millis,
) -> anyhow::Result<Restorable> {
    let nodes = forest.store().nodes(root.id)?;
    let messages = nodes.iter().filter(|node| node.is_visible()).count();
    let place = root.id.into();
    let words = summarize(forest, root)?.words();
    Ok(Restorable { place, at, messages, words })
}
