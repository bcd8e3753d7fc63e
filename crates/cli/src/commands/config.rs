//! `pi-brain config …`: the settings, one by one or as a whole.

use anyhow::bail;
use pi_brain_app::{AnalysisBy, DEFAULT_SETTINGS, Settings, SettingsFile};
use serde_json::{Map, Value, json};

use super::{print_json, say};
use crate::args::{ConfigCommand, ConfigGetOptions};
use crate::describe::{BOLD, DIM};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::table::{Column, count, dollars, draw, how_many};

pub(crate) fn run(locations: &Locations, command: &ConfigCommand) -> anyhow::Result<()> {
    let file = SettingsFile::of(&locations.brain_folder()?);
    match command {
        ConfigCommand::Init => init(locations, &file),
        ConfigCommand::Get(options) => get(&file, options),
        ConfigCommand::Set(options) => change(locations, &file, &options.key, Some(&options.value)),
        ConfigCommand::Unset(options) => change(locations, &file, &options.key, None),
        ConfigCommand::Check(options) => check(locations, &file, options.json),
    }
}

fn init(locations: &Locations, file: &SettingsFile) -> anyhow::Result<()> {
    let shown = locations.display(file.path());
    if file.path().exists() {
        bail!("{shown} is there already");
    }
    file.write(DEFAULT_SETTINGS)?;
    say!("written: {shown}")
}

fn get(file: &SettingsFile, options: &ConfigGetOptions) -> anyhow::Result<()> {
    let mut values = file.values()?;
    if let Some(key) = &options.key {
        let group = format!("{key}.");
        values.retain(|value| value.key == *key || value.key.starts_with(&group));
        if values.is_empty() {
            let text = format!("nothing is said of {key}; `pi-brain config get` lists what is");
            return Err(Failure::NotFound(text).into());
        }
        if let [only] = &values[..]
            && only.key == *key
            && !options.json
        {
            return say!("{}", only.value.trim_matches('"'));
        }
    }
    if options.json {
        let value = |value: &pi_brain_app::SettingValue| {
            let parsed = toml_value(&value.value);
            (value.key.clone(), json!({ "value": parsed, "isSet": value.is_set }))
        };
        return print_json(&Value::Object(values.iter().map(value).collect::<Map<_, _>>()));
    }
    let rows = values.into_iter().map(|value| {
        let whence = if value.is_set { "" } else { "default" };
        vec![value.key, value.value, whence.to_owned()]
    });
    let columns = [Column::Text("KEY"), Column::Text("VALUE"), Column::Text("")];
    say!("{}", draw(&columns, &rows.collect::<Vec<_>>()))
}

/// Reads a value as JSON has it, as far as it does.
fn toml_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

fn change(
    locations: &Locations,
    file: &SettingsFile,
    key: &str,
    value: Option<&str>,
) -> anyhow::Result<()> {
    let check = |text: &str| locations.parse_brain_settings(text, file.path());
    let values = file.change(key, value, check)?;
    match values.iter().find(|value| value.key == key) {
        Some(value) => say!("{key} = {}", value.value),
        None => say!("{key} is not set"),
    }
}

fn check(locations: &Locations, file: &SettingsFile, as_json: bool) -> anyhow::Result<()> {
    let path = file.path();
    let settings = locations.parse_brain_settings(&file.read()?, path)?;
    let is_there = path.exists();
    if as_json {
        return print_json(&json!({
            "file": path,
            "exists": is_there,
            "folders": settings.sources.folders.iter().map(|source| source.folder.path()).collect::<Vec<_>>(),
            "model": model(&settings),
        }));
    }
    let shown = locations.display(path);
    if is_there {
        say!("{BOLD}{shown}{BOLD:#} can be used")?;
    } else {
        say!(
            "{shown} is not there: the defaults hold. `pi-brain config init` writes one to start from"
        )?;
    }
    let folders = settings.sources.folders.len();
    say!("  sessions from {}", how_many(folders, "folder", "folders"))?;
    match model(&settings) {
        None => say!("  no model is asked {DIM}(analysis.by){DIM:#}"),
        Some(model) => {
            let budget = settings.budget;
            let money = budget.dollars_per_day.map(|limit| format!(" and {}", dollars(limit)));
            say!("  units of work are read by {model}")?;
            say!(
                "  at most {} tokens{} a day",
                count(budget.tokens_per_day),
                money.unwrap_or_default()
            )
        }
    }
}

/// Says which model is asked, and how.
fn model(settings: &Settings) -> Option<String> {
    Some(match &settings.analysis.as_ref()?.by {
        AnalysisBy::Pi { settings, .. } => match (&settings.provider, &settings.model) {
            (Some(provider), Some(model)) => format!("{provider}/{model} through pi"),
            (None, Some(model)) => format!("{model} through pi"),
            _ => "pi's own model".to_owned(),
        },
        AnalysisBy::OpenAi(settings) => format!("{} at {}", settings.model, settings.base_url),
    })
}
