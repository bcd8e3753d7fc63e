//! All that the cutting of one session file depends on, so that no text has to be read again.

use std::collections::HashMap;

use pi_brain_session::{Body, Entry, Log, Message, Millis, Raw, Role, Tree};
use serde::{Deserialize, Serialize};

use crate::ids::NodeId;
use crate::line::one_line;

use self::handoff::handoff_target;

mod handoff;

/// A session file without its text. Small enough to be stored for every file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Outline {
    /// What the header and the last rename say.
    pub session: SessionFacts,
    /// The models that answered; sketches name them by position.
    pub models: Vec<ModelName>,
    /// The entries, in file order.
    pub entries: Vec<Sketch>,
}

/// What is known of a session as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct SessionFacts {
    /// The session's id.
    pub id: String,
    /// The version of the file's format.
    pub version: u32,
    /// The working directory; very old files have none.
    pub cwd: Option<String>,
    /// The path of the file that this one was forked from; it may be gone.
    pub parent_session: Option<String>,
    /// When the session began.
    #[serde(with = "packed_time")]
    pub created: Option<Millis>,
    /// The name that the user gave it.
    pub name: Option<String>,
}

/// A model and who runs it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct ModelName {
    /// Who runs the model.
    pub provider: Box<str>,
    /// The model.
    pub model: Box<str>,
}

/// What the cutting depends on in one entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Sketch {
    /// When the entry was written.
    #[serde(with = "packed_time")]
    pub time: Option<Millis>,
    /// The entry's id; a damaged line may have none.
    pub id: Option<Box<str>>,
    /// The position in the file of the entry that this one follows. It always stands before this one.
    pub parent: Option<u32>,
    /// The line of the file, counted from 1.
    pub line: u32,
    /// Where the entry's JSON begins in the file.
    pub start: u64,
    /// How many bytes of JSON it is.
    pub length: u32,
    /// What kind of entry it is.
    pub kind: Kind,
    /// Whether a person or a model says something here.
    pub speaks: bool,
    /// The tool calls that it asks for, as digests of their ids.
    pub calls: Box<[u32]>,
    /// The tool call that it answers.
    pub answers: Option<u32>,
    /// The model that it spent tokens on, by position in [`Outline::models`].
    pub model: Option<u32>,
    /// What only few entries have.
    pub aside: Option<Box<Aside>>,
}

/// The kinds of entries, as far as cutting treats them differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Kind {
    /// A person's message.
    User,
    /// A model's message.
    Assistant,
    /// A tool's answer.
    ToolResult,
    /// A shell command that a person ran.
    Bash,
    /// Text that an extension put in.
    CustomMessage,
    /// A summary in place of what came before.
    Compaction,
    /// A summary of a branch that was left.
    BranchSummary,
    /// A change of the model or of its thinking level.
    Setting,
    /// A label or a name. pi writes them at the leaf, but they are no part of the conversation.
    Note,
    /// Tokens spent outside of the conversation, as for keeping a cache warm.
    Usage,
    /// pi's instructions and tool list.
    System,
    /// What an extension keeps for itself.
    Custom,
    /// Anything else.
    Other,
}

/// What only few entries have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Aside {
    /// A compaction.
    Compaction {
        /// How what it says of the past begins.
        summary: Box<str>,
        /// How large the context was.
        tokens_before: Option<u64>,
    },
    /// A branch summary.
    BranchSummary {
        /// How what it says of the branch begins.
        summary: Box<str>,
        /// Where the user came from; before pi 0.84.3, where the user went.
        from: Option<Box<str>>,
    },
    /// A hand-off to another agent.
    Handoff {
        /// The agent, if one is named.
        target: Option<Box<str>>,
    },
}

impl Outline {
    /// Puts an outline together from what was sketched while `log` was read.
    ///
    /// `tree` is the log's in the repaired view. A parent that stands behind its child came too late to matter: the
    /// child keeps the place it had when nothing followed it, so that growth never changes what was cut.
    pub fn new(log: &Log, tree: &Tree, mut sketches: Vec<Sketch>) -> Self {
        let header = log.header();
        let mut models = Vec::new();
        for (at, sketch) in sketches.iter_mut().enumerate() {
            let parent = match tree.parent(at) {
                Some(late) if late >= at => {
                    at.checked_sub(1).filter(|_| header.parent_session.is_some())
                }
                parent => parent,
            };
            sketch.parent = parent.and_then(|parent| u32::try_from(parent).ok());
            sketch.model =
                spent_on(&log.entries()[at]).map(|model| position_in(&mut models, model));
        }
        let session = SessionFacts {
            id: header.id.clone(),
            version: header.version,
            cwd: header.cwd.clone(),
            parent_session: header.parent_session.clone(),
            created: header.created(),
            name: log.name().map(str::to_owned),
        };
        Self { session, models, entries: sketches }
    }

    /// Numbers the events that the file tells of; an entry that is written twice tells of one.
    pub(crate) fn events(&self) -> Vec<u32> {
        let mut known: HashMap<(&str, Millis), u32> = HashMap::with_capacity(self.entries.len());
        let mut events = Vec::with_capacity(self.entries.len());
        for (at, sketch) in (0..).zip(&self.entries) {
            events.push(match (sketch.id.as_deref(), sketch.time) {
                (Some(id), Some(time)) => *known.entry((id, time)).or_insert(at),
                _ => at,
            });
        }
        events
    }
}

impl Outline {
    /// Names the unit of work that an entry of this file would open.
    pub fn name_of(&self, sketch: &Sketch) -> NodeId {
        match (&sketch.id, sketch.time) {
            (Some(id), Some(time)) if self.session.version >= 2 => NodeId::of_entry(id, time),
            // pi gives the entries of a version 1 file random ids when it rewrites the file.
            _ => NodeId::of_line(&self.session.id, sketch.line),
        }
    }
}

impl Sketch {
    /// Notes down what matters of an entry, while its text passes by.
    ///
    /// What the entry follows is filled in by [`Outline::new`].
    pub fn of(entry: &Entry, raw: Raw<'_>) -> Self {
        let said = entry.message().map(|message| Said::of(message, raw)).unwrap_or_default();
        Self {
            time: entry.timestamp,
            id: entry.id.as_ref().map(|id| id.as_str().into()),
            parent: None,
            line: u32::try_from(entry.line).unwrap_or(u32::MAX),
            start: entry.span.start,
            length: u32::try_from(entry.span.end - entry.span.start).unwrap_or(u32::MAX),
            kind: Kind::of(&entry.body),
            speaks: said.speaks,
            calls: said.calls.into(),
            answers: said.answers,
            model: None,
            aside: said.handoff.or_else(|| aside(&entry.body, raw)).map(Box::new),
        }
    }

    /// Returns whether this is a label or a name.
    pub(crate) fn is_note(&self) -> bool {
        self.kind == Kind::Note
    }
}

impl Kind {
    fn of(body: &Body) -> Self {
        match body {
            Body::Message(message) => match message.role {
                Role::User => Self::User,
                Role::Assistant => Self::Assistant,
                Role::ToolResult => Self::ToolResult,
                Role::System => Self::System,
                Role::BashExecution => Self::Bash,
                Role::Custom => Self::CustomMessage,
                Role::Other(_) => Self::Other,
            },
            Body::ModelChange { .. } | Body::ThinkingLevelChange { .. } => Self::Setting,
            Body::Compaction { .. } => Self::Compaction,
            Body::BranchSummary { .. } => Self::BranchSummary,
            Body::Custom { .. } => Self::Custom,
            Body::CustomMessage { .. } => Self::CustomMessage,
            Body::Label { .. } | Body::SessionInfo { .. } => Self::Note,
            Body::Usage { .. } => Self::Usage,
            Body::ContextEdit { .. } | Body::Other { .. } => Self::Other,
        }
    }

    /// Returns whether an entry of this kind shows that somebody was at work when it was written.
    ///
    /// Labels and names can be given at any time, and pi keeps caches warm while nobody is there.
    pub(crate) fn keeps_time(self) -> bool {
        !matches!(self, Self::Note | Self::Usage)
    }
}

/// What a message tells, apart from its words.
#[derive(Default)]
struct Said {
    speaks: bool,
    calls: Vec<u32>,
    answers: Option<u32>,
    handoff: Option<Aside>,
}

impl Said {
    fn of(message: &Message, raw: Raw<'_>) -> Self {
        let Some(object) = message.raw_in(raw) else { return Self::default() };
        match message.role {
            Role::User | Role::Assistant => {
                let content = object.get("content").map(Content::of).unwrap_or_default();
                let first = content.first_text.filter(|_| message.role == Role::User);
                let handoff = first.and_then(Raw::as_str).and_then(|text| {
                    let target = handoff_target(&text)?;
                    Some(Aside::Handoff { target: Some(target.into()) })
                });
                Self { speaks: content.speaks, calls: content.calls, answers: None, handoff }
            }
            Role::ToolResult => {
                let answers = object.get_str("toolCallId").map(|id| digest(&id));
                Self { answers, ..Self::default() }
            }
            _ => Self::default(),
        }
    }
}

#[derive(Default)]
struct Content<'a> {
    speaks: bool,
    calls: Vec<u32>,
    first_text: Option<Raw<'a>>,
}

impl<'a> Content<'a> {
    /// Looks through the blocks without decoding them: most bytes of a session are words of a model.
    fn of(raw: Raw<'a>) -> Self {
        let mut content = Self::default();
        if !raw.is_array() {
            content.take_text(raw);
        }
        for block in raw.items() {
            let [mut kind, mut text, mut id] = [None; 3];
            for member in block.members() {
                match &*member.key {
                    "type" => kind = Some(member.value),
                    "text" => text = Some(member.value),
                    "id" => id = Some(member.value),
                    _ => {}
                }
            }
            match (kind.and_then(Raw::as_str).as_deref(), text, id) {
                (Some("text"), Some(text), _) => content.take_text(text),
                (Some("toolCall"), _, Some(id)) => {
                    content.calls.extend(id.as_str().map(|id| digest(&id)));
                }
                _ => {}
            }
        }
        content
    }

    fn take_text(&mut self, text: Raw<'a>) {
        self.first_text.get_or_insert(text);
        self.speaks = self.speaks || !is_blank(text);
    }
}

/// Returns whether a value is no string, or one of white space only.
fn is_blank(text: Raw<'_>) -> bool {
    match text.bytes() {
        [b'"', first, ..] if first.is_ascii_graphic() && !matches!(first, b'"' | b'\\') => false,
        _ => text.as_str().is_none_or(|text| text.trim().is_empty()),
    }
}

/// Returns the beginning of a summary, which tells one from another; the whole stands in the session file.
pub(crate) fn gist(summary: &str) -> Box<str> {
    const LENGTH: usize = 240;
    one_line(summary, LENGTH).into()
}

fn aside(body: &Body, raw: Raw<'_>) -> Option<Aside> {
    let summary = || gist(&raw.get_str("summary").unwrap_or_default());
    match body {
        Body::Compaction { .. } => Some(Aside::Compaction {
            summary: summary(),
            tokens_before: raw.get("tokensBefore").and_then(Raw::as_f64).map(whole_number),
        }),
        Body::BranchSummary { from, .. } => Some(Aside::BranchSummary {
            summary: summary(),
            from: from.as_ref().map(|from| from.as_str().into()),
        }),
        Body::Custom { custom_type } if custom_type.as_deref() == Some("handoff") => {
            let target = raw.get("data").and_then(|data| data.get_str("target"));
            let target = target.map(|target| Box::<str>::from(target.trim()));
            Some(Aside::Handoff { target: target.filter(|target| !target.is_empty()) })
        }
        _ => None,
    }
}

/// Takes a count that should be a whole number; nonsense is nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is clamped")]
fn whole_number(number: f64) -> u64 {
    number.clamp(0.0, 1e15) as u64
}

/// Shortens the id of a tool call. Only calls that wait at the same time are ever compared.
fn digest(id: &str) -> u32 {
    // FNV-1a. The digests are stored, so the function must never change; std's hashers may.
    id.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn spent_on(entry: &Entry) -> Option<ModelName> {
    entry.usage.as_ref()?;
    let (provider, model) = match &entry.body {
        Body::Message(message) => {
            let reply = message.reply.as_ref()?;
            (&reply.provider, &reply.model)
        }
        Body::Usage { provider, model, .. } => (provider, model),
        _ => return None,
    };
    let text = |name: &Option<std::sync::Arc<str>>| name.as_deref().unwrap_or_default().into();
    Some(ModelName { provider: text(provider), model: text(model) })
}

fn position_in(models: &mut Vec<ModelName>, model: ModelName) -> u32 {
    // A session speaks with a handful of models.
    let known = models.iter().position(|known| *known == model);
    let position = known.unwrap_or_else(|| {
        models.push(model);
        models.len() - 1
    });
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Writes times as numbers: the text that they are elsewhere would be half of an outline.
mod packed_time {
    use pi_brain_session::Millis;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Millis>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(|time| time.0).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Millis>, D::Error> {
        Ok(Option::<i64>::deserialize(deserializer)?.map(Millis))
    }
}
