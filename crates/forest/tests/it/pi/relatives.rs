//! The family of a file, from the beginnings of all files.

use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_forest::find_relatives;

use super::notation::{Written, session};

/// Writes sessions into a folder and returns the names of those that belong to one.
fn check(files: &[(&str, Written)], start: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, file) in files {
        // A path in a header that begins with a dot is one in this folder.
        let text = String::from_utf8(file.bytes()).unwrap();
        let text = text.replace("\"./", &format!("\"{}/", folder.path().display()));
        fs::write(path(name), text).unwrap();
    }
    fs::write(path("noise.jsonl"), "no session\n").unwrap();
    let mut all: Vec<PathBuf> = files.iter().map(|(name, _)| path(name)).collect();
    all.push(path("noise.jsonl"));
    all.push(path("missing.jsonl"));
    all.reverse();
    let found = find_relatives(&all, &path(start));
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(found.iter().map(name).collect::<Vec<_>>(), expected, "from {start}");
}

#[test]
fn links_ids_and_beginnings_lead_to_relatives() {
    let files = || {
        [
            ("1_one.jsonl", session("one", "a b:answer c")),
            ("2_two.jsonl", session("two", "x y:answer").fork_of("./1_one.jsonl")),
            ("3_three.jsonl", session("three", "p q:answer").fork_of("/gone/9_two.jsonl")),
            ("4_copy.jsonl", session("one", "z")),
            ("5_fork.jsonl", session("five", "a b:answer d")),
            ("6_stranger.jsonl", session("six", "b9=a c9=b:answer")),
        ]
    };
    let family = ["1_one.jsonl", "2_two.jsonl", "3_three.jsonl", "4_copy.jsonl", "5_fork.jsonl"];
    for start in family {
        check(&files(), start, &family);
    }
    check(&files(), "6_stranger.jsonl", &["6_stranger.jsonl"]);
}

#[test]
fn a_file_without_relatives_is_alone() {
    check(&[("1.jsonl", session("one", "a"))], "1.jsonl", &["1.jsonl"]);
    check(&[("1.jsonl", session("one", "a"))], "missing.jsonl", &["missing.jsonl"]);
    assert_eq!(
        find_relatives(&[], Path::new("/nowhere/x.jsonl")),
        [PathBuf::from("/nowhere/x.jsonl")]
    );
}

#[test]
fn version_1_files_are_found_by_what_was_said_when() {
    let files = [
        ("1.jsonl", session("one", "a b:answer").aged()),
        ("2.jsonl", session("two", "a c:answer").aged()),
        ("3.jsonl", session("three", "d b:answer e").aged()),
    ];
    check(&files, "1.jsonl", &["1.jsonl", "2.jsonl", "3.jsonl"]);
}

#[test]
fn labels_relate_nobody() {
    let files = [
        ("1.jsonl", session("one", "a l:label(a,x)")),
        ("2.jsonl", session("two", "b l:label(b,x)")),
    ];
    check(&files, "1.jsonl", &["1.jsonl"]);
}
