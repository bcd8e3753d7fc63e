//! Changes of trees: what is said, and what is noted about it.

use pi_brain_forest::{
    Bookmark, Deletion, Following, ForestError, Matching, NewMessage, NodeId, Place, Removal, Store,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{change, message_at};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    api.post("/api/v1/forest/append", "Says something after a place", append)
        .post("/api/v1/forest/edit", "Gives a message another text", edit)
        .post("/api/v1/forest/split", "Cuts a message in two", split)
        .post("/api/v1/forest/join", "Puts the halves of a message together again", join)
        .post("/api/v1/forest/delete", "Hides messages; they can be restored", delete)
        .post("/api/v1/forest/restore", "Brings back a message or a tree", restore)
        .post("/api/v1/forest/title", "Gives a message a title, or takes it away", title)
        .post("/api/v1/forest/tags", "Gives a message tags, or takes them away", tags)
}

/// What to say, and where.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToAppend {
    /// The place after which it is said.
    place: Place,
    /// The messages, each with a role and content; `docs/forest.md` says how they look.
    messages: Vec<Value>,
    /// Whether white space at the ends of texts is passed over when equal messages are looked for.
    #[serde(default)]
    trim: bool,
}

/// What was said.
#[derive(Serialize, JsonSchema)]
struct AppendedView {
    /// Where the conversation ends now.
    end: Place,
    /// The messages that are new.
    created: Vec<NodeId>,
    /// How many stood there already.
    matched: usize,
    /// How many said nothing and were left out.
    blank: usize,
}

fn append(brain: &mut Brain, (): (), wish: ToAppend) -> Answered<AppendedView> {
    let count = wish.messages.len();
    if count == 0 {
        return Err(Failure::bad_request("there is no message to append"));
    }
    let mut messages = Vec::with_capacity(count);
    for (value, index) in wish.messages.into_iter().zip(1..) {
        let message = NewMessage::from_json(value)
            .map_err(|source| ForestError::InvalidMessage { index, source })?;
        messages.extend(message);
    }
    let left_out = count - messages.len();
    let matching = if wish.trim { Matching::Trimmed } else { Matching::Exact };
    change(brain, |forest| {
        let place = forest.place(wish.place)?;
        let appended = forest.append(place, messages, matching, Brain::now())?;
        forest.go_to(appended.end)?;
        Ok(AppendedView {
            end: appended.end,
            created: appended.created,
            matched: appended.matched,
            blank: appended.blank + left_out,
        })
    })
}

/// What to change.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToEdit {
    /// The message.
    node: NodeId,
    /// Its new text.
    text: String,
    /// Whether bookmarks stay on the message as it was.
    #[serde(default)]
    keep_bookmarks: bool,
}

/// What was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditedView {
    /// The message at which the new text ends.
    node: NodeId,
    /// The messages that are new.
    created: Vec<NodeId>,
    /// Whether the message itself was changed; the text before is kept with it.
    in_place: bool,
    /// The bookmarks that went to the new text.
    moved_bookmarks: Vec<String>,
}

fn edit(brain: &mut Brain, (): (), wish: ToEdit) -> Answered<EditedView> {
    let ToEdit { node, text, keep_bookmarks } = wish;
    let following = if keep_bookmarks { Following::Stay } else { Following::Follow };
    change(brain, |forest| {
        let node = message_at(forest, node.into())?;
        let edited = forest.edit(node, &text, following, Brain::now())?;
        forest.go_to(edited.node.into())?;
        Ok(EditedView {
            node: edited.node,
            created: edited.created,
            in_place: edited.in_place,
            moved_bookmarks: edited.moved_bookmarks,
        })
    })
}

/// Where to cut.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToSplit {
    /// The message.
    node: NodeId,
    /// How many Unicode characters the first half has; the cut moves on to where people see one character end.
    at: usize,
}

/// The halves.
#[derive(Serialize, JsonSchema)]
struct Halves {
    /// The first half, which is new.
    left: NodeId,
    /// The second half.
    right: NodeId,
}

fn split(brain: &mut Brain, (): (), ToSplit { node, at }: ToSplit) -> Answered<Halves> {
    change(brain, |forest| {
        let node = message_at(forest, node.into())?;
        let text = forest.message(node)?.joined_text();
        let position = text.char_indices().nth(at).map_or(text.len(), |(at, _)| at);
        let left = forest.split(node, position, Brain::now())?;
        Ok(Halves { left, right: forest.right_half(left, &text)? })
    })
}

/// A message.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneNode {
    /// The message.
    node: NodeId,
}

fn join(brain: &mut Brain, (): (), OneNode { node }: OneNode) -> Answered<OneNode> {
    change(brain, |forest| {
        let half = message_at(forest, node.into())?;
        let node = forest.join(forest.left_half(half)?, Brain::now())?;
        Ok(OneNode { node })
    })
}

/// What to hide.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ToDelete {
    /// The messages.
    nodes: Vec<NodeId>,
    /// Whether what follows stays, and takes their place.
    #[serde(default)]
    keep_children: bool,
    /// Whether bookmarks and other references to them are dropped.
    #[serde(default)]
    force: bool,
}

/// What was hidden.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedView {
    /// All messages that cannot be seen any more.
    removed: Vec<NodeId>,
    /// Those that can be restored; the others come back with them.
    restorable: Vec<NodeId>,
    /// The bookmarks that are gone.
    dropped_bookmarks: Vec<String>,
    /// The bookmarks that went to the message before.
    moved_bookmarks: Vec<String>,
}

fn delete(brain: &mut Brain, (): (), wish: ToDelete) -> Answered<DeletedView> {
    let deletion = if wish.keep_children { Deletion::Reparent } else { Deletion::Cascade };
    change(brain, |forest| {
        let mut places: Vec<Place> = Vec::new();
        for node in wish.nodes {
            places.push(message_at(forest, node.into())?.into());
        }
        let deleted = forest.delete(&places, deletion, wish.force, Brain::now())?;
        let mut restorable = Vec::new();
        for &node in &deleted.removed {
            let removal = forest.store().node(node)?.and_then(|node| node.removal.clone());
            // What went with another message comes back with that one.
            if matches!(removal, Some(Removal::Deleted { .. })) {
                restorable.push(node);
            }
        }
        let titles = |marks: Vec<Bookmark>| marks.into_iter().map(|mark| mark.title).collect();
        Ok(DeletedView {
            removed: deleted.removed,
            restorable,
            dropped_bookmarks: titles(deleted.dropped_bookmarks),
            moved_bookmarks: titles(deleted.moved_bookmarks),
        })
    })
}

/// What to bring back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToRestore {
    /// A message, or a whole tree.
    place: Place,
}

/// What is back.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RestoredView {
    /// The message or the tree; an equal message, if that was written in the meantime.
    place: Place,
    /// All messages that can be seen again; for a tree, everything that could be seen before.
    shown: Vec<NodeId>,
    /// Messages that had taken its place and follow it again.
    moved_back: Vec<NodeId>,
}

fn restore(brain: &mut Brain, (): (), ToRestore { place }: ToRestore) -> Answered<RestoredView> {
    change(brain, |forest| match place {
        Place::Root(root) => {
            forest.restore_root(root)?;
            Ok(RestoredView { place, shown: Vec::new(), moved_back: Vec::new() })
        }
        Place::Node(node) => {
            let back = forest.restore(node, Brain::now())?;
            let (shown, moved_back) = (back.shown, back.moved_back);
            Ok(RestoredView { place: back.node.into(), shown, moved_back })
        }
    })
}

/// A title.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTitle {
    /// The message.
    node: NodeId,
    /// Its title; none takes it away.
    title: Option<String>,
}

/// What a message is called.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TitleView {
    /// The message.
    node: NodeId,
    /// What is shown: the title, or how it begins.
    shown: String,
    /// The title given by a person.
    title: Option<String>,
    /// The title made by a machine.
    auto_title: Option<String>,
}

fn title(brain: &mut Brain, (): (), NewTitle { node, title }: NewTitle) -> Answered<TitleView> {
    change(brain, |forest| {
        let node = message_at(forest, node.into())?;
        forest.set_title(node, title.as_deref().unwrap_or_default())?;
        let found = forest.node(node)?;
        let (title, auto_title) = (found.metadata.title.clone(), found.metadata.auto_title.clone());
        Ok(TitleView { node, shown: forest.title(&found)?, title, auto_title })
    })
}

/// Tags.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTags {
    /// The message.
    node: NodeId,
    /// Those that it gets.
    #[serde(default)]
    add: Vec<String>,
    /// Those that it loses.
    #[serde(default)]
    remove: Vec<String>,
}

/// The tags of a message.
#[derive(Serialize, JsonSchema)]
struct TagsView {
    /// The message.
    node: NodeId,
    /// Its tags, in the order in which they were given.
    tags: Vec<String>,
}

fn tags(brain: &mut Brain, (): (), NewTags { node, add, remove }: NewTags) -> Answered<TagsView> {
    change(brain, |forest| {
        let node = message_at(forest, node.into())?;
        forest.tag(node, &add, &remove)?;
        Ok(TagsView { node, tags: forest.node(node)?.metadata.tags.clone() })
    })
}
