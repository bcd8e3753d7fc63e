//! From session files to answers: taking a corpus in, keeping up with it, and searching it, beside bare text indexes, real
//! pi and ripgrep on the same files.

use std::cell::RefCell;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use jiff::tz::TimeZone;
use pi_brain_app::{App, Asked, Settings, Silent, Source, Wanted};
use pi_brain_session::{Millis, Session, SessionFolder};
use serde::{Deserialize, Serialize};

use crate::corpus::word_pairs;
use crate::floors::{self, FTS5, RESULTS, TANTIVY};
use crate::memory::{anonymous_memory, figures_of, watch_memory};
use crate::pi::Pi;
use crate::race::{Contestant, Lap, Outcome, race_at_once};
use crate::sessions::{PI, RIPGREP, search as ripgrep, size};

/// The name under which the program takes sessions in to measure itself.
pub const INGEST_COMMAND: &str = "ingest-watched";
/// The name under which the program searches to measure itself.
pub const SEARCH_COMMAND: &str = "search-watched";

/// What pi-brain is called among others.
pub(crate) const OURS: &str = "pi-brain";

/// What is on the disk because of pi-brain.
pub(crate) const ALL: &str = "all that pi-brain keeps";

/// When the sessions are looked at: long after the last of them has ended.
const NOW: Millis = Millis(1_790_000_000_000);

/// How often it is measured that nothing has changed.
const LOOKS: usize = 20;

/// How the program tells the C library to treat memory before it takes much in: `FOR_NOW` in `crates/cli/src/thrift.rs`.
const AS_THE_PROGRAM: [(&str, &str); 2] =
    [("MALLOC_ARENA_MAX", "8"), ("MALLOC_MMAP_THRESHOLD_", "524288")];

const SEED: u64 = 1;

/// What to measure on.
#[derive(Clone, Copy, Debug)]
pub struct IngestPlan<'a> {
    /// The program that has the two commands above.
    pub benches: &'a Path,
    /// The real `pi-brain`.
    pub program: &'a Path,
    /// The folder of an installed pi; without it pi takes no part.
    pub pi: Option<&'a Path>,
    /// The agent folder of the corpus.
    pub agent: &'a Path,
    /// The agent folder of many small sessions.
    pub small: &'a Path,
    /// A large session file; a copy of it is appended to.
    pub large: &'a Path,
    /// A folder for what is derived. It is emptied first.
    pub work: &'a Path,
    /// How often the whole corpus is gone through.
    pub runs: usize,
    /// How many pairs of words are looked for.
    pub pairs: usize,
    /// How many lines are appended, one after the other.
    pub appends: usize,
    /// How often the program is started.
    pub starts: usize,
}

/// What was measured.
#[derive(Debug)]
pub struct IngestFigures {
    /// How many files.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
    /// What taking them in gave, and the most memory it took.
    pub ingested: Ingested,
    /// Going through the whole corpus: taking it in, indexing its texts, listing, looking for a word.
    pub passes: Vec<Outcome>,
    /// Two words, either of which will do.
    pub searches: Vec<Outcome>,
    /// Questions about two words.
    pub questions: Outcome,
    /// Memory after all searches and questions.
    pub serving: u64,
    /// What lies on the disk, by name.
    pub disk: Vec<(&'static str, u64)>,
    /// Looks at files of which none has changed, with how many there are.
    pub unchanged: Vec<(usize, Outcome)>,
    /// How large the file was that lines were appended to.
    pub large: u64,
    /// From a line appended to a line found.
    pub appends: Vec<Outcome>,
    /// From the start of the program to its answer.
    pub starts: Outcome,
}

/// What taking a corpus in gave.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Ingested {
    /// How many entries.
    pub entries: usize,
    /// How many messages.
    pub messages: usize,
    /// How many nodes.
    pub nodes: usize,
    /// The most anonymous memory at any time, in bytes.
    pub peak: u64,
    /// How long it took.
    pub seconds: f64,
}

/// What searching gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Searched {
    /// How long each search took, in seconds.
    pub seconds: Vec<f64>,
    /// How long the answer to each question took, in seconds.
    pub questions: Vec<f64>,
    /// Anonymous memory after the last one, in bytes.
    pub memory: u64,
}

/// Measures everything.
pub fn measure_ingest(plan: &IngestPlan<'_>) -> anyhow::Result<IngestFigures> {
    if plan.work.exists() {
        fs::remove_dir_all(plan.work)?;
    }
    fs::create_dir_all(plan.work)?;
    let work = std::path::absolute(plan.work)?;
    let sessions = sessions_of(plan.agent)?;
    let files = SessionFolder::ByProject(sessions.clone()).files();
    let bytes = files.iter().map(|path| size(path)).sum::<anyhow::Result<u64>>()?;
    let texts = floors::texts(&files)?;
    let (data, fts5, tantivy) = (work.join("data"), work.join("fts5.db"), work.join("tantivy"));

    let mut pi = plan.pi.map(|folder| Pi::start(folder, plan.agent)).transpose()?;
    let ingested = RefCell::new(Ingested::default());
    let mut contestants = vec![
        Contestant::timing_itself(OURS, || {
            set_aside(&data)?;
            let taken: Ingested = figures_of(
                Command::new(plan.benches)
                    .arg(INGEST_COMMAND)
                    .args([&data, &sessions])
                    .envs(AS_THE_PROGRAM),
            )?;
            let peak = taken.peak.max(ingested.borrow().peak);
            ingested.replace(Ingested { peak, ..taken });
            Ok(Lap { time: Duration::from_secs_f64(taken.seconds), seen: None })
        }),
        Contestant::timed(TANTIVY, || floors::index_with_tantivy(&tantivy, &texts).map(|()| None)),
        Contestant::timed(FTS5, || floors::index_with_fts5(&fts5, &texts).map(|()| None)),
        Contestant::timed(RIPGREP, || ripgrep(&sessions, files.len()).map(|()| None)),
    ];
    contestants.extend(pi.as_mut().map(|pi| {
        Contestant::timing_itself(PI, || pi.list().map(|lap| Lap { seen: None, ..lap }))
    }));
    let passes = race_at_once(contestants, plan.runs)?;
    drop(texts);

    let disk = vec![
        ("session files", bytes),
        ("database", on_disk(&data.join("brain.db"))?),
        ("index", on_disk(&data.join("index"))?),
        ("node files", on_disk(&data.join("nodes"))?),
        (ALL, on_disk(&data)?),
        (FTS5, on_disk(&fts5)?),
        (TANTIVY, on_disk(&tantivy)?),
    ];
    let pairs = word_pairs(plan.pairs, SEED);
    let served: Searched = figures_of(
        Command::new(plan.benches)
            .arg(SEARCH_COMMAND)
            .args([&data, &sessions])
            .arg(plan.pairs.to_string()),
    )?;
    let durations =
        |seconds: &[f64]| seconds.iter().copied().map(Duration::from_secs_f64).collect();
    let times = durations(&served.seconds);
    let questions = Outcome::new("whole question, in process", durations(&served.questions))?;
    let searches = vec![
        Outcome::new(OURS, times)?,
        Outcome::new(TANTIVY, floors::search_tantivy(&tantivy, &pairs)?)?,
        Outcome::new(FTS5, floors::search_fts5(&fts5, &pairs)?)?,
    ];
    let starts = start_and_ask(plan, &data)?;

    let small = work.join("data-small");
    let small_sessions = sessions_of(plan.small)?;
    App::open(&small, settings(&small, &small_sessions)?)?.ingest("benchmark", NOW, &Silent)?;
    let mut unchanged = look(&data, &sessions)?;
    unchanged.extend(look(&small, &small_sessions)?);
    let (large, appends) = append(plan, &data, &sessions)?;

    Ok(IngestFigures {
        files: files.len(),
        bytes,
        ingested: ingested.into_inner(),
        passes,
        searches,
        questions,
        serving: served.memory,
        disk,
        unchanged,
        large,
        appends,
        starts,
    })
}

/// Takes all sessions in while a thread watches the memory of this process.
pub fn ingest_watched(data: &Path, sessions: &Path) -> anyhow::Result<Ingested> {
    let start = Instant::now();
    let (report, peak) = watch_memory(|| {
        let mut app = App::open(data, settings(data, sessions)?)?;
        anyhow::Ok(app.ingest("benchmark", NOW, &Silent)?)
    })?;
    let report = report?;
    ensure!(report.unreadable.is_empty(), "could not read {:?}", report.unreadable);
    Ok(Ingested {
        entries: report.entries,
        messages: report.messages,
        nodes: report.versions.len(),
        peak,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Looks for so many pairs of words, one after the other, and asks a question about each.
pub fn search_watched(data: &Path, sessions: &Path, pairs: usize) -> anyhow::Result<Searched> {
    let mut app = App::open(data, settings(data, sessions)?)?;
    app.open_tail()?;
    let mut seconds = Vec::with_capacity(pairs);
    for pair in word_pairs(pairs, SEED) {
        let start = Instant::now();
        find(&app, &pair, NOW)?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    let now = NOW.to_timestamp().to_zoned(TimeZone::UTC);
    let mut questions = Vec::with_capacity(pairs);
    for pair in word_pairs(pairs, SEED) {
        let question = format!("why did we change {pair}?");
        let asked =
            Asked { question: &question, limit: RESULTS, now: &now, project: None, session: None };
        let start = Instant::now();
        app.ask(&asked)?;
        questions.push(start.elapsed().as_secs_f64());
    }
    Ok(Searched { seconds, questions, memory: anonymous_memory()? })
}

/// Returns the ids of the entries that were found.
fn find(app: &App, query: &str, now: Millis) -> anyhow::Result<Vec<String>> {
    let now = now.to_timestamp().to_zoned(TimeZone::UTC);
    let wanted = Wanted { query, limit: RESULTS, offset: 0, now: &now, project: None };
    Ok(app.search(&wanted)?.results.into_iter().map(|found| found.entry).collect())
}

/// Starts the real program to ask for two words, without a look at the sessions.
fn start_and_ask(plan: &IngestPlan<'_>, data: &Path) -> anyhow::Result<Outcome> {
    let mut times = Vec::with_capacity(plan.starts);
    for pair in word_pairs(plan.starts, SEED) {
        let start = Instant::now();
        let output = Command::new(plan.program)
            .args(["search", "--json", "--no-refresh", &pair])
            .env_clear()
            .env("HOME", plan.work)
            .env("PI_BRAIN_HOME", data)
            .env("PI_CODING_AGENT_DIR", plan.agent)
            .output()
            .with_context(|| {
                format!("could not run {}; build pi-brain first", plan.program.display())
            })?;
        times.push(start.elapsed());
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pi-brain could not answer: {complaint}");
    }
    Outcome::new("start to first answer", times)
}

/// Looks again and again for changes where there are none.
fn look(data: &Path, sessions: &Path) -> anyhow::Result<Vec<(usize, Outcome)>> {
    let mut found = 0;
    let mut look = |app: &mut App| {
        let report = app.refresh(NOW, &Silent)?.context("somebody else writes there")?;
        ensure!(report.files + report.gone == 0, "something has changed");
        found = report.found;
        anyhow::Ok(())
    };
    let (mut fresh, mut open) = (Vec::new(), Vec::new());
    let mut staying = App::open(data, settings(data, sessions)?)?;
    look(&mut staying)?;
    for _ in 0..LOOKS {
        let start = Instant::now();
        look(&mut App::open(data, settings(data, sessions)?)?)?;
        fresh.push(start.elapsed());
        let start = Instant::now();
        look(&mut staying)?;
        open.push(start.elapsed());
    }
    let fresh = Outcome::new("just opened", fresh)?;
    Ok(vec![(found, fresh), (found, Outcome::new("open before", open)?)])
}

/// Appends lines to a large session beside the corpus, and waits for each to be found.
fn append(
    plan: &IngestPlan<'_>,
    data: &Path,
    sessions: &Path,
) -> anyhow::Result<(u64, Vec<Outcome>)> {
    let folder = data.with_file_name("appended");
    fs::create_dir_all(&folder)?;
    let file = folder.join("large.jsonl");
    fs::copy(plan.large, &file).with_context(|| format!("copying {}", plan.large.display()))?;
    let config = format!("[[sources]]\npath = {:?}\n", folder.to_string_lossy());
    fs::write(data.join("config.toml"), config)?;
    let mut typist = Typist::at_the_end_of(&file)?;
    let open = || anyhow::Ok(App::open(data, settings(data, sessions)?)?);
    let mut staying = open()?;
    staying.ingest("benchmark", typist.now, &Silent)?;

    let mut wait = |app: &mut dyn FnMut() -> anyhow::Result<Option<App>>, staying: &mut App| {
        let mut times = Vec::with_capacity(plan.appends);
        for _ in 0..plan.appends {
            let (id, word) = typist.append(&file)?;
            let start = Instant::now();
            let mut fresh = app()?;
            let app = fresh.as_mut().unwrap_or(staying);
            app.refresh_for_search(typist.now, &Silent)?.context("somebody else writes there")?;
            let found = find(app, &word, typist.now)?;
            times.push(start.elapsed());
            ensure!(found.contains(&id), "the line with {word} was not found");
        }
        anyhow::Ok(times)
    };
    let fresh = wait(&mut || open().map(Some), &mut staying)?;
    let open = wait(&mut || Ok(None), &mut staying)?;
    let appends = vec![Outcome::new("just opened", fresh)?, Outcome::new("open before", open)?];
    Ok((size(&file)?, appends))
}

/// Somebody who goes on with a session.
pub(crate) struct Typist {
    last: String,
    now: Millis,
    typed: usize,
}

impl Typist {
    pub(crate) fn at_the_end_of(file: &Path) -> anyhow::Result<Self> {
        let session = Session::open(file)?;
        let last = session.log().entries().last().context("an empty session")?;
        let id = last.id.as_ref().context("an entry without id")?;
        let time = last.timestamp.context("an entry without time")?;
        Ok(Self { last: id.as_str().to_owned(), now: Millis(time.0 + 1000), typed: 0 })
    }

    /// Appends a line; returns its id and a word that is only there.
    pub(crate) fn append(&mut self, file: &Path) -> anyhow::Result<(String, String)> {
        self.typed += 1;
        let (id, word) = (format!("typed{:03}", self.typed), format!("quagga{}", self.typed));
        let (parent, time, millis) = (&self.last, self.now, self.now.0);
        let line = format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"{time}","message":{{"role":"user","content":[{{"type":"text","text":"Look at {word}, please."}}],"timestamp":{millis}}}}}"#
        );
        writeln!(OpenOptions::new().append(true).open(file)?, "{line}")?;
        self.now = Millis(self.now.0 + 1000);
        self.last.clone_from(&id);
        Ok((id, word))
    }
}

fn settings(data: &Path, sessions: &Path) -> anyhow::Result<Settings> {
    let folder = SessionFolder::ByProject(sessions.to_owned());
    let usual = Source { folder, computer: "bench".to_owned() };
    Ok(Settings::read(&data.join("config.toml"), usual, data)?)
}

fn sessions_of(agent: &Path) -> anyhow::Result<PathBuf> {
    Ok(std::path::absolute(agent.join("sessions"))?)
}

/// Makes room for a folder without deleting the one that is there: some file systems take their time with new files as long
/// as they remember what was deleted.
fn set_aside(folder: &Path) -> anyhow::Result<()> {
    let free = (1..).map(|number| folder.with_extension(number.to_string()));
    match free.into_iter().find(|free| !free.exists()) {
        Some(free) if folder.exists() => Ok(fs::rename(folder, free)?),
        _ => Ok(()),
    }
}

/// Returns what a file, or all in a folder, takes on the disk.
fn on_disk(path: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let failed = || format!("reading {}", path.display());
        let metadata = fs::metadata(&path).with_context(failed)?;
        // The system counts in blocks of 512 bytes, whatever its own are.
        bytes += metadata.blocks() * 512;
        if metadata.is_dir() {
            for entry in fs::read_dir(&path).with_context(failed)? {
                open.push(entry?.path());
            }
        }
    }
    Ok(bytes)
}
