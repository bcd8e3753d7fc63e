//! Lists of sessions, and the folders they lie in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pi_brain_session::{
    Session, SessionFolder, SessionInfo, all_messages_text, encode_cwd, find_most_recent,
    id_in_file_name, list_sessions, newest, read_header,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generate::{any_session, cases};
use crate::notation::session;

fn info(text: &str) -> SessionInfo {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("session.jsonl");
    fs::write(&path, text).expect("the file can be written");
    SessionInfo::read(&path).expect("a session")
}

#[test]
fn what_a_list_says_of_a_session() {
    let text =
        session("s:system a b:answer c:calls(x) d:result(x); b n:name(first) m:name(last) e");
    let info = info(&text);
    let expected = json!({
        "path": info.path, "id": "s", "cwd": "/home/dev", "name": "last",
        "created": "2026-01-01T00:00:00.000Z", "modified": "1970-01-01T00:00:00.001Z",
        "messageCount": 6, "firstMessage": "a", "entryCount": 8, "branchCount": 2,
        "usage": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": 0.0},
        "size": text.len(), "problemCount": 0,
    });
    assert_eq!(serde_json::to_value(&info).unwrap(), expected);
    assert_eq!(info.title(), "last");
}

#[test]
fn sessions_without_words() {
    let empty = info(&session(""));
    assert_eq!(
        (&*empty.first_message, empty.title(), empty.branch_count),
        ("(no messages)", "(no messages)", 0)
    );
    assert_eq!(empty.modified.to_string(), "2026-01-01T00:00:00.000Z");
    // No time anywhere: the file's own.
    let undated = info("{\"type\":\"session\",\"id\":\"s\"}\n");
    assert_eq!((undated.created, undated.cwd.as_str()), (None, ""));
    assert!(undated.modified.0 > 1_600_000_000_000);
}

#[test]
fn the_first_message_is_the_first_that_says_something() {
    let first = |notation: &str| {
        info(&session(notation).replace("\"content\":\"e\"", "\"content\":\"\"")).first_message
    };
    assert_eq!(first("e b:answer a c"), "a");
    assert_eq!(first("b:answer x:bash n:note a"), "a");
    // Of all branches, in the order of the file.
    assert_eq!(first("e a; e b"), "a");
}

#[test]
fn null_content_does_not_hide_a_session() {
    let info = info(&session("a b").replace("\"content\":\"a\"", "\"content\":null"));
    assert_eq!((info.message_count, &*info.first_message, info.problem_count), (2, "b", 1));
}

#[test]
fn modified_is_when_somebody_last_spoke() {
    let with_times = |times: [&str; 2]| {
        let text = session("a b t:level(low)");
        let text = text.replacen("\"timestamp\":1}", &format!("\"timestamp\":{}}}", times[0]), 1);
        info(&text.replace("\"timestamp\":1}", &format!("\"timestamp\":{}}}", times[1])))
            .modified
            .to_string()
    };
    assert_eq!(with_times(["1767225607000", "1767225609000"]), "2026-01-01T00:00:09.000Z");
    assert_eq!(with_times(["1767225609000", "1767225607000"]), "2026-01-01T00:00:09.000Z");
    // No number: the time of the entry.
    assert_eq!(with_times(["\"x\"", "null"]), "2026-01-01T00:00:02.000Z");
}

proptest! {
    #![proptest_config(cases(150))]

    /// Counts and sums of a list are those of the file, found by looking at every line.
    #[test]
    fn lists_count_what_is_there(sketch in any_session(24)) {
        let info = info(&sketch.text());
        let messages: Vec<&Value> = sketch.entries.iter().filter(|entry| entry["type"] == "message").collect();
        prop_assert_eq!((info.entry_count, info.message_count), (sketch.entries.len(), messages.len()));
        let usages = sketch.entries.iter().map(|entry| if entry["type"] == "message" { &entry["message"]["usage"] } else { &entry["usage"] });
        let (input, cost) = usages.fold((0, 0.0), |(input, cost), usage| {
            (input + usage["input"].as_u64().unwrap_or(0), cost + usage["cost"]["total"].as_f64().unwrap_or(0.0))
        });
        prop_assert_eq!((info.usage.input, info.usage.cost), (input, cost));
        let name = sketch.entries.iter().rev().find(|entry| entry["type"] == "session_info");
        let name = name.and_then(|entry| entry["name"].as_str()).map(str::trim).filter(|name| !name.is_empty());
        prop_assert_eq!(info.name.as_deref(), name);

        let text = |content: &Value| match content {
            Value::String(text) => text.clone(),
            blocks => blocks.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join(" "),
        };
        let said = |roles: &'static [&str]| {
            let spoken = messages.iter().map(|entry| &entry["message"]).filter(move |message| roles.contains(&message["role"].as_str().unwrap_or_default()));
            spoken.map(|message| text(&message["content"])).filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        let first = said(&["user"]).first().cloned().unwrap_or_else(|| "(no messages)".to_owned());
        prop_assert_eq!(info.first_message, first);
        let session = Session::from_bytes(sketch.text().into_bytes()).unwrap();
        prop_assert_eq!(all_messages_text(&session).unwrap(), said(&["user", "assistant"]).join(" "));
    }
}

#[test]
fn lists_are_newest_first_and_set_aside_what_is_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let spoken_at =
        |time: &str| session("a").replace("\"timestamp\":1}", &format!("\"timestamp\":{time}}}"));
    let files = [
        write("old.jsonl", &spoken_at("1000")),
        write("none.jsonl", "{}\n"),
        write("new.jsonl", &spoken_at("3000")),
        write("a-tie.jsonl", &spoken_at("1000")),
        folder.path().join("gone.jsonl"),
    ];
    let read = AtomicUsize::new(0);
    let (infos, unreadable) = list_sessions(&files, || {
        read.fetch_add(1, Ordering::Relaxed);
    });
    let names: Vec<_> =
        infos.iter().map(|info| info.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["new.jsonl", "a-tie.jsonl", "old.jsonl"]);
    let names: Vec<_> =
        unreadable.iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["gone.jsonl", "none.jsonl"]);
    assert_eq!(read.into_inner(), 5);
}

#[test]
fn folders_are_named_after_working_directories() {
    for (cwd, name) in [
        ("/", "----"),
        ("/home/dév/проект: x", "--home-dév-проект- x--"),
        ("/home/dev/a-b/c", "--home-dev-a-b-c--"),
        ("/home/dev/a/b-c", "--home-dev-a-b-c--"),
        ("C:\\Users\\x", "--C--Users-x--"),
        ("//x", "---x--"),
        ("", "----"),
    ] {
        assert_eq!(encode_cwd(cwd), name);
    }
    let root = PathBuf::from("/sessions");
    assert_eq!(
        SessionFolder::ByProject(root.clone()).for_cwd("/a/b"),
        Path::new("/sessions/--a-b--")
    );
    assert_eq!(SessionFolder::Flat(root.clone()).for_cwd("/a/b"), root);
}

#[test]
fn file_names_hold_the_id_behind_the_first_underscore() {
    let id = |name: &str| id_in_file_name(Path::new(name)).map(str::to_owned);
    assert_eq!(id("/x/2026-11-15T17-50-03-655Z_01a1e054.jsonl").as_deref(), Some("01a1e054"));
    assert_eq!(id("2026_my_id.with-signs.jsonl").as_deref(), Some("my_id.with-signs"));
    assert_eq!(id("noid.jsonl"), None);
}

#[test]
fn files_are_found_one_folder_deep() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in
        ["flat.jsonl", "--a--/one.jsonl", "--a--/two.txt", "b/three.jsonl", "--a--/deep/four.jsonl"]
    {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "").unwrap();
    }
    fs::create_dir(root.join("--a--/folder.jsonl")).unwrap();
    std::os::unix::fs::symlink(root.join("b"), root.join("--link--")).unwrap();
    let names = |folder: SessionFolder| -> Vec<String> {
        let name = |path: &PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        folder.files().iter().map(name).collect()
    };
    let by_project = names(SessionFolder::ByProject(root.to_owned()));
    assert_eq!(by_project, ["--a--/one.jsonl", "--link--/three.jsonl", "b/three.jsonl"]);
    let flat = names(SessionFolder::Flat(root.to_owned()));
    assert_eq!(flat, ["--a--/one.jsonl", "--link--/three.jsonl", "flat.jsonl"]);
    assert!(SessionFolder::Flat(root.join("nowhere")).files().is_empty());
}

#[test]
fn headers_are_found_wherever_the_reader_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let id = |text: &str| {
        fs::write(&path, text).unwrap();
        read_header(&path).map(|header| header.id)
    };
    assert_eq!(id(&session("a")).as_deref(), Some("s"));
    assert_eq!(id(session("").trim_end()).as_deref(), Some("s"));
    assert_eq!(id(&format!("\u{feff}garbage\n\n{}", session("a"))).as_deref(), Some("s"));
    assert_eq!(id(&format!("\u{feff}{}", session("a"))).as_deref(), Some("s"));
    assert_eq!(id(&format!("{{}}\n{}", session("a"))).as_deref(), Some("s"));
    assert_eq!(id(&format!("{{}}{}", session("a"))).as_deref(), Some("s"));
    for text in ["", "{}\n", "{\"type\":\"session\"}\n"] {
        assert_eq!(id(text), None, "{text}");
    }
    assert_eq!(read_header(&folder.path().join("nowhere")), None);
}

#[test]
fn the_newest_file_is_the_one_written_last() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, cwd: &str, second: u64| {
        let path = folder.path().join(name);
        fs::write(&path, session("a").replace("/home/dev", cwd)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    };
    let (old, new) = (write("a.jsonl", "/a", 10), write("b.jsonl", "/b", 20));
    let files = vec![old.clone(), folder.path().join("gone.jsonl"), new.clone()];
    assert_eq!(newest(files).collect::<Vec<_>>(), [new.clone(), old.clone()]);
    assert_eq!(find_most_recent(folder.path(), None), Some(new));
    assert_eq!(find_most_recent(folder.path(), Some("/a")), Some(old));
    assert_eq!(find_most_recent(folder.path(), Some("/c")), None);
}
