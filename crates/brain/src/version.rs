//! Versions of a node: when one is needed, and what the user's corrections do to it.

use serde_json::Value;

use crate::error::{BrainError, Result};
use crate::node::{DaemonDecision, Feedback, Node, NodeSource, VersionTrigger};
use crate::path::{Path, Step};

/// The parts of a node that a user can correct. The rest is identity, or was counted from the log.
const CORRECTABLE: [&str; 6] =
    ["classification", "content", "lessons", "observations", "semantic", "daemonMeta"];

/// Returns whether two nodes say the same, whenever, on whichever machine and for whatever reason they were made.
pub fn same_content(one: &Node, other: &Node) -> bool {
    essence(one) == essence(other)
}

/// Returns a node with everything alike that does not count as content.
fn essence(node: &Node) -> Node {
    let mut node = node.clone();
    node.version = 0;
    node.previous_versions.clear();
    node.source = NodeSource {
        session_file: String::new(),
        computer: String::new(),
        parent_session: None,
        ..node.source
    };
    node.metadata.analyzed_at = node.metadata.timestamp;
    node.daemon_meta.analysis_log = None;
    for decision in &mut node.daemon_meta.decisions {
        decision.timestamp = node.metadata.timestamp;
    }
    if let Some(ext) = &mut node.ext {
        ext.trigger = VersionTrigger::Initial;
    }
    node
}

/// Makes of an analysis the version that follows `current`; `None` if it would say nothing new.
///
/// What the user corrected in `current` holds for `draft` too, unless the draft brings corrections of its own. A
/// correction that no longer fits stays in the list, and a decision asks the user to have a look. What the built-in
/// rules say never follows what a model said.
pub fn next_version(
    current: Option<&Node>,
    mut draft: Node,
    trigger: VersionTrigger,
) -> Option<Node> {
    let Some(current) = current else {
        draft.version = 1;
        draft.previous_versions.clear();
        draft.ext_mut().trigger = trigger;
        return Some(draft);
    };
    if current.analyzer().is_model() && !draft.analyzer().is_model() {
        return None;
    }
    let corrections = current.ext.as_ref().map_or(&[][..], |ext| &ext.feedback);
    if draft.ext_mut().feedback.is_empty() {
        carry_over(&mut draft, corrections);
    }
    if same_content(current, &draft) {
        return None;
    }
    draft.version = current.version + 1;
    draft.previous_versions.clone_from(&current.previous_versions);
    draft.previous_versions.push(current.reference());
    draft.ext_mut().trigger = trigger;
    Some(draft)
}

fn carry_over(draft: &mut Node, corrections: &[Feedback]) {
    for correction in corrections {
        if let Err(error) = apply_feedback(draft, std::slice::from_ref(correction)) {
            draft.ext_mut().feedback.push(correction.clone());
            draft.daemon_meta.decisions.push(DaemonDecision {
                timestamp: draft.metadata.analyzed_at,
                decision: format!("Left out the correction of {}", correction.path),
                reasoning: error.to_string(),
                needs_review: Some(true),
            });
        }
    }
}

/// Corrects a node and remembers the corrections in it; of two for one place the later one counts.
///
/// Either all corrections fit and the node is still a node, or it stays as it is. An item can be added to a list by
/// naming the place after its last.
pub fn apply_feedback(node: &mut Node, corrections: &[Feedback]) -> Result<()> {
    let mut corrected = node.clone();
    for correction in corrections {
        let mut value = serde_json::to_value(&corrected).expect("a node is always JSON");
        put(&mut value, correction)?;
        corrected = serde_json::from_value(value).map_err(|error| bad_value(correction, &error))?;
        let feedback = &mut corrected.ext_mut().feedback;
        feedback.retain(|earlier| earlier.path != correction.path);
        feedback.push(correction.clone());
    }
    *node = corrected;
    Ok(())
}

fn put(node: &mut Value, correction: &Feedback) -> Result<()> {
    let bad_path =
        |reason: String| BrainError::FeedbackPath { path: correction.path.clone(), reason };
    let Some(path) = Path::parse(&correction.path) else {
        let example = "a path looks like content.outcome or lessons.project[0].summary";
        return Err(bad_path(example.to_owned()));
    };
    match &path.0[..] {
        [Step::Key(part), Step::Key(list), ..]
            if part == "observations" && list == "modelsUsed" =>
        {
            return Err(bad_path("tokens and cost are counted from the log".to_owned()));
        }
        [Step::Key(part), _, ..] if CORRECTABLE.contains(&&**part) => {}
        _ => {
            let parts = CORRECTABLE.join(", ");
            return Err(bad_path(format!("only what lies in these can be: {parts}")));
        }
    }
    let mut place = node;
    for step in &path.0 {
        place = match (step, place) {
            // A key that is not there may be an optional field; whether it is one shows when the node is read.
            (Step::Key(key), Value::Object(members)) => {
                members.entry(key.clone()).or_insert(Value::Null)
            }
            (Step::Index(index), Value::Array(items)) => {
                let length = items.len();
                if *index > length {
                    let reason = format!("[{index}] is beyond the list's length of {length}");
                    return Err(bad_path(reason));
                }
                if *index == length {
                    items.push(Value::Null);
                }
                &mut items[*index]
            }
            (Step::Key(key), _) => return Err(bad_path(format!("no field {key} can be there"))),
            (Step::Index(index), _) => {
                return Err(bad_path(format!("[{index}] is not in a list")));
            }
        };
    }
    *place = correction.value.clone();
    Ok(())
}

fn bad_value(correction: &Feedback, error: &serde_json::Error) -> BrainError {
    const SHOWN: usize = 80;
    let path = correction.path.clone();
    let reason = error.to_string();
    if reason.starts_with("unknown field") {
        return BrainError::FeedbackPath { path, reason };
    }
    let json = correction.value.to_string();
    let mut value: String = json.chars().take(SHOWN).collect();
    if value.len() < json.len() {
        value.push('…');
    }
    BrainError::FeedbackValue { path, value, reason }
}
