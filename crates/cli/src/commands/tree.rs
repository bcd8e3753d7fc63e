//! `pi-brain session tree`: the shape of a session, drawn.
//!
//! The way to the leaf runs straight down the left side; other branches are drawn beside it, each at the
//! point where it left. Runs without anything special in them are folded.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use pi_brain_session::{Body, Branches, EntryId, Label, Role, Session, Tree, View, labels};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::print_json;
use crate::args::{Filter, TreeOptions};
use crate::describe::{BOLD, DIM, LABEL, describe, one_line};
use crate::locate::Locations;
use crate::pager::Output;
use crate::table::{fit, how_many, room};

pub(crate) fn run(locations: &Locations, options: &TreeOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.read.session, View::Repaired)?;
    let picture = Picture::new(&session, &tree, options);
    if options.read.json {
        return print_json(&picture.to_json()?);
    }
    let mut out = Output::open(true, None);
    let drawn = picture.draw(&mut out);
    out.finish()?;
    Ok(drawn?)
}

struct Picture<'a> {
    session: &'a Session,
    tree: &'a Tree,
    labels: HashMap<EntryId, Label>,
    filter: Filter,
    /// Runs that are longer than this are folded.
    longest_run: usize,
    /// The entries on the way to the leaf.
    trunk: HashSet<usize>,
    leaf: Option<usize>,
}

/// One line of the drawing.
enum Line {
    Entry(usize),
    Folded(usize),
}

impl<'a> Picture<'a> {
    fn new(session: &'a Session, tree: &'a Tree, options: &TreeOptions) -> Self {
        let leaf = tree.leaf();
        Self {
            session,
            tree,
            labels: labels(session.log()).into_iter().collect(),
            filter: options.filter,
            longest_run: if options.full { usize::MAX } else { 6 },
            trunk: leaf.map_or_else(Vec::new, |leaf| tree.branch(leaf)).into_iter().collect(),
            leaf,
        }
    }

    fn draw(&self, out: &mut impl Write) -> io::Result<()> {
        if self.session.log().entries().is_empty() {
            return writeln!(out, "The session is empty.");
        }
        // A column is one branch: where it starts, and how far it is set in.
        let roots = self.tree.roots().iter().rev();
        let mut columns: Vec<(usize, usize)> = roots.map(|&root| (root, 0)).collect();
        while let Some((start, level)) = columns.pop() {
            let (run, next) = self.run_from(start);
            self.draw_run(out, &run, level)?;
            // The newest branch (or the one with the leaf) goes on below; the others come first.
            if let Some((last, others)) = self.order(next).split_last() {
                columns.push((*last, level));
                columns.extend(others.iter().rev().map(|&at| (at, level + 1)));
            }
        }
        Ok(())
    }

    /// Follows a branch until it splits or ends; returns its entries, and where it goes on.
    fn run_from(&self, start: usize) -> (Vec<usize>, &'a [usize]) {
        let mut run = vec![start];
        loop {
            match self.tree.children(run[run.len() - 1]) {
                [only] => run.push(*only),
                next => return (run, next),
            }
        }
    }

    fn order(&self, children: &[usize]) -> Vec<usize> {
        let mut order = children.to_vec();
        order.sort_by_key(|at| self.trunk.contains(at));
        order
    }

    fn draw_run(&self, out: &mut impl Write, run: &[usize], level: usize) -> io::Result<()> {
        const DEEPEST: usize = 20;
        let bars = "│  ".repeat(level.min(DEEPEST));
        let (before, corner) = match bars.strip_suffix("│  ") {
            Some(before) => (before, "├─ "),
            None => ("", ""),
        };
        for (number, line) in self.fold(run)?.into_iter().enumerate() {
            let lead = if number == 0 { format!("{before}{corner}") } else { bars.clone() };
            match line {
                Line::Entry(at) => self.draw_entry(out, at, &lead)?,
                Line::Folded(hidden) => {
                    let more = how_many(hidden, "more entry", "more entries");
                    writeln!(out, "{DIM}{lead}┊ {more}{DIM:#}")?;
                }
            }
        }
        Ok(())
    }

    /// Leaves out what the filter hides, and the middle of long runs.
    fn fold(&self, run: &[usize]) -> io::Result<Vec<Line>> {
        const KEPT_AT_EACH_END: usize = 2;
        let mut lines = Vec::new();
        let mut plain: Vec<usize> = Vec::new();
        let flush = |plain: &mut Vec<usize>, lines: &mut Vec<Line>| {
            let folds = plain.len() > self.longest_run;
            for (number, &at) in plain.iter().enumerate() {
                let at_an_end =
                    number < KEPT_AT_EACH_END || number + KEPT_AT_EACH_END >= plain.len();
                if !folds || at_an_end {
                    lines.push(Line::Entry(at));
                } else if number == KEPT_AT_EACH_END {
                    lines.push(Line::Folded(plain.len() - 2 * KEPT_AT_EACH_END));
                }
            }
            plain.clear();
        };
        for &at in run {
            if !self.shows(at)? {
                continue;
            }
            if self.is_special(at) {
                flush(&mut plain, &mut lines);
                lines.push(Line::Entry(at));
            } else {
                plain.push(at);
            }
        }
        flush(&mut plain, &mut lines);
        Ok(lines)
    }

    /// Whether an entry is worth a line even in the middle of a long run.
    fn is_special(&self, at: usize) -> bool {
        let body = &self.session.log().entries()[at].body;
        self.label(at).is_some()
            || self.leaf == Some(at)
            || matches!(body, Body::Compaction { .. } | Body::BranchSummary { .. })
    }

    fn label(&self, at: usize) -> Option<&Label> {
        self.labels.get(self.session.log().entries()[at].id.as_ref()?)
    }

    /// The rules of pi's own tree, as far as they are the same for everybody.
    fn shows(&self, at: usize) -> io::Result<bool> {
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

    fn draw_entry(&self, out: &mut impl Write, at: usize, lead: &str) -> io::Result<()> {
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
        )
    }

    /// Lists the entries that are shown, each with the nearest shown one above it: a program can build
    /// the tree, however deep it is.
    fn to_json(&self) -> io::Result<serde_json::Value> {
        let entries = self.session.log().entries();
        let depths = self.tree.depths();
        let branches = Branches::new(self.session.log(), self.tree);
        let shown: Vec<bool> =
            (0..entries.len()).map(|at| self.shows(at)).collect::<io::Result<_>>()?;
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
