//! Real pis write sessions while the daemon is killed and started again. In the end everything is known, and once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use pi_brain_app::{App, Settings, Silent, Source};
use pi_brain_daemon::{Client, Status, log_file, running};
use pi_brain_real_pi::{Pi, Talkers};
use pi_brain_search::SearchIndex;
use pi_brain_session::{Millis, SessionFolder};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process_group};

use crate::picture::{Picture, assert_same};
use crate::support::Home;

/// What pis speak of: each with each. So many that none of them is everywhere.
const FIRST_PARTS: [&str; 8] = ["north", "south", "east", "west", "river", "reed", "rock", "snow"];
const SECOND_PARTS: [&str; 8] =
    ["bittern", "dunnock", "egret", "gannet", "heron", "kestrel", "lapwing", "plover"];

/// How often the daemon is killed, unless the environment asks for more with `KILLS`.
const FEW_KILLS: u32 = 6;

/// How long a daemon lives at most, and how many pis there are, if few kills will do or many are asked for. The last pi of
/// many writes a session that is long enough to be treated as such.
const FEW: (Duration, usize) = (Duration::from_secs(1), 3);
const MANY: (Duration, usize) = (Duration::from_secs(5), 4);

#[test]
fn killed_again_and_again_while_pis_write_it_knows_what_a_clean_start_knows() {
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok());
    let (longest, pis) = if kills.is_some() { MANY } else { FEW };
    let kills = kills.unwrap_or(FEW_KILLS);
    let home = Home::new();
    let brain = Brain::of(&home, ".pi-brain");
    let began = Instant::now();
    let talkers = Talkers::start(Pi::new("1.5.0"), home.path(), pis, &words());
    let (mut noise, mut interrupted) = (Noise(0x9e37_79b9_7f4a_7c15), 0);
    let mut written = BTreeMap::new();
    for kill in 0..kills {
        let daemon = Daemon::start(&home);
        thread::sleep(longest.mul_f64(noise.share()));
        match kill % 4 {
            // As soon as it is at work.
            0 => wait_for("a daemon that writes", || brain.is_being_written()),
            // A little later.
            1 => {
                wait_for("a daemon that writes", || brain.is_being_written());
                thread::sleep(Duration::from_millis(50).mul_f64(noise.share()));
            }
            // When it has caught up, and takes in line by line.
            2 => {
                daemon.wait_until_caught_up(&brain);
                thread::sleep(longest.mul_f64(noise.share()));
            }
            // At any moment.
            _ => {}
        }
        interrupted += u32::from(brain.is_being_written());
        daemon.kill();
        have_only_grown(&mut written, &brain.sessions);
    }
    let talk = talkers.end();
    have_only_grown(&mut written, &brain.sessions);
    let sessions = states(&brain.sessions);

    let daemon = Daemon::start(&home);
    let status = daemon.wait_until_caught_up(&brain);
    assert_eq!((status.files, status.errors.len()), (sessions.len(), 0), "{:?}", status.errors);
    let now: Millis = Timestamp::now().into();
    home.pi_brain(&["daemon", "stop"]).success();
    daemon.has_ended();
    assert_eq!(running(&brain.data), None);

    let clean = Brain::of(&home, "clean");
    clean.ingest(now);
    assert!(!brain.open().has_news(now).unwrap());
    let (mut left, mut expected) = (brain.picture(now), clean.picture(now));
    let while_it_ran = left.nodes.len();
    // A unit of work that was over and then went on has its node already, with whatever hangs on that; after a clean start
    // it has none before it is over again.
    left.nodes.retain(|id, _| expected.nodes.contains_key(id));
    for picture in [&mut left, &mut expected] {
        (picture.edges, picture.answers) = Default::default();
    }
    assert_same(&expected, &left, "as the daemon has left it");

    // Until here, some were not over.
    let later = Millis(now.0 + 24 * 3_600_000);
    brain.ingest(later);
    clean.ingest(later);
    let (known, files) = (brain.picture(later), brain.node_files());
    assert_same(&clean.picture(later), &known, "when all is over");
    have_no_gaps(&files);
    App::rebuild(&brain.data, brain.settings(), later, &Silent).unwrap();
    assert_same(&known, &brain.picture(later), "after a rebuild");
    assert_eq!(brain.node_files(), files, "a rebuild says nothing new");

    assert_eq!(states(&brain.sessions), sessions, "session files are pi's");
    let is_leftover = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "tmp");
    assert_eq!(files_in(&brain.data).into_iter().find(is_leftover), None);
    let log = fs::read_to_string(log_file(&brain.data)).unwrap();
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("error:")).collect();
    assert_eq!(complaints, [""; 0]);
    println!(
        "{kills} kills in {:.0} s, {interrupted} of them in the middle of writing; {} session files, {} nodes \
         ({} of them while the daemon ran), {} edges, {} versions; {talk}",
        began.elapsed().as_secs_f64(),
        sessions.len(),
        known.nodes.len(),
        while_it_ran,
        known.edges.len(),
        files.len()
    );
    assert!(interrupted >= kills / 4);
}

fn words() -> Vec<String> {
    let with = |first: &str| SECOND_PARTS.map(|second| format!("{first}{second}"));
    FIRST_PARTS.into_iter().flat_map(with).collect()
}

/// A data folder, and the sessions that it is about.
struct Brain {
    sessions: PathBuf,
    data: PathBuf,
}

impl Brain {
    fn of(home: &Home, name: &str) -> Self {
        Self { sessions: home.path().join(".pi/agent/sessions"), data: home.path().join(name) }
    }

    /// Returns the sources as the program finds them.
    fn settings(&self) -> Settings {
        let folder = SessionFolder::ByProject(self.sessions.clone());
        let computer = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let usual = Source { folder, computer };
        Settings::read(&self.data.join("config.toml"), usual, Path::new("/nowhere")).unwrap()
    }

    fn open(&self) -> App {
        App::open(&self.data, self.settings()).unwrap()
    }

    fn ingest(&self, now: Millis) {
        let report = self.open().ingest("ingest", now, &Silent).unwrap();
        assert_eq!(report.unreadable, []);
    }

    /// Draws everything that is known, after the index was put in order.
    fn picture(&self, now: Millis) -> Picture {
        SearchIndex::open(&self.data.join("index")).unwrap().merge().unwrap();
        let mut queries: Vec<String> = words().into_iter().step_by(9).collect();
        queries.extend(queries.windows(2).map(|pair| pair.join(" ")).collect::<Vec<_>>());
        queries.extend(
            ["is:abandoned northegret", "tool:bash", "\"stub summary\""].map(str::to_owned),
        );
        Picture::of(&self.open(), &self.data, &queries, now)
    }

    fn node_files(&self) -> BTreeSet<String> {
        let files = files_in(&self.data.join("nodes")).into_iter();
        files.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    /// Returns whether some process has the right to write just now.
    fn is_being_written(&self) -> bool {
        let lock = File::open(self.data.join("lock"));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// A daemon in a process of its own, which leads a group in which nobody must be left.
struct Daemon(Child);

impl Daemon {
    fn start(home: &Home) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pi-brain"));
        command.env_clear().env("HOME", home.path()).args(["up", "--port", "0"]);
        command.current_dir(home.path()).stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.process_group(0).spawn().unwrap())
    }

    /// Waits until it has taken in everything that was there when it was started, for good: that comes first.
    fn wait_until_caught_up(&self, brain: &Brain) -> Status {
        let mut status = None;
        wait_for("a daemon that has caught up", || {
            let client = Client::find(&brain.data).filter(|client| client.pid() == self.0.id());
            status = client.and_then(|client| client.status().ok());
            status.as_ref().is_some_and(|status| status.last_refresh.is_some())
        });
        status.unwrap()
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        let status = self.0.wait().unwrap();
        assert_eq!(status.code(), None, "it ended by itself: {status}");
        self.has_left_nobody();
    }

    /// Waits for the end that somebody has asked for.
    fn has_ended(mut self) {
        assert!(self.0.wait().unwrap().success());
        self.has_left_nobody();
    }

    fn has_left_nobody(&self) {
        let group = Pid::from_child(&self.0);
        assert_eq!(test_kill_process_group(group), Err(Errno::SRCH));
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Only a test that fails leaves one behind.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Moments at which nobody expects anything.
struct Noise(u64);

impl Noise {
    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 40).unwrap()) / f64::from(1 << 24)
    }
}

/// Checks that session files are what they were before, or begin with it: pi only appends, and nobody else writes.
fn have_only_grown(written: &mut BTreeMap<PathBuf, Vec<u8>>, sessions: &Path) {
    for path in files_in(sessions) {
        let text = fs::read(&path).unwrap();
        let before = written.entry(path.clone()).or_default();
        assert!(text.starts_with(before), "{} was rewritten", path.display());
        *before = text;
    }
}

/// Returns what session files are: their bytes, and when they were written.
fn states(sessions: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let state = |path: PathBuf| {
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        (path.clone(), (fs::read(path).unwrap(), written))
    };
    files_in(sessions).into_iter().map(state).collect()
}

/// Checks that the versions of each node are numbered from 1 on.
fn have_no_gaps(files: &BTreeSet<String>) {
    let mut versions: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for file in files {
        let (id, version) = file.strip_suffix(".json").unwrap().split_once("-v").unwrap();
        versions.entry(id).or_default().insert(version.parse().unwrap());
    }
    for (id, versions) in versions {
        assert!(versions.iter().copied().eq(1..=versions.len()), "{id}: {versions:?}");
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "waited in vain for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
