//! How sessions and entries are found, and what is said when they are not.

use std::path::PathBuf;

use super::{ID, SHOP, errors_of, shop};
use crate::support::Home;

#[test]
fn a_session_is_found_by_path_id_prefix_and_latest() {
    let home = Home::new();
    let path = shop(&home);
    for argument in [path.to_str().unwrap(), ID, "0190aaaa", "latest"] {
        assert_eq!(home.json(&["session", "dump", argument])["header"]["id"], ID, "{argument}");
    }
}

#[test]
fn session_folders_are_found_as_pi_finds_them() {
    let home = Home::new();
    let path = shop(&home);
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("sessions/--x--")).unwrap();
    let name = path.file_name().unwrap();
    std::fs::rename(&path, elsewhere.join("sessions/--x--").join(name)).unwrap();
    let finds = |command: &mut assert_cmd::Command| command.assert().get_output().status.code();
    assert_eq!(finds(&mut home.command(&["sessions"])), Some(3));
    assert_eq!(finds(home.command(&["sessions"]).env("PI_CODING_AGENT_DIR", &elsewhere)), Some(0));
    assert_eq!(
        finds(&mut home.command(&["sessions", "--agent-dir", elsewhere.to_str().unwrap()])),
        Some(0)
    );
    let flat = elsewhere.join("sessions/--x--");
    assert_eq!(
        finds(home.command(&["sessions"]).env("PI_CODING_AGENT_SESSION_DIR", &flat)),
        Some(0)
    );
    assert_eq!(
        finds(&mut home.command(&["sessions", "--session-dir", flat.to_str().unwrap()])),
        Some(0)
    );
    let settings = home.path().join(".pi/agent/settings.json");
    std::fs::write(&settings, format!(r#"{{"sessionDir": "{}"}}"#, flat.display())).unwrap();
    assert_eq!(finds(&mut home.command(&["sessions"])), Some(0));
    std::fs::write(&settings, r#"{"sessionDir": "~/elsewhere/sessions/--x--"}"#).unwrap();
    assert_eq!(finds(&mut home.command(&["sessions"])), Some(0));
    std::fs::write(&settings, "{").unwrap();
    // Settings that pi itself may mend never keep us from working.
    let assert = home.pi_brain(&["sessions", "--agent-dir", elsewhere.to_str().unwrap()]).success();
    assert!(errors_of(&assert).is_empty());
    std::fs::write(elsewhere.join("settings.json"), "{").unwrap();
    let assert = home.pi_brain(&["sessions", "--agent-dir", elsewhere.to_str().unwrap()]).success();
    assert!(errors_of(&assert).contains("settings.json are not JSON and are ignored"));
    std::fs::write(elsewhere.join("settings.json"), r#"{"sessionDir": 7, "compaction": []}"#)
        .unwrap();
    assert_eq!(finds(home.command(&["sessions"]).env("PI_CODING_AGENT_DIR", &elsewhere)), Some(0));
    // A folder that is named from where we are is found, and its files have whole paths.
    let json = home.json(&["sessions", "--json", "--session-dir", "elsewhere/sessions/--x--"]);
    assert_eq!(json[0]["path"], flat.join(name).to_str().unwrap());
}

#[test]
fn failures_have_exit_codes_and_say_what_to_do() {
    let home = Home::new();
    let path = shop(&home);
    let copy = path.with_file_name(format!("2025-01-02T00-00-00-000Z_{ID}.jsonl"));
    std::fs::copy(&path, copy).unwrap();
    let not_a_session = home.path().join("notes.jsonl");
    std::fs::write(&not_a_session, "{\"hello\":\"world\"}\n").unwrap();
    let check = |arguments: &[&str], code: i32, words: &str| {
        let assert = home.pi_brain(arguments).code(code);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    };
    let file = path.to_str().unwrap();
    check(&["session", "show"], 2, "Usage");
    check(&["session", "show", ID], 2, "2025-01-02T00-00-00-000Z");
    check(&["session", "show", "0190cccc"], 3, "pi-brain sessions");
    check(&["session", "show", "/no/such/file.jsonl"], 3, "no file");
    check(&["session", "show", file, "--at", "ffffffff"], 3, "session tree");
    check(&["session", "show", file, "--at", "0000"], 2, "00000002");
    check(&["session", "show", not_a_session.to_str().unwrap()], 4, "not a pi session");
    check(&["session", "show", home.path().to_str().unwrap()], 4, "not a pi session");
    check(&["session", "label", file, "00000002"], 2, "<TEXT>");
    check(&["session", "label", "/no/such/file.jsonl", "00000002", "x"], 3, "no file");
    check(&["sessions", "--since", "soon"], 2, "2w");
    home.pi_brain(&["session", "label", file, "00000002", "cause found"]).success();
    check(&["session", "show", file, "--at", "cause found"], 2, "\n  00000002  Why is the cart");
    check(&["session", "show", file, "--at", "cause found"], 2, "\n  00000005  ");
    // A file is also known by the id in its header, whatever its name says.
    let renamed = path.with_file_name("2025-01-03T00-00-00-000Z_other.jsonl");
    std::fs::rename(&path, renamed).unwrap();
    check(&["session", "show", ID], 2, "_other.jsonl");
    check(&["session", "show", "0190aaaa"], 2, "2025-01-02T00-00-00-000Z");
    home.pi_brain(&["session", "show", "other"]).success();
    assert!(!PathBuf::from("/no/such/file.jsonl").exists());
}

#[test]
fn an_empty_folder_and_empty_sessions_read_well() {
    let home = Home::new();
    home.pi_brain(&["sessions"]).code(3);
    home.pi_brain(&[]).code(3);
    assert_eq!(home.json(&["sessions", "--json"]), serde_json::json!([]));
    let path = home.session("broken", &["no session"]);
    for arguments in [&[][..], &["sessions"]] {
        let assert = home.pi_brain(arguments).code(4);
        assert!(errors_of(&assert).contains("not readable as a session"));
    }
    std::fs::write(&path, format!("{}\n", SHOP[0])).unwrap();
    let stats = home.stdout(&["session", "stats", "latest"]);
    assert!(stats.contains("The session is empty") && !stats.contains("()"), "{stats}");
}

#[test]
fn names_that_are_not_utf8_are_names_too() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let path = shop(&home);
    let odd = path.with_file_name(OsStr::from_bytes(b"od\xffd.jsonl"));
    std::fs::rename(&path, &odd).unwrap();
    for command in ["show", "tree", "stats", "context", "branches", "dump", "fork"] {
        for more in [&[][..], &["--json"]] {
            let mut program = home.command(&["session", command]);
            program.arg(&odd).args(more).assert().success();
            home.pi_brain(&[&["session", command, ID], more].concat()).success();
        }
    }
    let json = home.json(&["sessions", "--json"]);
    assert!(json[0]["path"].as_str().unwrap().ends_with("od\u{fffd}d.jsonl"));
    home.command(&["session", "name"]).arg(&odd).arg("x").assert().success();
    home.command(&["session", "name"]).arg(&odd).arg("y").assert().success();
    home.command(&["session", "fork"]).arg(&odd).args(["--clone", "--json"]).assert().success();
}
