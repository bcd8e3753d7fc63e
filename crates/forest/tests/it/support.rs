//! A forest to test with, a notation for trees, and what must hold after every operation.
//!
//! `u:Hi (a:Hello (u:x), a:Ho)` is a user's "Hi" with two answers, the first of which goes on. A label is a role (`u`,
//! `a`, `t`) and the blocks, parted by `|`: `[id]` calls a tool, `{kind}` is a block that the forest does not know,
//! anything else is text. Results of tools are written `t:id=text`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::{Debug, Write as _};
use std::ops::Range;
use std::sync::Arc;

use pi_brain_forest::{
    Appended, Block, Bookmark, Change, Content, ContentKey, Deleted, Deletion, Edited, EventId,
    Following, Forest, ForestError, Matching, MemoryStore, Message, NewMessage, Node, NodeId,
    Place, Restored, Result, Role, Root, RootId, SessionNo, SessionRecord, Store, ToolUse, Which,
};
use pi_brain_session::Millis;
use proptest::test_runner::Config;
use serde_json::{Value, json};

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
///
/// What fails is shown and not kept: a test with a name is the place for it.
pub(crate) fn cases(usual: u32) -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    Config { cases: asked_for.unwrap_or(usual), ..config }
}

/// A store that remembers everything that was ever committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    store: MemoryStore,
    pub(crate) log: Vec<Change>,
}

impl Store for Recorder {
    fn roots(&self) -> Result<Vec<Arc<Root>>> {
        self.store.roots()
    }

    fn root(&self, id: RootId) -> Result<Option<Arc<Root>>> {
        self.store.root(id)
    }

    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>> {
        self.store.node(id)
    }

    fn nodes(&self, root: RootId) -> Result<Vec<Arc<Node>>> {
        self.store.nodes(root)
    }

    fn message(&self, id: NodeId) -> Result<Arc<Message>> {
        self.store.message(id)
    }

    fn content(&self, id: NodeId) -> Result<Option<Content>> {
        self.store.content(id)
    }

    fn children(&self, of: Place, which: Which) -> Result<Vec<Arc<Node>>> {
        self.store.children(of, which)
    }

    fn find_children(
        &self,
        wanted: &[(Place, ContentKey)],
        which: Which,
    ) -> Result<Vec<Option<NodeId>>> {
        self.store.find_children(wanted, which)
    }

    fn next_root(&self) -> Result<u32> {
        self.store.next_root()
    }

    fn next_node(&self, root: RootId) -> Result<u32> {
        self.store.next_node(root)
    }

    fn bookmarks(&self) -> Result<Vec<Bookmark>> {
        self.store.bookmarks()
    }

    fn current(&self) -> Result<Option<Place>> {
        self.store.current()
    }

    fn sessions(&self) -> Result<Vec<Arc<SessionRecord>>> {
        self.store.sessions()
    }

    fn session(&self, no: SessionNo) -> Result<Option<Arc<SessionRecord>>> {
        self.store.session(no)
    }

    fn next_session(&self) -> Result<u32> {
        self.store.next_session()
    }

    fn session_text(&self, session: SessionNo, range: Range<u64>) -> Result<Vec<u8>> {
        self.store.session_text(session, range)
    }

    fn occurrences(&self, node: NodeId) -> Result<Vec<(SessionNo, u32)>> {
        self.store.occurrences(node)
    }

    fn sessions_with(&self, events: &[EventId]) -> Result<Vec<SessionNo>> {
        self.store.sessions_with(events)
    }

    fn commit(&mut self, changes: Vec<Change>) -> Result<()> {
        self.log.extend(changes.iter().cloned());
        self.store.commit(changes)
    }
}

/// A forest with one tree to begin with, and a clock that ticks with every operation.
pub(crate) struct Garden {
    pub(crate) forest: Forest<Recorder>,
    pub(crate) root: RootId,
    clock: i64,
}

impl Garden {
    /// Plants a tree.
    pub(crate) fn new(notation: &str) -> Self {
        let mut forest = Forest::new(Recorder::default());
        let root = forest.find_or_create_root(Some("prompt"), Millis(0)).expect("a root");
        let mut garden = Self { forest, root, clock: 0 };
        garden.grow(root.into(), notation);
        garden
    }

    pub(crate) fn now(&mut self) -> Millis {
        self.clock += 1;
        Millis(self.clock)
    }

    /// Appends a whole tree after a place, message by message.
    pub(crate) fn grow(&mut self, at: Place, notation: &str) {
        let mut above = Vec::new();
        let mut end = at;
        let mut label = String::new();
        for char in notation.chars().chain([',']) {
            match char {
                '(' | ')' | ',' => {
                    if !label.trim().is_empty() {
                        end = self.append(end, &[label.trim()]).end;
                    }
                    label.clear();
                    match char {
                        '(' => above.push(end),
                        ')' => end = above.pop().expect("as many ( as )"),
                        _ => end = above.last().copied().unwrap_or(at),
                    }
                }
                _ => label.push(char),
            }
        }
    }

    pub(crate) fn append(&mut self, at: impl Into<Place>, labels: &[&str]) -> Appended {
        let messages = labels.iter().map(|label| NewMessage::new(message(label))).collect();
        let now = self.now();
        self.forest.append(at.into(), messages, Matching::Exact, now).expect("it can be appended")
    }

    pub(crate) fn split(&mut self, chain: &str, position: usize) -> NodeId {
        let (id, now) = (self.id(chain), self.now());
        self.forest.split(id, position, now).expect("it can be split")
    }

    pub(crate) fn edit(&mut self, chain: &str, text: &str) -> Edited {
        let (id, now) = (self.id(chain), self.now());
        self.forest.edit(id, text, Following::Follow, now).expect("it can be edited")
    }

    /// Deletes with force.
    pub(crate) fn delete(&mut self, chains: &[&str], deletion: Deletion) -> Deleted {
        let places: Vec<Place> = chains.iter().map(|chain| self.id(chain).into()).collect();
        let now = self.now();
        self.forest.delete(&places, deletion, true, now).expect("it can be deleted")
    }

    pub(crate) fn restore(&mut self, id: NodeId) -> Restored {
        let now = self.now();
        self.forest.restore(id, now).expect("it can be restored")
    }

    pub(crate) fn bookmark(&mut self, chain: &str, title: &str) {
        let (id, now) = (self.id(chain), self.now());
        self.forest.bookmark(id, title, now).expect("it can be bookmarked");
    }

    /// Returns the one visible message whose way from the root ends like the chain: `u:Hi > a:Hello`.
    pub(crate) fn id(&self, chain: &str) -> NodeId {
        let chain: Vec<&str> = chain.split(" > ").collect();
        let ends_so = |node: &Arc<Node>| {
            let messages = self.forest.messages(node.id.into()).expect("a path");
            let labels: Vec<String> = messages.iter().map(|message| label(message)).collect();
            labels.ends_with(&chain.iter().map(|&label| label.to_owned()).collect::<Vec<_>>())
        };
        let nodes = self.forest.subtree(self.root.into(), None).expect("a tree");
        match nodes.iter().filter(|node| ends_so(node)).collect::<Vec<_>>()[..] {
            [node] => node.id,
            ref found => panic!("{} messages {chain:?} in {}", found.len(), self.sketch()),
        }
    }

    pub(crate) fn node(&self, chain: &str) -> Arc<Node> {
        self.forest.node(self.id(chain)).expect("it is there")
    }

    /// Writes the visible tree down, after checking that it is sound.
    pub(crate) fn sketch(&self) -> String {
        assert_sound(&self.forest);
        assert_replay(self.forest.store());
        self.sketch_of(self.root)
    }

    pub(crate) fn sketch_of(&self, root: RootId) -> String {
        let mut text = String::new();
        self.write_children(&mut text, root.into());
        text
    }

    fn write_children(&self, text: &mut String, of: Place) {
        for (at, child) in self.forest.children(of).expect("a place").iter().enumerate() {
            let message = self.forest.message(child.id).expect("a message");
            let _ = write!(text, "{}{}", if at > 0 { ", " } else { "" }, label(&message));
            if !self.forest.children(child.id.into()).expect("a place").is_empty() {
                text.push_str(" (");
                self.write_children(text, child.id.into());
                text.push(')');
            }
        }
    }

    /// Tries something that must fail and change nothing. Returns the name of the error.
    pub(crate) fn refused<T: Debug>(
        &mut self,
        operation: impl FnOnce(&mut Forest<Recorder>, Millis) -> Result<T>,
    ) -> String {
        let (before, length) = (Snapshot::of(self.forest.store()), self.forest.store().log.len());
        let now = self.now();
        let error = operation(&mut self.forest, now).expect_err("it must be refused");
        assert_eq!(Snapshot::of(self.forest.store()), before);
        assert_eq!(self.forest.store().log.len(), length, "nothing was even written");
        kind(&error)
    }

    /// Does something that must not write.
    pub(crate) fn quiet<T>(
        &mut self,
        operation: impl FnOnce(&mut Forest<Recorder>, Millis) -> Result<T>,
    ) -> T {
        let length = self.forest.store().log.len();
        let now = self.now();
        let done = operation(&mut self.forest, now).expect("it works");
        assert_eq!(self.forest.store().log.len(), length, "nothing was written");
        done
    }

    /// Returns each bookmark with what it is on.
    pub(crate) fn bookmarks(&self) -> Vec<(String, String)> {
        let bookmarks = self.forest.bookmarks().expect("bookmarks");
        let message = |node| label(&self.forest.message(node).expect("it leads somewhere"));
        bookmarks.into_iter().map(|mark| (mark.title, message(mark.node))).collect()
    }
}

pub(crate) fn message(label: &str) -> Message {
    let (role, blocks) = label.split_once(':').expect("a role");
    let block = |text: &str| {
        let inside =
            |open, close| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        if let Some(id) = inside('[', ']') {
            let parameters = serde_json::Map::new();
            Block::ToolUse(ToolUse { id: id.to_owned(), name: "run".to_owned(), parameters })
        } else if let Some(kind) = inside('{', '}') {
            let Value::Object(members) = json!({ "type": kind }) else { unreachable!() };
            Block::Other(members)
        } else {
            Block::Text(text.to_owned())
        }
    };
    let (role, call, blocks) = match role {
        "u" => (Role::User, None, blocks),
        "a" => (Role::Assistant, None, blocks),
        "t" => {
            let (call, text) = blocks.split_once('=').expect("a call and a text");
            (Role::Tool, Some(call.to_owned()), text)
        }
        other => panic!("no role {other}"),
    };
    let content = blocks.split('|').map(block).collect();
    Message::new(role, content, call, false).expect("a valid message")
}

pub(crate) fn label(message: &Message) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) => text.clone(),
        Block::ToolUse(call) => format!("[{}]", call.id),
        Block::Other(members) => format!("{{{}}}", members["type"].as_str().unwrap_or("?")),
    };
    let blocks: Vec<String> = message.content().iter().map(block).collect();
    let blocks = blocks.join("|");
    match (message.role(), message.tool_call_id()) {
        (Role::User, _) => format!("u:{blocks}"),
        (Role::Assistant, _) => format!("a:{blocks}"),
        (Role::Tool, call) => format!("t:{}={blocks}", call.unwrap_or("?")),
    }
}

/// Returns the name of an error, without what it tells.
pub(crate) fn kind(error: &ForestError) -> String {
    format!("{error:?}").chars().take_while(|char| char.is_alphanumeric()).collect()
}

/// Everything that a store keeps, hidden or not.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    roots: Vec<Arc<Root>>,
    nodes: Vec<(Arc<Node>, Arc<Message>)>,
    children: Vec<(Place, Vec<NodeId>)>,
    bookmarks: Vec<Bookmark>,
    current: Option<Place>,
    next: Vec<u32>,
}

impl Snapshot {
    pub(crate) fn of(store: &impl Store) -> Self {
        let roots = store.roots().expect("roots");
        let nodes: Vec<Arc<Node>> =
            roots.iter().flat_map(|root| store.nodes(root.id).expect("nodes")).collect();
        let places = roots.iter().map(|root| Place::Root(root.id));
        let places = places.chain(nodes.iter().map(|node| Place::Node(node.id)));
        let children = |of: Place| {
            let children = store.children(of, Which::All).expect("children");
            (of, children.iter().map(|node| node.id).collect())
        };
        let next = roots.iter().map(|root| store.next_node(root.id).expect("a number"));
        Self {
            children: places.map(children).collect(),
            bookmarks: store.bookmarks().expect("bookmarks"),
            current: store.current().expect("a place"),
            next: next.chain([store.next_root().expect("a number")]).collect(),
            nodes: nodes
                .into_iter()
                .map(|node| (Arc::clone(&node), store.message(node.id).expect("a message")))
                .collect(),
            roots,
        }
    }
}

/// Checks the invariants that can be seen in one state of a forest: I1 to I5 and I8.
///
/// The scans use nothing but the flat list of messages, so that they do not trust what they check.
pub(crate) fn assert_sound(forest: &Forest<Recorder>) {
    let store = forest.store();
    let findings = forest.check().expect("it can be checked");
    assert_eq!(findings, [], "the forest's own check agrees");
    let mut all_visible = HashSet::new();
    for root in store.roots().expect("roots") {
        let nodes: BTreeMap<NodeId, Arc<Node>> =
            store.nodes(root.id).expect("nodes").into_iter().map(|node| (node.id, node)).collect();
        let mut children: BTreeMap<Place, Vec<&Arc<Node>>> = BTreeMap::new();
        for node in nodes.values() {
            children.entry(node.parent).or_default().push(node);
            // I2: whatever can be seen reaches its root over what can be seen.
            let mut at = node.parent;
            let mut steps = 0;
            while let Place::Node(parent) = at {
                let parent = nodes.get(&parent).expect("I2: every parent is there");
                assert!(!node.is_visible() || parent.is_visible(), "I2: {} is cut off", node.id);
                at = parent.parent;
                steps += 1;
                assert!(steps <= nodes.len(), "I2: {} is in a circle", node.id);
            }
            assert_eq!(at, Place::Root(root.id), "I2: {} is in its own tree", node.id);
            // I4: every message is valid and its key fits.
            let message = store.message(node.id).expect("I4: every message says something");
            assert!(!message.is_blank(), "I4: {} is blank", node.id);
            assert_eq!(message.role(), node.role, "I4: {} has the role of its message", node.id);
            assert_eq!(ContentKey::of(&message), node.key, "I4: the key of {} fits", node.id);
            let read: Message =
                serde_json::from_value(serde_json::to_value(&*message).expect("JSON"))
                    .expect("I4: it can be read back");
            assert_eq!(read, *message, "I4: {} survives being written", node.id);
        }
        for place in nodes.keys().map(|id| Place::Node(*id)).chain([Place::Root(root.id)]) {
            let mut expected = children.remove(&place).unwrap_or_default();
            expected.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
            let listed = store.children(place, Which::All).expect("children");
            assert!(listed.iter().eq(expected.iter().copied()), "I1: the children of {place}");
            let visible = expected.iter().filter(|node| node.is_visible());
            let keys: Vec<ContentKey> = visible.map(|node| node.key).collect();
            let distinct: HashSet<&ContentKey> = keys.iter().collect();
            assert_eq!(distinct.len(), keys.len(), "I3: equal siblings after {place}");
        }
        assert!(children.is_empty(), "I1: children of places that are not there");
        if root.deleted.is_none() {
            all_visible.extend(nodes.values().filter(|node| node.is_visible()).map(|node| node.id));
            assert_topology(forest, root.id, &nodes);
            assert_calls(forest, &nodes);
        }
    }
    for bookmark in forest.bookmarks().expect("bookmarks") {
        assert!(all_visible.contains(&bookmark.node), "I5: {bookmark:?} points nowhere");
    }
    if let Some(place) = forest.current().expect("a place") {
        assert_eq!(forest.place(place).expect("it is there"), place);
    }
}

/// I9: the list of all changes gives the same forest.
fn assert_replay(store: &Recorder) {
    let mut replayed = MemoryStore::new();
    replayed.commit(store.log.clone()).expect("memory takes everything");
    assert_eq!(Snapshot::of(&replayed), Snapshot::of(store), "I9: the log gives the same forest");
}

/// I8: the topology is what a fresh scan of the messages gives.
fn assert_topology(forest: &Forest<Recorder>, root: RootId, nodes: &BTreeMap<NodeId, Arc<Node>>) {
    let shape = forest.topology(Some(root)).expect("a shape");
    let visible: Vec<&Arc<Node>> = nodes.values().filter(|node| node.is_visible()).collect();
    assert_eq!(shape.len(), visible.len() + 1, "I8: all of the tree, each message once");
    for structure in &shape {
        let mut expected: Vec<&Arc<Node>> =
            visible.iter().copied().filter(|node| node.parent == structure.id).collect();
        expected.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
        let expected: Vec<NodeId> = expected.iter().map(|node| node.id).collect();
        assert_eq!(structure.children, expected, "I8: the children of {}", structure.id);
        if let Place::Node(id) = structure.id {
            let node = &nodes[&id];
            assert_eq!(structure.parent, Some(node.parent), "I8");
            assert_eq!(structure.role, node.role.as_str(), "I8");
            assert_eq!(structure.created, node.metadata.created, "I8");
        }
    }
    let leaves: BTreeSet<NodeId> = shape
        .iter()
        .filter(|structure| structure.children.is_empty())
        .filter_map(|structure| structure.id.node())
        .collect();
    let recent = forest.recent_leaves(usize::MAX).expect("leaves");
    let recent = recent.iter().map(|node| node.id).filter(|id| id.root() == root);
    assert_eq!(recent.collect::<BTreeSet<_>>(), leaves, "I8: the leaves");
}

/// No result of a tool stands where nothing before it made the call.
fn assert_calls(forest: &Forest<Recorder>, nodes: &BTreeMap<NodeId, Arc<Node>>) {
    for node in nodes.values().filter(|node| node.is_visible() && node.role == Role::Tool) {
        let path = forest.messages(node.id.into()).expect("a path");
        let call = path.last().and_then(|result| result.tool_call_id()).expect("it names a call");
        let calls = |message: &Arc<Message>| {
            message.content().iter().any(|block| match block {
                Block::ToolUse(made) => made.id == call,
                Block::Other(members) => members.get("id").is_some_and(|id| id == call),
                Block::Text(_) => false,
            })
        };
        assert!(path.iter().any(calls), "{} answers a call that nobody made", node.id);
    }
}
