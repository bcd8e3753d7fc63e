use tempfile::TempDir;

use super::*;

#[test]
fn a_log_starts_anew_when_it_is_full() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("logs/daemon.log");
    let log = Log::with_limit(&path, false, 100);
    let write = |number: u32| log.line(format_args!("line {number} with some words in it"));
    let numbers = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        (0..9).filter(|number| text.contains(&format!("line {number} "))).collect::<Vec<_>>()
    };
    (0..3).for_each(write);
    assert_eq!((numbers(&path), numbers(&path.with_extension("log.1"))), (vec![2], vec![0, 1]));
    // One older log is kept.
    (3..5).for_each(write);
    assert_eq!((numbers(&path), numbers(&path.with_extension("log.1"))), (vec![4], vec![2, 3]));
}

#[test]
fn a_line_stays_a_line() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("daemon.log");
    Log::open(&path, false).line(format_args!("a\nb\u{1b}[31m"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
}
