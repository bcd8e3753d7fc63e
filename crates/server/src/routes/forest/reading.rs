//! What stands in a tree: its shape, its messages, and the conversations in it.

use std::collections::HashSet;
use std::sync::Arc;

use pi_brain_app::{MessageGist, MessageView, Restorable, SideFacts};
use pi_brain_forest::{ForestError, Node, NodeId, Outline, Place, RootId};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{KeptForest, WhichRoot, open, open_if_there};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging, gone};

pub(super) fn add(api: Api) -> Api {
    api.get(
        "/api/v1/forest/roots/{root}/topology",
        "The shape of a tree without what is said, in the order of reading",
        topology,
    )
    .get("/api/v1/forest/gists", "Messages in a few words, for a tree that shows them", gists)
    .get("/api/v1/forest/message", "A message, with what is noted about it", message)
    .get("/api/v1/forest/path", "The conversation that leads to a place", path)
    .get("/api/v1/forest/context", "What a model would be given at a place", context)
    .get("/api/v1/forest/diff", "Where two conversations part, and what each says then", diff)
    .get("/api/v1/forest/deleted", "What can be restored, deleted last first", deleted)
}

/// How many bytes of messages are given at once; one that is larger comes alone.
const ENOUGH: usize = 4 << 20;

/// A part of a shape.
#[derive(Deserialize, JsonSchema)]
struct Part {
    /// How many messages at most.
    #[serde(default = "Part::usual")]
    #[schemars(range(min = 1, max = 50000))]
    limit: usize,
    /// Where to go on: `next` of the part before.
    #[serde(default)]
    cursor: usize,
}

impl Part {
    const MOST: usize = 50_000;

    fn usual() -> usize {
        10_000
    }
}

/// A message without what it says.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shape {
    /// Its name.
    id: NodeId,
    /// What it follows.
    parent: Place,
    /// What follows it, in order.
    children: Vec<NodeId>,
    /// Who speaks.
    role: &'static str,
    /// When it was made.
    created: Option<Millis>,
    /// What is worth a mark.
    flags: Vec<Flag>,
}

/// What is worth a mark on a message.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Flag {
    /// It comes from a session of pi, so that it stays as it is.
    Imported,
    /// Somebody gave it a title.
    Titled,
    /// It has tags.
    Tagged,
    /// A bookmark is on it.
    Bookmarked,
    /// The user is here.
    Current,
}

fn topology(brain: &mut Brain, (which, part): (WhichRoot, Part)) -> Answered<Listed<Shape>> {
    if !(1..=Part::MOST).contains(&part.limit) {
        return Err(Failure::bad_request(format!("limit has to be from 1 to {}", Part::MOST)));
    }
    let forest = open(brain)?;
    let outline = Outline::new(&forest, which.root.into())?;
    let marked: HashSet<NodeId> =
        forest.bookmarks()?.into_iter().map(|bookmark| bookmark.node).collect();
    let current = forest.current()?;
    let mut items = Vec::new();
    let order = outline.in_reading_order();
    let end = part.cursor.saturating_add(part.limit);
    for &at in order.iter().skip(part.cursor).take(part.limit) {
        let node = &outline.nodes[at];
        let flags = [
            (Flag::Imported, forest.is_imported(node.id)?),
            (Flag::Titled, node.metadata.title.is_some()),
            (Flag::Tagged, !node.metadata.tags.is_empty()),
            (Flag::Bookmarked, marked.contains(&node.id)),
            (Flag::Current, current == Some(node.id.into())),
        ];
        items.push(Shape {
            id: node.id,
            parent: node.parent,
            children: outline.children[at].iter().map(|&child| outline.nodes[child].id).collect(),
            role: node.role.as_str(),
            created: node.metadata.created,
            flags: flags.into_iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| flag).collect(),
        });
    }
    let total = order.len();
    Ok(Listed { items, total, next: (end < total).then(|| end.to_string()) })
}

/// Which message.
#[derive(Deserialize, JsonSchema)]
struct WhichNode {
    /// The message, such as `root-1/node-5`.
    node: NodeId,
}

fn message(brain: &mut Brain, (which,): (WhichNode,)) -> Answered<MessageView> {
    Ok(MessageView::new(&open(brain)?, which.node)?)
}

/// Which messages.
#[derive(Deserialize, JsonSchema)]
struct WhichNodes {
    /// The messages, such as `root-1/node-5,root-1/node-6`, 500 at most.
    nodes: String,
}

impl WhichNodes {
    const MOST: usize = 500;

    fn ids(&self) -> Answered<Vec<NodeId>> {
        let ids: Vec<&str> = self.nodes.split(',').filter(|id| !id.is_empty()).collect();
        if ids.len() > Self::MOST {
            let most = Self::MOST;
            return Err(Failure::bad_request(format!("at most {most} messages at once")));
        }
        let parse = |id: &str| id.parse().map_err(|error| ForestError::BadId(error).into());
        ids.into_iter().map(parse).collect()
    }
}

/// Those that are gone are left out: somebody may have deleted them since the shape was asked for.
fn gists(brain: &mut Brain, (which,): (WhichNodes,)) -> Answered<Vec<MessageGist>> {
    let (forest, mut found) = (open(brain)?, Vec::new());
    for id in which.ids()? {
        match MessageGist::new(&forest, id) {
            Err(ForestError::NodeNotFound(_) | ForestError::NodeDeleted(_)) => {}
            gist => found.push(gist?),
        }
    }
    Ok(found)
}

/// Which conversation.
#[derive(Deserialize, JsonSchema)]
struct Conversation {
    /// Its end, such as `root-1/node-5`.
    place: Place,
    /// A place before it, to begin there.
    from: Option<Place>,
}

fn path(
    brain: &mut Brain,
    (asked, paging): (Conversation, Paging),
) -> Answered<Listed<MessageView>> {
    let forest = open(brain)?;
    let nodes = forest.path(asked.from, asked.place)?;
    messages(&forest, &nodes, &paging)
}

/// Reads messages until there are enough.
fn messages(
    forest: &KeptForest,
    nodes: &[Arc<Node>],
    paging: &Paging,
) -> Answered<Listed<MessageView>> {
    let start = match &paging.cursor {
        None => 0,
        Some(cursor) => {
            let at = nodes.iter().position(|node| node.id.to_string() == *cursor);
            at.ok_or_else(gone)? + 1
        }
    };
    let (mut items, mut bytes) = (Vec::new(), 0);
    for node in nodes.iter().skip(start).take(paging.limit()?) {
        let view = MessageView::new(forest, node.id)?;
        bytes += size(&view)?;
        if bytes > ENOUGH && !items.is_empty() {
            break;
        }
        items.push(view);
    }
    let is_end = start + items.len() >= nodes.len();
    let next = items.last().map(|view: &MessageView| view.id.to_string()).filter(|_| !is_end);
    Ok(Listed { items, total: nodes.len(), next })
}

fn size(value: &impl Serialize) -> Answered<usize> {
    let json = serde_json::to_vec(value);
    Ok(json.map_err(|error| Failure::internal(error.to_string()))?.len())
}

/// Where, and how.
#[derive(Deserialize, JsonSchema)]
struct ContextAt {
    /// The place, such as `root-1/node-5`.
    place: Place,
    /// What stands between neighbouring texts of one speaker, which become one.
    #[serde(default)]
    separator: String,
    /// Where to go on: `next` of the part before.
    #[serde(default)]
    cursor: usize,
}

/// A part of what a model would be given.
#[derive(Serialize, JsonSchema)]
struct ContextPart {
    /// The system prompt.
    system: Option<String>,
    /// The messages.
    items: Vec<Value>,
    /// How many there are in all.
    total: usize,
    /// The cursor of the next part; none at the end.
    next: Option<usize>,
}

fn context(brain: &mut Brain, (at,): (ContextAt,)) -> Answered<ContextPart> {
    let context = open(brain)?.context(at.place, &at.separator)?;
    let total = context.messages.len();
    let (mut items, mut bytes, mut next) = (Vec::new(), 0, None);
    for (position, message) in context.messages.into_iter().enumerate().skip(at.cursor) {
        let message = Value::from(message);
        bytes += size(&message)?;
        if bytes > ENOUGH && !items.is_empty() {
            next = Some(position);
            break;
        }
        items.push(message);
    }
    Ok(ContextPart { system: context.system, items, total, next })
}

/// Which conversations.
#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The end of one.
    left: Place,
    /// The end of the other, in the same tree.
    right: Place,
}

/// Where two conversations part.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Parting {
    /// The last place that both share.
    base: Place,
    /// How many messages lead there.
    shared: usize,
    /// The tree in which both are.
    root: RootId,
    /// What only the left one says; `GET /api/v1/forest/path` from the base on gives the rest of a long one.
    left: Side,
    /// What only the right one says.
    right: Side,
}

/// What one of two conversations says after they parted.
#[derive(Serialize, JsonSchema)]
struct Side {
    /// Its end.
    end: Place,
    #[serde(flatten)]
    facts: SideFacts,
    /// The messages.
    path: Listed<MessageView>,
}

fn diff(brain: &mut Brain, (two, paging): (Two, Paging)) -> Answered<Parting> {
    if paging.cursor.is_some() {
        let text = "this is no list to go on in; GET /api/v1/forest/path gives the rest";
        return Err(Failure::bad_request(text));
    }
    let forest = open(brain)?;
    let diff = forest.diff(two.left, two.right)?;
    let side = |end: Place, nodes: &[Arc<Node>]| -> Answered<Side> {
        let facts = SideFacts::of(&forest, nodes)?;
        Ok(Side { end: forest.place(end)?, facts, path: messages(&forest, nodes, &paging)? })
    };
    Ok(Parting {
        base: diff.base,
        shared: diff.shared,
        root: diff.base.root(),
        left: side(two.left, &diff.left)?,
        right: side(two.right, &diff.right)?,
    })
}

fn deleted(brain: &mut Brain, (paging,): (Paging,)) -> Answered<Listed<Restorable>> {
    let found = match open_if_there(brain)? {
        Some(forest) => Restorable::all(&forest)?,
        None => Vec::new(),
    };
    paging.cut(found, |one| one.place.to_string())
}
