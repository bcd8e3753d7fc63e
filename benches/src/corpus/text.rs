//! What people, models and tools write, as the inside of a JSON string: already escaped, since
//! escaping hundreds of megabytes afterwards would take longer than making them.
//!
//! Sessions that are only read do with a hundred words. Those that are searched have as many as real ones, as unevenly
//! used: the second word half as often as the first, the third a third as often.

use std::borrow::Cow;

use super::Style;
use super::random::{Random, mix};

/// How many words there are to search for.
const VOCABULARY: u64 = 1 << 16;

const WORDS: &[&str] = &[
    "the", "a", "to", "of", "in", "is", "it", "for", "on", "with", "as", "at", "by", "from",
    "this", "that", "not", "be", "are", "was", "if", "then", "else", "when", "return", "let",
    "const", "fn", "pub", "struct", "impl", "match", "async", "await", "error", "result", "option",
    "value", "index", "cache", "session", "parse", "token", "buffer", "stream", "config",
    "request", "response", "handler", "server", "client", "test", "build", "deploy", "schema",
    "query", "table", "column", "migrate", "retry", "timeout", "lock", "thread", "channel",
    "queue", "worker", "memory", "branch", "merge", "commit", "rebase", "review", "refactor",
    "feature", "flag", "metric", "trace", "span", "log", "level", "warning", "panic", "assert",
    "expect", "mock", "fixture", "module", "import", "export", "type", "trait",
];
const NAMES: &[&str] = &[
    "auth", "billing", "cart", "search", "index", "parser", "store", "export", "import", "worker",
    "queue", "cache", "mail", "login", "report", "audit",
];
const ENDINGS: &[&str] = &["rs", "ts", "py", "md", "toml", "json"];
const INDENTS: &[&str] = &["", "    ", "        ", "            "];
const LINE_STARTS: &[&str] = &["let", "const", "if", "for", "return", "//", "self."];
const LINE_ENDS: &[&str] = &["{", "}", ";", "=>", "?;"];
const PLAIN_MARKS: &[&str] =
    &["\\u001b[32mok\\u001b[0m", "   Compiling", "warning:", "note:", "test"];
const SIGN_MARKS: &[&str] = &[" ✓", " ⚠", "\\u001b[2m ❯\\u001b[22m", "→"];

pub(crate) fn word(random: &mut Random) -> Cow<'static, str> {
    match random.style() {
        Style::Bulky => random.pick(WORDS).into(),
        Style::Wordy => {
            // Each doubling of the rank is equally likely, which is Zipf's law.
            let rank = random.spread(1, VOCABULARY) - 1;
            let known = usize::try_from(rank).ok().and_then(|rank| WORDS.get(rank));
            known.map_or_else(|| made_up(rank).into(), |word| (*word).into())
        }
    }
}

/// Makes the word of that rank, three or four syllables long.
fn made_up(rank: u64) -> String {
    let bits = mix(u32::try_from(rank).unwrap_or(u32::MAX));
    let mut word = String::with_capacity(8);
    for syllable in 0..3 + (bits >> 31) {
        let bits = bits >> (6 * syllable);
        word.push(char::from(b"bdfghjklmnprstvz"[(bits & 15) as usize]));
        word.push(char::from(b"aeio"[(bits >> 4 & 3) as usize]));
    }
    word
}

/// How many identifiers there are, and how many files; some are used all the time.
const IDENTIFIERS: u64 = 1 << 15;
const FILES: u64 = 1 << 12;

/// Returns one of the identifiers, of two or three words.
fn identifier(random: &mut Random) -> String {
    let mut own = Random::new(random.spread(1, IDENTIFIERS), Style::Wordy);
    let mut name = word(&mut own).into_owned();
    let is_snake = own.chance(50);
    for _ in 0..own.between(1, 3) {
        let next = word(&mut own);
        if is_snake {
            name.push('_');
            name.push_str(&next);
        } else {
            name.extend(next.chars().next().map(|first| first.to_ascii_uppercase()));
            name.push_str(&next[1..]);
        }
    }
    name
}

/// Makes what compilers and systems say when something is wrong.
fn error(random: &mut Random) -> String {
    match random.between(0, 4) {
        0 => format!("error[E0{}]: mismatched {}", random.between(100, 800), word(random)),
        1 => format!("ENOENT: no such file or directory, open '{}'", path(random)),
        2 => format!("TypeError: {} is not a function", identifier(random)),
        _ => format!("thread '{}' panicked at {}", identifier(random), path(random)),
    }
}

pub(crate) fn name(random: &mut Random) -> &'static str {
    random.pick(NAMES)
}

/// Makes the path of a source file.
pub(crate) fn path(random: &mut Random) -> String {
    match random.style() {
        Style::Bulky => any_path(random),
        Style::Wordy => any_path(&mut Random::new(random.spread(1, FILES), Style::Wordy)),
    }
}

fn any_path(random: &mut Random) -> String {
    let (folder, file, topic) = (name(random), name(random), word(random));
    format!("src/{folder}/{file}_{topic}.{}", random.pick(ENDINGS))
}

/// Makes one sentence.
pub(crate) fn sentence(random: &mut Random) -> String {
    let mut text = Vec::new();
    push_sentence(&mut text, random);
    String::from_utf8(text).expect("words are UTF-8")
}

fn push_sentence(out: &mut Vec<u8>, random: &mut Random) {
    let start = out.len();
    for _ in 0..random.between(5, 18) {
        match random.style() {
            Style::Bulky => push(out, &word(random)),
            Style::Wordy => match random.between(0, 100) {
                0 => push(out, &error(random)),
                1..4 => push(out, &path(random)),
                4..14 => push(out, &identifier(random)),
                _ => push(out, &word(random)),
            },
        }
        out.push(b' ');
    }
    out[start].make_ascii_uppercase();
    if let Some(last) = out.last_mut() {
        *last = b'.';
    }
}

/// Writes paragraphs, as people and models do.
pub(crate) fn prose(out: &mut Vec<u8>, random: &mut Random, bytes: u64) {
    fill(out, bytes, |out| {
        push_sentence(out, random);
        push(out, if random.chance(20) { "\\n\\n" } else { " " });
    });
}

/// Writes numbered lines of code, as the tools that read and edit files show them.
pub(crate) fn code(out: &mut Vec<u8>, random: &mut Random, bytes: u64) {
    let mut number = 0;
    fill(out, bytes, |out| {
        number += 1;
        push(out, &format!("{number:5}\\t"));
        for piece in [random.pick(INDENTS), random.pick(LINE_STARTS), " "] {
            push(out, piece);
        }
        match random.style() {
            Style::Bulky => push(out, &format!("{}_{}", word(random), word(random))),
            Style::Wordy => push(out, &identifier(random)),
        }
        for piece in ["(", &*word(random), ", \\\"", &*word(random)] {
            push(out, piece);
        }
        push(out, if random.chance(10) { "\\\\n\\\") " } else { "\\\") " });
        push(out, random.pick(LINE_ENDS));
        push(out, "\\n");
    });
}

/// Writes what a build or a test run prints that is content, with colours; some tools mark their lines with signs
/// beyond ASCII, which makes the whole text cost JavaScript two bytes a character.
pub(crate) fn shell_output(out: &mut Vec<u8>, random: &mut Random, bytes: u64) {
    let marks = if random.chance(25) { SIGN_MARKS } else { PLAIN_MARKS };
    fill(out, bytes, |out| {
        let (line, column) = (random.between(1, 900), random.between(1, 80));
        push(out, random.pick(marks));
        push(out, &format!(" {}:{line}:{column} ", path(random)));
        push_sentence(out, random);
        push(out, "\\n");
    });
}

fn fill(out: &mut Vec<u8>, bytes: u64, mut push_more: impl FnMut(&mut Vec<u8>)) {
    let start = out.len();
    while ((out.len() - start) as u64) < bytes {
        push_more(out);
    }
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
