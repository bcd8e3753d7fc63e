//! `failure_pattern`: the same thing went wrong.
//!
//! The rule: both nodes saw an error of one type whose messages are equal but for paths, numbers, ids and quotes, with
//! at least four different words, and few nodes saw it. That a text to be replaced was not found is no such thing: it
//! says nothing of the work. Each is linked with the next one in time, so that a pattern is a chain and not a knot. The
//! rarer the error, the stronger the link.

use std::collections::BTreeSet;

use super::keys::{Keys, Kind};
use super::{Because, Candidate};
use crate::edge::EdgeType;

pub(super) fn candidates(keys: &Keys) -> Vec<Candidate> {
    let rare =
        keys.all(Kind::Error).filter(|&key| keys.is_rare(key) && says_something(keys.text(key)));
    let chains = rare.map(|key| {
        let similarity = keys.weight(key) / keys.greatest_weight();
        keys.nodes(key).windows(2).map(move |pair| Candidate {
            source: pair[0],
            target: pair[1],
            kind: EdgeType::FailurePattern,
            similarity,
            because: Because::Error(key),
        })
    });
    chains.flatten().collect()
}

/// Returns whether an error has words of its own: that something failed with a number tells nothing.
fn says_something(signature: &str) -> bool {
    const FEWEST_WORDS: usize = 4;
    let is_word = |word: &&str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    let words: BTreeSet<&str> = signature.split_whitespace().filter(is_word).collect();
    words.len() >= FEWEST_WORDS && !signature.starts_with("edit failed")
}

pub(super) fn reason(signature: &str) -> String {
    format!("the same error: {signature}")
}
