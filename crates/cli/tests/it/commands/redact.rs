//! `pi-brain redact` names secrets and where they stand, and keeps them to itself.

use serde_json::json;

use super::errors_of;
use crate::support::Home;

const TEXT: &str =
    "first line\nDB_PASSWORD=hunter2hunter\n\nurl: postgres://app:s3cretpass@db/shop\n";

#[test]
fn secrets_are_named_by_line_and_kind_and_not_shown() {
    let home = Home::new();
    std::fs::write(home.path().join("notes.txt"), TEXT).unwrap();
    let told = home.stdout(&["redact", "notes.txt"]);
    assert_eq!(told, "line 2: password\nline 4: password in URL\n2 secrets would be taken out\n");
    let json = home.json(&["redact", "notes.txt", "--json"]);
    let expected = json!([
        {"line": 2, "kind": "password"},
        {"line": 4, "kind": "password in URL"},
    ]);
    assert_eq!(json, expected);
}

#[test]
fn standard_input_is_read_and_need_not_be_text() {
    let home = Home::new();
    let input = [b"\xff\xfe\n", TEXT.as_bytes()].concat();
    let output = home.command(&["redact", "-"]).write_stdin(input).assert().success();
    let told = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(told.starts_with("line 3: password\n"), "{told}");
    let output = home.command(&["redact", "-"]).write_stdin("API_KEY=$KEY\n").assert().success();
    assert_eq!(output.get_output().stdout, b"no secrets found\n");
}

#[test]
fn a_file_that_is_not_there_is_not_found() {
    let home = Home::new();
    let failed = home.pi_brain(&["redact", "nothing.txt"]).code(3);
    assert!(errors_of(&failed).contains("no file nothing.txt"));
}
