//! What was learnt and decided, what models do, and what goes wrong again: across nodes.

use std::collections::BTreeMap;

use pi_brain_brain::{
    Confidence, FailurePattern, LearntLesson, LessonGroup, LessonLevel, NodeId, SeenError,
    find_patterns, group_lessons,
};
use pi_brain_session::Millis;
use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;

use super::NodeFilter;
use crate::derived::node_id;
use crate::error::Result;
use crate::links::{list, of_word};
use crate::store::Store;

/// Something that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRow {
    /// The node in which it was.
    pub node: NodeId,
    /// When the work began.
    pub decided: Millis,
    /// The working directory.
    pub project: String,
    /// How the work ended: what was decided in work that was abandoned does not stand.
    pub outcome: String,
    /// What was decided.
    pub what: String,
    /// The reason.
    pub why: String,
    /// What else could have been done.
    pub alternatives_considered: Vec<String>,
}

/// Behaviour of a model that nobody expected, equal observations as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuirkRow {
    /// Written `provider/model`.
    pub model: String,
    /// What happened.
    pub observation: String,
    /// How often, as it was said last.
    pub frequency: String,
    /// How bad it is, as it was said last.
    pub severity: String,
    /// How to live with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workaround: Option<String>,
    /// When it was seen last.
    pub last_seen: Millis,
    /// The nodes, the latest first.
    pub nodes: Vec<NodeId>,
}

impl Store {
    /// Groups the lessons of nodes; those of one level if it is given.
    ///
    /// A tag may be the node's or the lesson's own.
    pub fn lessons(
        &self,
        filter: &NodeFilter,
        level: Option<LessonLevel>,
        now: Millis,
    ) -> Result<Vec<LessonGroup>> {
        let tag = filter.tag.as_ref().map(|tag| tag.to_lowercase());
        let nodes = NodeFilter { tag: None, ..filter.clone() };
        let tagged: Vec<NodeId> = match &filter.tag {
            Some(_) => self.ids(filter)?,
            None => Vec::new(),
        };
        let rows = self.details(
            &nodes,
            "lesson",
            "level, detail.summary, details, confidence, tags, actionable",
            "level, ordinal",
            |row| {
                let level: Option<LessonLevel> = of_word(row.get_ref(3)?.as_str()?);
                let confidence: Option<Confidence> = of_word(row.get_ref(6)?.as_str()?);
                let Some(level) = level else { return Ok(None) };
                Ok(Some(LearntLesson {
                    node: node_id(row.get(0)?),
                    project: row.get(1)?,
                    learnt: Millis(row.get(2)?),
                    level,
                    summary: row.get(4)?,
                    details: row.get(5)?,
                    confidence: confidence.unwrap_or(Confidence::Low),
                    tags: list(row.get_ref(7)?.as_str()?),
                    actionable: row.get(8)?,
                }))
            },
        )?;
        let is_tagged = |lesson: &LearntLesson| {
            tag.as_ref().is_none_or(|tag| {
                lesson.tags.iter().any(|own| own.to_lowercase() == *tag)
                    || tagged.contains(&lesson.node)
            })
        };
        let mut lessons: Vec<LearntLesson> = rows.into_iter().flatten().collect();
        lessons.retain(|lesson| level.is_none_or(|level| lesson.level == level));
        lessons.retain(is_tagged);
        Ok(group_lessons(lessons, now))
    }

    /// Lists what was decided in nodes, the latest first.
    pub fn decisions(&self, filter: &NodeFilter) -> Result<Vec<DecisionRow>> {
        self.details(filter, "decision", "what, why, alternatives, outcome", "ordinal", |row| {
            Ok(DecisionRow {
                node: node_id(row.get(0)?),
                project: row.get(1)?,
                decided: Millis(row.get(2)?),
                what: row.get(3)?,
                why: row.get(4)?,
                alternatives_considered: list(row.get_ref(5)?.as_str()?),
                outcome: row.get(6)?,
            })
        })
    }

    /// Lists the quirks of models whose name contains `model`, those seen most often first, then the latest.
    pub fn quirks(&self, filter: &NodeFilter, model: Option<&str>) -> Result<Vec<QuirkRow>> {
        let columns = "model, observation, frequency, severity, workaround";
        let rows = self.details(filter, "quirk", columns, "ordinal", |row| {
            Ok(QuirkRow {
                nodes: vec![node_id(row.get(0)?)],
                last_seen: Millis(row.get(2)?),
                model: row.get(3)?,
                observation: row.get(4)?,
                frequency: row.get(5)?,
                severity: row.get(6)?,
                workaround: row.get(7)?,
            })
        })?;
        let wanted = model.map(str::to_lowercase);
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut quirks: Vec<QuirkRow> = Vec::new();
        for row in rows {
            let name = row.model.to_lowercase();
            if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            let words: Vec<&str> = row.observation.split_whitespace().collect();
            let key = (name, words.join(" ").to_lowercase());
            let number = *numbers.entry(key).or_insert(quirks.len());
            match quirks.get_mut(number) {
                None => quirks.push(row),
                Some(quirk) => {
                    quirk.workaround = quirk.workaround.take().or(row.workaround);
                    if !quirk.nodes.contains(&row.nodes[0]) {
                        quirk.nodes.push(row.nodes[0]);
                    }
                }
            }
        }
        // Stable: of those seen equally often, the latest stay first.
        quirks.sort_by_key(|quirk| std::cmp::Reverse(quirk.nodes.len()));
        Ok(quirks)
    }

    /// Finds errors that came up in several nodes.
    pub fn patterns(&self, filter: &NodeFilter, now: Millis) -> Result<Vec<FailurePattern>> {
        let mut calls: BTreeMap<(NodeId, String), Vec<(String, String)>> = BTreeMap::new();
        let columns = "detail.type, tool, model";
        for (key, call) in self.details(filter, "tool_error", columns, "ordinal", |row| {
            let key = (node_id(row.get(0)?), row.get::<_, String>(3)?);
            Ok((key, (row.get(4)?, row.get(5)?)))
        })? {
            calls.entry(key).or_default().push(call);
        }
        let columns = "detail.type, message, resolved, chosen.summary";
        let errors = self.details(filter, "error", columns, "ordinal", |row| {
            let (node, error_type) = (node_id(row.get(0)?), row.get::<_, String>(3)?);
            Ok(SeenError {
                node,
                project: row.get(1)?,
                seen: Millis(row.get(2)?),
                error_type,
                message: row.get(4)?,
                resolved: row.get(5)?,
                summary: row.get(6)?,
                tools: Vec::new(),
                models: Vec::new(),
            })
        })?;
        let with_calls = errors.into_iter().map(|mut error| {
            let key = (error.node, error.error_type.clone());
            let made = calls.get(&key).into_iter().flatten().cloned();
            (error.tools, error.models) = made.unzip();
            error
        });
        Ok(find_patterns(with_calls.collect(), now))
    }

    /// Reads a table of details of the nodes that fit, the latest nodes first. Each row begins with the node, its
    /// project and when it began; the columns that are asked for follow.
    fn details<T>(
        &self,
        filter: &NodeFilter,
        table: &str,
        columns: &str,
        order: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let conditions = filter.conditions();
        let clause = conditions.clause();
        let sql = format!(
            "SELECT chosen.id, project, started, {columns}
             FROM (SELECT id, project, started, summary, outcome FROM node {clause}) AS chosen
             JOIN {table} AS detail ON detail.node = chosen.id
             ORDER BY started DESC, chosen.id, {order}"
        );
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(conditions.values.iter()), read)?;
            rows.collect()
        })
    }

    fn ids(&self, filter: &NodeFilter) -> Result<Vec<NodeId>> {
        let conditions = filter.conditions();
        let sql = format!("SELECT id FROM node {}", conditions.clause());
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let values = params_from_iter(conditions.values.iter());
            let rows = statement.query_map(values, |row| row.get(0).map(node_id))?;
            rows.collect()
        })
    }
}
