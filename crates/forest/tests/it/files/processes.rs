//! Several processes, and systems that refuse: locks, folders without write permission, full disks.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use pi_brain_forest::{FileSystemStore, ForestError, Store};

use super::{contents, dump, grow, open, read_only, refusal};

/// Returns the process that the tests drive. It is built if need be: `cargo test --test it` does not.
pub(super) fn victim() -> &'static Path {
    static VICTIM: OnceLock<PathBuf> = OnceLock::new();
    VICTIM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--example", "victim", "--manifest-path"]);
        build.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        build.arg("--target-dir").arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success());
        profile.join("examples/victim")
    })
}

/// Returns the digest by which the victim tells what it has.
pub(super) fn digest(store: &impl Store) -> String {
    let mut hasher = DefaultHasher::new();
    dump(store).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn case_61_a_second_writer_is_refused_and_told_who_the_first_is() {
    let folder = tempfile::tempdir().unwrap();
    let forest = grow(folder.path());
    let before = contents(folder.path());
    let output =
        Command::new(victim()).arg(folder.path()).args(["say", "me too"]).output().unwrap();
    assert!(!output.status.success());
    let told = lines(&output).concat();
    let us = format!("is being changed by process {}", std::process::id());
    assert!(told.contains(&us), "{told}");
    assert_eq!(contents(folder.path()), before);
    drop(forest);
    let output =
        Command::new(victim()).arg(folder.path()).args(["say", "me too"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(lines(&output), [digest(open(folder.path()).store())]);
}

#[test]
fn case_61_the_lock_goes_with_the_process_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let before = digest(grow(folder.path()).store());
    let mut holder = Command::new(victim());
    let holder = holder.arg(folder.path()).arg("hold").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), before);

    let ForestError::Locked { folder: named, holder: told } = refusal(folder.path()) else {
        panic!()
    };
    assert_eq!((named, told), (folder.path().to_owned(), format!("process {}", holder.id())));
    assert_eq!(digest(read_only(folder.path()).store()), before, "reading needs no lock");
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(digest(open(folder.path()).store()), before);
}

#[test]
fn one_process_cannot_open_a_forest_twice() {
    let folder = tempfile::tempdir().unwrap();
    let forest = grow(folder.path());
    assert!(matches!(refusal(folder.path()), ForestError::Locked { .. }));
    let repair = FileSystemStore::rewrite_projection(folder.path());
    assert!(matches!(repair, Err(ForestError::Locked { .. })));
    drop(forest);
    drop(open(folder.path()));
}

#[test]
fn a_folder_without_write_permission_can_only_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest");
    let before = digest(grow(&path).store());
    let program = folder.path().join("victim");
    fs::copy(victim(), &program).unwrap();
    // The administrator may write everywhere, so somebody else has to try.
    let is_root = fs::metadata(&path).unwrap().uid() == 0;
    let nobody = 65534;
    let mut all = vec![path.clone()];
    while let Some(path) = all.pop() {
        if path.is_dir() {
            all.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
        }
        let mode = if path.is_dir() { 0o500 } else { 0o400 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        if is_root {
            std::os::unix::fs::chown(&path, Some(nobody), Some(nobody)).unwrap();
        }
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.arg(&path).args(arguments);
        if is_root {
            command.uid(nobody).gid(nobody);
        }
        command.output().unwrap()
    };
    let files = contents(&path);
    let output = run(&["say", "no"]);
    assert!(!output.status.success());
    let told = lines(&output).concat();
    assert!(told.contains("could not write") && told.contains("Permission denied"), "{told}");
    assert!(told.contains("forest/lock"), "{told}");
    assert_eq!(lines(&run(&["read"])), [before]);
    assert_eq!(contents(&path), files);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_full_disk_fails_the_commit_and_changes_nothing() {
    for kilobytes in [1, 30, 100] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forest");
        drop(grow(&path));
        let limit = kilobytes + fs::metadata(path.join("log.jsonl")).unwrap().len() / 1024;
        // A limit for the size of files is as good as a full disk, and needs no administrator.
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$1\" fill", 2 * limit);
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &script]).arg(victim()).arg(&path).output().unwrap();
        assert!(!output.status.success());
        let mut lines = lines(&output);
        let told = lines.pop().unwrap();
        assert!(told.contains("could not write") && told.contains("log.jsonl"), "{told}");
        let after_the_small_one = lines.pop().unwrap();
        let after_the_failure = lines.pop().unwrap();
        assert_eq!(lines.last(), Some(&after_the_failure), "the failure changed nothing");

        let mut forest = open(&path);
        assert_eq!(digest(forest.store()), after_the_small_one, "what was acknowledged is there");
        assert_eq!(forest.check().unwrap(), []);
        assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
        let root = forest.find_or_create_root(None, super::NOW).unwrap();
        super::append(&mut forest, root, &["there is room again"]);
    }
}
