//! What was just appended to a long session is found before it is taken in, and taken in later as if it had been at once.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use pi_brain_app::{App, Depth, FoundItem, FoundKind, Silent};
use pi_brain_session::Millis;
use pi_brain_store::DataFolder;
use serde_json::json;

use crate::brain::{Home, ask};
use crate::picture::assert_same;
use crate::world::{BEGINNING, LATER, put};

/// A session that is long because a tool said much.
struct LongSession {
    home: Home,
    path: PathBuf,
    lines: u32,
}

impl LongSession {
    fn new() -> Self {
        let home = Home::new();
        let header = json!({"type": "session", "version": 3, "id": "long", "timestamp": time(0), "cwd": "/home/dev/engine"});
        let path = put(&home.sessions, "--engine--/long.jsonl", format!("{header}\n").as_bytes());
        let mut session = Self { home, path, lines: 0 };
        session.say("e0", None, "print the table");
        session.say("e1", Some("e0"), &"numbers and numbers again ".repeat(200_000));
        session
    }

    fn say(&mut self, id: &str, parent: Option<&str>, text: &str) {
        self.lines += 1;
        let time = time(self.lines);
        let line = json!({
            "type": "message", "id": id, "parentId": parent, "timestamp": time,
            "message": {"role": "user", "content": text, "timestamp": BEGINNING + i64::from(self.lines) * 1000},
        });
        self.write(&format!("{line}\n"));
    }

    fn write(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn entries(&self) -> i64 {
        let sql = "SELECT data ->> 'settled' FROM session";
        self.home.database().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn time(second: u32) -> String {
    Millis(BEGINNING + i64::from(second) * 1000).to_string()
}

/// Finds the one message with a word.
fn find(app: &App, word: &str) -> FoundItem {
    let mut found = ask(app, word).results;
    found.retain(|item| item.what != FoundKind::Node);
    assert_eq!(found.len(), 1, "{word}");
    found.remove(0)
}

#[test]
fn a_line_of_a_long_session_is_found_before_it_is_taken_in() {
    let mut long = LongSession::new();
    long.home.ingest();
    long.say("e2", Some("e1"), "where is the aardvark");
    long.say("e3", Some("e1"), "no, the binturong");
    let mut app = long.home.open();
    app.refresh_for_search(LATER, &Silent).unwrap().unwrap();
    assert_eq!(long.entries(), 2, "nothing was taken in");
    let early = [find(&app, "aardvark"), find(&app, "binturong")];
    let ids: Vec<_> = early.iter().map(|item| (&*item.entry, item.line)).collect();
    assert_eq!(ids, [("e2", Some(4)), ("e3", Some(5))]);
    assert_eq!(ask(&app, "is:abandoned aardvark binturong").total, 1, "it went on from elsewhere");
    assert_eq!(ask(&app, "type:coding binturong").total, 0, "it is no unit of work yet");

    app.refresh(LATER, &Silent).unwrap().unwrap();
    assert_eq!(long.entries(), 4);
    let late = [find(&app, "aardvark"), find(&app, "binturong")];
    for (early, late) in early.iter().zip(&late) {
        assert_eq!(
            (&early.entry, early.line, early.time, early.what, &early.snippet),
            (&late.entry, late.line, late.time, late.what, &late.snippet)
        );
        assert_eq!(early.session, late.session);
    }
}

#[test]
fn what_was_searched_first_is_taken_in_like_anything_else() {
    let mut one = LongSession::new();
    let mut other = LongSession::new();
    for session in [&mut one, &mut other] {
        session.home.ingest();
    }
    for number in 0..5 {
        let (id, parent) = (format!("f{number}"), format!("f{}", number - 1));
        let parent = if number == 0 { "e1" } else { &parent };
        for session in [&mut one, &mut other] {
            session.say(&id, Some(parent), &format!("cassowary{number} runs"));
        }
        one.home.open().refresh_for_search(LATER, &Silent).unwrap();
    }
    one.home.ingest();
    other.home.ingest();
    assert_same(&one.home.picture(), &other.home.picture(), "searched in between");
}

#[test]
fn half_a_line_and_a_rewritten_file_are_left_to_the_forest() {
    let mut long = LongSession::new();
    long.home.ingest();
    long.write(r#"{"type":"message","id":"half","parentId":"e1","message":{"role":"user","content":"dugong"#);
    let mut app = long.home.open();
    app.refresh_for_search(LATER, &Silent).unwrap().unwrap();
    assert_eq!(ask(&app, "dugong").total, 0);
    long.write("\"}}\n");
    app.refresh_for_search(LATER, &Silent).unwrap().unwrap();
    assert_eq!(find(&app, "dugong").entry, "half");

    let text = std::fs::read_to_string(&long.path).unwrap().replace("print", "paint");
    std::fs::write(&long.path, text).unwrap();
    long.say("e4", Some("half"), "echidna");
    app.refresh_for_search(LATER, &Silent).unwrap().unwrap();
    assert_eq!(long.entries(), 4, "the file was read afresh");
    assert_eq!((find(&app, "paint").line, find(&app, "echidna").line), (Some(2), Some(5)));
}

#[test]
fn who_may_not_write_finds_the_last_lines_as_well() {
    let mut long = LongSession::new();
    long.home.ingest();
    let mut app = long.home.open();
    assert!(app.is_up_to_date(Depth::Linked, LATER).unwrap());
    long.say("e2", Some("e1"), "where is the aardvark");
    // Somebody else is writing all the time.
    let lock = DataFolder::at(&long.home.data).lock("test").unwrap();
    assert!(app.is_up_to_date(Depth::Findable, LATER).unwrap());
    assert_eq!((&*find(&app, "aardvark").entry, find(&app, "aardvark").line), ("e2", Some(4)));
    assert!(!app.is_up_to_date(Depth::Whole, LATER).unwrap());
    let header = r#"{"type":"session","version":3,"id":"short","cwd":"/home/dev/engine"}"#;
    put(&long.home.sessions, "--engine--/short.jsonl", format!("{header}\n").as_bytes());
    assert!(!app.is_up_to_date(Depth::Findable, LATER).unwrap(), "short ones are taken in");
    drop(lock);

    long.home.ingest();
    assert!(app.is_up_to_date(Depth::Whole, LATER).unwrap());
    assert_eq!(find(&app, "aardvark").line, Some(4));
}
