//! Failures that no exit code tells of: `cargo test | tail` is content as soon as `tail` is.

use crate::analysis::heard::Call;
use crate::analysis::speech::Signs;

/// So many of the last lines are looked at: what was run says in the end how it went.
const LAST_LINES: usize = 12;

/// Returns whether the exit code of a call is not that of the work it does.
pub(in crate::analysis) fn hides_failure(call: &Call) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    !call.only_looks() && (command.contains('|') || command.contains("; "))
}

/// Returns whether a program says, in what it printed last, that it has failed.
pub(in crate::analysis) fn tells_failure(output: &str) -> bool {
    output.lines().rev().take(LAST_LINES).any(|line| says_so(line) || counts_failures(line))
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
    use super::tells_failure;

    #[test]
    fn what_was_printed_last_tells_of_failures() {
        let cases = [
            ("test result: FAILED. 5 passed; 1 failed; 0 ignored", true),
            ("==== 2 failed, 31 passed in 1.2s ====", true),
            ("11 examples, 1 failure", true),
            ("  3 failing", true),
            ("FAIL\tdispatcher/internal\t0.2s", true),
            ("error: could not compile `shop` (lib) due to 1 previous error", true),
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
