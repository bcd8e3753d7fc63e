//! A node: what one unit of work was about, what came of it, and what was learnt.
//!
//! The fields and their names in JSON are the published ones. What this program adds stands in one object, `ext`,
//! which other readers can pass over. A field that is not known is an error and not dropped in silence: a node
//! that is read and written again must not lose what a newer version put there.

use std::collections::BTreeMap;
use std::fmt;

use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{BrainError, Result};
use crate::ids::NodeId;

/// The version of the node format that this build writes; it stands in `ext.schemaVersion`.
pub const SCHEMA_VERSION: u32 = 1;

/// One unit of work, in one of its versions.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Node {
    /// The same in all versions.
    pub id: NodeId,
    /// Counts from 1.
    #[schemars(range(min = 1))]
    pub version: u32,
    /// The earlier versions, oldest first, written `{id}-v{version}`.
    pub previous_versions: Vec<String>,
    /// Where the work is recorded.
    pub source: NodeSource,
    /// What kind of work it was.
    pub classification: NodeClassification,
    /// What happened.
    pub content: NodeContent,
    /// What was learnt.
    pub lessons: LessonsByLevel,
    /// How the models did.
    pub observations: ModelObservations,
    /// Time, tokens and cost.
    pub metadata: NodeMetadata,
    /// By what the node can be found.
    pub semantic: SemanticData,
    /// How the analysis went.
    pub daemon_meta: DaemonMeta,
    /// What goes beyond the published format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext: Option<Ext>,
}

impl Node {
    /// Reads a node from JSON. A node of a later format is refused by name instead of by its first odd field.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let found = serde_json::from_slice::<Glimpse>(json)
            .map(|glimpse| glimpse.ext.map_or(SCHEMA_VERSION, |ext| ext.schema_version));
        match found {
            Ok(found) if found > SCHEMA_VERSION => {
                Err(BrainError::NodeTooNew { found, supported: SCHEMA_VERSION })
            }
            _ => serde_json::from_slice(json).map_err(BrainError::BadNode),
        }
    }

    /// Writes the node as it is kept: in one line, always in the same order.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a node has only text keys and finite numbers") + "\n"
    }

    /// Returns the name of this version, `{id}-v{version}`.
    pub fn reference(&self) -> String {
        format!("{}-v{}", self.id, self.version)
    }

    /// Returns who analysed the segment. A node without `ext` is another program's, and those ask a model through pi.
    pub fn analyzer(&self) -> Analyzer {
        self.ext.as_ref().map_or(Analyzer::Pi, |ext| ext.analyzer)
    }

    /// Returns what goes beyond the published format, which is made up if there is none.
    pub fn ext_mut(&mut self) -> &mut Ext {
        let analyzer = self.analyzer();
        self.ext.get_or_insert_with(|| Ext::new(analyzer))
    }
}

/// As much of a node as tells its format.
#[derive(Deserialize)]
struct Glimpse {
    ext: Option<GlimpseOfExt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GlimpseOfExt {
    schema_version: u32,
}

/// Where a unit of work is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeSource {
    /// The absolute path of the session file.
    pub session_file: String,
    /// Which entries of it.
    pub segment: SegmentRange,
    /// The machine the session was recorded on.
    pub computer: String,
    /// The session's id, from its header.
    pub session_id: String,
    /// The path of the session this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
}

/// A run of entries.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SegmentRange {
    /// The first entry.
    pub start_entry_id: String,
    /// The last entry.
    pub end_entry_id: String,
    /// How many entries.
    pub entry_count: u64,
}

/// What kind of work it was.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeClassification {
    /// The kind.
    #[serde(rename = "type")]
    pub node_type: NodeType,
    /// The absolute path of the project.
    pub project: String,
    /// Whether this is the project's first session.
    pub is_new_project: bool,
    /// Whether the user asked for something definite.
    pub had_clear_goal: bool,
    /// The programming language that most of the work was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Frameworks that were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frameworks: Option<Vec<String>>,
}

/// The kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// Writing new code.
    Coding,
    /// Fixing what is broken.
    Debugging,
    /// Restructuring code that works.
    Refactoring,
    /// Looking after machines.
    Sysadmin,
    /// Reading and finding out.
    Research,
    /// Design and decisions.
    Planning,
    /// Testing and review.
    Qa,
    /// Open-ended exploration.
    Brainstorm,
    /// Passing work on to another session.
    Handoff,
    /// Writing documentation.
    Documentation,
    /// Settings and tooling.
    Configuration,
    /// Handling data.
    Data,
    /// None of these.
    Other,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeContent {
    /// One to three sentences.
    pub summary: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was decided, and why.
    pub key_decisions: Vec<Decision>,
    /// The files that were read or changed, relative to the project where they lie in it.
    pub files_touched: Vec<String>,
    /// The tools that were called, in the order of their first use.
    pub tools_used: Vec<String>,
    /// The errors that came up.
    pub errors_seen: Vec<ErrorSummary>,
}

/// How a unit of work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// What was asked for was done.
    Success,
    /// Some of it was done.
    Partial,
    /// It did not work.
    Failed,
    /// It was given up.
    Abandoned,
}

/// Something that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decision {
    /// What was decided.
    pub what: String,
    /// The reason.
    pub why: String,
    /// What else could have been done.
    pub alternatives_considered: Vec<String>,
}

/// An error that came up.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorSummary {
    /// The category, such as `TypeError` or `exit code 1`.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The line that says most.
    pub message: String,
    /// Whether it was gone by the end.
    pub resolved: bool,
}

/// What was learnt, by what it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LessonsByLevel {
    /// Facts about the project.
    pub project: Vec<Lesson>,
    /// General techniques.
    pub task: Vec<Lesson>,
    /// What the user could do better.
    pub user: Vec<Lesson>,
    /// How a model behaves.
    pub model: Vec<Lesson>,
    /// How a tool is used well.
    pub tool: Vec<Lesson>,
    /// How well a skill works.
    pub skill: Vec<Lesson>,
    /// How to work with subagents.
    pub subagent: Vec<Lesson>,
}

impl LessonsByLevel {
    /// Returns the lessons of each level, with the word for the level.
    pub fn by_level(&self) -> [(LessonLevel, &[Lesson]); 7] {
        [
            (LessonLevel::Project, &self.project),
            (LessonLevel::Task, &self.task),
            (LessonLevel::User, &self.user),
            (LessonLevel::Model, &self.model),
            (LessonLevel::Tool, &self.tool),
            (LessonLevel::Skill, &self.skill),
            (LessonLevel::Subagent, &self.subagent),
        ]
    }
}

/// Something that was learnt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lesson {
    /// What it is about.
    pub level: LessonLevel,
    /// One line.
    pub summary: String,
    /// The whole explanation.
    pub details: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// By what to filter it.
    pub tags: Vec<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actionable: Option<String>,
}

/// What a lesson is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the fields of `LessonsByLevel` say it")]
pub enum LessonLevel {
    Project,
    Task,
    User,
    Model,
    Tool,
    Skill,
    Subagent,
}

/// How sure a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Confidence {
    High,
    Medium,
    Low,
}

/// How the models did.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelObservations {
    /// Tokens and cost, by provider and model.
    pub models_used: Vec<ModelUsage>,
    /// Ways of asking that worked.
    pub prompting_wins: Vec<String>,
    /// Ways of asking that did not.
    pub prompting_failures: Vec<String>,
    /// Behaviour nobody expected.
    pub model_quirks: Vec<ModelQuirk>,
    /// Tool calls that went wrong.
    pub tool_use_errors: Vec<ToolError>,
}

/// Tokens and cost of one model.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ModelUsage {
    pub provider: String,
    pub model: String,
    pub tokens_input: u64,
    pub tokens_output: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Dollars.
    pub cost: f64,
}

/// Behaviour of a model that nobody expected.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelQuirk {
    /// Written `provider/model`.
    pub model: String,
    /// What happened.
    pub observation: String,
    /// How often.
    pub frequency: Frequency,
    /// How to live with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workaround: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

/// How often something was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Frequency {
    Once,
    Sometimes,
    Often,
    Always,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Severity {
    Low,
    Medium,
    High,
}

/// A tool call that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolError {
    /// The tool.
    pub tool: String,
    /// The category.
    pub error_type: String,
    /// What led to it: the file or the command.
    pub context: String,
    /// The model that made the call, written `provider/model`.
    pub model: String,
    /// Whether a later try succeeded.
    pub was_retried: bool,
}

/// Time, tokens and cost.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NodeMetadata {
    /// Input and output; what came from a cache is not in it.
    pub tokens_used: u64,
    /// Dollars.
    pub cost: f64,
    /// From the first entry to the last.
    pub duration_minutes: f64,
    /// When the segment began.
    pub timestamp: Millis,
    /// When it was analysed.
    pub analyzed_at: Millis,
    /// Which prompt or which built-in rules were used.
    pub analyzer_version: String,
}

/// By what a node can be found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SemanticData {
    /// Specific words, such as `jwt`.
    pub tags: Vec<String>,
    /// Broader ones, such as `authentication`.
    pub topics: Vec<String>,
    /// Other projects that this has to do with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related_projects: Option<Vec<String>>,
    /// Technical concepts, such as `caching`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concepts: Option<Vec<String>>,
}

/// How an analysis went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DaemonMeta {
    /// What was decided on the way.
    pub decisions: Vec<DaemonDecision>,
    /// The path of a detailed log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis_log: Option<String>,
    /// Whether the segment was too long to be read at once.
    pub rlm_used: bool,
    /// About how many tokens the segment has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_token_count: Option<u64>,
}

/// Something that was decided during an analysis.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DaemonDecision {
    /// When.
    pub timestamp: Millis,
    /// What.
    pub decision: String,
    /// Why.
    pub reasoning: String,
    /// Whether the user should have a look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_review: Option<bool>,
}

/// What goes beyond the published format.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ext {
    /// The version of the format.
    pub schema_version: u32,
    /// Why this version of the node was made.
    pub trigger: VersionTrigger,
    /// Who analysed the segment.
    pub analyzer: Analyzer,
    /// For the path of a statement in this node, the entries that show it.
    #[serde(default)]
    pub evidence: BTreeMap<String, Vec<String>>,
    /// What the log tells about how the work went.
    #[serde(default)]
    pub signals: Signals,
    /// What was asked for, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Files that were read.
    #[serde(default)]
    pub files_read: Vec<String>,
    /// Files that were written or edited.
    #[serde(default)]
    pub files_modified: Vec<String>,
    /// How often each tool was called.
    #[serde(default)]
    pub tool_counts: BTreeMap<String, u64>,
    /// Minutes without pauses of ten minutes or more.
    #[serde(default)]
    pub active_minutes: f64,
    /// What the user corrected.
    #[serde(default)]
    pub feedback: Vec<Feedback>,
}

impl Ext {
    /// Returns an object that says nothing yet but who speaks.
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            trigger: VersionTrigger::Initial,
            analyzer,
            evidence: BTreeMap::new(),
            signals: Signals::default(),
            goal: None,
            files_read: Vec::new(),
            files_modified: Vec::new(),
            tool_counts: BTreeMap::new(),
            active_minutes: 0.0,
            feedback: Vec::new(),
        }
    }
}

/// Why a version of a node was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionTrigger {
    /// The first analysis.
    Initial,
    /// The analyzer has changed.
    PromptUpdate,
    /// A relation to other nodes was found.
    ConnectionFound,
    /// The user corrected something.
    UserFeedback,
    /// The format has changed.
    SchemaMigration,
    /// The segment has grown.
    SegmentExtended,
}

/// Who analysed a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Analyzer {
    /// This program, by rules.
    BuiltIn,
    /// A model, through pi.
    Pi,
    /// A model, through an HTTP endpoint.
    #[serde(rename = "openai")]
    OpenAi,
}

impl Analyzer {
    /// Returns whether a model was asked.
    pub fn is_model(self) -> bool {
        self != Self::BuiltIn
    }
}

impl fmt::Display for Analyzer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BuiltIn => "built-in",
            Self::Pi => "pi",
            Self::OpenAi => "openai",
        })
    }
}

/// What the log tells about how the work went.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Signals {
    /// How hard it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Friction>,
    /// How well it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delight: Option<Delight>,
    /// What the user flagged by hand.
    #[serde(default)]
    pub manual_flags: Vec<ManualFlag>,
}

/// What made the work hard.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Friction {
    /// Everything together, from 0 to 1.
    pub score: f64,
    /// How often the user asked three times before an answer came.
    pub rephrasing_count: u64,
    /// How often the user wanted it otherwise.
    pub correction_count: u64,
    /// How often the same tool failed three times in the same way.
    pub tool_loop_count: u64,
    /// How often ten more files and folders were looked at.
    pub context_churn_count: u64,
    /// Whether the user changed the model.
    pub model_switched: bool,
    /// Whether it ended with something failing, and nobody said anything more.
    pub silent_termination: bool,
}

/// What made the work a pleasure.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Delight {
    /// Everything together, from 0 to 1.
    pub score: f64,
    /// Whether something failed and then worked without help.
    pub resilient_recovery: bool,
    /// Whether all was done as it was first asked for.
    pub one_shot_success: bool,
    /// Whether the user was content.
    pub explicit_praise: bool,
}

/// Something that the user flagged while working.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManualFlag {
    /// The kind of flag.
    #[serde(rename = "type")]
    pub flag_type: FlagType,
    /// What the user wrote.
    pub message: String,
    /// The entry that holds it.
    pub entry_id: String,
}

/// The kinds of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlagType {
    /// The model did something odd.
    Quirk,
    /// It went wrong.
    Fail,
    /// It went well.
    Win,
    /// Something to remember.
    Note,
}

/// A correction by the user: the value that stands at a path of the node, whatever an analysis says.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Feedback {
    /// Where, such as `content.outcome` or `lessons.project[0].summary`.
    pub path: String,
    /// What stands there; `null` takes an optional field away.
    pub value: serde_json::Value,
}
