//! Messages and entries as columns: neighbours differ little, so that they take little room.

use std::sync::Arc;

use pi_brain_forest::{
    Content, ContentKey, EntryKind, EntryRecord, EventId, Metadata, Node, NodeId, Order, Place,
    Role, RootId, SessionNo,
};
use pi_brain_session::{Millis, Usage};
use serde::{Deserialize, Serialize};

use super::shelf::Slot;
use crate::pack::bytes;

/// How many messages, or entries, are kept together: what is read and written at once.
pub(super) const CHUNK: u32 = 1024;

/// The messages of a tree with numbers next to each other.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct MessageColumns {
    numbers: Vec<u32>,
    /// How far back the parent stands; 0 for the root.
    parents: Vec<i64>,
    #[serde(with = "bytes")]
    keys: Vec<u8>,
    roles: Vec<Role>,
    created: Vec<i64>,
    sessions: Vec<i64>,
    entries: Vec<i64>,
    /// What follows, if that is not just the next number.
    children: Vec<(u32, Vec<u32>)>,
    /// Messages with something about them that the columns have no room for, as JSON.
    odd: Vec<(u32, String)>,
}

/// What stands in for no time.
const NO_TIME: i64 = i64::MIN;

#[derive(Deserialize, Serialize)]
struct Odd {
    node: Node,
    content: Option<Content>,
}

impl MessageColumns {
    pub(super) fn of(slots: &[Option<Slot>]) -> Self {
        let mut columns = Self::default();
        let mut last = Last::default();
        for slot in slots.iter().flatten() {
            let Slot { node, content, children } = slot;
            let number = node.id.number();
            if *children != [number + 1] {
                columns.children.push((number, children.clone()));
            }
            let plain = is_plain(node);
            let (Some(Content::Imported { session, entry }), true) = (content, plain) else {
                let odd = Odd { node: Node::clone(node), content: content.clone() };
                let json = serde_json::to_string(&odd).expect("a message has a JSON form");
                columns.odd.push((number, json));
                continue;
            };
            columns.numbers.push(number - last.number);
            let parent = node
                .parent
                .node()
                .map_or(0, |parent| i64::from(number) - i64::from(parent.number()));
            columns.parents.push(parent);
            columns.keys.extend(node.key.to_bytes());
            columns.roles.push(node.role);
            columns.created.push(last.time(node.metadata.created));
            columns.sessions.push(i64::from(session.number()) - last.session);
            columns.entries.push(i64::from(*entry) - last.entry);
            last.number = number;
            last.session = session.number().into();
            last.entry = (*entry).into();
        }
        columns
    }

    pub(super) fn into_slots(self, root: RootId) -> Option<Vec<Slot>> {
        let mut slots = Vec::with_capacity(self.numbers.len() + self.odd.len());
        let mut last = Last::default();
        // Keys were longer once.
        let key_length = self.keys.len() / self.numbers.len().max(1);
        let keys = self.keys.chunks_exact(key_length.max(1));
        let columns = self.numbers.into_iter().zip(self.parents).zip(keys).zip(self.roles);
        let columns = columns.zip(self.created).zip(self.sessions).zip(self.entries);
        for ((((((number, parent), key), role), created), session), entry) in columns {
            last.number += number;
            last.session += session;
            last.entry += entry;
            let number = last.number;
            let id = NodeId::new(root, number);
            let parent = match parent {
                0 => Place::Root(root),
                back => NodeId::new(root, u32::try_from(i64::from(number) - back).ok()?).into(),
            };
            let key = ContentKey::from_bytes(key)?;
            let created = last.read_time(created);
            let content = Content::Imported {
                session: SessionNo::new(u32::try_from(last.session).ok()?),
                entry: u32::try_from(last.entry).ok()?,
            };
            let metadata = Metadata { created, ..Metadata::default() };
            let order = Order::in_family(created, key);
            let node = Node { id, parent, order, key, role, metadata, removal: None };
            slots.push(Slot {
                node: Arc::new(node),
                content: Some(content),
                children: vec![number + 1],
            });
        }
        for (number, json) in self.odd {
            let Odd { node, content } = serde_json::from_str(&json).ok()?;
            slots.push(Slot { node: Arc::new(node), content, children: vec![number + 1] });
        }
        slots.sort_by_key(|slot| slot.node.id);
        for (number, children) in self.children {
            let at = slots.binary_search_by_key(&number, |slot| slot.node.id.number()).ok()?;
            slots[at].children = children;
        }
        Some(slots)
    }
}

/// Returns whether the columns have room for all that is known about a message.
fn is_plain(node: &Node) -> bool {
    let created = node.metadata.created;
    node.removal.is_none()
        && created != Some(Millis(NO_TIME))
        && node.metadata == Metadata { created, ..Metadata::default() }
        && node.order == Order::in_family(created, node.key)
}

/// Entries of a session that stand next to each other.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct EntryColumns {
    gaps: Vec<i64>,
    lengths: Vec<u64>,
    places: Vec<i64>,
    own: Vec<bool>,
    kinds: Vec<EntryKind>,
    times: Vec<i64>,
    /// Eight bytes each.
    #[serde(with = "bytes")]
    events: Vec<u8>,
    without_event: Vec<u32>,
    responses: Vec<(u32, [u8; 8])>,
    kept: Vec<(u32, u32)>,
    usages: Vec<(u32, Usage)>,
}

impl EntryColumns {
    pub(super) fn of(entries: &[EntryRecord]) -> Self {
        let mut columns = Self::default();
        let mut last = Last::default();
        for (entry, at) in entries.iter().zip(0..) {
            columns.gaps.push(entry.start.cast_signed() - last.end.cast_signed());
            columns.lengths.push(entry.length);
            let place = entry.place.node().map_or(0, |node| i64::from(node.number()));
            columns.places.push(place - last.entry);
            columns.own.push(entry.own);
            columns.kinds.push(entry.kind);
            columns.times.push(last.time(entry.time));
            match entry.event {
                Some(event) => columns.events.extend(event.digest().to_le_bytes()),
                None => columns.without_event.push(at),
            }
            let response = entry.response.map(|response| (at, response.digest().to_le_bytes()));
            columns.responses.extend(response);
            columns.kept.extend(entry.kept.map(|kept| (at, kept)));
            columns.usages.extend(entry.usage.as_deref().map(|usage| (at, *usage)));
            last.end = entry.start + entry.length;
            last.entry = place;
        }
        columns
    }

    /// Appends the entries to those that were read before them.
    pub(super) fn read_into(self, entries: &mut Vec<EntryRecord>, root: RootId) -> Option<()> {
        let first = entries.len();
        let mut last = Last::default();
        let mut without_event = self.without_event.into_iter().peekable();
        let mut events = self.events.chunks_exact(8);
        let columns = self.gaps.into_iter().zip(self.lengths).zip(self.places).zip(self.own);
        let columns = columns.zip(self.kinds).zip(self.times).zip(0..);
        for ((((((gap, length), place), own), kind), time), at) in columns {
            let start = (last.end.cast_signed() + gap).cast_unsigned();
            last.end = start + length;
            last.entry += place;
            let place = match last.entry {
                0 => Place::Root(root),
                number => NodeId::new(root, u32::try_from(number).ok()?).into(),
            };
            let event = match without_event.next_if_eq(&at) {
                Some(_) => None,
                None => Some(EventId::new(u64::from_le_bytes(events.next()?.try_into().ok()?))),
            };
            let time = last.read_time(time);
            let (response, kept, usage) = (None, None, None);
            entries.push(EntryRecord {
                start,
                length,
                place,
                own,
                kind,
                event,
                response,
                time,
                kept,
                usage,
            });
        }
        let new = &mut entries[first..];
        for (at, response) in self.responses {
            new.get_mut(at as usize)?.response = Some(EventId::new(u64::from_le_bytes(response)));
        }
        for (at, kept) in self.kept {
            new.get_mut(at as usize)?.kept = Some(kept);
        }
        for (at, usage) in self.usages {
            new.get_mut(at as usize)?.usage = Some(Box::new(usage));
        }
        Some(())
    }
}

/// What stood before, from which the next is told apart by little.
#[derive(Default)]
struct Last {
    number: u32,
    session: i64,
    entry: i64,
    end: u64,
    time: i64,
}

impl Last {
    fn time(&mut self, time: Option<Millis>) -> i64 {
        match time {
            None => NO_TIME,
            Some(Millis(time)) => time.wrapping_sub(std::mem::replace(&mut self.time, time)),
        }
    }

    fn read_time(&mut self, difference: i64) -> Option<Millis> {
        if difference == NO_TIME {
            return None;
        }
        self.time = self.time.wrapping_add(difference);
        Some(Millis(self.time))
    }
}
