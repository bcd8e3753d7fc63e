//! What can be typed to have a model read units of work, and to choose which one.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use crate::when::Day;

pub(super) const ANALYZE_HELP: &str = "\
The model is the one that config.toml names under [analysis]; without one, none is asked. What leaves this machine is a short \
form of each unit of work, without secrets (`pi-brain redact` shows which). What it takes is bounded by [budget], told while \
it happens, and remembered: `pi-brain status` shows it.

Without arguments: the units of work of the last days (`analysis.days`) that no model has read with the present prompts.

Examples:
  pi-brain analyze --dry-run              what it would take
  pi-brain analyze                        what is new
  pi-brain analyze 3fa9 latest            one unit of work, and all of the session written last
  pi-brain analyze --all --since 4w --project shop
  pi-brain analyze 3fa9 --again           also if a model has read it";

pub(super) const CONFIG_HELP: &str = "\
The settings are in config.toml in the data folder (~/.pi-brain, or PI_BRAIN_HOME).

Examples:
  pi-brain config init                              a file in which every key is explained
  pi-brain config set analysis.by pi
  pi-brain config set budget.dollars_per_day 0.50
  pi-brain config get                               every key, and what holds
  pi-brain config check";

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct AnalyzeOptions {
    /// Units of work (ids or beginnings of them) and sessions (files, ids, `latest`)
    #[arg(value_name = "NODE|SESSION")]
    pub(crate) what: Vec<OsString>,
    /// Everything that no model has read, however old
    #[arg(long, conflicts_with = "what")]
    pub(crate) all: bool,
    /// Only work that began since then: 2026-11-01, today, 12h, 3d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Day>,
    /// Only projects whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// At most so many units of work, newest first
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Also what a model has read with the present prompts
    #[arg(long)]
    pub(crate) again: bool,
    /// Only say what it would take
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Writes a file in which every key is explained, and nothing is changed
    Init,
    /// Prints a setting, or all of them
    Get(ConfigGetOptions),
    /// Changes a setting; everything else in the file stays as it is
    Set(ConfigSetOptions),
    /// Takes a setting out of the file, so that the default holds again
    Unset(ConfigKey),
    /// Looks whether all of it can be used, and says what it comes to
    Check(ConfigCheckOptions),
}

#[derive(Args)]
pub(crate) struct ConfigKey {
    /// The key, with dots: `budget.tokens_per_day`
    pub(crate) key: String,
}

#[derive(Args)]
pub(crate) struct ConfigGetOptions {
    /// The key, with dots: `budget.tokens_per_day`
    pub(crate) key: Option<String>,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ConfigSetOptions {
    /// The key, with dots: `budget.tokens_per_day`
    pub(crate) key: String,
    /// The value
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
}

#[derive(Args)]
pub(crate) struct ConfigCheckOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}
