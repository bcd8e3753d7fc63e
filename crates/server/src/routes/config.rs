//! The settings.

use pi_brain_app::{SettingValue, SettingsFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use axum::http::StatusCode;

use crate::api::Api;
use crate::desk::Desk;
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    api.ask_daemon("/api/v1/config", "Every setting that has a value", values).tell_daemon(
        "/api/v1/config",
        "Changes a setting, or takes it out",
        change,
    )
}

/// What decides which programs are run, where session text is sent, and what is read: that is changed in the terminal only, so
/// that nobody can do more with a stolen token than its owner's reader could.
const OUT_OF_REACH: [&str; 5] =
    ["sources", "analysis.by", "analysis.skills", "analysis.pi", "analysis.openai"];

/// A setting and what holds for it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Setting {
    /// Its key, with dots.
    key: String,
    /// Its value, as the file writes it.
    value: String,
    /// Whether the file says so; otherwise it is the default.
    is_set: bool,
}

impl From<SettingValue> for Setting {
    fn from(value: SettingValue) -> Self {
        let SettingValue { key, value, is_set } = value;
        Self { key, value, is_set }
    }
}

async fn values(desk: Arc<Desk>, (): ()) -> Answered<Vec<Setting>> {
    let file = SettingsFile::of(&desk.daemon.status().data_folder);
    Ok(file.values()?.into_iter().map(Setting::from).collect())
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
    let is_below =
        |group: &&str| change.key == **group || change.key.starts_with(&format!("{group}."));
    if OUT_OF_REACH.iter().any(is_below) {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "out_of_reach",
            format!("{} decides what is run, sent or read", change.key),
            "`pi-brain config set` changes it",
        ));
    }
    let file = SettingsFile::of(&desk.daemon.status().data_folder);
    let check = |text: &str| (desk.settings)(Some(text));
    let values = file.change(&change.key, change.value.as_deref(), check)?;
    desk.daemon.look();
    Ok(values.into_iter().map(Setting::from).collect())
}
