//! Every command: what it prints, what it writes, and how it fails.

use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Home, age};

const ID: &str = "0190aaaa-0000-7000-8000-000000000001";

/// A session with two branches, a label, a name, a tool that failed, hidden and shown extension text.
fn shop(home: &Home) -> PathBuf {
    home.session(ID, &SHOP)
}

const SHOP: [&str; 15] = [
    r#"{"type":"session","version":3,"id":"0190aaaa-0000-7000-8000-000000000001","timestamp":"2025-01-01T10:00:00.000Z","cwd":"/home/dev/shop"}"#,
    r#"{"type":"model_change","id":"00000001","parentId":null,"timestamp":"2025-01-01T10:00:00.000Z","provider":"anthropic","modelId":"big"}"#,
    r#"{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2025-01-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Why is the cart empty after login?"}],"timestamp":1735725601000}}"#,
    r#"{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2025-01-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"look at the session cookie"},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"npm test -- cart"}}],"provider":"anthropic","model":"big","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"total":0.05}},"stopReason":"toolUse","timestamp":1735725602000}}"#,
    r#"{"type":"message","id":"00000004","parentId":"00000003","timestamp":"2025-01-01T10:00:09.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"FAIL cart.test.ts\n\u001b[31mError: session id changed\u001b[0m"}],"isError":true,"timestamp":1735725609000}}"#,
    r#"{"type":"message","id":"00000005","parentId":"00000004","timestamp":"2025-01-01T10:00:12.000Z","message":{"role":"assistant","content":[{"type":"text","text":"The session id changes at login, so the cart is lost."}],"provider":"anthropic","model":"big","usage":{"input":200,"output":40,"cacheRead":0,"cacheWrite":0,"totalTokens":240,"cost":{"total":0.1}},"stopReason":"stop","timestamp":1735725610000}}"#,
    r#"{"type":"label","id":"00000006","parentId":"00000005","timestamp":"2025-01-01T10:00:20.000Z","targetId":"00000005","label":"cause found"}"#,
    r#"{"type":"message","id":"00000007","parentId":"00000006","timestamp":"2025-01-01T10:01:00.000Z","message":{"role":"user","content":"Copy the cart to the new session.","timestamp":1735725660000}}"#,
    r#"{"type":"message","id":"00000008","parentId":"00000007","timestamp":"2025-01-01T10:01:10.000Z","message":{"role":"assistant","content":[{"type":"text","text":"That races with checkout."},{"type":"toolCall","id":"t2","name":"edit","arguments":{"path":"src/cart.ts"}}],"provider":"anthropic","model":"big","usage":{"input":300,"output":60,"cacheRead":0,"cacheWrite":0,"totalTokens":360,"cost":{"total":0.2}},"stopReason":"stop","timestamp":1735725661000}}"#,
    r#"{"type":"branch_summary","id":"00000009","parentId":"00000005","timestamp":"2025-01-01T10:02:00.000Z","fromId":"00000008","summary":"Copying the cart races with checkout."}"#,
    r#"{"type":"custom_message","customType":"memo","content":"never shown","display":false,"id":"0000000a","parentId":"00000009","timestamp":"2025-01-01T10:02:01.000Z"}"#,
    r#"{"type":"custom_message","customType":"memo","content":"shown apart","display":true,"id":"0000000b","parentId":"0000000a","timestamp":"2025-01-01T10:02:02.000Z"}"#,
    r#"{"type":"message","id":"0000000c","parentId":"0000000b","timestamp":"2025-01-01T10:02:03.000Z","message":{"role":"user","content":"Then key the cart by user.","timestamp":1735725723000}}"#,
    r#"{"type":"message","id":"0000000d","parentId":"0000000c","timestamp":"2025-01-01T10:02:30.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Done: carts are keyed by user id."},{"type":"toolCall","id":"t3","name":"write","arguments":{"path":"src/cart.ts"}}],"provider":"openai","model":"small","usage":{"input":50,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":60,"cost":{"total":0.01}},"stopReason":"stop","timestamp":1735725724000}}"#,
    r#"{"type":"session_info","id":"0000000e","parentId":"0000000d","timestamp":"2025-01-01T10:03:00.000Z","name":"Cart lost at login"}"#,
];

fn errors_of(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

fn lines(path: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// --- Reading.

#[test]
fn tree_shows_branches_labels_and_the_leaf() {
    let home = Home::new();
    shop(&home);
    assert_snapshot!(home.stdout(&["session", "tree", "latest"]));
    assert_snapshot!("tree_all", home.stdout(&["session", "tree", "latest", "--filter", "all"]));
    assert_snapshot!(
        "tree_user_only",
        home.stdout(&["session", "tree", "latest", "--filter", "user-only"])
    );
}

#[test]
fn long_runs_are_folded() {
    let home = Home::new();
    let mut text = vec![SHOP[0].to_owned()];
    for number in 0..40 {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"e{}\"", number - 1) };
        text.push(format!(
            r#"{{"type":"message","id":"e{number}","parentId":{parent},"timestamp":"2025-01-01T10:00:{number:02}.000Z","message":{{"role":"user","content":"step {number}","timestamp":1}}}}"#
        ));
    }
    home.session(ID, &text.iter().map(String::as_str).collect::<Vec<_>>());
    let folded = home.stdout(&["session", "tree", "latest"]);
    assert!(folded.contains("35 more entries") && folded.lines().count() == 6, "{folded}");
    assert_eq!(home.stdout(&["session", "tree", "latest", "--full"]).lines().count(), 40);
}

#[test]
fn show_prints_a_transcript() {
    let home = Home::new();
    shop(&home);
    let text = home.stdout(&["session", "show", "latest"]);
    assert!(!text.contains("never shown") && text.contains("shown apart"));
    assert!(!text.contains('\u{1b}'), "escape sequences of tools must not reach the terminal");
    assert_snapshot!(text);
    assert_snapshot!(
        "show_other_branch",
        home.stdout(&["session", "show", "latest", "--leaf", "00000008", "--thinking"])
    );
}

#[test]
fn show_opens_at_an_entry() {
    let home = Home::new();
    shop(&home);
    let text = home.stdout(&["session", "show", "latest", "--at", "0000000c"]);
    assert!(text.trim_start().starts_with("▌ you") && text.contains("key the cart"), "{text}");
    let other = home.stdout(&["session", "show", "latest", "--at", "00000007"]);
    assert!(other.contains("Copy the cart") && other.contains("races with checkout"), "{other}");
    let short = home.stdout(&["session", "show", "latest", "--leaf", "00000005"]);
    assert!(short.contains("so the cart is lost") && !short.contains("key the cart"), "{short}");
    let both = ["session", "show", "latest", "--leaf", "00000005", "--at"];
    home.pi_brain(&[&both[..], &["00000004"]].concat()).success();
    home.pi_brain(&[&both[..], &["0000000c"]].concat()).code(2);
    let labelled = home.stdout(&["session", "show", "latest", "--at", "cause found"]);
    assert!(labelled.contains("The session id changes"), "{labelled}");
}

#[test]
fn branches_lists_the_ways_the_conversation_went() {
    let home = Home::new();
    shop(&home);
    assert_snapshot!(home.stdout(&["session", "branches", "latest"]));
    let json = home.json(&["session", "branches", "latest", "--json"]);
    assert_eq!(json["branches"][0]["leafId"], "00000008");
    assert_eq!(json["branches"][1]["isCurrent"], true);
    assert_eq!(json["forks"], serde_json::json!([]));
}

#[test]
fn context_stats_and_list() {
    let home = Home::new();
    let path = shop(&home);
    assert_snapshot!("context", home.stdout(&["session", "context", "latest"]));
    assert_snapshot!("stats", home.stdout(&["session", "stats", "latest"]));
    let list = home.stdout(&["sessions"]);
    assert_snapshot!("sessions", list);
    let json = home.json(&["sessions", "--json"]);
    assert_eq!(json[0]["path"], path.to_str().unwrap());
    assert_eq!(json[0]["name"], "Cart lost at login");
    assert_eq!(json[0]["messageCount"], 8);
    assert_eq!(json[0]["branchCount"], 2);
    let overview = home.stdout(&[]);
    assert!(
        overview.contains("1 session") && overview.contains("~/.pi/agent/sessions"),
        "{overview}"
    );
}

#[test]
fn sessions_are_filtered_and_sorted() {
    let home = Home::new();
    shop(&home);
    let other = SHOP.map(|line| {
        line.replace("0190aaaa-0000", "0190bbbb-0000")
            .replace("/home/dev/shop", "/home/dev/Ledger")
            .replace("2025-01-01", "2026-03-01")
            .replace("17357", "17723")
            .replace("\"total\":", "\"total\":9")
    });
    home.session("0190bbbb-0000-7000-8000-000000000001", &other.each_ref().map(String::as_str));
    let ids = |arguments: &[&str]| -> Vec<String> {
        let json = home.json(&[&["sessions", "--json"], arguments].concat());
        json.as_array()
            .unwrap()
            .iter()
            .map(|session| session["id"].as_str().unwrap()[..8].to_owned())
            .collect()
    };
    assert_eq!(ids(&[]), ["0190bbbb", "0190aaaa"]);
    assert_eq!(ids(&["--reverse"]), ["0190aaaa", "0190bbbb"]);
    assert_eq!(ids(&["--project", "ledger"]), ["0190bbbb"]);
    assert_eq!(ids(&["--before", "2025-06-01"]), ["0190aaaa"]);
    assert_eq!(ids(&["--since", "2025-06-01"]), ["0190bbbb"]);
    assert_eq!(ids(&["--sort", "cost", "--limit", "1"]), ["0190bbbb"]);
    assert_eq!(ids(&["--sort", "project"]), ["0190bbbb", "0190aaaa"]);
    assert_eq!(ids(&["--project", "nothing"]), [""; 0]);
}

#[test]
fn a_damaged_file_is_read_and_its_problems_are_told() {
    let home = Home::new();
    let mut damaged = SHOP.to_vec();
    damaged.insert(3, "{\"type\":\"message\",\"id\":\"to");
    home.session(ID, &damaged);
    let assert = home.pi_brain(&["session", "show", "latest"]).success();
    let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(errors.contains(".jsonl:4: not JSON; the line is left out"), "{errors}");
    let dump = home.json(&["session", "dump", "latest", "--json"]);
    assert_eq!(dump["problems"][0]["line"], 4);
    assert_eq!(dump["problems"][0]["kind"], "not-json");
}

// --- Finding.

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
fn a_tree_in_json_can_be_built_again() {
    let home = Home::new();
    shop(&home);
    let rows = home.json(&["session", "tree", "latest", "--json", "--filter", "user-only"]);
    let parents: Vec<(&str, Option<&str>)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["id"].as_str().unwrap(), row["parentId"].as_str()))
        .collect();
    assert_eq!(
        parents,
        [
            ("00000002", None),
            ("00000007", Some("00000002")),
            ("0000000c", Some("00000002")),
            ("0000000e", Some("0000000c"))
        ]
    );
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

// --- Writing.

#[test]
fn labels_and_names_are_appended() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    let before = std::fs::read_to_string(&path).unwrap();
    home.pi_brain(&["session", "label", file, "00000002", "the question"]).success();
    home.pi_brain(&["session", "label", file, "cause found", "--clear"]).success();
    home.pi_brain(&["session", "name", file, "Carts"]).success();
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(&before), "old lines must stay as they are");
    let dump = home.json(&["session", "dump", file]);
    assert_eq!(dump["labels"], serde_json::json!({"00000002": "the question"}));
    assert_eq!(dump["name"], "Carts");
    home.pi_brain(&["session", "name", file, "--clear"]).success();
    assert_eq!(home.json(&["session", "dump", file])["name"], Value::Null);
    let before = std::fs::read(&path).unwrap();
    let told = home.stdout(&["session", "label", file, "0000000c", "--clear"]);
    assert!(told.contains("nothing was written"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_pi_may_have_open_is_refused() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    std::fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::now())
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    for command in [
        &["label", file, "00000002", "x"][..],
        &["name", file, "x"],
        &["branch", file, "--at", "00000005"],
        &["compact", file, "--keep-tokens", "1"],
    ] {
        let assert = home.pi_brain(&[&["session"], command].concat()).code(1);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains("--force"), "{errors}");
    }
    let told = home.stdout(&["session", "migrate", file]);
    assert!(told.contains("Nothing to do"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    home.pi_brain(&["session", "name", file, "x", "--force"]).success();
    // pi may still have it open: what was forced once must be forced again.
    home.pi_brain(&["session", "name", file, "y"]).code(1);
}

#[test]
fn our_own_writes_do_not_count_as_somebody_elses() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    for command in [
        &["label", file, "00000002", "one"][..],
        &["label", file, "00000002", "two", "--force"],
        &["name", file, "Carts"],
        &["branch", file, "--at", "0000000d"],
        &["compact", file, "--keep-tokens", "1"],
        &["branch", file, "--at", "00000005", "--auto"],
        &["name", file, "Carts again"],
    ] {
        home.pi_brain(&[&["session"], command].concat()).success();
    }
    let made = home.json(&["session", "fork", file, "--clone", "--json"]);
    home.pi_brain(&["session", "name", made["path"].as_str().unwrap(), "a fork"]).success();

    let list = home.path().join(".pi-brain/own-writes.json");
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((rights(list.parent().unwrap()), rights(&list)), (0o700, 0o600));
    assert_eq!(std::fs::read_dir(list.parent().unwrap()).unwrap().count(), 1);

    // Another program writes one line: then it is no longer as we left it.
    let line = SHOP[14].replace("0000000e", "0000000f");
    let known = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{known}{line}\n")).unwrap();
    home.pi_brain(&["session", "name", file, "x"]).code(1);
    // A list that nobody can read is an empty one, and is made anew.
    age(&path);
    std::fs::write(&list, "[{").unwrap();
    home.pi_brain(&["session", "name", file, "x"]).success();
    home.pi_brain(&["session", "name", file, "y"]).success();
    std::fs::remove_file(&list).unwrap();
    home.pi_brain(&["session", "name", file, "z"]).code(1);
    // Nor is it an error if nothing can be remembered.
    age(&path);
    std::fs::create_dir(&list).unwrap();
    home.pi_brain(&["session", "name", file, "z"]).success();
}

#[test]
fn a_file_that_changes_while_a_summary_is_made_is_left_alone() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    let line = SHOP[14].replace("0000000e", "0000000f");
    let meddle = format!("cat > /dev/null; echo '{line}' >> '{file}'; echo a summary");
    for arguments in [
        &["branch", file, "--at", "00000005", "--summary-command", &meddle][..],
        &["compact", file, "--keep-tokens", "1", "--summary-command", &meddle],
    ] {
        age(&path);
        let before = lines(&path).len();
        let assert = home.pi_brain(&[&["session"], arguments].concat()).code(1);
        assert!(errors_of(&assert).contains("changed"), "{}", errors_of(&assert));
        assert_eq!(lines(&path).len(), before + 1);
    }
}

#[test]
fn a_damaged_file_is_written_to_and_its_problems_are_told() {
    let home = Home::new();
    let mut damaged = SHOP.to_vec();
    damaged.insert(3, "{\"type\":\"message\",\"id\":\"to");
    let path = home.session(ID, &damaged);
    let assert = home.pi_brain(&["session", "name", path.to_str().unwrap(), "x"]).success();
    assert!(errors_of(&assert).contains(".jsonl:4: not JSON"), "{}", errors_of(&assert));
}

#[test]
fn branch_makes_the_move_last() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    home.pi_brain(&["session", "branch", file, "--at", "00000005", "--reason", "too slow"])
        .success();
    let last = lines(&path).pop().unwrap();
    assert_eq!(last["type"], "custom");
    assert_eq!(last["customType"], "pi-brain.branch");
    assert_eq!(last["parentId"], "00000005");
    assert_eq!(
        last["data"],
        serde_json::json!({"abandonedLeafId": "0000000e", "reason": "too slow"})
    );
    assert_eq!(
        home.json(&["session", "dump", file])["context"]["messages"].as_array().unwrap().len(),
        4
    );
    let branches = home.stdout(&["session", "branches", file]);
    let current = branches.lines().find(|line| line.starts_with("◆  ")).unwrap();
    assert!(current.contains("(nothing said here yet)"), "{branches}");
}

#[test]
fn branch_summaries_have_three_sources() {
    let home = Home::new();
    let check = |arguments: &[&str], source: &str, words: &str| {
        let path = shop(&home);
        let file = path.to_str().unwrap();
        home.pi_brain(&[&["session", "branch", file, "--at", "00000005"], arguments].concat())
            .success();
        let last = lines(&path).pop().unwrap();
        assert_eq!(last["type"], "branch_summary");
        assert_eq!(last["fromId"], "0000000e");
        assert_eq!(last["details"]["source"], source);
        assert_eq!(last["details"]["abandonedLeafId"], "0000000e");
        assert_eq!(last["details"]["modifiedFiles"], serde_json::json!(["src/cart.ts"]));
        let summary = last["summary"].as_str().unwrap();
        assert!(summary.contains(words), "{summary}");
    };
    check(&["--summary", "my own words"], "user", "my own words");
    check(&["--auto"], "built-in", "Then key the cart by user.");
    check(&["--summary-command", "grep -c ."], "model", "");
    check(
        &["--summary-command", "printf 'a model says'; cat > /dev/null"],
        "model",
        "a model says",
    );
}

#[test]
fn a_summary_command_that_fails_writes_nothing() {
    let home = Home::new();
    let path = shop(&home);
    let before = std::fs::read(&path).unwrap();
    for command in ["exit 3", "true"] {
        let file = path.to_str().unwrap();
        let arguments =
            ["session", "branch", file, "--at", "00000005", "--summary-command", command];
        let assert = home.pi_brain(&arguments).code(1);
        assert!(
            String::from_utf8_lossy(&assert.get_output().stderr).contains("nothing was written")
        );
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn fork_lists_copies_and_says_where() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    let before = std::fs::read(&path).unwrap();
    let choices = home.json(&["session", "fork", file, "--json"]);
    let ids: Vec<&str> = choices
        .as_array()
        .unwrap()
        .iter()
        .map(|choice| choice["entryId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["00000002", "00000007", "0000000c"]);
    assert_eq!(choices[0]["onCurrentBranch"], true);
    assert_eq!(choices[1]["onCurrentBranch"], false);
    let table = home.stdout(&["session", "fork", file]);
    assert!(table.contains("○  00000007") && table.contains("●  0000000c"), "{table}");

    let made = home.json(&["session", "fork", file, "--json", "--at", "0000000c"]);
    let fork = lines(&PathBuf::from(made["path"].as_str().unwrap()));
    assert_eq!(made["text"], "Then key the cart by user.");
    assert_eq!(fork[0]["parentSession"], file);
    // The path up to the shown memo, and the label written anew behind it.
    let kinds: Vec<&str> = fork.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "session",
            "model_change",
            "message",
            "message",
            "message",
            "message",
            "branch_summary",
            "custom_message",
            "custom_message",
            "label"
        ]
    );

    let relatives = home.json(&["session", "branches", file, "--json"]);
    assert_eq!(
        relatives["forks"][0],
        serde_json::json!({"path": made["path"], "lastShared": "0000000b"})
    );
    let relatives = home.json(&["session", "branches", made["path"].as_str().unwrap(), "--json"]);
    assert_eq!(
        relatives["forkedFrom"],
        serde_json::json!({"path": file, "lastShared": "0000000b"})
    );

    let first = home.json(&["session", "fork", file, "--json", "--at", "00000002"]);
    assert_eq!(first["entryCount"], 1);
    let clone = home.json(&["session", "fork", file, "--json", "--clone"]);
    assert_eq!(clone["entryCount"], 12);
    assert_eq!(std::fs::read(&path).unwrap(), before, "a fork leaves its source alone");
}

#[test]
fn fork_gives_back_the_words_and_a_command_that_works() {
    let home = Home::new();
    let mut text = SHOP.map(str::to_owned);
    let project = home.path().join("my shop");
    text[0] = text[0].replace("/home/dev/shop", project.to_str().unwrap());
    text[12] = text[12].replace("Then key", "Then\\n\\n  key");
    let path = home.session(ID, &text.each_ref().map(String::as_str));
    let file = path.to_str().unwrap();
    let fork = |more: &[&str]| home.stdout(&[&["session", "fork", file], more].concat());
    let json = home.json(&["session", "fork", file, "--at", "0000000c", "--json"]);
    assert_eq!(json["text"], "Then\n\n  key the cart by user.");
    let told = fork(&["--at", "0000000c"]);
    assert!(told.contains("It ends before: Then\n\n  key the cart by user.\n"), "{told}");
    let hint = told.lines().last().unwrap();
    assert!(hint.starts_with("pi --session ~/.pi/agent/sessions/"), "{hint}");
    std::fs::create_dir(&project).unwrap();
    let told = fork(&["--clone"]);
    let start = format!("cd '{}' && pi --session ~/.pi/", project.display());
    assert!(told.lines().last().unwrap().starts_with(&start), "{told}");
}

#[test]
fn a_fork_passes_over_entries_without_id() {
    let home = Home::new();
    let mut text = SHOP.to_vec();
    let nameless = r#"{"type":"session_info","parentId":"0000000e","timestamp":"2025-01-01T10:04:00.000Z","name":"x"}"#;
    text.push(nameless);
    let path = home.session(ID, &text);
    let made = home.json(&["session", "fork", path.to_str().unwrap(), "--clone", "--json"]);
    assert_eq!(made["entryCount"], 12);
}

#[test]
fn compact_keeps_the_newest_and_tells_what_it_would_do() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    let before = std::fs::read(&path).unwrap();
    let assert = home.pi_brain(&["session", "compact", file]).code(1);
    assert!(errors_of(&assert).contains("--keep-tokens"), "{}", errors_of(&assert));
    // pi reads 2e1 as a number like any other.
    let settings = home.path().join(".pi/agent/settings.json");
    std::fs::write(&settings, r#"{"compaction": {"keepRecentTokens": 2e1}}"#).unwrap();
    home.pi_brain(&["session", "compact", file, "--dry-run"]).success();
    std::fs::remove_file(&settings).unwrap();
    let plan = home.stdout(&["session", "compact", file, "--dry-run", "--keep-tokens", "10"]);
    assert!(plan.contains("Would summarise"), "{plan}");
    assert!(plan.contains("The cut goes through a turn"), "{plan}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let arguments = [
        "session",
        "compact",
        file,
        "--keep-tokens",
        "10",
        "--instructions",
        "what about checkout?",
    ];
    home.pi_brain(&arguments).success();
    let last = lines(&path).pop().unwrap();
    assert_eq!(last["type"], "compaction");
    assert_eq!(last["details"]["source"], "built-in");
    assert_eq!(last["details"]["instructions"], "what about checkout?");
    let summary = last["summary"].as_str().unwrap();
    assert!(summary.contains("Why is the cart empty after login?"), "{summary}");
    let context = home.json(&["session", "context", file, "--json"]);
    assert_eq!(context["messages"][0]["role"], "compactionSummary");
    // There is nothing left to compact.
    let assert = home.pi_brain(&["session", "compact", file, "--keep-tokens", "10"]).code(1);
    assert!(errors_of(&assert).contains("is a compaction already"), "{}", errors_of(&assert));
}

#[test]
fn migrate_keeps_the_original_and_is_the_same_twice() {
    let home = Home::new();
    let old: Vec<String> = SHOP
        .iter()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            let members = value.as_object_mut().unwrap();
            members.remove("version");
            if members["type"] != "session" {
                members.remove("id");
                members.remove("parentId");
            }
            value.to_string()
        })
        .collect();
    let path = home.session(ID, &old.iter().map(String::as_str).collect::<Vec<_>>());
    let file = path.to_str().unwrap();
    let before = std::fs::read(&path).unwrap();
    let refused = home.pi_brain(&["session", "name", file, "x"]).code(1);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("session migrate"));
    assert_eq!(std::fs::read(&path).unwrap(), before, "reading never migrates a file");
    let fork = home.json(&["session", "fork", file, "--clone", "--json"]);
    assert_eq!(lines(&PathBuf::from(fork["path"].as_str().unwrap()))[0]["version"], 3);
    assert_eq!(std::fs::read(&path).unwrap(), before, "nor does forking");
    let context = home.json(&["session", "context", file, "--json"]);
    home.pi_brain(&["session", "migrate", file]).success();
    let (migrated, name) = (std::fs::read(&path).unwrap(), ["session", "name", file, "x"]);
    home.pi_brain(&name).success();
    std::fs::write(&path, migrated).unwrap();
    assert_eq!(home.json(&["session", "context", file, "--json"]), context);
    let once = std::fs::read(&path).unwrap();
    age(&path);
    home.pi_brain(&["session", "migrate", file]).success();
    assert_eq!(std::fs::read(&path).unwrap(), once);
    let original = path.with_extension("jsonl.v1.bak");
    assert_eq!(std::fs::read(original).unwrap(), before);
}

/// The system refuses to let the file grow, as a full disk does.
#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let home = Home::new();
    let mut text = SHOP.to_vec();
    let filler = format!(
        r#"{{"type":"custom","customType":"x","data":"{}","id":"f","parentId":null,"timestamp":"2025-01-01T10:03:01.000Z"}}"#,
        "x".repeat(1024 - 150)
    );
    text.push(&filler);
    let path = home.session(ID, &text);
    let size = std::fs::metadata(&path).unwrap().len();
    let before = std::fs::read(&path).unwrap();
    let kilobytes = size.div_ceil(1024);
    // A long label, so that only a part of it finds room.
    let label = "y".repeat(2000);
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let script = format!(
        "trap '' XFSZ; ulimit -f {kilobytes}; exec {} session label {} 00000002 {label}",
        program.display(),
        path.display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .env("HOME", home.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("could not write"), "{errors}");
    assert!(std::fs::read(&path).unwrap().starts_with(&before), "what was there is still there");
    // With room again, the next entry goes on a line of its own.
    home.pi_brain(&["session", "label", path.to_str().unwrap(), "00000002", "short", "--force"])
        .success();
    assert_eq!(
        home.json(&["session", "dump", path.to_str().unwrap()])["labels"]["00000002"],
        "short"
    );
}
