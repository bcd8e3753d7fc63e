//! Text from sessions as it can be shown: on one line, no longer than wanted, and without anything that plays tricks.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Puts a text on one line and takes out what could play tricks on a terminal.
pub fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes colours, cursor movements and other control characters out of a text from a session.
///
/// Anybody may have written it: a tool's output can hold sequences that rewrite the screen.
pub fn clean(text: &str) -> String {
    let plain = anstream::adapter::strip_str(text).to_string();
    let plain = plain.replace("\r\n", "\n");
    let visible = |character: char| match character {
        '\n' | '\t' => character,
        '\r' => '\n',
        // Reorders what stands around it, so that a line reads differently from what it is.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    plain.chars().map(visible).collect()
}

/// Cuts a text to so many columns, as wide as a terminal shows them.
pub fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
