//! What an entry of a pi session says, as a message of the forest.
//!
//! A message holds what counts when messages are compared, and nothing else: no times, no usage, no signatures.
//! So every line that says the same gives the same message, whichever file it stands in. What is left out stays
//! in the line, which an export writes as it is.

use pi_brain_session::{Raw, hex};
use serde_json::{Number, Value, json};
use sha2::{Digest, Sha256};

use crate::message::{Block, Message, Object, Role, ToolUse, is_blank};

/// The names of the blocks that stand for what pi writes in another form.
pub(super) const SHELL: &str = "shell";
pub(super) const CUSTOM: &str = "custom";
pub(super) const COMPACTION: &str = "compaction";
pub(super) const BRANCH_SUMMARY: &str = "branch-summary";
pub(super) const EMPTY: &str = "empty";
pub(super) const UNKNOWN: &str = "unknown";

/// Stands for the call that a tool's result should name and does not.
const NO_CALL: &str = "(none)";

/// Deeper JSON is kept as its text, so that nothing recurses over what a file holds.
const DEEPEST: usize = 100;

/// Returns what the JSON of an entry says, as a message of the forest; `None` if it is no message there.
///
/// `kept` is for compactions: how many of the messages before it stay in sight.
pub(crate) fn message_of_line(line: &[u8], kept: Option<u32>) -> Option<Message> {
    message_of_entry(Raw::parse(line)?, kept.unwrap_or_default())
}

pub(super) fn message_of_entry(entry: Raw<'_>, kept: u32) -> Option<Message> {
    match &*entry.get_str("type")? {
        "message" => spoken(entry.get("message")?),
        "custom_message" => Some(alone(custom(entry.get("customType"), entry.get("content")))),
        "compaction" => Some(compaction(&summary(entry), kept)),
        "branch_summary" => {
            let summary = entry.get("summary").filter(|summary| !summary.is_falsy())?;
            Some(alone(json!({ "type": BRANCH_SUMMARY, "summary": value(summary) })))
        }
        _ => None,
    }
}

/// Returns the summary of a compaction.
pub(super) fn summary(entry: Raw<'_>) -> Value {
    entry.get("summary").map_or_else(|| "".into(), value)
}

/// Returns what a compaction says. The number of kept messages takes part, not the id of the first one: ids
/// differ between files that tell the same.
pub(super) fn compaction(summary: &Value, kept: u32) -> Message {
    alone(json!({ "type": COMPACTION, "summary": summary, "kept": kept }))
}

/// Returns what the `message` of an entry says.
pub(super) fn spoken(message: Raw<'_>) -> Option<Message> {
    let fields = Fields::of(message);
    let blocks = |role| blocks(fields.content, role);
    match &*fields.role?.as_str()? {
        "user" => Some(made(Role::User, or_empty(blocks(Role::User)), None, false)),
        // An answer that was cut off before its first word is no message; it may have cost something.
        "assistant" => match blocks(Role::Assistant) {
            said if said.is_empty() => None,
            said => Some(made(Role::Assistant, said, None, false)),
        },
        "toolResult" => {
            let call = fields.call.and_then(Raw::as_str).filter(|call| !is_blank(call));
            let call = call.unwrap_or_else(|| NO_CALL.into()).into_owned();
            let failed = fields.is_error.and_then(Raw::as_bool) == Some(true);
            Some(made(Role::Tool, or_empty(blocks(Role::Tool)), Some(call), failed))
        }
        "bashExecution" => Some(alone(shell(&fields))),
        // Version 2 and older say "hookMessage".
        "custom" | "hookMessage" => Some(alone(custom(fields.custom_type, fields.content))),
        _ => None,
    }
}

/// The members of a message that count, found in one walk: a message can be megabytes of text.
#[derive(Default)]
struct Fields<'a> {
    role: Option<Raw<'a>>,
    content: Option<Raw<'a>>,
    call: Option<Raw<'a>>,
    is_error: Option<Raw<'a>>,
    custom_type: Option<Raw<'a>>,
    command: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    exit_code: Option<Raw<'a>>,
    cancelled: Option<Raw<'a>>,
    truncated: Option<Raw<'a>>,
    output_path: Option<Raw<'a>>,
    excluded: Option<Raw<'a>>,
}

impl<'a> Fields<'a> {
    fn of(message: Raw<'a>) -> Self {
        let mut fields = Self::default();
        for member in message.members() {
            let field = match &*member.key {
                "role" => &mut fields.role,
                "content" => &mut fields.content,
                "toolCallId" => &mut fields.call,
                "isError" => &mut fields.is_error,
                "customType" => &mut fields.custom_type,
                "command" => &mut fields.command,
                "output" => &mut fields.output,
                "exitCode" => &mut fields.exit_code,
                "cancelled" => &mut fields.cancelled,
                "truncated" => &mut fields.truncated,
                "fullOutputPath" => &mut fields.output_path,
                "excludeFromContext" => &mut fields.excluded,
                _ => continue,
            };
            *field = Some(member.value);
        }
        fields
    }
}

/// Returns a shell command that a person ran.
fn shell(fields: &Fields<'_>) -> Value {
    let is_set = |flag: Option<Raw<'_>>| flag.is_some_and(|flag| !flag.is_falsy());
    let or_nothing = |text: Option<Raw<'_>>| text.map_or_else(|| "".into(), value);
    let truncated = is_set(fields.truncated);
    let mut block = json!({
        "type": SHELL,
        "command": or_nothing(fields.command),
        "output": or_nothing(fields.output),
        "cancelled": is_set(fields.cancelled),
        "truncated": truncated,
        "excluded": is_set(fields.excluded),
    });
    if let Some(code) = fields.exit_code.filter(|code| !code.is_null()) {
        block["exitCode"] = value(code);
    }
    // The model is told where the rest is, so it counts.
    if let Some(path) = fields.output_path.filter(|path| truncated && !path.is_null()) {
        block["outputPath"] = value(path);
    }
    block
}

/// Returns text that an extension put in.
fn custom(custom_type: Option<Raw<'_>>, content: Option<Raw<'_>>) -> Value {
    let content: Vec<Value> = blocks(content, Role::User).into_iter().map(Value::from).collect();
    json!({ "type": CUSTOM, "customType": custom_type.map(value), "content": content })
}

/// Makes a message of a person out of one block that only we know.
fn alone(block: Value) -> Message {
    let Value::Object(members) = block else { unreachable!("a block is an object") };
    made(Role::User, vec![Block::Other(members)], None, false)
}

fn made(role: Role, content: Vec<Block>, call: Option<String>, is_error: bool) -> Message {
    Message::new(role, content, call, is_error)
        .expect("there is a block, calls of tools are an assistant's, and a result names its call")
}

/// A person and a tool can say nothing, and it counts: the conversation goes on from there.
fn or_empty(mut content: Vec<Block>) -> Vec<Block> {
    if content.is_empty() {
        content.push(Block::Other(object([("type", EMPTY.into())])));
    }
    content
}

fn blocks(content: Option<Raw<'_>>, role: Role) -> Vec<Block> {
    let Some(content) = content.filter(|content| !content.is_null()) else { return Vec::new() };
    match content.as_str() {
        Some(text) => vec![Block::Text(text.into_owned())],
        None if content.is_array() => content.items().map(|raw| block(raw, role)).collect(),
        None => vec![unknown(content)],
    }
}

fn block(raw: Raw<'_>, role: Role) -> Block {
    let [mut kind, mut text, mut thinking, mut signature, mut redacted] = [None; 5];
    let [mut id, mut name, mut arguments, mut mime_type, mut data] = [None; 5];
    for member in raw.members() {
        let field = match &*member.key {
            "type" => &mut kind,
            "text" => &mut text,
            "thinking" => &mut thinking,
            "thinkingSignature" => &mut signature,
            "redacted" => &mut redacted,
            "id" => &mut id,
            "name" => &mut name,
            "arguments" => &mut arguments,
            "mimeType" => &mut mime_type,
            "data" => &mut data,
            _ => continue,
        };
        *field = Some(member.value);
    }
    let string = |raw: Option<Raw<'_>>| {
        raw.and_then(Raw::as_str).map(std::borrow::Cow::into_owned).unwrap_or_default()
    };
    match kind.and_then(Raw::as_str).as_deref() {
        Some("text") => Block::Text(string(text)),
        Some("thinking") => {
            let mut block =
                object([("type", "thinking".into()), ("thinking", string(thinking).into())]);
            if redacted.is_some_and(|flag| !flag.is_falsy()) {
                block.insert("redacted".to_owned(), string(signature).into());
            }
            Block::Other(block)
        }
        Some("toolCall") => tool_call(string(id), string(name), arguments, role),
        Some("image") => Block::Other(object([
            ("type", "image".into()),
            ("mimeType", mime_type.map_or(Value::Null, value)),
            ("sha256", hex(&Sha256::digest(string(data))).into()),
        ])),
        // A name that means something else in the forest.
        None | Some("tool-use") => unknown(raw),
        Some(_) => match value(raw) {
            Value::Object(members) => Block::Other(members),
            other => unreachable!("{other} has a type, so it is an object"),
        },
    }
}

fn tool_call(id: String, name: String, arguments: Option<Raw<'_>>, role: Role) -> Block {
    let arguments = arguments.map_or_else(|| Value::Object(Object::new()), value);
    match arguments {
        Value::Object(parameters)
            if role == Role::Assistant && !is_blank(&id) && !is_blank(&name) =>
        {
            Block::ToolUse(ToolUse { id, name, parameters })
        }
        // No call that could be answered; what there is of it still counts.
        arguments => Block::Other(object([
            ("type", "toolCall".into()),
            ("id", id.into()),
            ("name", name.into()),
            ("arguments", arguments),
        ])),
    }
}

/// Keeps what is no block as one.
fn unknown(raw: Raw<'_>) -> Block {
    Block::Other(object([("type", UNKNOWN.into()), ("value", value(raw))]))
}

fn object<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Object {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Decodes JSON in the one form that all its spellings share.
fn value(raw: Raw<'_>) -> Value {
    value_within(raw, DEEPEST)
}

fn value_within(raw: Raw<'_>, depth: usize) -> Value {
    if let Some(text) = raw.as_str() {
        return text.into_owned().into();
    }
    if let Some(flag) = raw.as_bool() {
        return flag.into();
    }
    if let Some(number) = raw.as_f64() {
        return number_value(number).unwrap_or_else(|| raw.text().into());
    }
    if raw.is_null() {
        return Value::Null;
    }
    let Some(depth) = depth.checked_sub(1) else { return raw.text().into() };
    if raw.is_array() {
        return raw.items().map(|item| value_within(item, depth)).collect();
    }
    let member = |member: pi_brain_session::Member<'_>| {
        (member.key.into_owned(), value_within(member.value, depth))
    };
    Value::Object(raw.members().map(member).collect())
}

/// Returns a number by its value: 1, 1.0 and 1e0 are one number. `None` for one that is too large.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn number_value(number: f64) -> Option<Value> {
    const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_WHOLE {
        return Some((number as i64).into());
    }
    Number::from_f64(number).map(Value::Number)
}
