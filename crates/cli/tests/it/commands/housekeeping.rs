//! Taking in, forgetting, backing up, and looking after it all.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use insta::assert_snapshot;

use super::brain::{demo_home, filtered};
use super::{ID, errors_of, fork_of_shop, shop};
use crate::support::Home;

/// Every file below a folder: what is in it, and when it was written.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let written = entry.metadata().unwrap().modified().unwrap();
                all.insert(path.clone(), (fs::read(&path).unwrap(), written));
            }
        }
    }
    all
}

fn node_files(home: &Home) -> Vec<PathBuf> {
    files(&home.path().join(".pi-brain/nodes")).into_keys().collect()
}

#[test]
fn ingest_says_what_it_did() {
    let home = demo_home();
    let report = home.json(&["ingest", "--json"]);
    let keys = ["files", "bytes", "entries", "messages", "nodes", "edges", "problems", "seconds"];
    assert!(keys.iter().all(|key| report[key].is_number()), "{report}");
    assert_eq!(report["files"], 25);
    assert!(home.stdout(&["ingest"]).starts_with("25 session files, nothing new"));
    let text = home.stdout(&["rebuild"]);
    filtered! { assert_snapshot!(text) }
    Home::new().pi_brain(&["ingest"]).code(3);
}

/// Every command of the brain, once: session files stay as they are.
#[test]
fn session_files_are_never_touched() {
    let home = demo_home();
    let sessions = home.path().join(".pi/agent/sessions");
    let before = files(&sessions);
    assert_eq!(before.len(), 25);
    let nodes = home.json(&["nodes", "--json"]);
    let id = |at: usize| nodes[at]["id"].as_str().unwrap().to_owned();
    let (one, other) = (id(0), id(1));
    let session = nodes[0]["sessionId"].as_str().unwrap();
    for arguments in [
        &["ingest"][..],
        &["search", "tmux"],
        &["search", "--deep", "tmux"],
        &["nodes", "--no-refresh"],
        &["node", "show", &one],
        &["node", "versions", &one],
        &["node", "feedback", &one, "content.outcome", "partial"],
        &["node", "diff", &one],
        &["node", "flag", &one, "note", "x"],
        &["node", "hide", &one],
        &["node", "unhide", &one],
        &["edges", "add", &one, &other],
        &["edges", "list"],
        &["forget", session, "--yes"],
        &["forget", session, "--undo"],
        &["backup", "copy", "--all"],
        &["rebuild"],
        &["doctor"],
        &[],
    ] {
        home.pi_brain(arguments).success();
    }
    assert!(files(&sessions) == before, "a session file has changed");
}

#[test]
fn what_is_forgotten_is_gone() {
    let home = demo_home();
    let words = "\"clipboard anymore since\"";
    let found = home.json(&["search", words, "--json"]);
    let session = found["results"][0]["session"].as_str().unwrap();
    let file = found["results"][0]["file"].as_str().unwrap();
    let node = found["results"][0]["node"].as_str().unwrap();
    home.pi_brain(&["node", "feedback", node, "content.summary", "The clipboard works."]).success();
    let before = node_files(&home);
    let of_node = |path: &&PathBuf| path.to_string_lossy().contains(node);
    assert_eq!(before.iter().filter(of_node).count(), 2);

    let text = home.stdout(&["forget", session]);
    assert!(text.contains("1 session would be forgotten") && text.contains("--yes"), "{text}");
    assert_eq!(node_files(&home), before);
    home.pi_brain(&["forget", session, "--yes"]).success();
    home.pi_brain(&["search", words]).code(3);
    home.pi_brain(&["search", "--deep", words]).code(3);
    home.pi_brain(&["node", "show", node]).code(3);
    assert_eq!(node_files(&home).iter().filter(of_node).count(), 0);
    let left = fs::read_dir(home.path().join(".pi-brain/index")).unwrap().flatten();
    let left =
        left.map(|file| fs::read(file.path()).unwrap_or_default()).collect::<Vec<_>>().concat();
    assert!(!String::from_utf8_lossy(&left).contains("clipboard"), "its words are in the index");
    assert!(home.stdout(&["forget"]).contains(session));
    assert_eq!(home.json(&["forget", "--json"])["forgotten"][0], file);
    home.pi_brain(&["rebuild"]).success();
    home.pi_brain(&["node", "show", node]).code(3);

    home.pi_brain(&["forget", file, "--undo"]).success();
    assert!(home.stdout(&["forget"]).starts_with("Nothing is forgotten"));
    let back = home.json(&["node", "show", node, "--json"]);
    assert_eq!(
        back["content"]["summary"], "The clipboard works.",
        "what the user said holds again"
    );
    home.pi_brain(&["rebuild"]).success();
    assert_eq!(home.json(&["node", "show", node, "--json"]), back);

    let nodes = |project: &str| home.json(&["nodes", "--project", project, "--json"]);
    let others = nodes("shop");
    assert!(!nodes("dotfiles").as_array().unwrap().is_empty());
    home.pi_brain(&["forget", "--project", "dotfiles", "--yes"]).success();
    assert_eq!((nodes("dotfiles"), nodes("shop")), (serde_json::json!([]), others));
    home.pi_brain(&["forget", "--project", "dotfiles", "--undo"]).success();
    assert!(!nodes("dotfiles").as_array().unwrap().is_empty());
    home.pi_brain(&["forget", "--project", "nothing"]).code(3);
    home.pi_brain(&["forget", "0000ffff"]).code(3);
}

/// A crash right after the journal was written loses nothing: the next command does the rest.
#[test]
fn forgetting_is_done_to_the_end() {
    let home = Home::new();
    let path = shop(&home);
    let node = home.json(&["nodes", "--json"])[0]["id"].as_str().unwrap().to_owned();
    // Feedback gives the node a second version.
    home.pi_brain(&["node", "feedback", &node, "content.summary", "- Carts."]).success();
    let line = serde_json::json!({
        "time": "2026-01-01T00:00:00.000Z",
        "action": "forget",
        "file": path.to_str().unwrap(),
    });
    let journal = home.path().join(".pi-brain/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, format!("{text}{line}\n")).unwrap();
    home.pi_brain(&["search", "cart"]).code(3);
    home.pi_brain(&["node", "show", &node]).code(3);
    assert_eq!(node_files(&home), Vec::<PathBuf>::new());
}

/// What a fork repeats stays known, from the fork, with what the user said about it.
#[test]
fn a_fork_keeps_what_it_repeats() {
    let home = Home::new();
    let fork = fork_of_shop(&home);
    let at = home.json(&["node", "at", fork.to_str().unwrap(), "00000005", "--json"]);
    let node = at["node"].as_str().unwrap().to_owned();
    home.pi_brain(&["node", "feedback", &node, "content.summary", "Carts."]).success();
    home.pi_brain(&["node", "hide", &node]).success();
    home.pi_brain(&["forget", ID, "--yes"]).success();
    let kept = home.json(&["node", "show", &node, "--json"]);
    assert_eq!(kept["content"]["summary"], "Carts.");
    assert_eq!(kept["source"]["sessionFile"], fork.to_str().unwrap());
    assert!(home.stdout(&["node", "show", &node]).lines().next().unwrap().ends_with("hidden"));
    for file in node_files(&home) {
        let text = fs::read_to_string(file).unwrap();
        assert!(!text.contains("races with checkout"), "{text}");
    }
    home.pi_brain(&["search", "races"]).code(3);
    home.pi_brain(&["search", "cart"]).success();
}

#[test]
fn a_backup_brings_everything_back() {
    let home = demo_home();
    let node = home.json(&["nodes", "--json"])[0]["id"].as_str().unwrap().to_owned();
    home.pi_brain(&["node", "feedback", &node, "content.outcome", "partial"]).success();
    home.pi_brain(&["node", "flag", &node, "note", "kept"]).success();
    let tree = home.stdout(&["forest", "root"]);
    let text = home.stdout(&["backup", "copy"]);
    assert!(text.contains("copied to ~/copy"), "{text}");
    let copy = home.path().join("copy");
    assert!(!copy.join("brain.db").exists() && !copy.join("index").exists());
    for (file, _) in files(&copy) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o700);
    let all = home.json(&["backup", "whole", "--all", "--json"]);
    assert_eq!(all["database"], true);
    assert!(home.path().join("whole/brain.db").exists());

    for (folder, words) in [("copy", "not empty"), (".pi-brain/copy", "lies in the data folder")] {
        let assert = home.pi_brain(&["backup", folder]).code(2);
        assert!(errors_of(&assert).contains(words));
        assert!(!home.path().join(".pi-brain/copy").exists());
    }

    let shown = home.stdout(&["node", "show", &node]);
    for copy in ["copy", "whole"] {
        let data = home.path().join(".pi-brain");
        fs::remove_dir_all(&data).unwrap();
        fs::rename(home.path().join(copy), &data).unwrap();
        if copy == "copy" {
            home.pi_brain(&["rebuild"]).success();
        }
        assert_eq!(home.stdout(&["node", "show", &node]), shown);
        assert_eq!(home.stdout(&["forest", "root"]), tree);
        home.pi_brain(&["search", "trigram"]).success();
    }
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let home = Home::new();
    let check = |code: i32, words: &str| {
        let text = home.pi_brain(&["doctor"]).code(code).get_output().stdout.clone();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(words), "{words}: {text}");
        text
    };
    check(1, "cannot be looked into: it is not there");
    assert!(!home.path().join(".pi-brain").exists(), "looking makes nothing");
    shop(&home);
    let text = check(0, "nothing was taken in yet");
    assert!(text.contains("pi-brain ingest"));
    home.session("broken", &["no session"]);
    home.pi_brain(&["ingest"]).success();
    let text = check(0, "broken.jsonl is not a pi session");
    filtered! { assert_snapshot!(text) }
    let json = home.json(&["doctor", "--json"]);
    assert_eq!(json["inOrder"], true);
    assert_eq!(json["details"]["brain"]["files"], 1);
    assert!(json["findings"].as_array().unwrap().iter().all(|found| found["state"] != "problem"));

    let data = home.path().join(".pi-brain");
    let open = |mode| fs::set_permissions(&data, fs::Permissions::from_mode(mode)).unwrap();
    open(0o755);
    check(1, "chmod 700 ~/.pi-brain");
    open(0o700);
    fs::write(data.join("journal.jsonl"), "{\"time\":\n").unwrap();
    check(1, "1 line cannot be read, the first is line 1");
    fs::remove_file(data.join("journal.jsonl")).unwrap();
    let node = node_files(&home).remove(0);
    let text = fs::read(&node).unwrap();
    fs::remove_file(&node).unwrap();
    check(1, "file is missing");
    fs::write(&node, text).unwrap();
    fs::remove_dir_all(data.join("index")).unwrap();
    check(1, "it has been lost");
    home.pi_brain(&["ingest"]).success();
    check(0, "up to date");
    fs::write(data.join("config.toml"), "sources = 3").unwrap();
    check(1, "settings");
    fs::remove_file(data.join("config.toml")).unwrap();
    fs::write(data.join("brain.db"), "no database").unwrap();
    let _ = fs::remove_file(data.join("brain.db-wal"));
    check(1, "pi-brain rebuild");
    home.pi_brain(&["rebuild"]).success();
    check(0, "up to date");
}
