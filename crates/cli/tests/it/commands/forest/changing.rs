//! What the commands that change the forest do, and what they say about it.

use insta::assert_snapshot;
use serde_json::json;

use super::{fails, holiday, json, told};
use crate::support::Home;

#[test]
fn a_root_is_found_by_its_exact_prompt() {
    let home = Home::new();
    assert_eq!(told(&home, &["root", "--system", "Be brief."]), "root-1\n");
    assert_eq!(told(&home, &["root", "--system", "Be brief. "]), "root-2\n");
    assert_eq!(told(&home, &["root"]), "root-3\n");
    assert_eq!(told(&home, &["root", "--system", ""]), "root-4\n");
    assert_eq!(told(&home, &["root", "--system", "Be brief."]), "root-1\n");
    let file = home.path().join("prompt.txt");
    std::fs::write(&file, "Be brief.").unwrap();
    let found = json(&home, &["root", "--system-file", file.to_str().unwrap()]);
    assert_eq!(found, json!({ "id": "root-1", "created": false, "systemPrompt": "Be brief." }));
    let output =
        home.command(&["forest", "root", "--system-file", "-"]).write_stdin("--new").output();
    assert_eq!(output.unwrap().stdout, b"root-5\n");
    fails(&home, &["root", "--system-file", "/no/such/file"], 1, "could not read /no/such/file");
    fails(&home, &["root", "--system", "a", "--system-file", "b"], 2, "cannot be used with");
}

#[test]
fn what_was_said_already_is_not_said_twice() {
    let home = holiday();
    let told = |arguments: &[&str]| told(&home, arguments);
    assert_eq!(
        told(&[
            "append",
            "1",
            "--user",
            "Where shall we go?",
            "--assistant",
            "To the sea.",
            "--user",
            "Why?"
        ]),
        "1 new message (1/7), 2 were there already; now at 1/7\n"
    );
    assert_eq!(
        told(&["append", "--assistant", "   ", "--assistant", "-", "--user", "--"]),
        "2 new messages (1/8, 1/9), 1 left out, saying nothing; now at 1/9\n"
    );
    assert_eq!(
        told(&["append", "1/2", "--user", " Too cold. "]),
        "1 new message (1/10); now at 1/10\n"
    );
    assert_eq!(
        told(&["append", "1/2", "--user", "Too cold.  ", "--trim"]),
        "1 was there already; now at 1/3\n"
    );
    let appended = json(&home, &["append", "1/3", "--assistant", "Agreed."]);
    assert_eq!(
        appended,
        json!({ "end": "root-1/node-11", "created": ["root-1/node-11"], "matched": 0, "blank": 0 })
    );
}

#[test]
fn messages_come_as_json_in_any_form() {
    let home = Home::new();
    told(&home, &["root"]);
    let append = |input: &str| {
        let output = home.command(&["forest", "append", "1"]).write_stdin(input).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let new = "2 new messages (1/1, 1/2); now at 1/2\n";
    let known = "2 were there already; now at 1/2\n";
    let one = r#"{"role":"user","content":"Hello"}"#;
    let other = r#"{"role":"assistant","content":[{"type":"text","text":"Hi"}]}"#;
    assert_eq!(append(&format!("{one}\n{other}\n")), new);
    assert_eq!(append(&format!("[{one},{other}]")), known);
    assert_eq!(append(&format!("[\n  {one}\n]\n\n{other}")), known);
    assert_eq!(
        append(&format!("{one} {{\"role\":\"user\",\"content\":\"\"}} {other}")),
        "2 were there already, 1 left out, saying nothing; now at 1/2\n"
    );
    let output = home.command(&["forest", "append", "1", "--file", "-"]).write_stdin(one).output();
    assert!(output.unwrap().status.success());
}

#[test]
fn an_edit_changes_the_last_word_and_branches_elsewhere() {
    let home = holiday();
    let told = |arguments: &[&str]| told(&home, arguments);
    assert_eq!(
        told(&["edit", "1/6", "Then pack."]),
        "1/6 has the new text; the old one is kept with it\n"
    );
    assert_eq!(
        told(&["edit", "1/6", "Then pack."]),
        "1/6 says this already; nothing was changed\n"
    );
    assert_eq!(told(&["edit", "1/2", "To the hills."]), "1/4 says this already\n");
    told(&["bookmark", "1/4", "the hills"]);
    assert_snapshot!(told(&["edit", "the hills", "To the lakes."]));
    assert_snapshot!("tree_after_an_edit", told(&["tree"]));
    let output =
        home.command(&["forest", "edit", "1/3"]).write_stdin("Too wet.\n").output().unwrap();
    assert!(output.status.success());
    assert_eq!(json(&home, &["path", "1/3"])[2]["message"]["content"][0]["text"], "Too wet.");
    let edited = json(&home, &["edit", "1/2", "- To the sun.", "--keep-bookmarks"]);
    assert_eq!((&edited["inPlace"], &edited["movedBookmarks"]), (&json!(false), &json!([])));
    // The next message goes where the edit was made.
    assert_eq!(edited["node"], json(&home, &["path"])[1]["id"]);
}

#[test]
fn a_text_is_cut_and_joined() {
    let home = holiday();
    let cut = |how: &[&str]| {
        let halves = told(&home, &[&["split", "1/4"], how].concat());
        told(&home, &["join", "1/4"]);
        assert_eq!(
            json(&home, &["path", "1/4"])[1]["message"]["content"][0]["text"],
            "To the hills."
        );
        halves
    };
    assert_eq!(cut(&["--at", "2"]), "1/7  To\n1/4  the hills.\n");
    assert_eq!(cut(&["--before", "the"]), "1/8  To\n1/4  the hills.\n");
    assert_eq!(cut(&["--after", "the"]), "1/9  To the\n1/4  hills.\n");
    let halves = json(&home, &["split", "1/4", "--at", "5"]);
    assert_eq!(halves, json!({ "left": "root-1/node-10", "right": "root-1/node-4" }));
    // Either half will do.
    assert_eq!(json(&home, &["join", "1/10"]), json!({ "node": "root-1/node-4" }));
    fails(&home, &["join", "1/4"], 1, "no half of a split message");
    for (position, words) in [
        ("0", "the first half would be empty"),
        ("-1", "whole number"),
        ("1.5", "whole number"),
        ("five", "whole number"),
        ("13", "has only 13 characters"),
        ("99999999999999999999", "whole number"),
    ] {
        fails(&home, &["split", "1/4", "--at", position], 2, words);
    }
    fails(&home, &["split", "1/4", "--before", "To"], 2, "both halves must say something");
    fails(&home, &["split", "1/4", "--before", "l"], 2, "more than once");
    fails(&home, &["split", "1/4", "--after", "sea"], 3, "does not say “sea”");
    fails(&home, &["split", "1/4", "--after", ""], 2, "which words");
    fails(&home, &["split", "1/4"], 2, "--at <N>");
    fails(&home, &["split", "1/4", "--at", "2", "--after", "To"], 2, "cannot be used with");
}

#[test]
fn characters_are_what_people_count() {
    let home = Home::new();
    told(&home, &["root"]);
    told(&home, &["append", "--user", "e\u{301}👨‍👩‍👧xyz"]);
    assert_eq!(told(&home, &["split", "1/1", "--at", "2"]), "1/2  e\u{301}👨‍👩‍👧\n1/1  xyz\n");
}

#[test]
fn what_is_deleted_comes_back() {
    let home = holiday();
    told(&home, &["bookmark", "1/5", "agreed"]);
    let before = told(&home, &["tree"]);
    fails(&home, &["delete", "1/4"], 1, "--force");
    assert_snapshot!(told(&home, &["delete", "1/4", "1/6", "--force"]));
    assert_snapshot!("restore_lists", told(&home, &["restore"]));
    assert_eq!(json(&home, &["restore"])[0]["messages"], 3);
    fails(&home, &["path", "1/5"], 3, "forest restore");
    fails(&home, &["delete", "1/5"], 3, "was deleted");
    fails(&home, &["restore", "1/5"], 1, "was deleted together with root-1/node-4");
    fails(&home, &["restore", "1/2"], 1, "was not deleted");
    assert_eq!(told(&home, &["restore", "1/4"]), "1/4 is back: 3 messages\n");
    told(&home, &["bookmark", "1/5", "agreed"]);
    told(&home, &["append", "1/6", "--user", "  "]);
    assert_eq!(told(&home, &["tree"]), before);
    let deleted = json(&home, &["delete", "1/2"]);
    assert_eq!(deleted["removed"], json!(["root-1/node-2", "root-1/node-3"]));
    assert_eq!(deleted["restorable"], json!(["root-1/node-2"]));
    assert_eq!(json(&home, &["restore", "1/2"])["node"], "root-1/node-2");
}

#[test]
fn a_message_can_go_alone() {
    let home = holiday();
    told(&home, &["bookmark", "1/5", "agreed"]);
    assert_snapshot!(told(&home, &["delete", "1/5", "--keep-children", "--force"]));
    assert_eq!(json(&home, &["path", "1/6"]).as_array().unwrap().len(), 3);
    assert_eq!(told(&home, &["restore", "1/5"]), "1/5 is back: 1 message\nagain after it: 1/6\n");
}

#[test]
fn a_tree_goes_only_as_a_whole() {
    let home = holiday();
    fails(&home, &["delete", "1"], 2, "--whole-tree");
    fails(&home, &["delete", "1/2", "--whole-tree"], 2, "is a message");
    fails(&home, &["delete", "1", "--whole-tree", "--keep-children"], 2, "cannot be used with");
    let told = |arguments: &[&str]| told(&home, arguments);
    assert_eq!(
        told(&["delete", "1", "--whole-tree"]),
        "root-1 hidden, with everything in it\nundo: pi-brain forest restore root-1\n"
    );
    fails(&home, &["tree", "1"], 3, "was deleted");
    assert!(told(&["restore"]).contains("“You are a travel agent.”"));
    assert_eq!(told(&["restore", "root-1"]), "root-1 is back, with everything in it\n");
    fails(&home, &["restore", "root-1"], 1, "was not deleted");
    assert_eq!(
        json(&home, &["delete", "1", "1", "--whole-tree"]),
        json!({ "removedRoots": ["root-1"] })
    );
    assert_eq!(json(&home, &["restore", "1"]), json!({ "root": "root-1" }));
}

#[test]
fn bookmarks_are_names_for_places() {
    let home = holiday();
    let told = |arguments: &[&str]| told(&home, arguments);
    assert_eq!(told(&["bookmark", "1/3", " no sea "]), "1/3 is now bookmarked as “no sea”\n");
    fails(&home, &["bookmark", "1/5", "no sea"], 1, "remove or rename it first");
    fails(&home, &["bookmark", "1/5", "  "], 2, "blank");
    fails(&home, &["bookmark", "1", "x"], 2, "is a root");
    fails(&home, &["bookmark", "1/5"], 2, "<TITLE>");
    assert_eq!(
        told(&["bookmark", "--rename", "no sea", "never"]),
        "“no sea” is now called “never”\n"
    );
    assert_eq!(told(&["title", "never"]), "1/3  Too cold.  (made from the text)\n");
    assert_snapshot!(told(&["bookmark"]));
    assert_eq!(json(&home, &["bookmark"])[0]["kind"], "bookmark");
    assert_eq!(told(&["bookmark", "--remove", "never"]), "“never” is gone; the message stays\n");
    fails(&home, &["bookmark", "--remove", "never"], 3, "no bookmark");
    fails(&home, &["bookmark", "--rename", "never", "x"], 3, "no bookmark");
    fails(&home, &["path", "never"], 3, "no place “never”");
    assert_eq!(json(&home, &["bookmark", "1/3", "again"])["node"], "root-1/node-3");
    assert_eq!(json(&home, &["bookmark", "--rename", "again", "b"])["title"], "b");
    assert_eq!(json(&home, &["bookmark", "--remove", "b"])["removed"], "b");
}

#[test]
fn titles_tags_and_data_are_noted() {
    let home = holiday();
    let told = |arguments: &[&str]| told(&home, arguments);
    assert_eq!(told(&["title", "1/4"]), "1/4  To the hills.  (how it begins)\n");
    assert_eq!(told(&["title", "1/4", "Hills"]), "1/4  Hills\n");
    assert_eq!(told(&["title", "1/4", "--clear"]), "1/4  To the hills.  (how it begins)\n");
    assert_eq!(
        told(&["title", "1/6", "--auto"]),
        "1/6  Then pack your boots.  (made from the text)\n"
    );
    assert_eq!(json(&home, &["title", "1/4"])["title"], json!(null));
    assert_eq!(told(&["tag", "1/4"]), "1/4  no tags\n");
    assert_eq!(told(&["tag", "1/4", "a", "b", "a"]), "1/4  #a #b\n");
    assert_eq!(told(&["tag", "1/4", "c", "--remove", "a", "--remove", "b"]), "1/4  #c\n");
    assert_eq!(json(&home, &["tag", "1/4"]), json!({ "node": "root-1/node-4", "tags": ["c"] }));
    assert_eq!(told(&["data", "1/4"]), "1/4  no data\n");
    assert_eq!(
        told(&["data", "1/4", "score=7", "note=\"a=b\""]),
        "1/4  note=\"a=b\"\n1/4  score=7\n"
    );
    assert_eq!(
        json(&home, &["data", "1/4", "score=null", "more={\"x\":[1]}"])["data"],
        json!({ "note": "a=b", "more": { "x": [1] } })
    );
    fails(&home, &["data", "1/4", "note=hello"], 2, "a text needs quotes");
    fails(&home, &["data", "1/4", "note"], 2, "KEY=JSON");
    fails(&home, &["data", "1/4", "=7"], 2, "the key is missing");
    for command in ["title", "tag", "data"] {
        fails(&home, &[command, "1"], 2, "is a root");
    }
}
