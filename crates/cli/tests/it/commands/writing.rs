//! What the commands that write leave in the file.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ID, SHOP, errors_of, lines, shop};
use crate::support::{Home, age};

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
