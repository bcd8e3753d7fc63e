//! Looks into texts for what the index does not know: whether words of a tool's output stand in a row.

use std::cmp::Ordering;

use crate::document::Key;
use crate::matching::Rows;
use crate::plan::{Leaf, Plan};
use crate::rank::{Found, Ranking};
use crate::search::Hit;

/// Reads what tools were given or printed in documents, as it was indexed; `None` where it cannot be read any more.
pub type Details<'a> = dyn Fn(&[Key]) -> Vec<Option<String>> + Sync + 'a;

/// A document that has all that the index knows of.
pub(crate) struct Candidate {
    pub(crate) hit: Hit,
    pub(crate) found: Found,
}

/// What came of looking into texts.
#[derive(Debug, Default)]
pub(crate) struct Confirmed {
    /// The best ones first.
    pub(crate) hits: Vec<Hit>,
    /// How many candidates were judged to have that many hits.
    pub(crate) judged: usize,
}

/// How many texts are read at once.
const BATCH: usize = 64;

/// Keeps the candidates whose words stand in a row where they should, until the best `wanted` of them are known.
///
/// A text can only take away from what a candidate is worth. So as soon as enough are certainly better than the best that
/// has not been looked at, no more texts are read.
pub(crate) fn confirm(
    mut candidates: Vec<Candidate>,
    ranking: &Ranking<'_>,
    details: &Details<'_>,
    wanted: usize,
) -> Confirmed {
    candidates.sort_unstable_by(|one, other| better(&one.hit, &other.hit));
    let doubts = Doubts::of(ranking.plan);
    let mut confirmed = Confirmed::default();
    let mut waiting = candidates.into_iter().peekable();
    while let Some(next) = waiting.peek() {
        let hits = &confirmed.hits;
        if wanted == 0 || hits.get(wanted - 1).is_some_and(|last| better(last, &next.hit).is_lt()) {
            break;
        }
        let batch: Vec<Candidate> = waiting.by_ref().take(BATCH).collect();
        confirmed.judged += batch.len();
        let in_doubt = batch.iter().filter(|candidate| doubts.concern(&candidate.found));
        let keys: Vec<Key> = in_doubt.map(|candidate| candidate.hit.key).collect();
        let mut texts = if keys.is_empty() { Vec::new() } else { details(&keys) }.into_iter();
        for mut candidate in batch {
            if doubts.concern(&candidate.found) {
                let text = texts.next().flatten().unwrap_or_default();
                if !doubts.settle(&mut candidate, &text, ranking) {
                    continue;
                }
            }
            confirmed.hits.push(candidate.hit);
        }
        confirmed.hits.sort_unstable_by(better);
    }
    confirmed
}

/// Orders hits, the better first. Never by their place in the index: two indexes of the same documents must agree.
pub(crate) fn better(one: &Hit, other: &Hit) -> Ordering {
    let by_score = other.score.total_cmp(&one.score);
    by_score.then(other.time.cmp(&one.time)).then(one.key.cmp(&other.key))
}

/// What only a text can tell of a plan.
struct Doubts {
    /// First those that give scores, then those that are excluded.
    rows: Rows,
    /// The numbers of the scored leaves in doubt.
    scored: Vec<usize>,
    excludes: bool,
}

impl Doubts {
    fn of(plan: &Plan) -> Self {
        let mut doubts = Self { rows: Rows::default(), scored: Vec::new(), excludes: false };
        for (number, (leaf, _)) in plan.scored().enumerate() {
            if doubts.take(leaf) {
                doubts.scored.push(number);
            }
        }
        for leaf in &plan.excluded {
            doubts.excludes |= doubts.take(leaf);
        }
        doubts
    }

    fn take(&mut self, leaf: &Leaf) -> bool {
        if let Leaf::Together(terms) = leaf {
            let text = |term: &tantivy::Term| term.value().as_str().unwrap_or_default().to_owned();
            let row: Vec<(usize, String)> =
                terms.iter().map(|(at, term)| (*at, text(term))).collect();
            self.rows.push(row.iter().map(|(at, token)| (*at, token.as_str())));
        }
        leaf.is_doubtful()
    }

    /// Returns whether the text of a document has to be looked at.
    fn concern(&self, found: &Found) -> bool {
        self.excludes || self.scored.iter().any(|leaf| found.scores[*leaf] > 0.0)
    }

    /// Takes away what the text of a candidate does not have. Returns whether it is found all the same.
    fn settle(&self, candidate: &mut Candidate, text: &str, ranking: &Ranking<'_>) -> bool {
        let mut is_there = vec![false; self.scored.len()];
        let mut is_excluded = false;
        self.rows.find(text, |row, _| match is_there.get_mut(row) {
            Some(is_there) => *is_there = true,
            None => is_excluded = true,
        });
        let Candidate { hit, found } = candidate;
        for (leaf, is_there) in self.scored.iter().zip(is_there) {
            if !is_there {
                found.scores[*leaf] = 0.0;
            }
        }
        hit.score = ranking.score(found);
        !is_excluded && ranking.matches(&found.scores)
    }
}
