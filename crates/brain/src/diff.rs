//! What changed from one version of a node to another.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::ids::NodeId;
use crate::node::Node;
use crate::path::Path;

/// The differences between two versions of a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeDiff {
    /// The node.
    pub node_id: NodeId,
    /// The older version.
    pub from_version: u32,
    /// The newer version.
    pub to_version: u32,
    /// What differs, in the order of the node's fields.
    pub changes: Vec<FieldChange>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// Where, such as `content.summary` or `lessons.model[0]`.
    ///
    /// The last index of what was removed counts in the older list; every other index counts in the newer one.
    pub path: String,
    /// What happened there.
    #[serde(rename = "type")]
    pub change: ChangeType,
    /// What stood there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_value: Option<Value>,
    /// What stands there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_value: Option<Value>,
}

/// What happened at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChangeType {
    Added,
    Removed,
    Changed,
}

/// Compares two versions of a node. Version numbers and lists, and the times of analyses, are no differences.
pub fn compute_diff(old: &Node, new: &Node) -> NodeDiff {
    let mut diff = NodeDiff {
        node_id: new.id,
        from_version: old.version,
        to_version: new.version,
        changes: Vec::new(),
    };
    // A value that the user gave as feedback can be of any depth, so what is to be compared waits in a list and not
    // on the call stack. The last in the list comes first.
    let mut waiting = vec![Step::Compare(Path::default(), comparable(old), comparable(new))];
    while let Some(step) = waiting.pop() {
        match step {
            Step::Say(change) => diff.changes.push(change),
            Step::Compare(_, old, new) if old == new => {}
            Step::Compare(path, Value::Object(old), Value::Object(new)) => {
                waiting.extend(compare_objects(&path, old, new).into_iter().rev());
            }
            Step::Compare(path, Value::Array(old), Value::Array(new)) => {
                waiting.extend(compare_lists(&path, old, new).into_iter().rev());
            }
            Step::Compare(path, old, new) => {
                diff.changes.push(change(&path, Some(old), Some(new)));
            }
        }
    }
    diff
}

enum Step {
    Compare(Path, Value, Value),
    Say(FieldChange),
}

/// Returns a node as JSON, without what differs between any two versions.
fn comparable(node: &Node) -> Value {
    let mut value = serde_json::to_value(node).expect("a node is always JSON");
    remove(&mut value, &["version", "previousVersions"]);
    remove(&mut value["metadata"], &["analyzedAt"]);
    if let Value::Array(decisions) = &mut value["daemonMeta"]["decisions"] {
        for decision in decisions {
            remove(decision, &["timestamp"]);
        }
    }
    value
}

fn remove(value: &mut Value, keys: &[&str]) {
    if let Value::Object(members) = value {
        members.retain(|key, _| !keys.contains(&&**key));
    }
}

fn change(path: &Path, old_value: Option<Value>, new_value: Option<Value>) -> FieldChange {
    let change = match (&old_value, &new_value) {
        (None, _) => ChangeType::Added,
        (_, None) => ChangeType::Removed,
        _ => ChangeType::Changed,
    };
    FieldChange { path: path.to_string(), change, old_value, new_value }
}

fn compare_objects(path: &Path, old: Map<String, Value>, mut new: Map<String, Value>) -> Vec<Step> {
    let mut steps = Vec::new();
    for (key, old) in old {
        let path = path.key(&key);
        steps.push(match new.remove(&key) {
            Some(new) => Step::Compare(path, old, new),
            None => Step::Say(change(&path, Some(old), None)),
        });
    }
    let added = new.into_iter().map(|(key, new)| change(&path.key(&key), None, Some(new)));
    steps.extend(added.map(Step::Say));
    steps
}

/// Compares lists between the items that both have: as far as there are items on both sides one is taken for the
/// other with changes, the rest was removed or added.
fn compare_lists(path: &Path, old: Vec<Value>, new: Vec<Value>) -> Vec<Step> {
    let mut common = common_items(&old, &new);
    common.push((old.len(), new.len()));
    let mut old = old.into_iter().enumerate();
    let mut new = new.into_iter().enumerate();
    let mut steps = Vec::new();
    let (mut old_from, mut new_from) = (0, 0);
    for (old_to, new_to) in common {
        let mut gone = old.by_ref().take(old_to - old_from);
        let mut come = new.by_ref().take(new_to - new_from);
        loop {
            steps.push(match (gone.next(), come.next()) {
                (Some((_, old)), Some((at, new))) => Step::Compare(path.index(at), old, new),
                (Some((at, old)), None) => Step::Say(change(&path.index(at), Some(old), None)),
                (None, Some((at, new))) => Step::Say(change(&path.index(at), None, Some(new))),
                (None, None) => break,
            });
        }
        // The common item itself is passed over; after the last pair both lists are at their end.
        old.next();
        new.next();
        (old_from, new_from) = (old_to + 1, new_to + 1);
    }
    steps
}

/// Finds items that two lists have in common, in the order of both, as pairs of positions.
///
/// Equal items are paired by how many of their like came before, and of these pairs the longest run in order is
/// kept. With repeated items a longer run may exist, but this takes n log n where the longest takes n².
fn common_items(old: &[Value], new: &[Value]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) =
        (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);

    let mut places: HashMap<&Value, Vec<usize>> = HashMap::new();
    for (at, item) in new_middle.iter().enumerate().rev() {
        places.entry(item).or_default().push(at);
    }
    let pairs: Vec<(usize, usize)> = old_middle
        .iter()
        .enumerate()
        .filter_map(|(at, item)| Some((at, places.get_mut(item)?.pop()?)))
        .collect();

    let mut common: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    common.extend(longest_rising(&pairs).into_iter().map(|(old, new)| (head + old, head + new)));
    common.extend((0..tail).rev().map(|back| (old.len() - 1 - back, new.len() - 1 - back)));
    common
}

/// Returns the longest run of pairs whose second parts rise; the first parts rise anyway.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends the run of that length with the smallest second part.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}
