//! What in a line tells of trouble, by what shows the line.

use super::View;
use crate::analysis::errors::category;
use crate::analysis::errors::complaint::{complains, has_verdict};
use crate::analysis::speech::Signs;

/// Finds what in a line of a view tells of trouble.
pub(super) fn sign_in(view: View, line: &str, lower: &str) -> Option<String> {
    static CLUSTER: Signs = Signs::new(concat!(
        "crashloopbackoff|imagepullbackoff|errimagepull|errimageneverpull|oomkilled|createcontainerconfigerror|",
        "createcontainererror|runcontainererror|invalidimagename|evicted|failedscheduling|failedmount|failedcreate|",
        "failedattachvolume|progressdeadlineexceeded|init:error|notready |containercannotrun|deadlineexceeded|",
        "back-off restarting failed container|unable to ",
    ));
    static CONTAINERS: Signs =
        Signs::new("(unhealthy)|restarting (|\"oomkilled\": true|\"status\": \"dead\"");
    static SERVICES: Signs = Signs::new(concat!(
        "active: failed|code=killed|code=dumped|failed with result|failed to start|start-limit-hit|",
        "start request repeated too quickly|loaded failed failed|loaded failed     failed|result: exit-code",
    ));
    static STORAGE: Signs = Signs::new(concat!(
        "degraded|faulted|unavail |suspended|failing_now|test result: failed|(f)|[u_]|[_u]|_]|read failure|",
        "too many errors|permanent errors have been detected",
    ));
    static KERNEL: Signs = Signs::new(concat!(
        "out of memory: killed|oom-kill|segfault at|i/o error|kernel bug|kernel panic|ext4-fs error|call trace:|",
        "timed out|failed with error|xid|hung_task|blocked for more than|gpu has fallen off",
    ));
    static PIPELINE: Signs = Signs::new(concat!(
        "##[error]|process completed with exit code|npm err!|npm error|build failed|test result: failed|",
        "could not compile|job failed|make: ***|elifecycle|error=|completed\tfailure|completed  failure|",
        "\"conclusion\":\"failure\"",
    ));
    static HTTP: Signs = Signs::new(concat!(
        "500 internal server error|internal server error|502 bad gateway|503 service |504 gateway|curl: (|",
        "faultstring|\"error\":\"|\"error\": \"|\"error\":{|\"error\": {|\"errors\":[{|\"errors\": [{|<error code=",
    ));
    static LOG: Signs = Signs::new(concat!(
        "[error]|<err> |<error>|level=error|level=fatal|\"level\":\"error\"|\"level\":\"fatal\"|\"level\": \"error\"|",
        "failed to |failed: |failed with |failed for |connection refused|permission denied|out of memory|",
        "no space left|unable to |could not |cannot open|not found (required by|oomkilled|]: error: |",
        "status=bounced|status=deferred|timed out|operation timeout|fatal signal|name or service not known|error=|",
        "access denied|access is denied|logon failure|lost communication|lost connection|connection lost|connection reset|",
        "broken pipe|timeout expired|timeout has expired|too many |cannot |is not available|wrong |\"error\":\"|\"error\": \"|",
        "faulting application|fehlerhaften anwendung",
    ));
    static PROGRAM: Signs = Signs::new(concat!(
        "traceback (most recent call last)|fatal error: runtime|exception in thread |addresssanitizer: |",
        "leaksanitizer: |undefinedbehaviorsanitizer|threadsanitizer: |warning: data race|segmentation fault|",
        "core dumped|<err> |unhandled promise rejection|unhandledpromiserejection|php fatal error|",
        "uncaught exception|kernel panic|guru meditation|hardfault|sigabrt|sigbus|sigfpe|sigill|floating point exception|bus error|",
        "stack smashing detected|<error code=",
    ));
    let signs = match view {
        View::Cluster => &CLUSTER,
        View::Containers => &CONTAINERS,
        View::Services => &SERVICES,
        View::Storage => &STORAGE,
        View::Kernel => &KERNEL,
        View::Pipeline | View::FailedStep => &PIPELINE,
        View::Http => &HTTP,
        View::Log => &LOG,
        View::Program | View::Database => &PROGRAM,
    };
    let named = || signs.first_in(lower).map(|found| lower[found].to_owned());
    let if_so = |is_so: bool, sign: &str| is_so.then(|| sign.to_owned());
    let of_program = || {
        let named = PROGRAM.first_in(lower).map(|found| lower[found].to_owned());
        named.or_else(|| if_so(category::is_panic(line), "panicked at"))
    };
    match view {
        View::Containers => named().or_else(|| if_so(exited_badly(lower), "exited (")),
        View::Services => named().or_else(|| if_so(has_bad_status(lower), "code=exited")),
        View::Pipeline => named()
            .or_else(of_program)
            .or_else(|| if_so(counts_failures(line) || is_compiler_error(line), "failed"))
            .or_else(|| if_so(has_refusal_status(lower), "status"))
            .or_else(|| exception(line))
            .or_else(|| if_so(complains(line), lower.trim())),
        View::Http => named()
            .or_else(|| if_so(has_server_error(lower), " 5"))
            .or_else(|| if_so(has_refusal_status(lower), "status")),
        View::Database => if_so(is_database_error(line), "error"),
        View::Log => named()
            .or_else(of_program)
            .or_else(|| if_so(is_nan(lower), "nan"))
            .or_else(|| exception(line))
            .or_else(|| if_so(has_error_level(line), "error"))
            .or_else(|| {
                let tells = is_refused_request(line)
                    || is_refused_mail(line)
                    || has_refusal_status(lower)
                    || has_code_of_windows(lower)
                    || exits_badly(lower)
                    || complains(line);
                if_so(tells, lower.trim())
            }),
        View::Program => of_program()
            .or_else(|| if_so(is_nan(lower), "nan"))
            .or_else(|| if_so(counts_failures(line) || has_verdict(line), "failed")),
        _ => named(),
    }
}

/// Finds `POST /api/hooks 401 in 12ms`, `"GET /x HTTP/1.1" 502 157`.
fn is_refused_request(line: &str) -> bool {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '[', ']']));
    words.any(|word| METHODS.contains(&word))
        && words.next().is_some_and(|path| path.starts_with(['/', 'h']))
        && words.take(2).any(|word| {
            word.len() == 3
                && word.starts_with(['4', '5'])
                && word.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Finds what a mail server answers, `421 4.7.28 Our system has detected …`.
fn is_refused_mail(line: &str) -> bool {
    let is_code = |word: &str| {
        word.len() == 3
            && word.starts_with(['4', '5'])
            && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut words = line.split([' ', '-']).peekable();
    while let Some(word) = words.next() {
        let explains = |next: &&str| {
            next.len() >= 5
                && next.starts_with(&word[..1])
                && next.bytes().filter(|byte| *byte == b'.').count() == 2
                && next.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        };
        if is_code(word) && words.peek().is_some_and(explains) {
            return true;
        }
    }
    false
}

/// Finds `"status":403` and `"statusCode": 500`.
fn has_refusal_status(lower: &str) -> bool {
    let keys = ["\"status\":", "\"statuscode\":"];
    keys.iter().filter_map(|key| lower.split_once(key)).any(|(_, value)| {
        let value = value.trim_start();
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && value.starts_with(['4', '5'])
    })
}

/// Finds `(0x80070532)`, `error code: 0x80070bcb`: the codes of Windows that begin with an 8 are those of failures.
fn has_code_of_windows(lower: &str) -> bool {
    lower.split_once("0x8").is_some_and(|(before, after)| {
        let digits = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        digits == 7 && (before.ends_with('(') || before.contains("code"))
    })
}

/// Finds `signal-1 exited with code 14`.
fn exits_badly(lower: &str) -> bool {
    lower.split_once("exited with code ").is_some_and(|(_, code)| {
        let code = code.split(|character: char| !character.is_ascii_digit()).next();
        !matches!(code, None | Some("" | "0" | "143"))
    })
}

fn exception(line: &str) -> Option<String> {
    category::exception(line.trim()).map(|name| name.to_ascii_lowercase())
}

/// Finds `Exited (1) 2 minutes ago`; what ended with 0 was done, and with 143 was asked to.
fn exited_badly(lower: &str) -> bool {
    let code = lower.split_once("exited (").and_then(|(_, after)| after.split_once(')'));
    code.is_some_and(|(code, _)| !matches!(code, "0" | "143"))
}

/// Finds `(code=exited, status=1/FAILURE)`.
fn has_bad_status(lower: &str) -> bool {
    let status = lower.split_once("code=exited, status=").map(|(_, after)| after);
    status.is_some_and(|status| {
        let code = status.split(|character: char| !character.is_ascii_digit()).next();
        !matches!(code, Some("" | "0" | "143"))
    })
}

/// Finds `HTTP/1.1 502`, or a line that is nothing but such a code.
fn has_server_error(lower: &str) -> bool {
    let is_code = |word: &str| {
        matches!(
            word,
            "400"
                | "401"
                | "403"
                | "409"
                | "413"
                | "422"
                | "429"
                | "500"
                | "501"
                | "502"
                | "503"
                | "504"
                | "520"
                | "521"
                | "522"
                | "525"
        )
    };
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let status = if first == "<" { words.next().unwrap_or_default() } else { first };
    let is_code = |word: &str| is_code(word.split('.').next().unwrap_or_default());
    let is_alone = is_code(status) && words.clone().count() <= 1;
    is_alone || (status.starts_with("http/") && words.next().is_some_and(is_code))
}

/// Finds `ERROR:  relation …`, `psql:x.sql:3: ERROR:`, `ERROR 1064 (42000)`, `Parse error near line 1`.
fn is_database_error(line: &str) -> bool {
    let line = line.trim_start();
    let line = match line.strip_prefix("psql:") {
        Some(after) => after.find(": ").map_or(after, |at| &after[at + 2..]),
        None => line,
    };
    let opens = ["ERROR:", "FATAL:", "error: ", "Error: near line", "Error: in prepare"];
    let numbered = line.strip_prefix("ERROR ").is_some_and(|rest| rest.contains(" ("));
    let sqlite = ["Parse error", "Runtime error"].iter().any(|start| line.starts_with(start));
    let oracle = ["ORA-", "PLS-", "SP2-"].iter().any(|start| line.starts_with(start));
    // What SQLite prints above what it found broken.
    let damaged = line.starts_with("*** in database");
    opens.iter().any(|start| line.starts_with(start)) || numbered || sqlite || oracle || damaged
}

/// Finds a loss, or anything that has a name, which is not a number.
fn is_nan(lower: &str) -> bool {
    let mut words = lower.split(|character: char| !character.is_ascii_alphanumeric());
    lower.contains("nan")
        && (lower.contains("=nan") || lower.contains("loss") && words.any(|word| word == "nan"))
}

/// Finds the level of a line of a log, which stands in its beginning.
fn has_error_level(line: &str) -> bool {
    let is_level = |word: &str| {
        let word = word.trim_matches(|character: char| !character.is_ascii_alphabetic());
        matches!(
            word,
            "ERROR" | "ERR" | "FATAL" | "FTL" | "CRITICAL" | "SEVERE" | "PANIC" | "EMERG"
        )
    };
    line.split([' ', '\t', '|', ']', '[']).take(8).any(is_level)
}

/// Finds `3 failed`, `6 tests failed`, `1 failure`, `failed=2`, `Failures: 1`, `ℹ fail 2`, but not `0 failed`.
pub(in crate::analysis::errors) fn counts_failures(line: &str) -> bool {
    // Most lines have none of the words below, and need not be cut into theirs.
    const PARTS: [&str; 6] = ["fail", "Fail", "FAIL", "errors", "Errors", "unreachable="];
    if !PARTS.iter().any(|part| line.contains(part)) {
        return false;
    }
    let words: Vec<&str> =
        line.split([' ', ',', '|', ';', '(', ')', '\t']).filter(|word| !word.is_empty()).collect();
    let is_count = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte != b'0')
    };
    let follows = |word: &str| {
        matches!(
            word.trim_end_matches(['.', ':']),
            "failed" | "failure" | "failures" | "failing" | "FAILED"
        )
    };
    let precedes = |word: &str| matches!(word, "Failures:" | "Errors:" | "Failed:");
    let is_assigned = |word: &str| match word.split_once('=') {
        Some(("failures" | "failed" | "unreachable", count)) => is_count(count),
        _ => false,
    };
    let names_fail =
        matches!(*words, ["ℹ" | "#", "fail", count] | ["errors", count] if is_count(count));
    names_fail
        || words.iter().any(|word| is_assigned(word))
        || words.iter().enumerate().skip(1).any(|(at, word)| {
            // `61 passed; failed parses: 0` counts what comes after.
            let is_heading = words.get(at + 1).is_some_and(|next| next.ends_with(':'));
            let before = match words[at - 1] {
                "tests" | "test" | "suites" | "examples" | "checks" if at > 1 => words[at - 2],
                before => before,
            };
            is_count(before) && follows(word) && !is_heading || precedes(before) && is_count(word)
        })
}

/// Finds `src/a.c:3:5: error: …`, `a.ts(3,5): error TS2345: …`, `error[E0308]: …`.
pub(in crate::analysis::errors) fn is_compiler_error(line: &str) -> bool {
    let line = line.trim_start();
    if !line.contains("error") && !line.starts_with("e: file:") {
        return false;
    }
    let has_place = || {
        let Some((place, _)) =
            line.split_once(": error").or_else(|| line.split_once(": fatal error"))
        else {
            return false;
        };
        place.ends_with(|last: char| last.is_ascii_digit() || last == ')') && !place.contains(' ')
    };
    line.starts_with("error[E") || line.starts_with("e: file:") || has_place()
}
