//! A daemon with a model: closed units of work are read by it, once, and nobody is left waiting for a model that hangs.

use std::fs;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pi_brain_brain::NodeId;
use pi_brain_real_pi::{Deed, Pi, ScriptedModel, say};
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, NodeRow, Order};
use serde_json::{Value, json};

use crate::home::{Daemon, Home, wait_for};

const WORDS: [&str; 2] = ["albatross", "bittern"];

fn answer(summary: &str) -> Value {
    json!({
        "type": "research", "outcome": "success", "summary": summary, "hadClearGoal": true, "decisions": [],
        "lessons": [], "tags": [], "topics": [], "concepts": [], "frameworks": [],
    })
}

/// Chooses a model that is asked over HTTP.
fn choose(home: &Home, model: &ScriptedModel, more: &str) {
    let config = format!(
        "[analysis]\nby = \"openai\"\ndays = 100000\n[analysis.openai]\nbase_url = {:?}\nmodel = \"stub-1\"\n{more}",
        model.url
    );
    fs::create_dir_all(&home.data).unwrap();
    fs::write(home.data.join("config.toml"), config).unwrap();
}

fn nodes(home: &Home) -> Vec<NodeRow> {
    home.open().store().nodes(&NodeFilter::default(), Order::Newest, 1000, 0).unwrap().0
}

fn wait_until_read(home: &Home, count: usize) {
    wait_for("versions by the model", || {
        nodes(home).iter().filter(|row| row.analyzer != "built-in").count() == count
    });
}

fn ask(daemon: &Daemon, method: &str, path: &str, body: &str) -> (u16, Value) {
    let (address, token) = (daemon.client.address(), &daemon.announcement.token);
    daemon.raw(&format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

#[test]
fn what_is_over_is_read_by_the_model_and_a_restart_asks_nothing() {
    let home = Home::new();
    let model = ScriptedModel::new([say(&answer("A model has read this."))]);
    choose(&home, &model, "");
    for name in ["one", "two", "three"] {
        home.session(name, &[name, "bittern"]);
    }
    let daemon = home.start();
    wait_until_read(&home, 3);
    wait_for("the status", || {
        daemon.client.status().unwrap().analysis.is_some_and(|analysis| analysis.done == 3)
    });
    let analysis = daemon.client.status().unwrap().analysis.unwrap();
    assert_eq!((&*analysis.by, analysis.today.runs, analysis.failed), ("openai", 3, 0));
    daemon.stop();
    assert_eq!(model.asked().len(), 3);

    let daemon = home.start();
    daemon.wait_until_idle();
    daemon.client.refresh(true).unwrap();
    wait_for("a look into the queue", || daemon.client.status().unwrap().analysis.is_some());
    daemon.stop();
    assert_eq!(model.asked().len(), 3);
    // What the model said can be found.
    assert_eq!(nodes(&home)[0].summary, "A model has read this.");
}

#[test]
fn a_model_that_is_chosen_later_is_asked_without_a_restart() {
    let home = Home::new();
    let model = ScriptedModel::new([say(&answer("Later."))]);
    home.session("one", &WORDS);
    let daemon = home.start();
    daemon.wait_until_idle();
    assert_eq!(daemon.client.status().unwrap().analysis, None);
    choose(&home, &model, "");
    daemon.client.refresh(false).unwrap();
    wait_until_read(&home, 1);
}

#[test]
fn a_model_that_hangs_keeps_nobody_from_stopping() {
    let home = Home::new();
    let model = ScriptedModel::new([Deed::Hang]);
    choose(&home, &model, "");
    home.session("one", &WORDS);
    let daemon = home.start();
    wait_for("a request", || !model.asked().is_empty());
    let began = Instant::now();
    daemon.stop();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let counts = home.open().store().queue_counts(None).unwrap();
    assert_eq!((counts.waiting, counts.running, counts.dead), (1, 0, 0));
    // The next one goes on with it.
    model.always(say(&answer("After all.")));
    let _daemon = home.start();
    wait_until_read(&home, 1);
}

#[test]
fn pi_is_asked_and_none_is_left_behind() {
    let home = Home::new();
    let model = ScriptedModel::new([say(&answer("Through pi."))]);
    let folder = home.path().join("pi-home");
    fs::create_dir_all(&folder).unwrap();
    let program = Pi::new("1.5.0").install(&folder, &model);
    fs::create_dir_all(&home.data).unwrap();
    let config =
        format!("[analysis]\nby = \"pi\"\ndays = 100000\n[analysis.pi]\nprogram = {program:?}\n");
    fs::write(home.data.join("config.toml"), config).unwrap();
    for name in ["one", "two", "three", "four"] {
        home.session(name, &[name, "bittern"]);
    }
    let daemon = home.start();
    wait_until_read(&home, 4);
    let is_ours = |command: &str| command.contains(&*folder.to_string_lossy());
    daemon.stop();
    let output = std::process::Command::new("ps").args(["-e", "-o", "args="]).output().unwrap();
    let running =
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| is_ours(line)).count();
    assert_eq!(running, 0, "a pi was left behind");
    assert!(nodes(&home).iter().all(|row| row.analyzer == "pi"));
}

#[test]
fn the_queue_can_be_looked_at_and_what_was_given_up_tried_again() {
    let home = Home::new();
    let model = ScriptedModel::new([Deed::Fail(401, "who are you?")]);
    choose(&home, &model, "");
    home.session("one", &WORDS);
    let daemon = home.start();
    wait_for("a job that was given up", || {
        ask(&daemon, "GET", "/api/v1/daemon/queue", "").1["counts"]["dead"] == json!(1)
    });
    let (_, queue) = ask(&daemon, "GET", "/api/v1/daemon/queue", "");
    let job = &queue["jobs"][0];
    assert_eq!((&job["trouble"], &job["dead"]), (&json!("refused"), &json!(true)), "{queue}");
    assert!(job["error"].as_str().unwrap().contains("who are you?"), "{queue}");

    model.always(say(&answer("Now it works.")));
    let body = format!("{{\"jobs\": [{}]}}", job["id"]);
    assert_eq!(ask(&daemon, "POST", "/api/v1/daemon/retry", &body), (200, json!({ "retried": 1 })));
    wait_until_read(&home, 1);

    // Who asks for a node gets it, read or not.
    let node = nodes(&home)[0].id;
    model.always(say(&answer("Once more.")));
    assert_eq!(daemon.client.analyse(&[node]).unwrap(), 1);
    wait_for("another version", || nodes(&home)[0].summary == "Once more.");
    assert!(daemon.client.analyse(&[NodeId::from_u64(7)]).is_err());
    assert_eq!(ask(&daemon, "POST", "/api/v1/daemon/analyse", "{\"nods\": []}").0, 400);
}

#[test]
fn nothing_is_queued_without_a_model() {
    let home = Home::new();
    home.session("one", &WORDS);
    let daemon = home.start();
    daemon.wait_until_idle();
    let error = daemon.client.analyse(&[nodes(&home)[0].id]).unwrap_err();
    assert!(error.to_string().contains("no model is chosen"), "{error}");
}

#[test]
fn who_says_that_work_is_over_is_believed() {
    let home = Home::new();
    let start = Millis(Timestamp::now().as_millisecond() - 120_000);
    home.session_at("fresh", &WORDS, start);
    let daemon = home.start();
    home.wait_for_words(&WORDS, &WORDS);
    assert_eq!(nodes(&home).len(), 0, "it may go on");
    daemon.client.announce_end("fresh").unwrap();
    wait_for("a node", || nodes(&home).len() == 1);
    assert!(daemon.client.announce_end("unheard-of").is_err());
}
