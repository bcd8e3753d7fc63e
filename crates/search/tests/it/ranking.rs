//! What comes first.

use pi_brain_search::{Document, Request, Speaker};

use crate::common::{Library, days_ago, message, node, numbers, request};

#[track_caller]
fn check(query: &str, documents: &[Document], expected: &[i64]) {
    assert_eq!(Library::committed(documents).found(query), expected, "{query} on disk");
    assert_eq!(Library::hot(documents).found(query), expected, "{query} hot");
}

fn said(number: u32, speaker: Speaker, body: &str) -> Document {
    Document { speaker: Some(speaker), ..message(number, body) }
}

#[test]
fn people_before_models_before_tools() {
    let documents = [
        said(1, Speaker::Tool, "the cache"),
        said(2, Speaker::Assistant, "the cache"),
        said(3, Speaker::User, "the cache"),
        node(4, "the cache"),
    ];
    check("cache", &documents, &[-4, 3, 2, 1]);
}

#[test]
fn what_was_said_before_what_was_done() {
    let done = Document { detail: "flush cache now".into(), ..message(1, "") };
    check("cache", &[done, message(2, "flush cache now")], &[2, 1]);
}

#[test]
fn the_new_before_the_old_but_gently() {
    let aged =
        |number, days, body: &str| Document { time: Some(days_ago(days)), ..message(number, body) };
    check("cache", &[aged(1, 300, "the cache"), aged(2, 1, "the cache")], &[2, 1]);
    let both = aged(1, 300, "redis cache eviction");
    check("redis eviction", &[both, aged(2, 1, "redis is fast today")], &[1, 2]);
}

#[test]
fn more_words_in_a_row_and_exact_forms_come_first() {
    let texts = ["memory limit of the pod", "limit the use of memory", "memory of a pod"];
    let documents: Vec<Document> =
        (1..).zip(texts).map(|(number, text)| message(number, text)).collect();
    check("memory limit", &documents, &[1, 2, 3]);
    check("tests", &[message(1, "one test here"), message(2, "the tests here")], &[2, 1]);
    // A rare form does not outdo the common word that was asked for.
    let mut documents: Vec<Document> =
        (10..40).map(|number| message(number, "the test here")).collect();
    documents.push(message(1, "the tested here"));
    let library = Library::committed(&documents);
    assert!(!library.found("test").contains(&1));
    assert_eq!(library.search("test").total, 31);
}

#[test]
fn the_own_project_comes_first() {
    let at = |number, project: &str| Document {
        project: Some(project.into()),
        ..message(number, "the cache")
    };
    let documents = [at(1, "/home/me/other"), at(2, "/home/me/app")];
    for library in [Library::committed(&documents), Library::hot(&documents)] {
        for (project, expected) in [("/home/me/app", [2, 1]), ("/home/me/other", [1, 2])] {
            let request = Request { project: Some(project), ..request() };
            assert_eq!(numbers(&library.try_search("cache", &request).unwrap()), expected);
        }
    }
}

#[test]
fn ties_go_to_the_smaller_key_wherever_documents_lie() {
    let documents: Vec<Document> =
        (1..=2000).map(|number| message(number, "the same words")).collect();
    let reversed: Vec<Document> = documents.iter().rev().cloned().collect();
    for library in
        [Library::committed(&documents), Library::committed(&reversed), Library::hot(&reversed)]
    {
        assert_eq!(library.found("same words"), (1..=10).collect::<Vec<i64>>());
        assert_eq!(library.search("same words").total, 2000);
    }
}

#[test]
fn pages_follow_each_other() {
    let documents: Vec<Document> = (1..=300)
        .map(|number| Document {
            time: Some(days_ago(i64::from(number % 50))),
            ..message(number, "page of words")
        })
        .collect();
    let library = Library::committed(&documents);
    let all = numbers(&library.try_search("words", &Request { limit: 250, ..request() }).unwrap());
    let mut paged = Vec::new();
    for offset in (0..250).step_by(10) {
        paged.extend(numbers(
            &library.try_search("words", &Request { offset, ..request() }).unwrap(),
        ));
    }
    assert_eq!(paged, all);
}
