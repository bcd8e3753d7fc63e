//! How large a message is for a model: four characters to a token, as pi reckons.

use crate::content::{Block, blocks};
use crate::json::Raw;

const IMAGE_CHARACTERS: usize = 4800;

/// Estimates the tokens of a message in pi's shape.
pub fn estimate_tokens(message: Raw<'_>) -> u64 {
    let length = |key: &str| message.get_str(key).map_or(0, |text| utf16_length(&text));
    let role = message.get_str("role").unwrap_or_default();
    let characters = match &*role {
        "user" | "custom" | "toolResult" => content_length(message),
        "assistant" => answer_length(message),
        "system" => {
            let sections = message.get("sections").into_iter().flat_map(Raw::members);
            let sections = sections.filter_map(|section| section.value.as_str());
            let tools = message.get("toolsAdded").map_or(0, |tools| utf16_length(&tools.text()));
            content_length(message)
                + sections.map(|text| utf16_length(&text)).sum::<usize>()
                + tools
        }
        "bashExecution" => length("command") + length("output"),
        "branchSummary" | "compactionSummary" => length("summary"),
        _ => 0,
    };
    characters.div_ceil(4) as u64
}

fn content_length(message: Raw<'_>) -> usize {
    let length = |block| match block {
        Block::Text(text) => utf16_length(&text),
        Block::Image { .. } => IMAGE_CHARACTERS,
        _ => 0,
    };
    message.get("content").into_iter().flat_map(blocks).map(length).sum()
}

fn answer_length(message: Raw<'_>) -> usize {
    let length = |block| match block {
        Block::Text(text) | Block::Thinking(text) => utf16_length(&text),
        Block::ToolCall { name, arguments, .. } => {
            utf16_length(&name) + arguments.map_or(0, |arguments| utf16_length(&arguments.text()))
        }
        _ => 0,
    };
    let content = message.get("content").filter(|content| content.is_array());
    content.into_iter().flat_map(blocks).map(length).sum()
}

/// Returns the length that JavaScript would report.
pub(crate) fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}
