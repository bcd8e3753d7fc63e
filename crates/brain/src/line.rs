//! Text on one line.

/// Returns text on one line, without control characters and colours, cut after `limit` characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    if text.len() <= limit && is_plain_line(text) {
        return text.to_owned();
    }
    let mut line = String::new();
    let mut length = 0;
    let mut blank = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            skip_escape(&mut characters);
        } else if character.is_whitespace() {
            blank = !line.is_empty();
        } else if !character.is_control() {
            let needed = 1 + usize::from(blank);
            if length + needed > limit {
                // The last character makes room for the sign of a cut.
                while length >= limit.max(1) {
                    line.pop();
                    length -= 1;
                }
                line.push('…');
                return line;
            }
            if std::mem::take(&mut blank) {
                line.push(' ');
            }
            line.push(character);
            length += needed;
        }
    }
    line
}

/// Returns whether a text is on one line as it stands, as most lines are: printable ASCII with single blanks inside.
fn is_plain_line(text: &str) -> bool {
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~');
    let bytes = text.as_bytes();
    bytes.iter().all(is_printable)
        && !bytes.starts_with(b" ")
        && !bytes.ends_with(b" ")
        && !text.contains("  ")
}

/// Skips the rest of a terminal's escape sequence.
fn skip_escape(characters: &mut std::str::Chars<'_>) {
    if characters.as_str().starts_with('[') {
        characters.next();
        characters.find(|character| ('@'..='~').contains(character));
    }
}
