//! By what two tries show the same error.

use super::complaint::{mentions_failure, without_level};
use super::trouble;

/// So much is kept of what an output tells, in bytes.
const MOST_TOLD: usize = 2 * 1024;

/// Takes out of a text what differs between two looks at the same: its numbers, addresses and hashes, and how its lines are
/// broken.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !masked.is_empty() {
            masked.push(' ');
        }
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let is_end = |character: char| !character.is_ascii_alphanumeric();
            let end = rest.find(is_end).unwrap_or(rest.len()).max(first.len_utf8());
            let (part, after) = rest.split_at(end);
            if is_hash(part) {
                masked.push('#');
            } else {
                mask_digits(part, &mut masked);
            }
            rest = after;
        }
    }
    masked
}

/// Returns whether a word is a long number in hexadecimal: an address, a hash, a colour.
fn is_hash(word: &str) -> bool {
    const SHORTEST: usize = 6;
    let digits = word.strip_prefix("0x").unwrap_or(word);
    word.len() >= SHORTEST
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.bytes().any(|byte| byte.is_ascii_digit())
}

fn mask_digits(word: &str, masked: &mut String) {
    let mut was_digit = false;
    for character in word.chars() {
        let is_digit = character.is_ascii_digit();
        if !is_digit {
            masked.push(character);
        } else if !was_digit {
            masked.push('#');
        }
        was_digit = is_digit;
    }
}

/// Returns what a message says, without who says it and how bad it is: from the name of an exception on, or after a level.
pub(super) fn gist(message: &str) -> &str {
    let is_name = |word: &str| {
        word.strip_suffix(':').is_some_and(|name| {
            ["Error", "Exception"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
        })
    };
    let name = message.split(' ').find(|word| is_name(word));
    let from_name = name.and_then(|name| message.get(message.find(name)?..));
    from_name.unwrap_or_else(|| without_level(message))
}

/// The lines of an output that tell of failures; none if a compiler speaks, each of whose lines is an error by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Told(Vec<String>);

impl Told {
    pub(super) fn of(text: &str) -> Self {
        if text.lines().any(trouble::is_compiler_error) {
            return Self::default();
        }
        let mut left = MOST_TOLD;
        let lines = text
            .lines()
            .filter(|line| mentions_failure(line))
            .map(|line| line.trim().to_owned())
            .take_while(|line| {
                let fits = line.len() <= left;
                left = left.saturating_sub(line.len());
                fits
            });
        Self(lines.collect())
    }

    /// Returns whether it tells of something, and all of it was told before: line by line, or the whole with other numbers.
    pub(super) fn has_nothing_but(&self, other: &Self) -> bool {
        let is_whole = || {
            self.0.len() == other.0.len()
                && self.0.iter().zip(&other.0).all(|(one, other)| masked(one) == masked(other))
        };
        !self.0.is_empty() && (self.0.iter().all(|line| other.0.contains(line)) || is_whole())
    }
}

#[cfg(test)]
mod tests {
    use super::{Told, gist, masked};

    #[test]
    fn numbers_and_breaks_do_not_tell_two_looks_apart() {
        assert_eq!(masked("13 of 40\n  failed (2.5s)"), "# of # failed (#.#s)");
        assert_eq!(masked("free(): 0x55d1c0ffee12 of 7f3a9c"), "free(): # of #");
        assert_eq!(masked("decade E0308 TS2304"), "decade E# TS#");
        assert_eq!(masked(""), "");
    }

    #[test]
    fn the_gist_of_a_message_is_without_its_level_and_the_run() {
        let cases = [
            ("[ERR] login refused, code=7", "login refused, code=7"),
            ("12:04:11 error: no route", "no route"),
            ("3 of 40 TimeoutError: no answer", "TimeoutError: no answer"),
            ("io.netty.ConnectException: refused", "io.netty.ConnectException: refused"),
            ("no level at all", "no level at all"),
        ];
        for (message, expected) in cases {
            assert_eq!(gist(message), expected);
        }
    }

    #[test]
    fn the_same_with_other_numbers_is_nothing_new() {
        let first = Told::of("  7 failed\nerror: heap of 12 MB is full");
        assert!(Told::of("  2 failed\nerror: heap of 80 MB is full").has_nothing_but(&first));
        assert!(!Told::of("  2 failed").has_nothing_but(&first));
    }

    #[test]
    fn what_was_told_before_is_nothing_new() {
        let first = Told::of("[ERROR] Stream too short\nok\nthread panicked: read failed");
        assert!(Told::of("[ERROR] Stream too short\n0000: 0000").has_nothing_but(&first));
        assert!(!Told::of("[ERROR] Stream too long").has_nothing_but(&first));
        assert!(!Told::of("a.c:3:1: error: no x\nmake: *** [a] Error 1").has_nothing_but(&first));
        assert!(!Told::of("all is well").has_nothing_but(&first));
    }
}
