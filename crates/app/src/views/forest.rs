//! Trees and messages of a forest.

use std::collections::HashMap;
use std::sync::Arc;

use pi_brain_forest::{
    Counts, FamilyCost, Forest, ImportReport, ImportedSession, News, NodeId, Outline, Place,
    Removal, Result, Root, RootId, SessionRecord, Store,
};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::gist::Gist;
use crate::plain::one_line;

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
}

impl TreeSummary {
    /// Summarises a tree; nothing of a deleted one can be seen.
    pub fn new<S: Store>(forest: &Forest<S>, root: Arc<Root>) -> Result<Self> {
        let mut sessions = forest.store().sessions()?;
        sessions.retain(|session| session.root == root.id);
        sessions.sort_by_key(|session| (session.created, session.no));
        let (mut counts, mut last, mut first_words) = (Counts::default(), None, String::new());
        if root.deleted.is_none() {
            let outline = Outline::new(forest, root.id.into())?;
            if let Some(&first) = outline.tops.first() {
                let message = forest.store().message(outline.nodes[first].id)?;
                first_words = Gist::of_message(&message).words;
            }
            (counts, last) = (outline.counts(), outline.last());
        }
        Ok(Self { root, counts, sessions, last, first_words })
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

    /// Returns it as programs are shown it.
    pub fn view(&self) -> RootView {
        RootView {
            id: self.root.id,
            created: self.root.created,
            deleted: self.root.deleted,
            system_prompt: self.root.system_prompt.clone(),
            family: self.root.family.clone(),
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

/// A bookmark, or a label of imported sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BookmarkView {
    /// Its name.
    pub title: String,
    /// Where it is.
    pub node: Place,
    /// Which of the two it is.
    pub kind: BookmarkKind,
    /// The sessions that have the label; a bookmark is nobody's.
    pub sessions: Vec<String>,
    /// When it was made.
    pub created: Option<Millis>,
    /// How the message begins.
    pub words: String,
}

/// What gives a message a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BookmarkKind {
    /// Somebody put it on a message of the forest.
    Bookmark,
    /// It came with sessions of pi.
    Label,
}

impl BookmarkView {
    /// Lists all bookmarks, then the labels of imported sessions.
    pub fn all<S: Store>(forest: &Forest<S>) -> Result<Vec<Self>> {
        let words = |node: NodeId| -> Result<String> {
            Ok(Gist::of_message(&*forest.store().message(node)?).words)
        };
        let mut views: Vec<Self> = Vec::new();
        for bookmark in forest.bookmarks()? {
            views.push(Self {
                words: words(bookmark.node)?,
                title: bookmark.title,
                node: bookmark.node.into(),
                kind: BookmarkKind::Bookmark,
                sessions: Vec::new(),
                created: Some(bookmark.created),
            });
        }
        for session in forest.store().sessions()? {
            for label in &session.labels {
                let Ok(place) = forest.place(label.place) else { continue };
                // A fork has the labels of the session that it came from.
                let is_same = |view: &&mut Self| {
                    view.kind == BookmarkKind::Label
                        && view.node == place
                        && view.title == label.text
                };
                if let Some(view) = views.iter_mut().find(is_same) {
                    view.sessions.push(session.id.clone());
                    continue;
                }
                views.push(Self {
                    title: label.text.clone(),
                    node: place,
                    kind: BookmarkKind::Label,
                    sessions: vec![session.id.clone()],
                    created: label.time.as_deref().and_then(Millis::parse),
                    words: place.node().map_or_else(|| Ok(String::new()), words)?,
                });
            }
        }
        Ok(views)
    }
}

/// What an import did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ImportView {
    /// The sessions, in the order in which they were given.
    pub sessions: Vec<ImportedView>,
    /// Trees that turned out to be part of another.
    pub joined: Vec<JoinedView>,
    /// The trees that the sessions live in.
    pub trees: Vec<ImportedTree>,
}

/// A session that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its file.
    pub file: String,
    /// The tree that it lives in.
    pub root: RootId,
    /// What the file was to the forest.
    pub news: ImportNews,
    /// How many entries were read that were not known before.
    pub entries: usize,
    /// How many messages are new in the tree.
    pub messages: usize,
    /// How many of its new messages stood in the tree already.
    pub shared: usize,
}

/// What a file is to a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ImportNews {
    /// Not seen before.
    #[serde(rename = "new")]
    New,
    /// Known, with something behind what is known.
    #[serde(rename = "has grown")]
    Grown,
    /// Known, and written anew.
    #[serde(rename = "was rewritten")]
    Rewritten,
    /// Known as it is.
    #[serde(rename = "known")]
    Unchanged,
}

impl From<News> for ImportNews {
    fn from(news: News) -> Self {
        match news {
            News::New => Self::New,
            News::Grown => Self::Grown,
            News::Rewritten => Self::Rewritten,
            News::Unchanged => Self::Unchanged,
        }
    }
}

/// A tree that is part of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JoinedView {
    /// The tree that it was.
    pub root: RootId,
    /// The tree that it is part of.
    pub into: RootId,
}

/// A tree that sessions were imported into.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ImportedTree {
    /// The tree.
    #[serde(flatten)]
    pub root: RootView,
    /// What its sessions cost.
    pub cost: CostView,
}

/// What the sessions of a family cost, in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CostView {
    /// Every answer once.
    pub honest: f64,
    /// Every line of every file, as somebody gets who adds up the files.
    pub naive: f64,
}

impl From<&FamilyCost> for CostView {
    fn from(cost: &FamilyCost) -> Self {
        Self { honest: cost.honest.cost, naive: cost.naive.cost }
    }
}

impl ImportView {
    /// Tells of an import; the trees come with everything else that is told about them.
    pub fn new<S: Store>(
        forest: &Forest<S>,
        report: &ImportReport,
    ) -> Result<(Self, Vec<(TreeSummary, FamilyCost)>)> {
        let (mut sessions, mut roots) = (Vec::new(), Vec::<RootId>::new());
        for imported in &report.sessions {
            // A later session of the same import may have joined trees.
            let Some(record) = forest.store().session(imported.session)? else { continue };
            sessions.push(ImportedView {
                id: record.id.clone(),
                name: record.name.clone(),
                file: record.file.clone(),
                root: record.root,
                news: imported.news.into(),
                entries: imported.entries,
                messages: imported.messages,
                shared: shared(imported, &record),
            });
            if !roots.contains(&record.root) {
                roots.push(record.root);
            }
        }
        let mut trees = Vec::new();
        for root in roots {
            let summary = TreeSummary::new(forest, forest.root(root)?)?;
            trees.push((summary, forest.family_cost(root)?));
        }
        let joined = report.joined.iter().map(|&(root, into)| JoinedView { root, into });
        let views = trees
            .iter()
            .map(|(summary, cost)| ImportedTree { root: summary.view(), cost: cost.into() });
        let view = Self { sessions, joined: joined.collect(), trees: views.collect() };
        Ok((view, trees))
    }
}

/// Returns how many of a session's new messages stood in the tree already.
fn shared(session: &ImportedSession, record: &SessionRecord) -> usize {
    let new = record.entries.len().saturating_sub(session.entries);
    let messages = record.entries[new..].iter().filter(|entry| entry.own).count();
    messages.saturating_sub(session.messages)
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
