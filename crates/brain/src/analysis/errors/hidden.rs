//! Failures that no exit code tells of (`cargo test | tail` is content as soon as `tail` is), and exit codes that tell of none
//! (`grep` is not content if it finds nothing).

use super::category;
use super::complaint::{complains, is_looked_for, mentions_failure};
use super::trouble;
use crate::analysis::command;
use crate::analysis::heard::Call;
use crate::analysis::speech::Signs;

/// So many of the last lines are looked at: what was run says in the end how it went.
const LAST_LINES: usize = 12;

/// Returns whether the exit code of a call is not that of the work it does.
pub(in crate::analysis) fn hides_failure(call: &Call) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    !call.only_looks()
        && !command::takes_back(command)
        && (command.contains('|') || command.contains("; "))
}

/// Returns whether a call that counts as failed tells of nothing that went wrong: it looked for something that is not
/// there, compared what differs, or gave advice.
pub(in crate::analysis) fn is_no_failure(call: &Call, text: &str) -> bool {
    let Some(command) = call.command.as_deref() else {
        return matches!(&*call.tool, "grep" | "find") && tells_nothing(text);
    };
    let compares = || command::ends_with_one_of(command, &["diff"]);
    let searches = || command::ends_searching(command);
    let looks = || call.only_looks() || command::ends_with_one_of(command, &["dir", "ls", "stat"]);
    let misses_removed = || command::removes(command) && looks() && mentions_only_misses(text);
    looks() && only_misses(text)
        || misses_removed()
        || searches()
            && (tells_nothing(text)
                || has_code_one(text)
                    && !text.lines().any(mentions_failure)
                    && !(command::is_one_pipe(command) && finds_lines(text)))
        || has_code_one(text) && compares() && call.only_looks()
        || only_advises(text)
}

/// Returns whether nothing is told but what was looked for and is not there, among other things that are.
fn only_misses(text: &str) -> bool {
    mentions_only_misses(text)
        && text.lines().any(|line| {
            !mentions_failure(line) && !line.is_empty() && !line.starts_with("Command exited")
        })
}

/// Returns whether all that is complained of is that something is not there.
fn mentions_only_misses(text: &str) -> bool {
    let mut told = text.lines().filter(|line| mentions_failure(line)).peekable();
    told.peek().is_some() && told.all(is_looked_for)
}

fn has_code_one(text: &str) -> bool {
    text.trim_end().ends_with("Command exited with code 1")
}

/// Returns whether a search printed what it found: then it was what it searched that failed.
fn finds_lines(text: &str) -> bool {
    let is_count = |line: &str| line.trim().bytes().all(|byte| byte.is_ascii_digit());
    text.lines().any(|line| !is_count(line) && !tells_nothing(line))
}

fn tells_nothing(text: &str) -> bool {
    text.lines()
        .all(|line| matches!(line.trim(), "" | "(no output)" | "Command exited with code 1"))
}

/// Returns whether a linter found nothing worse than style.
fn only_advises(text: &str) -> bool {
    let is_advice = |line: &str| line.contains(" (info): ") || line.contains(" (style): ");
    let is_worse = |line: &str| line.contains(" (warning): ") || line.contains(" (error): ");
    let mut lines = text.lines().filter(|line| line.contains("^-- SC")).peekable();
    lines.peek().is_some() && lines.all(|line| is_advice(line) && !is_worse(line))
}

/// Returns whether a program says, in what it printed last, that it has failed.
pub(in crate::analysis) fn tells_failure(output: &str) -> bool {
    let mut last = output.lines().rev().take(LAST_LINES);
    last.any(|line| {
        says_so(line)
            || trouble::counts_failures(line)
            || trouble::is_compiler_error(line)
            || prints_exit_code(line)
            || complains(line)
    })
}

/// Finds what a command was told to print where something fails: `tar tf $x || echo bad $x`.
pub(in crate::analysis) fn echoes_failure(call: &Call, output: &str) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    let echoed =
        command.split("|| echo ").skip(1).filter_map(|rest| rest.split_whitespace().next());
    let mut words = echoed.map(|word| word.trim_matches(['"', '\'', ';', ')', ':']));
    words.any(|word| {
        let is_bad = [
            "bad", "broken", "corrupt", "diff", "differs", "error", "fail", "failed", "ko",
            "mismatch",
        ]
        .iter()
        .any(|bad| word.eq_ignore_ascii_case(bad));
        is_bad && output.lines().any(|line| line.starts_with(word))
    })
}

/// Finds `rc=1` or `exit: 2`, as commands print it that end with `echo rc=$?`. What `timeout` ended (124) was let run
/// only so long.
fn prints_exit_code(line: &str) -> bool {
    let Some((name, code)) = line.trim().split_once(['=', ':', ' ']) else { return false };
    let names_it = matches!(name, "rc" | "exit" | "EXIT" | "status" | "exitcode");
    names_it && code.trim().parse::<u8>().is_ok_and(|code| code > 0 && code != 124)
}

fn says_so(line: &str) -> bool {
    static SAYS: Signs = Signs::new(concat!(
        "test result: failed|build failed|build failure|build stopped|could not compile|compilation failed|",
        "--- fail:|fail\t|npm err!|npm error|elifecycle|make: ***|]: ***|** test failed|",
        "subprocess-exited-with-error|failed to solve|unable to locate package|automatic merge failed|",
        "failed to push some refs|conflict (content)|permission denied (publickey|host key verification failed|",
        "rsync error:|fatal: [|unreachable!|│ error: |curl: (|syntax error at or near|: command not found|",
        "traceback (most recent call last)|segmentation fault|core dumped|",
        "exception in thread |unhandled promise rejection|php fatal error|undefined reference to|linker command failed",
    ));
    SAYS.are_in(&line.to_lowercase()) || category::is_panic(line)
}

#[cfg(test)]
mod tests {
    use super::{is_no_failure, tells_failure};
    use crate::analysis::heard::Call;

    #[test]
    fn to_find_nothing_is_no_failure() {
        let nothing = "(no output)\n\nCommand exited with code 1";
        let cases = [
            ("grep -rn password src", nothing, true),
            ("sed -i s/a/b/ x && grep -n a x", "", true),
            ("ps aux | grep daemon", nothing, true),
            ("grep -rn password src", "grep: src: No such file or directory", false),
            ("cargo test", nothing, false),
            ("grep -q a x && make", nothing, false),
            ("npx tsc | grep -c 'error TS'", "3\n\nCommand exited with code 1", true),
            ("npx tsc | grep -c TS", "a.ts: error TS1\n\nCommand exited with code 1", false),
            ("make | grep -A1 Lock", "Lock: a\n\nCommand exited with code 1", false),
            ("make; ls | grep Lock", "Lock: a\n\nCommand exited with code 1", true),
            ("ls a; cat b", "a\ncat: b: No such file or directory", true),
            ("diff a b", "1c1\n\nCommand exited with code 1", true),
            ("make && diff a b", "1c1\n\nCommand exited with code 1", false),
            ("rm -r out && ls out", "ls: cannot access 'out': No such file or directory", true),
            ("rm out", "rm: cannot remove 'out': No such file or directory", false),
        ];
        for (command, text, is_nothing) in cases {
            let command = Some(command.to_owned());
            let call = Call { tool: "bash".to_owned(), command, ..Call::default() };
            assert_eq!(is_no_failure(&call, text), is_nothing, "{:?}", call.command);
        }
        let call = Call { tool: "grep".to_owned(), ..Call::default() };
        assert!(is_no_failure(&call, nothing));
    }

    #[test]
    fn what_was_printed_last_tells_of_failures() {
        let cases = [
            ("test result: FAILED. 5 passed; 1 failed; 0 ignored", true),
            ("==== 2 failed, 31 passed in 1.2s ====", true),
            ("11 examples, 1 failure", true),
            ("  3 failing", true),
            ("FAIL\tdispatcher/internal\t0.2s", true),
            ("error: could not compile `shop` (lib) due to 1 previous error", true),
            ("rc=23", true),
            ("exit: 1", true),
            ("exit 0", false),
            ("rc=yes", false),
            ("ERROR: Nothing RPROVIDES 'nodejs-icu'", true),
            ("Total parses: 61; successful parses: 61; failed parses: 0;", false),
            ("test result: ok. 6 passed; 0 failed; 0 ignored", false),
            ("11 examples, 0 failures", false),
            ("Tests: 41 passed, 41 total", false),
            ("the login failed for 3 users", false),
        ];
        for (output, fails) in cases {
            assert_eq!(tells_failure(output), fails, "{output}");
        }
        let long = format!("1 failed\n{}", "ok\n".repeat(20));
        assert!(!tells_failure(&long));
    }
}
