//! A judgement beside what the log tells.

use pi_brain_brain::{Analyzer, DaemonDecision, Node};
use pi_brain_session::Millis;

use crate::analyse::Analysed;

/// The statements of a node that are a model's to make; their evidence goes with them.
const JUDGED: [&str; 7] = [
    "content.summary",
    "content.outcome",
    "content.keyDecisions",
    "lessons.",
    "observations.promptingWins",
    "observations.promptingFailures",
    "observations.modelQuirks",
];

impl Analysed {
    /// Makes a draft of a node's next version: the judgement in place of what the built-in rules say. Whatever can be counted
    /// or looked up stays as the log has it: files, tools, errors, models, tokens, cost, times, signals.
    ///
    /// What was left out of the answer is told as decisions that want to be looked at.
    pub fn into_draft(self, built_in: Node, analyzer: Analyzer, now: Millis) -> Node {
        let mut node = built_in;
        let judgement = self.judgement;
        let some = |names: Vec<String>| (!names.is_empty()).then_some(names);

        let classification = &mut node.classification;
        classification.node_type = judgement.node_type;
        classification.had_clear_goal =
            judgement.had_clear_goal.unwrap_or(classification.had_clear_goal);
        classification.language = judgement.language.or(classification.language.take());
        classification.frameworks = some(judgement.frameworks).or(classification.frameworks.take());
        node.content.summary = judgement.summary;
        node.content.outcome = judgement.outcome;
        node.content.key_decisions = judgement.key_decisions;
        node.lessons = judgement.lessons;
        node.observations.prompting_wins = judgement.prompting_wins;
        node.observations.prompting_failures = judgement.prompting_failures;
        node.observations.model_quirks = judgement.model_quirks;
        node.semantic.tags = judgement.tags;
        node.semantic.topics = judgement.topics;
        node.semantic.concepts = some(judgement.concepts);
        node.metadata.analyzed_at = now;
        node.metadata.analyzer_version = self.prompt_version;

        let left_out = self.dropped.into_iter().map(|dropped| DaemonDecision {
            timestamp: now,
            decision: format!("Left out: {}", dropped.statement),
            reasoning: format!("the log does not contain {}", dropped.claim),
            needs_review: Some(true),
        });
        node.daemon_meta.decisions = left_out.collect();
        node.daemon_meta.rlm_used = self.rlm_used;
        node.daemon_meta.segment_token_count = Some(self.transcript_tokens);

        let ext = node.ext_mut();
        ext.analyzer = analyzer;
        ext.evidence.retain(|path, _| !JUDGED.iter().any(|judged| path.starts_with(judged)));
        ext.evidence.extend(judgement.evidence);
        node
    }
}
