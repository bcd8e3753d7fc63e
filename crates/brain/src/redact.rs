//! Takes secrets out of text before it leaves the machine.
//!
//! Some secrets are known by their shape alone ([`tokens`]), others by what stands around them: a password in a URL, a value
//! given to a name such as `DB_PASSWORD` ([`context`], [`assignment`]). What only looks like one, such as `$TOKEN` or
//! `<your-key>`, stays ([`value`]): a transcript in which every identifier is gone is of no use.

mod tokens;
mod context;
mod assignment;
mod value;

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A secret that was found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// What it is, in a few words, such as `GitHub token`.
    pub kind: &'static str,
    /// Where it stands in the text that was given, in bytes.
    pub range: Range<usize>,
}

/// Replaces each secret in a text by `[redacted: kind]`, and says what was replaced, in order.
///
/// Redacting what was redacted changes nothing more.
pub fn redact(text: &str) -> (Cow<'_, str>, Vec<Redaction>) {
    let redactions = find_all(text);
    if redactions.is_empty() {
        return (Cow::Borrowed(text), redactions);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut copied = 0;
    for Redaction { kind, range } in &redactions {
        redacted += &text[copied..range.start];
        redacted += "[redacted: ";
        redacted += kind;
        redacted.push(']');
        copied = range.end;
    }
    redacted += &text[copied..];
    (Cow::Owned(redacted), redactions)
}

/// Looks at the pieces between what is redacted already, and again at what is left of each in which something was found, until
/// nothing is. So the result holds nothing that a second run would find: it sees the same pieces.
fn find_all(text: &str) -> Vec<Redaction> {
    static MARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[redacted: [A-Za-z ]{1,40}\]"));
    let mut pieces = Vec::new();
    let marks = MARK.find_iter(text).map(|mark| mark.range());
    push_gaps(&mut pieces, 0..text.len(), marks);
    let mut found = Vec::new();
    while let Some(piece) = pieces.pop() {
        let in_piece = find_in(&text[piece.clone()], piece.start);
        if !in_piece.is_empty() {
            push_gaps(&mut pieces, piece, in_piece.iter().map(|redaction| redaction.range.clone()));
            found.extend(in_piece);
        }
    }
    found.sort_by_key(|redaction| redaction.range.start);
    found
}

/// Adds what lies between some ranges within a whole.
fn push_gaps(
    pieces: &mut Vec<Range<usize>>,
    whole: Range<usize>,
    taken: impl Iterator<Item = Range<usize>>,
) {
    let mut start = whole.start;
    for range in taken.chain(iter::once(whole.end..whole.end)) {
        if start < range.start {
            pieces.push(start..range.start);
        }
        start = range.end;
    }
}

/// Returns secrets that do not overlap, in order; of two that do, the one with the shape that is known better.
fn find_in(text: &str, offset: usize) -> Vec<Redaction> {
    // The more a rule knows of a secret, the earlier it comes.
    let found = [tokens::find(text), context::find(text), assignment::find(text)];
    let mut kept: Vec<Redaction> = Vec::new();
    for redactions in found {
        let known = kept.len();
        for redaction in redactions {
            let at =
                kept[..known].partition_point(|other| other.range.end <= redaction.range.start);
            let is_free =
                kept[..known].get(at).is_none_or(|other| redaction.range.end <= other.range.start);
            if is_free {
                kept.push(redaction);
            }
        }
        kept.sort_by_key(|redaction| redaction.range.start);
    }
    for redaction in &mut kept {
        redaction.range = redaction.range.start + offset..redaction.range.end + offset;
    }
    kept
}

/// Makes a pattern of this module.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns are constants, and tests use all of them")
}

/// Where a word may begin. In text that is a JSON string, `\n` stands before words as two characters.
const WORD_START: &str = r"(?:\b|\\[nrt])";

#[cfg(test)]
mod tests;
