//! Questions and their answers, on the demo set.

use serde_json::{Value, json};

use super::brain::shared_home;
use super::errors_of;

#[test]
fn an_answer_is_made_of_sentences_with_sources() {
    let text = shared_home().stdout(&["ask", "why did we not take meilisearch?", "--limit", "3"]);
    // The sentences come first, then where each of them stands.
    let (answer, sources) = text.split_once("sure: ").unwrap();
    assert!(answer.contains("Meilisearch") && answer.contains(" [1]\n"), "{text}");
    assert!(sources.contains("\n[1] dev/shop") && sources.contains(" session show "), "{text}");
}

#[test]
fn an_answer_as_json_says_where_each_sentence_stands() {
    let home = shared_home();
    let answer = home.json(&["ask", "why", "did we not take", "meilisearch?", "--json"]);
    let names = |value: &Value| -> Vec<String> {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(&answer), ["answer", "confidence", "relatedNodes", "sources", "summary"]);
    let sources = answer["sources"].as_array().unwrap();
    assert!(!sources.is_empty() && sources.len() <= 5);
    for (number, source) in (1..).zip(sources) {
        assert_eq!(names(source), ["entry", "excerpt", "file", "line", "nodeId", "session"]);
        assert!(answer["answer"].as_str().unwrap().contains(&format!("[{number}]")));
        // The sentence stands on the line that is named.
        let text = std::fs::read_to_string(source["file"].as_str().unwrap()).unwrap();
        let line = usize::try_from(source["line"].as_u64().unwrap()).unwrap();
        let entry: Value = serde_json::from_str(text.lines().nth(line - 1).unwrap()).unwrap();
        assert_eq!(entry["id"], source["entry"]);
        let excerpt = source["excerpt"].as_str().unwrap();
        let word =
            excerpt.split(|letter: char| !letter.is_alphanumeric()).max_by_key(|word| word.len());
        assert!(entry.to_string().contains(word.unwrap()), "{excerpt}: {entry}");
    }
    for node in answer["relatedNodes"].as_array().unwrap() {
        assert_eq!(names(node), ["id", "relevance", "summary"]);
    }
    assert!(["high", "medium", "low"].contains(&answer["confidence"].as_str().unwrap()));
}

#[test]
fn what_nothing_fits_is_refused() {
    let home = shared_home();
    let assert =
        home.pi_brain(&["ask", "why did we migrate the kafka cluster to zebrafish?"]).code(3);
    assert!(errors_of(&assert).contains("nothing in the sessions answers why did we migrate"));
    let answer =
        home.json(&["ask", "why did we migrate the kafka cluster to zebrafish?", "--json"]);
    assert_eq!((&answer["sources"], &answer["relatedNodes"]), (&json!([]), &json!([])));
    home.pi_brain(&["ask"]).code(2);
}

#[test]
fn numbers_come_from_the_tables() {
    let home = shared_home();
    let cost = home.json(&["cost", "--by", "project", "--json", "--project", "shop"]);
    let total = cost["total"]["cost"].as_f64().unwrap();
    let answer = home.json(&["ask", "what did the shop cost?", "--json"]);
    assert!(
        answer["summary"].as_str().unwrap().starts_with(&format!("${total:.2} on shop")),
        "{answer}"
    );
    assert_eq!(answer["sources"].as_array().unwrap().len(), 5);

    let models = home.json(&["ask", "which models did we use?", "--json"]);
    let known = home.json(&["models", "--json"]);
    let count = known.as_array().unwrap().len();
    assert!(
        models["summary"].as_str().unwrap().starts_with(&format!("{count} models answered")),
        "{models}"
    );

    let projects = home.json(&["ask", "which projects did we work on?", "--json"]);
    assert_eq!(projects["sources"].as_array().unwrap().len(), 4);

    let errors = home.json(&["ask", "which errors came up in the shop?", "--json"]);
    let excerpt = errors["sources"][0]["excerpt"].as_str().unwrap();
    let known = home.json(&["errors", "--project", "shop", "--json"]);
    assert!(excerpt.contains(known[0]["message"].as_str().unwrap()), "{excerpt}");
}

#[test]
fn a_file_is_answered_with_the_calls_that_touched_it() {
    let home = shared_home();
    let answer = home.json(&["ask", "which sessions changed bot/text.py?", "--json"]);
    let sources = answer["sources"].as_array().unwrap();
    assert!(!sources.is_empty());
    for source in sources {
        let text = std::fs::read_to_string(source["file"].as_str().unwrap()).unwrap();
        assert!(text.contains("bot/text.py"));
    }
}
