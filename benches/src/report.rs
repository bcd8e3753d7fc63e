//! The figures as Markdown, with ratios: milliseconds are those of one machine on one day.

use std::fmt::Write;
use std::time::Duration;

use crate::daemon::{DaemonFigures, Idle};
use crate::floors::{FTS5, TANTIVY};
use crate::forest::{AppendFigures, ForestFigures, READ_ONLY};
use crate::growth::{GROWTH, GrowthFigures};
use crate::ingest::{ALL, IngestFigures, Ingested, OURS};
use crate::memory::MemoryFigures;
use crate::race::Outcome;
use crate::serve::ServeFigures;
use crate::sessions::{CAT, PI, RIPGREP, SessionFigures};

/// Writes the tables for reading and listing a corpus.
pub fn report_sessions(figures: &SessionFigures, cores: usize) -> String {
    let SessionFigures { files, bytes, reading, listing } = figures;
    let corpus = format!("{files} files, {:.0} MB, {cores} cores", megabytes(*bytes));
    let reading = race_table(reading, *bytes, &[PI, RIPGREP, CAT]);
    let listing = race_table(listing, *bytes, &[PI]);
    format!("## Parse, tree and context: {corpus}\n\n{reading}\n## List: {corpus}\n\n{listing}")
}

/// Writes how each contestant did, and how many times as fast it was as each of the `peers`.
fn race_table(outcomes: &[Outcome], bytes: u64, peers: &[&'static str]) -> String {
    let peers: Vec<&Outcome> = peers
        .iter()
        .filter_map(|peer| outcomes.iter().find(|outcome| outcome.name == *peer))
        .collect();
    let mut head = ["", "ms", "from – to", "MB/s"].map(str::to_owned).to_vec();
    head.extend(peers.iter().map(|peer| format!("speed ÷ {}", peer.name)));
    let rows = outcomes.iter().map(|outcome| {
        let (fastest, slowest) = outcome.range();
        let time = outcome.median();
        let mut row = vec![
            outcome.name.to_owned(),
            milliseconds(time),
            format!("{} – {}", milliseconds(fastest), milliseconds(slowest)),
            format!("{:.0}", megabytes(bytes) / time.as_secs_f64()),
        ];
        row.extend(peers.iter().map(|peer| ratio(peer.median(), time)));
        row
    });
    table(&head, rows)
}

/// Writes the table for one large session.
pub fn report_memory(figures: &MemoryFigures) -> String {
    let MemoryFigures { bytes, entries, messages, before, peak, seconds } = *figures;
    let head = ["", "value"].map(str::to_owned);
    let share = 100.0 * megabytes(peak) / megabytes(bytes);
    let rows = [
        ("file", format!("{:.0} MB, {entries} entries", megabytes(bytes))),
        ("context", format!("{messages} messages")),
        ("time", format!("{:.0} ms, {:.0} MB/s", seconds * 1000.0, megabytes(bytes) / seconds)),
        ("peak RssAnon", format!("{:.1} MB ({:.1} MB before)", megabytes(peak), megabytes(before))),
        ("peak ÷ file", format!("{share:.2} %")),
    ];
    let rows = rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
    format!("## Memory: one large session\n\n{}", table(&head, rows))
}

/// Writes the table for the extreme shapes.
pub fn report_growth(figures: &[GrowthFigures]) -> String {
    let head = ["", "entries", "µs each", "entries", "µs each", "ratio"].map(str::to_owned);
    let rows = figures.iter().map(|figures| {
        let GrowthFigures { shape, entries, small, large } = figures;
        vec![
            shape.name().to_owned(),
            entries.to_string(),
            microseconds(*small),
            (entries * GROWTH).to_string(),
            microseconds(*large),
            ratio(*large, *small),
        ]
    });
    format!("## Growth: open, tree, context and branches\n\n{}", table(&head, rows))
}

/// Writes the tables for forests.
pub fn report_forest(figures: &ForestFigures, cores: usize) -> String {
    let head = ["", "messages", "µs each", "messages", "µs each", "ratio"].map(str::to_owned);
    let rows = figures.appending.iter().map(|figures| {
        let AppendFigures { name, few, small, many, large } = figures;
        vec![
            (*name).to_owned(),
            few.to_string(),
            microseconds(*small),
            many.to_string(),
            microseconds(*large),
            ratio(*large, *small),
        ]
    });
    let appending = table(&head, rows);
    let importing = race_table(&figures.importing, figures.bytes, &[READ_ONLY]);
    let bytes = megabytes(figures.bytes);
    format!(
        "## Append to a forest\n\n{appending}\n## Import: {bytes:.0} MB, {cores} cores\n\n{importing}"
    )
}

/// Writes the tables for taking a corpus in and searching it.
pub fn report_ingest(figures: &IngestFigures, cores: usize) -> String {
    let IngestFigures { files, bytes, ingested, passes, searches, disk, .. } = figures;
    let Ingested { entries, messages, nodes, .. } = ingested;
    let corpus = format!("{files} files, {:.0} MB, {cores} cores", megabytes(*bytes));
    let passes = race_table(passes, *bytes, &[TANTIVY, FTS5, RIPGREP, PI]);
    let searches = search_table(searches);
    let disk = disk_table(disk);
    let budgets = budget_table(figures);
    format!(
        "## Ingest: {entries} entries, {corpus}\n\n{messages} messages, {nodes} nodes.\n\n{passes}\n\
         ### Two words\n\n{searches}\n### Disk\n\n{disk}\n### Budgets\n\n{budgets}"
    )
}

/// Writes down what a daemon took.
pub fn report_daemon(figures: &DaemonFigures) -> String {
    let DaemonFigures { files, start, first, next, large, appends } = figures;
    let head = ["", "after the first ingest", "after a restart", "must"].map(str::to_owned);
    let share = |idle: &Idle| {
        let share = 100.0 * idle.busy.as_secs_f64() / idle.watched.as_secs_f64();
        format!("{share:.2} % of a core")
    };
    let memory = |idle: &Idle| format!("{:.1} MB", megabytes(idle.memory));
    let row = |what: &str, figure: &dyn Fn(&Idle) -> String, must: &str| {
        vec![what.to_owned(), figure(first), figure(next), must.to_owned()]
    };
    let rows = [
        row("processor", &share, "under 0.5 %"),
        row("RssAnon", &memory, "60 MB"),
        row("open files", &|idle| idle.open_files.to_string(), ""),
        row("threads", &|idle| idle.threads.to_string(), ""),
    ];
    format!(
        "## Daemon: {files} files, idle for {:.0} s\n\nTaken in after {:.1} s.\n\n{}\n\
         A line appended to {:.0} MB → found by `pi-brain search`: p50 {} ms, p95 {} ms, worst {} ms.\n",
        first.watched.as_secs_f64(),
        start.as_secs_f64(),
        table(&head, rows.into_iter()),
        megabytes(*large),
        finely(appends.median()),
        finely(appends.nearly_all()),
        finely(appends.range().1),
    )
}

/// Writes what many who ask at once came to.
pub fn report_serving(figures: &ServeFigures) -> String {
    let ServeFigures { messages, alone, clients, time, kinds, errors, memory } = figures;
    let head = ["", "answers", "p50 ms", "p95 ms", "p99 ms", "worst"].map(str::to_owned);
    let row = |outcome: &Outcome| {
        vec![
            outcome.name.to_owned(),
            outcome.laps().to_string(),
            finely(outcome.median()),
            finely(outcome.nearly_all()),
            finely(outcome.all_but_a_few()),
            finely(outcome.range().1),
        ]
    };
    let answers: usize = kinds.iter().map(Outcome::laps).sum();
    let rows = std::iter::once(alone).chain(kinds).map(row);
    format!(
        "## Server: {messages} messages, {clients} clients for {:.0} s\n\n{}\n\
         {answers} answers, {errors} errors. RssAnon {:.0} MB before, {:.0} MB at most.\n",
        time.as_secs_f64(),
        table(&head, rows),
        megabytes(memory.0),
        megabytes(memory.1),
    )
}

fn search_table(searches: &[Outcome]) -> String {
    let head = ["", "p50 ms", "p95 ms", "worst", "p95 ÷ bare tantivy", "p95 ÷ SQLite FTS5"];
    let rows = searches.iter().map(|outcome| {
        let slow = outcome.nearly_all();
        let against = |peer| {
            named(searches, peer).map_or(String::new(), |peer| ratio(slow, peer.nearly_all()))
        };
        vec![
            outcome.name.to_owned(),
            finely(outcome.median()),
            finely(slow),
            finely(outcome.range().1),
            against(TANTIVY),
            against(FTS5),
        ]
    });
    table(&head.map(str::to_owned), rows)
}

fn disk_table(disk: &[(&'static str, u64)]) -> String {
    let head = ["", "MB", "of the session files"].map(str::to_owned);
    let sessions = disk.first().map_or(0.0, |(_, bytes)| megabytes(*bytes));
    let rows = disk.iter().map(|(name, bytes)| {
        let share = 100.0 * megabytes(*bytes) / sessions;
        vec![(*name).to_owned(), format!("{:.1}", megabytes(*bytes)), format!("{share:.1} %")]
    });
    table(&head, rows)
}

/// Writes what is promised beside what was measured.
fn budget_table(figures: &IngestFigures) -> String {
    let row = |work: String, figure: String, must: &str, aim: &str| {
        vec![work, figure, must.to_owned(), aim.to_owned()]
    };
    let both = |outcome: &Outcome| {
        format!("{} ms (p50 {})", finely(outcome.nearly_all()), finely(outcome.median()))
    };
    let memory = |bytes: u64| format!("{:.0} MB", megabytes(bytes));
    let mut rows = Vec::new();
    if let Some(ours) = named(&figures.passes, OURS) {
        let speed = megabytes(figures.bytes) / ours.median().as_secs_f64();
        rows.push(row("full ingest".to_owned(), format!("{speed:.0} MB/s"), "40 MB/s", "100 MB/s"));
    }
    for (files, outcome) in &figures.unchanged {
        let work = format!("nothing changed, {files} files, {}", outcome.name);
        rows.push(row(work, both(outcome), "100 ms for 5,400", "20 ms"));
    }
    for outcome in &figures.appends {
        let large = megabytes(figures.large);
        let work = format!("a line appended to {large:.0} MB → found, {}", outcome.name);
        rows.push(row(work, both(outcome), "100 ms", "10 ms"));
    }
    if let Some(ours) = named(&figures.searches, OURS) {
        let work = "search, two words, in process".to_owned();
        rows.push(row(work, both(ours), "20 ms over HTTP", "5 ms"));
    }
    let work = figures.questions.name.to_owned();
    rows.push(row(work, both(&figures.questions), "30 ms", "8 ms"));
    let work = figures.starts.name.to_owned();
    rows.push(row(work, both(&figures.starts), "150 ms", "20 ms"));
    let work = "peak memory, ingest".to_owned();
    rows.push(row(work, memory(figures.ingested.peak), "200 MB", "100 MB"));
    rows.push(row("memory, serving".to_owned(), memory(figures.serving), "100 MB", "40 MB"));
    let all = figures.disk.iter().find(|(name, _)| *name == ALL);
    if let Some((_, bytes)) = all {
        let share = 100.0 * megabytes(*bytes) / megabytes(figures.bytes);
        rows.push(row("disk".to_owned(), format!("{share:.1} %"), "40 %", "20 %"));
    }
    let head = ["", "p95 or figure", "must", "aim"].map(str::to_owned);
    table(&head, rows.into_iter())
}

fn named<'a>(outcomes: &'a [Outcome], name: &str) -> Option<&'a Outcome> {
    outcomes.iter().find(|outcome| outcome.name == name)
}

fn table(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = line(head);
    let rule: Vec<String> =
        (0..head.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
    text += &line(&rule);
    for row in rows {
        text += &line(&row);
    }
    text
}

fn line(cells: &[String]) -> String {
    let mut text = String::from("|");
    for cell in cells {
        write!(text, " {cell} |").expect("a string takes everything");
    }
    text + "\n"
}

fn ratio(one: Duration, other: Duration) -> String {
    format!("{:.2}", one.as_secs_f64() / other.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64() * 1e3)
}

fn finely(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

fn microseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "nobody reads more than three digits")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
