use pi_brain_session::Raw;
use proptest::prelude::*;

use super::command;
use super::errors::category::{of_model_error, of_tool_error};
use super::files::relative;
use super::goal::Goal;
use super::text::{excerpt, opening, string};
use crate::line::one_line;

#[test]
fn paths_are_relative_to_the_project() {
    let cases = [
        ("/home/dev/shop", "src/a.ts", "src/a.ts"),
        ("/home/dev/shop", "./src//./a.ts", "src/a.ts"),
        ("/home/dev/shop", "src/../b.ts", "b.ts"),
        ("/home/dev/shop", "/home/dev/shop/src/a.ts", "src/a.ts"),
        ("/home/dev/shop/", "/home/dev/shop/./src/a.ts", "src/a.ts"),
        ("/home/dev/shop", "/home/dev/shop", "."),
        ("/home/dev/shop", "/home/dev/shopping/a.ts", "/home/dev/shopping/a.ts"),
        ("/home/dev/shop", "../ledger/b.rs", "/home/dev/ledger/b.rs"),
        ("/home/dev/shop", "../../../../etc/hosts", "/etc/hosts"),
        ("/home/dev/shop", "/etc/../etc/hosts", "/etc/hosts"),
        ("/home/dev/shop", "~/notes.md", "~/notes.md"),
        ("/home/dev/shop", "a\nb", "a\nb"),
        ("/", "/etc/hosts", "etc/hosts"),
        ("", "./a/../b", "b"),
        ("", "../b", "../b"),
        ("", "/etc/hosts", "/etc/hosts"),
        ("C:\\shop", "src\\a.ts", "src\\a.ts"),
    ];
    for (project, path, expected) in cases {
        assert_eq!(relative(project, path), expected, "{path} in {project}");
    }
}

proptest! {
    #[test]
    fn a_relative_path_stays_as_it_is(project in "(/[a-c.]{0,3}){0,4}", path in "[/~]?([a-c.]{0,3}/){0,4}[a-c]") {
        let once = relative(&project, &path);
        prop_assert_eq!(relative(&project, &once), once);
    }

    #[test]
    fn a_line_keeps_to_its_limit(text in ".{0,60}|[a b\n\u{1b}\\[m]{0,60}", limit in 1..40_usize) {
        let line = one_line(&text, limit);
        prop_assert!(line.chars().count() <= limit);
        prop_assert!(!line.contains(char::is_control));
        prop_assert_eq!(one_line(&line, limit), line);
    }

    #[test]
    fn a_cut_string_is_the_beginning_and_the_end(text in "[a\\\\\"é😀\n]{0,400}", limit in 30..200_usize) {
        let json = pi_brain_session::quote(&text).replace('😀', "\\ud83d\\ude00");
        let cut = string(Raw::parse(json.as_bytes()).unwrap(), limit).into_owned();
        if let Some((head, tail)) = cut.split_once("\n…\n") {
            let head = head.trim_end_matches('\u{fffd}');
            prop_assert!(text.starts_with(head));
            // The end may begin inside an escape, of which a few signs are left.
            let tail: String = tail.chars().skip(13).collect();
            prop_assert!(text.ends_with(&tail), "{:?} of {:?}", tail, text);
        } else {
            prop_assert_eq!(cut, text);
        }
    }
}

#[test]
fn long_content_is_not_copied() {
    let long = format!(r#"[{{"type":"text","text":"first {} last"}}]"#, "\\n".repeat(5_000_000));
    let text = excerpt(Raw::parse(long.as_bytes()).unwrap(), 1000);
    assert!(text.len() < 1100 && text.starts_with("first") && text.ends_with("last"));
}

#[test]
fn texts_open_with_a_sentence_that_says_something() {
    let cases = [
        ("", ""),
        ("Fix the cart.", "Fix the cart."),
        ("ok. now the page", "ok. now the page"),
        (
            "## Done\n\n- the cart rounds once, at the end of all sums. - more",
            "Done - the cart rounds once, at the end of all sums.",
        ),
        (
            "The version is 1.5.0 and that is what counts here. Next.",
            "The version is 1.5.0 and that is what counts here.",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(opening(text, 160), expected);
    }
}

#[test]
fn tool_errors_by_category() {
    let cases = [
        (
            "bash",
            "x.js:1\nTypeError: a is not a function\n    at x.js:1:1\n\nCommand exited with code 1",
            "TypeError",
            "TypeError: a is not a function",
        ),
        (
            "bash",
            "Traceback (most recent call last):\n  File \"a.py\"\nsqlite3.OperationalError: database is locked\n\n\nCommand exited with code 1",
            "OperationalError",
            "sqlite3.OperationalError: database is locked",
        ),
        (
            "bash",
            ">   get()\nE   AssertionError: Regex\nCommand exited with code 1",
            "AssertionError",
            "AssertionError: Regex",
        ),
        (
            "bash",
            "   Compiling x\nerror[E0308]: mismatched types\nCommand exited with code 101",
            "E0308",
            "error[E0308]: mismatched types",
        ),
        (
            "bash",
            "src/a.ts(3,5): error TS2345: Argument\nCommand exited with code 2",
            "TS2345",
            "src/a.ts(3,5): error TS2345: Argument",
        ),
        (
            "bash",
            "thread 'main' panicked at src/main.rs:2:5:\nno luck\nCommand exited with code 101",
            "panic",
            "no luck",
        ),
        (
            "bash",
            "bash: foo: command not found\nCommand exited with code 127",
            "command not found",
            "bash: foo: command not found",
        ),
        (
            "bash",
            "cat: x: No such file or directory\nCommand exited with code 1",
            "ENOENT",
            "cat: x: No such file or directory",
        ),
        (
            "bash",
            "tick\ntick\n\nCommand timed out after 30 seconds",
            "timeout",
            "Command timed out after 30 seconds",
        ),
        (
            "bash",
            "a\nfatal: not a git repository\nb\n\nCommand exited with code 128",
            "exit code 128",
            "fatal: not a git repository",
        ),
        ("bash", "a\nb\n\nCommand exited with code 3", "exit code 3", "b"),
        (
            "bash",
            "(no output)\n\nCommand exited with code 1",
            "exit code 1",
            "Command exited with code 1",
        ),
        (
            "read",
            "ENOENT: no such file or directory, access '/x'",
            "ENOENT",
            "ENOENT: no such file or directory, access '/x'",
        ),
        (
            "edit",
            "Could not find the exact text in a.ts.",
            "edit failed",
            "Could not find the exact text in a.ts.",
        ),
        (
            "edit",
            "Validation failed for tool \"edit\":\n  - path: must be string",
            "invalid arguments",
            "Validation failed for tool \"edit\":",
        ),
        ("fetch", "\u{1b}[31m it \t broke\u{1b}[0m", "fetch failed", "it broke"),
        ("", "", "tool failed", ""),
    ];
    for (tool, text, category, message) in cases {
        assert_eq!(of_tool_error(tool, text), (category.to_owned(), message.to_owned()));
    }
    let (_, message) = of_tool_error("x", &"é".repeat(5000));
    assert_eq!(message.chars().count(), 200);
}

#[test]
fn model_errors_by_category() {
    let cases = [
        (
            r#"529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r1"}"#,
            "overloaded",
            "529 Overloaded",
        ),
        ("429 Too Many Requests", "rate limit", "429 Too Many Requests"),
        (
            "prompt is too long: 210000 tokens",
            "context overflow",
            "prompt is too long: 210000 tokens",
        ),
        ("401 Unauthorized", "authentication", "401 Unauthorized"),
        ("fetch failed", "network", "fetch failed"),
        ("{broken", "model error", "{broken"),
        ("", "model error", ""),
    ];
    for (text, category, message) in cases {
        assert_eq!(of_model_error(text), (category.to_owned(), message.to_owned()));
    }
}

#[test]
fn commands_by_what_they_try() {
    let cases = [
        ("cargo test -p x 2>&1 | tail -20", "cargo build"),
        ("cd /p && RUST_LOG=debug timeout 60 cargo clippy", "cargo build"),
        ("uv run pytest -q tests/test_a.py", "pytest"),
        ("npx vitest run && git commit -m 'a && b; c'", "vitest, git commit"),
        ("sed -i s/a/b/ x; ./scripts/deploy.sh prod", "deploy.sh prod"),
        ("npm run build", "build"),
        ("npm test", "npm test"),
        ("duckdb -c \"select 1\"", "duckdb"),
        ("uv add polars@1.35 numpy", "install polars, install numpy"),
        ("npm install", "npm install"),
        ("python a.py | cmp - b", "python a.py"),
        ("grep -rn foo src | head", "grep -rn foo src | head"),
        ("git -c a=b push", "git a=b"),
        ("gh pr checkout 3 && gh pr review 3", "gh pr checkout, gh pr review"),
        ("docker compose logs web", "docker compose logs"),
        ("dig +short a.example @h", "dig a.example"),
        ("'", "'"),
    ];
    for (command, keys) in cases {
        assert_eq!(command::keys(command).join(", "), keys, "{command}");
    }
    assert!(command::is_work("cd x && make"));
    assert!(!command::is_work("ls; cat a | grep b"));
}

#[test]
fn what_is_thrown_away_is_no_longer_worked_on() {
    assert!(command::throws_away("git switch -q main && git branch -qD next"));
    assert!(!command::throws_away("git branch -d done"));
}

#[test]
fn clear_goals() {
    let clear = [
        "bump version in Cargo.toml",
        "why does parse_line drop the last field",
        "look at src/server",
        "`frobnicate` please",
        "is getUser() ok",
        "what is std::mem for",
        "add a retry to the fetcher",
        "please fix the rounding of totals",
    ];
    let vague = [
        "",
        "hi",
        "again please",
        "it is slow. why?",
        "make it better",
        "ok, e.g. that one",
        "go on / continue",
    ];
    for (texts, expected) in [(&clear[..], true), (&vague[..], false)] {
        for text in texts {
            let mut goal = Goal::default();
            goal.hear("e", text);
            assert_eq!(goal.is_clear(), expected, "{text}");
        }
    }
}
