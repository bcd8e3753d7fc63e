//! Whether a value is a secret, or stands for one.

/// Words that stand where a secret would: in documentation, in templates, in tests. They are so long that no real secret has
/// one of them by chance.
const STAND_INS: &[&str] = &[
    "example",
    "placeholder",
    "redacted",
    "changeme",
    "change-me",
    "change_me",
    "replaceme",
    "mysecret",
    "mypassword",
    "not-a-real",
    "secret-here",
    "key-here",
    "token-here",
];

/// Shorter ones, which count only where a word begins.
const SHORT_STAND_INS: &[&str] =
    &["your", "fake", "todo", "fixme", "dummy", "sample", "insert", "replace", "my-", "my_"];

/// So many equal characters in a row are no accident.
const ROW: usize = 8;

/// Values that say nothing, whatever they are given to.
const EMPTY_WORDS: &[&str] = &[
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "string",
    "str",
    "password",
    "passwd",
    "pass",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "key",
    "required",
    "optional",
    "unset",
    "empty",
    "default",
    "hidden",
    "masked",
    "bearer",
    "basic",
    "test",
    "object",
    "number",
    "boolean",
    "value",
    "any",
    "unknown",
    "prompt",
    "credentials",
    "auth",
];

/// Returns whether a value stands for a secret instead of being one.
pub(super) fn is_made_up(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let refers = value.starts_with(['$', '<', '{', '%', '@']) || value.starts_with("[redacted");
    let is_shortened = value.ends_with("...") || value.ends_with('…');
    let begins_word = |at: usize| !lower[..at].ends_with(|before: char| before.is_alphanumeric());
    let is_short_stand_in = |word: &&str| lower.match_indices(*word).any(|(at, _)| begins_word(at));
    let bytes = value.as_bytes();
    let is_row = |row: &[u8]| row.iter().all(|byte| *byte == row[0]);
    refers
        || is_shortened
        || STAND_INS.iter().any(|word| lower.contains(word))
        || SHORT_STAND_INS.iter().any(is_short_stand_in)
        || EMPTY_WORDS.contains(&lower.as_str())
        || bytes.len() >= 2 && is_row(bytes)
        || bytes.windows(ROW).any(is_row)
}

/// Returns whether a value leads to a secret, or is made by a program, instead of being one.
pub(super) fn is_reference(value: &str) -> bool {
    let is_url = value.contains("://");
    let leads =
        ["/", "./", "../", "~/", ".\\", "C:\\"].iter().any(|start| value.starts_with(start));
    // Base64 can begin with a slash, but then it has more than the names of folders.
    let is_path = leads && !value.contains(['+', '=']);
    is_url || is_path
}

/// Returns whether a value without quotes is code: a call, an index, a member, a type.
pub(super) fn is_code(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_member = value.contains('.') && value.split('.').all(is_name);
    let is_constant = value.contains('_')
        && is_name(value)
        && !value.contains(|letter: char| letter.is_ascii_lowercase());
    is_member || is_constant || value.contains(['(', '[', '{', '<', '|']) || value.starts_with('&')
}

/// Returns whether a value is too mixed to be a word or a name: letters with digits, or with signs that no name has.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |wanted: fn(char) -> bool| value.contains(wanted);
    let has_sign = has(|sign| sign.is_ascii_punctuation() && !"-_./:,;".contains(sign));
    has(|letter| letter.is_ascii_alphabetic()) && (has(|digit| digit.is_ascii_digit()) || has_sign)
}

/// Returns the length of the longest run of bytes that are wanted.
pub(super) fn longest_run(text: &str, is_wanted: impl Fn(u8) -> bool) -> usize {
    text.as_bytes().split(|byte| !is_wanted(*byte)).map(<[u8]>::len).max().unwrap_or_default()
}
