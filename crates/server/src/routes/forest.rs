//! Editable trees: what `pi-brain forest` works on, in the data folder.
//!
//! A place is named by its id, `root-1` or `root-1/node-5`. Each request opens the forest for itself, as a command does; those
//! that change it wait a moment for whoever does so at the same time.

mod bookmarks;
mod changing;
mod exchange;
mod reading;

use pi_brain_app::{RootView, TreeSummary};
use pi_brain_forest::{FileSystemStore, Forest, ForestError, NodeId, Place, RootId, Store};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::brains::{Brain, patiently};
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    let api = api
        .get("/api/v1/forest", "The trees that can be edited", roots)
        .post("/api/v1/forest", "Finds the tree with a system prompt, or starts it", start)
        .get("/api/v1/forest/roots/{root}", "A tree, and where it begins", root)
        .delete("/api/v1/forest/roots/{root}", "Hides a tree; it can be restored", delete_root);
    exchange::add(bookmarks::add(changing::add(reading::add(api))))
}

type KeptForest = Forest<FileSystemStore>;

/// Opens the forest for reading; `None` if nobody has written to it yet.
fn open_if_there(brain: &Brain) -> Answered<Option<KeptForest>> {
    Ok(FileSystemStore::open_if_there(&brain.app.folder().forest())?.map(Forest::new))
}

/// Opens the forest for reading.
fn open(brain: &Brain) -> Answered<KeptForest> {
    open_if_there(brain)?.ok_or_else(|| {
        Failure::not_found(
            "there are no trees yet",
            "POST /api/v1/forest starts one, POST /api/v1/forest/import brings in a session",
        )
    })
}

/// Opens the forest, which nobody else can change meanwhile, and changes it.
fn change<T>(brain: &Brain, operation: impl FnOnce(&mut KeptForest) -> Answered<T>) -> Answered<T> {
    let folder = brain.app.folder().forest();
    let is_locked = |error: &ForestError| matches!(error, ForestError::Locked { .. });
    let store = patiently(|| FileSystemStore::open(&folder), is_locked)?;
    let mut forest = Forest::new(store);
    let done = operation(&mut forest)?;
    // The change is made. Files to read it in that are behind are found by `pi-brain forest check`.
    let _ = forest.into_store().close();
    Ok(done)
}

/// Returns the message of a place; a root is none.
fn message_at(forest: &KeptForest, place: Place) -> Answered<NodeId> {
    match forest.place(place)? {
        Place::Node(node) => Ok(node),
        Place::Root(root) => Err(ForestError::RootProtected(root).into()),
    }
}

/// Which trees.
#[derive(Deserialize, JsonSchema)]
struct Among {
    /// Those that were deleted, too.
    #[serde(default)]
    deleted: bool,
}

fn roots(brain: &mut Brain, (among, paging): (Among, Paging)) -> Answered<Listed<RootView>> {
    let found = match open_if_there(brain)? {
        Some(forest) => TreeSummary::all(&forest, among.deleted)?,
        None => Vec::new(),
    };
    let views = found.iter().map(TreeSummary::view).collect();
    paging.cut(views, |root: &RootView| root.id.to_string())
}

/// Which tree.
#[derive(Deserialize, JsonSchema)]
struct WhichRoot {
    /// The tree, such as `root-1`.
    root: RootId,
}

/// A tree, and where somebody is in it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RootDetail {
    #[serde(flatten)]
    root: RootView,
    /// What it is about, in words.
    words: String,
    /// The place in it where the user is.
    current: Option<Place>,
}

fn root(brain: &mut Brain, (which,): (WhichRoot,)) -> Answered<RootDetail> {
    let forest = open(brain)?;
    let summary = TreeSummary::new(&forest, forest.root(which.root)?)?;
    let current = forest.current()?.filter(|place| place.root() == summary.root.id);
    Ok(RootDetail { root: summary.view(), words: summary.words(), current })
}

/// A tree to start.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewRoot {
    /// The system prompt; an empty one is not the same as none.
    system_prompt: Option<String>,
}

/// The tree that was found or started.
#[derive(Serialize, JsonSchema)]
struct Started {
    /// Its name.
    id: RootId,
    /// Whether it is new.
    created: bool,
}

fn start(brain: &mut Brain, (): (), NewRoot { system_prompt }: NewRoot) -> Answered<Started> {
    change(brain, |forest| {
        let known = forest.store().next_root()?;
        let id = forest.find_or_create_root(system_prompt.as_deref(), Brain::now())?;
        forest.go_to(id.into())?;
        Ok(Started { id, created: forest.store().next_root()? > known })
    })
}

/// A tree that cannot be seen any more.
#[derive(Serialize, JsonSchema)]
struct Hidden {
    /// Its name; `POST /api/v1/forest/restore` brings it back.
    root: RootId,
}

fn delete_root(brain: &mut Brain, (which,): (WhichRoot,)) -> Answered<Hidden> {
    change(brain, |forest| {
        forest.delete_root(which.root, Brain::now())?;
        Ok(Hidden { root: which.root })
    })
}
