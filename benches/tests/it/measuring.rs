//! The benchmarks themselves, small enough to run each time. Real pi takes no part here: it is not
//! installed everywhere, and its own speed is none of our doing.

use std::path::{Path, PathBuf};
use std::process::Command;

use pi_brain_benches::corpus::{Recipe, Shape, Style, make_corpus, make_large_session};
use pi_brain_benches::{
    ForestSizes, measure_forest, measure_growth, measure_memory, measure_sessions, report_forest,
    report_growth, report_memory, report_sessions,
};

const RECIPE: Recipe = Recipe { files: 5, bytes: 1_000_000, style: Style::Bulky, seed: 7 };
const PROGRAM: &str = env!("CARGO_BIN_EXE_pi-brain-benches");

#[test]
fn reading_and_listing_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    make_corpus(folder.path(), RECIPE).unwrap();
    let figures = measure_sessions(folder.path(), None, 3).unwrap();
    assert_eq!(figures.files, 5);
    let report = report_sessions(&figures, 2);
    assert_rows(&report, "| pi-brain, one thread |", 1);
    assert_rows(&report, "| pi-brain, all cores |", 2);
    assert_rows(&report, "| rg -c needle |", 1);
    assert_rows(&report, "| cat |", 1);
}

#[test]
fn memory_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.jsonl");
    make_large_session(&file, 2_000_000, Style::Bulky, 7).unwrap();
    let figures = measure_memory(Path::new(PROGRAM), &file).unwrap();
    assert!(figures.entries > 0 && figures.messages > 0);
    assert!(figures.peak > figures.before);
    assert_rows(&report_memory(&figures), "| peak RssAnon |", 1);
}

#[test]
fn memory_of_a_missing_file_is_an_error_that_names_it() {
    let error = measure_memory(Path::new(PROGRAM), Path::new("missing.jsonl")).unwrap_err();
    assert!(error.to_string().contains("missing.jsonl"), "{error}");
}

#[test]
fn growth_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let figures = measure_growth(folder.path(), 20, 3).unwrap();
    let shapes: Vec<Shape> = figures.iter().map(|figures| figures.shape).collect();
    assert_eq!(shapes, [Shape::Chain, Shape::Siblings]);
    assert_rows(&report_growth(&figures), "| 20 |", 2);
    assert_rows(&report_growth(&figures), "| 200 |", 2);
}

#[test]
fn forests_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    make_corpus(folder.path(), RECIPE).unwrap();
    let sizes = ForestSizes { few: 20, many: 300, appends: 5, bytes: 500_000 };
    let figures = measure_forest(folder.path(), &folder.path().join("forests"), sizes, 2).unwrap();
    assert!(figures.bytes >= sizes.bytes);
    let report = report_forest(&figures, 2);
    assert_rows(&report, "| in memory, anywhere |", 1);
    assert_rows(&report, "| in files, anywhere |", 1);
    assert_rows(&report, "| import into memory |", 1);
}

#[test]
fn the_program_prints_all_tables() {
    let folder = tempfile::tempdir().unwrap();
    let small = "--files 3 --mb 1 --runs 1 --large-mb 1 --entries 20";
    let output = Command::new(PROGRAM)
        .arg("session")
        .args(small.split(' '))
        .arg("--corpus")
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).unwrap();
    assert_rows(&report, "## ", 4);
}

#[test]
fn taking_in_and_searching_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let small =
        "--entries 300 --small-files 4 --large-entries 300 --pairs 5 --appends 3 --starts 2";
    let output = Command::new(PROGRAM)
        .args(["ingest", "--runs", "1"])
        .args(small.split(' '))
        .arg("--corpus")
        .arg(folder.path())
        .arg("--program")
        .arg(pi_brain())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    assert!(complaint.contains("real pi takes no part"), "{complaint}");
    let report = String::from_utf8(output.stdout).unwrap();
    assert_rows(&report, "## Ingest: ", 1);
    assert_rows(&report, "| pi-brain |", 2);
    assert_rows(&report, "| bare tantivy |", 3);
    assert_rows(&report, "| SQLite FTS5 |", 3);
    assert_rows(&report, "| rg -c needle |", 1);
    assert_rows(&report, "| nothing changed, 4 files, ", 2);
    assert_rows(&report, "| a line appended to ", 2);
    assert_rows(&report, "| start to first answer |", 1);
    assert_rows(&report, "| memory, serving |", 1);
    assert_rows(&report, "| disk |", 1);
}

#[test]
fn an_idle_daemon_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(PROGRAM)
        .args("daemon --files 4 --seconds 1 --appends 2 --large-entries 300".split(' '))
        .arg("--corpus")
        .arg(folder.path())
        .arg("--program")
        .arg(pi_brain())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(output.stdout).unwrap();
    assert_rows(&report, "## Daemon: 4 files, idle for 1 s", 1);
    assert_rows(&report, "| RssAnon |", 1);
    assert_rows(&report, "A line appended to ", 1);
}

/// Returns the real program. Cargo builds the programs of other packages only when it is asked to, as for all tests together;
/// to ask again would build it with other features of its libraries.
fn pi_brain() -> PathBuf {
    let path = Path::new(PROGRAM).with_file_name("pi-brain");
    if path.exists() {
        return path;
    }
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--quiet", "--package", "pi-brain", "--profile", profile])
        .status()
        .expect("cargo runs this test");
    assert!(status.success() && path.exists(), "could not build {}", path.display());
    path
}

fn assert_rows(report: &str, piece: &str, count: usize) {
    let found = report.lines().filter(|line| line.contains(piece)).count();
    assert_eq!(found, count, "rows with {piece:?} in\n{report}");
}
