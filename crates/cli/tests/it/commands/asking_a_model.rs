//! Questions that a model answers, too: a scripted one, that the settings name.

use std::process::{Command, Stdio};

use insta::assert_snapshot;
use pi_brain_real_pi::{Deed, ScriptedModel};
use serde_json::{Value, json};

use super::brain::filtered;
use super::{errors_of, shop};
use crate::support::Home;

const QUESTION: &str = "what are carts keyed by?";
const ANSWER: &str = "Carts are keyed by user id [1]. That is what a model says [9].";

/// A home with a session, and settings that name this model.
fn home(model: &ScriptedModel, more: &str) -> Home {
    let home = Home::new();
    shop(&home);
    let folder = home.path().join(".pi-brain");
    std::fs::create_dir_all(&folder).unwrap();
    let url = &model.url;
    let config = format!(
        "[analysis]\nby = \"openai\"\n[analysis.openai]\nbase_url = {url:?}\nmodel = \"stub-1\"\n\
         [analysis.price]\ninput = 1.0\noutput = 5.0\n{more}"
    );
    std::fs::write(folder.join("config.toml"), config).unwrap();
    home
}

fn journal(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(home.path().join(".pi-brain/journal.jsonl"));
    let text = text.unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_model_answers_after_the_sessions() {
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let home = home(&model, "");
    let text = home.stdout(&["ask", QUESTION]);
    filtered! { assert_snapshot!(text) }
    let journal = journal(&home);
    assert_eq!(journal.len(), 1, "{journal:?}");
    assert_eq!((&journal[0]["purpose"], &journal[0]["tokensIn"]), (&json!("answer"), &json!(100)));
}

#[test]
fn json_is_one_answer_of_the_same_shape() {
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let home = home(&model, "");
    let names =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let found = home.json(&["ask", QUESTION, "--json", "--no-model"]);
    assert_eq!(model.asked().len(), 0);
    let told = home.json(&["ask", QUESTION, "--json"]);
    assert_eq!(model.asked().len(), 1);
    assert_eq!(told["answer"], "Carts are keyed by user id [1]. That is what a model says.");
    assert_eq!(told["summary"], "Carts are keyed by user id.");
    assert_eq!(names(&told), names(&found));
    for same in ["sources", "relatedNodes", "confidence"] {
        assert_eq!(told[same], found[same]);
    }
}

#[test]
fn whatever_goes_wrong_the_first_answer_stands() {
    let small = "[budget]\ntokens_per_day = 10\n";
    let dear = "[budget]\ndollars_per_day = 0.0001\n";
    for (deed, more, warning) in [
        (Deed::Fail(500, "broken"), "", "no answer from the model's provider: broken"),
        (Deed::Fail(429, "slow down"), "", "wants fewer requests: slow down"),
        (
            Deed::Say("It is so.".to_owned()),
            "",
            "it names no evidence that is there (it took 120 tokens)",
        ),
        (Deed::SayAndBreakOff("Carts".to_owned()), "", "no answer from the model's provider"),
        (
            Deed::Say(ANSWER.to_owned()),
            small,
            "more than the 10 tokens that are left of today's budget",
        ),
        (Deed::Say(ANSWER.to_owned()), dear, " tokens and $0.0001 that are left"),
    ] {
        let model = ScriptedModel::new([deed]);
        let home = home(&model, more);
        let assert = home.pi_brain(&["ask", QUESTION]).success();
        let errors = errors_of(&assert);
        assert!(errors.contains(warning), "{errors}");
        assert!(errors.ends_with("the answer from your sessions stands\n"), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let output = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        assert!(output.contains("Done: carts are keyed by user id. [1]"), "{output}");
        assert!(!output.contains("What a model makes of it"), "{output}");
        let json = home.json(&["ask", QUESTION, "--json"]);
        assert!(json["answer"].as_str().unwrap().starts_with("Done: carts"), "{json}");
    }
}

#[test]
fn no_model_is_asked_for_what_is_counted_or_unknown_or_against_the_settings() {
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let wanted = home(&model, "");
    wanted.pi_brain(&["ask", "what did the shop cost?"]).success();
    wanted.pi_brain(&["ask", "why did we migrate the kafka cluster to zebrafish?"]).code(3);
    let config = wanted.path().join(".pi-brain/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("[analysis]", "[analysis]\nanswers = false")).unwrap();
    wanted.pi_brain(&["ask", QUESTION]).success();
    std::fs::write(&config, text.replace("by = \"openai\"", "by = \"none\"")).unwrap();
    let assert = wanted.pi_brain(&["ask", QUESTION]).success();
    assert_eq!((model.asked().len(), errors_of(&assert)), (0, String::new()));
}

#[test]
fn who_stops_it_keeps_the_first_answer() {
    let model = ScriptedModel::new([Deed::Hang]);
    let home = home(&model, "");
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home.path()).env("TZ", "UTC").args(["ask", QUESTION]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while model.asked().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without asking the model");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("the model was stopped"), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Done: carts are keyed by user id. [1]"), "{text}");
}

/// A terminal, as far as the program can tell, is made by util-linux's `script`.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_the_answer_is_shown_as_it_comes_without_tricks() {
    let tricky = ANSWER.replace("That is", "\u{1b}[2JThat\u{202e} is");
    let model = ScriptedModel::new([Deed::Say(tricky)]);
    let home = home(&model, "");
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let line = format!("{} --color never ask {QUESTION}", program.display());
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env_clear().env("PATH", "/usr/bin:/bin");
    script.env("HOME", home.path()).env("TERM", "xterm-256color").env("TZ", "UTC");
    let output = script.stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
    let (first, second) = told.split_once("What a model makes of it:\n").unwrap();
    assert!(first.contains("Done: carts are keyed by user id. [1]"), "{told}");
    assert!(second.starts_with("Carts are keyed by user id [1]. "), "{told}");
    assert!(second.contains("what a model says.\n\nstub-1 read 100 tokens"), "{told}");
    assert_eq!(second.matches("Carts are keyed").count(), 1, "{told}");
    assert!(!second.contains(['\u{1b}', '\u{202e}']), "{told:?}");
}
