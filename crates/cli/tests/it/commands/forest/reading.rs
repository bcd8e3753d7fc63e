//! What the commands that read print.

use insta::assert_snapshot;
use serde_json::json;

use super::{fails, holiday, json, told, without_times};
use crate::support::Home;

#[test]
fn an_empty_forest_says_what_to_do() {
    let home = Home::new();
    for command in [&["roots"][..], &["tree"], &["path"], &["append", "--user", "Hello"]] {
        fails(&home, command, 3, "forest import SESSION");
    }
    assert_eq!(json(&home, &["roots"]), json!([]));
    assert_eq!(json(&home, &["bookmark"]), json!([]));
    assert_eq!(json(&home, &["restore"]), json!([]));
    assert!(told(&home, &["bookmark"]).contains("bookmark NODE TITLE"));
    assert!(told(&home, &["restore"]).contains("Nothing is deleted"));
    assert!(told(&home, &["check"]).contains("All is well"));
    told(&home, &["root"]);
    told(&home, &["delete", "1", "--whole-tree"]);
    fails(&home, &["path"], 3, "there is no current place yet");
    fails(&home, &["tree"], 3, "forest import SESSION");
}

#[test]
fn looking_leaves_no_trace() {
    let home = Home::new();
    assert!(told(&home, &["check"]).contains("there is nothing yet"));
    assert_eq!(json(&home, &["check"])["ok"], true);
    assert_eq!(json(&home, &["roots"]), json!([]));
    fails(&home, &["tree"], 3, "forest import SESSION");
    assert!(!home.path().join(".pi-brain").exists());
}

#[test]
fn roots_are_listed() {
    let home = holiday();
    told(&home, &["root"]);
    told(&home, &["root", "--system", ""]);
    told(&home, &["delete", "2", "--whole-tree"]);
    assert_snapshot!(told(&home, &["roots"]));
    assert_snapshot!("roots_with_deleted", told(&home, &["roots", "--deleted"]));
    let roots = json(&home, &["roots", "--deleted"]);
    assert_eq!(roots[0]["id"], "root-1");
    assert_eq!(roots[0]["systemPrompt"], "You are a travel agent.");
    assert_eq!([&roots[0]["messages"], &roots[0]["leaves"], &roots[0]["branchPoints"]], [6, 2, 1]);
    assert_eq!(roots[1]["systemPrompt"], json!(null));
    assert!(roots[1]["deleted"].is_string() && roots[2]["deleted"].is_null());
}

#[test]
fn a_tree_is_drawn() {
    let home = holiday();
    told(&home, &["bookmark", "1/3", "no sea"]);
    told(&home, &["title", "1/4", "The hills"]);
    told(&home, &["tag", "1/2", "sea", "cold"]);
    assert_snapshot!(told(&home, &["tree"]));
    assert_snapshot!("tree_from_a_message", told(&home, &["tree", "1/2"]));
    let tree = json(&home, &["tree", "no sea"]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 1);
    let tree = json(&home, &["tree"]);
    let node = |number: usize| &tree["nodes"][number];
    assert_eq!((&tree["from"], &tree["root"]["id"]), (&json!("root-1"), &json!("root-1")));
    assert_eq!(node(0)["children"], json!(["root-1/node-2", "root-1/node-4"]));
    assert_eq!(node(1)["tags"], json!(["sea", "cold"]));
    assert_eq!(node(2)["bookmarks"], json!(["no sea"]));
    assert_eq!(node(3)["title"], "The hills");
    assert_eq!(node(5)["isCurrent"], true);
    assert_eq!(node(5)["parent"], "root-1/node-5");
}

#[test]
fn with_several_trees_the_current_one_is_drawn() {
    let home = holiday();
    told(&home, &["root", "--system", "Another one."]);
    let tree = told(&home, &["tree"]);
    assert!(tree.contains("Another one.") && tree.contains("Nothing was said yet"), "{tree}");
    told(&home, &["delete", "2", "--whole-tree"]);
    told(&home, &["root"]);
    told(&home, &["delete", "3", "--whole-tree"]);
    told(&home, &["restore", "2"]);
    // Nobody is anywhere now.
    let list = told(&home, &["tree"]);
    assert!(list.contains("ROOT") && list.contains("forest tree ROOT"), "{list}");
    assert!(json(&home, &["tree"]).is_array());
}

#[test]
fn a_deep_tree_is_folded() {
    let home = Home::new();
    told(&home, &["root"]);
    let lines: Vec<String> = (0..10_000)
        .map(|number| {
            let role = if number % 2 == 0 { "user" } else { "assistant" };
            json!({ "role": role, "content": format!("message {number}") }).to_string()
        })
        .collect();
    let file = home.path().join("messages.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    told(&home, &["append", "--file", file.to_str().unwrap()]);
    let tree = told(&home, &["tree"]);
    assert!(tree.contains("9995 more messages") && tree.lines().count() == 8, "{tree}");
    assert_eq!(told(&home, &["tree", "--full"]).lines().count(), 10_002);
    assert_eq!(json(&home, &["tree"])["nodes"].as_array().unwrap().len(), 10_000);
    assert_eq!(json(&home, &["path"]).as_array().unwrap().len(), 10_000);
    assert!(told(&home, &["diff", "1/1", "@"]).contains("9999 messages"));
}

#[test]
fn a_conversation_is_printed() {
    let _guard = without_times();
    let home = holiday();
    told(&home, &["bookmark", "1/4", "the hills"]);
    told(&home, &["tag", "1/4", "decision"]);
    assert_snapshot!(told(&home, &["path"]));
    assert_snapshot!("path_from_a_message", told(&home, &["path", "1/6", "--from", "1/5"]));
    let path = json(&home, &["path", "1/3"]);
    assert_eq!(path.as_array().unwrap().len(), 3);
    assert_eq!(path[1]["message"]["content"][0]["text"], "To the sea.");
    assert_eq!(
        (&path[0]["parent"], &path[1]["parent"]),
        (&json!("root-1"), &json!("root-1/node-1"))
    );
    assert!(told(&home, &["path", "1"]).contains("Nothing was said yet"));
    fails(&home, &["path", "1/6", "--from", "1/2"], 2, "does not come before");
}

#[test]
fn tool_calls_and_other_blocks_read_well() {
    let _guard = without_times();
    let home = Home::new();
    told(&home, &["root"]);
    let file = home.path().join("messages.json");
    let messages = json!([
        { "role": "user", "content": "Is the test green?" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "Let me run it." },
            { "type": "tool-use", "id": "c1", "name": "bash", "parameters": { "command": "make test" } },
        ] },
        { "role": "tool", "tool_call_id": "c1", "content": [{ "type": "text", "text": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nFAIL" }], "is_error": true },
        { "role": "assistant", "content": [
            { "type": "text", "text": "It is not." },
            { "type": "image", "mimeType": "image/png", "sha256": "00" },
            { "type": "hologram", "depth": 3 },
        ] },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c2", "type": "function", "function": { "name": "edit", "arguments": "{\"path\":\"src/a.rs\"}" } },
        ] },
        { "role": "tool", "tool_call_id": "c2", "content": "done" },
    ]);
    std::fs::write(&file, messages.to_string()).unwrap();
    told(&home, &["append", "--file", file.to_str().unwrap()]);
    assert_snapshot!(told(&home, &["path"]));
    let full = told(&home, &["path", "--full", "--thinking"]);
    assert!(full.contains("Let me run it.") && full.contains("FAIL"), "{full}");
    assert_snapshot!("tree_with_tools", told(&home, &["tree"]));
    assert_eq!(told(&home, &["tree", "--full"]).lines().count(), 8);
}

#[test]
fn a_diff_reads_like_two_stories() {
    let _guard = without_times();
    let home = holiday();
    told(&home, &["bookmark", "1/3", "no sea"]);
    let call = |id: &str, tool: &str, path: &str| json!({ "type": "tool-use", "id": id, "name": tool, "parameters": { "path": path } });
    let work = json!([
        { "role": "assistant", "content": [call("a", "read", "map.md"), call("b", "write", "plan.md"), call("c", "edit", "list.md")] },
        { "role": "tool", "tool_call_id": "a", "content": "a map" },
        { "role": "tool", "tool_call_id": "b", "content": [{ "type": "text", "text": "no" }], "is_error": true },
        { "role": "tool", "tool_call_id": "c", "content": "ok" },
        { "role": "assistant", "content": "Planned.\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12" },
    ]);
    let file = home.path().join("work.json");
    std::fs::write(&file, work.to_string()).unwrap();
    told(&home, &["append", "1/6", "--file", file.to_str().unwrap()]);
    let work = json!([
        { "role": "assistant", "content": [call("d", "edit", "list.md"), call("e", "edit", "sea.md")] },
    ]);
    std::fs::write(&file, work.to_string()).unwrap();
    told(&home, &["append", "no sea", "--file", file.to_str().unwrap()]);
    assert_snapshot!(told(&home, &["diff", "@", "1/11"]));
    assert!(told(&home, &["diff", "@", "1/11", "--full"]).contains("\n12\n"));
    let diff = json(&home, &["diff", "@", "1/11"]);
    assert_eq!((&diff["base"], &diff["shared"]), (&json!("root-1/node-1"), &json!(1)));
    assert_eq!(diff["left"]["filesChanged"], json!(["list.md", "sea.md"]));
    assert_eq!(diff["right"]["filesRead"], json!(["map.md"]));
    assert_eq!(diff["right"]["toolCalls"], 3);
    assert_eq!(diff["right"]["path"].as_array().unwrap().len(), 8);
    // One before the other, the same, and none at all.
    assert!(told(&home, &["diff", "1/1", "1/3"]).contains("ends where they part"));
    assert!(told(&home, &["diff", "1/3", "1/3"]).contains("Both are the same place"));
    told(&home, &["append", "1", "--user", "Something else."]);
    assert!(told(&home, &["diff", "1/3", "@"]).contains("share nothing but root-1"));
    told(&home, &["root"]);
    fails(&home, &["diff", "1/3", "2"], 2, "different trees");
}

/// A wide terminal, as far as the program can tell, is made by util-linux's `script`.
#[cfg(target_os = "linux")]
#[test]
fn on_a_wide_terminal_both_sides_stand_beside_each_other() {
    let _guard = without_times();
    let home = holiday();
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let diff = |columns: usize| {
        let program = program.display();
        let line =
            format!("stty rows 40 cols {columns}; {program} --color never forest diff 1/3 1/6");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin");
        script.env("HOME", home.path()).env("TERM", "xterm").env("PAGER", "cat");
        script.stdin(std::process::Stdio::null());
        let output = script.output().unwrap();
        String::from_utf8(output.stdout).unwrap().replace('\r', "")
    };
    assert_snapshot!(diff(120));
    assert!(!diff(80).contains('│'));
}

#[test]
fn context_is_what_a_model_gets() {
    let home = holiday();
    assert_snapshot!(told(&home, &["context"]));
    // The pieces of a text that was cut are one again.
    told(&home, &["split", "1/4", "--before", " hills"]);
    let context = json(&home, &["context"]);
    assert_eq!(context["system"], "You are a travel agent.");
    let texts: Vec<&str> = context["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Where shall we go?", "To the hills.", "Yes!", "Then pack your boots."]);
    let context = json(&home, &["context", "@", "--separator", "|"]);
    assert_eq!(context["messages"][1]["content"][0]["text"], "To the| hills.");
}
