use tempfile::TempDir;

use super::*;

#[test]
fn a_log_starts_anew_when_it_is_full() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("logs/daemon.log");
    let log = Log::with_limit(&path, false, 100);
    for number in 0..5 {
        log.line(format_args!("line {number} with some words in it"));
    }
    let newer = fs::read_to_string(&path).unwrap();
    let older = fs::read_to_string(path.with_extension("log.1")).unwrap();
    assert!(older.contains("line 0") && newer.contains("line 4"), "{older}{newer}");
    assert!(older.len() + newer.len() < 400);
}

#[test]
fn a_line_stays_a_line() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("daemon.log");
    Log::open(&path, false).line(format_args!("a\nb\u{1b}[31m"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
}
