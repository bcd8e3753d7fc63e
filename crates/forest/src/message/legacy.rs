//! Messages as older programs wrote them: `content` is a text or null, and calls stand beside it.

use serde_json::Value;

use super::{Block, InvalidMessage, Object, Role, ToolUse, is_blank};

/// Makes blocks of old-style content, and of the `tool_calls` beside it, which are taken out of `members`.
///
/// The text keeps its outer white space; a blank one says nothing and is left out.
pub(super) fn blocks(
    role: Role,
    content: Value,
    members: &mut Object,
) -> Result<Vec<Block>, InvalidMessage> {
    let text = match content {
        Value::String(text) => Some(text),
        Value::Null => None,
        _ => return Err(InvalidMessage::BadContent),
    };
    let text = text.filter(|text| !is_blank(text)).map(Block::Text);
    let calls = match members.remove("tool_calls") {
        Some(Value::Array(calls)) if role == Role::Assistant => {
            calls.iter().map(call).collect::<Result<Vec<_>, _>>()?
        }
        Some(Value::Null) | None => Vec::new(),
        Some(_) if role == Role::Assistant => return Err(InvalidMessage::BadContent),
        Some(_) => Vec::new(),
    };
    Ok(text.into_iter().chain(calls.into_iter().map(Block::ToolUse)).collect())
}

/// Reads `{id, function: {name, arguments}}`, where the arguments are JSON inside a text.
fn call(value: &Value) -> Result<ToolUse, InvalidMessage> {
    let text = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|text| !is_blank(text)).map(str::to_owned)
    };
    let wrong = |why| InvalidMessage::BadBlock { index: 1, why };
    let function = value.get("function").unwrap_or(value);
    let id = text(value.get("id")).ok_or(wrong("tool call without id"))?;
    let name = text(function.get("name")).ok_or(wrong("tool call without name"))?;
    let arguments = function.get("arguments").or_else(|| function.get("parameters"));
    let parsed = match arguments {
        None => Some(Object::new()),
        Some(Value::String(text)) if is_blank(text) => Some(Object::new()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(Value::Object(members)) => Some(members.clone()),
        Some(_) => None,
    };
    let as_text = || match arguments {
        Some(Value::String(text)) => text.clone(),
        other => other.map(Value::to_string).unwrap_or_default(),
    };
    match parsed {
        Some(parameters) => Ok(ToolUse { id, name, parameters }),
        None => Err(InvalidMessage::BadArguments { id, name, arguments: as_text() }),
    }
}
