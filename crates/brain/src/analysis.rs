//! What the log alone tells about a unit of work.
//!
//! Each fact is a module of its own that listens to the entries as they pass and says at the end what it heard.
//! Nothing is kept of an entry but what a fact needs of it, however long the entry is.

mod heard;
mod text;
mod times;
mod models;
mod command;
mod calls;
mod files;
mod errors;
mod language;
mod goal;
mod kind;
mod outcome;
mod semantic;
mod summary;
mod flags;

use pi_brain_session::{Entry, Millis, Raw, Usage};

use crate::ids::NodeId;
use crate::node::{
    Analyzer, DaemonMeta, Ext, LessonsByLevel, ModelObservations, Node, NodeClassification,
    NodeContent, NodeMetadata, NodeSource, SegmentRange,
};
use calls::Calls;
use errors::Errors;
use files::Files;
use flags::Flags;
use goal::Goal;
use heard::Heard;
use models::Models;
use outcome::Ending;
use times::Times;

/// The version of the rules; it changes when equal segments give other nodes.
const ANALYZER_VERSION: &str = "built-in-1";

/// What is known of a segment before its entries are heard.
#[derive(Clone, Debug)]
pub struct SegmentContext {
    /// The node that the segment becomes.
    pub node_id: NodeId,
    /// The absolute path of the session file.
    pub session_file: String,
    /// The session's id.
    pub session_id: String,
    /// The path of the session that this one was forked from.
    pub parent_session: Option<String>,
    /// The machine the session was recorded on.
    pub computer: String,
    /// The working directory of the session; empty if the header names none.
    pub project: String,
    /// Whether this is the project's first session.
    pub is_new_project: bool,
    /// The segment's entries.
    pub segment: SegmentRange,
    /// When the segment began, as it is filed.
    pub started: Millis,
    /// The present time.
    pub now: Millis,
}

/// One entry of a segment.
#[derive(Clone, Copy, Debug)]
pub struct EntryFacts<'a> {
    /// What evidence calls the entry.
    pub id: &'a str,
    /// When it was written.
    pub time: Option<Millis>,
    /// Its index record.
    pub entry: &'a Entry,
    /// Its text.
    pub raw: Raw<'a>,
    /// The tokens and cost that it accounts for here; a copy of what another file tells accounts for none.
    pub counted: Option<Usage>,
}

/// Listens to the entries of a segment, in order, and makes a node of what it heard.
#[derive(Debug)]
pub struct Analysis {
    context: SegmentContext,
    times: Times,
    models: Models,
    calls: Calls,
    files: Files,
    errors: Errors,
    goal: Goal,
    ending: Ending,
    flags: Flags,
}

impl Analysis {
    /// Begins with nothing heard.
    pub fn new(context: SegmentContext) -> Self {
        Self {
            files: Files::new(&context.project),
            context,
            times: Times::default(),
            models: Models::default(),
            calls: Calls::default(),
            errors: Errors::default(),
            goal: Goal::default(),
            ending: Ending::default(),
            flags: Flags::default(),
        }
    }

    /// Takes in the next entry of the segment.
    pub fn hear(&mut self, facts: EntryFacts<'_>) {
        let EntryFacts { id, entry, .. } = facts;
        self.times.hear(entry, facts.time);
        self.models.hear(entry, facts.counted);
        match Heard::of(entry, facts.raw) {
            Heard::Request { text } => {
                self.goal.hear(id, &text);
                self.ending.hear_request(id);
            }
            Heard::Answer(answer) => {
                match &answer.error {
                    Some(error) => self.errors.model_failed(id, error),
                    None => self.errors.model_succeeded(),
                }
                self.ending.hear_answer(id, &answer);
                for call in answer.calls {
                    self.calls.made(self.files.locate(call));
                }
            }
            Heard::Result { call_id, tool, failure, nested } => {
                let call = self.calls.answered(call_id.as_deref(), tool);
                match &failure {
                    Some(text) => self.errors.call_failed(id, &call, text, self.models.current()),
                    None => {
                        self.errors.call_succeeded(&call);
                        self.files.touch(&call);
                    }
                }
                self.ending.hear_result(failure.is_some());
                for call in nested {
                    let call = self.files.locate(call);
                    self.files.touch(&call);
                    self.calls.made(call);
                }
            }
            Heard::Flag { flag_type, message } => self.flags.hear(id, flag_type, message),
            Heard::Nothing => {}
        }
    }

    /// Returns the node, in its first version.
    pub fn finish(mut self) -> Node {
        // A call without result is taken to have worked: the session was cut off, not the tool.
        for call in self.calls.unanswered() {
            self.files.touch(call);
        }
        let (files, calls) = (self.files, self.calls);
        let errors = self.errors.finish();
        let verdict = self.ending.verdict(errors.unresolved.as_ref(), !files.modified.is_empty());
        let language = language::main_language(&files);
        let frameworks = language::frameworks(&files, &calls);
        let work = kind::Work { goal: self.goal.text(), files: &files, calls: &calls };
        let node_type = kind::node_type(&work);
        let semantic = semantic::semantic(&work, language, &frameworks);
        let summary = summary::summary(&self.goal, &files, &calls, &verdict);
        let usage = self.models.total();

        let mut evidence = errors.evidence;
        evidence.extend(self.goal.entry().map(|id| ("ext.goal".to_owned(), vec![id.to_owned()])));
        let shown_by = verdict.entry.map(|id| ("content.outcome".to_owned(), vec![id]));
        evidence.extend(shown_by);

        let context = self.context;
        Node {
            id: context.node_id,
            version: 1,
            previous_versions: Vec::new(),
            source: NodeSource {
                session_file: context.session_file,
                segment: context.segment,
                computer: context.computer,
                session_id: context.session_id,
                parent_session: context.parent_session,
            },
            classification: NodeClassification {
                node_type,
                project: context.project,
                is_new_project: context.is_new_project,
                had_clear_goal: self.goal.is_clear(),
                language: language.map(str::to_owned),
                frameworks: (!frameworks.is_empty()).then_some(frameworks),
            },
            content: NodeContent {
                summary,
                outcome: verdict.outcome,
                key_decisions: Vec::new(),
                files_touched: files.touched(),
                tools_used: calls.in_order().to_vec(),
                errors_seen: errors.seen,
            },
            lessons: LessonsByLevel::default(),
            observations: ModelObservations {
                tool_use_errors: errors.tool_errors,
                models_used: self.models.finish(),
                ..ModelObservations::default()
            },
            metadata: NodeMetadata {
                tokens_used: usage.input.saturating_add(usage.output),
                cost: models::dollars(usage.cost),
                duration_minutes: self.times.wall_clock_minutes(),
                timestamp: times::writable(context.started),
                analyzed_at: times::writable(context.now),
                analyzer_version: ANALYZER_VERSION.to_owned(),
            },
            semantic,
            daemon_meta: DaemonMeta::default(),
            ext: Some(Ext {
                evidence,
                signals: self.flags.finish(),
                goal: self.goal.shown(),
                files_read: files.read.into_keys().collect(),
                files_modified: files.modified.into_keys().collect(),
                tool_counts: calls.into_counts(),
                active_minutes: self.times.active_minutes(),
                ..Ext::new(Analyzer::BuiltIn)
            }),
        }
    }
}

#[cfg(test)]
mod tests;
