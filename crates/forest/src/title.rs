//! A title made from the text of a message.

use crate::message::{Block, Message};

/// The longest title, in characters.
const LONGEST: usize = 60;

/// Makes a title of a message: its first words, without the marks of markdown; or what it does.
pub fn auto_title(message: &Message) -> String {
    let text = message.joined_text();
    let words =
        |line: &str| line.trim_start_matches(['#', '>', '*', '-', ' ', '\t']).trim().to_owned();
    // A code fence says nothing about what is in it.
    let mut lines =
        text.lines().map(words).filter(|line| !line.is_empty() && !line.starts_with("```"));
    match lines.next() {
        Some(line) => shorten(&line),
        None => message.content().iter().find_map(name_of).unwrap_or_else(|| "…".to_owned()),
    }
}

/// Names a block that has no text.
fn name_of(block: &Block) -> Option<String> {
    match block {
        Block::Text(_) => None,
        Block::ToolUse(call) => Some(call.name.clone()),
        Block::Other(members) => {
            let text = |key: &str| members.get(key).and_then(serde_json::Value::as_str);
            let said = ["summary", "command", "thinking", "text"].into_iter().find_map(text);
            let first = said.and_then(|said| said.lines().find(|line| !line.trim().is_empty()));
            first.map(|line| shorten(line.trim())).or_else(|| text("type").map(str::to_owned))
        }
    }
}

/// Cuts a line to the length of a title, between words where there are any.
fn shorten(line: &str) -> String {
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = words.char_indices().nth(LONGEST) else { return words };
    let cut = &words[..end];
    let at_word = cut.rfind(' ').filter(|&at| at > end / 2).unwrap_or(end);
    format!("{}…", cut[..at_word].trim_end())
}
