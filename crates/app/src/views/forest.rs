//! Trees and messages of a forest.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use pi_brain_forest::{
    Bookmark, Counts, Forest, NodeId, Outline, Place, Removal, Result, Root, RootId, SessionRecord,
    Store,
};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::gist::Gist;
use crate::plain::{fit, one_line};

/// How many columns of its first message stand for the title of a tree.
const TITLE: usize = 120;

/// How many columns of a message stand for it in a tree.
const GIST: usize = 160;

/// A tree in a list, with everything that is told about it.
#[derive(Clone, Debug)]
pub struct TreeSummary {
    /// Where it begins.
    pub root: Arc<Root>,
    /// How large it is.
    pub counts: Counts,
    /// The sessions in it, oldest first.
    pub sessions: Vec<Arc<SessionRecord>>,
    /// When the last message was written.
    pub last: Option<Millis>,
    /// How its first message begins.
    first_words: String,
    /// What somebody called its first message.
    title: Option<String>,
    /// How many bookmarks are in it.
    bookmarks: usize,
    /// The tags in it.
    tags: BTreeSet<String>,
}

impl TreeSummary {
    /// Summarises a tree; nothing of a deleted one can be seen.
    pub fn new<S: Store>(forest: &Forest<S>, root: Arc<Root>) -> Result<Self> {
        let mut sessions = forest.store().sessions()?;
        sessions.retain(|session| session.root == root.id);
        sessions.sort_by_key(|session| (session.created, session.no));
        let mut summary = Self {
            counts: Counts::default(),
            sessions,
            last: None,
            first_words: String::new(),
            title: None,
            bookmarks: 0,
            tags: BTreeSet::new(),
            root,
        };
        if summary.root.deleted.is_some() {
            return Ok(summary);
        }
        let outline = Outline::new(forest, summary.root.id.into())?;
        if let Some(&first) = outline.tops.first() {
            let first = &outline.nodes[first];
            summary.first_words = Gist::of_message(&*forest.store().message(first.id)?).words;
            summary.title.clone_from(&first.metadata.title);
        }
        let is_here = |bookmark: &&Bookmark| bookmark.node.root() == summary.root.id;
        summary.bookmarks = forest.bookmarks()?.iter().filter(is_here).count();
        let tags = outline.nodes.iter().flat_map(|node| node.metadata.tags.iter().cloned());
        summary.tags = tags.collect();
        (summary.counts, summary.last) = (outline.counts(), outline.last());
        Ok(summary)
    }

    /// Summarises all trees.
    pub fn all<S: Store>(forest: &Forest<S>, deleted_too: bool) -> Result<Vec<Self>> {
        let mut roots = forest.roots()?;
        if deleted_too {
            roots = forest.store().roots()?;
            roots.retain(|root| root.joined.is_none());
        }
        roots.into_iter().map(|root| Self::new(forest, root)).collect()
    }

    /// Says what a tree is: its prompt, or what the family of sessions in it is about.
    pub fn words(&self) -> String {
        let Some(_) = self.root.family else {
            return match self.root.system_prompt.as_deref() {
                None => "no system prompt".to_owned(),
                Some("") => "an empty system prompt".to_owned(),
                Some(prompt) => format!("“{}”", one_line(prompt)),
            };
        };
        let named = self.sessions.iter().find_map(|session| session.name.as_deref());
        named.map_or_else(|| self.first_words.clone(), one_line)
    }

    /// Returns what a tree is called: the title of its first message, the name of its sessions, or how it begins.
    fn title(&self) -> String {
        let named = self.sessions.iter().find_map(|session| session.name.as_deref());
        let name = self.title.as_deref().or(named).map(one_line);
        name.unwrap_or_else(|| fit(&self.first_words, TITLE))
    }

    /// Returns it as programs are shown it.
    pub fn view(&self) -> RootView {
        RootView {
            id: self.root.id,
            created: self.root.created,
            deleted: self.root.deleted,
            system_prompt: self.root.system_prompt.clone(),
            family: self.root.family.clone(),
            title: self.title(),
            bookmarks: self.bookmarks,
            tags: self.tags.iter().cloned().collect(),
            messages: self.counts.messages,
            leaves: self.counts.leaves,
            branch_points: self.counts.branch_points,
            sessions: self.sessions.iter().map(|session| session.id.clone()).collect(),
            last: self.last,
        }
    }
}

/// A tree in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RootView {
    /// Its name.
    pub id: RootId,
    /// When it was made.
    pub created: Millis,
    /// When it was deleted.
    pub deleted: Option<Millis>,
    /// The system prompt; an empty one is not the same as none.
    pub system_prompt: Option<String>,
    /// The oldest session of the family that lives here; trees made by hand have none.
    pub family: Option<String>,
    /// What it is called: a title or a name that somebody gave it, else how it begins; empty while nothing is in it.
    pub title: String,
    /// How many bookmarks are in it.
    pub bookmarks: usize,
    /// The tags of its messages.
    pub tags: Vec<String>,
    /// How many messages it has.
    pub messages: usize,
    /// How many of them nothing follows.
    pub leaves: usize,
    /// After how many places several messages follow.
    pub branch_points: usize,
    /// The sessions in it, oldest first.
    pub sessions: Vec<String>,
    /// When the last message was written.
    pub last: Option<Millis>,
}

/// A message, with what is noted about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    /// Its name.
    pub id: NodeId,
    /// What it follows.
    pub parent: Place,
    /// When it was made.
    pub created: Option<Millis>,
    /// When its text was last changed in place.
    pub edited: Option<Millis>,
    /// A title given by a person.
    pub title: Option<String>,
    /// A title made by a machine.
    pub auto_title: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Anything else that is noted.
    pub custom_data: Value,
    /// Where it comes from.
    pub source: Value,
    /// The message that this one was cut off from.
    pub split_source: Option<NodeId>,
    /// Whether it comes from a session of pi, so that it stays as it is.
    pub is_imported: bool,
    /// The message itself.
    pub message: Value,
}

impl MessageView {
    /// Returns a message that is there.
    pub fn new<S: Store>(forest: &Forest<S>, id: NodeId) -> Result<Self> {
        let node = forest.node(id)?;
        let metadata = &node.metadata;
        let source = serde_json::to_value(&metadata.source);
        Ok(Self {
            id: node.id,
            parent: node.parent,
            created: metadata.created,
            edited: metadata.edited,
            title: metadata.title.clone(),
            auto_title: metadata.auto_title.clone(),
            tags: metadata.tags.clone(),
            custom_data: Value::Object(metadata.custom_data.clone()),
            source: source.expect("what was read from JSON is JSON again"),
            split_source: metadata.split_source,
            is_imported: forest.is_imported(node.id)?,
            message: (*forest.store().message(node.id)?).clone().into(),
        })
    }
}

/// A message in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MessageGist {
    /// Its name.
    pub id: NodeId,
    /// A word for whoever speaks, or for what happens.
    pub who: &'static str,
    /// Its title, or how it begins.
    pub words: String,
}

impl MessageGist {
    /// Says a message that is there in a few words.
    pub fn new<S: Store>(forest: &Forest<S>, id: NodeId) -> Result<Self> {
        let node = forest.node(id)?;
        let gist = Gist::of_message(&*forest.store().message(node.id)?);
        let words = node.metadata.title.as_deref().unwrap_or(&gist.words);
        Ok(Self { id: node.id, who: gist.who, words: fit(&one_line(words), GIST) })
    }
}

/// Something that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Restorable {
    /// A message, or a whole tree.
    pub place: Place,
    /// When it was deleted.
    pub deleted: Millis,
    /// How many messages come back with it, itself included.
    pub messages: usize,
    /// What it says, or is about.
    pub words: String,
}

impl Restorable {
    /// Finds what can be brought back, what was deleted last first.
    pub fn all<S: Store>(forest: &Forest<S>) -> Result<Vec<Self>> {
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
            let Some(Removal::Deleted { at: deleted, .. }) = node.removal else { continue };
            let messages = 1 + gone_with.get(&node.id).copied().unwrap_or_default();
            let words = Gist::of_message(&*forest.store().message(node.id)?).words;
            found.push(Self { place: node.id.into(), deleted, messages, words });
        }
        for root in forest.store().roots()? {
            let Some(deleted) = root.deleted else { continue };
            let nodes = forest.store().nodes(root.id)?;
            let messages = nodes.iter().filter(|node| node.is_visible()).count();
            let place = root.id.into();
            let words = TreeSummary::new(forest, root)?.words();
            found.push(Self { place, deleted, messages, words });
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.deleted));
        Ok(found)
    }
}
