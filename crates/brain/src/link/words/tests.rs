use std::collections::{BTreeSet, HashMap};
use std::fs;

use super::{Words, stems, without_ending};
use crate::analysis::examples::FILES;
use crate::vocabulary::plain;

#[test]
fn forms_of_a_word_have_one_stem() {
    for forms in [
        &["cache", "caches", "cached", "caching"][..],
        &["spin", "spins", "spinning"],
        &["retry", "retries", "retried"],
        &["lock", "locks", "locking", "locked"],
        &["deploy", "deploys", "deployed"],
        &["migration", "migrations"],
    ] {
        let all = stems(&forms.join(" "));
        assert_eq!(all.len(), 1, "{forms:?} gave {all:?}");
    }
    assert_ne!(stems("process"), stems("proceed"));
}

#[test]
fn what_comes_up_in_all_kinds_of_work_tells_nothing() {
    let told = |text| {
        let told = Words::default().telling(text);
        told.into_iter().map(|told| told.stem.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("the cache of the bloom filter"), ["bloom", "filter"]);
    assert_eq!(told("Backup auf die Gartenkamera"), ["gartenkamera"]);
}

#[test]
fn words_that_follow_each_other_are_phrases() {
    let phrases = |text| {
        let mut found = Vec::new();
        Words::default().each_telling_phrase(text, |phrase| {
            found.push((phrase.stems(), phrase.said()));
        });
        found
    };
    let said = |text| phrases(text).into_iter().map(|(_, said)| said).collect::<Vec<_>>();
    assert_eq!(said("the database is Locked, again"), ["database is locked"]);
    assert_eq!(said("export. orders"), [""; 0]);
    let stem = |text| phrases(text).into_iter().map(|(stem, _)| stem).next();
    assert_eq!(stem("exporting the orders"), stem("order exports"));
}

#[test]
fn what_says_nothing_is_left_out() {
    assert!(stems("please fix this, and the others: 42 0x1f 12ab34cd56 a1").is_empty());
    assert_eq!(stems("read_nodeError src/cart.ts sha256"), ["cart", "nodeerror", "sha256", "src"]);
    assert_eq!(stems("検索機能"), ["検索", "機能", "索機"]);
    assert!(stems("").is_empty());
}

/// `UPDATE_EVERYDAY=1 cargo test -p pi-brain-brain everyday` writes the file anew.
#[test]
fn what_is_everyday_follows_from_the_examples() {
    const WORD: usize = 30;
    const PHRASE: usize = 3;
    let mut words: HashMap<String, usize> = HashMap::new();
    let mut phrases: HashMap<String, usize> = HashMap::new();
    for line in FILES.iter().flat_map(|file| file.lines()) {
        let said = line.split(|character: char| !character.is_alphanumeric());
        let said: BTreeSet<String> =
            said.map(|word| without_ending(&plain(&word.to_lowercase()))).collect();
        for word in said {
            *words.entry(word).or_default() += 1;
        }
        let mut said = BTreeSet::new();
        Words::default().each_phrase(line, |phrase| {
            said.insert(phrase.stems());
        });
        for phrase in said {
            *phrases.entry(phrase).or_default() += 1;
        }
    }
    let often = |seen: HashMap<String, usize>, least| {
        seen.into_iter().filter(move |(_, count)| *count >= least).map(|(it, _)| it)
    };
    let everyday: BTreeSet<String> = often(words, WORD).chain(often(phrases, PHRASE)).collect();
    let everyday: String = everyday.into_iter().map(|it| it + "\n").collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/link/everyday.txt");
    if std::env::var_os("UPDATE_EVERYDAY").is_some() {
        fs::write(path, &everyday).expect("the sources can be written");
    }
    let written = fs::read_to_string(path).expect("the file is among the sources");
    assert!(written == everyday, "the examples have changed: write the file anew");
}
