//! What is found, on disk and in memory alike.

use pi_brain_search::{Document, Key, Request, Speaker};
use proptest::prelude::*;

use crate::common::{Library, days_ago, message, message_key, node, numbers, request};

/// Looks for the query in these texts, which are numbered from 1; the order of what is found does not matter.
#[track_caller]
fn check(query: &str, texts: &[&str], expected: &[i64]) {
    let documents: Vec<Document> =
        (1..).zip(texts).map(|(number, text)| message(number, text)).collect();
    check_documents(query, &documents, expected);
}

#[track_caller]
fn check_documents(query: &str, documents: &[Document], expected: &[i64]) {
    for (place, library) in
        [("on disk", Library::committed(documents)), ("hot", Library::hot(documents))]
    {
        let hits = library.search(query);
        let mut found = numbers(&hits);
        found.sort_unstable_by_key(|number| number.abs());
        assert_eq!(found, expected, "{query} {place}");
        assert_eq!(hits.total, expected.len() as u64, "{query} {place}");
    }
}

#[test]
fn identifiers_are_found_by_their_parts_and_as_a_whole() {
    let texts =
        ["call readNodeErrorCode()", "read_node_error_code", "the code has an error", "nothing"];
    check("error code", &texts, &[1, 2, 3]);
    check("\"error code\"", &texts, &[1, 2]);
    check("readNodeErrorCode", &texts, &[1, 2]);
    check("READ_NODE_ERROR_CODE", &texts, &[1, 2]);
    check("nodeError", &texts, &[1, 2]);
    check("ERR_MODULE_NOT_FOUND", &["ERR_MODULE_NOT_FOUND: x", "module not found"], &[1]);
    check("E0502", &["error[E0502]: cannot borrow", "error[E0503]"], &[1]);
    check("TS2345", &["TS2345", "TS2346 2345 TS"], &[1]);
    check("beta", &["v2beta is out", "betamax"], &[1]);
    check("4f1b9c2e", &["commit 4f1b9c2e", "4f1b"], &[1]);
}

#[test]
fn phrases_keep_their_order() {
    let texts = ["npm says permission denied.", "denied permission", "permission was denied"];
    check("\"permission denied\"", &texts, &[1]);
    check("permission denied", &texts, &[1, 2, 3]);
    check("\"to be or not\"", &["to be or not to be", "not or be to"], &[1]);
    // What stands in quotes must be there; other words may be.
    check("\"permission denied\" was npm", &texts, &[1]);
}

#[test]
fn paths_are_found_by_parts_and_as_a_whole() {
    let texts = ["see crates/search/src/tokens.rs:12", "tokens of the search", "src/search.rs"];
    check("crates/search/src/tokens.rs", &texts, &[1]);
    check("tokens.rs", &texts, &[1]);
    check("search/src", &texts, &[1]);
    check("search", &texts, &[1, 2, 3]);
    check("no-verify", &["git push --no-verify", "verify: no"], &[1]);
    check("http://localhost:8080/x", &["open http://localhost:8080/x now", "localhost"], &[1]);
}

/// Looks for the query in what tools printed.
#[track_caller]
fn check_printed(query: &str, texts: &[&str], expected: &[i64]) {
    let printed = |(number, text): (u32, &&str)| Document {
        detail: (*text).to_owned(),
        speaker: Some(Speaker::Tool),
        ..message(number, "")
    };
    let documents: Vec<Document> = (1..).zip(texts).map(printed).collect();
    check_documents(query, &documents, expected);
}

#[test]
fn what_tools_print_is_found_in_a_row_too() {
    let texts = ["npm: permission denied.", "denied permission", "permission was denied"];
    check_printed("\"permission denied\"", &texts, &[1]);
    check_printed("permission denied", &texts, &[1, 2, 3]);
    check_printed("permission -\"permission denied\"", &texts, &[2, 3]);
    check_printed("-\"permission denied\"", &texts, &[2, 3]);
    check_printed("\"denied permission\" \"permission denied\"", &texts, &[]);
    let paths = ["at crates/search/src/tokens.rs:12", "src of search: tokens, rs, crates", "rs"];
    check_printed("crates/search/src/tokens.rs", &paths, &[1]);
    check_printed("crates/search/src/tokens.rs search", &paths, &[1, 2]);
    check_printed("nodeError", &["readNodeErrorCode()", "an error of a node"], &[1]);
    check_printed("\"to be or not to be\"", &["to be or not to be", "not to be or to be"], &[1]);
    check_printed("\"検索語\"", &["日本検索語", "検索の索語"], &[1]);
}

#[test]
fn scattered_parts_of_an_identifier_do_not_count() {
    let printed = |number: u32| Document {
        detail: if number <= 300 { "readErrorCode()" } else { "an error code was read" }.to_owned(),
        ..message(number, "")
    };
    let documents: Vec<Document> = (1..=1200).map(printed).collect();
    let hits = Library::committed(&documents).search("readErrorCode");
    assert_eq!((hits.hits.len(), hits.total), (10, 300));
}

#[test]
fn of_very_many_outputs_that_may_hold_a_phrase_the_best_are_read() {
    let printed = |number: u32| Document {
        detail: if number.is_multiple_of(2) { "cache miss" } else { "miss cache" }.to_owned(),
        ..message(number, "")
    };
    let documents: Vec<Document> = (1..=1200).map(printed).collect();
    for library in [Library::committed(&documents), Library::hot(&documents)] {
        let hits = library.search("\"cache miss\"");
        assert_eq!(hits.hits.len(), 10);
        assert!(numbers(&hits).iter().all(|number| number % 2 == 0));
        assert!((500..700).contains(&hits.total), "{}", hits.total);
    }
}

#[test]
fn scripts_without_spaces_are_found() {
    let texts =
        ["これは日本語の検索です", "日本の言語", "한국어 검색을 지원", "我们修复了权限错误"];
    check("検索", &texts, &[1]);
    check("\"日本語\"", &texts, &[1]);
    check("日本語", &texts, &[1, 2]);
    check("검색", &texts, &[3]);
    check("权限", &texts, &[4]);
}

#[test]
fn case_and_form_do_not_matter() {
    check("größe", &["Die GRÖSSE", "GRÖßE", "Größe"], &[2, 3]);
    check("tests", &["a test", "testing", "the tests", "contest"], &[1, 2, 3]);
    check("\"tests\"", &["a test", "the tests"], &[2]);
}

#[test]
fn words_are_or_ed_and_can_be_excluded() {
    let texts = ["redis cache", "memory cache", "redis queue", "disk"];
    check("redis cache", &texts, &[1, 2, 3]);
    check("cache -redis", &texts, &[2]);
    check("-redis", &texts, &[2, 4]);
    check("cache -\"redis cache\"", &texts, &[2]);
    check("why did we the cache", &texts, &[1, 2]);
    check("nowhere", &texts, &[]);
    // Too long for a token: it is not in the index, which is no reason to show everything.
    check(&"x".repeat(100), &texts, &[]);
}

fn facts() -> Vec<Document> {
    let one = Document {
        detail: "cargo test".into(),
        project: Some("/home/me/my-app".into()),
        tools: vec!["bash".into()],
        model: Some("claude-opus-4-5".into()),
        files: vec!["src/lib.rs".into(), "README.md".into()],
        time: Some(days_ago(3)),
        ..message(1, "fix")
    };
    let two = Document {
        project: Some("/home/me/other".into()),
        tools: vec!["read".into(), "edit".into()],
        model: Some("gpt-5".into()),
        speaker: Some(Speaker::User),
        time: Some(days_ago(20)),
        ..message(2, "fix")
    };
    let three = Document {
        node_type: Some("coding".into()),
        outcome: Some("failed".into()),
        time: Some(days_ago(400)),
        ..node(3, "fix")
    };
    vec![one, two, three, Document { time: None, ..message(4, "fix") }]
}

#[test]
fn filters_apply_to_what_is_known_of_a_document() {
    let documents = facts();
    for (query, expected) in [
        ("fix project:my-app", &[1][..]),
        ("fix project:\"my app\"", &[1]),
        ("fix project:me", &[1, 2]),
        ("fix project:my-app project:other", &[1, 2]),
        ("fix tool:bash", &[1]),
        ("fix tool:bash tool:edit", &[1, 2]),
        ("fix tool:bash model:gpt", &[]),
        ("fix model:opus", &[1]),
        ("fix model:claude-opus-4-5", &[1]),
        ("fix file:lib.rs", &[1]),
        ("fix file:src", &[1]),
        // Two files, and no path across them.
        ("fix file:\"lib.rs readme\"", &[]),
        ("fix type:coding", &[-3]),
        ("fix outcome:failed", &[-3]),
        ("fix outcome:success", &[]),
        ("fix kind:node", &[-3]),
        ("fix kind:message", &[1, 2, 4]),
        ("fix role:user", &[2]),
        ("fix role:assistant", &[1, 4]),
        ("fix after:1w", &[1]),
        ("fix before:1w", &[2, -3]),
        ("fix after:1mo before:1w", &[2]),
        ("fix before:2025-06", &[-3]),
        ("cargo", &[1]),
        ("nothing tool:bash", &[]),
    ] {
        check_documents(query, &documents, expected);
    }
}

#[test]
fn without_words_everything_that_passes_is_found_newest_first() {
    for library in [Library::committed(&facts()), Library::hot(&facts())] {
        assert_eq!(library.found(""), [1, 2, -3, 4]);
        assert_eq!(library.found("kind:message"), [1, 2, 4]);
        assert_eq!(library.found("tool:edit"), [2]);
        let second = library.try_search("", &Request { limit: 1, offset: 1, ..request() }).unwrap();
        assert_eq!((numbers(&second), second.total), (vec![2], 4));
    }
}

#[test]
fn what_nobody_counts_is_found_all_the_same() {
    for library in [Library::committed(&facts()), Library::hot(&facts())] {
        let counted = library.search("fix");
        let found = library.try_search("fix", &Request { counts: false, ..request() }).unwrap();
        assert!(counted.total > 0);
        assert_eq!((found.hits, found.total), (counted.hits, 0));
    }
}

#[test]
fn the_caller_judges_what_the_index_does_not_know() {
    let documents = facts();
    for library in [Library::committed(&documents), Library::hot(&documents)] {
        let odd = |key: Key| key == message_key(1) || key == Key::Node(3);
        let request = Request { allow: Some(&odd), ..request() };
        let hits = library.try_search("fix", &request).unwrap();
        assert_eq!((numbers(&hits).len(), hits.total), (2, 2));
        let hits = library.try_search("", &request).unwrap();
        assert_eq!((numbers(&hits), hits.total), (vec![1, -3], 2));
        // A filter for nodes leaves it to the caller which messages belong to such a node.
        let hits = library.try_search("fix type:coding", &request).unwrap();
        assert_eq!(hits.total, 2);
    }
}

proptest! {
    #[test]
    fn any_words_that_stand_in_a_row_are_found_in_a_row(
        words in prop::collection::vec("[a-z]{1,9}|[a-z]{2,5}([A-Z][a-z]{1,6}){1,3}|[A-Z]{2,4}_[0-9]{1,3}|[a-z]{2,5}/[a-z]{2,5}\\.rs|[日本語検索]{1,4}|[а-я]{2,6}", 2..12),
        at in any::<prop::sample::Index>(),
        separator in prop::sample::select(vec![" ", "\n", ", ", " (", " - "]),
    ) {
        let library = Library::hot(&[message(1, &words.join(separator))]);
        let at = at.index(words.len() - 1);
        let asked = words[at..at + 2].join(" ");
        prop_assert_eq!(library.found(&format!("\"{asked}\"")), [1]);
    }
}
