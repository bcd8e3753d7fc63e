//! Cuts one file, line by line. What a line does depends on the lines before it alone, so growth never changes a cut.

use std::collections::HashMap;

use pi_brain_session::Millis;

use super::shape::Shape;
use crate::boundary::{Boundary, BoundaryKind, Rules, millis, minutes};
use crate::outline::{Aside, Kind, Outline, Sketch, gist};
use crate::segment::{Place, Segment};

/// Goes through a file and remembers what the next line may depend on.
pub(super) struct Cutter<'a> {
    file: usize,
    outline: &'a Outline,
    /// Where each line's event was recorded first.
    originals: &'a [Place],
    rules: &'a Rules,
    shape: Shape,
    segments: Vec<Segment>,
    tracks: Vec<Track>,
    /// The segment of each line so far; a copy has none.
    homes: Vec<Option<usize>>,
    /// The segment of the last own line.
    current: Option<usize>,
    /// The last line that is no note.
    last: Option<usize>,
    /// The last line, or the last of the notes that were written under it.
    leaf: Option<usize>,
    /// The last line that shows somebody at work.
    clock: Option<usize>,
    waiting: Waiting,
    forking: Forking,
    /// The entries that branch summaries name, as far as they have been met.
    named: HashMap<&'a str, Option<usize>>,
}

/// What has to be known of a segment while it may still grow.
#[derive(Default)]
struct Track {
    /// Its last line that is no note.
    tail: Option<usize>,
    /// Its last line that shows somebody at work.
    clock: Option<usize>,
}

/// How an entry stands to what was written before it.
struct Step {
    /// What it follows, notes aside.
    follows: Option<usize>,
    /// The segment that it continues, unless something cuts.
    continues: Option<usize>,
    /// The line that it comes after in that segment, or else in the file.
    previous: Option<usize>,
    /// Whether words are left behind.
    jumps: bool,
    /// The line from which the time runs.
    clock: Option<usize>,
    /// Whether it brings what a tool was called for.
    answers: bool,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(
        file: usize,
        outline: &'a Outline,
        originals: &'a [Place],
        parent_is_gone: bool,
        rules: &'a Rules,
    ) -> Self {
        let from = |sketch: &'a Sketch| match sketch.aside.as_deref() {
            Some(Aside::BranchSummary { from: Some(from), .. }) => Some((&**from, None)),
            _ => None,
        };
        Self {
            file,
            outline,
            originals,
            rules,
            shape: Shape::new(outline),
            segments: Vec::new(),
            tracks: Vec::new(),
            homes: Vec::with_capacity(outline.entries.len()),
            current: None,
            last: None,
            leaf: None,
            clock: None,
            waiting: Waiting::default(),
            forking: Forking::new(outline.session.created.filter(|_| parent_is_gone)),
            named: outline.entries.iter().filter_map(from).collect(),
        }
    }

    /// Returns the segments, and for each line the segment that it is in.
    pub(super) fn cut(mut self) -> (Vec<Segment>, Vec<Option<usize>>) {
        for (at, sketch) in self.outline.entries.iter().enumerate() {
            let original = self.originals[at];
            let is_own = original.file == self.file && original.entry as usize == at;
            let home = match (sketch.is_note(), is_own) {
                (true, true) => Some(self.take_note(at)),
                (false, true) => Some(self.take(at, sketch)),
                (_, false) => {
                    self.forking.has_copies |= original.file != self.file;
                    self.waiting.pass(None, sketch);
                    None
                }
            };
            self.homes.push(home);
            self.current = home.or(self.current);
            self.move_leaf(at, sketch);
        }
        for (number, segment) in self.segments.iter_mut().enumerate() {
            segment.pending_calls = self.waiting.waits(number);
        }
        (self.segments, self.homes)
    }

    fn move_leaf(&mut self, at: usize, sketch: &'a Sketch) {
        if !sketch.is_note() {
            self.last = Some(at);
            self.leaf = Some(at);
        } else if self.shape.parent(at) == self.leaf {
            self.leaf = Some(at);
        }
        if sketch.kind.keeps_time() {
            self.clock = Some(at);
        }
        if let Some(named) = sketch.id.as_deref().and_then(|id| self.named.get_mut(id)) {
            *named = Some(at);
        }
    }

    /// Puts a note where it stands. The first of a file wait for what follows.
    fn take_note(&mut self, at: usize) -> usize {
        let home = self.current.unwrap_or_else(|| self.open());
        self.add(home, at);
        home
    }

    fn take(&mut self, at: usize, sketch: &'a Sketch) -> usize {
        let step = self.step(at, sketch);
        let forks = self.forking.pass(sketch.time);
        let boundaries = self.boundaries(at, &step, forks);
        let cuts = boundaries.iter().any(|(boundary, _)| !boundary.is_pause());
        let home = match step.continues.or(self.current) {
            // Nothing but notes stands before the cut: it would cut nothing off.
            Some(home) if !cuts || self.tracks[home].tail.is_none() => home,
            before => {
                if let Some(before) = before {
                    self.segments[before].closed = true;
                }
                self.open()
            }
        };
        let original = |line: usize| self.originals[line];
        if self.tracks[home].tail.is_none() {
            let left = boundaries.first().filter(|_| cuts).and_then(|(_, left)| *left);
            self.segments[home].follows = step.follows.map(original);
            self.segments[home].left = left.and_then(|left| self.shape.anchor(left)).map(original);
        }
        let boundaries = boundaries.into_iter().map(|(boundary, _)| boundary);
        let segment = &mut self.segments[home];
        if cuts { &mut segment.boundaries } else { &mut segment.pauses }.extend(boundaries);
        self.add(home, at);
        self.waiting.pass(Some(home), sketch);
        home
    }

    fn step(&self, at: usize, sketch: &Sketch) -> Step {
        let parent = self.shape.parent(at);
        let follows = parent.and_then(|parent| self.shape.anchor(parent));
        let asked = sketch.answers.and_then(|call| self.waiting.asked_in(call));
        let moved = self.last.is_some() && follows != self.last;
        // Two programs may write to one file, and a person may come back: then the work goes on where it was.
        let other = follows.filter(|_| moved).and_then(|tail| self.segment_ending_with(tail));
        let other = other.filter(|&other| {
            self.gap(self.tracks[other].clock, at).is_none() || asked == Some(Some(other))
        });
        let jumps = moved
            && other.is_none()
            && self.last.is_some_and(|last| self.shape.leaves_words(last, parent));
        let track = other.map(|other| &self.tracks[other]);
        Step {
            follows,
            continues: other.or_else(|| self.current.filter(|_| !jumps)),
            previous: track.map_or(self.leaf, |track| track.tail),
            jumps,
            clock: track.map_or(self.clock, |track| track.clock),
            answers: asked.is_some(),
        }
    }

    /// Finds the segment whose last line this is.
    fn segment_ending_with(&self, line: usize) -> Option<usize> {
        let original = self.originals[line];
        let line = original.entry as usize;
        let home = (original.file == self.file).then(|| self.homes[line]).flatten()?;
        (self.tracks[home].tail == Some(line)).then_some(home)
    }

    /// Returns the milliseconds between two lines, if nothing happened for too long.
    fn gap(&self, from: Option<usize>, to: usize) -> Option<i64> {
        let time = |line: usize| self.outline.entries[line].time;
        let gap = time(to)?.0.saturating_sub(time(from?)?.0);
        (gap >= millis(self.rules.gap)).then_some(gap)
    }

    /// Finds the boundaries at an entry, the weightiest first, each with the line that was left there.
    fn boundaries(&self, at: usize, step: &Step, forks: bool) -> Vec<(Boundary, Option<usize>)> {
        let sketch = &self.outline.entries[at];
        let parent = self.shape.parent(at);
        let mut found: Vec<(BoundaryKind, Option<usize>)> = Vec::new();
        if forks {
            let parent_session = self.outline.session.parent_session.as_deref().map(Box::from);
            found.push((BoundaryKind::Fork { parent_session }, step.follows.or(self.last)));
        }
        if let Some(Aside::BranchSummary { summary, from }) = sketch.aside.as_deref() {
            let left = self.branch_left(from.as_deref(), parent);
            found.push((BoundaryKind::Branch { summary: gist(summary) }, left));
        } else if step.jumps {
            let (expected_parent_id, actual_parent_id) = (self.id(self.leaf), self.id(parent));
            let jump = BoundaryKind::TreeJump { expected_parent_id, actual_parent_id };
            found.push((jump, self.leaf));
        }
        if let Some(Aside::Compaction { summary, tokens_before }) = sketch.aside.as_deref() {
            let (summary, tokens_before) = (gist(summary), *tokens_before);
            found.push((BoundaryKind::Compaction { summary, tokens_before }, step.previous));
        }
        let gap = self.gap(step.clock, at).filter(|_| sketch.kind.keeps_time());
        if let Some(gap) = gap {
            let (gap_minutes, during_tool_run) = (minutes(gap), step.answers);
            found.push((BoundaryKind::Resume { gap_minutes, during_tool_run }, step.clock));
        }
        if let Some(Aside::Handoff { target }) = sketch.aside.as_deref() {
            found.push((BoundaryKind::Handoff { handoff_target: target.clone() }, step.previous));
        }
        let boundary = |(kind, left): (BoundaryKind, Option<usize>)| {
            let boundary = Boundary {
                kind,
                entry_id: sketch.id.clone(),
                timestamp: sketch.time,
                previous_entry_id: self.id(left),
                entry: self.position(at),
            };
            (boundary, left)
        };
        found.into_iter().map(boundary).collect()
    }

    /// Finds the leaf that a branch summary tells of.
    ///
    /// Old pi names the place that the user went to, which lies on the summary's own path; then the leaf was the
    /// last line.
    fn branch_left(&self, from: Option<&str>, parent: Option<usize>) -> Option<usize> {
        let named = from.and_then(|from| self.named.get(from).copied().flatten());
        let is_destination =
            |named: usize| parent.is_some_and(|parent| self.shape.is_on_path(named, parent));
        named.filter(|&named| !is_destination(named)).or(self.leaf)
    }

    /// Returns the place of an own line, which is its own original, in the file.
    fn position(&self, at: usize) -> u32 {
        self.originals[at].entry
    }

    fn id(&self, line: Option<usize>) -> Option<Box<str>> {
        self.outline.entries[line?].id.clone()
    }

    fn open(&mut self) -> usize {
        self.segments.push(Segment {
            file: self.file,
            entries: Vec::new(),
            start_entry_id: None,
            end_entry_id: None,
            entry_count: 0,
            start_timestamp: None,
            end_timestamp: None,
            boundaries: Vec::new(),
            pauses: Vec::new(),
            speaks: false,
            pending_calls: false,
            closed: false,
            follows: None,
            left: None,
        });
        self.tracks.push(Track::default());
        self.segments.len() - 1
    }

    /// Adds a line to a segment.
    fn add(&mut self, home: usize, at: usize) {
        let (sketch, position) = (&self.outline.entries[at], self.position(at));
        let (segment, track) = (&mut self.segments[home], &mut self.tracks[home]);
        if segment.entries.is_empty() {
            segment.start_entry_id.clone_from(&sketch.id);
        }
        segment.end_entry_id.clone_from(&sketch.id);
        segment.entries.push(position);
        segment.entry_count += 1;
        segment.speaks |= sketch.speaks;
        if sketch.kind.keeps_time() {
            // Times of notes were stopgaps.
            if track.clock.is_none() {
                (segment.start_timestamp, segment.end_timestamp) = (None, None);
            }
            track.clock = Some(at);
        }
        if sketch.kind.keeps_time() || track.clock.is_none() {
            segment.start_timestamp = segment.start_timestamp.or(sketch.time);
            segment.end_timestamp = sketch.time.or(segment.end_timestamp);
        }
        if !sketch.is_note() {
            track.tail = Some(at);
            // Another program, or a person who came back, opens it again.
            segment.closed = false;
        }
    }
}

/// The tool calls that have not been answered yet.
#[derive(Default)]
struct Waiting {
    calls: HashMap<u32, Call>,
    /// How far the talk has come in each segment, and (`None`) in copied lines.
    turns: HashMap<Option<usize>, Turn>,
}

struct Call {
    segment: Option<usize>,
    turn: usize,
}

#[derive(Default)]
struct Turn {
    number: usize,
    waiting: usize,
}

impl Waiting {
    /// Takes in what an entry of a segment, or (`None`) a copied one, asks for and answers.
    fn pass(&mut self, segment: Option<usize>, sketch: &Sketch) {
        if let Some(call) = sketch.answers {
            self.remove(call);
        }
        if matches!(sketch.kind, Kind::User | Kind::Assistant) {
            // The talk went on, so nobody waits for earlier calls any more: their tools were stopped.
            let turn = self.turns.entry(segment).or_default();
            *turn = Turn { number: turn.number + 1, waiting: 0 };
        }
        for &call in &sketch.calls {
            self.remove(call);
            let turn = self.turns.entry(segment).or_default();
            turn.waiting += 1;
            self.calls.insert(call, Call { segment, turn: turn.number });
        }
    }

    fn remove(&mut self, call: u32) {
        if let Some(segment) = self.asked_in(call) {
            self.calls.remove(&call);
            self.turns.entry(segment).or_default().waiting -= 1;
        }
    }

    /// Returns the segment in which an unanswered call was made; `Some(None)` if in a copied line.
    #[expect(clippy::option_option, reason = "a copied line is in no segment")]
    fn asked_in(&self, call: u32) -> Option<Option<usize>> {
        let call = self.calls.get(&call)?;
        let turn = self.turns.get(&call.segment)?;
        (turn.number == call.turn).then_some(call.segment)
    }

    fn waits(&self, segment: usize) -> bool {
        self.turns.get(&Some(segment)).is_some_and(|turn| turn.waiting > 0)
    }
}

/// Finds where a session parts from the one that it was forked from.
struct Forking {
    /// When the session began, if what it was forked from is gone: what is older was copied from there.
    began: Option<Millis>,
    has_copies: bool,
    has_own: bool,
    has_older: bool,
}

impl Forking {
    fn new(began: Option<Millis>) -> Self {
        Self { began, has_copies: false, has_own: false, has_older: false }
    }

    /// Takes in an own entry; returns whether the session's own part begins with it.
    fn pass(&mut self, time: Option<Millis>) -> bool {
        let after_copies = self.has_copies && !self.has_own;
        self.has_own = true;
        let age = self.began.zip(time).map(|(began, time)| time < began);
        let after_older = self.has_older && age == Some(false);
        match age {
            Some(true) => self.has_older = true,
            // From here on nothing is a copy, whatever the clocks say.
            Some(false) => self.began = None,
            None => {}
        }
        after_copies || after_older
    }
}
