//! A session and its forks as one tree, each message once.

use std::collections::HashMap;
use std::sync::Arc;

use pi_brain_forest::{
    FamilyCost, Forest, NodeId, Outline, Place, Result, SessionNo, SessionRecord, Store,
};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gist::Gist;
use crate::plain::fit;

/// The ids of the entries of a file, in its order; damaged lines may have none.
type EntryIds = Vec<Option<Box<str>>>;

/// A session with its relatives, merged.
#[derive(Debug)]
pub struct Family<'a, S> {
    forest: &'a Forest<S>,
    /// The sessions, oldest first.
    pub sessions: Vec<Arc<SessionRecord>>,
    /// The shape of their tree.
    pub outline: Outline,
    /// What they cost.
    pub cost: FamilyCost,
    /// The id of each session, and those of its entries in file order.
    entry_ids: HashMap<SessionNo, (String, EntryIds)>,
    /// For each message, the lines that say it.
    occurrences: Vec<Vec<(SessionNo, u32)>>,
    labels: HashMap<NodeId, Vec<String>>,
    /// The messages in the order of reading, and the number of each in it, counted from 1.
    order: Vec<usize>,
    numbers: Vec<usize>,
}

/// A session of a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FamilySession {
    /// Its file.
    pub file: String,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The file that it was forked from, as its header names it.
    pub parent_session: Option<String>,
    /// When it began.
    pub created: Option<Millis>,
    /// When its last entry was written.
    pub last: Option<Millis>,
    /// How many entries it has.
    pub entries: usize,
    /// How many of them are messages.
    pub messages: usize,
    /// How many messages only it has.
    pub own_messages: usize,
    /// The message after which pi would go on, by its number.
    pub leaf: Option<usize>,
}

/// A message of a family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FamilyMessage {
    /// Its number in the order of reading, counted from 1.
    pub id: usize,
    /// What it follows, by its number.
    pub parent: Option<usize>,
    /// What follows it, by their numbers.
    pub children: Vec<usize>,
    /// Who speaks.
    pub role: String,
    /// When it was written.
    pub created: Option<Millis>,
    /// How it begins, on one line.
    pub words: String,
    /// Its labels in any of the sessions.
    pub labels: Vec<String>,
    /// The entries that say it.
    pub occurrences: Vec<Occurrence>,
}

/// An entry that says a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Occurrence {
    /// The id of the session.
    pub session: Option<String>,
    /// The id of the entry.
    pub entry: Option<String>,
}

impl<'a, S: Store> Family<'a, S> {
    /// Puts together the family of a session. `ids` gives the ids of all entries of a session, in file order.
    pub fn new<E: From<pi_brain_forest::ForestError>>(
        forest: &'a Forest<S>,
        asked: SessionNo,
        mut ids: impl FnMut(SessionNo) -> std::result::Result<EntryIds, E>,
    ) -> std::result::Result<Self, E> {
        let unknown =
            || pi_brain_forest::ForestError::SessionNotFound(format!("number {}", asked.number()));
        let root = forest.store().session(asked)?.ok_or_else(unknown)?.root;
        let mut sessions = forest.store().members(root)?;
        sessions.sort_by_key(|session| (session.created, session.no));
        let mut entry_ids = HashMap::new();
        let mut labels: HashMap<NodeId, Vec<String>> = HashMap::new();
        for session in &sessions {
            entry_ids.insert(session.no, (session.id.clone(), ids(session.no)?));
            for label in &session.labels {
                // What is labelled may be hidden, or be one with an equal message by now.
                if let Ok(Place::Node(node)) = forest.place(label.place) {
                    let labels = labels.entry(node).or_default();
                    if !labels.contains(&label.text) {
                        labels.push(label.text.clone());
                    }
                }
            }
        }
        let outline = Outline::new(forest, root.into())?;
        let occurrences = outline.nodes.iter().map(|node| forest.store().occurrences(node.id));
        let occurrences = occurrences.collect::<Result<_>>()?;
        // Numbers in the order of reading: ids of a forest that nobody keeps would only mislead.
        let order = outline.in_reading_order();
        let mut numbers = vec![0; order.len()];
        for (number, &at) in order.iter().enumerate() {
            numbers[at] = number + 1;
        }
        let cost = forest.family_cost(root)?;
        Ok(Self { forest, sessions, outline, cost, entry_ids, occurrences, labels, order, numbers })
    }

    /// Returns how many entries the files have together.
    pub fn entries(&self) -> usize {
        self.sessions.iter().map(|session| session.entries.len()).sum()
    }

    /// Returns the messages that only one session has, in the order of reading, for each session.
    pub fn own_messages(&self) -> HashMap<SessionNo, Vec<usize>> {
        let mut own: HashMap<SessionNo, Vec<usize>> = HashMap::new();
        for &at in &self.order {
            let mut sessions: Vec<SessionNo> =
                self.occurrences[at].iter().map(|(session, _)| *session).collect();
            sessions.dedup();
            if let [only] = *sessions {
                own.entry(only).or_default().push(at);
            }
        }
        own
    }

    /// Returns the entry that says a message, if possible one of `preferred`.
    pub fn entry_of(&self, at: usize, preferred: SessionNo) -> Option<&str> {
        let lines = &self.occurrences[at];
        let here = lines.iter().find(|(session, _)| *session == preferred);
        self.entry_id(*here.or(lines.first())?)
    }

    fn entry_id(&self, (session, entry): (SessionNo, u32)) -> Option<&str> {
        let (_, entries) = self.entry_ids.get(&session)?;
        entries.get(usize::try_from(entry).ok()?)?.as_deref()
    }

    /// Returns how a message begins.
    pub fn words(&self, at: usize) -> Result<String> {
        let message = self.forest.store().message(self.outline.nodes[at].id)?;
        Ok(Gist::of_message(&message).words)
    }

    /// Returns the sessions as programs are shown them, oldest first.
    pub fn session_views(&self) -> Vec<FamilySession> {
        let own = self.own_messages();
        let view = |session: &Arc<SessionRecord>| {
            let leaf = self.forest.place(session.leaf).ok();
            FamilySession {
                file: session.file.clone(),
                id: session.id.clone(),
                name: session.name.clone(),
                cwd: session.cwd.clone(),
                parent_session: session.parent_session.clone(),
                created: session.created,
                last: session.entries.iter().filter_map(|entry| entry.time).max(),
                entries: session.entries.len(),
                messages: session.entries.iter().filter(|entry| entry.own).count(),
                own_messages: own.get(&session.no).map_or(0, Vec::len),
                leaf: leaf.and_then(|leaf| self.outline.find(leaf)).map(|at| self.numbers[at]),
            }
        };
        self.sessions.iter().map(view).collect()
    }

    /// Returns messages as programs are shown them, in the order of reading: so many, after the first few.
    pub fn message_views(&self, skip: usize, most: usize) -> Result<Vec<FamilyMessage>> {
        self.order.iter().skip(skip).take(most).map(|&at| self.message_view(at)).collect()
    }

    fn message_view(&self, at: usize) -> Result<FamilyMessage> {
        const COLUMNS: usize = 200;
        let node = &self.outline.nodes[at];
        let occurrence = |&(session, entry): &(SessionNo, u32)| Occurrence {
            session: self.entry_ids.get(&session).map(|(id, _)| id.clone()),
            entry: self.entry_id((session, entry)).map(str::to_owned),
        };
        Ok(FamilyMessage {
            id: self.numbers[at],
            parent: self.outline.parents[at].map(|parent| self.numbers[parent]),
            children: self.outline.children[at].iter().map(|&child| self.numbers[child]).collect(),
            role: node.role.as_str().to_owned(),
            created: node.metadata.created,
            words: fit(&self.words(at)?, COLUMNS),
            labels: self.labels.get(&node.id).cloned().unwrap_or_default(),
            occurrences: self.occurrences[at].iter().map(occurrence).collect(),
        })
    }
}
