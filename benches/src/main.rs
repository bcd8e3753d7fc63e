//! The command line of the benchmarks.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{Args, Parser, Subcommand};
use pi_brain_benches::corpus::{Recipe, make_corpus, make_large_session, make_once};
use pi_brain_benches::{
    ForestSizes, MEMORY_COMMAND, measure_forest, measure_growth, measure_memory, measure_sessions,
    open_watched, report_forest, report_growth, report_memory, report_sessions,
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
    /// Open one session and print what memory that took: the other end of `session`.
    #[command(name = MEMORY_COMMAND, hide = true)]
    OpenLarge { file: PathBuf },
}

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
        Command::Corpus { out, size } => make_sessions(&out, size),
        Command::Session { pi, corpus, size, runs, large_mb, entries } => {
            make_sessions(&corpus, size)?;
            let cores = available_parallelism().map_or(1, NonZero::get);
            let figures = measure_sessions(&corpus, pi.as_deref(), runs)?;
            println!("{}", report_sessions(&figures, cores));
            let large = make_large(&corpus, large_mb, size.seed)?;
            let figures = measure_memory(&std::env::current_exe()?, &large)?;
            println!("{}", report_memory(&figures));
            println!("{}", report_growth(&measure_growth(&corpus.join("growth"), entries, runs)?));
            Ok(())
        }
        Command::Forest { corpus, size, runs, import_mb, messages } => {
            make_sessions(&corpus, size)?;
            let cores = available_parallelism().map_or(1, NonZero::get);
            let sizes = ForestSizes {
                few: messages,
                many: messages * 100,
                appends: 200,
                bytes: import_mb * 1_000_000,
            };
            let figures = measure_forest(&corpus, &corpus.join("forests"), sizes, runs)?;
            println!("{}", report_forest(&figures, cores));
            Ok(())
        }
        Command::OpenLarge { file } => {
            println!("{}", serde_json::to_string(&open_watched(&file)?)?);
            Ok(())
        }
    }
}

fn make_sessions(folder: &Path, size: Size) -> anyhow::Result<()> {
    let Size { files, mb: megabytes, seed } = size;
    let recipe = Recipe { files, megabytes, seed };
    make_once(&folder.join("sessions"), &format!("{recipe:?}"), || {
        make_corpus(folder, recipe).map(drop)
    })
}

fn make_large(folder: &Path, megabytes: u64, seed: u64) -> anyhow::Result<PathBuf> {
    let file = folder.join("large.jsonl");
    make_once(&file, &format!("{megabytes} MB, seed {seed}"), || {
        make_large_session(&file, megabytes, seed)
    })?;
    Ok(file)
}
