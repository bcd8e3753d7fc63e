//! The settings.

use std::sync::Arc;

use axum::http::StatusCode;
use pi_brain_app::{AppError, ExplainedSetting, SettingsFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::desk::Desk;
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    api.ask_daemon("/api/v1/config", "Every setting, what it means, and what holds", settings)
        .tell_daemon("/api/v1/config", "Changes a setting, or takes it out", change)
}

/// What decides which programs are run, where session text is sent, and what is read: that is changed in the terminal only, so
/// that nobody can do more with a stolen token than its owner's reader could.
const OUT_OF_REACH: [&str; 5] =
    ["sources", "analysis.by", "analysis.skills", "analysis.pi", "analysis.openai"];

fn is_out_of_reach(key: &str) -> bool {
    let is_below = |group: &&str| {
        key.strip_prefix(*group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    OUT_OF_REACH.iter().any(is_below)
}

/// A setting, what it means, and what holds for it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Setting {
    /// Its key, with dots.
    key: String,
    /// What it means.
    about: String,
    /// What holds, as the file writes it; none where nothing is said and there is no default.
    value: Option<String>,
    /// Whether the file says so; otherwise it is the default.
    is_set: bool,
    /// What holds without the file.
    default: Option<String>,
    /// What it could be.
    example: Option<String>,
    /// Whether it can be changed here; the others are changed in the terminal, with `pi-brain config set`.
    is_open: bool,
}

impl From<ExplainedSetting> for Setting {
    fn from(setting: ExplainedSetting) -> Self {
        let ExplainedSetting { key, about, value, is_set, default, example } = setting;
        Self { is_open: !is_out_of_reach(&key), key, about, value, is_set, default, example }
    }
}

async fn settings(desk: Arc<Desk>, (): ()) -> Answered<Vec<Setting>> {
    desk.beside(|desk| all(&SettingsFile::of(&desk.folder))).await
}

fn all(file: &SettingsFile) -> Answered<Vec<Setting>> {
    Ok(file.explained()?.into_iter().map(Setting::from).collect())
}

/// A wish for a setting.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    /// Its key, with dots.
    key: String,
    /// Its value, as the file writes it; none takes it out.
    value: Option<String>,
}

async fn change(desk: Arc<Desk>, change: Change) -> Answered<Vec<Setting>> {
    if is_out_of_reach(&change.key) {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "out_of_reach",
            format!("{} decides what is run, sent or read", change.key),
            "`pi-brain config set` changes it",
        ));
    }
    desk.beside(move |desk| {
        let file = SettingsFile::of(&desk.folder);
        let check = |text: &str| (desk.settings)(Some(text));
        file.change(&change.key, change.value.as_deref(), check).map_err(refuse)?;
        desk.daemon.look();
        all(&file)
    })
    .await
}

/// Says what is wrong with a value. The line on which it would stand helps nobody: it was not written.
fn refuse(error: AppError) -> Failure {
    match error {
        AppError::Setting { key, reason, .. } => Failure::bad_request(format!("{key}: {reason}")),
        AppError::Config { source, .. } => Failure::bad_request(source.message()),
        error => error.into(),
    }
}
