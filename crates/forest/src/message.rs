//! Messages: a role and a list of blocks, checked once on the way in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

mod legacy;

/// A JSON object.
pub type Object = Map<String, Value>;

/// One message of a conversation. Never without content.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Message {
    role: Role,
    content: Vec<Block>,
    tool_call_id: Option<String>,
    is_error: bool,
}

/// Who speaks. There is no system role: the root of a tree plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person.
    User,
    /// A model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Role {
    /// Returns the role's name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A piece of a message's content.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Plain text.
    Text(String),
    /// A call of a tool; only models make them.
    ToolUse(ToolUse),
    /// Any other kind (thinking, images, what the future brings), kept as it is and compared deeply.
    Other(Object),
}

/// A model's request to run a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// What the tool's result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub parameters: Object,
}

/// Why something is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMessage {
    /// Not even an object.
    #[error("a message must be a JSON object with a role and content")]
    NotAnObject,
    /// Only user, assistant and tool speak.
    #[error("the role {0:?} is none of user, assistant, tool")]
    UnknownRole(String),
    /// Nothing is said.
    #[error("the content is empty")]
    Empty,
    /// Neither blocks nor one of the old shapes.
    #[error("the content must be a list of blocks, or a text")]
    BadContent,
    /// A block that is no object with a type, or lacks what its type needs.
    #[error("content block {index}: {why}")]
    BadBlock {
        /// Which block, counted from 1.
        index: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A tool's result must say which call it answers.
    #[error("a tool message needs a tool_call_id")]
    NoToolCallId,
    /// An old-style tool call whose arguments are no JSON object.
    #[error("the arguments of tool call {id} ({name}) are no JSON object: {arguments}")]
    BadArguments {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// The arguments as they were.
        arguments: String,
    },
}

impl Message {
    /// Makes a message that consists of one text.
    pub fn text(role: Role, text: &str) -> Self {
        Self {
            role,
            content: vec![Block::Text(text.to_owned())],
            tool_call_id: None,
            is_error: false,
        }
    }

    /// Makes a message, if its parts fit together.
    pub fn new(
        role: Role,
        content: Vec<Block>,
        tool_call_id: Option<String>,
        is_error: bool,
    ) -> Result<Self, InvalidMessage> {
        if content.is_empty() {
            return Err(InvalidMessage::Empty);
        }
        let check = |(block, index)| {
            check(role, block).map_err(|why| InvalidMessage::BadBlock { index, why })
        };
        let content = content.into_iter().zip(1..).map(check).collect::<Result<Vec<_>, _>>()?;
        let tool_call_id = tool_call_id.filter(|_| role == Role::Tool);
        if role == Role::Tool && tool_call_id.as_deref().is_none_or(is_blank) {
            return Err(InvalidMessage::NoToolCallId);
        }
        Ok(Self { role, content, tool_call_id, is_error: is_error && role == Role::Tool })
    }

    /// Reads a message in today's shape or one of the old ones; what does not belong to it is given back.
    pub fn from_json(value: Value) -> Result<(Self, Object), InvalidMessage> {
        let Value::Object(mut members) = value else { return Err(InvalidMessage::NotAnObject) };
        let role = match members.remove("role") {
            Some(Value::String(role)) => {
                Role::parse(&role).ok_or(InvalidMessage::UnknownRole(role))?
            }
            Some(other) => return Err(InvalidMessage::UnknownRole(other.to_string())),
            None => return Err(InvalidMessage::NotAnObject),
        };
        let content = match members.remove("content") {
            Some(Value::Array(blocks)) => read_blocks(blocks)?,
            other => legacy::blocks(role, other.unwrap_or(Value::Null), &mut members)?,
        };
        let tool_call_id = match members.get("tool_call_id") {
            Some(Value::String(_)) if role == Role::Tool => {
                members.remove("tool_call_id").and_then(|id| id.as_str().map(str::to_owned))
            }
            _ => None,
        };
        let is_error = role == Role::Tool && members.get("is_error") == Some(&Value::Bool(true));
        if role == Role::Tool {
            members.remove("is_error");
        }
        Ok((Self::new(role, content, tool_call_id, is_error)?, members))
    }

    /// Returns who speaks.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the blocks; there is at least one.
    pub fn content(&self) -> &[Block] {
        &self.content
    }

    /// Returns which tool call this is the result of.
    pub fn tool_call_id(&self) -> Option<&str> {
        self.tool_call_id.as_deref()
    }

    /// Returns whether this is the result of a tool call that failed.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// Returns whether there is text and nothing else.
    pub fn is_text_only(&self) -> bool {
        self.content.iter().all(|block| matches!(block, Block::Text(_)))
    }

    /// Returns whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.content.iter().all(|block| matches!(block, Block::Text(text) if is_blank(text)))
    }

    /// Returns all text blocks, joined without anything between them.
    pub fn joined_text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Returns the calls of tools.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the ids of the calls of tools, also of those that say more than we know of.
    pub(crate) fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|block| match block {
            Block::Text(_) => None,
            Block::ToolUse(call) => Some(call.id.as_str()),
            Block::Other(members) if !is_tool_use(members) => None,
            Block::Other(members) => members.get("id").and_then(Value::as_str),
        })
    }

    /// Returns the message with white space taken off the ends of its texts, and blank texts left out.
    pub(crate) fn trimmed(&self) -> Self {
        let trim = |block: &Block| match block {
            Block::Text(text) if is_blank(text) => None,
            Block::Text(text) => Some(Block::Text(text.trim().to_owned())),
            other => Some(other.clone()),
        };
        Self { content: self.content.iter().filter_map(trim).collect(), ..self.clone() }
    }
}

impl Role {
    fn parse(text: &str) -> Option<Self> {
        [Self::User, Self::Assistant, Self::Tool].into_iter().find(|role| role.as_str() == text)
    }
}

impl From<Message> for Value {
    fn from(message: Message) -> Self {
        let mut members = Object::new();
        members.insert("role".to_owned(), message.role.as_str().into());
        let content: Vec<Value> = message.content.into_iter().map(Value::from).collect();
        members.insert("content".to_owned(), content.into());
        if let Some(id) = message.tool_call_id {
            members.insert("tool_call_id".to_owned(), id.into());
        }
        if message.is_error {
            members.insert("is_error".to_owned(), true.into());
        }
        Self::Object(members)
    }
}

impl TryFrom<Value> for Message {
    type Error = InvalidMessage;

    fn try_from(value: Value) -> Result<Self, InvalidMessage> {
        Self::from_json(value).map(|(message, _)| message)
    }
}

impl From<Block> for Value {
    fn from(block: Block) -> Self {
        match block {
            Block::Text(text) => serde_json::json!({ "type": "text", "text": text }),
            Block::ToolUse(ToolUse { id, name, parameters }) => {
                serde_json::json!({ "type": "tool-use", "id": id, "name": name, "parameters": parameters })
            }
            Block::Other(members) => Self::Object(members),
        }
    }
}

/// Checks a block of a message. A block of unknown kind must be one, or it would be another after it was written
/// and read.
fn check(role: Role, block: Block) -> Result<Block, &'static str> {
    let block = match block {
        Block::Other(members) => read_block(Value::Object(members))?,
        known => known,
    };
    let is_call = match &block {
        Block::Text(_) => false,
        Block::ToolUse(call) if is_blank(&call.id) => return Err("tool use without id"),
        Block::ToolUse(call) if is_blank(&call.name) => return Err("tool use without name"),
        Block::ToolUse(_) => true,
        Block::Other(members) => is_tool_use(members),
    };
    if is_call && role != Role::Assistant {
        return Err("only assistant messages can use tools");
    }
    Ok(block)
}

fn is_tool_use(members: &Object) -> bool {
    members.get("type").and_then(Value::as_str) == Some("tool-use")
}

fn read_blocks(blocks: Vec<Value>) -> Result<Vec<Block>, InvalidMessage> {
    let read =
        |(block, index)| read_block(block).map_err(|why| InvalidMessage::BadBlock { index, why });
    blocks.into_iter().zip(1..).map(read).collect()
}

fn read_block(block: Value) -> Result<Block, &'static str> {
    let Value::Object(mut members) = block else { return Err("must be an object with a type") };
    // A block with more than its kind has is kept whole: what we do not know, we must not drop.
    let has_only =
        |keys: &[&str], members: &Object| members.keys().all(|key| keys.contains(&&**key));
    let kind =
        members.get("type").and_then(Value::as_str).ok_or("must be an object with a type")?;
    match kind {
        "text" => {
            let Some(Value::String(_)) = members.get("text") else {
                return Err("a text block needs a text");
            };
            if !has_only(&["type", "text"], &members) {
                return Ok(Block::Other(members));
            }
            let Some(Value::String(text)) = members.remove("text") else {
                unreachable!("seen above")
            };
            Ok(Block::Text(text))
        }
        "tool-use" => {
            let text = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned);
            let id = text("id").filter(|id| !is_blank(id)).ok_or("tool use without id")?;
            let name =
                text("name").filter(|name| !is_blank(name)).ok_or("tool use without name")?;
            if !members.get("parameters").is_some_and(Value::is_object) {
                return Err("the parameters of a tool use must be an object");
            }
            if !has_only(&["type", "id", "name", "parameters"], &members) {
                return Ok(Block::Other(members));
            }
            let Some(Value::Object(parameters)) = members.remove("parameters") else {
                unreachable!("seen above")
            };
            Ok(Block::ToolUse(ToolUse { id, name, parameters }))
        }
        _ => Ok(Block::Other(members)),
    }
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
