//! Bookmarks: names for messages. A name stands for one message.

use pi_brain_app::BookmarkView;
use pi_brain_forest::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{change, message_at, open_if_there};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::Answered;
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/forest/bookmarks", "All bookmarks, and the labels of imported sessions", list)
        .post("/api/v1/forest/bookmarks", "Puts a bookmark on a message", set)
        .delete("/api/v1/forest/bookmarks/{title}", "Takes a bookmark away", remove)
        .post("/api/v1/forest/bookmarks/{title}/rename", "Gives a bookmark another name", rename)
}

fn list(brain: &mut Brain, (paging,): (Paging,)) -> Answered<Listed<BookmarkView>> {
    let found = match open_if_there(brain)? {
        Some(forest) => BookmarkView::all(&forest)?,
        None => Vec::new(),
    };
    paging.cut(found, |mark| format!("{} {}", mark.node, mark.title))
}

/// A bookmark to put on a message.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Marked {
    /// The message.
    node: NodeId,
    /// The name.
    title: String,
}

fn set(brain: &mut Brain, (): (), Marked { node, title }: Marked) -> Answered<Marked> {
    change(brain, |forest| {
        let node = message_at(forest, node.into())?;
        forest.bookmark(node, &title, Brain::now())?;
        Ok(Marked { node, title: title.trim().to_owned() })
    })
}

/// Which bookmark.
#[derive(Deserialize, JsonSchema)]
struct Named {
    /// Its name.
    title: String,
}

/// A bookmark that is gone.
#[derive(Serialize, JsonSchema)]
struct Removed {
    /// Its name; the message stays.
    removed: String,
}

fn remove(brain: &mut Brain, (named,): (Named,)) -> Answered<Removed> {
    change(brain, |forest| {
        forest.remove_bookmark(&named.title)?;
        Ok(Removed { removed: named.title })
    })
}

/// A new name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewName {
    /// The name.
    to: String,
}

/// A bookmark with another name.
#[derive(Serialize, JsonSchema)]
struct Renamed {
    /// The name that it had.
    renamed: String,
    /// The name that it has.
    title: String,
}

fn rename(
    brain: &mut Brain,
    (Named { title },): (Named,),
    NewName { to }: NewName,
) -> Answered<Renamed> {
    change(brain, |forest| {
        forest.rename_bookmark(&title, &to, Brain::now())?;
        Ok(Renamed { renamed: title, title: to.trim().to_owned() })
    })
}
