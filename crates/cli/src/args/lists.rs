//! Options of the commands that list what is known across sessions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::RefreshOptions;
use crate::when::Day;

pub(crate) const ERRORS_HELP: &str = "\
Errors that differ only in numbers and paths are one. The node is where it was seen last.
Examples:
  pi-brain errors --unresolved --since 2w
  pi-brain errors --project shop --json | jq '.[].message'";

pub(crate) const COST_HELP: &str = "\
What forks repeat is counted once. Days, weeks and months are those of your time zone.
Examples:
  pi-brain cost --since 30d
  pi-brain cost --by model --project shop
  pi-brain cost --by session --limit 5
  pi-brain cost --json | jq .total.cost";

pub(crate) const FILE_HELP: &str = "\
PATH is a whole path, one from here, or the end of one: then files of all projects that end so are meant.
Examples:
  pi-brain file src/cart.ts
  pi-brain file Cargo.toml --changed";

pub(crate) const GRAPH_HELP: &str = "\
Examples:
  pi-brain graph --project shop | dot -Tsvg > shop.svg
  pi-brain graph --json | jq '.edges | group_by(.type) | map({(.[0].type): length}) | add'";

/// Narrows a list down.
#[derive(Args)]
pub(crate) struct Narrow {
    /// Only work in a directory that contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only since then: 2026-11-01, today, yesterday, 12h, 3d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Day>,
    /// Only before then
    #[arg(long, value_name = "WHEN")]
    pub(crate) before: Option<Day>,
}

/// What all lists have in common.
#[derive(Args)]
pub(crate) struct ListOptions {
    /// At most so many [default: 30 for people, all with --json]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Pass over so many
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ErrorsOptions {
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    /// Only what nobody put right
    #[arg(long)]
    pub(crate) unresolved: bool,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct ModelsOptions {
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct ProjectsOptions {
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct TagsOptions {
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct CostOptions {
    /// What to add up by
    #[arg(long, value_name = "WHAT", default_value = "day")]
    pub(crate) by: CostBy,
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    /// Only models whose name, with the provider, contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostBy {
    Day,
    Week,
    Month,
    Project,
    Model,
    Session,
}

impl From<CostBy> for pi_brain_app::CostBy {
    fn from(by: CostBy) -> Self {
        match by {
            CostBy::Day => Self::Day,
            CostBy::Week => Self::Week,
            CostBy::Month => Self::Month,
            CostBy::Project => Self::Project,
            CostBy::Model => Self::Model,
            CostBy::Session => Self::Session,
        }
    }
}

#[derive(Args)]
pub(crate) struct StatsOptions {
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct FileOptions {
    /// The file: a whole path, one from here, or the end of one
    pub(crate) path: PathBuf,
    /// Only work that changed it
    #[arg(long)]
    pub(crate) changed: bool,
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    #[command(flatten)]
    pub(crate) list: ListOptions,
}

#[derive(Args)]
pub(crate) struct GraphOptions {
    /// In the language of Graphviz; this is what you get if you say nothing
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) narrow: Narrow,
    /// At most so many nodes, the newest ones
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) refresh: RefreshOptions,
}
