//! Mistakes, hostile text, other processes, and folders that cannot be written.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;

use serde_json::json;

use super::{fails, holiday, json, told};
use crate::support::Home;

#[test]
fn places_are_found_or_explained() {
    let home = holiday();
    for place in ["root-1/node-4", "1/4", "1/node-4", "root-1/4"] {
        assert_eq!(json(&home, &["title", place])["node"], "root-1/node-4", "{place}");
    }
    fails(&home, &["path", "1/99"], 3, "no message root-1/node-99");
    fails(&home, &["path", "9/1"], 3, "no message root-9/node-1");
    fails(&home, &["path", "9"], 3, "no root root-9");
    fails(&home, &["path", "1/x"], 2, "is no id");
    fails(&home, &["path", "0/1"], 2, "is no id");
    fails(&home, &["path", "root-0"], 2, "is no id");
    fails(&home, &["path", "0"], 3, "no place “0”");
    fails(&home, &["path", "99999999999"], 2, "is no id");
    fails(&home, &["path", "the sea"], 3, "forest bookmark");
    fails(&home, &["edit", "1", "x"], 2, "is a root");
    fails(&home, &["diff", "1/1"], 2, "<B>");
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let home = holiday();
    let file = home.path().join("messages.json");
    let call = json!({ "type": "tool-use", "id": "c1", "name": "bash", "parameters": {} });
    let messages = json!([
        { "role": "assistant", "content": [call] },
        { "role": "tool", "tool_call_id": "c1", "content": "done" },
    ]);
    std::fs::write(&file, messages.to_string()).unwrap();
    told(&home, &["append", "1/3", "--file", file.to_str().unwrap()]);
    let log = home.path().join(".pi-brain/forest/log.jsonl");
    let before = std::fs::read(&log).unwrap();
    fails(&home, &["edit", "1/7", "x"], 1, "more than text");
    fails(&home, &["edit", "1/8", "x"], 1, "result of a tool");
    fails(&home, &["split", "1/8", "--at", "1"], 1, "result of a tool");
    fails(&home, &["edit", "1/2", " "], 2, "blank");
    fails(&home, &["delete", "1/7", "--keep-children"], 1, "calls tools");
    let append = |input: &str, words: &str| {
        let output =
            home.command(&["forest", "append", "1/3"]).write_stdin(input).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(words), "{input}: {errors}");
    };
    append("", "no message to append");
    append("{", "not JSON");
    append(
        r#"{"role":"user","content":"ok"} {"role":"system","content":"x"}"#,
        "message 2 is not valid: the role \"system\"",
    );
    append(
        r#"[{"role":"tool","tool_call_id":"c9","content":"x"}]"#,
        "which nothing before it made",
    );
    append(r#"{"role":"user","content":7}"#, "list of blocks");
    fails(&home, &["append", "--file", "/no/such/file"], 1, "could not read /no/such/file");
    fails(&home, &["append", "--user", "x", "--file", "y"], 2, "cannot be used with");
    assert_eq!(std::fs::read(&log).unwrap(), before);
}

/// What others wrote must neither move the cursor nor pretend to be a line of ours.
#[test]
fn hostile_text_does_not_reach_the_terminal() {
    const EVIL: &str = "x\u{1b}[2J\u{9b}31m\u{202e}\nFORGED\r\nFORGED\u{7}";
    let home = Home::new();
    let check = |arguments: &[&str]| {
        let output = home.command(&[&["forest"], arguments].concat()).output().unwrap();
        let told = String::from_utf8([&*output.stdout, &*output.stderr].concat()).unwrap();
        assert!(
            !told.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}', '\r']),
            "{arguments:?}: {told:?}"
        );
        assert!(!told.is_empty(), "{arguments:?}");
        told
    };
    let on_one_line = |arguments: &[&str]| {
        let told = check(arguments);
        assert!(!told.lines().any(|line| line.starts_with("FORGED")), "{arguments:?}: {told}");
    };
    told(&home, &["root", "--system", EVIL]);
    let file = home.path().join("messages.json");
    let call =
        json!({ "type": "tool-use", "id": "c1", "name": EVIL, "parameters": { "path": EVIL } });
    let odd = json!({ "type": EVIL, "text": EVIL });
    let messages = json!([
        { "role": "user", "content": EVIL },
        { "role": "assistant", "content": [call, odd] },
        { "role": "tool", "tool_call_id": "c1", "content": EVIL },
        { "role": "user", "content": [odd] },
        { "role": "assistant", "content": EVIL },
    ]);
    std::fs::write(&file, messages.to_string()).unwrap();
    told(&home, &["append", "--file", file.to_str().unwrap()]);
    on_one_line(&["bookmark", "1/1", EVIL]);
    on_one_line(&["bookmark", "--rename", EVIL, &format!("{EVIL}2")]);
    on_one_line(&["title", "1/5", EVIL]);
    on_one_line(&["tag", "1/5", EVIL]);
    on_one_line(&["data", "1/5", &format!("{EVIL}=7"), &format!("k={}", json!(EVIL))]);
    told(&home, &["append", "1/1", "--assistant", EVIL]);
    for command in [
        &["roots"][..],
        &["tree"],
        &["tree", "--full"],
        &["bookmark"],
        &["title", "1/5"],
        &["context"],
        &["check"],
        &["split", "1/5", "--at", "1"],
        &["join", "1/5"],
        &["path", EVIL],
        &["split", "1/5", "--before", EVIL],
        &["split", "1/5", "--before", &format!("{EVIL}9")],
        &["delete", "1/1"],
        &["delete", "1/1", "--force"],
        &["restore"],
        &["restore", "1/1"],
        &["bookmark", "--remove", EVIL],
        &["append", "--file", EVIL],
    ] {
        on_one_line(command);
    }
    // A transcript has the lines of what was said, and no other tricks.
    check(&["path", "1/5", "--full", "--thinking"]);
    check(&["diff", "1/5", "1/6", "--full"]);
    check(&["edit", "1/1", &format!("{EVIL}!")]);
}

#[test]
fn a_second_process_is_refused_and_may_read() {
    let home = holiday();
    let lock = home.path().join(".pi-brain/forest/lock");
    let held = std::fs::File::options().write(true).open(lock).unwrap();
    held.try_lock().unwrap();
    fails(&home, &["append", "--user", "Hello"], 1, "is being changed by");
    fails(&home, &["repair"], 1, "is being changed by");
    for command in [&["tree"][..], &["path"], &["roots"], &["check"], &["context"]] {
        told(&home, command);
    }
    drop(held);
    told(&home, &["append", "--user", "Hello"]);
}

#[test]
fn of_many_processes_each_writes_all_or_nothing() {
    let home = holiday();
    let writers: Vec<_> = (0..8)
        .map(|number| {
            let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("pi-brain"));
            command.args(["forest", "append", "1/6", "--user", &format!("I am {number}.")]);
            command.env_clear().env("HOME", home.path()).stderr(std::process::Stdio::piped());
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut written = 0;
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => written += 1,
            _ => assert!(errors.contains("is being changed by"), "{errors}"),
        }
    }
    assert!(written > 0);
    let tree = json(&home, &["tree", "1/6"]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 1 + written);
    told(&home, &["check"]);
}

/// Runs the program as somebody who may not write here; root may do everything.
fn run_as_nobody(home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
    const NOBODY: u32 = 65534;
    let program = home.path().join("pi-brain");
    if !program.exists() {
        std::fs::copy(assert_cmd::cargo::cargo_bin("pi-brain"), &program).unwrap();
    }
    let mut command = std::process::Command::new(program);
    command.arg("forest").args(arguments).env_clear().env("HOME", home.path()).current_dir("/");
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let told = [&*output.stdout, &*output.stderr].concat();
    (output.status.code(), String::from_utf8(told).unwrap())
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_can_be_read() {
    let home = holiday();
    let folder = home.path().join(".pi-brain/forest");
    let mut open = vec![folder.clone()];
    let mut all = vec![home.path().to_owned(), home.path().join(".pi-brain"), folder.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            all.push(path);
        }
    }
    for path in &all {
        set_mode(path, if path.is_dir() { 0o555 } else { 0o444 });
    }
    set_mode(home.path(), 0o755);
    let before = std::fs::read(folder.join("log.jsonl")).unwrap();
    let (code, told) = run_as_nobody(&home, &["append", "1/6", "--user", "Hello"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("could not write") && told.contains("Permission denied"), "{told}");
    let (code, told) = run_as_nobody(&home, &["tree"]);
    assert!(code == Some(0) && told.contains("To the hills."), "{told}");
    let (code, told) = run_as_nobody(&home, &["check"]);
    assert!(code == Some(0) && told.contains("All is well"), "{told}");
    assert_eq!(std::fs::read(folder.join("log.jsonl")).unwrap(), before);
    // Not even to be looked into.
    set_mode(&folder, 0o000);
    let (code, told) = run_as_nobody(&home, &["tree"]);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("could not read"), "{told}");
    for path in &all {
        if path.is_dir() || !path.exists() {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755));
        }
    }
}

#[test]
fn check_says_what_is_wrong_and_repair_mends_it() {
    let home = holiday();
    let folder = home.path().join(".pi-brain/forest");
    assert_eq!(told(&home, &["check"]), "All is well: 1 tree, 6 messages, 0 sessions.\n");
    assert_eq!(json(&home, &["check"]), json!({ "ok": true, "findings": [], "files": [] }));
    assert_eq!(told(&home, &["repair"]), "Nothing had to be mended.\n");
    // A file for people that somebody threw away.
    std::fs::remove_file(folder.join("root-1/nodes/node-2.json")).unwrap();
    let assert = home.pi_brain(&["forest", "check"]).code(1);
    let output = assert.get_output();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("✗ ~/.pi-brain/forest/root-1/nodes/node-2.json: "), "{out}");
    assert!(err.contains("1 thing is not in order") && err.contains("forest repair"), "{err}");
    let output = home.command(&["forest", "check", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["ok"], found["files"].as_array().unwrap().len()), (&json!(false), 1));
    told(&home, &["repair"]);
    told(&home, &["check"]);
    // The truth itself is damaged: nothing is thrown away, nothing is made up.
    let log = folder.join("log.jsonl");
    let whole = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, whole.replacen("To the hills.\"", "To the hills.", 1)).unwrap();
    fails(&home, &["check"], 1, "log.jsonl");
    fails(&home, &["tree"], 4, "log.jsonl");
    let output = home.command(&["forest", "check", "--json"]).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["ok"], false);
    std::fs::write(&log, whole).unwrap();
    told(&home, &["check"]);
}
