//! What goes wrong, by kind, with old and new pi; and that nothing stays behind.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pi_brain_agent::{AgentError, Event, Model, PiJson, PiRpc, PiSettings, Request, Spent, Watch};
use pi_brain_real_pi::{Deed, ScriptedModel, VERSIONS, say};

use crate::world::{World, good_answer, is_alive, run, transcript};

fn kind(error: &AgentError) -> &'static str {
    match error {
        AgentError::RateLimited { .. } => "rate limited",
        AgentError::TimedOut { .. } => "timed out",
        AgentError::ProgramMissing { .. } => "program missing",
        AgentError::Refused { .. } => "refused",
        AgentError::Network { .. } => "network",
        _ => "other",
    }
}

#[test]
fn failures_of_a_provider_are_told_apart_and_not_tried_again() {
    let cases = [
        (Deed::Fail(429, "slow down"), "rate limited"),
        (Deed::Fail(500, "broken"), "network"),
        (Deed::Fail(401, "wrong key"), "refused"),
        (Deed::BreakOff, "network"),
    ];
    for version in VERSIONS {
        let model = ScriptedModel::new([]);
        let world = World::new();
        let mut pi = PiRpc::new(world.pi(version, &model));
        for (deed, expected) in &cases {
            model.always(deed.clone());
            let before = model.asked().len();
            let error = run(&mut pi, &transcript(1)).unwrap_err();
            assert_eq!(kind(&error), *expected, "pi {version}, {deed:?}: {error:?}");
            check_tries(version, model.asked().len() - before);
        }
        let settings =
            std::fs::read_to_string(world.path().join(".pi/agent/settings.json")).unwrap();
        assert!(!settings.contains("retry"), "pi {version} was told to remember: {settings}");
        // The same pi answers after all that.
        model.always(say(&good_answer("after all")));
        assert_eq!(run(&mut pi, &transcript(1)).unwrap().judgement.summary, "after all");
    }
}

/// pi's HTTP client tries three times at once, which nobody can forbid it; pi itself would do that four times, with pauses.
fn check_tries(version: &str, tries: usize) {
    assert!((1..=3).contains(&tries), "pi {version} tried {tries} times");
}

#[test]
fn how_the_answer_ended_decides_in_json_mode_too() {
    for version in VERSIONS {
        let model = ScriptedModel::new([Deed::Fail(429, "slow down")]);
        let world = World::new();
        let mut pi = PiJson::new(world.pi(version, &model));
        // pi itself ends with 0 here.
        assert_eq!(kind(&run(&mut pi, &transcript(1)).unwrap_err()), "rate limited");
        check_tries(version, model.asked().len());
        model.always(Deed::Fail(500, "broken"));
        assert_eq!(kind(&run(&mut pi, &transcript(1)).unwrap_err()), "network");
    }
}

#[test]
fn a_model_that_does_not_answer_is_left() {
    for version in VERSIONS {
        let model =
            ScriptedModel::new([say(&good_answer("one")), Deed::Hang, say(&good_answer("two"))]);
        let world = World::new();
        let settings = PiSettings { timeout: Duration::from_secs(15), ..world.pi(version, &model) };
        let mut pi = PiRpc::new(settings);
        run(&mut pi, &transcript(1)).unwrap();
        let error = run(&mut pi, &transcript(1)).unwrap_err();
        assert_eq!(kind(&error), "timed out", "pi {version}: {error:?}");
        assert_eq!(run(&mut pi, &transcript(1)).unwrap().judgement.summary, "two");
    }
}

#[test]
fn a_pi_without_key_says_so() {
    for version in VERSIONS {
        let model = ScriptedModel::new([]);
        let world = World::new();
        let settings = PiSettings {
            provider: Some("zai".to_owned()),
            model: Some("glm-4.7".to_owned()),
            ..world.pi(version, &model)
        };
        for pi in [&mut PiJson::new(settings.clone()) as &mut dyn Model, &mut PiRpc::new(settings)]
        {
            let error = run(pi, &transcript(1)).unwrap_err();
            assert_eq!(kind(&error), "refused", "pi {version}: {error:?}");
        }
        assert_eq!(model.asked().len(), 0);
    }
}

#[test]
fn a_missing_pi_is_told() {
    let settings = PiSettings { program: "/nowhere/pi".into(), ..PiSettings::default() };
    for pi in [&mut PiJson::new(settings.clone()) as &mut dyn Model, &mut PiRpc::new(settings)] {
        let error = run(pi, &transcript(1)).unwrap_err();
        assert_eq!(kind(&error), "program missing");
        assert!(error.to_string().contains("/nowhere/pi: install pi"), "{error}");
    }
}

/// A program that takes no hint to end, and has a child that takes none either.
const STUBBORN: &str = "trap '' TERM HUP PIPE\n(trap '' TERM HUP; while :; do sleep 1; done) &\n\
                        echo $$ $! > \"$HOME/pids\"\nwhile :; do sleep 1; done";

#[test]
fn a_pi_that_hangs_is_ended_with_all_its_children() {
    let world = World::new();
    let settings = world.program("stubborn", STUBBORN);
    let settings = PiSettings { timeout: Duration::from_millis(500), ..settings };
    for pi in [&mut PiJson::new(settings.clone()) as &mut dyn Model, &mut PiRpc::new(settings)] {
        let error = run(pi, &transcript(1)).unwrap_err();
        assert_eq!(kind(&error), "timed out", "{error:?}");
        check_ended(&world);
    }
}

#[test]
fn a_pi_that_hangs_does_not_keep_anybody_from_stopping() {
    let world = World::new();
    let mut pi = PiJson::new(world.program("stubborn", STUBBORN));
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, on_event: &|_: Event<'_>| {} };
    let request = Request {
        instructions: "Do",
        text: "it.",
        schema: None,
        answer_tokens: 10,
        is_read_along: false,
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while std::fs::read_to_string(world.path().join("pids")).unwrap_or_default().is_empty()
            {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
        });
        let error = pi.ask(&request, &watch, &mut Spent::default()).unwrap_err();
        assert!(matches!(error, AgentError::Aborted), "{error:?}");
    });
    check_ended(&world);
}

fn check_ended(world: &World) {
    let pids = std::fs::read_to_string(world.path().join("pids")).unwrap();
    assert_eq!(pids.split_whitespace().count(), 2);
    for pid in pids.split_whitespace() {
        assert!(!is_alive(pid), "process {pid} was left behind");
    }
    std::fs::remove_file(world.path().join("pids")).unwrap();
}

#[test]
fn a_pi_that_talks_nonsense_or_dies_is_told() {
    let world = World::new();
    let settings = world
        .program("odd", "echo 'not JSON'; echo '{\"type\":7}'; echo 'it is broken' >&2; exit 3");
    for pi in [&mut PiJson::new(settings.clone()) as &mut dyn Model, &mut PiRpc::new(settings)] {
        let error = run(pi, &transcript(1)).unwrap_err();
        assert_eq!(kind(&error), "network");
        assert!(error.to_string().contains("it is broken"), "{error}");
    }
}

#[test]
fn a_lost_pi_is_started_again_and_none_is_left_in_the_end() {
    for version in VERSIONS {
        let model = ScriptedModel::new([say(&good_answer("one"))]);
        let world = World::new();
        let settings = world.pi(version, &model);
        // The shell becomes pi, so this is pi's own id.
        let script = std::fs::read_to_string(&settings.program).unwrap();
        let script = script.replace("exec ", "echo $$ > \"$HOME/pid\"\nexec ");
        std::fs::write(&settings.program, script).unwrap();
        let mut pi = PiRpc::new(settings);
        run(&mut pi, &transcript(1)).unwrap();
        let pid = || std::fs::read_to_string(world.path().join("pid")).unwrap().trim().to_owned();
        let first = pid();
        run(&mut pi, &transcript(1)).unwrap();
        assert!(first == pid() && is_alive(&first), "pi {version} keeps running between requests");

        let killed = std::process::Command::new("kill").args(["-9", &first]).status().unwrap();
        assert!(killed.success());
        run(&mut pi, &transcript(1)).unwrap();
        let second = pid();
        assert!(first != second && is_alive(&second), "pi {version} is started again");
        drop(pi);
        assert!(!is_alive(&second), "pi {version} was left behind");
    }
}
