//! Links that follow from what nodes have in common: where sessions are taken in, and beside what people draw.

use pi_brain_app::Silent;
use pi_brain_brain::{Edge, EdgeCreator, EdgeType, NodeId};
use pi_brain_session::Millis;
use serde_json::json;

use crate::brain::Home;
use crate::world::{BEGINNING, LATER, put};

/// Puts a session of one request there; a unit of work for each hour.
fn session(home: &Home, number: i64, text: &str) {
    let time = |second: i64| Millis(BEGINNING + number * 3_600_000 + second * 1000);
    let id = format!("session-{number}");
    let header = json!({
        "type": "session", "version": 3, "id": id, "timestamp": time(0), "cwd": format!("/home/dev/p{number}"),
    });
    let say = |entry: &str, parent: Option<&str>, role: &str, text: &str| {
        json!({
            "type": "message", "id": format!("{entry}{number:07}"), "timestamp": time(1),
            "parentId": parent.map(|parent| format!("{parent}{number:07}")),
            "message": {"role": role, "content": [{"type": "text", "text": text}], "timestamp": time(1).0},
        })
    };
    let lines = [header, say("a", None, "user", text), say("b", Some("a"), "assistant", "Done.")];
    let text = lines.map(|line| format!("{line}\n")).concat();
    put(&home.sessions, &format!("--p{number}--/{id}.jsonl"), text.as_bytes());
}

const ALIKE: [&str; 2] = [
    "drain the websocket backpressure mailbox of the broker before shutdown",
    "websockets of the broker lose frames on shutdown when the backpressure mailbox is full",
];

/// A brain that has one pair of nodes with something in common.
fn home() -> Home {
    let home = Home::new();
    for (number, text) in (0..).zip(["paint the fence", ALIKE[0], "bake bread", ALIKE[1], "sing"]) {
        session(&home, number, text);
    }
    home
}

fn links(home: &Home) -> Vec<Edge> {
    let mut edges = home.open().store().edges_of(None).unwrap();
    edges.retain(|edge| edge.created_by == EdgeCreator::Daemon);
    edges
}

#[test]
fn an_ingest_finds_links_and_finds_the_same_again() {
    let home = home();
    home.ingest();
    let found = links(&home);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].kind, EdgeType::Semantic);
    assert!(found[0].ext.as_ref().unwrap().reason.contains("broker"));
    let in_database = "SELECT count(*) FROM edge WHERE root IS NULL AND created_by = 'daemon'";
    let count: i64 = home.database().query_row(in_database, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
    home.ingest();
    assert_eq!(links(&home), found);
    home.rebuild();
    assert_eq!(links(&home), found);
}

#[test]
fn what_comes_later_is_linked_as_if_it_had_been_there() {
    let home = home();
    home.ingest();
    session(
        &home,
        9,
        "explain raft snapshots and log compaction for joining followers of a quorum",
    );
    home.ingest();
    session(
        &home,
        10,
        "raft: the snapshot is taken before log compaction for joining followers of the quorum",
    );
    home.ingest();
    let found = links(&home);
    assert_eq!(found.len(), 2, "{found:?}");
    home.rebuild();
    assert_eq!(links(&home), found);
    // When one end is forgotten, the link goes with it.
    let file = home.session_files().into_keys().find(|path| path.ends_with("session-10.jsonl"));
    home.open().forget(LATER, &[file.unwrap()], &Silent).unwrap();
    assert_eq!(links(&home).len(), 1);
}

#[test]
fn a_search_does_not_wait_for_links() {
    let home = home();
    home.open().refresh_for_search(LATER, &Silent).unwrap().unwrap();
    assert_eq!(links(&home), []);
    home.open().refresh_with_links(LATER, &Silent).unwrap().unwrap();
    assert_eq!(links(&home).len(), 1);
}

#[test]
fn few_units_of_work_are_linked_by_any_refresh() {
    let home = home();
    home.open().refresh(LATER, &Silent).unwrap().unwrap();
    assert_eq!(links(&home).len(), 1);
}

#[test]
fn what_a_person_drew_stands_and_is_not_doubled() {
    let home = home();
    home.ingest();
    let found = links(&home);
    let (one, other): (NodeId, NodeId) = (found[0].source_node_id, found[0].target_node_id);
    let mine = |home: &Home| {
        let mut edges = home.open().store().edges_of(None).unwrap();
        edges.retain(|edge| edge.created_by == EdgeCreator::User);
        edges
    };
    // The same link, by hand: it has the same id, and is the person's from then on.
    let reason = Some("mine".to_owned());
    let id = home.open().add_edge(LATER, one, other, EdgeType::Semantic, reason).unwrap();
    assert_eq!(id, found[0].id);
    let drawn = mine(&home);
    home.ingest();
    assert_eq!((links(&home), mine(&home)), (Vec::new(), drawn.clone()));
    home.rebuild();
    assert_eq!((links(&home), mine(&home)), (Vec::new(), drawn));
    // Taken away again, it is what the pass finds.
    home.open().remove_edge(LATER, id).unwrap();
    home.ingest();
    assert_eq!((links(&home), mine(&home)), (found, Vec::new()));
}
