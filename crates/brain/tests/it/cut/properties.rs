use std::collections::{BTreeSet, HashMap};

use pi_brain_brain::{
    Aside, Boundary, Cut, FamilyFile, Kind, Outline, Place, Rules, Segment, SessionFacts, Sketch,
    cut_family, extract_segments, structural_edges,
};
use pi_brain_session::Millis;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A file of a random family, with the number of the event that each line tells of.
#[derive(Clone, Debug)]
struct File {
    outline: Outline,
    events: Vec<u32>,
}

/// A line that is not written yet.
#[derive(Clone, Debug)]
struct Line {
    kind: Kind,
    speaks: bool,
    parent: Following,
    pause: Option<i64>,
    call: u32,
    repeats: Option<Index>,
}

#[derive(Clone, Debug)]
enum Following {
    Leaf,
    Nothing,
    Any(Index),
}

fn any_line() -> impl Strategy<Value = Line> {
    let kind = prop_oneof![
        8 => select(vec![Kind::User, Kind::Assistant]),
        3 => select(vec![Kind::ToolResult, Kind::Setting, Kind::Note]),
        1 => select(vec![Kind::Compaction, Kind::BranchSummary, Kind::Custom, Kind::Usage, Kind::Bash]),
    ];
    let parent = prop_oneof![
        8 => Just(Following::Leaf),
        1 => Just(Following::Nothing),
        3 => any::<Index>().prop_map(Following::Any),
    ];
    let pause = prop_oneof![
        8 => Just(Some(1)),
        3 => select(vec![Some(4 * 60), Some(10 * 60), Some(25 * 60), Some(-60), None]),
    ];
    let repeats = prop_oneof![15 => Just(None), 1 => any::<Index>().prop_map(Some)];
    (kind, any::<bool>(), parent, pause, 0..4_u32, repeats).prop_map(
        |(kind, speaks, parent, pause, call, repeats)| {
            let speaks = speaks && matches!(kind, Kind::User | Kind::Assistant);
            Line { kind, speaks, parent, pause, call, repeats }
        },
    )
}

/// A session: its name and age, what it copies from one before, and what it adds.
type Plan = (usize, i64, Option<(Index, Index)>, bool, Vec<Line>);

fn any_family() -> impl Strategy<Value = Vec<File>> {
    let copies = proptest::option::of(any::<(Index, Index)>());
    let plan = (0..3_usize, 0..3_i64, copies, any::<bool>(), vec(any_line(), 0..25));
    vec(plan, 1..5).prop_map(|plans| {
        let mut family = Vec::new();
        for plan in plans {
            let file = write(plan, &family);
            family.push(file);
        }
        family
    })
}

fn any_session() -> impl Strategy<Value = Outline> {
    let created = prop_oneof![Just(0), Just(1)];
    (created, any::<bool>(), vec(any_line(), 0..60))
        .prop_map(|(created, forked, lines)| write((0, created, None, forked, lines), &[]).outline)
}

fn write((name, hour, copies, forked, lines): Plan, family: &[File]) -> File {
    const HOUR: i64 = 3_600_000;
    let session = SessionFacts {
        id: format!("s{name}"),
        version: 3,
        cwd: None,
        parent_session: forked.then(|| format!("/sessions/t_s{}.jsonl", (name + 1) % 4)),
        created: (hour < 2).then_some(Millis(hour * HOUR)),
        name: None,
    };
    let beginning = copies.filter(|_| !family.is_empty()).map(|(from, count)| {
        let from = from.get(family);
        let count = count.index(from.events.len() + 1);
        (from.outline.entries[..count].to_vec(), from.events[..count].to_vec())
    });
    let (mut entries, mut events) = beginning.unwrap_or_default();
    let known: u32 =
        family.iter().flat_map(|file| &file.events).map(|event| event + 1).max().unwrap_or(0);
    let mut now = entries
        .iter()
        .filter_map(|sketch: &Sketch| sketch.time)
        .next_back()
        .map_or(0, |time| time.0);
    for (next, line) in (known..).zip(lines) {
        let at = entries.len();
        let repeated = line.repeats.filter(|_| at > 0).map(|index| index.index(at));
        now += line.pause.unwrap_or(0) * 1000;
        entries.push(match repeated {
            Some(first) => entries[first].clone(),
            None => sketch(&line, at, next, line.pause.map(|_| Millis(now))),
        });
        events.push(repeated.map_or(next, |first| events[first]));
    }
    File { outline: Outline { session, models: Vec::new(), entries }, events }
}

fn sketch(line: &Line, at: usize, event: u32, time: Option<Millis>) -> Sketch {
    let aside = match line.kind {
        Kind::Compaction => Some(Aside::Compaction { summary: "c".into(), tokens_before: None }),
        Kind::BranchSummary => {
            let from = Some(format!("e{}", event.saturating_sub(3)).into());
            Some(Aside::BranchSummary { summary: "b".into(), from })
        }
        Kind::Custom => Some(Aside::Handoff { target: None }),
        _ => None,
    };
    let parent = match &line.parent {
        Following::Leaf => at.checked_sub(1),
        Following::Nothing => None,
        Following::Any(index) => (at > 0).then(|| index.index(at)),
    };
    Sketch {
        time,
        id: Some(format!("e{event}").into()),
        parent: parent.map(|parent| u32::try_from(parent).unwrap()),
        line: event + 2,
        start: 0,
        length: 1,
        kind: line.kind,
        speaks: line.speaks,
        calls: if line.kind == Kind::Assistant { [line.call].into() } else { [].into() },
        answers: (line.kind == Kind::ToolResult).then_some(line.call),
        model: None,
        aside: aside.map(Box::new),
    }
}

fn files(family: &[File]) -> Vec<FamilyFile<'_>> {
    family.iter().map(|file| FamilyFile { outline: &file.outline, events: &file.events }).collect()
}

fn cut(family: &[File]) -> Cut {
    cut_family(&files(family), &Rules::default())
}

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), ..config }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn every_event_lies_in_exactly_one_segment(family in any_family()) {
        let cut = cut(&family);
        let mut homes: HashMap<u32, usize> = HashMap::new();
        for (number, segment) in cut.segments.iter().enumerate() {
            prop_assert!(!segment.entries.is_empty());
            prop_assert_eq!(segment.entry_count, segment.entries.len());
            for &entry in &segment.entries {
                let event = family[segment.file].events[entry as usize];
                prop_assert_eq!(homes.insert(event, number), None);
            }
        }
        for (file, segments) in family.iter().zip(&cut.segment_of) {
            let expected: Vec<usize> = file.events.iter().map(|event| homes[event]).collect();
            prop_assert_eq!(segments, &expected);
        }
    }

    #[test]
    fn the_order_of_files_makes_no_difference(
        (family, shuffled) in any_family().prop_flat_map(|family| {
            let order: Vec<usize> = (0..family.len()).collect();
            (Just(family), Just(order).prop_shuffle())
        })
    ) {
        // Files that are equal may stand for each other.
        let same = |one: &File, other: &File| one.outline == other.outline && one.events == other.events;
        let first_equal = |number: usize| {
            family.iter().position(|other| same(other, &family[number])).unwrap()
        };
        let named = |cut: Cut, name: &dyn Fn(usize) -> usize| -> Vec<Segment> {
            let place = |place: Place| Place { file: name(place.file), ..place };
            let rename = |segment: Segment| Segment {
                file: name(segment.file),
                follows: segment.follows.map(place),
                left: segment.left.map(place),
                ..segment
            };
            cut.segments.into_iter().map(rename).collect()
        };
        let other: Vec<File> = shuffled.iter().map(|&file| family[file].clone()).collect();
        let expected = named(cut(&family), &first_equal);
        prop_assert_eq!(named(cut(&other), &|file| first_equal(shuffled[file])), expected);
    }

    #[test]
    fn what_is_appended_changes_no_cut(outline in any_session(), length in any::<Index>()) {
        let length = length.index(outline.entries.len() + 1);
        let mut beginning = outline.clone();
        beginning.entries.truncate(length);
        let rules = Rules::default();
        let shortened: Vec<_> = extract_segments(&outline, &rules)
            .iter()
            .map(|segment| up_to(segment, &beginning))
            .filter(|(entries, ..)| !entries.is_empty())
            .collect();
        let segments = extract_segments(&beginning, &rules);
        let segments: Vec<_> = segments.iter().map(|segment| up_to(segment, &beginning)).collect();
        prop_assert_eq!(segments, shortened);
    }

    #[test]
    fn edges_lead_between_different_nodes_that_say_something(family in any_family()) {
        let cut = cut(&family);
        let node = |number: usize| {
            let segment = &cut.segments[number];
            segment.node_id(&family[segment.file].outline)
        };
        let mut nodes = BTreeSet::new();
        for (number, segment) in cut.segments.iter().enumerate() {
            prop_assert_eq!(node(number).is_some(), segment.speaks);
            nodes.extend(node(number));
        }
        let edges = structural_edges(&cut, &files(&family), node);
        let mut known = BTreeSet::new();
        for edge in &edges {
            prop_assert_ne!(edge.source_node_id, edge.target_node_id);
            prop_assert!(nodes.contains(&edge.source_node_id) && nodes.contains(&edge.target_node_id));
            prop_assert!(known.insert(edge.id));
        }
    }
}

type Beginning = (Vec<u32>, Vec<Boundary>, Vec<Boundary>, [Option<Place>; 2]);

/// Takes what a segment had when its file was no longer than this.
fn up_to(segment: &Segment, outline: &Outline) -> Beginning {
    let length = outline.entries.len();
    let early = |list: &[Boundary]| {
        list.iter().filter(|boundary| (boundary.entry as usize) < length).cloned().collect()
    };
    let entries: Vec<u32> =
        segment.entries.iter().copied().filter(|&at| (at as usize) < length).collect();
    // Labels wait for what they open with, and only then is it known what that follows.
    let begun = entries.iter().any(|&at| outline.entries[at as usize].kind != Kind::Note);
    let places = if begun { [segment.follows, segment.left] } else { [None; 2] };
    (entries, early(&segment.boundaries), early(&segment.pauses), places)
}

/// A session of plain talk, in which each entry follows what `parent` says.
fn long_session(length: u32, parent: impl Fn(u32) -> Option<u32>) -> File {
    let line = Line {
        kind: Kind::User,
        speaks: true,
        parent: Following::Nothing,
        pause: None,
        call: 0,
        repeats: None,
    };
    let entry = |at: u32| Sketch {
        parent: parent(at),
        ..sketch(&line, 0, at, Some(Millis(i64::from(at) * 1000)))
    };
    let file = write((0, 0, None, false, Vec::new()), &[]);
    let outline = Outline { entries: (0..length).map(entry).collect(), ..file.outline };
    File { outline, events: (0..length).collect() }
}

#[test]
fn a_long_chain_is_cut_without_walking_it_again_and_again() {
    let cut = cut(&[long_session(100_000, |at| at.checked_sub(1))]);
    assert_eq!(cut.segments.len(), 1);
    assert_eq!(cut.segments[0].entry_count, 100_000);
}

#[test]
fn jumps_to_and_fro_are_cut_without_walking_the_way_each_time() {
    const DEEP: u32 = 50_000;
    let parent = |at: u32| match at {
        0..=DEEP => at.checked_sub(1),
        _ if at.is_multiple_of(2) => Some(DEEP - 1),
        _ => Some(0),
    };
    let family = [long_session(100_000, parent)];
    let cut = cut(&family);
    assert_eq!(cut.segments.len(), 50_000);
    // Only the ends have nodes: every edge has to find its way back to the first.
    let node = |number: usize| {
        let ends = number == 0 || number > 40_000;
        cut.segments[number].node_id(&family[0].outline).filter(|_| ends)
    };
    assert!(structural_edges(&cut, &files(&family), node).len() >= 9_999);
}
