//! Searching, and units of work, on the demo set.

use std::sync::OnceLock;

use insta::assert_snapshot;
use serde_json::Value;

use super::errors_of;
use crate::support::Home;

/// A home with the demo set where pi keeps its sessions.
pub(super) fn demo_home() -> Home {
    let home = Home::new();
    home.pi_brain(&["demo", ".pi"]).success();
    home
}

/// One such home for all tests that only look.
pub(super) fn shared_home() -> &'static Home {
    static HOME: OnceLock<Home> = OnceLock::new();
    HOME.get_or_init(|| {
        let home = demo_home();
        home.pi_brain(&["ingest"]).success();
        home
    })
}

/// Takes times out of what is printed, and the name of this machine.
macro_rules! filtered {
    ($($body:tt)*) => {
        insta::with_settings!({filters => vec![
            (r"\b(\d+ (d|h|min) ago|just now|\d{4}-\d\d-\d\d)\b( \d\d:\d\d)?( \(\d d ago\))? *", "[when] "),
            (r"\d+(\.\d+)? (ms|s)\b", "[time]"),
            (r" on \S+\n", " on [computer]\n"),
            (r"WHEN +", "WHEN "),
            (r"\d+(\.\d+)? [kMG]?B\b", "[size]"),
        ]}, { $($body)* })
    };
}
pub(super) use filtered;

fn check_failure(home: &Home, arguments: &[&str], code: i32, words: &str) {
    let assert = home.pi_brain(arguments).code(code);
    let errors = errors_of(&assert);
    assert!(errors.contains(words), "{arguments:?}: {errors}");
}

#[test]
fn the_demo_is_taken_in_and_searched() {
    let home = Home::new();
    let text = home.stdout(&["demo"]);
    filtered! { assert_snapshot!(text) }
    // What is derived from it does not mix with what is the user's.
    check_failure(&home, &["nodes"], 3, "no unit of work fits");
}

#[test]
fn search_groups_by_unit_of_work() {
    let home = shared_home();
    let text = home.stdout(&["search", "why fts5 instead of meilisearch", "--limit", "5"]);
    filtered! { assert_snapshot!(text) }
    let abandoned = home.stdout(&["search", "is:abandoned", "pdf"]);
    filtered! { assert_snapshot!("search_abandoned", abandoned) }
    // The words are marked where there are colours.
    let coloured = home.stdout(&["search", "trigram", "--color", "always", "--limit", "1"]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[4mtrigram"), "{coloured:?}");
}

#[test]
fn search_results_are_flat_as_json() {
    let home = shared_home();
    let found = home.json(&["search", "trigram", "--json", "--limit", "4"]);
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    assert!(found["total"].as_u64().unwrap() > 4 && found["tookMs"].is_number());
    let keys = [
        "kind", "score", "node", "session", "entry", "file", "line", "project", "time", "branch",
        "snippet",
    ];
    for result in results {
        let fields = result.as_object().unwrap();
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        let mut wanted = keys.to_vec();
        names.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
        // Every result says where it stands.
        let text = std::fs::read_to_string(result["file"].as_str().unwrap()).unwrap();
        let line = usize::try_from(result["line"].as_u64().unwrap()).unwrap();
        let entry: Value = serde_json::from_str(text.lines().nth(line - 1).unwrap()).unwrap();
        assert_eq!(entry["id"], result["entry"]);
    }
    let second = home.json(&["search", "trigram", "--json", "--limit", "2", "--offset", "2"]);
    let places = |results: &[Value]| -> Vec<(Value, Value)> {
        results.iter().map(|result| (result["file"].clone(), result["line"].clone())).collect()
    };
    assert_eq!(places(second["results"].as_array().unwrap()), places(&results[2..]));
    let none = home.json(&["search", "nowhere-to-be-found", "--json"]);
    assert_eq!((&none["results"], &none["total"]), (&serde_json::json!([]), &0.into()));
}

#[test]
fn search_says_what_to_try_when_nothing_is_found() {
    let home = shared_home();
    check_failure(home, &["search", "zebrafish"], 3, "--deep");
    check_failure(home, &["search", "zebrafish", "project:zoo"], 3, "leave out a filter");
    check_failure(home, &["search", "zebrafish", "--deep"], 3, "try other words");
    check_failure(home, &["search", "after:soon", "x"], 2, "is no date");
    check_failure(home, &["search", "trigram", "--offset", "500"], 3, "there are only");
}

/// The middle of long output is not in the index; a deep search finds it, once, in its unit of work.
#[test]
fn deep_search_finds_what_the_index_leaves_out() {
    let home = Home::new();
    let long: Vec<String> = (0..3000).map(|number| format!("line {number} of the build")).collect();
    let output = long.join("\\n").replacen("line 1500 of", "line needle0xbeef of", 1);
    let tool = super::SHOP[4].replace("FAIL cart.test.ts", &output);
    let mut lines = super::SHOP;
    lines[4] = &tool;
    let path = home.session(super::ID, &lines);
    check_failure(&home, &["search", "needle0xbeef"], 3, "--deep");
    let found = home.json(&["search", "needle0xbeef", "--deep", "--json"]);
    let [only] = &found["results"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&only["entry"], &only["line"]), (&"00000004".into(), &5.into()));
    assert_eq!(only["file"], path.to_str().unwrap());
    assert_eq!((&only["branch"], &only["kind"]), (&"active".into(), &"message".into()));
    assert!(only["node"].is_string());
    // What the index has comes first, and not twice.
    let all = home.json(&["search", "cart", "--deep", "--json", "--limit", "50"]);
    let results = all["results"].as_array().unwrap();
    let mut entries: Vec<&Value> = results
        .iter()
        .filter(|result| result["kind"] == "message")
        .map(|result| &result["entry"])
        .collect();
    let count = entries.len();
    entries.sort_by_key(ToString::to_string);
    entries.dedup();
    assert_eq!((entries.len(), all["total"].as_u64().unwrap()), (count, results.len() as u64));
    check_failure(
        &home,
        &["search", "needle0xbeef", "--deep", "type:planning"],
        3,
        "nothing found",
    );
    check_failure(&home, &["search", "needle0xbeef", "--deep", "is:abandoned"], 3, "nothing found");
    assert!(home.stdout(&["search", "needle0xbeef", "--deep"]).contains("tool 00000004"));
}

#[test]
fn work_that_goes_on_is_open() {
    let home = Home::new();
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    let header = super::SHOP[0].replace("2025-01-01T10:00:00.000Z", &now);
    let said =
        super::SHOP[2].replace("2025-01-01T10:00:01.000Z", &now).replace("\"00000001\"", "null");
    home.session(super::ID, &[&header, &said]);
    let text = home.stdout(&["search", "cart"]);
    assert!(text.contains("open work") && text.contains("you 00000002"), "{text}");
    let at = home.json(&["node", "at", "latest", "00000002", "--json"]);
    assert_eq!((&at["state"], &at["node"]), (&"open".into(), &Value::Null));
    assert!(home.stdout(&["node", "at", "latest", "00000002"]).contains("open work"));
}

/// Returns the id of the node that a message of the demo belongs to.
fn node_with(home: &Home, words: &str) -> String {
    let found = home.json(&["search", words, "--json", "--limit", "1"]);
    found["results"][0]["node"].as_str().unwrap().to_owned()
}

#[test]
fn a_node_is_shown_listed_and_found_by_an_entry() {
    let home = shared_home();
    let id = node_with(home, "\"parse error in tokenizer directive\"");
    let text = home.stdout(&["node", "show", &id[..6]]);
    filtered! { assert_snapshot!(text) }
    let quoted = home.stdout(&["node", "show", &id, "--evidence"]);
    assert!(quoted.len() > text.len() && quoted.lines().count() > text.lines().count());
    // Below the goal stands the entry that says it.
    let goal = quoted.lines().skip_while(|line| *line != "Goal").nth(1).unwrap().trim();
    let evidence: Vec<&str> = quoted.lines().filter(|line| line.starts_with("    ")).collect();
    let words: String = goal.chars().take(40).collect();
    assert!(
        evidence.iter().any(|line| line.contains("  user ") && line.contains(&words)),
        "{quoted}"
    );
    let json = home.json(&["node", "show", &id, "--json"]);
    assert_eq!(json["id"], id);
    let file =
        std::fs::read_to_string(home.path().join(format!(".pi-brain/nodes/2026/10/{id}-v1.json")));
    assert_eq!(serde_json::from_str::<Value>(&file.unwrap()).unwrap(), json);
    let session = json["source"]["sessionId"].as_str().unwrap();
    let entry = json["source"]["segment"]["startEntryId"].as_str().unwrap();
    let at = home.json(&["node", "at", session, entry, "--json"]);
    assert_eq!((&at["node"], &at["state"]), (&id.clone().into(), &"node".into()));
    assert!(home.stdout(&["node", "at", session, entry]).contains(&id));

    let list = home.stdout(&["nodes", "--limit", "6"]);
    filtered! { assert_snapshot!("nodes", list) }
    let count = |arguments: &[&str]| {
        let nodes = home.json(&[&["nodes", "--json", "--no-refresh"], arguments].concat());
        nodes.as_array().unwrap().len()
    };
    let all = count(&[]);
    assert!(all > 40);
    assert_eq!(count(&["--limit", "3"]), 3);
    let of_project: usize = ["shop", "ledger", "weather", "dotfiles"]
        .iter()
        .map(|name| count(&["--project", name]))
        .sum();
    assert_eq!(of_project, all);
    assert_eq!(count(&["--before", "2026-10-15"]) + count(&["--since", "2026-10-15"]), all);
    let outcomes = ["success", "partial", "failed", "abandoned"];
    assert_eq!(outcomes.iter().map(|word| count(&["--outcome", word])).sum::<usize>(), all);
    for (arguments, some) in [
        (["--session", &session[..13]], 3),
        (["--type", "debugging"], 1),
        (["--file", "008_search.sql"], 1),
        (["--tag", "SQLite"], 1),
    ] {
        let found = count(&arguments);
        assert!((some..all).contains(&found), "{arguments:?}: {found}");
    }
    let costs = home.json(&["nodes", "--json", "--sort", "cost"]);
    let costs: Vec<f64> =
        costs.as_array().unwrap().iter().map(|node| node["cost"].as_f64().unwrap()).collect();
    assert!(costs.is_sorted_by(|one, other| one >= other));
}

#[test]
fn corrections_make_versions_that_last() {
    let home = demo_home();
    let id = node_with(&home, "\"parse error in tokenizer directive\"");
    check_failure(&home, &["node", "diff", &id], 3, "no version before");
    let text = home.stdout(&["node", "feedback", &id, "content.outcome", "failed"]);
    assert_eq!(text, format!("{id}-v2 now says \"failed\" at content.outcome\n"));
    let again = home.stdout(&["node", "feedback", &id, "content.outcome", "failed"]);
    assert!(again.contains("-v2 says so already"), "{again}");
    home.pi_brain(&["node", "feedback", &id, "semantic.tags", r#"["wrong"]"#]).success();
    home.pi_brain(&["node", "feedback", &id, "semantic.tags", r#"["search"]"#]).success();
    let node = home.json(&["node", "show", &id, "--json"]);
    assert_eq!((&node["version"], &node["content"]["outcome"]), (&4.into(), &"failed".into()));
    assert_eq!(node["semantic"]["tags"], serde_json::json!(["search"]));
    let first = home.json(&["node", "show", &format!("{id}-v1"), "--json"]);
    assert_eq!(first["content"]["outcome"], "success");
    let text = home.stdout(&["node", "diff", &id, "1", "2"]);
    filtered! { assert_snapshot!(text) }
    let diff = home.json(&["node", "diff", &id, "--json"]);
    assert_eq!((&diff["fromVersion"], &diff["toVersion"]), (&3.into(), &4.into()));
    let of_second = home.json(&["node", "diff", &format!("{id}-v2"), "--json"]);
    assert_eq!((&of_second["fromVersion"], &of_second["toVersion"]), (&1.into(), &2.into()));
    let versions = home.json(&["node", "versions", &id, "--json"]);
    let triggers: Vec<&Value> =
        versions.as_array().unwrap().iter().map(|version| &version["trigger"]).collect();
    assert_eq!(triggers, ["initial", "user_feedback", "user_feedback", "user_feedback"]);
    assert_eq!(home.stdout(&["node", "versions", &id]).lines().count(), 5);

    check_failure(&home, &["node", "feedback", &id, "content.outcome", "great"], 2, "does not fit");
    check_failure(
        &home,
        &["node", "feedback", &id, "metadata.cost", "0"],
        2,
        "cannot be corrected",
    );
    check_failure(
        &home,
        &["node", "feedback", &format!("{id}-v1"), "x", "y"],
        2,
        "leave out the -v",
    );
    check_failure(&home, &["node", "show", "ffff"], 3, "pi-brain nodes");
    check_failure(&home, &["node", "show", &format!("{id}-v9")], 3, "pi-brain nodes");
    check_failure(&home, &["node", "show", "abc"], 2, "4 to 16 hex digits");
    check_failure(&home, &["node", "show", "nothex"], 2, "4 to 16 hex digits");

    // The journal outlives the database.
    home.pi_brain(&["rebuild"]).success();
    let node = home.json(&["node", "show", &id, "--json"]);
    assert_eq!(node["content"]["outcome"], "failed");
    assert_eq!(node["version"], 4, "rebuilding is no reason for a version");
}

#[test]
fn nodes_can_be_noted_hidden_and_linked() {
    let home = demo_home();
    let nodes = home.json(&["nodes", "--json"]);
    let id = |at: usize| nodes[at]["id"].as_str().unwrap();
    home.pi_brain(&["node", "flag", id(0), "win", "a plan first"]).success();
    assert!(home.stdout(&["node", "show", id(0)]).contains("\nNotes\n  win: a plan first\n"));
    check_failure(&home, &["node", "flag", id(0), "joy", "x"], 2, "quirk");

    let words = nodes[0]["goal"].as_str().unwrap();
    let found = |kind: &str| {
        let query = format!("{words} kind:node");
        let found = home.json(&["search", &query, "--json"]);
        found["results"].as_array().unwrap().iter().any(|result| result["node"] == kind)
    };
    assert!(found(id(0)));
    home.pi_brain(&["node", "hide", id(0)]).success();
    assert!(!found(id(0)));
    let list = |more: &[&str]| home.json(&[&["nodes", "--json"], more].concat());
    assert_eq!(list(&[])[0]["id"], id(1));
    assert_eq!(list(&["--hidden"])[0]["id"], id(0));
    assert!(home.stdout(&["node", "show", id(0)]).lines().next().unwrap().ends_with("hidden"));
    home.pi_brain(&["node", "unhide", id(0)]).success();
    assert!(found(id(0)) && list(&[])[0]["id"] == id(0));

    let all = home.json(&["edges", "list", "--json"]);
    let before = all.as_array().unwrap().len();
    let add = ["edges", "add", id(0), id(7), "--type", "reference", "--reason", "the same lock"];
    let text = home.stdout(&add);
    let edge = text.trim().rsplit(' ').next().unwrap().to_owned();
    home.pi_brain(&add).success();
    assert_eq!(home.json(&["edges", "list", "--json"]).as_array().unwrap().len(), before + 1);
    let of_node = home.json(&["edges", "list", &id(7)[..8], "--json"]);
    let drawn = of_node.as_array().unwrap().iter().find(|one| one["id"] == *edge).unwrap();
    assert_eq!((&drawn["type"], &drawn["createdBy"]), (&"reference".into(), &"user".into()));
    assert_eq!(drawn["ext"]["reason"], "the same lock");
    let text = home.stdout(&["edges", "list", "--limit", "3"]);
    filtered! { assert_snapshot!(text) }
    assert!(home.stdout(&["node", "show", id(7)]).contains("the same lock"));
    let by = |creator: &str| {
        let edge = all.as_array().unwrap().iter().find(|edge| edge["createdBy"] == creator);
        edge.unwrap()["id"].as_str().unwrap()
    };
    let structural = by("boundary");
    check_failure(&home, &["edges", "remove", by("daemon")], 2, "have in common");
    check_failure(&home, &["edges", "remove", structural], 2, "follows from the sessions");
    check_failure(&home, &["edges", "add", id(0), id(0)], 2, "the same unit of work");
    check_failure(&home, &["edges", "add", id(0), id(1), "--type", "fork"], 2, "invalid value");
    home.pi_brain(&["edges", "remove", &edge]).success();
    check_failure(&home, &["edges", "remove", &edge], 3, "edges list");
    assert_eq!(home.json(&["edges", "list", "--json"]), all);
}

/// What others wrote must neither move the cursor nor pretend to be a line of ours.
#[test]
fn hostile_text_does_not_reach_the_terminal() {
    const EVIL: &str = r"x\u001b[2J\u009b31m\u202e\nFORGED\r\nFORGED\u0007";
    let home = Home::new();
    let fields = [
        r#""provider":""#,
        r#""model":""#,
        r#""toolName":""#,
        r#""name":""#,
        r#""cwd":""#,
        r#""path":""#,
        r#""command":""#,
        r#""text":""#,
        r#""summary":""#,
        r#""content":""#,
    ];
    let evil = |line: &&str| {
        let with = |line: String, field: &&str| line.replace(*field, &format!("{field}{EVIL}"));
        fields.iter().fold((*line).to_owned(), with)
    };
    let lines: Vec<String> = super::SHOP.iter().map(evil).collect();
    let path = home.session(super::ID, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    std::fs::rename(&path, path.with_file_name("\u{1b}[2J\u{9b}31m\nFORGED\u{202e}.jsonl"))
        .unwrap();
    home.session("\u{1b}[2J\nFORGED", &["no session"]);

    let nodes = home.json(&["nodes", "--json"]);
    let id = |at: usize| nodes[at]["id"].as_str().unwrap();
    let bad = "\u{1b}[2J\u{9b}31m\u{202e}\nFORGED";
    home.pi_brain(&["node", "feedback", id(0), "content.summary", bad]).success();
    home.pi_brain(&["node", "flag", id(0), "note", bad]).success();
    home.pi_brain(&["edges", "add", id(0), id(1), "--reason", bad]).success();
    for arguments in [
        &["search", "cart"][..],
        &["search", "session id changed"],
        &["search", "--deep", "session id changed"],
        &["search", "nowhere", bad],
        &["nodes"],
        &["nodes", "--session", bad],
        &["node", "show", id(0)],
        &["node", "show", id(1)],
        &["node", "show", bad],
        &["node", "diff", id(0)],
        &["node", "versions", id(0)],
        &["node", "at", "latest", "00000005"],
        &["node", "feedback", id(0), bad, "x"],
        &["edges", "list"],
        &["edges", "remove", bad],
        &["forget", super::ID],
        &["doctor"],
        &["rebuild"],
        &[],
    ] {
        let output = home.command(arguments).output().unwrap();
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!told.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}', '\r']), "{told:?}");
        assert!(!told.lines().any(|line| line.starts_with("FORGED")), "{arguments:?}: {told}");
        assert!(!told.is_empty());
    }
}

#[test]
fn who_wants_to_write_waits_for_who_writes() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let home = Home::new();
    super::shop(&home);
    let node = home.json(&["nodes", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let folder = pi_brain_store::DataFolder::create(&home.path().join(".pi-brain")).unwrap();
    for arguments in [
        &["ingest"][..],
        &["node", "feedback", &node, "content.outcome", "failed"],
        &["node", "flag", &node, "note", "x"],
        &["forget", super::ID, "--yes"],
        &["backup", "copy"],
        &["rebuild"],
    ] {
        let lock = folder.lock("test").unwrap();
        let mut waiting = Command::new(assert_cmd::cargo::cargo_bin!("pi-brain"))
            .args(arguments)
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(waiting.stderr.take().unwrap());
        let mut told = String::new();
        errors.read_line(&mut told).unwrap();
        assert!(told.contains("waiting for pi-brain test (process"), "{arguments:?}: {told}");
        // Who only reads is answered meanwhile.
        let assert = home.pi_brain(&["nodes", "--json"]).success();
        assert!(errors_of(&assert).contains("another pi-brain is taking sessions in"));
        drop(lock);
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        assert!(waiting.wait().unwrap().success(), "{arguments:?}: {rest}");
    }
}
