//! Options of the commands that list what was learnt, and how units of work hang together.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pi_brain_brain::LessonLevel;

use super::{ListOptions, Narrow, RefreshOptions};

pub(crate) const PATTERNS_HELP: &str = "\
A pattern is an error of two or more units of work, apart from numbers, paths and ids. The trend compares the last 30 \
days with the 30 before.
Examples:
  pi-brain patterns --project shop
  pi-brain patterns --model opus --json | jq '.[].resolution.summary'";

pub(crate) const LESSONS_HELP: &str = "\
Lessons that say the same in other words are one, in the latest wording. The trend compares the last 30 days with the \
30 before.
Examples:
  pi-brain lessons --project shop --level project
  pi-brain lessons --project shop --format agents-md >> AGENTS.md
  pi-brain lessons --tag postgres --json | jq '.[].summary'";

pub(crate) const DECISIONS_HELP: &str = "\
Examples:
  pi-brain decisions --project shop --since 4w
  pi-brain decisions --tag redis --json | jq '.[] | {what, why}'";

pub(crate) const QUIRKS_HELP: &str = "\
Examples:
  pi-brain quirks --model opus
  pi-brain quirks --since 4w --json";

pub(crate) const RELATED_HELP: &str = "\
Links follow from the sessions (fork, resume …), from what units of work have in common (words, files, tags, errors \
and lessons that few others have), or from you (`pi-brain edges add`).
Examples:
  pi-brain related 3fa9
  pi-brain related 3fa9 --type failure_pattern --json";

pub(crate) const EXPORT_HELP: &str = "\
What is exported is named by the id of a unit of work or the beginning of one, or else by part of a project's path.
Examples:
  pi-brain export --markdown 3fa9 > fix.md
  pi-brain export --markdown shop > shop.md";

pub(crate) const REDACT_HELP: &str = "\
Shows what would be taken out of a text before a model or another program gets it: keys, tokens, private keys, \
passwords. The secrets themselves are not printed.
Examples:
  pi-brain redact notes.md
  env | pi-brain redact -
  pi-brain redact session.jsonl --json | jq '.[].line'";

/// Narrows a list of what is known down.
#[derive(Args)]
pub(crate) struct Among {
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    /// Only with this tag or topic
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only where a model answered whose name, with the provider, contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
}

#[derive(Args)]
pub(crate) struct PatternsOptions {
    #[command(flatten)]
    pub(crate) among: Among,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct LessonsOptions {
    /// Only lessons about this
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// How to print them
    #[arg(long, value_name = "FORMAT", default_value = "table", conflicts_with = "json")]
    pub(crate) format: LessonFormat,
    #[command(flatten)]
    pub(crate) among: Among,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

/// What a lesson is about.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Level {
    /// Facts about the project
    Project,
    /// General techniques
    Task,
    /// What you could do better
    User,
    /// How a model behaves
    Model,
    /// How a tool is used well
    Tool,
    /// How well a skill works
    Skill,
    /// How to work with subagents
    Subagent,
}

impl From<Level> for LessonLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Project => Self::Project,
            Level::Task => Self::Task,
            Level::User => Self::User,
            Level::Model => Self::Model,
            Level::Tool => Self::Tool,
            Level::Skill => Self::Skill,
            Level::Subagent => Self::Subagent,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LessonFormat {
    /// A line for each
    Table,
    /// A block that can be pasted into an AGENTS.md
    AgentsMd,
}

#[derive(Args)]
pub(crate) struct DecisionsOptions {
    #[command(flatten)]
    pub(crate) among: Among,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct QuirksOptions {
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    /// Only models whose name, with the provider, contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct RelatedOptions {
    /// The unit of work
    pub(crate) node: String,
    /// Only links of this type, such as `semantic` or `failure_pattern`
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct PageOptions {
    /// Writes it as Markdown: a unit of work, or part of a project's path
    #[arg(long, value_name = "NODE|PROJECT", required = true)]
    pub(crate) markdown: String,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
}

#[derive(Args)]
pub(crate) struct RedactOptions {
    /// A text file; `-` reads standard input
    pub(crate) file: PathBuf,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}
