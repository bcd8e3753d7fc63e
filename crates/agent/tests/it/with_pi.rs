//! What works, with old and new pi, in both modes.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use pi_brain_agent::{
    AgentError, Allowance, Analysed, Event, Limits, Model, PiJson, PiRpc, PiSettings, Prompts,
    Watch, analyse,
};
use pi_brain_brain::{NodeType, Outcome};
use pi_brain_real_pi::{Deed, ScriptedModel, VERSIONS, say};
use serde_json::json;

use crate::world::{World, good_answer, run, run_within, transcript};

/// Runs a test in both modes of one pi.
fn in_both_modes(settings: &PiSettings, mut test: impl FnMut(&mut dyn Model, &str)) {
    test(&mut PiJson::new(settings.clone()), "json");
    test(&mut PiRpc::new(settings.clone()), "rpc");
}

fn check_analysis(analysed: &Analysed, summary: &str) {
    let judgement = &analysed.judgement;
    assert_eq!(judgement.summary, summary);
    assert_eq!((judgement.node_type, judgement.outcome), (NodeType::Coding, Outcome::Success));
    assert_eq!(judgement.key_decisions[0].what, "Keep carts in a map");
    assert_eq!(judgement.evidence["content.keyDecisions[0]"], ["u0", "m0"]);
    assert_eq!(judgement.lessons.project.len(), 1);
    assert_eq!(analysed.prompt_version, Prompts::built_in().version());
    let claims: Vec<&str> = analysed.dropped.iter().map(|dropped| dropped.claim.as_str()).collect();
    assert!(!claims.is_empty() && claims.iter().all(|claim| *claim == "src/price.ts"));
}

#[test]
fn a_unit_of_work_is_analysed_and_its_secrets_stay_here() {
    for version in VERSIONS {
        let model = ScriptedModel::new([say(&good_answer("one")), say(&good_answer("one"))]);
        let world = World::new();
        in_both_modes(&world.pi(version, &model), |pi, mode| {
            let analysed =
                run(pi, &transcript(1)).unwrap_or_else(|error| panic!("{version} {mode}: {error}"));
            check_analysis(&analysed, "one");
            assert!(!analysed.rlm_used);
            let spent = &analysed.spent;
            assert_eq!((spent.requests, spent.tokens_in, spent.tokens_out), (1, 100, 20), "{mode}");
            assert_eq!(spent.model.as_deref(), Some("stub/stub-1"));
            assert!((spent.dollars.unwrap() - 0.000_14).abs() < 1e-9, "{spent:?}");
        });
        let asked = model.asked();
        assert_eq!(asked.len(), 2);
        for asked in asked {
            let text = asked.text();
            assert!(text.contains("[u0] user: Make the cart"), "{text}");
            assert!(text.contains("[redacted: password]") && !text.contains("hunter2"), "{text}");
            assert!(
                asked.body["tools"].as_array().is_none_or(Vec::is_empty),
                "pi {version} gives tools"
            );
            assert!(
                !text.contains("coding assistant"),
                "pi {version} has a prompt of its own: {text}"
            );
        }
        // pi was told to keep nothing.
        assert!(!world.path().join(".pi/agent/sessions").exists());
    }
}

#[test]
fn a_long_one_is_read_in_parts_and_put_together() {
    for version in VERSIONS {
        let parts = transcript(6).parts(600).len();
        assert!(parts >= 2);
        let of_parts = (0..parts).map(|part| say(&good_answer(&format!("part {part}"))));
        let model = ScriptedModel::new(of_parts.chain([say(&good_answer("the whole"))]));
        let world = World::new();
        let mut pi = PiRpc::new(world.pi(version, &model));
        let analysed = run(&mut pi, &transcript(6)).unwrap();
        check_analysis(&analysed, "the whole");
        assert!(analysed.rlm_used);
        assert_eq!(analysed.spent.requests as usize, parts + 1);
        let asked = model.asked();
        assert_eq!(asked.len(), parts + 1);
        for (at, asked) in asked[..parts].iter().enumerate() {
            let text = asked.text();
            assert!(text.contains(&format!("part {} of {parts}", at + 1)), "{text}");
            // One pi runs all the time, but none of the requests sees another.
            assert_eq!(text.matches("of the transcript. Judge this part").count(), 1, "{text}");
        }
        assert!(!world.path().join(".pi/agent/sessions").exists(), "pi {version} kept a session");
        let merged = asked[parts].text();
        assert!((0..parts).all(|part| merged.contains(&format!("part {part}"))), "{merged}");
    }
}

#[test]
fn an_answer_of_no_use_is_asked_for_once_more() {
    for version in VERSIONS {
        let bad = || Deed::Say("Sure! It went {mostly} well.".to_owned());
        let model = ScriptedModel::new([
            bad(),
            Deed::Say(format!("Here you are:\n```json\n{}\n```", good_answer("repaired"))),
            bad(),
            bad(),
            // Cut off after a list, which is closed here without a further request.
            Deed::SayCutOff(
                r#"{"type":"qa","outcome":"failed","summary":"cut","tags":["a","b"#.to_owned(),
            ),
        ]);
        let world = World::new();
        let mut pi = PiRpc::new(world.pi(version, &model));
        let analysed = run(&mut pi, &transcript(1)).unwrap();
        check_analysis(&analysed, "repaired");
        assert_eq!(analysed.spent.requests, 2);
        let repair = model.asked()[1].text();
        assert!(
            repair.contains("there is no JSON object in it")
                && repair.contains("It went {mostly} well")
        );

        let error = run(&mut pi, &transcript(1)).unwrap_err();
        assert!(matches!(error, AgentError::BadOutput { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "the model's answer cannot be used: there is no JSON object in it"
        );

        let analysed = run(&mut pi, &transcript(1)).unwrap();
        assert_eq!((analysed.judgement.summary.as_str(), analysed.spent.requests), ("cut", 1));
    }
}

#[test]
fn a_large_request_gets_through() {
    // More than an argument of a program can hold, and than a pipe takes at once.
    let long = transcript(300);
    let limits = Limits { part_tokens: long.tokens(), ..Limits::default() };
    let watch = Watch { stop: &AtomicBool::new(false), on_event: &|_: Event<'_>| {} };
    for version in VERSIONS {
        let model = ScriptedModel::new([say(&good_answer("large"))]);
        let world = World::new();
        in_both_modes(&world.pi(version, &model), |pi, mode| {
            let mut allowance = Allowance::tokens(1_000_000);
            let prompts = Prompts::built_in();
            let analysed = analyse(&long, pi, &prompts, limits, &mut allowance, &watch);
            let analysed = analysed.unwrap_or_else(|error| panic!("{version} {mode}: {error}"));
            assert!(!analysed.rlm_used);
            let text = model.asked().last().unwrap().text();
            assert!(
                text.len() > 200_000 && text.contains("[m299]"),
                "{version} {mode}: {}",
                text.len()
            );
        });
    }
}

#[test]
fn skills_are_offered_with_nothing_but_a_tool_to_read_them() {
    for version in VERSIONS {
        let world = World::new();
        let skill = world.path().join("skills/chunker");
        std::fs::create_dir_all(&skill).unwrap();
        let text = "---\nname: chunker\ndescription: Reads long things in chunks\n---\nRead on.\n";
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
        let path = json!({"path": skill.join("SKILL.md")}).to_string();
        let model = ScriptedModel::new([Deed::Call("read", path), say(&good_answer("one"))]);
        let settings = PiSettings { skills: vec![skill], ..world.pi(version, &model) };
        let tools = RefCell::new(Vec::new());
        let on_event = |event: Event<'_>| {
            if let Event::Tool { name } = event {
                tools.borrow_mut().push(name.to_owned());
            }
        };
        let watch = Watch { stop: &AtomicBool::new(false), on_event: &on_event };
        let mut allowance = Allowance::tokens(1_000_000);
        let (prompts, limits) = (Prompts::built_in(), Limits::default());
        let mut pi = PiJson::new(settings);
        analyse(&transcript(1), &mut pi, &prompts, limits, &mut allowance, &watch).unwrap();
        // The model was asked twice in one run: before it read the skill, and after that.
        assert_eq!((allowance.spent().requests, allowance.spent().tokens()), (2, 240));
        assert_eq!(*tools.borrow(), ["read"]);
        let asked = model.asked();
        assert!(asked[0].text().contains("Reads long things in chunks"), "{}", asked[0].text());
        assert!(asked[1].text().contains("Read on."), "{}", asked[1].text());
        let tools = asked[0].body["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].as_str()).collect();
        assert_eq!(names, [Some("read")]);
    }
}

#[test]
fn nothing_is_asked_beyond_what_is_allowed() {
    let parts = transcript(6).parts(600).len();
    let model = ScriptedModel::new((0..=parts).map(|_| say(&good_answer("part"))));
    let world = World::new();
    let mut pi = PiRpc::new(world.pi("1.5.0", &model));
    let mut nothing = Allowance::tokens(100);
    let error = run_within(&mut pi, &transcript(6), &mut nothing).unwrap_err();
    assert!(matches!(error, AgentError::OverAllowance { .. }), "{error}");
    assert_eq!((model.asked().len(), nothing.spent().requests), (0, 0));

    // Enough for the first part: the scripted model says that it took 120 tokens.
    let mut little = Allowance::tokens(2_800);
    let first = run_within(&mut pi, &transcript(1), &mut little).unwrap();
    assert_eq!((first.spent.tokens(), little.spent().tokens()), (120, 120));
    let mut less = Allowance::tokens(first.transcript_tokens + 1_700);
    let error = run_within(&mut pi, &transcript(6), &mut less).unwrap_err();
    assert!(matches!(error, AgentError::OverAllowance { .. }), "{error}");
    assert_eq!(model.asked().len(), 1 + less.spent().requests as usize);
}

#[test]
fn progress_is_told_and_a_wish_to_stop_is_heard() {
    for version in VERSIONS {
        let answers = [say(&good_answer("one")), Deed::Hang, say(&good_answer("two"))];
        let model = ScriptedModel::new(answers);
        let world = World::new();
        let mut pi = PiRpc::new(world.pi(version, &model));
        let (stop, seen) = (AtomicBool::new(false), RefCell::new(Vec::new()));
        let on_event = |event: Event<'_>| seen.borrow_mut().push(format!("{event:?}"));
        let watch = Watch { stop: &stop, on_event: &on_event };
        let one = transcript(1);
        let mut ask = || {
            let mut allowance = Allowance::tokens(1_000_000);
            analyse(&one, &mut pi, &Prompts::built_in(), Limits::default(), &mut allowance, &watch)
        };
        ask().unwrap();
        assert_eq!(seen.borrow()[0], "Asking { number: 1, total: 1 }");
        assert!(seen.borrow()[1..].iter().any(|event| event.starts_with("Answering")), "{seen:?}");

        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Until the model has been asked.
                while model.asked().len() < 2 {
                    std::thread::yield_now();
                }
                stop.store(true, Ordering::Relaxed);
            });
            let error = ask().unwrap_err();
            assert!(matches!(error, AgentError::Aborted), "{error}");
        });
        // The same pi goes on with the next request.
        stop.store(false, Ordering::Relaxed);
        assert_eq!(ask().unwrap().judgement.summary, "two");
    }
}
