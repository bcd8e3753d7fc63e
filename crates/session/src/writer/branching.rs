//! Moving the leaf, in the same file or into a new one.

use std::collections::HashSet;
use std::io;

use serde_json::value::RawValue;

use super::compose::{header_line, line, new_session_id, quoted_or_null};
use super::{Mint, SessionWriter, absolute, new_entry_id, speaks};
use crate::entry::{Body, EntryId};
use crate::error::SessionError;
use crate::folders::session_file_name;
use crate::json::{Raw, quote};
use crate::migrate::current_json;
use crate::session::{Session, changed};
use crate::tree::{View, labels};

/// What a new `branch_summary` entry says.
#[derive(Clone, Copy, Debug, Default)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct NewBranchSummary<'a> {
    pub summary: &'a str,
    pub details: Option<&'a RawValue>,
    pub usage: Option<&'a RawValue>,
    pub from_hook: Option<bool>,
}

impl<M: Mint> SessionWriter<M> {
    /// Moves the leaf. Nothing is written: pi forgets the move unless something is appended here.
    pub fn branch(&mut self, to: &EntryId) -> Result<(), SessionError> {
        self.require(to)?;
        self.leaf = Some(to.clone());
        Ok(())
    }

    /// Moves the leaf before the first entry, so that the next one opens another tree.
    pub fn reset_leaf(&mut self) {
        self.leaf = None;
    }

    /// Moves the leaf to an entry, or before the first, and writes down there what was left behind.
    pub fn branch_with_summary(
        &mut self,
        to: Option<&EntryId>,
        new: NewBranchSummary<'_>,
    ) -> Result<EntryId, SessionError> {
        if let Some(to) = to {
            self.require(to)?;
        }
        let left = self.leaf.clone();
        let from = left.as_ref().map_or("root", EntryId::as_str);
        let fields = vec![
            ("fromId", Some(quote(from))),
            ("summary", Some(quote(new.summary))),
            ("details", new.details.map(ToString::to_string)),
            ("usage", new.usage.map(ToString::to_string)),
            ("fromHook", new.from_hook.map(|flag| flag.to_string())),
        ];
        self.leaf = to.cloned();
        self.append("branch_summary", fields).inspect_err(|_| self.leaf = left)
    }

    /// Goes over to a new session that holds only the path to `leaf`, with this one as its parent.
    ///
    /// Labels of entries on the path are written anew at its end, and entries that followed a label
    /// follow what the label followed.
    pub fn create_branched_session(&mut self, leaf: &EntryId) -> Result<(), SessionError> {
        let tree = self.session.tree(View::AsPi);
        let at =
            tree.find(leaf.as_str()).ok_or_else(|| SessionError::EntryNotFound(leaf.clone()))?;
        let parent = self.path().map(absolute);
        let now = self.mint.now();
        let id = new_session_id(&mut self.mint, now);
        let header = header_line(&id, now, &self.cwd, parent.as_deref());
        let copies = self.copies_of_path(&tree.branch(at));
        let labels = self.new_labels(&copies);
        let speaks = copies.iter().any(|copy| speaks(&self.session.log().entries()[copy.entry]));
        let path = self.folder.join(session_file_name(now, &id));
        let entries = copies.iter().map(|copy| copy.line(&self.session));
        let entries = entries.map(|line| line.map_err(|error| self.read_error(error)));
        let lines = std::iter::once(Ok(header)).chain(entries).chain(labels.into_iter().map(Ok));
        let new = self.elsewhere(path, speaks, lines)?;
        self.go_over_to(new);
        Ok(())
    }

    /// Plans the copies of a path without its labels: what follows a label follows what it followed.
    fn copies_of_path(&self, path: &[usize]) -> Vec<Copy> {
        let entries = self.session.log().entries();
        let mut copies: Vec<Copy> = Vec::new();
        let mut removed: Vec<&EntryId> = Vec::new();
        let mut stand_ins: Vec<(&EntryId, &EntryId)> = Vec::new();
        for &entry in path {
            let Some(id) = &entries[entry].id else { continue };
            if matches!(entries[entry].body, Body::Label { .. }) {
                removed.push(id);
                continue;
            }
            stand_ins.extend(removed.drain(..).map(|label| (label, id)));
            let first_kept = match &entries[entry].body {
                Body::Compaction { first_kept: Some(first), .. } if first != id => {
                    stand_ins.iter().find(|(label, _)| *label == first).map(|(_, id)| (*id).clone())
                }
                _ => None,
            };
            let parent = copies.last().map(|copy| copy.id.clone());
            copies.push(Copy { entry, id: id.clone(), parent, first_kept });
        }
        copies
    }

    /// Writes the labels of copied entries anew, one after the other behind the last copy.
    fn new_labels(&mut self, copies: &[Copy]) -> Vec<String> {
        let kept: HashSet<&EntryId> = copies.iter().map(|copy| &copy.id).collect();
        let mut ids: HashSet<EntryId> = kept.iter().map(|id| (*id).clone()).collect();
        let mut leaf = copies.last().map(|copy| copy.id.clone());
        let mut lines = Vec::new();
        for (target, label) in labels(self.session.log()) {
            if !kept.contains(&target) {
                continue;
            }
            let id = new_entry_id(&mut self.mint, &ids);
            lines.push(line(&[
                ("type", Some(quote("label"))),
                ("id", Some(quote(id.as_str()))),
                ("parentId", Some(quoted_or_null(leaf.as_ref()))),
                ("timestamp", label.timestamp.as_deref().map(quote)),
                ("targetId", Some(quote(target.as_str()))),
                ("label", Some(quote(&label.text))),
            ]));
            ids.insert(id.clone());
            leaf = Some(id);
        }
        lines
    }
}

/// An entry on its way into another session.
struct Copy {
    entry: usize,
    id: EntryId,
    parent: Option<EntryId>,
    /// Replaces the first kept entry of a compaction, where that was a label.
    first_kept: Option<EntryId>,
}

impl Copy {
    fn line(&self, session: &Session) -> io::Result<String> {
        let json = current_json(session, self.entry)?;
        let raw = Raw::parse(json.as_bytes()).ok_or_else(changed)?;
        let parent = quoted_or_null(self.parent.as_ref());
        let first_kept = self.first_kept.as_ref().map(|id| quote(id.as_str()));
        let mut changes = vec![("parentId", Some(&*parent))];
        changes.extend(first_kept.as_ref().map(|id| ("firstKeptEntryId", Some(&**id))));
        Ok(raw.with_members(&changes) + "\n")
    }
}
