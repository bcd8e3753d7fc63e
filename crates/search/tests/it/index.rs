//! The index on disk: positions, deletion, merging, damage.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pi_brain_search::{Document, Key, MessageKey, SearchError, SearchIndex};
use tempfile::TempDir;

use crate::common::{Library, message, message_key, node, writer};

#[test]
fn a_commit_carries_its_position_and_a_dropped_writer_leaves_no_trace() {
    let library = Library::new();
    assert_eq!(library.index.position().unwrap(), 0);
    let mut first = writer(&library.index);
    first.add(&message(1, "kept")).unwrap();
    first.commit(u64::MAX).unwrap();
    first.add(&message(2, "lost")).unwrap();
    first.delete(message_key(1)).unwrap();
    drop(first);

    let reopened = SearchIndex::open(library.folder.path()).unwrap();
    assert_eq!(reopened.position().unwrap(), u64::MAX);
    assert_eq!(reopened.document_count(), 1);
    let mut second = writer(&reopened);
    second.commit(7).unwrap();
    assert_eq!(reopened.document_count(), 1);
    assert_eq!(library.index.position().unwrap(), 7);
}

#[test]
fn what_a_killed_commit_left_is_in_nobodys_way() {
    let library = Library::committed(&[message(1, "words"), message(2, "words")]);
    let files = |folder: &Path| -> Vec<String> {
        let list = fs::read_dir(folder).unwrap();
        list.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    };
    // Another commits what this one will: up to the moment before it says so, both are the same.
    let other = TempDir::new().unwrap();
    let copy = |name: &str, from: &Path, to: &Path| {
        fs::copy(from.join(name), to.join(name)).unwrap();
    };
    let before = files(library.folder.path());
    for name in &before {
        copy(name, library.folder.path(), other.path());
    }
    let delete = |index: &SearchIndex| {
        let mut writer = writer(index);
        writer.delete(message_key(1)).unwrap();
        writer.commit(2).unwrap();
    };
    delete(&SearchIndex::open(other.path()).unwrap());
    let lists = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "del");
    let left: Vec<String> = files(other.path()).into_iter().filter(lists).collect();
    assert_eq!(left.len(), 1);
    copy(&left[0], other.path(), library.folder.path());
    copy(".managed.json", other.path(), library.folder.path());

    let index = SearchIndex::open(library.folder.path()).unwrap();
    delete(&index);
    assert_eq!((index.document_count(), index.position().unwrap()), (1, 2));
}

#[test]
fn there_is_one_writer_at_a_time() {
    let library = Library::new();
    let _first = writer(&library.index);
    let second = SearchIndex::open(library.folder.path()).unwrap();
    assert!(matches!(second.writer(1, 20_000_000), Err(SearchError::Busy { .. })));
}

#[test]
fn what_another_process_commits_is_seen_after_a_reload() {
    let library = Library::new();
    let other = SearchIndex::open(library.folder.path()).unwrap();
    library.write(|writer| writer.add(&message(1, "words")).unwrap());
    assert_eq!(other.document_count(), 0);
    other.reload().unwrap();
    assert_eq!(other.document_count(), 1);
}

#[test]
fn documents_are_deleted_by_key_and_by_family() {
    let namesake =
        Document { key: Key::Message(MessageKey { family: 2, number: 1 }), ..message(1, "words") };
    let library =
        Library::committed(&[message(1, "words"), message(2, "words"), namesake, node(1, "words")]);
    library.write(|writer| writer.delete(message_key(1)).unwrap());
    assert_eq!(library.found("words"), [-1, 2, 1]);
    library.write(|writer| {
        writer.delete_family(1);
        writer.add(&message(2, "words again")).unwrap();
    });
    assert_eq!(library.found("words"), [-1, 1, 2]);
    assert_eq!(library.index.document_count(), 3);
    // Deleting comes before adding: this is how a document is replaced.
    library.write(|writer| {
        writer.delete(message_key(2)).unwrap();
        writer.add(&message(2, "other")).unwrap();
    });
    assert_eq!(library.found("other"), [2]);
    assert_eq!(library.search("again").total, 0);
}

#[test]
fn after_a_merge_the_way_does_not_show() {
    let grown = Library::new();
    // The index rounds the length of long texts.
    let long = format!("cache{}", " and so on".repeat(33));
    let texts = ["cold cache", "cache", "cold start", &long];
    for (number, text) in (1..).zip(texts) {
        grown.write(|writer| {
            writer.add(&message(number, text)).unwrap();
            writer.add(&message(100 + number, "cache cache cache")).unwrap();
        });
    }
    grown
        .write(|writer| (101..=104).for_each(|number| writer.delete(message_key(number)).unwrap()));
    let position = grown.index.position().unwrap();
    grown.index.merge().unwrap();
    assert_eq!(grown.index.position().unwrap(), position);

    let documents: Vec<Document> = (1..=4)
        .rev()
        .zip(texts.into_iter().rev())
        .map(|(number, text)| message(number, text))
        .collect();
    let rebuilt = Library::committed(&documents);
    rebuilt.index.merge().unwrap();
    for query in ["cache", "cold start", "\"cold cache\" start", ""] {
        assert_eq!(grown.search(query), rebuilt.search(query), "{query}");
    }
    assert_eq!(grown.index.document_count(), 4);
}

type Damage = fn(&Path);

#[test]
fn a_damaged_index_is_made_anew() {
    let damages: [(&str, Damage); 4] = [
        ("torn meta", |folder| {
            let meta = folder.join("meta.json");
            let text = fs::read_to_string(&meta).unwrap();
            fs::write(meta, &text[..text.len() / 2]).unwrap();
        }),
        ("another schema", |folder| {
            let meta = folder.join("meta.json");
            let text = fs::read_to_string(&meta).unwrap();
            fs::write(meta, text.replace("identifiers-", "identifiers-of-old-")).unwrap();
        }),
        ("missing segments", |folder| {
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if !path
                    .extension()
                    .is_some_and(|extension| extension == "json" || extension == "lock")
                {
                    fs::remove_file(path).unwrap();
                }
            }
        }),
        ("torn segments", |folder| {
            for file in fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if !path
                    .extension()
                    .is_some_and(|extension| extension == "json" || extension == "lock")
                {
                    fs::write(path, "torn").unwrap();
                }
            }
        }),
    ];
    for (damage, make) in damages {
        let folder = TempDir::new().unwrap();
        let index = SearchIndex::open(folder.path()).unwrap();
        let mut writing = writer(&index);
        writing.add(&message(1, "words")).unwrap();
        writing.commit(5).unwrap();
        drop((writing, index));
        make(folder.path());
        let index =
            SearchIndex::open(folder.path()).unwrap_or_else(|error| panic!("{damage}: {error:?}"));
        assert_eq!((index.position().unwrap(), index.document_count()), (0, 0), "{damage}");
        let mut writing = writer(&index);
        writing.add(&message(1, "words")).unwrap();
        writing.commit(6).unwrap();
        assert_eq!((index.position().unwrap(), index.document_count()), (6, 1), "{damage}");
    }
}

#[test]
fn an_index_that_is_being_written_is_not_thrown_away() {
    let library = Library::new();
    let _writer = writer(&library.index);
    fs::write(library.folder.path().join("meta.json"), "{").unwrap();
    assert!(matches!(SearchIndex::open(library.folder.path()), Err(SearchError::Busy { .. })));
}

#[test]
fn the_folder_is_its_owners() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("data/index");
    SearchIndex::open(&folder).unwrap();
    for folder in [folder.clone(), parent.path().join("data")] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(SearchIndex::open(&file), Err(SearchError::Folder { .. })));
    assert!(file.exists());
}
