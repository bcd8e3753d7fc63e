//! The daemon, as people start, ask and stop it; with real processes, each in a home folder of its own.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ID, SHOP, errors_of, shop};
use crate::support::Home;

/// A home whose daemon, if there is one, is ended with it.
pub(crate) struct Watched(pub(crate) Home);

impl Watched {
    pub(crate) fn new() -> Self {
        Self(Home::new())
    }

    pub(crate) fn start(&self) -> String {
        self.0.stdout(&["daemon", "start", "--port", "0"])
    }

    fn status(&self) -> Value {
        self.0.json(&["daemon", "status", "--json"])
    }

    pub(super) fn pid(&self) -> u64 {
        self.status()["pid"].as_u64().unwrap()
    }

    /// Sends a signal to the daemon, which this home has started.
    fn signal(&self, signal: &str) {
        let pid = self.pid().to_string();
        assert!(
            std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success()
        );
        self.wait_until_ended();
    }

    fn wait_until_ended(&self) {
        wait_for("the end", || {
            self.0.command(&["daemon", "status"]).output().unwrap().status.code() == Some(3)
        });
    }

    /// Returns how many results a search has that takes nothing in by itself.
    pub(crate) fn found(&self, word: &str) -> u64 {
        self.0.json(&["search", "--json", "--no-refresh", word])["total"].as_u64().unwrap()
    }

    /// Returns everything that is known of nodes, apart from when it was written.
    fn nodes(&self) -> Vec<Value> {
        let nodes = self.0.json(&["nodes", "--json", "--no-refresh", "--limit", "100000"]);
        let mut nodes: Vec<Value> = nodes.as_array().unwrap().clone();
        nodes.sort_by_key(|node| node["id"].to_string());
        nodes
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.0.command(&["daemon", "stop"]).output();
    }
}

pub(crate) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn append(path: &Path, id: &str, parent: &str, text: &str) {
    let line = json!({
        "type": "message", "id": id, "parentId": parent, "timestamp": "2025-01-01T10:04:00.000Z",
        "message": { "role": "user", "content": text, "timestamp": 1_735_725_840_000_u64 },
    });
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// Writes enough sessions that reading them takes a moment.
pub(super) fn many_sessions(home: &Home) -> Vec<PathBuf> {
    let text = "the same old story about carts and customers ".repeat(20);
    let sessions = (0..40).map(|number| {
        let id = format!("0190cccc-0000-7000-8000-{number:012}");
        let header = SHOP[0].replace(ID, &id);
        let entries = (0..20).map(|at: u32| {
            let parent = at.checked_sub(1).map(|at| format!("{number:04}{at:04}"));
            json!({
                "type": "message", "id": format!("{number:04}{at:04}"), "parentId": parent,
                "timestamp": format!("2025-02-{:02}T10:{at:02}:00.000Z", number % 28 + 1),
                "message": { "role": "user", "content": format!("{text} number {number} {at}") },
            })
            .to_string()
        });
        let lines: Vec<String> = [header].into_iter().chain(entries).collect();
        home.session(&id, &lines.iter().map(String::as_str).collect::<Vec<_>>())
    });
    sessions.collect()
}

#[test]
fn it_is_started_asked_and_stopped() {
    let home = Watched::new();
    shop(&home.0);
    let none = home.0.pi_brain(&["daemon", "status"]).code(3);
    assert!(errors_of(&none).contains("no daemon is running"), "{}", errors_of(&none));
    let none = home.0.pi_brain(&["daemon", "status", "--json"]).code(3);
    let none: Value = serde_json::from_slice(&none.get_output().stdout).unwrap();
    assert_eq!(none["running"], false);

    let started = home.start();
    assert!(started.starts_with("started: process ") && started.contains("http://127.0.0.1:"));
    assert!(home.start().starts_with("running already: process "));
    wait_for("the sessions", || home.status()["files"] == 1);
    let page = home.0.stdout(&["daemon", "status"]);
    for part in ["process", "http://127.0.0.1:", "~/.pi-brain", "1 session file in 2 folders"] {
        assert!(page.contains(part), "{part} is missing in:\n{page}");
    }
    assert!(home.0.stdout(&["daemon", "logs"]).contains("started as process"));
    assert_eq!(home.0.stdout(&["daemon", "logs", "-n", "1"]).lines().count(), 1);

    assert_eq!(home.0.stdout(&["daemon", "stop"]), "stopped\n");
    assert_eq!(home.0.stdout(&["daemon", "stop"]), "no daemon is running\n");
    assert!(!home.0.path().join(".pi-brain/daemon.json").exists());
    assert!(home.0.stdout(&["daemon", "logs", "-n", "1"]).trim_end().ends_with("stopped"));
}

#[test]
fn restarting_keeps_the_port() {
    let home = Watched::new();
    shop(&home.0);
    home.start();
    let before = home.status();
    home.0.pi_brain(&["daemon", "restart"]).success();
    let after = home.status();
    assert_eq!(before["address"], after["address"]);
    assert_ne!(before["pid"], after["pid"]);
}

#[test]
fn a_line_that_is_appended_is_found_by_another_process() {
    let home = Watched::new();
    let path = shop(&home.0);
    home.start();
    append(&path, "000000f1", "0000000e", "albatross");
    wait_for("the line", || home.found("albatross") > 0);
    // A search that looks for itself asks the daemon, and finds it at once.
    append(&path, "000000f2", "000000f1", "bullfinch");
    let found = home.0.json(&["search", "--json", "bullfinch"]);
    assert!(found["total"].as_u64().unwrap() > 0);
    // So does a list, and what writes works beside the daemon.
    append(&path, "000000f3", "000000f2", "cormorant");
    let nodes = home.0.json(&["nodes", "--json"]);
    let id = nodes[0]["id"].as_str().unwrap();
    home.0.pi_brain(&["node", "flag", id, "win", "this went well"]).success();
    assert!(home.0.stdout(&["node", "show", id]).contains("this went well"));
    home.0.pi_brain(&["rebuild"]).success();
    append(&path, "000000f4", "000000f3", "dunnock");
    wait_for("the line", || home.found("dunnock") > 0);
    assert_eq!(home.status()["errors"], json!([]));
}

#[test]
fn a_second_one_is_refused_and_told_of_the_first() {
    let home = Watched::new();
    shop(&home.0);
    home.start();
    let second = home.0.pi_brain(&["up", "--port", "0"]).code(1);
    let pid = home.pid();
    assert!(errors_of(&second).contains(&format!("process {pid}")), "{}", errors_of(&second));
    assert_eq!(home.pid(), pid);
}

#[test]
fn a_port_that_is_taken_is_said() {
    let (home, other) = (Watched::new(), Watched::new());
    home.start();
    let address = home.status()["address"].as_str().unwrap().to_owned();
    let port = address.rsplit(':').next().unwrap();
    let refused = other.0.pi_brain(&["daemon", "start", "--port", port]).code(1);
    assert!(
        errors_of(&refused).contains(&format!("port {port} is taken")),
        "{}",
        errors_of(&refused)
    );
}

#[test]
fn in_the_foreground_it_ends_with_a_signal() {
    let home = Watched::new();
    shop(&home.0);
    for signal in ["-TERM", "-INT"] {
        let mut child = foreground(&home.0);
        wait_for("an answer", || {
            home.0.command(&["daemon", "status"]).output().unwrap().status.success()
        });
        let kill =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert!(child.wait().unwrap().success());
        assert!(!home.0.path().join(".pi-brain/daemon.json").exists());
    }
}

fn foreground(home: &Home) -> Child {
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    let mut command = std::process::Command::new(program);
    command.env_clear().env("HOME", home.path()).env("TZ", "UTC").args(["up", "--port", "0"]);
    command.current_dir(home.path()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn it_tells_the_system_to_take_memory_back() {
    let home = Watched::new();
    home.start();
    let environment = fs::read_to_string(format!("/proc/{}/environ", home.pid())).unwrap();
    assert!(environment.split('\0').any(|variable| variable == "MALLOC_ARENA_MAX=1"));
}

#[test]
fn killed_at_any_moment_it_loses_nothing() {
    let (home, calm) = (Watched::new(), Watched::new());
    many_sessions(&calm.0);
    calm.0.pi_brain(&["ingest"]).success();
    let files = many_sessions(&home.0);
    // They come one after the other, while daemons are killed and started again.
    let (texts, mut written) = (files.iter().map(|path| fs::read(path).unwrap()), 0);
    let texts: Vec<Vec<u8>> = texts.collect();
    for path in &files {
        fs::remove_file(path).unwrap();
    }
    for round in 0..5_u64 {
        home.start();
        for (path, text) in files.iter().zip(&texts).skip(written).take(8) {
            fs::write(path, text).unwrap();
            written += 1;
        }
        std::thread::sleep(Duration::from_millis(30 * round));
        home.signal("-KILL");
    }
    home.start();
    home.0.pi_brain(&["nodes"]).success();
    assert_eq!(home.0.stdout(&["daemon", "stop"]), "stopped\n");
    assert!(!home.nodes().is_empty());
    let ids = |nodes: Vec<Value>| nodes.iter().map(|node| node["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(home.nodes()), ids(calm.nodes()));
    assert_eq!(home.found("customers"), calm.found("customers"));
}

#[test]
fn stopped_while_it_reads_it_finishes_first() {
    let (home, calm) = (Watched::new(), Watched::new());
    many_sessions(&home.0);
    many_sessions(&calm.0);
    calm.0.pi_brain(&["ingest"]).success();
    home.start();
    assert_eq!(home.0.stdout(&["daemon", "stop"]), "stopped\n");
    let log = home.0.stdout(&["daemon", "logs"]);
    assert!(log.trim_end().ends_with("stopped") && !log.contains("error"), "{log}");
    // Whatever it had begun is whole: what is left is taken in by the next, and no more.
    home.0.pi_brain(&["ingest"]).success();
    assert_eq!(home.nodes().len(), calm.nodes().len());
    assert_eq!(home.found("customers"), calm.found("customers"));
}

#[test]
fn what_install_would_write_can_be_seen() {
    let home = Home::new();
    let text = home.stdout(&["daemon", "install", "--print", "--port", "9000"]);
    assert!(text.contains("up") && text.contains("9000"), "{text}");
    assert!(!home.path().join(".config").exists());
    let said = home.stdout(&["daemon", "install"]);
    assert!(said.contains("written: ~/"), "{said}");
}

/// Macs and many containers have no systemd; there, the text alone is checked.
#[test]
fn systemd_understands_what_install_would_write() {
    let home = Home::new();
    let odd = home.path().join("100% \"$HOME\" \\ %h");
    let mut install = home.command(&["--session-dir", odd.to_str().unwrap()]);
    let install = install.args(["daemon", "install", "--print"]).env("PI_BRAIN_HOME", &odd);
    let unit = home.path().join("pi-brain.service");
    fs::write(&unit, install.assert().success().get_output().stdout.clone()).unwrap();
    let verified = std::process::Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .arg(&unit)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .output();
    match verified {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        verified => {
            let verified = verified.unwrap();
            let said = String::from_utf8_lossy(&verified.stderr);
            assert!(verified.status.success() && said.is_empty(), "{said}");
        }
    }
}

/// What a process has open and has started.
#[derive(Debug)]
struct Holdings {
    files: usize,
    threads: usize,
    children: usize,
}

impl Holdings {
    fn of(pid: u64) -> Self {
        let entries = |what: &str| {
            let folder = format!("/proc/{pid}/{what}");
            fs::read_dir(folder).expect("there is /proc to look into").count()
        };
        let output = std::process::Command::new("ps").args(["-e", "-o", "ppid="]).output().unwrap();
        let parents = String::from_utf8(output.stdout).unwrap();
        let children = parents.lines().filter(|parent| parent.trim() == pid.to_string()).count();
        Self { files: entries("fd"), threads: entries("task"), children }
    }
}

/// Many jobs through a real pi leave nothing open and nobody running. `JOBS` says how many.
#[cfg(target_os = "linux")]
#[test]
fn jobs_leave_nothing_behind() {
    let jobs: usize = std::env::var("JOBS").map_or(24, |jobs| jobs.parse().unwrap());
    let answer = json!({
        "type": "research", "outcome": "success", "summary": "Read.", "hadClearGoal": true, "decisions": [],
        "lessons": [], "tags": [], "topics": [], "concepts": [], "frameworks": [],
    });
    let model = pi_brain_real_pi::ScriptedModel::new([pi_brain_real_pi::say(&answer)]);
    let watched = Watched::new();
    let home = &watched.0;
    let pi = home.path().join("pi-home");
    fs::create_dir_all(&pi).unwrap();
    let program = pi_brain_real_pi::Pi::new("1.5.0").install(&pi, &model);
    fs::create_dir_all(home.path().join(".pi-brain")).unwrap();
    let config = format!(
        "[analysis]\nby = \"pi\"\ndays = 100000\n[analysis.pi]\nprogram = {program:?}\n[budget]\ntokens_per_day = 1000000000\n"
    );
    fs::write(home.path().join(".pi-brain/config.toml"), config).unwrap();
    let write = |from: usize, to: usize| {
        for number in from..to {
            let header = json!({"type": "session", "version": 3, "id": format!("s{number}"),
                "timestamp": "2025-01-01T10:00:00.000Z", "cwd": "/home/dev/shop"});
            let line = json!({"type": "message", "id": format!("{number:08x}"), "parentId": null,
                "timestamp": "2025-01-01T10:00:01.000Z",
                "message": {"role": "user", "content": format!("Think about number {number}.")}});
            home.session(&format!("s{number}"), &[&header.to_string(), &line.to_string()]);
        }
    };
    let first = jobs.min(8);
    write(0, first);
    watched.start();
    let wait_for_done = |count: usize| {
        let began = Instant::now();
        loop {
            let analysis = watched.status()["analysis"].clone();
            if analysis["done"] == json!(count) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60 + jobs as u64), "{analysis}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for_done(first);
    let pid = watched.pid();
    let before = Holdings::of(pid);
    write(first, jobs);
    wait_for_done(jobs);
    let after = Holdings::of(pid);
    println!("{jobs} jobs: {before:?}, then {after:?}");
    assert!(after.files <= before.files + 4, "{before:?}, then {after:?}");
    assert!(after.threads <= before.threads + 2, "{before:?}, then {after:?}");
    assert!(after.children <= 2, "one pi for each worker: {after:?}");
    watched.0.pi_brain(&["daemon", "stop"]).success();
    let output = std::process::Command::new("ps").args(["-e", "-o", "args="]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains(&*pi.to_string_lossy()), "a pi was left behind");
}
