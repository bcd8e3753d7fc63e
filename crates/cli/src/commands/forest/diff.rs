//! `pi-brain forest diff`: two conversations from where they part.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use anstyle::Style;
use pi_brain_app::SideFacts;
use pi_brain_forest::{Diff, Forest, Message, Node, Place, Role, Store};
use pi_brain_session::Millis;
use serde_json::{Value, json};

use super::open;
use super::outline::{Marks, set_apart};
use super::path::to_json;
use super::place::{find, name};
use super::side_by_side::{Line, width_of_each, wrap, write_pairs};
use super::words::{describe_message, full_text, is_person, is_quiet, tools};
use crate::args::DiffOptions;
use crate::commands::print_json;
use crate::describe::{BOLD, DIM, one_line};
use crate::pager::Output;
use crate::table::{fit, how_many, room};
use crate::when;

pub(super) fn run(options: &DiffOptions) -> anyhow::Result<()> {
    let forest = open()?;
    let (left, right) = (find(&forest, &options.left)?, find(&forest, &options.right)?);
    let diff = forest.diff(left, right)?;
    let sides = [Side::new(&forest, left, &diff.left)?, Side::new(&forest, right, &diff.right)?];
    if options.output.json {
        let [one, other] = &sides;
        return print_json(&json!({
            "base": diff.base,
            "shared": diff.shared,
            "left": one.to_json(&forest, &diff.left)?,
            "right": other.to_json(&forest, &diff.right)?,
        }));
    }
    let marks = Marks::new(&forest)?;
    let mut out = Output::open(true, None);
    let written = write_all(&mut out, &forest, &diff, &sides, &marks, options.full);
    out.finish()?;
    written
}

fn write_all<S: Store>(
    out: &mut impl Write,
    forest: &Forest<S>,
    diff: &Diff,
    sides: &[Side; 2],
    marks: &Marks,
    full: bool,
) -> anyhow::Result<()> {
    write_parting(out, forest, diff)?;
    let [one, other] = sides;
    if one.end == other.end {
        return Ok(writeln!(out, "\nBoth are the same place.")?);
    }
    let columns = width_of_each().filter(|_| !one.turns.is_empty() && !other.turns.is_empty());
    let width = columns.unwrap_or_else(|| room(0));
    let heads = [one.head("A", marks, width), other.head("B", marks, width)];
    match columns {
        Some(width) => write_beside(out, sides, &heads, width, full)?,
        None => {
            for (side, head) in sides.iter().zip(heads) {
                head.iter().try_for_each(|line| writeln!(out, "{line}"))?;
                for turn in &side.turns {
                    for line in turn.lines(None, full) {
                        writeln!(out, "{line}")?;
                    }
                }
            }
        }
    }
    write_files(out, one, other)
}

/// Says where both part, and what was said there last.
fn write_parting<S: Store>(
    out: &mut impl Write,
    forest: &Forest<S>,
    diff: &Diff,
) -> anyhow::Result<()> {
    let Place::Node(base) = diff.base else {
        return Ok(writeln!(out, "They share nothing but {}.", diff.base)?);
    };
    let shared = how_many(diff.shared, "shared message", "shared messages");
    writeln!(out, "They part after {BOLD}{}{BOLD:#}, {shared}:", name(base))?;
    let mut at = Some(base);
    while let Some(node) = at {
        let message = forest.store().message(node)?;
        if !is_quiet(forest, node, &message)? {
            let description = describe_message(&message);
            let (who, style) = (description.who, description.style);
            let words = fit(&description.words, room(13));
            writeln!(out, "  {style}{who:<10}{style:#} {words}")?;
            break;
        }
        at = forest.node(node)?.parent.node();
    }
    Ok(())
}

/// Writes both sides turn by turn, so that their first turns stand beside each other, and so on.
fn write_beside(
    out: &mut impl Write,
    sides: &[Side; 2],
    heads: &[[Line; 3]; 2],
    width: usize,
    full: bool,
) -> anyhow::Result<()> {
    write_pairs(out, &heads[0], &heads[1], width)?;
    let turns = sides[0].turns.len().max(sides[1].turns.len());
    for number in 0..turns {
        let [one, other] = sides.each_ref().map(|side| {
            side.turns.get(number).map_or_else(Vec::new, |turn| turn.lines(Some(width), full))
        });
        write_pairs(out, &one, &other, width)?;
    }
    Ok(())
}

/// Says which files each side changed.
fn write_files(out: &mut impl Write, one: &Side, other: &Side) -> anyhow::Result<()> {
    let list = |files: Vec<&String>| {
        files.into_iter().map(|file| one_line(file)).collect::<Vec<_>>().join(", ")
    };
    let lists = [
        ("both", list(one.facts.files_changed.intersection(&other.facts.files_changed).collect())),
        ("only A", list(one.facts.files_changed.difference(&other.facts.files_changed).collect())),
        ("only B", list(other.facts.files_changed.difference(&one.facts.files_changed).collect())),
    ];
    if lists.iter().all(|(_, list)| list.is_empty()) {
        return Ok(());
    }
    writeln!(out, "\n{DIM}files changed{DIM:#}")?;
    for (who, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        writeln!(out, "  {DIM}{who:<6}{DIM:#}  {list}")?;
    }
    Ok(())
}

/// What one of the two says after they parted.
struct Side {
    end: Place,
    turns: Vec<Turn>,
    facts: SideFacts,
    last: Option<Millis>,
}

/// What a person said, and what came of it.
#[derive(Default)]
struct Turn {
    parts: Vec<Part>,
}

enum Part {
    Said { who: &'static str, style: Style, name: String, text: String },
    Worked { calls: BTreeMap<String, usize>, failed: usize },
}

impl Side {
    fn new<S: Store>(forest: &Forest<S>, end: Place, nodes: &[Arc<Node>]) -> anyhow::Result<Self> {
        let mut side = Self {
            end,
            turns: Vec::new(),
            facts: SideFacts::of(forest, nodes)?,
            last: nodes.iter().filter_map(|node| node.metadata.created).max(),
        };
        for node in nodes {
            let message = forest.store().message(node.id)?;
            let is_quiet = is_quiet(forest, node.id, &message)?;
            if node.role == Role::User && !is_quiet || side.turns.is_empty() {
                side.turns.push(Turn::default());
            }
            if let Some(turn) = side.turns.last_mut() {
                turn.add(node, &message, is_quiet);
            }
        }
        Ok(side)
    }

    /// Returns what stands above a side: its end, and how much there is of it.
    fn head(&self, letter: &str, marks: &Marks, width: usize) -> [Line; 3] {
        let titles = self.end.node().into_iter().flat_map(|node| marks.titles_of(node));
        let sessions = marks.sessions_at(self.end).map(|names| format!("← {names}"));
        let notes = set_apart(titles.chain(sessions));
        let end = format!("{letter}  {}{notes}", name(self.end));
        let mut counts = vec![
            how_many(self.facts.turns, "turn", "turns"),
            how_many(self.facts.messages, "message", "messages"),
            how_many(self.facts.tool_calls, "tool call", "tool calls"),
        ];
        if !self.facts.files_read.is_empty() {
            counts.push(format!("{} read", how_many(self.facts.files_read.len(), "file", "files")));
        }
        counts.extend(self.last.map(when::date));
        let counts = match self.facts.messages {
            0 => "ends where they part".to_owned(),
            _ => counts.join(", "),
        };
        let line = |style, text: &str| Line::new(style, fit(text, width));
        [line(DIM, ""), line(BOLD, &end), line(DIM, &format!("   {counts}"))]
    }

    fn to_json<S: Store>(&self, forest: &Forest<S>, nodes: &[Arc<Node>]) -> anyhow::Result<Value> {
        let path: anyhow::Result<Vec<Value>> =
            nodes.iter().map(|node| to_json(forest, node)).collect();
        let mut side = json!(self.facts);
        side["end"] = json!(self.end);
        side["path"] = path?.into();
        Ok(side)
    }
}

impl Turn {
    fn add(&mut self, node: &Node, message: &Message, is_quiet: bool) {
        if !is_quiet {
            let description = describe_message(message);
            let who = if is_person(message) { "you" } else { description.who };
            let (style, text) = (description.style, full_text(message));
            self.parts.push(Part::Said { who, style, name: name(node.id), text });
        }
        for call in message.tool_uses() {
            *self.work().0.entry(call.name.clone()).or_default() += 1;
        }
        if message.is_error() {
            *self.work().1 += 1;
        }
    }

    /// Returns the tool calls since somebody last said something, and how many of them failed.
    fn work(&mut self) -> (&mut BTreeMap<String, usize>, &mut usize) {
        if !matches!(self.parts.last(), Some(Part::Worked { .. })) {
            self.parts.push(Part::Worked { calls: BTreeMap::new(), failed: 0 });
        }
        match self.parts.last_mut() {
            Some(Part::Worked { calls, failed }) => (calls, failed),
            _ => unreachable!("it was pushed a moment ago"),
        }
    }

    /// Returns its lines, no longer than `width`; without one they are as long as they are.
    fn lines(&self, width: Option<usize>, full: bool) -> Vec<Line> {
        const SHOWN: usize = 8;
        let plain = Style::new();
        let wrap = |text: &str| match width {
            Some(width) => wrap(text, width),
            None => text.lines().map(str::to_owned).collect(),
        };
        let mut lines = vec![Line::new(plain, String::new())];
        for part in &self.parts {
            match part {
                Part::Said { who, style, name, text } => {
                    lines.push(Line::new(*style, format!("▌ {who}  {name}")));
                    let text = wrap(text);
                    let shown = if full || text.len() <= SHOWN + 2 { text.len() } else { SHOWN };
                    lines.extend(text[..shown].iter().map(|line| Line::new(plain, line.clone())));
                    if shown < text.len() {
                        let more = how_many(text.len() - shown, "more line", "more lines");
                        lines.push(Line::new(DIM, format!("… {more} (--full)")));
                    }
                }
                Part::Worked { calls, failed } => {
                    let total = how_many(calls.values().sum(), "tool call", "tool calls");
                    let failed =
                        if *failed > 0 { format!("; {failed} failed") } else { String::new() };
                    let words = format!("→ {total}: {}{failed}", tools(calls));
                    lines.extend(wrap(&words).into_iter().map(|line| Line::new(DIM, line)));
                }
            }
        }
        lines
    }
}
