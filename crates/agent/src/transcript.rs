//! What a model gets to read of a unit of work.
//!
//! What was said, with the ids of the entries that say it; each tool call in a line; the beginning and the end of what tools
//! gave back. No images, no thoughts, no instructions of the agent, and no secrets.

use std::borrow::Cow;

use pi_brain_brain::redact;
use pi_brain_session::{
    Block, Body, Entry, Message, Raw, Role, blocks, is_own_answer, is_own_tool,
};

use crate::claims::Known;

/// So many characters are kept of what a person or a model says at once.
const TALK: usize = 8_000;
/// So many of a summary that stands for earlier work.
const SUMMARY: usize = 4_000;
/// So many of what a tool gives back, and of what it says when it fails.
const OUTPUT: usize = 600;
const FAILURE: usize = 1_500;
/// So many of the arguments of a call.
const ARGUMENTS: usize = 300;
/// Of longer texts only the two ends are looked at. More than what is kept of any: a secret that is cut in half here is not
/// shown.
const LOOKED_AT: usize = 64 * 1024;

/// Estimates how many tokens a text has: one for each four characters.
pub fn estimate_tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

/// Listens to the entries of a segment, in order, and keeps what a model shall read.
#[derive(Debug, Default)]
pub struct Transcript {
    turns: Vec<Turn>,
    known: Known,
}

/// What follows from one thing that the user said. Each piece is what one entry says.
#[derive(Debug, Default)]
struct Turn {
    pieces: Vec<String>,
}

impl Transcript {
    /// Begins with nothing heard.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next entry of the segment; `id` is what evidence calls it.
    pub fn hear(&mut self, id: &str, entry: &Entry, raw: Raw<'_>) {
        let said = match &entry.body {
            Body::Message(message) => {
                message.raw_in(raw).map_or_else(Said::default, |raw| self.message(message, raw))
            }
            Body::Compaction { .. } | Body::BranchSummary { .. } => {
                let summary = ends(raw.get_str("summary").unwrap_or_default());
                self.known.hear(&summary);
                Said {
                    opens_turn: true,
                    lines: vec![labelled("summary of earlier work", &summary, SUMMARY)],
                }
            }
            _ => Said::default(),
        };
        if said.lines.is_empty() {
            return;
        }
        self.known.entries.insert(id.to_owned());
        if said.opens_turn || self.turns.is_empty() {
            self.turns.push(Turn::default());
        }
        let turn =
            self.turns.last_mut().expect("there is a turn: one was just made if there was none");
        turn.pieces.push(format!("[{id}] {}\n", said.lines.join("\n")));
    }

    fn message(&mut self, message: &Message, raw: Raw<'_>) -> Said {
        match message.role {
            Role::User => Said { opens_turn: true, lines: self.talk("user", raw) },
            Role::Assistant => Said { opens_turn: false, lines: self.talk("assistant", raw) },
            Role::ToolResult => Said { opens_turn: false, lines: vec![self.result(message, raw)] },
            Role::BashExecution => {
                let command = ends(raw.get_str("command").unwrap_or_default());
                let output = ends(raw.get_str("output").unwrap_or_default());
                self.known.hear(&command);
                self.known.hear(&output);
                let lines = vec![
                    labelled("user ran", &command, ARGUMENTS),
                    labelled("output", &output, OUTPUT),
                ];
                Said { opens_turn: false, lines }
            }
            _ => Said::default(),
        }
    }

    /// Takes in the words and the calls of a message.
    fn talk(&mut self, speaker: &str, raw: Raw<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        for block in raw.get("content").into_iter().flat_map(blocks) {
            match block {
                Block::Text(text) if !text.trim().is_empty() => {
                    let text = ends(text);
                    self.known.hear(&text);
                    lines.push(labelled(speaker, &text, TALK));
                }
                Block::ToolCall { name, arguments, .. } => {
                    let arguments = arguments.map_or(Cow::default(), Raw::text);
                    let arguments = ends(arguments);
                    self.known.hear(&arguments);
                    self.known.tools.insert(name.to_lowercase());
                    let arguments = one_line(&safe(&arguments, ARGUMENTS));
                    lines.push(format!("{speaker} calls {name} {arguments}"));
                }
                Block::Image { .. } => lines.push(format!("{speaker}: (an image)")),
                _ => {}
            }
        }
        if let Some(error) = raw.get_str("errorMessage").filter(|error| !error.is_empty()) {
            lines.push(labelled("the model failed", &ends(error), FAILURE));
        }
        lines
    }

    fn result(&mut self, message: &Message, raw: Raw<'_>) -> String {
        let tool = message.tool.as_deref().unwrap_or("tool");
        self.known.tools.insert(tool.to_lowercase());
        let left_out = "(what pi-brain told of earlier sessions)";
        if is_own_tool(tool) {
            return labelled(&format!("{tool} gave"), left_out, OUTPUT);
        }
        let mut text = String::new();
        for block in raw.get("content").into_iter().flat_map(blocks) {
            match block {
                Block::Text(part) => text += &ends(part),
                Block::Image { .. } => text += "(an image)",
                _ => {}
            }
        }
        if is_own_answer(&text) {
            return labelled(&format!("{tool} gave"), left_out, OUTPUT);
        }
        self.known.hear(&text);
        if message.is_error {
            labelled(&format!("{tool} failed"), &text, FAILURE)
        } else {
            labelled(&format!("{tool} gave"), &text, OUTPUT)
        }
    }

    /// Returns whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Estimates the tokens of all of it.
    pub fn tokens(&self) -> u64 {
        let pieces = self.turns.iter().flat_map(|turn| &turn.pieces);
        pieces.map(|piece| estimate_tokens(piece)).sum()
    }

    /// Returns it as texts of at most so many tokens, cut between turns where that is possible, else between entries.
    pub fn parts(&self, tokens: u64) -> Vec<String> {
        let limit = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
        let mut parts = Parts { limit, done: Vec::new(), part: String::new(), length: 0 };
        for turn in &self.turns {
            let length: usize = turn.pieces.iter().map(|piece| piece.chars().count()).sum();
            if parts.length + length > limit {
                parts.cut();
            }
            turn.pieces.iter().for_each(|piece| parts.add(piece));
        }
        parts.cut();
        parts.done
    }

    pub(crate) fn known(&self) -> &Known {
        &self.known
    }
}

/// What an entry says.
#[derive(Default)]
struct Said {
    /// Whether something new begins with it.
    opens_turn: bool,
    lines: Vec<String>,
}

/// Texts that are being filled.
struct Parts {
    limit: usize,
    done: Vec<String>,
    part: String,
    /// Characters of the part.
    length: usize,
}

impl Parts {
    fn add(&mut self, piece: &str) {
        let piece = excerpt(piece, self.limit);
        let length = piece.chars().count();
        if self.length + length > self.limit {
            self.cut();
        }
        self.part += &piece;
        self.length += length;
    }

    fn cut(&mut self) {
        if !self.part.is_empty() {
            self.done.push(std::mem::take(&mut self.part));
        }
        self.length = 0;
    }
}

fn labelled(label: &str, text: &str, limit: usize) -> String {
    format!("{label}: {}", safe(text.trim(), limit))
}

/// Takes secrets out, then cuts: half a secret would not be known as one.
fn safe(text: &str, limit: usize) -> String {
    excerpt(&redact(text).0, limit).into_owned()
}

/// Returns a text of at most `limit` characters: where it is longer, its beginning and its end.
fn excerpt(text: &str, limit: usize) -> Cow<'_, str> {
    const SIGN: &str = "\n[… left out …]\n";
    let length = text.chars().count();
    if length <= limit {
        return Cow::Borrowed(text);
    }
    let room = limit.saturating_sub(SIGN.chars().count());
    let head: String = text.chars().take(room - room / 3).collect();
    let tail: String = text.chars().skip(length - room / 3).collect();
    Cow::Owned(format!("{head}{SIGN}{tail}"))
}

/// Returns what is looked at of a text: all of it, or its two ends.
fn ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LOOKED_AT {
        return text;
    }
    let half = LOOKED_AT / 2;
    let head = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tail = (text.len() - half..text.len()).find(|at| text.is_char_boundary(*at));
    Cow::Owned(format!("{}\n…\n{}", &text[..head], &text[tail.unwrap_or(text.len())..]))
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
