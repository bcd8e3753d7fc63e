//! `pi-brain session tree`: the shape of a session, drawn. The way to the leaf is its trunk.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use pi_brain_session::{Body, Branches, EntryId, Label, Role, Session, Tree, View, labels};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::drawing::{Drawable, draw};
use super::{print_json, say};
use crate::args::{Filter, TreeOptions};
use crate::describe::{BOLD, DIM, LABEL, describe, one_line};
use crate::locate::Locations;
use crate::pager::Output;
use crate::table::{fit, room};

pub(crate) fn run(locations: &Locations, options: &TreeOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.read.session, View::Repaired)?;
    let picture = Picture::new(&session, &tree, options);
    if options.read.json {
        return print_json(&picture.to_json()?);
    }
    if session.log().entries().is_empty() {
        return say!("The session is empty.");
    }
    let mut out = Output::open(true, None);
    let drawn = draw(&mut out, &picture, options.full);
    out.finish()?;
    drawn
}

struct Picture<'a> {
    session: &'a Session,
    tree: &'a Tree,
    labels: HashMap<EntryId, Label>,
    filter: Filter,
    /// The entries on the way to the leaf.
    trunk: HashSet<usize>,
    leaf: Option<usize>,
}

impl<'a> Picture<'a> {
    fn new(session: &'a Session, tree: &'a Tree, options: &TreeOptions) -> Self {
        let leaf = tree.leaf();
        Self {
            session,
            tree,
            labels: labels(session.log()).into_iter().collect(),
            filter: options.filter,
            trunk: leaf.map_or_else(Vec::new, |leaf| tree.branch(leaf)).into_iter().collect(),
            leaf,
        }
    }

    fn label(&self, at: usize) -> Option<&Label> {
        self.labels.get(self.session.log().entries()[at].id.as_ref()?)
    }

    /// The rules of pi's own tree, as far as they are the same for everybody.
    fn is_shown(&self, at: usize) -> io::Result<bool> {
        let entry = &self.session.log().entries()[at];
        if self.leaf == Some(at) || self.filter == Filter::All {
            return Ok(true);
        }
        Ok(match self.filter {
            Filter::UserOnly => entry.role() == Some(&Role::User),
            Filter::LabeledOnly => self.label(at).is_some(),
            _ => match &entry.body {
                Body::Message(message) => match message.role {
                    Role::Assistant => self.says_something(at)?,
                    Role::ToolResult => self.filter != Filter::NoTools,
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
        let entry = &self.session.log().entries()[at];
        let ended =
            entry.message().and_then(|message| message.reply.as_ref()?.stop_reason.as_deref());
        let failed = !matches!(ended, None | Some("stop" | "toolUse"));
        Ok(failed || !describe(self.session, at)?.words.starts_with('→'))
    }

    /// Lists the entries that are shown, each with the nearest shown one above it: a program can build
    /// the tree, however deep it is.
    fn to_json(&self) -> io::Result<serde_json::Value> {
        let entries = self.session.log().entries();
        let depths = self.tree.depths();
        let branches = Branches::new(self.session.log(), self.tree);
        let shown: Vec<bool> =
            (0..entries.len()).map(|at| self.is_shown(at)).collect::<io::Result<_>>()?;
        let parents = self.parents_among(&shown);
        let mut list = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            if !shown[at] {
                continue;
            }
            let description = describe(self.session, at)?;
            list.push(json!({
                "id": entry.id,
                "parentId": parents[at].and_then(|parent| entries[parent].id.as_ref()),
                "line": entry.line,
                "type": entry.kind(),
                "role": entry.role().map(Role::as_str),
                "timestamp": entry.timestamp.map(|time| time.to_string()),
                "depth": depths[at],
                "label": self.label(at).map(|label| &label.text),
                "isLeaf": self.leaf == Some(at),
                "onCurrentBranch": self.trunk.contains(&at),
                "isBranchPoint": branches.is_point(at),
                "text": fit(&description.words, 200),
            }));
        }
        Ok(list.into())
    }

    /// Finds for each entry the nearest one above it that is shown and can be named.
    fn parents_among(&self, shown: &[bool]) -> Vec<Option<usize>> {
        let entries = self.session.log().entries();
        let mut parents = vec![None; shown.len()];
        let mut open: Vec<usize> = self.tree.roots().to_vec();
        while let Some(at) = open.pop() {
            let is_named = shown[at] && entries[at].id.is_some();
            let nearest = if is_named { Some(at) } else { parents[at] };
            for &child in self.tree.children(at) {
                parents[child] = nearest;
                open.push(child);
            }
        }
        parents
    }
}

impl Drawable for Picture<'_> {
    const MEMBERS: (&'static str, &'static str) = ("entry", "entries");

    fn len(&self) -> usize {
        self.session.log().entries().len()
    }

    fn tops(&self) -> &[usize] {
        self.tree.roots()
    }

    fn children(&self, at: usize) -> &[usize] {
        self.tree.children(at)
    }

    fn is_trunk(&self, at: usize) -> bool {
        self.trunk.contains(&at)
    }

    fn shows(&self, at: usize) -> anyhow::Result<bool> {
        Ok(self.is_shown(at)?)
    }

    fn is_special(&self, at: usize) -> bool {
        let body = &self.session.log().entries()[at].body;
        self.label(at).is_some()
            || self.leaf == Some(at)
            || matches!(body, Body::Compaction { .. } | Body::BranchSummary { .. })
    }

    fn draw_line(
        &self,
        out: &mut impl Write,
        at: usize,
        lead: &str,
        _not_shown: usize,
    ) -> anyhow::Result<()> {
        let entry = &self.session.log().entries()[at];
        let id = entry.id.as_ref().map_or("--------", EntryId::as_str);
        let id: String = one_line(id).chars().take(8).collect();
        let is_leaf = self.leaf == Some(at);
        let mark = if is_leaf {
            "◆"
        } else if self.trunk.contains(&at) {
            "●"
        } else {
            "○"
        };
        let label = self
            .label(at)
            .map(|label| format!("  [{}]", one_line(&label.text)))
            .unwrap_or_default();
        let end = if is_leaf { "  ← leaf" } else { "" };
        let description = describe(self.session, at)?;
        let style = description.style;
        let used = lead.width() + 2 + 9 + 11 + label.width() + end.width();
        let words = fit(&description.words, room(used));
        writeln!(
            out,
            "{DIM}{lead}{DIM:#}{mark} {DIM}{id}{DIM:#} {style}{:<10}{style:#} {words}{LABEL}{label}{LABEL:#}{BOLD}{end}{BOLD:#}",
            description.who
        )?;
        Ok(())
    }
}
