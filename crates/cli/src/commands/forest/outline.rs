//! The shape of a tree, with everything that is worth a mark in its drawing.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::Arc;

use pi_brain_forest::{Forest, NodeId, Outline, Place, Role, SessionRecord, Store};
use pi_brain_session::Millis;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::place::name;
use super::words::{describe, describe_message, is_quiet};
use crate::commands::drawing::Drawable;
use crate::commands::sessions::id_length;
use crate::describe::{BOLD, DIM, LABEL, NOTE, one_line};
use crate::mint::now;
use crate::table::{fit, how_many, room};
use crate::when;

/// What is known about places besides what is said there.
#[derive(Default)]
pub(crate) struct Marks {
    pub(crate) bookmarks: HashMap<NodeId, Vec<String>>,
    pub(crate) labels: HashMap<NodeId, Vec<String>>,
    /// Which sessions end where.
    pub(crate) ends: HashMap<Place, Vec<Arc<SessionRecord>>>,
    pub(crate) current: Option<Place>,
    /// How many digits tell the ids of all sessions apart.
    id_length: usize,
}

impl Marks {
    pub(crate) fn new<S: Store>(forest: &Forest<S>) -> anyhow::Result<Self> {
        let mut marks = Self { current: forest.current()?, ..Self::default() };
        for bookmark in forest.bookmarks()? {
            marks.bookmarks.entry(bookmark.node).or_default().push(bookmark.title);
        }
        let sessions = forest.store().sessions()?;
        marks.id_length = id_length(sessions.iter().map(|session| &*session.id));
        for session in sessions {
            for label in &session.labels {
                // What is labelled may be hidden, or be one with an equal message by now.
                if let Ok(Place::Node(node)) = forest.place(label.place) {
                    let labels = marks.labels.entry(node).or_default();
                    if !labels.contains(&label.text) {
                        labels.push(label.text.clone());
                    }
                }
            }
            if let Ok(end) = forest.place(session.leaf) {
                marks.ends.entry(end).or_default().push(session);
            }
        }
        Ok(marks)
    }

    /// Returns the bookmarks and labels of a message, each in brackets.
    pub(crate) fn titles_of(&self, node: NodeId) -> impl Iterator<Item = String> {
        let titles = [self.bookmarks.get(&node), self.labels.get(&node)];
        titles.into_iter().flatten().flatten().map(|title| format!("[{}]", one_line(title)))
    }

    /// Names the sessions that end somewhere.
    pub(crate) fn sessions_at(&self, place: Place) -> Option<String> {
        const SHOWN: usize = 3;
        let sessions = self.ends.get(&place)?;
        let mut list: Vec<String> =
            sessions.iter().take(SHOWN).map(|session| self.session_name(session)).collect();
        if let Some(more) = sessions.len().checked_sub(SHOWN).filter(|&more| more > 0) {
            list.push(format!("{more} more"));
        }
        Some(list.join(", "))
    }

    /// Names a session by the beginning of its id, and its name if it has one.
    pub(crate) fn session_name(&self, session: &SessionRecord) -> String {
        const WIDEST: usize = 30;
        let id = self.short_id(&session.id);
        match &session.name {
            Some(name) => format!("{id} {}", fit(&one_line(name), WIDEST)),
            None => id,
        }
    }

    /// Returns as much of a session's id as is needed to tell it from the others.
    pub(crate) fn short_id(&self, id: &str) -> String {
        one_line(&id.chars().take(self.id_length).collect::<String>())
    }
}

/// A tree as it is drawn.
pub(crate) struct Picture<'a, S> {
    forest: &'a Forest<S>,
    outline: &'a Outline,
    marks: &'a Marks,
    /// What messages are called, where it is not their place in the forest.
    names: Option<&'a HashMap<NodeId, String>>,
    name_width: usize,
    trunk: HashSet<usize>,
    full: bool,
    now: Millis,
}

impl<'a, S: Store> Picture<'a, S> {
    /// Prepares a drawing. The trunk leads to `end`, else to the newest message.
    pub(crate) fn new(
        forest: &'a Forest<S>,
        outline: &'a Outline,
        marks: &'a Marks,
        end: Option<Place>,
        full: bool,
    ) -> Self {
        let end = end.and_then(|end| outline.find(end)).or_else(|| newest_leaf(outline, marks));
        let trunk = std::iter::successors(end, |&at| outline.parents[at]).collect();
        let name_width = outline.nodes.iter().map(|node| name(node.id).width()).max().unwrap_or(0);
        Self { forest, outline, marks, names: None, name_width, trunk, full, now: now() }
    }

    /// Calls messages something else than their place in the forest.
    pub(crate) fn with_names(mut self, names: &'a HashMap<NodeId, String>) -> Self {
        self.name_width = names.values().map(|name| name.width()).max().unwrap_or(0);
        self.names = Some(names);
        self
    }

    fn name_of(&self, node: NodeId) -> String {
        match self.names {
            Some(names) => names.get(&node).cloned().unwrap_or_default(),
            None => name(node),
        }
    }

    fn is_current(&self, at: usize) -> bool {
        self.marks.current == Some(self.outline.nodes[at].id.into())
    }

    /// Counts the tool calls among the messages right before one that are not shown.
    fn calls_before(&self, at: usize, not_shown: usize) -> usize {
        let before =
            std::iter::successors(self.outline.parents[at], |&at| self.outline.parents[at]);
        before.take(not_shown).filter(|&at| self.outline.nodes[at].role == Role::Tool).count()
    }

    /// Returns what stands behind the words: labels, tags, how old it is, who ends here.
    fn notes_on(&self, at: usize, not_shown: usize) -> Notes {
        let node = &self.outline.nodes[at];
        let tags = node.metadata.tags.iter().map(|tag| format!("#{}", one_line(tag)));
        let calls = Some(self.calls_before(at, not_shown)).filter(|&calls| calls > 0);
        let calls =
            calls.map(|calls| format!("after {}", how_many(calls, "tool call", "tool calls")));
        let children = self.outline.children[at].len();
        let ways = (children > 1).then(|| format!("⑂ {children}"));
        let age = node.metadata.created.filter(|_| children == 0);
        let age = age.map(|created| when::ago(created, self.now));
        let here = self.is_current(at).then(|| "← here".to_owned());
        let sessions = self.marks.sessions_at(node.id.into()).map(|names| format!("← {names}"));
        Notes {
            titles: set_apart(self.marks.titles_of(node.id)),
            tags: set_apart(tags),
            facts: set_apart(calls.into_iter().chain(ways).chain(age)),
            end: set_apart(here.into_iter().chain(sessions)),
        }
    }

    /// Lists all messages, each with its parent and children: a program can build the tree, however deep it is.
    pub(crate) fn to_json(&self) -> anyhow::Result<Vec<Value>> {
        self.outline.in_reading_order().into_iter().map(|at| self.node_to_json(at)).collect()
    }

    fn node_to_json(&self, at: usize) -> anyhow::Result<Value> {
        let node = &self.outline.nodes[at];
        let ids = |list: &[usize]| -> Vec<NodeId> {
            list.iter().map(|&at| self.outline.nodes[at].id).collect()
        };
        let sessions = self.marks.ends.get(&node.id.into()).map_or(&[][..], Vec::as_slice);
        let ends: Vec<&str> = sessions.iter().map(|session| &*session.id).collect();
        Ok(json!({
            "id": node.id,
            "parent": node.parent,
            "children": ids(&self.outline.children[at]),
            "role": node.role,
            "created": node.metadata.created,
            "title": node.metadata.title,
            "words": fit(&describe(self.forest, node.id)?.words, 200),
            "tags": node.metadata.tags,
            "bookmarks": self.marks.bookmarks.get(&node.id).map_or(&[][..], Vec::as_slice),
            "labels": self.marks.labels.get(&node.id).map_or(&[][..], Vec::as_slice),
            "endsHere": ends,
            "isCurrent": self.is_current(at),
        }))
    }
}

/// Returns the newest message that nothing follows; of equally old ones, one where a session ends.
fn newest_leaf(outline: &Outline, marks: &Marks) -> Option<usize> {
    let leaves = (0..outline.nodes.len()).filter(|&at| outline.children[at].is_empty());
    leaves.max_by_key(|&at| {
        let node = &outline.nodes[at];
        (node.metadata.created, marks.ends.contains_key(&node.id.into()))
    })
}

struct Notes {
    titles: String,
    tags: String,
    facts: String,
    end: String,
}

/// Joins notes, with blanks before each.
pub(super) fn set_apart(notes: impl Iterator<Item = String>) -> String {
    notes.flat_map(|note| ["  ".to_owned(), note]).collect()
}

impl<S: Store> Drawable for Picture<'_, S> {
    const MEMBERS: (&'static str, &'static str) = ("message", "messages");

    fn len(&self) -> usize {
        self.outline.nodes.len()
    }

    fn tops(&self) -> &[usize] {
        &self.outline.tops
    }

    fn children(&self, at: usize) -> &[usize] {
        &self.outline.children[at]
    }

    fn is_trunk(&self, at: usize) -> bool {
        self.trunk.contains(&at)
    }

    /// What says nothing to people gets no line of its own, unless something else happens there.
    fn shows(&self, at: usize) -> anyhow::Result<bool> {
        if self.full || self.outline.children[at].len() != 1 || self.is_special(at) {
            return Ok(true);
        }
        let node = self.outline.nodes[at].id;
        Ok(!is_quiet(self.forest, node, &*self.forest.store().message(node)?)?)
    }

    fn is_special(&self, at: usize) -> bool {
        let node = &self.outline.nodes[at];
        self.is_current(at)
            || node.metadata.title.is_some()
            || !node.metadata.tags.is_empty()
            || self.marks.bookmarks.contains_key(&node.id)
            || self.marks.labels.contains_key(&node.id)
            || self.marks.ends.contains_key(&node.id.into())
    }

    fn draw_line(
        &self,
        out: &mut impl Write,
        at: usize,
        lead: &str,
        not_shown: usize,
    ) -> anyhow::Result<()> {
        let node = &self.outline.nodes[at];
        let mark = if self.is_current(at) {
            "◆"
        } else if self.trunk.contains(&at) {
            "●"
        } else {
            "○"
        };
        let name = self.name_of(node.id);
        let blank = " ".repeat(self.name_width.saturating_sub(name.width()));
        let description = describe_message(&*self.forest.store().message(node.id)?);
        let Notes { titles, tags, facts, end } = self.notes_on(at, not_shown);
        let title = node.metadata.title.as_deref().map(|title| format!("{}  ", one_line(title)));
        let title = title.unwrap_or_default();
        let used = lead.width() + 2 + self.name_width + 1 + 11;
        let used = used
            + [&titles, &tags, &facts, &end, &title].map(|part| part.width()).iter().sum::<usize>();
        let words = fit(&description.words, room(used));
        let style = description.style;
        writeln!(
            out,
            "{DIM}{lead}{DIM:#}{mark} {DIM}{name}{blank}{DIM:#} {style}{:<10}{style:#} {BOLD}{title}{BOLD:#}{words}{LABEL}{titles}{LABEL:#}{NOTE}{tags}{NOTE:#}{DIM}{facts}{DIM:#}{BOLD}{end}{BOLD:#}",
            description.who
        )?;
        Ok(())
    }
}
