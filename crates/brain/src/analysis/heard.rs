//! What one entry says, as far as the facts want to know it.

use std::borrow::Cow;

use pi_brain_session::{Body, Entry, Message, Raw, Role};

use super::command;
use super::text::{self, short};
use crate::line::one_line;
use crate::node::FlagType;

/// So much is read of what a user or a model says, and of what a tool says that fails.
const TEXT_LIMIT: usize = 16 * 1024;
/// So much is kept of a shell command.
const COMMAND_LIMIT: usize = 2 * 1024;
/// A name, an id or a path that is longer is none.
const NAME_LIMIT: usize = 4 * 1024;

/// The tool that runs commands; those of the user's are like its.
const SHELL: &str = "bash";

/// What one entry says.
#[derive(Debug)]
pub(super) enum Heard<'a> {
    /// The user's words.
    Request {
        text: String,
    },
    /// A model's answer.
    Answer(Answer<'a>),
    /// What a tool gave back; `failure` is what it says if it failed.
    Result {
        call_id: Option<Cow<'a, str>>,
        tool: Option<&'a str>,
        failure: Option<String>,
        output: Output<'a>,
        /// The calls that a script inside the tool made.
        nested: Vec<Call>,
    },
    /// What a command printed that the user ran; `failure` is that, too, if it failed.
    Shell {
        call: Call,
        failure: Option<String>,
        output: Output<'a>,
    },
    /// What a compaction or a branch summary says of the past.
    Summary {
        text: String,
    },
    /// The user took another model.
    ModelChange,
    /// A flag that the user set.
    Flag {
        flag_type: FlagType,
        message: String,
    },
    Nothing,
}

/// What a tool gave back, unread: most of it tells nothing, and it can be long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output<'a>(Option<Raw<'a>>);

impl Output<'_> {
    /// Reads it; of a long one, the beginning and the end.
    pub(super) fn read(self) -> String {
        self.0.map_or(String::new(), |content| text::excerpt(content, TEXT_LIMIT))
    }
}

/// A model's answer.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) stop_reason: Option<&'a str>,
    /// What went wrong, if no answer came.
    pub(super) error: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) tool: String,
    /// The file that it is about.
    pub(super) path: Option<String>,
    /// The command that it runs.
    pub(super) command: Option<String>,
    /// The subagent that it asks.
    pub(super) agent: Option<String>,
}

impl<'a> Heard<'a> {
    pub(super) fn of(entry: &'a Entry, raw: Raw<'a>) -> Self {
        match &entry.body {
            Body::Message(message) => match message.raw_in(raw) {
                Some(object) => Self::message(message, object),
                None => Self::Nothing,
            },
            Body::Compaction { .. } | Body::BranchSummary { .. } => {
                let summary = raw.get("summary").map(|summary| text::string(summary, TEXT_LIMIT));
                Self::Summary { text: summary.unwrap_or_default().into_owned() }
            }
            Body::ModelChange { .. } => Self::ModelChange,
            Body::Custom { custom_type: Some(kind) } if &**kind == "brain_flag" => {
                flag(raw).unwrap_or(Self::Nothing)
            }
            _ => Self::Nothing,
        }
    }

    fn message(message: &'a Message, object: Raw<'a>) -> Self {
        // One walk over the members: the content can be megabytes.
        let [mut content, mut error, mut call_id, mut nested] = [None; 4];
        for member in object.members() {
            match &*member.key {
                "content" => content = Some(member.value),
                "errorMessage" => error = Some(member.value),
                "toolCallId" => call_id = Some(member.value),
                "nestedCalls" => nested = Some(member.value),
                _ => {}
            }
        }
        let text = || content.map_or(String::new(), |content| text::excerpt(content, TEXT_LIMIT));
        match message.role {
            Role::BashExecution => Self::shell(object),
            Role::User => Self::Request { text: text() },
            Role::Assistant => {
                let stop_reason =
                    message.reply.as_deref().and_then(|reply| reply.stop_reason.as_deref());
                let error = error.filter(|error| !error.is_falsy());
                let failed =
                    stop_reason == Some("error") || (stop_reason.is_none() && error.is_some());
                let calls = content.into_iter().flat_map(Raw::items).filter_map(Call::of_block);
                Self::Answer(Answer {
                    text: text(),
                    calls: calls.collect(),
                    stop_reason,
                    error: failed.then(|| {
                        error.map_or(String::new(), |error| {
                            text::string(error, TEXT_LIMIT).into_owned()
                        })
                    }),
                })
            }
            Role::ToolResult => {
                let nested = nested.and_then(|nested| nested.get("calls"));
                let nested = nested
                    .into_iter()
                    .flat_map(Raw::items)
                    .map(|call| Call::new(None, call.get("name"), call.get("arguments")));
                Self::Result {
                    call_id: short(call_id, NAME_LIMIT),
                    tool: message.tool.as_deref(),
                    failure: message.is_error.then(text),
                    output: Output(content),
                    nested: nested.collect(),
                }
            }
            _ => Self::Nothing,
        }
    }

    fn shell(object: Raw<'a>) -> Self {
        let output = Output(object.get("output"));
        // A command that was stopped has no code.
        let failed = object.get("exitCode").is_some_and(|code| !code.is_falsy());
        let call = Call::new(None, None, Some(object));
        Self::Shell {
            call: Call { tool: SHELL.to_owned(), ..call },
            failure: failed.then(|| output.read()),
            output,
        }
    }
}

fn flag<'a>(raw: Raw<'_>) -> Option<Heard<'a>> {
    const MESSAGE_LIMIT: usize = 1000;
    let data = raw.get("data")?;
    let flag_type = match &*short(data.get("type"), NAME_LIMIT)? {
        "quirk" => FlagType::Quirk,
        "fail" | "failure" => FlagType::Fail,
        "win" => FlagType::Win,
        "note" => FlagType::Note,
        _ => return None,
    };
    let message = data.get("message").map_or(Cow::default(), |raw| text::string(raw, TEXT_LIMIT));
    Some(Heard::Flag { flag_type, message: one_line(&message, MESSAGE_LIMIT) })
}

impl Call {
    fn of_block(block: Raw<'_>) -> Option<Self> {
        let [mut kind, mut id, mut name, mut arguments] = [None; 4];
        for member in block.members() {
            match &*member.key {
                "type" => kind = Some(member.value),
                "id" => id = Some(member.value),
                "name" => name = Some(member.value),
                "arguments" => arguments = Some(member.value),
                _ => {}
            }
        }
        (short(kind, NAME_LIMIT)? == "toolCall").then(|| Self::new(id, name, arguments))
    }

    fn new(id: Option<Raw<'_>>, name: Option<Raw<'_>>, arguments: Option<Raw<'_>>) -> Self {
        let mut call = Self {
            id: short(id, NAME_LIMIT).map(Cow::into_owned),
            tool: short(name, NAME_LIMIT).map_or(String::new(), Cow::into_owned),
            ..Self::default()
        };
        for member in arguments.into_iter().flat_map(Raw::members) {
            let path = || short(Some(member.value), NAME_LIMIT).map(Cow::into_owned);
            match &*member.key {
                "path" => call.path = path().or(call.path),
                "file" | "file_path" | "filePath" => call.path = call.path.or_else(path),
                "agent" | "subagent" | "subagent_type" => call.agent = path(),
                "command" => {
                    let command = text::string(member.value, COMMAND_LIMIT);
                    call.command = (!command.is_empty()).then(|| command.into_owned());
                }
                _ => {}
            }
        }
        call
    }

    /// Returns whether it can only look for something: not to find it is no failure of the work.
    pub(super) fn only_looks(&self) -> bool {
        self.reads() || self.command.as_deref().is_some_and(|text| !command::is_work(text))
    }

    pub(super) fn reads(&self) -> bool {
        self.tool.eq_ignore_ascii_case("read")
    }

    pub(super) fn modifies(&self) -> bool {
        ["write", "edit"].iter().any(|tool| self.tool.eq_ignore_ascii_case(tool))
    }
}
