//! Cuts texts into sentences.

/// A sentence longer than this is cut, in bytes.
const LONGEST: usize = 360;

/// Cuts a text into sentences: at the ends of lines, and behind full stops that are none of an abbreviation or a number.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = without_marks(line.trim());
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(sentence_end(rest));
            rest = after.trim_start();
            found.extend(Some(sentence.trim()).filter(|sentence| is_something(sentence)));
        }
    }
    found
}

/// Takes away what makes a line a heading, a quotation, a row or a point of a list. Signs that stand right before a word belong to it:
/// `**bold**` would otherwise keep only its end.
fn without_marks(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(['#', '>', '|', '•', ' ', '\t']);
        match rest.strip_prefix(['-', '*', '+']) {
            Some(point) if point.starts_with([' ', '\t']) => rest = point,
            _ => return rest,
        }
    }
}

fn is_something(sentence: &str) -> bool {
    sentence.contains(char::is_alphanumeric)
}

/// Returns how many bytes the first sentence has.
fn sentence_end(text: &str) -> usize {
    for (at, letter) in text.char_indices() {
        if at > LONGEST {
            return text[..at].rfind(char::is_whitespace).filter(|cut| *cut > 0).unwrap_or(at);
        }
        let end = at + letter.len_utf8();
        let is_end = match letter {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                text[end..].chars().next().is_none_or(char::is_whitespace)
                    && !is_abbreviation(&text[..at])
            }
            _ => false,
        };
        if is_end {
            return end;
        }
    }
    text.len()
}

/// Says whether the text before a full stop ends with an abbreviation: `e.g.`, `z. B.`, `vs.`
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '.').next();
    let word = word.unwrap_or_default();
    let is_letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_letter
        || ["e.g", "i.e", "z.B", "d.h", "u.a", "p.ex", "vs", "etc", "ca", "bzw"].contains(&word)
}
