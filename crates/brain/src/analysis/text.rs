//! Pieces of text, cut to a size that can be kept.

use std::borrow::Cow;

use pi_brain_session::Raw;

use crate::line::one_line;

/// Returns the text blocks of a message's content, at most about `limit` bytes of it: where there is more, the
/// beginning and the end.
pub(super) fn excerpt(content: Raw<'_>, limit: usize) -> String {
    let is_text = |block: &Raw<'_>| short(block.get("type"), 10).is_some_and(|kind| kind == "text");
    let blocks = content.items().filter(is_text).filter_map(|block| block.get("text"));
    let mut text = String::new();
    for part in is_string(content).then_some(content).into_iter().chain(blocks) {
        if text.len() > limit {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &string(part, limit);
    }
    text
}

/// Decodes a string, at most about `limit` bytes of it: where there is more, the beginning and the end.
pub(super) fn string(raw: Raw<'_>, limit: usize) -> Cow<'_, str> {
    let bytes = raw.bytes();
    if bytes.len() <= limit || !is_string(raw) {
        return raw.as_str().unwrap_or_default();
    }
    let inside = &bytes[1..bytes.len() - 1];
    let half = (limit / 2).min(inside.len() / 2);
    let mut text = decode_piece((0..half.min(CUT)).map(|less| &inside[..half - less]));
    let from = inside.len() - half;
    text.push_str("\n…\n");
    text += &decode_piece((0..half.min(CUT)).map(|more| &inside[from + more..]));
    Cow::Owned(text)
}

/// Within so many bytes there is a place that is not inside an escape (`\ud83d\ude00` is the longest).
const CUT: usize = 13;

/// Decodes the first of some pieces that is not cut in the middle of an escape.
fn decode_piece<'a>(mut pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let decoded = pieces.find_map(|piece| {
        let quoted = [b"\"", piece, b"\""].concat();
        Some(Raw::parse(&quoted)?.as_str()?.into_owned())
    });
    decoded.unwrap_or_default()
}

/// Returns a string if it is short enough to be a name, a path or an id.
pub(super) fn short(raw: Option<Raw<'_>>, limit: usize) -> Option<Cow<'_, str>> {
    raw.filter(|raw| raw.bytes().len() <= limit)
        .and_then(Raw::as_str)
        .filter(|text| !text.is_empty())
}

fn is_string(raw: Raw<'_>) -> bool {
    raw.bytes().starts_with(b"\"")
}

/// Returns how a text opens, on one line: its first sentence, and the next ones while that says next to nothing.
pub(super) fn opening(text: &str, limit: usize) -> String {
    const ENOUGH: usize = 40;
    let is_ornament =
        |character: char| !character.is_alphanumeric() && !"`\"'“(/~@.$<".contains(character);
    let mut line = one_line(text.trim_start_matches(is_ornament), limit);
    let ends_sentence = |(at, character): &(usize, char)| {
        let rest = &line[at + character.len_utf8()..];
        let numbers_item = line[..*at].ends_with(|before: char| before.is_ascii_digit());
        let is_end = ".!?。！？".contains(*character) && !numbers_item;
        is_end && *at >= ENOUGH && rest.starts_with(char::is_whitespace)
    };
    if let Some((at, character)) = line.char_indices().find(ends_sentence) {
        line.truncate(at + character.len_utf8());
    }
    line
}

/// Returns the words of a text in lower case: runs of letters, digits and what joins them.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric() && !"_-'".contains(character))
        .map(|word| word.trim_matches(['-', '\'', '_']).to_lowercase())
        .filter(|word| !word.is_empty())
}

/// Returns text with its lines, but without other white space, control characters and colours; of one that is longer than
/// `limit` characters, the beginning and the end.
pub(super) fn paragraphs(text: &str, limit: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| one_line(line, limit)).collect();
    let whole = lines.join("\n");
    let whole = whole.trim();
    let length = whole.chars().count();
    if length <= limit {
        return whole.to_owned();
    }
    let beginning: String = whole.chars().take(limit * 2 / 3).collect();
    let end: String = whole.chars().skip(length - limit / 3).collect();
    format!("{beginning}\n{end}")
}
