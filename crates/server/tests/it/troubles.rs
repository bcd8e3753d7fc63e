//! What goes wrong is told, tried again, and ends nothing.

use std::fs;

use crate::home::{Home, append, wait_for};

#[test]
fn a_brain_that_cannot_be_opened_is_tried_again() {
    let home = Home::new();
    home.session("one", &["albatross"]);
    fs::create_dir_all(home.data.join("brain.db")).unwrap();
    let daemon = home.start();
    let errors = || daemon.client.status().unwrap().errors;
    wait_for("the trouble", || !errors().is_empty());
    assert!(errors()[0].message.contains("brain.db"), "{:?}", errors());
    assert!(daemon.client.refresh(false).unwrap_err().to_string().contains("brain.db"));
    fs::remove_dir(home.data.join("brain.db")).unwrap();
    home.wait_for_words(&["albatross"], &["albatross"]);
    let log = fs::read_to_string(pi_brain_daemon::log_file(&home.data)).unwrap();
    assert!(log.contains("error: ") && log.contains("brain.db"), "{log}");
}

#[test]
fn a_file_that_is_no_session_is_told_and_does_not_matter() {
    let home = Home::new();
    let path = home.session("one", &["albatross"]);
    let junk = path.with_file_name("junk.jsonl");
    fs::write(&junk, "this is no session\n").unwrap();
    let daemon = home.start();
    home.wait_for_words(&["albatross"], &["albatross"]);
    wait_for("the trouble", || !daemon.client.status().unwrap().errors.is_empty());
    assert!(daemon.client.status().unwrap().errors[0].message.contains("junk.jsonl"));
    append(&path, 1, "bullfinch");
    home.wait_for_words(&["bullfinch"], &["bullfinch"]);
}

#[test]
fn somebody_who_writes_is_waited_for() {
    let home = Home::new();
    let path = home.session("one", &["albatross"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let folder = pi_brain_store::DataFolder::at(&home.data);
    let mut lock = None;
    wait_for("the lock", || {
        lock = folder.lock("test").ok();
        lock.is_some()
    });
    append(&path, 1, "bullfinch");
    assert_eq!(home.found(&["bullfinch"]), [""; 0]);
    drop(lock);
    home.wait_for_words(&["bullfinch"], &["bullfinch"]);
    assert_eq!(daemon.client.status().unwrap().errors, []);
}
