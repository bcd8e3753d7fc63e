//! Runs of entries between boundaries.

use pi_brain_session::Millis;
use serde::Serialize;

use crate::boundary::{Boundary, Rules, millis};
use crate::family::{FamilyFile, cut_family};
use crate::ids::NodeId;
use crate::outline::{Outline, Sketch};

/// An entry of a family: which file, and the position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file, by its position in the family.
    pub file: usize,
    /// The entry, by its position in the file.
    pub entry: u32,
}

/// A run of entries between boundaries.
///
/// Two programs may write to one file at the same time, so the entries need not be neighbours.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    /// The file that the entries are in, by its position in the family.
    #[serde(skip)]
    pub file: usize,
    /// The entries, by position in the file.
    #[serde(skip)]
    pub entries: Vec<u32>,
    /// The id of the first entry.
    pub start_entry_id: Option<Box<str>>,
    /// The id of the last entry.
    pub end_entry_id: Option<Box<str>>,
    /// How many entries there are.
    pub entry_count: usize,
    /// When the work began: the first time that is known, of labels only if there is nothing else.
    pub start_timestamp: Option<Millis>,
    /// When something happened last, known in the same way.
    pub end_timestamp: Option<Millis>,
    /// What opened the segment, the weightiest first.
    pub boundaries: Vec<Boundary>,
    /// The times in which only a tool was at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Boundary>,
    /// Whether a person or a model says something. If not, there is nothing to make a node of.
    pub speaks: bool,
    /// Whether a tool was called and has not answered.
    pub pending_calls: bool,
    /// Whether a cut ended it. Only another program that writes to the file could add to it.
    pub closed: bool,
    /// What its first entry follows, in the file that the original of that entry is in.
    #[serde(skip)]
    pub follows: Option<Place>,
    /// The leaf that was left when it was opened, in the same manner.
    #[serde(skip)]
    pub left: Option<Place>,
}

impl Segment {
    /// Returns whether it is over: ended by a cut, or nothing has happened for long enough.
    pub fn is_closed(&self, now: Millis, rules: &Rules) -> bool {
        self.closes(rules).is_none_or(|closes| closes <= now)
    }

    /// Returns when it is over if nothing happens until then; `None` if it is over already.
    pub fn closes(&self, rules: &Rules) -> Option<Millis> {
        let patience = if self.pending_calls { rules.tool_patience } else { rules.gap };
        // Without times there is no telling: waiting would be for ever.
        let end = self.end_timestamp.filter(|_| !self.closed)?;
        Some(Millis(end.0.saturating_add(millis(patience))))
    }

    /// Names the node that is made of this segment; `None` if nothing is said in it.
    ///
    /// `outline` is that of its file.
    pub fn node_id(&self, outline: &Outline) -> Option<NodeId> {
        self.id(outline).filter(|_| self.speaks)
    }

    /// Names the segment by its first entry: as the node that is made of it, if there is one.
    pub fn id(&self, outline: &Outline) -> Option<NodeId> {
        self.opening(outline).map(|first| outline.name_of(first))
    }

    /// Finds the first entry that is no note. Forks write labels anew, under other ids.
    fn opening<'a>(&self, outline: &'a Outline) -> Option<&'a Sketch> {
        let sketches = || self.entries.iter().filter_map(|&at| outline.entries.get(at as usize));
        sketches().find(|sketch| !sketch.is_note()).or_else(|| sketches().next())
    }
}

/// Cuts one file as if it had no family.
pub fn extract_segments(outline: &Outline, rules: &Rules) -> Vec<Segment> {
    let events = outline.events();
    cut_family(&[FamilyFile { outline, events: &events }], rules).segments
}
