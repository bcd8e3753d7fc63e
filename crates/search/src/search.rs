//! Searching: candidates from the index, everything from the hot tail, one ranking.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pi_brain_session::Millis;
use tantivy::columnar::Column;
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, DocSet, Searcher, SegmentReader};

use crate::document::{Key, Speaker};
use crate::error::SearchError;
use crate::index::SearchIndex;
use crate::plan::{Plan, Statistics};
use crate::query::Query;
use crate::rank::{Found, Ranking};
use crate::schema;
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
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hits {
    /// The best ones first.
    pub hits: Vec<Hit>,
    /// How many documents match, shown or not.
    pub total: u64,
}

/// A document that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// What it is about.
    pub key: Key,
    /// The family it belongs to.
    pub family: u32,
    /// How good it is; 0 where nothing but filters was asked for.
    pub score: f64,
    /// When it was said or done.
    pub time: Option<Millis>,
}

/// At least so many documents are taken from the index by their words alone, and ranked by everything else.
const CANDIDATES: usize = 512;

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
    let searcher = index.searcher();
    let plan = Plan::new(query, request.project, request.allow.is_some());
    let statistics = Statistics::new(&plan, &searcher, tail)?;
    let judge = Judge { query, tail, allow: request.allow };
    let wanted = request.offset.saturating_add(request.limit);
    // A power of two: pages of one answer are cut from one list of candidates, as far as that is possible.
    let most = CANDIDATES.max(wanted.saturating_mul(2).min(1 << 30).next_power_of_two());
    let ranking = Ranking { plan: &plan, now: request.now };

    let mut hits = Vec::new();
    let mut total = 0;
    if searcher.num_docs() > 0 {
        let on_disk = OnDisk { searcher: &searcher, plan: &plan, statistics: &statistics };
        total += on_disk.count(&judge)?;
        if query.is_only_filters() {
            let newest = on_disk.newest(&judge, wanted)?;
            hits.extend(newest.into_iter().map(|candidate| candidate.hit(0.0)));
        } else {
            let best = on_disk.best(&judge, most)?;
            hits.extend(on_disk.ranked(best, &ranking)?);
        }
    }
    let fresh = in_tail(tail, &judge, &ranking, &statistics)?;
    total += fresh.len() as u64;
    hits.extend(fresh);

    hits.sort_unstable_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(other.time.cmp(&one.time)).then(one.key.cmp(&other.key))
    });
    let hits = hits.into_iter().skip(request.offset).take(request.limit).collect();
    Ok(Hits { hits, total })
}

/// What decides about a document besides its words.
struct Judge<'a> {
    query: &'a Query,
    tail: &'a HotTail,
    allow: Option<&'a (dyn Fn(Key) -> bool + Sync)>,
}

impl Judge<'_> {
    /// Returns whether every document in the index passes.
    fn allows_all(&self) -> bool {
        let filters = &self.query.filters;
        let is_timeless = filters.after.is_none() && filters.before.is_none();
        is_timeless && self.allow.is_none() && !self.tail.hides_anything()
    }

    fn allows_time(&self, time: Option<Millis>) -> bool {
        let filters = &self.query.filters;
        filters.after.is_none_or(|after| time.is_some_and(|time| time >= after))
            && filters.before.is_none_or(|before| time.is_some_and(|time| time < before))
    }

    fn allows(&self, key: Key, time: Option<Millis>) -> bool {
        self.allows_time(time) && self.allow.is_none_or(|allow| allow(key))
    }

    /// Reads what is known of a document in the index, if it passes.
    fn candidate(&self, columns: &Columns, segment: usize, doc: DocId) -> Option<Candidate> {
        let time = columns.time(doc);
        let (key, family) = (columns.key(doc)?, columns.family(doc));
        let passes = self.allows(key, time) && !self.tail.hides(key, family);
        passes.then_some(Candidate { score: 0.0, time, key, family, segment, doc })
    }
}

/// The columns of a segment. One that no document of the segment has a value for is absent.
struct Columns {
    message: Option<Column<u64>>,
    node: Option<Column<u64>>,
    family: Option<Column<u64>>,
    time: Option<Column<i64>>,
    speaker: Option<Column<u64>>,
}

impl Columns {
    fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        Ok(Self {
            message: columns.column_opt(schema::MESSAGE)?,
            node: columns.column_opt(schema::NODE)?,
            family: columns.column_opt(schema::FAMILY)?,
            time: columns.column_opt(schema::TIME)?,
            speaker: columns.column_opt(schema::SPEAKER)?,
        })
    }

    fn key(&self, doc: DocId) -> Option<Key> {
        let message = self.message.as_ref().and_then(|column| column.first(doc));
        let node = || self.node.as_ref().and_then(|column| column.first(doc));
        message.map(Key::Message).or_else(|| node().map(Key::Node))
    }

    fn family(&self, doc: DocId) -> u32 {
        let family = self.family.as_ref().and_then(|column| column.first(doc));
        family.and_then(|family| u32::try_from(family).ok()).unwrap_or_default()
    }

    fn time(&self, doc: DocId) -> Option<Millis> {
        self.time.as_ref().and_then(|column| column.first(doc)).map(Millis)
    }

    fn speaker(&self, doc: DocId) -> Option<Speaker> {
        let number = self.speaker.as_ref().and_then(|column| column.first(doc))?;
        Speaker::ALL.into_iter().find(|speaker| *speaker as u64 == number)
    }
}

/// A document in the index that may become a hit.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: f32,
    time: Option<Millis>,
    key: Key,
    family: u32,
    segment: usize,
    doc: DocId,
}

impl Candidate {
    fn hit(&self, score: f64) -> Hit {
        Hit { key: self.key, family: self.family, score, time: self.time }
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(self.time.cmp(&other.time)).then(other.key.cmp(&self.key))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

/// The best candidates so far, the worst of them on top.
struct Best {
    heap: BinaryHeap<Reverse<Candidate>>,
    most: usize,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { heap: BinaryHeap::new(), most }
    }

    fn push(&mut self, candidate: Candidate) {
        if self.heap.len() < self.most {
            self.heap.push(Reverse(candidate));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && worst.0 < candidate
        {
            *worst = Reverse(candidate);
        }
    }

    /// Returns the score that a document must exceed to be looked at: an equal one may still be newer.
    fn threshold(&self) -> f32 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.most => worst.0.score.next_down(),
            _ => f32::MIN,
        }
    }

    fn into_vec(self) -> Vec<Candidate> {
        self.heap.into_iter().map(|candidate| candidate.0).collect()
    }
}

/// One search in the index.
struct OnDisk<'a> {
    searcher: &'a Searcher,
    plan: &'a Plan,
    statistics: &'a Statistics,
}

impl OnDisk<'_> {
    fn scoring(&self) -> EnableScoring<'_> {
        EnableScoring::enabled_from_statistics_provider(self.statistics, self.searcher)
    }

    fn matching(&self) -> tantivy::Result<Box<dyn Weight>> {
        self.plan.query().weight(EnableScoring::disabled_from_searcher(self.searcher))
    }

    fn segments(&self) -> impl Iterator<Item = (usize, &SegmentReader)> {
        self.searcher.segment_readers().iter().enumerate()
    }

    /// Counts the documents that match.
    fn count(&self, judge: &Judge<'_>) -> tantivy::Result<u64> {
        let weight = self.matching()?;
        let mut total = 0;
        for (at, reader) in self.segments() {
            if judge.allows_all() {
                total += u64::from(weight.count(reader)?);
            } else {
                each_match(&*weight, judge, at, reader, |_| total += 1)?;
            }
        }
        Ok(total)
    }

    /// Finds the newest documents that match.
    fn newest(&self, judge: &Judge<'_>, most: usize) -> tantivy::Result<Vec<Candidate>> {
        let weight = self.matching()?;
        let mut best = Best::new(most);
        for (at, reader) in self.segments() {
            each_match(&*weight, judge, at, reader, |candidate| best.push(candidate))?;
        }
        Ok(best.into_vec())
    }

    /// Finds the documents whose words fit best.
    fn best(&self, judge: &Judge<'_>, most: usize) -> tantivy::Result<Vec<Candidate>> {
        let weight = self.plan.query().weight(self.scoring())?;
        let mut best = Best::new(most);
        for (at, reader) in self.segments() {
            let columns = Columns::open(reader)?;
            let alive = reader.alive_bitset();
            weight.for_each_pruning(best.threshold(), reader, &mut |doc, score| {
                if alive.is_none_or(|alive| alive.is_alive(doc))
                    && let Some(candidate) = judge.candidate(&columns, at, doc)
                {
                    best.push(Candidate { score, ..candidate });
                }
                best.threshold()
            })?;
        }
        Ok(best.into_vec())
    }

    /// Ranks candidates by everything that is known of them.
    fn ranked(
        &self,
        mut candidates: Vec<Candidate>,
        ranking: &Ranking<'_>,
    ) -> tantivy::Result<Vec<Hit>> {
        candidates.sort_unstable_by_key(|candidate| (candidate.segment, candidate.doc));
        let leaves: Vec<Box<dyn Weight>> = self
            .plan
            .scored()
            .map(|(leaf, _)| leaf.query().weight(self.scoring()))
            .collect::<tantivy::Result<_>>()?;
        let project =
            self.plan.project.as_ref().map(|leaf| {
                leaf.query().weight(EnableScoring::disabled_from_searcher(self.searcher))
            });
        let project = project.transpose()?;
        let mut hits = Vec::with_capacity(candidates.len());
        for group in candidates.chunk_by(|one, other| one.segment == other.segment) {
            let segment = u32::try_from(group[0].segment).unwrap_or(u32::MAX);
            let reader = self.searcher.segment_reader(segment);
            let columns = Columns::open(reader)?;
            let mut scores = vec![vec![0.0; leaves.len()]; group.len()];
            for (leaf, weight) in leaves.iter().enumerate() {
                let mut docs = weight.scorer(reader, 1.0)?;
                for (scores, candidate) in scores.iter_mut().zip(group) {
                    if is_at(&mut *docs, candidate.doc) {
                        scores[leaf] = docs.score();
                    }
                }
            }
            let mut projects =
                project.as_ref().map(|weight| weight.scorer(reader, 1.0)).transpose()?;
            for (scores, candidate) in scores.iter().zip(group) {
                let found = Found {
                    scores,
                    time: candidate.time,
                    speaker: columns.speaker(candidate.doc),
                    in_project: projects
                        .as_mut()
                        .is_some_and(|docs| is_at(&mut **docs, candidate.doc)),
                };
                hits.push(candidate.hit(ranking.score(&found)));
            }
        }
        Ok(hits)
    }
}

/// Calls `take` with each document of a segment that matches and passes.
fn each_match(
    weight: &dyn Weight,
    judge: &Judge<'_>,
    at: usize,
    reader: &SegmentReader,
    mut take: impl FnMut(Candidate),
) -> tantivy::Result<()> {
    let columns = Columns::open(reader)?;
    let alive = reader.alive_bitset();
    weight.for_each_no_score(reader, &mut |docs| {
        let docs = docs.iter().filter(|doc| alive.is_none_or(|alive| alive.is_alive(**doc)));
        docs.filter_map(|doc| judge.candidate(&columns, at, *doc)).for_each(&mut take);
    })
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
) -> tantivy::Result<Vec<Hit>> {
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
    let excluded: Vec<Vec<bool>> = plan.excluded.iter().map(|leaf| tail.found(leaf)).collect();
    let project = plan.project.as_ref().map(|leaf| tail.found(leaf));
    let mut hits = Vec::new();
    let mut scores = vec![0.0; by_leaf.len()];
    for (at, place) in tail.places() {
        for (score, leaf) in scores.iter_mut().zip(&by_leaf) {
            *score = leaf[at];
        }
        let passes = filters.iter().all(|any| any.iter().any(|leaf| leaf[at]))
            && !excluded.iter().any(|leaf| leaf[at])
            && ranking.matches(&scores)
            && judge.allows(place.key, place.time);
        if passes {
            let found = Found {
                scores: &scores,
                time: place.time,
                speaker: place.speaker,
                in_project: project.as_ref().is_some_and(|project| project[at]),
            };
            let score = ranking.score(&found);
            hits.push(Hit { key: place.key, family: place.family, score, time: place.time });
        }
    }
    Ok(hits)
}
