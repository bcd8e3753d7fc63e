//! Sessions into the forest. Each file is one commit.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use pi_brain_session::Millis;
use rayon::prelude::*;

use super::adrift::moorings;
use super::draft::{Draft, Revised};
use super::families::{Families, age};
use super::reading::Reading;
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::node::{Content, Metadata, Root};
use crate::sessions::{
    EntryRecord, EventId, LabelRecord, SessionKin, SessionNo, SessionRecord, SessionText,
};
use crate::store::{Change, Store};

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// One for each file, in the order in which they were given.
    pub sessions: Vec<ImportedSession>,
    /// The trees that turned out to be part of another, with that other.
    pub joined: Vec<(RootId, RootId)>,
}

/// What the import of one file did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSession {
    /// Its number.
    pub session: SessionNo,
    /// The file.
    pub file: String,
    /// The tree that it lives in.
    pub root: RootId,
    /// What the file was to us.
    pub news: News,
    /// How many entries were read that were not known before.
    pub entries: usize,
    /// How many messages are new in the tree.
    pub messages: usize,
}

/// What a file is to a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum News {
    /// Not seen before.
    New,
    /// Known, with something behind what is known.
    Grown,
    /// Known, but something else stands there now.
    Rewritten,
    /// Known as it is.
    Unchanged,
}

impl<S: Store> Forest<S> {
    /// Takes sessions into the forest: related ones share a tree, in which each message stands once.
    ///
    /// A file is known by its name. One that has not changed is passed over; of one that has grown only what is
    /// new is taken in; if a known part has changed, the file is taken in afresh and what no session says any more
    /// goes. In which order files come does not matter for the tree that comes of it, apart from ids.
    pub fn import(
        &mut self,
        readings: impl IntoIterator<Item = impl Borrow<Reading>>,
        now: Millis,
    ) -> Result<ImportReport> {
        let mut families = Families::of(&self.store)?;
        let mut report = ImportReport::default();
        for reading in readings {
            let import = Import::new(&self.store, &families, reading.borrow())?;
            let before = import.known.as_ref().map(|known| known.root);
            let Planned { session, joined, changes } = import.plan(now)?;
            if self.commit_sessions(changes, &mut families)? {
                let left = before.filter(|root| *root != session.root);
                for root in [session.root].into_iter().chain(left) {
                    self.moor(root, &mut families, now)?;
                }
            }
            report.sessions.push(session);
            report.joined.extend(joined);
        }
        Ok(report)
    }

    /// Commits the changes of an import, if there are any, and keeps `families` true.
    pub(super) fn commit_sessions(
        &mut self,
        changes: Vec<Change>,
        families: &mut Families,
    ) -> Result<bool> {
        if changes.is_empty() {
            return Ok(false);
        }
        let sessions: Vec<SessionNo> = changes.iter().filter_map(changed_session).collect();
        self.store.commit(changes)?;
        for no in sessions {
            if let Some(record) = self.store.session(no)? {
                families.put(SessionKin::from(&*record));
            }
        }
        Ok(true)
    }

    /// Returns the files that are not as they were when they were imported, and those that never were.
    ///
    /// Looks at their lengths and at the first and last few kilobytes: pi only ever appends, and rewrites a file
    /// from its first line on.
    pub fn changed_files(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
        let sessions = self.store.sessions()?;
        let known: HashMap<&str, &Arc<SessionRecord>> =
            sessions.iter().map(|record| (&*record.file, record)).collect();
        let has_changed = |path: &&PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| (*path).clone());
            !known.get(&*path.to_string_lossy()).is_some_and(|record| record.describes(&path))
        };
        Ok(paths.par_iter().filter(has_changed).cloned().collect())
    }
}

fn changed_session(change: &Change) -> Option<SessionNo> {
    match change {
        Change::Session(change) => Some(change.record.no),
        _ => None,
    }
}

/// What the import of a file will do.
pub(super) struct Planned {
    session: ImportedSession,
    joined: Vec<(RootId, RootId)>,
    pub(super) changes: Vec<Change>,
}

pub(super) struct Import<'a, S> {
    store: &'a S,
    families: &'a Families,
    reading: &'a Reading,
    known: Option<Arc<SessionRecord>>,
    news: News,
    no: SessionNo,
    /// How many of the known entries stay where they are.
    kept: usize,
    /// Where its bytes are, unless that is known.
    text: Option<SessionText>,
}

impl<'a, S: Store> Import<'a, S> {
    fn new(store: &'a S, families: &'a Families, reading: &'a Reading) -> Result<Self> {
        let known = match families.imported_from(&reading.file) {
            Some(no) => store.session(no)?,
            None => None,
        };
        let news = match &known {
            None => News::New,
            Some(known) => compare(known, reading)?,
        };
        let no = match &known {
            Some(known) => known.no,
            None => SessionNo(store.next_session()?),
        };
        let kept = match &known {
            Some(known) if news == News::Grown && reading.is_settled(known.settled) => {
                known.settled
            }
            _ => 0,
        };
        let text = Some(reading.text.clone());
        Ok(Self { store, families, reading, known, news, no, kept, text })
    }

    /// Takes a known session that has not changed to find new places for its entries.
    pub(super) fn again(
        store: &'a S,
        families: &'a Families,
        reading: &'a Reading,
        known: Arc<SessionRecord>,
    ) -> Self {
        let no = known.no;
        Self {
            store,
            families,
            reading,
            known: Some(known),
            news: News::Grown,
            no,
            kept: 0,
            text: None,
        }
    }

    pub(super) fn plan(self, now: Millis) -> Result<Planned> {
        let Reading { file, entries, .. } = self.reading;
        let mut session = ImportedSession {
            session: self.no,
            file: file.clone(),
            root: RootId(0),
            news: self.news,
            entries: 0,
            messages: 0,
        };
        if let (News::Unchanged, Some(known)) = (self.news, &self.known) {
            session.root = known.root;
            return Ok(Planned { session, joined: Vec::new(), changes: Vec::new() });
        }
        let mut draft = Draft::new(self.store, now);
        let (root, joined) = self.find_family(&mut draft, now)?;
        let before = match &self.known {
            Some(_) => draft.session(self.no)?,
            None => None,
        };
        let stay = before.as_ref().map_or(&[][..], |record| &record.entries[..self.kept]);
        let placed = self.place(&mut draft, root, stay)?;
        session.root = root;
        session.entries = entries.len() - self.kept;
        session.messages = placed.made;
        // Where families were joined, all places of the session have changed.
        let moved =
            !joined.is_empty() && self.known.as_ref().is_some_and(|known| known.root != root);
        let new = entries[self.kept..].iter().zip(&placed.places[self.kept..]);
        let new = new.map(|(entry, place)| entry.record(*place));
        let (entries, kept) = if moved {
            (stay.iter().cloned().chain(new).collect(), 0)
        } else {
            (new.collect(), self.kept)
        };
        let record = self.record(root, &placed.places, entries);
        draft.put_session(Revised { record, kept, text: self.text.clone() });
        if let Some(before) = &before {
            self.let_go(&mut draft, before, root)?;
        }
        Ok(Planned { session, joined, changes: draft.into_changes() })
    }

    /// Finds the tree for the session: that of its family, joined from several if need be, or a new one.
    fn find_family(
        &self,
        draft: &mut Draft<'_, S>,
        now: Millis,
    ) -> Result<(RootId, Vec<(RootId, RootId)>)> {
        let events: Vec<EventId> =
            self.reading.entries[self.kept..].iter().filter_map(|entry| entry.event).collect();
        let mut related = self.families.related(self.store, self.reading, &events)?;
        if let (News::Grown, Some(known)) = (self.news, &self.known) {
            related.insert(known.root);
        }
        let oldest_of = |root: &RootId| self.families.oldest(*root, None);
        let winner = related.iter().copied().min_by_key(|root| {
            let oldest = oldest_of(root);
            (oldest.is_none(), oldest, *root)
        });
        let ages = related.iter().filter_map(|root| self.families.oldest(*root, Some(self.no)));
        let own = age(self.reading.header.created(), self.reading.session_id());
        let (_, family) = ages.chain([own]).min().expect("there is at least this session");
        let mut root = match winner {
            Some(winner) => draft.root(winner)?,
            None => Root {
                id: RootId(self.store.next_root()?),
                created: now,
                system_prompt: None,
                family: None,
                deleted: None,
                joined: None,
            },
        };
        if root.family.as_ref() != Some(&family) {
            root.family = Some(family);
            draft.put_root(root.clone());
        }
        let losers: Vec<RootId> = related.into_iter().filter(|other| *other != root.id).collect();
        for &loser in &losers {
            draft.join(loser, root.id, self.families.in_root(loser))?;
        }
        Ok((root.id, losers.into_iter().map(|loser| (loser, root.id)).collect()))
    }

    /// Finds or makes a place for every entry, parents before children, level by level. The first entries `stay`.
    fn place(
        &self,
        draft: &mut Draft<'_, S>,
        root: RootId,
        stay: &[EntryRecord],
    ) -> Result<Placed> {
        let entries = &self.reading.entries;
        let adrift = self.reading.adrift.iter().map(|&at| (at, entries[at].event));
        let moorings = moorings(draft, self.no, root, adrift)?;
        let beginning =
            |at: usize| moorings.get(&entries[at].root).copied().unwrap_or(Place::Root(root));
        let mut placed = Placed { places: (0..entries.len()).map(beginning).collect(), made: 0 };
        for (place, entry) in placed.places.iter_mut().zip(stay) {
            *place = entry.place;
        }
        let mut own: Vec<usize> =
            (stay.len()..entries.len()).filter(|&at| entries[at].said.is_some()).collect();
        own.sort_by_key(|&at| entries[at].depth);
        let mut adopted = HashSet::new();
        for level in own.chunk_by(|&one, &other| entries[one].depth == entries[other].depth) {
            let wanted = level.iter().map(|&at| {
                let (key, _) = entries[at].said.expect("only messages are placed");
                let parent =
                    entries[at].anchor.map_or_else(|| beginning(at), |at| placed.places[at]);
                (parent, key)
            });
            let wanted: Vec<(Place, ContentKey)> = wanted.collect();
            let found = draft.find(&wanted)?;
            for ((&at, wanted), found) in level.iter().zip(wanted).zip(found) {
                // The same may stand on two lines of one level: the second finds what the first made.
                let found = match found {
                    Some(found) => Some(found),
                    None => draft.find(&[wanted])?[0],
                };
                let id = match found {
                    Some(found) => {
                        self.say_again(draft, at, found, &mut adopted)?;
                        found
                    }
                    None => {
                        placed.made += 1;
                        self.say(draft, at, wanted.0)?
                    }
                };
                placed.places[at] = id.into();
            }
        }
        for (at, entry) in entries.iter().enumerate().skip(stay.len()) {
            if let (None, Some(anchor)) = (entry.said, entry.anchor) {
                placed.places[at] = placed.places[anchor];
            }
        }
        Ok(placed)
    }

    /// Makes the message that an entry is.
    fn say(&self, draft: &mut Draft<'_, S>, at: usize, parent: Place) -> Result<NodeId> {
        let entry = &self.reading.entries[at];
        let metadata = Metadata { created: entry.time, ..Metadata::default() };
        let said = entry.said.expect("only messages are placed");
        draft.make(parent, said, metadata, self.content(at))
    }

    /// Notes that an entry says what stands there already.
    fn say_again(
        &self,
        draft: &mut Draft<'_, S>,
        at: usize,
        id: NodeId,
        adopted: &mut HashSet<NodeId>,
    ) -> Result<()> {
        let time = self.reading.entries[at].time;
        let content = draft.content(id)?;
        // Where its text is read from may have moved within the file.
        if matches!(content, Some(Content::Imported { session, .. }) if session == self.no) {
            draft.put_content(id, self.content(at));
        }
        // A message made by hand gets the session's time; it stays made by hand, too.
        if matches!(content, Some(Content::Inline(_)))
            && self.store.occurrences(id)?.is_empty()
            && adopted.insert(id)
        {
            return draft.date(id, time);
        }
        let created = draft.plan.node(id)?.metadata.created;
        draft.date(id, created.into_iter().chain(time).min())
    }

    fn content(&self, at: usize) -> Content {
        let entry = u32::try_from(at).unwrap_or(u32::MAX);
        Content::Imported { session: self.no, entry }
    }

    fn record(&self, root: RootId, places: &[Place], entries: Vec<EntryRecord>) -> SessionRecord {
        let Reading { header, .. } = self.reading;
        let label = |(at, label): &(usize, pi_brain_session::Label)| LabelRecord {
            place: places[*at],
            text: label.text.to_string(),
            time: label.timestamp.as_deref().map(str::to_owned),
        };
        SessionRecord {
            no: self.no,
            file: self.reading.file.clone(),
            root,
            id: header.id.clone(),
            version: header.version,
            cwd: header.cwd.clone(),
            parent_session: header.parent_session.clone(),
            created: header.created(),
            name: self.reading.name.clone(),
            labels: self.reading.labels.iter().map(label).collect(),
            leaf: places.last().copied().unwrap_or(root.into()),
            length: self.reading.length,
            settled_length: self.reading.settled_length,
            check: self.reading.check.clone(),
            settled: self.reading.settled,
            adrift: self.reading.adrift.clone(),
            entries,
        }
    }

    /// Takes in that what the file said before, it says elsewhere now, or not at all.
    fn let_go(&self, draft: &mut Draft<'_, S>, before: &SessionRecord, root: RootId) -> Result<()> {
        if self.kept == before.entries.len() && root == before.root {
            return Ok(());
        }
        let own = before.entries[self.kept..].iter().filter(|entry| entry.own);
        draft.let_go(
            before.root,
            self.no,
            &own.filter_map(|entry| entry.place.node()).collect(),
        )?;
        if root != before.root {
            draft.rename_family(before.root, self.families.oldest(before.root, Some(self.no)))?;
        }
        Ok(())
    }
}

struct Placed {
    places: Vec<Place>,
    made: usize,
}

/// Finds out what has become of a known file.
fn compare(known: &SessionRecord, reading: &Reading) -> Result<News> {
    let same = known.length == reading.length
        && known.settled_length == reading.settled_length
        && known.check == reading.check;
    if same {
        return Ok(News::Unchanged);
    }
    if reading.settled_length < known.settled_length {
        return Ok(News::Rewritten);
    }
    let failed = |source| ForestError::Read { path: reading.file.clone().into(), source };
    let check = reading.check_of_first(known.settled_length).map_err(failed)?;
    Ok(if check == known.check { News::Grown } else { News::Rewritten })
}
