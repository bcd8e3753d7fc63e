//! Edge case 60: a process that is killed at any moment has kept every promise.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::processes::{digest, victim};
use super::{contents, grow, open, read_only};

#[test]
fn case_60_a_killed_process_loses_nothing_that_it_acknowledged() {
    const KILLS: u64 = 300;
    const KILLS_PER_FOLDER: u64 = 20;
    let mut folder = tempfile::tempdir().unwrap();
    let (mut torn, mut unacknowledged) = (0, 0);
    for seed in 0..KILLS {
        if seed % KILLS_PER_FOLDER == 0 {
            folder = tempfile::tempdir().unwrap();
        }
        let acknowledged = run_and_kill(folder.path(), seed);
        let log = fs::read(folder.path().join("log.jsonl")).unwrap_or_default();
        torn += u32::from(log.last().is_some_and(|last| *last != b'\n'));

        let mut forest = open(folder.path());
        assert_eq!(forest.check().unwrap(), [], "seed {seed}");
        assert_eq!(forest.store_mut().verify_projection().unwrap(), [], "seed {seed}");
        let Some(acknowledged) = acknowledged else { continue };
        if digest(forest.store()) != acknowledged {
            // The last commit was safe before anybody was told: without it, the forest is what was told.
            unacknowledged += 1;
            assert_eq!(digest_without_last_line(folder.path()), acknowledged, "seed {seed}");
        }
    }
    println!("{KILLS} kills, {torn} torn lines, {unacknowledged} commits that nobody was told of");
}

/// Runs the victim, kills it somewhere, and returns the last digest that it told.
fn run_and_kill(folder: &Path, seed: u64) -> Option<String> {
    let mut command = Command::new(victim());
    command.arg(folder).args(["churn", &seed.to_string()]).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    // A cheap hash of the seed spreads the kills over the first commits and over the time between two of them.
    let noise = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let mut last = None;
    for _ in 0..noise % 9 {
        last = Some(lines.next().expect("the victim only stops when it is killed").unwrap());
    }
    for turn in 0..(noise / 9) % 400_000 {
        std::hint::black_box(turn);
    }
    process.kill().unwrap();
    process.wait().unwrap();
    for line in lines.map_while(Result::ok) {
        last = Some(line);
    }
    last.inspect(|line| assert_eq!(line.len(), 16, "the victim failed: {line}"))
}

fn digest_without_last_line(folder: &Path) -> String {
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let mut lines: Vec<&str> = log.split_inclusive('\n').collect();
    lines.pop();
    let copy = tempfile::tempdir().unwrap();
    fs::write(copy.path().join("log.jsonl"), lines.concat()).unwrap();
    digest(read_only(copy.path()).store())
}

/// The moments between two file operations, one by one: the log has the commit, and of the other files only some
/// were written, in this order or that.
#[test]
fn case_60_files_that_were_not_written_before_a_crash_are_written_after_it() {
    let grown = tempfile::tempdir().unwrap();
    drop(grow(grown.path()));
    let log = fs::read_to_string(grown.path().join("log.jsonl")).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let states: Vec<Vec<(PathBuf, Vec<u8>)>> =
        (1..=lines.len()).map(|count| state_after(&lines[..count])).collect();
    for (pair, lines_before) in states.windows(2).zip(1..) {
        let [before, after] = pair else { unreachable!("two by two") };
        let is_file =
            |name: &Path| !name.starts_with("log.jsonl") && !name.starts_with("projection.json");
        let mut changed: Vec<_> = after.iter().filter(|file| !before.contains(file)).collect();
        changed.retain(|(name, _)| is_file(name));
        for reverse in [false, true] {
            if reverse {
                changed.reverse();
            }
            for written in 0..=changed.len() {
                let folder = tempfile::tempdir().unwrap();
                put(folder.path(), before.iter());
                put(folder.path(), changed[..written].iter().copied());
                fs::write(folder.path().join("log.jsonl"), lines[..=lines_before].concat())
                    .unwrap();
                fs::write(folder.path().join("unfinished.tmp"), "{\"id\": ").unwrap();
                let mut forest = open(folder.path());
                assert_eq!(forest.check().unwrap(), []);
                assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
                drop(forest);
                for (name, bytes) in after {
                    assert_eq!(
                        &fs::read(folder.path().join(name)).unwrap(),
                        bytes,
                        "{}",
                        name.display()
                    );
                }
            }
        }
    }
}

/// Returns the files of a folder whose log has these lines, by their names in it.
fn state_after(lines: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.jsonl"), lines.concat()).unwrap();
    drop(open(folder.path()));
    let files = contents(folder.path()).into_iter();
    files
        .map(|(path, bytes)| (path.strip_prefix(folder.path()).unwrap().to_owned(), bytes))
        .collect()
}

fn put<'a>(folder: &Path, files: impl Iterator<Item = &'a (PathBuf, Vec<u8>)>) {
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
