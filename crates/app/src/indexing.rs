//! Into the text index: what has changed since the index was last true.
//!
//! When much is new, families give their messages to the index while they are derived, because they read them then
//! anyway. Everything else is read back from where the store says it is: what a crash has left undone, a few new
//! messages, and nodes that the user has changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pi_brain_brain::{Node, NodeId, NodeRef, word};
use pi_brain_forest::{RootId, SessionNo};
use pi_brain_search::{
    Document, Extent, HotTail, Key, MessageKey, SearchIndex, SearchWriter, entry_text,
};
use pi_brain_session::{Entry, Millis, Raw};
use pi_brain_store::{Citation, FamilyUpdate, IndexChange, Pending, Store};
use rayon::prelude::*;

use crate::error::Result;
use crate::progress::{Progress, Step};
use crate::text::{EntryReader, SketchReader};

/// How much memory the writer of the index may take. With less there are more and smaller segments, and each writes the
/// common words again.
const WRITER_MEMORY: usize = 50 * 1024 * 1024;

/// One thread keeps up with what two cores read. Several would share the memory, and so write several times as many
/// segments, which then had to be merged.
const WRITER_THREADS: usize = 1;

/// How many documents are written before a commit makes them last.
const COMMIT_AFTER: usize = 200_000;

/// Up to how many documents stay in memory until there are more: a commit takes longer than finding them again.
const TAIL_LIMIT: usize = 400;

/// The index while much is put into it.
pub(crate) struct Filling {
    writer: SearchWriter,
    /// An index without documents has nothing to delete, as long as nothing is given twice.
    is_new: bool,
    added: AtomicUsize,
    given: Mutex<Given>,
}

/// What has been put into the index since it is being filled.
#[derive(Default)]
struct Given {
    /// Changes, by position.
    changes: HashSet<u64>,
    nodes: HashSet<NodeId>,
    /// The last change that was looked at.
    position: u64,
}

impl Filling {
    pub(crate) fn begin(index: &SearchIndex, store: &Store) -> Result<Self> {
        let given = Given { position: store.last_change()?, ..Given::default() };
        Ok(Self {
            writer: index.writer(WRITER_THREADS, WRITER_MEMORY)?,
            is_new: index.document_count() == 0,
            added: AtomicUsize::new(0),
            given: Mutex::new(given),
        })
    }

    /// Takes in that families were saved which have given their messages; their new nodes are given here.
    pub(crate) fn saved(&self, store: &Store, updates: &[FamilyUpdate]) -> Result<()> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let families: HashSet<RootId> = updates.iter().map(|update| update.root).collect();
        let nodes: BTreeMap<NodeId, &Node> = updates
            .iter()
            .flat_map(|update| &update.versions)
            .map(|version| (version.node.id, &version.node))
            .collect();
        for (&id, node) in &nodes {
            let is_first = given.nodes.insert(id);
            if !(self.is_new && is_first) {
                self.writer.delete(Key::Node(id.as_u64()))?;
            }
            if !store.is_hidden(id)? {
                let mut sink = self;
                sink.add(&node_document(node))?;
            }
        }
        for (position, change) in store.pending(given.position)? {
            let is_given = match change {
                Pending::Family(root, _) => families.contains(&root),
                Pending::Node(id) => nodes.contains_key(&id),
            };
            if is_given {
                given.changes.insert(position);
            }
            given.position = position;
        }
        Ok(())
    }
}

/// Takes into the index what it lacks. A few documents go to the tail, unless the index is being filled anyway or `commit`
/// asks for them to be kept.
pub(crate) fn catch_up(
    store: &mut Store,
    index: &SearchIndex,
    tail: &mut HotTail,
    filling: Option<Filling>,
    commit: bool,
    progress: &dyn Progress,
) -> Result<()> {
    tail.clear();
    let mut pending = store.pending(index.position()?)?;
    let Some(&(last, _)) = pending.last() else { return Ok(()) };
    if let Some(filling) = &filling {
        let given = filling.given.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|(position, _)| !given.changes.contains(position));
    }
    let (first_seen, work) = gather(pending);
    if filling.is_none() && !commit && size(&work) <= TAIL_LIMIT {
        return work.iter().try_for_each(|change| feed(store, change, &mut *tail));
    }
    // The index must not know of changes that a power cut could take back.
    store.settle()?;
    progress.begin(Step::Index { changes: work.len() });
    let is_partly_given = filling.is_some();
    let mut filling = match filling {
        Some(filling) => Filling { is_new: false, ..filling },
        None => Filling::begin(index, store)?,
    };
    for (batch, seen) in work.chunks(BATCH).zip(first_seen.chunks(BATCH)) {
        batch.par_iter().try_for_each(|change| {
            feed(store, change, &mut &filling)?;
            progress.advance(1);
            Ok::<_, crate::AppError>(())
        })?;
        if *filling.added.get_mut() >= COMMIT_AFTER && !is_partly_given {
            *filling.added.get_mut() = 0;
            // What comes later has first been seen behind this.
            filling.writer.commit(seen[seen.len() - 1])?;
        }
    }
    filling.writer.commit(last)?;
    filling.writer.finish()?;
    Ok(store.forget_changes(last)?)
}

/// Sees to it that an index that was thrown away is filled again from the start.
pub(crate) fn notice_loss(store: &mut Store, index: &SearchIndex) -> Result<()> {
    if index.position()? < store.indexed()? {
        store.index_everything()?;
    }
    Ok(())
}

/// Puts into the tail what the index lacks, as far as it has room: a reader may not write to the index.
pub(crate) fn fill_tail(store: &Store, index: &SearchIndex, tail: &mut HotTail) -> Result<()> {
    tail.clear();
    let (_, work) = gather(store.pending(index.position()?)?);
    if size(&work) > TAIL_LIMIT {
        return Ok(());
    }
    work.iter().try_for_each(|change| feed(store, change, tail))
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
pub(crate) trait Sink {
    fn add(&mut self, document: &Document) -> Result<()>;
    fn delete(&mut self, key: Key) -> Result<()>;
    fn delete_family(&mut self, family: u32);

    /// Makes room for the messages of a family that are new, or read from elsewhere.
    fn make_room(&mut self, root: RootId, change: &IndexChange) -> Result<()> {
        match change {
            IndexChange::Everything => {
                self.delete_family(root.number());
                Ok(())
            }
            IndexChange::Messages(numbers) => numbers
                .iter()
                .try_for_each(|&number| self.delete(Key::Message(message_key(root, number)))),
        }
    }
}

impl Sink for HotTail {
    fn add(&mut self, document: &Document) -> Result<()> {
        Self::add(self, document);
        Ok(())
    }

    fn delete(&mut self, key: Key) -> Result<()> {
        Self::delete(self, key);
        Ok(())
    }

    fn delete_family(&mut self, family: u32) {
        Self::delete_family(self, family);
    }
}

impl Sink for &Filling {
    fn add(&mut self, document: &Document) -> Result<()> {
        self.added.fetch_add(1, Ordering::Relaxed);
        Ok(self.writer.add(document)?)
    }

    fn delete(&mut self, key: Key) -> Result<()> {
        if self.is_new { Ok(()) } else { Ok(self.writer.delete(key)?) }
    }

    fn delete_family(&mut self, family: u32) {
        if !self.is_new {
            self.writer.delete_family(family);
        }
    }
}

/// Takes one change in.
fn feed(store: &Store, change: &Pending, sink: &mut impl Sink) -> Result<()> {
    match change {
        Pending::Node(id) => {
            sink.delete(Key::Node(id.as_u64()))?;
            if store.is_hidden(*id)? {
                return Ok(());
            }
            // A node whose file is gone cannot be found by its words.
            let node = store.node(NodeRef { id: *id, version: None }).unwrap_or_default();
            node.as_ref().map_or(Ok(()), |node| sink.add(&node_document(node)))
        }
        Pending::Family(root, which) => {
            let map = store.map(*root)?.unwrap_or_default();
            sink.make_room(*root, which)?;
            let wanted: Vec<Citation> = match which {
                IndexChange::Everything => map.messages().collect(),
                IndexChange::Messages(numbers) => {
                    numbers.iter().filter_map(|number| map.message(*number)).collect()
                }
            };
            each_document(store, *root, wanted, |document| sink.add(&document))
        }
    }
}

/// Names a message in the index.
pub(crate) fn message_key(root: RootId, number: u32) -> MessageKey {
    MessageKey { family: root.number(), number }
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
            let found = MessageSource { root, project: &session.project, time: sketch.time };
            found.document(citation.message, &entry, raw).map_or(Ok(()), &mut give)?;
        }
    }
    Ok(())
}

/// Where a message was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageSource<'a> {
    pub(crate) root: RootId,
    /// The working directory; empty if it is not known.
    pub(crate) project: &'a str,
    pub(crate) time: Option<Millis>,
}

impl MessageSource<'_> {
    /// Makes the document by which a message is found; many have no words.
    pub(crate) fn document(self, number: u32, entry: &Entry, raw: Raw<'_>) -> Option<Document> {
        let text = entry_text(entry, raw, Extent::default())?;
        Some(Document {
            body: text.body,
            detail: text.detail,
            project: Some(self.project.to_owned()).filter(|project| !project.is_empty()),
            time: self.time,
            speaker: Some(text.speaker),
            tools: text.tools,
            model: text.model,
            files: text.files,
            ..Document::new(Key::Message(message_key(self.root, number)))
        })
    }
}

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
        ..Document::new(Key::Node(node.id.as_u64()))
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
