//! Looking through session files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pi_brain_search::{DeepHits, deep_search};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::query;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/home/me/app"}"#;

fn entry(number: usize, message: &Value) -> String {
    let time = format!("2026-01-01T00:{number:02}:00Z");
    json!({"type": "message", "id": format!("e{number}"), "parentId": null, "timestamp": time, "message": message}).to_string()
}

fn result(number: usize, output: &str) -> String {
    let content = json!([{"type": "text", "text": output}]);
    entry(number, &json!({"role": "toolResult", "toolName": "bash", "content": content}))
}

fn write(folder: &Path, name: &str, lines: &[String]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn deep(files: &[PathBuf], text: &str) -> DeepHits {
    deep_search(files, &query(text), 10, &|_| {})
}

/// Returns the ids of the entries that are found.
fn ids(files: &[PathBuf], text: &str) -> Vec<String> {
    let hits = deep(files, text).hits;
    hits.into_iter().map(|hit| hit.entry_id.unwrap().to_string()).collect()
}

fn library(folder: &Path) -> Vec<PathBuf> {
    let noise = "nothing to see here\n".repeat(2000);
    let thinking = json!({"role": "assistant", "model": "opus", "content": [
        {"type": "thinking", "thinking": "Perhaps the Mutex is poisoned"}, {"type": "text", "text": "Done"}]});
    let one = [
        HEADER.to_owned(),
        result(
            1,
            &format!("{noise}ECONNREFUSED by the \"old\" proxy\u{1b}[0m at C:\\temp\n{noise}"),
        ),
        entry(2, &thinking),
        entry(3, &json!({"role": "user", "content": "Das ÄRGERNIS mit 日本語"})),
    ];
    let two = [
        HEADER.to_owned(),
        result(4, "econnrefused again"),
        entry(5, &json!({"role": "toolResult", "toolName": "brain_query", "content": "ECONNREFUSED"})),
        // Letters as numbers, which pi does not write but may read.
        r#"{"type":"message","id":"e6","parentId":null,"timestamp":"2026-01-01T00:06:00Z","message":{"role":"user","content":"\u0065conn\u0052efused"}}"#.to_owned(),
    ];
    vec![write(folder, "one.jsonl", &one), write(folder, "two.jsonl", &two)]
}

#[test]
fn every_word_must_be_there_upper_and_lower_case_alike() {
    let folder = TempDir::new().unwrap();
    let files = library(folder.path());
    for (text, expected) in [
        ("econnrefused", &["e6", "e4", "e1"][..]),
        ("ECONNREFUSED proxy", &["e1"]),
        ("\"by the \"", &["e1"]),
        ("\"the by\"", &[]),
        ("connref", &["e6", "e4", "e1"]),
        ("poisoned mutex", &["e2"]),
        ("ärgernis", &["e3"]),
        ("日本語", &["e3"]),
        ("c:\\temp", &["e1"]),
        ("econnrefused -proxy", &["e6", "e4"]),
        ("econnrefused role:user", &["e6"]),
        ("econnrefused tool:bash", &["e4", "e1"]),
        ("mutex model:opus", &["e2"]),
        ("mutex project:app", &["e2"]),
        ("mutex project:other", &[]),
        ("econnrefused after:2026-01-02", &[]),
        ("nowhere", &[]),
        ("tool:bash", &[]),
    ] {
        assert_eq!(ids(&files, text), expected, "{text}");
    }
}

#[test]
fn a_hit_says_where_it_is_and_shows_it() {
    let folder = TempDir::new().unwrap();
    let files = library(folder.path());
    let done = AtomicUsize::new(0);
    let count = |_: &Path| {
        done.fetch_add(1, Ordering::Relaxed);
    };
    let found = deep_search(&files, &query("proxy econnrefused"), 10, &count);
    assert_eq!(done.into_inner(), 2);
    let [hit] = &found.hits[..] else { panic!("{found:?}") };
    assert_eq!((&hit.file, hit.line), (&files[0], 2));
    assert_eq!(hit.time.unwrap().to_string(), "2026-01-01T00:01:00.000Z");
    let marked: Vec<&str> =
        hit.snippet.marks.iter().map(|mark| &hit.snippet.text[mark.clone()]).collect();
    assert_eq!(marked, ["ECONNREFUSED", "proxy"]);
}

#[test]
fn the_newest_are_kept_and_unreadable_files_told() {
    let folder = TempDir::new().unwrap();
    let lines: Vec<String> = std::iter::once(HEADER.to_owned())
        .chain((1..50).map(|number| result(number, "again")))
        .collect();
    let files =
        vec![write(folder.path(), "many.jsonl", &lines), folder.path().join("missing.jsonl")];
    let found = deep_search(&files, &query("again"), 2, &|_| {});
    let lines: Vec<u64> = found.hits.iter().map(|hit| hit.line).collect();
    assert_eq!(lines, [50, 49]);
    assert_eq!(found.unreadable.len(), 1);
    assert_eq!(found.unreadable[0].0, files[1]);
}

#[test]
fn old_and_damaged_files_are_read() {
    let folder = TempDir::new().unwrap();
    let message = r#"{"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"needle"}}"#;
    let first = r#"{"type":"session","id":"v1","timestamp":"2026-01-01T00:00:00Z"}"#;
    let old = write(folder.path(), "old.jsonl", &[first.to_owned(), message.to_owned()]);
    let hits = deep(std::slice::from_ref(&old), "needle").hits;
    assert_eq!((hits.len(), hits[0].line), (1, 2));
    let mut known = None;
    pi_brain_session::Log::read_with(fs::File::open(&old).unwrap(), |entry, _| {
        known.clone_from(&entry.id);
    })
    .unwrap();
    assert_eq!(hits[0].entry_id, known);

    let glued = format!("{}{}", result(1, "needle one"), result(2, "needle two"));
    let damaged = [HEADER.to_owned(), "{\"torn needle".to_owned(), String::new(), glued];
    let damaged = write(folder.path(), "damaged.jsonl", &damaged);
    assert_eq!(ids(&[damaged], "needle"), ["e2", "e1"]);

    let late = write(
        folder.path(),
        "late.jsonl",
        &[result(1, "needle"), HEADER.to_owned(), result(2, "needle")],
    );
    assert_eq!(ids(&[late], "needle"), ["e2", "e1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_word_is_found_whatever_stands_around_it(
        word in "[a-zA-Z0-9éÜ漢字]{2,12}",
        before in "[\\x00-\\x1f \"\\\\/.…,;🦀]{0,8}",
        after in "[\\x00-\\x1f \"\\\\/.…,;🦀]{0,8}",
        upper in any::<bool>(),
    ) {
        let folder = TempDir::new().unwrap();
        let lines = [HEADER.to_owned(), result(1, &format!("x{before} {word} {after}y")), result(2, "other")];
        let file = write(folder.path(), "one.jsonl", &lines);
        let asked = if upper { word.to_uppercase() } else { word.to_lowercase() };
        prop_assert_eq!(ids(&[file], &format!("\"{asked}\"")), ["e1"]);
    }
}
