//! `pi-brain forest`: what it prints, what it keeps, and how it fails.

mod changing;
mod failing;
mod reading;
mod sessions;

use crate::support::Home;

/// A tree made by hand: a question, two answers, and what came of each.
///
/// `1/1` "Where shall we go?", then `1/2` "To the sea." with `1/3` "Too cold.", or `1/4` "To the hills." with
/// `1/5` "Yes!" and `1/6` "Then pack your boots.", which is the current place.
fn holiday() -> Home {
    let home = Home::new();
    let run = |arguments: &[&str]| {
        home.pi_brain(&[&["forest"], arguments].concat()).success();
    };
    run(&["root", "--system", "You are a travel agent."]);
    run(&[
        "append",
        "--user",
        "Where shall we go?",
        "--assistant",
        "To the sea.",
        "--user",
        "Too cold.",
    ]);
    run(&["append", "1/1", "--assistant", "To the hills.", "--user", "Yes!"]);
    run(&["append", "--assistant", "Then pack your boots."]);
    home
}

/// Runs a command of the forest, and returns what it prints.
fn told(home: &Home, arguments: &[&str]) -> String {
    home.stdout(&[&["forest"], arguments].concat())
}

fn json(home: &Home, arguments: &[&str]) -> serde_json::Value {
    home.json(&[&["forest"], arguments, &["--json"]].concat())
}

/// Runs a command that fails so, and says these words.
fn fails(home: &Home, arguments: &[&str], code: i32, words: &str) {
    let assert = home.pi_brain(&[&["forest"], arguments].concat()).code(code);
    let errors = super::errors_of(&assert);
    assert!(errors.contains(words), "{arguments:?}: {errors}");
}

/// Takes the time of the test out of what is compared.
fn without_times() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"20\d\d-\d\d-\d\d( \d\d:\d\d)?", "[time]");
    settings.bind_to_scope()
}
