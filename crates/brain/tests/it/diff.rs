//! What changed between two versions.

use pi_brain_brain::{ChangeType, FieldChange, Lesson, LessonLevel, Node, NodeDiff, compute_diff};
use pi_brain_brain::{Confidence, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::node::example;
use crate::random::{any_node, cases};

/// Changes the example and says what the difference is, one change a line.
fn check(change: impl Fn(&mut Node), expected: &str) {
    let old = example();
    let mut new = old.clone();
    change(&mut new);
    let diff = compute_diff(&old, &new);
    let shown: Vec<String> = diff.changes.iter().map(show).collect();
    assert_eq!(shown.join("\n"), expected);
}

fn show(change: &FieldChange) -> String {
    let json = |value: &Option<Value>| value.as_ref().map_or(String::new(), Value::to_string);
    let FieldChange { path, old_value, new_value, .. } = change;
    match change.change {
        ChangeType::Added => format!("+ {path} {}", json(new_value)),
        ChangeType::Removed => format!("- {path} {}", json(old_value)),
        ChangeType::Changed => format!("{path} {} -> {}", json(old_value), json(new_value)),
    }
}

#[test]
fn fields() {
    check(|_| {}, "");
    check(
        |node| node.content.outcome = Outcome::Failed,
        r#"content.outcome "success" -> "failed""#,
    );
    check(|node| node.classification.language = None, r#"- classification.language "typescript""#);
    check(
        |node| node.semantic.concepts = Some(vec!["caching".to_owned()]),
        r#"+ semantic.concepts ["caching"]"#,
    );
    check(
        |node| {
            node.semantic.topics.clear();
            node.content.summary = "x".to_owned();
            node.content.tools_used.truncate(1);
            "y".clone_into(&mut node.content.key_decisions[0].why);
        },
        "content.keyDecisions[0].why \"Queries need an index, people want to read whole nodes\" -> \"y\"\n\
         content.summary \"Gave pi-brain its SQLite storage. There are now tables for nodes, edges, lessons and the \
         analysis queue.\" -> \"x\"\n\
         - content.toolsUsed[1] \"write\"\n\
         - content.toolsUsed[2] \"bash\"\n\
         - content.toolsUsed[3] \"edit\"\n\
         - semantic.topics[0] \"data persistence\"\n\
         - semantic.topics[1] \"database design\"",
    );
}

#[test]
fn versions_and_times_are_no_difference() {
    check(
        |node| {
            node.version = 7;
            node.previous_versions.push("a1b2c3d4e5f6a7b8-v6".to_owned());
            node.metadata.analyzed_at.0 += 1;
            node.daemon_meta.decisions[0].timestamp.0 += 1;
        },
        "",
    );
}

#[test]
fn lists() {
    let files = |list: &'static str| {
        move |node: &mut Node| {
            node.semantic.tags = list.split_whitespace().map(String::from).collect();
        }
    };
    check(files("new storage sqlite database architecture"), r#"+ semantic.tags[0] "new""#);
    check(files("storage sqlite new database architecture"), r#"+ semantic.tags[2] "new""#);
    check(files("sqlite database architecture"), r#"- semantic.tags[0] "storage""#);
    check(
        files("storage postgres database architecture new"),
        "semantic.tags[1] \"sqlite\" -> \"postgres\"\n+ semantic.tags[4] \"new\"",
    );
    check(
        files("architecture storage sqlite database"),
        "+ semantic.tags[0] \"architecture\"\n- semantic.tags[3] \"architecture\"",
    );
}

#[test]
fn a_lesson_in_front_is_one_change() {
    let lesson = Lesson {
        level: LessonLevel::Project,
        summary: "s".to_owned(),
        details: "d".to_owned(),
        confidence: Confidence::Low,
        tags: Vec::new(),
        actionable: None,
    };
    check(
        |node| node.lessons.project.insert(0, lesson.clone()),
        r#"+ lessons.project[0] {"confidence":"low","details":"d","level":"project","summary":"s","tags":[]}"#,
    );
}

#[test]
fn long_lists_take_no_longer_than_their_length() {
    let mut old = example();
    old.semantic.tags = (0..20_000).map(|number| format!("tag {number}")).collect();
    let mut new = old.clone();
    new.semantic.tags.reverse();
    new.semantic.tags.extend((0..20_000).map(|number| format!("tag {}", number % 7)));
    let diff = compute_diff(&old, &new);
    assert_eq!(apply(&old, &diff), comparable(&new));
}

proptest! {
    #![proptest_config(cases(192))]
    #[test]
    fn the_changes_lead_from_old_to_new(old in any_node(), new in any_node()) {
        prop_assert_eq!(apply(&old, &compute_diff(&old, &new)), comparable(&new));
        prop_assert_eq!(compute_diff(&old, &old).changes, []);
    }
}

fn comparable(node: &Node) -> Value {
    let mut value = serde_json::to_value(node).unwrap();
    for key in ["version", "previousVersions"] {
        value.as_object_mut().unwrap().remove(key);
    }
    value["metadata"].as_object_mut().unwrap().remove("analyzedAt");
    for decision in value["daemonMeta"]["decisions"].as_array_mut().unwrap() {
        decision.as_object_mut().unwrap().remove("timestamp");
    }
    value
}

/// Applies changes from the outside in: before an inner list is changed, the lists around it are as they should be.
fn apply(old: &Node, diff: &NodeDiff) -> Value {
    let mut value = comparable(old);
    let steps = |change: &FieldChange| steps(&change.path);
    let mut changes: Vec<&FieldChange> = diff.changes.iter().collect();
    let last_index = |change: &FieldChange| steps(change).last().unwrap().as_u64().unwrap_or(0);
    changes.sort_by_key(|change| {
        let index = i64::try_from(last_index(change)).unwrap();
        let turn = match change.change {
            ChangeType::Removed => (0, -index),
            ChangeType::Added => (1, index),
            ChangeType::Changed => (2, index),
        };
        (steps(change).len(), turn)
    });
    for change in changes {
        let mut way = steps(change);
        let last = way.pop().unwrap();
        let place = way.iter().fold(&mut value, |place, step| match step {
            Value::String(key) => place.get_mut(key).unwrap(),
            index => place.get_mut(usize::try_from(index.as_u64().unwrap()).unwrap()).unwrap(),
        });
        let new = change.new_value.clone();
        match (place, last) {
            (Value::Object(members), Value::String(key)) => {
                let before = match new {
                    Some(new) => members.insert(key, new),
                    None => members.remove(&key),
                };
                assert_eq!(before, change.old_value);
            }
            (Value::Array(items), index) => {
                let index = usize::try_from(index.as_u64().unwrap()).unwrap();
                match change.change {
                    ChangeType::Added => items.insert(index, new.unwrap()),
                    ChangeType::Removed => {
                        assert_eq!(Some(items.remove(index)), change.old_value);
                    }
                    ChangeType::Changed => {
                        let before = std::mem::replace(&mut items[index], new.unwrap());
                        assert_eq!(Some(before), change.old_value);
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    value
}

/// Takes a path apart: a string for a key, a number for an index.
fn steps(path: &str) -> Vec<Value> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let mut values = serde_json::Deserializer::from_str(inside).into_iter::<Value>();
            steps.push(values.next().unwrap().unwrap());
            rest = &inside[values.byte_offset() + 1..];
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        steps.push(json!(rest[..end]));
        rest = &rest[end..];
    }
    steps
}
