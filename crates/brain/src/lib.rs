//! Units of work: how they are cut out of sessions, what is known of each, and how they are linked.
//!
//! Pure functions over values. An [`Outline`] is what the cutting of a session file depends on; [`cut_family`] cuts the
//! files of a family into [`Segment`]s; an [`Analysis`] listens to the entries of a segment and makes a [`Node`] of it;
//! [`structural_edges`] link the nodes of a family, [`Linker`] those that have something in common. A node has
//! versions, which [`compute_diff`] compares. Across nodes, [`group_lessons`] and [`find_patterns`] say what comes up again.
//! [`redact`] takes secrets out of text that leaves the machine.
//!
//! It knows nothing of files, databases, processes, or the clock.

mod ids;
mod line;
mod outline;
mod boundary;
mod segment;
mod family;
mod edge;
mod link;
mod cluster;
mod layout;
mod lesson_groups;
mod failure_pattern;
mod node;
mod schema;
mod analysis;
mod answer;
mod path;
mod version;
mod diff;
mod vocabulary;
mod thesaurus;
mod redact;
mod word;
mod error;

pub use analysis::{
    Analysis, EntryFacts, Fitted, KINDS, OUTCOMES, Part, SegmentContext, Traits, measure,
    read_exchange, short,
};
pub use answer::{
    Asks, Chosen, Commonness, Passage, Question, Quote, Standing, Table, Voice, choose, file_in,
    plain_word,
};
pub use boundary::{Boundary, BoundaryKind, Cause, Rules, detect_boundaries};
pub use cluster::{Named, find_clusters, name_clusters};
pub use diff::{ChangeType, FieldChange, NodeDiff, compute_diff};
pub use edge::{Edge, EdgeCreator, EdgeExt, EdgeMetadata, EdgeType, structural_edges};
pub use error::{BrainError, Result};
pub use failure_pattern::{FailurePattern, Resolution, SeenError, find_patterns};
pub use family::{Cut, FamilyFile, cut_family};
pub use ids::{BadId, EdgeId, NodeId, NodeRef};
pub use layout::{Point, layout};
pub use lesson_groups::{LearntLesson, LessonGroup, Trend, group_lessons};
pub use link::{ErrorFact, LessonFact, Linker, NodeFacts, error_signature};
pub use node::{
    Analyzer, Confidence, DaemonDecision, DaemonMeta, Decision, ErrorSummary, Ext, Feedback,
    FlagType, Frequency, Lesson, LessonLevel, LessonsByLevel, ManualFlag, ModelObservations,
    ModelQuirk, ModelUsage, Node, NodeClassification, NodeContent, NodeMetadata, NodeSource,
    NodeType, Outcome, SCHEMA_VERSION, SegmentRange, SemanticData, Severity, Signals, ToolError,
    VersionTrigger,
};
pub use outline::{Aside, Kind, ModelName, Outline, SessionFacts, Sketch};
pub use redact::{Redaction, redact};
pub use schema::{edge_schema, node_schema};
pub use segment::{Place, Segment, extract_segments};
pub use version::{apply_feedback, next_version, same_content};
pub use word::{word, words};
