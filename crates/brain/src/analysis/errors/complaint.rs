//! How programs say that something is wrong, whichever program it is.
//!
//! A line complains by its beginning: a level (`ERROR: …`, `E: …`, `! …`), a name that ends so (`Catalog Error: …`), or a verb
//! that did not work out (`Couldn't find …`, `rmdir: failed to remove …`). What stands in the middle of a sentence is talk.

use crate::analysis::speech::Signs;

/// So long is what stands before a complaint: the name of a program, a place in a file, a level.
const LONGEST_NAME: usize = 60;

/// Returns whether a line has a word that complaints are made of, wherever it stands.
pub(super) fn mentions_failure(line: &str) -> bool {
    has_word(&line.to_lowercase())
}

fn has_word(lower: &str) -> bool {
    static ANY: Signs = Signs::new(concat!(
        "error|fail|fatal|cannot|can't|can’t|could not|couldn't|couldn’t|unable to|no such|not found|denied|refused|",
        "timed out|timeout|unreachable|mismatch|expected|e: |! |unauthorized|forbidden|invalid|does not exist|",
        "doesn't exist|not installed|not registered|not known|not recognized|too many requests|✗|✘|⨯|×",
    ));
    ANY.are_in(lower) && !counts_nothing(lower)
}

/// Returns whether a line says that something went wrong.
pub(super) fn complains(line: &str) -> bool {
    if !mentions_failure(line) {
        return false;
    }
    let bare = undecorated(line);
    opens_with_level(bare) || names_error(bare) || opens_with_failure(bare)
}

/// Takes away what lists and filters put in front of a line: bars, bullets, the number that `grep -n` or `uniq -c` adds.
fn undecorated(line: &str) -> &str {
    let is_sign = |character: char| " \t│|>•*-=✗✘⨯×".contains(character);
    let line = line.trim_start_matches(is_sign);
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest = if rest.len() == line.len() { line } else { rest.strip_prefix([':', ' ']).unwrap_or(line) };
    rest.trim_start_matches(is_sign)
}

/// Finds `ERROR: …`, `error[E0308]: …`, `Error in f(x) : …`, `FATAL …`, `E: …`, `! Undefined control sequence`, `FAIL x`.
fn opens_with_level(line: &str) -> bool {
    const LEVELS: [&str; 8] = ["ERROR", "Error", "error", "FATAL", "Fatal", "fatal", "FAILED", "FAIL"];
    let is_level = LEVELS.iter().any(|level| {
        line.strip_prefix(level).is_some_and(|rest| {
            let follows = rest.starts_with([':', '[', '(']) || rest.starts_with(" - ");
            follows || level.starts_with("FA") && rest.starts_with([' ', '\t'])
                || rest.starts_with(" in ") || rest.starts_with(" at ") || rest.starts_with(" while ")
                || rest.is_empty() && level.starts_with("FA")
        })
    });
    let is_short = line.strip_prefix("E: ").or_else(|| line.strip_prefix("! ")).is_some();
    is_level || is_short
}

/// Finds `Catalog Error: …`, `cURL error 28: …`, `sbatch: error: …`, `tool: x.c:3: Error: …`.
fn names_error(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let word = |text: &str| {
        let last = text.trim_end_matches(|last: char| last.is_ascii_digit() || last == ' ');
        let last = last.rsplit(|character: char| !character.is_ascii_alphanumeric()).next();
        last.is_some_and(|last| matches!(last, "Error" | "error" | "ERROR" | "Exception" | "FATAL" | "Fatal"))
    };
    let is_name = |name: &str| name.len() < LONGEST_NAME && name.split(' ').count() <= 4;
    let mut parts = line.split(": ").take(3);
    is_name(name) && parts.any(|part| is_name(part) && word(part)) && line.contains(": ")
}

/// Finds `Couldn't find ID 'x'`, `rmdir: failed to remove 'x'`, `WARNING: Unable to resolve x`.
fn opens_with_failure(line: &str) -> bool {
    const VERBS: [&str; 10] = [
        "cannot ", "can't ", "can’t ", "could not ", "couldn't ", "couldn’t ", "failed to ", "unable to ", "no such ",
        "invalid ",
    ];
    let opens = |text: &str| {
        let lower: String = text.chars().take(12).flat_map(char::to_lowercase).collect();
        VERBS.iter().any(|verb| lower.starts_with(verb))
    };
    let mut rest = line;
    for _ in 0..3 {
        if opens(rest) {
            return true;
        }
        match rest.split_once(": ") {
            Some((name, after)) if name.len() < LONGEST_NAME && name.split(' ').count() <= 3 => rest = after,
            _ => return false,
        }
    }
    false
}

/// Finds `0 errors`, `errors: 0`, `no errors`.
fn counts_nothing(lower: &str) -> bool {
    static NOTHING: Signs = Signs::new(concat!(
        "0 error|0 fail|no error|no fail|errors: 0|errors=0|error: 0|failed: 0|failed=0|failures: 0|without error",
    ));
    NOTHING.are_in(lower) || lower.split(':').nth(1).is_some_and(|count| count.trim() == "0")
}
