//! The index on disk.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{LockError, OpenReadError};
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, IndexSettings, IndexWriter, ReloadPolicy, SegmentMeta, TantivyError};

use crate::document::{Document, Key};
use crate::error::SearchError;
use crate::schema::FIELDS;
use crate::snapshot::{Latest, Snapshot};
use crate::tokens::{DISTINCT_TOKENIZER, Distinct, Identifiers, TOKENIZER};

/// How many documents a segment has that is left as it is, unless that would make too many of them.
const SEGMENT: usize = 16_384;
const MOST_SEGMENTS: usize = 48;

/// A search index in a folder. All of it is derived: who deletes the folder loses nothing but time.
pub struct SearchIndex {
    folder: PathBuf,
    index: Index,
    latest: Arc<Latest>,
}

impl SearchIndex {
    /// Opens the index in a folder, which only its owner can read; makes it where there is none.
    ///
    /// An index that is damaged, or was written by another version, is thrown away: the new one is empty, and its
    /// [position](Self::position) is 0.
    pub fn open(folder: &Path) -> Result<Self, SearchError> {
        let failed = |source| SearchError::Folder { folder: folder.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        // tantivy trusts the lengths that its files state, and panics over a torn one.
        match panic::catch_unwind(|| Self::try_open(folder)) {
            Ok(Ok(index)) => return Ok(index),
            Ok(Err(error)) if !is_damage(&error) => return Err(error.into()),
            Ok(Err(_)) | Err(_) => empty(folder)?,
        }
        Ok(Self::try_open(folder)?)
    }

    fn try_open(folder: &Path) -> tantivy::Result<Self> {
        let tokenizers = TokenizerManager::default();
        tokenizers.register(TOKENIZER, Identifiers::default());
        tokenizers.register(DISTINCT_TOKENIZER, Distinct::default());
        // Nothing is stored, so there is nothing that a thread of its own could compress.
        let settings =
            IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
        let index = Index::builder()
            .schema(FIELDS.schema.clone())
            .settings(settings)
            .tokenizers(tokenizers)
            .open_or_create(MmapDirectory::open(folder)?)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { folder: folder.to_owned(), index, latest: Arc::new(Latest::new(reader)?) })
    }

    /// Returns the position up to which the index is true, as the last commit gave it.
    pub fn position(&self) -> Result<u64, SearchError> {
        let payload = self.index.load_metas()?.payload;
        Ok(payload.and_then(|position| position.parse().ok()).unwrap_or(0))
    }

    /// Returns how many documents can be found.
    pub fn document_count(&self) -> u64 {
        self.snapshot().searcher.num_docs()
    }

    /// Takes notice of what other processes have committed.
    pub fn reload(&self) -> Result<(), SearchError> {
        Ok(self.latest.reload()?)
    }

    /// Starts writing, with so many threads and so many bytes of memory for all of them, at least 15 MB for each. There is
    /// one writer at a time.
    pub fn writer(&self, threads: usize, memory: usize) -> Result<SearchWriter, SearchError> {
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(memory / threads.max(1))
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter =
            self.index.writer_with_options(options).map_err(|error| self.failed(error))?;
        let mut merging = LogMergePolicy::default();
        // What is replaced again and again would otherwise stay, and count in every score.
        merging.set_del_docs_ratio_before_merge(0.3);
        // Merging large segments again takes longer than searching a few more of them ever will.
        let documents = usize::try_from(self.document_count()).unwrap_or(usize::MAX);
        merging.set_max_docs_before_merge(SEGMENT.max(documents / MOST_SEGMENTS));
        writer.set_merge_policy(Box::new(merging));
        // A process that was killed in the middle of a commit leaves files that nobody names. A list of deletions has its name
        // from the number of operations, so that the same operations, made again, would run into it.
        writer.garbage_collect_files().wait()?;
        Ok(SearchWriter { writer, latest: Arc::clone(&self.latest) })
    }

    /// Makes one segment of all, without what has been deleted. Afterwards two indexes with equal documents give equal
    /// scores, whatever way they came to be.
    pub fn merge(&self) -> Result<(), SearchError> {
        let options = IndexWriterOptions::builder().num_merge_threads(1).build();
        let mut writer: IndexWriter =
            self.index.writer_with_options(options).map_err(|error| self.failed(error))?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let segments = self.index.searchable_segment_metas()?;
        if segments.len() > 1 || segments.iter().any(|segment| segment.num_deleted_docs() > 0) {
            let ids: Vec<_> = segments.iter().map(SegmentMeta::id).collect();
            writer.merge(&ids).wait()?;
        }
        // Files are kept as long as anyone knows of their segment.
        drop(segments);
        self.latest.reload()?;
        writer.garbage_collect_files().wait()?;
        Ok(writer.wait_merging_threads()?)
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.latest.get()
    }

    fn failed(&self, error: TantivyError) -> SearchError {
        match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                SearchError::Busy { folder: self.folder.clone() }
            }
            error => error.into(),
        }
    }
}

/// Says whether the index is at fault: an error of the system, such as a missing permission, would come again.
fn is_damage(error: &TantivyError) -> bool {
    match error {
        TantivyError::IoError(error)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. }) => {
            error.raw_os_error().is_none()
        }
        TantivyError::OpenDirectoryError(_)
        | TantivyError::OpenWriteError(_)
        | TantivyError::LockFailure(..)
        | TantivyError::SystemError(_) => false,
        _ => true,
    }
}

/// Deletes all files of an index that nobody is writing to.
fn empty(folder: &Path) -> Result<(), SearchError> {
    let failed = |source| SearchError::Folder { folder: folder.to_owned(), source };
    let directory = MmapDirectory::open(folder).map_err(TantivyError::from)?;
    let _lock = directory
        .acquire_lock(&INDEX_WRITER_LOCK)
        .map_err(|_| SearchError::Busy { folder: folder.to_owned() })?;
    for file in fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        let removed = match path.file_name() {
            Some(name) if *name == *INDEX_WRITER_LOCK.filepath => Ok(()),
            _ => fs::remove_file(&path),
        };
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        removed.or_else(|error| if is_gone(&error) { Ok(()) } else { Err(failed(error)) })?;
    }
    Ok(())
}

/// Writes to the index. What is not committed is forgotten when the writer is dropped.
pub struct SearchWriter {
    writer: IndexWriter,
    latest: Arc<Latest>,
}

impl SearchWriter {
    /// Adds a document. One with the same key stays unless it is deleted first.
    pub fn add(&self, document: &Document) -> Result<(), SearchError> {
        self.writer.add_document(FIELDS.document(document))?;
        Ok(())
    }

    /// Deletes the document with this key from among those added so far.
    pub fn delete(&self, key: Key) -> Result<(), SearchError> {
        let terms = FIELDS.key(key).into_iter().map(|term| -> Box<dyn Query> {
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        });
        self.writer.delete_query(Box::new(BooleanQuery::intersection(terms.collect())))?;
        Ok(())
    }

    /// Deletes all documents of a family from among those added so far.
    pub fn delete_family(&self, family: u32) {
        self.writer.delete_term(FIELDS.family(family));
    }

    /// Makes everything so far durable and searchable, and says up to which position the index is true now.
    pub fn commit(&mut self, position: u64) -> Result<(), SearchError> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&position.to_string());
        commit.commit()?;
        Ok(self.latest.reload()?)
    }

    /// Waits until segments that are being merged are done; a writer that is dropped gives those merges up.
    pub fn finish(self) -> Result<(), SearchError> {
        self.writer.wait_merging_threads()?;
        Ok(self.latest.reload()?)
    }
}
