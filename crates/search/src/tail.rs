//! The hot tail: documents that are not committed yet, held in memory and searched beside the index.
//!
//! It answers the same [leaves](Leaf) as the index does, with the same formula, so that a document has the same score
//! before and after the commit.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use pi_brain_session::Millis;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;
use tantivy::tokenizer::{TokenStream, Tokenizer};
use tantivy::{DocId, SearcherGeneration, Term};

use crate::document::{Document, Key, MessageKey, Speaker};
use crate::plan::Leaf;
use crate::schema::FIELDS;
use crate::snapshot::{Snapshot, rounded_length};
use crate::tokens::{Distinct, Identifiers};

/// Documents that are not in the index yet, and what has been deleted since its last commit.
#[derive(Default)]
pub struct HotTail {
    /// In the order they came; a document that has been replaced or deleted leaves its place empty.
    places: Vec<Option<Place>>,
    by_key: HashMap<Key, usize>,
    by_family: HashMap<u32, Vec<usize>>,
    postings: HashMap<Term, Vec<Posting>>,
    /// How long the two fields of text are, over all documents.
    lengths: HashMap<Field, u64>,
    /// What the index has of these is out of date.
    stale: HashSet<Key>,
    /// As terms: a document that has all of such a list is one of them.
    stale_terms: Vec<Vec<Term>>,
    hidden: Mutex<Hidden>,
    tokenizer: Identifiers,
    detail_tokenizer: Distinct,
}

/// The documents of a snapshot that are out of date. Found once, and then only for what has become stale since.
#[derive(Default)]
struct Hidden {
    generation: Option<SearcherGeneration>,
    /// How many of the stale terms have been looked up.
    known: usize,
    /// A sorted list for each segment.
    documents: Arc<Vec<Vec<DocId>>>,
}

/// What is known of a document besides its words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) key: Key,
    pub(crate) time: Option<Millis>,
    pub(crate) speaker: Option<Speaker>,
    lengths: [u32; 2],
}

struct Posting {
    place: usize,
    positions: Vec<u32>,
}

impl HotTail {
    /// Adds a document. It stands for any other with its key, here and in the index.
    pub fn add(&mut self, document: &Document) {
        self.remove(document.key);
        self.outdate(document.key);
        let place = self.places.len();
        let mut ends: HashMap<Field, u32> = HashMap::new();
        let mut lengths = [0; 2];
        let Self { postings, tokenizer, detail_tokenizer, .. } = self;
        FIELDS.texts(document, |field, text| {
            let (mut distinct, mut all);
            let tokens: &mut dyn TokenStream = if field == FIELDS.detail {
                distinct = detail_tokenizer.token_stream(text);
                &mut distinct
            } else {
                all = tokenizer.token_stream(text);
                &mut all
            };
            // Between two values of a field lies one empty position, as in the index.
            let start = ends.get(&field).map_or(0, |end| end + 1);
            let mut end = start;
            while tokens.advance() {
                let token = tokens.token();
                let position = start + u32::try_from(token.position).unwrap_or(u32::MAX / 2);
                end = end.max(position + u32::try_from(token.position_length).unwrap_or(1));
                let found = postings.entry(Term::from_field_text(field, &token.text)).or_default();
                match found.last_mut() {
                    Some(posting) if posting.place == place => posting.positions.push(position),
                    _ => found.push(Posting { place, positions: vec![position] }),
                }
                if let Some(length) = text_field(field).map(|at| &mut lengths[at]) {
                    *length += 1;
                }
            }
            ends.insert(field, end);
        });
        self.count(lengths, |sum, length| sum + length);
        self.by_key.insert(document.key, place);
        if let Key::Message(MessageKey { family, .. }) = document.key {
            self.by_family.entry(family).or_default().push(place);
        }
        self.places.push(Some(Place {
            key: document.key,
            time: document.time,
            speaker: document.speaker,
            lengths,
        }));
    }

    /// Deletes the document with this key, here and in the index.
    pub fn delete(&mut self, key: Key) {
        self.remove(key);
        self.outdate(key);
    }

    /// Deletes the documents of a family, here and in the index. Those that are added later are not concerned.
    pub fn delete_family(&mut self, family: u32) {
        for place in self.by_family.remove(&family).unwrap_or_default() {
            if let Some(key) = self.places[place].map(|place| place.key) {
                self.remove(key);
            }
        }
        self.stale_terms.push(vec![FIELDS.family(family)]);
    }

    /// Forgets everything: the index has it now.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns how many documents are here.
    pub fn document_count(&self) -> usize {
        self.by_key.len()
    }

    /// Returns whether there is nothing here, not even a deletion.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.stale_terms.is_empty()
    }

    fn remove(&mut self, key: Key) {
        if let Some(place) = self.by_key.remove(&key).and_then(|place| self.places[place].take()) {
            self.count(place.lengths, |sum, length| sum - length);
        }
    }

    fn outdate(&mut self, key: Key) {
        if self.stale.insert(key) {
            self.stale_terms.push(FIELDS.key(key));
        }
    }

    fn count(&mut self, lengths: [u32; 2], change: impl Fn(u64, u64) -> u64) {
        for (field, length) in [FIELDS.body, FIELDS.detail].into_iter().zip(lengths) {
            let sum = self.lengths.entry(field).or_default();
            *sum = change(*sum, u64::from(rounded_length(length)));
        }
    }

    /// Returns the documents of a snapshot that are out of date, a sorted list for each segment.
    pub(crate) fn hidden(&self, snapshot: &Snapshot) -> tantivy::Result<Arc<Vec<Vec<DocId>>>> {
        let mut hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = snapshot.searcher.generation();
        if hidden.generation.as_ref() != Some(generation) {
            let segments = snapshot.searcher.segment_readers().len();
            *hidden = Hidden {
                generation: Some(generation.clone()),
                known: 0,
                documents: Arc::new(vec![Vec::new(); segments]),
            };
        }
        if hidden.known < self.stale_terms.len() {
            let mut lists = Vec::clone(&hidden.documents);
            for terms in &self.stale_terms[hidden.known..] {
                snapshot.add_documents_with(terms, &mut lists)?;
            }
            for list in &mut lists {
                list.sort_unstable();
                list.dedup();
            }
            hidden.known = self.stale_terms.len();
            hidden.documents = Arc::new(lists);
        }
        Ok(Arc::clone(&hidden.documents))
    }

    /// Returns how many tokens a field of text has, counted as [`Snapshot::tokens`] does.
    pub(crate) fn tokens(&self, field: Field) -> u64 {
        self.lengths.get(&field).copied().unwrap_or(0)
    }

    /// Returns how many documents hold a term.
    pub(crate) fn documents_with(&self, term: &Term) -> u64 {
        let found = self.postings.get(term).map_or(&[][..], Vec::as_slice);
        found.iter().filter(|posting| self.places[posting.place].is_some()).count() as u64
    }

    /// Returns the documents, each with its place.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, &Place)> {
        self.places.iter().enumerate().filter_map(|(at, place)| Some((at, place.as_ref()?)))
    }

    /// Returns the score of a leaf in each place, 0 where it is not found.
    pub(crate) fn scores(
        &self,
        leaf: &Leaf,
        statistics: &dyn Bm25StatisticsProvider,
    ) -> tantivy::Result<Vec<f32>> {
        let terms: Vec<Term> = leaf.terms().cloned().collect();
        let weigh = |terms: &[Term]| Bm25Weight::for_terms(statistics, terms);
        let weights = match leaf {
            Leaf::Term(_) | Leaf::Phrase(_) => vec![weigh(&terms)?],
            Leaf::Together(_) => terms.chunks(1).map(weigh).collect::<tantivy::Result<_>>()?,
        };
        let at = terms.first().and_then(|term| text_field(term.field())).unwrap_or(0);
        let mut scores = vec![0.0; self.places.len()];
        self.find(leaf, |place, count| {
            if let Some(found) = &self.places[place] {
                let length = FieldNormReader::fieldnorm_to_id(found.lengths[at]);
                scores[place] = weights.iter().map(|weight| weight.score(length, count)).sum();
            }
        });
        Ok(scores)
    }

    /// Returns in which places a leaf is found.
    pub(crate) fn found(&self, leaf: &Leaf) -> Vec<bool> {
        let mut found = vec![false; self.places.len()];
        self.find(leaf, |place, _| found[place] = true);
        found
    }

    /// Calls `take` with each place that holds the leaf, and how often.
    fn find(&self, leaf: &Leaf, mut take: impl FnMut(usize, u32)) {
        let count = |found: usize| u32::try_from(found).unwrap_or(u32::MAX);
        let postings = |term: &Term| self.postings.get(term).map(Vec::as_slice).unwrap_or_default();
        match leaf {
            Leaf::Term(term) => {
                for posting in postings(term) {
                    take(posting.place, count(posting.positions.len()));
                }
            }
            Leaf::Together(terms) => {
                let Some(((_, first), others)) = terms.split_first() else { return };
                let has = |place: usize, term: &Term| {
                    postings(term).binary_search_by_key(&place, |posting| posting.place).is_ok()
                };
                for place in postings(first).iter().map(|posting| posting.place) {
                    if others.iter().all(|(_, other)| has(place, other)) {
                        take(place, 1);
                    }
                }
            }
            Leaf::Phrase(terms) => {
                let Some(((offset, first), others)) = terms.split_first() else { return };
                for posting in postings(first) {
                    let mut starts: Vec<usize> =
                        posting.positions.iter().map(|&at| at as usize).collect();
                    for (other_offset, other) in others {
                        let list = postings(other);
                        let positions = list
                            .binary_search_by_key(&posting.place, |posting| posting.place)
                            .map_or(&[][..], |at| &list[at].positions[..]);
                        starts.retain(|start| {
                            let wanted = start + other_offset - offset;
                            positions.binary_search_by_key(&wanted, |&at| at as usize).is_ok()
                        });
                    }
                    if !starts.is_empty() {
                        take(posting.place, count(starts.len()));
                    }
                }
            }
        }
    }
}

/// Returns which of the two fields of text this is; only they have lengths.
fn text_field(field: Field) -> Option<usize> {
    [FIELDS.body, FIELDS.detail].iter().position(|text| *text == field)
}
