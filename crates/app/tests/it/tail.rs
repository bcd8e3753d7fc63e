//! A line that was just written is found at once, whether the index has taken it in or not.

use std::fs::OpenOptions;
use std::io::Write;

use pi_brain_app::Silent;
use pi_brain_search::SearchIndex;
use pi_brain_session::Millis;
use serde_json::json;

use crate::brain::{Home, answer, ask};
use crate::world::{BEGINNING, LATER, world};

/// Begins a session in which nothing is said yet, and which comes first. What follows a unit of work says something of how it
/// ended, so that the last one of another session would be judged anew; and what is replaced counts until it is merged away.
fn begin_session(home: &Home) {
    let first = home.session_files().keys().next().unwrap().clone();
    let id = "00000000-0000-7000-8000-000000000000";
    let header = json!({
        "type": "session", "version": 3, "id": id, "timestamp": Millis(BEGINNING).to_string(), "cwd": "/home/dev/website",
    });
    let name = format!("2000-01-01T00-00-00-000Z_{id}.jsonl");
    std::fs::write(first.with_file_name(name), format!("{header}\n")).unwrap();
}

/// Appends something that a user says to a session, some minutes after the last time.
fn say(home: &Home, number: u32, text: &str) {
    let path = home.session_files().keys().next().unwrap().clone();
    let time = Millis(BEGINNING + 200 * 86_400_000 + i64::from(number) * 60_000);
    let line = json!({
        "type": "message", "id": format!("tail{number:04}"), "parentId": null, "timestamp": time.to_string(),
        "message": {"role": "user", "content": text, "timestamp": time.0},
    });
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

#[test]
fn a_new_line_is_found_at_once() {
    let home = Home::with(&world(3, 120));
    begin_session(&home);
    home.ingest();
    let index = || SearchIndex::open(&home.data.join("index")).unwrap();
    let position = || index().position().unwrap();
    let before = position();
    let mut app = home.open();
    for number in 0..30 {
        say(&home, number, &format!("quokka{number} hops over the parser"));
        let report = app.refresh(LATER, &Silent).unwrap().unwrap();
        assert_eq!(
            (report.files, report.entries, report.messages),
            (1, 1, 1),
            "only the new line is read"
        );
        assert!(report.bytes < 1000, "{} bytes for one line", report.bytes);
        let found = ask(&app, &format!("quokka{number}"));
        assert!(
            found.results.iter().any(|item| item.entry == format!("tail{number:04}")),
            "{found:?}"
        );
        // Somebody who may not write finds it, too.
        let mut reader = home.open();
        reader.open_tail().unwrap();
        assert_eq!(ask(&reader, &format!("quokka{number}")).total, found.total);
    }
    assert_eq!(position(), before, "a few lines are not worth a commit");

    let questions = [
        "parser",
        "quokka7",
        "hops parser",
        "\"hops over\"",
        "is:active quokka3",
        "project:engine",
    ];
    let from_tail: Vec<Vec<String>> = questions.iter().map(|query| answer(&app, query)).collect();
    drop(app);
    home.ingest();
    assert!(position() > before);
    index().merge().unwrap();
    let app = home.open();
    let from_index: Vec<Vec<String>> = questions.iter().map(|query| answer(&app, query)).collect();
    assert_eq!(from_tail, from_index);
}

#[test]
fn many_lines_go_into_the_index_by_themselves() {
    let home = Home::with(&world(4, 60));
    home.ingest();
    let mut app = home.open();
    let position = || SearchIndex::open(&home.data.join("index")).unwrap().position().unwrap();
    let before = position();
    let mut number = 0;
    while position() == before {
        for _ in 0..50 {
            say(&home, number, &format!("wombat{number} digs"));
            number += 1;
        }
        app.refresh(LATER, &Silent).unwrap();
        assert!(number < 2000, "the index takes nothing in");
        assert_eq!(ask(&app, "wombat0").total, ask(&app, &format!("wombat{}", number - 1)).total);
    }
    assert!(ask(&app, "wombat0").total > 0);
}

#[test]
fn what_is_gone_leaves_the_tail_too() {
    let home = Home::with(&world(5, 60));
    home.ingest();
    say(&home, 1, "numbat eats ants");
    let mut app = home.open();
    app.refresh(LATER, &Silent).unwrap();
    assert!(ask(&app, "numbat").total > 0);
    let path = home.session_files().keys().next().unwrap().clone();
    let text = std::fs::read_to_string(&path).unwrap();
    let without: String =
        text.split_inclusive('\n').filter(|line| !line.contains("numbat")).collect();
    std::fs::write(&path, without).unwrap();
    app.refresh(LATER, &Silent).unwrap();
    let left = ask(&app, "numbat").results;
    assert!(left.iter().all(|item| item.what == pi_brain_app::FoundKind::Node), "{left:?}");
}
