//! `failure_pattern`: the same thing went wrong.
//!
//! The rule: both nodes saw an error of one type whose messages are equal but for paths, numbers, ids and quotes, with
//! at least three different words that do not stand in any error, and few nodes saw it. That a text to be replaced was not
//! found is no such thing: it says nothing of the work. Each is linked with the next one in time, so that a pattern is a
//! chain and not a knot. The rarer the error, the stronger the link.

use std::collections::BTreeSet;

use super::keys::{Keys, Kind};
use super::{Because, Candidate};
use crate::edge::EdgeType;

pub(super) fn candidates(keys: &Keys) -> Vec<Candidate> {
    let rare =
        keys.all(Kind::Error).filter(|&key| keys.is_rare(key) && says_something(keys.text(key)));
    let chains = rare.map(|key| {
        let similarity = keys.weight(key);
        let later = keys.nodes(key).skip(1);
        keys.nodes(key).zip(later).map(move |(source, target)| Candidate {
            source,
            target,
            kind: EdgeType::FailurePattern,
            similarity,
            because: Because::Error(key),
        })
    });
    chains.flatten().collect()
}

/// Returns whether an error has words of its own: that a build failed with a number tells nothing.
fn says_something(signature: &str) -> bool {
    const FEWEST_WORDS: usize = 3;
    const IN_ANY: [&str; 20] = [
        "an",
        "at",
        "build",
        "code",
        "command",
        "compilation",
        "error",
        "errors",
        "exception",
        "exit",
        "exited",
        "failed",
        "failure",
        "for",
        "in",
        "no",
        "not",
        "of",
        "the",
        "with",
    ];
    let words = signature.split(|letter: char| !letter.is_alphabetic());
    let is_own = |word: &&str| word.chars().count() > 1 && !IN_ANY.contains(word);
    let own: BTreeSet<&str> = words.filter(is_own).collect();
    own.len() >= FEWEST_WORDS && !signature.starts_with("edit failed")
}

pub(super) fn reason(signature: &str) -> String {
    format!("the same error: {signature}")
}
