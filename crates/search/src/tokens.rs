//! Text into tokens, for code as well as for prose.
//!
//! An *identifier* is a run of letters, digits and underscores. It gives its parts, cut where the case or the kind of
//! character changes, at consecutive positions; one with several parts also gives the whole, written together, at the
//! position of its first part. `readNodeErrorCode` and `read_node_error_code` both give `readnodeerrorcode`, `read`, `node`,
//! `error` and `code`. Everything else separates identifiers without taking a position, so a path, a kebab-case name or
//! a version is found as a whole by the phrase of its parts, and the index need not hold each path as a term.
//!
//! Scripts that are written without spaces give overlapping pairs of characters.

mod distinct;

use std::ops::Range;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

pub(crate) use distinct::Distinct;

/// The names under which the tokenizers are registered. They are part of the schema: a change of the tokens changes the
/// names, and an index with the old ones is made anew.
pub(crate) const TOKENIZER: &str = "identifiers-1";
pub(crate) const DISTINCT_TOKENIZER: &str = "distinct-identifiers-1";

/// Longer tokens are hashes and encoded data: nobody types them, and each would be a term of its own.
const LONGEST: usize = 64;

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier of several parts, written together.
    Whole,
    /// An identifier, or a part of one.
    Part,
    /// Two neighbouring characters of a script without spaces, or one that stands alone.
    Pair,
}

/// The tokenizer; it keeps its buffers from one text to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identifiers {
    parts: Vec<Range<usize>>,
    pending: Vec<Piece>,
    token: Token,
}

/// A token that has been found and not yet been given out.
#[derive(Clone, Debug)]
struct Piece {
    kind: Kind,
    range: Range<usize>,
    position: usize,
    /// How many positions the token covers.
    length: usize,
}

impl Tokenizer for Identifiers {
    type TokenStream<'a> = Tokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        self.pending.clear();
        Tokens { text, at: 0, position: 0, next: 0, kind: Kind::Part, buffers: self }
    }
}

/// The tokens of one text.
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    position: usize,
    /// The first of the pending pieces that has not been given out.
    next: usize,
    kind: Kind,
    buffers: &'a mut Identifiers,
}

impl Tokens<'_> {
    /// Returns what the current token stands for.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }
}

impl TokenStream for Tokens<'_> {
    fn advance(&mut self) -> bool {
        while self.next == self.buffers.pending.len() {
            self.buffers.pending.clear();
            self.next = 0;
            let Some(class) = self.find_run() else { return false };
            if let Some(length) = plain_length(&self.text.as_bytes()[self.at..]) {
                self.give_plain(length);
                return true;
            }
            match class {
                Class::Unspaced => self.take_pairs(),
                _ => self.take_identifier(),
            }
        }
        self.give_pending();
        true
    }

    fn token(&self) -> &Token {
        &self.buffers.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.buffers.token
    }
}

impl Tokens<'_> {
    /// Moves to the next identifier or run of an unspaced script, and says what it starts with.
    fn find_run(&mut self) -> Option<Class> {
        loop {
            let (class, length) = class_at(self.text, self.at)?;
            if !matches!(class, Class::Separator | Class::Underscore) {
                return Some(class);
            }
            self.at += length;
        }
    }

    fn give_plain(&mut self, length: usize) {
        let token = &mut self.buffers.token;
        let end = self.at + length;
        token.text.clear();
        token.text.push_str(&self.text[self.at..end]);
        (token.offset_from, token.offset_to) = (self.at, end);
        (token.position, token.position_length) = (self.position, 1);
        self.kind = Kind::Part;
        self.position += 1;
        self.at = end;
    }

    fn give_pending(&mut self) {
        let Identifiers { pending, token, .. } = &mut *self.buffers;
        let piece = &pending[self.next];
        self.next += 1;
        token.text.clear();
        let written = &self.text[piece.range.clone()];
        if piece.kind == Kind::Whole && written.contains('_') {
            written.split('_').for_each(|part| push_lower_case(&mut token.text, part));
        } else {
            push_lower_case(&mut token.text, written);
        }
        (token.offset_from, token.offset_to) = (piece.range.start, piece.range.end);
        (token.position, token.position_length) = (piece.position, piece.length);
        self.kind = piece.kind;
    }

    fn take_pairs(&mut self) {
        let mut before: Option<Range<usize>> = None;
        let mut alone = true;
        while let Some((Class::Unspaced, length)) = class_at(self.text, self.at) {
            let character = self.at..self.at + length;
            if let Some(before) = before.replace(character.clone()) {
                self.push(Kind::Pair, before.start..character.end, 1);
                self.position += 1;
                alone = false;
            }
            self.at = character.end;
        }
        if let (true, Some(character)) = (alone, before) {
            self.push(Kind::Pair, character, 1);
            self.position += 1;
        }
    }

    fn take_identifier(&mut self) {
        let start = self.at;
        let length = self.find_parts();
        let parts = std::mem::take(&mut self.buffers.parts);
        let end = parts.last().map_or(start, |part| part.end);
        let has_digits = self.text[start..end].bytes().any(|byte| byte.is_ascii_digit());
        let opaque = is_opaque(parts.len(), length, has_digits);
        if opaque || parts.len() == 1 {
            if length <= LONGEST {
                // Underscores inside are left out of the token, as they are where the parts are told apart.
                let kind = if opaque { Kind::Whole } else { Kind::Part };
                self.push(kind, start..end, 1);
            }
            // What was left out keeps its position, so that no phrase reaches across it.
            self.position += 1;
        } else {
            if length <= LONGEST {
                self.push(Kind::Whole, start..end, parts.len());
            }
            for part in &parts {
                if part.len() <= LONGEST {
                    self.push(Kind::Part, part.clone(), 1);
                }
                self.position += 1;
            }
        }
        self.buffers.parts = parts;
    }

    fn push(&mut self, kind: Kind, range: Range<usize>, length: usize) {
        self.buffers.pending.push(Piece { kind, range, position: self.position, length });
    }

    /// Cuts the identifier at the current place into its parts; returns how long they are together.
    fn find_parts(&mut self) -> usize {
        let Self { text, at, buffers, .. } = self;
        let parts = &mut buffers.parts;
        parts.clear();
        let mut part = *at..*at;
        let mut before = None;
        // Where the last character starts, if it and the one before it are upper case.
        let mut last_capital = None;
        while let Some((class, length)) = class_at(text, *at) {
            if matches!(class, Class::Separator | Class::Unspaced) {
                break;
            }
            if class == Class::Underscore {
                close(parts, &mut part, *at);
                *at += length;
                part = *at..*at;
                (before, last_capital) = (None, None);
                continue;
            }
            match (before, class) {
                (Some(Class::Upper), Class::Lower) => {
                    // `HTTPServer` is `HTTP` and `Server`; `URLs` stays one word.
                    let plural = text[*at..].starts_with('s')
                        && !matches!(class_at(text, *at + 1), Some((Class::Lower, _)));
                    if let (Some(capital), false) = (last_capital, plural) {
                        close(parts, &mut part, capital);
                        part.start = capital;
                    }
                }
                (Some(before), class) if before != class => {
                    close(parts, &mut part, *at);
                    part.start = *at;
                }
                _ => {}
            }
            let in_capitals = class == Class::Upper && before == Some(Class::Upper);
            last_capital = in_capitals.then_some(*at);
            before = Some(class);
            *at += length;
        }
        close(parts, &mut part, *at);
        parts.iter().map(Range::len).sum()
    }
}

fn close(parts: &mut Vec<Range<usize>>, part: &mut Range<usize>, end: usize) {
    part.end = end;
    if part.start < part.end {
        parts.push(part.clone());
    }
}

/// Returns how long a word is that starts here and is plain, as most are: small letters, and a space or a sign behind.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let ends = match bytes.get(length) {
        Some(byte) => byte.is_ascii() && ASCII[usize::from(*byte)] == Class::Separator,
        None => true,
    };
    (ends && (1..=LONGEST).contains(&length)).then_some(length)
}

/// Says whether an identifier is better left alone: the parts of a hash (`4f1b`, base64) or of a short name with a number
/// in it (`u8`, `utf8`, `x86_64`) mean nothing.
fn is_opaque(parts: usize, length: usize, has_digits: bool) -> bool {
    match parts {
        0 | 1 => false,
        2 => has_digits && length < 6,
        parts => length < 2 * parts || (length >= 20 && length < 3 * parts),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Separator,
    Underscore,
    Lower,
    Upper,
    Digit,
    Unspaced,
}

const ASCII: [Class; 128] = {
    let mut classes = [Class::Separator; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            _ => Class::Separator,
        };
        byte += 1;
    }
    classes
};

/// Returns the class of the character at a border, and its length in bytes.
#[inline]
fn class_at(text: &str, at: usize) -> Option<(Class, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 128 {
        return Some((ASCII[usize::from(byte)], 1));
    }
    let character = text[at..].chars().next()?;
    Some((class_of(character), character.len_utf8()))
}

fn class_of(character: char) -> Class {
    if is_unspaced(character) {
        Class::Unspaced
    } else if character.is_uppercase() {
        Class::Upper
    } else if character.is_alphabetic() {
        Class::Lower
    } else if character.is_numeric() {
        Class::Digit
    } else {
        Class::Separator
    }
}

/// Says whether a character belongs to a script that does not put spaces between words.
///
/// Korean does, but its words carry endings, which pairs see through.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0e01..=0x0eff // Thai, Lao
        | 0x1000..=0x109f // Burmese
        | 0x1100..=0x11ff // Hangul, in letters
        | 0x1780..=0x17d3 // Khmer
        | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x309d..=0x309f // Han marks, Hiragana
        | 0x30a1..=0x30fa | 0x30fc..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f // Katakana
        | 0x3131..=0x318e | 0xac00..=0xd7a3 // Hangul
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff) // Han
}

/// Appends text in lower case.
pub(crate) fn push_lower_case(out: &mut String, text: &str) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
    } else {
        // A sigma at the end of a word is the same letter.
        let lower = text.chars().flat_map(char::to_lowercase);
        out.extend(lower.map(|letter| if letter == 'ς' { 'σ' } else { letter }));
    }
}

#[cfg(test)]
mod tests;
