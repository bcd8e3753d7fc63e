//! From families to units of work: the second half of taking sessions in.
//!
//! What is derived depends on the family alone, not on the order in which its files came: the whole family is cut
//! anew whenever something in it has changed, which takes no text. Only segments that have changed are read again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use pi_brain_brain::{
    Analysis, Cause, Cut, EntryFacts, FamilyFile, Kind, Node, NodeId, Outline, Rules, Segment,
    SegmentContext, SegmentRange, VersionTrigger, cut_family, next_version, structural_edges,
};
use pi_brain_forest::{FamilyEvents, Place, SessionNo, SessionRecord};
use pi_brain_session::{Entry, Millis, Raw, Usage};
use pi_brain_store::{
    Citation, FamilyMap, FamilyState, FamilyUpdate, IndexChange, KnownNode, Member, NewVersion,
    QUARTER, SegmentRow, Spending, Store,
};

use crate::error::{AppError, Result};
use crate::indexing::{Filling, MessageSource, Sink as _};
use crate::text::EntryReader;

/// What derivation depends on besides the family.
pub(crate) struct Circumstances<'a> {
    pub(crate) store: &'a Store,
    pub(crate) rules: Rules,
    pub(crate) now: Millis,
    /// The text index, if messages are to be put into it as they are read.
    pub(crate) filling: Option<&'a Filling>,
}

/// Finds out what is new about a family.
pub(crate) fn derive(state: &FamilyState, with: &Circumstances<'_>) -> Result<FamilyUpdate> {
    let anatomy = Anatomy::of(state, &with.rules);
    let Anatomy { cut, ids, .. } = &anatomy;
    let mut family = Family::new(state, with, &anatomy);
    let known: HashMap<NodeId, &KnownNode> =
        state.nodes.iter().map(|node| (node.id, node)).collect();
    let mut update = FamilyUpdate {
        root: state.root,
        map: None,
        segments: Vec::new(),
        gone_segments: Vec::new(),
        versions: Vec::new(),
        found: Vec::new(),
        orphaned: Vec::new(),
        retired: Vec::new(),
        edges: Vec::new(),
        indexed: IndexChange::Messages(Vec::new()),
    };
    if !state.members.is_empty() {
        let map = family.map(ids);
        update.indexed = index_change(state.map.as_ref(), &map);
        family.make_room(&map, &update.indexed)?;
        update.map = Some(map);
    } else if state.map.is_some() {
        update.indexed = IndexChange::Everything;
        family.make_room(&FamilyMap::default(), &update.indexed)?;
    }
    let mut with_node: HashSet<usize> = HashSet::new();
    for (number, (segment, &id)) in cut.segments.iter().zip(ids).enumerate() {
        let counted = family.count(segment);
        let row = family.row(number, segment, id, &counted);
        let before = state.segments.get(&id);
        let is_same = before.is_some_and(|before| before.fingerprint == row.fingerprint);
        // What has lost its words, because somebody cut the file short, has lost its node.
        let node = known.get(&id).copied().filter(|_| segment.speaks);
        if let Some(node) = node {
            let member = &state.members[segment.file];
            if !node.is_member || node.session_file != member.record.file {
                update.found.push((id, member.record.file.clone()));
            }
        }
        // A segment may be over, have a node, and go on after all. While it does, its node is behind; and when it is over
        // again, nothing in it has changed since it was looked at last.
        let was_over = before.is_some_and(|before| before.closes.is_none());
        let is_analysed = is_same && was_over && node.is_some();
        let is_due = segment.speaks && row.closes.is_none() && !is_analysed;
        if is_due {
            let draft = family.analyse(number, segment, id, &counted, &mut |_, _, _| {})?;
            update.versions.extend(with.versions(draft, node)?);
        }
        if node.is_some() || is_due {
            with_node.insert(number);
        }
        let is_kept = before.is_some_and(|before| {
            is_same
                && (before.ordinal, before.closes, before.session)
                    == (row.ordinal, row.closes, row.session)
                && before.boundaries == row.boundaries
        });
        if !is_kept {
            update.segments.push(row);
        }
    }
    let present: HashSet<NodeId> = ids.iter().copied().collect();
    update.gone_segments =
        state.segments.keys().copied().filter(|id| !present.contains(id)).collect();
    update.gone_segments.sort();
    let speaking = cut.segments.iter().zip(ids).filter(|(segment, _)| segment.speaks);
    let with_words: HashSet<NodeId> = speaking.map(|(_, &id)| id).collect();
    part_with_nodes(state, &present, &with_words, &mut update);
    let files = files(state, &anatomy.events);
    update.edges =
        structural_edges(cut, &files, |number| with_node.contains(&number).then(|| ids[number]));
    family.give_unread()?;
    Ok(update)
}

/// Reads the segment of a node again. Returns what the rules make of it; `listen` hears every entry. `None` if there is no
/// such segment any more.
pub(crate) fn reread(
    state: &FamilyState,
    with: &Circumstances<'_>,
    id: NodeId,
    listen: &mut dyn FnMut(&str, &Entry, Raw<'_>),
) -> Result<Option<Node>> {
    let anatomy = Anatomy::of(state, &with.rules);
    let mut family = Family::new(state, with, &anatomy);
    for (number, (segment, &name)) in anatomy.cut.segments.iter().zip(&anatomy.ids).enumerate() {
        // What is told twice is counted where it is told first, so those before it have to be counted, too.
        let counted = family.count(segment);
        if name == id {
            return family.analyse(number, segment, id, &counted, listen).map(Some);
        }
    }
    Ok(None)
}

/// How a family hangs together.
struct Anatomy {
    events: FamilyEvents,
    cut: Cut,
    ids: Vec<NodeId>,
    /// What ended each segment.
    ended_by: Vec<Option<Cause>>,
}

impl Anatomy {
    fn of(state: &FamilyState, rules: &Rules) -> Self {
        let records: Vec<_> = state.members.iter().map(|member| member.record.clone()).collect();
        let events = FamilyEvents::of(&records);
        let cut = cut_family(&files(state, &events), rules);
        let (ids, ended_by) = (name_segments(&cut, state), endings(&cut));
        Self { events, cut, ids, ended_by }
    }
}

fn files<'a>(state: &'a FamilyState, events: &'a FamilyEvents) -> Vec<FamilyFile<'a>> {
    let members = state.members.iter().zip(&events.sessions);
    let file = |(member, (_, events)): (&'a Member, &'a (SessionNo, Vec<u32>))| FamilyFile {
        outline: &member.outline,
        events,
    };
    members.map(file).collect()
}

/// Returns what ended each segment, as far as that tells how the work in it went: a pause tells nothing.
fn endings(cut: &Cut) -> Vec<Option<Cause>> {
    let mut endings = vec![None; cut.segments.len()];
    for segment in &cut.segments {
        let cause = segment.boundaries.first().map(|boundary| boundary.kind.cause());
        let tells = |cause: &Cause| {
            matches!(cause, Cause::Branch | Cause::TreeJump | Cause::Compaction | Cause::Handoff)
        };
        if let (Some(cause), Some(left)) = (cause.filter(tells), segment.left) {
            let ended = cut.segment_of[left.file][left.entry as usize];
            endings[ended] = endings[ended].or(Some(cause));
        }
    }
    endings
}

/// Finds out what becomes of nodes whose segment has no words any more, or is none.
fn part_with_nodes(
    state: &FamilyState,
    present: &HashSet<NodeId>,
    with_words: &HashSet<NodeId>,
    update: &mut FamilyUpdate,
) {
    let mut without: Vec<&KnownNode> =
        state.nodes.iter().filter(|node| !with_words.contains(&node.id)).collect();
    without.sort_by_key(|node| node.id);
    let openings = if without.is_empty() { Present::default() } else { Present::of(state) };
    for node in without {
        // A segment of this name without words is what a file that was cut short has left of it, or the words stand
        // in another segment now.
        let was_cut_otherwise = if present.contains(&node.id) {
            openings.ids.contains(&*node.end_entry)
        } else {
            openings.has_opening_of(node)
        };
        if was_cut_otherwise {
            update.retired.push(node.id);
        } else if node.is_member {
            update.orphaned.push(node.id);
        }
    }
}

/// Gives every segment its name.
///
/// A segment of a file that was rewritten is known by its session and its start.
fn name_segments(cut: &Cut, state: &FamilyState) -> Vec<NodeId> {
    let mut taken: HashSet<NodeId> = HashSet::new();
    let mut names: Vec<NodeId> = Vec::with_capacity(cut.segments.len());
    for segment in &cut.segments {
        let outline = &state.members[segment.file].outline;
        let name = segment.id(outline).unwrap_or_else(|| NodeId::of_line(&outline.session.id, 0));
        // Damaged lines can be alike; two segments are two all the same.
        let others = (1..).map(|other| NodeId::of_line(&name.to_string(), other));
        let name = [name].into_iter().chain(others).find(|name| !taken.contains(name));
        let name = name.expect("one of so many is free");
        taken.insert(name);
        names.push(name);
    }
    let unmatched: Vec<&KnownNode> =
        state.nodes.iter().filter(|node| !taken.contains(&node.id)).collect();
    if unmatched.is_empty() {
        return names;
    }
    let known: HashSet<NodeId> = state.nodes.iter().map(|node| node.id).collect();
    let present = Present::of(state);
    let mut lost: HashMap<(&str, Millis), Vec<NodeId>> = HashMap::new();
    // The entry that a node has its name from may still be there, within another segment: then nothing was rewritten.
    for node in unmatched.into_iter().filter(|node| !present.by_entry.contains(&node.id)) {
        lost.entry((&node.session_id, node.started)).or_default().push(node.id);
    }
    for (segment, name) in cut.segments.iter().zip(&mut names) {
        let session = &state.members[segment.file].outline.session;
        if let (false, true, Some(started)) =
            (known.contains(name), segment.speaks, segment.start_timestamp)
            && let Some(found) = lost.get_mut(&(&*session.id, started)).and_then(Vec::pop)
        {
            *name = found;
        }
    }
    names
}

impl Circumstances<'_> {
    /// Makes of an analysis the versions that the store does not know yet.
    fn versions(&self, draft: Node, known: Option<&KnownNode>) -> Result<Vec<NewVersion>> {
        let (mut versions, current): (Vec<NewVersion>, Option<Node>) = match known {
            // Somebody may have taken the file away, or spoilt it: then the next version has nothing to follow.
            Some(known) => match self.store.read_node(&known.path) {
                Ok(current) => (Vec::new(), Some(current)),
                Err(_) => return Ok(vec![after_unreadable(draft, known)]),
            },
            None => {
                // A file that nobody names was written just before a crash.
                let written = self.store.written_versions(draft.metadata.timestamp, draft.id)?;
                let current = written.last().cloned();
                let written = written.into_iter().map(|node| NewVersion { node, is_written: true });
                (written.collect(), current)
            }
        };
        let trigger = match &current {
            None => VersionTrigger::Initial,
            Some(current) if current.source.segment != draft.source.segment => {
                VersionTrigger::SegmentExtended
            }
            Some(current)
                if current.metadata.analyzer_version != draft.metadata.analyzer_version =>
            {
                VersionTrigger::PromptUpdate
            }
            Some(_) => VersionTrigger::ConnectionFound,
        };
        let next = next_version(current.as_ref(), draft, trigger);
        versions.extend(next.map(|node| NewVersion { node, is_written: false }));
        Ok(versions)
    }
}

fn after_unreadable(mut draft: Node, known: &KnownNode) -> NewVersion {
    draft.version = known.version + 1;
    draft.previous_versions =
        (1..=known.version).map(|version| format!("{}-v{version}", known.id)).collect();
    NewVersion { node: draft, is_written: false }
}

/// The entries of a family, to find out whether a node without segment was made of some of them.
#[derive(Default)]
struct Present<'a> {
    ids: HashSet<&'a str>,
    entries: HashSet<(&'a str, Option<Millis>)>,
    /// The names that nodes have who begin with an entry: by its id, which lasts, or by its line.
    by_entry: HashSet<NodeId>,
    by_line: HashSet<NodeId>,
}

impl<'a> Present<'a> {
    fn of(state: &'a FamilyState) -> Self {
        let mut present = Self::default();
        for outline in state.members.iter().map(|member| &member.outline) {
            for sketch in &outline.entries {
                let name = outline.name_of(sketch);
                let id = sketch.id.as_deref().unwrap_or_default();
                present.ids.insert(id);
                present.entries.insert((id, sketch.time));
                let lasts = sketch.time.is_some_and(|time| NodeId::of_entry(id, time) == name);
                let names = if lasts { &mut present.by_entry } else { &mut present.by_line };
                names.insert(name);
            }
        }
        present
    }

    /// Returns whether what a node began with is somewhere in the family.
    fn has_opening_of(&self, node: &KnownNode) -> bool {
        self.by_entry.contains(&node.id)
            || self.by_line.contains(&node.id)
            || self.entries.contains(&(&*node.start_entry, Some(node.started)))
    }
}

/// A family that is being derived.
struct Family<'a> {
    state: &'a FamilyState,
    with: &'a Circumstances<'a>,
    cut: &'a Cut,
    events: &'a FamilyEvents,
    /// What ended each segment.
    ended_by: &'a [Option<Cause>],
    /// The events whose cost has been counted.
    counted: HashSet<u32>,
    /// For each file, the entries that the text index waits for, with the numbers of their messages.
    unread: Vec<BTreeMap<u32, u32>>,
}

impl<'a> Family<'a> {
    fn new(state: &'a FamilyState, with: &'a Circumstances<'a>, anatomy: &'a Anatomy) -> Self {
        let Anatomy { cut, events, ended_by, .. } = anatomy;
        Self { state, with, cut, events, ended_by, counted: HashSet::new(), unread: Vec::new() }
    }

    /// Returns what each entry of a segment accounts for. Every event of the family is counted once.
    fn count(&mut self, segment: &Segment) -> Vec<Option<Usage>> {
        let (_, events) = &self.events.sessions[segment.file];
        let count = |&at: &u32| {
            let event = *events.get(at as usize)?;
            let spent = self.events.spent[event as usize]?;
            self.counted.insert(event).then_some(spent)
        };
        segment.entries.iter().map(count).collect()
    }

    fn row(
        &self,
        number: usize,
        segment: &Segment,
        id: NodeId,
        counted: &[Option<Usage>],
    ) -> SegmentRow {
        let Member { record, outline, is_first_of_project, over_until, .. } =
            &self.state.members[segment.file];
        let is_over = over_until.is_some_and(|until| segment.end_timestamp <= Some(until));
        let is_closed = is_over || segment.is_closed(self.with.now, &self.with.rules);
        let mut digest = Digest::default();
        let mut spending = Spending::new();
        let mut current =
            segment.entries.first().and_then(|&first| answered_before(outline, first));
        for (&at, counted) in segment.entries.iter().zip(counted) {
            let sketch = &outline.entries[at as usize];
            if sketch.kind == Kind::Assistant {
                current = sketch.model.or(current);
            }
            digest.text(sketch.id.as_deref().unwrap_or_default());
            digest.number(sketch.time.map_or(0, |time| time.0.cast_unsigned()));
            digest.number(sketch.length.into());
            let Some(usage) = counted else { continue };
            digest.number(usage.total_tokens);
            digest.number(usage.cost.to_bits());
            // Summaries and tool results do not say which model made them.
            let model = sketch.model.or(current);
            let name = model.and_then(|model| outline.models.get(model as usize));
            let (provider, model) = name.map_or(("", ""), |name| (&*name.provider, &*name.model));
            let time = sketch.time.or(segment.start_timestamp).map_or(0, |time| time.0);
            let quarter = (provider.to_owned(), model.to_owned(), time.div_euclid(QUARTER));
            let (answers, sum) = spending.entry(quarter).or_default();
            *answers += 1;
            *sum += *usage;
        }
        digest.number(u64::from(*is_first_of_project));
        digest.text(record.cwd.as_deref().unwrap_or_default());
        // An original that comes after its copy takes the segment over.
        digest.text(&record.id);
        digest.number(self.ended_by[number].map_or(0, |cause| cause as u64 + 1));
        SegmentRow {
            id,
            ordinal: u32::try_from(number).unwrap_or(u32::MAX),
            session: record.no,
            project: record.cwd.clone().unwrap_or_default(),
            started: segment.start_timestamp,
            ended: segment.end_timestamp,
            closes: if is_closed { None } else { segment.closes(&self.with.rules) },
            speaks: segment.speaks,
            fingerprint: digest.0,
            end_entry: segment.end_entry_id.clone(),
            boundaries: serde_json::to_string(&segment.boundaries)
                .expect("boundaries have a JSON form"),
            spending,
        }
    }

    /// Reads a segment and makes a node of it.
    fn analyse(
        &mut self,
        number: usize,
        segment: &Segment,
        id: NodeId,
        counted: &[Option<Usage>],
        listen: &mut dyn FnMut(&str, &Entry, Raw<'_>),
    ) -> Result<Node> {
        let Member { record, outline, computer, is_first_of_project, .. } =
            &self.state.members[segment.file];
        let started = segment.start_timestamp.or(outline.session.created).unwrap_or(Millis(0));
        let text = |id: &Option<Box<str>>| id.as_deref().unwrap_or_default().to_owned();
        let mut analysis = Analysis::new(SegmentContext {
            node_id: id,
            session_file: record.file.clone(),
            session_id: record.id.clone(),
            parent_session: record.parent_session.clone(),
            computer: computer.clone(),
            project: record.cwd.clone().unwrap_or_default(),
            is_new_project: *is_first_of_project,
            segment: SegmentRange {
                start_entry_id: text(&segment.start_entry_id),
                end_entry_id: text(&segment.end_entry_id),
                entry_count: segment.entry_count as u64,
            },
            opened_by: segment.boundaries.first().map(|boundary| boundary.kind.cause()),
            ended_by: self.ended_by[number],
            started,
            now: self.with.now,
        });
        let failed = |source| cannot_read(record, source);
        let mut reader = EntryReader::open(Path::new(&record.file)).map_err(failed)?;
        for (&at, &counted) in segment.entries.iter().zip(counted) {
            let sketch = &outline.entries[at as usize];
            let (entry, raw) = reader.read(sketch).map_err(failed)?;
            self.give(segment.file, at, &entry, raw)?;
            let id = sketch.id.as_deref().unwrap_or_default();
            listen(id, &entry, raw);
            analysis.hear(EntryFacts { id, time: sketch.time, entry: &entry, raw, counted });
        }
        Ok(analysis.finish())
    }

    /// Notes what the text index waits for, and takes out what stood there before.
    fn make_room(&mut self, map: &FamilyMap, change: &IndexChange) -> Result<()> {
        let Some(mut filling) = self.with.filling else { return Ok(()) };
        filling.make_room(self.state.root, change)?;
        let members = self.state.members.iter().zip(0_usize..);
        let files: HashMap<SessionNo, usize> =
            members.map(|(member, file)| (member.record.no, file)).collect();
        self.unread = vec![BTreeMap::new(); files.len()];
        let mut wait_for = |citation: Citation| {
            if let Some(&file) = files.get(&citation.session) {
                self.unread[file].insert(citation.entry, citation.message);
            }
        };
        match change {
            IndexChange::Everything => map.messages().for_each(wait_for),
            IndexChange::Messages(numbers) => {
                let new = numbers.iter().filter_map(|number| map.message(*number));
                new.for_each(&mut wait_for);
            }
        }
        Ok(())
    }

    /// Gives an entry to the text index, if it waits for it.
    fn give(&mut self, file: usize, at: u32, entry: &Entry, raw: Raw<'_>) -> Result<()> {
        let waiting = self.unread.get_mut(file).and_then(|unread| unread.remove(&at));
        let (Some(mut filling), Some(message)) = (self.with.filling, waiting) else {
            return Ok(());
        };
        let Member { record, outline, .. } = &self.state.members[file];
        let source = MessageSource {
            root: self.state.root,
            project: record.cwd.as_deref().unwrap_or_default(),
            time: outline.entries[at as usize].time,
        };
        let document = source.document(message, entry, raw);
        document.map_or(Ok(()), |document| filling.add(&document))
    }

    /// Reads what the text index waits for and no analysis has read.
    fn give_unread(&mut self) -> Result<()> {
        for file in 0..self.unread.len() {
            let Member { record, outline, .. } = &self.state.members[file];
            let waiting: Vec<u32> = self.unread[file].keys().copied().collect();
            if waiting.is_empty() {
                continue;
            }
            let failed = |source| cannot_read(record, source);
            let mut reader = EntryReader::open(Path::new(&record.file)).map_err(failed)?;
            for at in waiting {
                let (entry, raw) = reader.read(&outline.entries[at as usize]).map_err(failed)?;
                self.give(file, at, &entry, raw)?;
            }
        }
        Ok(())
    }

    /// Finds where each message is cited from, and which are on a way that some file is on.
    fn map(&self, ids: &[NodeId]) -> FamilyMap {
        // The order in which files came must not show.
        let mut by_age: Vec<usize> = (0..self.state.members.len()).collect();
        by_age.sort_by_key(|&file| {
            let record = &self.state.members[file].record;
            (record.created.is_none(), record.created, &record.id, &record.file)
        });
        let mut best: BTreeMap<u32, (bool, Option<Millis>, usize, u32)> = BTreeMap::new();
        let mut active: BTreeSet<u32> = BTreeSet::new();
        for (age, &file) in by_age.iter().enumerate() {
            let Member { record, outline, .. } = &self.state.members[file];
            for (entry, at) in record.entries.iter().zip(0_u32..) {
                let (true, Place::Node(node)) = (entry.own, entry.place) else { continue };
                let segment = self.cut.segment_of[file][at as usize];
                let is_copy = self.cut.segments[segment].file != file;
                let line = (is_copy, entry.time, age, at);
                best.entry(node.number())
                    .and_modify(|best| *best = (*best).min(line))
                    .or_insert(line);
            }
            let mut at = outline.entries.len().checked_sub(1);
            while let Some(on_path) = at {
                if let (true, Place::Node(node)) =
                    (record.entries[on_path].own, record.entries[on_path].place)
                {
                    active.insert(node.number());
                }
                at = outline.entries[on_path].parent.map(|parent| parent as usize);
            }
        }
        let messages = best.into_iter().map(|(message, (_, _, age, entry))| Citation {
            message,
            session: self.state.members[by_age[age]].record.no,
            entry,
            abandoned: !active.contains(&message),
        });
        let sessions = self.state.members.iter().zip(&self.cut.segment_of);
        let sessions: Vec<_> =
            sessions.map(|(member, segments)| (member.record.no, &**segments)).collect();
        FamilyMap::new(ids, &sessions, &messages.collect::<Vec<_>>())
    }
}

fn cannot_read(record: &SessionRecord, source: io::Error) -> AppError {
    AppError::Read { path: record.file.clone().into(), source }
}

/// Returns the model that answered last before an entry.
fn answered_before(outline: &Outline, entry: u32) -> Option<u32> {
    let above = |at: u32| outline.entries[at as usize].parent;
    std::iter::successors(above(entry), |&at| above(at)).find_map(|at| {
        let sketch = &outline.entries[at as usize];
        sketch.model.filter(|_| sketch.kind == Kind::Assistant)
    })
}

/// Finds the messages that the text index does not have, or has from elsewhere.
fn index_change(before: Option<&FamilyMap>, now: &FamilyMap) -> IndexChange {
    let Some(before) = before else { return IndexChange::Everything };
    let place = |citation: &Citation| (citation.session, citation.entry);
    let mut new = Vec::new();
    let mut kept = 0;
    for message in now.messages() {
        match before.message(message.message) {
            Some(known) if place(&known) == place(&message) => kept += 1,
            Some(_) => {
                kept += 1;
                new.push(message.message);
            }
            None => new.push(message.message),
        }
    }
    if kept < before.messages().count() {
        IndexChange::Everything
    } else {
        IndexChange::Messages(new)
    }
}

/// A quick digest, to notice changes.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
