//! The lines of a session that is being written, each after the one before.

use std::collections::{HashMap, HashSet};

use pi_brain_session::{Body, Entry, EntryId, Label, Millis, Mint, Raw, new_entry_id, quote};

use super::by_hand::ByHand;

/// How the entries of a new session are called.
pub(super) enum Naming<'a> {
    /// As in the session that they come from.
    AsTheyAre,
    /// By names that nobody has used.
    Anew(&'a mut dyn Mint),
}

/// A session that is being written.
pub(super) struct Lines<'a> {
    pub(super) text: String,
    naming: Naming<'a>,
    taken: HashSet<EntryId>,
    /// What entries are called that were called otherwise in their session.
    new_names: HashMap<EntryId, EntryId>,
    leaf: Option<EntryId>,
    time: Millis,
    /// The entries that are messages of the forest.
    messages: Vec<EntryId>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(header: String, naming: Naming<'a>) -> Self {
        Self {
            text: header,
            naming,
            taken: HashSet::new(),
            new_names: HashMap::new(),
            leaf: None,
            time: Millis(0),
            messages: Vec::new(),
        }
    }

    /// Returns the entry that the next one follows.
    pub(super) fn leaf(&self) -> Option<&EntryId> {
        self.leaf.as_ref()
    }

    /// Finds a name for an entry that had another one, or none. It also answers to the names `left_out`.
    pub(super) fn name(&mut self, before: Option<&EntryId>, left_out: &[EntryId]) -> EntryId {
        let id = match (&mut self.naming, before) {
            (Naming::Anew(mint), _) => new_entry_id(*mint, &self.taken),
            (Naming::AsTheyAre, Some(id)) if !self.taken.contains(id) => id.clone(),
            (Naming::AsTheyAre, before) => unused(before, &self.taken),
        };
        self.taken.insert(id.clone());
        for name in before.into_iter().chain(left_out) {
            self.new_names.entry(name.clone()).or_insert_with(|| id.clone());
        }
        id
    }

    /// Returns what an entry of the old session is called here.
    pub(super) fn new_name(&self, before: &EntryId) -> Option<EntryId> {
        self.new_names.get(before).cloned()
    }

    /// Writes an entry, which becomes the leaf.
    pub(super) fn push(&mut self, id: EntryId, json: &str, is_message: bool) {
        self.text.push_str(json);
        self.text.push('\n');
        if is_message {
            self.messages.push(id.clone());
        }
        self.leaf = Some(id);
    }

    /// Writes a label anew, if its target is here.
    pub(super) fn push_label(&mut self, target: &EntryId, label: &Label) {
        let Some(target) = self.new_name(target) else { return };
        let id = self.name(None, &[]);
        let json = label_json(&id, self.leaf.as_ref(), &target, label);
        self.push(id, &json, false);
    }

    /// Writes a message that no session has.
    pub(super) fn push_by_hand(&mut self, said: &ByHand) {
        let time = said.time.unwrap_or_else(|| self.now());
        self.time = time;
        let id = self.name(None, &[]);
        let kept = self.messages.len().saturating_sub(said.kept());
        let first_kept = self.messages.get(kept).unwrap_or(&id);
        let json = said.json(&id, self.leaf.as_ref(), time, first_kept);
        self.push(id, &json, true);
    }

    fn now(&mut self) -> Millis {
        match &mut self.naming {
            Naming::Anew(mint) => mint.now(),
            Naming::AsTheyAre => self.time,
        }
    }
}

/// Makes a name that is not taken, in a way that gives the same name again.
fn unused(before: Option<&EntryId>, taken: &HashSet<EntryId>) -> EntryId {
    let stem = before.map_or("entry", EntryId::as_str);
    let mut names = (taken.len()..).filter_map(|number| EntryId::new(&format!("{stem}-{number}")));
    names.find(|name| !taken.contains(name)).expect("numbers do not end")
}

/// Writes a label.
pub(super) fn label_json(
    id: &EntryId,
    parent: Option<&EntryId>,
    target: &EntryId,
    label: &Label,
) -> String {
    let time = label.timestamp.as_deref().map(|time| format!(",\"timestamp\":{}", quote(time)));
    format!(
        "{{\"type\":\"label\",\"id\":{},\"parentId\":{}{},\"targetId\":{},\"label\":{}}}",
        quote(id.as_str()),
        quoted_or_null(parent),
        time.unwrap_or_default(),
        quote(target.as_str()),
        quote(&label.text),
    )
}

pub(super) fn quoted_or_null(id: Option<&EntryId>) -> String {
    id.map_or_else(|| "null".to_owned(), |id| quote(id.as_str()))
}

/// Writes an entry anew, with another name, after another entry, and with other names for what it names.
pub(super) fn rewritten(
    entry: &Entry,
    raw: Raw<'_>,
    id: &EntryId,
    parent: Option<&EntryId>,
    new_name: impl Fn(&EntryId) -> Option<EntryId>,
) -> String {
    let (id, parent) = (quote(id.as_str()), quoted_or_null(parent));
    let named = reference(&entry.body)
        .and_then(|(key, named)| Some((key, quote(new_name(named)?.as_str()))));
    let mut changes = vec![("id", Some(&*id)), ("parentId", Some(&*parent))];
    changes.extend(named.as_ref().map(|(key, named)| (*key, Some(&**named))));
    raw.with_members(&changes)
}

/// Returns the other entry that an entry names, and the field in which it does.
pub(super) fn reference(body: &Body) -> Option<(&'static str, &EntryId)> {
    let (key, named) = match body {
        Body::Compaction { first_kept, .. } => ("firstKeptEntryId", first_kept),
        Body::BranchSummary { from, .. } => ("fromId", from),
        Body::Label { target, .. } | Body::ContextEdit { target, .. } => ("targetId", target),
        _ => return None,
    };
    Some((key, named.as_ref()?))
}
