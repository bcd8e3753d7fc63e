//! The hot tail beside the index.

use pi_brain_search::{Document, Hits, Key, MessageKey};
use proptest::prelude::*;

use crate::common::{Library, message, message_key, node};

#[test]
fn a_document_has_the_same_score_in_the_tail_and_on_disk() {
    let texts = [
        "the cache was cold",
        "cold start of the cache index",
        "readNodeErrorCode",
        "日本語の検索",
        "cache",
    ];
    let said = (1..).zip(texts).map(|(number, text)| message(number, text));
    let printed = (11..).zip(texts).map(|(number, text)| Document {
        detail: format!("{text} {text} printed"),
        ..message(number, "said")
    });
    let documents: Vec<Document> =
        printed.zip(said).flat_map(|(one, other)| [one, other]).collect();
    let (old, new) = documents.split_at(4);
    let mut split = Library::committed(old);
    split.add_hot(new);
    let whole = Library::committed(&documents);
    for query in [
        "cache",
        "cold cache",
        "\"cache was cold\"",
        "error code",
        "検索",
        "caches -start",
        "error-code",
        "",
    ] {
        assert_eq!(split.search(query), whole.search(query), "{query}");
    }
}

#[test]
fn a_document_in_the_tail_stands_for_the_one_on_disk() {
    let mut library = Library::committed(&[
        message(1, "old words"),
        message(2, "old words"),
        node(1, "old words"),
    ]);
    library.tail.add(&message(1, "new words"));
    assert_eq!(library.found("old"), [-1, 2]);
    assert_eq!(library.found("new"), [1]);
    assert_eq!(library.search("words").total, 3);
    library.tail.add(&message(1, "newer words"));
    assert!(library.found("new").is_empty());
    assert_eq!(library.found("newer"), [1]);
    assert_eq!(library.tail.document_count(), 1);
}

#[test]
fn what_the_tail_deletes_is_hidden_on_disk() {
    let namesake =
        Document { key: Key::Message(MessageKey { family: 2, number: 1 }), ..message(1, "words") };
    let mut library = Library::committed(&[message(1, "words"), message(2, "words"), namesake]);
    library.tail.delete(message_key(1));
    assert_eq!(library.found("words"), [2, 1]);
    library.tail.add(&message(4, "words"));
    library.tail.delete_family(1);
    assert_eq!(library.found("words"), [1]);
    assert_eq!(library.found(""), [1]);
    library.tail.add(&message(1, "words again"));
    assert_eq!(library.found("again"), [1]);
    library.tail.clear();
    assert!(library.tail.is_empty());
    assert_eq!(library.search("words").total, 3);
}

#[test]
fn between_a_commit_and_the_clearing_of_the_tail_nothing_is_found_twice() {
    let mut library = Library::committed(&[message(1, "old words")]);
    library.tail.add(&message(1, "new words"));
    library.tail.add(&message(2, "new words"));
    assert_eq!(library.search("words").total, 2);
    library.write(|writer| {
        writer.delete(message_key(1)).unwrap();
        writer.add(&message(1, "new words")).unwrap();
        writer.add(&message(2, "new words")).unwrap();
    });
    assert_eq!((library.found("words"), library.search("words").total), (vec![1, 2], 2));
    library.tail.clear();
    assert_eq!((library.found("words"), library.search("words").total), (vec![1, 2], 2));
}

#[test]
fn several_threads_search_while_one_writes() {
    let library = Library::committed(&[message(1, "words")]);
    std::thread::scope(|scope| {
        let searching = || (0..50).for_each(|_| assert!(library.search("words").total > 0));
        let readers = [scope.spawn(searching), scope.spawn(searching)];
        for number in 2..6 {
            library.write(|writer| writer.add(&message(number, "more words")).unwrap());
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
    assert_eq!(library.search("words").total, 5);
}

#[derive(Clone, Debug)]
enum Step {
    Add(MessageKey, Vec<&'static str>),
    Delete(MessageKey),
    DeleteFamily(u32),
    Commit,
}

/// Few, so that the same numbers come up in several families.
fn any_key() -> impl Strategy<Value = MessageKey> {
    (0..3_u32, 0..4_u32).prop_map(|(family, number)| MessageKey { family, number })
}

fn document(key: MessageKey, words: &[&str]) -> Document {
    Document { key: Key::Message(key), ..message(key.number, &words.join(" ")) }
}

fn any_step() -> impl Strategy<Value = Step> {
    let word =
        prop::sample::select(vec!["cache", "errorCode", "error", "code", "cold_start", "検索語"]);
    let words = prop::collection::vec(word, 1..6);
    prop_oneof![
        4 => (any_key(), words).prop_map(|(key, words)| Step::Add(key, words)),
        1 => any_key().prop_map(Step::Delete),
        1 => (0..3_u32).prop_map(Step::DeleteFamily),
        1 => Just(Step::Commit),
    ]
}

/// What was found, without scores: deleted documents count in them until segments are merged.
fn keys(hits: &Hits) -> Vec<Key> {
    let mut keys: Vec<Key> = hits.hits.iter().map(|hit| hit.key).collect();
    keys.sort();
    keys
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn tail_and_index_together_are_one_index(steps in prop::collection::vec(any_step(), 1..16)) {
        let mut split = Library::new();
        let mut pending: Vec<Step> = Vec::new();
        let mut model: std::collections::BTreeMap<MessageKey, Document> = std::collections::BTreeMap::new();
        for step in steps {
            match &step {
                Step::Add(key, words) => {
                    let document = document(*key, words);
                    split.tail.add(&document);
                    model.insert(*key, document);
                }
                Step::Delete(key) => {
                    split.tail.delete(Key::Message(*key));
                    model.remove(key);
                }
                Step::DeleteFamily(family) => {
                    split.tail.delete_family(*family);
                    model.retain(|key, _| key.family != *family);
                }
                Step::Commit => {
                    split.write(|writer| for step in pending.drain(..) {
                        match step {
                            Step::Add(key, words) => {
                                writer.delete(Key::Message(key)).unwrap();
                                writer.add(&document(key, &words)).unwrap();
                            }
                            Step::Delete(key) => writer.delete(Key::Message(key)).unwrap(),
                            Step::DeleteFamily(family) => writer.delete_family(family),
                            Step::Commit => {}
                        }
                    });
                    split.tail.clear();
                }
            }
            pending.push(step);
            pending.retain(|step| !matches!(step, Step::Commit));
        }
        let documents: Vec<Document> = model.into_values().collect();
        let hot = Library::hot(&documents);
        for query in ["cache", "\"error code\"", "error -cache", "coldStart 検索", ""] {
            let (found, expected) = (split.search(query), hot.search(query));
            prop_assert_eq!(found.total, expected.total, "{}", query);
            prop_assert_eq!(keys(&found), keys(&expected), "{}", query);
        }
    }
}
