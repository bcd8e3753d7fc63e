//! Single settings: what holds, and how to change one without touching the rest of the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pi_brain_store::{DataFolder, put_file};
use toml_edit::{DocumentMut, Item, Table, Value};

use super::guide::explain;
use super::{DEFAULT_SETTINGS, ExplainedSetting, Settings};
use crate::error::{AppError, Result};

/// The file with a user's settings.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    /// Returns the one of a data folder, which need not be there.
    pub fn of(folder: &Path) -> Self {
        Self { path: DataFolder::at(folder).config() }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what it says; nothing if it is not there.
    pub fn read(&self) -> Result<String> {
        match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read.map_err(|source| AppError::Read { path: self.path.clone(), source }),
        }
    }

    /// Lists every setting that has a value.
    pub fn values(&self) -> Result<Vec<SettingValue>> {
        setting_values(&self.read()?, &self.path)
    }

    /// Lists every setting that there is, with what it means and what holds for it.
    pub fn explained(&self) -> Result<Vec<ExplainedSetting>> {
        Ok(explain(self.values()?))
    }

    /// Changes a setting, or takes it out if there is no value. What cannot be used is not written.
    pub fn change(
        &self,
        key: &str,
        value: Option<&str>,
        check: impl FnOnce(&str) -> Result<Settings>,
    ) -> Result<Vec<SettingValue>> {
        let changed = change_setting(&self.read()?, &self.path, key, value)?;
        check(&changed)?;
        self.write(&changed)?;
        setting_values(&changed, &self.path)
    }

    /// Writes the whole file.
    pub fn write(&self, text: &str) -> Result<()> {
        DataFolder::create(self.path.parent().unwrap_or(Path::new("")))?;
        Ok(put_file(&self.path, text.as_bytes(), true)?)
    }
}

/// A setting and what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingValue {
    /// Its key, with dots.
    pub key: String,
    /// Its value, as the file writes it.
    pub value: String,
    /// Whether the file says so; otherwise it is the default.
    pub is_set: bool,
}

/// Lists every setting that has a value: those of the file, and the defaults of the others.
pub(super) fn setting_values(text: &str, path: &Path) -> Result<Vec<SettingValue>> {
    let mut values: Vec<SettingValue> = Vec::new();
    for (is_set, text) in [(true, text.to_owned()), (false, defaults())] {
        let document = parse(&text, path)?;
        for (key, value) in leaves(document.as_table()) {
            if values.iter().all(|known| known.key != key) {
                values.push(SettingValue { key, value, is_set });
            }
        }
    }
    values.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(values)
}

/// Returns the text with a setting changed, or taken out if there is no value. Everything else stays as it is.
///
/// A value that is none in the file's language is taken for a text.
pub(super) fn change_setting(
    text: &str,
    path: &Path,
    key: &str,
    value: Option<&str>,
) -> Result<String> {
    let mut document = parse(text, path)?;
    let mut steps: Vec<&str> = key.split('.').collect();
    let last = steps.pop().unwrap_or_default();
    let mut table = document.as_table_mut();
    for step in steps {
        let fresh = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let next = table.entry(step).or_insert_with(fresh).as_table_mut();
        table =
            next.ok_or_else(|| unknown(path, key, &format!("{step} is no group of settings")))?;
    }
    match value {
        None => drop(table.remove(last)),
        Some(value) => {
            let value = value.parse::<Value>().unwrap_or_else(|_| Value::from(value));
            table.set_implicit(false);
            match table.get_mut(last) {
                Some(Item::Value(before)) => {
                    let decor = before.decor().clone();
                    *before = value;
                    *before.decor_mut() = decor;
                }
                Some(_) => return Err(unknown(path, key, "it is a group of settings")),
                None => drop(table.insert(last, Item::Value(value))),
            }
        }
    }
    Ok(document.to_string())
}

fn parse(text: &str, path: &Path) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
        AppError::Setting {
            path: path.to_owned(),
            line,
            key: "the file".to_owned(),
            reason: error.message().to_owned(),
        }
    })
}

fn unknown(path: &Path, key: &str, reason: &str) -> AppError {
    let (path, key, reason) = (path.to_owned(), key.to_owned(), reason.to_owned());
    AppError::Setting { path, line: 0, key, reason }
}

/// Returns the defaults as a file that says all of them.
fn defaults() -> String {
    let said = DEFAULT_SETTINGS.lines().filter_map(|line| {
        let said = line.strip_prefix("# ").unwrap_or(line);
        let is_key = said.split_once(" = ").is_some_and(|(key, _)| {
            key.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'_')
        });
        (is_key || line.starts_with('[')).then_some(said)
    });
    said.collect::<Vec<_>>().join("\n")
}

/// Returns the values of a table and of those in it, with their keys.
fn leaves(table: &Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), table)];
    while let Some((before, table)) = open.pop() {
        for (key, item) in table {
            let key = format!("{before}{key}");
            match item {
                Item::Table(table) => open.push((format!("{key}."), table)),
                Item::Value(value) => found.push((key, value.to_string().trim().to_owned())),
                Item::ArrayOfTables(tables) => {
                    found.push((key, format!("{} of them", tables.len())));
                }
                Item::None => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> &'static Path {
        Path::new("/data/config.toml")
    }

    fn change(text: &str, key: &str, value: Option<&str>) -> String {
        change_setting(text, path(), key, value).unwrap()
    }

    #[test]
    fn a_change_leaves_everything_else_alone() {
        let before = "# mine\n[daemon]\nport = 1 # odd\n\n[analysis]\nby = \"pi\"\n";
        let after = change(before, "daemon.port", Some("2"));
        assert_eq!(after, "# mine\n[daemon]\nport = 2 # odd\n\n[analysis]\nby = \"pi\"\n");
        assert_eq!(change(&after, "daemon.port", Some("1")), before);
    }

    #[test]
    fn a_group_that_is_not_there_is_made() {
        let after = change("", "analysis.openai.model", Some("qwen3"));
        assert_eq!(after, "[analysis.openai]\nmodel = \"qwen3\"\n");
        assert_eq!(change(&after, "budget.dollars_per_day", Some("0.5")).matches('[').count(), 2);
    }

    #[test]
    fn the_default_file_can_be_changed() {
        let after = change(DEFAULT_SETTINGS, "analysis.by", Some("pi"));
        assert!(after.contains("\n[analysis]\nby = \"pi\"\n"), "{after}");
        assert_eq!(change(&after, "analysis.by", None), DEFAULT_SETTINGS);
    }

    #[test]
    fn what_holds_is_the_file_before_the_defaults() {
        let values = setting_values("[daemon]\nport = 1\n", path()).unwrap();
        let value = |key: &str| {
            let found = values.iter().find(|value| value.key == key);
            found.map(|found| (&*found.value, found.is_set))
        };
        assert_eq!(value("daemon.port"), Some(("1", true)));
        assert_eq!(value("daemon.workers"), Some(("2", false)));
        assert_eq!(value("schedule.link"), Some(("\"30 3 * * *\"", false)));
        assert_eq!(value("analysis.pi.model"), None, "an example is no default");
    }

    #[test]
    fn groups_are_not_values() {
        assert!(change_setting("", path(), "daemon.port.number", Some("1")).is_ok());
        assert!(
            change_setting("[daemon]\nport = 1\n", path(), "daemon.port.x", Some("1")).is_err()
        );
        assert!(change_setting("[daemon]\nport = 1\n", path(), "daemon", Some("1")).is_err());
    }
}
