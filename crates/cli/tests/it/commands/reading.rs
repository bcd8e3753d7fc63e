//! What the commands that read print.

use insta::assert_snapshot;

use super::{ID, SHOP, shop};
use crate::support::Home;

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
