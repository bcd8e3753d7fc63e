//! The shape of a session: which of its entries are shown, and what each follows.

use std::collections::{HashMap, HashSet};
use std::io;

use pi_brain_session::{Body, Branches, EntryId, Label, Role, Session, Tree, labels};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gist::Gist;
use crate::plain::fit;

/// Which entries are shown: the filters of pi's own tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TreeFilter {
    /// What was said and done.
    #[default]
    Default,
    /// The same without tool results.
    NoTools,
    /// Only what a person said.
    UserOnly,
    /// Only entries with a label.
    LabeledOnly,
    /// Every line of the file.
    All,
}

/// An entry in its tree.
#[expect(clippy::struct_excessive_bools, reason = "each is true or not by itself")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeEntry {
    /// The entry's id; a damaged line may have none.
    pub id: Option<String>,
    /// The nearest entry above it that is shown.
    pub parent_id: Option<String>,
    /// Its line. It tells more than the id: old files have no ids, and damaged ones the same twice.
    pub parent_line: Option<u64>,
    /// The line of the file, counted from 1.
    pub line: u64,
    /// What kind of entry it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who speaks, if it is a message.
    pub role: Option<String>,
    /// When it was written.
    pub timestamp: Option<String>,
    /// How many entries stand above it.
    pub depth: usize,
    /// Its label.
    pub label: Option<String>,
    /// Whether pi would go on here.
    pub is_leaf: bool,
    /// Whether it is on the way to where pi would go on.
    pub on_current_branch: bool,
    /// Whether the conversation goes on in several ways after it.
    pub is_branch_point: bool,
    /// Whether it tells of something that failed: a tool, or an answer that broke off.
    pub is_failure: bool,
    /// How it begins, on one line.
    pub text: String,
}

/// A session as a tree, of which some entries are shown. The way to the leaf is its trunk.
#[derive(Debug)]
pub struct SessionTree<'a> {
    session: &'a Session,
    tree: &'a Tree,
    labels: HashMap<EntryId, Label>,
    filter: TreeFilter,
    trunk: HashSet<usize>,
    leaf: Option<usize>,
}

impl<'a> SessionTree<'a> {
    /// Looks at a session through a filter.
    pub fn new(session: &'a Session, tree: &'a Tree, filter: TreeFilter) -> Self {
        let leaf = tree.leaf();
        Self {
            session,
            tree,
            labels: labels(session.log()).into_iter().collect(),
            filter,
            trunk: leaf.map_or_else(Vec::new, |leaf| tree.branch(leaf)).into_iter().collect(),
            leaf,
        }
    }

    /// Returns the session.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// Returns all of its entries as a tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// Returns the label of an entry.
    pub fn label(&self, at: usize) -> Option<&Label> {
        self.labels.get(self.session.log().entries()[at].id.as_ref()?)
    }

    /// Returns whether pi would go on after an entry.
    pub fn is_leaf(&self, at: usize) -> bool {
        self.leaf == Some(at)
    }

    /// Returns whether an entry is on the way to the leaf.
    pub fn is_trunk(&self, at: usize) -> bool {
        self.trunk.contains(&at)
    }

    /// Returns whether an entry is shown: the rules of pi's own tree, as far as they are the same for everybody.
    pub fn is_shown(&self, at: usize) -> io::Result<bool> {
        let entry = &self.session.log().entries()[at];
        if self.leaf == Some(at) || self.filter == TreeFilter::All {
            return Ok(true);
        }
        Ok(match self.filter {
            TreeFilter::UserOnly => entry.role() == Some(&Role::User),
            TreeFilter::LabeledOnly => self.label(at).is_some(),
            _ => match &entry.body {
                Body::Message(message) => match message.role {
                    Role::Assistant => self.says_something(at)?,
                    Role::ToolResult => self.filter != TreeFilter::NoTools,
                    Role::System => false,
                    _ => true,
                },
                Body::Compaction { .. } | Body::BranchSummary { .. } | Body::Other { .. } => true,
                Body::CustomMessage { display, .. } => *display,
                _ => false,
            },
        })
    }

    /// Answers that only call tools are not shown; their results are.
    fn says_something(&self, at: usize) -> io::Result<bool> {
        let ended = self.stop_reason(at);
        let failed = !matches!(ended, None | Some("stop" | "toolUse"));
        Ok(failed || !Gist::of(self.session, at)?.words.starts_with('→'))
    }

    /// Returns how an answer ended.
    fn stop_reason(&self, at: usize) -> Option<&str> {
        let message = self.session.log().entries()[at].message()?;
        message.reply.as_ref()?.stop_reason.as_deref()
    }

    /// Lists entries that are shown, each with the nearest shown one above it: a program can build the tree, however deep
    /// it is. Of all these, `chosen` says by its position among them which are wanted. Returns how many there are in all,
    /// too.
    pub fn list(
        &self,
        mut chosen: impl FnMut(usize) -> bool,
    ) -> io::Result<(Vec<TreeEntry>, usize)> {
        const COLUMNS: usize = 200;
        let entries = self.session.log().entries();
        let depths = self.tree.depths();
        let branches = Branches::new(self.session.log(), self.tree);
        let shown: Vec<bool> =
            (0..entries.len()).map(|at| self.is_shown(at)).collect::<io::Result<_>>()?;
        let parents = self.parents_among(|at| shown[at]);
        let named = self.parents_among(|at| shown[at] && entries[at].id.is_some());
        let (mut list, mut total) = (Vec::new(), 0);
        for (at, entry) in entries.iter().enumerate().filter(|&(at, _)| shown[at]) {
            total += 1;
            if !chosen(total - 1) {
                continue;
            }
            let id = |at: usize| entries[at].id.as_ref().map(ToString::to_string);
            let gist = Gist::of(self.session, at)?;
            list.push(TreeEntry {
                id: id(at),
                parent_id: named[at].and_then(id),
                parent_line: parents[at].map(|parent| entries[parent].line),
                line: entry.line,
                kind: entry.kind().to_owned(),
                role: entry.role().map(|role| role.as_str().to_owned()),
                timestamp: entry.timestamp.map(|time| time.to_string()),
                depth: depths[at],
                label: self.label(at).map(|label| label.text.to_string()),
                is_leaf: self.is_leaf(at),
                on_current_branch: self.is_trunk(at),
                is_branch_point: branches.is_point(at),
                is_failure: gist.is_failure || self.stop_reason(at) == Some("error"),
                text: fit(&gist.words, COLUMNS),
            });
        }
        Ok((list, total))
    }

    /// Finds for each entry the nearest one above it that is meant.
    fn parents_among(&self, is_meant: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.session.log().entries().len()];
        let mut open: Vec<usize> = self.tree.roots().to_vec();
        while let Some(at) = open.pop() {
            let nearest = if is_meant(at) { Some(at) } else { parents[at] };
            for &child in self.tree.children(at) {
                parents[child] = nearest;
                open.push(child);
            }
        }
        parents
    }
}
