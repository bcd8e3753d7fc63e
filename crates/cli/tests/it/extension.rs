//! The package for pi, inside real pis with a scripted model, beside the real daemon and the real program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pi_brain_real_pi::{Deed, Pi, ScriptedModel};
use serde_json::Value;

use crate::commands::daemon::{Watched, wait_for};
use crate::commands::{ID, shop};
use crate::support::Home;

const QUESTION: &str = "what are carts keyed by?";
const ANSWER: &str = "carts are keyed by user id";

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extension").canonicalize().unwrap()
}

/// Lets a pi go through scenarios in a home folder; returns what was seen, by scenario.
fn observe(
    version: &'static str,
    home: &Home,
    more: &[&str],
    scenarios: &[&str],
) -> BTreeMap<String, Value> {
    let pi = Pi::new(version);
    let (folder, extension) = (pi.folder_argument(), extension());
    let mut arguments = vec!["--pi", &*folder, "--extension", extension.to_str().unwrap()];
    arguments.extend(["--home", home.path().to_str().unwrap(), "--question", QUESTION]);
    arguments.extend(more.iter().chain(scenarios));
    let output = pi.try_run("extension/scenarios.mjs", &arguments, "");
    let said = String::from_utf8(output.stdout).unwrap();
    let seen: BTreeMap<String, Value> = said
        .lines()
        .map(|line| {
            let mut told: Value = serde_json::from_str(line).unwrap();
            assert!(told["failed"].is_null(), "pi {version}: {told}");
            (told["scenario"].as_str().unwrap().to_owned(), told["seen"].take())
        })
        .collect();
    let problems = String::from_utf8_lossy(&output.stderr);
    assert_eq!(seen.len(), scenarios.len(), "pi {version}: {said}{problems}");
    seen
}

/// Checks that a text has the answer with its source, and quotes both.
fn check_answer(text: &Value) {
    let text = text.as_str().unwrap();
    assert!(text.contains(&format!("> Done: {ANSWER}")), "{text}");
    let cited = format!("{ID}.jsonl:14 (session {ID}, entry 0000000d)");
    assert!(text.contains(&cited), "{text}");
    let is_ours = |line: &str| line.starts_with("> ") || !line.contains("cart");
    assert!(text.lines().all(is_ours), "{text}");
}

fn with_a_daemon(version: &'static str) {
    let watched = Watched::new();
    let home = &watched.0;
    shop(home);
    watched.start();
    wait_for("the session", || watched.found("keyed") > 0);
    let scenarios = ["tool", "askRpc", "askPrint", "askJson", "askTui", "flag", "install"];
    let seen = observe(version, home, &[], &scenarios);

    let tool = &seen["tool"];
    assert_eq!((&tool["declared"], &tool["isError"]), (&true.into(), &false.into()), "{tool}");
    check_answer(&tool["received"]);
    assert!(tool["details"]["sources"].to_string().contains("0000000d"), "{tool}");
    assert!(tool["details"]["nodes"][0]["id"].is_string(), "{tool}");

    let asked = &seen["askRpc"];
    check_answer(&asked["content"]);
    assert_eq!(asked["modelSawIt"], true, "{asked}");
    assert_eq!(asked["turnsByItself"], 0, "{asked}");
    check_answer(&seen["askPrint"]["stdout"]);
    check_answer(&seen["askJson"]["content"]);
    assert!(seen["askTui"]["answered"].to_string().contains(ANSWER), "{}", seen["askTui"]);
    assert_eq!(seen["install"]["answers"], true);

    // The note is in the session file, which is where the brain has it from.
    wait_for("the note", || watched.found("\"says one\"") > 0 || has_note(home));
    let log = std::fs::read_to_string(home.path().join(".pi-brain/logs/requests.log")).unwrap();
    assert!(log.contains("/api/v1/events"), "events of pi reach the daemon: {log}");
}

fn has_note(home: &Home) -> bool {
    home.stdout(&["nodes", "--json", "--limit", "100"]).contains("says one")
        || home.stdout(&["lessons", "--json"]).contains("says one")
        || home.stdout(&["quirks", "--json"]).contains("says one")
}

#[test]
fn pi_0_73_1_asks_the_daemon() {
    with_a_daemon("0.73.1");
}

#[test]
fn pi_0_87_1_asks_the_daemon() {
    with_a_daemon("0.87.1");
}

#[test]
fn pi_1_5_0_asks_the_daemon() {
    with_a_daemon("1.5.0");
}

#[test]
fn without_a_daemon_the_program_is_asked() {
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    for version in ["0.73.1", "0.87.1", "1.5.0"] {
        let home = Home::new();
        shop(&home);
        let seen = observe(version, &home, &["--bin", program.to_str().unwrap()], &["program"]);
        check_answer(&seen["program"]["received"]);
    }
}

fn run_pi(program: &Path, home: &Home, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(home.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("PI_BRAIN_BIN", assert_cmd::cargo::cargo_bin("pi-brain"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What somebody does who has just got pi-brain: `make run`, which takes in what is there, then pi with the package.
#[test]
fn a_newcomer_asks_in_pi_and_opens_the_line_that_answers() {
    let home = Home::new();
    // There are no sessions yet, so there is a demo set.
    home.pi_brain(&["ingest"]).code(3);
    assert!(home.stdout(&["demo"]).contains("pi-brain"));

    let said = "Use a unique index on order_key, because double clicks made two orders.";
    let model = ScriptedModel::new([Deed::Say(said.to_owned())]);
    let program = Pi::new("1.5.0").install(home.path(), &model);
    run_pi(&program, &home, &["-p", "How do we keep double clicks from making two orders?"]);
    assert!(home.stdout(&["ingest"]).contains('1'));

    home.stdout(&["install", "pi", "--pi", program.to_str().unwrap()]);
    home.stdout(&["install", "pi", "--pi", program.to_str().unwrap()]);
    let settings = std::fs::read_to_string(home.path().join(".pi/agent/settings.json")).unwrap();
    assert_eq!(settings.matches("pi-package").count(), 1, "{settings}");
    let answer = run_pi(&program, &home, &["-p", "/brain why a unique index on order_key?"]);
    assert!(answer.contains("> Use a unique index on order_key"), "{answer}");

    // > [1] …/session.jsonl:3 (session ID, entry ENTRY)
    let cited = answer.lines().find(|line| line.starts_with("> [1] ")).unwrap();
    let (place, names) = cited["> [1] ".len()..].split_once(" (session ").unwrap();
    let (file, line) = place.rsplit_once(':').unwrap();
    let (session, entry) = names.trim_end_matches(')').split_once(", entry ").unwrap();
    let shown = home.stdout(&["session", "show", session, "--at", entry]);
    assert!(shown.lines().take(3).any(|line| line.contains(said)), "{shown}");
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
    assert!(line.contains(entry) && line.contains(said), "{line}");
}
