//! Large messages, long chains, many children: nothing gets slow, nothing runs out of stack.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pi_brain_forest::{
    Change, Content, ContentKey, FileSystemStore, Forest, Matching, Message, Node, NodeId, Place,
    Role, Store,
};
use serde_json::json;

use super::{NOW, append, dump, open, talk};

/// Makes the changes that put `count` messages into `root-1`; `parent` names, by number, what each follows.
fn plant(count: u32, parent: impl Fn(u32) -> u32) -> Vec<Change> {
    let id = |number: u32| format!("root-1/node-{number}");
    let root = json!({"id": "root-1", "created": NOW});
    let mut changes = vec![Change::Root(serde_json::from_value(root).unwrap())];
    for number in 1..=count {
        let message = Message::text(Role::User, &format!("message {number}"));
        let parent = match parent(number) {
            0 => "root-1".to_owned(),
            parent => id(parent),
        };
        let node = Node {
            id: id(number).parse().unwrap(),
            parent: parent.parse().unwrap(),
            order: serde_json::from_value(json!([number])).unwrap(),
            key: ContentKey::of(&message),
            role: Role::User,
            metadata: serde_json::from_value(json!({})).unwrap(),
            removal: None,
        };
        let node_id = node.id;
        changes.extend([
            Change::Node(node),
            Change::Content(node_id, Content::Inline(message.into())),
        ]);
    }
    changes
}

/// Writes a forest with these changes as its only commit, without the files for people.
fn write_log(folder: &Path, changes: &[Change]) {
    let changes = serde_json::to_string(changes).unwrap();
    let line = format!("{{\"seq\":1,\"changes\":{changes}}}\n");
    fs::write(folder.join("log.jsonl"), line).unwrap();
    fs::write(folder.join("projection.json"), "{\"seq\":1}").unwrap();
}

fn node(number: u32) -> NodeId {
    format!("root-1/node-{number}").parse().unwrap()
}

#[test]
fn case_62_a_message_of_50_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let text = "fifty megabytes \u{1f333}\n".repeat(50 << 20 >> 4);
    assert!(text.len() > 50 << 20);
    let id = append(&mut forest, root, &[&text]);
    append(&mut forest, id, &["small"]);
    drop(forest);
    let mut forest = open(folder.path());
    assert_eq!(forest.message(id).unwrap().joined_text(), text);
    assert_eq!(append(&mut forest, root, &[&text]), id, "it is found again");
}

#[test]
fn case_62_a_chain_of_10_000_messages() {
    let folder = tempfile::tempdir().unwrap();
    let mut forest = open(folder.path());
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let texts: Vec<String> = (0..10_000).map(|number| format!("message {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let end = append(&mut forest, root, &texts);
    append(&mut forest, end, &["one more"]);
    let before = dump(forest.store());
    drop(forest);
    let mut forest = open(folder.path());
    assert_eq!(dump(forest.store()), before);
    assert_eq!(forest.path(None, end.into()).unwrap().len(), 10_000);
    assert_eq!(append(&mut forest, root, &texts), end);
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
}

#[test]
fn case_62_10_000_children_of_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FileSystemStore::open(folder.path()).unwrap();
    store.commit(plant(10_001, |number| u32::from(number > 1))).unwrap();
    let mut forest = Forest::new(store);
    let new = append(&mut forest, node(1), &["one more"]);
    assert_eq!(new, node(10_002));
    drop(forest);
    let mut forest = open(folder.path());
    assert_eq!(forest.children(node(1).into()).unwrap().len(), 10_001);
    assert_eq!(append(&mut forest, node(1), &["message 5000"]), node(5000));
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
}

#[test]
fn an_append_costs_the_same_in_a_large_forest() {
    let small = tempfile::tempdir().unwrap();
    let large = tempfile::tempdir().unwrap();
    let wide = tempfile::tempdir().unwrap();
    // Every message has ten children, so that a part of a tree looks the same in both sizes; or one has all.
    write_log(small.path(), &plant(1_000, |number| (number + 8) / 10));
    write_log(large.path(), &plant(100_000, |number| (number + 8) / 10));
    write_log(wide.path(), &plant(20_000, |_| 0));
    let start = Instant::now();
    let mut forests = [open(small.path()), open(large.path()), open(wide.path())];
    println!("opening: {:?} for 121,000 messages", start.elapsed());
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..200 {
        let messages = talk(&[&format!("question {round}"), &format!("answer {round}")]);
        for (forest, times) in forests.iter_mut().zip(&mut times) {
            let place = match round % 2 {
                0 => Place::Root("root-1".parse().unwrap()),
                _ => Place::Node(node(500 + round / 2)),
            };
            let start = Instant::now();
            forest.append(place, messages.clone(), Matching::Exact, NOW).unwrap();
            times.push(start.elapsed());
        }
    }
    let [small, large, wide] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    println!("append: {small:?} at 1,000, {large:?} at 100,000, {wide:?} with 20,000 children");
    assert!(large < small * 2, "{large:?} against {small:?}");
    assert!(wide < small * 2, "{wide:?} against {small:?}");
}
