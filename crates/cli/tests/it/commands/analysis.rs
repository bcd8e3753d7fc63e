//! A model reads units of work, chosen and bounded by the settings.

use std::fs;
use std::path::PathBuf;

use pi_brain_real_pi::{Deed, Pi, ScriptedModel, say};
use serde_json::{Value, json};

use crate::support::Home;

fn answer(summary: &str) -> Value {
    json!({
        "type": "refactoring", "outcome": "partial", "summary": summary, "hadClearGoal": true, "decisions": [],
        "lessons": [], "tags": [], "topics": [], "concepts": [], "frameworks": [],
    })
}

/// A home with two sessions, each with one unit of work and a secret.
fn home() -> Home {
    let home = Home::new();
    for (name, day) in [("one", 1), ("two", 2)] {
        let time = |minute: u32| format!("2025-01-0{day}T00:0{minute}:00.000Z");
        let header = json!({"type": "session", "version": 3, "id": name, "timestamp": time(0), "cwd": "/home/dev/shop"});
        let wish = format!("Make cart {day} faster. API_TOKEN=abcdefgh12345678");
        let user = json!({"type": "message", "id": format!("a000000{day}"), "parentId": null, "timestamp": time(1),
            "message": {"role": "user", "content": wish}});
        let usage = json!({"input": 1000, "output": 100, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1100,
            "cost": {"total": 0.0012}});
        let done = json!({"type": "message", "id": format!("b000000{day}"), "parentId": format!("a000000{day}"),
            "timestamp": time(2), "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}],
            "provider": "stub", "model": "stub-1", "usage": usage, "stopReason": "stop"}});
        home.session(name, &[&header.to_string(), &user.to_string(), &done.to_string()]);
    }
    home
}

fn config(home: &Home, text: &str) -> PathBuf {
    let path = home.path().join(".pi-brain/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn over_http(home: &Home, model: &ScriptedModel, more: &str) {
    let text = format!(
        "[analysis]\nby = \"openai\"\n[analysis.openai]\nbase_url = {:?}\nmodel = \"stub-1\"\n{more}",
        model.url
    );
    config(home, &text);
}

fn stderr(home: &Home, arguments: &[&str]) -> (i32, String) {
    let output = home.command(arguments).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn real_pis_write_second_versions_in_both_modes() {
    for (version, mode) in
        [("0.73.1", "json"), ("0.73.1", "rpc"), ("1.5.0", "json"), ("1.5.0", "rpc")]
    {
        let home = home();
        let model = ScriptedModel::new([say(&answer("What a model makes of it."))]);
        let pi = home.path().join("pi-home");
        fs::create_dir_all(&pi).unwrap();
        let program = Pi::new(version).install(&pi, &model);
        config(
            &home,
            &format!(
                "[analysis]\nby = \"pi\"\n[analysis.pi]\nprogram = {program:?}\nmode = {mode:?}\n"
            ),
        );
        let done = home.json(&["analyze", "--all", "--json"]);
        assert_eq!(
            (&done["done"], &done["failed"]),
            (&json!(2), &json!([])),
            "pi {version} {mode}: {done}"
        );
        // pi knows what its model costs.
        assert!(done["dollars"].as_f64().unwrap() > 0.0, "{done}");
        let nodes = home.json(&["nodes", "--json"]);
        for node in nodes.as_array().unwrap() {
            assert_eq!((&node["version"], &node["analyzer"]), (&json!(2), &json!("pi")), "{node}");
            assert_eq!(node["summary"], "What a model makes of it.");
            let id = node["id"].as_str().unwrap();
            let diff = home.stdout(&["node", "diff", id]);
            assert!(diff.contains("content.summary"), "{diff}");
        }
        for asked in model.asked() {
            assert!(!asked.text().contains("abcdefgh12345678"), "{}", asked.text());
        }
        let again = home.json(&["analyze", "--all", "--json"]);
        assert_eq!(again["done"], 0);
    }
}

#[test]
fn what_it_would_take_is_told_and_nobody_is_asked() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("?"))]);
    over_http(&home, &model, "[budget]\ndollars_per_day = 5.0\n");
    let text = home.stdout(&["analyze", "--all", "--dry-run"]);
    assert!(text.starts_with("2 units of work: 2 requests, about "), "{text}");
    // Own sessions with this model have told what it costs.
    assert!(text.contains("out, about <$0.01\n"), "{text}");
    assert!(text.contains("left of today's budget: 2.0M tokens and $5.00"), "{text}");
    let value = home.json(&["analyze", "--all", "--dry-run", "--json"]);
    assert_eq!((&value["nodes"], &value["requests"]), (&json!(2), &json!(2)));
    // Work of long ago is read only by who asks for it.
    assert!(home.stdout(&["analyze", "--dry-run"]).starts_with("Nothing to read"));
    assert_eq!(model.asked().len(), 0);
}

#[test]
fn sessions_and_nodes_are_read_by_name() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("By name."))]);
    over_http(&home, &model, "");
    let done = home.json(&["analyze", "one", "--json"]);
    assert_eq!(done["done"], 1);
    let nodes = home.json(&["nodes", "--json"]);
    let unread =
        nodes.as_array().unwrap().iter().find(|node| node["analyzer"] == "built-in").unwrap();
    let id = &unread["id"].as_str().unwrap()[..8];
    assert_eq!(home.json(&["analyze", id, "--json"])["done"], 1);
    assert_eq!(home.json(&["analyze", id, "--json"])["done"], 0);
    assert_eq!(home.json(&["analyze", id, "--again", "--json"])["unchanged"], 1);
    assert_eq!(stderr(&home, &["analyze", "nothing-of-this-name"]).0, 3);
    let status = home.json(&["status", "--json"]);
    assert_eq!(status["brain"]["ownUse"]["today"]["runs"], 3);
    assert!(home.stdout(&["cost"]).contains("besides, models took"), "{}", home.stdout(&["cost"]));
}

#[test]
fn a_model_that_fails_is_told_and_listed() {
    let home = home();
    let model = ScriptedModel::new([Deed::Fail(401, "no such key")]);
    over_http(&home, &model, "");
    let (code, text) = stderr(&home, &["analyze", "--all"]);
    assert_eq!(code, 1);
    assert!(text.contains("no such key"), "{text}");
    let queue = home.stdout(&["daemon", "queue"]);
    assert!(queue.contains("0 waiting, 0 being done, 2 given up"), "{queue}");
    assert_eq!(home.stdout(&["daemon", "retry"]), "2 jobs are tried again\n");
    assert!(home.stdout(&["daemon", "queue"]).starts_with("2 waiting"));
}

#[test]
fn the_budget_of_a_run_ends_it() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("?"))]);
    over_http(&home, &model, "[budget]\ntokens_per_run = 100\n");
    let done = home.json(&["analyze", "--all", "--json"]);
    assert_eq!((&done["done"], &done["overBudget"]), (&json!(0), &json!(true)), "{done}");
    assert_eq!(home.stdout(&["daemon", "queue"]), "The queue is empty.\n");
    assert_eq!(model.asked().len(), 0);
}

#[test]
fn ctrl_c_ends_it_and_nothing_is_lost() {
    let home = home();
    let model = ScriptedModel::new([Deed::Hang]);
    over_http(&home, &model, "");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pi-brain"));
    command.args(["analyze", "--all"]).env_clear().env("HOME", home.path()).env("TZ", "UTC");
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    while model.asked().len() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("stopped; what was not read"), "{text}");
    assert_eq!(home.stdout(&["daemon", "queue"]), "The queue is empty.\n");
    model.always(say(&answer("Another time.")));
    assert_eq!(home.json(&["analyze", "--all", "--json"])["done"], 2);
}

#[test]
fn without_a_model_none_is_asked() {
    let home = home();
    let (code, text) = stderr(&home, &["analyze", "--all"]);
    assert_eq!(code, 1);
    assert!(text.contains("no model is chosen") && text.contains("pi-brain config init"), "{text}");
}

#[test]
fn settings_are_written_read_changed_and_checked() {
    let home = home();
    assert!(home.stdout(&["config", "check"]).contains("the defaults hold"));
    home.pi_brain(&["config", "init"]).success();
    assert_eq!(stderr(&home, &["config", "init"]).0, 1, "a file of yours is not replaced");
    assert_eq!(home.stdout(&["config", "get", "daemon.port"]), "8765\n");
    assert_eq!(home.stdout(&["config", "set", "daemon.port", "9000"]), "daemon.port = 9000\n");
    assert_eq!(home.stdout(&["config", "get", "daemon.port"]), "9000\n");
    let all = home.json(&["config", "get", "--json"]);
    assert_eq!(all["daemon.port"], json!({"value": 9000, "isSet": true}));
    assert_eq!(all["budget.tokens_per_day"], json!({"value": 2_000_000, "isSet": false}));
    home.pi_brain(&["config", "unset", "daemon.port"]).success();
    assert_eq!(home.stdout(&["config", "get", "daemon.port"]), "8765\n");
    assert_eq!(stderr(&home, &["config", "get", "daemon.color"]).0, 3);

    let before = fs::read_to_string(home.path().join(".pi-brain/config.toml")).unwrap();
    for (key, value, expected) in [
        ("daemon.colour", "red", "unknown field"),
        ("schedule.link", "at noon", "schedule.link cannot be used"),
        ("daemon.port", "many", "expected u16"),
    ] {
        let (code, text) = stderr(&home, &["config", "set", key, value]);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains(expected), "{text}");
    }
    let after = fs::read_to_string(home.path().join(".pi-brain/config.toml")).unwrap();
    assert_eq!(after, before, "what cannot be used is not written");

    config(&home, "[daemon]\n\nprot = 1\n");
    let (code, text) = stderr(&home, &["config", "check"]);
    assert_eq!(code, 1);
    assert!(text.contains("line 3") && text.contains("prot"), "{text}");
}
