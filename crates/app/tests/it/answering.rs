//! A model answers questions: from what was found, within the day's budget, and never where there is nothing to add.

use std::cell::RefCell;
use std::fs;
use std::sync::atomic::AtomicBool;

use pi_brain_agent::{AgentError, Event, Watch};
use pi_brain_app::{Analyst, Answer, Asked, ModelAnswer, Settings};
use pi_brain_real_pi::{Deed, ScriptedModel};
use pi_brain_session::Millis;
use pi_brain_store::{Caps, DataFolder, Left, Reserved, Store};
use serde_json::Value;

use crate::analysis::{analyst, clock, home, settings};
use crate::brain::Home;
use crate::world::LATER;

const QUESTION: &str = "what was done to make the cart faster?";
const ANSWER: &str = "The cart was made faster [1]. So it says [77].";

fn find(home: &Home, question: &str) -> Answer {
    let asked = Asked { question, limit: 3, now: &clock(), project: None, session: None };
    home.open().ask(&asked).unwrap()
}

fn ask(home: &Home, settings: &Settings, question: &str) -> (ModelAnswer, String) {
    let (stop, seen) = (AtomicBool::new(false), RefCell::new(String::new()));
    let on_event = |event: Event<'_>| {
        if let Event::Answering { text, .. } = event {
            seen.borrow_mut().push_str(text);
        }
    };
    let watch = Watch { stop: &stop, on_event: &on_event };
    let found = find(home, question);
    let answered = analyst(home, settings).answer(question, &found, &watch).unwrap();
    (answered, seen.into_inner())
}

fn left(home: &Home, settings: &Settings) -> Left {
    analyst(home, settings).left().unwrap()
}

/// Returns what the journal says that models took.
fn spends(home: &Home) -> Vec<Value> {
    let journal = fs::read_to_string(home.data.join("journal.jsonl")).unwrap_or_default();
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["action"] == "spend").collect()
}

#[test]
fn an_answer_has_the_sources_it_names_and_is_paid_for() {
    let home = home();
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let settings =
        settings(&home, &model, "[analysis.price]\ninput = 10.0\noutput = 50.0\n[budget]\n");
    let found = find(&home, QUESTION);
    let before = left(&home, &settings);
    let (answered, seen) = ask(&home, &settings, QUESTION);
    let ModelAnswer::Answered { answer, invented, spent } = answered else {
        panic!("{answered:?}")
    };
    assert_eq!(answer.answer, "The cart was made faster [1]. So it says.");
    assert_eq!((&*answer.summary, invented), ("The cart was made faster.", 1));
    assert_eq!(seen, answer.answer);
    assert_eq!(answer.sources.len(), found.sources.len());
    assert_eq!(answer.sources[0].entry, found.sources[0].entry);
    assert_eq!(answer.confidence, found.confidence);
    assert!((spent.dollars.unwrap() - 0.002).abs() < 1e-9, "{spent:?}");

    let spends = spends(&home);
    assert_eq!(spends.len(), 1, "{spends:?}");
    let spend = &spends[0];
    assert_eq!((&spend["purpose"], &spend["outcome"]), (&"answer".into(), &"done".into()));
    assert_eq!((&spend["tokensIn"], &spend["tokensOut"]), (&100.into(), &20.into()));
    assert_eq!(left(&home, &settings).tokens, before.tokens - 120, "what was set aside is free");
    let text = model.asked()[0].text();
    assert!(text.contains("project: shop") && text.contains("day: 2026-01-0"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn nothing_is_asked_without_wish_evidence_or_something_to_add() {
    let home = home();
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let wanted = settings(&home, &model, "");
    for question in ["why did we migrate to zebrafish?", "what did the shop cost?"] {
        let (answered, _) = ask(&home, &wanted, question);
        assert!(matches!(answered, ModelAnswer::NotAsked), "{question}: {answered:?}");
    }
    let mut unwanted = wanted.clone();
    unwanted.analysis.as_mut().unwrap().answers = false;
    assert!(matches!(ask(&home, &unwanted, QUESTION).0, ModelAnswer::NotAsked));
    let mut none = wanted.clone();
    none.analysis = None;
    assert!(!Analyst::shall_answer(&none, &find(&home, QUESTION)));
    assert!(Analyst::shall_answer(&wanted, &find(&home, QUESTION)));
    assert_eq!((model.asked().len(), spends(&home).len()), (0, 0));
}

#[test]
fn nothing_is_asked_beyond_the_budget_of_the_day_with_what_others_have_set_aside() {
    let home = home();
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let small = settings(&home, &model, "[budget]\ntokens_per_day = 1000\n");
    let (answered, _) = ask(&home, &small, QUESTION);
    let ModelAnswer::OverDay { left } = answered else { panic!("{answered:?}") };
    assert_eq!(left.tokens, 1000);
    assert_eq!(model.asked().len(), 0);

    // Enough for one answer, but another is on its way.
    let enough = settings(&home, &model, "[budget]\ntokens_per_day = 20000\n");
    let caps =
        Caps { since: Millis(0), tokens: 20_000, dollars: None, run_tokens: 0, run_dollars: None };
    let store = Store::open(&DataFolder::at(&home.data)).unwrap();
    let until = Millis(LATER.0 + 1000);
    let reserve = |lease: &str, owner: &str, until: Millis| {
        store.reserve_answer(lease, owner, until, (15_000, None), caps).unwrap()
    };
    assert_eq!(reserve("other", "ask 1", until), Reserved::Yes);
    let over = Reserved::OverDay(Left { tokens: 5_000, dollars: None });
    assert_eq!(reserve("third", "ask 2", until), over);
    assert!(matches!(ask(&home, &enough, QUESTION).0, ModelAnswer::OverDay { .. }));
    store.release_answer("other").unwrap();
    assert!(matches!(ask(&home, &enough, QUESTION).0, ModelAnswer::Answered { .. }));
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn what_somebody_set_aside_who_was_killed_is_taken_back_and_counted() {
    let home = home();
    let model = ScriptedModel::new([Deed::Say(ANSWER.to_owned())]);
    let settings = settings(&home, &model, "");
    let caps = Caps {
        since: Millis(0),
        tokens: 1_000_000,
        dollars: None,
        run_tokens: 0,
        run_dollars: None,
    };
    let store = Store::open(&DataFolder::at(&home.data)).unwrap();
    let mut analyst = analyst(&home, &settings);
    let whole = analyst.left().unwrap().tokens;
    let reserve = |lease: &str, owner: &str, until: i64| {
        store.reserve_answer(lease, owner, Millis(until), (5_000, None), caps).unwrap();
    };
    reserve("over", "ask 1", LATER.0 - 1);
    reserve("gone", "daemon 7", LATER.0 + 60_000);
    reserve("alive", "ask 2", LATER.0 + 60_000);
    analyst.reap(Some("daemon ")).unwrap();
    let spends = spends(&home);
    let lost: Vec<_> = spends
        .iter()
        .map(|spend| [&spend["lease"], &spend["purpose"], &spend["outcome"]].map(Value::as_str))
        .collect();
    assert_eq!(lost.len(), 2, "{spends:?}");
    for lease in ["over", "gone"] {
        assert!(lost.contains(&[Some(lease), Some("answer"), Some("lost")]), "{lost:?}");
    }
    assert_eq!(analyst.left().unwrap().tokens, whole - 15_000);
    store.release_answer("alive").unwrap();
    assert_eq!(analyst.left().unwrap().tokens, whole - 10_000);
}

#[test]
fn an_answer_of_no_use_is_paid_for_and_one_that_never_came_is_not() {
    let home = home();
    let model = ScriptedModel::new([
        Deed::Say("Nobody can check this.".to_owned()),
        Deed::Fail(429, "slow down"),
    ]);
    let settings = settings(&home, &model, "");
    let whole = left(&home, &settings).tokens;
    let ModelAnswer::Failed { error, spent } = ask(&home, &settings, QUESTION).0 else { panic!() };
    assert!(matches!(error, AgentError::BadOutput { .. }), "{error}");
    assert_eq!(spent.tokens(), 120);
    let ModelAnswer::Failed { error, spent } = ask(&home, &settings, QUESTION).0 else { panic!() };
    assert!(matches!(error, AgentError::RateLimited { .. }), "{error}");
    assert_eq!(spent.tokens(), 0);
    let spends = spends(&home);
    assert_eq!(spends.len(), 1, "{spends:?}");
    assert_eq!(spends[0]["outcome"], "failed");
    assert_eq!(left(&home, &settings).tokens, whole - 120);
}
