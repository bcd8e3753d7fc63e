//! What one line of a session file says, as far as the shape of the conversation depends on it.
//!
//! An [`Entry`] is an index record: ids, kinds, times, models, usage, and where the text lies. The text
//! itself stays in the file and is read back when somebody wants to see it.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::{Raw, Scanner};
use crate::time::Millis;

/// Identifies an entry within its session file. Opaque: the agent that wrote it chose the form.
///
/// Copies of an entry in forked files carry the same id, and a damaged file can hold an id twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub struct EntryId(Arc<str>);

impl EntryId {
    /// Takes any text but the empty one.
    pub fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.into()))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for EntryId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The index record of one entry.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Entry {
    /// The line of the file, counted from 1.
    pub line: u64,
    /// Where the entry's JSON object lies in the file, in bytes.
    pub span: Range<u64>,
    /// The entry's id; a damaged line may have none.
    pub id: Option<EntryId>,
    /// What the entry says of its parent.
    pub parent: Parent,
    /// When it was written.
    pub timestamp: Option<Millis>,
    /// Tokens and cost that this entry accounts for: answers, summaries, nested tools, cache warming.
    pub usage: Option<Box<Usage>>,
    /// What kind of entry it is, with what belongs to that kind.
    pub body: Body,
}

impl Entry {
    /// Takes apart an entry that was read back from its file, where it stands at byte `start` of line `line`.
    ///
    /// It is as it stands there: what an old version of the format means by it, only the whole file tells.
    pub fn parse(bytes: &[u8], line: u64, start: u64) -> Option<(Self, Raw<'_>)> {
        let parsed = parse_object(&mut Scanner::new(bytes), line, start, &mut Names::default())?;
        Some((parsed.entry, parsed.raw))
    }

    /// Returns pi's name for the kind of entry.
    pub fn kind(&self) -> &str {
        match &self.body {
            Body::Message(_) => "message",
            Body::ModelChange { .. } => "model_change",
            Body::ThinkingLevelChange { .. } => "thinking_level_change",
            Body::Compaction { .. } => "compaction",
            Body::BranchSummary { .. } => "branch_summary",
            Body::Custom { .. } => "custom",
            Body::CustomMessage { .. } => "custom_message",
            Body::Label { .. } => "label",
            Body::SessionInfo { .. } => "session_info",
            Body::Usage { .. } => "usage",
            Body::ContextEdit { .. } => "context_edit",
            Body::Other { kind } => kind,
        }
    }

    /// Returns the message, if this is a `message` entry.
    pub fn message(&self) -> Option<&Message> {
        match &self.body {
            Body::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Returns the role of the message, if this is a `message` entry.
    pub fn role(&self) -> Option<&Role> {
        self.message().map(|message| &message.role)
    }
}

/// What an entry says of its parent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Parent {
    /// `null`: the entry opens a tree.
    None,
    /// The id of another entry, which may or may not be in the file.
    Id(EntryId),
    /// The field is missing or is no string.
    Missing,
}

/// The kinds of entries, with what the shape of a session depends on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub enum Body {
    Message(Message),
    ModelChange {
        provider: Option<Arc<str>>,
        model_id: Option<Arc<str>>,
    },
    ThinkingLevelChange {
        level: Option<Arc<str>>,
    },
    Compaction {
        first_kept: Option<EntryId>,
        from_hook: bool,
    },
    BranchSummary {
        from: Option<EntryId>,
        empty: bool,
        from_hook: bool,
    },
    Custom {
        custom_type: Option<Arc<str>>,
    },
    CustomMessage {
        custom_type: Option<Arc<str>>,
        display: bool,
    },
    Label {
        target: Option<EntryId>,
        label: Option<Box<str>>,
        timestamp: Option<Box<str>>,
    },
    SessionInfo {
        name: Option<Box<str>>,
    },
    Usage {
        kind: Option<Arc<str>>,
        provider: Option<Arc<str>>,
        model: Option<Arc<str>>,
    },
    /// An edit of what the model sees of another entry, or (`omits`) its removal from there.
    ContextEdit {
        target: Option<EntryId>,
        omits: bool,
    },
    /// A kind this version does not know; kept and shown, never an error.
    Other {
        kind: Arc<str>,
    },
}

/// A message, without its text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The message's own time: for an answer, when the request began.
    pub timestamp: Option<Millis>,
    /// Which model answered, and how the answer ended.
    pub reply: Option<Box<Reply>>,
    /// The tool a result is from.
    pub tool: Option<Arc<str>>,
    /// Whether a tool result reports a failure.
    pub is_error: bool,
    pub(crate) object: Option<Part>,
    pub(crate) content: Option<Part>,
}

impl Message {
    /// Finds the message in the text of its entry; `None` if that is no object.
    pub fn raw_in<'a>(&self, entry: Raw<'a>) -> Option<Raw<'a>> {
        entry.part(self.object?.range())
    }
}

/// A piece of an entry, counted from the entry's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Part {
    start: u32,
    end: u32,
}

impl Part {
    fn of(raw: Raw<'_>, base: usize) -> Option<Self> {
        let position = |at: usize| u32::try_from(at - base).ok();
        Some(Self { start: position(raw.range().start)?, end: position(raw.range().end)? })
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Who speaks in a message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Role {
    /// A person.
    User,
    /// A model.
    Assistant,
    /// A tool's answer.
    ToolResult,
    /// pi's instructions and tool list.
    System,
    /// A shell command that a person ran.
    BashExecution,
    /// Text that an extension put in.
    Custom,
    /// Anything else; hosts may add roles of their own.
    Other(Arc<str>),
}

impl Role {
    fn new(text: &str, names: &mut Names) -> Self {
        match text {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult,
            "system" => Self::System,
            "bashExecution" => Self::BashExecution,
            "custom" => Self::Custom,
            other => Self::Other(names.intern(other)),
        }
    }

    /// Returns pi's name for the role.
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolResult => "toolResult",
            Self::System => "system",
            Self::BashExecution => "bashExecution",
            Self::Custom => "custom",
            Self::Other(name) => name,
        }
    }
}

/// Which model gave an answer, and how the answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct Reply {
    pub provider: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub stop_reason: Option<Arc<str>>,
}

/// Tokens and cost, as pi recorded them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub total_tokens: u64,
    /// Dollars.
    pub cost: f64,
}

impl Usage {
    fn parse(raw: Raw<'_>) -> Option<Box<Self>> {
        let mut usage = Box::<Self>::default();
        for member in raw.members() {
            let count = || member.value.as_f64().map_or(0, whole_number);
            match &*member.key {
                "input" => usage.input = count(),
                "output" => usage.output = count(),
                "cacheRead" => usage.cache_read = count(),
                "cacheWrite" => usage.cache_write = count(),
                "totalTokens" => usage.total_tokens = count(),
                "cost" => {
                    usage.cost = amount(member.value.get("total"));
                }
                _ => {}
            }
        }
        if usage.total_tokens == 0 {
            let parts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
            usage.total_tokens = parts.into_iter().fold(0, u64::saturating_add);
        }
        raw.is_object().then_some(usage)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut u64, part: u64| *sum = sum.saturating_add(part);
        add(&mut self.input, other.input);
        add(&mut self.output, other.output);
        add(&mut self.cache_read, other.cache_read);
        add(&mut self.cache_write, other.cache_write);
        add(&mut self.total_tokens, other.total_tokens);
        self.cost += other.cost;
    }
}

/// Takes an amount of money; nonsense is nothing, so that sums stay numbers.
fn amount(raw: Option<Raw<'_>>) -> f64 {
    raw.and_then(Raw::as_f64).filter(|amount| amount.abs() < 1e12).unwrap_or(0.0)
}

/// Takes a count that should be a whole number; nonsense is nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is clamped")]
fn whole_number(number: f64) -> u64 {
    number.clamp(0.0, 1e15) as u64
}

/// Keeps one copy of names that recur on every line: models, tools, kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(HashSet<Arc<str>>);

impl Names {
    fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.0.insert(Arc::clone(&name));
        name
    }

    fn intern_raw(&mut self, raw: Option<Raw<'_>>) -> Option<Arc<str>> {
        raw.and_then(Raw::as_str).map(|name| self.intern(&name))
    }
}

/// An object of a line, taken apart: an entry, or the session's header.
pub(crate) struct Parsed<'a> {
    pub(crate) raw: Raw<'a>,
    pub(crate) kind: Option<Arc<str>>,
    pub(crate) entry: Entry,
}

/// Takes one object from `scanner`; its first byte lies at `offset` in the file, on line `line`.
///
/// The message inside an entry, which is nearly all of it, is taken apart while the entry is scanned.
pub(crate) fn parse_object<'a>(
    scanner: &mut Scanner<'a>,
    line: u64,
    offset: u64,
    names: &mut Names,
) -> Option<Parsed<'a>> {
    scanner.peek()?;
    let base = scanner.position();
    let mut kind = None;
    let mut id = None;
    let mut parent = Parent::Missing;
    let mut timestamp = None;
    let mut message = None;
    let raw = scanner.object(|scanner, key| {
        match key {
            b"type" => kind = scanner.value()?.as_str().map(|kind| names.intern(&kind)),
            b"id" => id = entry_id(Some(scanner.value()?)),
            b"parentId" => parent = Parent::parse(scanner.value()?),
            b"timestamp" => timestamp = Some(scanner.value()?),
            b"message" if scanner.peek()? == b'{' => {
                message = Some(parse_message(scanner, base, names)?);
            }
            b"message" => {
                // Of a repeated key the last one counts, also where it is no message.
                message = None;
                scanner.value()?;
            }
            _ => {
                scanner.value()?;
            }
        }
        Some(())
    })?;
    let (body, usage) = match (kind.as_deref(), message) {
        (Some("message"), Some((message, usage))) => (Body::Message(message), usage),
        _ => parse_body(raw, kind.clone(), timestamp.and_then(Raw::as_str).as_deref(), names),
    };
    let start = offset + raw.range().start as u64;
    let span = start..start + raw.bytes().len() as u64;
    let timestamp = timestamp.and_then(|time| match time.as_str() {
        Some(text) => Millis::parse(&text),
        None => time.as_f64().and_then(Millis::from_number),
    });
    Some(Parsed { raw, kind, entry: Entry { line, span, id, parent, timestamp, usage, body } })
}

fn parse_message(
    scanner: &mut Scanner<'_>,
    base: usize,
    names: &mut Names,
) -> Option<(Message, Option<Box<Usage>>)> {
    let mut role = None;
    let mut timestamp = None;
    let mut reply = Reply { provider: None, model: None, stop_reason: None };
    let mut tool = None;
    let mut is_error = false;
    let mut content = None;
    let mut usage = None;
    let object = scanner.object(|scanner, key| {
        let value = scanner.value()?;
        match key {
            b"role" => role = value.as_str(),
            b"content" => content = Part::of(value, base),
            b"timestamp" => timestamp = value.as_f64().and_then(Millis::from_number),
            b"provider" => reply.provider = names.intern_raw(Some(value)),
            b"model" => reply.model = names.intern_raw(Some(value)),
            b"stopReason" => reply.stop_reason = names.intern_raw(Some(value)),
            b"toolName" => tool = names.intern_raw(Some(value)),
            b"isError" => is_error = value.as_bool() == Some(true),
            b"usage" => usage = Usage::parse(value),
            _ => {}
        }
        Some(())
    })?;
    let role = Role::new(role.as_deref().unwrap_or_default(), names);
    let reply = (role == Role::Assistant).then(|| Box::new(reply));
    let object = Part::of(object, base);
    Some((Message { role, timestamp, reply, tool, is_error, object, content }, usage))
}

fn parse_body(
    raw: Raw<'_>,
    kind: Option<Arc<str>>,
    timestamp: Option<&str>,
    names: &mut Names,
) -> (Body, Option<Box<Usage>>) {
    let id = |key: &str| entry_id(raw.get(key));
    let text = |key: &str| raw.get_str(key).map(|text| Box::<str>::from(&*text));
    let is_set = |key: &str| raw.get(key).is_some_and(|flag| !flag.is_falsy());
    let is_true = |key: &str| raw.get(key).and_then(Raw::as_bool) == Some(true);
    let usage = raw.get("usage").and_then(Usage::parse);
    let body = match kind.as_deref() {
        // A `message` entry whose message is missing or is no object: pi shows it and says nothing.
        Some("message") => Body::Message(Message {
            role: Role::new("", names),
            timestamp: None,
            reply: None,
            tool: None,
            is_error: false,
            object: None,
            content: None,
        }),
        Some("model_change") => Body::ModelChange {
            provider: names.intern_raw(raw.get("provider")),
            model_id: names.intern_raw(raw.get("modelId")),
        },
        Some("thinking_level_change") => {
            Body::ThinkingLevelChange { level: names.intern_raw(raw.get("thinkingLevel")) }
        }
        Some("compaction") => {
            Body::Compaction { first_kept: id("firstKeptEntryId"), from_hook: is_set("fromHook") }
        }
        Some("branch_summary") => Body::BranchSummary {
            from: id("fromId"),
            empty: raw.get("summary").is_none_or(Raw::is_falsy),
            from_hook: is_set("fromHook"),
        },
        Some("custom") => Body::Custom { custom_type: names.intern_raw(raw.get("customType")) },
        Some("custom_message") => Body::CustomMessage {
            custom_type: names.intern_raw(raw.get("customType")),
            display: is_true("display"),
        },
        Some("label") => Body::Label {
            target: id("targetId"),
            label: text("label").filter(|label| !label.is_empty()),
            timestamp: timestamp.map(Box::from),
        },
        Some("session_info") => Body::SessionInfo { name: text("name") },
        Some("usage") => Body::Usage {
            kind: names.intern_raw(raw.get("kind")),
            provider: names.intern_raw(raw.get("provider")),
            model: names.intern_raw(raw.get("model")),
        },
        Some("context_edit") => Body::ContextEdit {
            target: id("targetId"),
            omits: raw.get("replacement").is_some_and(Raw::is_null),
        },
        _ => Body::Other { kind: kind.unwrap_or_else(|| names.intern("")) },
    };
    (body, usage)
}

fn entry_id(raw: Option<Raw<'_>>) -> Option<EntryId> {
    EntryId::new(&raw?.as_str()?)
}

impl Parent {
    fn parse(raw: Raw<'_>) -> Self {
        if raw.is_null() {
            return Self::None;
        }
        entry_id(Some(raw)).map_or(Self::Missing, Self::Id)
    }
}
