//! What is searched: documents, and which words of a session entry go into one.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use pi_brain_session::{
    Block, Body, Entry, Millis, Raw, Role, blocks, is_own_answer, is_own_tool, text_of,
};
use serde::{Deserialize, Serialize};

/// What a document is about. The numbers are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Key {
    /// A message of the forest.
    Message(MessageKey),
    /// A node.
    Node(u64),
}

/// Names a message. Neighbours differ in small numbers only, which take little room in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageKey {
    /// The family it belongs to.
    pub family: u32,
    /// Its number there.
    pub number: u32,
}

/// Who speaks in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// A person, also one who ran a shell command.
    User,
    /// A model.
    Assistant,
    /// A tool, answering.
    Tool,
    /// A summary of a compaction or of a branch.
    Summary,
    /// An extension.
    Extension,
}

impl Speaker {
    pub(crate) const ALL: [Self; 5] =
        [Self::User, Self::Assistant, Self::Tool, Self::Summary, Self::Extension];

    /// Returns the word for it in queries, which is also its term in the index.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Summary => "summary",
            Self::Extension => "extension",
        }
    }
}

/// One thing that can be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it is about.
    pub key: Key,
    /// The words that count most.
    pub body: String,
    /// Further words: tool arguments, tool results, the small print of a node.
    pub detail: String,
    /// The folder of the project.
    pub project: Option<String>,
    /// When it was said or done.
    pub time: Option<Millis>,
    /// Who speaks; a node has no speaker.
    pub speaker: Option<Speaker>,
    /// The tools it calls or is the result of.
    pub tools: Vec<String>,
    /// The model that speaks or did the work.
    pub model: Option<String>,
    /// The files it names in tool calls.
    pub files: Vec<String>,
    /// The type of a node.
    pub node_type: Option<String>,
    /// The outcome of a node.
    pub outcome: Option<String>,
}

impl Document {
    /// Returns a document without words.
    pub fn new(key: Key) -> Self {
        Self {
            key,
            body: String::new(),
            detail: String::new(),
            project: None,
            time: None,
            speaker: None,
            tools: Vec::new(),
            model: None,
            files: Vec::new(),
            node_type: None,
            outcome: None,
        }
    }
}

/// How much of an entry is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Also what a model thought before it answered.
    pub thinking: bool,
    /// All of a tool's output instead of head, tail and error lines.
    pub whole_output: bool,
}

/// What an entry says, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryText {
    /// What was said: text of people and models, summaries, shell commands.
    pub body: String,
    /// What was done: tool arguments, and what tools and commands printed.
    pub detail: String,
    /// Who speaks.
    pub speaker: Speaker,
    /// The tools that are called, or whose result this is.
    pub tools: Vec<String>,
    /// The files named in the arguments of tool calls.
    pub files: Vec<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// Whether a tool or a command failed.
    pub is_error: bool,
}

/// Takes from a session entry the words by which it can be found; `None` if there are none.
///
/// System messages, images and pi-brain's own answers have no words: an answer that is found again would feed on itself.
/// Snippets are cut from this same text.
pub fn entry_text(entry: &Entry, raw: Raw<'_>, extent: Extent) -> Option<EntryText> {
    let mut text = EntryText {
        body: String::new(),
        detail: String::new(),
        speaker: Speaker::Summary,
        tools: Vec::new(),
        files: Vec::new(),
        model: None,
        is_error: false,
    };
    match &entry.body {
        Body::Message(message) => {
            let content = message.raw_in(raw)?;
            text.is_error = message.is_error;
            match message.role {
                Role::User => text.take_prose(Speaker::User, content.get("content")),
                Role::Assistant => {
                    text.speaker = Speaker::Assistant;
                    let model = message.reply.as_ref().and_then(|reply| reply.model.as_deref());
                    text.model = model.map(str::to_owned);
                    text.take_answer(content.get("content")?, extent);
                }
                Role::ToolResult => {
                    text.take_result(message.tool.as_deref(), content.get("content")?, extent)?;
                }
                Role::BashExecution => text.take_command(content, extent),
                Role::Custom => {
                    if content.get_str("customType").is_some_and(|name| is_our_message(&name)) {
                        return None;
                    }
                    text.take_prose(Speaker::Extension, content.get("content"));
                }
                Role::System | Role::Other(_) => return None,
            }
        }
        Body::Compaction { .. } | Body::BranchSummary { .. } => {
            text.body = raw.get_str("summary")?.into_owned();
        }
        Body::CustomMessage { custom_type, .. } => {
            if custom_type.as_deref().is_some_and(is_our_message) {
                return None;
            }
            text.take_prose(Speaker::Extension, raw.get("content"));
        }
        _ => return None,
    }
    let is_said = !text.body.trim().is_empty() || !text.detail.trim().is_empty();
    (is_said || !text.tools.is_empty()).then_some(text)
}

impl EntryText {
    fn take_prose(&mut self, speaker: Speaker, content: Option<Raw<'_>>) {
        self.speaker = speaker;
        self.body = content.map(|content| text_of(content, "\n")).unwrap_or_default();
    }

    fn take_answer(&mut self, content: Raw<'_>, extent: Extent) {
        for block in blocks(content) {
            match block {
                Block::Text(said) => push_line(&mut self.body, &said),
                Block::Thinking(thought) if extent.thinking => {
                    push_line(&mut self.detail, &thought);
                }
                Block::ToolCall { name, arguments, .. } if !is_own_tool(&name) => {
                    if let Some(arguments) = arguments {
                        self.take_arguments(arguments);
                    }
                    push_new(&mut self.tools, name);
                }
                _ => {}
            }
        }
    }

    /// Takes every string in the arguments of a tool call; the keys are the tool's words, not anyone's.
    fn take_arguments(&mut self, arguments: Raw<'_>) {
        for member in arguments.members() {
            if let ("path" | "file" | "file_path" | "filePath", Some(path)) =
                (&*member.key, member.value.as_str())
                && !path.is_empty()
            {
                push_new(&mut self.files, path);
            }
        }
        for said in strings_in(arguments) {
            push_line(&mut self.detail, &said);
        }
    }

    fn take_result(&mut self, tool: Option<&str>, content: Raw<'_>, extent: Extent) -> Option<()> {
        self.speaker = Speaker::Tool;
        if tool.is_some_and(is_own_tool) {
            return None;
        }
        let printed = text_of(content, "\n");
        if is_own_answer(&printed) {
            return None;
        }
        self.tools.extend(tool.map(str::to_owned));
        self.detail = output(printed, extent);
        Some(())
    }

    fn take_command(&mut self, message: Raw<'_>, extent: Extent) {
        self.speaker = Speaker::User;
        self.body = message.get_str("command").unwrap_or_default().into_owned();
        let printed = message.get_str("output").unwrap_or_default();
        self.detail = output(printed.into_owned(), extent);
        let failed = |code: f64| code != 0.0;
        self.is_error = message.get("exitCode").and_then(Raw::as_f64).is_some_and(failed);
    }
}

/// Returns every string in a value that is no key. One walk over the bytes: values can be nested to any depth.
fn strings_in(value: Raw<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = value.bytes();
    std::iter::from_fn(move || {
        loop {
            let start = memchr::memchr(b'"', rest)?;
            let length = string_length(&rest[start..])?;
            let (string, after) = rest[start..].split_at(length);
            rest = after;
            if !rest.trim_ascii_start().starts_with(b":") {
                return Raw::parse(string)?.as_str();
            }
        }
    })
}

/// Returns how long the string is that starts here, with its quotes.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn push_new(names: &mut Vec<String>, name: Cow<'_, str>) {
    if !names.iter().any(|known| *known == name) {
        names.push(name.into_owned());
    }
}

fn is_our_message(custom_type: &str) -> bool {
    custom_type.starts_with("pi-brain") || custom_type.starts_with("brain")
}

/// Output up to this size is taken in full, and about this much is taken of any.
const OUTPUT: usize = 4096;
const HEAD: usize = 1536;
const TAIL: usize = 1536;
/// How much of one line that tells of an error is taken.
const ERROR_LINE: usize = 240;

/// The words of errors, without a first letter that may be a capital.
static ERRORS: LazyLock<[Finder<'static>; 9]> = LazyLock::new(|| {
    ["rror", "RROR", "ailed", "FAIL", "anicked", "xception", "atal:", "enied", "annot "]
        .map(Finder::new)
});

/// Shortens a tool's output to what is likely to be looked for: how it starts, how it ends, what went wrong between.
fn output(text: String, extent: Extent) -> String {
    if extent.whole_output || text.len() <= OUTPUT {
        return text;
    }
    let head = border_before(&text, HEAD);
    let tail = border_before(&text, text.len() - TAIL);
    let mut kept = String::with_capacity(OUTPUT + ERROR_LINE);
    kept.push_str(&text[..head]);
    for line in error_lines(&text[head..tail], OUTPUT - HEAD - TAIL) {
        kept.push('\n');
        kept.push_str(line);
    }
    kept.push('\n');
    kept.push_str(&text[tail..]);
    kept
}

/// Returns the first lines that tell of an error, each cut to a piece around it, up to `room` bytes.
fn error_lines(text: &str, room: usize) -> Vec<&str> {
    let most = room / 16;
    let mut found: Vec<usize> =
        ERRORS.iter().flat_map(|word| word.find_iter(text.as_bytes()).take(most)).collect();
    found.sort_unstable();
    let mut lines = Vec::new();
    let mut taken = 0;
    let mut end = 0;
    for at in found {
        if at < end {
            continue;
        }
        let nearby = border_before(text, at.saturating_sub(ERROR_LINE / 3)).max(end);
        let start = memchr::memrchr(b'\n', &text.as_bytes()[nearby..at])
            .map_or(nearby, |line_break| nearby + line_break + 1);
        let limit = border_before(text, (start + ERROR_LINE).min(text.len()));
        end = memchr::memchr(b'\n', &text.as_bytes()[start..limit])
            .map_or(limit, |line_break| start + line_break);
        taken += end - start + 1;
        if taken > room {
            break;
        }
        lines.push(&text[start..end]);
    }
    lines
}

/// Returns the last border between two characters at or before `at`.
fn border_before(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
