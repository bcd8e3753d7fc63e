use super::decisions;
use crate::analysis::talk::{Speaker, Talk};

/// Checks what is decided in a talk: lines of the user's begin with `>`, lines of the model's with `<`; ` / ` breaks a line.
fn check(talk: &str, wanted: &[&str]) {
    let mut heard = Talk::default();
    for (line, number) in talk.lines().map(str::trim).zip(1..) {
        let (speaker, text) = match line.split_at(1) {
            (">", text) => (Speaker::User, text),
            (_, text) => (Speaker::Model, text),
        };
        heard.hear(&format!("entry {number}"), speaker, &text.trim().replace(" / ", "\n"), false);
    }
    let found = decisions(&heard);
    let found: Vec<&str> = found.iter().map(|decided| &*decided.decision.what).collect();
    assert_eq!(found, wanted, "{talk}");
}

#[test]
fn a_choice_between_ways_is_a_decision() {
    check(
        "> how do we store sessions?
         < We can keep them in Redis, or in signed cookies. I recommend cookies, since there is one server less.
         > cookies then, we don't want another server
         < Signed cookies it is.",
        &["cookies then, we don't want another server"],
    );
    check(
        "> why is the build slow?
         < It links twice.
         > thanks!
         < You're welcome.",
        &[],
    );
}

#[test]
fn a_yes_is_told_with_what_it_was_said_to() {
    check(
        "> make it fail next time
         < There are two ways: raise, or wait for rows. I'd go with raising, because a waiting job would hold a slot for days.
         < Done: an empty day fails now.
         > yes, go with raising then",
        &[
            "yes, go with raising then (I'd go with raising, because a waiting job would hold a slot for days)",
        ],
    );
}

#[test]
fn an_option_that_is_refused_is_none_that_was_taken() {
    let plan = "< Plan: / 1. A counter in Redis. / 2. Without Redis: let everybody in.";
    check(
        &format!("> how do we limit requests?\n{plan}\n> take 1, it is the simplest\n< Good."),
        &["A counter in Redis."],
    );
    check(
        &format!(
            "> how do we limit requests?\n{plan}\n> no, not 2. without redis we let nobody in\n< Changed."
        ),
        &["without redis we let nobody in"],
    );
}
