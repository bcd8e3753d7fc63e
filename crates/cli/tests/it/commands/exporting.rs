//! A session in one file of HTML. `make web` builds what shows it.

use std::fs;

use serde_json::Value;

use super::{ID, errors_of, shop};
use crate::support::Home;

/// Returns what a page was given to show.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"session\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_session_becomes_a_file_that_has_all_of_it() {
    let home = Home::new();
    let session = shop(&home);
    let before = fs::read(&session).unwrap();
    let file = home.path().join("review.html");
    home.stdout(&["session", "export", "latest", "-o", file.to_str().unwrap()]);
    let page = fs::read_to_string(&file).unwrap();
    assert!(
        page.starts_with("<!doctype html>") && page.contains("<title>Cart lost at login</title>")
    );
    let data = data(&page);
    assert_eq!(data["header"]["id"], ID);
    assert_eq!(data["leaf"], 15);
    assert_eq!(data["entries"].as_array().unwrap().len(), 14);
    assert_eq!(fs::read(&session).unwrap(), before);
    // Naming a file again means it.
    home.stdout(&["session", "export", "latest", "-o", file.to_str().unwrap()]);
}

#[test]
fn it_opens_on_the_branch_that_was_named_and_without_secrets_if_told_so() {
    let home = Home::new();
    shop(&home);
    let page = home.stdout(&["session", "export", "latest", "-o", "-", "--leaf", "00000008"]);
    assert_eq!(data(&page)["leaf"], 9);
    let secret = r#"{"type":"message","id":"1","parentId":null,"timestamp":"2025-01-01T10:00:00.000Z","message":{"role":"user","content":"use ghp_0123456789abcdefghijABCDEFGHIJ012345"}}"#;
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T10:00:00.000Z","cwd":"/p"}"#;
    home.session("s", &[header, secret]);
    let page = home.stdout(&["session", "export", "s", "-o", "-", "--redact"]);
    assert!(!page.contains("ghp_0123456789") && page.contains("use [redacted: GitHub token]"));
}

#[test]
fn what_is_there_is_not_overwritten_unasked() {
    let home = Home::new();
    shop(&home);
    let mut command = home.command(&["session", "export", "latest"]);
    command.current_dir(home.path()).assert().success();
    let name = format!("pi-session-{ID}.html");
    assert!(home.path().join(&name).exists());
    let refused = command.assert().failure();
    assert!(errors_of(&refused).contains("is there already. Name a file"), "{refused}");
    let unknown = home.pi_brain(&["session", "export", "latest", "-o", "-", "--leaf", "zzz"]);
    assert!(errors_of(&unknown.failure()).contains("zzz"));
}
