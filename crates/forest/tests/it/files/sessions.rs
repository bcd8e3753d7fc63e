//! Families of sessions in a folder: the same forest as in memory, whenever it was closed in between.

use std::fs;

use pi_brain_forest::{Forest, MemoryStore, Reading, Store};
use proptest::prelude::*;

use super::{NOW, contents, dump, open};
use crate::pi::world::{File, any_world, cases};

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn sessions_in_a_folder_are_those_in_memory(world in any_world(24), cut in 0.0..1.0_f64) {
        let folder = tempfile::tempdir().unwrap();
        let mut in_memory = Forest::new(MemoryStore::new());
        let texts: Vec<Vec<u8>> = world.files.iter().map(File::bytes).collect();
        // Each file is seen twice, first when only a part of it was written.
        let parts = texts.iter().map(|text| &text[..part(text.len(), cut)]);
        let names = world.files.iter().map(|file| &*file.name);
        let all: Vec<(&str, &[u8])> =
            names.clone().zip(parts).chain(names.zip(texts.iter().map(Vec::as_slice))).collect();
        for (name, bytes) in all {
            let mut forest = open(folder.path());
            let read = |bytes: &[u8]| Reading::from_bytes(name, bytes.to_vec());
            let (Ok(one), Ok(other)) = (read(bytes), read(bytes)) else { continue };
            forest.import(vec![one], NOW).unwrap();
            in_memory.import(vec![other], NOW).unwrap();
        }

        let mut forest = open(folder.path());
        prop_assert_eq!(dump(forest.store()), dump(in_memory.store()));
        prop_assert_eq!(forest.check().unwrap(), []);
        prop_assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
        for record in forest.store().sessions().unwrap() {
            let file = world.files.iter().position(|file| file.name == record.file).unwrap();
            prop_assert_eq!(&forest.export_session(record.no).unwrap(), &texts[file]);
        }
        let pack = fs::read(folder.path().join("lines.pack")).unwrap();
        let mut lines: Vec<&[u8]> = pack.split_inclusive(|byte| *byte == b'\n').collect();
        let count = lines.len();
        lines.sort_unstable();
        lines.dedup();
        prop_assert_eq!(lines.len(), count, "no line is there twice");
        let is_node = |path: &std::path::Path| path.to_str().unwrap().contains("/nodes/");
        prop_assert!(contents(folder.path()).iter().all(|(path, _)| !is_node(path)));

        let first = forest.store().sessions().unwrap()[0].no;
        forest.remove_session(first, NOW).unwrap();
        in_memory.remove_session(first, NOW).unwrap();
        drop(forest);
        prop_assert_eq!(dump(open(folder.path()).store()), dump(in_memory.store()));
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a part of a length is a length"
)]
fn part(length: usize, cut: f64) -> usize {
    (length as f64 * cut) as usize
}

#[test]
fn absurd_numbers_in_a_session_are_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#;
    let user = r#"{"type":"message","id":"a","parentId":null,"timestamp":"+020000-01-01T00:00:00.000Z","message":{"role":"user","content":"hi","timestamp":8640000000000000}}"#;
    let answer = r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ho"}],"usage":{"input":1e300,"output":-5,"cost":{"total":1e999}}}}"#;
    let text = format!("{header}\n{user}\n{answer}\n").into_bytes();
    let mut forest = open(folder.path());
    forest.import(vec![Reading::from_bytes("s.jsonl", text.clone()).unwrap()], NOW).unwrap();
    let before = dump(forest.store());
    drop(forest);
    let forest = open(folder.path());
    assert_eq!(dump(forest.store()), before);
    let first = forest.store().sessions().unwrap()[0].no;
    assert_eq!(forest.export_session(first).unwrap(), text);
}
