//! Folders that are nobody's, and a daemon that looks after them.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pi_brain_app::{App, FoundKind, Settings, Silent, Source, Wanted};
use pi_brain_daemon::{Activity, Announcement, Client};
use pi_brain_server::{Options, ServerError};
use pi_brain_session::{Millis, SessionFolder};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with sessions, which may not be there yet, and one with what is known of them.
pub(crate) struct Home {
    folder: TempDir,
    pub(crate) sessions: PathBuf,
    pub(crate) data: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let (sessions, data) =
            (folder.path().join("pi/agent/sessions"), folder.path().join("data"));
        Self { folder, sessions, data }
    }

    /// Writes a session of a project, each entry with a word, said long ago one minute after the other.
    pub(crate) fn session(&self, name: &str, words: &[&str]) -> PathBuf {
        self.session_at(name, words, Millis(1_767_225_600_000))
    }

    pub(crate) fn session_at(&self, name: &str, words: &[&str], start: Millis) -> PathBuf {
        let path = self.sessions.join("--home-dev-shop--").join(format!("{name}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text(name, words, start)).unwrap();
        path
    }

    pub(crate) fn start(&self) -> Daemon {
        Daemon::start(self)
    }

    pub(crate) fn options(&self) -> Options {
        let (sessions, data) = (self.sessions.clone(), self.data.clone());
        Options {
            folder: self.data.clone(),
            home: self.folder.path().to_owned(),
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            token: None,
            is_shown: false,
            settings: Arc::new(move |text| match text {
                None => settings(&sessions, &data),
                Some(text) => parse_settings(text, &sessions),
            }),
        }
    }

    /// Opens the brain as another process would, without taking anything in.
    pub(crate) fn open(&self) -> App {
        let mut app = App::open(&self.data, settings(&self.sessions, &self.data).unwrap()).unwrap();
        app.open_tail().unwrap();
        app
    }

    /// Takes everything in by hand, as a command does.
    pub(crate) fn rebuild(&self) {
        let settings = settings(&self.sessions, &self.data).unwrap();
        App::rebuild(&self.data, settings, Timestamp::now().into(), &Silent).unwrap();
    }

    /// Returns which of the words are found, without looking for anything new.
    pub(crate) fn found(&self, words: &[&str]) -> Vec<String> {
        let (app, now) = (self.open(), Timestamp::now().to_zoned(TimeZone::UTC));
        let is_found = |word: &&&str| {
            let wanted = Wanted { query: word, limit: 10, offset: 0, now: &now, project: None };
            let results = app.search(&wanted).unwrap().results;
            results.iter().any(|item| item.what != FoundKind::Node)
        };
        words.iter().filter(is_found).map(|&word| word.to_owned()).collect()
    }

    /// Waits until exactly these of the words are found.
    pub(crate) fn wait_for_words(&self, all: &[&str], expected: &[&str]) {
        wait_for(&format!("{expected:?}"), || self.found(all) == expected);
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn settings(sessions: &Path, data: &Path) -> pi_brain_app::Result<Settings> {
    Settings::read(&data.join("config.toml"), usual(sessions), Path::new("/nowhere"))
}

fn parse_settings(text: &str, sessions: &Path) -> pi_brain_app::Result<Settings> {
    Settings::parse(text, Path::new("config.toml"), usual(sessions), Path::new("/nowhere"))
}

fn usual(sessions: &Path) -> Source {
    let folder = SessionFolder::ByProject(sessions.to_owned());
    Source { folder, computer: "thismachine".to_owned() }
}

/// Writes a session: a header, and an entry for each word.
pub(crate) fn text(id: &str, words: &[&str], start: Millis) -> String {
    let header = json!({
        "type": "session", "version": 3, "id": id, "timestamp": start, "cwd": "/home/dev/shop",
    });
    let lines = words.iter().enumerate().map(|(at, word)| {
        let parent = at.checked_sub(1).map(|at| format!("{}{at}", words[at]));
        line(parent.as_deref(), (at, word), Millis(start.0 + 60_000 * i64::try_from(at).unwrap()))
    });
    format!("{header}\n{}", lines.collect::<Vec<_>>().concat())
}

fn line(parent: Option<&str>, (at, word): (usize, &str), time: Millis) -> String {
    let role = if at % 2 == 0 { "user" } else { "assistant" };
    let content = json!([{ "type": "text", "text": format!("we speak of {word} now") }]);
    let entry = json!({
        "type": "message", "id": format!("{word}{at}"), "parentId": parent, "timestamp": time,
        "message": { "role": role, "content": content, "timestamp": time.0 },
    });
    format!("{entry}\n")
}

/// Appends an entry to a session.
pub(crate) fn append(path: &Path, at: usize, word: &str) {
    let before = fs::read_to_string(path).unwrap();
    let last: Value = serde_json::from_str(before.lines().last().unwrap()).unwrap();
    let time = Millis(1_767_225_600_000 + 60_000 * i64::try_from(at).unwrap());
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(line(last["id"].as_str(), (at, word), time).as_bytes()).unwrap();
}

/// A daemon in a thread, which is stopped at the end.
pub(crate) struct Daemon {
    pub(crate) client: Client,
    pub(crate) announcement: Announcement,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

impl Daemon {
    fn start(home: &Home) -> Self {
        let options = home.options();
        let thread = std::thread::spawn(|| pi_brain_server::run(options, |_| ()));
        let mut client = None;
        wait_for("an answer", || {
            client = Client::find(&home.data);
            client.is_some() || thread.is_finished()
        });
        let Some(client) = client else {
            panic!("the daemon ended: {:?}", thread.join());
        };
        let announcement = Announcement::read(&home.data).unwrap();
        Self { client, announcement, thread: Some(thread) }
    }

    /// Waits until everything that was there at the start is taken in.
    pub(crate) fn wait_until_idle(&self) {
        wait_for("idleness", || {
            let status = self.client.status().unwrap();
            status.last_refresh.is_some() && status.activity == Activity::Idle
        });
    }

    pub(crate) fn stop(mut self) {
        self.end().unwrap();
    }

    fn end(&mut self) -> Result<(), ServerError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        // A test may have stopped it.
        let _ = self.client.stop();
        thread.join().unwrap()
    }

    /// Sends a request as it is written, and returns the status with the body.
    pub(crate) fn raw(&self, request: &str) -> (u16, Value) {
        raw(self.client.address(), request)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

pub(crate) fn raw(address: SocketAddr, request: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

/// Waits for a condition, never for a duration; gives up when it has become hopeless.
pub(crate) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
