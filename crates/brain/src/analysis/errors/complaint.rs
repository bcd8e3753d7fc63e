//! How programs say that something is wrong, whichever program it is.
//!
//! A line complains by its beginning: a level (`ERROR: …`, `E: …`, `! …`), a name that ends so (`Catalog Error: …`), or a verb
//! that did not work out (`Couldn't find …`, `rmdir: failed to remove …`); or by its end (`Some tests failed.`). What stands in
//! the middle of a sentence is talk.

use crate::analysis::speech::Signs;

/// So long is what stands before a complaint: the name of a program, a place in a file, a level.
const LONGEST_NAME: usize = 60;

/// Returns whether a line has a word that complaints are made of, wherever it stands.
pub(super) fn mentions_failure(line: &str) -> bool {
    static WORDS: Signs = Signs::new(concat!(
        "error|fail|fatal|cannot|can't|can’t|could not|couldn't|couldn’t|unable to|no such|not found|denied|refused|",
        "timed out|timeout|unreachable|mismatch|expected|e: |! |unauthorized|forbidden|invalid|does not exist|",
        "doesn't exist|not installed|not registered|not known|not recognized|not accessible|too many requests|",
        "unexpected|unknown option|unrecognized|bad request|conflict|bad gateway|internal server|service unavailable|entity too large|",
        "segfault|segmentation fault|violat|no match|matches any of|is not secure|are too open|bad ownership|",
        "does not |not supported|not allowed|not permitted|not available|differ: |100% packet loss|✗|✘|✖|✕|❌|⨯|×",
    ));
    let lower = line.to_ascii_lowercase();
    // The names of exceptions are one word: `ReferenceError: …`.
    let names_exception = || lower.contains("error:") || lower.contains("exception:");
    (WORDS.are_in(&lower) || names_exception()) && !counts_nothing(&lower)
}

/// Returns whether a line says that something went wrong.
pub(super) fn complains(line: &str) -> bool {
    if !mentions_failure(line) {
        return dies_at_place(line);
    }
    let bare = undecorated(line);
    !is_looked_for(bare)
        && (is_marked(line)
            || opens_with_level(bare)
            || has_verdict(bare)
            || names_error(bare)
            || opens_with_failure(bare)
            || matches_nothing(bare)
            || distrusts_permissions(bare)
            || ends_with_failure(bare)
            || has_set_phrase(bare)
            || super::category::exception(bare).is_some())
}

/// Finds `ls: cannot access 'x': No such file or directory`: whoever looks whether something is there has found out.
pub(super) fn is_looked_for(line: &str) -> bool {
    let is_looking = |name: &str| {
        matches!(name, "cat" | "du" | "find" | "grep" | "head" | "ls" | "stat" | "tail" | "wc")
    };
    // The last is how `dir` says it.
    line.split_once(": ").is_some_and(|(name, _)| is_looking(name)) || line == "File Not Found"
}

/// Returns whether a complaint is that something is not there: `file x.dta not found`, `No such file or directory`.
pub(super) fn misses_something(message: &str) -> bool {
    static MISSES: Signs =
        Signs::new("no such file|no module named|cannot find module|can't open file");
    message.ends_with(" not found") || MISSES.are_in(&message.to_ascii_lowercase())
}

/// Finds `Pixel test failed, 0.12%`, `Some tests failed.`, `file x.dta not found`, `the font "x" cannot be found.`
fn ends_with_failure(line: &str) -> bool {
    static ENDS: Signs = Signs::new(
        "failed|not found|cannot be found|could not be found|does not exist|doesn't exist|not installed|timed out",
    );
    static NOT: Signs =
        Signs::new("if |when |whether |unless |not failed|never failed|expected to |should ");
    let lower = line.to_ascii_lowercase();
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([',', '.', ':', ';', '!']);
    ENDS.first_in(&lower).is_some_and(|found| is_end(&lower[found.end..])) && !NOT.are_in(&lower)
}

/// Finds what servers answer, `429 Too Many Requests`, and what all parsers say, `expected one of 'a', 'b'`.
fn has_set_phrase(line: &str) -> bool {
    static PHRASES: Signs = Signs::new(concat!(
        "400 bad request|401 unauthorized|403 forbidden|403 resource|404 not found|405 method|408 request|409 conflict|",
        "410 gone|413 request|413 payload|415 unsupported|422 unprocessable|429 too many|500 internal|502 bad gateway|",
        "503 service|504 gateway|expected one of|unexpected token|unexpected end of|unknown option|unrecognized option|",
        "unrecognized argument|no such option|syntax error|differ: byte|differ: char|100% packet loss",
    ));
    PHRASES.are_in(&line.to_ascii_lowercase())
}

/// Finds what test runners put a mark before, `✗ nested grace`.
fn is_marked(line: &str) -> bool {
    let marked = line.trim_start().strip_prefix(['✗', '✘', '✖', '✕', '❌', '⨯', '×']);
    marked.and_then(|rest| rest.strip_prefix(' ')).is_some_and(|rest| {
        rest.trim_start().starts_with(|first: char| first.is_alphabetic() || first == '[')
    })
}

/// Finds a verdict on what stands before it: `//svc:replay_test  FAILED in 2 out of 60`, `contrast 1.3 FAIL`.
pub(super) fn has_verdict(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find("FAIL") {
        let (before, found) = rest.split_at(at);
        let after = &found["FAIL".len()..];
        let after = after.strip_prefix("ED").unwrap_or(after);
        let opens = before.is_empty() || before.ends_with([' ', '\t']);
        let ends = after.is_empty() || after.starts_with([' ', '\t', ':', '!']);
        let counts_none = after.trim_start_matches([' ', ':']).starts_with('0');
        if opens && ends && !counts_none {
            return true;
        }
        rest = after;
    }
    false
}

/// Finds how Perl ends what it says before it dies: `Unknown encoding 'x' at lib/A.pm line 211.`
fn dies_at_place(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches('.');
    let number = line.trim_end_matches(|last: char| last.is_ascii_digit());
    number.len() < line.len()
        && number.strip_suffix(" line ").is_some_and(|place| {
            let file = place.rsplit_once(" at ").map(|(_, file)| file);
            file.is_some_and(|file| file.contains('.') && !file.contains(' '))
        })
}

/// Takes away what lists and filters put in front of a line: bars, bullets, the number that `grep -n` or `uniq -c` adds.
fn undecorated(line: &str) -> &str {
    let is_sign = |character: char| " \t│|>•*-=✗✘⨯×".contains(character);
    let line = without_time(line.trim_start_matches(is_sign)).trim_start_matches(is_sign);
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest =
        if rest.len() == line.len() { line } else { rest.strip_prefix([':', ' ']).unwrap_or(line) };
    rest.trim_start_matches(is_sign)
}

/// Takes away when something was logged: `2025-04-19T09:24:10Z`, `16:01:41`, `[81220.4]`.
fn without_time(line: &str) -> &str {
    let is_time = |word: &str| {
        let word = word.trim_matches(['[', ']']);
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.contains(['.', ':', '-'])
            && word.bytes().all(|byte| byte.is_ascii_digit() || b".,:-+/TZ".contains(&byte))
    };
    let mut rest = line;
    while let Some((word, after)) = rest.split_once(' ')
        && is_time(word)
    {
        rest = after.trim_start();
    }
    rest
}

/// Finds `ERROR: …`, `[ERROR] …`, `error[E0308]: …`, `Error in f(x) : …`, `FATAL …`, `E: …`, `! Undefined control sequence`, `FAIL x`.
fn opens_with_level(line: &str) -> bool {
    const LEVELS: [&str; 6] = ["ERROR", "Error", "error", "FATAL", "Fatal", "fatal"];
    const FOLLOWING: [&str; 7] = [":", "[", "(", " - ", " in ", " at ", " while "];
    let after = |levels: &[&str]| levels.iter().find_map(|level| line.strip_prefix(level));
    let is_followed = |rest: &str| FOLLOWING.iter().any(|following| rest.starts_with(following));
    is_bracketed_level(line)
        || after(&LEVELS).is_some_and(|rest| is_followed(rest) || line.starts_with("FATAL "))
        || after(&["FAILED", "FAIL"])
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':', '[', '(']))
        || after(&["E: ", "E! ", "! ", "[!] "]).is_some()
}

/// Finds `[ERROR] …`, `[ ERR ] …`.
fn is_bracketed_level(line: &str) -> bool {
    after_bracketed_level(line).is_some()
}

fn after_bracketed_level(line: &str) -> Option<&str> {
    const LEVELS: [&str; 4] = ["ERROR", "ERR", "FATAL", "CRITICAL"];
    let (level, rest) = line.strip_prefix('[')?.split_once(']')?;
    LEVELS.iter().any(|known| level.trim().eq_ignore_ascii_case(known)).then_some(rest)
}

/// Takes away what a line is filed under: `[ERROR] …`, `ERROR: …`, and when it was logged.
pub(super) fn without_level(line: &str) -> &str {
    let line = undecorated(line);
    after_level(line).unwrap_or(line)
}

/// Returns what stands after the level that a line begins with.
fn after_level(line: &str) -> Option<&str> {
    const LEVELS: [&str; 7] =
        ["ERROR:", "Error:", "error:", "FATAL:", "Fatal:", "fatal:", "fatal error:"];
    let after_name = || LEVELS.iter().find_map(|level| line.strip_prefix(level));
    after_bracketed_level(line).or_else(after_name).map(str::trim_start)
}

/// Finds `Catalog Error: …`, `cURL error 28: …`, `sbatch: error: …`, `tool: x.c:3: Error: …`, `run 7 TimeoutError: …`.
fn names_error(line: &str) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    let word = |text: &str| {
        let last = text.trim_end_matches(|last: char| last.is_ascii_digit() || last == ' ');
        let last = last.rsplit(|character: char| !character.is_ascii_alphanumeric()).next();
        last.is_some_and(|last| {
            matches!(last, "error" | "ERROR" | "FATAL" | "Fatal" | "Timeout" | "timeout")
                || last.ends_with("Error")
                || last.ends_with("Exception")
        })
    };
    let is_name = |name: &str| name.len() < LONGEST_NAME && name.split(' ').count() <= 4;
    let mut parts = line.split(':').take(4).map(str::trim);
    is_name(name) && parts.any(|part| is_name(part) && word(part))
}

/// Finds `Couldn't find ID 'x'`, `rmdir: failed to remove 'x'`, `WARNING: Unable to resolve x`.
fn opens_with_failure(line: &str) -> bool {
    const VERBS: [&str; 10] = [
        "cannot ",
        "can't ",
        "can’t ",
        "could not ",
        "couldn't ",
        "couldn’t ",
        "failed to ",
        "unable to ",
        "no such ",
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
            Some((name, after)) if name.len() < LONGEST_NAME && name.split(' ').count() <= 3 => {
                rest = after;
            }
            _ => return false,
        }
    }
    false
}

/// Finds what says that a name stands for nothing: `No matching distribution found for x`, `no matches for kind "X"`, `no artifact
/// matches any of the patterns`.
fn matches_nothing(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let mut parts = lower.splitn(3, ": ");
    parts.any(|part| {
        part.strip_prefix("no ").is_some_and(|rest| {
            let mut words = rest.split(' ');
            let of = |word: &str| matches!(word, "for" | "found" | "manifest" | "distribution");
            match (words.next(), words.next()) {
                (Some("match" | "matches" | "matching"), Some(next)) => of(next),
                (Some(_), Some("matches" | "match")) => words.next() == Some("any"),
                _ => false,
            }
        })
    })
}

/// Finds how programs refuse a key that others could read: `Permissions 0644 for 'id_rsa' are too open.`
fn distrusts_permissions(line: &str) -> bool {
    static REFUSALS: Signs = Signs::new(
        "key data is not secure|are too open|bad ownership or modes|unprotected private key",
    );
    REFUSALS.are_in(&line.to_ascii_lowercase())
}

/// Finds `0 errors`, `errors: 0`, `no errors`.
fn counts_nothing(lower: &str) -> bool {
    static NOTHING: Signs = Signs::new(
        "0 error|0 fail|no error|no fail|no syntax error|errors: 0|errors=0|error: 0|failed: 0|failed=0|failures: 0|without error|0 violation|no violation",
    );
    let counts = |(name, count): (&str, &str)| {
        name.contains("fail")
            && count.split([' ', ',', ';']).find(|word| !word.is_empty()) == Some("0")
    };
    NOTHING.are_in(lower) || lower.split_once(':').is_some_and(counts)
}

#[cfg(test)]
mod tests {
    use super::{complains, mentions_failure};

    #[test]
    fn programs_complain_in_many_ways() {
        let cases = [
            ("Error: Reference to undeclared resource", true),
            ("ERROR - BibTeX subsystem: syntax error", true),
            ("   3 error[E0308]: mismatched types", true),
            ("214:  ERROR: Parameter value was not retained", true),
            ("E: Version '535' for 'libx' was not found", true),
            ("! Undefined control sequence.", true),
            ("FAIL annuity-web", true),
            ("Catalog Error: Table with name x does not exist!", true),
            ("verify error:num=20:unable to get local issuer certificate", true),
            ("cURL error 28: Connection timed out after 8001 milliseconds", true),
            ("Couldn't find ID 'termo'. Please check", true),
            ("rmdir: failed to remove '/home/h/.cache': Directory not empty", true),
            ("WARNING: Unable to resolve crossref @eq", true),
            ("  Golden \"card.png\": Pixel test failed, 2.31%", true),
            ("file ../data/link.dta not found", true),
            ("Error thrown: 429 Too Many Requests. Sending for retry", true),
            ("org.opentest4j.AssertionFailedError: expected: <true>", true),
            ("│  [API] ready", false),
            ("ls: cannot access 'x': No such file or directory", false),
            ("FAILED:  0", false),
            ("Passed! - Failed: 0, Passed: 17", false),
            ("0 errors, 2 warnings", false),
            ("No syntax errors detected in lib/db.php", false),
            ("line 41: expected one of 'a', 'b'", true),
            ("[ERROR]   submodel_0004: Not enough matches", true),
            ("✘ [ERROR] TS2339: Property 'a' does not exist", true),
            ("  ✗ nested grace", true),
            ("//svc/ledger:replay_test    FAILED in 2 out of 60 in 41.2s", true),
            ("ol2021-dark  button text, contrast 1.3 FAIL", true),
            ("2025-04-19T09:24:10Z E! [inputs.modbus] Error in plugin: slave 1", true),
            ("16:01:41 pyvisa.errors.VisaIOError: Timeout expired", true),
            ("light.service: usb.core.USBError: [Errno 13] Access denied", true),
            ("run 7 TimeoutError: the scope did not arm", true),
            ("SNMP Error on 10.0.9.4: Timeout: No Response", true),
            ("ReferenceError: set is not defined", true),
            ("Unknown encoding 'cp850' at lib/Sip.pm line 211.", true),
            ("golden/a.nc differ: byte 1204, line 61", true),
            ("1 packets transmitted, 0 received, 100% packet loss", true),
            ("ERROR: No matching distribution found for torhc", true),
            ("error: no matches for kind \"CronJob\" in version \"batch/v1beta1\"", true),
            ("no image matches any of the given labels", true),
            ("No match: the list is empty", false),
            ("Permissions 0644 for '/root/.ssh/id_rsa' are too open.", true),
            ("sshd[7]: Authentication refused: bad ownership or modes for directory /home/a", true),
            ("PASS 12 FAIL 0", false),
            ("FAILURES are counted", false),
            ("[INFO] errors are counted", false),
            ("we met at noon on line 5", false),
            ("the login failed for 3 users", false),
            ("throws if the file is not found", false),
            ("handle errors in the parser", false),
            ("", false),
        ];
        for (line, complaint) in cases {
            assert_eq!(complains(line), complaint, "{line}");
        }
    }

    #[test]
    fn words_of_complaints_count_wherever_they_stand() {
        assert!(mentions_failure("3 of 5 FAIL 4 no_negative_days [FAIL 4 in 0.61s]"));
        assert!(mentions_failure("     Expected: 1204  Received: 100"));
        assert!(!mentions_failure("completed\tsuccess"));
        assert!(!mentions_failure("no errors"));
    }
}
