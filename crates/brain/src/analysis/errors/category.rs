//! What kind of error a text tells of, and which of its lines says most.

use std::borrow::Cow;

use pi_brain_session::Raw;

use super::complaint::{complains, mentions_failure};
use super::trouble::counts_failures;
use crate::line::one_line;

/// So long is a message, in characters.
const MESSAGE_LENGTH: usize = 200;

/// System errors by name, and how programs put them.
const SYSTEM_ERRORS: [(&str, &str); 12] = [
    ("ENOENT", "no such file or directory"),
    ("EACCES", "permission denied"),
    ("EISDIR", "is a directory"),
    ("ENOTDIR", "not a directory"),
    ("EEXIST", "file exists"),
    ("EADDRINUSE", "address already in use"),
    ("ECONNREFUSED", "connection refused"),
    ("ECONNRESET", "connection reset"),
    ("ETIMEDOUT", "connection timed out"),
    ("ENOSPC", "no space left on device"),
    ("EPERM", "operation not permitted"),
    ("ENOTFOUND", "could not resolve host"),
];

/// What pi and its tools say, in lower case, and what kind of error that is.
const PHRASES: [(&str, &str); 9] = [
    ("command timed out", "timeout"),
    ("command aborted", "aborted"),
    ("operation aborted", "aborted"),
    ("validation failed for tool", "invalid arguments"),
    ("command not found", "command not found"),
    ("test result: failed", "test failure"),
    ("tests failed", "test failure"),
    ("file not found", "ENOENT"),
    ("tool not found", "unknown tool"),
];

/// What endpoints say, in lower case, and what kind of error that is.
const MODEL_PHRASES: [(&str, &str); 19] = [
    ("overloaded", "overloaded"),
    ("rate limit", "rate limit"),
    ("rate_limit", "rate limit"),
    ("too many requests", "rate limit"),
    ("prompt is too long", "context overflow"),
    ("context length", "context overflow"),
    ("context_length", "context overflow"),
    ("context window", "context overflow"),
    ("api key", "authentication"),
    ("unauthorized", "authentication"),
    ("authentication", "authentication"),
    ("quota", "quota"),
    ("billing", "quota"),
    ("credit balance", "quota"),
    ("timed out", "timeout"),
    ("timeout", "timeout"),
    ("econn", "network"),
    ("fetch failed", "network"),
    ("connection error", "network"),
];

/// Returns the category of a failed request, and its message.
pub(in crate::analysis) fn of_model_error(text: &str) -> (String, String) {
    let lower = text.to_lowercase();
    let status = lower.split(|character: char| !character.is_ascii_alphanumeric()).next();
    let by_status = match status {
        Some("429") => Some("rate limit"),
        Some("401" | "403") => Some("authentication"),
        Some("529" | "503") => Some("overloaded"),
        _ => None,
    };
    let phrase = || MODEL_PHRASES.iter().find(|(phrase, _)| lower.contains(phrase));
    let category = by_status.or_else(|| phrase().map(|(_, category)| *category));
    (category.unwrap_or("model error").to_owned(), message(&without_json(text)))
}

/// Takes the message out of the JSON that an endpoint answered with; request ids would make every error another.
fn without_json(text: &str) -> Cow<'_, str> {
    let Some(at) = text.find('{') else { return Cow::Borrowed(text) };
    let found = Raw::parse(&text.as_bytes()[at..]).and_then(|json| {
        let error = json.get("error").filter(|error| error.is_object()).unwrap_or(json);
        error.get_str("message").map(Cow::into_owned)
    });
    found.map_or(Cow::Borrowed(text), |message| {
        Cow::Owned(format!("{} {message}", text[..at].trim()))
    })
}

/// Returns the category of a failed tool call, and the line that says most.
pub(in crate::analysis) fn of_tool_error(tool: &str, text: &str) -> (String, String) {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !matches!(*line, "" | "…" | "(no output)"))
        .collect();
    let found = find(&lines, exception)
        .or_else(|| find(&lines, compiler_error))
        .or_else(|| panic(&lines))
        .or_else(|| find(&lines, phrase))
        .or_else(|| find(&lines, system_error));
    if let Some((category, line)) = found {
        return (category, message(bare(line)));
    }
    let before = without_exit_codes(&lines);
    let exit = lines.get(before.len()).and_then(|line| exit_code(line));
    let category = match exit {
        Some(code) => format!("exit code {code}"),
        None if tool.is_empty() => "tool failed".to_owned(),
        None => format!("{} failed", one_line(tool, 40)),
    };
    let says_error = |line: &&&str| {
        let lower = line.to_lowercase();
        ["error", "fatal", "failed", "failure", "cannot", "could not"]
            .iter()
            .any(|word| lower.contains(word))
            && !counts_no_failure(line)
    };
    let telling = before
        .iter()
        .find(|line| complains(line) && !line.contains("***"))
        .or_else(|| before.iter().find(says_error))
        .or_else(|| before.iter().find(|line| mentions_failure(line)));
    // A program's last line tells how it ended; a tool's own message begins with the point.
    let other = if exit.is_some() { before.last() } else { before.first() };
    let line = telling.or(other).or(lines.last()).copied().unwrap_or_default();
    (category, message(line))
}

/// Leaves out the exit codes at the end; a tool that runs another tool can tell of more than one.
fn without_exit_codes<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let said = lines.iter().rposition(|line| exit_code(line).is_none());
    &lines[..said.map_or(0, |at| at + 1)]
}

/// Returns whether a text tells nothing but how many tests failed, not what.
pub(in crate::analysis) fn only_counts(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    // `fail 11` numbers the tries that failed.
    let is_numbered = |line: &str| {
        let number = line.trim().strip_prefix("fail").unwrap_or_default().trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    lines.peek().is_some()
        && lines.all(|line| {
            counts_failures(line)
                || counts_no_failure(line)
                || is_numbered(line)
                || exit_code(line.trim()).is_some()
        })
}

/// Finds `Failures: 0, Errors: 0`.
fn counts_no_failure(line: &str) -> bool {
    let words = line.split([' ', ',', '=', ':', '(', ')', '\t']).filter(|word| !word.is_empty());
    let is_counted = |word: &str| {
        let lower = word.to_ascii_lowercase();
        ["error", "fail", "problem", "skipped"].iter().any(|counted| lower.starts_with(counted))
    };
    let pairs = words.clone().zip(words.skip(1));
    let mut zeros = pairs.filter(|(one, other)| {
        *one == "0" && is_counted(other) || *other == "0" && is_counted(one)
    });
    zeros.next().is_some() && !counts_failures(line)
}

fn find<'a>(
    lines: &[&'a str],
    category: impl Fn(&str) -> Option<String>,
) -> Option<(String, &'a str)> {
    lines.iter().find_map(|line| Some((category(line)?, *line)))
}

fn message(line: &str) -> String {
    one_line(line, MESSAGE_LENGTH)
}

/// Finds the name of an exception at the beginning of a line: `TypeError: …`, `java.io.IOException: …`.
pub(super) fn exception(line: &str) -> Option<String> {
    let line = bare(line);
    let is_name = |character: char| character.is_ascii_alphanumeric() || "._:".contains(character);
    let whole = line.split(|character| !is_name(character)).next()?;
    let followed_well = whole.ends_with(':') || whole.len() == line.len();
    let whole = whole.trim_end_matches(':');
    let name = whole.rsplit(['.', ':']).next()?;
    let is_exception = ["Error", "Exception", "Interrupt", "Panic"].iter().any(|end| {
        name.strip_suffix(end).is_some_and(|start| !start.is_empty() && start.len() < 60)
    });
    let is_plain_error = name == "Error" && whole == name && line.starts_with("Error: ");
    let fits = name.starts_with(|first: char| first.is_ascii_uppercase()) && followed_well;
    (fits && (is_exception || is_plain_error)).then(|| name.to_owned())
}

/// Takes away what test runners and run-times put in front of an exception.
fn bare(line: &str) -> &str {
    const BEFORE: [&str; 5] =
        ["E  ", "Uncaught ", "error: Uncaught ", "(in promise) ", "Unhandled "];
    let mut line = line;
    while let Some(rest) = BEFORE.iter().find_map(|before| line.strip_prefix(before)) {
        line = rest.trim_start();
    }
    line
}

/// Finds the code of a compiler's error: `error[E0308]: …`, `src/a.ts(1,2): error TS2345: …`.
fn compiler_error(line: &str) -> Option<String> {
    let is_code = |code: &str| {
        let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
        let digits = code.len() - letters;
        (1..=4).contains(&letters)
            && (2..=6).contains(&digits)
            && code.bytes().skip(letters).all(|byte| byte.is_ascii_digit())
    };
    let (_, after) = line.split_once("error")?;
    let code = match after.strip_prefix('[') {
        Some(inside) => inside.split_once("]:")?.0,
        None => after.strip_prefix(' ')?.split_once(':')?.0,
    };
    is_code(code).then(|| code.to_owned())
}

/// Finds `thread 'main' panicked at src/main.rs:3:5:`, with or without what a log puts before it, but not where it is quoted.
pub(super) fn is_panic(line: &str) -> bool {
    let Some((before, _)) = line.split_once("panicked at ") else { return false };
    let prefix = before.rsplit_once("thread").map_or(before, |(prefix, _)| prefix).trim_end();
    prefix.is_empty() || prefix.ends_with([':', ']', '|', '>', '-'])
}

/// Finds a panic; what it says stands on the next line.
fn panic<'a>(lines: &[&'a str]) -> Option<(String, &'a str)> {
    let at = lines.iter().position(|line| is_panic(line) || line.starts_with("panic: "))?;
    let says = if lines[at].ends_with(':') { lines.get(at + 1) } else { None };
    Some(("panic".to_owned(), says.unwrap_or(&lines[at])))
}

fn phrase(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let found = PHRASES.iter().find(|(phrase, _)| lower.contains(phrase));
    found.map(|(_, category)| (*category).to_owned())
}

fn system_error(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let mut words = line.split(|character: char| !character.is_ascii_alphanumeric());
    let by_name = words.find_map(|word| SYSTEM_ERRORS.iter().find(|(name, _)| *name == word));
    let by_phrase = || SYSTEM_ERRORS.iter().find(|(_, phrase)| lower.contains(phrase));
    by_name.or_else(by_phrase).map(|(name, _)| (*name).to_owned())
}

fn exit_code(line: &str) -> Option<&str> {
    let code = line.strip_prefix("Command exited with code ")?;
    code.bytes().all(|byte| byte.is_ascii_digit()).then_some(code)
}
