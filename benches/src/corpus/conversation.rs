//! A person, a model and its tools at work, written into a session file.

use std::io;
use std::path::Path;

use super::Style;
use super::random::Random;
use super::text;
use super::writer::SessionFile;

/// How much text a conversation gathers before pi compacts it: about 200,000 tokens.
const BYTES_BEFORE_COMPACTION: u64 = 800_000;
/// How far back people go when they try another way.
const TURNS_BACK: usize = 8;
const MODELS: &[(&str, &str)] =
    &[("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-5.2"), ("zai", "glm-4.7")];
/// How often somebody goes away between two turns, and for how long: a quarter of an hour up to a day.
const BREAKS_PERCENT: u64 = 8;
const BREAK: (u64, u64) = (15 * 60 * 1000, 24 * 60 * 60 * 1000);
const TOOLS: &[Tool] = &[Tool::Read, Tool::Read, Tool::Bash, Tool::Bash, Tool::Edit, Tool::Write];

/// From how many bytes to how many things are.
struct Sizes {
    thought: (u64, u64),
    written: (u64, u64),
    result: (u64, u64),
}

impl Sizes {
    fn of(style: Style) -> Self {
        match style {
            Style::Bulky => {
                Self { thought: (80, 1500), written: (400, 9000), result: (2000, 50_000) }
            }
            Style::Wordy => Self { thought: (40, 700), written: (100, 2000), result: (100, 6000) },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Read,
    Bash,
    Edit,
    Write,
}

impl Tool {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bash => "bash",
            Self::Edit => "edit",
            Self::Write => "write",
        }
    }
}

/// Writes a conversation, turn by turn.
pub(crate) struct Conversation<'a> {
    file: SessionFile<'a>,
    model: (&'static str, &'static str),
    /// The turns on the path to the leaf, oldest first.
    path: Vec<Turn>,
    turns: usize,
    compacted_at: u64,
    ends: Vec<TurnEnd>,
}

#[derive(Clone, Copy)]
struct Turn {
    question: u32,
    answer: u32,
}

/// How far a file went when a turn ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnEnd {
    pub(crate) bytes: u64,
    pub(crate) last: u32,
    pub(crate) time: u64,
}

/// What is left to know of a conversation that is over.
pub(crate) struct Finished {
    pub(crate) header_bytes: u64,
    pub(crate) ends: Vec<TurnEnd>,
}

impl<'a> Conversation<'a> {
    /// Starts a conversation with the settings that pi writes first.
    pub(crate) fn start(mut file: SessionFile<'a>) -> io::Result<Self> {
        let model = file.random.pick(MODELS);
        let level = file.random.pick(&["off", "medium", "high"]);
        file.put("model_change", |line, _, _| {
            push(line, &format!(r#","provider":"{}","modelId":"{}""#, model.0, model.1));
        })?;
        file.put("thinking_level_change", |line, _, _| {
            push(line, &format!(r#","thinkingLevel":"{level}""#));
        })?;
        Ok(Self::over(file, model))
    }

    /// Goes on from a copy of all that the original held at the end of a turn, as `pi --fork` does.
    pub(crate) fn fork(
        mut file: SessionFile<'a>,
        original: &Path,
        header_bytes: u64,
        end: TurnEnd,
    ) -> io::Result<Self> {
        let model = file.random.pick(MODELS);
        file.copy(original, header_bytes, end.bytes, end.last)?;
        Ok(Self::over(file, model))
    }

    fn over(file: SessionFile<'a>, model: (&'static str, &'static str)) -> Self {
        Self { file, model, path: Vec::new(), turns: 0, compacted_at: 0, ends: Vec::new() }
    }

    /// Talks until the file has about that many bytes; the model says `needle` once, half way.
    pub(crate) fn talk(&mut self, bytes: u64, needle: &str) -> io::Result<()> {
        let half_way = u64::midpoint(self.file.bytes, bytes);
        let mut planted = false;
        while self.file.bytes < bytes || !planted {
            let plant_now = !planted && (self.file.bytes >= half_way || self.turns > 3);
            self.take_turn(bytes, plant_now.then_some(needle))?;
            planted |= plant_now;
        }
        Ok(())
    }

    /// Compacts the conversation, and takes one more turn: so end the files of very long sessions.
    pub(crate) fn end_compacted(&mut self) -> io::Result<()> {
        self.compact()?;
        self.take_turn(self.file.bytes + 1, None)
    }

    pub(crate) fn finish(self) -> io::Result<Finished> {
        let Self { file, ends, .. } = self;
        let finished = Finished { header_bytes: file.header_bytes, ends };
        file.finish()?;
        Ok(finished)
    }

    /// Takes one turn; no more tools are called once the file has `bytes`.
    fn take_turn(&mut self, bytes: u64, needle: Option<&str>) -> io::Result<()> {
        self.turns += 1;
        let question = self.ask()?;
        for _ in 0..self.file.random.between(0, 7) {
            if self.file.bytes < bytes {
                self.use_tool()?;
            }
        }
        let answer = self.answer(needle)?;
        self.path.push(Turn { question, answer });
        self.annotate()?;
        if self.file.bytes - self.compacted_at > BYTES_BEFORE_COMPACTION {
            self.compact()?;
        }
        let SessionFile { bytes, last, now: time, .. } = self.file;
        self.ends.extend(last.map(|last| TurnEnd { bytes, last, time }));
        if self.path.len() > 2 && self.file.random.chance(6) {
            self.go_back()?;
        }
        Ok(())
    }

    fn ask(&mut self) -> io::Result<u32> {
        if self.file.random.style() == Style::Wordy && self.file.random.chance(BREAKS_PERCENT) {
            self.file.now += self.file.random.between(BREAK.0, BREAK.1);
        }
        self.file.put_message(|line, random| {
            push(line, r#""role":"user","content":[{"type":"text","text":""#);
            push_prose(line, random, 40, 900);
            push(line, r#""}]"#);
        })
    }

    fn use_tool(&mut self) -> io::Result<()> {
        let random = &mut *self.file.random;
        let tool = random.pick(TOOLS);
        let call = format!("toolu_{:016x}{:04x}", random.bits(64), random.bits(16));
        let path = text::path(random);
        self.put_reply("toolUse", |line, random| {
            push(line, r#"{"type":"thinking","thinking":""#);
            let (low, high) = Sizes::of(random.style()).thought;
            push_prose(line, random, low, high);
            if random.chance(50) {
                push(line, r#""},{"type":"text","text":""#);
                push_prose(line, random, 40, 400);
            }
            let name = tool.name();
            push(
                line,
                &format!(r#""}},{{"type":"toolCall","id":"{call}","name":"{name}","arguments":{{"#),
            );
            push_arguments(line, random, tool, &path);
            push(line, "}}");
        })?;
        self.file.put_message(|line, random| {
            let name = tool.name();
            push(line, &format!(r#""role":"toolResult","toolCallId":"{call}","toolName":"{name}","content":[{{"type":"text","text":""#));
            push_result(line, random, tool, &path);
            push(line, &format!(r#","isError":{}"#, random.chance(6)));
        })?;
        Ok(())
    }

    fn answer(&mut self, needle: Option<&str>) -> io::Result<u32> {
        self.put_reply("stop", |line, random| {
            push(line, r#"{"type":"text","text":""#);
            push_prose(line, random, 100, 2500);
            push(line, needle.unwrap_or_default());
            push(line, r#""}"#);
        })
    }

    /// Writes what a model says, with what it cost.
    fn put_reply(
        &mut self,
        stop_reason: &str,
        write_blocks: impl FnOnce(&mut Vec<u8>, &mut Random),
    ) -> io::Result<u32> {
        let (provider, model) = self.model;
        self.file.put_message(|line, random| {
            push(line, r#""role":"assistant","content":["#);
            write_blocks(line, random);
            push(
                line,
                &format!(
                    r#"],"api":"openai-completions","provider":"{provider}","model":"{model}","#
                ),
            );
            push_usage(line, random);
            push(line, &format!(r#","stopReason":"{stop_reason}""#));
        })
    }

    /// Gives a question a label and, early on, the session a name; mostly neither.
    fn annotate(&mut self) -> io::Result<()> {
        if self.file.random.chance(4) {
            let target = self.file.random.pick(&self.path).question;
            self.file.put("label", |line, random, _| {
                let label = format!("{}-{}", text::word(random), text::word(random));
                push(line, &format!(r#","targetId":"{target:08x}","label":"{label}""#));
            })?;
        }
        if self.turns == 2 && self.file.random.chance(40) {
            self.file.put("session_info", |line, random, _| {
                let name = text::sentence(random);
                push(line, &format!(r#","name":"{}""#, &name[..name.len().min(60)]));
            })?;
        }
        Ok(())
    }

    /// Returns to an earlier answer to try another way, with or without a summary of the one left.
    fn go_back(&mut self) -> io::Result<()> {
        let reach = self.path.len().min(TURNS_BACK) - 1;
        self.path.truncate(self.path.len() - 1 - self.file.random.index(reach));
        let left = self.file.leaf;
        self.file.leaf = self.path.last().map(|turn| turn.answer);
        if let Some(left) = left.filter(|_| self.file.random.chance(50)) {
            self.file.put("branch_summary", |line, random, _| {
                push(line, &format!(r#","fromId":"{left:08x}","summary":""#));
                text::prose(line, random, 1200);
                let (read, modified) = (text::path(random), text::path(random));
                push(
                    line,
                    &format!(
                        r#"","details":{{"readFiles":["{read}"],"modifiedFiles":["{modified}"]}}"#
                    ),
                );
            })?;
        }
        Ok(())
    }

    /// Replaces all but the last turn by a summary.
    fn compact(&mut self) -> io::Result<()> {
        let Some(&Turn { question, .. }) = self.path.last() else { return Ok(()) };
        self.file.put("compaction", |line, random, _| {
            push(line, r#","summary":""#);
            text::prose(line, random, 3000);
            let tokens = random.between(90_000, 180_000);
            push(
                line,
                &format!(r#"","firstKeptEntryId":"{question:08x}","tokensBefore":{tokens}"#),
            );
        })?;
        self.compacted_at = self.file.bytes;
        Ok(())
    }
}

fn push_arguments(line: &mut Vec<u8>, random: &mut Random, tool: Tool, path: &str) {
    if tool == Tool::Bash {
        let (name, lines) = (text::name(random), random.between(20, 200));
        return push(line, &format!(r#""command":"cargo test -p {name} 2>&1 | tail -{lines}""#));
    }
    push(line, &format!(r#""path":"{path}""#));
    match tool {
        Tool::Edit => {
            push(line, r#","edits":[{"oldText":""#);
            push_code(line, random, 60, 900);
            push(line, r#"","newText":""#);
            push_code(line, random, 60, 1200);
            push(line, r#""}]"#);
        }
        Tool::Write => {
            push(line, r#","content":""#);
            let (low, high) = Sizes::of(random.style()).written;
            push_code(line, random, low, high);
            push(line, "\"");
        }
        Tool::Read | Tool::Bash => {}
    }
}

/// Writes what a tool returns, up to the end of the content, and the diff of an edit.
fn push_result(line: &mut Vec<u8>, random: &mut Random, tool: Tool, path: &str) {
    let (low, high) = Sizes::of(random.style()).result;
    let bytes = random.spread(low, high);
    match tool {
        Tool::Read => text::code(line, random, bytes),
        Tool::Bash => text::shell_output(line, random, bytes),
        Tool::Edit | Tool::Write => push(line, &format!("Successfully changed {path}.")),
    }
    push(line, r#""}]"#);
    if tool == Tool::Edit {
        push(line, r#","details":{"diff":""#);
        push_code(line, random, 200, 4000);
        push(line, &format!(r#"","firstChangedLine":{}}}"#, random.between(1, 400)));
    }
}

fn push_usage(line: &mut Vec<u8>, random: &mut Random) {
    let (input, output) = (random.between(2000, 90_000), random.between(40, 2000));
    let cached = random.between(0, 80_000);
    let total = input + output + cached;
    // Three dollars for a million tokens in, fifteen for a million out.
    let (paid_in, paid_out) = (input * 3, output * 15);
    push(
        line,
        &format!(
            r#""usage":{{"input":{input},"output":{output},"cacheRead":{cached},"cacheWrite":0,"totalTokens":{total},"#
        ),
    );
    push(
        line,
        &format!(
            r#""cost":{{"input":{},"output":{},"cacheRead":0,"cacheWrite":0,"total":{}}}}}"#,
            dollars(paid_in),
            dollars(paid_out),
            dollars(paid_in + paid_out),
        ),
    );
}

fn dollars(millionths: u64) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

fn push_prose(line: &mut Vec<u8>, random: &mut Random, low: u64, high: u64) {
    let bytes = random.spread(low, high);
    text::prose(line, random, bytes);
}

fn push_code(line: &mut Vec<u8>, random: &mut Random, low: u64, high: u64) {
    let bytes = random.spread(low, high);
    text::code(line, random, bytes);
}

fn push(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}
