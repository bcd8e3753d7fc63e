//! Runs the real pi, for tests that compare with it. A pi that is not installed fails the test.

#![expect(clippy::unwrap_used, reason = "whatever goes wrong here fails the test, as it should")]

mod exceptions;
mod scripted_model;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::json;
use tempfile::TempDir;

pub use exceptions::{EXCEPTIONS, Exception};
pub use scripted_model::{Asked, Deed, ScriptedModel, say};

/// The pis that are installed for tests, oldest first.
pub const VERSIONS: [&str; 3] = ["0.73.1", "0.87.1", "1.5.0"];

/// An installed pi.
#[derive(Clone, Copy, Debug)]
pub struct Pi {
    /// Which one.
    pub version: &'static str,
}

impl Pi {
    /// Takes one of the installed pis.
    pub fn new(version: &'static str) -> Self {
        let pi = Self { version };
        let node = pi.folder().join("node");
        assert!(
            node.exists(),
            "pi {version} is not installed: run `make tools` ({})",
            node.display()
        );
        pi
    }

    fn folder(self) -> PathBuf {
        scripts().join("../../.tools/pi").canonicalize().unwrap_or_default().join(self.version)
    }

    /// Returns the folder of this pi, as scripts take it.
    pub fn folder_argument(self) -> String {
        self.folder().to_str().unwrap().to_owned()
    }

    /// Installs this pi in a home folder of its own, where it knows only a scripted model. Returns the program.
    pub fn install(self, home: &Path, model: &ScriptedModel) -> PathBuf {
        let folder = self.folder();
        let places = [
            "package/dist/bundle/cli.js",
            "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
            "node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
        ];
        let cli = places.iter().map(|place| folder.join(place)).find(|path| path.exists());
        let cli = cli.expect("an installed pi has a cli.js: run `make tools`");
        let agent = home.join(".pi/agent");
        fs::create_dir_all(&agent).unwrap();
        let cost = json!({"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0});
        let stub = json!({"baseUrl": model.url, "api": "openai-completions", "apiKey": "none",
            "models": [{"id": "stub-1", "cost": cost}]});
        let models = json!({"providers": {"stub": stub}}).to_string();
        fs::write(agent.join("models.json"), models).unwrap();
        // Tries again by default, as everybody's pi does.
        let settings = json!({"defaultProvider": "stub", "defaultModel": "stub-1"});
        fs::write(agent.join("settings.json"), settings.to_string()).unwrap();
        let run = format!("exec '{}' '{}' \"$@\"", folder.join("node").display(), cli.display());
        install_program(home, "pi", &run)
    }

    /// Runs one of the scripts beside this crate with this pi; what it prints is JSON.
    pub fn run(self, script: &str, arguments: &[&str], input: &str) -> String {
        let output = self.try_run(script, arguments, input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script} with pi {}: {errors}", self.version);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a script that may fail.
    pub fn try_run(self, script: &str, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new(self.folder().join("node"))
            .arg(scripts().join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        // A script that is done early leaves the rest of its input unread.
        let _ = writer.join();
        output
    }

    /// Lets pi read files, and returns its answers: one line of JSON each.
    pub fn read(self, files: &[&PathBuf], options: &[&str]) -> String {
        let paths: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
        let folder = self.folder_argument();
        let arguments = [&["--pi", &folder], options].concat();
        self.run("oracle.mjs", &arguments, &(paths.join("\n") + "\n"))
    }
}

fn scripts() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Session files made by one version of pi and by hand, by the name of what is in them.
#[derive(Debug)]
pub struct Samples {
    folder: TempDir,
    /// The files.
    pub files: BTreeMap<String, PathBuf>,
}

impl Samples {
    /// Makes them.
    pub fn make(pi: Pi) -> Self {
        let (folder, index) = make(pi, "make-sessions.mjs");
        let files = named_files(&folder, &index);
        Self { folder, files }
    }

    /// Returns the folder that they are in; it goes away with them.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the files from which pi comes back.
    pub fn readable(&self) -> impl Iterator<Item = (&String, &PathBuf)> {
        self.files.iter().filter(|(name, _)| !NEVER_COMES_BACK.contains(&name.as_str()))
    }
}

/// Files from which pi never comes back: their parents run in a circle that holds the leaf.
pub const NEVER_COMES_BACK: &[&str] = &["self-parent", "cycle", "cycle-by-duplicate-id"];

/// One conversation in many files, made by one version of pi: forks, clones, another project, version 1.
#[derive(Debug)]
pub struct Family {
    folder: TempDir,
    /// The files, by the name of what they are.
    pub files: BTreeMap<String, PathBuf>,
    /// How many messages there are, each counted once.
    pub messages: usize,
    /// What the answers cost, in dollars.
    pub cost: f64,
    /// What they cost if every line of every file counts.
    pub naive: f64,
}

impl Family {
    /// Makes it.
    pub fn make(pi: Pi) -> Self {
        let (folder, index) = make(pi, "make-family.mjs");
        let files = named_files(&folder, &index["files"]);
        let number = |key: &str| index[key].as_f64().unwrap();
        let messages = usize::try_from(index["messages"].as_u64().unwrap()).unwrap();
        Self { folder, files, messages, cost: number("cost"), naive: number("naive") }
    }

    /// Returns pi's own folder, with the files in it; it goes away with the family.
    pub fn agent_folder(&self) -> PathBuf {
        self.folder.path().join("agent")
    }
}

/// Several pis at once in one home folder, each of which does everything that makes a session grow: prompts, tools,
/// moves in the tree, labels, compactions, clones, forks.
#[derive(Debug)]
pub struct Talkers(Child);

impl Talkers {
    /// Starts so many, who speak of these things.
    pub fn start(pi: Pi, home: &Path, talkers: usize, words: &[String]) -> Self {
        let script = Command::new(pi.folder().join("node"))
            .arg(scripts().join("talkers.mjs"))
            .args(["--pi", &pi.folder_argument(), "--seed", "1"])
            .args(["--talkers", &talkers.to_string(), "--words", &words.join(" ")])
            .arg("--home")
            .arg(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self(script)
    }

    /// Lets them finish; returns how often they did what, as JSON.
    pub fn end(mut self) -> String {
        drop(self.0.stdin.take());
        let mut done = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut done).unwrap();
        assert!(self.0.wait().unwrap().success(), "pi {done}");
        done.trim_end().to_owned()
    }
}

impl Drop for Talkers {
    fn drop(&mut self) {
        // Only a test that fails leaves them talking: without the script, each pi ends by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn make(pi: Pi, script: &str) -> (TempDir, serde_json::Value) {
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    pi.run(script, &["--pi", &pi.folder_argument(), "--out", out], "");
    let index = fs::read_to_string(folder.path().join("index.json")).unwrap();
    (folder, serde_json::from_str(&index).unwrap())
}

fn named_files(folder: &TempDir, index: &serde_json::Value) -> BTreeMap<String, PathBuf> {
    let path = |file: &serde_json::Value| folder.path().join(file.as_str().unwrap());
    index.as_object().unwrap().iter().map(|(name, file)| (name.clone(), path(file))).collect()
}

/// Installs a shell script in a home folder of its own, in place of a pi. Returns the program.
pub fn install_program(home: &Path, name: &str, script: &str) -> PathBuf {
    let program = home.join(name);
    let shown = home.display();
    let environment = format!(
        "export HOME='{shown}' PI_CODING_AGENT_DIR='{shown}/.pi/agent' PI_OFFLINE=1 PI_SKIP_VERSION_CHECK=1 PI_TELEMETRY=0"
    );
    fs::write(&program, format!("#!/bin/sh\n{environment}\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}
