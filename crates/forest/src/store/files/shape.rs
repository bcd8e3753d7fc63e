//! What the files for people look like: the layout of the reference implementation, with a few keys of our own.
//!
//! `metadata.timestamp` and `metadata.source_info` are what we call `created` and `source`; everything else in
//! `metadata` has one name on both sides.

use pi_brain_session::{Millis, Raw};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::message::{Message, Object, Role};
use crate::node::{Bookmark, Metadata, Node, Order, Removal, Root};
use crate::store::{MemoryStore, Store, Which};

/// An item of `roots.json`.
#[derive(Deserialize, Serialize)]
struct RootShape {
    id: RootId,
    #[serde(default)]
    child_ids: Vec<NodeId>,
    #[serde(rename = "createdAt")]
    created: Millis,
    #[serde(default)]
    config: ConfigShape,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    #[serde(default, rename = "deletedAt", skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    joined: Option<RootId>,
}

#[derive(Default, Deserialize, Serialize)]
struct ConfigShape {
    #[serde(default, rename = "systemPrompt", skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
    /// Old registries say here who answered; today that is said with each answer.
    #[serde(default, skip_serializing)]
    provider: Option<String>,
    #[serde(default, skip_serializing)]
    model: Option<String>,
}

/// A file in `<root>/nodes`.
#[derive(Deserialize, Serialize)]
struct NodeShape<M> {
    id: NodeId,
    root_id: RootId,
    parent_id: Place,
    #[serde(default)]
    child_ids: Vec<NodeId>,
    message: M,
    #[serde(default)]
    metadata: Object,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Order>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removal: Option<Removal>,
    #[serde(flatten, skip_serializing_if = "Object::is_empty")]
    more: Object,
}

/// A message, with what people look for first.
#[derive(Serialize)]
struct MessageShape {
    role: Role,
    content: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}

impl MessageShape {
    fn of(message: &Message) -> Self {
        Self {
            role: message.role(),
            content: message.content().iter().cloned().map(Value::from).collect(),
            tool_call_id: message.tool_call_id().map(str::to_owned),
            is_error: message.is_error(),
        }
    }
}

/// `bookmarks.json`, with the keys that the reference implementation has in its settings.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct BookmarksShape {
    #[serde(default, rename = "currentNodeId", skip_serializing_if = "Option::is_none")]
    pub(super) current: Option<Place>,
    #[serde(default)]
    bookmarks: Vec<BookmarkShape>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct BookmarkShape {
    title: String,
    root_id: RootId,
    node_id: Place,
    created_at: Millis,
    updated_at: Millis,
}

/// A root as a registry has it.
pub(super) struct RootEntry {
    pub(super) root: Root,
    pub(super) child_ids: Vec<NodeId>,
    answered: Answered,
}

/// Who answered in a tree, where an old registry says so.
#[derive(Default)]
pub(super) struct Answered {
    provider: Option<String>,
    model: Option<String>,
}

impl RootEntry {
    pub(super) fn answered(&self) -> &Answered {
        &self.answered
    }
}

/// A message as a file has it.
pub(super) struct NodeEntry {
    pub(super) node: Node,
    pub(super) message: Message,
    pub(super) child_ids: Vec<NodeId>,
    /// Whether the file says where the message stands among its siblings, as only our files do.
    pub(super) has_order: bool,
}

/// Writes the registry.
pub(super) fn write_roots(memory: &MemoryStore) -> Result<Vec<u8>> {
    let mut shapes = Vec::new();
    for root in memory.roots()? {
        shapes.push(RootShape {
            id: root.id,
            child_ids: child_ids(memory, root.id.into())?,
            created: root.created,
            config: ConfigShape { system_prompt: root.system_prompt.clone(), ..Default::default() },
            deleted: root.deleted.is_some(),
            deleted_at: root.deleted,
            family: root.family.clone(),
            joined: root.joined,
        });
    }
    Ok(pretty(&shapes))
}

/// Writes the file of a message; `None` if there is no such message.
pub(super) fn write_node(memory: &MemoryStore, id: NodeId) -> Result<Option<Vec<u8>>> {
    let Some(node) = memory.node(id)? else { return Ok(None) };
    Ok(Some(pretty(&NodeShape {
        id,
        root_id: id.root,
        parent_id: node.parent,
        child_ids: child_ids(memory, id.into())?,
        message: MessageShape::of(&*memory.message(id)?),
        metadata: metadata_to_shape(&node),
        order: Some(node.order.clone()),
        removal: node.removal.clone(),
        more: Object::new(),
    })))
}

/// Writes bookmarks, and where the user is.
pub(super) fn write_bookmarks(memory: &MemoryStore) -> Result<Vec<u8>> {
    let shape = |bookmark: Bookmark| BookmarkShape {
        title: bookmark.title,
        root_id: bookmark.node.root,
        node_id: bookmark.node.into(),
        created_at: bookmark.created,
        updated_at: bookmark.updated,
    };
    let bookmarks = memory.bookmarks()?.into_iter().map(shape).collect();
    Ok(pretty(&BookmarksShape { current: memory.current()?, bookmarks }))
}

fn child_ids(memory: &MemoryStore, of: Place) -> Result<Vec<NodeId>> {
    Ok(memory.children(of, Which::Visible)?.iter().map(|node| node.id).collect())
}

fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("what we keep is JSON");
    bytes.push(b'\n');
    bytes
}

/// Our names of what a file calls otherwise, and the file's.
const RENAMED: [(&str, &str); 2] = [("created", "timestamp"), ("source", "source_info")];
const ORIGINAL_ROOT: &str = "original_root_id";

fn metadata_to_shape(node: &Node) -> Object {
    let mut shape = to_object(&node.metadata);
    for (ours, theirs) in RENAMED {
        if let Some(value) = shape.remove(ours) {
            shape.insert(theirs.to_owned(), value);
        }
    }
    let custom = shape.get_mut("custom_data").and_then(Value::as_object_mut);
    let original = custom.and_then(|custom| custom.remove(ORIGINAL_ROOT));
    if shape.get("custom_data") == Some(&Value::Object(Object::new())) {
        shape.remove("custom_data");
    }
    let original = original.unwrap_or_else(|| node.id.root.to_string().into());
    shape.insert(ORIGINAL_ROOT.to_owned(), original);
    shape
}

fn to_object(metadata: &Metadata) -> Object {
    match serde_json::to_value(metadata) {
        Ok(Value::Object(members)) => members,
        _ => unreachable!("notes are an object"),
    }
}

/// Reads a registry. The error says what is wrong with it.
pub(super) fn read_roots(bytes: &[u8]) -> Result<Vec<RootEntry>, String> {
    let shapes: Vec<RootShape> = from_value(parse(bytes)?)?;
    let entry = |shape: RootShape| RootEntry {
        root: Root {
            id: shape.id,
            created: shape.created,
            system_prompt: shape.config.system_prompt,
            family: shape.family,
            // The reference implementation only says that it was, not when.
            deleted: shape.deleted_at.or_else(|| shape.deleted.then_some(shape.created)),
            joined: shape.joined,
        },
        child_ids: shape.child_ids,
        answered: Answered { provider: shape.config.provider, model: shape.config.model },
    };
    Ok(shapes.into_iter().map(entry).collect())
}

/// Reads the file of a message, in today's shape or an old one. The error says what is wrong with it.
///
/// What no message and no note has becomes custom data: what we do not know, we must not drop.
pub(super) fn read_node(
    bytes: &[u8],
    id: NodeId,
    answered: &Answered,
) -> Result<NodeEntry, String> {
    let shape: NodeShape<Value> = from_value(parse(bytes)?)?;
    if shape.id != id {
        return Err(format!("it holds {}", shape.id));
    }
    if shape.root_id != id.root {
        return Err(format!("it names {} as its root", shape.root_id));
    }
    let (message, mut more) =
        Message::from_json(shape.message).map_err(|error| error.to_string())?;
    let has_order = shape.order.is_some();
    if !has_order && message.is_blank() {
        return Err("the message is blank".to_owned());
    }
    more.extend(shape.more);
    let metadata = metadata_from_shape(shape.metadata, more, id.root, answered)?;
    let node = Node {
        id,
        parent: shape.parent_id,
        order: shape.order.unwrap_or_default(),
        key: ContentKey::of(&message),
        role: message.role(),
        metadata,
        removal: shape.removal,
    };
    Ok(NodeEntry { node, message, child_ids: shape.child_ids, has_order })
}

fn metadata_from_shape(
    mut shape: Object,
    more: Object,
    root: RootId,
    answered: &Answered,
) -> Result<Metadata, String> {
    if shape.get(ORIGINAL_ROOT).and_then(Value::as_str) == Some(&root.to_string()) {
        shape.remove(ORIGINAL_ROOT);
    }
    if let Some(source) = shape.get_mut("source_info") {
        complete(source, answered);
    }
    for (ours, theirs) in RENAMED {
        if let Some(value) = shape.remove(theirs) {
            shape.insert(ours.to_owned(), value);
        }
    }
    shape.retain(|_, value| !value.is_null());
    let mut metadata: Metadata = from_value(Value::Object(shape.clone()))?;
    let understood = to_object(&metadata);
    let says_something = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    shape.retain(|key, value| !understood.contains_key(key) && says_something(value));
    for (key, value) in shape.into_iter().chain(more) {
        metadata.custom_data.entry(key).or_insert(value);
    }
    Ok(metadata)
}

/// Says with an answer who gave it, where only an old registry did.
fn complete(source: &mut Value, answered: &Answered) {
    let Some(source) = source.as_object_mut() else { return };
    if source.get("type").and_then(Value::as_str) != Some("model")
        || source.contains_key("provider")
    {
        return;
    }
    let asked_for = source.get("parameters").and_then(|parameters| parameters.get("model"));
    let model = asked_for.and_then(Value::as_str).map(str::to_owned).or(answered.model.clone());
    if let (Some(provider), Some(model)) = (&answered.provider, model) {
        source.insert("provider".to_owned(), provider.clone().into());
        source.insert("model_name".to_owned(), model.into());
    }
}

/// Reads `bookmarks.json`. The error says what is wrong with it.
pub(super) fn read_bookmarks(bytes: &[u8]) -> Result<BookmarksShape, String> {
    from_value(parse(bytes)?)
}

impl BookmarksShape {
    /// Reads the settings of the reference implementation, of which only these keys concern us.
    pub(super) fn from_settings(bytes: &[u8]) -> Result<Self, String> {
        toml::from_slice(bytes).map_err(|error| error.message().to_owned())
    }

    /// Returns the bookmarks on messages, and the titles of those that are on a root.
    pub(super) fn bookmarks(self) -> (Vec<Bookmark>, Vec<String>) {
        let (mut bookmarks, mut on_roots) = (Vec::new(), Vec::new());
        for shape in self.bookmarks {
            match shape.node_id {
                Place::Root(_) => on_roots.push(shape.title),
                Place::Node(node) => bookmarks.push(Bookmark {
                    title: shape.title,
                    node,
                    created: shape.created_at,
                    updated: shape.updated_at,
                }),
            }
        }
        (bookmarks, on_roots)
    }
}

fn from_value<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

/// Reads JSON as JavaScript would: with or without a byte order mark, and with half surrogates, which become
/// U+FFFD.
fn parse(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let strict = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let lenient = Raw::parse(bytes).and_then(|raw| to_value(raw, 0));
    lenient.ok_or_else(|| strict.to_string())
}

/// Recurses over the depth of a value, which is limited to what our own files can hold.
fn to_value(raw: Raw<'_>, depth: usize) -> Option<Value> {
    const DEEPEST: usize = 100;
    if depth > DEEPEST {
        return None;
    }
    if raw.is_object() {
        let members = raw
            .members()
            .map(|member| Some((member.key.into_owned(), to_value(member.value, depth + 1)?)));
        return members.collect::<Option<Object>>().map(Value::Object);
    }
    if raw.is_array() {
        return raw.items().map(|item| to_value(item, depth + 1)).collect();
    }
    match raw.as_str() {
        Some(text) => Some(Value::String(text.into_owned())),
        None => serde_json::from_slice(raw.bytes()).ok(),
    }
}
