//! The session files that everything is measured on.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use pi_brain_benches::corpus::{
    MadeSession, Recipe, Shape, Style, make_corpus, make_large_session, make_once, make_shape,
    word_pairs,
};
use pi_brain_session::{
    Body, Branches, Entry, Session, SessionFolder, View, all_messages_text, fork_point,
    id_in_file_name,
};
use tempfile::TempDir;

const RECIPE: Recipe = Recipe { files: 60, bytes: 4_000_000, style: Style::Bulky, seed: 7 };

#[test]
fn the_same_seed_gives_the_same_bytes() {
    assert!(bytes_of(RECIPE) == bytes_of(RECIPE));
}

#[test]
fn another_seed_gives_other_bytes() {
    assert!(bytes_of(RECIPE) != bytes_of(Recipe { seed: 8, ..RECIPE }));
}

/// Returns the name and the text of each file, as if the corpus lay in a folder of a fixed name.
fn bytes_of(recipe: Recipe) -> Vec<(String, String)> {
    let (folder, sessions) = made(recipe);
    let neutral = |original: &str| original.replace(text(folder.path()), "AGENT");
    let read = |made: &MadeSession| {
        let content = fs::read_to_string(&made.path).expect("the file was just made");
        (neutral(text(&made.path)), neutral(&content))
    };
    sessions.iter().map(read).collect()
}

#[test]
fn a_corpus_has_the_files_and_about_the_size_that_were_asked_for() {
    let (folder, sessions) = made(RECIPE);
    let mut made: Vec<_> = sessions.iter().map(|session| session.path.clone()).collect();
    made.sort();
    assert_eq!(SessionFolder::ByProject(folder.path().join("sessions")).files(), made);
    assert_eq!(made.len(), RECIPE.files);
    let bytes: u64 = made.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let wanted = RECIPE.bytes;
    assert!((wanted * 8 / 10..wanted * 14 / 10).contains(&bytes), "{bytes} bytes");
}

#[test]
fn every_file_reads_without_problems() {
    for style in [Style::Bulky, Style::Wordy] {
        let (_folder, sessions) = made(Recipe { style, ..RECIPE });
        for made in &sessions {
            let session = Session::open(&made.path).unwrap();
            assert_no_problems(&session);
            assert_eq!(id_in_file_name(&made.path), Some(&*session.header().id));
            let parent = made.parent.as_deref().map(text);
            assert_eq!(session.header().parent_session.as_deref(), parent);
        }
    }
}

#[test]
fn entries_to_search_in_have_some_1200_bytes() {
    let (_folder, sessions) = made(Recipe { style: Style::Wordy, ..RECIPE });
    let (mut bytes, mut entries) = (0, 0);
    for made in &sessions {
        let session = Session::open(&made.path).unwrap();
        bytes += session.log().end();
        entries += session.log().entries().len() as u64;
    }
    let average = bytes / entries;
    assert!((1000..1400).contains(&average), "{average} bytes an entry");
}

#[test]
fn words_to_search_for_are_used_as_unevenly_as_real_ones() {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for pair in word_pairs(20_000, 7) {
        for word in pair.split(' ') {
            *uses.entry(word.to_owned()).or_default() += 1;
        }
    }
    let common: usize = uses.values().filter(|uses| **uses > 100).sum();
    let once = uses.values().filter(|uses| **uses == 1).count();
    assert!(common > 10_000 && once > 3000, "{common} of common words, {once} words once");
}

fn assert_no_problems(session: &Session) {
    for view in [View::AsPi, View::Repaired] {
        assert_eq!(session.problems(&session.tree(view)), []);
    }
}

#[test]
fn a_file_is_as_old_as_its_last_entry() {
    let (_folder, sessions) = made(RECIPE);
    for made in &sessions {
        let session = Session::open(&made.path).unwrap();
        let last = session.log().entries().last().unwrap().timestamp.unwrap();
        let modified = fs::metadata(&made.path).unwrap().modified().unwrap();
        let since_1970 = modified.duration_since(UNIX_EPOCH).unwrap();
        assert_eq!(i64::try_from(since_1970.as_millis()).unwrap(), last.0);
    }
}

#[test]
fn forks_start_with_the_entries_of_their_originals_and_go_on() {
    let (_folder, sessions) = made(RECIPE);
    let forks: Vec<_> = sessions.iter().filter(|session| session.parent.is_some()).collect();
    assert!(!forks.is_empty());
    for made in forks {
        let fork = Session::open(&made.path).unwrap();
        let original = Session::open(made.parent.as_ref().unwrap()).unwrap();
        let shared = fork_point(&original, &fork).expect("a fork shares entries") + 1;
        let (copied, own) = fork.log().entries().split_at(shared);
        let id = |entry: &Entry| entry.id.clone();
        assert!(copied.iter().map(id).eq(original.log().entries()[..shared].iter().map(id)));
        assert!(!own.is_empty());
    }
}

#[test]
fn every_session_says_its_needle() {
    let (_folder, sessions) = made(RECIPE);
    for made in &sessions {
        let session = Session::open(&made.path).unwrap();
        assert!(all_messages_text(&session).unwrap().contains(&made.needle), "{}", made.needle);
    }
}

#[test]
fn a_corpus_has_everything_that_sessions_can_have() {
    let (_folder, sessions) = made(Recipe { bytes: 20_000_000, ..RECIPE });
    let sessions: Vec<Session> =
        sessions.iter().map(|made| Session::open(&made.path).unwrap()).collect();
    let has = |test: fn(&Entry) -> bool| {
        sessions.iter().flat_map(|session| session.log().entries()).any(test)
    };
    assert!(has(|entry| matches!(entry.body, Body::Compaction { .. })));
    assert!(has(|entry| matches!(entry.body, Body::BranchSummary { .. })));
    assert!(has(|entry| matches!(entry.body, Body::Label { .. })));
    assert!(has(|entry| matches!(entry.body, Body::SessionInfo { .. })));
    assert!(has(|entry| entry.usage.as_ref().is_some_and(|usage| usage.cost > 0.0)));
    assert!(has(|entry| entry.message().is_some_and(|message| message.is_error)));
    let branches =
        |session: &Session| Branches::new(session.log(), &session.tree(View::AsPi)).points.len();
    assert!(sessions.iter().any(|session| branches(session) > 0));
}

#[test]
fn a_large_session_ends_soon_after_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    make_large_session(&path, 2_000_000, Style::Bulky, 7).unwrap();
    let session = Session::open(&path).unwrap();
    assert_no_problems(&session);
    assert!((2_000_000..2_200_000).contains(&session.log().end()));
    let tree = session.tree(View::AsPi);
    let context = session.context(&tree, tree.leaf()).unwrap();
    assert!(context.messages.len() < 40, "{} messages", context.messages.len());
}

#[test]
fn shapes_are_what_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let depths = |shape: Shape| {
        let path = folder.path().join(shape.name());
        make_shape(&path, shape, 5, 7).unwrap();
        let session = Session::open(&path).unwrap();
        assert_no_problems(&session);
        session.tree(View::AsPi).depths()
    };
    assert_eq!(depths(Shape::Chain), [0, 1, 2, 3, 4]);
    assert_eq!(depths(Shape::Siblings), [0, 1, 1, 1, 1]);
}

#[test]
fn what_was_made_is_made_again_only_from_another_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    let make = |recipe: &str, text: &str| {
        make_once(&target, recipe, || fs::write(&target, text)).unwrap();
        fs::read_to_string(&target).unwrap()
    };
    assert_eq!(make("bread", "first"), "first");
    assert_eq!(make("bread", "second"), "first");
    assert_eq!(make("cake", "third"), "third");
}

#[test]
fn what_somebody_else_made_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    fs::create_dir(&sessions).unwrap();
    let error = make_once(&sessions, "any", || panic!("must not be made")).unwrap_err();
    assert!(error.to_string().contains("was not made by a benchmark"));
    assert!(sessions.exists());
}

fn made(recipe: Recipe) -> (TempDir, Vec<MadeSession>) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let sessions = make_corpus(folder.path(), recipe).expect("a corpus in it");
    (folder, sessions)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}
