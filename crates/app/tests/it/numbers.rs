//! What was spent is counted once, and every result can be looked up where it says.

use std::fs;

use pi_brain_app::FoundKind;
use pi_brain_forest::{Forest, Store as _};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use serde_json::Value;

use crate::brain::{Home, ask};
use crate::picture::rows;
use crate::world::{any_world, cases, world};

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn segments_cost_what_the_families_cost(world in any_world(80)) {
        let home = Home::with(&world);
        home.ingest();
        let app = home.open();
        let forest = Forest::new(app.store().families());
        let database = home.database();
        for root in forest.roots().unwrap() {
            let honest = forest.family_cost(root.id).unwrap().honest;
            let sql = format!(
                "SELECT cost, tokens, input FROM spending JOIN segment ON id = segment WHERE root = {}",
                root.id.number()
            );
            let spent: Vec<(f64, i64, i64)> =
                rows(&database, &sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            let cost: f64 = spent.iter().map(|(cost, _, _)| cost).sum();
            prop_assert!((cost - honest.cost).abs() <= 1e-9 * honest.cost, "{} {}", cost, honest.cost);
            let tokens: i64 = spent.iter().map(|(_, tokens, _)| tokens).sum();
            prop_assert_eq!(tokens.cast_unsigned(), honest.total_tokens);
            let input: i64 = spent.iter().map(|(_, _, input)| input).sum();
            prop_assert_eq!(input.cast_unsigned(), honest.input);
        }
        // What nodes say of themselves is what their segments spent, rounded to ten digits.
        let sql = "SELECT n.cost, (SELECT total(s.cost) FROM spending s WHERE s.segment = n.id) FROM node n";
        for (said, spent) in rows(&database, sql, |row| Ok((row.get::<_, f64>(0)?, row.get::<_, f64>(1)?))) {
            prop_assert!((said - spent).abs() <= 1e-9, "{} {}", said, spent);
        }
        let sessions = forest.store().sessions().unwrap().len();
        prop_assert_eq!(sessions, world.files.len());
    }
}

/// One to three words of the corpus, some as a phrase, some with a filter.
fn any_query(words: Vec<String>) -> impl Strategy<Value = String> {
    let filters = &[
        "",
        "",
        "",
        "",
        "project:engine",
        "model:opus",
        "tool:read",
        "is:abandoned",
        "is:active",
        "file:main.rs",
        "after:2026-01-01",
        "before:2026-03-01",
        "outcome:success",
        "type:feature",
    ][..];
    let some = prop::collection::vec(any::<Index>(), 1..4);
    (some, any::<bool>(), select(filters)).prop_map(move |(some, phrase, filter)| {
        let text =
            some.iter().map(|at| &*words[at.index(words.len())]).collect::<Vec<_>>().join(" ");
        if phrase { format!("\"{text}\" {filter}") } else { format!("{text} {filter}") }
    })
}

#[test]
fn every_result_stands_where_it_says() {
    const QUERIES: usize = 1000;
    let world = world(7, 300);
    let home = Home::with(&world);
    home.ingest();
    let app = home.open();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let query = any_query(world.words());
    let (mut messages, mut nodes) = (0, 0);
    for _ in 0..QUERIES {
        let query = query.new_tree(&mut runner).unwrap().current();
        let found = ask(&app, &query);
        assert_eq!(found.total, found.results.len() as u64, "{query}");
        for item in found.results {
            let session = item.session.as_ref().unwrap();
            let text = fs::read_to_string(&session.path).unwrap();
            let line = text.lines().nth(item.line.unwrap() as usize - 1).unwrap();
            let entry: Value = serde_json::from_str(line).unwrap();
            let file = world.files.iter().find(|file| session.path.ends_with(&file.name)).unwrap();
            assert_eq!(session.id, file.id(), "{query}");
            // The ids of a version 1 file are not in the file.
            if let Some(id) = entry["id"].as_str() {
                assert_eq!(id, item.entry, "{query}");
            }
            match item.what {
                FoundKind::Message { .. } => {
                    messages += 1;
                    let line = all_text(&entry);
                    for mark in &item.snippet.marks {
                        let marked = &item.snippet.text[mark.clone()];
                        assert!(line.contains(marked), "{query}: {marked:?} in {line}");
                    }
                }
                FoundKind::Node => nodes += 1,
            }
            let is_filtered = query.trim_end().contains(':');
            assert!(
                is_filtered || !item.snippet.marks.is_empty(),
                "{query}: nothing is marked in {item:?}"
            );
        }
    }
    println!("{QUERIES} queries found {messages} messages and {nodes} nodes");
    assert!(messages > QUERIES && nodes > QUERIES);
}

/// Returns everything that is text in an entry.
fn all_text(entry: &Value) -> String {
    let mut open = vec![entry];
    let mut text = String::new();
    while let Some(value) = open.pop() {
        match value {
            Value::String(piece) => {
                text.push_str(piece);
                text.push('\n');
            }
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    text
}
