//! Whatever way sessions come in, what is known of them is the same.

use std::collections::BTreeSet;
use std::fs;

use pi_brain_app::{App, Silent};
use pi_brain_session::Millis;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::brain::{Home, settings};
use crate::picture::{Picture, assert_same};
use crate::world::{BEGINNING, File, LATER, World, any_world, cases, migrated, put};

fn picture_of(world: &World) -> Picture {
    let home = Home::with(world);
    home.ingest();
    home.picture()
}

#[test]
fn a_node_keeps_up_with_work_that_was_taken_for_finished() {
    const MINUTE: i64 = 60_000;
    let at = |minute: i64| Millis(BEGINNING + minute * MINUTE);
    let entry = |id: &str, parent: Option<&str>, minute: i64, message: Value| json!({ "type": "message", "id": id, "parentId": parent, "timestamp": at(minute), "message": message });
    let call = json!({ "type": "toolCall", "id": "t", "name": "bash", "arguments": { "command": "make" } });
    let result =
        json!({ "role": "toolResult", "toolCallId": "t", "toolName": "bash", "content": "done" });
    let session = [
        json!({ "type": "session", "version": 3, "id": "long", "timestamp": at(0), "cwd": "/work" }),
        entry("a", None, 0, json!({ "role": "user", "content": "build everything" })),
        entry("b", Some("a"), 1, json!({ "role": "assistant", "content": [call] })),
        // Nobody waits for a tool that long.
        entry("c", Some("b"), 200, result),
        entry("d", Some("c"), 201, json!({ "role": "assistant", "content": "It is built." })),
    ];
    let text =
        |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let (home, clean) = (Home::new(), Home::new());
    put(&home.sessions, "--work--/long.jsonl", text(&session[..3]).as_bytes());
    assert_eq!(home.ingest_at(at(180)).versions.len(), 1);
    put(&home.sessions, "--work--/long.jsonl", text(&session).as_bytes());
    assert_eq!(home.ingest_at(at(202)).versions, [], "it goes on");
    assert_eq!(home.ingest_at(at(220)).versions.len(), 1);
    put(&clean.sessions, "--work--/long.jsonl", text(&session).as_bytes());
    clean.ingest();
    assert_same(&clean.picture(), &home.picture(), "when it is over again");
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn a_second_ingest_does_nothing(world in any_world(40)) {
        let home = Home::with(&world);
        let sessions = home.session_files();
        let first = home.ingest();
        prop_assert_eq!(first.files, world.files.len());
        let (before, files) = (home.picture(), home.node_files());
        let second = home.ingest();
        prop_assert_eq!(
            (second.found, second.files, second.bytes, second.entries, second.messages, second.versions.len()),
            (world.files.len(), 0, 0, 0, 0, 0)
        );
        assert_same(&before, &home.picture(), "after a second ingest");
        prop_assert_eq!(home.node_files(), files);
        prop_assert_eq!(home.session_files(), sessions);
    }

    #[test]
    fn files_may_come_in_any_order(
        (world, order) in any_world(40).prop_flat_map(|world| {
            let order: Vec<usize> = (0..world.files.len()).collect();
            (Just(world), Just(order).prop_shuffle())
        }),
    ) {
        let home = Home::new();
        for &at in &order {
            let file = &world.files[at];
            put(&home.sessions, &file.name, file.text().as_bytes());
            home.ingest();
        }
        assert_same(&picture_of(&world), &home.picture(), "one by one");
    }

    #[test]
    fn the_rest_of_a_file_may_come_later(
        world in any_world(40),
        cuts in prop::collection::vec(any::<Index>(), 12),
        by_line in any::<bool>(),
        waits in any::<bool>(),
        goes_on in any::<bool>(),
    ) {
        let home = Home::new();
        for (file, cut) in world.files.iter().zip(cuts.iter().cycle()) {
            let text = file.text();
            let ends: Vec<usize> = if by_line { text.match_indices('\n').map(|(at, _)| at + 1).collect() } else { (0..text.len()).collect() };
            put(&home.sessions, &file.name, &text.as_bytes()[..ends[cut.index(ends.len())]]);
        }
        // Either everything is taken for finished before the rest comes, or nothing.
        let now = if waits { LATER } else { Millis(BEGINNING) };
        home.open().ingest("ingest", now, &Silent).unwrap();
        world.write(&home.sessions);
        if goes_on {
            // What was taken for finished is not, and then is.
            home.ingest_at(Millis(BEGINNING));
        }
        home.ingest();
        assert_same(&picture_of(&world), &home.picture(), "in two parts");
    }

    #[test]
    fn a_file_may_grow_line_by_line(world in any_world(30), at in any::<Index>()) {
        let home = Home::with(&world);
        let file = &world.files[at.index(world.files.len())];
        let text = file.text();
        let mut app = home.open();
        for (end, _) in text.match_indices('\n') {
            put(&home.sessions, &file.name, &text.as_bytes()[..=end]);
            app.refresh(LATER, &Silent).unwrap();
        }
        drop(app);
        home.ingest();
        assert_same(&picture_of(&world), &home.picture(), "line by line");
    }

    #[test]
    fn the_folder_may_move(world in any_world(40)) {
        let home = Home::with(&world);
        home.ingest();
        let (before, files) = (home.picture(), home.node_files());
        let elsewhere = home.sessions.with_file_name("elsewhere");
        fs::rename(&home.sessions, &elsewhere).unwrap();
        let mut app = App::open(&home.data, settings(&elsewhere)).unwrap();
        let report = app.ingest("ingest", LATER, &Silent).unwrap();
        drop(app);
        prop_assert_eq!(report.gone, world.files.len());
        assert_same(&before, &home.picture(), "after a move");
        prop_assert_eq!(home.node_files(), files, "nothing new is said");
    }

    #[test]
    fn what_is_deleted_stays_known_and_may_come_back(
        world in any_world(40),
        gone in prop::collection::vec(any::<bool>(), 12),
    ) {
        let home = Home::with(&world);
        home.ingest();
        let before = home.picture();
        let mut rest = world.clone();
        let mut gone = gone.iter().cycle();
        rest.files.retain(|_| !gone.next().unwrap());
        for file in world.files.iter().filter(|file| rest.files.iter().all(|left| left.name != file.name)) {
            fs::remove_file(home.sessions.join(&file.name)).unwrap();
        }
        home.ingest();
        let now = home.picture();
        check_derived(&now, &picture_of(&rest));
        let left: String = rest.files.iter().map(File::text).collect();
        for (id, node) in &before.nodes {
            let source = &node["node"]["source"];
            let is_left = |id: &Value| left.contains(&format!("\"id\":{id}"));
            // A fork may have copied a part of it, and not its first entry: labels are not copied. Then it is the fork's.
            let is_gone = !is_left(&source["sessionId"])
                && !is_left(&source["segment"]["startEntryId"])
                && !entries_of(&world, source).any(is_left);
            prop_assert!(!is_gone || now.nodes[id]["node"] == node["node"], "{} is lost", id);
        }
        world.write(&home.sessions);
        home.ingest();
        assert_same(&before, &home.picture(), "after everything came back");
    }

    #[test]
    fn what_is_spoilt_stays_known_and_may_be_mended(
        world in any_world(40),
        damage in prop::collection::vec((0..4_u8, any::<Index>()), 12),
    ) {
        let home = Home::with(&world);
        home.ingest();
        let before = home.picture();
        let spoilt = Home::new();
        for (file, (kind, at)) in world.files.iter().zip(damage.iter().cycle()) {
            let mut bytes = file.text().into_bytes();
            let at = at.index(bytes.len());
            match kind {
                0 => {}
                1 => bytes.truncate(at),
                2 => bytes = b"{\"no\": \"session\"}\n".repeat(9),
                _ => bytes.clear(),
            }
            put(&spoilt.sessions, &file.name, &bytes);
            put(&home.sessions, &file.name, &bytes);
        }
        home.open().ingest("ingest", LATER, &Silent).unwrap();
        spoilt.open().ingest("ingest", LATER, &Silent).unwrap();
        check_derived(&home.picture(), &spoilt.picture());
        world.write(&home.sessions);
        home.ingest();
        assert_same(&before, &home.picture(), "after everything was mended");
    }

    #[test]
    fn old_files_keep_their_nodes_when_pi_rewrites_them(world in any_world(60), seed in 0..1000_u32) {
        let home = Home::with(&world);
        home.ingest();
        let before = home.picture();
        for file in world.files.iter().filter(|file| file.header.get("version").is_none()) {
            put(&home.sessions, &file.name, migrated(file, seed).as_bytes());
        }
        home.ingest();
        check_migrated(&before, &home.picture());
        home.rebuild();
        check_migrated(&before, &home.picture());
    }
}

/// The ids of the entries that a node was made from, as the files of its session have them.
fn entries_of<'a>(world: &'a World, source: &'a Value) -> impl Iterator<Item = &'a Value> {
    let segment = &source["segment"];
    let of_session = |file: &&File| file.header["id"] == source["sessionId"];
    world.files.iter().filter(of_session).flat_map(|file| {
        let place = |id: &Value| file.entries.iter().position(|entry| entry["id"] == *id);
        let (start, end) = (place(&segment["startEntryId"]), place(&segment["endEntryId"]));
        let span = start.zip(end).map_or(0..0, |(start, end)| start..end + 1);
        file.entries[span].iter().map(|entry| &entry["id"])
    })
}

/// Checks what follows from the files that are there now. Nodes of files that were there once come on top, and what these
/// have in common with others links them, and makes it less rare.
#[track_caller]
fn check_derived(now: &Picture, fresh: &Picture) {
    let present = now.nodes.iter().filter(|(_, node)| node["orphaned"] == false);
    let present = present.map(|(id, node)| (id.clone(), node.clone())).collect();
    let structural = |picture: &Picture| {
        let edges = picture.edges.clone().into_iter();
        edges.filter(|(_, edge)| edge["createdBy"] != "daemon").collect()
    };
    let answers = fresh.answers.clone();
    let now = Picture { nodes: present, edges: structural(now), answers, ..now.clone() };
    let fresh = Picture { edges: structural(fresh), ..fresh.clone() };
    assert_same(&fresh, &now, "what follows from the files");
}

#[track_caller]
fn check_migrated(before: &Picture, now: &Picture) {
    let ids = |picture: &Picture| picture.nodes.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(ids(before), ids(now));
    let edges = |picture: &Picture| picture.edges.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(edges(before), edges(now));
    // Segments without words have no node that would remember their name.
    let spent = |picture: &Picture| {
        let lines = picture.spending.iter().filter_map(|line| line.split_once(": "));
        let mut lines: Vec<String> = lines.map(|(_, spent)| spent.to_owned()).collect();
        lines.sort();
        lines
    };
    assert_eq!(spent(before), spent(now));
    for (id, node) in &before.nodes {
        assert_eq!(now.nodes[id]["orphaned"], false);
        for part in ["content", "classification", "semantic", "lessons"] {
            assert_eq!(node["node"][part], now.nodes[id]["node"][part], "{id}");
        }
    }
}
