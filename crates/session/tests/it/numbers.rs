//! Sizes and counts.

use pi_brain_session::{Log, Raw, Session, View, estimate_tokens};
use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{any_session, cases};
use crate::notation::session;

#[track_caller]
fn check_tokens(message: &str, expected: u64) {
    let raw = Raw::parse(message.as_bytes()).expect("JSON");
    assert_eq!(estimate_tokens(raw), expected, "{message}");
}

#[test]
fn four_characters_are_a_token() {
    check_tokens(r#"{"role":"user","content":""}"#, 0);
    check_tokens(r#"{"role":"user","content":"abcd"}"#, 1);
    check_tokens(r#"{"role":"user","content":"abcde"}"#, 2);
    check_tokens(
        r#"{"role":"user","content":[{"type":"text","text":"abcd"},{"type":"text","text":"e"}]}"#,
        2,
    );
    // Characters are those of JavaScript: this one counts twice.
    check_tokens(r#"{"role":"user","content":"🧠🧠🧠"}"#, 2);
    check_tokens(r#"{"role":"user","content":"éééé"}"#, 1);
}

#[test]
fn every_role_has_its_own_size() {
    check_tokens(r#"{"role":"toolResult","content":[{"type":"image","data":"AA"}]}"#, 1200);
    check_tokens(r#"{"role":"custom","content":"abcd"}"#, 1);
    check_tokens(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"abcd"},{"type":"toolCall","name":"read","arguments":{"a":1}}]}"#,
        4,
    );
    check_tokens(r#"{"role":"assistant","content":"abcd"}"#, 0);
    check_tokens(r#"{"role":"bashExecution","command":"abcd","output":"efgh"}"#, 2);
    check_tokens(r#"{"role":"compactionSummary","summary":"abcd"}"#, 1);
    check_tokens(
        r#"{"role":"system","content":"abcd","sections":{"s":"efgh"},"toolsAdded":[1]}"#,
        3,
    );
    check_tokens(r#"{"role":"elsewhere","content":"abcd"}"#, 0);
    check_tokens(r#"{"role":"user","content":null}"#, 0);
    check_tokens("7", 0);
}

#[test]
fn the_numbers_of_a_session() {
    let text = session(
        "s:system a b:calls(x,y) c:result(x) d:result(y) e:answer; a f:answer@900 k:compaction(a) u:usage",
    );
    let text = text.replace(
        "\"stopReason\"",
        "\"usage\":{\"input\":10,\"output\":2,\"cost\":{\"total\":0.5}},\"stopReason\"",
    );
    let session = Session::from_bytes(text.into_bytes()).unwrap();
    let stats = session.stats(&session.tree(View::Repaired)).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&stats).unwrap());
}

#[test]
fn every_parting_is_a_branch_point() {
    let points = |notation: &str| {
        let session = Session::from_bytes(session(notation).into_bytes()).unwrap();
        session.stats(&session.tree(View::Repaired)).unwrap().branch_points
    };
    assert_eq!(points("a b c"), 0);
    assert_eq!(points("a b; a c"), 1);
    // Settings and labels are no way of their own.
    assert_eq!(points("a b; a l:label(a,x)"), 0);
    // All ways from `a` part again.
    assert_eq!(points("a b d; b e; a c f; c g"), 3);
}

#[test]
fn pauses_are_not_active_time() {
    let minutes = |notation: &str| {
        let session = Session::from_bytes(session(notation).into_bytes()).unwrap();
        session.stats(&session.tree(View::Repaired)).unwrap().active_minutes
    };
    assert_eq!(minutes(""), 0);
    assert_eq!(minutes("a@0 b@60 c@179"), 2);
    assert_eq!(minutes("c@179 b@60 a@0"), 2);
    assert_eq!(minutes("a@0 b@599"), 9);
    assert_eq!(minutes("a@0 b@600 c@660"), 1);
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn numbers_add_up(sketch in any_session(24)) {
        let session = Session::from_bytes(sketch.text().into_bytes()).unwrap();
        let stats = session.stats(&session.tree(View::AsPi)).unwrap();
        let count = |kind: &str| sketch.entries.iter().filter(|entry| entry["type"] == kind).count();
        prop_assert_eq!(stats.by_kind.values().sum::<usize>(), sketch.entries.len());
        prop_assert_eq!(stats.by_role.values().sum::<usize>(), count("message"));
        prop_assert_eq!(stats.compactions, count("compaction"));
        let blocks = |kind: &str| {
            let content = sketch.entries.iter().map(|entry| &entry["message"]["content"]);
            content.flat_map(|content| content.as_array().into_iter().flatten()).filter(|block| block["type"] == kind).count()
        };
        prop_assert_eq!(stats.tools.values().map(|tool| tool.calls).sum::<usize>(), blocks("toolCall"));
        let role = |role: &str| sketch.entries.iter().filter(|entry| entry["message"]["role"] == role).count();
        prop_assert_eq!(stats.models.values().map(|model| model.answers).sum::<usize>(), role("assistant"));
        prop_assert_eq!(stats.stop_reasons.values().sum::<usize>(), role("assistant"));
        let errors = sketch.entries.iter().filter(|entry| entry["message"]["isError"] == true).count();
        prop_assert_eq!(stats.tools.values().map(|tool| tool.errors).sum::<usize>(), errors);
        let times: Vec<String> = sketch.entries.iter().filter_map(|entry| entry["timestamp"].as_str()).map(str::to_owned).collect();
        prop_assert_eq!(stats.first.map(|time| time.to_string()), times.iter().min().cloned());
        prop_assert_eq!(stats.last.map(|time| time.to_string()), times.iter().max().cloned());
        prop_assert!(stats.depth <= sketch.entries.len() && stats.active_minutes < 5);
        prop_assert_eq!(serde_json::to_value(&stats).unwrap()["entries"].clone(), Value::from(sketch.entries.len()));
    }
}

#[test]
fn everything_that_costs_is_counted() {
    let usage = r#""usage":{"input":2,"output":1,"cost":{"total":0.5}}"#;
    let rows = [
        (
            "an answer",
            format!(r#""type":"message","message":{{"role":"assistant","content":[],{usage}}}"#),
        ),
        (
            "a tool's own work with a model, beside the calls that it made",
            format!(
                r#""type":"message","message":{{"role":"toolResult","content":[],{usage},"nestedCalls":{{"calls":[{{"id":"n","name":"read","status":"ok"}}],"complete":true}}}}"#
            ),
        ),
        ("a compaction", format!(r#""type":"compaction","summary":"s",{usage}"#)),
        ("a branch summary", format!(r#""type":"branch_summary","summary":"s",{usage}"#)),
        ("cache warming", format!(r#""type":"usage","kind":"cache_warm",{usage}"#)),
    ];
    for (what, fields) in rows {
        let bytes = format!("{}{{\"id\":\"e\",\"parentId\":null,{fields}}}\n", session(""));
        let log = Log::read(bytes.as_bytes()).unwrap();
        let usage = log.entries()[0].usage.as_deref().copied().unwrap_or_default();
        assert_eq!(
            (usage.input, usage.total_tokens, usage.cost.to_string()),
            (2, 3, "0.5".into()),
            "{what}"
        );
    }
}
