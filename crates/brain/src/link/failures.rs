//! `failure_pattern`: the same thing went wrong.
//!
//! The rule: both nodes saw an error of one type whose messages are equal but for paths, numbers, ids and quotes, and
//! few nodes saw it. Each is linked with the next one in time, so that a pattern is a chain and not a knot. The
//! rarer the error, the stronger the link.

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
    const FEWEST_WORDS: usize = 3;
    let is_word = |word: &&str| word.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    signature.split_whitespace().filter(is_word).count() >= FEWEST_WORDS
}

pub(super) fn reason(signature: &str) -> String {
    format!("the same error: {signature}")
}
