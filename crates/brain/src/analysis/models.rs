//! Which models worked, and what they used.

use std::collections::BTreeMap;

use pi_brain_session::{Body, Entry, Usage};

use crate::node::ModelUsage;

/// Adds up tokens and cost.
#[derive(Debug, Default)]
pub(super) struct Models {
    used: BTreeMap<Model, Usage>,
    current: Model,
}

/// A provider and a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Model {
    provider: String,
    name: String,
}

impl Default for Model {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl Model {
    fn new(provider: Option<&str>, name: Option<&str>) -> Self {
        let known = |part: Option<&str>| part.unwrap_or("unknown").to_owned();
        Self { provider: known(provider), name: known(name) }
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.name)
    }
}

impl Models {
    /// Takes in an entry. Usage that comes without the name of a model, as on summaries and tool results, is the
    /// current model's.
    pub(super) fn hear(&mut self, entry: &Entry, counted: Option<Usage>) {
        let mut warmed = None;
        match &entry.body {
            Body::Message(message) => {
                if let Some(reply) = &message.reply {
                    self.current = Model::new(reply.provider.as_deref(), reply.model.as_deref());
                    self.used.entry(self.current.clone()).or_default();
                }
            }
            Body::ModelChange { provider, model_id } => {
                self.current = Model::new(provider.as_deref(), model_id.as_deref());
            }
            Body::Usage { provider, model, .. } => {
                warmed = Some(Model::new(provider.as_deref(), model.as_deref()));
            }
            _ => {}
        }
        if let Some(usage) = counted {
            *self.used.entry(warmed.unwrap_or_else(|| self.current.clone())).or_default() += usage;
        }
    }

    /// Returns the model that answered last or was chosen since.
    pub(super) fn current(&self) -> &Model {
        &self.current
    }

    pub(super) fn total(&self) -> Usage {
        self.used.values().fold(Usage::default(), |mut sum, usage| {
            sum += *usage;
            sum
        })
    }

    pub(super) fn finish(self) -> Vec<ModelUsage> {
        let some = |count: u64| (count > 0).then_some(count);
        let models = self.used.into_iter().map(|(model, usage)| ModelUsage {
            provider: model.provider,
            model: model.name,
            tokens_input: usage.input,
            tokens_output: usage.output,
            cache_read: some(usage.cache_read),
            cache_write: some(usage.cache_write),
            cost: dollars(usage.cost),
        });
        models.collect()
    }
}

/// Rounds away what adding up left behind; prices of single tokens are larger by far.
pub(super) fn dollars(sum: f64) -> f64 {
    const FINEST: f64 = 1e10;
    if sum.is_finite() { (sum * FINEST).round() / FINEST } else { 0.0 }
}
