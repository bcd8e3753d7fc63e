//! What the log alone tells about a unit of work.
//!
//! Each fact is a module of its own that listens to the entries as they pass and says at the end what it heard.
//! Nothing is kept of an entry but what a fact needs of it, however long the entry is.

mod heard;
mod text;
mod speech;
mod talk;
mod times;
mod models;
mod command;
mod calls;
mod files;
mod errors;
pub(crate) mod examples;
mod familiar;
mod language;
mod goal;
mod traits;
mod judgement;
mod kind;
mod outcome;
mod semantic;
mod summary;
mod flags;
mod helpers;
mod signals;
mod decisions;
mod lessons;
mod observations;
mod insight;

pub use decisions::exchange::read as read_exchange;
pub use judgement::{Fitted, measure, short};
pub use kind::KINDS;
pub use outcome::OUTCOMES;
pub use traits::{Part, Traits};

use std::mem::take;

use pi_brain_session::{Entry, Millis, Raw, Usage};

use crate::boundary::Cause;
use crate::ids::NodeId;
use crate::node::{
    Analyzer, DaemonDecision, DaemonMeta, Ext, ManualFlag, ModelObservations, Node,
    NodeClassification, NodeContent, NodeMetadata, NodeSource, NodeType, SegmentRange,
};
use crate::word::word;
use calls::Calls;
use errors::hidden::{echoes_failure, hides_failure, is_no_failure, tells_failure};
use errors::trouble::{Views, shows_own_log};
use errors::{Errors, Report};
use files::Files;
use flags::Flags;
use goal::Goal;
use heard::{Call, Heard, Output};
use helpers::Helpers;
use insight::{Impressions, Insight};
use kind::Work;
use models::Models;
use outcome::{Circumstances, Ending};
use signals::Workshop;
use talk::{Speaker, Talk};
use times::Times;
use traits::Scene;

/// The version of the rules; it changes when equal segments give other nodes.
const ANALYZER_VERSION: &str = "built-in-10";

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
    /// What opened the segment.
    pub opened_by: Option<Cause>,
    /// What ended it.
    pub ended_by: Option<Cause>,
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
    helpers: Helpers,
    talk: Talk,
    switched_model: bool,
    /// Whether a call failed and the user has said nothing since.
    is_failing: bool,
    recovered: bool,
}

/// Who ran something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Model,
    User,
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
            helpers: Helpers::default(),
            talk: Talk::default(),
            switched_model: false,
            is_failing: false,
            recovered: false,
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
                self.talk.hear(id, Speaker::User, &text, false);
                self.errors.hear_request();
                self.is_failing = false;
            }
            Heard::Summary { text } => {
                self.goal.hear_summary(&text);
                self.talk.hear(id, Speaker::Summary, &text, false);
            }
            Heard::ModelChange => {
                self.switched_model |= self.talk.by(Speaker::Model).next().is_some();
            }
            Heard::Answer(answer) => {
                match &answer.error {
                    Some(error) => self.errors.model_failed(id, error),
                    None => self.errors.model_succeeded(),
                }
                self.ending.hear_answer(id, &answer);
                self.talk.hear(id, Speaker::Model, &answer.text, !answer.calls.is_empty());
                for call in answer.calls {
                    self.calls.made(self.files.locate(call));
                }
            }
            Heard::Result { call_id, tool, failure, output, nested } => {
                let call = self.calls.answered(call_id.as_deref(), tool);
                self.hear_result(id, &call, failure, output, Caller::Model);
                for call in nested {
                    let call = self.files.locate(call);
                    self.files.touch(&call);
                    self.calls.made(call);
                }
            }
            Heard::Shell { call, failure, output } => {
                self.hear_result(id, &call, failure, output, Caller::User);
            }
            Heard::Flag { flag_type, message } => self.flags.hear(id, flag_type, message),
            Heard::Nothing => {}
        }
    }

    /// Takes in what a call gave back, which may hide that it failed.
    fn hear_result(
        &mut self,
        id: &str,
        call: &Call,
        failure: Option<String>,
        output: Output<'_>,
        caller: Caller,
    ) {
        let views = Views::of(call);
        let was_flagged = failure.is_some();
        let (mut failure, mut trouble) = (failure.filter(|text| !is_no_failure(call, text)), None);
        if failure.is_none() && (hides_failure(call) || !views.is_empty()) {
            let printed = output.read();
            trouble = views.trouble(&printed);
            let is_own = trouble.as_ref().is_some_and(|trouble| trouble.is_own);
            let is_seen = trouble.is_some() && !is_own && !shows_own_log(call);
            if is_own
                || !is_seen
                    && hides_failure(call)
                    && (tells_failure(&printed) || echoes_failure(call, &printed))
            {
                failure = Some(printed);
            }
        }
        let model = (caller == Caller::Model).then(|| self.models.current());
        match (&failure, trouble) {
            (Some(text), _) => self.errors.call_failed(id, call, text, model),
            (None, Some(trouble)) => self.errors.observed(id, call, views, trouble, model),
            (None, None) => {
                // A search that finds nothing does not show that what ran before it worked.
                if !was_flagged || call.only_looks() {
                    self.errors.call_succeeded(id, call);
                }
                self.files.touch(call);
                self.recovered |= self.is_failing;
            }
        }
        self.is_failing = failure.is_some();
        self.helpers.hear(id, call, failure.is_some());
        self.ending.hear_result(call, failure.is_some());
    }

    /// Returns what each exchange is like in which the user may settle something, by the entry of the reply.
    pub fn exchanges(&self) -> Vec<(String, Traits)> {
        let exchanges = decisions::exchanges(&self.talk);
        exchanges.map(|(entry, traits)| (entry.to_owned(), traits)).collect()
    }

    /// Returns what the unit of work is like, for examples to be made of it.
    pub fn into_traits(mut self) -> Traits {
        let errors = take(&mut self.errors).finish();
        self.scene(&self.work(&self.goal.told(), &errors), &errors).traits()
    }

    /// Returns the node, in its first version.
    pub fn finish(mut self) -> Node {
        // A call without result is taken to have worked: the session was cut off, not the tool.
        for call in self.calls.unanswered() {
            self.files.touch(call);
        }
        let errors = take(&mut self.errors).finish();
        let flags = take(&mut self.flags).finish();
        let goal = self.goal.told();
        let work = self.work(&goal, &errors);
        let traits = self.scene(&work, &errors).traits();
        let verdict = self.ending.verdict(&Circumstances {
            talk: &self.talk,
            unresolved: errors.unresolved.as_ref(),
            traits: &traits,
        });
        let (node_type, is_clear) = kind::node_type(&work, &traits);
        let language = language::main_language(&self.files);
        let frameworks = language::frameworks(&self.files, &self.calls);
        let semantic = semantic::semantic(&work, language, &frameworks);
        let summary = summary::summary(&self.goal, &self.files, &self.calls, &verdict);
        let usage = self.models.total();
        let insight = self.insight(&errors, flags, &semantic.tags);
        let shown =
            [("ext.goal", self.goal.entry()), ("content.outcome", verdict.entry.as_deref())];
        let shown = shown
            .into_iter()
            .filter_map(|(path, id)| Some((path.to_owned(), vec![id?.to_owned()])));
        let mut evidence = errors.evidence;
        evidence.extend(shown.chain(insight.evidence));
        let doubts = doubts(&self.context, &verdict, node_type, is_clear);

        let (files, calls) = (self.files, self.calls);
        let context = self.context;
        let metadata = metadata(&context, &self.times, &usage);
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
                key_decisions: insight.key_decisions,
                files_touched: files.touched(),
                tools_used: calls.in_order().to_vec(),
                errors_seen: errors.seen,
            },
            lessons: insight.lessons,
            observations: ModelObservations {
                tool_use_errors: errors.tool_errors,
                models_used: self.models.finish(),
                ..insight.observations
            },
            metadata,
            semantic,
            daemon_meta: DaemonMeta { decisions: doubts, ..DaemonMeta::default() },
            ext: Some(Ext {
                evidence,
                signals: insight.signals,
                goal: self.goal.shown(),
                files_read: files.read.into_keys().collect(),
                files_modified: files.modified.into_keys().collect(),
                tool_counts: calls.into_counts(),
                active_minutes: self.times.active_minutes(),
                ..Ext::new(Analyzer::BuiltIn)
            }),
        }
    }

    fn work<'a>(&'a self, goal: &'a str, errors: &Report) -> Work<'a> {
        Work {
            goal,
            files: &self.files,
            calls: &self.calls,
            opened_by: self.context.opened_by,
            had_errors: !errors.seen.is_empty(),
        }
    }

    fn scene<'a>(&'a self, work: &'a Work<'a>, errors: &Report) -> Scene<'a> {
        Scene {
            work,
            talk: &self.talk,
            ending: &self.ending,
            left_error: errors.unresolved.is_some(),
            ended_by: self.context.ended_by,
        }
    }

    fn insight(&mut self, errors: &Report, flags: Vec<ManualFlag>, tags: &[String]) -> Insight {
        let helpers = take(&mut self.helpers).finish();
        Insight::of(Impressions {
            talk: &self.talk,
            flags,
            helpers: &helpers,
            tags,
            model: &self.models.current().to_string(),
            has_clear_goal: self.goal.is_clear(),
            recoveries: &errors.recoveries,
            tool_errors: errors.tool_errors.iter().cloned().zip(errors.counts.clone()).collect(),
            workshop: Workshop {
                recovered: self.recovered,
                ends_failing: self.is_failing,
                switched_model: self.switched_model,
                ..Workshop::counted(&self.calls, &self.files, &errors.counts)
            },
        })
    }
}

fn metadata(context: &SegmentContext, times: &Times, usage: &Usage) -> NodeMetadata {
    NodeMetadata {
        tokens_used: usage.input.saturating_add(usage.output),
        cost: models::dollars(usage.cost),
        duration_minutes: times.wall_clock_minutes(),
        timestamp: times::writable(context.started),
        analyzed_at: times::writable(context.now),
        analyzer_version: ANALYZER_VERSION.to_owned(),
    }
}

/// Says where another reader could come to another conclusion.
fn doubts(
    context: &SegmentContext,
    verdict: &outcome::Verdict,
    node_type: NodeType,
    is_clear: bool,
) -> Vec<DaemonDecision> {
    let doubt = |decision: String, reasoning: &str| DaemonDecision {
        // Not the present time: the same segment must give the same node.
        timestamp: times::writable(context.started),
        decision,
        reasoning: reasoning.to_owned(),
        needs_review: Some(true),
    };
    let outcome =
        verdict.doubt.map(|why| doubt(format!("outcome: {}", word(&verdict.outcome)), why));
    let kind = (!is_clear).then(|| {
        doubt(format!("type: {}", word(&node_type)), "the words speak for another type as much")
    });
    outcome.into_iter().chain(kind).collect()
}

#[cfg(test)]
mod tests;
