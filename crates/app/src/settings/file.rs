//! What can stand in the file.

use serde::Deserialize;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Config {
    pub(super) sources: Vec<SourceConfig>,
    pub(super) exclude: Vec<Spanned<String>>,
    pub(super) segments: SegmentsConfig,
    pub(super) daemon: DaemonConfig,
    pub(super) analysis: AnalysisConfig,
    pub(super) budget: BudgetConfig,
    pub(super) schedule: ScheduleConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceConfig {
    pub(super) path: String,
    pub(super) computer: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SegmentsConfig {
    pub(super) idle_minutes: Option<Spanned<u32>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct DaemonConfig {
    pub(super) port: Option<u16>,
    pub(super) workers: Option<Spanned<u32>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AnalysisConfig {
    pub(super) by: Option<Spanned<By>>,
    pub(super) days: Option<u32>,
    pub(super) answers: Option<bool>,
    pub(super) skills: Vec<String>,
    pub(super) timeout_seconds: Option<Spanned<u32>>,
    pub(super) part_tokens: Option<Spanned<u32>>,
    pub(super) answer_tokens: Option<Spanned<u32>>,
    pub(super) pi: PiConfig,
    pub(super) openai: OpenAiConfig,
    pub(super) price: Option<Spanned<PriceConfig>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    #[default]
    None,
    Pi,
    OpenAi,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PiConfig {
    pub(super) program: Option<String>,
    pub(super) mode: PiMode,
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PiMode {
    Json,
    #[default]
    Rpc,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OpenAiConfig {
    pub(super) base_url: Option<String>,
    pub(super) model: Option<String>,
    pub(super) key_env: Option<Spanned<String>>,
    pub(super) key_command: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PriceConfig {
    pub(super) input: f64,
    pub(super) output: f64,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BudgetConfig {
    pub(super) tokens_per_day: Option<u64>,
    pub(super) tokens_per_run: Option<u64>,
    pub(super) dollars_per_day: Option<Spanned<f64>>,
    pub(super) dollars_per_run: Option<Spanned<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ScheduleConfig {
    pub(super) reanalyse: Option<Spanned<String>>,
    pub(super) reanalyse_batch: Option<u32>,
    pub(super) link: Option<Spanned<String>>,
}
