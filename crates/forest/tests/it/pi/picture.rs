//! What a forest is apart from the numbers that it gave out.

use std::collections::HashMap;
use std::fmt::Write as _;

use pi_brain_forest::{Forest, Place, RootId, SessionRecord, Store, Which};

/// Draws all families: their trees in order, and what every session says where.
///
/// Two forests with the same picture differ in ids only.
pub(crate) fn picture<S: Store>(forest: &Forest<S>) -> String {
    let mut pictures: Vec<String> = forest
        .roots()
        .unwrap()
        .iter()
        .map(|root| {
            let (tree, places) = tree_picture(forest, root.id);
            let mut sessions = forest.store().sessions().unwrap();
            sessions.retain(|record| record.root == root.id);
            sessions.sort_by(|one, other| one.file.cmp(&other.file));
            let sessions: String =
                sessions.iter().map(|record| session_picture(record, &places)).collect();
            format!("family {:?}\n{tree}{sessions}", root.family)
        })
        .collect();
    pictures.sort();
    pictures.concat()
}

/// Draws one tree, in order, with everything that is noted on its messages.
fn tree_picture<S: Store>(forest: &Forest<S>, root: RootId) -> (String, HashMap<Place, usize>) {
    let mut text = String::new();
    let mut places = HashMap::from([(Place::Root(root), 0)]);
    let mut open = vec![(Place::Root(root), 0)];
    while let Some((place, depth)) = open.pop() {
        if let Place::Node(id) = place {
            let node = forest.store().node(id).unwrap().unwrap();
            let number = places.len();
            places.insert(place, number);
            let message = serde_json::to_string(&*forest.store().message(id).unwrap()).unwrap();
            let hidden = if node.is_visible() { "" } else { " hidden" };
            let _ = writeln!(
                text,
                "{:depth$}{number}{hidden} {:?} {message}",
                "", node.metadata.created,
            );
        }
        let children = forest.store().children(place, Which::All).unwrap();
        open.extend(children.iter().rev().map(|child| (Place::Node(child.id), depth + 1)));
    }
    (text, places)
}

fn session_picture(record: &SessionRecord, places: &HashMap<Place, usize>) -> String {
    let mut record = record.clone();
    let mut text = format!("session {} leaf {}\n", record.file, places[&record.leaf]);
    for label in &record.labels {
        let _ = writeln!(
            text,
            "  label {:?} on {} at {:?}",
            label.text, places[&label.place], label.time
        );
    }
    for entry in std::mem::take(&mut record.entries) {
        let place = places[&entry.place];
        let _ = writeln!(
            text,
            "  {}+{} on {place} {:?}",
            entry.start,
            entry.length,
            (
                entry.own,
                entry.kind,
                entry.event,
                entry.response,
                entry.time,
                entry.kept,
                entry.usage
            ),
        );
    }
    let _ = writeln!(
        text,
        "  {:?}",
        (
            record.id,
            record.version,
            record.cwd,
            record.parent_session,
            record.created,
            record.name,
            record.length,
            record.settled_length,
            record.check,
            record.settled,
        ),
    );
    text
}
