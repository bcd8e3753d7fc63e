//! A model reads units of work: within what it may take, once, and never in place of what the log tells.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use jiff::{Timestamp, Zoned, tz::TimeZone};
use pi_brain_agent::{Event, Watch};
use pi_brain_app::{Analyst, AppError, Settings, Source, Worked};
use pi_brain_brain::{NodeRef, compute_diff};
use pi_brain_real_pi::{Deed, ScriptedModel, say};
use pi_brain_session::{Millis, SessionFolder};
use pi_brain_store::{JobKind, NodeFilter, Order, Store, Wish};
use serde_json::{Value, json};

use crate::brain::{Home, files_in};
use crate::picture::assert_same;
use crate::world::LATER;

/// The time at which the tests take place, or a little later.
pub(crate) fn clock() -> Zoned {
    time(LATER)
}

fn next_day() -> Zoned {
    time(Millis(LATER.0 + 24 * 60 * 60 * 1000))
}

fn time(time: Millis) -> Zoned {
    Timestamp::from_millisecond(time.0).unwrap().to_zoned(TimeZone::UTC)
}

pub(crate) fn settings(home: &Home, model: &ScriptedModel, more: &str) -> Settings {
    let config = format!(
        "[analysis]\nby = \"openai\"\ndays = 100000\n[analysis.openai]\nbase_url = {:?}\nmodel = \"stub-1\"\n{more}",
        model.url
    );
    let folder = SessionFolder::ByProject(home.sessions.clone());
    let usual = Source { folder, computer: "thismachine".to_owned() };
    Settings::parse(&config, Path::new("/config.toml"), usual, Path::new("/nowhere")).unwrap()
}

pub(crate) fn analyst(home: &Home, settings: &Settings) -> Analyst {
    Analyst::open(&home.data, settings, "test", clock).unwrap()
}

/// Works until nothing is left to do.
fn work_off(analyst: &mut Analyst) -> Vec<Worked> {
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, on_event: &|_: Event<'_>| {} };
    let mut done = Vec::new();
    loop {
        match analyst.work(None, &watch).unwrap() {
            Worked::Nothing => return done,
            worked => done.push(worked),
        }
    }
}

fn answer(summary: &str) -> Value {
    json!({
        "type": "refactoring", "outcome": "partial", "summary": summary, "hadClearGoal": true,
        "language": "rust", "frameworks": [], "decisions": [], "tags": ["told-by-a-model"], "topics": [], "concepts": [],
        "lessons": [{"level": "project", "summary": "There is a file src/unheard-of.rs"}],
    })
}

fn nodes(home: &Home) -> Vec<pi_brain_store::NodeRow> {
    home.open().store().nodes(&NodeFilter::default(), Order::Newest, 1000, 0).unwrap().0
}

/// A brain with five units of work, each with a secret, a year ago.
pub(crate) fn home() -> Home {
    let home = Home::new();
    let folder = home.sessions.join("--home-dev-shop--");
    fs::create_dir(&folder).unwrap();
    for day in 1..=5 {
        let time = |minute: u32| format!("2026-01-0{day}T10:0{minute}:00.000Z");
        let header = json!({"type": "session", "version": 3, "id": format!("session-{day}"),
            "timestamp": time(0), "cwd": "/home/dev/shop"});
        let text = format!("Make the cart of day {day} faster. DB_PASSWORD=hunter2hunter");
        let usage = json!({"input": 10, "output": 5, "totalTokens": 15, "cost": {"total": 0.5}});
        let call = json!({"type": "toolCall", "id": "t", "name": "edit", "arguments": {"path": "src/cart.ts"}});
        let said = json!({"type": "text", "text": "Done, the cart is faster now."});
        let lines = [
            header,
            json!({"type": "message", "id": format!("a000000{day}"), "parentId": null, "timestamp": time(1),
                "message": {"role": "user", "content": text}}),
            json!({"type": "message", "id": format!("b000000{day}"), "parentId": format!("a000000{day}"),
                "timestamp": time(2), "message": {"role": "assistant", "content": [said, call], "provider": "stub",
                "model": "other-1", "usage": usage, "stopReason": "stop"}}),
            json!({"type": "message", "id": format!("c000000{day}"), "parentId": format!("b000000{day}"),
                "timestamp": time(3), "message": {"role": "toolResult", "toolCallId": "t", "toolName": "edit",
                "content": [{"type": "text", "text": "ok"}], "isError": false}}),
        ];
        let lines = lines.map(|line| line.to_string());
        let text = lines.join("\n") + "\n";
        fs::write(folder.join(format!("2026-01-0{day}_session-{day}.jsonl")), text).unwrap();
    }
    home.ingest();
    home
}

#[test]
fn a_model_writes_the_second_version_of_every_node_and_numbers_stay() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("A model says what was done."))]);
    let settings = settings(&home, &model, "");
    let before = nodes(&home);
    assert!(before.len() > 2, "{before:?}");
    let mut analyst = analyst(&home, &settings);
    assert_eq!(analyst.plan_new().unwrap(), before.len());
    let done = work_off(&mut analyst);
    assert!(done.iter().all(|done| matches!(done, Worked::Done { is_new: true, .. })), "{done:?}");
    assert_eq!(done.len(), before.len());

    let app = home.open();
    for row in nodes(&home) {
        let version = |version| NodeRef { id: row.id, version: Some(version) };
        let first = app.store().node(version(1)).unwrap().unwrap();
        let second = app.store().node(version(2)).unwrap().unwrap();
        assert_eq!((row.version, &*row.analyzer), (2, "openai"));
        assert_eq!(row.summary, "A model says what was done.");
        assert_eq!(second.metadata.tokens_used, first.metadata.tokens_used);
        assert_eq!(second.content.files_touched, first.content.files_touched);
        let changes = compute_diff(&first, &second).changes;
        assert!(changes.iter().any(|change| change.path == "content.summary"), "{changes:?}");
        assert!(second.daemon_meta.decisions.iter().any(|decision| {
            decision.needs_review == Some(true) && decision.reasoning.contains("unheard-of")
        }));
        let log = home.data.join(second.daemon_meta.analysis_log.unwrap());
        assert!(fs::read_to_string(log).unwrap().contains("A model says what was done."));
    }
    // What it took is known, and can be found by what the model said.
    let used = app.store().own_use(Millis(0)).unwrap();
    assert_eq!(used.runs, before.len() as u64);
    assert_eq!(used.tokens_in, 100 * before.len() as u64);
    let days = app.own_use_by_day(Millis(0), &TimeZone::UTC).unwrap();
    assert_eq!(days.values().map(|day| day.runs).sum::<u64>(), used.runs);
    assert_eq!(model.asked().len(), before.len());
    // No secret has left.
    for asked in model.asked() {
        assert!(asked.text().contains("Make the cart"), "{}", asked.text());
        assert!(!asked.text().contains("hunter2"), "{}", asked.text());
    }
}

#[test]
fn what_was_read_is_not_read_again() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("Once."))]);
    let settings = settings(&home, &model, "");
    let mut first = analyst(&home, &settings);
    first.plan_new().unwrap();
    let done = work_off(&mut first).len();
    drop(first);
    home.ingest();
    let mut second = analyst(&home, &settings);
    assert_eq!(second.plan_new().unwrap(), 0);
    assert_eq!(second.plan_reanalysis().unwrap(), 0);
    assert_eq!(second.wishes(&NodeFilter::default(), false).unwrap(), []);
    assert_eq!(work_off(&mut second).len(), 0);
    assert_eq!(model.asked().len(), done);
    // Who wants it all the same gets it, and no version that says the same.
    let wishes = second.wishes(&NodeFilter::default(), true).unwrap();
    second.enqueue(&wishes, "again").unwrap();
    let again = work_off(&mut second);
    assert!(
        again.iter().all(|done| matches!(done, Worked::Done { is_new: false, .. })),
        "{again:?}"
    );
    assert_eq!(model.asked().len(), 2 * done);
}

#[test]
fn other_prompts_are_used_on_what_was_read_in_batches_newest_first() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("With the old prompts."))]);
    let settings = settings(&home, &model, "[schedule]\nreanalyse_batch = 2\n");
    let mut old = analyst(&home, &settings);
    old.plan_new().unwrap();
    work_off(&mut old);
    drop(old);
    fs::create_dir_all(home.data.join("prompts")).unwrap();
    fs::write(home.data.join("prompts/analyse.md"), "<!-- v7 -->\nJudge this, in JSON.").unwrap();
    model.always(say(&answer("With the new prompts.")));
    let mut new = analyst(&home, &settings);
    assert!(new.prompt_version().starts_with("v7-"), "{}", new.prompt_version());
    assert_eq!(new.plan_new().unwrap(), 0, "the daemon does not read everything again by itself");
    assert_eq!(new.plan_reanalysis().unwrap(), 2);
    work_off(&mut new);
    let rows = nodes(&home);
    let summaries: Vec<&str> = rows.iter().map(|row| &*row.summary).collect();
    assert_eq!(summaries[..2], ["With the new prompts."; 2]);
    assert!(summaries[2..].iter().all(|summary| *summary == "With the old prompts."));
    assert_eq!(rows[0].version, 3);
}

/// Returns a budget of which, once three jobs are done, too little is left for the fourth.
fn enough_for_three(home: &Home, model: &ScriptedModel) -> u64 {
    let analyst = analyst(home, &settings(home, model, ""));
    let wishes = analyst.wishes(&NodeFilter::default(), false).unwrap();
    let most = analyst.outlook(&wishes[..1], || {}).unwrap().estimate;
    // Each job takes 120 tokens; what is set aside for it is half as much again as the most that it could take.
    most.most_tokens_in / 2 * 3 + most.most_tokens_out / 2 * 3 + 250
}

#[test]
fn nothing_is_asked_beyond_the_budget_of_the_day() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("Cheap."))]);
    let budget = enough_for_three(&home, &model);
    let settings = settings(&home, &model, &format!("[budget]\ntokens_per_day = {budget}\n"));
    let mut analyst = analyst(&home, &settings);
    let planned = analyst.plan_new().unwrap();
    let done = work_off(&mut analyst);
    assert_eq!(done.len(), planned, "each job is either done or put off");
    assert!(done.iter().any(|done| matches!(done, Worked::OverDay { .. })), "{done:?}");
    let asked = model.asked().len();
    assert_eq!((asked, planned), (3, 5));
    assert_eq!(work_off(&mut analyst).len(), 0, "until tomorrow there is nothing to do");
    let left = analyst.left().unwrap();
    assert_eq!(left.tokens, budget - 120 * asked as u64, "what was set aside is free again");
    drop(analyst);
    let mut tomorrow = Analyst::open(&home.data, &settings, "test", next_day).unwrap();
    work_off(&mut tomorrow);
    assert!(model.asked().len() > asked);
}

#[test]
fn a_run_has_a_budget_of_its_own() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("Cheap."))]);
    let budget = enough_for_three(&home, &model);
    let settings = settings(&home, &model, &format!("[budget]\ntokens_per_run = {budget}\n"));
    let mut analyst = analyst(&home, &settings);
    let wishes = analyst.wishes(&NodeFilter::default(), false).unwrap();
    analyst.enqueue(&wishes, "mine").unwrap();
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, on_event: &|_: Event<'_>| {} };
    let mut refused = 0;
    loop {
        match analyst.work(Some("mine"), &watch).unwrap() {
            Worked::Nothing => break,
            Worked::OverRun { .. } => refused += 1,
            Worked::Done { .. } => assert_eq!(refused, 0),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((model.asked().len(), refused), (3, 2));
}

#[test]
fn money_that_is_limited_needs_a_price() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("?"))]);
    let limited = "[budget]\ndollars_per_day = 0.001\n";
    let error = Analyst::open(&home.data, &settings(&home, &model, limited), "test", clock);
    assert!(matches!(error.err(), Some(AppError::NoPrice)));
    let priced = format!("[analysis.price]\ninput = 3.0\noutput = 15.0\n{limited}");
    let mut analyst = analyst(&home, &settings(&home, &model, &priced));
    analyst.plan_new().unwrap();
    let done = work_off(&mut analyst);
    assert!(done.iter().all(|done| matches!(done, Worked::OverDay { .. })), "{done:?}");
    assert_eq!(model.asked().len(), 0);
}

#[test]
fn what_it_would_take_is_told_before() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("?"))]);
    let priced = "[analysis.price]\ninput = 1.0\noutput = 2.0\n";
    let analyst = analyst(&home, &settings(&home, &model, priced));
    let wishes = analyst.wishes(&NodeFilter::default(), false).unwrap();
    let outlook = analyst.outlook(&wishes, || {}).unwrap();
    assert_eq!((outlook.nodes, outlook.unreadable), (wishes.len(), 0));
    assert_eq!(outlook.estimate.requests as usize, wishes.len());
    assert!(outlook.estimate.most_tokens_in > outlook.estimate.tokens_in);
    assert!(outlook.dollars.unwrap() > 0.0);
    assert_eq!(model.asked().len(), 0);
}

#[test]
fn a_model_that_fails_is_asked_again_and_given_up_in_the_end() {
    let home = home();
    let model = ScriptedModel::new([Deed::Fail(429, "slow down"), Deed::Fail(401, "who are you?")]);
    let settings = settings(&home, &model, "");
    let mut analyst = analyst(&home, &settings);
    let wishes = analyst.wishes(&NodeFilter::default(), false).unwrap();
    analyst.enqueue(&wishes[..2], "two").unwrap();
    let done = work_off(&mut analyst);
    let [Worked::Failed { again: Some(again), .. }, Worked::Failed { again: None, error, .. }] =
        &done[..]
    else {
        panic!("{done:?}")
    };
    assert_eq!(*again, Millis(LATER.0 + 7000), "the provider said how long to wait");
    assert!(error.contains("who are you?"), "{error}");
    let store = home.open();
    let jobs = store.store().jobs(10).unwrap();
    let kinds: Vec<_> = jobs.iter().map(|job| (job.dead, job.trouble.as_deref())).collect();
    assert_eq!(kinds, [(false, Some("rate-limit")), (true, Some("refused"))]);
    // The built-in rules' version stands, and who wants can have it tried again.
    assert!(nodes(&home).iter().all(|row| row.version == 1));
    assert_eq!(store.store().retry_jobs(None, LATER).unwrap(), 1);
    model.always(say(&answer("Now.")));
    assert_eq!(work_off(&mut analyst).len(), 1);
}

#[test]
fn several_workers_share_the_queue() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("By one of several."))]);
    let settings = settings(&home, &model, "");
    let planned = analyst(&home, &settings).plan_new().unwrap();
    let done = Arc::new(Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let count = work_off(&mut analyst(&home, &settings)).len();
                *done.lock().unwrap() += count;
            });
        }
    });
    assert_eq!(*done.lock().unwrap(), planned);
    assert_eq!(model.asked().len(), planned, "nothing was asked twice");
    assert!(nodes(&home).iter().all(|row| row.version == 2));
}

#[test]
fn who_is_stopped_puts_the_job_back() {
    let home = home();
    let model = ScriptedModel::new([Deed::Hang]);
    let mut analyst = analyst(&home, &settings(&home, &model, ""));
    analyst.plan_new().unwrap();
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, on_event: &|_: Event<'_>| {} };
    thread::scope(|scope| {
        scope.spawn(|| {
            while model.asked().is_empty() {
                thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert!(matches!(analyst.work(None, &watch).unwrap(), Worked::Stopped));
    });
    let counts = home.open().store().queue_counts(None).unwrap();
    assert_eq!((counts.running, counts.dead), (0, 0));
    assert!(counts.waiting > 0);
}

#[test]
fn who_was_killed_is_paid_for_once_and_its_job_is_done_by_another() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("After all."))]);
    let settings = settings(&home, &model, "");
    let store = Store::open(&pi_brain_store::DataFolder::at(&home.data)).unwrap();
    let node = nodes(&home)[0].clone();
    let wish = Wish { kind: JobKind::Analyse, node: Some(node.id), started: node.started };
    store.enqueue(&[wish], pi_brain_store::Priority::New, None, LATER).unwrap();
    let until = Millis(LATER.0 - 1);
    let job = store.lease_job(&[JobKind::Analyse], None, "gone 1", "lease-1", LATER, until);
    let caps = pi_brain_store::Caps {
        since: Millis(0),
        tokens: 1_000_000,
        dollars: None,
        run_tokens: 1_000_000,
        run_dollars: None,
    };
    store.reserve(&job.unwrap().unwrap(), 5_000, None, caps).unwrap();
    drop(store);
    let mut analyst = analyst(&home, &settings);
    let done = work_off(&mut analyst);
    assert!(matches!(done[..], [Worked::Done { is_new: true, .. }]), "{done:?}");
    let used = home.open().store().own_use(Millis(0)).unwrap();
    assert_eq!((used.runs, used.failed), (2, 1));
    assert_eq!(used.tokens_in, 5_000 + 100);
}

#[test]
fn a_version_that_was_written_before_a_kill_is_found_and_nobody_is_asked() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("Written."))]);
    let settings = settings(&home, &model, "");
    let mut first = analyst(&home, &settings);
    let wishes = first.wishes(&NodeFilter::default(), false).unwrap();
    first.enqueue(&wishes[..1], "one").unwrap();
    work_off(&mut first);
    drop(first);
    // The kill came before the database knew: the version's file is there, the row is as before.
    let id = wishes[0].node.unwrap();
    let database = home.database();
    let key = id.as_u64().cast_signed();
    let path: String = database
        .query_row("SELECT path FROM node_version WHERE node = ?1 AND version = 1", [key], |row| {
            row.get(0)
        })
        .unwrap();
    database
        .execute(
            "UPDATE node SET version = 1, path = ?2, analyzer = 'built-in', analyzer_version = '' WHERE id = ?1",
            (key, path),
        )
        .unwrap();
    database.execute("DELETE FROM node_version WHERE node = ?1 AND version = 2", [key]).unwrap();
    drop(database);
    let mut second = analyst(&home, &settings);
    second.enqueue(&wishes[..1], "two").unwrap();
    let done = work_off(&mut second);
    assert!(matches!(done[..], [Worked::Skipped { .. }]), "{done:?}");
    assert_eq!(model.asked().len(), 1);
    let row = nodes(&home).into_iter().find(|row| row.id == id).unwrap();
    assert_eq!((row.version, &*row.summary), (2, "Written."));
}

#[test]
fn a_rebuild_keeps_what_models_said_and_what_they_took() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("For good."))]);
    let settings = settings(&home, &model, "");
    let mut analyst = analyst(&home, &settings);
    analyst.plan_new().unwrap();
    work_off(&mut analyst);
    drop(analyst);
    home.ingest();
    let (before, used) = (home.picture(), home.open().store().own_use(Millis(0)).unwrap());
    home.rebuild();
    assert_same(&before, &home.picture(), "before and after a rebuild");
    assert_eq!(home.open().store().own_use(Millis(0)).unwrap(), used);
    let mut again = Analyst::open(&home.data, &settings, "test", clock).unwrap();
    assert_eq!(again.plan_new().unwrap(), 0);
    assert_eq!(work_off(&mut again).len(), 0);
}

#[test]
fn a_node_that_grows_is_read_again() {
    let home = home();
    let model = ScriptedModel::new([say(&answer("At first."))]);
    let settings = settings(&home, &model, "");
    let mut analyst = analyst(&home, &settings);
    analyst.plan_new().unwrap();
    work_off(&mut analyst);
    // A line that continues the last segment of a file, as if nothing had been closed.
    let file = files_in(&home.sessions).into_iter().last().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let line = json!({
        "type": "message", "id": "fffffff1", "parentId": last["id"], "timestamp": last["timestamp"],
        "message": {"role": "user", "content": "One more thing, please."},
    });
    fs::write(&file, format!("{text}{line}\n")).unwrap();
    home.ingest();
    model.always(say(&answer("It has grown.")));
    assert_eq!(analyst.plan_new().unwrap(), 1);
    let done = work_off(&mut analyst);
    let [Worked::Done { node, .. }] = &done[..] else { panic!("{done:?}") };
    let node = home.open().store().node(*node).unwrap().unwrap();
    assert_eq!(node.content.summary, "It has grown.");
    assert_eq!(node.ext.unwrap().trigger, pi_brain_brain::VersionTrigger::SegmentExtended);
}
