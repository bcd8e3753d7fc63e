//! What families cost.

use pi_brain_forest::{FamilyCost, Forest, MemoryStore};

use super::forest_of;
use super::notation::{Written, session};

/// Returns the honest and the naive cost in quarters of a dollar.
fn quarters(files: &[(&str, Written)]) -> (f64, f64) {
    let cost = cost_of(files);
    (cost.honest.cost * 4.0, cost.naive.cost * 4.0)
}

fn cost_of(files: &[(&str, Written)]) -> FamilyCost {
    let texts: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, file)| (*name, file.bytes())).collect();
    let texts: Vec<(&str, &[u8])> = texts.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let forest: Forest<MemoryStore> = forest_of(&texts);
    let roots = forest.roots().unwrap();
    assert_eq!(roots.len(), 1);
    forest.family_cost(roots[0].id).unwrap()
}

#[test]
fn copies_cost_nothing() {
    let original = || session("s", "a b:answer(4) c d:answer(8)");
    assert_eq!(quarters(&[("/1", original())]), (12.0, 12.0));
    assert_eq!(quarters(&[("/1", original()), ("/2", original())]), (12.0, 24.0));
    let fork = session("t", "a b:answer(4) e f:answer(1)").fork_of("/1");
    assert_eq!(quarters(&[("/1", original()), ("/2", fork)]), (13.0, 17.0));
    let cost = cost_of(&[("/1", original()), ("/2", original())]);
    assert_eq!((cost.events, cost.lines), (2, 4));
    assert_eq!((cost.honest.input, cost.naive.total_tokens), (12, 24));
}

#[test]
fn the_same_answer_twice_costs_twice() {
    // Two runs of one prompt gave the same words: one message, two responses.
    assert_eq!(quarters(&[("/1", session("s", "a b:answer(4); p=a c=b:answer(4)"))]), (8.0, 8.0));
}

#[test]
fn answers_without_words_summaries_and_tools_cost_too() {
    assert_eq!(
        quarters(&[("/1", session("s", "a b:nothing(4) c:usage(2) d:answer(1)"))]),
        (7.0, 7.0)
    );
    let forked = session("t", "a b:nothing(4) c:usage(2) e:answer(3)");
    let files = [("/1", session("s", "a b:nothing(4) c:usage(2) d:answer(1)")), ("/2", forked)];
    assert_eq!(quarters(&files), (10.0, 16.0));
}

#[test]
fn copies_with_other_ids_are_known_by_their_time() {
    let aged = || session("s", "a b:answer(4) c:nothing(2) d:usage(1)").aged();
    let files = [("/1", session("s", "a b:answer(4) c:nothing(2) d:usage(1)")), ("/2", aged())];
    assert_eq!(quarters(&files), (7.0, 14.0));
    assert_eq!(quarters(&[("/1", aged()), ("/2", aged()), ("/3", aged())]), (7.0, 21.0));
    // b2 is written in the same second as b, in the same place, with the same words.
    let retold = session("s", "a2=a b2=b:answer(4)");
    assert_eq!(quarters(&[("/1", session("s", "a b:answer(4)")), ("/2", retold)]), (4.0, 8.0));
    let at_another_time = session("s", "a2=a c2=b:answer(4)");
    assert_eq!(
        quarters(&[("/1", session("s", "a b:answer(4)")), ("/2", at_another_time)]),
        (8.0, 8.0)
    );
}

#[test]
fn a_response_is_known_by_its_id_and_words() {
    let with_response = |id: &str, notation: &str| {
        let text = String::from_utf8(session("s", notation).bytes()).unwrap();
        let answer = format!("\"responseId\":\"{id}\",\"role\":\"assistant\"");
        text.replace("\"role\":\"assistant\"", &answer).into_bytes()
    };
    let cost = |one: Vec<u8>, other: Vec<u8>| {
        let forest = forest_of(&[("/1", &one), ("/2", &other)]);
        forest.family_cost(forest.roots().unwrap()[0].id).unwrap().honest.cost * 4.0
    };
    let first = || with_response("r1", "a b:answer(4)");
    assert_eq!(cost(first(), with_response("r1", "a c=b:answer(4)")).to_string(), "4");
    assert_eq!(cost(first(), with_response("r2", "a c=b:answer(4)")).to_string(), "8");
    // A small server gave two answers the same number.
    assert_eq!(cost(first(), with_response("r1", "a c:answer(4)")).to_string(), "8");
}
