//! The index as it was at one commit, opened for reading.

use std::sync::{Arc, PoisonError, RwLock};

use pi_brain_session::Millis;
use tantivy::columnar::Column;
use tantivy::{DocId, DocSet, IndexReader, Searcher, SegmentReader, TERMINATED, Term};

use crate::document::{Key, Speaker};
use crate::schema;

/// One state of the index. Columns are opened once, not for every query.
pub(crate) struct Snapshot {
    pub(crate) searcher: Searcher,
    columns: Vec<Columns>,
}

impl Snapshot {
    fn new(searcher: Searcher) -> tantivy::Result<Self> {
        let columns = searcher.segment_readers().iter().map(Columns::open);
        Ok(Self { columns: columns.collect::<tantivy::Result<_>>()?, searcher })
    }

    /// Returns the segments with their columns.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (&SegmentReader, &Columns)> {
        self.searcher.segment_readers().iter().zip(&self.columns)
    }

    pub(crate) fn segment(&self, at: usize) -> (&SegmentReader, &Columns) {
        (&self.searcher.segment_readers()[at], &self.columns[at])
    }

    /// Adds the documents with a term to lists of documents, one for each segment.
    pub(crate) fn add_documents_with(
        &self,
        term: &Term,
        lists: &mut [Vec<DocId>],
    ) -> tantivy::Result<()> {
        for (reader, list) in self.searcher.segment_readers().iter().zip(lists) {
            let option = tantivy::schema::IndexRecordOption::Basic;
            let Some(mut docs) =
                reader.inverted_index(term.field())?.read_postings(term, option)?
            else {
                continue;
            };
            while docs.doc() != TERMINATED {
                if is_alive(reader, docs.doc()) {
                    list.push(docs.doc());
                }
                docs.advance();
            }
        }
        Ok(())
    }
}

/// Returns whether a document has not been deleted.
pub(crate) fn is_alive(reader: &SegmentReader, doc: DocId) -> bool {
    reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc))
}

/// The columns of a segment. One that no document of the segment has a value for is absent.
pub(crate) struct Columns {
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

    pub(crate) fn key(&self, doc: DocId) -> Option<Key> {
        let message = self.message.as_ref().and_then(|column| column.first(doc));
        let node = || self.node.as_ref().and_then(|column| column.first(doc));
        message.map(Key::Message).or_else(|| node().map(Key::Node))
    }

    pub(crate) fn family(&self, doc: DocId) -> u32 {
        let family = self.family.as_ref().and_then(|column| column.first(doc));
        family.and_then(|family| u32::try_from(family).ok()).unwrap_or_default()
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
