//! `pi-brain mcp` as agents start it: over stdin and stdout, and by real pi with a scripted model.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use pi_brain_real_pi::{Deed, Pi, ScriptedModel};
use serde_json::{Value, json};

use super::daemon::Watched;
use super::{ID, SHOP, shop};
use crate::support::Home;

/// The program, and somebody who speaks the protocol with it by hand.
struct Spoken {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Spoken {
    fn start(home: &Path) -> Self {
        let program = assert_cmd::cargo::cargo_bin("pi-brain");
        let mut child = Command::new(program)
            .arg("mcp")
            .env_clear()
            .env("HOME", home)
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut spoken = Self { child, input, output, asked: 0 };
        let version = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let answer = spoken.ask("initialize", &version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "pi-brain");
        spoken.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        spoken
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Ends the input; everything else that was said is an error.
    fn end(self) {
        let Self { child, input, output, .. } = self;
        drop(input);
        assert_eq!(output.lines().count(), 0);
        let end = child.wait_with_output().unwrap();
        assert!(end.status.success(), "{end:?}");
        assert_eq!(String::from_utf8_lossy(&end.stderr), "");
    }
}

#[test]
fn the_protocol_runs_over_stdin_and_stdout_alone() {
    let home = Home::new();
    shop(&home);
    let mut spoken = Spoken::start(home.path());
    let tools = spoken.ask("tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    let answer = spoken.call("brain_query", &json!({"question": "what are carts keyed by?"}));
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("carts are keyed by user id") && text.contains(ID), "{text}");
    // Bad arguments and ids are answers, and do not end anything.
    assert_eq!(spoken.call("brain_node", &json!({"id": "nothing"}))["isError"], true);
    let missing = spoken.ask("tools/call", &json!({"name": "brain_node", "arguments": {}}));
    assert!(missing["error"].is_object() || missing["result"]["isError"] == true, "{missing}");
    // What is written while it runs is found.
    home.session("0190dddd-0000-7000-8000-00000000000d", &renamed("0190dddd", "giraffes"));
    let answer = spoken.call("brain_search", &json!({"query": "giraffes"}));
    assert!(answer.to_string().contains("0190dddd"), "{answer}");
    spoken.end();
}

/// Returns the lines of a session like the shop's that speaks of something else.
fn renamed(id: &str, word: &str) -> Vec<&'static str> {
    let change = |line: &&str| -> &'static str {
        let line =
            line.replace("0190aaaa", id).replace("cart", word).replace("2025-01-01", "2025-01-03");
        Box::leak(line.into_boxed_str())
    };
    SHOP.iter().map(change).collect()
}

#[test]
fn settings_that_cannot_be_used_are_told_to_the_model() {
    let home = Home::new();
    shop(&home);
    let folder = home.path().join(".pi-brain");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[daemon]\nport = \"x\"\n").unwrap();
    let mut spoken = Spoken::start(home.path());
    let answer = spoken.call("brain_query", &json!({"question": "what are carts keyed by?"}));
    assert_eq!(answer["isError"], true);
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("config.toml"), "{answer}");
    // The next call sees what was put right.
    std::fs::remove_file(folder.join("config.toml")).unwrap();
    let answer = spoken.call("brain_query", &json!({"question": "what are carts keyed by?"}));
    assert_eq!(answer["isError"], false);
}

/// Runs real pi in a home.
fn run_pi(program: &Path, home: &Path, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

const QUESTION: &str = r#"{"question": "what are carts keyed by?"}"#;

/// Lets the model of a real pi call a tool; returns what the model was told then.
fn ask_through_pi(home: &Home, tool: &'static str, arguments: &str) -> String {
    let deeds = [Deed::Call(tool, arguments.to_owned()), Deed::Say("I see.".to_owned())];
    let model = ScriptedModel::new(deeds);
    let program = Pi::new("1.5.0").install(home.path(), &model);
    let listed = run_pi(&program, home.path(), &["mcp", "list"]);
    let said = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.status.success() && said.contains("connected, 6 tools"), "{listed:?}");
    let run = run_pi(&program, home.path(), &["-p", "Look into the past."]);
    assert!(run.status.success(), "{run:?}");
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "I see.", "{run:?}");
    let asked = model.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    let tools = asked[0].body["tools"].as_array().unwrap();
    let names: Vec<&str> =
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    for ours in ["query", "search", "node", "session", "lessons", "flag"] {
        let name = format!("mcp__brain__brain_{ours}");
        assert!(names.contains(&&*name), "no {name} in {names:?}");
    }
    let messages = asked[1].body["messages"].as_array().unwrap();
    let result = messages.iter().rfind(|message| message["role"] == "tool").unwrap();
    let content = &result["content"];
    content.as_str().map_or_else(|| content[0]["text"].as_str().unwrap().to_owned(), str::to_owned)
}

fn check_answer(told: &str) {
    assert!(told.starts_with("Lines that begin with \"> \" are excerpts"), "{told}");
    assert!(told.contains("> Done: carts are keyed by user id."), "{told}");
    assert!(told.contains(&format!("> session {ID}, entry 0000000d, line 14")), "{told}");
}

#[test]
fn the_model_of_real_pi_asks_without_a_daemon() {
    let home = Home::new();
    shop(&home);
    home.stdout(&["install", "mcp", "--client", "pi", "--write"]);
    check_answer(&ask_through_pi(&home, "mcp__brain__brain_query", QUESTION));
    // pi has written down what its model was told, and that is not found as if it had been said.
    let written = home.json(&["search", "--json", "past"]);
    assert!(written["total"].as_u64().unwrap() > 0, "{written}");
    let found = home.json(&["search", "--json", "keyed", "kind:message"]);
    let sessions: Vec<&Value> =
        found["results"].as_array().unwrap().iter().map(|result| &result["session"]).collect();
    assert!(!sessions.is_empty() && sessions.iter().all(|session| **session == ID), "{found}");
}

#[test]
fn the_model_of_real_pi_asks_with_a_daemon() {
    let watched = Watched::new();
    watched.start();
    let pid = watched.pid();
    // Written after the daemon has begun.
    shop(&watched.0);
    watched.0.stdout(&["install", "mcp", "--client", "pi", "--write"]);
    check_answer(&ask_through_pi(&watched.0, "mcp__brain__brain_query", QUESTION));
    assert_eq!(watched.pid(), pid);
}

#[test]
fn the_longest_answer_reaches_the_model_of_real_pi_whole() {
    let home = Home::new();
    let mut lines: Vec<String> = SHOP.iter().map(|&line| line.to_owned()).collect();
    for at in 0..60 {
        let parent = at + 0xe;
        lines.push(
            json!({"type": "message", "id": format!("{:08x}", parent + 1), "parentId": format!("{parent:08x}"),
                "timestamp": "2025-01-01T10:04:00.000Z",
                "message": {"role": "user", "content": format!("Größe {at}: {}", "äöü ".repeat(150))}})
            .to_string(),
        );
    }
    home.session(ID, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    home.stdout(&["install", "mcp", "--client", "pi", "--write"]);
    let arguments = json!({"session": ID, "limit": 1_000_000});
    let mut spoken = Spoken::start(home.path());
    let answer = spoken.call("brain_session", &arguments);
    let page = answer["content"][0]["text"].as_str().unwrap();
    assert!((17_000..20_000).contains(&page.len()), "{}", page.len());
    assert!(page.contains("\nLeft out: "), "{page}");
    let told = ask_through_pi(&home, "mcp__brain__brain_session", &arguments.to_string());
    assert_eq!(told, page);
    spoken.end();
}

#[test]
fn an_answer_that_comes_through_a_script_is_not_found_again() {
    let home = Home::new();
    shop(&home);
    home.stdout(&["install", "mcp", "--client", "pi", "--write"]);
    let settings = home.path().join(".pi/agent/mcp.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace("\"direct\"", "\"codemode\"")).unwrap();
    let script = format!("return await tools.mcp__brain__brain_query({QUESTION});");
    let deeds = [
        Deed::Call("codemode", json!({ "code": script }).to_string()),
        Deed::Say("I see.".to_owned()),
    ];
    let model = ScriptedModel::new(deeds);
    let program = Pi::new("1.5.0").install(home.path(), &model);
    let run = run_pi(&program, home.path(), &["-p", "--tools", "codemode", "Look into the past."]);
    assert!(run.status.success(), "{run:?}");
    let told = model.asked()[1].text();
    assert!(told.contains("carts are keyed by user id"), "{told}");
    // The script itself is the model's own: only what it gave back is ours.
    let found = home.json(&["search", "--json", "keyed", "role:tool"]);
    assert_eq!(found["total"], 0, "{found}");
}
