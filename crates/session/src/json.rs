//! A lazy, read-only view of JSON text.
//!
//! Most bytes of a session file stand inside long strings that nobody asks for, so nothing is decoded
//! before it is needed: [`Scanner`] checks the syntax and finds the borders of values, and [`Raw`] is a
//! checked value that still lies in the bytes it was read from. Unlike `serde_json`, both accept what
//! pi's `JSON.parse` accepts: repeated keys (the last one counts), lone surrogates, bytes that are not
//! UTF-8 (read as U+FFFD) and numbers of any size.

mod strings;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A JSON value that lies in someone else's bytes: its syntax is known to be good, nothing is decoded.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    buffer: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Raw<'a> {
    /// Checks that `bytes` are one JSON value with nothing but white space around it.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut scanner = Scanner::new(bytes);
        let raw = scanner.value()?;
        scanner.at_end().then_some(raw)
    }

    /// Takes bytes that are known to be one JSON value and nothing else.
    pub(crate) fn of_checked(bytes: &'a [u8]) -> Self {
        Self { buffer: bytes, start: 0, end: bytes.len() }
    }

    /// Returns a value inside this one that is known to lie there, counted from this one's first byte.
    pub(crate) fn part(self, range: Range<usize>) -> Option<Self> {
        let part = Self { start: self.start + range.start, end: self.start + range.end, ..self };
        (range.start < range.end && part.end <= self.end).then_some(part)
    }

    /// Returns the value's own bytes.
    pub fn bytes(self) -> &'a [u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the value's text; bytes that are not UTF-8 become U+FFFD, as pi reads them.
    pub fn text(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// Returns where the value lies in the bytes that were scanned.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns whether this is an object.
    pub fn is_object(self) -> bool {
        self.buffer[self.start] == b'{'
    }

    /// Returns whether this is an array.
    pub fn is_array(self) -> bool {
        self.buffer[self.start] == b'['
    }

    /// Returns whether this is `null`.
    pub fn is_null(self) -> bool {
        self.buffer[self.start] == b'n'
    }

    /// Returns whether JavaScript would take this for false in a condition.
    pub fn is_falsy(self) -> bool {
        match self.bytes() {
            b"null" | b"false" | b"\"\"" => true,
            [b'-' | b'0'..=b'9', ..] => self.as_f64() == Some(0.0),
            _ => false,
        }
    }

    /// Decodes a string. A lone surrogate becomes U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        match self.bytes() {
            [b'"', inner @ .., b'"'] => Some(decode(inner)),
            _ => None,
        }
    }

    /// Returns the value of a number, however large; `None` for anything else.
    pub fn as_f64(self) -> Option<f64> {
        match self.bytes() {
            number @ [b'-' | b'0'..=b'9', ..] => std::str::from_utf8(number).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// Returns the value of `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        match self.bytes() {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Returns a member of an object; where a key is repeated, the last one counts.
    pub fn get(self, key: &str) -> Option<Raw<'a>> {
        self.members().filter(|member| member.key == key).last().map(|member| member.value)
    }

    /// Returns a string member of an object.
    pub fn get_str(self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.as_str()
    }

    /// Iterates over the members of an object, in the order of the text; empty for anything else.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> {
        let mut walk = self.walk(b'{');
        std::iter::from_fn(move || {
            let scanner = walk.as_mut()?;
            let raw_key = scanner.next_key()?;
            let key = decode(raw_key.string_content());
            Some(Member { raw_key, key, value: scanner.value()? })
        })
    }

    /// Iterates over the items of an array; empty for anything else.
    pub fn items(self) -> impl Iterator<Item = Raw<'a>> {
        let mut walk = self.walk(b'[');
        std::iter::from_fn(move || {
            let scanner = walk.as_mut()?;
            scanner.next_item().then(|| scanner.value())?
        })
    }

    /// Returns what stands between the quotes of a string, undecoded.
    fn string_content(self) -> &'a [u8] {
        &self.buffer[self.start + 1..self.end - 1]
    }

    fn walk(self, open: u8) -> Option<Scanner<'a>> {
        let inside = Scanner { bytes: &self.buffer[..self.end], position: self.start + 1 };
        (self.buffer[self.start] == open).then_some(inside)
    }

    /// Writes an object anew with some members set, added at the end, or (`None`) taken out.
    pub fn with_members(self, changes: &[(&str, Option<&str>)]) -> String {
        let members: Vec<Member<'_>> = self.members().collect();
        let last: HashMap<&str, usize> =
            members.iter().enumerate().map(|(position, member)| (&*member.key, position)).collect();
        let mut parts: Vec<String> = Vec::new();
        for (position, member) in members.iter().enumerate() {
            if last[&*member.key] != position {
                continue;
            }
            let key = member.raw_key.text();
            match changes.iter().find(|(changed, _)| *changed == member.key) {
                None => parts.push(format!("{key}:{}", member.value.text())),
                Some((_, Some(value))) => parts.push(format!("{key}:{value}")),
                Some((_, None)) => {}
            }
        }
        let new = changes.iter().filter(|(key, _)| !last.contains_key(key));
        parts.extend(new.filter_map(|(key, value)| Some(format!("{}:{}", quote(key), (*value)?))));
        format!("{{{}}}", parts.join(","))
    }
}

impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text())
    }
}

/// One key and value of an object.
pub struct Member<'a> {
    raw_key: Raw<'a>,
    /// The decoded key.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Raw<'a>,
}

/// Writes a string as JSON.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string always serialises")
}

/// Reads JSON text from left to right, checking it on the way.
///
/// Every method returns `None` where the text is not JSON; the scanner is of no further use then.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Returns whether only white space is left.
    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_white_space();
        self.position == self.bytes.len()
    }

    /// Returns the first byte of the next value or sign, without taking it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.skip_white_space();
        self.bytes.get(self.position).copied()
    }

    /// Takes one whole value.
    pub(crate) fn value(&mut self) -> Option<Raw<'a>> {
        self.skip_white_space();
        let start = self.position;
        self.skip_value()?;
        Some(self.raw_since(start))
    }

    /// Takes one object, handing each key to `member`, which must take the value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &[u8]) -> Option<()>,
    ) -> Option<Raw<'a>> {
        self.skip_white_space();
        let start = self.position;
        self.expect(b'{')?;
        while let Some(key) = self.next_key() {
            let key = key.string_content();
            if key.contains(&b'\\') {
                member(self, decode(key).as_bytes())?;
            } else {
                member(self, key)?;
            }
        }
        // `next_key` stops in front of anything that is not a key: only the brace may stand there.
        self.skip_white_space();
        self.expect(b'}')?;
        Some(self.raw_since(start))
    }

    fn raw_since(&self, start: usize) -> Raw<'a> {
        Raw { buffer: self.bytes, start, end: self.position }
    }

    /// Takes the next `"key":` of an object, with the comma before it.
    fn next_key(&mut self) -> Option<Raw<'a>> {
        let before = self.position;
        let taken = self.comma_unless_after(b'{').and_then(|()| {
            self.skip_white_space();
            let start = self.position;
            self.skip_string()?;
            let raw = self.raw_since(start);
            self.skip_white_space();
            self.expect(b':')?;
            Some(raw)
        });
        if taken.is_none() {
            self.position = before;
        }
        taken
    }

    /// Moves to the next item of an array; `false` at its end.
    fn next_item(&mut self) -> bool {
        self.comma_unless_after(b'[').is_some() && self.peek().is_some_and(|byte| byte != b']')
    }

    /// Takes the comma that stands before every member but the first.
    fn comma_unless_after(&mut self, open: u8) -> Option<()> {
        if self.position > 0 && self.bytes[self.position - 1] == open {
            return Some(());
        }
        self.skip_white_space();
        self.expect(b',')
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (*self.bytes.get(self.position)? == byte).then(|| self.position += 1)
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.position) {
            self.position += 1;
        }
    }

    /// Skips a value of any depth, keeping the open brackets in a list instead of on the call stack.
    fn skip_value(&mut self) -> Option<()> {
        let mut open = Brackets::default();
        loop {
            self.skip_white_space();
            let first = *self.bytes.get(self.position)?;
            let container = first == b'{' || first == b'[';
            if container {
                self.position += 1;
                open.push(first == b'{');
                self.skip_white_space();
                if *self.bytes.get(self.position)? != first + 2 {
                    if first == b'{' {
                        self.skip_key()?;
                    }
                    continue;
                }
            } else {
                self.skip_scalar(first)?;
            }
            loop {
                let Some(in_object) = open.top() else { return Some(()) };
                self.skip_white_space();
                let sign = *self.bytes.get(self.position)?;
                self.position += 1;
                match (sign, in_object) {
                    (b'}', true) | (b']', false) => open.pop(),
                    (b',', true) => {
                        self.skip_white_space();
                        self.skip_key()?;
                        break;
                    }
                    (b',', false) => break,
                    _ => return None,
                }
            }
        }
    }

    fn skip_key(&mut self) -> Option<()> {
        self.skip_string()?;
        self.skip_white_space();
        self.expect(b':')
    }

    fn skip_scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b'"' => self.skip_string(),
            b't' => self.skip_word(b"true"),
            b'f' => self.skip_word(b"false"),
            b'n' => self.skip_word(b"null"),
            _ => self.skip_number(),
        }
    }

    fn skip_word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.position..].starts_with(word).then(|| self.position += word.len())
    }

    fn skip_number(&mut self) -> Option<()> {
        let _ = self.expect(b'-');
        if self.expect(b'0').is_none() {
            self.skip_digits()?;
        }
        if self.expect(b'.').is_some() {
            self.skip_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.position) {
            self.position += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.position) {
                self.position += 1;
            }
            self.skip_digits()?;
        }
        Some(())
    }

    fn skip_digits(&mut self) -> Option<()> {
        let start = self.position;
        while self.bytes.get(self.position).is_some_and(u8::is_ascii_digit) {
            self.position += 1;
        }
        (self.position > start).then_some(())
    }

    fn skip_string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        self.position += strings::content_length(&self.bytes[self.position..])? + 1;
        Some(())
    }
}

/// The brackets that are open, innermost last: one bit each, so that depth costs next to nothing.
#[derive(Default)]
struct Brackets {
    depth: usize,
    current: u64,
    full: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(self.current);
        }
        self.current = self.current << 1 | u64::from(object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.current >>= 1;
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.current = self.full.pop().unwrap_or_default();
        }
    }

    fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.current & 1 == 1)
    }
}

fn hex4(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0, |value, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(value << 4 | u16::try_from(digit).ok()?)
    })
}

/// Decodes what stands between the quotes of a string whose syntax is known to be good.
fn decode(inner: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', inner).is_none() {
        return match std::str::from_utf8(inner) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(inner),
        };
    }
    let mut decoded = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        decoded.extend_from_slice(&rest[..at]);
        let (character, length) = decode_escape(&rest[at..]);
        decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[at + length..];
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(match String::from_utf8(decoded) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Decodes one escape; returns the character and how many bytes it took.
fn decode_escape(escape: &[u8]) -> (char, usize) {
    match escape.get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => {
            let unit = |at: usize| escape.get(at..at + 4).and_then(hex4);
            let first = unit(2).unwrap_or(0xFFFD);
            let second = match escape.get(6..8) {
                Some(b"\\u") => unit(8),
                _ => None,
            };
            let pair = second.map(|second| char::decode_utf16([first, second]).next());
            match (char::from_u32(u32::from(first)), pair) {
                (Some(character), _) => (character, 6),
                (None, Some(Some(Ok(character)))) => (character, 12),
                (None, _) => (char::REPLACEMENT_CHARACTER, 6),
            }
        }
        Some(&plain) => (char::from(plain), 2),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

#[cfg(test)]
mod tests;
