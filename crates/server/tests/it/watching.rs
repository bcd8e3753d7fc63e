//! What happens to session files is known soon after.

use std::fs;

use jiff::Timestamp;
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, Order};

use crate::home::{Home, append, text, wait_for};

const A: &str = "albatross";
const B: &str = "bullfinch";
const C: &str = "cormorant";
const D: &str = "dunnock";
const E: &str = "egret";
const F: &str = "fulmar";
const WORDS: [&str; 6] = [A, B, C, D, E, F];

#[test]
fn what_was_there_before_is_taken_in_first() {
    let home = Home::new();
    home.session("one", &[A, B]);
    let daemon = home.start();
    home.wait_for_words(&WORDS, &[A, B]);
    daemon.wait_until_idle();
    let status = daemon.client.status().unwrap();
    assert_eq!((status.files, status.folders, &*status.errors), (1, 2, &[][..]));
}

#[test]
fn a_line_that_is_appended_is_found() {
    let home = Home::new();
    let path = home.session("one", &[A, B]);
    let _daemon = home.start();
    home.wait_for_words(&WORDS, &[A, B]);
    append(&path, 2, C);
    home.wait_for_words(&WORDS, &[A, B, C]);
    append(&path, 3, D);
    home.wait_for_words(&WORDS, &[A, B, C, D]);
}

#[test]
fn folders_that_come_later_are_watched() {
    let home = Home::new();
    let daemon = home.start();
    daemon.wait_until_idle();
    let path = home.session("one", &[A]);
    home.wait_for_words(&WORDS, &[A]);
    append(&path, 1, B);
    home.wait_for_words(&WORDS, &[A, B]);
    let other = home.sessions.join("--srv--");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("two.jsonl"), text("two", &[C], Millis(0))).unwrap();
    home.wait_for_words(&WORDS, &[A, B, C]);
}

#[test]
fn files_that_are_cut_replaced_renamed_or_deleted_are_known_as_they_are() {
    let home = Home::new();
    let path = home.session("one", &[A, B, C]);
    let _daemon = home.start();
    home.wait_for_words(&WORDS, &[A, B, C]);
    let cut = text("one", &[A], Millis(1_767_225_600_000));
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(cut.len() as u64).unwrap();
    home.wait_for_words(&WORDS, &[A]);
    let new = home.path().join("new");
    fs::write(&new, text("one", &[D, E], Millis(1_767_225_600_000))).unwrap();
    fs::rename(&new, &path).unwrap();
    home.wait_for_words(&WORDS, &[D, E]);
    let renamed = path.with_file_name("renamed.jsonl");
    fs::rename(&path, &renamed).unwrap();
    append(&renamed, 2, F);
    home.wait_for_words(&WORDS, &[D, E, F]);
    fs::remove_file(&renamed).unwrap();
    home.wait_for_words(&WORDS, &[]);
}

#[test]
fn a_folder_that_goes_and_comes_back_is_watched_again() {
    let home = Home::new();
    home.session("one", &[A]);
    let _daemon = home.start();
    home.wait_for_words(&WORDS, &[A]);
    let folder = home.sessions.join("--home-dev-shop--");
    fs::remove_dir_all(&folder).unwrap();
    home.wait_for_words(&WORDS, &[]);
    let path = home.session("two", &[B]);
    home.wait_for_words(&WORDS, &[B]);
    append(&path, 1, C);
    home.wait_for_words(&WORDS, &[B, C]);
    let away = home.path().join("away");
    fs::rename(&folder, &away).unwrap();
    home.wait_for_words(&WORDS, &[]);
    fs::rename(&away, &folder).unwrap();
    home.wait_for_words(&WORDS, &[B, C]);
    append(&path, 2, D);
    home.wait_for_words(&WORDS, &[B, C, D]);
}

#[test]
fn a_unit_of_work_is_over_when_nothing_was_said_for_long() {
    let home = Home::new();
    // Its ten minutes are over in three seconds; the second line comes a minute after the first.
    let start = Millis(Timestamp::now().as_millisecond() - (11 * 60 - 3) * 1000);
    home.session_at("one", &[A, B], start);
    let daemon = home.start();
    daemon.wait_until_idle();
    let nodes =
        || home.open().store().nodes(&NodeFilter::default(), Order::Newest, 10, 0).unwrap().1;
    wait_for("the unit of work", || nodes() == 1);
    // The node can be seen a moment before the daemon has looked what comes next.
    wait_for("nothing more to close", || daemon.client.status().unwrap().next_close.is_none());
}

#[test]
fn what_another_process_threw_away_and_made_anew_is_gone_on_with() {
    let home = Home::new();
    let path = home.session("one", &[A]);
    let daemon = home.start();
    home.wait_for_words(&WORDS, &[A]);
    daemon.wait_until_idle();
    // The daemon may just be writing.
    daemon.client.refresh(true).unwrap();
    wait_for("the right to write", || {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| home.rebuild())).is_ok()
    });
    append(&path, 1, B);
    home.wait_for_words(&WORDS, &[A, B]);
    assert_eq!(daemon.client.status().unwrap().errors, []);
}

#[test]
fn settings_are_read_again_when_they_change() {
    let home = Home::new();
    home.session("one", &[A]);
    let daemon = home.start();
    home.wait_for_words(&WORDS, &[A]);
    fs::write(home.data.join("config.toml"), "exclude = [\"/home/dev/shop\"]").unwrap();
    daemon.client.refresh(false).unwrap();
    home.wait_for_words(&WORDS, &[]);
    let has_news = || home.open().has_news(Timestamp::now().into()).unwrap();
    assert!(!has_news(), "what is left out is no news");
    fs::write(home.data.join("config.toml"), "exclude = oops").unwrap();
    daemon.client.refresh(false).unwrap();
    let errors = daemon.client.status().unwrap().errors;
    assert!(errors[0].message.contains("config.toml"), "{errors:?}");
    fs::remove_file(home.data.join("config.toml")).unwrap();
    assert!(has_news(), "it is wanted again");
    daemon.client.refresh(false).unwrap();
    home.wait_for_words(&WORDS, &[A]);
}
