//! Random operations on a forest and on a plain model of one: after each step both must look the same, and every
//! invariant must hold.

mod model;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use pi_brain_forest::{
    Deletion, Following, Forest, Matching, MemoryStore, Message, ModelSource, NewMessage, Node,
    NodeId, Place, Result, Role, RootId, SourceInfo, Store,
};
use pi_brain_session::Millis;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{Recorder, Snapshot, assert_sound, cases, kind, label, message};
use model::{Done, Gone, Model, Refusal, Spot, Tree};

/// What can be done to a forest, with places of type `P`.
#[derive(Clone, Debug)]
enum Op<P> {
    Root(Option<&'static str>),
    Append {
        at: P,
        labels: Vec<&'static str>,
        trimmed: bool,
        by_model: bool,
    },
    Edit {
        at: P,
        text: String,
        follow: bool,
    },
    Split {
        at: P,
        position: usize,
    },
    Join {
        at: P,
    },
    Delete {
        at: Vec<P>,
        cascade: bool,
        force: bool,
    },
    Restore {
        at: P,
    },
    Bookmark {
        at: P,
        title: &'static str,
    },
    RenameBookmark {
        from: &'static str,
        to: &'static str,
    },
    RemoveBookmark {
        title: &'static str,
    },
    Title {
        at: P,
        title: &'static str,
    },
    Tag {
        at: P,
        add: &'static str,
        remove: &'static str,
    },
    /// Custom data that names a message, or no longer does.
    Data {
        at: P,
        key: &'static str,
        names: Option<P>,
    },
    GoTo {
        at: P,
    },
    DeleteRoot(usize),
    RestoreRoot(usize),
}

/// A number that stands for a place, whatever the forest looks like by then.
#[derive(Clone, Copy, Debug)]
enum Pick {
    Visible(usize),
    Root(usize),
    /// One of those that can be restored.
    Deleted(usize),
    /// A left half of a split message.
    Half(usize),
    /// One that says the same as a sibling of its parent: they become one if the parent goes alone.
    Twin(usize),
    /// The parent of such a one.
    AboveTwin(usize),
    /// One that took the place of another.
    Risen(usize),
    /// Any that ever was.
    Any(usize),
    Missing,
}

fn any_message() -> impl Strategy<Value = Pick> {
    let number = || 0..1_000_usize;
    prop_oneof![
        60 => number().prop_map(Pick::Visible),
        12 => number().prop_map(Pick::Twin),
        6 => number().prop_map(Pick::Risen),
        2 => number().prop_map(Pick::Deleted),
        2 => number().prop_map(Pick::Any),
        1 => Just(Pick::Missing),
    ]
}

fn any_place() -> impl Strategy<Value = Pick> {
    prop_oneof![2 => any_message(), 1 => (0..1_000_usize).prop_map(Pick::Root)]
}

/// Few texts, so that they meet, and some that begin like others.
fn any_labels() -> impl Strategy<Value = Vec<&'static str>> {
    let texts = ["u:a", "u:a", "u:b", "u:b", "u:ab", "u:ab", "u:aba", "u:ba", "a:a"];
    let others = vec![
        "u:a b", "u: a", "u:a ", "a:b ", "u:a|b", "u:ab|a", "a:a|b", "u:{i}", "u:a|{i}", "u: ",
        "a:a|[x]",
    ];
    let turn = prop_oneof![
        24 => prop::sample::select(texts.to_vec()).prop_map(|label| vec![label]),
        6 => prop::sample::select(others).prop_map(|label| vec![label]),
        1 => Just(vec!["a:[x]", "t:x=1"]),
        1 => Just(vec!["a:[y]|[x]", "t:y=1", "u:a", "t:x=1"]),
        1 => prop::sample::select(vec!["t:x=1", "t:y= ", "t:y=1"]).prop_map(|label| vec![label]),
    ];
    prop::collection::vec(turn, 1..=4).prop_map(|turns| turns.concat())
}

fn any_op() -> impl Strategy<Value = Op<Pick>> {
    let title = || prop::sample::select(vec!["one", "two", "three", "four", "five", "six", " "]);
    let word = || prop::sample::select(vec!["p", "q", " p ", ""]);
    let key = || prop::sample::select(vec!["k", "l"]);
    let prompt = prop::sample::select(vec![None, Some(""), Some("p")]);
    let several = prop_oneof![
        20 => any_message().prop_map(|pick| vec![pick]),
        10 => (0..1_000_usize).prop_map(|number| vec![Pick::AboveTwin(number)]),
        10 => prop::collection::vec(any_message(), 2..=3),
        1 => prop::collection::vec(any_place(), 1..=3),
    ];
    let text = prop_oneof![4 => "[ab]{1,2}", 2 => "[ab]{3}", 1 => "[ab ]{0,4}"];
    prop_oneof![
        1 => prompt.prop_map(Op::Root),
        24 => (any_place(), any_labels(), any::<bool>(), any::<bool>())
            .prop_map(|(at, labels, trimmed, by_model)| Op::Append { at, labels, trimmed, by_model }),
        14 => (any_message(), text, any::<bool>())
            .prop_map(|(at, text, follow)| Op::Edit { at, text, follow }),
        10 => (any_message(), prop::sample::select(vec![0, 1, 1, 1, 2, 2, 3]))
            .prop_map(|(at, position)| Op::Split { at, position }),
        1 => any_message().prop_map(|at| Op::Join { at }),
        4 => (0..1_000_usize).prop_map(|number| Op::Join { at: Pick::Half(number) }),
        12 => (several, prop::bool::weighted(0.25), prop::bool::weighted(0.8))
            .prop_map(|(at, cascade, force)| Op::Delete { at, cascade, force }),
        10 => (0..1_000_usize).prop_map(|number| Op::Restore { at: Pick::Deleted(number) }),
        1 => any_message().prop_map(|at| Op::Restore { at }),
        8 => (any_message(), title()).prop_map(|(at, title)| Op::Bookmark { at, title }),
        1 => (title(), title()).prop_map(|(from, to)| Op::RenameBookmark { from, to }),
        1 => title().prop_map(|title| Op::RemoveBookmark { title }),
        1 => (any_message(), title()).prop_map(|(at, title)| Op::Title { at, title }),
        4 => (any_message(), word(), word()).prop_map(|(at, add, remove)| Op::Tag { at, add, remove }),
        4 => (any_message(), key(), prop::option::of(any_message()))
            .prop_map(|(at, key, names)| Op::Data { at, key, names }),
        3 => any_place().prop_map(|at| Op::GoTo { at }),
        1 => (0..3_usize).prop_map(Op::DeleteRoot),
        4 => (0..3_usize).prop_map(Op::RestoreRoot),
    ]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_engine_does_what_the_model_does(
        planted in prop::collection::vec((prop::sample::select(vec![0, 0, 0, 1]), any_labels()), 2..8),
        ops in prop::collection::vec(any_op(), 1..40),
    ) {
        let mut machine = Machine::new();
        machine.step(&Op::Root(None));
        machine.step(&Op::Root(Some("p")));
        for (root, labels) in planted {
            let at = Pick::Root(root);
            machine.step(&Op::Append { at, labels, trimmed: false, by_model: false });
        }
        for op in &ops {
            machine.step(op);
        }
    }
}

struct Machine {
    forest: Forest<Recorder>,
    model: Model,
    clock: i64,
    /// What the store kept after the last step.
    kept: Snapshot,
    /// A store that got the same changes, one step after the other.
    replayed: MemoryStore,
    conversations: Vec<Conversation>,
}

/// The messages that lead to a leaf.
type Conversation = Vec<(NodeId, Arc<Message>)>;

/// A tree as one sees it: for each message its name, parent, text and notes; siblings in order.
type Look = Vec<(Spot, Spot, String, String)>;

impl Machine {
    fn new() -> Self {
        let forest = Forest::new(Recorder::default());
        let (kept, replayed) = (Snapshot::of(forest.store()), MemoryStore::new());
        let model = Model::default();
        Self { forest, model, clock: 0, kept, replayed, conversations: Vec::new() }
    }

    fn step(&mut self, op: &Op<Pick>) {
        self.clock += 1;
        let op = op.map(|pick| self.pick(pick));
        let (ids, length) = (self.all_ids(), self.forest.store().log.len());
        let expected = self.model.attempt(|model| expect(model, &op));
        let done = perform(&mut self.forest, &op, Millis(self.clock));
        let before = std::mem::replace(&mut self.kept, Snapshot::of(self.forest.store()));
        match (&done, &expected) {
            (Err(error), Err(refusal)) => {
                assert_eq!(kind(error), *refusal, "{op:?}: {error}");
                assert_eq!(self.kept, before, "{op:?} failed and changed something");
            }
            (Ok(done), Ok(expected)) => assert_eq!(done, expected, "what {op:?} tells"),
            _ => panic!("{op:?} gave {done:?}, expected {expected:?}"),
        }
        assert_eq!(self.seen(), self.foreseen(), "after {op:?}");
        assert_sound(&self.forest);
        self.assert_no_id_is_used_twice(&ids);
        let changes = self.forest.store().log[length..].to_vec();
        self.replayed.commit(changes).expect("memory takes everything");
        assert_eq!(Snapshot::of(&self.replayed), self.kept, "I9: the log gives the same forest");
        let (paths, leaves) = self.paths();
        let before = std::mem::replace(&mut self.conversations, leaves);
        if let Ok(done) = &done {
            assert_conversations_stay(&op, done, before, &paths);
        }
    }

    fn pick(&self, pick: Pick) -> Spot {
        let trees = &self.model.trees;
        let messages = |wanted: &dyn Fn(&Tree, usize) -> bool| -> Vec<Spot> {
            let of_tree = |at: usize| {
                let nodes = 0..trees[at].nodes.len();
                nodes
                    .filter(move |node| wanted(&trees[at], *node))
                    .map(move |node| (at, Some(node)))
            };
            (0..trees.len()).filter(|&at| !trees[at].deleted).flat_map(of_tree).collect()
        };
        let visible = |wanted: &dyn Fn(&Tree, usize) -> bool| {
            messages(&|tree, node| tree.nodes[node].gone.is_none() && wanted(tree, node))
        };
        let (number, found) = match pick {
            Pick::Visible(number) => (number, visible(&|_, _| true)),
            Pick::Deleted(number) => {
                (number, messages(&|tree, node| tree.nodes[node].gone == Some(Gone::Deleted)))
            }
            Pick::Half(number) => {
                (number, visible(&|tree, node| tree.nodes[node].half_of.is_some()))
            }
            Pick::Twin(number) => (number, visible(&Tree::has_twin_above)),
            Pick::AboveTwin(number) => {
                let is_above = |tree: &Tree, node| {
                    tree.children(Some(node)).into_iter().any(|child| tree.has_twin_above(child))
                };
                (number, visible(&is_above))
            }
            Pick::Risen(number) => (number, visible(&|tree, node| tree.nodes[node].has_risen())),
            Pick::Any(number) => {
                let all = |at: usize| (0..trees[at].nodes.len()).map(move |node| (at, Some(node)));
                (number, (0..trees.len()).flat_map(all).collect())
            }
            Pick::Root(number) if number % 16 == 15 => return (77, None),
            Pick::Root(number) => return (number % trees.len().max(1), None),
            Pick::Missing => return (0, Some(999)),
        };
        // Where there is none of that kind, any visible one will do.
        let found = if found.is_empty() { visible(&|_, _| true) } else { found };
        match found.len() {
            0 => (0, Some(999)),
            count => found[number % count],
        }
    }

    /// What the forest shows: the trees, the bookmarks, the current place, and what can be restored.
    fn seen(&self) -> (Look, BTreeMap<String, Spot>, Option<Spot>, BTreeSet<Spot>) {
        let mut look = Vec::new();
        for root in self.forest.roots().expect("roots") {
            let prompt = format!("{:?}", root.system_prompt);
            look.push((spot(root.id.into()), spot(root.id.into()), prompt, String::new()));
            let mut open = vec![Place::Root(root.id)];
            while let Some(at) = open.pop() {
                for node in self.forest.children(at).expect("children") {
                    let said = label(&self.forest.message(node.id).expect("a message"));
                    look.push((spot(node.id.into()), spot(at), said, notes(&node)));
                    open.push(node.id.into());
                }
            }
        }
        let bookmarks = self.forest.bookmarks().expect("bookmarks").into_iter();
        let bookmarks = bookmarks.map(|mark| (mark.title, spot(mark.node.into()))).collect();
        let current = self.forest.current().expect("a place").map(spot);
        let deleted = self.forest.deleted().expect("a list");
        (look, bookmarks, current, deleted.iter().map(|node| spot(node.id.into())).collect())
    }

    /// What the model says that the forest should show.
    fn foreseen(&self) -> (Look, BTreeMap<String, Spot>, Option<Spot>, BTreeSet<Spot>) {
        let (mut look, mut deleted) = (Vec::new(), BTreeSet::new());
        for (at, tree) in self.model.trees.iter().enumerate().filter(|(_, tree)| !tree.deleted) {
            look.push(((at, None), (at, None), format!("{:?}", tree.prompt), String::new()));
            let mut open = vec![None];
            while let Some(parent) = open.pop() {
                for node in tree.children(parent) {
                    let entry = &tree.nodes[node];
                    let data: BTreeMap<_, _> =
                        entry.data.iter().map(|(key, named)| (key.clone(), name(*named))).collect();
                    let notes =
                        format!("{:?} {:?} {data:?} {}", entry.title, entry.tags, entry.repeats);
                    look.push(((at, Some(node)), (at, parent), entry.said.clone(), notes));
                    open.push(Some(node));
                }
            }
            let gone = tree.nodes.iter().enumerate();
            let gone = gone.filter(|(_, entry)| entry.gone == Some(Gone::Deleted));
            deleted.extend(gone.map(|(node, _)| (at, Some(node))));
        }
        let bookmarks = self.model.bookmarks.iter();
        let bookmarks = bookmarks.filter(|(_, spot)| !self.model.trees[spot.0].deleted);
        let bookmarks = bookmarks.map(|(title, spot)| (title.clone(), *spot)).collect();
        (look, bookmarks, self.model.current, deleted)
    }

    fn all_ids(&self) -> HashSet<NodeId> {
        let store = self.forest.store();
        let roots = store.roots().expect("roots");
        roots
            .iter()
            .flat_map(|root| store.nodes(root.id).expect("nodes"))
            .map(|node| node.id)
            .collect()
    }

    /// I6: what is new has a higher number than everything before it, and nothing is taken away.
    fn assert_no_id_is_used_twice(&self, before: &HashSet<NodeId>) {
        let now = self.all_ids();
        assert!(before.is_subset(&now), "I6: messages are hidden, never dropped");
        for new in now.difference(before) {
            assert!(before.iter().all(|old| old.root() != new.root() || old < new), "I6: {new}");
        }
    }

    /// Returns how the way to each message reads, and all conversations that end in a leaf.
    fn paths(&self) -> (HashSet<Vec<String>>, Vec<Conversation>) {
        let (mut paths, mut leaves) = (HashSet::new(), Vec::new());
        let roots = self.forest.roots().expect("roots");
        let mut open: Vec<(Place, Conversation)> =
            roots.iter().map(|root| (root.id.into(), Vec::new())).collect();
        while let Some((at, said)) = open.pop() {
            let children = self.forest.children(at).expect("children");
            for child in &children {
                let message = self.forest.message(child.id).expect("a message");
                let said = [&said[..], &[(child.id, message)]].concat();
                paths.insert(spell(&said));
                open.push((child.id.into(), said));
            }
            if children.is_empty() && at.node().is_some() {
                leaves.push(said);
            }
        }
        (paths, leaves)
    }
}

/// I7: every conversation can still be found, but for what the operation was asked to take away.
fn assert_conversations_stay(
    op: &Op<Spot>,
    done: &Done,
    before: Vec<Conversation>,
    paths: &HashSet<Vec<String>>,
) {
    for mut said in before {
        match op {
            Op::Delete { cascade: true, .. } => {
                let end =
                    said.iter().position(|(id, _)| done.removed.contains(&spot((*id).into())));
                said.truncate(end.unwrap_or(said.len()));
            }
            Op::Delete { cascade: false, .. } => {
                said.retain(|(id, _)| !done.removed.contains(&spot((*id).into())));
            }
            Op::Edit { .. } if done.in_place => {
                said.pop_if(|(id, _)| Some(spot((*id).into())) == done.end);
            }
            Op::Restore { at } => {
                let moved = |(id, _): &(NodeId, _)| match spot((*id).into()) {
                    (tree, Some(node)) => tree == at.0 && done.moved.contains(&node),
                    _ => false,
                };
                if said.iter().any(moved) {
                    continue;
                }
            }
            Op::DeleteRoot(tree) if said[0].0.root() == root_id(*tree) => continue,
            _ => {}
        }
        let spelled = spell(&said);
        assert!(said.is_empty() || paths.contains(&spelled), "I7: {op:?} lost {spelled:?}");
    }
}

impl<P: Copy> Op<P> {
    fn map<Q>(&self, place: impl Fn(P) -> Q) -> Op<Q> {
        match self.clone() {
            Self::Root(prompt) => Op::Root(prompt),
            Self::Append { at, labels, trimmed, by_model } => {
                Op::Append { at: place(at), labels, trimmed, by_model }
            }
            Self::Edit { at, text, follow } => Op::Edit { at: place(at), text, follow },
            Self::Split { at, position } => Op::Split { at: place(at), position },
            Self::Join { at } => Op::Join { at: place(at) },
            Self::Delete { at, cascade, force } => {
                Op::Delete { at: at.into_iter().map(place).collect(), cascade, force }
            }
            Self::Restore { at } => Op::Restore { at: place(at) },
            Self::Bookmark { at, title } => Op::Bookmark { at: place(at), title },
            Self::RenameBookmark { from, to } => Op::RenameBookmark { from, to },
            Self::RemoveBookmark { title } => Op::RemoveBookmark { title },
            Self::Title { at, title } => Op::Title { at: place(at), title },
            Self::Tag { at, add, remove } => Op::Tag { at: place(at), add, remove },
            Self::Data { at, key, names } => {
                Op::Data { at: place(at), key, names: names.map(place) }
            }
            Self::GoTo { at } => Op::GoTo { at: place(at) },
            Self::DeleteRoot(tree) => Op::DeleteRoot(tree),
            Self::RestoreRoot(tree) => Op::RestoreRoot(tree),
        }
    }
}

/// Does an operation to the model.
fn expect(model: &mut Model, op: &Op<Spot>) -> Result<Done, Refusal> {
    match *op {
        Op::Root(prompt) => Ok(model.find_or_create_root(prompt)),
        Op::Append { at, ref labels, trimmed, by_model } => {
            model.append(at, labels, trimmed, by_model)
        }
        Op::Edit { at, ref text, follow } => model.edit(at, text, follow),
        Op::Split { at, position } => model.split(at, position),
        Op::Join { at } => model.join(at),
        Op::Delete { ref at, cascade, force } => model.delete(at, cascade, force),
        Op::Restore { at } => model.restore(at),
        Op::Bookmark { at, title } => model.bookmark(at, title),
        Op::RenameBookmark { from, to } => model.rename_bookmark(from, to),
        Op::RemoveBookmark { title } => model.remove_bookmark(title),
        Op::Title { at, title } => model.note(at, |entry| {
            entry.title = Some(title.trim().to_owned()).filter(|title| !title.is_empty());
        }),
        Op::Tag { at, add, remove } => model.note(at, |entry| {
            if !add.trim().is_empty() && !entry.tags.iter().any(|tag| tag == add.trim()) {
                entry.tags.push(add.trim().to_owned());
            }
            entry.tags.retain(|tag| tag != remove.trim());
        }),
        Op::Data { at, key, names } => model.note(at, |entry| {
            match names {
                Some(named) => entry.data.insert(key.to_owned(), named),
                None => entry.data.remove(key),
            };
        }),
        Op::GoTo { at } => model.go_to(at),
        Op::DeleteRoot(tree) => model.delete_root(tree),
        Op::RestoreRoot(tree) => model.restore_root(tree),
    }
}

/// Does an operation to the forest, and tells of it in the words of the model.
fn perform(forest: &mut Forest<Recorder>, op: &Op<Spot>, now: Millis) -> Result<Done> {
    let mut done = Done::default();
    match *op {
        Op::Root(prompt) => done.end = Some(spot(forest.find_or_create_root(prompt, now)?.into())),
        Op::Append { at, ref labels, trimmed, by_model } => {
            let source = by_model.then(|| SourceInfo::Model(ModelSource::default()));
            let new = |label: &&str| NewMessage {
                source: source.clone(),
                ..NewMessage::new(message(label))
            };
            let messages: Vec<NewMessage> = labels.iter().map(new).collect();
            let matching = if trimmed { Matching::Trimmed } else { Matching::Exact };
            let count = messages.len();
            let appended = forest.append(place(at), messages, matching, now)?;
            assert_eq!(appended.created.len() + appended.matched + appended.blank, count);
            done.end = Some(spot(appended.end));
            done.created = numbers(&appended.created);
        }
        Op::Edit { at, ref text, follow } => {
            let following = if follow { Following::Follow } else { Following::Stay };
            let edited = forest.edit(node_id(at), text, following, now)?;
            done.end = Some(spot(edited.node.into()));
            done.created = numbers(&edited.created);
            done.in_place = edited.in_place;
            done.followed = edited.moved_bookmarks.into_iter().collect();
        }
        Op::Split { at, position } => {
            done.end = Some(spot(forest.split(node_id(at), position, now)?.into()));
        }
        Op::Join { at } => done.end = Some(spot(forest.join(node_id(at), now)?.into())),
        Op::Delete { ref at, cascade, force } => {
            let places: Vec<Place> = at.iter().map(|at| place(*at)).collect();
            let deletion = if cascade { Deletion::Cascade } else { Deletion::Reparent };
            let deleted = forest.delete(&places, deletion, force, now)?;
            let count = deleted.removed.len();
            done.removed = deleted.removed.into_iter().map(|id| spot(id.into())).collect();
            assert_eq!(done.removed.len(), count, "each is named once");
            done.parents = deleted.parents.into_iter().map(spot).collect();
            done.followed = deleted.moved_bookmarks.into_iter().map(|mark| mark.title).collect();
            done.dropped = deleted.dropped_bookmarks.into_iter().map(|mark| mark.title).collect();
        }
        Op::Restore { at } => {
            let restored = forest.restore(node_id(at), now)?;
            done.end = Some(spot(restored.node.into()));
            done.moved = numbers(&restored.moved_back).into_iter().collect();
        }
        Op::Bookmark { at, title } => forest.bookmark(node_id(at), title, now)?,
        Op::RenameBookmark { from, to } => forest.rename_bookmark(from, to, now)?,
        Op::RemoveBookmark { title } => forest.remove_bookmark(title)?,
        Op::Title { at, title } => forest.set_title(node_id(at), title)?,
        Op::Tag { at, add, remove } => {
            forest.tag(node_id(at), &[add.to_owned()], &[remove.to_owned()])?;
        }
        Op::Data { at, key, names } => {
            let value = names.map_or(Value::Null, |named| name(named).into());
            forest
                .merge_custom_data(node_id(at), [(key.to_owned(), value)].into_iter().collect())?;
        }
        Op::GoTo { at } => forest.go_to(place(at))?,
        Op::DeleteRoot(tree) => forest.delete_root(root_id(tree), now)?,
        Op::RestoreRoot(tree) => forest.restore_root(root_id(tree))?,
    }
    Ok(done)
}

fn notes(node: &Node) -> String {
    let metadata = &node.metadata;
    let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let data: BTreeMap<&String, String> =
        metadata.custom_data.iter().map(|(key, value)| (key, text(value))).collect();
    format!("{:?} {:?} {data:?} {}", metadata.title, metadata.tags, metadata.repeats.len())
}

fn name((tree, node): Spot) -> String {
    match node {
        Some(node) => format!("root-{}/node-{}", tree + 1, node + 1),
        None => format!("root-{}", tree + 1),
    }
}

fn place(spot: Spot) -> Place {
    name(spot).parse().expect("a name")
}

fn node_id(spot: Spot) -> NodeId {
    name(spot).parse().expect("the name of a message")
}

fn root_id(tree: usize) -> RootId {
    name((tree, None)).parse().expect("the name of a root")
}

fn spot(place: Place) -> Spot {
    let name = place.to_string();
    let mut numbers = name.split('/').map(|part| {
        let (_, number) = part.split_once('-').expect("a number");
        number.parse::<usize>().expect("a number") - 1
    });
    (numbers.next().expect("a root"), numbers.next())
}

fn numbers(ids: &[NodeId]) -> Vec<usize> {
    ids.iter().filter_map(|id| spot((*id).into()).1).collect()
}

/// Writes a conversation down as a reader sees it: neighbouring texts of one speaker are one.
fn spell(conversation: &[(NodeId, Arc<Message>)]) -> Vec<String> {
    let mut spelled: Vec<String> = Vec::new();
    let mut last: Option<Role> = None;
    for (_, message) in conversation {
        let joins = message.is_text_only() && message.role() != Role::Tool;
        match spelled.last_mut() {
            Some(text) if joins && last == Some(message.role()) => {
                text.push_str(&message.joined_text());
            }
            _ if joins => {
                spelled.push(format!("{}:{}", message.role().as_str(), message.joined_text()));
            }
            _ => spelled.push(label(message)),
        }
        last = joins.then(|| message.role());
    }
    spelled
}
