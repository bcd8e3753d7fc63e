//! From what the file says to what can be used; whatever cannot is told with its key and line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cronexpr::{FallbackTimezoneOption, ParseOptions, parse_crontab_with};
use globset::{Glob, GlobSetBuilder};
use pi_brain_agent::{KeySource, Limits, OpenAiSettings, PiSettings, Price};
use pi_brain_brain::Rules;
use pi_brain_session::SessionFolder;
use toml::Spanned;

use super::file::{
    AnalysisConfig, BudgetConfig, By, DaemonConfig, PiMode, PriceConfig, ScheduleConfig,
    SegmentsConfig, SourceConfig,
};
use super::{AnalysisBy, AnalysisSettings, Budget, DaemonSettings, Schedules, Source, Sources};
use crate::error::{AppError, Result};

const MINUTE: Duration = Duration::from_secs(60);

/// A file with settings that is being looked through.
pub(super) struct Checked<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
    pub(super) home: &'a Path,
}

impl Checked<'_> {
    pub(super) fn sources(
        &self,
        named: Vec<SourceConfig>,
        exclude: &[Spanned<String>],
        usual: Source,
    ) -> Result<Sources> {
        let mut patterns = GlobSetBuilder::new();
        for pattern in exclude {
            let expanded = self.expand(pattern.as_ref());
            let glob = Glob::new(&expanded.to_string_lossy());
            patterns.add(glob.map_err(|error| self.wrong("exclude", pattern, &error.to_string()))?);
        }
        let exclude =
            patterns.build().map_err(|error| self.wrong_at("exclude", 0, &error.to_string()))?;
        let named = named.into_iter().map(|source| Source {
            folder: SessionFolder::Flat(self.expand(&source.path)),
            computer: source.computer.unwrap_or_else(|| usual.computer.clone()),
        });
        let named: Vec<Source> =
            named.filter(|source| source.folder.path() != usual.folder.path()).collect();
        Ok(Sources { folders: [usual].into_iter().chain(named).collect(), exclude })
    }

    pub(super) fn rules(&self, config: &SegmentsConfig) -> Result<Rules> {
        let minutes = self.at_least_one("segments.idle_minutes", config.idle_minutes.as_ref())?;
        let usual = Rules::default();
        Ok(Rules { gap: minutes.map_or(usual.gap, |minutes| MINUTE * minutes), ..usual })
    }

    pub(super) fn daemon(&self, config: &DaemonConfig) -> Result<DaemonSettings> {
        let workers = self.at_least_one("daemon.workers", config.workers.as_ref())?.unwrap_or(2);
        if workers > 16
            && let Some(said) = &config.workers
        {
            return Err(self.wrong("daemon.workers", said, "at most 16 can work at the same time"));
        }
        Ok(DaemonSettings { port: config.port.unwrap_or(8765), workers: workers as usize })
    }

    pub(super) fn analysis(&self, config: AnalysisConfig) -> Result<Option<AnalysisSettings>> {
        let seconds =
            self.at_least_one("analysis.timeout_seconds", config.timeout_seconds.as_ref())?;
        let timeout = Duration::from_secs(seconds.unwrap_or(600).into());
        let usual = Limits::default();
        let part = self.at_least_one("analysis.part_tokens", config.part_tokens.as_ref())?;
        let answer = self.at_least_one("analysis.answer_tokens", config.answer_tokens.as_ref())?;
        let limits = Limits {
            part_tokens: part.map_or(usual.part_tokens, u64::from),
            answer_tokens: answer.map_or(usual.answer_tokens, u64::from),
        };
        let price = config.price.map(|price| self.price(&price)).transpose()?;
        let Some(by) = config.by.filter(|by| *by.as_ref() != By::None) else { return Ok(None) };
        let by = match by.as_ref() {
            By::OpenAi => {
                let key = self.key(config.openai.key_env, config.openai.key_command)?;
                let missing = |key: &str| {
                    let reason = format!("with `openai`, {key} has to be said, too");
                    self.wrong("analysis.by", &by, &reason)
                };
                let base_url = config.openai.base_url;
                let base_url = base_url.ok_or_else(|| missing("analysis.openai.base_url"))?;
                let model = config.openai.model.ok_or_else(|| missing("analysis.openai.model"))?;
                AnalysisBy::OpenAi(OpenAiSettings { base_url, model, key, price, timeout })
            }
            By::Pi | By::None => AnalysisBy::Pi {
                settings: PiSettings {
                    program: self.expand(config.pi.program.as_deref().unwrap_or("pi")),
                    provider: config.pi.provider,
                    model: config.pi.model,
                    skills: config.skills.iter().map(|skill| self.expand(skill)).collect(),
                    timeout,
                },
                stays: config.pi.mode == PiMode::Rpc,
            },
        };
        Ok(Some(AnalysisSettings {
            by,
            days: config.days.unwrap_or(14),
            answers: config.answers.unwrap_or(true),
            limits,
            price,
        }))
    }

    fn key(&self, variable: Option<Spanned<String>>, command: Option<String>) -> Result<KeySource> {
        match (variable, command) {
            (None, None) => Ok(KeySource::None),
            (None, Some(command)) => Ok(KeySource::Command(command)),
            (Some(variable), None) => Ok(KeySource::Environment(variable.into_inner())),
            (Some(variable), Some(_)) => {
                let reason = "the key comes from a variable or from a command, not from both";
                Err(self.wrong("analysis.openai.key_env", &variable, reason))
            }
        }
    }

    fn price(&self, price: &Spanned<PriceConfig>) -> Result<Price> {
        let PriceConfig { input, output } = price.as_ref();
        if [input, output].into_iter().all(|price| price.is_finite() && *price >= 0.0) {
            return Ok(Price { input: *input, output: *output });
        }
        let reason = "prices are dollars for a million tokens, and not negative";
        Err(self.wrong("analysis.price", price, reason))
    }

    pub(super) fn budget(&self, config: &BudgetConfig) -> Result<Budget> {
        let dollars = |key: &str, said: Option<&Spanned<f64>>| match said {
            Some(said) if !(said.as_ref().is_finite() && *said.as_ref() >= 0.0) => {
                Err(self.wrong(key, said, "a limit in dollars is not negative"))
            }
            said => Ok(said.map(|said| *said.as_ref())),
        };
        Ok(Budget {
            tokens_per_day: config.tokens_per_day.unwrap_or(2_000_000),
            tokens_per_run: config.tokens_per_run.unwrap_or(1_000_000),
            dollars_per_day: dollars("budget.dollars_per_day", config.dollars_per_day.as_ref())?,
            dollars_per_run: dollars("budget.dollars_per_run", config.dollars_per_run.as_ref())?,
        })
    }

    pub(super) fn schedule(&self, config: &ScheduleConfig) -> Result<Schedules> {
        let time = |key: &str, said: &Option<Spanned<String>>, usual: &str| {
            let text = said.as_ref().map_or(usual, |said| said.as_ref());
            if matches!(text, "never" | "") {
                return Ok(None);
            }
            let zone = FallbackTimezoneOption::System;
            let mut options = ParseOptions::default();
            options.fallback_timezone_option = zone;
            parse_crontab_with(text, options).map(Some).map_err(|error| match said {
                Some(said) => self.wrong(key, said, &error.to_string()),
                None => self.wrong_at(key, 0, &error.to_string()),
            })
        };
        Ok(Schedules {
            reanalyse: time("schedule.reanalyse", &config.reanalyse, "0 3 * * *")?,
            reanalyse_batch: config.reanalyse_batch.unwrap_or(20),
            link: time("schedule.link", &config.link, "30 3 * * *")?,
        })
    }

    fn at_least_one(&self, key: &str, said: Option<&Spanned<u32>>) -> Result<Option<u32>> {
        match said {
            Some(said) if *said.as_ref() == 0 => {
                Err(self.wrong(key, said, "it has to be at least 1"))
            }
            said => Ok(said.map(|said| *said.as_ref())),
        }
    }

    fn wrong<T>(&self, key: &str, said: &Spanned<T>, reason: &str) -> AppError {
        self.wrong_at(key, said.span().start, reason)
    }

    fn wrong_at(&self, key: &str, position: usize, reason: &str) -> AppError {
        let before = self.text.get(..position).unwrap_or_default();
        AppError::Setting {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            key: key.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// Lets a path start in the home folder.
    fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None if path == "~" => self.home.to_owned(),
            None => PathBuf::from(path),
        }
    }
}
