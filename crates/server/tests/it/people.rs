//! What people are told on the page, beyond what agents get.

use jiff::Timestamp;
use pi_brain_session::Millis;
use serde_json::{Value, json};

use crate::home::Home;
use crate::http::{get, post};

const DAY: i64 = 24 * 60 * 60 * 1000;

#[test]
fn a_source_tells_people_when_and_where_it_was_said() {
    let home = Home::new();
    home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let source = get(&daemon, "/api/v1/ask?q=albatross")["sources"][0].clone();
    assert_eq!(source["project"], "/home/dev/shop", "{source}");
    assert_eq!(source["standing"], "stands");
    assert!(source["time"].as_str().is_some_and(|time| time.starts_with("2026-01-01T00:0")));
    let asked = json!({ "query": "albatross" });
    let same = post(&daemon, "/api/v1/ask", &asked)["sources"][0].clone();
    assert_eq!(same, source);
    // Agents get the shape that they always had.
    let told = post(&daemon, "/api/query", &asked)["sources"][0].clone();
    assert_eq!((&told["entry"], &told["standing"]), (&source["entry"], &Value::Null));
}

#[test]
fn a_hit_tells_who_speaks_and_what_became_of_it() {
    let home = Home::new();
    home.session("one", &["albatross", "bullfinch"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let hits = get(&daemon, "/api/v1/search?q=bullfinch+kind:message")["results"].clone();
    assert_eq!(hits[0]["role"], "assistant", "{hits}");
    assert_eq!(hits[0]["work"]["id"], hits[0]["node"]);
    assert!(hits[0]["work"]["outcome"].is_string());
    let nodes = get(&daemon, "/api/v1/search?q=albatross+kind:node")["results"].clone();
    assert_eq!((&nodes[0]["kind"], &nodes[0]["role"]), (&json!("node"), &Value::Null));
}

#[test]
fn the_week_is_told_beside_the_week_before() {
    let home = Home::new();
    let now = Timestamp::now().as_millisecond();
    home.session_at("lately", &["albatross", "bullfinch", "cormorant"], Millis(now - DAY));
    home.session_at("before", &["dunnock", "egret"], Millis(now - 9 * DAY));
    home.session_at("earlier", &["fulmar", "goldcrest"], Millis(now - 10 * DAY));
    home.session("long ago", &["hoopoe", "ibis"]);
    let daemon = home.start();
    daemon.wait_until_idle();
    let week = get(&daemon, "/api/v1/week");
    let numbers = |part: &Value| (part["nodes"].clone(), part["sessions"].clone());
    assert_eq!(numbers(&week["current"]), (json!(1), json!(1)), "{week}");
    assert_eq!(numbers(&week["before"]), (json!(2), json!(2)), "{week}");
    assert_eq!(week["current"]["minutes"], 2.0);
    let days = week["days"].as_array().unwrap();
    assert_eq!(days.len(), 14);
    let total: u64 = days.iter().filter_map(|day| day["nodes"].as_u64()).sum();
    assert_eq!(total, 3);
}
