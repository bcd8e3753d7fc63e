//! By what two tries show the same error.

use super::complaint::mentions_failure;
use super::trouble;

/// So much is kept of what an output tells, in bytes.
const MOST_TOLD: usize = 2 * 1024;

/// Takes out of a text what differs between two looks at the same: its numbers, and how its lines are broken.
pub(super) fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !masked.is_empty() {
            masked.push(' ');
        }
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
    masked
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

    /// Returns whether it tells of something, and all of it was told before.
    pub(super) fn has_nothing_but(&self, other: &Self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|line| other.0.contains(line))
    }
}

#[cfg(test)]
mod tests {
    use super::{Told, masked};

    #[test]
    fn numbers_and_breaks_do_not_tell_two_looks_apart() {
        assert_eq!(masked("13 of 40\n  failed (2.5s)"), "# of # failed (#.#s)");
        assert_eq!(masked(""), "");
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
