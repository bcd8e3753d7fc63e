//! Out of the forest again: the same file, one conversation as a new session, a whole family as one file.

mod lines;
mod by_hand;
mod family;

use std::io::{self, Read};
use std::sync::Arc;

use pi_brain_session::{
    Body, Context, Log, Millis, Mint, Raw, ReadError, Session, Tree, View, current_form,
    header_line, labels, new_session_id, session_file_name,
};

use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place};
use crate::node::Node;
use crate::sessions::{SessionNo, SessionRecord};
use crate::store::Store;
use by_hand::spoken_by_hand;
use lines::{Lines, Naming, rewritten};

/// What a new session needs beside the conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions<'a> {
    /// The session whose lines are written; without one, the session that said it last.
    pub session: Option<SessionNo>,
    /// The working directory; without one, that of the session.
    pub cwd: Option<&'a str>,
}

/// A new session, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedSession {
    /// Its id.
    pub id: String,
    /// The name that pi would give its file.
    pub file_name: String,
    /// The working directory that its header names.
    pub cwd: String,
    /// The file.
    pub text: String,
}

impl<S: Store> Forest<S> {
    /// Returns an imported session as it was read, byte for byte.
    pub fn export_session(&self, no: SessionNo) -> Result<Vec<u8>> {
        let record = self.session_record(no)?;
        self.store.session_text(no, 0..record.length)
    }

    /// Gives an imported session piece by piece, for one that is too large to be held.
    pub fn session_reader(&self, no: SessionNo) -> Result<SessionReader<'_, S>> {
        let length = self.session_record(no)?.length;
        Ok(SessionReader { store: &self.store, no, position: 0, length })
    }

    /// Writes the conversation that ends with a message as a new session, which pi can go on with.
    ///
    /// Messages of sessions are written as their lines are, together with settings, edits of the context and
    /// whatever else stands between them; labels follow at the end. All entries get new ids, and what names an
    /// entry of the conversation names the new one.
    pub fn export_leaf(
        &self,
        node: NodeId,
        options: ExportOptions<'_>,
        mint: &mut dyn Mint,
    ) -> Result<ExportedSession> {
        let end = self.end_of(node, options.session)?;
        let now = mint.now();
        let id = new_session_id(mint, now);
        let source = end.in_session.as_ref().map(|(record, _)| record);
        let root = self.node(node)?.id.root();
        let sessions = self.store.sessions()?;
        let family = sessions.iter().filter(|record| record.root == root);
        let oldest = family.min_by_key(|record| (record.created, &record.id));
        // What was said by hand alone belongs where the rest of its family does.
        let cwd =
            options.cwd.or_else(|| source.or(oldest)?.cwd.as_deref()).unwrap_or("/").to_owned();
        let header = header_line(&id, now, &cwd, source.map(|record| &*record.file));
        let mut lines = Lines::new(header, Naming::Anew(mint));
        self.write_path(&end, Beginning::Sought, &mut lines)?;
        let file_name = session_file_name(now, &id);
        Ok(ExportedSession { id, file_name, cwd, text: lines.text })
    }

    /// Builds what pi would give a model at a message.
    pub fn pi_context(&self, node: NodeId) -> Result<Context> {
        self.context_at(&self.end_of(node, None)?, Beginning::Sought)
    }

    /// Builds what pi would give a model at an entry of a session, with nothing but that session to go by.
    pub fn pi_context_of_entry(&self, no: SessionNo, entry: u32) -> Result<Context> {
        let record = self.session_record(no)?;
        let unknown =
            || ForestError::SessionNotFound(format!("number {} with entry {entry}", no.0));
        let at = entry as usize;
        record.entries.get(at).ok_or_else(unknown)?;
        let end = End { in_session: Some((record, Target::Entry(at))), by_hand: Vec::new() };
        self.context_at(&end, Beginning::AsItIs)
    }

    /// Writes the path as a session of its own and lets the session library build its context: there is one
    /// place that knows how pi does it.
    fn context_at(&self, end: &End, beginning: Beginning) -> Result<Context> {
        let header = header_line("context", Millis(0), "/", None);
        let mut lines = Lines::new(header, Naming::AsTheyAre);
        self.write_path(end, beginning, &mut lines)?;
        let session =
            Session::from_bytes(lines.text.into_bytes()).expect("a new header is a session");
        let tree = session.tree(View::AsPi);
        let context = session.context(&tree, tree.leaf());
        Ok(context.expect("a session in memory does not change while it is read"))
    }

    fn session_record(&self, no: SessionNo) -> Result<Arc<SessionRecord>> {
        let unknown = || ForestError::SessionNotFound(format!("number {}", no.0));
        self.store.session(no)?.ok_or_else(unknown)
    }

    /// Finds the lines that lead to a message, and the messages behind them that no session has.
    fn end_of(&self, node: NodeId, session: Option<SessionNo>) -> Result<End> {
        let mut path = self.path(None, node.into())?;
        let mut by_hand = Vec::new();
        while let Some(last) = path.last() {
            let occurrences = self.store.occurrences(last.id)?;
            let mut said = Vec::new();
            for (no, at) in occurrences {
                let record = self.session_record(no)?;
                let time = record.entries.get(at as usize).and_then(|entry| entry.time);
                // One that has lost its beginning is asked last.
                said.push(((record.adrift.is_empty(), time, no), record));
            }
            if said.is_empty() {
                by_hand.extend(path.pop());
                continue;
            }
            said.retain(|(_, record)| session.is_none_or(|asked| asked == record.no));
            let newest = said.into_iter().max_by_key(|(age, _)| *age);
            let unknown = || {
                let no = session.map_or(0, |no| no.0);
                ForestError::SessionNotFound(format!("number {no} that says {}", last.id))
            };
            let (_, record) = newest.ok_or_else(unknown)?;
            by_hand.reverse();
            return Ok(End { in_session: Some((record, Target::After(last.id))), by_hand });
        }
        by_hand.reverse();
        Ok(End { in_session: None, by_hand })
    }

    fn write_path(&self, end: &End, beginning: Beginning, lines: &mut Lines<'_>) -> Result<()> {
        let mut parts = Vec::new();
        let mut open = end.in_session.clone();
        while let Some((record, target)) = open {
            let (log, tree) = self.read_index(&record)?;
            let path = tree.branch(target.entry(&record, &tree));
            open = match beginning {
                Beginning::AsItIs => None,
                Beginning::Sought => self.lost_beginning(&record, path[0])?,
            };
            parts.push((record, log, path));
        }
        for (record, log, path) in parts.iter().rev() {
            self.write_entries(record, log, path, lines)?;
        }
        for said in spoken_by_hand(self, &end.by_hand)? {
            lines.push_by_hand(&said);
        }
        for (target, label) in parts.first().into_iter().flat_map(|(_, log, _)| labels(log)) {
            lines.push_label(&target, &label);
        }
        Ok(())
    }

    /// Finds where the conversation comes from whose first entry in this session is not its first.
    fn lost_beginning(&self, record: &SessionRecord, first: usize) -> Result<Option<InSession>> {
        if !record.adrift.contains(&first) {
            return Ok(None);
        }
        let entry = &record.entries[first];
        let before = match entry.place {
            Place::Node(node) if entry.own => self.node(node)?.parent,
            place => place,
        };
        match before {
            Place::Node(node) => Ok(self.end_of(node, None)?.in_session),
            Place::Root(_) => Ok(None),
        }
    }

    /// Writes entries of a session, each after the one before. Labels are left out.
    fn write_entries(
        &self,
        record: &SessionRecord,
        log: &Log,
        path: &[usize],
        lines: &mut Lines<'_>,
    ) -> Result<()> {
        let mut unnamed = Vec::new();
        for &at in path {
            let entry = &log.entries()[at];
            if matches!(entry.body, Body::Label { .. }) {
                unnamed.extend(entry.id.clone());
                continue;
            }
            // Whoever named a label that is left out means what follows it.
            let id = lines.name(entry.id.as_ref(), &std::mem::take(&mut unnamed));
            let text = self.store.session_text(record.no, entry.span.clone())?;
            let raw = Raw::parse(&text).ok_or_else(|| rewritten_meanwhile(record))?;
            let current = current_form(log, at, raw);
            let current =
                Raw::parse(current.as_bytes()).ok_or_else(|| rewritten_meanwhile(record))?;
            let json = rewritten(entry, current, &id, lines.leaf(), |named| lines.new_name(named));
            lines.push(id, &json, record.entries[at].own);
        }
        Ok(())
    }

    /// Reads the index of an imported session, without holding its text.
    fn read_index(&self, record: &SessionRecord) -> Result<(Log, Tree)> {
        let log = Log::read(self.session_reader(record.no)?).map_err(|error| match error {
            ReadError::NoHeader => rewritten_meanwhile(record),
            ReadError::Io(source) => ForestError::SessionGone { file: record.file.clone(), source },
        })?;
        if log.entries().len() != record.entries.len() {
            return Err(rewritten_meanwhile(record));
        }
        let tree = Tree::new(&log, View::Repaired);
        Ok((log, tree))
    }
}

/// Where in a session a conversation ends.
type InSession = (Arc<SessionRecord>, Target);

#[derive(Clone, Copy)]
enum Target {
    /// An entry, by position.
    Entry(usize),
    /// A message and what was done after it: settings that were changed there are in force.
    After(NodeId),
}

impl Target {
    fn entry(self, record: &SessionRecord, tree: &Tree) -> usize {
        let node = match self {
            Self::Entry(at) => return at,
            Self::After(node) => Place::Node(node),
        };
        let stands_there = |at: &usize| record.entries[*at].place == node;
        let follows_it = |at: &usize| {
            let path = std::iter::successors(Some(*at), |&at| tree.parent(at));
            path.take_while(stands_there).any(|at| record.entries[at].own)
        };
        let mut entries = (0..record.entries.len()).rev().filter(stands_there);
        entries.find(follows_it).expect("a session that says a message has an entry there")
    }
}

/// What to do about a session that has lost the beginning of a conversation.
#[derive(Clone, Copy)]
enum Beginning {
    /// Nothing.
    AsItIs,
    /// Take it from a session that has it.
    Sought,
}

/// The end of a conversation: the entry of a session, and what was said after it by hand.
struct End {
    in_session: Option<InSession>,
    by_hand: Vec<Arc<Node>>,
}

fn rewritten_meanwhile(record: &SessionRecord) -> ForestError {
    let source =
        io::Error::new(io::ErrorKind::InvalidData, "the file has changed since it was read");
    ForestError::SessionGone { file: record.file.clone(), source }
}

/// The bytes of an imported session, from the first to the last.
#[derive(Debug)]
pub struct SessionReader<'a, S> {
    store: &'a S,
    no: SessionNo,
    position: u64,
    length: u64,
}

impl<S: Store> Read for SessionReader<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = (buffer.len() as u64).min(self.length - self.position);
        let range = self.position..self.position + wanted;
        let piece = self.store.session_text(self.no, range).map_err(io::Error::other)?;
        buffer[..piece.len()].copy_from_slice(&piece);
        self.position += wanted;
        Ok(piece.len())
    }
}
