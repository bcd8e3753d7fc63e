//! Sessions that came into a forest.

use pi_brain_forest::{
    FamilyCost, Forest, ImportReport, ImportedSession, News, Result, RootId, SessionRecord, Store,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::forest::{RootView, TreeSummary};

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
