//! Versions and corrections.

use pi_brain_brain::{
    Analyzer, BrainError, Ext, Feedback, Node, NodeType, Outcome, VersionTrigger, apply_feedback,
    next_version, same_content,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::node::example;
use crate::random::{any_node, cases};

fn made_by(analyzer: Analyzer, summary: &str) -> Node {
    let mut node = example();
    summary.clone_into(&mut node.content.summary);
    node.ext = Some(Ext::new(analyzer));
    node
}

fn correct(path: &str, value: Value) -> Feedback {
    Feedback { path: path.to_owned(), value }
}

#[test]
fn where_and_when_are_no_content() {
    let node = made_by(Analyzer::BuiltIn, "x");
    let mut other = node.clone();
    other.version = 3;
    other.previous_versions = vec!["a1b2c3d4e5f6a7b8-v2".to_owned()];
    other.source.session_file = "/elsewhere".to_owned();
    other.source.computer = "laptop".to_owned();
    other.metadata.analyzed_at.0 += 1;
    other.daemon_meta.decisions[0].timestamp.0 += 1;
    other.ext_mut().trigger = VersionTrigger::PromptUpdate;
    assert!(same_content(&node, &other));
    other.ext_mut().goal = Some("y".to_owned());
    assert!(!same_content(&node, &other));
}

#[test]
fn versions_count_up_and_name_those_before() {
    let first =
        next_version(None, made_by(Analyzer::BuiltIn, "1"), VersionTrigger::Initial).unwrap();
    assert_eq!((first.version, &first.previous_versions), (1, &vec![]));
    let same = first.clone();
    assert_eq!(next_version(Some(&first), same, VersionTrigger::PromptUpdate), None);

    let draft = made_by(Analyzer::BuiltIn, "2");
    let second = next_version(Some(&first), draft, VersionTrigger::SegmentExtended).unwrap();
    let third =
        next_version(Some(&second), made_by(Analyzer::Pi, "3"), VersionTrigger::PromptUpdate);
    let third = third.unwrap();
    assert_eq!(third.version, 3);
    assert_eq!(third.previous_versions, ["a1b2c3d4e5f6a7b8-v1", "a1b2c3d4e5f6a7b8-v2"]);
    assert_eq!(third.ext.unwrap().trigger, VersionTrigger::PromptUpdate);
    assert_eq!(second.ext.unwrap().trigger, VersionTrigger::SegmentExtended);
}

#[test]
fn the_built_in_rules_never_follow_a_model() {
    use Analyzer::{BuiltIn, OpenAi, Pi};
    for (current, draft, follows) in [
        (BuiltIn, BuiltIn, true),
        (BuiltIn, Pi, true),
        (Pi, OpenAi, true),
        (OpenAi, Pi, true),
        (Pi, BuiltIn, false),
        (OpenAi, BuiltIn, false),
    ] {
        let (old, new) = (made_by(current, "1"), made_by(draft, "2"));
        let next = next_version(Some(&old), new, VersionTrigger::PromptUpdate);
        assert_eq!(next.is_some(), follows, "{draft} after {current}");
    }
    let foreign = example();
    assert_eq!(
        next_version(Some(&foreign), made_by(BuiltIn, "2"), VersionTrigger::PromptUpdate),
        None,
        "a node without ext was made by a model"
    );
}

#[test]
fn corrections_hold_in_later_versions() {
    let first = made_by(Analyzer::BuiltIn, "1");
    let mut draft = first.clone();
    let corrections = [
        correct("content.outcome", json!("failed")),
        correct("lessons.project[0].summary", json!("s")),
    ];
    apply_feedback(&mut draft, &corrections).unwrap();
    let second = next_version(Some(&first), draft, VersionTrigger::UserFeedback).unwrap();
    assert_eq!(second.content.outcome, Outcome::Failed);

    let mut draft = made_by(Analyzer::Pi, "3");
    draft.lessons.project.clear();
    let third = next_version(Some(&second), draft, VersionTrigger::PromptUpdate).unwrap();
    assert_eq!(third.content.outcome, Outcome::Failed);
    assert_eq!(third.ext.as_ref().unwrap().feedback, corrections);
    let doubt = third.daemon_meta.decisions.last().unwrap();
    assert_eq!(doubt.needs_review, Some(true), "the lesson to correct is gone");
    assert!(doubt.decision.contains("lessons.project[0].summary"), "{}", doubt.decision);

    let fourth =
        next_version(Some(&third), made_by(Analyzer::Pi, "4"), VersionTrigger::PromptUpdate);
    assert_eq!(fourth.unwrap().lessons.project[0].summary, "s", "and back again");
}

#[test]
fn what_can_be_corrected() {
    let mut node = example();
    let corrections = [
        correct("content.outcome", json!("abandoned")),
        correct("content.outcome", json!("partial")),
        correct("classification.type", json!("planning")),
        correct("classification.language", json!(null)),
        correct("semantic.tags", json!(["a", "b"])),
        correct("semantic.tags[2]", json!("c")),
        correct("semantic.concepts", json!(["d"])),
        correct("lessons.project[0].actionable", json!("do")),
    ];
    apply_feedback(&mut node, &corrections).unwrap();
    assert_eq!(node.content.outcome, Outcome::Partial);
    assert_eq!(node.classification.node_type, NodeType::Planning);
    assert_eq!(node.classification.language, None);
    assert_eq!(node.semantic.tags, ["a", "b", "c"]);
    assert_eq!(node.semantic.concepts.as_deref(), Some(&["d".to_owned()][..]));
    assert_eq!(node.lessons.project[0].actionable.as_deref(), Some("do"));
    assert_eq!(node.ext.unwrap().feedback, corrections[1..]);
}

#[test]
fn what_cannot_be_corrected() {
    let cases = [
        (
            "content.outcome",
            json!("done"),
            "value: unknown variant `done`, expected one of `success`",
        ),
        ("content.summary", json!(null), "value: invalid type: null, expected a string"),
        ("semantic.tags", json!("a"), "value: invalid type: string \"a\", expected a sequence"),
        ("lessons.project[1]", json!({}), "value: missing field `level`"),
        ("lessons.project[2]", json!({}), "path: [2] is beyond the list's length of 1"),
        (
            "lessons.projects",
            json!([]),
            "path: unknown field `projects`, expected one of `project`",
        ),
        ("content.summary.x", json!(1), "path: no field x can be there"),
        ("content[0]", json!(1), "path: [0] is not in a list"),
        ("content", json!({}), "path: only what lies in these can be: classification, content"),
        ("metadata.cost", json!(1), "path: only what lies in these can be"),
        ("observations.modelsUsed[0].cost", json!(1), "path: tokens and cost are counted"),
        ("id", json!("a1b2c3d4e5f6a7b8"), "path: only what lies in these can be"),
        ("content..summary", json!("x"), "path: a path looks like"),
    ];
    for (path, value, expected) in cases {
        let mut node = example();
        let good = correct("content.summary", json!("changed"));
        let found = match apply_feedback(&mut node, &[good, correct(path, value)]) {
            Err(BrainError::FeedbackPath { path: at, reason }) if at == path => {
                format!("path: {reason}")
            }
            Err(BrainError::FeedbackValue { path: at, reason, .. }) if at == path => {
                format!("value: {reason}")
            }
            other => panic!("{path}: {other:?}"),
        };
        assert!(found.starts_with(expected), "{found}");
        assert_eq!(node, example(), "nothing changed");
    }
}

proptest! {
    #![proptest_config(cases(64))]
    #[test]
    fn a_version_says_something_new(old in any_node(), new in any_node()) {
        let next = next_version(Some(&old), new, VersionTrigger::ConnectionFound);
        if let Some(next) = next {
            prop_assert!(!same_content(&old, &next));
            prop_assert_eq!(next.version, old.version + 1);
            prop_assert!(next.previous_versions.ends_with(&[old.reference()]));
            let again = next.clone();
            prop_assert_eq!(next_version(Some(&next), again, VersionTrigger::PromptUpdate), None);
        }
    }
}
