//! What is derived can be thrown away; what the user did cannot.

use std::fs;

use pi_brain_app::Silent;
use pi_brain_brain::{EdgeType, FlagType, NodeId};
use pi_brain_session::Millis;
use pi_brain_store::{Action, DataFolder, Store};
use proptest::prelude::*;
use serde_json::json;

use crate::brain::Home;
use crate::picture::assert_same;
use crate::world::{LATER, any_world, cases};

/// Does everything that a user can do.
fn act(home: &Home) {
    let picture = home.picture();
    let ids: Vec<NodeId> = picture.nodes.keys().map(|id| id.parse().unwrap()).collect();
    let mut store = Store::open(&DataFolder::create(&home.data).unwrap()).unwrap();
    let mut clock = LATER.0;
    let mut done = |action: Action| {
        clock += 1;
        store.act(Millis(clock), action).unwrap();
    };
    for (at, &node) in ids.iter().enumerate() {
        match at % 5 {
            0 => {
                for value in ["first thought", "second thought", "first thought"] {
                    let path = "content.summary".to_owned();
                    done(Action::Feedback { node, path, value: json!(value) });
                }
                let path = "content.outcome".to_owned();
                done(Action::Feedback { node, path, value: json!("failed") });
            }
            1 => done(Action::Flag { node, kind: FlagType::Win, message: "well done".to_owned() }),
            2 => done(Action::Hide { node, hidden: true }),
            3 => {
                let (kind, reason) = (EdgeType::Reference, Some("see there".to_owned()));
                done(Action::AddEdge { source: node, target: ids[0], kind, reason });
            }
            _ => {
                done(Action::Hide { node, hidden: true });
                done(Action::Hide { node, hidden: false });
            }
        }
    }
    if let Some(file) = home.session_files().keys().next_back() {
        done(Action::Forget { file: file.to_string_lossy().into_owned() });
    }
}

proptest! {
    #![proptest_config(cases(3))]

    #[test]
    fn a_rebuilt_brain_knows_the_same(world in any_world(60)) {
        let home = Home::with(&world);
        home.ingest();
        act(&home);
        home.ingest();
        let (before, files) = (home.picture(), home.node_files());

        home.rebuild();
        assert_same(&before, &home.picture(), "rebuilt");
        prop_assert_eq!(&home.node_files(), &files, "a rebuild says nothing new");

        let database = || {
            for ending in ["", "-wal", "-shm"] {
                let _ = fs::remove_file(home.data.join(format!("brain.db{ending}")));
            }
        };
        let index = || fs::remove_dir_all(home.data.join("index")).unwrap();
        index();
        home.ingest();
        assert_same(&before, &home.picture(), "without the index");
        database();
        home.ingest();
        assert_same(&before, &home.picture(), "without the database");
        database();
        index();
        home.ingest();
        assert_same(&before, &home.picture(), "without both");
        prop_assert_eq!(&home.node_files(), &files);
    }

    #[test]
    fn a_correction_survives_growth(world in any_world(40)) {
        let home = Home::with(&world);
        home.ingest();
        act(&home);
        home.ingest();
        let corrected = |home: &Home| {
            let nodes = home.picture().nodes.into_iter();
            let nodes = nodes.filter(|(_, node)| node["node"]["content"]["summary"] == "first thought");
            nodes.map(|(id, _)| id).collect::<Vec<_>>()
        };
        let known = corrected(&home);
        // The corrected node may be of the session that is forgotten.
        prop_assume!(!known.is_empty());
        // Everything is read anew, and says more.
        for path in home.session_files().keys() {
            let mut text = fs::read_to_string(path).unwrap();
            if text.contains("\"version\":3") {
                text.push_str("{\"type\":\"message\",\"id\":\"ffff0001\",\"parentId\":null,");
                text.push_str("\"timestamp\":\"2026-01-01T00:00:00.000Z\",");
                text.push_str("\"message\":{\"role\":\"user\",\"content\":\"more\",\"timestamp\":1}}\n");
            }
            fs::write(path, text).unwrap();
        }
        home.open().refresh(LATER, &Silent).unwrap().unwrap();
        prop_assert_eq!(corrected(&home), known);
    }
}
