//! The command line of the benchmarks.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use pi_brain_benches::corpus::{Recipe, Style, make_corpus, make_large_session, make_once};
use pi_brain_benches::{
    DaemonPlan, ForestSizes, INGEST_COMMAND, IngestPlan, MEMORY_COMMAND, SEARCH_COMMAND, ServePlan,
    ingest_watched, measure_daemon, measure_forest, measure_growth, measure_ingest, measure_memory,
    measure_serving, measure_sessions, open_watched, report_daemon, report_forest, report_growth,
    report_ingest, report_memory, report_serving, report_sessions, search_watched,
};

/// Measures pi-brain against real pi and plain tools.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make session files, laid out as pi does, and measure nothing.
    Corpus {
        /// The folder to make `sessions` in.
        #[arg(long)]
        out: PathBuf,
        #[command(flatten)]
        size: Size,
    },
    /// Measure reading, listing, memory and growth.
    Session {
        /// The folder of an installed pi 1.5.0; without it pi takes no part.
        #[arg(long)]
        pi: Option<PathBuf>,
        /// The folder for session files; they are made once and used again.
        #[arg(long, default_value = "target/benches-corpus")]
        corpus: PathBuf,
        #[command(flatten)]
        size: Size,
        /// How often each contestant runs.
        #[arg(long, default_value_t = 5)]
        runs: usize,
        /// Megabytes of the one large session.
        #[arg(long, default_value_t = 1000)]
        large_mb: u64,
        /// Entries of the smaller files whose growth is measured.
        #[arg(long, default_value_t = 10_000)]
        entries: usize,
    },
    /// Measure appending to forests and importing sessions.
    Forest {
        /// The folder for session files and forests.
        #[arg(long, default_value = "target/benches-corpus")]
        corpus: PathBuf,
        #[command(flatten)]
        size: Size,
        /// How often each contestant runs.
        #[arg(long, default_value_t = 5)]
        runs: usize,
        /// Megabytes of sessions to import.
        #[arg(long, default_value_t = 100)]
        import_mb: u64,
        /// Messages of the smaller forest; the larger has a hundred times as many.
        #[arg(long, default_value_t = 1000)]
        messages: usize,
    },
    /// Measure taking sessions in, keeping up with them, and searching them.
    Ingest(IngestOptions),
    /// Measure a daemon that has nothing to do, and how soon others find what is written beside it.
    Daemon(DaemonOptions),
    /// Measure a server with much in it, and many who ask at once.
    Serve(ServeOptions),
    /// Open one session and print what memory that took: the other end of `session`.
    #[command(name = MEMORY_COMMAND, hide = true)]
    OpenLarge { file: PathBuf },
    /// Take sessions in and print what that took: the other end of `ingest`.
    #[command(name = INGEST_COMMAND, hide = true)]
    IngestWatched { data: PathBuf, sessions: PathBuf },
    /// Search and print what that took: the other end of `ingest`.
    #[command(name = SEARCH_COMMAND, hide = true)]
    SearchWatched { data: PathBuf, sessions: PathBuf, pairs: usize },
}

#[derive(Args)]
struct ServeOptions {
    /// How many entries the sessions have together, roughly.
    #[arg(long, default_value_t = 1_000_000)]
    entries: u64,
    /// The `pi-brain` that is started [default: the one beside this program].
    #[arg(long)]
    program: Option<PathBuf>,
    /// The folder for session files, and for what is made of them.
    #[arg(long, default_value = "target/benches-corpus")]
    corpus: PathBuf,
    /// How many ask at once.
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// For how long, in seconds.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// How many pairs of words are looked for.
    #[arg(long, default_value_t = 200)]
    pairs: usize,
}

#[derive(Args)]
struct IngestOptions {
    /// How many entries the sessions have together, roughly.
    #[arg(long, default_value_t = 100_000)]
    entries: u64,
    /// The folder of an installed pi 1.5.0; without it pi takes no part.
    #[arg(long)]
    pi: Option<PathBuf>,
    /// The `pi-brain` that is started [default: the one beside this program].
    #[arg(long)]
    program: Option<PathBuf>,
    /// The folder for session files, and for what is made of them.
    #[arg(long, default_value = "target/benches-corpus")]
    corpus: PathBuf,
    /// How often the whole corpus is gone through.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// How many pairs of words are looked for.
    #[arg(long, default_value_t = 200)]
    pairs: usize,
    /// How many lines are appended.
    #[arg(long, default_value_t = 50)]
    appends: usize,
    /// How often pi-brain is started.
    #[arg(long, default_value_t = 20)]
    starts: usize,
    /// Files of the set of small sessions.
    #[arg(long, default_value_t = 5400)]
    small_files: usize,
    /// Entries of the session that is appended to, roughly.
    #[arg(long, default_value_t = 100_000)]
    large_entries: u64,
}

#[derive(Args)]
struct DaemonOptions {
    /// The `pi-brain` that is started [default: the one beside this program].
    #[arg(long)]
    program: Option<PathBuf>,
    /// The folder for session files, and for what is made of them.
    #[arg(long, default_value = "target/benches-corpus")]
    corpus: PathBuf,
    /// How many small sessions there are.
    #[arg(long, default_value_t = 5000)]
    files: usize,
    /// For how many seconds an idle daemon is watched.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many lines are appended.
    #[arg(long, default_value_t = 50)]
    appends: usize,
    /// Entries of the session that is appended to, roughly.
    #[arg(long, default_value_t = 100_000)]
    large_entries: u64,
}

/// What an entry has on average, in a corpus that is searched.
const ENTRY_BYTES: u64 = 1200;
/// How many entries a session has on average, there.
const SESSION_ENTRIES: u64 = 185;

/// How many session files there are.
#[derive(Args, Clone, Copy)]
struct Size {
    /// How many files.
    #[arg(long, default_value_t = 1000)]
    files: usize,
    /// How many megabytes they have together, roughly.
    #[arg(long, default_value_t = 500)]
    mb: u64,
    /// Which of all such corpora.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Corpus { out, size } => make_sessions(&out, size.recipe()),
        Command::Session { pi, corpus, size, runs, large_mb, entries } => {
            make_sessions(&corpus, size.recipe())?;
            let cores = available_parallelism().map_or(1, NonZero::get);
            let figures = measure_sessions(&corpus, pi.as_deref(), runs)?;
            println!("{}", report_sessions(&figures, cores));
            let large = corpus.join("large.jsonl");
            make_large(&large, large_mb * MEGABYTE, Style::Bulky, size.seed)?;
            let figures = measure_memory(&std::env::current_exe()?, &large)?;
            println!("{}", report_memory(&figures));
            println!("{}", report_growth(&measure_growth(&corpus.join("growth"), entries, runs)?));
            Ok(())
        }
        Command::Forest { corpus, size, runs, import_mb, messages } => {
            make_sessions(&corpus, size.recipe())?;
            let cores = available_parallelism().map_or(1, NonZero::get);
            let sizes = ForestSizes {
                few: messages,
                many: messages * 100,
                appends: 200,
                bytes: import_mb * MEGABYTE,
            };
            let figures = measure_forest(&corpus, &corpus.join("forests"), sizes, runs)?;
            println!("{}", report_forest(&figures, cores));
            Ok(())
        }
        Command::Ingest(options) => ingest(&options),
        Command::Daemon(options) => daemon(&options),
        Command::Serve(options) => serve(&options),
        Command::OpenLarge { file } => print_figures(&open_watched(&file)?),
        Command::IngestWatched { data, sessions } => {
            print_figures(&ingest_watched(&data, &sessions)?)
        }
        Command::SearchWatched { data, sessions, pairs } => {
            print_figures(&search_watched(&data, &sessions, pairs)?)
        }
    }
}

fn print_figures(figures: &impl serde::Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(figures)?);
    Ok(())
}

fn serve(options: &ServeOptions) -> anyhow::Result<()> {
    let ServeOptions { entries, clients, seconds, pairs, ref corpus, .. } = *options;
    let agent = corpus.join(format!("ingest-{entries}"));
    let files = usize::try_from(entries / SESSION_ENTRIES)?.max(3);
    make_sessions(&agent, wordy(files, entries * ENTRY_BYTES))?;
    let plan = ServePlan {
        program: &program(options.program.as_deref())?,
        agent: &std::path::absolute(&agent)?,
        work: &std::path::absolute(corpus.join(format!("serve-{entries}-work")))?,
        clients,
        time: Duration::from_secs(seconds),
        pairs,
    };
    println!("{}", report_serving(&measure_serving(&plan)?));
    Ok(())
}

fn ingest(options: &IngestOptions) -> anyhow::Result<()> {
    let IngestOptions { entries, large_entries, small_files, ref corpus, .. } = *options;
    let agent = corpus.join(format!("ingest-{entries}"));
    let files = usize::try_from(entries / SESSION_ENTRIES)?.max(3);
    make_sessions(&agent, wordy(files, entries * ENTRY_BYTES))?;
    let small = make_small(corpus, small_files)?;
    let large = make_wordy_large(corpus, large_entries)?;
    let benches = std::env::current_exe()?;
    let program = program(options.program.as_deref())?;
    let plan = IngestPlan {
        benches: &benches,
        program: &program,
        pi: options.pi.as_deref(),
        agent: &agent,
        small: &small,
        large: &large,
        work: &corpus.join(format!("ingest-{entries}-work")),
        runs: options.runs,
        pairs: options.pairs,
        appends: options.appends,
        starts: options.starts,
    };
    if plan.pi.is_none() {
        eprintln!("without --pi, real pi takes no part");
    }
    let cores = available_parallelism().map_or(1, NonZero::get);
    println!("{}", report_ingest(&measure_ingest(&plan)?, cores));
    Ok(())
}

fn daemon(options: &DaemonOptions) -> anyhow::Result<()> {
    let DaemonOptions { ref corpus, files, seconds, appends, large_entries, .. } = *options;
    let plan = DaemonPlan {
        program: &program(options.program.as_deref())?,
        agent: &make_small(corpus, files)?,
        large: &make_wordy_large(corpus, large_entries)?,
        work: &corpus.join(format!("daemon-{files}-work")),
        watch: Duration::from_secs(seconds),
        appends,
    };
    println!("{}", report_daemon(&measure_daemon(&plan)?));
    Ok(())
}

/// Returns the `pi-brain` that is to be started.
fn program(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name("pi-brain");
    Ok(named.map_or(beside, Path::to_owned))
}

fn wordy(files: usize, bytes: u64) -> Recipe {
    Recipe { files, bytes, style: Style::Wordy, seed: 1 }
}

/// Makes so many sessions that are as small as they can be; returns their agent folder.
fn make_small(corpus: &Path, files: usize) -> anyhow::Result<PathBuf> {
    let agent = corpus.join(format!("ingest-small-{files}"));
    make_sessions(&agent, wordy(files, 1))?;
    Ok(agent)
}

fn make_wordy_large(corpus: &Path, entries: u64) -> anyhow::Result<PathBuf> {
    let file = corpus.join(format!("ingest-large-{entries}.jsonl"));
    make_large(&file, entries * ENTRY_BYTES, Style::Wordy, 1)?;
    Ok(file)
}

impl Size {
    fn recipe(self) -> Recipe {
        let Self { files, mb, seed } = self;
        Recipe { files, bytes: mb * MEGABYTE, style: Style::Bulky, seed }
    }
}

const MEGABYTE: u64 = 1_000_000;

fn make_sessions(folder: &Path, recipe: Recipe) -> anyhow::Result<()> {
    make_once(&folder.join("sessions"), &format!("{recipe:?}"), || {
        make_corpus(folder, recipe).map(drop)
    })
}

fn make_large(file: &Path, bytes: u64, style: Style, seed: u64) -> anyhow::Result<()> {
    make_once(file, &format!("{bytes} bytes, {style:?}, seed {seed}"), || {
        make_large_session(file, bytes, style, seed)
    })
}
