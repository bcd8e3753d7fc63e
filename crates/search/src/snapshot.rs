//! The index as it was at one commit, opened for reading.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use pi_brain_session::Millis;
use rayon::prelude::*;
use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, IndexReader, Searcher, SegmentReader, TERMINATED, Term};

use crate::document::{Key, MessageKey, Speaker};
use crate::schema::{self, FIELDS};

/// One state of the index. Columns are opened once, not for every query.
pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    columns: Vec<Columns>,
    /// How many tokens the two fields of text have, once somebody has asked.
    tokens: OnceLock<[u64; 2]>,
}

impl Snapshot {
    fn new(searcher: Searcher) -> tantivy::Result<Self> {
        let columns = searcher.segment_readers().iter().map(Columns::open);
        let columns = columns.collect::<tantivy::Result<_>>()?;
        Ok(Self { columns, searcher, tokens: OnceLock::new() })
    }

    /// Returns how many tokens the two fields of text have, the length of each text [rounded](rounded_length).
    ///
    /// tantivy has a count of its own, which is exact until a segment with deletions is merged, and made from rounded lengths
    /// from then on: scores would tell what had once been there.
    pub(crate) fn tokens(&self) -> tantivy::Result<[u64; 2]> {
        if let Some(tokens) = self.tokens.get() {
            return Ok(*tokens);
        }
        let readers = self.searcher.segment_readers();
        let count = |field: Field| {
            readers.par_iter().map(|reader| tokens_in(reader, field)).sum::<tantivy::Result<u64>>()
        };
        let tokens = [count(FIELDS.body)?, count(FIELDS.detail)?];
        Ok(*self.tokens.get_or_init(|| tokens))
    }

    /// Returns the segments with their columns.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (&SegmentReader, &Columns)> {
        self.searcher.segment_readers().iter().zip(&self.columns)
    }

    pub(crate) fn segment(&self, at: usize) -> (&SegmentReader, &Columns) {
        (&self.searcher.segment_readers()[at], &self.columns[at])
    }

    /// Adds the documents that have all of some terms to lists of documents, one for each segment.
    pub(crate) fn add_documents_with(
        &self,
        terms: &[Term],
        lists: &mut [Vec<DocId>],
    ) -> tantivy::Result<()> {
        for (reader, list) in self.searcher.segment_readers().iter().zip(lists) {
            let postings = |term: &Term| {
                let index = reader.inverted_index(term.field())?;
                Ok(index.read_postings(term, IndexRecordOption::Basic)?)
            };
            let found: tantivy::Result<Option<Vec<_>>> = terms.iter().map(postings).collect();
            let Some(mut found) = found? else { continue };
            let mut doc = 0;
            loop {
                let reached = found.iter_mut().map(|docs| reach(docs, doc)).max();
                match reached {
                    None | Some(TERMINATED) => break,
                    Some(reached) if reached > doc => doc = reached,
                    Some(_) => {
                        list.extend(is_alive(reader, doc).then_some(doc));
                        doc += 1;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Moves to a document, or to the first one behind it.
fn reach(docs: &mut impl DocSet, doc: DocId) -> DocId {
    if docs.doc() < doc { docs.seek(doc) } else { docs.doc() }
}

/// Adds up the lengths of the texts in a segment that have not been deleted.
fn tokens_in(reader: &SegmentReader, field: Field) -> tantivy::Result<u64> {
    let lengths = reader.get_fieldnorms_reader(field)?;
    let mut counts = [0_u64; 256];
    for doc in (0..reader.max_doc()).filter(|doc| is_alive(reader, *doc)) {
        counts[usize::from(lengths.fieldnorm_id(doc))] += 1;
    }
    let length = |id: u8| u64::from(FieldNormReader::id_to_fieldnorm(id));
    Ok((0..=u8::MAX).zip(counts).map(|(id, count)| count * length(id)).sum())
}

/// Returns the length of a text as the index keeps it: in one byte, so that only short ones are exact.
pub(crate) fn rounded_length(length: u32) -> u32 {
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

/// Returns whether a document has not been deleted.
pub(crate) fn is_alive(reader: &SegmentReader, doc: DocId) -> bool {
    reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc))
}

/// The columns of a segment. One that no document of the segment has a value for is absent.
pub(crate) struct Columns {
    family: Option<Column<u64>>,
    number: Option<Column<u64>>,
    node: Option<Column<u64>>,
    time: Option<Column<i64>>,
    speaker: Option<Column<u64>>,
}

impl Columns {
    fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        Ok(Self {
            family: columns.column_opt(schema::FAMILY)?,
            number: columns.column_opt(schema::NUMBER)?,
            node: columns.column_opt(schema::NODE)?,
            time: columns.column_opt(schema::TIME)?,
            speaker: columns.column_opt(schema::SPEAKER)?,
        })
    }

    pub(crate) fn key(&self, doc: DocId) -> Option<Key> {
        let value = |column: &Option<Column<u64>>| column.as_ref()?.first(doc);
        let small = |column| value(column).and_then(|value| u32::try_from(value).ok());
        match (small(&self.family), small(&self.number)) {
            (Some(family), Some(number)) => Some(Key::Message(MessageKey { family, number })),
            _ => value(&self.node).map(Key::Node),
        }
    }

    pub(crate) fn time(&self, doc: DocId) -> Option<Millis> {
        self.time.as_ref().and_then(|column| column.first(doc)).map(Millis)
    }

    pub(crate) fn speaker(&self, doc: DocId) -> Option<Speaker> {
        let number = self.speaker.as_ref().and_then(|column| column.first(doc))?;
        Speaker::ALL.into_iter().find(|speaker| *speaker as u64 == number)
    }
}

/// The latest snapshot, which the writer replaces.
pub(crate) struct Latest {
    reader: IndexReader,
    snapshot: RwLock<Arc<Snapshot>>,
}

impl Latest {
    pub(crate) fn new(reader: IndexReader) -> tantivy::Result<Self> {
        let snapshot = Arc::new(Snapshot::new(reader.searcher())?);
        Ok(Self { reader, snapshot: RwLock::new(snapshot) })
    }

    pub(crate) fn get(&self) -> Arc<Snapshot> {
        // Nothing can panic while the lock is held.
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes notice of what has been committed since.
    pub(crate) fn reload(&self) -> tantivy::Result<()> {
        self.reader.reload()?;
        let snapshot = Arc::new(Snapshot::new(self.reader.searcher())?);
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }
}
