//! The settings of a user: `config.toml` in the data folder.
//!
//! A file that is not there, and a key that is not in it, mean the default. A key that is not known is an error, and so is
//! a value that cannot be used: both are told with the line they stand on.

mod checked;
mod edit;
mod file;
mod guide;

use std::fs;
use std::io;
use std::path::Path;

use cronexpr::Crontab;
use globset::GlobSet;
use pi_brain_agent::{Limits, OpenAiSettings, PiSettings, Price};
use pi_brain_brain::Rules;
use pi_brain_session::SessionFolder;

use crate::error::{AppError, Result};
use checked::Checked;
pub use edit::{SettingValue, SettingsFile};
use file::Config;
pub use guide::ExplainedSetting;

/// A file that says what holds without one, with every key explained.
pub const DEFAULT_SETTINGS: &str = include_str!("settings/default.toml");

/// What a user can choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where sessions come from.
    pub sources: Sources,
    /// Where units of work end.
    pub rules: Rules,
    /// How the daemon is run.
    pub daemon: DaemonSettings,
    /// Which model reads units of work, and how; none unless somebody chose one.
    pub analysis: Option<AnalysisSettings>,
    /// What models may take.
    pub budget: Budget,
    /// What the daemon does by itself, and when.
    pub schedule: Schedules,
}

/// Where sessions come from, and which are left out.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The folders with sessions.
    pub folders: Vec<Source>,
    exclude: GlobSet,
}

/// A folder with sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The folder.
    pub folder: SessionFolder,
    /// The machine that they were recorded on.
    pub computer: String,
}

/// How the daemon is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaemonSettings {
    /// Where it listens, unless it is told otherwise when it is started.
    pub port: u16,
    /// How many units of work are read by a model at the same time.
    pub workers: usize,
}

/// Which model reads units of work, and how.
#[derive(Clone, Debug)]
pub struct AnalysisSettings {
    /// How the model is asked.
    pub by: AnalysisBy,
    /// How old work may be that the daemon gives to the model by itself.
    pub days: u32,
    /// Whether questions are answered by the model, too.
    pub answers: bool,
    /// How much is asked at once.
    pub limits: Limits,
    /// What the model costs, if somebody said so.
    pub price: Option<Price>,
}

/// How a model is asked.
#[derive(Clone, Debug)]
pub enum AnalysisBy {
    /// Through pi, which is started for each request, or once for many.
    Pi {
        /// How pi is run.
        settings: PiSettings,
        /// Whether one pi answers many requests.
        stays: bool,
    },
    /// Over HTTP.
    OpenAi(OpenAiSettings),
}

/// What models may take. A run is one `pi-brain analyze`, or what the daemon does of a schedule at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Budget {
    pub tokens_per_day: u64,
    pub tokens_per_run: u64,
    pub dollars_per_day: Option<f64>,
    pub dollars_per_run: Option<f64>,
}

/// What the daemon does by itself, and when. What has no time is not done.
#[derive(Clone, Debug)]
pub struct Schedules {
    /// Reads again what was read with other prompts.
    pub reanalyse: Option<Crontab>,
    /// How many units of work that are each time.
    pub reanalyse_batch: u32,
    /// Finds all links anew.
    pub link: Option<Crontab>,
}

impl Settings {
    /// Reads the settings. Folders that they name come after `usual`, which is where pi on this machine writes.
    pub fn read(path: &Path, usual: Source, home: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(AppError::Read { path: path.to_owned(), source }),
        };
        Self::parse(&text, path, usual, home)
    }

    /// Reads settings that stand, or shall stand, in a file.
    pub fn parse(text: &str, path: &Path, usual: Source, home: &Path) -> Result<Self> {
        let config: Config = toml::from_str(text)
            .map_err(|source| AppError::Config { path: path.to_owned(), source })?;
        let checked = Checked { text, path, home };
        Ok(Self {
            sources: checked.sources(config.sources, &config.exclude, usual)?,
            rules: checked.rules(&config.segments)?,
            daemon: checked.daemon(&config.daemon)?,
            analysis: checked.analysis(config.analysis)?,
            budget: checked.budget(&config.budget)?,
            schedule: checked.schedule(&config.schedule)?,
        })
    }
}

impl Sources {
    /// Returns whether a session is left out: because of its file, or because of the project that it is about.
    pub fn excludes(&self, path: &Path) -> bool {
        self.exclude.is_match(path)
    }
}

#[cfg(test)]
mod tests;
