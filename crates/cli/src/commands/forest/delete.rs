//! `pi-brain forest delete` and `restore`: hiding messages, and bringing them back.

use pi_brain_app::Restorable;
use pi_brain_forest::{
    Bookmark, Deleted, Deletion, NodeId, Place, Removal, Restored, RootId, Store,
};
use serde_json::json;

use super::place::{find, name, names, quoted, resolve};
use super::{change, open_if_there};
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

fn list(json: bool) -> anyhow::Result<()> {
    let found = match open_if_there()? {
        Some(forest) => Restorable::all(&forest)?,
        None => Vec::new(),
    };
    if json {
        return print_json(&serde_json::to_value(found)?);
    }
    if found.is_empty() {
        return say!("Nothing is deleted.");
    }
    let now = now();
    let row = |found: &Restorable| {
        vec![
            name(found.place),
            when::ago(found.deleted, now),
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
