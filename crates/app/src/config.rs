//! The settings of a user: `config.toml` in the data folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use pi_brain_session::SessionFolder;
use serde::Deserialize;

use crate::error::{AppError, Result};

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

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    sources: Vec<SourceConfig>,
    exclude: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceConfig {
    path: String,
    computer: Option<String>,
}

impl Sources {
    /// Reads the settings. Folders that they name come after `usual`, which is where pi on this machine writes.
    pub fn read(path: &Path, usual: Source, home: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(AppError::Read { path: path.to_owned(), source }),
        };
        let config: Config = toml::from_str(&text)
            .map_err(|source| AppError::Config { path: path.to_owned(), source })?;
        let mut exclude = GlobSetBuilder::new();
        for pattern in &config.exclude {
            let expanded = expand(pattern, home);
            let glob = Glob::new(&expanded.to_string_lossy()).map_err(|source| {
                AppError::Pattern { path: path.to_owned(), pattern: pattern.clone(), source }
            })?;
            exclude.add(glob);
        }
        let exclude = exclude.build().map_err(|source| AppError::Pattern {
            path: path.to_owned(),
            pattern: config.exclude.join(", "),
            source,
        })?;
        let named = config.sources.into_iter().map(|source| Source {
            folder: SessionFolder::Flat(expand(&source.path, home)),
            computer: source.computer.unwrap_or_else(|| usual.computer.clone()),
        });
        let named: Vec<Source> =
            named.filter(|source| source.folder.path() != usual.folder.path()).collect();
        Ok(Self { folders: [usual].into_iter().chain(named).collect(), exclude })
    }

    /// Returns whether a session is left out: because of its file, or because of the project that it is about.
    pub fn excludes(&self, path: &Path) -> bool {
        self.exclude.is_match(path)
    }
}

/// Lets a path start in the home folder.
fn expand(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if path == "~" => home.to_owned(),
        None => PathBuf::from(path),
    }
}
