//! From the store into the text index: what has changed since the index was last true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pi_brain_brain::{Node, NodeId, NodeRef, word};
use pi_brain_forest::{RootId, SessionNo};
use pi_brain_search::{Document, Extent, HotTail, Key, SearchIndex, SearchWriter, entry_text};
use pi_brain_store::{Citation, IndexChange, Pending, Store};
use rayon::prelude::*;

use crate::error::Result;
use crate::progress::{Progress, Step};
use crate::text::{EntryReader, SketchReader};

/// How much memory the writer of the index may take, for all its threads together.
const WRITER_MEMORY: usize = 40 * 1024 * 1024;

/// How many documents are written before a commit makes them last.
const COMMIT_AFTER: usize = 200_000;

/// Up to how many documents stay in memory until there are more: a commit takes longer than finding them again.
const TAIL_LIMIT: usize = 400;

/// Takes into the index what it lacks. A few documents go to the tail, unless `commit` asks for them to be kept.
pub(crate) fn catch_up(
    store: &mut Store,
    index: &SearchIndex,
    tail: &mut HotTail,
    commit: bool,
    progress: &dyn Progress,
) -> Result<()> {
    tail.clear();
    let position = index.position()?;
    // An index that was thrown away has to be filled again from the start.
    if position < store.indexed()? {
        store.index_everything()?;
    }
    let pending = store.pending(position)?;
    let Some(&(last, _)) = pending.last() else { return Ok(()) };
    let (first_seen, work) = gather(pending);
    if !commit && size(&work) <= TAIL_LIMIT {
        let sink = Mutex::new(&mut *tail);
        for change in &work {
            feed(store, change, &sink)?;
        }
        return Ok(());
    }
    // The index must not know of changes that a power cut could take back.
    store.settle()?;
    progress.begin(Step::Index { changes: work.len() });
    let threads = rayon::current_num_threads().clamp(1, 4);
    let mut writer = index.writer(threads, WRITER_MEMORY)?;
    let is_new = index.document_count() == 0;
    let mut since = 0;
    for (batch, seen) in work.chunks(BATCH).zip(first_seen.chunks(BATCH)) {
        let sink =
            Mutex::new(IndexSink { writer: &mut writer, is_new, added: AtomicUsize::new(0) });
        batch.par_iter().try_for_each(|change| {
            feed(store, change, &sink)?;
            progress.advance(1);
            Ok::<_, crate::AppError>(())
        })?;
        let sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        since += sink.added.into_inner();
        if since >= COMMIT_AFTER {
            since = 0;
            // What comes later has first been seen behind this.
            writer.commit(seen[seen.len() - 1])?;
        }
    }
    writer.commit(last)?;
    writer.finish()?;
    Ok(store.forget_changes(last)?)
}

/// Puts into the tail what the index lacks, as far as it has room: a reader may not write to the index.
pub(crate) fn fill_tail(store: &Store, index: &SearchIndex, tail: &mut HotTail) -> Result<()> {
    tail.clear();
    let (_, work) = gather(store.pending(index.position()?)?);
    if size(&work) <= TAIL_LIMIT {
        let sink = Mutex::new(tail);
        for change in &work {
            feed(store, change, &sink)?;
        }
    }
    Ok(())
}

/// How many changes are worked on side by side.
const BATCH: usize = 256;

/// Puts together what concerns the same family or node. Returns, for each, where it was first seen.
fn gather(pending: Vec<(u64, Pending)>) -> (Vec<u64>, Vec<Pending>) {
    let mut families: BTreeMap<RootId, usize> = BTreeMap::new();
    let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
    let (mut seen, mut work): (Vec<u64>, Vec<Pending>) = (Vec::new(), Vec::new());
    for (position, change) in pending {
        match change {
            Pending::Node(node) if !nodes.insert(node) => continue,
            Pending::Family(root, ref more) => {
                if let Some(&at) = families.get(&root) {
                    if let Pending::Family(_, known) = &mut work[at] {
                        merge(known, more);
                    }
                    continue;
                }
                families.insert(root, work.len());
            }
            Pending::Node(_) => {}
        }
        seen.push(position);
        work.push(change);
    }
    (seen, work)
}

fn merge(known: &mut IndexChange, more: &IndexChange) {
    match (&mut *known, more) {
        (IndexChange::Everything, _) => {}
        (IndexChange::Messages(known), IndexChange::Messages(more)) => {
            known.extend(more);
            known.sort_unstable();
            known.dedup();
        }
        (IndexChange::Messages(_), IndexChange::Everything) => *known = IndexChange::Everything,
    }
}

/// Guesses how many documents changes come to; those of a whole family count as too many.
fn size(work: &[Pending]) -> usize {
    let size = |change: &Pending| match change {
        Pending::Family(_, IndexChange::Everything) => TAIL_LIMIT + 1,
        Pending::Family(_, IndexChange::Messages(messages)) => messages.len(),
        Pending::Node(_) => 1,
    };
    work.iter().map(size).sum()
}

/// Where documents go.
trait Sink: Send {
    fn add(&mut self, document: &Document) -> Result<()>;
    fn delete(&mut self, key: Key);
    fn delete_family(&mut self, family: u32);
}

impl Sink for &mut HotTail {
    fn add(&mut self, document: &Document) -> Result<()> {
        HotTail::add(self, document);
        Ok(())
    }

    fn delete(&mut self, key: Key) {
        HotTail::delete(self, key);
    }

    fn delete_family(&mut self, family: u32) {
        HotTail::delete_family(self, family);
    }
}

struct IndexSink<'a> {
    writer: &'a mut SearchWriter,
    /// An index without documents has nothing to delete.
    is_new: bool,
    added: AtomicUsize,
}

impl Sink for IndexSink<'_> {
    fn add(&mut self, document: &Document) -> Result<()> {
        self.added.fetch_add(1, Ordering::Relaxed);
        Ok(self.writer.add(document)?)
    }

    fn delete(&mut self, key: Key) {
        if !self.is_new {
            self.writer.delete(key);
        }
    }

    fn delete_family(&mut self, family: u32) {
        if !self.is_new {
            self.writer.delete_family(family);
        }
    }
}

/// Takes one change in.
fn feed(store: &Store, change: &Pending, sink: &Mutex<impl Sink>) -> Result<()> {
    let with_sink = |work: &mut dyn FnMut(&mut dyn Sink) -> Result<()>| {
        work(&mut *sink.lock().unwrap_or_else(PoisonError::into_inner))
    };
    match change {
        Pending::Node(id) => {
            let node = if store.is_hidden(*id)? {
                None
            } else {
                // A node whose file is gone cannot be found by its words.
                store.node(NodeRef { id: *id, version: None }).unwrap_or_default()
            };
            with_sink(&mut |sink| {
                sink.delete(Key::Node(id.as_u64()));
                node.as_ref().map_or(Ok(()), |node| sink.add(&node_document(node)))
            })
        }
        Pending::Family(root, which) => {
            let map = store.map(*root)?.unwrap_or_default();
            let wanted: Vec<Citation> = match which {
                IndexChange::Everything => {
                    with_sink(&mut |sink| {
                        sink.delete_family(root.number());
                        Ok(())
                    })?;
                    map.messages().collect()
                }
                IndexChange::Messages(numbers) => {
                    for &number in numbers {
                        with_sink(&mut |sink| {
                            sink.delete(Key::Message(message_key(*root, number)));
                            Ok(())
                        })?;
                    }
                    numbers.iter().filter_map(|number| map.message(*number)).collect()
                }
            };
            each_document(store, *root, wanted, |document| {
                with_sink(&mut |sink| sink.add(&document))
            })
        }
    }
}

/// Names a message in the index.
pub(crate) fn message_key(root: RootId, number: u32) -> u64 {
    u64::from(root.number()) << 32 | u64::from(number)
}

/// Reads a message's name in the index.
pub(crate) fn message_of(key: u64) -> (RootId, u32) {
    let halves = (key >> 32, key & u64::from(u32::MAX));
    let half = |half: u64| u32::try_from(half).unwrap_or(u32::MAX);
    (RootId::new(half(halves.0)), half(halves.1))
}

/// Makes the documents of messages, reading their text back file by file.
fn each_document(
    store: &Store,
    root: RootId,
    wanted: Vec<Citation>,
    mut give: impl FnMut(Document) -> Result<()>,
) -> Result<()> {
    let mut by_session: BTreeMap<SessionNo, Vec<Citation>> = BTreeMap::new();
    for citation in wanted {
        by_session.entry(citation.session).or_default().push(citation);
    }
    for (no, mut citations) in by_session {
        let Some(session) = store.session(no)? else { continue };
        let mut sketches = SketchReader::new(store, no);
        citations.sort_by_key(|citation| citation.entry);
        // A file that is gone or was rewritten will be noticed when the folders are looked at the next time.
        let Ok(mut reader) = EntryReader::open(Path::new(&session.path)) else { continue };
        for citation in citations {
            let Some(sketch) = sketches.read(citation.entry)? else { continue };
            let Ok((entry, raw)) = reader.read(sketch) else { continue };
            let Some(text) = entry_text(&entry, raw, Extent::default()) else { continue };
            let key = Key::Message(message_key(root, citation.message));
            give(Document {
                body: text.body,
                detail: text.detail,
                project: Some(session.project.clone()).filter(|project| !project.is_empty()),
                time: sketch.time,
                speaker: Some(text.speaker),
                tools: text.tools,
                model: text.model,
                files: text.files,
                ..Document::new(key, root.number())
            })?;
        }
    }
    Ok(())
}

/// Nodes belong to no family in the index: they come and go by themselves.
const NO_FAMILY: u32 = 0;

fn node_document(node: &Node) -> Document {
    let (body, detail) = node_text(node);
    let models = node.observations.models_used.iter();
    Document {
        body,
        detail,
        project: Some(node.classification.project.clone()).filter(|project| !project.is_empty()),
        time: Some(node.metadata.timestamp),
        tools: node.content.tools_used.clone(),
        model: models.map(|used| used.model.clone()).next(),
        files: node.content.files_touched.clone(),
        node_type: Some(word(&node.classification.node_type)),
        outcome: Some(word(&node.content.outcome)),
        ..Document::new(Key::Node(node.id.as_u64()), NO_FAMILY)
    }
}

/// Returns the words by which a node is found: what it says, and the errors that it saw.
pub(crate) fn node_text(node: &Node) -> (String, String) {
    let mut body = vec![&*node.content.summary];
    body.extend(node.ext.as_ref().and_then(|ext| ext.goal.as_deref()));
    for decision in &node.content.key_decisions {
        body.extend([&*decision.what, &*decision.why]);
    }
    for lesson in node.lessons.by_level().into_iter().flat_map(|(_, lessons)| lessons) {
        body.extend([&*lesson.summary, &*lesson.details]);
    }
    body.extend(node.semantic.tags.iter().chain(&node.semantic.topics).map(String::as_str));
    let errors = node.content.errors_seen.iter();
    let detail: Vec<&str> =
        errors.flat_map(|error| [&*error.error_type, &*error.message]).collect();
    (body.join("\n"), detail.join("\n"))
}
