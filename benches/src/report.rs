//! The figures as Markdown, with ratios: milliseconds are those of one machine on one day.

use std::fmt::Write;
use std::time::Duration;

use crate::forest::{AppendFigures, ForestFigures, READ_ONLY};
use crate::growth::{GROWTH, GrowthFigures};
use crate::memory::MemoryFigures;
use crate::race::Outcome;
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

fn microseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "nobody reads more than three digits")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
