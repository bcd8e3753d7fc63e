//! `pi-brain session tree`: the shape of a session, drawn. The way to the leaf is its trunk.

use std::io::Write;

use pi_brain_app::{SessionTree, TreeFilter};
use pi_brain_session::{Body, EntryId, View};
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
    let picture = SessionTree::new(&session, &tree, options.filter.into());
    if options.read.json {
        let (entries, _) = picture.list(|_| true)?;
        return print_json(&serde_json::to_value(entries)?);
    }
    if session.log().entries().is_empty() {
        return say!("The session is empty.");
    }
    let mut out = Output::open(true, None);
    let drawn = draw(&mut out, &picture, options.full);
    out.finish()?;
    drawn
}

impl From<Filter> for TreeFilter {
    fn from(filter: Filter) -> Self {
        match filter {
            Filter::Default => Self::Default,
            Filter::NoTools => Self::NoTools,
            Filter::UserOnly => Self::UserOnly,
            Filter::LabeledOnly => Self::LabeledOnly,
            Filter::All => Self::All,
        }
    }
}

impl Drawable for SessionTree<'_> {
    const MEMBERS: (&'static str, &'static str) = ("entry", "entries");

    fn len(&self) -> usize {
        self.session().log().entries().len()
    }

    fn tops(&self) -> &[usize] {
        self.tree().roots()
    }

    fn children(&self, at: usize) -> &[usize] {
        self.tree().children(at)
    }

    fn is_trunk(&self, at: usize) -> bool {
        SessionTree::is_trunk(self, at)
    }

    fn shows(&self, at: usize) -> anyhow::Result<bool> {
        Ok(self.is_shown(at)?)
    }

    fn is_special(&self, at: usize) -> bool {
        let body = &self.session().log().entries()[at].body;
        self.label(at).is_some()
            || SessionTree::is_leaf(self, at)
            || matches!(body, Body::Compaction { .. } | Body::BranchSummary { .. })
    }

    fn draw_line(
        &self,
        out: &mut impl Write,
        at: usize,
        lead: &str,
        _not_shown: usize,
    ) -> anyhow::Result<()> {
        let entry = &self.session().log().entries()[at];
        let id = entry.id.as_ref().map_or("--------", EntryId::as_str);
        let id: String = one_line(id).chars().take(8).collect();
        let is_leaf = SessionTree::is_leaf(self, at);
        let mark = if is_leaf {
            "◆"
        } else if SessionTree::is_trunk(self, at) {
            "●"
        } else {
            "○"
        };
        let label = self
            .label(at)
            .map(|label| format!("  [{}]", one_line(&label.text)))
            .unwrap_or_default();
        let end = if is_leaf { "  ← leaf" } else { "" };
        let description = describe(self.session(), at)?;
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
