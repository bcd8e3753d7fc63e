//! A title made from the text of a message.

use crate::message::{Block, Message};

/// The longest title, in characters.
const LONGEST: usize = 60;

/// Makes a title of a message: its first words, without the marks of markdown; or what it does.
pub fn auto_title(message: &Message) -> String {
    let text = message.joined_text();
    // A code fence says nothing about what is in it.
    let says_something = |line: &&str| !line.is_empty() && !line.starts_with("```");
    match text.lines().map(without_marks).find(says_something) {
        Some(line) => shorten(line),
        None => message.content().iter().find_map(name_of).unwrap_or_else(|| "…".to_owned()),
    }
}

/// Takes the marks of headings, quotes, lists and bold text off a line. A mark stands apart: `-5` has none.
fn without_marks(line: &str) -> &str {
    let is_mark = |word: &str| word.chars().all(|sign| matches!(sign, '#' | '>' | '*' | '-'));
    let mut rest = line.trim();
    while let Some((mark, behind)) = rest.split_once(char::is_whitespace)
        && is_mark(mark)
    {
        rest = behind.trim_start();
    }
    let bold = rest.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    if is_mark(rest) { "" } else { bold.unwrap_or(rest) }
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
