//! Every command: what it prints, what it writes, and how it fails.

use std::path::PathBuf;

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
    let output = home.pi_brain(&["sessions"]).failure().get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&output).contains("settings.json are not valid JSON"));
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
    assert!(!PathBuf::from("/no/such/file.jsonl").exists());
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
    home.pi_brain(&["session", "label", file, "cause found", "--clear", "--force"]).success();
    home.pi_brain(&["session", "name", file, "Carts", "--force"]).success();
    let after = std::fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(&before), "old lines must stay as they are");
    let dump = home.json(&["session", "dump", file]);
    assert_eq!(dump["labels"], serde_json::json!({"00000002": "the question"}));
    assert_eq!(dump["name"], "Carts");
    home.pi_brain(&["session", "name", file, "--clear", "--force"]).success();
    assert_eq!(home.json(&["session", "dump", file])["name"], Value::Null);
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
        &["migrate", file],
    ] {
        let assert = home.pi_brain(&[&["session"], command].concat()).code(1);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains("--force"), "{errors}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    home.pi_brain(&["session", "name", file, "x", "--force"]).success();
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
    assert_eq!(ids, ["00000002", "0000000c"]);

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
fn compact_keeps_the_newest_and_tells_what_it_would_do() {
    let home = Home::new();
    let path = shop(&home);
    let file = path.to_str().unwrap();
    let before = std::fs::read(&path).unwrap();
    home.pi_brain(&["session", "compact", file]).code(2);
    let plan = home.stdout(&["session", "compact", file, "--dry-run", "--keep-tokens", "10"]);
    assert!(plan.contains("Would summarise"), "{plan}");
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
    home.pi_brain(&["session", "compact", file, "--keep-tokens", "10", "--force"]).code(2);
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
    let context = home.json(&["session", "context", file, "--json"]);
    home.pi_brain(&["session", "migrate", file]).success();
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
