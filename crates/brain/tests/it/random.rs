//! Random nodes. Words are few, so that two nodes have much in common.

use pi_brain_brain::*;
use pi_brain_session::Millis;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::node::example;

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), ..config }
}

pub(crate) fn any_node() -> impl Strategy<Value = Node> {
    let heads = (1..5_u32, vec(word(), 0..3), option::of(word()), option::of(words()));
    let contents = (word(), outcome(), vec(decision(), 0..4), words(), vec(error(), 0..6));
    let lessons = (vec(lesson(), 0..6), vec(lesson(), 0..3));
    let rest = (words(), vec(daemon_decision(), 0..3), time(), option::of(ext()));
    (heads, contents, lessons, rest).prop_map(|(heads, contents, lessons, rest)| {
        let mut node = example();
        let (version, previous_versions, language, frameworks) = heads;
        (node.version, node.previous_versions) = (version, previous_versions);
        (node.classification.language, node.classification.frameworks) = (language, frameworks);
        let (summary, outcome, key_decisions, files_touched, errors_seen) = contents;
        let tools_used = node.content.tools_used;
        node.content =
            NodeContent { summary, outcome, key_decisions, files_touched, tools_used, errors_seen };
        (node.lessons.model, node.lessons.tool) = lessons;
        (node.semantic.tags, node.daemon_meta.decisions, node.metadata.analyzed_at, node.ext) =
            rest;
        node
    })
}

fn word() -> impl Strategy<Value = String> {
    select(vec!["", "a", "b", "c", "d e", "\"f\"\n", "é", "x.y[0]"]).prop_map(String::from)
}

fn words() -> impl Strategy<Value = Vec<String>> {
    vec(word(), 0..8)
}

fn outcome() -> impl Strategy<Value = Outcome> {
    select(vec![Outcome::Success, Outcome::Partial, Outcome::Failed, Outcome::Abandoned])
}

fn time() -> impl Strategy<Value = Millis> {
    (0..4_000_000_000_000_i64).prop_map(Millis)
}

fn decision() -> impl Strategy<Value = Decision> {
    (word(), word(), words()).prop_map(|(what, why, alternatives_considered)| Decision {
        what,
        why,
        alternatives_considered,
    })
}

fn error() -> impl Strategy<Value = ErrorSummary> {
    (word(), word(), any::<bool>()).prop_map(|(error_type, message, resolved)| ErrorSummary {
        error_type,
        message,
        resolved,
    })
}

fn lesson() -> impl Strategy<Value = Lesson> {
    (word(), words(), option::of(word())).prop_map(|(summary, tags, actionable)| Lesson {
        level: LessonLevel::Model,
        details: summary.clone(),
        summary,
        confidence: Confidence::Low,
        tags,
        actionable,
    })
}

fn daemon_decision() -> impl Strategy<Value = DaemonDecision> {
    (time(), word(), option::of(any::<bool>())).prop_map(|(timestamp, decision, needs_review)| {
        DaemonDecision { timestamp, reasoning: decision.clone(), decision, needs_review }
    })
}

fn ext() -> impl Strategy<Value = Ext> {
    let evidence = prop::collection::btree_map(word(), words(), 0..4);
    let counts = prop::collection::btree_map(word(), 0..9_u64, 0..4);
    let analyzer = select(vec![Analyzer::BuiltIn, Analyzer::Pi, Analyzer::OpenAi]);
    (evidence, counts, analyzer, option::of(word()), words(), 0..9_u8).prop_map(
        |(evidence, tool_counts, analyzer, goal, files_read, number)| Ext {
            evidence,
            tool_counts,
            goal,
            files_read,
            active_minutes: f64::from(number) / 8.0,
            feedback: vec![Feedback { path: "a".to_owned(), value: json!([number, [null]]) }],
            ..Ext::new(analyzer)
        },
    )
}
