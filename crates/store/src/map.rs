//! The map of a family: where each message is cited from, and which unit of work each line belongs to.

use pi_brain_brain::NodeId;
use pi_brain_forest::SessionNo;
use serde::{Deserialize, Serialize};

/// What search results and citations are looked up in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct FamilyMap {
    /// The segments by their number; each has the name of the node that is, or would be, made of it.
    segments: Vec<u64>,
    sessions: Vec<SessionMap>,
    messages: Messages,
}

/// Which segment each line of a session belongs to: where each run of equal ones starts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct SessionMap {
    no: u32,
    entries: u32,
    runs: Vec<(u32, u32)>,
}

/// The messages in the order of their numbers, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
struct Messages {
    numbers: Vec<u32>,
    sessions: Vec<u32>,
    entries: Vec<u32>,
    abandoned: Vec<bool>,
}

/// Where a message is cited from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The number of the message.
    pub message: u32,
    /// The session.
    pub session: SessionNo,
    /// The position among its entries.
    pub entry: u32,
    /// Whether it lies on no way that any file of the family is on.
    pub abandoned: bool,
}

impl FamilyMap {
    /// Puts a map together: the segments, for each session the segment of each line, and the messages by number.
    pub fn new(
        segments: &[NodeId],
        sessions: &[(SessionNo, &[usize])],
        messages: &[Citation],
    ) -> Self {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let sessions = sessions.iter().map(|(no, segments)| {
            let mut runs: Vec<(u32, u32)> = Vec::new();
            for (at, &segment) in segments.iter().enumerate() {
                let segment = number(segment);
                if runs.last().is_none_or(|(_, last)| *last != segment) {
                    runs.push((number(at), segment));
                }
            }
            SessionMap { no: no.number(), entries: number(segments.len()), runs }
        });
        let mut columns = Messages::default();
        for message in messages {
            columns.numbers.push(message.message);
            columns.sessions.push(message.session.number());
            columns.entries.push(message.entry);
            columns.abandoned.push(message.abandoned);
        }
        Self {
            segments: segments.iter().map(|id| id.as_u64()).collect(),
            sessions: sessions.collect(),
            messages: columns,
        }
    }

    /// Returns all messages in the order of their numbers.
    pub fn messages(&self) -> impl Iterator<Item = Citation> {
        (0..self.messages.numbers.len()).map(|at| self.citation(at))
    }

    /// Returns where a message is cited from.
    pub fn message(&self, number: u32) -> Option<Citation> {
        let at = self.messages.numbers.binary_search(&number).ok()?;
        Some(self.citation(at))
    }

    fn citation(&self, at: usize) -> Citation {
        let Messages { numbers, sessions, entries, abandoned } = &self.messages;
        Citation {
            message: numbers[at],
            session: SessionNo::new(sessions[at]),
            entry: entries[at],
            abandoned: abandoned[at],
        }
    }

    /// Returns the first line of a session that belongs to a segment.
    pub fn first_entry(&self, session: SessionNo, segment: NodeId) -> Option<u32> {
        let map = self.sessions.iter().find(|map| map.no == session.number())?;
        let number = self.segments.iter().position(|id| *id == segment.as_u64())?;
        let run = map.runs.iter().find(|(_, segment)| *segment as usize == number);
        run.map(|(start, _)| *start)
    }

    /// Returns the segment that a line belongs to, by the name of the node that is or would be made of it.
    pub fn segment(&self, session: SessionNo, entry: u32) -> Option<NodeId> {
        let map = self.sessions.iter().find(|map| map.no == session.number())?;
        let run = map.runs.partition_point(|(start, _)| *start <= entry).checked_sub(1)?;
        let (_, segment) = map.runs.get(run).filter(|_| entry < map.entries)?;
        self.segments.get(*segment as usize).copied().map(NodeId::from_u64)
    }
}
