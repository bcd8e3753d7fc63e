//! What a model makes of a unit of work: everything about a node that takes judgement, and nothing that can be counted.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pi_brain_brain::{
    Confidence, Decision, Frequency, LessonLevel, LessonsByLevel, ModelQuirk, NodeType, Outcome,
    Severity, words,
};
use serde_json::{Value, json};

/// A model's view of a unit of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The kind of work.
    pub node_type: NodeType,
    /// Whether the user asked for something definite, if the model says so.
    pub had_clear_goal: Option<bool>,
    /// The programming language that most of the work was in.
    pub language: Option<String>,
    /// Frameworks that were used.
    pub frameworks: Vec<String>,
    /// One to three sentences.
    pub summary: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was decided, and why.
    pub key_decisions: Vec<Decision>,
    /// What was learnt.
    pub lessons: LessonsByLevel,
    /// Ways of asking that worked.
    pub prompting_wins: Vec<String>,
    /// Ways of asking that did not.
    pub prompting_failures: Vec<String>,
    /// Behaviour nobody expected.
    pub model_quirks: Vec<ModelQuirk>,
    /// Specific words.
    pub tags: Vec<String>,
    /// Broader ones.
    pub topics: Vec<String>,
    /// Technical concepts.
    pub concepts: Vec<String>,
    /// For the path of a statement in a node, such as `content.keyDecisions[0]`, the entries that show it.
    pub evidence: BTreeMap<String, Vec<String>>,
}

/// Returns the shape in which a model is asked to answer, as a JSON schema.
///
/// Every member is required: some servers hold a model to a schema only then. Reading is more forgiving.
pub(crate) fn answer_schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let text = || json!({"type": "string"});
        let texts = || json!({"type": "array", "items": {"type": "string"}});
        let one_of = |words: Vec<String>| json!({"type": "string", "enum": words});
        let statement = |own: &[(&'static str, Value)]| {
            let shown = [("entries", texts()), ("files", texts()), ("tools", texts())];
            object(own.iter().cloned().chain(shown))
        };
        let list = |item: Value| json!({"type": "array", "items": item});
        let confidence = || one_of(words::<Confidence>());
        object([
            ("type", one_of(words::<NodeType>())),
            ("outcome", one_of(words::<Outcome>())),
            ("summary", text()),
            ("hadClearGoal", json!({"type": "boolean"})),
            ("language", text()),
            ("frameworks", texts()),
            (
                "decisions",
                list(statement(&[("what", text()), ("why", text()), ("alternatives", texts())])),
            ),
            (
                "lessons",
                list(statement(&[
                    ("level", one_of(words::<LessonLevel>())),
                    ("summary", text()),
                    ("details", text()),
                    ("confidence", confidence()),
                    ("tags", texts()),
                    ("actionable", text()),
                ])),
            ),
            ("promptingWins", texts()),
            ("promptingFailures", texts()),
            (
                "modelQuirks",
                list(statement(&[
                    ("model", text()),
                    ("observation", text()),
                    ("frequency", one_of(words::<Frequency>())),
                    ("workaround", text()),
                    ("severity", one_of(words::<Severity>())),
                ])),
            ),
            ("tags", texts()),
            ("topics", texts()),
            ("concepts", texts()),
        ])
    });
    &SCHEMA
}

fn object(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
    for (name, schema) in members {
        properties.insert(name.to_owned(), schema);
        required.push(name);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

impl Judgement {
    /// Writes it in the shape in which a model answers, for a model that puts several together.
    pub(crate) fn to_answer(&self) -> Value {
        let entries = |path: String| self.evidence.get(&path).cloned().unwrap_or_default();
        let decisions = self.key_decisions.iter().enumerate().map(|(at, decision)| {
            json!({
                "what": decision.what,
                "why": decision.why,
                "alternatives": decision.alternatives_considered,
                "entries": entries(format!("content.keyDecisions[{at}]")),
            })
        });
        let lessons = self.lessons.by_level().into_iter().flat_map(|(level, lessons)| {
            let level = pi_brain_brain::word(&level);
            lessons.iter().enumerate().map(move |(at, lesson)| {
                let mut value = json!(lesson);
                value["entries"] = json!(entries(format!("lessons.{level}[{at}]")));
                value
            })
        });
        let quirks = self.model_quirks.iter().enumerate().map(|(at, quirk)| {
            let mut value = json!(quirk);
            value["entries"] = json!(entries(format!("observations.modelQuirks[{at}]")));
            value
        });
        json!({
            "type": self.node_type,
            "outcome": self.outcome,
            "summary": self.summary,
            "hadClearGoal": self.had_clear_goal,
            "language": self.language,
            "frameworks": self.frameworks,
            "decisions": decisions.collect::<Vec<_>>(),
            "lessons": lessons.collect::<Vec<_>>(),
            "promptingWins": self.prompting_wins,
            "promptingFailures": self.prompting_failures,
            "modelQuirks": quirks.collect::<Vec<_>>(),
            "tags": self.tags,
            "topics": self.topics,
            "concepts": self.concepts,
        })
    }
}
