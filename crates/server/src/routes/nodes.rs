//! Units of work, one by one and in lists, and the links between them.

use jiff::Zoned;
use pi_brain_app::{Connected, Direction, NodeView, Week};
use pi_brain_brain::{Edge, EdgeId, EdgeType, FlagType, Node, NodeDiff, NodeId, NodeRef};
use pi_brain_session::Millis;
use pi_brain_store::{FlagRow, NodeFilter, NodeRow, Order, StoreError, VersionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging, gone};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/nodes", "Lists units of work", list)
        .get_one("/api/v1/nodes/{id}", "Everything about a unit of work, or a version of it", one)
        .get_one("/api/v1/nodes/{id}/versions", "Lists its versions, the oldest first", versions)
        .get_immutable("/api/v1/nodes/{id}/versions/{version}", "One version, whole", version)
        .get_one("/api/v1/nodes/{id}/diff", "What differs between two versions", diff)
        .get("/api/v1/nodes/{id}/connected", "The units of work around it", connected)
        .post("/api/v1/nodes/{id}/feedback", "Corrects it: a value at a path", feedback)
        .post("/api/v1/nodes/{id}/flags", "Puts a note on it", flag)
        .post("/api/v1/nodes/{id}/hidden", "Hides it, or shows it again", hide)
        .get("/api/v1/edges", "Lists links, the oldest first", edges)
        .get_one("/api/v1/edges/{edge}", "One link", edge)
        .post("/api/v1/edges", "Links two units of work", add_edge)
        .delete("/api/v1/edges/{edge}", "Takes a link away that a person drew", remove_edge)
        .get("/api/v1/week", "The last seven days in numbers, and the seven before", week)
}

/// Which units of work.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Which {
    /// Part of the project's path.
    project: Option<String>,
    /// The kind of work.
    #[serde(rename = "type")]
    node_type: Option<String>,
    /// How it ended.
    outcome: Option<String>,
    /// A tag or topic.
    tag: Option<String>,
    /// Part of a path that was touched.
    file: Option<String>,
    /// The session's id.
    session: Option<String>,
    /// Not before.
    after: Option<Millis>,
    /// Before.
    before: Option<Millis>,
    /// Part of the name of a model that answered, written `provider/model`.
    model: Option<String>,
    /// Only those that should be looked at by a person.
    #[serde(default)]
    review: bool,
    /// Hidden ones, too.
    #[serde(default)]
    hidden: bool,
}

impl From<Which> for NodeFilter {
    fn from(which: Which) -> Self {
        Self {
            project: which.project,
            node_type: which.node_type,
            outcome: which.outcome,
            tag: which.tag,
            file: which.file,
            session: which.session,
            after: which.after,
            before: which.before,
            model: which.model,
            needs_review: which.review,
            hidden: which.hidden,
            behind: None,
        }
    }
}

/// In which order.
#[derive(Deserialize, JsonSchema)]
struct Sorted {
    /// The newest, the dearest or the longest first.
    #[serde(default)]
    sort: Sort,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sort {
    #[default]
    Newest,
    Cost,
    Duration,
}

impl From<Sort> for Order {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Newest => Self::Newest,
            Sort::Cost => Self::Cost,
            Sort::Duration => Self::Duration,
        }
    }
}

fn list(
    brain: &mut Brain,
    (which, sorted, paging): (Which, Sorted, Paging),
) -> Answered<Listed<NodeRow>> {
    let limit = paging.limit()?;
    let store = brain.app.store();
    let mut filter = NodeFilter::from(which);
    if let Some(cursor) = &paging.cursor {
        let id: NodeId = cursor.parse().map_err(|_| gone())?;
        store.node_row(id)?.ok_or_else(gone)?;
        filter.behind = Some(id);
    }
    let (items, total) = store.nodes(&filter, sorted.sort.into(), limit, 0)?;
    let next = (items.len() == limit).then(|| items.last()).flatten();
    let next = next.map(|node| node.id.to_string());
    Ok(Listed { items, total, next })
}

/// A unit of work.
#[derive(Deserialize, JsonSchema)]
struct Named {
    /// Its 16 hex digits; with `-v2` behind them, a version.
    #[schemars(regex(pattern = "^[0-9a-f]{16}(-v[1-9][0-9]*)?$"))]
    id: String,
}

impl Named {
    fn node(&self) -> Answered<NodeRef> {
        let unknown = |_| {
            Failure::not_found(
                format!("{:?} is no unit of work", self.id),
                "it has 16 hex digits; GET /api/v1/nodes lists what is there",
            )
        };
        self.id.parse().map_err(unknown)
    }

    fn id(&self) -> Answered<NodeId> {
        Ok(self.node()?.id)
    }
}

/// Everything about a unit of work.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// The version that was asked for, or the current one.
    node: Node,
    /// Whether it is hidden.
    is_hidden: bool,
    /// The session file that it can be read in, unless that is gone.
    file: Option<String>,
    /// What it is linked with, the oldest link first.
    links: Vec<ShownLink>,
    /// The notes on it.
    flags: Vec<FlagRow>,
    /// Its versions, the oldest first.
    versions: Vec<VersionRow>,
}

/// A link, as one of its ends sees it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownLink {
    /// The link.
    edge: Edge,
    /// Whether it leads away from the unit of work.
    is_outgoing: bool,
    /// What is at the other end, unless that is gone.
    other: Option<NodeRow>,
}

impl From<NodeView> for Shown {
    fn from(view: NodeView) -> Self {
        let links = view.links.into_iter().map(|link| ShownLink {
            edge: link.edge,
            is_outgoing: link.is_outgoing,
            other: link.other,
        });
        Self {
            node: view.node,
            is_hidden: view.is_hidden,
            file: view.session.map(|session| session.path),
            links: links.collect(),
            flags: view.flags,
            versions: view.versions,
        }
    }
}

fn one(brain: &mut Brain, (named,): (Named,)) -> Answered<Shown> {
    Ok(brain.app.view(named.node()?)?.into())
}

fn versions(brain: &mut Brain, (named,): (Named,)) -> Answered<Vec<VersionRow>> {
    let id = named.id()?;
    let missing = StoreError::NodeNotFound(NodeRef { id, version: None });
    brain.app.store().node_row(id)?.ok_or(missing)?;
    Ok(brain.app.store().versions(id)?)
}

/// A version.
#[derive(Deserialize, JsonSchema)]
struct Version {
    /// Its number, counted from 1.
    #[schemars(range(min = 1))]
    version: u32,
}

fn version(brain: &mut Brain, (named, version): (Named, Version)) -> Answered<Node> {
    let node = NodeRef { id: named.id()?, version: Some(version.version) };
    Ok(brain.app.node(node)?)
}

/// Two versions.
#[derive(Deserialize, JsonSchema)]
struct Compared {
    /// The number of the older one.
    from: u32,
    /// The number of the newer one.
    to: u32,
}

fn diff(brain: &mut Brain, (named, compared): (Named, Compared)) -> Answered<NodeDiff> {
    Ok(brain.app.diff(named.id()?, compared.from, compared.to)?)
}

/// How far around.
#[derive(Deserialize, JsonSchema)]
struct Around {
    /// How many links away at most.
    #[serde(default = "Around::usual_depth")]
    #[schemars(range(min = 1, max = 5))]
    depth: u32,
    /// Which way links are followed.
    #[serde(default)]
    direction: Direction,
    /// Only links of these types, with commas between them.
    types: Option<String>,
    /// How many units of work at most.
    #[serde(default = "Around::usual_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
}

impl Around {
    const MOST: usize = 1000;

    fn usual_depth() -> u32 {
        1
    }

    fn usual_limit() -> usize {
        100
    }
}

fn connected(brain: &mut Brain, (named, around): (Named, Around)) -> Answered<Connected> {
    check_extent(around.depth, around.limit, Around::MOST)?;
    let types = around.types.as_deref().unwrap_or_default();
    let types: Result<Vec<EdgeType>, _> = types
        .split(',')
        .filter(|word| !word.is_empty())
        .map(|word| serde_json::from_value(Value::from(word.trim())))
        .collect();
    let types = types.map_err(|error| Failure::bad_request(error.to_string()))?;
    let Around { depth, direction, limit, .. } = around;
    Ok(brain.app.connected(named.id()?, depth, direction, &types, limit)?)
}

/// Refuses to look further than makes sense.
pub(super) fn check_extent(depth: u32, limit: usize, most: usize) -> Answered<()> {
    const DEEPEST: u32 = 5;
    if (1..=DEEPEST).contains(&depth) && (1..=most).contains(&limit) {
        return Ok(());
    }
    let extent = format!("depth has to be from 1 to {DEEPEST}, and limit from 1 to {most}");
    Err(Failure::bad_request(extent))
}

/// A correction.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Correction {
    /// Where in the node, such as `content.outcome`.
    path: String,
    /// What stands there from now on.
    value: Value,
}

fn feedback(brain: &mut Brain, (named,): (Named,), wish: Correction) -> Answered<Node> {
    let (id, Correction { path, value }) = (named.id()?, wish);
    brain.write(|app| app.correct(Brain::now(), id, &path, value.clone()))
}

/// A note.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    /// What kind of note.
    #[serde(rename = "type")]
    kind: FlagType,
    /// What it says.
    #[schemars(length(min = 1, max = 10_000))]
    message: String,
}

fn flag(brain: &mut Brain, (named,): (Named,), note: Note) -> Answered<Vec<FlagRow>> {
    const LONGEST: usize = 10_000;
    let id = named.id()?;
    let Note { kind, message } = note;
    let message = message.trim();
    if message.is_empty() || message.chars().count() > LONGEST {
        return Err(Failure::bad_request(format!("a note has 1 to {LONGEST} characters")));
    }
    brain.write(|app| app.flag(Brain::now(), id, kind, message))?;
    Ok(brain.app.store().flags(id)?)
}

/// Whether something is to be seen.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Hidden {
    /// Whether it is hidden from lists and search.
    hidden: bool,
}

fn hide(brain: &mut Brain, (named,): (Named,), wish: Hidden) -> Answered<Hidden> {
    let id = named.id()?;
    brain.write(|app| app.hide(Brain::now(), id, wish.hidden))?;
    Ok(wish)
}

/// Which links.
#[derive(Deserialize, JsonSchema)]
struct WhichEdges {
    /// Only those from and to this node.
    node: Option<NodeId>,
    /// Only those of this type.
    #[serde(rename = "type")]
    kind: Option<EdgeType>,
}

fn edges(brain: &mut Brain, (which, paging): (WhichEdges, Paging)) -> Answered<Listed<Edge>> {
    let mut edges = brain.app.store().edges_of(which.node)?;
    edges.retain(|edge| which.kind.is_none_or(|kind| edge.kind == kind));
    paging.cut(edges, |edge| edge.id.to_string())
}

/// A link.
#[derive(Deserialize, JsonSchema)]
struct NamedEdge {
    /// Its UUID.
    #[schemars(extend("format" = "uuid"))]
    edge: String,
}

impl NamedEdge {
    fn id(&self) -> Answered<EdgeId> {
        let unknown = |_| {
            Failure::not_found(
                format!("{:?} is no link", self.edge),
                "GET /api/v1/edges lists what is there",
            )
        };
        self.edge.parse().map_err(unknown)
    }
}

fn edge(brain: &mut Brain, (named,): (NamedEdge,)) -> Answered<Edge> {
    let missing = || StoreError::EdgeNotFound(named.edge.clone());
    Ok(brain.app.store().edge(named.id()?)?.ok_or_else(missing)?)
}

/// A link to be drawn.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewEdge {
    /// What came first.
    source_node_id: NodeId,
    /// What it leads to.
    target_node_id: NodeId,
    /// How they belong together.
    #[serde(rename = "type")]
    kind: EdgeType,
    /// Why, in words.
    reason: Option<String>,
}

fn add_edge(brain: &mut Brain, (): (), wish: NewEdge) -> Answered<Edge> {
    let NewEdge { source_node_id, target_node_id, kind, reason } = wish;
    let id = brain.write(|app| {
        app.add_edge(Brain::now(), source_node_id, target_node_id, kind, reason.clone())
    })?;
    Ok(brain.app.store().edge(id)?.ok_or_else(|| StoreError::EdgeNotFound(id.to_string()))?)
}

/// What was taken away.
#[derive(Serialize, JsonSchema)]
struct Removed {
    /// The link.
    removed: EdgeId,
}

fn remove_edge(brain: &mut Brain, (named,): (NamedEdge,)) -> Answered<Removed> {
    let id = named.id()?;
    brain.write(|app| app.remove_edge(Brain::now(), id))?;
    Ok(Removed { removed: id })
}

fn week(brain: &mut Brain, (): ()) -> Answered<Week> {
    Ok(brain.app.week(&Zoned::now())?)
}
