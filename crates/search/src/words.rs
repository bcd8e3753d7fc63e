//! How common words are.

use crate::error::SearchError;
use crate::index::SearchIndex;
use crate::plan::{Plan, Statistics};
use crate::query::{Query, Wanted};
use crate::tail::HotTail;

/// How common words are among all documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordCounts {
    /// How many documents there are.
    pub documents: u64,
    /// About how many of them have each word, in any of its forms.
    pub with_word: Vec<u64>,
}

/// Counts the documents that have words, without looking at one of them.
///
/// Of a word with several parts, the rarest part is counted: that many documents have the word at most.
pub fn count_words(
    index: &SearchIndex,
    tail: &HotTail,
    words: &[&str],
) -> Result<WordCounts, SearchError> {
    let snapshot = index.snapshot();
    let mut counts = WordCounts::default();
    for word in words {
        let plan = Plan::new(&Query::of_words(Wanted::words(word)), None, false);
        let statistics = Statistics::new(&plan, &snapshot, tail)?;
        counts.documents = statistics.documents();
        counts.with_word.push(statistics.most(&plan));
    }
    Ok(counts)
}
