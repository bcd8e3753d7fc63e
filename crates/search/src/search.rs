//! Searching: candidates from the index, everything from the hot tail, one ranking.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pi_brain_session::Millis;
use rayon::prelude::*;
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, DocSet, SegmentReader};

use crate::confirm::{Candidate, Details, better, confirm};
use crate::document::Key;
use crate::error::SearchError;
use crate::index::SearchIndex;
use crate::plan::{Plan, Statistics};
use crate::query::{Filters, Query};
use crate::rank::{Found, Ranking};
use crate::snapshot::{Snapshot, is_alive};
use crate::tail::HotTail;

/// How a query is to be answered.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// How many hits are wanted.
    pub limit: usize,
    /// How many hits to pass over.
    pub offset: usize,
    /// The time by which documents are old or new.
    pub now: Millis,
    /// The folder of the project the user is in; what belongs to it ranks a little higher.
    pub project: Option<&'a str>,
    /// Says which documents may be found, by what the index does not know: the state of a branch, the node of a message.
    ///
    /// Filters for types and outcomes of nodes let messages pass to this judge, and to it alone.
    pub allow: Option<&'a (dyn Fn(Key) -> bool + Sync)>,
    /// Reads what tools printed, to find out whether words that are asked for in a row stand in a row there. Without it,
    /// all of them being there is enough.
    pub details: Option<&'a Details<'a>>,
    /// Whether to count all that match. That looks at every one of them, where finding the best skips most.
    pub counts: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The best ones first.
    pub hits: Vec<Hit>,
    /// How many documents match, shown or not; 0 if nobody asked for it. An estimate where a phrase may stand in more
    /// outputs of tools than are read for it.
    pub total: u64,
}

/// A document that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// What it is about.
    pub key: Key,
    /// How good it is; 0 where nothing but filters was asked for.
    pub score: f64,
    /// When it was said or done.
    pub time: Option<Millis>,
}

/// At least so many documents are taken from the index by their words alone, and ranked by everything else.
const CANDIDATES: usize = 256;

/// Searches the index and the hot tail.
///
/// The index gives its best documents by BM25 alone, which it can find without looking at every match. Who speaks, how old
/// it is, the project, how many of the words are there and whether in a row, decide only among these candidates: a document
/// that is not among the first few hundred by its words does not come up for being new. Ties among candidates go to the
/// newest, then to the key, never to the place in the index, so that two indexes of the same documents agree.
///
/// Without words, everything that passes the filters is found, the newest first.
pub fn search(
    index: &SearchIndex,
    tail: &HotTail,
    query: &Query,
    request: &Request<'_>,
) -> Result<Hits, SearchError> {
    let snapshot = index.snapshot();
    let mut plan = Plan::new(query, request.project, request.allow.is_some());
    let statistics = Statistics::new(&plan, &snapshot, tail)?;
    plan.prune(&statistics);
    let ranking = Ranking { plan: &plan, now: request.now };
    let judge = Judge { filters: &query.filters, allow: request.allow };
    let wanted = request.offset.saturating_add(request.limit);

    let hidden = tail.hidden(&snapshot)?;
    let on_disk =
        OnDisk { snapshot: &snapshot, plan: &plan, statistics: &statistics, hidden: &hidden };
    // A power of two: pages of one answer are cut from one list of candidates, as far as that is possible.
    let most = CANDIDATES.max(wanted.saturating_mul(2).min(1 << 30).next_power_of_two());
    let (total, candidates) = rayon::join(
        || if request.counts { on_disk.count(&judge) } else { Ok(0) },
        || {
            let candidates = if query.is_only_filters() {
                on_disk.newest(&judge, most)?
            } else {
                on_disk.best(&judge, most)?
            };
            on_disk.ranked(candidates, &ranking)
        },
    );
    let mut candidates = candidates?;
    let are_all = candidates.len() < most;
    let fresh = in_tail(tail, &judge, &ranking, &statistics)?;
    let total = total? + if request.counts { fresh.len() as u64 } else { 0 };
    candidates.extend(fresh);

    let (hits, total) = match request.details.filter(|_| plan.is_doubtful()) {
        None => {
            let mut hits: Vec<Hit> =
                candidates.into_iter().map(|candidate| candidate.hit).collect();
            hits.sort_unstable_by(better);
            (hits, total)
        }
        Some(details) => {
            let counts_all = request.counts && are_all;
            let wanted = if counts_all { usize::MAX } else { wanted };
            let confirmed = confirm(candidates, &ranking, details, wanted);
            let found = confirmed.hits.len() as u64;
            let share = if counts_all {
                found
            } else {
                (total * found).div_ceil(confirmed.judged.max(1) as u64)
            };
            (confirmed.hits, if request.counts { share } else { 0 })
        }
    };
    let hits = hits.into_iter().skip(request.offset).take(request.limit).collect();
    Ok(Hits { hits, total })
}

/// What decides about a document besides its words.
struct Judge<'a> {
    filters: &'a Filters,
    allow: Option<&'a (dyn Fn(Key) -> bool + Sync)>,
}

impl Judge<'_> {
    fn allows_all(&self) -> bool {
        self.filters.after.is_none() && self.filters.before.is_none() && self.allow.is_none()
    }

    fn allows_time(&self, time: Option<Millis>) -> bool {
        self.filters.after.is_none_or(|after| time.is_some_and(|time| time >= after))
            && self.filters.before.is_none_or(|before| time.is_some_and(|time| time < before))
    }

    fn allows_key(&self, key: Key) -> bool {
        self.allow.is_none_or(|allow| allow(key))
    }
}

/// A document in the index that may become a hit.
#[derive(Clone, Copy, Debug)]
struct Indexed {
    score: f32,
    time: Option<Millis>,
    key: Key,
    segment: usize,
    doc: DocId,
}

impl Ord for Indexed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(self.time.cmp(&other.time)).then(other.key.cmp(&self.key))
    }
}

impl PartialOrd for Indexed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Indexed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Indexed {}

/// The best candidates so far, the worst of them on top.
struct Best {
    heap: BinaryHeap<Reverse<Indexed>>,
    most: usize,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { heap: BinaryHeap::new(), most }
    }

    fn push(&mut self, candidate: Indexed) {
        if self.heap.len() < self.most {
            self.heap.push(Reverse(candidate));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && worst.0 < candidate
        {
            *worst = Reverse(candidate);
        }
    }

    fn merge(mut self, other: Self) -> Self {
        other.heap.into_iter().for_each(|Reverse(candidate)| self.push(candidate));
        self
    }

    /// Returns whether there is room for a document with this score and time; the key may still decide against it.
    fn has_room_for(&self, score: f32, time: Option<Millis>) -> bool {
        self.heap.len() < self.most
            || self.heap.peek().is_some_and(|worst| {
                score.total_cmp(&worst.0.score).then(time.cmp(&worst.0.time)).is_ge()
            })
    }

    /// Returns the score that a document must exceed to be looked at: an equal one may still be newer.
    fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.most => worst.0.score.next_down(),
            _ => f32::MIN,
        }
    }

    fn into_vec(self) -> Vec<Indexed> {
        self.heap.into_iter().map(|candidate| candidate.0).collect()
    }
}

/// One search in the index.
struct OnDisk<'a> {
    snapshot: &'a Snapshot,
    plan: &'a Plan,
    statistics: &'a Statistics,
    /// The documents that are out of date, sorted, for each segment.
    hidden: &'a [Vec<DocId>],
}

impl OnDisk<'_> {
    fn scoring(&self) -> EnableScoring<'_> {
        let searcher = &self.snapshot.searcher;
        EnableScoring::enabled_from_statistics_provider(self.statistics, searcher)
    }

    fn without_scores(&self) -> EnableScoring<'_> {
        EnableScoring::disabled_from_searcher(&self.snapshot.searcher)
    }

    fn is_there(&self, reader: &SegmentReader, segment: usize, doc: DocId) -> bool {
        let hidden = &self.hidden[segment];
        is_alive(reader, doc) && (hidden.is_empty() || hidden.binary_search(&doc).is_err())
    }

    /// Counts the documents that match.
    fn count(&self, judge: &Judge<'_>) -> tantivy::Result<u64> {
        let weight = self.plan.counting_query().weight(self.without_scores())?;
        let mut total = 0;
        for (segment, (reader, columns)) in self.snapshot.segments().enumerate() {
            if judge.allows_all() {
                total += u64::from(weight.count(reader)?);
                let hidden = &self.hidden[segment];
                if !hidden.is_empty() {
                    let mut docs = weight.scorer(reader, 1.0)?;
                    total -= hidden.iter().filter(|doc| is_at(&mut *docs, **doc)).count() as u64;
                }
            } else {
                weight.for_each_no_score(reader, &mut |docs| {
                    let passes = |doc: &&DocId| {
                        self.is_there(reader, segment, **doc)
                            && judge.allows_time(columns.time(**doc))
                            && columns.key(**doc).is_some_and(|key| judge.allows_key(key))
                    };
                    total += docs.iter().filter(passes).count() as u64;
                })?;
            }
        }
        Ok(total)
    }

    /// Puts a document among the best, if it passes and is good enough.
    fn offer(&self, best: &mut Best, judge: &Judge<'_>, segment: usize, doc: DocId, score: f32) {
        let (reader, columns) = self.snapshot.segment(segment);
        let time = columns.time(doc);
        if !best.has_room_for(score, time)
            || !self.is_there(reader, segment, doc)
            || !judge.allows_time(time)
        {
            return;
        }
        if let Some(key) = columns.key(doc).filter(|key| judge.allows_key(*key)) {
            best.push(Indexed { score, time, key, segment, doc });
        }
    }

    /// Finds the newest documents that match.
    fn newest(&self, judge: &Judge<'_>, most: usize) -> tantivy::Result<Vec<Indexed>> {
        let weight = self.plan.query().weight(self.without_scores())?;
        let mut best = Best::new(most);
        for (segment, (reader, _)) in self.snapshot.segments().enumerate() {
            let mut found = Vec::new();
            weight.for_each_no_score(reader, &mut |docs| found.extend_from_slice(docs))?;
            // Documents mostly come in the order of time: from the end, the first ones are the newest.
            for doc in found.into_iter().rev() {
                self.offer(&mut best, judge, segment, doc, 0.0);
            }
        }
        Ok(best.into_vec())
    }

    /// Finds the documents whose words fit best.
    fn best(&self, judge: &Judge<'_>, most: usize) -> tantivy::Result<Vec<Indexed>> {
        let weight = self.plan.query().weight(self.scoring())?;
        let segments: Vec<(usize, &SegmentReader)> =
            self.snapshot.segments().map(|(reader, _)| reader).enumerate().collect();
        let cores = rayon::current_num_threads().max(1);
        let search = |segments: &[(usize, &SegmentReader)]| {
            let mut best = Best::new(most);
            for &(segment, reader) in segments {
                weight.for_each_pruning(best.threshold(), reader, &mut |doc, score| {
                    self.offer(&mut best, judge, segment, doc, score);
                    best.threshold()
                })?;
            }
            tantivy::Result::Ok(best)
        };
        // What is good enough is not known as early if each core has but a part of the segments, yet it is faster.
        let parts = segments.par_chunks(segments.len().div_ceil(cores).max(1)).map(search);
        let best = parts.try_reduce_with(|one, other| Ok(one.merge(other)));
        Ok(best.transpose()?.map_or(Vec::new(), Best::into_vec))
    }

    /// Ranks documents by everything that the index knows of them.
    fn ranked(
        &self,
        mut indexed: Vec<Indexed>,
        ranking: &Ranking<'_>,
    ) -> tantivy::Result<Vec<Candidate>> {
        indexed.sort_unstable_by_key(|indexed| (indexed.segment, indexed.doc));
        let leaves: Vec<Vec<Box<dyn Weight>>> = self
            .plan
            .scored()
            .map(|(leaf, _)| {
                leaf.addends().iter().map(|query| query.weight(self.scoring())).collect()
            })
            .collect::<tantivy::Result<_>>()?;
        let project = self.plan.project.as_ref();
        let project = project.map(|leaf| leaf.query().weight(self.without_scores())).transpose()?;
        let mut candidates = Vec::with_capacity(indexed.len());
        for group in indexed.chunk_by(|one, other| one.segment == other.segment) {
            let (reader, columns) = self.snapshot.segment(group[0].segment);
            let mut scores = vec![vec![0.0; leaves.len()]; group.len()];
            for (leaf, addends) in leaves.iter().enumerate() {
                let mut addends = addends
                    .iter()
                    .map(|weight| weight.scorer(reader, 1.0))
                    .collect::<tantivy::Result<Vec<_>>>()?;
                for (scores, indexed) in scores.iter_mut().zip(group) {
                    let addends = &mut addends;
                    if addends.iter_mut().all(|docs| is_at(&mut **docs, indexed.doc)) {
                        scores[leaf] = addends.iter_mut().map(|docs| docs.score()).sum();
                    }
                }
            }
            let mut projects =
                project.as_ref().map(|weight| weight.scorer(reader, 1.0)).transpose()?;
            for (scores, &Indexed { time, key, doc, .. }) in scores.into_iter().zip(group) {
                let found = Found {
                    scores,
                    time,
                    speaker: columns.speaker(doc),
                    in_project: projects.as_mut().is_some_and(|docs| is_at(&mut **docs, doc)),
                };
                let score = ranking.score(&found);
                let hit = Hit { key, score, time };
                candidates.push(Candidate { hit, found });
            }
        }
        Ok(candidates)
    }
}

/// Moves to a document, or to the next one that there is; documents are asked for in rising order.
fn is_at<D: DocSet + ?Sized>(docs: &mut D, doc: DocId) -> bool {
    docs.doc() == doc || (docs.doc() < doc && docs.seek(doc) == doc)
}

/// Searches the hot tail, all of it.
fn in_tail(
    tail: &HotTail,
    judge: &Judge<'_>,
    ranking: &Ranking<'_>,
    statistics: &Statistics,
) -> tantivy::Result<Vec<Candidate>> {
    if tail.document_count() == 0 {
        return Ok(Vec::new());
    }
    let plan = ranking.plan;
    let by_leaf: Vec<Vec<f32>> = plan
        .scored()
        .map(|(leaf, _)| tail.scores(leaf, statistics))
        .collect::<tantivy::Result<_>>()?;
    let filters: Vec<Vec<Vec<bool>>> =
        plan.filters.iter().map(|any| any.iter().map(|leaf| tail.found(leaf)).collect()).collect();
    let certain = plan.excluded.iter().filter(|leaf| !leaf.is_doubtful());
    let excluded: Vec<Vec<bool>> = certain.map(|leaf| tail.found(leaf)).collect();
    let project = plan.project.as_ref().map(|leaf| tail.found(leaf));
    let mut candidates = Vec::new();
    for (at, place) in tail.places() {
        let scores: Vec<f32> = by_leaf.iter().map(|leaf| leaf[at]).collect();
        let passes = filters.iter().all(|any| any.iter().any(|leaf| leaf[at]))
            && !excluded.iter().any(|leaf| leaf[at])
            && ranking.matches(&scores)
            && judge.allows_time(place.time)
            && judge.allows_key(place.key);
        if passes {
            let found = Found {
                scores,
                time: place.time,
                speaker: place.speaker,
                in_project: project.as_ref().is_some_and(|project| project[at]),
            };
            let score = ranking.score(&found);
            let hit = Hit { key: place.key, score, time: place.time };
            candidates.push(Candidate { hit, found });
        }
    }
    Ok(candidates)
}
