//! A short way to write the sessions of a family down, and what came of them.

use std::collections::HashMap;

use pi_brain_brain::{
    Boundary, BoundaryKind, Cut, Edge, FamilyFile, NodeId, Outline, Rules, Segment, Sketch,
    cut_family, detect_boundaries, extract_segments, structural_edges,
};
use pi_brain_session::{Log, Millis, Tree, View};
use serde_json::{Value, json};

/// Midnight of a day.
const START: i64 = 1_767_225_600_000;

/// The sessions of a family.
///
/// A session is a line `s: a b c; b d`: a chain a–b–c with d branching off b. Entries stand in the file as they stand
/// in the notation; a part that opens with an unknown name opens another tree. A word that another session had
/// before is a copy of that entry. `s<r: …` is a session whose header names the session r as its parent, and
/// `s@30: …` one whose header says that it began in minute 30. Without a name it is the session s.
///
/// | word          | what it makes                                                               |
/// | ------------- | --------------------------------------------------------------------------- |
/// | `a`           | a user message that says "a"                                                |
/// | `a:kind(x,y)` | another kind of entry, see [`body`]                                          |
/// | `a+15`        | written 15 minutes after the word before; without it, a second later        |
/// | `a@`          | without a time                                                              |
/// | `a^x`, `a^`   | names x as its parent; opens a tree                                         |
/// | `!a`          | the entry a once more                                                       |
pub(crate) struct Family {
    pub(crate) names: Vec<String>,
    pub(crate) outlines: Vec<Outline>,
    pub(crate) events: Vec<Vec<u32>>,
}

impl Family {
    pub(crate) fn new(notation: &str) -> Self {
        let mut writing = Writing { now: START, known: HashMap::new() };
        let lines = notation.lines().map(str::trim_start);
        let sessions: Vec<(String, String)> = lines.map(|line| writing.session(line)).collect();
        let (names, texts): (Vec<String>, Vec<String>) = sessions.into_iter().unzip();
        let outlines: Vec<Outline> = texts.iter().map(|text| outline(text)).collect();
        let events = number_events(&outlines);
        Self { names, outlines, events }
    }

    pub(crate) fn files(&self) -> Vec<FamilyFile<'_>> {
        let files = self.outlines.iter().zip(&self.events);
        files.map(|(outline, events)| FamilyFile { outline, events }).collect()
    }

    pub(crate) fn cut(&self) -> Cut {
        cut_family(&self.files(), &Rules::default())
    }

    /// Names what opens the node of a segment.
    pub(crate) fn node_of(&self, cut: &Cut, segment: usize) -> Option<NodeId> {
        let segment = &cut.segments[segment];
        segment.node_id(&self.outlines[segment.file])
    }

    /// Writes the edges down as `a -fork-> d`, by the first entries of the segments.
    pub(crate) fn edges(&self) -> Vec<String> {
        let cut = self.cut();
        let edges = structural_edges(&cut, &self.files(), |segment| self.node_of(&cut, segment));
        edges.iter().map(|edge| self.edge(&cut, edge)).collect()
    }

    fn edge(&self, cut: &Cut, edge: &Edge) -> String {
        let name = |node: NodeId| {
            let mut numbers = 0..cut.segments.len();
            let number = numbers.find(|&number| self.node_of(cut, number) == Some(node)).unwrap();
            first_words(&self.outlines[cut.segments[number].file], &cut.segments[number])
        };
        let (from, to) = (name(edge.source_node_id), name(edge.target_node_id));
        format!("{from} -{}-> {to}", edge.kind.as_str())
    }
}

/// Names a segment after its first entry that is no label and no rename.
fn first_words(outline: &Outline, segment: &Segment) -> String {
    let mut entries = segment.entries.iter().map(|&at| &outline.entries[at as usize]);
    let first = entries.find(|sketch| sketch.kind != pi_brain_brain::Kind::Note).unwrap();
    first.id.as_deref().unwrap().to_owned()
}

/// Takes equal ids and times for the same event.
fn number_events(outlines: &[Outline]) -> Vec<Vec<u32>> {
    let mut known: HashMap<(Option<Box<str>>, Option<Millis>), u32> = HashMap::new();
    let mut number = |sketch: &Sketch| {
        let next = u32::try_from(known.len()).unwrap();
        *known.entry((sketch.id.clone(), sketch.time)).or_insert(next)
    };
    outlines.iter().map(|outline| outline.entries.iter().map(&mut number).collect()).collect()
}

/// Reads a session file as the program does.
pub(crate) fn outline(text: &str) -> Outline {
    let mut sketches = Vec::new();
    let log = Log::read_with(text.as_bytes(), |entry, raw| sketches.push(Sketch::of(entry, raw)));
    let log = log.unwrap();
    Outline::new(&log, &Tree::new(&log, View::Repaired), sketches)
}

/// Reads a session from its notation.
pub(crate) fn session(notation: &str) -> Outline {
    Family::new(notation).outlines.remove(0)
}

struct Writing {
    now: i64,
    /// The fields of each entry that was written, by its id, without the parent.
    known: HashMap<String, Value>,
}

impl Writing {
    fn session(&mut self, line: &str) -> (String, String) {
        let (head, words) = line.split_once(": ").unwrap_or(("s", line));
        let (head, created) = match head.split_once('@') {
            Some((head, minute)) => (head, START + minutes(minute)),
            None => (head, self.now + 1),
        };
        let (name, parent) = match head.split_once('<') {
            Some((name, parent)) => (name, Some(parent)),
            None => (head, None),
        };
        let mut header = json!({
            "type": "session", "version": 3, "id": name, "timestamp": Millis(created).to_string(), "cwd": "/work",
        });
        if let Some(parent) = parent {
            header["parentSession"] = json!(format!("/sessions/t_{parent}.jsonl"));
        }
        self.now += 1;
        let mut lines = vec![header.to_string()];
        let mut here: Vec<&str> = Vec::new();
        for part in words.split(';') {
            let mut before = None;
            for word in part.split_whitespace() {
                if before.is_none() && here.contains(&word) {
                    before = Some(word);
                    continue;
                }
                let word = Word::parse(word);
                let mut entry = self.entry(&word);
                entry["parentId"] = json!(
                    word.parent.map_or(before, |parent| { (!parent.is_empty()).then_some(parent) })
                );
                lines.push(entry.to_string());
                here.push(word.name);
                before = Some(word.name);
            }
        }
        (name.to_owned(), lines.join("\n") + "\n")
    }

    fn entry(&mut self, word: &Word<'_>) -> Value {
        if let Some(known) = self.known.get(word.name) {
            return known.clone();
        }
        self.now += word.pause.map_or(1000, minutes);
        let mut entry = body(word.kind, &word.arguments, word.name);
        entry["id"] = json!(word.name);
        if !word.timeless {
            entry["timestamp"] = json!(Millis(self.now).to_string());
        }
        self.known.insert(word.name.to_owned(), entry.clone());
        entry
    }
}

/// Takes minutes with decimals for milliseconds.
fn minutes(text: &str) -> i64 {
    let minutes: f64 = text.parse().expect("a pause is a number of minutes");
    #[expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]
    let millis = (minutes * 60_000.0).round() as i64;
    millis
}

struct Word<'a> {
    name: &'a str,
    kind: &'a str,
    arguments: Vec<&'a str>,
    pause: Option<&'a str>,
    timeless: bool,
    parent: Option<&'a str>,
}

impl<'a> Word<'a> {
    fn parse(word: &'a str) -> Self {
        let suffix = |word: &'a str, sign| match word.rsplit_once(sign) {
            Some((rest, suffix)) => (rest, Some(suffix)),
            None => (word, None),
        };
        let (rest, parent) = suffix(word.trim_start_matches('!'), '^');
        let (rest, time) = suffix(rest, '@');
        let (rest, pause) = suffix(rest, '+');
        let (name, kind) = rest.split_once(':').unwrap_or((rest, "user"));
        let (kind, arguments) = kind.split_once('(').unwrap_or((kind, ""));
        let arguments = arguments.trim_end_matches(')').split(',').collect();
        Self { name, kind, arguments, pause, timeless: time.is_some(), parent }
    }
}

/// Returns the fields of an entry that depend on its kind.
fn body(kind: &str, arguments: &[&str], name: &str) -> Value {
    let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
    let words = argument(0).replace('_', " ");
    let message = |message: Value| json!({"type": "message", "message": message});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let answer = |content: Value| {
        message(json!({
            "role": "assistant", "content": content, "provider": "p", "model": "m", "usage": {"input": 1},
        }))
    };
    match kind {
        "user" => message(json!({"role": "user", "content": name})),
        "say" => message(json!({"role": "user", "content": text(&words)})),
        "image" => message(json!({"role": "user", "content": [{"type": "image", "data": "AAAA"}]})),
        "answer" => answer(text(name)),
        "says" => answer(text(&words)),
        "thinks" => answer(json!([{"type": "thinking", "thinking": "hm"}])),
        "calls" => {
            let call =
                |id: &&str| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {}});
            answer(Value::Array(arguments.iter().map(call).collect()))
        }
        "result" => message(json!({
            "role": "toolResult", "toolCallId": words, "toolName": "bash", "content": text("done"),
        })),
        "bash" => message(json!({"role": "bashExecution", "command": name, "output": "out"})),
        "system" => message(json!({"role": "system", "content": "rules"})),
        "strange" => message(json!({"role": "alien", "content": "hello"})),
        "put" => {
            json!({"type": "custom_message", "customType": "x", "content": name, "display": true})
        }
        "label" => json!({"type": "label", "targetId": words, "label": "x"}),
        "name" => json!({"type": "session_info", "name": "x"}),
        "model" => json!({"type": "model_change", "provider": "p", "modelId": "m"}),
        "level" => json!({"type": "thinking_level_change", "thinkingLevel": "high"}),
        "summary" => json!({"type": "branch_summary", "summary": "was", "fromId": words}),
        "compaction" => json!({"type": "compaction", "summary": "so far", "tokensBefore": 100}),
        "custom" => json!({"type": "custom", "customType": "x"}),
        "handoff" => json!({"type": "custom", "customType": "handoff", "data": {"target": words}}),
        "usage" => {
            json!({"type": "usage", "kind": "cache_warm", "provider": "p", "model": "m", "usage": {"input": 1}})
        }
        other => json!({"type": other}),
    }
}

/// Checks how one session is cut: `a b | c` is two segments.
#[track_caller]
pub(crate) fn check(notation: &str, expected: &str) {
    let outline = session(notation);
    let segments = extract_segments(&outline, &Rules::default());
    assert_eq!(show_segments(&outline, &segments), expected, "{notation}");
}

pub(crate) fn show_segments(outline: &Outline, segments: &[Segment]) -> String {
    segments.iter().map(|segment| show(outline, segment)).collect::<Vec<_>>().join(" | ")
}

/// Checks how a family is cut: `r: a b | s: c` has a segment in each of two sessions.
#[track_caller]
pub(crate) fn check_family(notation: &str, expected: &str) {
    let family = Family::new(notation);
    let show = |segment: &Segment| {
        format!("{}: {}", family.names[segment.file], show(&family.outlines[segment.file], segment))
    };
    let shown: Vec<String> = family.cut().segments.iter().map(show).collect();
    assert_eq!(shown.join(" | "), expected, "{notation}");
}

fn show(outline: &Outline, segment: &Segment) -> String {
    let id = |&at: &u32| outline.entries[at as usize].id.as_deref().unwrap();
    segment.entries.iter().map(id).collect::<Vec<_>>().join(" ")
}

/// Checks the boundaries of one session: `d tree_jump c` is one at d, seen from c.
#[track_caller]
pub(crate) fn check_boundaries(notation: &str, expected: &str) {
    let boundaries = detect_boundaries(&session(notation), &Rules::default());
    let shown: Vec<String> = boundaries.iter().map(show_boundary).collect();
    assert_eq!(shown.join(", "), expected, "{notation}");
}

pub(crate) fn show_boundary(boundary: &Boundary) -> String {
    let more = match &boundary.kind {
        BoundaryKind::Fork { .. } => "fork".to_owned(),
        BoundaryKind::Branch { .. } => "branch".to_owned(),
        BoundaryKind::TreeJump { .. } => "tree_jump".to_owned(),
        BoundaryKind::Compaction { .. } => "compaction".to_owned(),
        BoundaryKind::Resume { gap_minutes, during_tool_run: false } => {
            format!("resume({gap_minutes})")
        }
        BoundaryKind::Resume { gap_minutes, .. } => format!("pause({gap_minutes})"),
        BoundaryKind::Handoff { handoff_target } => {
            format!("handoff({})", handoff_target.as_deref().unwrap_or_default())
        }
    };
    let id = |id: &Option<Box<str>>| id.as_deref().unwrap_or("-").to_owned();
    format!("{} {more} {}", id(&boundary.entry_id), id(&boundary.previous_entry_id))
}

/// Checks the edges of a family, in the order of their targets.
#[track_caller]
pub(crate) fn check_edges(notation: &str, expected: &[&str]) {
    assert_eq!(Family::new(notation).edges(), expected, "{notation}");
}
