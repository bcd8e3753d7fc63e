//! Failures that no exit code tells of (`cargo test | tail` is content as soon as `tail` is), and exit codes that tell of none
//! (`grep` is not content if it finds nothing).

use crate::analysis::command;
use crate::analysis::heard::Call;
use crate::analysis::speech::Signs;

/// So many of the last lines are looked at: what was run says in the end how it went.
const LAST_LINES: usize = 12;

/// Returns whether the exit code of a call is not that of the work it does.
pub(in crate::analysis) fn hides_failure(call: &Call) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    !call.only_looks() && (command.contains('|') || command.contains("; "))
}

/// Returns whether a call that counts as failed only looked for something that is not there.
pub(in crate::analysis) fn finds_nothing(call: &Call, text: &str) -> bool {
    let searches = matches!(&*call.tool, "grep" | "find")
        || call.command.as_deref().is_some_and(command::ends_searching);
    let tells_nothing =
        |line: &str| matches!(line.trim(), "" | "(no output)" | "Command exited with code 1");
    searches && text.lines().all(tells_nothing)
}

/// Returns whether a program says, in what it printed last, that it has failed.
pub(in crate::analysis) fn tells_failure(output: &str) -> bool {
    output
        .lines()
        .rev()
        .take(LAST_LINES)
        .any(|line| says_so(line) || counts_failures(line) || prints_exit_code(line))
}

/// Finds `rc=1` or `exit: 2`, as commands print it that end with `echo rc=$?`.
fn prints_exit_code(line: &str) -> bool {
    let Some((name, code)) = line.trim().split_once(['=', ':', ' ']) else { return false };
    let names_it = matches!(name, "rc" | "exit" | "EXIT" | "status" | "exitcode");
    names_it && code.trim().parse::<u8>().is_ok_and(|code| code > 0)
}

fn says_so(line: &str) -> bool {
    static SAYS: Signs = Signs::new(
        "test result: failed|build failed|build failure|could not compile|--- fail:|fail\t|npm err!|make: ***",
    );
    SAYS.are_in(&line.to_lowercase())
}

/// Finds `3 failed` or `1 failure`, but not `0 failed`.
fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> =
        line.split([' ', ',', '|', ';', '(', ')']).filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| {
        let counts = pair[0].bytes().all(|byte| byte.is_ascii_digit())
            && pair[0].bytes().any(|byte| byte != b'0');
        counts
            && matches!(
                pair[1].trim_end_matches(['.', ':']),
                "failed" | "failure" | "failures" | "failing"
            )
    })
}

#[cfg(test)]
mod tests {
    use super::{finds_nothing, tells_failure};
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
        ];
        for (command, text, is_nothing) in cases {
            let command = Some(command.to_owned());
            let call = Call { tool: "bash".to_owned(), command, ..Call::default() };
            assert_eq!(finds_nothing(&call, text), is_nothing, "{:?}", call.command);
        }
        let call = Call { tool: "grep".to_owned(), ..Call::default() };
        assert!(finds_nothing(&call, nothing));
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
