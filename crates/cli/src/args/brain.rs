//! What can be typed to take sessions in, to search, and to look after units of work.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use pi_brain_brain::{EdgeType, FlagType, NodeType, Outcome, words};
use pi_brain_store::Order;

use crate::when::Day;

pub(super) const INGEST_HELP: &str = "\
Reading commands take in what is new by themselves; this one shows how it goes, and keeps the search index up to date.
Examples:
  pi-brain ingest
  pi-brain ingest --json | jq .nodes";

pub(super) const SEARCH_HELP: &str = "\
Words are looked for one by one, and those who have more of them come first. Filters narrow the list down:
  \"exact phrase\"  -without  project:shop  file:src/cart.ts  tool:bash  model:opus  type:debugging
  outcome:failed  after:2w  before:2026-10-01  is:abandoned  kind:node  role:user

Examples:
  pi-brain search \"permission denied\" project:shop
  pi-brain search why did we drop redis
  pi-brain search readNodeErrorCode after:3mo --json | jq '.results[].file'
  pi-brain search --deep 0xdeadbeef            also what the index leaves out of long tool output";

pub(super) const ASK_HELP: &str = "\
The answer is made of sentences from your sessions, each with a number that leads to its line; no model is asked. What was \
decided otherwise later, or given up, is marked. Money, files, errors, models and projects are looked up in the tables. When \
nothing fits, that is said, and the exit code is 3.

Examples:
  pi-brain ask why did we drop redis
  pi-brain ask when did the checkout test become flaky
  pi-brain ask what did shop cost last month
  pi-brain ask which sessions changed src/cart.ts
  pi-brain ask which errors came up in march --json | jq -r .answer";

pub(super) const REBUILD_HELP: &str = "\
Session files, node files, editable trees and the journal stay as they are; the database and the search index are \
made anew from them, with the same answers.";

pub(super) const BRIEF_HELP: &str = "\
Examples:
  pi-brain brief
  pi-brain brief ~/shop --json | jq -r '.lessons[].summary'";

pub(super) const NODE_HELP: &str = "\
NODE is the id of a unit of work or the beginning of one (4 digits or more), with -v2 behind it for a version of it.

Examples:
  pi-brain node show 3fa9
  pi-brain node at latest 8c1f2a90                     which unit of work does this line belong to?
  pi-brain node feedback 3fa9 content.outcome failed   what an analysis got wrong
  pi-brain node flag 3fa9 win \"asking for a plan first worked\"
  pi-brain node diff 3fa9                              what the last version changed";

pub(super) const NODES_HELP: &str = "\
Examples:
  pi-brain nodes --project shop --since 2w
  pi-brain nodes --type debugging --outcome failed
  pi-brain nodes --file src/cart.ts --sort cost
  pi-brain nodes --needs-review
  pi-brain nodes --json | jq '.[].summary'";

pub(super) const EDGES_HELP: &str = "\
Links that follow from the sessions (fork, branch, resume …) are drawn by pi-brain; you can add your own.

Examples:
  pi-brain edges list 3fa9
  pi-brain edges add 3fa9 81c0 --type reference --reason \"the same lock, the other way round\"
  pi-brain edges remove 5d1c9a34-…";

pub(super) const FORGET_HELP: &str = "\
The session is left out from now on, and the units of work that were made of it are deleted, with their files. The \
session file itself stays as it is: it is pi's. What a fork of it repeats stays known from the fork. Trees that you \
made with `pi-brain forest` stay, too, and so does what you wrote about it in the journal.

Examples:
  pi-brain forget                         what is forgotten
  pi-brain forget 01a1e054                shows what would go
  pi-brain forget 01a1e054 --yes
  pi-brain forget --project taxes --yes
  pi-brain forget 01a1e054 --undo";

pub(super) const BACKUP_HELP: &str = "\
What cannot be derived again is copied: settings, journal, node files and the trees of the forest. To go back, copy it \
to the data folder and run `pi-brain rebuild`.

Example:
  pi-brain backup ~/backups/pi-brain-$(date +%F)";

#[derive(Args)]
pub(crate) struct IngestOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct SearchOptions {
    /// What to look for
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// At most so many results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Pass over so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Look through the session files themselves, which takes longer and misses nothing
    #[arg(long)]
    pub(crate) deep: bool,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct AskOptions {
    /// The question, in your words
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// At most so many sources
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) limit: usize,
    /// Do not let the model answer, too, that the settings name
    #[arg(long)]
    pub(crate) no_model: bool,
    /// Take secrets out of the answer, as for everything that is passed on
    #[arg(long)]
    pub(crate) redact: bool,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct BriefOptions {
    /// The project's folder [default: the one you are in]
    pub(crate) project: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs; without secrets
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct StatusOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct RefreshOptions {
    /// Do not take in what is new first
    #[arg(long)]
    pub(crate) no_refresh: bool,
}

#[derive(Subcommand)]
pub(crate) enum NodeCommand {
    /// Shows a unit of work: what it was about, what came of it, and what it is linked with
    Show(NodeShowOptions),
    /// Says which unit of work an entry of a session belongs to
    At(NodeAtOptions),
    /// Lists the versions of a unit of work
    Versions(NodeOptions),
    /// Shows what changed from one version to another
    Diff(NodeDiffOptions),
    /// Corrects what an analysis got wrong; the correction outlives later analyses
    #[command(after_help = "\
Examples:
  pi-brain node feedback 3fa9 content.outcome failed
  pi-brain node feedback 3fa9 content.summary \"Moved the carts to Redis, and back.\"
  pi-brain node feedback 3fa9 semantic.tags '[\"redis\", \"carts\"]'")]
    Feedback(FeedbackOptions),
    /// Puts a note on a unit of work
    Flag(FlagOptions),
    /// Takes a unit of work out of lists and search
    Hide(HideOptions),
    /// Shows it again
    Unhide(HideOptions),
}

#[derive(Args)]
pub(crate) struct NodeOptions {
    /// The unit of work
    pub(crate) node: String,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct NodeShowOptions {
    #[command(flatten)]
    pub(crate) what: NodeOptions,
    /// Quote the entries that each statement rests on
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) evidence: bool,
}

#[derive(Args)]
pub(crate) struct NodeAtOptions {
    /// A file, an id or the beginning of one, or `latest` for the file written last
    pub(crate) session: OsString,
    /// The entry: its id, the beginning of it, or its label
    pub(crate) entry: String,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct NodeDiffOptions {
    /// The unit of work
    pub(crate) node: String,
    /// The older version [default: the one before the last]
    #[arg(requires = "new")]
    pub(crate) old: Option<u32>,
    /// The newer version [default: the last]
    pub(crate) new: Option<u32>,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct FeedbackOptions {
    /// The unit of work
    pub(crate) node: String,
    /// Where in it, such as content.outcome or lessons.project[0].summary
    pub(crate) path: String,
    /// What it should say, as JSON or as plain text
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
}

#[derive(Args)]
pub(crate) struct FlagOptions {
    /// The unit of work
    pub(crate) node: String,
    /// What kind of note
    pub(crate) kind: FlagKind,
    /// What it says
    #[arg(allow_hyphen_values = true)]
    pub(crate) message: String,
}

/// The kinds of notes.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FlagKind {
    /// The model did something odd
    Quirk,
    /// It went wrong
    Fail,
    /// It went well
    Win,
    /// Something to remember
    Note,
}

impl From<FlagKind> for FlagType {
    fn from(kind: FlagKind) -> Self {
        match kind {
            FlagKind::Quirk => Self::Quirk,
            FlagKind::Fail => Self::Fail,
            FlagKind::Win => Self::Win,
            FlagKind::Note => Self::Note,
        }
    }
}

#[derive(Args)]
pub(crate) struct HideOptions {
    /// The unit of work
    pub(crate) node: String,
}

#[derive(Args)]
pub(crate) struct NodesOptions {
    /// Only units of work whose project's path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only this kind of work
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(words::<NodeType>()))]
    pub(crate) node_type: Option<String>,
    /// Only those that ended so
    #[arg(long, value_name = "OUTCOME", value_parser = PossibleValuesParser::new(words::<Outcome>()))]
    pub(crate) outcome: Option<String>,
    /// Only those with this tag or topic
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only those that touched a file whose path contains this
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
    /// Only those of this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only those begun since then: 2026-11-01, today, yesterday, 12h, 3d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Day>,
    /// Only those begun before then
    #[arg(long, value_name = "WHEN")]
    pub(crate) before: Option<Day>,
    /// What to sort by
    #[arg(long, value_name = "FIELD", default_value = "newest")]
    pub(crate) sort: NodeOrder,
    /// At most so many [default: 20, as JSON all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only those that you should have a look at, such as where a correction of yours fits no more
    #[arg(long)]
    pub(crate) needs_review: bool,
    /// Hidden ones, too
    #[arg(long)]
    pub(crate) hidden: bool,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum NodeOrder {
    Newest,
    Cost,
    Duration,
}

impl From<NodeOrder> for Order {
    fn from(order: NodeOrder) -> Self {
        match order {
            NodeOrder::Newest => Self::Newest,
            NodeOrder::Cost => Self::Cost,
            NodeOrder::Duration => Self::Duration,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum EdgesCommand {
    /// Lists the links of a unit of work, or all
    List(EdgesListOptions),
    /// Links two units of work
    Add(EdgesAddOptions),
    /// Takes a link away that was added by hand
    Remove(EdgesRemoveOptions),
}

#[derive(Args)]
pub(crate) struct EdgesListOptions {
    /// Only the links of this unit of work
    pub(crate) node: Option<String>,
    /// At most so many [default: 50, as JSON all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct EdgesAddOptions {
    /// Where the link starts
    pub(crate) source: String,
    /// Where it leads
    pub(crate) target: String,
    /// How they belong together
    #[arg(long = "type", value_name = "TYPE", default_value = "semantic")]
    pub(crate) kind: LinkKind,
    /// Why, in your words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
}

/// The kinds of links that a person can draw.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinkKind {
    /// The same topic
    Semantic,
    /// One speaks of the other
    Reference,
    /// A lesson of one was put to use in the other
    LessonApplication,
    /// The same thing went wrong
    FailurePattern,
    /// The same project
    ProjectRelated,
    /// The same technique
    TechniqueShared,
}

impl From<LinkKind> for EdgeType {
    fn from(kind: LinkKind) -> Self {
        match kind {
            LinkKind::Semantic => Self::Semantic,
            LinkKind::Reference => Self::Reference,
            LinkKind::LessonApplication => Self::LessonApplication,
            LinkKind::FailurePattern => Self::FailurePattern,
            LinkKind::ProjectRelated => Self::ProjectRelated,
            LinkKind::TechniqueShared => Self::TechniqueShared,
        }
    }
}

#[derive(Args)]
pub(crate) struct EdgesRemoveOptions {
    /// The id of the link
    pub(crate) edge: String,
}

#[derive(Args)]
pub(crate) struct ForgetOptions {
    /// Files, ids or beginnings of ids
    #[arg(value_name = "SESSION")]
    pub(crate) sessions: Vec<OsString>,
    /// All sessions whose working directory contains this
    #[arg(long, value_name = "TEXT", conflicts_with = "sessions")]
    pub(crate) project: Option<String>,
    /// Do it, instead of showing what would be done
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take in again what was forgotten
    #[arg(long)]
    pub(crate) undo: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct BackupOptions {
    /// A folder that is new or empty
    pub(crate) folder: PathBuf,
    /// The database, too, although it can be made anew
    #[arg(long)]
    pub(crate) all: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct DoctorOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}
