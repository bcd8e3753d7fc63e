//! What is derived from families: segments, what they cost, nodes, edges, and what the text index has to take in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use pi_brain_brain::{Edge, Node, NodeId, Outline, word};
use pi_brain_forest::{RootId, SessionNo, SessionRecord, Store as _};
use pi_brain_session::{Millis, Usage};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use crate::database::Database;
use crate::edges::save_structure;
use crate::error::Result;
use crate::families::FamilyStore;
use crate::files;
use crate::links::mark_unlinked;
use crate::map::FamilyMap;
use crate::node_files::NodeFiles;
use crate::pack::{pack, unpack};

/// A family as it is now, with what was derived from it before.
#[derive(Debug)]
pub struct FamilyState {
    /// The tree that it lives in.
    pub root: RootId,
    /// Its sessions, in the order of their numbers.
    pub members: Vec<Member>,
    /// The map that was made before.
    pub map: Option<FamilyMap>,
    /// The segments that were cut before.
    pub segments: HashMap<NodeId, KnownSegment>,
    /// The nodes that were made of this family, or of sessions with the same ids.
    pub nodes: Vec<KnownNode>,
}

/// A session of a family.
#[derive(Debug)]
pub struct Member {
    /// Where its lines stand in the family's tree.
    pub record: Arc<SessionRecord>,
    /// Its outline.
    pub outline: Outline,
    /// The machine that it is from.
    pub computer: String,
    /// Whether it is the first session that its project ever had.
    pub is_first_of_project: bool,
    /// Up to when everything in it is over, as somebody said.
    pub over_until: Option<Millis>,
}

/// What is known of a segment that was cut before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownSegment {
    /// Changes whenever something in the segment changes.
    pub fingerprint: u64,
    /// Its number within the family.
    pub ordinal: u32,
    /// The session that its lines are in.
    pub session: SessionNo,
    /// What opened it, as JSON.
    pub boundaries: String,
    /// When nothing more can be expected of it; `None` once it is closed.
    pub closes: Option<Millis>,
}

/// What is known of a node that was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNode {
    /// Its name.
    pub id: NodeId,
    /// The session that it came from.
    pub session_id: String,
    /// When the work began.
    pub started: Millis,
    /// The entry that it began with.
    pub start_entry: String,
    /// The entry that it ended with.
    pub end_entry: String,
    /// Its current version.
    pub version: u32,
    /// The file of that version.
    pub path: String,
    /// The session file, as it was called last.
    pub session_file: String,
    /// Whether it belongs to this family; otherwise its session was gone.
    pub is_member: bool,
}

/// What derivation found out about a family.
#[derive(Debug)]
pub struct FamilyUpdate {
    /// The tree that it lives in.
    pub root: RootId,
    /// The new map; `None` if the family is gone.
    pub map: Option<FamilyMap>,
    /// Segments that are new or have changed.
    pub segments: Vec<SegmentRow>,
    /// Segments that are no more.
    pub gone_segments: Vec<NodeId>,
    /// New versions of nodes, oldest first where there are several of one.
    pub versions: Vec<NewVersion>,
    /// Nodes that have found their segment again, or whose session file has moved; with that file.
    pub found: Vec<(NodeId, String)>,
    /// Nodes whose session is gone. They stay.
    pub orphaned: Vec<NodeId>,
    /// Nodes whose segment was cut otherwise. Their files stay.
    pub retired: Vec<NodeId>,
    /// All edges that show the structure of the family.
    pub edges: Vec<Edge>,
    /// What the text index has to take in.
    pub indexed: IndexChange,
}

/// A version of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVersion {
    /// What it says.
    pub node: Node,
    /// Whether its file is there already.
    pub is_written: bool,
}

/// A segment as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentRow {
    /// The name of the node that is, or would be, made of it.
    pub id: NodeId,
    /// Its number within the family.
    pub ordinal: u32,
    /// The session that its lines are in.
    pub session: SessionNo,
    /// The working directory.
    pub project: String,
    /// When the work began.
    pub started: Option<Millis>,
    /// When something happened last.
    pub ended: Option<Millis>,
    /// When nothing more can be expected of it; `None` once it is closed.
    pub closes: Option<Millis>,
    /// Whether a person or a model says something.
    pub speaks: bool,
    /// Changes whenever something in the segment changes.
    pub fingerprint: u64,
    /// The id of its last entry.
    pub end_entry: Option<Box<str>>,
    /// What opened it, as JSON.
    pub boundaries: String,
    /// What it cost, by model and quarter of an hour.
    pub spending: Spending,
}

/// What was spent, by provider, model and quarter of an hour since 1970, with the number of answers.
pub type Spending = BTreeMap<(String, String, i64), (u64, Usage)>;

/// How long a quarter of an hour is, in milliseconds.
pub const QUARTER: i64 = 15 * 60 * 1000;

/// What the text index has to take in of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexChange {
    /// All of its messages; whatever it had before goes.
    Everything,
    /// These messages, by number; nothing if there are none.
    Messages(Vec<u32>),
}

/// A change that the text index has not taken in yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Messages of a family.
    Family(RootId, IndexChange),
    /// A node: a new version of it, or that it is gone.
    Node(NodeId),
}

/// Returns the families that have changed since they were derived, or of which a segment has closed by waiting.
pub(crate) fn stale(database: &Database, now: Millis) -> Result<BTreeSet<RootId>> {
    database.read(|connection| {
        let sql =
            "SELECT root FROM family WHERE stale UNION SELECT root FROM segment WHERE closes <= ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([now.0], |row| row.get(0).map(RootId::new))?;
        rows.collect()
    })
}

/// Notes that families have changed.
pub(crate) fn mark_stale(
    transaction: &Transaction<'_>,
    roots: &BTreeSet<RootId>,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO family (root, stale) VALUES (?1, 1) ON CONFLICT (root) DO UPDATE SET stale = 1",
    )?;
    for root in roots {
        statement.execute([root.number()])?;
    }
    Ok(())
}

pub(crate) fn state(
    database: &Database,
    families: &FamilyStore,
    root: RootId,
) -> Result<FamilyState> {
    let mut members = Vec::new();
    for record in families.members(root)? {
        let outline = files::outline(database, record.no)?
            .ok_or_else(|| files::missing("the outline of a session"))?;
        let computer = database.read(|connection| {
            let sql = "SELECT computer FROM file WHERE path = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([&record.file], |row| row.get(0)).optional()
        })?;
        let is_first_of_project = match &record.cwd {
            Some(project) => {
                database.read(|connection| is_first(connection, project, &record.id))?
            }
            None => false,
        };
        let over_until: Option<i64> = database.read(|connection| {
            let sql = "SELECT at FROM announced WHERE session = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([&record.id], |row| row.get(0)).optional()
        })?;
        let over_until = over_until.map(Millis);
        let computer = computer.unwrap_or_default();
        members.push(Member { record, outline, computer, is_first_of_project, over_until });
    }
    let map = map(database, root)?;
    let segments = database.read(|connection| known_segments(connection, root))?;
    let ids: BTreeSet<&str> = members.iter().map(|member| &*member.record.id).collect();
    let nodes = database.read(|connection| known_nodes(connection, root, &ids))?;
    Ok(FamilyState { root, members, map, segments, nodes })
}

fn is_first(connection: &Connection, project: &str, id: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT id FROM session WHERE project = ?1 ORDER BY created, id LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let first: Option<String> = statement.query_row([project], |row| row.get(0)).optional()?;
    Ok(first.as_deref() == Some(id))
}

pub(crate) fn map(database: &Database, root: RootId) -> Result<Option<FamilyMap>> {
    let data: Option<Option<Vec<u8>>> = database.read(|connection| {
        let sql = "SELECT map FROM family WHERE root = ?1";
        connection.prepare_cached(sql)?.query_row([root.number()], |row| row.get(0)).optional()
    })?;
    data.flatten().map(|data| unpack(&data, "the map of a family")).transpose()
}

fn known_segments(
    connection: &Connection,
    root: RootId,
) -> rusqlite::Result<HashMap<NodeId, KnownSegment>> {
    let sql =
        "SELECT id, fingerprint, ordinal, closes, session, boundaries FROM segment WHERE root = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([root.number()], |row| {
        let known = KnownSegment {
            fingerprint: row.get::<_, i64>(1)?.cast_unsigned(),
            ordinal: row.get(2)?,
            closes: row.get::<_, Option<i64>>(3)?.map(Millis),
            session: SessionNo::new(row.get(4)?),
            boundaries: row.get(5)?,
        };
        Ok((node_id(row.get(0)?), known))
    })?;
    rows.collect()
}

fn known_nodes(
    connection: &Connection,
    root: RootId,
    session_ids: &BTreeSet<&str>,
) -> rusqlite::Result<Vec<KnownNode>> {
    let mut known: BTreeMap<NodeId, KnownNode> = BTreeMap::new();
    let columns = "SELECT id, session_id, started, start_entry, path, root, version, session_file, end_entry FROM node";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(KnownNode {
            id: node_id(row.get(0)?),
            session_id: row.get(1)?,
            started: Millis(row.get(2)?),
            start_entry: row.get(3)?,
            path: row.get(4)?,
            is_member: row.get::<_, Option<u32>>(5)? == Some(root.number()),
            version: row.get(6)?,
            session_file: row.get(7)?,
            end_entry: row.get(8)?,
        })
    };
    let mut statement = connection.prepare_cached(&format!("{columns} WHERE root = ?1"))?;
    for node in statement.query_map([root.number()], read)? {
        let node = node?;
        known.insert(node.id, node);
    }
    let mut statement = connection
        .prepare_cached(&format!("{columns} WHERE session_id = ?1 AND root IS NOT ?2"))?;
    for id in session_ids {
        for node in statement.query_map(params![id, root.number()], read)? {
            let node = node?;
            known.insert(node.id, node);
        }
    }
    Ok(known.into_values().collect())
}

/// Takes in what was derived from a family. The files of new versions are there.
pub(crate) fn save(transaction: &Transaction<'_>, update: &FamilyUpdate) -> rusqlite::Result<()> {
    let root = update.root.number();
    match &update.map {
        Some(map) => {
            let sql = "INSERT OR REPLACE INTO family (root, stale, map) VALUES (?1, 0, ?2)";
            transaction.prepare_cached(sql)?.execute(params![root, pack(map)])?;
        }
        None => {
            transaction.execute("DELETE FROM family WHERE root = ?1", [root])?;
        }
    }
    for id in &update.gone_segments {
        // It may have moved to another family meanwhile.
        let sql = "DELETE FROM segment WHERE id = ?1 AND root = ?2";
        if transaction.prepare_cached(sql)?.execute(params![key(*id), root])? > 0 {
            let sql = "DELETE FROM spending WHERE segment = ?1";
            transaction.prepare_cached(sql)?.execute([key(*id)])?;
        }
    }
    for segment in &update.segments {
        save_segment(transaction, root, segment)?;
    }
    for (id, file) in &update.found {
        let sql = "UPDATE node SET root = ?2, session_file = ?3 WHERE id = ?1";
        transaction.prepare_cached(sql)?.execute(params![key(*id), root, file])?;
        changed_node(transaction, key(*id))?;
    }
    for version in &update.versions {
        save_node(transaction, Some(root), &version.node)?;
    }
    for id in &update.orphaned {
        // It may have moved to another family meanwhile.
        let sql = "UPDATE node SET root = NULL WHERE id = ?1 AND root = ?2";
        transaction.prepare_cached(sql)?.execute(params![key(*id), root])?;
    }
    for id in &update.retired {
        remove_node(transaction, *id)?;
    }
    save_structure(transaction, root, &update.edges)?;
    let (everything, messages) = match &update.indexed {
        IndexChange::Everything => (true, None),
        IndexChange::Messages(messages) => {
            (false, Some(messages).filter(|messages| !messages.is_empty()))
        }
    };
    if everything || messages.is_some() {
        let sql = "INSERT INTO change (root, messages) VALUES (?1, ?2)";
        transaction.prepare_cached(sql)?.execute(params![root, messages.map(pack)])?;
    }
    Ok(())
}

fn save_segment(
    transaction: &Transaction<'_>,
    root: u32,
    segment: &SegmentRow,
) -> rusqlite::Result<()> {
    let id = key(segment.id);
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO segment
             (id, root, ordinal, session, project, started, ended, closes, speaks, fingerprint,
              end_entry, boundaries)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            id,
            root,
            segment.ordinal,
            segment.session.number(),
            segment.project,
            segment.started.map(|time| time.0),
            segment.ended.map(|time| time.0),
            segment.closes.map(|time| time.0),
            segment.speaks,
            segment.fingerprint.cast_signed(),
            segment.end_entry,
            segment.boundaries
        ])?;
    transaction.prepare_cached("DELETE FROM spending WHERE segment = ?1")?.execute([id])?;
    let mut put = transaction.prepare_cached(
        "INSERT INTO spending
         (segment, provider, model, quarter, answers, input, output, cache_read, cache_write, tokens, cost)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    for ((provider, model, quarter), (answers, usage)) in &segment.spending {
        put.execute(params![
            id,
            provider,
            model,
            quarter,
            answers.cast_signed(),
            usage.input.cast_signed(),
            usage.output.cast_signed(),
            usage.cache_read.cast_signed(),
            usage.cache_write.cast_signed(),
            usage.total_tokens.cast_signed(),
            usage.cost
        ])?;
    }
    Ok(())
}

/// Takes in a version of a node as the current one.
pub(crate) fn save_node(
    transaction: &Transaction<'_>,
    root: Option<u32>,
    node: &Node,
) -> rusqlite::Result<()> {
    let id = key(node.id);
    let path = NodeFiles::relative_path(node.metadata.timestamp, node.id, node.version);
    let ext = node.ext.as_ref();
    transaction
        .prepare_cached(
            "INSERT INTO node
             (id, version, root, path, project, type, outcome, summary, goal, language, started, minutes, tokens,
              cost, entries, computer, session_id, session_file, start_entry, end_entry, analyzer,
              analyzer_version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
              ?22)
             ON CONFLICT (id) DO UPDATE SET
              version = ?2, root = ?3, path = ?4, project = ?5, type = ?6, outcome = ?7, summary = ?8, goal = ?9,
              language = ?10, started = ?11, minutes = ?12, tokens = ?13, cost = ?14, entries = ?15,
              computer = ?16, session_id = ?17, session_file = ?18, start_entry = ?19, end_entry = ?20,
              analyzer = ?21, analyzer_version = ?22",
        )?
        .execute(params![
            id,
            node.version,
            root,
            path,
            node.classification.project,
            word(&node.classification.node_type),
            word(&node.content.outcome),
            node.content.summary,
            ext.and_then(|ext| ext.goal.as_deref()),
            node.classification.language,
            node.metadata.timestamp.0,
            node.metadata.duration_minutes,
            node.metadata.tokens_used.cast_signed(),
            node.metadata.cost,
            node.source.segment.entry_count.cast_signed(),
            node.source.computer,
            node.source.session_id,
            node.source.session_file,
            node.source.segment.start_entry_id,
            node.source.segment.end_entry_id,
            word(&node.analyzer()),
            node.metadata.analyzer_version
        ])?;
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO node_version (node, version, path, analyzed, reason, analyzer)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            id,
            node.version,
            path,
            node.metadata.analyzed_at.to_string(),
            ext.map_or_else(|| "initial".to_owned(), |ext| word(&ext.trigger)),
            word(&node.analyzer())
        ])?;
    clear_details(transaction, id)?;
    save_details(transaction, id, node)?;
    changed_node(transaction, id)
}

/// What is kept of a node beside its row, to be asked across nodes.
const DETAILS: [&str; 9] = [
    "tag",
    "files_touched",
    "tool",
    "error",
    "tool_error",
    "decision",
    "lesson",
    "quirk",
    "review",
];

fn clear_details(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    for table in DETAILS {
        let sql = format!("DELETE FROM {table} WHERE node = ?1");
        transaction.prepare_cached(&sql)?.execute([id])?;
    }
    Ok(())
}

fn save_details(transaction: &Transaction<'_>, id: i64, node: &Node) -> rusqlite::Result<()> {
    let put = |sql: &str| transaction.prepare_cached(sql);
    let mut tag = put("INSERT OR IGNORE INTO tag (node, kind, tag) VALUES (?1, ?2, ?3)")?;
    for (kind, tags) in [("tag", &node.semantic.tags), ("topic", &node.semantic.topics)] {
        for text in tags {
            tag.execute(params![id, kind, text])?;
        }
    }
    let modified = node.ext.as_ref().map_or(&[][..], |ext| &ext.files_modified);
    let (modified, read): (Vec<&str>, Vec<&str>) = node
        .content
        .files_touched
        .iter()
        .map(String::as_str)
        .partition(|path| modified.iter().any(|modified| modified == path));
    if !node.content.files_touched.is_empty() {
        put("INSERT INTO files_touched (node, read, modified) VALUES (?1, ?2, ?3)")?
            .execute(params![id, read.join("\n"), modified.join("\n")])?;
    }
    let mut tool = put("INSERT OR IGNORE INTO tool (node, name, calls) VALUES (?1, ?2, ?3)")?;
    for name in &node.content.tools_used {
        let calls = node.ext.as_ref().and_then(|ext| ext.tool_counts.get(name)).copied();
        tool.execute(params![id, name, calls.unwrap_or(1).cast_signed()])?;
    }
    let mut error = put(
        "INSERT INTO error (node, ordinal, type, message, resolved) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (seen, at) in node.content.errors_seen.iter().zip(0_i64..) {
        error.execute(params![id, at, seen.error_type, seen.message, seen.resolved])?;
    }
    let mut tool_error =
        put("INSERT INTO tool_error (node, ordinal, tool, type, model, context, retried)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (seen, at) in node.observations.tool_use_errors.iter().zip(0_i64..) {
        tool_error.execute(params![
            id,
            at,
            seen.tool,
            seen.error_type,
            seen.model,
            seen.context,
            seen.was_retried
        ])?;
    }
    let mut decision = put(
        "INSERT INTO decision (node, ordinal, what, why, alternatives) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (made, at) in node.content.key_decisions.iter().zip(0_i64..) {
        let alternatives = json(&made.alternatives_considered);
        decision.execute(params![id, at, made.what, made.why, alternatives])?;
    }
    let mut lesson = put(
        "INSERT INTO lesson (node, level, ordinal, summary, details, confidence, tags, actionable)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (level, lessons) in node.lessons.by_level() {
        for (learnt, at) in lessons.iter().zip(0_i64..) {
            lesson.execute(params![
                id,
                word(&level),
                at,
                learnt.summary,
                learnt.details,
                word(&learnt.confidence),
                json(&learnt.tags),
                learnt.actionable
            ])?;
        }
    }
    let mut quirk = put(
        "INSERT INTO quirk (node, ordinal, model, observation, frequency, severity, workaround)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (seen, at) in node.observations.model_quirks.iter().zip(0_i64..) {
        quirk.execute(params![
            id,
            at,
            seen.model,
            seen.observation,
            word(&seen.frequency),
            word(&seen.severity),
            seen.workaround
        ])?;
    }
    save_reviews(transaction, id, node)
}

/// Takes in what the user should have a look at.
pub(crate) fn save_reviews(
    transaction: &Transaction<'_>,
    id: i64,
    node: &Node,
) -> rusqlite::Result<()> {
    let mut review = transaction.prepare_cached(
        "INSERT OR REPLACE INTO review (node, ordinal, decision, reasoning) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (made, at) in node.daemon_meta.decisions.iter().zip(0_i64..) {
        if made.needs_review == Some(true) {
            review.execute(params![id, at, made.decision, made.reasoning])?;
        }
    }
    Ok(())
}

/// Takes a node out of the database. Its files stay.
pub(crate) fn remove_node(transaction: &Transaction<'_>, id: NodeId) -> rusqlite::Result<()> {
    let id = key(id);
    clear_details(transaction, id)?;
    for sql in [
        "DELETE FROM node WHERE id = ?1",
        "DELETE FROM node_version WHERE node = ?1",
        "DELETE FROM edge WHERE (source = ?1 OR target = ?1) AND created_by <> 'user'",
    ] {
        transaction.prepare_cached(sql)?.execute([id])?;
    }
    changed_node(transaction, id)
}

/// Notes that the text index has to look at a node again.
pub(crate) fn changed_node(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    mark_unlinked(transaction)?;
    transaction.prepare_cached("INSERT INTO change (node) VALUES (?1)")?.execute([id])?;
    Ok(())
}

/// Returns what the text index has not taken in, behind `position`, with the position behind each.
pub(crate) fn pending(database: &Database, position: u64) -> Result<Vec<(u64, Pending)>> {
    let rows: Vec<ChangeRow> = database.read(|connection| {
        let sql = "SELECT seq, root, messages, node FROM change WHERE seq > ?1 ORDER BY seq";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([position.cast_signed()], |row| {
            Ok(ChangeRow {
                position: row.get::<_, i64>(0)?.cast_unsigned(),
                root: row.get::<_, Option<u32>>(1)?.map(RootId::new),
                messages: row.get(2)?,
                node: row.get::<_, Option<i64>>(3)?.map(node_id),
            })
        })?;
        rows.collect()
    })?;
    let mut pending = Vec::with_capacity(rows.len());
    for ChangeRow { position, root, messages, node } in rows {
        let change = match (root, messages, node) {
            (_, _, Some(node)) => Pending::Node(node),
            (Some(root), None, None) => Pending::Family(root, IndexChange::Everything),
            (Some(root), Some(messages), None) => {
                Pending::Family(root, IndexChange::Messages(unpack(&messages, "a change")?))
            }
            (None, _, None) => continue,
        };
        pending.push((position, change));
    }
    Ok(pending)
}

struct ChangeRow {
    position: u64,
    root: Option<RootId>,
    messages: Option<Vec<u8>>,
    node: Option<NodeId>,
}

/// Writes a node's name as the database keeps it.
pub(crate) fn key(id: NodeId) -> i64 {
    id.as_u64().cast_signed()
}

/// Reads a node's name as the database keeps it.
pub(crate) fn node_id(key: i64) -> NodeId {
    NodeId::from_u64(key.cast_unsigned())
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what is kept as JSON has a JSON form")
}
