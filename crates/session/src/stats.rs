//! The numbers of a session, counted from its log.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use crate::branches::Branches;
use crate::content::{Block, blocks};
use crate::entry::{Body, Entry, Role, Usage};
use crate::json::Raw;
use crate::session::Session;
use crate::time::Millis;
use crate::tree::Tree;

/// The numbers of a session, over all its branches.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// All entries.
    pub entries: usize,
    /// Entries by kind.
    pub by_kind: BTreeMap<String, usize>,
    /// Messages by role.
    pub by_role: BTreeMap<String, usize>,
    /// Answers in which the model thought first.
    pub thinking_turns: usize,
    /// Calls, failures and size of output, by tool.
    pub tools: BTreeMap<String, ToolStats>,
    /// Answers, tokens and cost, by provider and model.
    pub models: BTreeMap<String, ModelStats>,
    /// Tokens and cost of everything, also of summaries and cache warming.
    pub usage: Usage,
    /// Answers by how they ended.
    pub stop_reasons: BTreeMap<String, usize>,
    /// Images in messages.
    pub images: usize,
    /// The ways the conversation went.
    pub branches: usize,
    /// The entries at which the conversation went more than one way.
    pub branch_points: usize,
    /// The longest way from a root.
    pub depth: usize,
    /// Compactions.
    pub compactions: usize,
    /// When the first and the last entry were written.
    pub first: Option<Millis>,
    /// See `first`.
    pub last: Option<Millis>,
    /// Minutes between entries that are less than ten minutes apart.
    pub active_minutes: u64,
}

/// The numbers of one tool.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub struct ToolStats {
    pub calls: usize,
    pub errors: usize,
    /// Bytes of text that came back.
    pub output_size: usize,
}

/// The numbers of one model.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub struct ModelStats {
    pub answers: usize,
    pub usage: Usage,
}

impl Session {
    /// Counts everything in the session.
    pub fn stats(&self, tree: &Tree) -> io::Result<Stats> {
        let log = self.log();
        let branches = Branches::new(log, tree);
        let mut stats = Stats {
            entries: log.entries().len(),
            branches: branches.list.len(),
            branch_points: branches.points.len(),
            depth: tree.depths().into_iter().max().map_or(0, |depth| depth + 1),
            ..Stats::default()
        };
        for (at, entry) in log.entries().iter().enumerate() {
            stats.add(entry);
            if let Some(content) = self.content_raw(at)? {
                stats.add_content(entry, content.raw());
            }
        }
        stats.add_times(log.entries());
        Ok(stats)
    }
}

impl Stats {
    fn add(&mut self, entry: &Entry) {
        let usage = entry.usage.as_deref().copied().unwrap_or_default();
        self.usage += usage;
        *self.by_kind.entry(entry.kind().to_owned()).or_default() += 1;
        match &entry.body {
            Body::Compaction { .. } => self.compactions += 1,
            Body::Usage { provider, model, .. } => {
                self.model(provider.as_deref(), model.as_deref()).usage += usage;
            }
            Body::Message(message) => {
                *self.by_role.entry(message.role.as_str().to_owned()).or_default() += 1;
                if let Some(tool) = message.tool.as_ref().filter(|_| message.is_error) {
                    self.tools.entry(tool.to_string()).or_default().errors += 1;
                }
                if let Some(reply) = &message.reply {
                    let model = self.model(reply.provider.as_deref(), reply.model.as_deref());
                    model.answers += 1;
                    model.usage += usage;
                    let ended = reply.stop_reason.as_deref().unwrap_or("unknown");
                    *self.stop_reasons.entry(ended.to_owned()).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    fn model(&mut self, provider: Option<&str>, model: Option<&str>) -> &mut ModelStats {
        let name = format!("{}/{}", provider.unwrap_or("unknown"), model.unwrap_or("unknown"));
        self.models.entry(name).or_default()
    }

    fn add_content(&mut self, entry: &Entry, content: Raw<'_>) {
        let (mut thinks, mut size) = (false, 0);
        for block in blocks(content) {
            match block {
                Block::Text(text) => size += text.len(),
                Block::Thinking(_) => thinks = true,
                Block::ToolCall { name, .. } => {
                    self.tools.entry(name.into_owned()).or_default().calls += 1;
                }
                Block::Image { .. } => self.images += 1,
                Block::Other(_) => {}
            }
        }
        self.thinking_turns += usize::from(thinks && entry.role() == Some(&Role::Assistant));
        if let Some(tool) = entry.message().and_then(|message| message.tool.as_deref()) {
            self.tools.entry(tool.to_owned()).or_default().output_size += size;
        }
    }

    fn add_times(&mut self, entries: &[Entry]) {
        const PAUSE: i64 = 10 * 60 * 1000;
        let mut times: Vec<Millis> = entries.iter().filter_map(|entry| entry.timestamp).collect();
        times.sort_unstable();
        let gaps = times.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let active: i64 = gaps.filter(|&gap| gap < PAUSE).sum();
        self.active_minutes = u64::try_from(active / 60_000).unwrap_or_default();
        self.first = times.first().copied();
        self.last = times.last().copied();
    }
}
