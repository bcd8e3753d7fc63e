use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;

#[test]
fn one_daemon_at_a_time() {
    let folder = TempDir::new().unwrap();
    assert_eq!(running(folder.path()), None);
    let instance = Instance::claim(folder.path()).unwrap();
    assert_eq!(running(folder.path()), Some(std::process::id()));
    let second = Instance::claim(folder.path()).unwrap_err();
    assert!(matches!(second, DaemonError::Running { pid, .. } if pid == std::process::id()));
    drop(instance);
    assert_eq!(running(folder.path()), None);
    Instance::claim(folder.path()).unwrap();
}

#[test]
fn what_a_dead_process_left_is_taken_over() {
    let folder = TempDir::new().unwrap();
    fs::write(lock_file(folder.path()), "1\n").unwrap();
    assert_eq!(running(folder.path()), None);
    let _instance = Instance::claim(folder.path()).unwrap();
    assert_eq!(running(folder.path()), Some(std::process::id()));
}

#[test]
fn the_token_is_for_its_owner_only() {
    let folder = TempDir::new().unwrap();
    let announcement = Announcement {
        pid: 7,
        address: "127.0.0.1:8765".parse().unwrap(),
        token: "secret".to_owned(),
        since: Millis(0),
        version: "0.1.0".to_owned(),
    };
    announcement.write(folder.path()).unwrap();
    let mode = fs::metadata(announcement_file(folder.path())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(Announcement::read(folder.path()), Some(announcement));
    Announcement::remove(folder.path());
    assert_eq!(Announcement::read(folder.path()), None);
    fs::write(announcement_file(folder.path()), "{").unwrap();
    assert_eq!(Announcement::read(folder.path()), None);
}
