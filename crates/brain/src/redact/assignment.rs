//! Secrets that are given to a name which says so: in shells, settings, JSON, YAML, code and options of programs.

use std::sync::LazyLock;

use regex::{Captures, Match, Regex};

use super::{Redaction, pattern, value};

/// Longer values are looked at as a whole or not at all: looking again inside each would take time without end.
const LOOK_INSIDE: usize = 512;
/// So many characters of a line are looked at before and after.
const AROUND: usize = 80;

/// Finds values that are given to the name of a secret.
pub(super) fn find(text: &str) -> Vec<Redaction> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(captures) = ASSIGNMENT.captures_at(text, at) {
        let given = Given::of(text, &captures);
        let secret = given.value;
        if given.is_secret() {
            let kind = given.kind();
            found
                .push(Redaction { kind, range: secret.start()..secret.start() + given.text.len() });
            at = secret.end();
        } else {
            // `password: token=…` has the secret inside what is given to the first name.
            at = if secret.len() > LOOK_INSIDE { secret.end() } else { secret.start() };
        }
    }
    found
}

static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    let words = "password|passwd|passphrase|passcode|pwd|secret|token|credential|\
        (?:api|access|secret|private|encryption|signing|master|account|auth|license|deploy)[_-]?key|\
        client-key-data";
    // A number or the name of a place to run at may follow.
    let name = format!(
        "(?P<name>(?:--)?[A-Za-z0-9_.-]*(?i:{words})(?:[0-9]{{1,2}}|(?i:[_-](?:prod|production|dev|staging|test|live|[0-9]{{1,2}})))?)"
    );
    let sign = r#"(?P<sign>\\*["'`]?\]?\s{0,4}(?::=|=>|=|:)\s{0,4}|\s{1,4})"#;
    // What a quote opens ends with the same one, or with the text.
    let double = r#"\\*"(?P<double>(?:[^"\\\r\n]|\\[^"nrt\s])+)(?:\\*"|$)"#;
    let single = r"\\*'(?P<single>(?:[^'\\\r\n]|\\[^'nrt\s])+)(?:\\*'|$)";
    let bare = r#"(?P<bare>(?:[^\s"'`\\]|\\[^"'`nrt\s])+)"#;
    pattern(&format!("{name}{sign}(?:{double}|{single}|{bare})"))
});

/// A value, and the name it is given to.
struct Given<'a> {
    name: &'a str,
    sign: &'a str,
    value: Match<'a>,
    /// The value, without what ends a statement after it.
    text: &'a str,
    is_quoted: bool,
    /// Whether there is nothing else on the line.
    is_alone: bool,
}

impl<'a> Given<'a> {
    fn of(text: &'a str, captures: &Captures<'a>) -> Self {
        let quoted = captures.name("double").or_else(|| captures.name("single"));
        let value = quoted
            .or_else(|| captures.name("bare"))
            .expect("one of the three forms of a value takes part");
        let whole = captures.get_match();
        // A few characters around are enough to see whether the line has more, and a line can be the whole text.
        let before = text[..whole.start()].chars().rev().take(AROUND);
        let mut before = before.take_while(|character| !['\n', '"'].contains(character));
        let after = text[whole.end()..].chars().take(AROUND);
        let mut after = after.take_while(|character| !['\n', '\\', '"'].contains(character));
        let part = |name| captures.name(name).map_or("", |part| part.as_str());
        Self {
            name: part("name"),
            sign: part("sign"),
            value,
            text: match quoted {
                Some(quoted) => quoted.as_str(),
                None => value.as_str().trim_end_matches([';', ',', ')']),
            },
            is_quoted: quoted.is_some(),
            // A line of YAML may open with a dash, one of a diff with a sign.
            is_alone: before.all(|character| [' ', '\t', '-', '+'].contains(&character))
                && after.all(char::is_whitespace),
        }
    }

    fn is_secret(&self) -> bool {
        let text = self.text;
        if text.len() < 4 || value::is_made_up(text) || value::is_reference(text) {
            return false;
        }
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let has_blank = text.contains(char::is_whitespace);
        let is_option = self.name.starts_with("--");
        let is_assigned = self.sign.contains(['=', ':']);
        if !is_assigned && !is_option || is_number && !(self.is_password() && text.len() >= 6) {
            return false;
        }
        if self.is_of_environment() {
            // Only here a sentence is a passphrase: elsewhere it is a label or a message.
            return self.is_quoted || !has_blank && !value::is_code(text);
        }
        if has_blank {
            false
        } else if self.is_quoted {
            text.len() >= 6 && value::is_mixed(text)
        } else {
            // Without quotes it may be a variable, so it must stand where only settings and options stand.
            text.len() >= 8
                && value::is_mixed(text)
                && !value::is_code(text)
                && (self.is_alone || is_option)
        }
    }

    /// Returns whether this is how the environment of a program is set: `DB_PASSWORD=…`, with no blanks.
    fn is_of_environment(&self) -> bool {
        let name = self.name;
        let is_loud = !name.contains(|letter: char| letter.is_ascii_lowercase());
        // In the text of a JSON string, the `n` of a line break stands before the name.
        let is_loud_after_break = name.strip_prefix(['n', 't', 'r']).is_some_and(|name| {
            !name.contains(|letter: char| letter.is_ascii_lowercase()) && name.len() > 2
        });
        (is_loud || is_loud_after_break) && (self.sign == "=" || self.is_quoted || self.is_alone)
    }

    fn is_password(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        ["password", "passwd", "passphrase", "passcode", "pwd"]
            .iter()
            .any(|word| name.contains(word))
    }

    fn kind(&self) -> &'static str {
        let name = self.name.to_ascii_lowercase();
        if self.is_password() {
            "password"
        } else if name.contains("token") {
            "token"
        } else if name.contains("key") {
            "key"
        } else {
            "secret"
        }
    }
}
