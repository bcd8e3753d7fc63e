//! The ten properties of the mapping, on made-up families.

use std::collections::{BTreeMap, BTreeSet};

use pi_brain_forest::{
    ContentKey, ExportOptions, Forest, MemoryStore, News, NodeId, Place, Reading, Store, Which,
};
use pi_brain_session::{Context, Millis, Mint, Session, Usage, View};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use serde_json::Value;

use super::picture::picture;
use super::world::{Act, World, any_family, any_world, cases};
use super::{NOW, forest_of, import, number_of};
use crate::support::Recorder;

fn named(texts: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    texts.iter().map(|(name, bytes)| (&**name, &**bytes)).collect()
}

/// Something that can happen to the bytes of a file.
#[derive(Clone, Debug)]
enum Damage {
    Change(Index, u8),
    Insert(Index, &'static str),
    Delete(Index, usize),
    CutOff(Index),
    SwapLines(Index, Index),
    JoinLines(Index),
}

fn any_damage() -> impl Strategy<Value = Vec<Damage>> {
    let at = any::<Index>;
    let pieces = &["{", "}", "\"", "\n", ",", "\\", "null", "\u{feff}", "{}"][..];
    let damage = prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Change(at, byte)),
        (at(), prop::sample::select(pieces)).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (at(), 1_usize..40).prop_map(|(at, length)| Damage::Delete(at, length)),
        at().prop_map(Damage::CutOff),
        (at(), at()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        at().prop_map(Damage::JoinLines),
    ];
    prop::collection::vec(damage, 1..5)
}

fn damaged(mut bytes: Vec<u8>, damage: &[Damage]) -> Vec<u8> {
    for damage in damage {
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len();
        match damage {
            Damage::Change(at, byte) => bytes[at.index(count)] = *byte,
            Damage::Insert(at, piece) => {
                let at = at.index(count);
                bytes.splice(at..at, piece.bytes());
            }
            Damage::Delete(at, length) => {
                let at = at.index(count);
                bytes.drain(at..(at + length).min(count));
            }
            Damage::CutOff(at) => bytes.truncate(at.index(count)),
            Damage::SwapLines(one, other) => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                lines.swap(one, other);
                bytes = lines.concat();
            }
            Damage::JoinLines(at) => {
                let breaks: Vec<usize> = (0..count).filter(|&at| bytes[at] == b'\n').collect();
                if !breaks.is_empty() {
                    bytes.remove(breaks[at.index(breaks.len())]);
                }
            }
        }
    }
    bytes
}

/// A mint that gives numbers in a row.
#[derive(Default)]
pub(crate) struct Counter(u32);

impl Mint for Counter {
    fn now(&mut self) -> Millis {
        self.0 += 1;
        Millis(NOW.0 + i64::from(self.0))
    }

    fn random(&mut self) -> u128 {
        self.0 += 1;
        u128::from(self.0 | 0xf000_0000) << 96
    }
}

/// Returns the content keys that lead to each message, over all trees.
fn conversations<S: Store>(forest: &Forest<S>) -> BTreeSet<Vec<ContentKey>> {
    let mut found = BTreeSet::new();
    for root in forest.roots().unwrap() {
        let mut open: Vec<(Place, Vec<ContentKey>)> = vec![(root.id.into(), Vec::new())];
        while let Some((place, path)) = open.pop() {
            for child in forest.store().children(place, Which::All).unwrap() {
                let longer = [&path[..], &[child.key]].concat();
                open.push((child.id.into(), longer.clone()));
                found.insert(longer);
            }
        }
    }
    found
}

/// Returns the content keys that lead to every place that a session speaks of.
fn conversations_of<S: Store>(forest: &Forest<S>, name: &str) -> Vec<Vec<ContentKey>> {
    let record = forest.store().session(number_of(forest, name)).unwrap().unwrap();
    let keys = |place: Place| {
        let mut keys = Vec::new();
        let mut at = place;
        while let Place::Node(id) = at {
            let node = forest.store().node(id).unwrap().unwrap();
            keys.push(node.key);
            at = node.parent;
        }
        keys
    };
    record.entries.iter().map(|entry| keys(entry.place)).collect()
}

/// Returns a context as text.
pub(crate) fn told(context: &Context) -> String {
    serde_json::to_string(context).unwrap()
}

/// Returns a context as text, without the places that branches were left from: their names may change.
fn told_without_places(context: &Context) -> String {
    let mut value = serde_json::to_value(context).unwrap();
    for message in value["messages"].as_array_mut().unwrap() {
        if let Value::Object(members) = message {
            members.remove("fromId");
        }
    }
    value.to_string()
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn p1_the_same_file_comes_out(
        world in any_world(30),
        which in any::<Index>(),
        damage in any_damage(),
    ) {
        let mut texts = world.texts();
        let at = which.index(texts.len());
        texts[at].1 = damaged(std::mem::take(&mut texts[at].1), &damage);
        texts.retain(|(name, bytes)| Reading::from_bytes(name, bytes.clone()).is_ok());
        let forest = forest_of(&named(&texts));
        for (name, bytes) in &texts {
            prop_assert_eq!(&forest.export_session(number_of(&forest, name)).unwrap(), bytes);
        }
    }

    #[test]
    fn p2_the_order_of_imports_does_not_matter(
        world in any_world(30),
        order in any::<[Index; 6]>(),
        which in any::<Index>(),
        damage in any_damage(),
        is_damaged in any::<bool>(),
    ) {
        let mut texts = world.texts();
        if is_damaged {
            let at = which.index(texts.len());
            texts[at].1 = damaged(std::mem::take(&mut texts[at].1), &damage);
            texts.retain(|(name, bytes)| Reading::from_bytes(name, bytes.clone()).is_ok());
        }
        let expected = picture(&forest_of(&named(&texts)));
        for (at, with) in order.iter().enumerate().take(texts.len()) {
            let with = with.index(texts.len());
            texts.swap(at, with);
        }
        let shuffled = forest_of(&named(&texts));
        prop_assert_eq!(&picture(&shuffled), &expected);
        texts.reverse();
        prop_assert_eq!(&picture(&forest_of(&named(&texts))), &expected);
    }

    #[test]
    fn p3_importing_twice_changes_nothing(world in any_world(30)) {
        let texts = world.texts();
        let mut forest = Forest::new(Recorder::default());
        import(&mut forest, &named(&texts));
        let commits = forest.store().log.len();
        let report = import(&mut forest, &named(&texts));
        prop_assert_eq!(forest.store().log.len(), commits);
        prop_assert!(report.sessions.iter().all(|session| session.news == News::Unchanged));
    }

    #[test]
    fn p4_a_file_that_grows_is_as_good_as_a_whole_one(
        world in any_world(30),
        which in any::<Index>(),
        cuts in any::<[Index; 2]>(),
        damage in any_damage(),
        is_damaged in any::<bool>(),
    ) {
        let mut texts = world.texts();
        let at = which.index(texts.len());
        if is_damaged {
            texts[at].1 = damaged(std::mem::take(&mut texts[at].1), &damage);
        }
        texts.retain(|(name, bytes)| Reading::from_bytes(name, bytes.clone()).is_ok());
        prop_assume!(!texts.is_empty());
        let (name, whole) = texts[at.min(texts.len() - 1)].clone();
        let mut cuts = cuts.map(|cut| cut.index(whole.len() + 1));
        cuts.sort_unstable();
        let expected = picture(&forest_of(&named(&texts)));
        let mut forest = Forest::new(MemoryStore::new());
        let others: Vec<_> = texts.iter().filter(|(other, _)| *other != name).cloned().collect();
        import(&mut forest, &named(&others));
        for cut in cuts.into_iter().chain([whole.len()]) {
            if let Ok(reading) = Reading::from_bytes(&name, whole[..cut].to_vec()) {
                forest.import(vec![reading], NOW).unwrap();
                prop_assert_eq!(forest.check().unwrap(), []);
                let again = forest.export_session(number_of(&forest, &name)).unwrap();
                prop_assert_eq!(&again[..], &whole[..cut]);
            }
        }
        prop_assert_eq!(picture(&forest), expected);
    }

    #[test]
    fn p5_a_fork_adds_no_message(
        world in any_family(30),
        file in any::<Index>(),
        to in any::<Index>(),
        how in 0_usize..6,
    ) {
        let texts = world.texts();
        let mut forest = forest_of(&named(&texts));
        let before = conversations(&forest);
        let act = match how {
            0 => Act::Fork { file, old: false },
            1 => Act::Fork { file, old: true },
            2 => Act::ForkAll { file },
            3 => Act::Backup { file },
            4 => Act::Retell { file },
            _ => Act::Age { file },
        };
        let world = world.play(&[Act::Go { file, to }, act]);
        let texts = world.texts();
        let report = import(&mut forest, &named(&texts));
        prop_assert!(report.sessions.iter().all(|session| session.messages == 0));
        prop_assert_eq!(conversations(&forest), before);
    }

    #[test]
    fn p6_the_context_is_that_of_pi(world in any_family(30)) {
        let texts = world.texts();
        let forest = forest_of(&named(&texts));
        let mut by_node: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        for (file, (name, bytes)) in world.files.iter().zip(&texts) {
            let session = Session::from_bytes(bytes.clone()).unwrap();
            // Of what old pi tore apart, pi itself sees only a part.
            let tree = session.tree(if file.torn { View::Repaired } else { View::AsPi });
            let no = number_of(&forest, name);
            let record = forest.store().session(no).unwrap().unwrap();
            for at in 0..record.entries.len() {
                let expected = session.context(&tree, Some(at)).unwrap();
                let entry = u32::try_from(at).unwrap();
                let context = forest.pi_context_of_entry(no, entry).unwrap();
                prop_assert_eq!(told(&context), told(&expected));
                if let Place::Node(node) = record.entries[at].place {
                    let known = by_node.entry(node).or_default();
                    known.extend(record.adrift.is_empty().then(|| told_without_places(&expected)));
                }
            }
        }
        for (node, expected) in by_node {
            // Of what only sessions without a beginning say, no file tells the whole.
            let is_whole = |context: &Context| {
                expected.is_empty() || expected.contains(&told_without_places(context))
            };
            prop_assert!(is_whole(&forest.pi_context(node).unwrap()));
            let exported = forest.export_leaf(node, ExportOptions::default(), &mut Counter::default());
            let session = Session::from_bytes(exported.unwrap().text.into_bytes()).unwrap();
            let tree = session.tree(View::AsPi);
            prop_assert!(session.problems(&tree).is_empty());
            prop_assert!(is_whole(&session.context(&tree, tree.leaf()).unwrap()));
        }
    }

    #[test]
    fn p6_a_whole_family_in_one_file_tells_the_same(world in any_family(30)) {
        let texts = world.texts();
        let forest = forest_of(&named(&texts));
        let root = forest.roots().unwrap()[0].id;
        let exported = forest.export_family(root, None, &mut Counter::default()).unwrap();
        let union = Session::from_bytes(exported.text.clone().into_bytes()).unwrap();
        let union_tree = union.tree(View::AsPi);
        prop_assert_eq!(union.problems(&union_tree), []);
        let contexts: BTreeSet<String> = (0..union.log().entries().len())
            .map(|at| told_without_places(&union.context(&union_tree, Some(at)).unwrap()))
            .collect();
        for (file, (name, bytes)) in world.files.iter().zip(&texts) {
            let record = forest.store().session(number_of(&forest, name)).unwrap().unwrap();
            if !record.adrift.is_empty() {
                // It has lost its beginning, which another session has.
                continue;
            }
            let session = Session::from_bytes(bytes.clone()).unwrap();
            let tree = session.tree(if file.torn { View::Repaired } else { View::AsPi });
            for leaf in tree.leaves() {
                let expected = session.context(&tree, Some(leaf)).unwrap();
                let said = !expected.messages.is_empty();
                prop_assert!(!said || contexts.contains(&told_without_places(&expected)), "{}", name);
            }
        }
        // It adds nothing that was not said before.
        let mut forest = forest;
        let before = conversations(&forest);
        let report = import(&mut forest, &[("/union.jsonl", exported.text.as_bytes())]);
        prop_assert_eq!(report.sessions[0].root, root);
        prop_assert_eq!(conversations(&forest), before);
    }

    #[test]
    fn p7_only_what_was_said_makes_a_message(
        world in any_family(20),
        file in any::<Index>(),
        entry in any::<Index>(),
    ) {
        let texts = world.texts();
        let mut forest = forest_of(&named(&texts));
        let file = &world.files[file.index(world.files.len())];
        if file.entries.is_empty() {
            return Ok(());
        }
        let at = entry.index(file.entries.len());
        let mut changed = file.clone();
        changed.name = "/changed.jsonl".to_owned();
        let changes = [
            ("usage", "{\"input\":99}"), ("details", "[1]"), ("stopReason", "\"aborted\""), ("model", "\"other\""),
            ("responseId", "\"r\""), ("errorMessage", "\"e\""), ("display", "false"), ("durationMs", "3"),
            ("diagnostics", "[]"), ("unheardOf", "{}"), ("fromHook", "true"), ("toolName", "\"other\""),
        ];
        for (key, value) in changes {
            let value: Value = serde_json::from_str(value).unwrap();
            if changed.entries[at]["message"].is_object() {
                changed.entries[at]["message"][key] = value.clone();
            }
            changed.entries[at][key] = value;
        }
        let before = conversations(&forest);
        let report = import(&mut forest, &[("/changed.jsonl", &changed.bytes())]);
        prop_assert_eq!(report.sessions[0].messages, 0);
        prop_assert_eq!(conversations(&forest), before);
    }

    #[test]
    fn p7_other_words_are_another_message(
        world in any_family(20),
        file in any::<Index>(),
        entry in any::<Index>(),
    ) {
        let texts = world.texts();
        let mut forest = forest_of(&named(&texts));
        let file = &world.files[file.index(world.files.len())];
        let record = forest.store().session(number_of(&forest, &file.name)).unwrap().unwrap();
        let own: Vec<usize> = (0..record.entries.len()).filter(|&at| record.entries[at].own).collect();
        if own.is_empty() {
            return Ok(());
        }
        let mut changed = file.clone();
        let entry = &mut changed.entries[own[entry.index(own.len())]];
        let speaks = entry["message"].is_object();
        let said = if speaks { &mut entry["message"] } else { entry };
        let key = ["summary", "command"].into_iter().find(|key| said.get(key).is_some());
        said[key.unwrap_or("content")] = "something else".into();
        let report = import(&mut forest, &[("/changed.jsonl", &changed.bytes())]);
        prop_assert!(report.sessions[0].messages > 0);
    }

    #[test]
    fn p8_every_response_costs_once(world in any_family(40)) {
        let texts = world.texts();
        let forest = forest_of(&named(&texts));
        let roots = forest.roots().unwrap();
        prop_assert_eq!(roots.len(), 1);
        let cost = forest.family_cost(roots[0].id).unwrap();
        prop_assert_eq!(cost.honest, world.spent);
        let mut naive = Usage::default();
        for (_, bytes) in &texts {
            let session = Session::from_bytes(bytes.clone()).unwrap();
            for entry in session.log().entries() {
                naive += entry.usage.as_deref().copied().unwrap_or_default();
            }
        }
        prop_assert_eq!(cost.naive, naive);
    }

    #[test]
    fn p9_removing_a_session_leaves_what_the_others_say(
        world in any_world(30),
        which in any::<Index>(),
        damage in any_damage(),
    ) {
        let texts = world.texts();
        let mut forest = forest_of(&named(&texts));
        let at = which.index(texts.len());
        let mut others = texts.clone();
        let (name, bytes) = others.remove(at);
        forest.remove_session(number_of(&forest, &name), NOW).unwrap();
        prop_assert_eq!(forest.check().unwrap(), []);
        let expected = forest_of(&named(&others));
        prop_assert_eq!(conversations(&forest), conversations(&expected));
        if forest.roots().unwrap().len() == expected.roots().unwrap().len() {
            prop_assert_eq!(picture(&forest), picture(&expected));
        }
        // A file that says something else is a file that is removed and another one.
        let mut forest = forest_of(&named(&texts));
        let changed = damaged(bytes, &damage);
        if Reading::from_bytes(&name, changed.clone()).is_ok() {
            import(&mut forest, &[(&name, &changed)]);
            others.push((name, changed));
            prop_assert_eq!(conversations(&forest), conversations(&forest_of(&named(&others))));
        }
        // Whatever was removed can come back.
        for (name, _) in &others {
            forest.remove_session(number_of(&forest, name), NOW).unwrap_or_default();
        }
        import(&mut forest, &named(&texts));
        prop_assert_eq!(picture(&forest), picture(&forest_of(&named(&texts))));
    }

    #[test]
    fn p10_a_damaged_file_costs_no_other_session_anything(
        world in any_world(30),
        which in any::<Index>(),
        damage in any_damage(),
        late in any::<bool>(),
    ) {
        let texts = world.texts();
        let whole = forest_of(&named(&texts));
        let at = which.index(texts.len());
        let mut broken = texts.clone();
        broken[at].1 = damaged(std::mem::take(&mut broken[at].1), &damage);
        let damaged_name = broken[at].0.clone();
        if Reading::from_bytes(&damaged_name, broken[at].1.clone()).is_err() {
            broken.remove(at);
        }
        let mut forest = Forest::new(MemoryStore::new());
        if late {
            import(&mut forest, &named(&texts));
        }
        import(&mut forest, &named(&broken));
        for (name, bytes) in texts.iter().filter(|(name, _)| *name != damaged_name) {
            prop_assert_eq!(&forest.export_session(number_of(&forest, name)).unwrap(), bytes);
            let record = whole.store().session(number_of(&whole, name)).unwrap().unwrap();
            let said = |forest| {
                let mut conversations = conversations_of(forest, name);
                if !record.adrift.is_empty() {
                    // What came before, it has from others.
                    for keys in &mut conversations {
                        keys.truncate(1);
                    }
                }
                conversations
            };
            prop_assert_eq!(said(&forest), said(&whole));
        }
    }
}

#[test]
fn a_world_is_what_it_should_be() {
    // The properties would say little about worlds in which nothing happens.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = any_family(30);
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    let (mut files, mut torn) = (0, 0);
    for _ in 0..200 {
        let world: World = strategy.new_tree(&mut runner).unwrap().current();
        files += world.files.len();
        torn += world.files.iter().filter(|file| file.torn).count();
        let entries = world.files.iter().flat_map(|file| &file.entries);
        kinds.extend(entries.map(|entry| entry["type"].as_str().unwrap().to_owned()));
    }
    assert!(files > 600, "{files} files");
    assert!(torn > 5, "{torn} torn files");
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}
