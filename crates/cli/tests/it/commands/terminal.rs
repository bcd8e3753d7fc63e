//! Terminals, pipes and pagers, and text that would play tricks on them.

use super::{ID, SHOP, shop};
use crate::support::Home;

/// What others wrote must neither move the cursor nor pretend to be a line of ours.
#[test]
fn hostile_text_does_not_reach_the_terminal() {
    const EVIL: &str = r"x\u001b[2J\u009b31m\u202e\nFORGED\r\nFORGED\u0007";
    let home = Home::new();
    let evil = |line: &str, fields: &[&str]| {
        fields
            .iter()
            .fold(line.to_owned(), |line, field| line.replace(field, &format!("{field}{EVIL}")))
    };
    let fields = [
        r#""provider":""#,
        r#""modelId":""#,
        r#""model":""#,
        r#""toolName":""#,
        r#""name":""#,
        r#""label":""#,
        r#""customType":""#,
        r#""fromId":""#,
        r#""stopReason":""#,
        r#""cwd":""#,
    ];
    let mut text: Vec<String> = SHOP.iter().map(|line| evil(line, &fields)).collect();
    // Ids too, the session's among them.
    let bad_id = format!("0000000c{EVIL}");
    text = text.iter().map(|line| line.replace("0000000c", &bad_id)).collect();
    text[0] = text[0].replace(ID, &format!("{ID}{EVIL}"));
    text.push(format!(r#"{{"type":"compaction","id":"000000f0","parentId":"0000000e","timestamp":"2025-01-01T10:05:00.000Z","summary":"s\u001b[2J\u009b\u202e","firstKeptEntryId":"{bad_id}","tokensBefore":"{EVIL}"}}"#));
    text.push(format!(r#"{{"type":"thinking_level_change","id":"000000f1","parentId":"000000f0","timestamp":"2025-01-01T10:05:00.000Z","thinkingLevel":"{EVIL}"}}"#));
    text.push(format!(r#"{{"type":"odd{EVIL}","id":"0000000c{EVIL}2","parentId":"000000f1","timestamp":"2025-01-01T10:05:00.000Z"}}"#));
    text.push(format!(r#"{{"type":"message","id":"000000f3","parentId":"0000000c{EVIL}2","timestamp":"2025-01-01T10:05:01.000Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"t9","name":"{EVIL}","arguments":{{}}}}],"model":"{EVIL}","errorMessage":"bad","stopReason":"{EVIL}"}}}}"#));
    text.push(format!(r#"{{"type":"message","id":"000000f4","parentId":"nobody","timestamp":"2025-01-01T10:05:02.000Z","message":{{"role":"{EVIL}","content":"x"}}}}"#));
    text.push(r#"{"type":"custom","customType":"x","id":"000000f5","parentId":"000000f3","timestamp":"2025-01-01T10:05:03.000Z"}"#.to_owned());
    let path = home.session("x", &text.iter().map(String::as_str).collect::<Vec<_>>());
    let odd = path.with_file_name("\u{1b}[2J\u{9b}31m\nFORGED\u{202e}.jsonl");
    std::fs::rename(&path, &odd).unwrap();
    let torn = odd.with_file_name("torn\u{1b}[2J\nFORGED.jsonl");
    std::fs::write(&torn, "nothing").unwrap();

    let check = |command: &mut assert_cmd::Command, stdout: bool| {
        let output = command.output().unwrap();
        let told = [if stdout { &*output.stdout } else { &[] }, &*output.stderr].concat();
        let told = String::from_utf8(told).unwrap();
        assert!(!told.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}', '\r']), "{told:?}");
        assert!(!told.lines().any(|line| line.starts_with("FORGED")), "{command:?}: {told}");
        assert!(!told.is_empty());
    };
    for command in ["show", "tree", "stats", "context", "branches", "fork"] {
        check(home.command(&["session", command]).arg(&odd), true);
    }
    check(home.command(&["session", "tree", "--filter", "all"]).arg(&odd), true);
    check(home.command(&["session", "show", "--leaf", "00000008"]).arg(&odd), true);
    check(home.command(&["session", "dump"]).arg(&odd), false);
    check(&mut home.command(&["sessions"]), true);
    check(&mut home.command(&[]), true);
    // Errors, and what is said after writing.
    check(home.command(&["session", "show", "--at", "0000000c"]).arg(&odd), true);
    check(home.command(&["session", "show"]).arg(&torn), true);
    check(home.command(&["session", "show"]).arg(odd.with_extension("gone.jsonl")), true);
    let id = "0000000cx\u{1b}[2J\u{9b}31m\u{202e}\nFORGED\r\nFORGED\u{7}";
    check(home.command(&["session", "label"]).arg(&odd).args([id, "x\u{1b}[2J\nFORGED"]), true);
    check(home.command(&["session", "branch"]).arg(&odd).args(["--at", id]), true);
    check(home.command(&["session", "fork"]).arg(&odd).args(["--at", id]), true);
    check(
        home.command(&["session", "compact", "--dry-run", "--keep-tokens", "1", "--summary", "s"])
            .arg(&odd),
        true,
    );
}

#[test]
fn output_that_nobody_takes_is_handled() {
    let home = Home::new();
    let long = SHOP[2].replace("Why is", &"Why is ".repeat(50_000));
    home.session(ID, &[SHOP[0], SHOP[1], &long]);
    let run = |script: &str| {
        let program = assert_cmd::cargo::cargo_bin("pi-brain");
        let output = std::process::Command::new("bash")
            .args(["-o", "pipefail", "-c", &script.replace("pi-brain", program.to_str().unwrap())])
            .env("HOME", home.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!errors.contains("panicked"), "{script}: {errors}");
        (output.status.code(), errors)
    };
    for command in ["dump latest", "show latest --json", "context latest --json", "show latest"] {
        let script = format!("pi-brain session {command} | head -c 1");
        assert_eq!(run(&script), (Some(0), String::new()), "{command}");
    }
    for command in
        ["completions bash", "sessions", "sessions --json", "session show latest", "--help"]
    {
        assert_eq!(run(&format!("pi-brain {command} > /dev/full")).0, Some(1), "{command}");
    }
    assert_eq!(run("pi-brain session show none 2> /dev/full").0, Some(3));
    assert_eq!(run("pi-brain session 2> /dev/full").0, Some(1));
}

/// A terminal, as far as the program can tell, is made by util-linux's `script`.
#[cfg(target_os = "linux")]
#[test]
fn the_pager_gets_colours_only_where_they_are_wanted() {
    let home = Home::new();
    shop(&home);
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let has_colours = |more: &str, variable: &str| {
        let line = format!("{} session tree latest {more}", program.display());
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin");
        script.env("HOME", home.path()).env("TERM", "xterm-256color").env("PAGER", "cat");
        let output = script.env(variable, "1").output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.contains("Why is the cart empty"), "{told}");
        told.contains('\u{1b}')
    };
    assert!(has_colours("", "X"));
    assert!(!has_colours("", "NO_COLOR"));
    assert!(!has_colours("--color never", "X"));
    assert!(has_colours("--color always", "NO_COLOR"));
}

#[test]
fn tables_are_cut_only_where_they_must_be() {
    let home = Home::new();
    let mut text = SHOP.map(str::to_owned);
    text[0] = text[0].replace("/shop", &format!("/{}", "s".repeat(40)));
    text[14] = text[14].replace("Cart lost at login", &"long ".repeat(100));
    home.session(ID, &text.each_ref().map(String::as_str));
    let list = home.stdout(&["sessions"]);
    let row = list.lines().nth(1).unwrap();
    assert!(row.contains(&format!("  {}…  ", "s".repeat(23))), "{row}");
    assert_eq!(row.split_once("0190aaaa  ").unwrap().1.chars().count(), 200, "{row}");
}

#[test]
fn completions_are_printed() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(home.stdout(&["completions", shell]).contains("pi-brain"));
    }
}
