//! pi sessions in the forest, and out of it again.

use insta::assert_snapshot;
use serde_json::json;

use super::{fails, json, told, without_times};
use crate::commands::{ID, SHOP, errors_of, fork_of_shop, shop};
use crate::support::Home;

#[test]
fn forks_share_one_tree() {
    let home = Home::new();
    shop(&home);
    fork_of_shop(&home);
    assert_snapshot!("import", told(&home, &["import", ID, "--family"]));
    assert_snapshot!("import_again", told(&home, &["import", ID, "0190bbbb", ID]));
    assert_snapshot!("tree_of_a_family", told(&home, &["tree"]));
    assert_snapshot!("roots_with_a_family", told(&home, &["roots"]));
    assert_snapshot!("bookmarks_and_labels", told(&home, &["bookmark"]));
    let imported = json(&home, &["import", ID, "--family"]);
    assert_eq!(imported["sessions"][1]["news"], "known");
    assert_eq!(imported["trees"][0]["sessions"].as_array().unwrap().len(), 2);
    let cost = &imported["trees"][0]["cost"];
    assert!(cost["honest"].as_f64().unwrap() < cost["naive"].as_f64().unwrap(), "{cost}");
    told(&home, &["check"]);
}

#[test]
fn a_session_that_grew_brings_in_what_is_new() {
    let home = Home::new();
    let path = shop(&home);
    told(&home, &["import", "latest"]);
    let more = SHOP[12].replace("0000000c", "000000aa").replace("0000000b", "0000000e");
    let more = more.replace("Then key the cart by user.", "And now?");
    std::fs::write(&path, format!("{}\n{more}\n", SHOP.join("\n"))).unwrap();
    let imported = json(&home, &["import", "latest"]);
    assert_eq!(imported["sessions"][0]["news"], "has grown");
    assert_eq!(imported["sessions"][0]["messages"], 1);
    assert!(told(&home, &["tree"]).contains("And now?"));
}

#[test]
fn a_file_is_the_same_by_any_name() {
    let home = Home::new();
    shop(&home);
    fork_of_shop(&home);
    told(&home, &["import", ID, "--family"]);
    let odd =
        format!(".pi/../.pi/agent/sessions/--home-dev-shop--/2025-01-01T00-00-00-000Z_{ID}.jsonl");
    let imported = json(&home, &["import", &odd, "--family"]);
    assert_eq!(imported["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(imported["sessions"][0]["news"], "known");
    let family = home.json(&["session", "family", &odd, "--json"]);
    assert_eq!(family["sessions"].as_array().unwrap().len(), 2);
}

#[test]
fn places_of_sessions_have_names() {
    let home = Home::new();
    shop(&home);
    fork_of_shop(&home);
    told(&home, &["import", ID, "--family"]);
    let labelled = json(&home, &["title", "cause found"]);
    assert_eq!(labelled["autoTitle"], json!(null));
    let end =
        |place: &str| json(&home, &["path", place]).as_array().unwrap().last().unwrap().clone();
    assert_eq!(end("0190bbbb")["message"]["content"][0]["text"], "One cart for each device.");
    assert_eq!(end(ID)["message"]["content"][0]["text"], "Done: carts are keyed by user id.");
    fails(&home, &["path", "0190"], 2, "could be any of these");
    let diff = told(&home, &["diff", "0190aaaa", "0190bbbb"]);
    assert_snapshot!("diff_of_forks", diff);
}

#[test]
fn a_transcript_of_a_session_reads_as_the_session_does() {
    let home = Home::new();
    shop(&home);
    told(&home, &["import", ID]);
    assert_snapshot!("path_of_a_session", told(&home, &["path", "0190aaaa"]));
    let pi = home.json(&["session", "context", ID, "--json"]);
    assert_eq!(json(&home, &["context", "0190aaaa", "--pi"]), pi);
    assert_snapshot!("context_as_pi", told(&home, &["context", "0190aaaa", "--pi"]));
    fails(&home, &["context", "1", "--pi"], 2, "is a root");
}

#[test]
fn imported_messages_stay_as_they_are() {
    let home = Home::new();
    let path = shop(&home);
    let before = std::fs::read(&path).unwrap();
    told(&home, &["import", ID]);
    fails(&home, &["delete", "1/1"], 1, "the label");
    fails(&home, &["delete", "1/1", "--keep-children", "--force"], 1, "belongs to a pi session");
    let edited = json(&home, &["edit", "1/1", "Why is the basket empty?"]);
    assert_eq!(edited["inPlace"], false);
    assert_eq!(json(&home, &["path"]).as_array().unwrap().len(), 1);
    told(&home, &["append", "--assistant", "Let me look."]);
    told(&home, &["delete", "1/1", "--force"]);
    told(&home, &["restore", "1/1"]);
    told(&home, &["bookmark", "1/1", "the question"]);
    told(&home, &["check"]);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Nor does the forest need the file any more.
    std::fs::remove_file(&path).unwrap();
    assert!(told(&home, &["path", "0190aaaa"]).contains("keyed by user id"));
    told(&home, &["check"]);
    told(&home, &["export", "--session", ID, "--out", "back.jsonl"]);
    assert_eq!(std::fs::read(home.path().join("back.jsonl")).unwrap(), before);
}

#[test]
fn a_branch_becomes_a_session_that_pi_continues() {
    let _guard = without_times();
    let home = Home::new();
    shop(&home);
    told(&home, &["import", ID]);
    told(&home, &["append", "cause found", "--user", "Can we keep the session id?"]);
    let made = json(&home, &["export", "@", "--pi"]);
    let path = std::path::PathBuf::from(made["path"].as_str().unwrap());
    let folder = home.path().join(".pi/agent/sessions/--home-dev-shop--");
    assert_eq!(path.parent(), Some(&*folder));
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(name.ends_with(&format!("_{}.jsonl", made["id"].as_str().unwrap())), "{name}");
    assert_eq!(made["cwd"], "/home/dev/shop");
    let name = made["id"].as_str().unwrap();
    let context = home.json(&["session", "context", name, "--json"]);
    assert_eq!(context["model"]["modelId"], "big");
    let shown = home.stdout(&["session", "show", name]);
    assert!(
        shown.contains("Can we keep the session id?") && shown.contains("cart is lost"),
        "{shown}"
    );
    // It was written by us, so that nobody has to wait for pi.
    home.pi_brain(&["session", "name", name, "keep the id"]).success();

    let told_path =
        told(&home, &["export", "cause found", "--pi", "--out", "new/one.jsonl", "--cwd", "."]);
    assert_eq!(told_path, "~/new/one.jsonl\ncd ~ && pi --session ~/new/one.jsonl\n");
    let header = std::fs::read_to_string(home.path().join("new/one.jsonl")).unwrap();
    let header: serde_json::Value = serde_json::from_str(header.lines().next().unwrap()).unwrap();
    assert_eq!(header["cwd"], home.path().canonicalize().unwrap().to_str().unwrap());
    fails(&home, &["export", "@", "--pi", "--out", "new/one.jsonl"], 2, "is there already");
}

#[test]
fn a_tree_made_by_hand_becomes_a_session_too() {
    let home = super::holiday();
    let made = json(&home, &["export", "@", "--pi"]);
    let here = home.path().canonicalize().unwrap();
    assert_eq!(made["cwd"], here.to_str().unwrap());
    let shown = home.stdout(&["session", "show", made["path"].as_str().unwrap()]);
    assert!(shown.contains("Then pack your boots."), "{shown}");
}

#[test]
fn a_family_becomes_one_session() {
    let home = Home::new();
    shop(&home);
    fork_of_shop(&home);
    told(&home, &["import", ID, "--family"]);
    let made = json(&home, &["export", "1", "--family", "--out", "all.jsonl"]);
    let all = home.path().join("all.jsonl");
    assert_eq!(made["path"], all.to_str().unwrap());
    let tree = home.stdout(&["session", "tree", "./all.jsonl"]);
    for words in ["races with checkout", "keyed by user id", "One cart for each device"] {
        assert!(tree.contains(words), "{tree}");
    }
}

#[test]
fn exports_say_what_is_missing() {
    let home = Home::new();
    shop(&home);
    told(&home, &["import", ID]);
    fails(&home, &["export"], 2, "say what to export");
    fails(&home, &["export", "1/3"], 2, "--pi");
    fails(&home, &["export", "1", "--pi"], 2, "is a root");
    fails(&home, &["export", "--pi"], 2, "PLACE");
    fails(&home, &["export", "1", "--family"], 2, "--out");
    fails(&home, &["export", "--session", ID], 2, "--out FILE");
    fails(
        &home,
        &["export", "--session", "0190cccc", "--out", "x.jsonl"],
        3,
        "no session 0190cccc",
    );
    fails(&home, &["export", "1/3", "--pi", "--session", "0190cccc"], 3, "forest import");
    fails(&home, &["export", "1/99", "--pi"], 3, "no message");
    assert!(!home.path().join("x.jsonl").exists());
}

#[test]
fn imports_say_what_is_wrong() {
    let home = Home::new();
    shop(&home);
    let other = home.session("torn", &["no session"]);
    fails(&home, &["import"], 2, "<SESSION>");
    fails(&home, &["import", "0190cccc"], 3, "pi-brain sessions");
    fails(&home, &["import", ID, other.to_str().unwrap()], 4, "not a pi session");
    fails(&home, &["import", "/no/such/file.jsonl"], 3, "no file");
    // Nothing was taken in by halves.
    assert_eq!(json(&home, &["roots"]), json!([]));
    // A file that nobody named is no reason to stop.
    home.pi_brain(&["forest", "import", ID, "--family"]).success();
}

/// What others wrote must neither move the cursor nor pretend to be a line of ours.
#[test]
fn hostile_sessions_do_not_reach_the_terminal() {
    const EVIL: &str = r"x\u001b[2J\u009b31m\u202e\nFORGED\r\nFORGED\u0007";
    let home = Home::new();
    let fields = [
        "toolName",
        "name",
        "label",
        "customType",
        "model",
        "cwd",
        "id",
        "command",
        "summary",
        "path",
    ];
    let evil = |line: &str| {
        fields.iter().fold(line.to_owned(), |line, field| {
            line.replace(&format!(r#""{field}":""#), &format!(r#""{field}":"{EVIL}"#))
        })
    };
    let text: Vec<String> = SHOP.iter().map(|line| evil(line)).collect();
    let path = home.session("evil", &text.iter().map(String::as_str).collect::<Vec<_>>());
    let path = path.to_str().unwrap();
    let check = |arguments: &[&str], is_text: bool| {
        let output = home.command(arguments).output().unwrap();
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            !told.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}', '\r']),
            "{arguments:?}: {told:?}"
        );
        assert!(
            is_text || !told.lines().any(|line| line.starts_with("FORGED")),
            "{arguments:?}: {told}"
        );
    };
    check(&["session", "family", path], false);
    check(&["session", "family", path, "--full"], false);
    check(&["forest", "import", path], false);
    check(&["forest", "tree", "1", "--full"], false);
    check(&["forest", "roots"], false);
    check(&["forest", "bookmark"], false);
    check(&["forest", "delete", "1/1"], false);
    check(&["forest", "context", "1/4", "--pi"], false);
    check(&["forest", "export", "1/4", "--pi"], false);
    check(&["forest", "path", "1/9"], true);
    check(&["forest", "diff", "1/6", "1/9"], true);
}

#[test]
fn problems_of_others_are_told_and_do_not_stop_us() {
    let home = Home::new();
    let path = shop(&home);
    fork_of_shop(&home);
    // A relative that cannot be read is left out.
    let fork = path.with_file_name("2025-01-02T00-00-00-000Z_0190cccc.jsonl");
    std::fs::write(&fork, "\u{1}").unwrap();
    let assert = home.pi_brain(&["forest", "import", ID, "--family"]).success();
    assert!(errors_of(&assert).is_empty(), "{}", errors_of(&assert));
}
